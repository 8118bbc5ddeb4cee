"""Is an answer borne out by what ran? "Tests pass" needs a green run that covers it, after the last
write to a file that is not documentation. By rule, no model; in doubt the answer is believed."""

import os
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ankrcode.agent.claims import Claim, admits_failures, claims_in
from ankrcode.agent.commands import Simple, taken_apart
from ankrcode.agent.ledger import WRITERS, Ran
from ankrcode.agent.runners import Run, may_be_run, run_of, went
from ankrcode.words import say
from ankrcode.workspace.roots import is_inside

_DOCUMENTS = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|org|png|jpe?g|gif|svg|webp|pdf|ipynb_checkpoints)$"
    r"|(?:^|/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|CONTRIBUTORS|README|TODO)[^/]*$"
    r"|(?:^|/)docs?/.*\.(?:txt|html?)$|(?:^|/)\.git(?:ignore|attributes)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|go|rs|java|kt|kts|rb|c|h|cc|cpp|hpp|cs|php|swift|scala|ex|exs"
    r"|clj|lua|pl|r|jl|sh|sql|vue|svelte|toml|ya?ml|cfg|ini|gradle)$",
    re.IGNORECASE,
)
_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ )(.+)$", re.M
)
_GIT_WRITES = frozenset(
    ("apply", "restore", "revert", "merge", "rebase", "cherry-pick", "pull", "am")
)


class _Event(Struct, frozen=True, kw_only=True):
    """A write, or a run of tests."""

    write: str = ""
    run: Run | None = None  # None with no write: something that may have run tests
    outcome: str = "unknown"


def unsupported(ran: Sequence[Ran], answer: str, roots: Sequence[str] = ()) -> str:
    """The note to put below the answer; empty where what it claims is borne out. What is written
    outside of `roots` concerns no test."""
    claims = claims_in(answer)
    if not claims:
        return ""
    events = [one for one in _events(ran) if not one.write or _is_ours(one.write, roots)]
    last_write = max((at for at, one in enumerate(events) if one.write), default=-1)
    before, after = events[:last_write], events[last_write + 1 :]
    for claim in claims:
        if fault := _fault(claim, before, after):
            key, run = fault
            if key == "evidence_red" and admits_failures(answer, claims):
                continue
            wrote = events[last_write].write if last_write >= 0 else ""
            return say(key, path=wrote, command=run)
    return ""


def _fault(
    claim: Claim, before: Sequence[_Event], after: Sequence[_Event]
) -> tuple[str, str] | None:
    """What is missing, and the run that comes closest."""
    covering = [one for one in after if one.run is None or covers(one.run, claim)]
    if covering:
        newest = covering[-1]
        if newest.outcome != "red" or (claim.names and _any_green(covering)):
            return None
        return "evidence_red", _command(newest)
    if others := [one for one in after if one.run is not None]:
        return "evidence_other", _command(others[-1])
    if green := [one for one in before if not one.write and one.outcome != "red"]:
        return "evidence_stale", _command(green[-1])
    return "evidence_none", ""


def _any_green(events: Sequence[_Event]) -> bool:
    return any(one.outcome != "red" for one in events)


def _command(event: _Event) -> str:
    return event.run.command if event.run is not None else ""


def covers(run: Run, claim: Claim) -> bool:
    """Did this run include what the claim speaks of?"""
    if run.is_whole:
        return True
    if claim.scope == "full":
        return False
    chosen = [_plain(one) for one in (*run.paths, *run.filters)]
    if claim.names:
        return any(_meets(_plain(name), one) for name in claim.names for one in chosen)
    return claim.scope == "some" or bool(run.paths and not run.filters)


def _plain(name: str) -> str:
    return re.sub(r"\.\w{1,4}(?=$|::)", "", name.strip("./\\'\"^$")).casefold()


def _meets(one: str, other: str) -> bool:
    """One names the other, or a part of it."""
    return bool(one and other) and (one in other or other in one or _last(one) == _last(other))


def _last(name: str) -> str:
    return re.split(r"[/\\:.]+", name)[-1]


# ── what happened, in order ───────────────────────────────────────────────────────────────
def _events(ran: Sequence[Ran]) -> Iterator[_Event]:
    waiting: dict[str, Ran] = {}  # commands in the background, by task
    for one in ran:
        if one.tool in WRITERS:
            yield from (_Event(write=path) for path in _written(one))
        elif one.tool == "Bash":
            if one.task_id and one.exit_code is None:
                waiting[one.task_id] = one
            yield from _of_command(one, str(one.arguments.get("command", "")))
        elif one.tool == "TaskOutput":
            begun = waiting.get(str(one.arguments.get("task_id") or one.arguments.get("bash_id")))
            if begun is not None and one.exit_code is not None:
                yield from _of_command(one, str(begun.arguments.get("command", "")))
        elif one.tool == "RunCode":
            if re.search(r"pytest|unittest|subprocess|npm|test", str(one.arguments)):
                yield _Event(outcome=_by_code(one))
        else:  # a further agent, or a tool that tests: nobody knows what it ran
            yield _Event(outcome="green" if one.ok else "red")


def _is_ours(path: str, roots: Sequence[str]) -> bool:
    if not path.startswith("/"):
        return True
    if not roots:
        return not path.startswith("/tmp/")  # noqa: S108
    real = os.path.realpath(path)
    return any(is_inside(path, root) or is_inside(real, root) for root in roots)


def _by_code(one: Ran) -> str:
    return "unknown" if one.exit_code is None else "green" if one.exit_code == 0 else "red"


def _written(one: Ran) -> list[str]:
    """The files it wrote, if it did, without documentation."""
    if not one.ok:
        return []
    named = [str(value) for name, value in one.arguments.items() if name != "patch" and value]
    paths = [*named, *_PATCHED.findall(str(one.arguments.get("patch", "")))]
    return [path for path in paths if not _DOCUMENTS.search(path.strip())]


def _of_command(one: Ran, command: str) -> Iterator[_Event]:
    if one.exit_code is None and one.ok:
        return  # still running
    for simple in taken_apart(command):
        if (run := run_of(simple)) is not None:
            yield _Event(run=run, outcome=went(simple, one.exit_code, one.text))
        elif may_be_run(simple, one.text):
            yield _Event(outcome=went(simple, one.exit_code, one.text))
        elif one.ok:
            yield from (_Event(write=path) for path in _writes(simple))


def _writes(simple: Simple) -> list[str]:
    """Code that a command changed, where that is plain to see."""
    words, program = simple.words, simple.words[0].rpartition("/")[2]
    files = [path for path in simple.targets if _CODE.search(path)]
    in_place = program in ("sed", "perl") and any(re.match(r"-\w*i", word) for word in words[1:])
    if in_place or program == "tee":
        files += [word for word in words[1:] if _CODE.search(word) and not word.startswith("-")]
    if program == "git" and len(words) > 1 and words[1] in _GIT_WRITES:
        files.append(" ".join(words[:2]))
    if program in ("patch",):
        files.append("patch")
    return files
