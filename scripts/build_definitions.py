"""Prebuild src/ankrcode/tools/definitions.json from the tools themselves."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from ankrcode import tools
from ankrcode.protocol.definition import Definition
from ankrcode.tooling.definition import definition_of, load_description
from ankrcode.tooling.tool import Tool


def build() -> bytes:
    """One definition per module of the package, by the module's name."""
    folder = Path(tools.__file__).parent
    found: dict[str, Definition] = {}
    for file in sorted(folder.glob("[!_]*.py")):
        module = import_module(f"ankrcode.tools.{file.stem}")
        for kind in vars(module).values():
            if is_tool(kind) and kind.__module__ == module.__name__:
                load_description(kind)
                found[file.stem] = definition_of(kind())
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def is_tool(kind: object) -> TypeGuard[type[Tool[Any]]]:
    return isinstance(kind, type) and issubclass(kind, Tool)


def main() -> int:
    fresh = build()
    if "--check" in sys.argv:
        return 0 if tools.PREBUILT.read_bytes() == fresh else 1
    tools.PREBUILT.write_bytes(fresh)
    print(f"{tools.PREBUILT.name}: {len(fresh)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
