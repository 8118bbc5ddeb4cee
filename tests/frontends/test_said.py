"""What the person said word for word is a yes, for exactly that; everything else still asks."""

from pathlib import Path

import pytest

from ankrcode.frontends.said import PersonSaid, Stated
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import NO, YES
from frontends.rocket_bench import Speaker, small_project

DONE, FAILED, DENIED = 0, 1, 4


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


IN_THE_WORKSPACE = [
    'app.py mein "foo" ko "bar" se badlo',
    'notes.txt mein "hi" likho',
    'app.py mein "x = 1" likho',
    "new.py banao",
    "old.log hatao",
    "app.py ka naam main.py karo",
    "move old.log to logs/old.log",
    "tests naam ka folder banao",
    "app.py ko copy.py mein copy karo",
    'app.py mein "y = 2" jodo',
    "app.py chalao",
    '"echo hello" chalao',
    "$ echo hi > out.txt",
    "$ mkdir -p a/b && touch a/b/c",
    "$ git init -q .",
    "$ python3 -c 'print(1)'",
]


@pytest.mark.parametrize("text", IN_THE_WORKSPACE)
async def test_a_stated_change_of_the_workspace_runs_without_a_question(
    text: str, project: Path
) -> None:
    alone = Speaker(project)
    assert await alone.says(text) == DONE, alone.last.text
    asked = Speaker(small_project(project.parent / "other"), answers=[])
    assert await asked.says(text) == DONE
    assert asked.asked == []


STILL_ASKED = [
    "/etc/passwd hatao",
    "../outside.txt banao",
    '../outside.txt mein "x" likho',
    "app.py ko ../app.py mein le jao",
    ".git/config banao",
    '.ankrcode/settings.json mein "{}" likho',
    ".vscode/tasks.json banao",
    "push karo",
    "pull karo",
    "$ echo x > ../outside.txt",
    "$ rm ../outside.txt",
    "$ cat /etc/passwd",
    "$ cat ~/.ssh/id_rsa",
    "$ sudo ls",
    "$ git push --force",
    "$ ankrcode trust add .",
    "$ $(cat command.txt)",
]


@pytest.mark.parametrize("text", STILL_ASKED)
async def test_what_leaves_the_workspace_is_asked_or_refused(text: str, project: Path) -> None:
    outside = project.parent / "outside.txt"
    outside.write_text("mine\n", encoding="utf-8")
    alone = Speaker(project)
    assert await alone.says(text) == DENIED
    assert "nobody is there to ask" in alone.last.text
    asked = Speaker(project, answers=[NO])
    assert await asked.says(text) == DENIED
    assert len(asked.asked) == 1
    assert outside.read_text(encoding="utf-8") == "mine\n"
    assert not (project.parent / "app.py").exists()


async def test_a_yes_of_the_person_lets_it_run(project: Path) -> None:
    speaker = Speaker(project, answers=[YES])
    assert await speaker.says("$ echo x > ../outside.txt") == DONE
    assert (project.parent / "outside.txt").read_text(encoding="utf-8") == "x\n"


async def test_yes_to_everything_still_stops_at_what_is_denied(project: Path) -> None:
    speaker = Speaker(project, says_yes=True, deny=("Edit(app.py)",))
    assert await speaker.says("$ echo x > ../outside.txt") == DONE
    assert await speaker.says('app.py mein "foo" ko "bar" se badlo') == DENIED
    assert speaker.read("app.py") == 'NAME = "foo"\n'


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("Edit(app.py)", 'app.py mein "foo" ko "bar" se badlo'),
        ("Edit(old.log)", "old.log hatao"),
        ("Bash(touch:*)", "$ touch made.txt"),
        ("Bash", "tests chalao"),
    ],
)
async def test_rules_come_before_what_was_said(rule: str, text: str, project: Path) -> None:
    denied = Speaker(project, deny=(rule,), answers=[YES])
    assert await denied.says(text) == DENIED
    assert denied.asked == [], "a deny is no question"
    asking = Speaker(project, ask=(rule,))
    assert await asking.says(text) == DENIED
    asked = Speaker(project, ask=(rule,), answers=[NO])
    assert await asked.says(text) == DENIED
    assert len(asked.asked) == 1
    assert (asked.read("app.py"), asked.has("old.log")) == ('NAME = "foo"\n', True)
    assert not asked.has("made.txt")


@pytest.mark.parametrize("mode", ["plan", "dontAsk"])
async def test_a_mode_that_refuses_changes_refuses_them(mode: str, project: Path) -> None:
    for text in ('app.py mein "foo" ko "bar" se badlo', "old.log hatao", "$ touch made.txt"):
        speaker = Speaker(project, mode=mode, answers=[YES, YES])
        assert await speaker.says(text) == DENIED
        assert speaker.asked == []
    assert await Speaker(project, mode=mode).says("README.md padho") == DONE
    assert sorted(path.name for path in project.iterdir()) == sorted(
        ["README.md", "app.py", "src", "tests", "pyproject.toml", "old.log"]
    )


async def test_a_yes_is_for_exactly_the_stated_call(project: Path) -> None:
    speaker = Speaker(project)
    person = speaker.rocket.person
    person.stated = Stated(call=ToolCall(name="Delete", arguments={"path": "old.log"}))
    refused = await speaker.kit.call("Delete", path="app.py")
    assert not refused.ok
    refused = await speaker.kit.call("Write", file_path="old.log", content="")
    assert not refused.ok
    assert (await speaker.kit.call("Delete", path="old.log")).ok
    person.stated = None
    assert not (await speaker.kit.call("Delete", path="app.py")).ok


async def test_after_the_call_nothing_is_stated_any_more(project: Path) -> None:
    speaker = Speaker(project)
    assert await speaker.says("old.log hatao") == DONE
    assert speaker.rocket.person.stated is None
    assert not (await speaker.kit.call("Delete", path="app.py")).ok


async def test_nobody_to_ask_and_nothing_said_is_a_refusal(project: Path) -> None:
    speaker = Speaker(project)
    result = await speaker.kit.call("Bash", command="touch made.txt")
    assert not result.ok
    assert "nobody is there to ask" in result.text
    assert PersonSaid().stated is None


@pytest.mark.parametrize("link", ["out.txt", "deep/out.txt"])
async def test_a_link_that_leads_outside_is_not_the_workspace(link: str, project: Path) -> None:
    outside = project.parent / "outside.txt"
    outside.write_text("mine\n", encoding="utf-8")
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(outside)
    speaker = Speaker(project)
    assert await speaker.says(f'{link} mein "mine" ko "yours" se badlo') == DENIED
    assert outside.read_text(encoding="utf-8") == "mine\n"
