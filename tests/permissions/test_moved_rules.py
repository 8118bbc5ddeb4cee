"""Rules about paths hold in a copy of the folder too: a worktree is no way around them."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.permissions.decide import Decision
from ankrcode.permissions.rules.moved import moved
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Ruleset, parse_rule
from ankrcode.protocol.call import ToolCall


@pytest.fixture
def places(tmp_path: Path, own_home: Path) -> tuple[Path, Path]:
    old, new = own_home / "repo", tmp_path / "copy"
    for folder in (old, new):
        (folder / "sub").mkdir(parents=True)
    return old, new


def ruleset(old: Path, home: Path, *texts: str, kind: Kind = "deny") -> Ruleset:
    anchors = Anchors(str(old), str(old), str(home))
    return Ruleset(tuple(parse_rule(text, kind, anchors) for text in texts))


def judged(kit: Toolkit, tool: str, path: str) -> Decision:
    more = {"content": "x"} if tool == "Write" else {}
    call = ToolCall(name=tool, arguments={"file_path": path, **more})
    return kit.judge(call)[1].decision


@pytest.mark.parametrize(
    ("rule", "denied", "let"),
    [
        ("Read(.env)", [".env", "sub/.env"], ["env"]),
        ("Read(/sub/**)", ["sub/a"], ["a", "deep/sub/a"]),
        ("Read(./sub/a)", ["sub/a"], ["sub/b"]),
        ("Read(~/repo/sub/**)", ["sub/a"], ["a"]),
        ("Read({root}/sub/a)", ["sub/a"], ["sub/b"]),
        ("Edit(*.lock)", [], ["x.lock"]),
    ],
)
def test_a_denial_holds_in_the_copy(
    rule: str, denied: list[str], let: list[str], places: tuple[Path, Path], own_home: Path
) -> None:
    old, new = places
    rules = ruleset(old, own_home, rule.format(root=f"/{old}"))
    parent = Toolkit(cwd=old, rules=rules)
    child = parent.for_agent("child", root=new)
    for kit in (parent, child):
        assert [judged(kit, "Read", path) for path in denied] == [Decision.DENY] * len(denied)
        assert [judged(kit, "Read", path) for path in let] == [Decision.ALLOW] * len(let)
    for path in denied:  # nor where the parent is
        assert judged(child, "Read", str(old / path)) is Decision.DENY


def test_a_denial_of_writes_holds_in_the_copy(places: tuple[Path, Path], own_home: Path) -> None:
    old, new = places
    parent = Toolkit(cwd=old, rules=ruleset(old, own_home, "Edit(*.lock)"), mode="acceptEdits")
    child = parent.for_agent("child", root=new)
    assert judged(child, "Write", "x.lock") is Decision.DENY
    assert judged(child, "Write", "x.txt") is Decision.ALLOW


def test_a_question_is_asked_in_the_copy_too(places: tuple[Path, Path], own_home: Path) -> None:
    old, new = places
    parent = Toolkit(cwd=old, rules=ruleset(old, own_home, "Read(/sub/**)", kind="ask"))
    assert judged(parent.for_agent("child", root=new), "Read", "sub/a") is Decision.ASK


def test_a_copy_of_a_copy_is_bound_as_well(places: tuple[Path, Path], own_home: Path) -> None:
    old, new = places
    further = new.parent / "further"
    further.mkdir()
    parent = Toolkit(cwd=old, rules=ruleset(old, own_home, "Read(.env)"))
    child = parent.for_agent("child", root=new).for_agent("grandchild", root=further)
    assert judged(child, "Read", ".env") is Decision.DENY


def test_permissions_do_not_move(places: tuple[Path, Path], own_home: Path) -> None:
    old, new = places
    rules = ruleset(old, own_home, "Edit(/sub/**)", kind="allow")
    parent = Toolkit(cwd=old, rules=rules)
    child = parent.for_agent("child", root=new)
    assert judged(parent, "Write", "sub/a") is Decision.ALLOW
    assert judged(child, "Write", "sub/a") is Decision.ASK


@pytest.mark.parametrize("text", ["Bash(rm:*)", "Read", "Read(//etc/**)", "Read(~/.ssh/**)"])
def test_what_is_about_other_places_stays_as_it_is(text: str, tmp_path: Path) -> None:
    rules = ruleset(tmp_path / "old", tmp_path, text)
    assert moved(rules, str(tmp_path / "old"), str(tmp_path / "new")).rules == ()


def test_a_name_that_begins_alike_is_another_folder(tmp_path: Path) -> None:
    rules = ruleset(tmp_path / "older", tmp_path, f"Read(/{tmp_path}/older/**)", "Read(/x)")
    assert moved(rules, str(tmp_path / "old"), str(tmp_path / "new")).rules == ()
