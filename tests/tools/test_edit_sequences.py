"""Long sequences of reads and changes by two agents and someone outside, against a small model.

The model knows what is on disk and which content each agent has seen last. A change must be made
if and only if the agent has seen what is on disk now, and then it must be exactly what was asked.
"""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from torture import examples

FILES = ("a.txt", "b.txt")
AGENTS = ("parent", "child")


class World:
    """The real folder and the model of it, side by side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        parent = Toolkit(cwd=folder, mode="bypass")
        self.kits = {"parent": parent, "child": parent.for_agent("child")}
        self.disk = {name: f"<start of {name}>\n<1>\n<2>\n<3>\n" for name in FILES}
        self.seen: dict[tuple[str, str], str] = {}
        self.count = 0
        for name, text in self.disk.items():
            (folder / name).write_bytes(text.encode())

    def check(self) -> None:
        for name, text in self.disk.items():
            path = self.folder / name
            assert (path.read_bytes().decode() if path.exists() else "") == text
        assert {path.name for path in self.folder.iterdir()} <= set(FILES), "nothing is left behind"

    def fresh(self) -> str:
        self.count += 1
        return f"<new {self.count}>"

    def knows(self, agent: str, name: str) -> bool:
        return self.seen.get((agent, name)) == self.disk[name]

    # ── what may happen ───────────────────────────────────────────────────────────────────
    async def read(self, agent: str, name: str) -> None:
        result = await self.kits[agent].call("Read", file_path=name)
        assert result.ok, result.text
        self.seen[agent, name] = self.disk[name]

    async def outside(self, name: str, random: Random) -> None:
        lines = self.disk[name].splitlines(keepends=True)
        lines.insert(random.randrange(len(lines) + 1), f"{self.fresh()}\n")
        self.disk[name] = "".join(lines)
        (self.folder / name).write_bytes(self.disk[name].encode())

    async def edit(self, agent: str, name: str, random: Random) -> None:
        line = random.choice(self.disk[name].splitlines(keepends=True))
        new = f"{self.fresh()}\n"
        arguments = {"file_path": name, "old_string": line, "new_string": new}
        result = await self.kits[agent].call("Edit", arguments)
        self.judge(agent, name, result, self.disk[name].replace(line, new))

    async def write(self, agent: str, name: str) -> None:
        content = f"{self.fresh()}\n<1>\n<2>\n"
        result = await self.kits[agent].call("Write", file_path=name, content=content)
        self.judge(agent, name, result, content)

    async def patch(self, agent: str, random: Random) -> None:
        """Both files in one patch: if one of them is stale, neither is written."""
        after: dict[str, str] = {}
        lines = ["*** Begin Patch"]
        for name in FILES:
            line = random.choice(self.disk[name].splitlines())
            new = self.fresh()
            after[name] = self.disk[name].replace(f"{line}\n", f"{new}\n", 1)
            lines += [f"*** Update File: {name}", "@@", f"-{line}", f"+{new}"]
        lines.append("*** End Patch")
        result = await self.kits[agent].call("ApplyPatch", patch="\n".join(lines))
        assert result.ok == all(self.knows(agent, name) for name in FILES), result.text
        if result.ok:
            for name, text in after.items():
                self.disk[name] = self.seen[agent, name] = text

    def judge(self, agent: str, name: str, result: ToolResult, after: str) -> None:
        assert result.ok == self.knows(agent, name), result.text
        if result.ok:
            self.disk[name] = self.seen[agent, name] = after
            return
        assert result.error is not None
        is_read = (agent, name) in self.seen
        expected = "CHANGED_SINCE_READ" if is_read else "NOT_READ"
        assert result.error.code == expected


ACTS = ("read", "read", "outside", "edit", "edit", "write", "patch")


@pytest.mark.torture
@examples(in_ci=40, in_torture=600)
@given(seed=st.integers(0, 2**32), length=st.integers(1, 25))
async def test_a_change_is_made_if_and_only_if_its_author_knows_what_is_there(
    seed: int, length: int, tmp_path: Path
) -> None:
    world, random = World(tmp_path), Random(seed)
    for _ in range(length):
        agent, name = random.choice(AGENTS), random.choice(FILES)
        match random.choice(ACTS):
            case "read":
                await world.read(agent, name)
            case "outside":
                await world.outside(name, random)
            case "edit":
                await world.edit(agent, name, random)
            case "write":
                await world.write(agent, name)
            case _:
                await world.patch(agent, random)
        world.check()


async def test_hundreds_of_edits_in_a_row_need_one_read(tmp_path: Path) -> None:
    world, random = World(tmp_path), Random(1)
    await world.read("parent", "a.txt")
    for _ in range(300):
        await world.edit("parent", "a.txt", random)
    world.check()
    assert world.knows("parent", "a.txt")
