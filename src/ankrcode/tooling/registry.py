"""The tools at hand, by name: given as objects, as prebuilt data, or made when first needed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakSet

from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ToolError, UsageError
from ankrcode.protocol.definition import Definition
from ankrcode.protocol.permission import Permission
from ankrcode.tooling.definition import definition_of, load_description
from ankrcode.tooling.describe import filled
from ankrcode.tooling.tool import Tool

Loader = Callable[[], Tool[Any]]
Initialiser = Callable[[str], Awaitable[Tool[Any]]]


class Entry:
    """One tool: its definition now, the tool itself when a call needs it."""

    __slots__ = ("_load", "definition", "tool")

    def __init__(self, definition: Definition, tool: Tool[Any] | None, load: Loader | None) -> None:
        self.definition = definition
        self.tool = tool
        self._load = load

    def loaded(self) -> Tool[Any]:
        if self.tool is None:
            assert self._load is not None
            self.tool = self._load()
        return self.tool

    def described(self, variables: Mapping[str, str]) -> Definition:
        """A tool that is loaded may say something else today than yesterday."""
        if self.tool is not None:
            text = self.tool.describe(variables)
        else:
            text = filled(self.definition.description, variables)
        return replace(self.definition, description=text)


class Registry:
    """Register, look up, list, filter. Names are unique; the order of registration is kept."""

    def __init__(self, tools: Iterable[Tool[Any] | type[Tool[Any]]] = ()) -> None:
        self._entries: dict[str, Entry] = {}
        self._uninitialised: dict[str, Initialiser] = {}
        self._faults: dict[str, UsageError] = {}
        self._below: WeakSet[Registry] = WeakSet()
        self._initialising = asyncio.Lock()
        for tool in tools:
            self.register(tool)

    # ── in and out ────────────────────────────────────────────────────────────────────────
    def register(
        self,
        tool: Tool[Any] | type[Tool[Any]],
        *,
        description: str | None = None,
        replace_existing: bool = False,
    ) -> Tool[Any]:
        """Add a tool; its description is its own, the one given, or the .md file beside it."""
        instance = tool() if isinstance(tool, type) else tool
        _check_is_tool(instance)
        load_description(type(instance))
        if description is not None:
            instance.description = description  # type: ignore[misc]  # this instance's own
        entry = Entry(_defined(instance), instance, None)
        if replace_existing:
            self._uninitialised.pop(instance.name, None)
            self._entries.pop(instance.name, None)
        self._add(entry)
        return instance

    def register_prebuilt(self, definition: Definition, load: Loader) -> None:
        """Add a tool known by its definition; `load` is called when it is first used."""
        self._add(Entry(definition, None, load))

    def register_async(self, name: str, initialise: Initialiser) -> None:
        """Add a tool that needs to look around first; `initialise(cwd)` makes it, once."""
        self._check_is_free(name)
        self._uninitialised[name] = initialise

    @property
    def is_uninitialised(self) -> bool:
        return bool(self._uninitialised)

    async def initialise(self, cwd: str) -> None:
        """Make every tool that was registered with an initialiser. Made once, then kept.

        One that cannot be made is named at the end, and tried again the next time.
        """
        async with self._initialising:  # who comes meanwhile waits for the same tools
            self._faults.clear()
            for name, make in list(self._uninitialised.items()):
                try:
                    made = await _made(name, make, cwd)
                except UsageError as problem:
                    self._faults[name] = problem
                    continue
                if self._uninitialised.pop(name, None):  # not unregistered meanwhile
                    self.register(made)
        for fault in self._faults.values():
            raise fault

    def unregister(self, name: str) -> bool:
        """Remove a tool, for further agents as well; False if it was not there."""
        for registry in self._below:
            registry.unregister(name)
        return bool(self._uninitialised.pop(name, None) or self._entries.pop(name, None))

    def _add(self, entry: Entry) -> None:
        self._check_is_free(entry.definition.name)
        self._entries[entry.definition.name] = entry

    def _check_is_free(self, name: str) -> None:
        if name in self._entries or name in self._uninitialised:
            raise UsageError.of("tool_twice", name=name)

    # ── looking up ────────────────────────────────────────────────────────────────────────
    def get(self, name: str) -> Tool[Any] | None:
        """The tool itself, loaded; None where there is none."""
        entry = self._entries.get(name)
        return entry.loaded() if entry else None

    def find(self, name: str) -> Tool[Any]:
        """The tool of this name; an unknown one is answered with the nearest that exists."""
        entry = self._entries.get(name)
        if entry is not None:
            return entry.tool or entry.loaded()
        if name in self._faults:
            raise ToolError(self._faults[name].message, suggestion=self._faults[name].suggestion)
        raise unknown_tool(name, list(self._entries))

    def definition(self, name: str) -> Definition:
        """What is told of one, without loading it."""
        if name not in self._entries:
            raise unknown_tool(name, list(self._entries))
        return self._entries[name].definition

    def definitions(self) -> list[Definition]:
        """All of them, without loading a single tool."""
        return [entry.definition for entry in self._entries.values()]

    def described(self, variables: Mapping[str, str]) -> list[Definition]:
        """As `definitions`, with what each tool says about itself in these surroundings."""
        return [entry.described(variables) for entry in self._entries.values()]

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def __iter__(self) -> Iterator[Tool[Any]]:
        return (entry.loaded() for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    # ── filtering: each gives a registry of its own over the same tools ───────────────────
    def subset(self, names: Iterable[str]) -> "Registry":
        """These alone, in a registry of their own."""
        wanted = set(names)
        for name in wanted - set(self._uninitialised):
            self.definition(name)  # an unknown name is an error, not a silent gap
        chosen = self._filtered(lambda entry: entry.definition.name in wanted)
        chosen._uninitialised = {n: m for n, m in self._uninitialised.items() if n in wanted}
        return chosen

    def lent(self, names: Iterable[str]) -> "Registry":
        """A subset for a further agent: what is removed here is not left there."""
        chosen = self.subset(names)
        self._below.add(chosen)
        return chosen

    def enabled(self, permissions: Iterable[Permission]) -> "Registry":
        """The tools whose required permissions are all held; optional ones do not matter here."""
        held = frozenset(Permission(permission) for permission in permissions)
        return self._filtered(lambda entry: entry.definition.permissions <= held)

    def by_category(self) -> dict[str, list[str]]:
        """The names under each category."""
        groups: dict[str, list[str]] = {}
        for definition in self.definitions():
            groups.setdefault(definition.category, []).append(definition.name)
        return groups

    def _filtered(self, keep: Callable[[Entry], bool]) -> "Registry":
        registry = Registry()
        registry._entries = {name: e for name, e in self._entries.items() if keep(e)}
        return registry


def unknown_tool(name: str, names: list[str]) -> ToolError:
    from difflib import get_close_matches  # only a failure pays for it

    shown = name[:100]
    by_fold = {known.casefold(): known for known in names}
    wanted = shown.casefold()
    near = get_close_matches(wanted, by_fold, n=5, cutoff=0.6)
    near.sort(key=lambda one: sorted(one) != sorted(wanted))  # `Raed`: letters in another order
    if near:
        error = ToolError.of("unknown_tool.near", name=shown, near=by_fold[near[0]])
    else:
        error = ToolError.of("unknown_tool", name=shown, names=", ".join(names) or "none")
    return error.coded(ErrorCode.UNKNOWN_TOOL, name=shown)


async def _made(name: str, make: Initialiser, cwd: str) -> Tool[Any]:
    try:
        made = await make(cwd)
    except Exception as problem:
        raise UsageError.of("tool_not_made", name=name, why=repr(problem)[:200]) from problem
    if getattr(made, "name", None) != name:
        raise UsageError.of("tool_misnamed", name=name)
    return made


def _defined(tool: Tool[Any]) -> Definition:
    try:
        return definition_of(tool)
    except (TypeError, ValueError) as problem:  # a broken schema, or a type that none can say
        why = getattr(problem, "message", str(problem))[:500]
        raise UsageError.of("tool_schema", name=tool.name, why=why) from problem


def _check_is_tool(tool: object) -> None:
    if not isinstance(tool, Tool) or not getattr(tool, "name", ""):
        raise UsageError.of("not_a_tool", got=repr(tool)[:100])
