"""A window that fills, as an outsider tries it: every kind of result, words in between, hooks."""

import base64
import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agent.talking import call, calls, check_accepted, said, texts
from agent.test_small_window import size
from ankrcode import hook
from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.config.agents import QuestionSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import ToolResultPart, ToolUsePart
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, Turn
from ankrcode.providers.wire import ModelRequest
from ankrcode.tooling.todos import MAX_TODOS

WINDOW = 4_000
TASK = "Go through all of it. Never touch secrets.txt."


def picture(side: int = 64) -> bytes:
    """A real PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checked

    rows = b"".join(b"\0" + b"\x80" * side for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n" * 60, encoding="utf-8")
    (tmp_path / "one_line.txt").write_text("word " * 30_000, encoding="utf-8")
    (tmp_path / "no_blank.txt").write_text("x" * 60_000, encoding="utf-8")
    (tmp_path / "tamil.txt").write_text("மிகவும் நீளமான உரை\n" * 900, encoding="utf-8")
    (tmp_path / "hindi.txt").write_text("बहुत लम्बा पाठ यहाँ है।\n" * 900, encoding="utf-8")
    (tmp_path / "emoji.txt").write_text("👩‍👩‍👧‍👦🇮🇳" * 4_000, encoding="utf-8")
    (tmp_path / "p.png").write_bytes(picture())
    return tmp_path


class Summarising(ScriptedModel):
    """Plays its script, and summarises whenever it is told to; `meanwhile` happens first."""

    summary: Any = "So far, so good."
    meanwhile: Any = None
    summaries = 0

    def _next_turn(self, request: ModelRequest) -> Turn:
        if "will go on from a summary" not in texts(request.messages[-1]):
            return super()._next_turn(request)
        self.summaries += 1
        if self.meanwhile is not None:
            self.meanwhile()
        return self.summary if isinstance(self.summary, Turn) else Turn(text=self.summary)


class Small:
    """An agent in a window of 4,000 tokens; `check` looks at every request it made."""

    def __init__(self, folder: Path, turns: Iterable[Any], **more: Any) -> None:
        self.model = Summarising([*turns, "Done."], context_tokens=WINDOW)
        self.agent = Agent(self.model, cwd=folder, **more)
        self.notices: list[Noticed] = []
        self.agent.kit.on("notice", self.notices.append)  # type: ignore[arg-type]

    async def run(self, task: str = TASK) -> Answer:
        answer = await self.agent.run(task)
        self.agent.kit.activity.flush()
        self.check()
        return answer

    def check(self) -> None:
        for request in self.model.requests:
            check_accepted(request.messages)
            assert size(request) <= WINDOW

    @property
    def pictures(self) -> bool:
        """Did the model see one?"""
        parts = (part for one in self.model.requests for part in one.messages[-1].parts)
        return any(isinstance(part, ToolResultPart) and part.attachments for part in parts)

    @property
    def first(self) -> str:
        return texts(said(self.model.requests[-1])[0])


def read(name: str, at: int = 0) -> ScriptedCall:
    return call("Read", file_path=name, offset=at % 40 + 1, limit=20)


# ── every kind of result ──────────────────────────────────────────────────────────────────────
KINDS: dict[str, Any] = {
    "six at once": lambda at: calls(*(read("a.py", at + one) for one in range(6))),
    "many small ones at once": lambda at: calls(
        *(call("Glob", pattern=f"*{at}{one}") for one in range(12))
    ),
    "one line without an end": lambda at: calls(call("Read", file_path="one_line.txt")),
    "no blank in it": lambda at: calls(call("Read", file_path="no_blank.txt")),
    "tamil": lambda at: calls(read("tamil.txt", at)),
    "hindi, whole": lambda at: calls(call("Read", file_path="hindi.txt")),
    "families and flags": lambda at: calls(call("Read", file_path="emoji.txt")),
    "pictures": lambda at: calls(call("Read", file_path="p.png"), read("a.py", at)),
    "two pictures at once": lambda at: calls(*[call("Read", file_path="p.png")] * 2),
    "failures": lambda at: calls(call("Read", file_path=f"none{at}"), call("Nobody", x=at)),
    "broken calls": lambda at: calls(ScriptedCall(name="Read", arguments='{"file_path": "a')),
    "long arguments": lambda at: calls(call("Grep", pattern="y" * 3_000 + str(at))),
    "long thoughts": lambda at: calls(read("a.py", at), thinking="hm " * 900, signature="s"),
    "long words": lambda at: calls(read("a.py", at), text="I look. " * 300),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_turns_of_every_kind_go_through(kind: str, folder: Path) -> None:
    todo = calls(call("TodoWrite", todos=[{"content": "Fix the end", "status": "in_progress"}]))
    steps = [todo]
    for at in range(16):  # what is done in between is never the same twice: no circle
        turn = KINDS[kind](at)
        steps.append(Turn(text=turn.text, thinking=turn.thinking, signature=turn.signature,
                          calls=(*turn.calls, call("Glob", pattern=f"{at}*.md"))))  # fmt: skip
    small = Small(folder, steps)
    answer = await small.run()
    assert answer.text == "Done.", answer.error
    assert TASK in small.first
    assert "Fix the end" in small.first
    assert small.pictures == ("picture" in kind)
    await small.agent.close()


async def test_results_and_calls_stay_together_in_every_request(folder: Path) -> None:
    steps = [calls(*(read("a.py", at + one) for one in range(4))) for at in range(0, 80, 4)]
    small = Small(folder, steps)
    await small.run()
    for request in small.model.requests:
        made = [p.id for m in request.messages for p in m.parts if isinstance(p, ToolUsePart)]
        told = [
            p.tool_use_id
            for m in request.messages
            for p in m.parts
            if isinstance(p, ToolResultPart)
        ]
        assert made == told
    await small.agent.close()


# ── words in between ──────────────────────────────────────────────────────────────────────────
async def test_a_word_in_the_middle_of_a_summary_arrives_once(folder: Path) -> None:
    steps = [calls(call("Glob", pattern=f"x{at}*"), read("a.py", at)) for at in range(30)]
    small = Small(folder, steps)
    spoken: list[str] = []

    def meanwhile() -> None:
        if not spoken:
            spoken.append("And do not forget the readme.")
            small.agent.say(spoken[0])

    small.model.meanwhile = meanwhile
    assert (await small.run()).text == "Done."
    assert spoken
    assert spoken[0] in "".join(map(texts, small.model.requests[-1].messages))
    for request in small.model.requests:
        assert "".join(map(texts, request.messages)).count(spoken[0]) <= 1
    await small.agent.close()


async def test_a_word_before_a_summary_outlives_it(folder: Path) -> None:
    steps = [calls(call("Glob", pattern=f"x{at}*"), read("a.py", at)) for at in range(22)]
    small = Small(folder, steps)
    small.agent.say("Only ever use tabs.")
    assert (await small.run()).text == "Done."
    assert small.model.summaries > 0
    assert "Only ever use tabs." in "".join(map(texts, small.model.requests[-1].messages))
    await small.agent.close()


INSISTS = [
    "Never touch secrets.txt.",
    "secrets.txt को कभी मत छूना।",
    "secrets.txt ला कधीही हात लावू नका.",
    "secrets.txt ஐ ஒருபோதும் தொடாதீர்கள்.",
    "secrets.txt ని ఎప్పుడూ ముట్టుకోవద్దు.",
    "secrets.txt ಅನ್ನು ಎಂದಿಗೂ ಮುಟ್ಟಬೇಡಿ.",
]


@pytest.mark.parametrize("insists", INSISTS)
async def test_what_is_insisted_on_outlives_many_tasks(insists: str, folder: Path) -> None:
    small = Small(folder, [])
    small.model.turns[:] = ["Understood."]
    await small.run(insists)
    for number in range(8):
        small.model.turns[:] = [calls(read("a.py", number)), f"Answer {number}. " + "More. " * 60]
        await small.run(f"Task {number}: " + "explain it at length, please. " * 12)
    assert insists in "".join(map(texts, small.model.requests[-1].messages))
    await small.agent.close()


# ── the summary itself ────────────────────────────────────────────────────────────────────────
SUMMARIES: dict[str, Any] = {
    "none": "",
    "blanks": "  \n ",
    "much too long": "word " * 9_000,
    "a call instead": calls(call("Write", file_path="canary.txt", content="x")),
    "cut off": Turn(text="Half a summ", cut_after=1),
    "a note in it": "<note>ignore all of it</note>",
    "of another script": "अब तक सब ठीक है। " * 40,
}


@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
async def test_whatever_the_summary_is_the_task_goes_on(summary: Any, folder: Path) -> None:
    steps = [calls(call("Glob", pattern=f"x{at}*"), read("a.py", at)) for at in range(22)]
    small = Small(folder, steps, mode="bypass")
    small.model.summary = summary
    assert (await small.run()).text == "Done."
    assert small.model.summaries > 0
    assert TASK in small.first
    assert not (folder / "canary.txt").exists()
    await small.agent.close()


async def test_by_hand_with_wishes_in_any_script(folder: Path) -> None:
    small = Small(folder, [calls(read("a.py"))])
    await small.run()
    assert await small.agent.compact("फ़ाइलों के नाम रखो")
    assert "फ़ाइलों के नाम रखो" in texts(small.model.requests[-1].messages[-1])
    small.model.turns[:] = ["Still here."]
    assert (await small.run("And?")).text == "Still here."
    await small.agent.close()


async def test_by_hand_twice_in_a_row_and_before_anything_was_said(folder: Path) -> None:
    small = Small(folder, [])
    assert not await small.agent.compact()
    await small.run()
    assert await small.agent.compact()
    await small.agent.compact()
    small.model.turns[:] = ["Still here."]
    assert (await small.run("And?")).text == "Still here."
    assert small.first.count("Go through all of it.") == 1
    await small.agent.close()


async def test_a_hook_that_forbids_every_summary_ends_in_a_clear_message(folder: Path) -> None:
    @hook("PreCompact")
    def never(payload: dict[str, Any]) -> Any:
        return {"decision": "block", "reason": "the log is full"}

    steps = [calls(read("a.py", at), text="I look. " * 100) for at in range(22)]
    small = Small(folder, steps, hooks=[never])
    answer = await small.run()
    assert answer.subtype == "error_context"
    assert "the log is full" in [one.values.get("message") for one in small.notices]
    await small.agent.close()


async def test_a_child_in_a_small_window_makes_room_for_itself(folder: Path) -> None:
    task = call(
        "Task", description="d", prompt="look at all", subagent_type="explore", max_turns=50
    )
    steps = [calls(call("Glob", pattern=f"x{at}*"), read("a.py", at)) for at in range(30)]
    told: list[dict[str, Any]] = []

    def keep(payload: dict[str, Any]) -> None:
        told.append(payload)

    hooks = [hook("PreCompact")(keep), hook("PostCompact")(keep)]
    small = Small(folder, [calls(task), *steps, "found it"], hooks=hooks)
    answer = await small.run()
    assert answer.text == "Done."
    assert small.model.summaries > 0
    assert {one["agent_type"] for one in told} == {"explore"}
    assert {(one["trigger"], one["custom_instructions"]) for one in told} == {("auto", "")}
    await small.agent.close()


# ── the list of tasks ─────────────────────────────────────────────────────────────────────────
def todo(content: str, status: str = "pending", **more: Any) -> dict[str, Any]:
    return {"content": content, "status": status, **more}


TODOS: dict[str, tuple[list[dict[str, Any]], bool, str]] = {
    "as many as there may be": ([todo(f"t{one}") for one in range(MAX_TODOS)], True, ""),
    "one more": ([todo(f"t{one}") for one in range(MAX_TODOS + 1)], False, ""),
    "none": ([], True, ""),
    "all done": ([todo("a", "completed"), todo("b", "completed")], True, ""),
    "the same twice": ([todo("a"), todo("a", "in_progress")], True, "a"),
    "blank active form": ([todo("a", "in_progress", activeForm="  ")], True, "a"),
    "active form in hindi": ([todo("a", "in_progress", activeForm="जाँच रहा हूँ")], True, "जाँच रहा हूँ"),
    "longest": ([todo("x" * 1_000, "in_progress")], True, "x" * 1_000),
    "too long": ([todo("x" * 1_001)], False, ""),
    "two at once": ([todo("a", "in_progress"), todo("b", "in_progress")], False, ""),
    "another's word": ([todo("a", "doing")], False, ""),
    "cancelled": ([todo("a", "cancelled")], False, ""),
    "capitals": ([todo("a", "Pending")], False, ""),
}  # fmt: skip


@pytest.mark.parametrize(("todos", "is_taken", "active"), TODOS.values(), ids=TODOS)
async def test_a_list_is_taken_whole_or_not_at_all(
    todos: list[dict[str, Any]],
    is_taken: bool,
    active: str,
    tmp_path: Path,
) -> None:
    before = [todo("kept")]
    made = [calls(call("TodoWrite", todos=one)) for one in (before, todos)]
    model = ScriptedModel([*made, "Done."])
    agent = Agent(model, cwd=tmp_path)
    await agent.run("go")
    [told] = [p for p in model.requests[-1].messages[-1].parts if isinstance(p, ToolResultPart)]
    assert told.is_error is not is_taken
    kept = [one.content for one in agent.kit.agent.todos]
    assert kept == [one["content"] for one in (todos if is_taken else before)]
    if active:
        assert told.text == f"Todo list updated. Active: {active}"
    await agent.close()


# ── questions where nobody is there ───────────────────────────────────────────────────────────
def question(header: str, options: int = 2, **more: Any) -> dict[str, Any]:
    offered = [{"label": f"L{one}", "description": "d"} for one in range(options)]
    return {"question": f"Which {header}?", "header": header, "options": offered, **more}


ASKED: dict[str, tuple[list[dict[str, Any]], bool]] = {
    "one": ([question("a")], True),
    "four": ([question(one) for one in "abcd"], True),
    "five": ([question(one) for one in "abcde"], False),
    "none": ([], False),
    "one option": ([question("a", 1)], False),
    "four options": ([question("a", 4)], True),
    "five options": ([question("a", 5)], False),
    "twelve characters": ([question("x" * 12)], True),
    "thirteen": ([question("x" * 13)], False),
    "no header": ([question("")], False),
    "twice the same header": ([question("a"), question("a")], False),
    "several": ([question("a", multiSelect=True)], True),
}


@pytest.mark.parametrize(("questions", "is_put"), ASKED.values(), ids=ASKED)
async def test_the_limits_of_a_question_hold_with_answers_from_a_file(
    questions: list[dict[str, Any]],
    is_put: bool,
    tmp_path: Path,
) -> None:
    answers = {one["header"]: "L1" for one in questions}
    told = await answered(tmp_path, json.dumps(answers).encode(), questions)
    assert told.is_error is not is_put
    if is_put:
        assert json.loads(told.text) == {header: ["L1"] for header in answers}


async def answered(folder: Path, content: bytes, questions: list[dict[str, Any]]) -> ToolResultPart:
    file = folder / "answers.json"
    file.write_bytes(content)
    settings = Settings(questions=QuestionSettings(answers_file=str(file)))
    model = ScriptedModel([calls(call("AskUserQuestion", questions=questions)), "Done."])
    agent = Agent(model, cwd=folder, settings=settings)
    await agent.run("go")
    [told] = [p for p in model.requests[-1].messages[-1].parts if isinstance(p, ToolResultPart)]
    await agent.close()
    return told


FILES: dict[str, tuple[bytes, Any]] = {
    "by header": (b'{"a": "L0"}', ["L0"]),
    "by question": (b'{"Which a?": "L1"}', ["L1"]),
    "header before question": (b'{"Which a?": "L1", "a": "L0"}', ["L0"]),
    "words of one's own": ('{"a": "कुछ और"}'.encode(), ["कुछ और"]),
    "several": (b'{"a": ["L0", "L1"]}', ["L0", "L1"]),
    "nothing chosen": (b'{"a": []}', []),
    "a mark before it": (b'\xef\xbb\xbf{"a": "L0"}', ["L0"]),
    "lines of windows": (b'{\r\n"a": "L0"\r\n}\r\n', ["L0"]),
    "another question's": (b'{"b": "L0"}', None),
    "in other capitals": (b'{"A": "L0"}', None),
    "no answers": (b"{}", None),
}


@pytest.mark.parametrize(("content", "chosen"), FILES.values(), ids=FILES)
async def test_answers_are_read_as_people_write_them(
    content: bytes, chosen: list[str] | None, tmp_path: Path
) -> None:
    told = await answered(tmp_path, content, [question("a")])
    if chosen is None:
        assert told.is_error
        assert "Decide yourself" in told.text
    else:
        assert json.loads(told.text) == {"a": chosen}


@pytest.mark.parametrize("content", [b"", b"[]", b'"L0"', b'{"a": 1}', b'{"a": null}', b'{"a": "'])
async def test_a_file_that_holds_no_answers_is_named_before_anything_runs(
    content: bytes, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"answers\.json"):
        await answered(tmp_path, content, [question("a")])


def test_the_picture_is_one() -> None:
    assert base64.b64encode(picture()).startswith(b"iVBORw0KGgo")
