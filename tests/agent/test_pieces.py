"""The small parts of a conversation, each for itself."""

import asyncio
import errno
import re
from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.agent.answer import DONE
from ankrcode.agent.context import MAX_RESERVE, ContextWindow
from ankrcode.agent.conversation import Conversation, teller
from ankrcode.agent.estimate import Estimate, of_text, of_value, raw_tokens
from ankrcode.agent.guard import REMIND_AT, STOP_AT, LoopGuard
from ankrcode.agent.lease import Purse
from ankrcode.agent.limits import limits_of
from ankrcode.agent.notes import is_note, mode_note, note, words_of
from ankrcode.agent.pinned import binding, kept_words, shortened, state, words
from ankrcode.agent.progress import Progress
from ankrcode.agent.shielded import shielded
from ankrcode.agent.steering import Steering
from ankrcode.config.models import BudgetSettings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    TextPart,
    ToolResultPart,
    ToolUsePart,
    Usage,
)
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import Attachment, ToolResult
from ankrcode.testing import FixedSource
from ankrcode.tooling.outcome import failure
from ankrcode.workspace.documents.tokens import estimate_tokens
from ankrcode.workspace.files import file_error


def user(*texts: str) -> Message:
    return Message(role="user", parts=tuple(TextPart(text=one) for one in texts))


def use(name: str = "Read", call_id: str = "c", **arguments: object) -> ToolUsePart:
    return ToolUsePart(id=call_id, name=name, arguments=dict(arguments))


# ── notes ─────────────────────────────────────────────────────────────────────────────────
def test_a_note_is_told_from_the_persons_words() -> None:
    message = Message(role="user", parts=(TextPart(text="mine"), note("ours")))
    assert words_of(message) == "mine"
    assert [is_note(part) for part in message.parts] == [False, True]
    assert words_of(Message(role="assistant", parts=(TextPart(text="x"),))) == ""


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_has_its_words(mode: Mode) -> None:
    assert f"## Current Mode: {mode}\n" in mode_note(mode).text
    assert len(mode_note(mode).text) > 60


def test_steering_gives_each_word_once_and_in_order() -> None:
    steering = Steering()
    for text in ("a", "  ", "b"):
        steering.say(text)
    assert steering
    assert steering.take() == ["a", "b"]
    assert not steering
    assert steering.take() == []


# ── the conversation ──────────────────────────────────────────────────────────────────────
def talk_in(folder: Path, *said: Message) -> tuple[Conversation, Toolkit]:
    kit = Toolkit(cwd=folder, source=FixedSource())
    kit.agent.messages[:] = said
    system = Message(role="system", parts=(TextPart(text="S"),))
    return Conversation(kit, [system], teller(kit)), kit


def test_what_one_side_says_in_a_row_is_one_message(tmp_path: Path) -> None:
    talk, kit = talk_in(tmp_path)
    talk.tell([TextPart(text="a")])
    talk.tell([TextPart(text="b")])
    talk.add(Message(role="assistant", parts=(TextPart(text="c"),)))
    talk.add(Message(role="assistant", parts=()))
    assert [len(one.parts) for one in talk.said] == [2, 1]
    assert talk.all[1:] == kit.agent.messages
    assert talk.all[0].role == "system"


def test_a_message_that_is_there_stays_the_same_object(tmp_path: Path) -> None:
    talk, _ = talk_in(tmp_path)
    talk.tell([TextPart(text="a")])
    first = talk.all[1]
    talk.add(Message(role="assistant", parts=(TextPart(text="b"),)))
    talk.tell([TextPart(text="c")])
    assert talk.all[1] is first


def test_ids_of_an_earlier_session_are_known(tmp_path: Path) -> None:
    talk, _ = talk_in(tmp_path, user("x"), Message(role="assistant", parts=(use(call_id="old"),)))
    assert talk.unused_id("new") == "new"
    assert talk.unused_id("old") != "old"
    assert talk.unused_id("") != ""
    assert talk.unused_id("new") != "new"


# ── the estimate ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        Path(__file__).read_text(encoding="utf-8"),
        "The quick brown fox jumps over the lazy dog. " * 50,
        "सभी परीक्षण सफल रहे और काम पूरा हो गया। " * 50,
        '{"name": "value", "count": 12345, "list": [1, 2, 3]}' * 50,
    ],
    ids=["code", "prose", "hindi", "json"],
)
def test_the_rule_of_thumb_is_near_the_careful_count(text: str) -> None:
    careful = estimate_tokens(text)
    assert careful / 2.2 < of_text(text) < careful * 2.2


def test_every_part_of_a_message_counts() -> None:
    picture = Attachment(type="image", mime="image/png", data="x" * 100_000)
    bare = raw_tokens(user("x"))
    assert raw_tokens(user("x" * 400)) > bare + 80
    assert raw_tokens(Message(role="user", parts=(AttachmentPart(attachment=picture),))) < 3_000
    result = ToolResultPart(tool_use_id="c", text="y" * 400, attachments=(picture,))
    assert raw_tokens(Message(role="user", parts=(result,))) > 1_500
    assert raw_tokens(Message(role="assistant", parts=(use(a="z" * 400, b=[1, {"c": "d"}]),))) > 100


def test_a_long_text_is_sampled() -> None:
    long = "नमस्ते " * 100_000
    assert of_text(long) == pytest.approx(100_000 * of_text("नमस्ते "), rel=0.05)


def test_values_are_counted_without_being_written() -> None:
    assert of_value({"a": "x" * 36, "b": [True, None, 3]}) == pytest.approx(17, abs=4)


def test_one_odd_report_does_not_mislead() -> None:
    estimate = Estimate()
    estimate.begin([user("word " * 1_000)])
    estimate.calibrate(estimate.before_answer(), 10_000_000)
    assert estimate.factor <= 2.0
    estimate.calibrate(estimate.before_answer(), 0)
    assert estimate.factor <= 2.0


def test_the_window_keeps_room_for_the_answer() -> None:
    assert ContextWindow(4_000).limit == 3_200
    assert ContextWindow(1_000_000).limit == 1_000_000 - MAX_RESERVE


# ── what is kept ──────────────────────────────────────────────────────────────────────────
def test_the_persons_words_are_found_among_the_notes() -> None:
    said = [Message(role="user", parts=(TextPart(text="a"), note("n"))), user("b", "c")]
    assert words([*said, Message(role="assistant", parts=(TextPart(text="x"),))]) == ["a", "b", "c"]


def test_all_words_are_kept_where_they_fit() -> None:
    assert kept_words(["one", "two", "three"], 1_000) == ["one", "two", "three"]
    assert kept_words([], 10) == []


def test_the_first_and_the_newest_are_kept_and_of_others_what_binds() -> None:
    said = [
        "Build the parser.",
        "Here is some long talk about rain. " * 20 + "Never touch main.py. " + "And so on. " * 20,
        "Use tabs please.",
    ]
    kept = kept_words(said, 60)
    assert kept[0] == "Build the parser."
    assert kept[-1] == "Use tabs please."
    assert kept[1] == "Never touch main.py."


def test_a_first_word_that_is_too_long_is_shortened() -> None:
    [kept] = kept_words(["begin " + "x" * 10_000 + " end"], 50)
    assert kept.startswith("begin")
    assert kept.endswith("end")
    assert len(kept) < 250


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "Use only the standard library.",
        "Don't touch the tests.",
        "Keep the public API as it is.",
        "main.py को मत छूना।",
        "Tests kabhi mat badalna.",
    ],
)
def test_constraints_are_found_among_other_sentences(sentence: str) -> None:
    assert binding(f"Hello there! {sentence} Thank you.") == [sentence]


def test_text_is_shortened_from_the_middle() -> None:
    assert shortened("short", 100) == "short"
    cut = shortened("a" * 500 + "b" * 500, 50)
    assert cut.startswith("aaa")
    assert cut.endswith("bbb")
    assert "[…]" in cut


def test_the_state_names_what_is_open(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert state(kit) == ""
    kit.mode = Mode.ACCEPT_EDITS
    assert state(kit) == "## Current Mode: acceptEdits"
    kit.agent.todos[:] = [{"content": "Run it", "status": "pending"}]
    assert "Run it" in state(kit)
    kit.agent.todos[:] = [{"content": "Run it", "status": "completed"}]
    assert "Run it" not in state(kit)


def test_a_plan_that_is_not_written_yet_is_named(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    kit.agent.policy.plan_file = str(tmp_path / "plan.md")
    assert "not written yet" in state(kit)


# ── circles ───────────────────────────────────────────────────────────────────────────────
def rounds(guard: LoopGuard, count: int, *turns: tuple[ToolUsePart, str]) -> list[str]:
    return [
        guard.note([call], [ToolResult(text=text)])[0] for _ in range(count) for call, text in turns
    ]


def test_equal_turns_are_reminded_of_and_then_stopped() -> None:
    said = rounds(LoopGuard(), STOP_AT, (use(a=1), "x"))
    assert said.index("remind") == REMIND_AT - 1
    assert said[-1] == "stop"
    assert said[-2] == "remind"


@pytest.mark.parametrize("period", [2, 3])
def test_so_are_turns_that_alternate(period: int) -> None:
    turns = [(use(a=number), "x") for number in range(period)]
    said = rounds(LoopGuard(), STOP_AT, *turns)
    assert said[-1] == "stop"
    assert "stop" not in said[:-1]


def test_other_results_or_other_calls_are_no_circle() -> None:
    guard = LoopGuard()
    said = [guard.note([use(a=1)], [ToolResult(text=str(number))])[0] for number in range(50)]
    said += [guard.note([use(a=number)], [ToolResult(text="x")])[0] for number in range(50)]
    assert set(said) == {""}


def test_waiting_for_a_task_is_no_circle() -> None:
    assert set(rounds(LoopGuard(), 50, (use("TaskOutput", task_id="t"), "running"))) == {""}


# ── progress and limits ───────────────────────────────────────────────────────────────────
def denied() -> ToolResult:
    return failure(ToolError("no").coded(ErrorCode.PERMISSION_DENIED))


def test_a_denial_is_made_good_by_real_work_and_not_by_looking() -> None:
    progress = Progress()
    progress.note((use("Bash"),), (denied(),))
    progress.note((use("Read"),), (ToolResult(),))
    assert progress.done().subtype == "error_denied"
    progress.note((use("Edit"),), (ToolResult(),))
    assert progress.done() == DONE
    assert len(progress.denials) == 1


def test_a_command_that_only_looks_makes_no_denied_one_good() -> None:
    """`npm install` was denied, then `ls` ran: that is no success."""
    progress = Progress()
    progress.note((use("Bash"),), (denied(),))
    progress.note((use("Bash"),), (ToolResult(metadata={"profile": "limits"}),))
    assert progress.done().subtype == "error_denied"
    progress.note((use("Bash"),), (ToolResult(metadata={"profile": "workspace"}),))
    assert progress.done() == DONE


def test_what_the_system_refused_is_not_put_down_to_rules() -> None:
    progress = Progress()
    closed = file_error("/x", PermissionError(errno.EACCES, "Permission denied"), done="written")
    progress.note((use("Write"),), (failure(closed),))
    ended = progress.done()
    assert (ended.subtype, len(progress.denials)) == ("error_denied", 1)
    assert "rights" in ended.error
    assert "rule" not in ended.error
    progress.note((use("Bash", "c2"),), (denied(),))
    assert "Allow it by a rule" in progress.done().error


def test_a_denied_look_is_made_good_by_another() -> None:
    progress = Progress()
    progress.note((use("Read"),), (denied(),))
    progress.note((use("Read"),), (ToolResult(),))
    assert progress.done() == DONE


def test_other_failures_are_no_denials() -> None:
    progress = Progress()
    error = ToolError("x").coded(ErrorCode.FILE_NOT_FOUND)
    progress.note((use("Read"),), (failure(error),))
    assert progress.denials == []


def test_without_limits_nothing_is_counted() -> None:
    assert limits_of(BudgetSettings(), None, Purse(), None) is None


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        (BudgetSettings(tokens=1_000), "tokens"),
        (BudgetSettings(turns=2), "requests"),
        (BudgetSettings(usd=0.01), r"\$"),
    ],
)
async def test_each_limit_is_named_when_it_is_reached(settings: BudgetSettings, word: str) -> None:
    purse = Purse(settings.usd or None)
    limits = limits_of(settings, None, purse, None)
    assert limits is not None
    assert await limits.reached(10, 0.0) is None
    for _ in range(2):
        limits.spend(Usage(input_tokens=600, output_tokens=10))
        purse.spend(0.01)
    ended = await limits.reached(10, 0.0)
    assert ended is not None
    assert ended.subtype == "error_budget"
    assert re.search(word, ended.error)


async def test_shielded_work_ends_whoever_cancels() -> None:
    done: list[str] = []

    async def work() -> str:
        for _ in range(5):
            await asyncio.sleep(0)
        done.append("done")
        return "result"

    task = asyncio.ensure_future(shielded(work()))
    await asyncio.sleep(0)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert await task == "result"
    assert done == ["done"]
