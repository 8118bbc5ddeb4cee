"""What a line is said to touch, for scheduler, journal and approval; bash itself is the witness."""

import subprocess
from pathlib import Path

import pytest

from ankrcode.permissions.judge import judge
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.testing import YES, Bench
from ankrcode.tooling.hazards import conflict
from ankrcode.tools.bash import Bash
from permissions.verdicts import at, judged

# line → what it writes, relative to the workspace; "cwd" is the folder it ends in
WRITES = {
    "mkdir new": ["new"],
    "mkdir -p new/deep": ["new/deep"],
    "touch new a.txt": ["new", "a.txt"],
    "touch ./d/../new": ["new"],
    "cp a.txt new": ["new"],
    "cp -r d new": ["new"],
    "cp a.txt b.txt d": ["d"],
    "mv a.txt new": ["a.txt", "new"],
    "mv a.txt b.txt d/": ["a.txt", "b.txt", "d"],
    "rm a.txt": ["a.txt"],
    "rm -f a.txt b.txt missing": ["a.txt", "b.txt", "missing"],
    "rm -r d": ["d"],
    "rmdir empty": ["empty"],
    "unlink a.txt": ["a.txt"],
    "truncate -s 0 a.txt": ["a.txt"],
    "chmod +x a.txt": ["a.txt"],
    "chmod -R go+w d": ["d"],
    "mkfifo pipe": ["pipe"],
    "echo x > new": ["new"],
    "echo x >> a.txt": ["a.txt"],
    "> a.txt": ["a.txt"],
    "cat a.txt b.txt > new 2> errors": ["new", "errors"],
    "ls nowhere &> log || true": ["log"],
    "echo x | tee new d/more": ["new", "d/more"],
    "echo x | tee -a a.txt > /dev/null": ["a.txt"],
    "sort a.txt -o b.txt": ["b.txt"],
    "uniq a.txt new": ["new"],
    "sed -n 'w new' a.txt": ["new"],
    "dd if=a.txt of=new status=none": ["new"],
    "cp a.txt new && rm a.txt": ["new", "a.txt"],
    "for n in 1 2; do echo $n > new$n; done": ["new1", "new2"],
    "if [ -f a.txt ]; then rm a.txt; else touch new; fi": ["a.txt", "new"],
    "x=new; touch $x.txt": ["new.txt"],
    "touch new{1,2}": ["new1", "new2"],
    "rm *.txt": ["."],
    "rm d/*.o": ["d"],
    "mv *.txt d": [".", "d"],
    "find d -name '*.o' -delete": ["d"],
    "cd d && touch new": ["cwd", "d/new"],
    "(cd d; touch new)": ["cwd", "d/new", "new"],
    "mkdir new && cd new && touch x": ["new", "cwd", "new/x"],
    "cat <<E > new\nhello\nE": ["new"],
    "timeout 5 touch new": ["new"],
    "env LC_ALL=C sort a.txt -o b.txt": ["b.txt"],
    "bash -c 'touch new'": ["new"],
    "ls d | xargs -I{} touch d/{}.bak": ["d"],
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for folder in ("d", "empty"):
        (tmp_path / folder).mkdir()
    for name in ("a.txt", "b.txt", "d/x.o", "d/y.c"):
        (tmp_path / name).write_text("one\ntwo\n", encoding="utf-8")
    return tmp_path


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every path with what can be changed about it."""
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = status.st_mode, status.st_mtime_ns * path.is_file(), content
    return found


@pytest.mark.parametrize(("line", "written"), WRITES.items(), ids=WRITES)
def test_the_files_a_line_writes_are_known_and_no_others_change(
    line: str, written: list[str], workspace: Path
) -> None:
    acts = judge(line, at(workspace)).acts
    named = {"state:cwd" if one == "cwd" else f"tree:{workspace / one}" for one in written}
    assert set(acts.writes) == named
    assert acts.runs == (line,)
    before = snapshot(workspace)
    subprocess.run(["bash", "-c", line], cwd=workspace, check=True, capture_output=True)
    after = snapshot(workspace)
    changed = {path for path in before.keys() | after if before.get(path) != after.get(path)}
    parents = {str(Path(path).parent) for path in acts.writes_files}  # mkdir -p makes them too
    missed = [path for path in changed - parents if not acts.may_write(path)]
    assert changed, "it changed nothing, so it shows nothing"
    assert missed == []


ANYTHING = [
    *("touch $x", "rm $(cat list)", "xargs rm < list", "echo x > $(date +%s)", 'mv "$1" d'),
    *("python3 x.py", "./run.sh", "make", "npm test", "bash x.sh", "unknown-program a"),
    *("curl -o new https://example.org", "git add a.txt", "git commit -m x", "git stash"),
    *("tar xf a.tar", "unzip a.zip", "patch -p1 < a.diff", "split a.txt", "gzip a.txt"),
    *("sed -i s/a/b/ a.txt", "perl -pi -e s/a/b/ a.txt", "awk '{print > \"new\"}' a.txt"),
    *("cp --backup a.txt b.txt", "mv -b a.txt b.txt", "cp -S .bak a.txt b.txt", "ln -s ../x"),
    *("touch new &", "(sleep 1; touch new) & disown", "coproc touch new"),
    *("touch new; ./run.sh", "cd $x && touch new", "cd - && rm a.txt", "sudo touch new"),
    *("export PATH=x; touch new", "kill 1234", "touch 'new", "rm a.txt; eval $x"),
]


@pytest.mark.parametrize("line", ANYTHING)
def test_a_line_that_does_not_say_it_all_may_do_anything(line: str) -> None:
    acts = judged(line).acts
    assert EVERYTHING in acts.writes
    assert EVERYTHING in acts.reads
    assert acts.runs == (line,)


READS = {
    "cat a.txt": ["a.txt"],
    "cat a.txt d/x.o | wc -l": ["a.txt", "d/x.o"],
    "grep -r one d": ["d"],
    "diff a.txt b.txt": ["a.txt", "b.txt"],
    "wc -l < a.txt": ["a.txt"],
    "ls": ["."],
    "rg one": ["."],
    "git status": ["."],
    "head -2 d/*.c": ["d"],
    "cd d && cat y.c": ["d/y.c", "y.c"],
}


@pytest.mark.parametrize(("line", "read"), READS.items(), ids=READS)
def test_what_only_reads_says_where_it_looks(line: str, read: list[str], workspace: Path) -> None:
    acts = judge(line, at(workspace)).acts
    wanted = {str(workspace / one) for one in read}
    assert wanted & set(acts.reads_files)
    assert set(acts.reads_files) <= wanted | {str(workspace)}
    assert not acts.runs
    assert set(acts.writes) <= {"state:cwd"}


BESIDE = [
    ("touch x", "touch y", False),
    ("touch x", "cat y", False),
    ("cp a b", "cp c d", False),
    ("cp a b", "cp b c", True),
    ("echo 1 > f", "cat f", True),
    ("rm -r d", "touch d/x", True),
    ("touch d/x", "grep -r y d", True),
    ("touch d/x", "rg y", True),
    ("touch x", "make", True),
    ("cd d", "cat x", True),
    ("cat a", "cat a", False),
]


@pytest.mark.parametrize(("one", "other", "is_conflict"), BESIDE)
def test_lines_wait_for_each_other_only_where_they_touch_the_same(
    one: str, other: str, is_conflict: bool
) -> None:
    assert conflict(judged(one).acts, judged(other).acts) is is_conflict
    assert conflict(judged(other).acts, judged(one).acts) is is_conflict


async def test_the_person_is_shown_what_exactly_will_be_written(workspace: Path) -> None:
    bench = Bench(Bash, workspace, answers=[YES, YES])
    await bench.run(command="cp a.txt new; echo x > d/more")
    await bench.run(command="./whatever")
    exact, loose = (approval.acts for approval in bench.person.asked)
    assert set(exact.writes_files) == {str(workspace / "new"), str(workspace / "d" / "more")}
    assert EVERYTHING in loose.writes


async def test_a_link_counts_with_its_target(workspace: Path) -> None:
    (workspace / "link").symlink_to("a.txt")
    writes = judge("mv link new", at(workspace)).acts.writes_files
    assert {str(workspace / "link"), str(workspace / "a.txt")} <= set(writes)
