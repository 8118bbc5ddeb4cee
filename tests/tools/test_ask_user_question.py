"""AskUserQuestion: the person is asked, one question after the other, and time stands still."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ankrcode import ErrorCode, ToolCall, Toolkit
from ankrcode import tools as builtin
from ankrcode.config.limits import Limits
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.event import Event, QuestionAnswered, QuestionAsked
from ankrcode.protocol.question import Option, Question, QuestionAnswer
from ankrcode.testing import YES
from ankrcode.tooling.questions import AnswersFromFile, asker_for, choices

PATIENCE_S = 10


class Human:
    """Answers by header; remembers what was asked, and how many questions stood at once."""

    def __init__(self, **answers: tuple[str, ...]) -> None:
        self.answers = answers
        self.asked: list[Question] = []
        self.at_once = self.most_at_once = 0

    async def __call__(self, question: Question) -> QuestionAnswer:
        self.asked.append(question)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        chosen = self.answers.get(question.header, (question.options[0].label,))
        return QuestionAnswer(question_id=question.id, chosen=chosen)


def question(header: str = "Database", **more: Any) -> dict[str, Any]:
    options = [
        {"label": "SQLite", "description": "One file"},
        {"label": "Postgres", "description": "A server"},
    ]
    return {"question": f"Which {header}?", "header": header, "options": options, **more}


async def asked(kit: Toolkit, *questions: dict[str, Any]) -> Any:
    return await kit.call("AskUserQuestion", questions=list(questions))


# ── answers ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-069", "S0-074", "S0-176", "S4-239")
async def test_the_answers_come_as_json_by_header(tmp_path: Path) -> None:
    human = Human(Database=("Postgres",))
    kit = Toolkit(cwd=tmp_path, ask=human)
    result = await asked(kit, question(), question("Colour"))
    assert json.loads(result.text) == {"Database": ["Postgres"], "Colour": ["SQLite"]}
    assert result.value.answers == {"Database": ["Postgres"], "Colour": ["SQLite"]}
    assert result.title == "Asked: Database, Colour"
    assert [one.question for one in human.asked] == ["Which Database?", "Which Colour?"]
    assert len({one.id for one in human.asked}) == 2


@pytest.mark.requirement("S0-072")
async def test_several_may_be_chosen_where_the_question_says_so(tmp_path: Path) -> None:
    human = Human(Features=("Search", "Export"))
    result = await asked(Toolkit(cwd=tmp_path, ask=human), question("Features", multiSelect=True))
    assert json.loads(result.text) == {"Features": ["Search", "Export"]}
    assert human.asked[0].multi_select
    await asked(Toolkit(cwd=tmp_path, ask=human), question("One"))
    assert not human.asked[1].multi_select


@pytest.mark.parametrize("said", ["MySQL, please", "नहीं पता", "two\nlines", "x" * 5_000])
async def test_the_person_may_answer_in_words_of_their_own(said: str, tmp_path: Path) -> None:
    result = await asked(Toolkit(cwd=tmp_path, ask=Human(Database=(said,))), question())
    assert json.loads(result.text) == {"Database": [said]}


async def test_no_answer_is_an_empty_list(tmp_path: Path) -> None:
    result = await asked(Toolkit(cwd=tmp_path, ask=Human(Database=())), question())
    assert json.loads(result.text) == {"Database": []}


@pytest.mark.requirement("S0-071", "S0-177")
async def test_a_front_end_gets_label_and_description_of_each_option(tmp_path: Path) -> None:
    human = Human()
    await asked(Toolkit(cwd=tmp_path, ask=human), question())
    assert human.asked[0].options == (
        Option(label="SQLite", description="One file"),
        Option(label="Postgres", description="A server"),
    )
    assert choices(human.asked[0]) == [
        "SQLite - One file",
        "Postgres - A server",
        "Other (custom input)",
    ]
    bare = Question(id="1", question="?", options=(Option(label="a"), Option(label="b")))
    assert choices(bare)[:2] == ["a", "b"]


# ── what is a question ────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-069", "S0-070", "S0-071", "S4-239")
@pytest.mark.parametrize(
    "questions",
    [
        [],
        [question(f"Q{number}") for number in range(5)],
        [question("thirteen char")],
        [question("")],
        [question(options=[{"label": "only", "description": "one"}])],
        [question(options=[{"label": str(n), "description": ""} for n in range(5)])],
        [question(options=[{"description": "no label"}, {"label": "b"}])],
        [question(options=[{"label": ""}, {"label": "b"}])],
        [{"question": "no options", "header": "x"}],
        [{"header": "no text", "options": question()["options"]}],
        [question(question="")],
        "Which?",
        None,
    ],
)
async def test_what_is_no_good_question_is_never_put(questions: Any, tmp_path: Path) -> None:
    human = Human()
    result = await Toolkit(cwd=tmp_path, ask=human).call("AskUserQuestion", questions=questions)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert human.asked == []


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([question("Same"), question("Same")], "Two questions have the same header"),
        (
            [question(options=[{"label": "a", "description": "1"}, {"label": "a"}])],
            "Two options of 'Database' have the same label",
        ),
    ],
)
async def test_what_could_not_be_told_apart_is_not_put(
    questions: list[dict[str, Any]], said: str, tmp_path: Path
) -> None:
    human = Human()
    result = await asked(Toolkit(cwd=tmp_path, ask=human), *questions)
    assert said in result.text
    assert human.asked == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
async def test_one_to_four_questions_of_two_to_four_options(number: int, tmp_path: Path) -> None:
    human = Human()
    options = [{"label": f"o{n}", "description": "d"} for n in range(max(2, number))]
    questions = [question(f"Twelve chr {n}"[:12], options=options) for n in range(number)]
    result = await asked(Toolkit(cwd=tmp_path, ask=human), *questions)
    assert len(json.loads(result.text)) == number


# ── nobody ────────────────────────────────────────────────────────────────────────────────────
async def test_where_nobody_is_there_it_says_so_and_what_to_do(tmp_path: Path) -> None:
    result = await asked(Toolkit(cwd=tmp_path), question())
    assert not result.ok
    assert result.text == (
        "Nobody is there to answer questions. "
        "Decide yourself, and say in the answer what you assumed."
    )


async def test_answers_may_be_given_in_advance(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    given = {"Database": "Postgres", "Features": ["A", "B"], "Which Name?": "anything"}
    file.write_text(json.dumps(given), encoding="utf-8")
    kit = Toolkit(cwd=tmp_path, ask=asker_for(str(file)))
    result = await asked(kit, question(), question("Features"), question("Name"))
    assert json.loads(result.text) == {
        "Database": ["Postgres"],
        "Features": ["A", "B"],
        "Name": ["anything"],
    }


async def test_a_question_without_an_answer_in_the_file_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text("{}", encoding="utf-8")
    result = await asked(Toolkit(cwd=tmp_path, ask=AnswersFromFile.of(file)), question())
    assert not result.ok
    assert f"Nobody is there to answer 'Database', and {file} has no answer" in result.text


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"a": 1}', b"{'a': 'b'}", b"\xff", b'{"a": ["b", 2]}']
)
def test_a_file_that_holds_no_answers_is_named(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"answers\.json cannot be used"):
        AnswersFromFile.of(file)


def test_without_a_file_there_is_nobody_and_a_missing_file_is_a_mistake(tmp_path: Path) -> None:
    assert asker_for("") is None
    with pytest.raises(SettingsError, match="cannot be used"):
        asker_for(str(tmp_path / "none.json"))


# ── while the person thinks ───────────────────────────────────────────────────────────────────
async def test_the_time_limit_of_a_call_does_not_run(tmp_path: Path) -> None:
    class Slow(Human):
        async def __call__(self, question: Question) -> QuestionAnswer:
            await asyncio.sleep(0.2)
            return await super().__call__(question)

    settings = Settings(limits=Limits(call_timeout_s=0.05))
    assert (await asked(Toolkit(cwd=tmp_path, ask=Slow(), settings=settings), question())).ok


async def test_one_question_stands_at_a_time_whoever_asks(tmp_path: Path) -> None:
    human = Human()
    kit = Toolkit(cwd=tmp_path, ask=human)
    others = [kit.for_agent(f"child {number}") for number in range(3)]
    async with asyncio.timeout(PATIENCE_S):
        results = await asyncio.gather(
            *(asked(one, question("A"), question("B")) for one in (kit, *others))
        )
    assert all(one.ok for one in results)
    assert (len(human.asked), human.most_at_once) == (8, 1)
    tool = kit.registry.find("AskUserQuestion")
    assert not tool.is_concurrency_safe(tool.model.parse({"questions": [question()]}))


async def test_a_question_waits_for_an_approval_that_stands_before_the_person(
    tmp_path: Path,
) -> None:
    standing, may_answer = asyncio.Event(), asyncio.Event()

    async def approve(approval: Approval) -> ApprovalAnswer:
        standing.set()
        await may_answer.wait()
        return YES

    human = Human()
    kit = Toolkit(cwd=tmp_path, ask=human, approve=approve)
    async with asyncio.timeout(PATIENCE_S):
        writing = asyncio.ensure_future(kit.call("Write", file_path="a", content="b"))
        await standing.wait()
        asking = asyncio.ensure_future(asked(kit, question()))
        for _ in range(20):
            await asyncio.sleep(0)
        assert human.asked == []
        may_answer.set()
        assert (await writing).ok
        assert (await asking).ok


async def test_cancelled_it_gives_up_its_turn(tmp_path: Path) -> None:
    standing = asyncio.Event()

    async def never(question: Question) -> QuestionAnswer:
        standing.set()
        await asyncio.Event().wait()
        raise AssertionError

    kit = Toolkit(cwd=tmp_path, ask=never)
    async with asyncio.timeout(PATIENCE_S):
        async with kit.turn() as turn:
            call = ToolCall(name="AskUserQuestion", arguments={"questions": [question()]}, id="q")
            turn.feed(call)
            await standing.wait()
            turn.cancel("q")
            (result,) = await turn.results()
        assert result.error is not None
        assert result.error.code is ErrorCode.CANCELLED
        kit.agent.person.asker = Human()
        assert (await asked(kit, question())).ok


async def test_whoever_watches_sees_question_and_answer(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, ask=Human(Database=("Postgres",)))
    seen: list[Event] = []
    kit.on("*", seen.append)
    await asked(kit, question())
    kit.activity.flush()
    about = [one for one in seen if isinstance(one, QuestionAsked | QuestionAnswered)]
    assert [one.type for one in about] == ["question_asked", "question_answered"]
    first, last = about
    assert isinstance(first, QuestionAsked)
    assert isinstance(last, QuestionAnswered)
    assert first.question.header == "Database"
    assert last.answer == QuestionAnswer(question_id=first.question.id, chosen=("Postgres",))
    assert {one.call_id for one in about} == {seen[0].call_id}


async def test_an_asker_that_breaks_is_that_calls_fault_alone(tmp_path: Path) -> None:
    async def broken(question: Question) -> QuestionAnswer:
        raise RuntimeError("no terminal")

    kit = Toolkit(cwd=tmp_path, ask=broken)
    assert "no terminal" in (await asked(kit, question())).text
    assert (await kit.call("List")).ok


@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk", "bypass"])
async def test_asking_is_allowed_in_every_mode(mode: str, tmp_path: Path) -> None:
    assert (await asked(Toolkit(cwd=tmp_path, mode=mode, ask=Human()), question())).ok


# ── what the model is told ────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-176")
def test_the_description_says_what_it_is_for() -> None:
    told = builtin.definitions()["ask_user_question"]
    for words in ("unclear", "preference", "decision"):
        assert words in told.description
    one = told.input_schema["properties"]["questions"]
    assert (one["minItems"], one["maxItems"]) == (1, 4)
    assert one["items"]["properties"]["header"]["maxLength"] == 12
    options = one["items"]["properties"]["options"]
    assert (options["minItems"], options["maxItems"]) == (2, 4)
    assert one["items"]["properties"]["multiSelect"]["default"] is False


async def test_the_same_question_twice_in_one_answer_is_put_twice(tmp_path: Path) -> None:
    human = Human()
    kit = Toolkit(cwd=tmp_path, ask=human)
    again = ToolCall(name="AskUserQuestion", arguments={"questions": [question()]})
    results = await kit.call_all([again, again])
    assert [one.ok for one in results] == [True, True]
    assert len(human.asked) == 2
    assert len({one.id for one in human.asked}) == 2
