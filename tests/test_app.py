"""The toolkit: what a model is told here and now."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ankrcode import Permission, Tool, ToolContext, ToolInput, Toolkit
from ankrcode.tooling.registry import Registry


class MoonInput(ToolInput):
    pass


class Moon(Tool[MoonInput]):
    """Tells something else about itself every time."""

    name = "Moon"
    permission = Permission.NETWORK
    description = "Look at the moon."
    phase = "new"

    def describe(self, variables: Mapping[str, str]) -> str:
        return f"Look at the {self.phase} moon over {variables['workspace']}."

    async def run(self, args: MoonInput, ctx: ToolContext) -> str:
        return self.phase


@pytest.mark.requirement("S4-005")
def test_a_tool_may_say_something_else_about_itself_depending_on_the_surroundings(
    tmp_path: Path,
) -> None:
    moon = Moon()
    kit = Toolkit(registry=Registry([moon]), cwd=tmp_path)
    (told,) = kit.definitions()
    assert told["description"] == f"Look at the new moon over {tmp_path}."
    moon.phase = "full"
    assert "full" in kit.definitions()[0]["description"]


def test_a_model_is_not_told_of_tools_whose_capability_is_not_held(tmp_path: Path) -> None:
    kit = Toolkit([Moon()], cwd=tmp_path, permissions=["read"])
    names = [told["name"] for told in kit.definitions()]
    assert "Read" in names
    assert "Moon" not in names


def test_an_agent_may_have_fewer_tools_than_its_parent(tmp_path: Path) -> None:
    kit = Toolkit([Moon()], cwd=tmp_path)
    child = kit.for_agent("reader", tools=["Read"])
    assert [told["name"] for told in child.definitions()] == ["Read"]
    assert "Moon" in [told["name"] for told in kit.definitions()]


async def test_a_tool_that_cannot_be_made_ready_fails_its_own_calls_only(tmp_path: Path) -> None:
    async def broken(cwd: str) -> Moon:
        raise OSError("no such server")

    registry = Registry([Moon()])
    registry.register_async("Sun", broken)
    kit = Toolkit(registry=registry, cwd=tmp_path, mode="bypass")
    assert (await kit.call("Moon")).ok
    result = await kit.call("Sun")
    assert not result.ok
    assert "no such server" in result.text
