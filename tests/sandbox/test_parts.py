"""The parts of the walls: the filter, the rules, the mounts, the bounds, the texts."""

import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ankrcode.config.settings import SandboxSettings
from ankrcode.errors import UsageError
from ankrcode.sandbox import bubblewrap, cgroups, landlock, landlocked, seccomp
from ankrcode.sandbox.limits import Bounds, bash_path, limited
from ankrcode.sandbox.profile_names import PROFILES, bounds_of, is_confined
from ankrcode.sandbox.profiles import SECRETS, Sight, View, existing, secret_places
from ankrcode.sandbox.protected import Protected
from ankrcode.sandbox.wall import Site
from ankrcode.workspace.processes.confinement import Launch
from workspace.running import descriptors, settle


def in_thread(work: Callable[[], object]) -> list[object]:
    """Restrictions last for ever: they are tried in a thread that ends."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except OSError as problem:
            found.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found


def view(**changes: object) -> View:
    plain: dict[str, object] = {
        "roots": (),
        "writable": (),
        "hidden": (),
        "protected": Protected(),
        "network": False,
        "bounds": Bounds(),
    }
    return View(**{**plain, **changes})  # type: ignore[arg-type]


# ── the filter ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("network", ["none", "internet"])
def test_every_jump_of_the_filter_lands_inside_it(machine: str, network: seccomp.Network) -> None:
    code = seccomp.program(network, machine)
    assert len(code) % 8 == 0
    instructions = list(struct.iter_unpack("=HBBI", code))
    for position, (operation, if_true, if_false, constant) in enumerate(instructions):
        steps = {0x05: (constant,), 0x06: ()}.get(operation, (if_true, if_false))
        assert all(position + 1 + step < len(instructions) for step in steps)
    assert instructions[-1] == (0x06, 0, 0, 0x7FFF0000), "what is not named is allowed"


def interpreted(code: bytes, number: int, *arguments: int, arch: int = 0xC000003E) -> int:
    """What the kernel would answer: 0 for yes, else the error number."""
    data = struct.pack("=IIQ", number, arch, 0) + struct.pack(
        "=6Q", *(arguments + (0,) * (6 - len(arguments)))
    )
    instructions = list(struct.iter_unpack("=HBBI", code))
    position, value = 0, 0
    while True:
        operation, if_true, if_false, constant = instructions[position]
        position += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, constant)
            case 0x15:
                position += if_true if value == constant else if_false
            case 0x35:
                position += if_true if value >= constant else if_false
            case 0x45:
                position += if_true if value & constant else if_false
            case 0x05:
                position += constant
            case 0x06:
                return 0 if constant == 0x7FFF0000 else constant & 0xFFFF


EPERM, EACCES, ENOSYS, EAFNOSUPPORT = 1, 13, 38, 97


@pytest.mark.parametrize(
    ("number", "arguments", "answers"),
    [
        (0, (), (0, 0)),  # read
        (57, (), (0, 0)),  # fork
        (56, (0x11,), (0, 0)),  # clone as fork uses it
        (56, (0x3D0F00,), (0, 0)),  # clone as threads use it
        (56, (0x10000011,), (EPERM, EPERM)),  # clone into a user namespace
        (56, (0x40000011,), (EPERM, EPERM)),  # clone into a network namespace
        (435, (), (ENOSYS, ENOSYS)),  # clone3
        (165, (), (EPERM, EPERM)),  # mount
        (272, (), (EPERM, EPERM)),  # unshare
        (250, (), (EPERM, EPERM)),  # keyctl
        (425, (), (ENOSYS, ENOSYS)),  # io_uring_setup
        (16, (0, 0x5401), (0, 0)),  # ioctl TCGETS
        (16, (0, 0x5412), (EPERM, EPERM)),  # ioctl TIOCSTI
        (16, (0, 0xFFFFFFFF00005412), (EPERM, EPERM)),  # the same, as the kernel cuts it
        (41, (1,), (EAFNOSUPPORT, EAFNOSUPPORT)),  # socket AF_UNIX
        (41, (2,), (EAFNOSUPPORT, 0)),  # AF_INET
        (41, (10,), (EAFNOSUPPORT, 0)),  # AF_INET6
        (41, (17,), (EAFNOSUPPORT, EAFNOSUPPORT)),  # AF_PACKET
        (41, (40,), (EAFNOSUPPORT, EAFNOSUPPORT)),  # AF_VSOCK
        (53, (1, 1), (0, 0)),  # socketpair SOCK_STREAM
        (53, (1, 0x80005), (0, 0)),  # SOCK_SEQPACKET | SOCK_CLOEXEC
        (53, (1, 2), (EACCES, EACCES)),  # SOCK_DGRAM
        (53, (1, 0x80802), (EACCES, EACCES)),  # SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC
        (53, (1, 3), (EACCES, EACCES)),  # SOCK_RAW, which is the same there
        (0x40000000 + 41, (2,), (ENOSYS, ENOSYS)),  # the calls of another size
    ],
)
def test_the_filter_answers_as_it_should(
    number: int, arguments: tuple[int, ...], answers: tuple[int, int]
) -> None:
    kinds: tuple[seccomp.Network, ...] = ("none", "internet")
    real = [interpreted(seccomp.program(kind, "x86_64"), number, *arguments) for kind in kinds]
    assert tuple(real) == answers


def test_calls_of_another_architecture_are_refused() -> None:
    assert interpreted(seccomp.program("internet", "x86_64"), 0, arch=0x40000003) == ENOSYS


def test_without_a_table_for_the_machine_there_is_no_filter() -> None:
    assert not seccomp.is_known("pdp11")


# ── Landlock ──────────────────────────────────────────────────────────────────────────────────
def test_what_is_hidden_is_left_out_and_all_beside_it_granted(tmp_path: Path) -> None:
    for name in ("a/b/key", "a/c", "d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    granted = set(landlock.around([str(tmp_path / "a" / "b")], str(tmp_path)))
    assert granted == {str(tmp_path / "a" / "c"), str(tmp_path / "d")}
    assert list(landlock.around([], "/usr")) == ["/usr"]
    assert list(landlock.around(["/usr"], "/usr")) == []


def test_a_restricted_thread_leaves_the_others_alone(tmp_path: Path) -> None:
    if landlocked.why_not():
        assert landlock.abi() < landlock.MIN_ABI
        return

    def write() -> int:
        ruleset = landlock.Ruleset(network=False)
        ruleset.allow_reading("/")
        seccomp.install("none", out_of_range=threading.get_native_id())
        ruleset.enter()
        return (tmp_path / "inside").write_text("x", encoding="utf-8")

    (answer,) = in_thread(write)
    assert isinstance(answer, PermissionError)
    (tmp_path / "outside").write_text("x", encoding="utf-8")


def test_a_place_that_is_not_there_is_no_reason_to_fail() -> None:
    if not landlocked.why_not():
        ruleset = landlock.Ruleset(network=True)
        ruleset.allow_writing("/no/such/place")
        ruleset.close()
        ruleset.close()
    else:
        assert landlock.abi() < landlock.MIN_ABI


def test_the_rules_are_built_once_and_anew_for_a_folder_that_was_replaced(tmp_path: Path) -> None:
    if landlocked.why_not():
        assert landlock.abi() < landlock.MIN_ABI
        return
    wall = landlocked.Landlocked(Site(SandboxSettings(), {"HOME": str(tmp_path)}))
    work = tmp_path / "work"
    work.mkdir()
    seen = view(hidden=("/etc/shadow",), roots=(str(work),))
    first = wall._ruleset(seen)
    assert wall._ruleset(seen) is first
    (work / "new").mkdir()
    assert wall._ruleset(seen) is first, "what lies in a granted folder is granted with it"
    work.rename(tmp_path / "gone")
    work.mkdir()
    assert wall._ruleset(seen) is not first


# ── bubblewrap ────────────────────────────────────────────────────────────────────────────────
def words(options: list[str]) -> str:
    return " ".join(options)


def test_a_folder_is_mounted_before_what_lies_in_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    seen = view(
        roots=(str(work),),
        writable=(str(work),),
        hidden=(str(tmp_path / "secret"),),
        protected=Protected(fixed=(f"{work}/.git/hooks",), pinned=(f"{work}/.git",)),
    )
    text = words(bubblewrap.mounts(seen, "/scratch", []))
    order = [
        "--ro-bind / /",
        f"--perms 0500 --tmpfs {tmp_path}/secret",
        f"--bind {work} {work}",
        f"--bind {work}/.git {work}/.git",
        f"--ro-bind {work}/.git/hooks {work}/.git/hooks",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "--bind /scratch /tmp" in text


def test_a_root_inside_a_hidden_folder_is_seen_all_the_same(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (secret / "work").mkdir(parents=True)
    text = words(
        bubblewrap.mounts(view(hidden=(str(secret),), roots=(f"{secret}/work",)), "/scratch", [])
    )
    assert text.index(f"--tmpfs {secret}") < text.index(f"--ro-bind {secret}/work")


def test_a_hidden_file_is_covered_by_nothing(tmp_path: Path) -> None:
    (tmp_path / "netrc").touch()
    options = bubblewrap.mounts(view(hidden=(f"{tmp_path}/netrc",)), "/scratch", [])
    assert f"--ro-bind /dev/null {tmp_path}/netrc" in words(options)


def confined(env: dict[str, str], tmp_path: Path) -> Launch:
    site = Site(SandboxSettings(), {"HOME": str(tmp_path)})
    launch = Launch(argv=("true",), env=env, cwd=str(tmp_path))
    return bubblewrap.Bubblewrap(site).confined(launch, view(roots=(str(tmp_path),)))


def test_nothing_of_the_command_reaches_the_launcher_itself(tmp_path: Path) -> None:
    evil = {"LD_PRELOAD": "/evil.so", "BASH_ENV": "/evil", "TOKEN": "secret-value"}
    launch = confined(evil, tmp_path)
    assert launch.release is not None
    try:
        assert set(launch.env) == {"PATH"}
        assert not any("secret-value" in word for word in launch.argv)
        assert launch.cwd == "/"
    finally:
        launch.release()


def test_its_descriptors_are_closed_when_it_is_over(tmp_path: Path) -> None:
    before = descriptors()
    for _ in range(20):
        launch = confined({}, tmp_path)
        assert launch.release is not None
        assert launch.release() == []
    settle(descriptors, before)


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_without_bounds_the_command_is_left_alone() -> None:
    assert limited(["ls", "-l"], Bounds(), mark=5) == ("ls", "-l")


def test_bash_sets_its_own_bounds_and_anything_else_gets_a_shell_before_it() -> None:
    bounds = Bounds(file_mb=1)
    own = limited(["/bin/bash", "-c", "echo $0 $1", "a", "b"], bounds)
    assert own[0] == "/bin/bash"
    assert own[2].endswith("; echo $0 $1")
    assert own[3:] == ("a", "b")
    other = limited(["python3", "-c", "x"], bounds)
    assert other[-3:] == ("python3", "-c", "x")
    assert other[0] in (bash_path(), "/bin/sh")


@pytest.mark.parametrize(
    "argv",
    [
        ["bash", "-c", 'echo "$0" "$1"; exit 3', "zero", "one two"],
        ["bash", "-c", "#comment\nexit 3"],
        ["bash", "-c", "\nexit 3"],
        ["sh", "-c", "exit 3"],
        [sys.executable, "-c", "import sys; sys.exit(3)"],
        ["bash", "-c", "ulimit -f | grep -qx 1024 && exit 3"],
    ],
)
def test_a_bounded_command_does_what_it_did(argv: list[str]) -> None:
    done = subprocess.run(
        limited(argv, Bounds(file_mb=1, data_mb=4096, cpu_s=10), mark=1 << 50), check=False
    )
    assert done.returncode == 3


def test_the_mark_is_there_before_the_program_runs() -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_RTTIME)[0])"
    line = limited([sys.executable, "-I", "-c", code], Bounds(file_mb=1), mark=(1 << 50) + 7)
    done = subprocess.run(line, capture_output=True, check=True)
    assert int(done.stdout) == (1 << 50) + 7


# ── control groups ────────────────────────────────────────────────────────────────────────────
def fake_proc(folder: Path, mountinfo: str, groups: str) -> Path:
    proc = folder / "proc"
    proc.mkdir()
    (proc / "mountinfo").write_text(mountinfo, encoding="utf-8")
    (proc / "cgroup").write_text(groups, encoding="utf-8")
    return proc


def test_version_2_makes_a_group_beside_our_own(tmp_path: Path) -> None:
    (tmp_path / "cg" / "app" / "own").mkdir(parents=True)
    (tmp_path / "cg" / "app" / "cgroup.subtree_control").write_text("memory pids", encoding="utf-8")
    proc = fake_proc(
        tmp_path, f"30 1 0:1 / {tmp_path}/cg rw - cgroup2 cgroup2 rw\n", "0::/app/own\n"
    )
    # A folder that is no control group has no files for the limits: then there is none.
    assert cgroups.make("x", memory_mb=1, processes=2, proc=proc) is None
    assert sorted(p.name for p in (tmp_path / "cg" / "app").iterdir()) == [
        "cgroup.subtree_control",
        "own",
    ]


@pytest.mark.parametrize(
    ("mountinfo", "groups"),
    [
        ("", ""),
        ("30 1 0:1 / /nowhere rw - cgroup2 cgroup2 rw\n", "0::/\n"),
        ("30 1 0:1 / /nowhere rw - cgroup cgroup rw,memory\n", "4:memory:/a\n"),
    ],
)
def test_where_no_group_can_be_made_there_is_none(
    mountinfo: str, groups: str, tmp_path: Path
) -> None:
    proc = fake_proc(tmp_path, mountinfo, groups)
    assert cgroups.make("x", memory_mb=1, processes=2, proc=proc) is None


def test_a_group_is_gone_when_it_is_closed() -> None:
    group = cgroups.make("test", memory_mb=100, processes=50)
    if group is None:
        return  # not for an ordinary person
    folders = [Path(entrance).parent for entrance in group.entrances]
    assert all(folder.is_dir() for folder in folders)
    group.close()
    assert not any(folder.exists() for folder in folders)


# ── profiles ──────────────────────────────────────────────────────────────────────────────────
def test_only_open_and_limits_need_no_wall() -> None:
    assert {name for name in PROFILES if not is_confined(name)} == {"open", "limits"}
    with pytest.raises(UsageError, match="no profile 'x'"):
        is_confined("x")


def test_an_open_command_has_no_bounds_and_code_the_tightest() -> None:
    settings = SandboxSettings(memory_mb=8000, code_memory_mb=100)
    assert bounds_of("open", settings) == Bounds()
    assert bounds_of("read-only", settings).address_mb == 100
    assert bounds_of("workspace-write", settings).address_mb == 0
    assert bounds_of("workspace-write", settings).data_mb == 8000


def test_each_secret_place_is_hidden_once_it_exists(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert not [
        path for path in existing(secret_places(environ))[0] if path.startswith(str(tmp_path))
    ]
    for name in SECRETS:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch()
    found = {path for path in existing(secret_places(environ))[0] if path.startswith(str(tmp_path))}
    assert {str(tmp_path / name) for name in SECRETS if (tmp_path / name).exists()} <= found


def test_a_secret_that_is_a_link_hides_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / ".ssh").symlink_to("vault")
    assert str(tmp_path / "vault") in existing(secret_places({"HOME": str(tmp_path)}))[0]


def test_nothing_but_the_workspace_and_opened_caches_is_writable(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    environ = {"HOME": str(tmp_path)}
    settings = SandboxSettings(caches=["cargo", "npm"])
    seen = Sight(settings, environ).view("workspace-write", [str(work)])
    assert seen.writable == (
        str(work),
        *(f"{tmp_path}/{name}" for name in (".cargo/registry", ".cargo/git", ".npm")),
    )
    assert Sight(settings, environ).view("read-only", [str(work)]).writable == ()
    assert Sight(settings, environ).view("workspace-write-network", []).network
