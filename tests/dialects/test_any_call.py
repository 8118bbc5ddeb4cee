"""Whatever is sent in a dialect, one reply comes back, and it has that dialect's shape."""

import asyncio
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ankrcode import dialects
from ankrcode.app import Toolkit
from ankrcode.protocol.call import ToolCall
from torture import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**9) | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
SHAPES = {
    "success_output": lambda reply: reply["success"] is ("error" not in reply),
    "success_fields": lambda reply: reply["success"] is (reply["error"] == ""),
    "ok_value": lambda reply: reply["ok"] is ("error" not in reply),
    "title_output": lambda reply: {"title", "metadata", "output"} <= set(reply),
}
WAITING = {"TaskOutput", "AskUserQuestion"}  # these may wait for somebody


@cache
def parameters(name: str) -> dict[str, list[str]]:
    """Of each tool of the dialect."""
    forms = Toolkit(cwd="/").definitions("mcp", dialects.load(name))
    return {
        form["name"]: list(form["inputSchema"]["properties"])
        for form in forms
        if form["name"] not in WAITING
    }


@st.composite
def wild_calls(draw: st.DrawFn) -> tuple[str, ToolCall]:
    dialect = draw(st.sampled_from(dialects.names()))
    tool = draw(st.sampled_from([*parameters(dialect), "nothing", ""]))
    known = parameters(dialect).get(tool, [])
    names = st.sampled_from([*known, "x"]) if known else st.text(max_size=4)
    arguments: Any = draw(st.dictionaries(names, VALUES, max_size=4))
    if draw(st.booleans()):
        arguments = draw(st.text(max_size=20)) if draw(st.booleans()) else json.dumps(arguments)
    return dialect, ToolCall(name=tool, arguments=arguments)


@examples(200, 20_000)
@given(wild_calls())
def test_any_call_gets_one_reply_in_the_shape_of_its_dialect(wild: tuple[str, ToolCall]) -> None:
    name, call = wild
    dialect = dialects.load(name)
    with TemporaryDirectory() as folder:
        reply = asyncio.run(Toolkit(cwd=folder).call_in(dialect, call))
        assert list(Path(folder).iterdir()) == []  # nobody said yes to anything
    assert SHAPES[dialect.reply](reply), reply
    json.dumps(reply, allow_nan=False)
