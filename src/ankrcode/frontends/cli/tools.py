"""List the tools, show one, print their schemas for a model."""

import argparse
import os

import msgspec

from ankrcode import dialects, tools
from ankrcode.errors import UsageError
from ankrcode.protocol.definition import Definition
from ankrcode.tooling.describe import filled
from ankrcode.tooling.vendors import FORMS, vendor_forms
from ankrcode.workspace.roots import find_cwd, find_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="one line for each tool")
    listing.add_argument("--category", help="only the tools of this category")
    listing.add_argument("--json", action="store_true", help="as JSON")
    show = actions.add_parser("show", help="all about one tool")
    show.add_argument("name", metavar="NAME")
    schema = actions.add_parser("schema", help="the definitions as a model gets them")
    schema.add_argument("names", nargs="*", metavar="NAME", help="only these tools")
    schema.add_argument("--format", default="anthropic", choices=FORMS, help="whose form")
    for action in (listing, show, schema):
        action.add_argument(
            "--dialect", default=dialects.DEFAULT, metavar="NAME", help="names and shapes"
        )


def run(options: argparse.Namespace) -> int:
    dialect = dialects.load(options.dialect)
    shown = [dialect.outward(one) for one in tools.definitions().values()]
    known = {one.name: one for one in shown if one is not None}
    match options.action:
        case "list":
            _print_list(list(known.values()), options)
        case "show":
            _print_one(_named(known, options.name), _variables(options))
        case _:
            _print_schema(known, options)
    return 0


def _named(known: dict[str, Definition], name: str) -> Definition:
    if name not in known:
        from ankrcode.tooling.registry import unknown_tool

        raise UsageError(str(unknown_tool(name, list(known))))
    return known[name]


def _variables(options: argparse.Namespace) -> dict[str, str]:
    root = find_root(options.cwd, os.environ)
    here = str(root if options.cwd else find_cwd(root))
    return {"workspace": str(root), "directory": here, "cwd": here}


def _print_list(known: list[Definition], options: argparse.Namespace) -> None:
    wanted = [one for one in known if options.category in (None, one.category)]
    if options.category and not wanted:
        names = ", ".join(sorted({one.category for one in known}))
        raise UsageError.of("unknown_category", name=options.category, names=names)
    if options.json:
        facts = ("name", "summary", "category", "permission")
        print(_json([{fact: getattr(one, fact) for fact in facts} for one in wanted]))
        return
    width = max((len(one.name) for one in wanted), default=0)
    for one in wanted:
        print(f"{one.name:<{width}}  {one.permission:<8}  {one.summary}")


def _print_one(tool: Definition, variables: dict[str, str]) -> None:
    print(f"{tool.name} – {tool.summary}")
    print(f"category {tool.category}, permission {tool.permission}\n")
    print(filled(tool.description, variables))
    print("\nParameters:")
    required = tool.input_schema.get("required", [])
    for name, schema in tool.input_schema.get("properties", {}).items():
        need = "required" if name in required else f"default {_json(schema.get('default'))}"
        print(f"  {name} ({_kind(schema)}, {need}): {schema.get('description', '')}")


def _kind(schema: dict[str, object]) -> str:
    options = schema.get("enum")
    return " | ".join(map(str, options)) if isinstance(options, list) else str(schema.get("type"))


def _print_schema(known: dict[str, Definition], options: argparse.Namespace) -> None:
    wanted = [_named(known, name) for name in options.names] or list(known.values())
    forms = vendor_forms(wanted, options.format, _variables(options))
    print(msgspec.json.format(msgspec.json.encode(forms), indent=2).decode())


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
