"""Taking changes back, and making them again: planned first, shown, then done – or refused.

A path is restored only if it is as the call left it. Where the person (or another call) has
changed it since, that is a conflict: their work is never overwritten unasked, and even then kept.
"""

import os

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.words import say
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.entries import Change, Entry, Listed, Undone
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.manifest import SKIPPED
from ankrcode.workspace.journal.restoring import Restoring
from ankrcode.workspace.journal.states import Capture, State, folder_names, in_order, named, real
from ankrcode.workspace.journal.way import Way


class Conflict(Struct, frozen=True, kw_only=True):
    path: str
    why: str
    is_hard: bool = False  # no force helps: by force, the rest is restored without it


class Plan(Struct, frozen=True, kw_only=True):
    """What would be done. `steps`: from what is there now to what was there then."""

    ids: tuple[str, ...]
    steps: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]
    redone: bool = False
    folders: frozenset[str] = frozenset()  # that somebody removed, and that are needed again


# ── choosing ──────────────────────────────────────────────────────────────────────────────────
def chosen(
    listed: list[Listed],
    *,
    redone: bool = False,
    which: str = "",
    turn: str = "",
    agent: str = "",
    session: str = "",
    to: str = "",
) -> list[Entry]:
    """The entries meant, oldest first: one (the newest by default), a turn's, an agent's, …"""
    able = [one.entry for one in listed if one.is_undone == redone and one.entry.changes]
    able = [one for one in able if not session or one.session_id == session]
    if to:
        everything = [one.entry for one in listed]
        place = everything.index(the_one(everything, to))
        newer = {one.id for one in everything[place + 1 :]}
        return [one for one in able if one.id in newer]
    if which:
        return [the_one(able, which)]
    if turn or agent:
        return [one for one in able if turn in ("", one.turn_id) and agent in ("", one.agent_id)]
    if redone:  # what was taken back at once comes again at once
        last = max((one.undone for one in listed if one.entry in able), default=0)
        return [one.entry for one in listed if one.undone == last and one.entry in able]
    return able[-1:]


def the_one(entries: list[Entry], which: str) -> Entry:
    fitting = [one for one in entries if which in (one.id, one.call_id)]
    fitting = fitting or [one for one in entries if one.id.startswith(which)]
    if len(fitting) != 1:
        key = "undo_ambiguous" if fitting else "undo_unknown"
        raise ToolError.of(key, id=which).coded(ErrorCode.INVALID_INPUT)
    return fitting[0]


# ── planning ──────────────────────────────────────────────────────────────────────────────────
def planned(journal: Journal, entries: list[Entry], *, redone: bool = False) -> Plan:
    """From the entries (oldest first) to the steps that take them back, or make them again."""
    ids = tuple(entry.id for entry in entries)
    conflicts: dict[str, Conflict] = {}
    wanted = _wanted(entries, conflicts, redone=redone)
    is_resumed = journal.was_undoing(ids, redone=redone)
    with Way() as way:
        steps = _steps(journal, wanted, conflicts, way, is_resumed=is_resumed)
        _mind_strangers(steps, conflicts, way)
        folders = _mind_missing(steps, conflicts, way)
    found, ordered = tuple(conflicts.values()), tuple(steps.values())
    return Plan(ids=ids, steps=ordered, conflicts=found, redone=redone, folders=folders)


def _steps(
    journal: Journal,
    wanted: dict[str, Change],
    conflicts: dict[str, Conflict],
    way: Way,
    *,
    is_resumed: bool,
) -> dict[str, Change]:
    """From what is there now, outermost first."""
    capture = Capture(journal.blobs, journal.caps)
    steps: dict[str, Change] = {}
    for path, step in sorted(wanted.items(), key=lambda one: in_order(real(one[0]))):
        now = _now(capture, path, way)
        if now == step.after:
            conflicts.pop(path, None)
            continue
        if not _is_kept(step.after, journal.blobs):
            conflicts[path] = _conflict(path, "undo_conflict.not_kept", is_hard=True)
        elif now != step.before and not (is_resumed and _is_between(now, step)):
            conflicts.setdefault(path, _conflict(path, "undo_conflict.changed"))
        steps[path] = Change(path=path, before=now, after=step.after)
    return steps


def _wanted(
    entries: list[Entry], conflicts: dict[str, Conflict], *, redone: bool
) -> dict[str, Change]:
    """By path: from what should be there now to what it becomes."""
    wanted: dict[str, Change] = {}
    for entry in entries if redone else reversed(entries):
        for change in entry.changes:
            step = change if redone else change.reversed()
            earlier = wanted.get(step.path)
            if earlier is not None and earlier.after != step.before:
                conflicts[step.path] = _conflict(step.path, "undo_conflict.between")
            first = earlier.before if earlier else step.before
            wanted[step.path] = Change(path=step.path, before=first, after=step.after)
    return wanted


def _now(capture: Capture, path: str, way: Way) -> State:
    try:
        return capture.at(real(path), way)
    except OSError as problem:
        raise _unrecorded(problem) from None


def _is_kept(state: State, blobs: Blobs) -> bool:
    return state.can_be_restored and (not state.digest or blobs.has(state.digest))


def _is_between(now: State, step: Change) -> bool:
    """An undo that was cut short may have removed it, or made or opened the folder only."""
    is_folder = now.kind == "folder" and "folder" in (step.before.kind, step.after.kind)
    return now.kind == "missing" or is_folder


def _mind_strangers(steps: dict[str, Change], conflicts: dict[str, Conflict], way: Way) -> None:
    """A folder that is to go may hold what is not ours: then it stays, and that is told.

    Folders that commands make again (caches) are nobody's work: for them it stays quietly.
    """
    for path, step in reversed(list(steps.items())):  # innermost first
        if step.before.kind != "folder" or step.after.kind == "folder":
            continue
        names = folder_names(real(path), way)
        strangers = [name for name in names or () if _stays(path, name, steps)]
        is_closed = names is None
        if not strangers and not is_closed:
            continue
        if step.after.kind != "missing":
            conflicts[path] = _conflict(path, "undo_conflict.in_the_way", is_hard=True)
            continue
        del steps[path]
        if is_closed or not SKIPPED.issuperset(strangers):
            conflicts.setdefault(path, _conflict(path, "undo_conflict.holds"))


def _mind_missing(
    steps: dict[str, Change], conflicts: dict[str, Conflict], way: Way
) -> frozenset[str]:
    """The folders that somebody removed since, and without which nothing can be put back."""
    found: set[str] = set()
    for path, step in steps.items():
        folder = os.path.dirname(real(path))
        is_made = named(folder) in steps and steps[named(folder)].after.kind == "folder"
        if step.after.kind != "missing" and not is_made and not _is_there(folder, way):
            conflicts.setdefault(path, _conflict(path, "undo_conflict.changed"))
            found.add(folder)
    return frozenset(found)


def _is_there(path: str, way: Way) -> bool:
    try:
        way.place(path).status()
    except (OSError, ToolError):  # or a link on the way
        return False
    return True


def _stays(path: str, name: str, steps: dict[str, Change]) -> bool:
    inner = steps.get(named(f"{real(path)}/{name}"))
    return inner is None or inner.after.kind != "missing"


def _conflict(path: str, key: str, *, is_hard: bool = False) -> Conflict:
    return Conflict(path=path, why=say(key, path=shown_path(path)), is_hard=is_hard)


# ── doing ─────────────────────────────────────────────────────────────────────────────────────
def carry_out(journal: Journal, plan: Plan, now: float, *, force: bool = False) -> list[str]:
    """Do it; the paths that were restored. Without `force` a conflict stops all of it.

    What is about to be done is noted first: if the process dies on the way, undoing the same
    once more completes it.
    """
    hopeless = {one.path for one in plan.conflicts if one.is_hard}
    steps = tuple(step for step in plan.steps if step.path not in hopeless)
    if plan.conflicts and not (force and steps):
        why, paths = plan.conflicts[0].why, [one.path for one in plan.conflicts]
        error = ToolError.of("undo_refused", why=why, count=len(paths))
        raise error.coded(ErrorCode.CHANGED_SINCE_READ, paths=paths)
    try:
        if plan.conflicts:
            _remember_overwritten(journal, plan, steps, now)
        journal.append(Undone(ids=plan.ids, at=now, redone=plan.redone, is_begun=True))
        done = Restoring(journal, plan.folders if force else frozenset()).restored(steps)
        journal.append(Undone(ids=plan.ids, at=now, redone=plan.redone))
    except OSError as problem:
        raise _unrecorded(problem) from None
    return done


def _unrecorded(problem: OSError) -> ToolError:
    why = problem.strerror or str(problem)
    return ToolError.of("undo_unrecorded", why=why).coded(ErrorCode.IO_ERROR)


def _remember_overwritten(
    journal: Journal, plan: Plan, steps: tuple[Change, ...], now: float
) -> None:
    """What the person had there can itself be brought back."""
    paths = {one.path for one in plan.conflicts}
    changes = tuple(step for step in steps if step.path in paths)
    if changes:
        entry_id = journal.new_id("change")
        journal.append(Entry(id=entry_id, tool="undo", changes=changes, at=now, title="forced"))


def shown_path(path: str) -> str:
    """For people: a name that is no text stays recognisable."""
    return os.fsencode(real(path)).decode(errors="backslashreplace")
