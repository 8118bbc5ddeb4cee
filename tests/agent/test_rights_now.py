"""A further agent may do what it and its parent may do at this moment, not when it began."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order
from ankrcode.app import Toolkit
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Rule, Ruleset, parse_rule
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.testing import YES, FakePerson, Turn
from ankrcode.tooling.tool import Tool


def rules(folder: Path, kind: Kind, *texts: str) -> tuple[Rule, ...]:
    anchors = Anchors(str(folder), str(folder), str(folder))
    return tuple(parse_rule(text, kind, anchors) for text in texts)


def add(kit: Toolkit, kind: Kind, *texts: str) -> None:
    kit.agent.policy.rules += Ruleset(rules(Path(kit.agent.workspace.root), kind, *texts))


# ── through the real loop: the parent is tightened between two calls of its child ─────────────
class Tightened:
    """A child writes twice; between both, something happens to its parent."""

    def __init__(self, folder: Path, happens: Callable[[Toolkit], None], **more: Any) -> None:
        self.folder = folder
        self._happens = happens
        self.person = more.pop("person", FakePerson([YES] * 9))
        self.firm = Firm(folder, self._turns(), approve=self.person, **more)

    def _turns(self) -> list[Any]:
        def second(request: Any) -> Turn:
            self._happens(self.firm.kit)
            return calls(self.made("two.txt"))

        return [calls(order("work", "code")), calls(self.made("one.txt")), second, "did", "done"]

    def made(self, name: str) -> Any:
        return call("Write", file_path=name, content="x")

    async def names(self) -> list[str]:
        await self.firm.run()
        await self.firm.agent.close()
        return sorted(one.name for one in self.folder.iterdir())


def unregister(name: str) -> Callable[[Toolkit], None]:
    def happens(kit: Toolkit) -> None:
        assert kit.registry.unregister(name)

    return happens


def hold(*permissions: Permission) -> Callable[[Toolkit], None]:
    def happens(kit: Toolkit) -> None:
        kit.agent.policy.granted = frozenset(permissions)

    return happens


def bind(kit: Toolkit) -> None:
    kit.agent.policy.bind(Ruleset(rules(Path(kit.agent.workspace.root), "allow", "Write(/one.*)")))


TIGHTENINGS: list[tuple[str, Callable[[Toolkit], None]]] = [
    ("a tool is denied", lambda kit: add(kit, "deny", "Write")),
    ("what writes is denied", lambda kit: add(kit, "deny", "Edit")),
    ("the path is denied", lambda kit: add(kit, "deny", "Write(/two.txt)")),
    ("all of the folder is denied", lambda kit: add(kit, "deny", "Edit(//**)")),
    ("a bare star", lambda kit: add(kit, "deny", "*")),
    ("remembered as a denial", lambda kit: kit.agent.policy.remember(
        rules(Path(kit.agent.workspace.root), "deny", "Write"))),
    ("the rules are replaced", lambda kit: setattr(kit.agent.policy, "rules", Ruleset(
        rules(Path(kit.agent.workspace.root), "deny", "Write")))),
    ("the tool is gone", unregister("Write")),
    ("a capability is gone", hold(Permission.READ)),
    ("the tool is bound to a part", bind),
    ("plan mode", lambda kit: setattr(kit, "mode", Mode.PLAN)),
    ("nobody is asked", lambda kit: setattr(kit, "mode", Mode.DONT_ASK)),
]  # fmt: skip


@pytest.mark.parametrize(("happens"), [pytest.param(f, id=name) for name, f in TIGHTENINGS])
async def test_a_parent_that_is_tightened_tightens_its_child_at_work(
    happens: Callable[[Toolkit], None], tmp_path: Path
) -> None:
    assert await Tightened(tmp_path, happens).names() == ["one.txt"]


async def test_a_rule_to_ask_reaches_a_child_at_work(tmp_path: Path) -> None:
    def happens(kit: Toolkit) -> None:
        add(kit, "ask", "Write")

    scene = Tightened(tmp_path, happens, mode="acceptEdits", person=FakePerson())
    assert await scene.names() == ["one.txt"]
    assert len(scene.person.asked) == 1


async def test_a_permission_that_is_taken_back_is_taken_from_the_child(tmp_path: Path) -> None:
    def happens(kit: Toolkit) -> None:
        kit.agent.policy.rules = Ruleset()

    scene = Tightened(tmp_path, happens, person=FakePerson())
    add(scene.firm.kit, "allow", "Write")
    assert await scene.names() == ["one.txt"]


async def test_a_child_two_levels_down_is_reached_as_well(tmp_path: Path) -> None:
    firm: Firm

    def second(request: Any) -> Turn:
        add(firm.kit, "deny", "Write")
        return calls(call("Write", file_path="two.txt", content="x"))

    turns = [
        calls(order("outer", "general")),
        calls(order("inner", "code")),
        calls(call("Write", file_path="one.txt", content="x")),
        second,
        *("inner did", "outer did", "done"),
    ]
    firm = Firm(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert [one.name for one in tmp_path.iterdir()] == ["one.txt"]


async def test_a_resumed_child_has_the_rules_of_now(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("work", "code")), "did", "done"], mode="acceptEdits")
    await firm.run()
    add(firm.kit, "deny", "Write")
    agent_id = firm.of_task[0].metadata["agent_id"]
    again = calls(order("more", "code", resume=agent_id))
    firm.model.turns += [again, calls(call("Write", file_path="a", content="")), "did", "done"]
    await firm.run("again")
    assert list(tmp_path.iterdir()) == []


async def test_rules_about_paths_reach_a_child_in_a_place_of_its_own(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    kit = Toolkit(cwd=here, mode="acceptEdits")
    child = kit.for_agent("code", root=there)
    assert (await child.call("Write", file_path=str(there / "a.txt"), content="")).ok
    add(kit, "deny", "Write(/a.txt)")
    again = await child.call("Write", file_path=str(there / "a.txt"), content="x")
    assert again.error is not None
    assert (await child.call("Write", file_path=str(there / "b.txt"), content="")).ok
    kit.close()


# ── the other way round ───────────────────────────────────────────────────────────────────────
def child_of(kit: Toolkit, tools: Iterable[str] | None = None, **more: Any) -> Toolkit:
    return kit.for_agent("code", tools=tools, **more)


async def wrote(kit: Toolkit, name: str) -> bool:
    return (await kit.call("Write", file_path=name, content="x")).ok


async def test_what_a_parent_is_allowed_later_is_its_own(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    child = child_of(kit)
    add(kit, "allow", "Write")
    kit.agent.policy.grant("Write")
    assert await wrote(kit, "parent.txt")
    assert not await wrote(child, "child.txt")
    assert await wrote(child_of(kit), "later.txt")  # one that begins now has what counts now
    kit.close()


async def test_a_denial_that_is_lifted_is_not_lifted_for_those_who_began_under_it(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    add(kit, "deny", "Write(/b.txt)")
    child = child_of(kit)
    kit.agent.policy.rules = Ruleset()
    assert await wrote(kit, "b.txt")
    assert not await wrote(child, "b.txt")
    kit.close()


async def test_a_denial_that_came_later_and_is_lifted_again_binds_nobody(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    child, before = child_of(kit), kit.agent.policy.rules
    add(kit, "deny", "Write")
    assert not await wrote(child, "a.txt")
    kit.agent.policy.rules = before
    assert await wrote(child, "a.txt")
    kit.close()


async def test_more_capabilities_for_the_parent_are_none_for_the_child(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    child = child_of(kit, permissions=(Permission.READ,))
    kit.agent.policy.granted = frozenset(Permission)
    assert child.agent.policy.granted == {Permission.READ}
    assert not await wrote(child, "a.txt")
    kit.close()


async def test_a_tool_that_comes_later_comes_to_nobody_who_was_not_given_it(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    child = child_of(kit, ["Read"])
    kit.registry.register(type(kit.registry.find("Write")), replace_existing=True)
    assert child.registry.names == ["Read"]
    assert not await wrote(child, "a.txt")
    kit.close()


def test_a_tool_that_is_replaced_is_not_taken_away(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    child = child_of(kit, ["Read", "Write"])
    tool: type[Tool[Any]] = type(kit.registry.find("Write"))
    kit.registry.register(tool, description="anew", replace_existing=True)
    assert "Write" in child.registry
    assert kit.registry.unregister("Write")
    assert child.registry.names == ["Read"]


def test_a_subset_that_was_lent_to_nobody_stays_as_it_is(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    chosen = kit.registry.subset(["Read", "Write"])
    kit.registry.unregister("Write")
    assert chosen.names == ["Read", "Write"]


async def test_what_a_child_was_allowed_itself_it_keeps(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    child = child_of(kit)
    add(kit, "allow", "Write")
    kit.agent.policy.rules = Ruleset()
    child.agent.policy.remember(rules(tmp_path, "allow", "Write"))
    assert await wrote(child, "a.txt")
    add(kit, "deny", "Write(/a.txt)")
    assert not await wrote(child, "a.txt")
    assert await wrote(child, "b.txt")
    kit.close()


async def test_what_was_allowed_on_the_way_is_forgotten_by_all(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    kit.agent.policy.grant("Write")
    kit.agent.policy.remember(rules(tmp_path, "allow", "Edit"))
    child = child_of(kit)
    below = child_of(child)
    assert await wrote(below, "a.txt")
    kit.clear_state()
    for one in (kit, child, below):
        assert not await wrote(one, "b.txt")
        assert one.agent.policy.rules == Ruleset()
    kit.close()


def test_rules_are_put_together_only_when_one_of_both_changes(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    add(kit, "deny", "Bash")
    policy = child_of(child_of(kit)).agent.policy
    first = policy.rules
    assert policy.rules is first
    add(kit, "deny", "Write")
    assert policy.rules is not first
    assert [one.text for one in policy.rules.rules] == ["Bash", "Write"]
