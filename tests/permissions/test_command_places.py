"""Where paths lead: the workspace, harmless places, secrets, what must not be destroyed."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ankrcode.permissions.places import CommandEnv, Places, is_critical_file, is_device
from permissions.verdicts import ENV, at, judged, verdict_of

PLACES = Places(ENV)

SECRETS = [
    *(".env", ".env.local", ".env.production", "prod.env", ".envrc", ".netrc", ".git-credentials"),
    *(".npmrc", ".pypirc", ".pgpass", "id_rsa", "id_ed25519", "server.pem", "private.key", "x.p12"),
    *("store.jks", "vault.kdbx", "credentials", "credentials.json", "secrets.yml", "secrets.toml"),
    *(".bash_history", ".zsh_history"),
    *("terraform.tfstate", "prod.tfvars", "service-account-1.json"),
    *(".ssh/config", ".aws/credentials", ".kube/config", ".docker/config.json", ".gnupg/x"),
    *("/etc/shadow", "/etc/shadow-", "/etc/sudoers", "/etc/ssl/private/x", "/proc/1/environ"),
    *("/proc/self/environ", "/proc/self/mem", "/run/secrets/x", "/dev/mem", "/var/run/secrets/k8s"),
    *(".ENV", "ID_RSA", "Server.PEM"),
    *(".Ssh/x", "wp-config.php", "auth.json", ".config/gh/hosts.yml"),
]


@pytest.mark.parametrize("path", SECRETS)
def test_what_holds_secrets_is_known_by_its_name(path: str) -> None:
    assert PLACES.is_secret(path if path.startswith("/") else f"/work/proj/{path}")
    assert verdict_of(f"cat {path}") == "needs_approval"


PLAIN = [
    *("README.md", ".env.example", ".env.sample", ".env.template", "id_rsa.pub", "environment.ts"),
    *("secrets.py", "credentials.go", "keyboard.py"),
    *("monkey.txt", "history.md", "token.py", "key.c"),
    *(".envelope", "my.pemican", ".gitignore", ".eslintrc", "src/auth.py", "docs/secrets.md"),
]


@pytest.mark.parametrize("path", PLAIN)
def test_what_only_sounds_like_it_is_read_without_a_question(path: str) -> None:
    assert verdict_of(f"cat {path}") == "read_only"


OUTSIDE = {
    "/etc/os-release": "read_only",
    "/etc/hostname": "read_only",
    "/usr/share/doc/x": "read_only",
    "/usr/include/stdio.h": "read_only",
    "/proc/cpuinfo": "read_only",
    "/proc/self/status": "read_only",
    "/sys/class/net": "read_only",
    "/tmp/out.log": "read_only",
    "/var/log/syslog": "read_only",
    "/dev/null": "read_only",
    "/dev/zero": "read_only",
    "/etc/passwd": "needs_approval",
    "/etc/nginx/nginx.conf": "needs_approval",
    "/home/dev/notes": "needs_approval",
    "/home/dev/.bashrc": "needs_approval",
    "/root/x": "needs_approval",
    "/opt/app/config": "needs_approval",
    "/work/other/x": "needs_approval",
    "/work/proj-2/x": "needs_approval",
    "../x": "needs_approval",
    "src/../../x": "needs_approval",
    "~/x": "needs_approval",
    "~other/x": "needs_approval",
    "/tmp/../etc/shadow": "needs_approval",
    "/usr/../home/dev/x": "needs_approval",
    "/dev/sda": "needs_approval",
    "/dev/tcp/a/1": "needs_approval",
    "src/../README.md": "read_only",
    "./src/./x": "read_only",
    "/work/proj/x": "read_only",
}


@pytest.mark.parametrize(("path", "verdict"), OUTSIDE.items(), ids=OUTSIDE)
def test_content_is_read_in_the_workspace_and_in_harmless_places(path: str, verdict: str) -> None:
    for program in ("cat", "head -1", "grep x", "wc -l <", "sed -n 1p"):
        assert verdict_of(f"{program} {path}") == verdict, program


@pytest.mark.parametrize("path", ["/", "/etc", "~", "..", "/home", "/var", "/root", "~/Documents"])
def test_names_may_be_listed_anywhere(path: str) -> None:
    for program in ("ls -la", "stat", "du -sh", "tree", "find", "test -d", "realpath"):
        assert verdict_of(f"{program} {path}") == "read_only", program


@pytest.mark.parametrize("path", ["~/.ssh", "~/.aws", "~/.gnupg", "/home/dev/.kube"])
def test_folders_of_secrets_are_not_listed_unasked(path: str) -> None:
    assert verdict_of(f"ls {path}") == "needs_approval"
    assert verdict_of(f"find {path}") == "needs_approval"
    assert verdict_of(f"test -d {path}") == "read_only"


GLOBS = {
    "cat *": "read_only",
    "cat *.md": "read_only",
    "cat src/*": "read_only",
    "cat **/*.py": "read_only",
    "cat .*": "needs_approval",
    "cat .e*": "needs_approval",
    "cat .[a-z]*": "needs_approval",
    "cat id_*": "needs_approval",
    "cat *.pem": "needs_approval",
    "cat *.key": "needs_approval",
    "cat ~/*": "needs_approval",
    "cat /etc/*": "needs_approval",
    "cat /etc/os-*": "needs_approval",
    "cat ../*": "needs_approval",
    "cat */../../x": "needs_approval",
    "ls .*": "read_only",
    "cat {README,.env}": "needs_approval",
    "cat READ{ME,}.md": "read_only",
}


@pytest.mark.parametrize(("command", "verdict"), GLOBS.items(), ids=GLOBS)
def test_a_glob_is_judged_by_what_it_may_find(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


# ── a workspace that is there ─────────────────────────────────────────────────────────────────
@pytest.fixture
def work(tmp_path: Path) -> CommandEnv:
    return filled(tmp_path)


def filled(folder: Path) -> CommandEnv:
    root = folder / "root"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_text("a", encoding="utf-8")
    outside = folder / "outside"
    outside.mkdir()
    (outside / "x").write_text("x", encoding="utf-8")
    (root / "in").symlink_to(root / "a.txt")
    (root / "out").symlink_to("/etc/passwd")
    (root / "folder").symlink_to("/etc")
    (root / "shadow-link").symlink_to("/etc/shadow")
    return at(root)


LINKS = {
    "cat in": "read_only",
    "cat a.txt": "read_only",
    "cat src/../a.txt": "read_only",
    "cat out": "needs_approval",
    "cat folder/passwd": "needs_approval",
    "cat folder/../x": "needs_approval",
    "cat shadow-link": "needs_approval",
    "cat < out": "needs_approval",
    "cd folder && cat passwd": "needs_approval",
    "cd src && cat ../a.txt": "read_only",
    "cd src && cat ../out": "needs_approval",
    "cd src; cat a.txt": "read_only",
    "(cd /etc); cat a.txt": "read_only",
    "cd /etc; cat passwd": "needs_approval",
    "cd $X && cat a.txt": "needs_approval",
    "pushd src && cat ../a.txt": "read_only",
    "cd - && cat a.txt": "needs_approval",
    "ls out folder": "read_only",
    "echo x > in": "needs_approval",
    "rm -rf folder": "blocked",
    "rm -rf folder/*": "blocked",
    "rm -rf src": "needs_approval",
    "rm -rf src/..": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), LINKS.items(), ids=LINKS)
def test_a_path_is_judged_by_where_it_really_leads(
    command: str, verdict: str, work: CommandEnv
) -> None:
    assert verdict_of(command, work) == verdict


@pytest.mark.parametrize(("command", "verdict"), LINKS.items(), ids=LINKS)
def test_it_is_so_in_memory_too_which_lies_among_the_devices(
    command: str, verdict: str, memory: Path
) -> None:
    with TemporaryDirectory(dir=memory) as folder:
        assert verdict_of(command, filled(Path(folder))) == verdict


def test_links_are_looked_at_every_time(work: CommandEnv, tmp_path: Path) -> None:
    link = tmp_path / "root" / "later"
    link.write_text("x", encoding="utf-8")
    assert verdict_of("cat later", work) == "read_only"
    link.unlink()
    link.symlink_to("/etc/passwd")
    assert verdict_of("cat later", work) == "needs_approval"


def test_a_file_that_looks_like_an_option_makes_globs_dangerous(
    work: CommandEnv, tmp_path: Path
) -> None:
    assert verdict_of("sort *", work) == "read_only"
    assert verdict_of("git ls-files | xargs sort", work) == "read_only"
    (tmp_path / "root" / "-oevil").write_text("", encoding="utf-8")
    assert verdict_of("sort *", work) == "needs_approval"
    assert verdict_of("git ls-files | xargs sort", work) == "needs_approval"
    assert verdict_of("sort ./*", work) == "read_only"
    assert verdict_of("sort -- *", work) == "read_only"
    assert verdict_of("cat *", work) == "read_only"


def test_a_file_whose_name_falls_apart_into_an_option_is_seen(
    work: CommandEnv, tmp_path: Path
) -> None:
    assert verdict_of("ls | xargs sort", work) == "read_only"
    (tmp_path / "root" / "x -oevil").write_text("", encoding="utf-8")
    assert verdict_of("ls | xargs sort", work) == "needs_approval"
    assert verdict_of("ls | xargs -I{} sort ./{}", work) == "read_only"


def test_a_secret_that_a_glob_really_finds_is_asked(work: CommandEnv, tmp_path: Path) -> None:
    assert verdict_of("cat *", work) == "read_only"
    (tmp_path / "root" / "server.pem").write_text("", encoding="utf-8")
    assert verdict_of("cat *", work) == "needs_approval"
    assert verdict_of("cat *.txt", work) == "read_only"


def test_further_roots_are_the_workspace_too(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    env = CommandEnv(roots=(str(one), str(two)), cwd=str(one), home="/home/dev")
    assert verdict_of(f"cat {two}/x", env) == "read_only"
    assert verdict_of(f"rm -rf {two}", env) == "blocked"
    assert verdict_of(f"rm -rf {two}/x", env) == "needs_approval"


# ── what must not be destroyed ────────────────────────────────────────────────────────────────
CRITICAL = {
    "/": "root",
    "/etc": "system",
    "/usr": "system",
    "/usr/bin": "system",
    "/home": "system",
    "/home/dev": "home",
    "/home/alice": "home",
    "/Users/bob": "home",
    "/private/etc": "system",
    "/work": "workspace",
    "/work/proj": "workspace",
    "/tmp": "",
    "/work/proj/src": "",
    "/work/other": "",
    "/home/dev/x": "",
    "/usr/local/lib": "",
}


@pytest.mark.parametrize(("path", "why"), CRITICAL.items(), ids=CRITICAL)
def test_some_folders_are_critical(path: str, why: str) -> None:
    assert PLACES.critical(path) == why


DEVICES = {
    "/dev/sda": True,
    "/dev/sda1": True,
    "/dev/sdaa": True,
    "/dev/nvme0n1p2": True,
    "/dev/vdb": True,
    "/dev/xvda": True,
    "/dev/mmcblk0p1": True,
    "/dev/disk/by-id/x": True,
    "/dev/mapper/vg-root": True,
    "/dev/dm-0": True,
    "/dev/loop3": True,
    "/dev/md0": True,
    "/dev/disk2": True,
    "/dev/rdisk2s1": True,
    "/dev/mem": True,
    "/dev/sd*": True,
    "/dev/null": False,
    "/dev/zero": False,
    "/dev/fd/3": False,
    "/dev/stdout": False,
    "/dev/tty": False,
    "/dev/sdk/tool": False,
    "/dev/mapper/control": False,
    "/work/dev/sda": False,
}


@pytest.mark.parametrize(("path", "expected"), DEVICES.items(), ids=DEVICES)
def test_disks_are_known_by_their_names(path: str, expected: bool) -> None:
    assert is_device(path) is expected


def test_files_that_the_system_needs_are_known() -> None:
    assert all(map(is_critical_file, ("/etc/passwd", "/etc/shadow", "/etc/fstab", "/boot/x")))
    assert not any(map(is_critical_file, ("/etc/hosts", "/tmp/passwd", "etc/passwd")))


@pytest.mark.parametrize(
    "command",
    [
        *("echo x > /etc/passwd", "cp x /etc/shadow", "tee /etc/sudoers", "rm /etc/passwd"),
        *("mv x /etc/group", "truncate -s 0 /etc/shadow", "ln -sf x /etc/fstab"),
    ],
)
def test_overwriting_them_is_blocked(command: str) -> None:
    assert verdict_of(command) == "blocked"
    assert "which the system needs" in judged(command).reason


@pytest.mark.parametrize(
    "command", ["echo x >> /etc/passwd", "tee -a /etc/passwd", "chmod 600 /etc/shadow"]
)
def test_adding_to_them_is_asked(command: str) -> None:
    assert verdict_of(command) == "needs_approval"
