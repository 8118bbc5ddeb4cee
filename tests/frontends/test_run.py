"""`ankrcode run`: scripts, checked as a whole and then run."""

from pathlib import Path

import pytest

from frontends.command import Done, ankrcode, answers
from frontends.rocket_bench import small_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


def run(project: Path, text: str, *options: str, name: str = "script.rl") -> Done:
    (project / name).write_text(text, encoding="utf-8")
    return ankrcode("run", name, *options, cwd=project)


@pytest.mark.parametrize("name", ["script.rl", "script.rocket"])
def test_a_script_is_run(name: str, project: Path) -> None:
    text = '# what it does\napp.py mein "foo" ko "bar" se badlo\nagar pass to "done" bolo\n'
    done = run(project, text, name=name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "bar"\n'


def test_values_are_given_on_the_command_line(project: Path) -> None:
    done = run(project, '"{who}, {what}" bolo', "--var", "who=you", "--var", "what=a=b c")
    assert done.stdout == "you, a=b c\n"


def test_nothing_runs_if_anything_in_it_is_wrong(project: Path) -> None:
    done = run(project, "old.log hatao\nfrobnicate the gizmo\n")
    assert done.returncode == 2
    assert "line 2" in done.stderr
    assert (project / "old.log").exists()


def test_nothing_runs_if_something_in_it_was_only_nearly_understood(project: Path) -> None:
    done = run(project, "old.log hatao\napp.py hatoa\n")
    assert done.returncode == 4
    assert "app.py hatao" in done.stderr
    assert (project / "old.log").exists()
    assert run(project, "old.log hatao\napp.py hatoa\n", "--yes").returncode == 0
    assert not (project / "app.py").exists()


def test_a_failed_call_ends_it(project: Path) -> None:
    done = run(project, "$ echo before; exit 3\nold.log hatao\n")
    assert done.returncode == 1
    assert "before" in done.stderr
    assert (project / "old.log").exists()


def test_a_denied_call_ends_it(project: Path) -> None:
    done = run(project, "$ echo x > ../outside.txt\nold.log hatao\n")
    assert done.returncode == 4
    assert (project / "old.log").exists()
    assert not (project.parent / "outside.txt").exists()


def test_the_commands_of_a_script_count_as_typed_by_who_runs_it(project: Path) -> None:
    assert run(project, "$ echo hello > made.txt\n").returncode == 0
    assert (project / "made.txt").read_text(encoding="utf-8") == "hello\n"


def test_a_rule_that_denies_also_counts_for_scripts(project: Path) -> None:
    (project / ".ankrcode").mkdir()
    rules = '{"permissions": {"deny": ["Bash(touch:*)"]}}'
    (project / ".ankrcode" / "settings.json").write_text(rules, encoding="utf-8")
    assert run(project, "$ touch made.txt\n", "--yes").returncode == 4
    assert not (project / "made.txt").exists()


def test_a_dry_run_lists_the_calls_and_makes_none(project: Path) -> None:
    text = "2 baar:\n old.log hatao\nend\nagar x.py hai to y.py padho warna $ touch made.txt\n"
    done = run(project, text, "--dry-run")
    assert done.returncode == 0
    deleted = {"tool": "Delete", "args": {"path": "old.log"}}
    assert answers(done) == [
        deleted,
        deleted,
        {"tool": "Glob", "args": {"pattern": "x.py"}},
        {"tool": "Bash", "args": {"command": "touch made.txt"}},
    ]
    assert (project / "old.log").exists()
    assert not (project / "made.txt").exists()


def test_a_dry_run_finds_what_is_wrong(project: Path) -> None:
    done = run(project, "agar pass\n push karo\n", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "khatam" in done.stderr


def test_a_script_can_come_through_a_pipe(project: Path) -> None:
    done = ankrcode("run", "-", cwd=project, given='3 baar:\n "hi" bolo\nend\n')
    assert (done.returncode, done.stdout) == (0, "hi\n" * 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nope.rl"], "nope.rl"),
        (["run", "src"], "src"),
        (["run"], "FILE"),
        (["run", "script.rl", "--var", "x"], "NAME=VALUE"),
        (["run", "script.rl", "--var", "2x=1"], "NAME=VALUE"),
        (["run", "huge.rl"], "1,048,576"),
    ],
)
def test_wrong_use_is_told(arguments: list[str], said: str, project: Path) -> None:
    (project / "script.rl").write_text('"x" bolo', encoding="utf-8")
    (project / "huge.rl").write_bytes(b"#" * (1024 * 1024 + 1))
    done = ankrcode(*arguments, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_script_elsewhere_works_here(project: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.rl"
    script.write_text("old.log hatao\n", encoding="utf-8")
    assert ankrcode("run", script, cwd=project).returncode == 0
    assert not (project / "old.log").exists()
    assert ankrcode("run", script, "--cwd", project, cwd=tmp_path).returncode == 1
