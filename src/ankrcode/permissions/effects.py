"""What a command was found to do, collected while it is judged."""

from typing import Literal

from msgspec import Struct

from ankrcode.permissions.shell.syntax import Function
from ankrcode.protocol.acts import EVERYTHING, Acts, state, tree
from ankrcode.words import say

Judged = Literal["read_only", "needs_approval", "blocked"]
_RANK: dict[Judged, int] = {"read_only": 0, "needs_approval": 1, "blocked": 2}

EffectKind = Literal[
    "read", "list", "write", "delete", "execute", "connect", "change", "secret", "unknown"
]

_LOOKING = frozenset(("read", "list", "secret"))
_ON_FILES = _LOOKING | {"write", "delete"}

MAX_STEPS = 1_500  # commands looked at in one line: loops, calls and options multiply


class Effect(Struct, frozen=True):
    """One thing a command does; `target` is a real path, a host or a name where it is known."""

    kind: EffectKind
    target: str = ""
    policy: str = ""  # the safety policy that names it, such as git.force_push
    within: str = ""  # the folder, where `target` stands for any number of files in it


class Part(Struct, frozen=True):
    """One command of the line."""

    argv: tuple[str, ...]
    verdict: Judged
    reason: str


class TooMuch(Exception):
    """The line multiplies into more than can be judged."""


class Ledger:
    """Verdict, reasons, parts and effects of one command line."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.effects: dict[Effect, None] = {}
        self.verdict: Judged = "read_only"
        self.reason = ""
        self.steps = 0
        self.looked_in: dict[str, None] = {}  # folders that a program sees without being told
        self.folders: dict[str, None] = {}  # where its commands run
        self.lingers = False  # something may run on when the line has ended
        self.uncalled: dict[str, Function] = {}  # functions that nothing has called so far
        self._open: list[_OpenPart] = []

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooMuch

    # ── parts ─────────────────────────────────────────────────────────────────────────────────
    def begin(self, argv: tuple[str, ...], folders: tuple[str, ...]) -> None:
        self.folders |= dict.fromkeys(folders)
        self._open.append(_OpenPart(argv))

    def end(self) -> Judged:
        done = self._open.pop()
        part = Part(done.argv, done.verdict, done.reason)
        if part not in self.parts:
            self.parts.append(part)
        if self._open:
            self._open[-1].worsen(done.verdict, done.reason)
        return done.verdict

    # ── findings ──────────────────────────────────────────────────────────────────────────────
    def note(self, kind: EffectKind, target: str = "", policy: str = "", within: str = "") -> None:
        """Something harmless, worth knowing for scheduler and journal."""
        self.effects[Effect(kind, target, policy, within)] = None

    def ask(
        self,
        key: str,
        kind: EffectKind,
        target: str = "",
        policy: str = "",
        *,
        what: str = "",
        within: str = "",
    ) -> None:
        """Something that a person must allow."""
        self.note(kind, target, policy, within)
        self.ask_for(key, what or target or say("cmd.something"))

    def ask_for(self, key: str, what: str) -> None:
        """The same, where what it does is noted file by file."""
        self._raise("needs_approval", say(f"cmd.{key}", what=what))

    def block(self, key: str, kind: EffectKind, target: str) -> None:
        """Something that never runs."""
        self.note(kind, target)
        self._raise("blocked", say(f"cmd.{key}", what=target))

    def doubt(self, why: str) -> None:
        """The text is not certain to mean what it seems to mean."""
        self.note("unknown")
        self._raise("needs_approval", say("cmd.doubt", what=why))

    def _raise(self, verdict: Judged, reason: str) -> None:
        if self._open:
            self._open[-1].worsen(verdict, reason)
        if _RANK[verdict] > _RANK[self.verdict]:
            self.verdict, self.reason = verdict, reason

    # ── the whole ─────────────────────────────────────────────────────────────────────────────
    def acts(self, command: str) -> Acts:
        """The same findings in the form that scheduler, journal and approval read.

        Exact where each effect is; else it may do anything. A path counts with all below it.
        """
        reads = {state("cwd"): None, **{tree(one): None for one in self.looked_in}}
        writes: dict[str, None] = {}
        connects: dict[str, None] = {}
        is_exact = self.verdict == "read_only" or not self.lingers
        for effect in self.effects:
            place = effect.within or effect.target
            if effect.kind == "change" and place == "cwd":
                writes[state("cwd")] = None
            elif effect.kind == "connect":
                connects[place or "*"] = None
                is_exact = False
            elif effect.kind in _ON_FILES and place.startswith("/"):
                (reads if effect.kind in _LOOKING else writes)[tree(place)] = None
            else:
                is_exact = False
        if not is_exact:
            reads, writes = {EVERYTHING: None}, {EVERYTHING: None, state("cwd"): None}
        runs = () if self.verdict == "read_only" else (command,)
        return Acts(reads=tuple(reads), writes=tuple(writes), runs=runs, connects=tuple(connects))


class _OpenPart:
    __slots__ = ("argv", "reason", "verdict")

    def __init__(self, argv: tuple[str, ...]) -> None:
        self.argv = argv
        self.verdict: Judged = "read_only"
        self.reason = ""

    def worsen(self, verdict: Judged, reason: str) -> None:
        if _RANK[verdict] > _RANK[self.verdict]:
            self.verdict, self.reason = verdict, reason
