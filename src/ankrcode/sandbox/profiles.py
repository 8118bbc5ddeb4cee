"""What a confined process sees and may change, as data that each wall builds from."""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from pwd import getpwuid

from msgspec import Struct

from ankrcode.config.paths import cache_folder, config_file, state_folder
from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox.kept import Kept
from ankrcode.sandbox.limits import Bounds
from ankrcode.sandbox.profile_names import bounds_of, is_code
from ankrcode.sandbox.protected import Protected, protected_in

# Below the person's home: what gives access to somewhere else, or tells what was typed.
SECRETS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", ".git-credentials"),
    *(".config/gh", ".config/git/credentials", ".config/gcloud", ".config/op", ".config/rclone"),
    *(".config/glab-cli", ".config/hub", ".config/doctl", ".config/containers/auth.json"),
    *(".pypirc", ".npmrc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(".composer/auth.json", ".vault-token", ".terraform.d/credentials.tfrc.json", ".fly"),
    *(".pgpass", ".my.cnf", ".boto", ".s3cfg", ".kaggle", ".cache/huggingface/token"),
    *(".password-store", ".local/share/keyrings", ".Xauthority", ".ICEauthority"),
    *(".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"),
    *(".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium"),
    *(".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history"),
    *(".node_repl_history", ".sqlite_history", ".psql_history", ".mysql_history"),
    *(".lesshst", ".viminfo"),
)
SYSTEM_SECRETS = ("/etc/shadow", "/etc/gshadow")

# At the top of the machine: what programs need to run. Code sees this and the workspace.
SYSTEM = (
    *("bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt"),
    *("proc", "run", "sbin", "snap", "sys", "usr", "var"),
    *("Applications", "Library", "System", "private"),
)
_PROGRAMS = ("bin", "sbin", "shims")

CACHES = {
    "pip": (".cache/pip",),
    "uv": (".cache/uv",),
    "npm": (".npm",),
    "yarn": (".cache/yarn",),
    "pnpm": (".local/share/pnpm/store", ".cache/pnpm"),
    "cargo": (".cargo/registry", ".cargo/git"),
    "go": ("go/pkg/mod", ".cache/go-build"),
}


class View(Struct, frozen=True, kw_only=True):
    """One profile in one place."""

    roots: tuple[str, ...]  # to be seen wherever they lie
    tools: tuple[str, ...] = ()  # the same, for programs
    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    protected: Protected
    network: bool
    bounds: Bounds


class Sight:
    """Looks at the machine as it is now; links are followed to what they lead to."""

    def __init__(self, settings: SandboxSettings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._secrets = secret_places(environ)
        self._hidden: Kept[tuple[str, ...]] = Kept()
        self._protected: Kept[Protected] = Kept()

    def view(self, profile: str, roots: Iterable[str], cwd: str = "") -> View:
        real_roots = tuple(os.path.realpath(root) for root in roots)
        writable: list[str] = []
        protected = Protected()
        if profile.startswith("workspace-write"):
            at_home = tuple(map(os.path.realpath, homes(self._environ)))
            asked = (real_roots, at_home, os.path.realpath(cwd) if cwd else "")
            protected = self._protected.get(asked, lambda: protected_in(*asked))
            writable += [*real_roots, *protected.writable, *caches(self._settings, self._environ)]
        return View(
            roots=real_roots,
            tools=self._tools if is_code(profile) else (),
            writable=tuple(dict.fromkeys(writable)),
            hidden=self._hidden.get(is_code(profile), partial(self._look_for_hidden, profile)),
            protected=protected,
            network=profile.endswith("-network"),
            bounds=bounds_of(profile, self._settings),
        )

    def _look_for_hidden(self, profile: str) -> tuple[tuple[str, ...], set[str]]:
        secrets, folders = existing(self._secrets)
        if not is_code(profile):
            return secrets, folders
        tops = (f"/{name}" for name in sorted(set(os.listdir("/")).difference(SYSTEM)))  # noqa: PTH208
        others = tuple(top for top in tops if not os.path.islink(top))  # noqa: PTH114
        return (*others, *secrets), {*folders, "/"}

    @cached_property
    def _tools(self) -> tuple[str, ...]:
        """Where the programs on the PATH and our own Python are, with what belongs to them."""
        at_home = homes(self._environ)
        found = [sys.prefix, sys.base_prefix, *filter(os.path.isabs, sys.path)]
        for place in filter(os.path.isabs, self._environ.get("PATH", "").split(os.pathsep)):
            found.append(place)
            above, name = os.path.split(place)
            if name in _PROGRAMS and above not in (*at_home, *(f"{h}/.local" for h in at_home)):
                found.append(above)
        real = (path for path in map(os.path.realpath, found) if os.path.exists(path))  # noqa: PTH110
        return tuple(dict.fromkeys(path for path in real if path not in (*at_home, "/")))


def secret_places(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be read, wherever there is such a thing."""
    own = (config_file(environ).parent, state_folder(environ), cache_folder(environ))
    below_home = (f"{home}/{name}" for home in homes(environ) for name in SECRETS)
    return (*map(str, own), *below_home, *SYSTEM_SECRETS)


def existing(places: Collection[str]) -> tuple[tuple[str, ...], set[str]]:
    """Those that are there, or what links among them lead to; and where they were looked for."""
    there = dict.fromkeys(os.path.realpath(path) for path in places if os.path.lexists(path))
    folders = {os.path.dirname(path) for path in (*places, *there)}  # noqa: PTH120
    return tuple(path for path in there if os.path.lexists(path)), folders


def homes(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The home that HOME names, and the one the system knows: they may differ."""
    named = environ.get("HOME", "")
    known = _known_home()
    return tuple(dict.fromkeys(home for home in (named, known) if home.startswith("/")))


@cache
def _known_home() -> str:
    try:
        return getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def caches(settings: SandboxSettings, environ: Mapping[str, str]) -> Iterator[str]:
    """The package caches that the settings open; made where they are missing."""
    for place in (place for name in settings.caches for place in CACHES[name]):
        for home in homes(environ)[:1]:
            folder = Path(home, place)
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                yield os.path.realpath(folder)
