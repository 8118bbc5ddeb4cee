"""The variables a command sees: the person's own, without secrets, pagers, colours and questions.

They are captured once: from this process, or from the person's login shell (bash or zsh), which
knows the PATH that version managers and profiles set up.
"""

import os
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase

# A command has no terminal and nobody to ask: programs should know, and not wait for a key.
_UNATTENDED = {
    "CI": "true",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "AWS_PAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
}
# Colours by force, what would run or change options before the command itself does, and where
# somebody else has been.
_UNWANTED = frozenset(
    (
        *("FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"),
        *("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PWD", "OLDPWD", "_"),
    )
)
_LOGIN_SHELLS = ("bash", "zsh")

Snapshot = Callable[[list[str]], str]


class Environment:
    """Called, it gives the variables. `passed`: names (or patterns) of secrets to let through."""

    def __init__(
        self,
        base: Mapping[str, str],
        *,
        is_secret: Callable[[str, str], bool] = lambda name, value: False,
        passed: Collection[str] = (),
        reads_profile: bool = False,
    ) -> None:
        self.base = base
        self._is_secret = is_secret
        self._passed = tuple(passed)
        self._captured: dict[str, str] | None = None
        self.reads_profile = reads_profile  # still to be done: see `read_profile`
        self.withheld: tuple[str, ...] = ()  # names only

    def __call__(self) -> dict[str, str]:
        if self._captured is None:
            self._captured = self._cleaned(self.base)
        return self._captured

    def read_profile(self, snapshot: Snapshot) -> bool:
        """Take what the login shell sets up; `snapshot` runs a program and gives its output."""
        self.reads_profile = False
        mark = os.urandom(16).hex()  # profiles print greetings
        # The program, not the shell's own idea of it: only `env` says what children would get.
        script = f"printf %s {mark}; command env -0; printf %s {mark}"
        _, found, rest = snapshot([_login_shell(self.base), "-l", "-i", "-c", script]).partition(
            mark
        )
        listed, ended, _ = rest.partition(mark)
        if not (found and ended):
            return False
        pairs = (entry.partition("=") for entry in listed.split("\0") if "=" in entry)
        self._captured = self._cleaned({name: value for name, _, value in pairs})
        return True

    def _cleaned(self, variables: Mapping[str, str]) -> dict[str, str]:
        secret = [name for name, value in variables.items() if self._is_withheld(name, value)]
        self.withheld = tuple(sorted(secret))
        kept = {
            name: value
            for name, value in variables.items()
            if name not in _UNWANTED and name not in self.withheld
        }
        if "PATH" in kept:  # "." and its like would let a folder choose what `ls` is
            places = [place for place in kept["PATH"].split(":") if place.startswith("/")]
            kept["PATH"] = ":".join(places) or os.defpath
        return kept | _UNATTENDED

    def _is_withheld(self, name: str, value: str) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in self._passed):
            return False
        return self._is_secret(name, value)


def _login_shell(variables: Mapping[str, str]) -> str:
    chosen = variables.get("SHELL", "")
    return chosen if os.path.basename(chosen) in _LOGIN_SHELLS else "bash"  # noqa: PTH119
