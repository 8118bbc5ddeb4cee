"""The verdict on a command line: may it run with no question, with one, or never?

`judge` is pure: it looks at its arguments and at where paths lead, and runs nothing. Only the
parse is remembered between calls; paths, links and names are looked at every time.
"""

import os
import re
from typing import Any

from msgspec import Struct

from ankrcode.permissions.effects import Effect, Judged, Ledger, Part, TooMuch
from ankrcode.permissions.places import CommandEnv, Places
from ankrcode.permissions.shell.commands import Shell
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.scope import ANYTHING, Scope
from ankrcode.permissions.shell.syntax import Unparsed
from ankrcode.permissions.shell.witness import witness
from ankrcode.protocol.acts import Acts

MAX_COMMAND_CHARS = 10_000  # longer ones are always asked
MAX_LOOKED_AT = 100_000  # and of these no more is looked at

# Characters that show other than they act: controls, blanks that are no blanks, reversed text.
# Patterns are text here: each is compiled by its first use, not by every start.
_ODD = (
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\ufeff\ufff9-\ufffb\ud800-\udfff]"
)

_BOMB = r"(\S{1,40}?)\s{0,40}+\(\)\s*\{\s*\1\s*\|\s*\1\s*&"


class CommandVerdict(Struct, frozen=True, kw_only=True):
    verdict: Judged
    reason: str
    parts: tuple[Part, ...]
    acts: Acts
    effects: tuple[Effect, ...]
    folders: tuple[str, ...] = ()  # where its commands run, as far as that is known

    def as_data(self) -> dict[str, Any]:
        """For `permissions check --json`."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "parts": [
                {"argv": part.argv, "verdict": part.verdict, "reason": part.reason}
                for part in self.parts
            ],
            "effects": [
                {"kind": one.kind, "target": one.target}
                | ({"policy": one.policy} if one.policy else {})
                for one in self.effects
            ],
        }


def judge(command: str, env: CommandEnv) -> CommandVerdict:
    """read_only, needs_approval or blocked: with the reason, and all that it would do."""
    ledger = Ledger()
    try:
        _play(command, env, ledger)
    except (TooMuch, RecursionError):
        ledger.doubt("it multiplies into more than can be looked at")
    except Unparsed as problem:
        ledger.doubt(problem.why)
    return CommandVerdict(
        verdict=ledger.verdict,
        reason=ledger.reason,
        parts=tuple(ledger.parts),
        acts=ledger.acts(command),
        effects=tuple(ledger.effects),
        folders=tuple(ledger.folders),
    )


def _play(command: str, env: CommandEnv, ledger: Ledger) -> None:
    is_plain = command.isascii() and command.isprintable()
    if not is_plain and (odd := re.search(_ODD, command)):
        ledger.doubt(f"it holds the character U+{ord(odd[0]):04X}")
    if len(command) > MAX_COMMAND_CHARS:
        ledger.doubt(f"it is longer than {MAX_COMMAND_CHARS:,} characters")
    command = command[:MAX_LOOKED_AT].replace("\0", " ")
    # A bomb, were it not for a blank.
    if "()" in command and re.search(_BOMB, command) and parse(command).fault:
        ledger.block("fork_bomb", "execute", command[:80])
    shell = Shell(ledger, Places(env))
    scope = Scope({}, {}, (os.path.normpath(env.cwd),), (ANYTHING,))
    shell.run_text(command, scope)
    shell.finish(scope)
    if ledger.verdict == "read_only":
        missed = witness(command)
        hidden = _hidden_git(command, ledger)
        if missed or hidden:
            ledger.doubt(missed or f"'{hidden}' is put together where it cannot be made safe")


def _hidden_git(command: str, ledger: Ledger) -> str:
    if not any("git" in part.argv[0] for part in ledger.parts):
        return ""
    from ankrcode.permissions.programs.git import out_of_reach  # most lines do without

    return out_of_reach(command, ledger.parts)
