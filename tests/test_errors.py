"""The tree of errors, and what a model, a person and a program get to see of one."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode import errors
from ankrcode.app import Toolkit
from ankrcode.errors import (
    AnkrCodeError,
    ErrorCode,
    ErrorKind,
    InvalidInput,
    Refused,
    SettingsError,
    ToolError,
    UsageError,
)
from ankrcode.testing import NO, Bench
from ankrcode.tooling.function import tool


def tree_of(kind: type[AnkrCodeError], depth: int = 0) -> Iterator[tuple[int, str]]:
    yield depth, kind.__name__
    for inner in kind.__subclasses__():
        if inner.__module__ == errors.__name__:
            yield from tree_of(inner, depth + 1)


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    lines = re.findall(
        r"^([│├└─ ]*)(\w*(?:Error|Input|Refused))\b", str(errors.__doc__), re.MULTILINE
    )
    drawn = [(len(branch) // 4, name) for branch, name in lines]
    assert drawn == list(tree_of(AnkrCodeError))


def test_an_error_from_the_catalogue_carries_key_and_values_for_other_languages() -> None:
    error = UsageError.of("unknown_form", name="xml", names="anthropic, mcp")
    assert error.message == "There is no format 'xml'."
    assert error.suggestion == "Formats: anthropic, mcp."
    assert (error.key, error.values) == ("unknown_form", {"name": "xml", "names": "anthropic, mcp"})


def test_an_error_says_what_happened_and_then_what_to_do() -> None:
    assert str(ToolError("The disk is full.", suggestion="Free some space.")) == (
        "The disk is full. Free some space."
    )
    assert str(ToolError("The disk is full.")) == "The disk is full."


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (ToolError("x"), ErrorCode.EXECUTION_ERROR, ErrorKind.SYSTEM),
        (InvalidInput("x"), ErrorCode.INVALID_INPUT, ErrorKind.VALIDATION),
        (Refused("x"), ErrorCode.PERMISSION_DENIED, ErrorKind.PERMISSION),
        (ToolError("x", code=ErrorCode.FILE_NOT_FOUND), ErrorCode.FILE_NOT_FOUND, ErrorKind.USER),
        (ToolError("x", kind=ErrorKind.SECURITY), ErrorCode.EXECUTION_ERROR, ErrorKind.SECURITY),
    ],
)
def test_each_error_has_a_code_and_a_kind(
    error: ToolError, code: ErrorCode, kind: ErrorKind
) -> None:
    assert (error.code, error.kind) == (code, kind)


def test_another_code_brings_its_kind_and_keeps_the_details() -> None:
    error = ToolError("x", details={"a": 1}).coded(ErrorCode.BLOCKED, b=2)
    assert (error.kind, error.details) == (ErrorKind.SECURITY, {"a": 1, "b": 2})


def test_an_error_survives_a_process_border() -> None:
    error = Refused.of("denied.rule", tool="Bash", reason="no").coded(ErrorCode.BLOCKED, rule="r1")
    copy = pickle.loads(pickle.dumps(error))
    assert vars(copy) == vars(error)


def test_one_except_clause_catches_all_that_is_raised_on_purpose() -> None:
    kinds = {ToolError, InvalidInput, Refused, UsageError, SettingsError}
    assert all(issubclass(kind, AnkrCodeError) for kind in kinds)
    assert not issubclass(UsageError, ToolError)  # wrong use never becomes a result


@tool
def divide(number: int) -> float:
    """Divide one by a number."""
    return 1 / number


@pytest.mark.requirement("S1-040", "S1-050")
async def test_wrong_parameters_are_a_validation_error(tmp_path: Path) -> None:
    result = await Bench(divide, tmp_path, mode="bypass").run(number="three")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("validation_error", "INVALID_INPUT")


@pytest.mark.requirement("S1-041", "S1-045", "S1-050")
async def test_a_missing_file_is_an_error_of_the_user_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    result = await Toolkit(cwd=tmp_path).call("Read", file_path="note.md")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("user_error", "FILE_NOT_FOUND")
    assert "notes.md" in result.error.suggestion


@pytest.mark.requirement("S1-042", "S1-050", "S2-051")
async def test_an_exception_in_a_tool_is_a_system_error(tmp_path: Path) -> None:
    result = await Bench(divide, tmp_path, mode="bypass").run(number=0)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("system_error", "EXECUTION_ERROR")
    assert "ZeroDivisionError: division by zero" in result.text


@pytest.mark.requirement("S1-043", "S1-050")
async def test_a_no_is_a_permission_error(tmp_path: Path) -> None:
    result = await Bench(divide, tmp_path, answers=[NO]).run(number=1)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("permission_error", "PERMISSION_DENIED")
