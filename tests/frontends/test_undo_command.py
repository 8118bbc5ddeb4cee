"""`ankrcode changes | diff | undo | redo`: what a person types, sees, and gets back."""

import json
from pathlib import Path
from typing import Any

import pytest

from frontends.command import Done, ankrcode, answers

BYPASS = ("--permission-mode", "bypass")


class Person:
    """At a terminal in a workspace, after an agent has been at work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def types(self, *words: str) -> Done:
        return ankrcode(*words, cwd=self.folder)

    def agent(self, tool: str, **arguments: Any) -> str:
        """A call of the agent; the id of what it changed."""
        done = self.types("exec", tool, "--params", json.dumps(arguments), *BYPASS, "--json")
        assert done.returncode == 0, (done.stdout, done.stderr)
        return str(json.loads(done.stdout)["metadata"]["change_id"])

    def bash(self, command: str) -> str:
        return self.agent("Bash", command=command)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    @property
    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "work")


def test_nothing_happened_yet(person: Person) -> None:
    assert "0 changes are known" in person.types("changes").stdout
    for words in (["undo"], ["redo"], ["diff"]):
        done = person.types(*words)
        assert (done.returncode, done.stdout) == (0, "There is nothing to undo here.\n")
    assert answers(person.types("undo", "--json")) == [{"undone": [], "paths": []}]
    assert person.types("changes", "--json").stdout == ""


def test_the_newest_change_is_listed_shown_taken_back_and_made_again(person: Person) -> None:
    person.bash("echo one > a.txt")
    change = person.bash("echo two > a.txt; touch b.txt; chmod 600 b.txt")
    listed = person.types("changes").stdout
    assert change in listed
    assert f"~ {person.folder}/a.txt" in listed
    assert f"+ {person.folder}/b.txt" in listed
    assert "2 changes are known" in listed
    assert "MB of at most 1,074 MB are kept" in listed
    shown = person.types("diff").stdout
    assert "-one" in shown
    assert "+two" in shown
    undone = person.types("undo")
    assert undone.returncode == 0
    assert f"- {person.folder}/b.txt" in undone.stdout
    assert (person.names, person.read("a.txt")) == (["a.txt"], "one\n")
    assert "(undone)" in person.types("changes").stdout
    person.types("redo")
    assert (person.names, person.read("a.txt")) == (["a.txt", "b.txt"], "two\n")


def test_a_preview_changes_nothing(person: Person) -> None:
    person.bash("echo one > a.txt")
    change = person.bash("echo two > a.txt")
    done = person.types("undo", "--preview")
    assert done.returncode == 0
    assert "-two" in done.stdout
    assert "+one" in done.stdout
    assert person.read("a.txt") == "two\n"
    (told,) = answers(person.types("undo", "--preview", "--json"))
    path = str(person.folder / "a.txt")
    assert told == {
        "would_undo": [change],
        "steps": [{"path": path, "what": "changed"}],
        "conflicts": [],
    }


def test_what_the_person_changed_since_is_a_conflict_that_force_overrides(person: Person) -> None:
    person.bash("echo one > a.txt; echo one > b.txt")
    person.bash("echo two > a.txt; echo two > b.txt")
    (person.folder / "a.txt").write_text("mine\n", encoding="utf-8")
    done = person.types("undo")
    assert done.returncode != 0
    assert f"! {person.folder}/a.txt was changed since." in done.stderr
    assert "--force" in done.stderr
    assert (person.read("a.txt"), person.read("b.txt")) == ("mine\n", "two\n")
    assert person.types("undo", "--preview").returncode == 1
    assert person.types("undo", "--force").returncode == 0
    assert (person.read("a.txt"), person.read("b.txt")) == ("one\n", "one\n")
    assert person.types("undo").returncode == 0, "their own work is the newest change"
    assert person.read("a.txt") == "mine\n"


def test_one_change_by_its_id_or_the_beginning_of_it(person: Person) -> None:
    ids = [person.bash(f"touch f{number}") for number in range(3)]
    assert person.types("undo", ids[0]).returncode == 0
    assert person.names == ["f1", "f2"]
    assert person.types("diff", ids[1]).stdout.startswith("created")
    for wrong in ("nothing-like-this", "change"):
        done = person.types("undo", wrong)
        assert done.returncode != 0
        assert wrong in done.stderr
    assert person.names == ["f1", "f2"]


def test_back_to_a_change(person: Person) -> None:
    ids = [person.bash(f"echo {number} > a; touch f{number}") for number in range(4)]
    (told,) = answers(person.types("undo", "--to", ids[1], "--json"))
    assert told["undone"] == ids[2:]
    assert (person.names, person.read("a")) == (["a", "f0", "f1"], "1\n")
    (again,) = answers(person.types("redo", "--json"))
    assert again["undone"] == ids[2:], "what was taken back at once comes again at once"
    assert person.read("a") == "3\n"


def test_a_list_is_cut_at_its_end_and_by_session(person: Person) -> None:
    ids = [person.bash(f"touch f{number}") for number in range(3)]
    assert [one["id"] for one in answers(person.types("changes", "--json"))] == ids
    assert [one["id"] for one in answers(person.types("changes", "--json", "--limit", "1"))] == [
        ids[-1]
    ]
    assert person.types("changes", "--json", "--session", "none").stdout == ""
    (newest,) = answers(person.types("changes", "--json", "--limit", "1"))
    assert newest["tool"] == "Bash"
    assert newest["title"] == "touch f2"
    assert newest["changes"] == [{"path": str(person.folder / "f2"), "what": "created"}]
    assert newest["undone"] is False


def test_names_that_would_play_tricks_on_a_terminal_are_shown_harmlessly(person: Person) -> None:
    person.bash("touch $'red\\e[31m' $'two\\nlines'; echo $'\\e[2J' > a.txt")
    for words in (["changes"], ["undo"]):
        done = person.types(*words)
        assert "red\\u001b[31m" in done.stdout
        assert "two\\nlines" in done.stdout
        assert "\x1b" not in done.stdout
    assert person.names == []


def test_a_workspace_that_was_moved_has_nothing_to_undo(person: Person, tmp_path: Path) -> None:
    person.bash("touch a")
    moved = Person(person.folder.rename(tmp_path / "moved"))
    assert "There is nothing to undo here." in moved.types("undo").stdout
    assert moved.names == ["a"]


def test_with_the_journal_off_nothing_is_kept(person: Person) -> None:
    words = ("exec", "Bash", "command=touch a", *BYPASS, "--json")
    done = person.types(*words, "--set", "undo.enabled=false")
    assert done.returncode == 0, done.stderr
    assert "change_id" not in json.loads(done.stdout)["metadata"]
    assert "0 changes" in person.types("changes").stdout


@pytest.mark.parametrize("words", [["changes"], ["diff", "x"], ["undo"], ["redo"]], ids=" ".join)
def test_a_journal_that_cannot_be_read_is_said_so(
    person: Person, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "state").write_text("no folder", encoding="utf-8")
    done = ankrcode(*words, cwd=person.folder, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be read: Not a directory." in done.stderr
