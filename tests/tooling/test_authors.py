"""What specs 1, 3 and 4 give to authors of tools, and where it is here."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta

from ankrcode import ErrorCode, ToolCall, Toolkit
from ankrcode.app import builtin_tools
from ankrcode.dialects import load
from ankrcode.errors import ErrorKind, ToolError
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.modifier import DirectoryChanged, PermissionGranted
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.dialect import REPLIES
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool

REPLY = REPLIES["success_fields"]


class CountInput(ToolInput):
    text: Annotated[str, Meta(description="What to count in", min_length=1)]


class Count(Tool[CountInput]):
    """The least that a tool is: a name, a description, and what it does."""

    name = "count"
    description = "Count the letters of a text."
    permission = Permission.READ

    async def run(self, args: CountInput, ctx: ToolContext) -> Any:
        if args.text == "?":
            raise ToolError("Nothing to count", suggestion="Give some letters")
        return {"result": "counted", "count": len(args.text)}


class Wipe(Tool[CountInput]):
    """One that must be confirmed, whatever the mode would allow."""

    name = "wipe"
    description = "Wipe it."
    permission = Permission.READ
    ran = 0

    def approval(self, args: CountInput, ctx: ToolContext) -> str:
        return "it wipes for good"

    async def run(self, args: CountInput, ctx: ToolContext) -> Any:
        type(self).ran += 1
        return "wiped"


class Odd(Count):
    """It says itself how a model sees it."""

    name = "odd"

    @property
    def input_schema(self) -> JsonSchema:
        one = {"type": "string", "description": "Description of param1"}
        return {"type": "object", "properties": {"param1": one}, "required": ["param1"]}


# ── one base ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S1-059")
async def test_a_tool_extends_one_base_with_a_name_a_description_and_run(tmp_path: Path) -> None:
    kit = Toolkit([Count], cwd=tmp_path)
    result = await kit.call("count", text="abc")
    assert result.value == {"result": "counted", "count": 3}
    (told,) = [one for one in kit.definitions() if one["name"] == "count"]
    assert told["description"] == "Count the letters of a text."
    assert all(issubclass(type(kit.registry.find(name)), Tool) for name in kit.registry.names)


@pytest.mark.requirement("S1-059")
async def test_the_base_itself_does_nothing() -> None:
    with pytest.raises(NotImplementedError):
        await Tool[Any]().run(None, None)  # type: ignore[arg-type]


@pytest.mark.requirement("S1-005")
@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_a_tool_that_must_be_confirmed_is(mode: str, tmp_path: Path) -> None:
    Wipe.ran = 0
    person = FakePerson([NO, YES])
    kit = Toolkit([Wipe, Count], cwd=tmp_path, mode=mode, approve=person)
    assert not (await kit.call("wipe", text="a")).ok
    assert Wipe.ran == 0
    assert (await kit.call("wipe", text="b")).ok
    assert (await kit.call("count", text="b")).ok
    assert Wipe.ran == 1
    assert [one.reason for one in person.asked] == ["it wipes for good"] * 2


@pytest.mark.requirement("S1-047")
def test_a_tool_may_say_itself_how_a_model_sees_it(tmp_path: Path) -> None:
    told = Toolkit([Odd], cwd=tmp_path).definitions("openai")
    (one,) = [form for form in told if form["function"]["name"] == "odd"]
    assert one == {
        "type": "function",
        "function": {
            "name": "odd",
            "description": "Count the letters of a text.",
            "parameters": {
                "type": "object",
                "properties": {
                    "param1": {"type": "string", "description": "Description of param1"}
                },
                "required": ["param1"],
            },
        },
    }


# ── results ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S1-046")
async def test_fields_that_a_tool_returns_become_the_reply(tmp_path: Path) -> None:
    result = await Toolkit([Count], cwd=tmp_path).call("count", text="abc")
    reply = REPLY(result, result.value)
    assert reply == {"success": True, "error": "", "result": "counted", "count": 3}


@pytest.mark.requirement("S1-046")
async def test_what_a_tool_raises_becomes_the_reply(tmp_path: Path) -> None:
    result = await Toolkit([Count], cwd=tmp_path).call("count", text="?")
    reply = REPLY(result, result.value)
    assert (reply["success"], reply["error"]) == (False, "Nothing to count")
    assert reply["suggestion"] == "Give some letters"
    assert reply["error_type"] in set(ErrorKind)


@pytest.mark.requirement("S1-003")
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"command": "exit 3"}, 'bash(command="exit 3"): Exit code: 3'),
        ({"command": 'say "a"', "timeout": 0}, 'bash(command="say \\"a\\"", timeout=0): '),
        ({}, "bash(): Validation failed"),
        ({"command": "exit 3 # " + "x" * 99}, 'bash(command="exit 3 # ' + "x" * 70 + "…): "),
        ("not json", "bash(): "),
    ],
)
async def test_an_error_shows_the_call_it_is_about(
    arguments: Any, shown: str, tmp_path: Path
) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    reply = await kit.call_in(load("ally"), ToolCall(name="bash", arguments=arguments))
    assert reply["error"].startswith(shown)


@pytest.mark.requirement("S1-003")
async def test_a_success_shows_no_call(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    call = ToolCall(name="bash", arguments={"command": "true"})
    assert (await kit.call_in(load("ally"), call))["error"] == ""


@pytest.mark.requirement("S1-044")
async def test_a_violation_is_a_security_error(tmp_path: Path) -> None:
    """A tool that writes what it did not declare is stopped, and told for what it is."""

    class Sly(Count):
        name = "sly"

        async def run(self, args: CountInput, ctx: ToolContext) -> Any:
            ctx.files.write(str(tmp_path / "canary"), b"x", expected=None)

    result = await Toolkit([Sly], cwd=tmp_path, mode="bypass").call("sly", text="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.BLOCKED
    assert REPLY(result, None)["error_type"] == "security_error"
    assert not (tmp_path / "canary").exists()


@pytest.mark.requirement("S4-159")
async def test_a_result_begins_without_modifiers(tmp_path: Path) -> None:
    kit = Toolkit([Count], cwd=tmp_path)
    good, bad = [await kit.call("count", text=one) for one in ("a", "?")]
    assert (ToolResult(text="done").ok, ToolResult(text="done").modifiers) == (True, ())
    assert (good.ok, good.modifiers) == (True, ())
    assert (bad.ok, bad.modifiers) == (False, ())
    assert bad.text.startswith("Nothing to count")


@pytest.mark.requirement("S4-160")
def test_one_modifier_is_added_behind_the_others() -> None:
    first, second = DirectoryChanged(path="/x"), PermissionGranted(tool="Bash", pattern="ls")
    result = ToolResult(text="done").with_modifier(first)
    assert result.modifiers == (first,)
    assert result.with_modifier(second).modifiers == (first, second)
    assert result.modifiers == (first,)


@pytest.mark.requirement("S3-033")
def test_the_tools_of_every_day_exist() -> None:
    registry = builtin_tools()
    for name in ("read", "write", "edit", "glob", "grep", "bash"):
        assert registry.find(name.capitalize()).name == name.capitalize()


@pytest.mark.requirement("S4-117")
async def test_a_remote_session_is_answered_honestly(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("TaskOutput", task_id="session_01Remote")
    assert not result.ok
    assert "There is no task 'session_01Remote'." in result.text
    assert "No remote session is configured here." in result.text
