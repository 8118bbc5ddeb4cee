"""Every built-in tool keeps the same promises: definition, calls, faults, events, result."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from ankrcode import HookAnswer, ToolCall, ToolContext, ToolResult, tools
from ankrcode.protocol.event import Event, TaskEnded, ToolCallEnded, ToolCallStarted, ToolFailed
from ankrcode.testing import YES, Bench
from ankrcode.tooling.definition import asked_of_models
from tools.suite import (
    DEFINITIONS,
    EXAMPLES,
    MODULES,
    Example,
    HasReadAll,
    count_tokens,
    has_code_block,
    has_reply_shape,
    wrong_values,
)

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent.parent

every_tool = pytest.mark.parametrize("name", DEFINITIONS)
every_example = pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(name, example, id=f"{name}-{number}")
        for name, examples in EXAMPLES.items()
        for number, example in enumerate(examples.calls, 1)
    ],
)
every_required = pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, one) for name, tool in DEFINITIONS.items() for one in tool.input_schema["required"]],
)
every_parameter = pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, one) for name, tool in DEFINITIONS.items() for one in tool.input_schema["properties"]],
)


def bench_for(name: str, folder: Path, **toolkit: Any) -> Bench:
    """Everything is allowed: who may do what is tested elsewhere."""
    bench = Bench(tools.load(MODULES[name]), folder, mode="bypass", **toolkit)
    if EXAMPLES[name].reads_first:
        bench.kit.agent.reads = HasReadAll()
    EXAMPLES[name].begin(bench.kit.agent)
    return bench


def of_calls(bench: Bench) -> list[Event]:
    """What was published about calls: a task in the background ends when it likes."""
    return [event for event in bench.events if not isinstance(event, TaskEnded)]


# ── what it is ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S1-051", "S3-045")
def test_every_builtin_tool_has_examples_and_a_test_file_of_its_own() -> None:
    assert set(EXAMPLES) == set(DEFINITIONS), "add the tool's examples to tests/tools/suite.py"
    for name, module in MODULES.items():
        assert EXAMPLES[name].calls, name
        own = (TESTS / f"test_{module}.py").read_text(encoding="utf-8")
        assert "def test_" in own, module


def test_the_prebuilt_definitions_are_fresh() -> None:
    script = REPOSITORY / "scripts" / "build_definitions.py"
    done = subprocess.run([sys.executable, "-P", script, "--check"], timeout=60, check=False)
    assert done.returncode == 0, "run 'make definitions'"


@every_tool
@pytest.mark.requirement("S0-009", "S2-034", "S2-035", "S2-063", "S4-153")
def test_its_definition_says_how_to_call_it_and_what_comes_back(name: str) -> None:
    definition, tool = DEFINITIONS[name], tools.load(MODULES[name])
    assert tool.name == definition.name == name
    jsonschema_rs.Draft202012Validator(definition.input_schema)
    assert definition.input_schema == asked_of_models(tool)
    assert definition.input_schema["type"] == "object"
    assert definition.output_schema is not None
    assert definition.output_schema == tool.output_schema


@every_tool
@pytest.mark.requirement("S3-041", "S3-043")
def test_its_summary_is_one_short_sentence(name: str) -> None:
    summary, schema = DEFINITIONS[name].summary, DEFINITIONS[name].input_schema
    least, most = (25, 40) if EXAMPLES[name].is_complex else (10, 20)
    assert least <= count_tokens(summary) <= most, f"{count_tokens(summary)} tokens: {summary}"
    assert summary.endswith(".")
    assert "\n" not in summary
    assert not has_code_block(summary)
    assert not has_reply_shape(summary)
    assert not any(parameter in summary.split() for parameter in schema["properties"])


@every_tool
@pytest.mark.requirement("S3-030", "S3-043")
def test_its_full_description_stands_in_a_text_file_without_code_or_reply_shapes(
    name: str,
) -> None:
    file = Path(tools.__file__).with_name(f"{MODULES[name]}.md")
    text = file.read_text(encoding="utf-8")
    assert DEFINITIONS[name].description == text.strip()
    assert count_tokens(text) > count_tokens(DEFINITIONS[name].summary)
    assert not has_code_block(text)
    assert not has_reply_shape(text)


@pytest.mark.parametrize(
    "text", ["It gives {ok: true}.", 'Gives {"id"}.', "Gives [{…}].", "Use:\n```\nx\n```", "    x"]
)
def test_the_suite_itself_recognises_code_blocks_and_reply_shapes(text: str) -> None:
    assert has_code_block(text) or has_reply_shape(text)


@every_parameter
@pytest.mark.requirement("S3-044")
def test_each_parameter_is_described(name: str, parameter: str) -> None:
    described = DEFINITIONS[name].input_schema["properties"][parameter]["description"]
    assert len(described.split()) >= 3


# ── valid calls ───────────────────────────────────────────────────────────────────────────────
@every_example
@pytest.mark.requirement("S1-051", "S1-052", "S3-012", "S4-046")
async def test_a_valid_call_gives_a_whole_result(
    name: str, example: Example, tmp_path: Path
) -> None:
    result = await bench_for(name, tmp_path).run(**example.at(tmp_path))
    assert result.ok, result.error
    assert result.title
    assert result.text
    assert result.metadata
    assert result.duration_ms > 0
    assert result.call_id
    schema = DEFINITIONS[name].output_schema
    assert schema is not None
    faults = list(jsonschema_rs.iter_errors(schema, msgspec.to_builtins(result.value)))
    assert not faults
    msgspec.json.encode(result)  # every wire can carry it


@every_example
@pytest.mark.requirement("S1-017", "S1-019", "S1-052")
async def test_a_call_is_announced_and_concluded_by_events(
    name: str, example: Example, tmp_path: Path
) -> None:
    bench = bench_for(name, tmp_path)
    arguments = example.at(tmp_path)
    result = await bench.run(**arguments)
    first, *between, last = of_calls(bench)
    assert isinstance(first, ToolCallStarted)
    assert isinstance(last, ToolCallEnded)
    assert (first.tool, first.arguments) == (name, arguments)
    assert (last.tool, last.success, last.result) == (name, True, result)
    assert {one.call_id for one in (first, *between, last)} == {result.call_id}
    assert first.at <= last.at


@every_tool
@pytest.mark.requirement("S1-020", "S1-045", "S1-051", "S1-058")
async def test_a_call_that_fails_says_what_happened_and_what_to_do(
    name: str, tmp_path: Path
) -> None:
    bench = bench_for(name, tmp_path)
    result = await bench.run(**EXAMPLES[name].failing.at(tmp_path))
    error = result.error
    assert error is not None
    assert error.message.endswith(".")
    assert error.suggestion
    assert result.text == f"{error.message} {error.suggestion}"
    events = of_calls(bench)
    assert [event.type for event in events] == ["tool_call_start", "error", "tool_call_end"]
    failed, ended = events[1:]
    assert isinstance(failed, ToolFailed)
    assert isinstance(ended, ToolCallEnded)
    assert (failed.tool, failed.message, failed.error) == (name, error.message, error)
    assert not ended.success
    assert tools.load(MODULES[name]).result_preview(result) == [error.message]


# ── calls that do not fit ─────────────────────────────────────────────────────────────────────
def check_names(result: ToolResult, tool: str, parameter: str, *faults: str) -> None:
    error = result.error
    assert error is not None
    assert error.code == "INVALID_INPUT"
    assert error.kind == "validation_error"
    assert {one["parameter"] for one in error.details["faults"]} == {parameter}
    assert {one["fault"] for one in error.details["faults"]} <= set(faults)
    assert error.message.startswith("Validation failed: ")
    assert f"'{parameter}'" in error.message
    assert error.suggestion.startswith(f"Example: {tool}(")


@every_required
@pytest.mark.requirement("S0-006", "S1-012", "S1-014", "S1-040", "S1-063", "S4-042")
async def test_a_missing_parameter_is_named_with_an_example(
    name: str, parameter: str, tmp_path: Path
) -> None:
    arguments = EXAMPLES[name].calls[0].at(tmp_path)
    del arguments[parameter]
    bench = bench_for(name, tmp_path)
    result = await bench.run(**arguments)
    check_names(result, name, parameter, "missing")
    assert result.error is not None
    assert f"{parameter}=" in result.error.suggestion
    assert of_calls(bench)[-1].type == "tool_call_end"


@every_parameter
@pytest.mark.requirement("S1-013", "S1-040", "S1-063")
async def test_a_parameter_of_the_wrong_type_is_named_with_an_example(
    name: str, parameter: str, tmp_path: Path
) -> None:
    schema = DEFINITIONS[name].input_schema["properties"][parameter]
    arguments = EXAMPLES[name].calls[0].at(tmp_path)
    bench = bench_for(name, tmp_path)
    for wrong in wrong_values(schema):
        result = await bench.run(**{**arguments, parameter: wrong})
        check_names(result, name, parameter, "type", "value")


@every_tool
async def test_an_unknown_parameter_is_named(name: str, tmp_path: Path) -> None:
    arguments = EXAMPLES[name].calls[0].at(tmp_path)
    result = await bench_for(name, tmp_path).run(**arguments, surprise=1)
    if EXAMPLES[name].takes_more:
        assert result.ok
    else:
        check_names(result, name, "surprise", "unknown")


# ── what people see ───────────────────────────────────────────────────────────────────────────
@every_example
@pytest.mark.requirement("S1-004", "S1-051")
async def test_the_preview_of_a_result_is_a_few_lines(
    name: str, example: Example, tmp_path: Path
) -> None:
    result = await bench_for(name, tmp_path).run(**example.at(tmp_path))
    tool = tools.load(MODULES[name])
    assert 1 <= len(tool.result_preview(result)) <= 4
    shortest = tool.result_preview(result, max_lines=1)
    assert shortest[0] == result.text.splitlines()[0]
    hidden = len(result.text.splitlines()) - 1
    assert shortest[1:] == ([f"… {hidden} more lines"] if hidden else [])


class AlwaysAsk:
    """A hook that wants a person to see every call."""

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer:
        return HookAnswer(decision="ask", reason="the test wants to see it")

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...


@every_example
@pytest.mark.requirement("S0-112", "S2-041", "S2-043", "S4-149")
async def test_a_person_who_is_asked_sees_all_they_need_to_decide(
    name: str, example: Example, tmp_path: Path
) -> None:
    bench = bench_for(name, tmp_path, hooks=[AlwaysAsk()], answers=[YES])
    arguments = example.at(tmp_path)
    result = await bench.run(**arguments)
    assert result.ok
    (approval,) = bench.asked
    assert (approval.tool, approval.arguments) == (name, arguments)
    assert approval.reason == "the test wants to see it"
    assert approval.preview is None or approval.preview.title
    asked = ["approval_requested", "approval_answered", "tool_call_start", "tool_call_end"]
    types = [one.type for one in of_calls(bench)]
    while_it_works = slice(types.index("tool_call_start") + 1, -1)  # that is its own
    del types[while_it_works]
    assert types == asked

    again = tmp_path / "again"
    again.mkdir()
    silent = bench_for(name, again, hooks=[AlwaysAsk()], answers=[])  # no answer is a no
    refused = await silent.run(**example.at(again))
    assert refused.error is not None
    assert refused.error.code == "PERMISSION_DENIED"
    assert refused.error.message == "User denied permission."
