"""How a confined program ends, what it may use until then, and that nothing of it stays."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox.choose import Sandbox
from ankrcode.workspace.processes.confinement import Launch
from sandbox.site import Site
from sandbox.walls import PRESENT, Runner
from workspace.running import descriptors, settle

pytestmark = pytest.mark.parametrize("wall", PRESENT)


def own_zombies() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            state, parent = fields.rpartition(") ")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.append(fields)
    return found


# ── its end ───────────────────────────────────────────────────────────────────────────────────
HANGS = {
    "it will not hear": "trap '' TERM INT HUP; echo said; while :; do sleep {nap}; done",
    "its child will not hear": "echo said; (trap '' TERM; sleep {nap}) & wait",
    "it left its session": "echo said; setsid sleep {nap} & sleep {nap}",
    "it turns round": "echo said; while :; do :; done",
    "it halts itself": "echo said; kill -STOP $$",
    "its children keep coming": "echo said; while :; do sleep 0.01 & done",
}


@pytest.mark.parametrize("script", HANGS.values(), ids=HANGS)
def test_when_its_time_is_up_it_is_gone_with_all_it_began(
    script: str, wall: str, site: Site
) -> None:
    runner = Runner(site.home, wall=wall, processes=1_000)  # bash gives up where it cannot fork
    start = time.monotonic()
    done = runner(["bash", "-c", site.fill(script)], roots=[site.work], timeout_s=0.8)
    assert time.monotonic() - start < 0.8 + 0.5 + 4, "the grace, and a bound for a busy machine"
    assert done.outcome.ended_by == "timeout"
    assert done.text.startswith("said\n")
    assert not site.stays_behind()


@pytest.mark.parametrize("script", HANGS.values(), ids=HANGS)
def test_stopped_by_its_owner_it_is_gone_as_well(script: str, wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall, processes=1_000)  # bash gives up where it cannot fork
    process = runner.processes.start(
        ["bash", "-c", site.fill(script)],
        cwd=str(site.work),
        env=dict(os.environ),
        profile="workspace-write",
        roots=(str(site.work),),
    )
    process.stop(at_once=True)
    assert process.wait(10)
    assert not site.stays_behind()
    assert not [path for path in site.work.iterdir() if path.is_socket()], "a placeholder stayed"


async def test_awaited_or_not_it_comes_to_the_same(wall: str, tmp_path: Path) -> None:
    """A loop that waits attends to short ones itself; others get a thread."""
    runner = Runner(tmp_path / "state", wall=wall)
    for command, is_awaited in (("exit 3", True), ("exit 3", False), ("sleep 0.1; exit 3", True)):
        process = runner.processes.shell(
            f"echo hi > file; {command}",
            cwd=str(tmp_path),
            profile="workspace-write",
            roots=(str(tmp_path),),
            is_awaited=is_awaited,
        )
        outcome = await process.finished()
        assert (outcome.exit_code, outcome.cwd) == (3, str(tmp_path))
        assert (tmp_path / "file").read_text(encoding="utf-8") == "hi\n"
        assert [path.name for path in tmp_path.iterdir() if path.name != "state"] == ["file"]


async def test_what_was_undone_is_told_either_way(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    for is_awaited in (True, False, True):
        process = runner.processes.shell(
            "echo evil > .zshrc",
            cwd=str(tmp_path),
            profile="workspace-write",
            roots=(str(tmp_path),),
            is_awaited=is_awaited,
        )
        outcome = await process.finished()
        assert any(".zshrc is protected" in line for line in outcome.violations)
        assert not (tmp_path / ".zshrc").exists()


async def test_many_at_once_do_not_disturb_each_other(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    work = tmp_path / "work"
    work.mkdir()

    async def one(number: int) -> int:
        process = runner.processes.shell(
            f"echo {number} > file-{number}; mkdir .claude 2>/dev/null; exit {number}",
            cwd=str(work),
            profile="workspace-write",
            roots=(str(work),),
            is_awaited=number % 2 == 0,
        )
        return (await process.finished()).exit_code

    assert await asyncio.gather(*map(one, range(16))) == list(range(16))
    assert sorted(path.name for path in work.iterdir()) == sorted(f"file-{n}" for n in range(16))


def test_what_it_did_not_wait_for_leaves_no_zombie(wall: str, tmp_path: Path) -> None:
    script = "import os\nfor _ in range(30):\n    if os.fork() == 0: os._exit(0)\n"
    runner = Runner(tmp_path / "state", wall=wall)
    for _ in range(3):
        runner.python(script, roots=[tmp_path])
    assert own_zombies() == []


def test_no_descriptor_and_no_thread_is_left_of_those_that_could_not_start(
    wall: str, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    runner.bash("true", roots=[tmp_path])
    before = descriptors()
    for _ in range(10):
        process = runner.processes.start(
            ["x" * 300_000],
            cwd=str(tmp_path),
            env={},
            profile="workspace-write",
            roots=(str(tmp_path),),
        )
        assert process.wait(10)
    settle(descriptors, before)
    assert [path.name for path in tmp_path.iterdir() if path.name != "state"] == []


# ── what it may use ───────────────────────────────────────────────────────────────────────────
BIG = {
    "written": "head -c 20M /dev/zero > big",
    "with holes": "truncate -s 10G big",
    "by its last byte": "dd if=/dev/zero of=big bs=1 count=1 seek=10G",
    "reserved": "fallocate -l 10G big",
    "grown bit by bit": "for i in {1..40}; do head -c 1M /dev/zero; done >> big",
}


@pytest.mark.parametrize("script", BIG.values(), ids=BIG)
def test_no_file_grows_beyond_its_bound(script: str, wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall, file_mb=8)
    done = runner.bash(script, roots=[tmp_path])
    assert done.code != 0
    assert not (tmp_path / "big").exists() or (tmp_path / "big").stat().st_size <= 8 << 20


@pytest.mark.parametrize("folder", ["$TMPDIR", "/tmp", "."])
def test_the_bound_holds_in_every_folder(folder: str, wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall, file_mb=8)
    done = runner.bash(f"head -c 20M /dev/zero > {folder}/big", roots=[tmp_path])
    assert done.code != 0


def test_it_leaves_no_dump_of_its_memory(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    done = runner.bash("ulimit -c unlimited; ulimit -c; kill -SEGV $$", roots=[tmp_path])
    assert done.text.splitlines()[-1] == "0"
    assert [path.name for path in tmp_path.iterdir() if path.name != "state"] == []


def test_threads_count_like_processes(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall, processes=40)
    group = runner.sandbox._site.group
    if os.getuid() == 0 and (group is None or "pids" not in group.bounds):
        assert group is None or "memory" in group.bounds
        return  # root's are counted by control groups only; `status` says so
    script = (
        "import threading\n"
        "stay, count = threading.Event(), 0\n"
        "try:\n"
        "    for count in range(400): threading.Thread(target=stay.wait, daemon=True).start()\n"
        "except RuntimeError: pass\n"
        "print(count, flush=True); stay.set()\n"
    )
    assert int(runner.python(script, roots=[tmp_path]).text.split()[0]) < 399


@pytest.mark.parametrize("flag", ["-d", "-t", "-f", "-c"])
def test_a_bound_cannot_be_raised_again(flag: str, wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    done = runner.bash(f"ulimit {flag} unlimited && echo ESCAPED", roots=[tmp_path])
    assert "ESCAPED" not in done.text


# ── odd surroundings ──────────────────────────────────────────────────────────────────────────
def test_a_key_that_is_a_link_to_nowhere_keeps_nothing_from_starting(wall: str, site: Site) -> None:
    (site.home / ".kube").symlink_to("/nowhere/at/all")
    (site.home / ".pgpass").symlink_to("missing")
    done = Runner(site.home / "saved", wall=wall).bash("echo fine", roots=[site.work])
    assert done.text == "fine\n"


def test_a_workspace_reached_by_a_link_is_the_one_it_leads_to(wall: str, site: Site) -> None:
    (site.base / "link").symlink_to("work")
    runner = Runner(site.home / "saved", wall=wall)
    script = "echo 1 > file; echo evil > .claude; echo evil >> .git/config; echo evil > ../beside"
    runner.bash(script, roots=[site.base / "link"])
    assert (site.work / "file").read_text(encoding="utf-8") == "1\n"
    assert not (site.work / ".claude").exists()
    assert "evil" not in (site.work / ".git" / "config").read_text(encoding="utf-8")
    assert not (site.base / "beside").exists()


@pytest.mark.parametrize(
    "name", ["with space", "naïve-नमस्ते", "a'b\"c", "$(id)", "-rf", "a\nb", "%s"]
)
def test_the_name_of_the_workspace_does_not_matter(name: str, wall: str, site: Site) -> None:
    work = site.base / name
    (work / ".git" / "hooks").mkdir(parents=True)
    runner = Runner(site.home / "saved", wall=wall)
    done = runner.bash("echo 1 > file; echo evil > .git/hooks/h; pwd", roots=[work])
    assert done.text.endswith(f"{work}\n")
    assert (work / "file").exists()
    assert not (work / ".git" / "hooks" / "h").exists()


def test_a_workspace_that_is_gone_is_a_clear_failure(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    process = runner.processes.start(
        ["true"],
        cwd=str(tmp_path / "gone"),
        env={},
        profile="workspace-write",
        roots=(str(tmp_path / "gone"),),
    )
    assert process.wait(10)
    assert process.outcome is None or process.outcome.exit_code != 0


@pytest.mark.parametrize("kind", ["file", "folder", "link", "pipe"])
def test_whatever_stands_at_a_protected_name_is_as_it_was(kind: str, wall: str, site: Site) -> None:
    path = site.work / ".mcp.json"
    match kind:
        case "file":
            path.write_text("{}", encoding="utf-8")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("elsewhere")
        case "pipe":
            os.mkfifo(path)
    before = (path.lstat().st_mode, path.lstat().st_ino)
    script = (
        "rm -rf .mcp.json; mkdir .mcp.json; echo evil > .mcp.json/x; ln -sf /etc/passwd .mcp.json;"
        "echo evil > new; mv -f new .mcp.json; ln -f new .mcp.json; chmod 777 .mcp.json"
    )
    Runner(site.home / "saved", wall=wall).bash(f"timeout 5 bash -c '{script}'", roots=[site.work])
    after = path.lstat()
    assert after.st_mode == before[0]
    if kind in ("file", "folder") and wall == "bubblewrap":
        assert after.st_ino == before[1], "it was never touched"


def test_a_launch_keeps_what_the_wall_has_no_reason_to_change(wall: str, tmp_path: Path) -> None:
    sandbox = Sandbox(SandboxSettings(wall=wall))  # type: ignore[arg-type]
    launch = Launch(argv=("true",), env={}, cwd=str(tmp_path), mark=7, keeps_terminal=True)
    confined = sandbox.confine(launch, "workspace-write", (str(tmp_path),))
    try:
        assert (confined.mark, confined.keeps_terminal) == (7, True)
    finally:
        assert confined.release is not None
        confined.release()
