"""From a tool to its definition."""

from typing import Any

from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.tooling.tool import Tool, description_file


def definition_of(tool: Tool[Any]) -> Definition:
    return Definition(
        name=tool.name,
        summary=tool.summary or first_sentence(tool.description),
        description=tool.description or tool.summary,
        input_schema=asked_of_models(tool),
        output_schema=tool.output_schema,
        permission=tool.permission,
        more_permissions=tuple(sorted(tool.more_permissions)),
        optional_permissions=tuple(sorted(tool.optional_permissions)),
        category=tool.category,
        quiet=tool.quiet,
        max_result_chars=tool.max_result_chars,
    )


def asked_of_models(tool: Tool[Any]) -> JsonSchema:
    """The schema as shown: one clear way to call, where the tool itself takes several."""
    if not tool.asked:
        return tool.input_schema
    return {**tool.input_schema, "required": list(tool.asked)}


def load_description(tool: type[Tool[Any]]) -> None:
    """Give a tool class the text of the .md or .txt beside it, if it brings none of its own."""
    if not tool.description and (file := description_file(tool)) is not None:
        tool.description = file.read_text(encoding="utf-8").strip()


def first_sentence(text: str) -> str:
    line = text.strip().partition("\n")[0]
    head, dot, _ = line.partition(". ")
    return head + dot.strip() if dot else line
