"""Tools from other packages, by entry point. Loaded only when asked for: a plugin is code."""

from collections.abc import Iterable
from typing import Any

from ankrcode.errors import UsageError

GROUP = "ankrcode.tools"


def plugin_names() -> list[str]:
    """What is installed, without loading any of it."""
    return sorted(point.name for point in _points())


def load_plugins(names: Iterable[str]) -> list[Any]:
    """The tools of the named plugins: each gives a tool, a tool class, or a list of them."""
    wanted = list(names)
    if not wanted:
        return []
    points = {point.name: point for point in _points()}
    tools: list[Any] = []
    for name in wanted:
        if name not in points:
            raise UsageError.of("plugin_unknown", name=name, names=", ".join(points) or "none")
        tools.extend(_loaded(points[name]))
    return tools


def _loaded(point: Any) -> list[Any]:
    try:
        given = point.load()
    except (Exception, SystemExit) as problem:
        raise UsageError.of("plugin_broken", name=point.name, why=repr(problem)) from problem
    return list(given) if isinstance(given, list | tuple) else [given]


def _points() -> Any:
    from importlib.metadata import entry_points  # slow: only who uses plugins pays for it

    return entry_points(group=GROUP)
