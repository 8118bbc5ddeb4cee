"""RocketLang for programs: parse, compile, run, explain."""

from typing import Any

import pytest

from ankrcode.errors import ToolError, UsageError
from ankrcode.rocketlang import api
from ankrcode.rocketlang.api import ScriptFault, explain, finished, parse, play, run
from ankrcode.rocketlang.variables import typed
from rocketlang.scripts import as_pair, read, said


def test_a_sentence_is_a_program_too() -> None:
    program = parse("app.py padho")
    assert [as_pair(one) for one in api.compile(program)] == [read("app.py")]
    assert (program.lang, program.confirm, program.changes) == ("hi", False, False)
    assert "app.py" in program.explain


def test_nothing_said_is_nothing_done() -> None:
    program = parse("# only a comment\n")
    assert api.compile(program) == []
    assert not program.is_full
    assert program.explain == ""


def test_a_program_is_run_by_a_function() -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def call(tool: str, args: dict[str, Any]) -> Any:
        asked.append((tool, args))
        return ["a.py", "b.py"] if tool == "Glob" else "text"

    text = "files = *.py dhoondo\nhar f $files mein:\n  $f padho\nend\nagar x.py hai to push karo"
    trace = run(parse(text), call)
    assert trace.ok
    assert [tool for tool, _ in asked] == ["Glob", "Read", "Read", "Glob", "Bash"]
    assert [one.call.tool for one in trace.calls] == ["Glob", "Read", "Read", "Bash"]


def test_an_error_of_ours_is_a_failed_call() -> None:
    def call(tool: str, args: dict[str, Any]) -> str:
        if tool == "Bash":
            raise ToolError("no such thing")
        return str(args["text"])

    trace = run(parse('tests chalao\nagar fail to "bad" bolo\n"end" bolo'), call)
    assert trace.ok
    assert [(one.call.tool, one.ok) for one in trace.calls] == [
        ("Bash", False),
        ("Say", True),
        ("Say", True),
    ]
    assert not run(parse('tests chalao\n"end" bolo'), call).ok


def test_any_other_error_is_the_callers_own() -> None:
    def call(tool: str, args: dict[str, Any]) -> str:
        raise KeyError(tool)

    with pytest.raises(KeyError):
        run(parse("app.py padho"), call)


def test_a_function_never_confirms() -> None:
    done: list[str] = []
    trace = run(parse("old.log hatoa"), lambda tool, _: done.append(tool))
    assert not trace.ok
    assert done == []


def test_values_and_macros_can_be_given() -> None:
    macros = {one.name: one for one in parse('macro hi\n "{x}" bolo\nend').script.statements}  # type: ignore[union-attr]
    for value in ("namaste", typed("namaste")):
        program = parse("hi karo", variables={"x": value}, macros=macros)  # type: ignore[arg-type]
        assert [as_pair(one) for one in play(program)] == [said("namaste")]


@pytest.mark.parametrize(
    ("text", "said_back"),
    [
        ("app.py padho", "app.py"),
        ('app.py mein "foo" ko "bar" se badlo', "foo"),
        ("app.py mat hatao", "kuch nahi kiya"),
        ("agar pass\n push karo", "band nahi hua"),
    ],
)
def test_it_can_be_explained_before_it_is_run(text: str, said_back: str) -> None:
    assert said_back in explain(text)


def test_a_fault_is_an_exception_with_a_code() -> None:
    with pytest.raises(ScriptFault) as caught:
        parse("app.py mat hatao")
    assert caught.value.fault.code == "negated"
    assert caught.value.lang == "hi"


async def test_work_that_waits_needs_an_event_loop() -> None:
    import asyncio

    with pytest.raises(UsageError):
        finished(asyncio.sleep(0))
    assert finished(_at_once()) == 7


async def _at_once() -> int:
    return 7
