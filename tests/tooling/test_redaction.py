"""Stage 5 and events: no secret reaches a model, an event or a saved file; none is lost either."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from ankrcode import Permission, ToolContext, Toolkit, ToolResult, tool
from ankrcode.errors import ToolError
from ankrcode.protocol.event import Event, ToolOutputChunk
from ankrcode.testing import YES, FakePerson

SECRET = "ghp_" + "a1B2c3D4e5" * 4
NAME = "[redacted:github-token:1]"


class Watched:
    """A kit with some tools, and everything that was published."""

    def __init__(self, folder: Path, *tools: Any) -> None:
        self.person = FakePerson([YES] * 9)
        self.kit = Toolkit(tools, cwd=folder, mode="acceptEdits", approve=self.person)
        self.heard: list[Event] = []
        self.kit.on("*", self.heard.append)

    @property
    def events(self) -> str:
        self.kit.activity.flush()
        return str([to_builtins(event) for event in self.heard])


@tool(permission=Permission.READ)
async def leak(ctx: ToolContext) -> ToolResult:
    """Say a secret in every way there is."""
    ctx.output(f"said {SECRET[:9]}")
    ctx.output(f"{SECRET[9:]} aloud")
    ctx.progress(f"at {SECRET}")
    ctx.metadata(found=SECRET)
    return ToolResult(
        title=f"found {SECRET}",
        text=f"it is {SECRET}",
        value={"secret": [SECRET]},
        metadata={"seen": SECRET},
    )


@tool(permission=Permission.READ)
async def fail_with_it() -> str:
    """Fail, and say why."""
    raise ToolError(f"no access with {SECRET}", suggestion=f"drop {SECRET}", details={"x": SECRET})


@tool(permission=Permission.READ)
async def crash_with_it() -> str:
    """Raise something else."""
    raise ValueError(SECRET)


@tool(permission=Permission.READ)
async def tell_length(text: str) -> int:
    """How long is it?"""
    return len(text)


@tool(permission=Permission.NETWORK)
async def send(text: str) -> int:
    """Send it somewhere."""
    return len(text)


async def test_a_secret_is_nowhere_in_a_result_or_its_events(tmp_path: Path) -> None:
    watched = Watched(tmp_path, leak)
    result = await watched.kit.call("leak")
    assert result.text == f"it is {NAME}"
    assert result.title == f"found {NAME}"
    assert result.value == {"secret": [NAME]}
    assert result.metadata["seen"] == NAME
    assert SECRET not in watched.events
    chunks = [event.text for event in watched.heard if isinstance(event, ToolOutputChunk)]
    assert "".join(chunks) == f"said {NAME} aloud"


@pytest.mark.parametrize("name", ["fail_with_it", "crash_with_it"])
async def test_a_failure_tells_no_secret(name: str, tmp_path: Path) -> None:
    watched = Watched(tmp_path, fail_with_it, crash_with_it)
    result = await watched.kit.call(name)
    assert SECRET not in str(to_builtins(result))
    assert NAME in result.text
    assert SECRET not in watched.events


async def test_an_oversized_result_is_saved_without_its_secrets(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text(f"{SECRET}\n" + "x y z\n" * 20_000, encoding="utf-8")

    @tool(permission=Permission.READ)
    async def whole() -> str:
        """All of it."""
        return (tmp_path / "big.txt").read_text(encoding="utf-8")

    result = await Watched(tmp_path, whole).kit.call("whole")
    saved = Path(result.metadata["saved_to"]).read_text(encoding="utf-8")
    assert saved.startswith(NAME)
    assert SECRET not in saved


async def test_a_name_that_comes_back_is_resolved_and_never_written_literally(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.env").write_text(f"TOKEN={SECRET}\nMODE=test\n", encoding="utf-8")
    watched = Watched(tmp_path)
    shown = await watched.kit.call("Read", file_path="a.env")
    assert NAME in shown.text
    written = await watched.kit.call("Write", file_path="b.env", content=f"TOKEN={NAME}\n")
    assert written.ok
    assert (tmp_path / "b.env").read_text(encoding="utf-8") == f"TOKEN={SECRET}\n"
    edited = await watched.kit.call(
        "Edit", file_path="a.env", old_string=f"TOKEN={NAME}\nMODE=test", new_string=f"T2={NAME}"
    )
    assert edited.ok, edited.text
    assert (tmp_path / "a.env").read_text(encoding="utf-8") == f"T2={SECRET}\n"
    assert SECRET not in watched.events


async def test_no_secret_leaves_by_its_name(tmp_path: Path) -> None:
    watched = Watched(tmp_path, leak, tell_length, send)
    await watched.kit.call("leak")
    assert (await watched.kit.call("tell_length", text=NAME)).value == len(SECRET)
    assert (await watched.kit.call("send", text=NAME)).value == len(NAME)


async def test_variables_with_telling_names_are_known_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_TOKEN", "plain words of mine")
    (tmp_path / "a.txt").write_text("these are plain words of mine, see\n", encoding="utf-8")
    result = await Watched(tmp_path).kit.call("Read", file_path="a.txt")
    assert "these are [redacted:known:1], see" in result.text


async def test_agents_of_one_session_share_the_names(tmp_path: Path) -> None:
    watched = Watched(tmp_path, leak, tell_length)
    await watched.kit.call("leak")
    child = watched.kit.for_agent("helper")
    assert (await child.call("tell_length", text=NAME)).value == len(SECRET)
