"""What must still work behind a wall: the daily work of whoever writes programs."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.site import Site, make_repository
from sandbox.walls import PRESENT, Runner

pytestmark = pytest.mark.parametrize("wall", PRESENT)


@pytest.fixture
def work(site: Site) -> Path:
    return site.work


def run(wall: str, work: Path, script: str, **options: object) -> str:
    runner = Runner(work.parent / "home", wall=wall, **options)
    done = runner.bash(script, roots=[work])
    assert done.code == 0, done.text
    assert done.outcome.violations == ()
    return done.text


def test_files_of_the_workspace_can_be_made_changed_and_removed(wall: str, work: Path) -> None:
    run(
        wall,
        work,
        "mkdir -p a/b; echo 1 > a/b/c; echo 2 >> a/b/c; mv a/b d; chmod 700 d/c; rm -r a",
    )
    assert (work / "d" / "c").read_text(encoding="utf-8") == "1\n2\n"


def test_a_commit_works(wall: str, work: Path) -> None:
    run(
        wall,
        work,
        "echo 1 > a; git add a; git commit -qm one; git checkout -qb side; git branch -d main",
    )
    log = subprocess.run(
        ["git", "-C", work, "log", "--oneline", "side"], capture_output=True, check=True
    )
    assert log.stdout.endswith(b" one\n")


def test_a_commit_works_in_a_further_work_tree(wall: str, site: Site) -> None:
    run(wall, site.work, "echo 1 > a; git add a; git commit -qm one")
    tree = site.base / "tree"
    subprocess.run(["git", "-C", site.work, "worktree", "add", "-q", tree], check=True)
    run(wall, tree, "echo 2 > b; git add b; git commit -qm two")
    assert (site.work / ".git" / "refs" / "heads" / "tree").exists()


def test_a_further_work_tree_protects_the_repository_it_belongs_to(wall: str, site: Site) -> None:
    run(wall, site.work, "echo 1 > a; git add a; git commit -qm one")
    tree = site.base / "tree"
    subprocess.run(["git", "-C", site.work, "worktree", "add", "-q", tree], check=True)
    runner = Runner(site.home, wall=wall)
    common = site.work / ".git"
    targets = (f"{common}/hooks/h", f"{common}/config", ".git", f"{site.work}/x")
    runner.bash("; ".join(f"echo e >> {target}" for target in targets), roots=[tree])
    assert not (common / "hooks" / "h").exists()
    assert "e\n" not in (common / "config").read_text(encoding="utf-8").splitlines(keepends=True)
    assert (tree / ".git").read_text(encoding="utf-8").startswith("gitdir: ")
    assert not (site.work / "x").exists(), "the other tree is not this workspace"


def test_the_temporary_folder_lasts_from_one_command_to_the_next(wall: str, work: Path) -> None:
    runner = Runner(work.parent / "home", wall=wall)
    runner.bash("echo kept > $TMPDIR/note", roots=[work])
    assert runner.bash("cat $TMPDIR/note", roots=[work], profile="read-only").text == "kept\n"


def test_python_and_its_processes_work(wall: str, work: Path) -> None:
    script = (
        "import concurrent.futures as c, subprocess, sys, tempfile, threading\n"
        "threading.Thread(target=print).start()\n"
        "tempfile.NamedTemporaryFile().write(b'x')\n"
        "print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout)\n"
        "import socket; left, right = socket.socketpair(); left.send(b'x'); right.recv(1)\n"
    )
    runner = Runner(work.parent / "home", wall=wall)
    done = runner.python(script, roots=[work])
    assert (done.code, "child" in done.text) == (0, True), done.text


def test_devices_that_hold_nothing_can_be_used(wall: str, work: Path) -> None:
    run(wall, work, "echo x > /dev/null; head -c 4 /dev/zero /dev/urandom | wc -c; tty || true")


def test_the_rest_of_the_machine_can_be_read(wall: str, work: Path) -> None:
    assert "root" in run(wall, work, "cat /etc/passwd; ls / /usr/bin >/dev/null")


def test_a_cache_can_be_opened_by_a_setting(wall: str, site: Site) -> None:
    cache = site.home / ".cache" / "pip"
    runner = Runner(site.home, wall=wall)
    runner.bash(f"mkdir -p {cache} && echo 1 > {cache}/x", roots=[site.work])
    assert not cache.exists()
    run(wall, site.work, f"echo 1 > {cache}/x", caches=["pip", "npm"])
    assert (cache / "x").read_text(encoding="utf-8") == "1\n"


def test_the_network_is_there_when_the_profile_says_so(wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall)
    done = runner.bash(
        f"echo hello > /dev/tcp/127.0.0.1/{site.ears.tcp_port}",
        roots=[site.work],
        profile="workspace-write-network",
    )
    assert done.code == 0, done.text
    assert site.ears.has_heard()


def test_the_workspace_cannot_be_written_in_the_narrow_profile(wall: str, work: Path) -> None:
    runner = Runner(work.parent / "home", wall=wall)
    done = runner.bash("cat .idea/workspace.xml; echo 1 > x", roots=[work], profile="read-only")
    assert done.text.startswith("<x/>\n")
    assert done.code != 0
    assert not (work / "x").exists()


def test_several_roots_are_all_writable(wall: str, site: Site) -> None:
    second = site.base / "second"
    second.mkdir()
    runner = Runner(site.home, wall=wall)
    done = runner.bash(f"echo 1 > x; echo 2 > {second}/y", roots=[site.work, second])
    assert done.code == 0, done.text


@pytest.mark.parametrize("folder", ["with space", "नमस्ते", "quote'\"$(touch evil)"])
def test_a_workspace_may_have_any_name(wall: str, folder: str, site: Site) -> None:
    work = site.base / folder
    work.mkdir()
    make_repository(work)
    run(wall, work, "pwd > where; git status -s")
    assert (work / "where").read_text(encoding="utf-8") == f"{work}\n"
    assert sorted(path.name for path in work.iterdir()) == [".git", "where"]


def test_a_workspace_below_tmp_is_seen(wall: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n", encoding="utf-8")
    runner = Runner(tmp_path / "state", wall=wall)
    assert runner.bash("cat a; echo 2 > b", roots=[tmp_path]).text == "1\n"
    assert (tmp_path / "b").exists()


def test_a_home_as_workspace_keeps_its_keys_and_start_up_files(wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall)
    (site.home / "project").mkdir()
    done = runner.bash(
        "cat .ssh/*; echo e > .bashrc; echo e >> .ssh/authorized_keys; echo 1 > project/ok",
        roots=[site.home],
    )
    assert "canary" not in done.text
    assert (site.home / "project" / "ok").exists()
    assert not (site.home / ".bashrc").exists()
    assert not (site.home / ".ssh" / "authorized_keys").exists()


def test_nothing_is_left_in_the_workspace(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    work = tmp_path / "work"
    work.mkdir()
    for _ in range(3):
        assert runner.bash("true", roots=[work]).code == 0
    assert list(work.iterdir()) == []


def test_many_at_once_share_their_placeholders(wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall)
    running = [
        runner.processes.start(
            [sys.executable, "-I", "-c", "import time; time.sleep(0.2); open('.mcp.json', 'w')"],
            cwd=str(site.work),
            profile="workspace-write",
            roots=(str(site.work),),
            timeout_s=20,
        )
        for _ in range(6)
    ]
    before = runner.bash("exit 0", roots=[site.work])
    assert before.code == 0
    assert all(process.wait(30) for process in running)
    assert not (site.work / ".mcp.json").exists()


def test_a_command_that_does_not_exist_says_so(wall: str, work: Path) -> None:
    runner = Runner(work.parent / "home", wall=wall)
    done = runner(["no-such-program"], roots=[work])
    assert done.code == 127
    assert "not found" in done.text


def test_the_time_limit_ends_it_with_all_it_started(wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall)
    script = f"trap '' TERM; setsid sleep {site.nap} & sleep {site.nap}"
    done = runner(["bash", "-c", script], roots=[site.work], timeout_s=0.5)
    assert done.outcome.ended_by == "timeout"
    assert done.outcome.duration_s < 3
    assert site.left_behind() == []
