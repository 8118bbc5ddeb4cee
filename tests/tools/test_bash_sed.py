"""A plain `sed -i` through Bash: shown as a diff, and done exactly as shown."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.testing import YES, Bench
from ankrcode.tools.bash import Bash

COMMAND = "sed -i 's/red/blue/' poem.txt"


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_text("roses\nare\nred\n", encoding="utf-8")
    path.chmod(0o640)
    return path


@pytest.mark.requirement("S4-074")
async def test_the_person_sees_the_diff_and_that_is_what_is_done(
    tmp_path: Path, poem: Path
) -> None:
    bench = Bench(Bash, tmp_path, answers=[YES])
    result = await bench.run(command=COMMAND)
    (approval,) = bench.asked
    assert approval.preview is not None
    assert approval.preview.format == "diff"
    assert "-red\n+blue" in approval.preview.body
    assert approval.arguments == {"command": COMMAND}
    assert result.ok
    assert result.text == approval.preview.body
    assert result.value.exit_code == 0
    assert poem.read_text(encoding="utf-8") == "roses\nare\nblue\n"
    assert poem.stat().st_mode & 0o777 == 0o640


@pytest.mark.requirement("S4-074")
async def test_a_file_that_changed_after_it_was_shown_is_not_touched(
    tmp_path: Path, poem: Path
) -> None:
    async def slow_person(approval: Approval) -> ApprovalAnswer:
        poem.write_text("red and red\n", encoding="utf-8")  # meanwhile, in an editor
        return YES

    kit = Toolkit(cwd=tmp_path, approve=slow_person)
    result = await kit.call("Bash", command=COMMAND)
    assert result.error is not None
    assert result.error.code == "CHANGED_SINCE_READ"
    assert poem.read_text(encoding="utf-8") == "red and red\n"


async def test_a_command_that_the_person_changed_is_worked_out_anew(
    tmp_path: Path, poem: Path
) -> None:
    other = ApprovalAnswer(approved=True, arguments={"command": "sed -i 's/red/pink/' poem.txt"})
    bench = Bench(Bash, tmp_path, answers=[other])
    assert (await bench.run(command=COMMAND)).ok
    assert poem.read_text(encoding="utf-8") == "roses\nare\npink\n"


async def test_nothing_to_change_changes_nothing(tmp_path: Path, poem: Path) -> None:
    before = poem.stat().st_mtime_ns
    result = await Bench(Bash, tmp_path, mode="bypass").run(command="sed -i 's/x/y/' poem.txt")
    assert result.ok
    assert result.text == f"{poem} stays as it is: nothing matched."
    assert poem.stat().st_mtime_ns == before


async def test_whoever_had_read_the_file_may_edit_it_still(tmp_path: Path, poem: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    await kit.call("Read", file_path="poem.txt")
    await kit.call("Bash", command=COMMAND)
    edited = await kit.call("Edit", file_path="poem.txt", old_string="blue", new_string="green")
    assert edited.ok, edited.text
    unread = Toolkit(cwd=tmp_path, mode="bypass")
    await unread.call("Bash", command="sed -i 's/green/grey/' poem.txt")
    refused = await unread.call("Edit", file_path="poem.txt", old_string="grey", new_string="x")
    assert refused.error is not None
    assert refused.error.code == "NOT_READ"


async def test_it_works_in_a_directory_for_one_call(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "poem.txt").write_text("red\n", encoding="utf-8")
    bench = Bench(Bash, tmp_path, mode="bypass")
    result = await bench.run(command=COMMAND, cwd="below")
    assert result.metadata["edited"] == str(tmp_path / "below" / "poem.txt")
    assert (tmp_path / "below" / "poem.txt").read_text(encoding="utf-8") == "blue\n"


async def test_what_is_not_plain_runs_as_an_ordinary_command(tmp_path: Path, poem: Path) -> None:
    bench = Bench(Bash, tmp_path, answers=[YES])
    result = await bench.run(command=f"{COMMAND} && cat poem.txt")
    assert bench.asked[0].preview is not None
    assert bench.asked[0].preview.format == "command"
    assert result.text == "roses\nare\nblue"


@pytest.mark.parametrize("kind", ["missing", "a link", "outside"])
async def test_a_file_that_is_not_plain_is_left_to_sed_itself(
    tmp_path: Path, poem: Path, kind: str
) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    if kind == "a link":
        (workspace / "poem.txt").symlink_to(poem)
    path = poem if kind == "outside" else "poem.txt"
    bench = Bench(Bash, workspace, mode="bypass")
    result = await bench.run(command=f"sed -i 's/red/blue/' {path}")
    assert "edited" not in result.metadata
    assert result.ok == (kind != "missing")
    if kind == "missing":
        assert "No such file" in result.text
    if kind == "a link":  # as sed does it: the link becomes a file
        assert poem.read_text(encoding="utf-8") == "roses\nare\nred\n"
        assert (workspace / "poem.txt").read_text(encoding="utf-8") == "roses\nare\nblue\n"
