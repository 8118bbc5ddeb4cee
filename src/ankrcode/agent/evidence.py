"""Is an answer borne out by what ran? "Tests pass" needs a green run that covers it, after the last
write to a file that is not documentation. By rule, no model; in doubt the answer is believed."""

import os
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ankrcode.agent.claims import Claim, admits_failures, claims_in
from ankrcode.agent.commands import Simple, taken_apart
from ankrcode.agent.counts import Count, counted, miscounted
from ankrcode.agent.ledger import TEXT_CHARS, WRITERS, Ran
from ankrcode.agent.outcomes import went
from ankrcode.agent.runners import Run, may_be_run, run_of, speaks_of_tests
from ankrcode.agent.untested import left_out
from ankrcode.words import say
from ankrcode.workspace.roots import is_inside

_DOCUMENTS = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|org|textile|tex|bib|mmd|puml|drawio|png|jpe?g|gif|svg|webp|pdf"
    r"|ipynb_checkpoints)$|(?:^|/)(?:mkdocs|\.readthedocs)\.ya?ml$"
    r"|(?:^|/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|CONTRIBUTORS|README|TODO)[^/]*$"
    r"|(?:^|/)(?:NEWS|NOTES|HISTORY|INSTALL|COPYING|SUMMARY|RELEASE[\w-]*)(?:\.txt)?$"
    r"|(?:^|/)docs?/.*\.(?:txt|html?|css|ya?ml)$|(?:^|/)\.git(?:ignore|attributes)$",
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
_HARMLESS = frozenset(("--staged", "--cached", "--check", "--stat", "--dry-run", "--abort"))
_UNCHANGED = re.compile(r"\bup[ -]to[ -]date\b")
_IN_PLACE = re.compile(r"-(?![IM])\w*i|--in-place")
_CUTTERS = frozenset(("tail", "head", "grep", "rg", "sed", "awk", "cat", "less", "cut"))
_TITLES = {"Earlier": "…"}  # what was summarised away
_FAULTS = {"red": "evidence_red", "empty": "evidence_empty"}


class Event(Struct, frozen=True, kw_only=True):
    """A write, or a run of tests."""

    write: str = ""
    run: Run | None = None  # None with no write: something that may have run tests
    title: str = ""  # of that
    outcome: str = "unknown"
    count: Count | None = None  # of its tests, where that is certain


def unsupported(ran: Sequence[Ran], answer: str, roots: Sequence[str] = (), asked: str = "") -> str:
    """The note to put below the answer; empty where what it claims is borne out. What is written
    outside of `roots` concerns no test; who is `asked` for certain tests may mean those by all."""
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
            if key == "evidence_other" and claim.is_plain and _says_which(after, answer):
                continue
            wrote = events[last_write].write if last_write >= 0 else ""
            return say(key, path=wrote, command=run)
        if not claim.is_plain or _says_which(after, f"{answer}\n{asked}"):
            continue
        if left_out(events, after, roots):
            return say("evidence_part", command=_command(after[-1]))
    seen = [asked, *(f"{one.arguments.get('command', '')}\n{one.text}" for one in ran)]
    if found := miscounted(answer, claims, events, after, seen):
        claimed, count = found
        return say("evidence_count", claimed=claimed, counted=count, command=_command(after[-1]))
    return ""


def _fault(claim: Claim, before: Sequence[Event], after: Sequence[Event]) -> tuple[str, str] | None:
    """What is missing, and the run that comes closest."""
    covering = [one for one in after if one.run is None or covers(one.run, claim)]
    if covering:
        newest = covering[-1]
        if newest.outcome not in _FAULTS or _is_of_another(newest, covering, claim):
            return None
        return _FAULTS[newest.outcome], _command(newest)
    if others := [one for one in after if one.run is not None]:
        return "evidence_other", _command(others[-1])
    if runs := [one for one in before if not one.write]:
        return "evidence_stale", _command(runs[-1])
    return "evidence_none", ""


def _is_of_another(newest: Event, covering: Sequence[Event], claim: Claim) -> bool:
    """Is what went wrong not what the claim speaks of? It names others, or another runner's."""
    good = [one for one in covering if one.outcome not in _FAULTS]
    if claim.names or not good:
        return bool(good)
    runners = {one.run.runner for one in good if one.run is not None}
    if claim.scope != "some" or newest.run is None or not runners:
        return False
    return newest.run.runner not in runners


def _command(event: Event) -> str:
    return event.run.command if event.run is not None else event.title


def _says_which(events: Sequence[Event], answer: str) -> bool:
    """Does the answer itself tell which tests it ran?"""
    return any(_is_told(one.run, answer) for one in events if one.run is not None)


def _is_told(run: Run, text: str) -> bool:
    chosen = [_last(_plain(one)) for one in (*run.paths, *run.filters)]
    names = [one for last in chosen for one in (last, _stem(last))]
    return any(len(name) > 2 and name in text.casefold() for name in names)  # noqa: PLR2004


def covers(run: Run, claim: Claim) -> bool:
    """Did this run include what the claim speaks of?"""
    if run.is_whole:
        return True
    if claim.scope == "full":
        return _is_told(run, claim.sentence)
    chosen = [_plain(one) for one in (*run.paths, *run.filters)]
    if claim.names:
        return any(_meets(_plain(name), one) for name in claim.names for one in chosen)
    is_theirs = claim.scope == "some" or claim.is_counted
    return is_theirs or bool(run.paths and not run.filters)


def _plain(name: str) -> str:
    return re.sub(r"\.\w{1,4}(?=$|::)", "", name.strip("./\\'\"^$")).casefold()


def _meets(one: str, other: str) -> bool:
    """One names the other, or a part of it."""
    return bool(one and other) and (one in other or other in one or _last(one) == _last(other))


def _last(name: str) -> str:
    parts = [one for one in re.split(r"[/\\:.]+", name) if one not in ("test", "spec", "tests")]
    return parts[-1] if parts else name


def _stem(name: str) -> str:
    """`test_cart` is of the cart."""
    return re.sub(r"^tests?[_-]?|[_-]?(?:tests?|spec)$", "", name)


# ── what happened, in order ───────────────────────────────────────────────────────────────
def _events(ran: Sequence[Ran]) -> Iterator[Event]:
    ends = {_task(one): one for one in reversed(ran) if _tells_an_end(one)}
    for one in ran:
        if one.tool in WRITERS:
            yield from (Event(write=path) for path in _written(one))
        elif one.tool == "Bash":
            ended = one if one.exit_code is not None else ends.get(one.task_id or "-")
            if ended is not None:  # what runs in the background saw what was there when it began
                yield from _of_command(ended, str(one.arguments.get("command", "")))
        elif one.tool == "RunCode":
            if re.search(r"pytest|unittest|subprocess|npm|test|assert", str(one.arguments)):
                yield Event(title=one.tool, outcome=_by_code(one))
        elif one.tool != "TaskOutput":  # a further agent, or a tool that tests: nobody knows
            yield Event(title=_TITLES.get(one.tool, one.tool), outcome="green" if one.ok else "red")


def _task(one: Ran) -> str:
    return str(one.arguments.get("task_id") or one.arguments.get("bash_id") or "")


def _tells_an_end(one: Ran) -> bool:
    return one.tool == "TaskOutput" and one.exit_code is not None


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


def _of_command(one: Ran, command: str) -> Iterator[Event]:
    parts = taken_apart(command)
    if not parts and speaks_of_tests(command):
        yield Event(title=command[:200], outcome=_by_code(one))  # it cannot be read
    is_all = one.tool == "Bash" and len(one.text) < TEXT_CHARS and _prints_all(parts)
    for simple in parts:
        run = run_of(simple)
        if run is not None or may_be_run(simple, one.text):
            outcome = went(simple, one.exit_code, one.text, is_all=is_all)
            if outcome != "absent":
                count = counted(parts, simple, one.text, is_all=is_all)
                title = " ".join(simple.words)[:200]
                yield Event(run=run, title=title, outcome=outcome, count=count)
        elif one.ok:
            yield from (Event(write=path) for path in _writes(simple, one.text))


def _prints_all(parts: Sequence[Simple]) -> bool:
    """One run of tests, and nobody who shows only some lines of it."""
    runs = [one for one in parts if run_of(one) is not None or may_be_run(one, "")]
    cuts = any(one.words[0].rpartition("/")[2] in _CUTTERS for one in parts)
    return len(runs) == 1 and not cuts and not runs[0].targets


def _writes(simple: Simple, text: str) -> list[str]:
    """Code that a command changed, where that is plain to see."""
    words, program = simple.words, simple.words[0].rpartition("/")[2]
    files = [path for path in simple.targets if _CODE.search(path)]
    in_place = program in ("sed", "perl") and any(map(_IN_PLACE.match, words[1:]))
    if in_place or program == "tee":
        files += [word for word in words[1:] if _CODE.search(word) and not word.startswith("-")]
    if program == "git" and _GIT_WRITES.intersection(words[1:2]) and not _UNCHANGED.search(text):
        files += [" ".join(words[:2])] if _HARMLESS.isdisjoint(words) else []
    if program == "git" and words[1:2] == ("checkout",) and "--" in words:
        files += [word for word in words[words.index("--") :] if _CODE.search(word)]
    if program == "mv" and all(map(_CODE.search, words[-2:])):
        files.append(words[-1])
    if program == "patch" and _HARMLESS.isdisjoint(words):
        files.append("patch")
    return files
