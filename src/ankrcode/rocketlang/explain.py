"""Back-translation: what would be done, in the words of whoever asked."""

from collections.abc import Sequence

from ankrcode.rocketlang.faults import Voice
from ankrcode.rocketlang.lexicon import words_of
from ankrcode.rocketlang.reading import Planned

_LONGEST = 80


def back_translation(calls: Sequence[Planned], voice: Voice) -> str:
    sentences = words_of(voice.lang).tell.get(voice.script) or words_of("en").tell["roman"]
    joiner = sentences["then"]
    return joiner.join(_told(call, sentences) for call in calls)


def _told(call: Planned, sentences: dict[str, str]) -> str:
    values = {name: _short(value) for name, value in call.args.items()}
    said = sentences.get(_variant(call)) or sentences.get(call.tool) or sentences["other"]
    return said.format_map(_Values(values, tool=call.tool))


class _Values(dict[str, str]):
    def __init__(self, values: dict[str, str], tool: str) -> None:
        super().__init__(values, tool=tool)

    def __missing__(self, key: str) -> str:
        return "…"


def _variant(call: Planned) -> str:
    """Some calls are told differently by what they carry."""
    args = call.args
    if call.tool == "Read" and "limit" in args and "offset" in args:
        return "Read.lines"
    if call.tool == "Grep":
        return "Grep.count" if "output_mode" in args else "Grep.in" if "path" in args else "Grep"
    if call.tool == "Glob" and "path" in args:
        return "Glob.in"
    if call.tool == "Edit":
        return (
            "Edit.cut"
            if not args["new_string"]
            else "Edit.all"
            if "replace_all" in args
            else "Edit"
        )
    if call.tool == "Write" and not args["content"]:
        return "Write.empty"
    return call.tool


def _short(value: object) -> str:
    if isinstance(value, list):
        value = ", ".join(str(one.get("content", "")) for one in value if isinstance(one, dict))
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
