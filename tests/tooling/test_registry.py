"""The tools at hand: in, out, found, filtered, made when needed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ankrcode.app import Toolkit, builtin_tools
from ankrcode.errors import ToolError, UsageError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.permission import Permission
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.definition import definition_of
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.tool import Tool


class Look(Tool[NoInput]):
    name = "Look"
    description = "Look around. Then look again."
    permission = Permission.READ
    optional_permissions = frozenset({Permission.NETWORK})
    category = "senses"

    async def run(self, args: NoInput, ctx: ToolContext) -> str:
        return "seen"


class Shout(Tool[NoInput]):
    name = "Shout"
    summary = "Shout out."
    description = "Shout out loud."
    category = "voice"

    async def run(self, args: NoInput, ctx: ToolContext) -> str:
        return "HEY"


@pytest.mark.requirement("S2-038", "S3-020", "S4-153")
def test_a_registered_tool_is_found_by_its_name() -> None:
    registry = Registry()
    registered = registry.register(Look)
    assert registry.get("Look") is registered
    assert registry.get("Nothing") is None
    assert ("Look" in registry, "Nothing" in registry, len(registry)) == (True, False, 1)


def test_a_class_and_an_object_are_both_accepted_and_the_order_is_kept() -> None:
    registry = Registry([Shout(), Look])
    assert registry.names == ["Shout", "Look"]
    assert [tool.name for tool in registry] == ["Shout", "Look"]


@pytest.mark.requirement("S3-017")
def test_an_unregistered_tool_is_gone() -> None:
    registry = Registry([Look])
    assert registry.unregister("Look")
    assert not registry.unregister("Look")
    assert registry.names == []
    registry.register(Look)  # its name is free again


def test_two_tools_of_one_name_are_refused() -> None:
    registry = Registry([Look])
    with pytest.raises(UsageError, match="tool named Look already"):
        registry.register(Look())
    with pytest.raises(UsageError, match="tool named Look already"):
        registry.register_async("Look", lambda cwd: made(Look()))


def test_a_tool_is_replaced_where_that_is_said() -> None:
    registry = Registry([Look, Shout])
    new = registry.register(Look(), replace_existing=True)
    assert registry.get("Look") is new
    assert sorted(registry.names) == ["Look", "Shout"]
    registry.register(Fetch, replace_existing=True)  # nothing there yet: simply added
    assert "Fetch" in registry


@pytest.mark.parametrize("thing", ["Look", len, None, object()])
def test_what_is_no_tool_is_refused(thing: Any) -> None:
    with pytest.raises(UsageError, match="is not a tool"):
        Registry([thing])


def test_a_tool_without_a_name_is_refused() -> None:
    class Nameless(Tool[NoInput]):
        description = "?"

    with pytest.raises(UsageError, match="is not a tool"):
        Registry([Nameless])


@pytest.mark.requirement("S0-009", "S0-103", "S4-004", "S4-006", "S2-063")
def test_a_definition_says_everything_but_how() -> None:
    definition = Registry([Look]).definition("Look")
    assert definition == definition_of(Look())
    assert (definition.name, definition.summary) == ("Look", "Look around.")
    assert definition.description == "Look around. Then look again."
    assert definition.input_schema["type"] == "object"
    assert definition.output_schema is None
    assert (definition.permission, definition.category) == (Permission.READ, "senses")
    assert definition.optional_permissions == (Permission.NETWORK,)


@pytest.mark.requirement("S3-016")
def test_a_description_given_at_registration_is_that_registrys_own() -> None:
    registry = Registry()
    registry.register(Look, description="Look there.")
    definition = registry.definition("Look")
    assert (definition.description, definition.permission) == ("Look there.", Permission.READ)
    assert Registry([Look]).definition("Look").description.startswith("Look around.")


@pytest.mark.requirement("S0-111")
@pytest.mark.parametrize("asked", ["look", "Lok", "LOOK", "Loook"])
async def test_an_unknown_name_is_answered_with_the_nearest_one(asked: str, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, registry=Registry([Look, Shout]))
    result = await kit.call(asked)
    assert result.error is not None
    assert (result.error.code, result.error.kind) == ("UNKNOWN_TOOL", "validation_error")
    assert result.text == f"Unknown tool: {asked}. Did you mean Look?"


def test_a_name_like_no_other_is_answered_with_what_there_is() -> None:
    registry = Registry([Look, Shout])
    with pytest.raises(ToolError, match=r"Unknown tool: Zzz. The tools here are: Look, Shout."):
        registry.find("Zzz")
    with pytest.raises(ToolError, match="are: none"):
        Registry().find("Zzz")


def test_a_monstrous_name_is_shown_in_part() -> None:
    with pytest.raises(ToolError) as raised:
        Registry([Look]).definition("x" * 1_000_000)
    assert len(str(raised.value)) < 300


@pytest.mark.requirement("S1-007", "S1-008")
async def test_tools_are_got_defined_and_called_by_their_name(tmp_path: Path) -> None:
    events: list[str] = []
    kit = Toolkit([Look, Shout], cwd=tmp_path, mode="bypass", registry=Registry())
    kit.on("*", lambda event: events.append(event.type))
    assert isinstance(kit.registry.get("Look"), Look)
    assert [form["function"]["name"] for form in kit.definitions("openai")] == ["Look", "Shout"]
    assert (await kit.call("Shout")).text == "HEY"
    kit.activity.flush()
    assert events == ["tool_call_start", "tool_call_end"]


# ── filters ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-039")
def test_a_subset_is_a_registry_of_its_own_over_the_same_tools() -> None:
    registry = Registry([Look, Shout])
    part = registry.subset(["Look"])
    assert part.names == ["Look"]
    assert part.get("Look") is registry.get("Look")
    part.unregister("Look")
    assert registry.names == ["Look", "Shout"]


def test_a_subset_with_an_unknown_name_is_an_error_and_no_silent_gap() -> None:
    with pytest.raises(ToolError, match="Did you mean Shout"):
        Registry([Look, Shout]).subset(["Shot"])


class Fetch(Tool[NoInput]):
    name = "Fetch"
    description = "Fetch."
    permission = Permission.NETWORK


class Scribble(Tool[NoInput]):
    name = "Scribble"
    description = "Scribble."
    permission = Permission.WRITE


@pytest.mark.requirement("S3-021", "S3-024")
@pytest.mark.parametrize(
    ("held", "names"),
    [
        ([], []),
        (["read"], ["Look"]),
        (["write"], ["Scribble"]),
        (["execute"], ["Shout"]),
        (["network"], ["Fetch"]),
        (list(Permission), ["Look", "Shout", "Fetch", "Scribble"]),
    ],
)
def test_only_tools_whose_permission_is_held_are_enabled(held: list[Any], names: list[str]) -> None:
    assert Registry([Look, Shout, Fetch, Scribble]).enabled(held).names == names


class Upload(Tool[NoInput]):
    name = "Upload"
    description = "Read a file and send it away."
    permission = Permission.READ
    more_permissions = frozenset({Permission.NETWORK})
    optional_permissions = frozenset({Permission.WRITE})

    async def run(self, args: NoInput, ctx: ToolContext) -> str:
        return "sent"


@pytest.mark.requirement("S3-022")
async def test_a_tool_needs_every_permission_that_it_requires(tmp_path: Path) -> None:
    both = [Permission.READ, Permission.NETWORK]
    assert Registry([Upload]).enabled(both).names == ["Upload"]
    for held in both:
        assert Registry([Upload]).enabled([held]).names == []
        kit = Toolkit(cwd=tmp_path, mode="bypass", permissions=[held], registry=Registry([Upload]))
        result = await kit.call("Upload")
        assert result.error is not None
        assert result.error.code == "TOOL_DISABLED"
    kit = Toolkit(cwd=tmp_path, mode="bypass", permissions=both, registry=Registry([Upload]))
    assert (await kit.call("Upload")).text == "sent"


def test_a_permission_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="teleport"):
        Registry([Look]).enabled(["teleport"])  # type: ignore[list-item]


def test_tools_are_grouped_by_category() -> None:
    assert Registry([Look, Shout, Fetch]).by_category() == {
        "senses": ["Look"],
        "voice": ["Shout"],
        "other": ["Fetch"],
    }


# ── made when first needed ────────────────────────────────────────────────────────────────────
def test_a_prebuilt_tool_is_loaded_once_and_only_when_it_is_used() -> None:
    loaded: list[str] = []

    def load() -> Look:
        loaded.append("Look")
        return Look()

    registry = Registry()
    registry.register_prebuilt(definition_of(Look()), load)
    assert registry.definitions() == [definition_of(Look())]
    assert registry.enabled([Permission.READ]).by_category() == {"senses": ["Look"]}
    assert loaded == []
    assert registry.get("Look") is registry.find("Look") is registry.subset(["Look"]).get("Look")
    assert loaded == ["Look"]


@pytest.mark.requirement("S3-053")
async def test_the_built_in_tools_are_there_without_being_registered(tmp_path: Path) -> None:
    assert {"Read", "List"} <= set(builtin_tools().names)
    assert (await Toolkit(cwd=tmp_path).call("List")).ok


async def made(tool: Tool[Any]) -> Tool[Any]:
    return tool


class Workshop:
    """Initialisers that note when they were called, and wait until they are let go."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.open = asyncio.Event()

    def maker(self, tool: Tool[Any]) -> Callable[[str], Awaitable[Tool[Any]]]:
        async def make(cwd: str) -> Tool[Any]:
            self.calls.append(f"{tool.name} in {cwd}")
            await self.open.wait()
            return tool

        return make


@pytest.mark.requirement("S3-004", "S3-025", "S3-051")
async def test_an_async_initialiser_is_called_once_with_the_directory(tmp_path: Path) -> None:
    workshop = Workshop()
    workshop.open.set()
    registry = Registry()
    registry.register_async("Look", workshop.maker(Look()))
    kit = Toolkit(cwd=tmp_path, registry=registry)
    assert [(await kit.call("Look")).text for _ in range(3)] == ["seen"] * 3
    assert workshop.calls == [f"Look in {tmp_path.resolve()}"]


@pytest.mark.requirement("S3-019")
async def test_calls_that_come_while_a_tool_is_made_wait_for_it(tmp_path: Path) -> None:
    workshop = Workshop()
    registry = Registry()
    registry.register_async("Look", workshop.maker(Look()))
    kit = Toolkit(cwd=tmp_path, registry=registry)
    calls = [asyncio.ensure_future(kit.call_raw(ToolCall(name="Look"))) for _ in range(3)]
    await asyncio.sleep(0)
    workshop.open.set()
    assert [result.text for result in await asyncio.gather(*calls)] == ["seen"] * 3
    assert len(workshop.calls) == 1


async def test_tools_that_are_made_keep_their_order() -> None:
    registry = Registry()
    for tool in (Shout(), Look(), Fetch()):
        registry.register_async(tool.name, lambda cwd, tool=tool: made(tool))  # type: ignore[misc]
    await registry.initialise("/")
    assert registry.names == ["Shout", "Look", "Fetch"]


async def test_an_initialiser_that_breaks_is_named_and_tried_again() -> None:
    attempts = [OSError("no such server"), None]

    async def make(cwd: str) -> Tool[Any]:
        if problem := attempts.pop(0):
            raise problem
        return Look()

    registry = Registry()
    registry.register_async("Look", make)
    with pytest.raises(UsageError, match=r"Look could not be made ready: .*no such server"):
        await registry.initialise("/")
    await registry.initialise("/")
    assert registry.names == ["Look"]


async def test_an_initialiser_that_makes_another_tool_is_refused() -> None:
    registry = Registry()
    registry.register_async("Look", lambda cwd: made(Shout()))
    with pytest.raises(UsageError, match="initialiser of Look made a tool of another name"):
        await registry.initialise("/")
    assert registry.names == []


async def test_a_tool_unregistered_while_it_is_made_stays_away() -> None:
    workshop = Workshop()
    registry = Registry()
    registry.register_async("Look", workshop.maker(Look()))
    making = asyncio.ensure_future(registry.initialise("/"))
    await asyncio.sleep(0)
    assert registry.unregister("Look")
    workshop.open.set()
    await making
    assert registry.names == []
