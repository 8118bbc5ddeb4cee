"""The ways in which models write a call as text, and what each of them says.

Our own is the fence ```tool; the others are what models were trained on: Hermes and Qwen, Llama,
Mistral, functionary, DeepSeek, Kimi, Phi, GLM, Command, gpt-oss, ReAct. A form says where a call
begins and ends.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.providers.text.loose_json import read_json
from ankrcode.providers.wire import ToolSpec

FENCE = "```tool"


class Form(Struct, frozen=True):
    """What stands before calls and what ends them."""

    opening: str
    closing: tuple[str, ...] = ()
    names_first: bool = False  # the opening goes on with the name, and that may be all


FORMS = {
    form.opening: form
    for form in (
        Form("<tool_call>", ("</tool_call>",)),
        Form("<|tool_call|>", ("<|/tool_call|>", "</tool_call>")),
        Form("<function_call>", ("</function_call>",)),
        Form("<TOOLCALL>", ("</TOOLCALL>",)),
        Form("<function=", ("</function>",), names_first=True),
        Form('<invoke name="', ("</invoke>",), names_first=True),
        Form("<|python_tag|>", ("<|eom_id|>", "<|eot_id|>")),
        Form("[TOOL_CALLS]"),
        Form("<|tool_call_begin|>", ("<|tool_call_end|>",)),
        Form("<|START_ACTION|>", ("<|END_ACTION|>",)),
        Form("<|channel|>commentary to=", ("<|call|>", "<|end|>")),
        Form("<｜tool▁call▁begin｜>", ("```<｜tool▁call▁end｜>", "<｜tool▁call▁end｜>")),
    )
}
FENCED = Form(FENCE, ("```",))
BARE = Form("{")
PROMPTED = Form(">>>")  # functionary: >>>Read and its arguments on the next line
ACTION = Form("Action:")  # ReAct: Action: Read, and on the next line Action Input: {…}

# Around calls of a form, and without a meaning of their own.
NOISE = (
    *("<tool_calls>", "</tool_calls>", "<function_calls>", "</function_calls>"),
    *("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    *("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
)
# A result that nobody gave: the model plays on alone.
INVENTED = ("```result", "```tool_result", "<tool_response>", "<|tool_response|>")

_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input", "tool_input")
_OTHER_KEYS = {"id", "type", "call_id", "tool_call_id"}
_TOKENS = re.compile(
    r"Action Input:|<\|constrain\|>\s*json|<\|message\|>|\[ARGS\]|\[CALL_ID\]\w*"
    r"|<｜tool▁sep｜>|<\|tool_call_argument_begin\|>|```json|^function(?=<｜)"
)
_HEADER = re.compile(r"(?:functions\.)?([\w.-]{1,64}?)(?::\d+)?\"?>?")
_OPENED = re.compile(
    rf"\s*\{{\s*[\"'](?:{'|'.join(_NAME_KEYS)})[\"']\s*:\s*[\"']([\w.-]{{1,64}})[\"']\s*[,}}]"
)
_PARAMETER = re.compile(
    r"\s*<parameter(?:=|\s+name=\")([\w.-]+)\"?>(.*?)</parameter>"
    r"|\s*<arg_key>\s*([\w.-]+)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>",
    re.DOTALL,
)


class Written(Struct, frozen=True):
    """A call as it was read from text."""

    name: str
    arguments: dict[str, Any]


def named_early(text: str) -> str:
    """The name, where it is the first thing that an unfinished object says."""
    found = _OPENED.match(text)
    return found[1] if found else ""


def name_in_header(text: str) -> str | None:
    """Some forms say the name before the arguments; empty: no header; None: not a header."""
    rest = _TOKENS.sub("", text.strip()).strip().strip("[,;").strip()
    if not rest:
        return ""
    found = _HEADER.fullmatch(rest)
    return found[1] if found else None


def read_call(text: str, header: str) -> list[Written]:
    """The calls that one whole object says; raises ValueError where it says none."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise ValueError("a call is one JSON object")
    if header:
        return [Written(header, value)]
    if isinstance(several := value.get("tool_calls"), list):
        return [_written(one) for one in several]
    return [_written(value)]


def _written(value: Any) -> Written:
    if not isinstance(value, dict):
        raise ValueError("a call is one JSON object")
    if isinstance(inner := value.get("function"), dict):
        return _written(inner)
    names = [value[key] for key in _NAME_KEYS if key in value]
    if len(names) != 1 or not isinstance(names[0], str) or not names[0]:
        raise ValueError("a call names one tool")
    given = [key for key in _ARGUMENT_KEYS if key in value]
    unknown = set(value) - {*_NAME_KEYS, *_OTHER_KEYS, *given}
    if len(given) > 1 or unknown:
        raise ValueError('a call has a "name" and "arguments", nothing else')
    return Written(names[0], _arguments(value[given[0]] if given else {}))


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, str):  # JSON within JSON, as some wires have it
        value = read_json(value or "{}")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("arguments are one JSON object")
    return value


def read_tags(text: str, spec: ToolSpec | None) -> dict[str, Any]:
    """Arguments written as tags, one for each; all of the text must be such tags."""
    found, at = {}, 0
    while match := _PARAMETER.match(text, at):
        name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
        found[name] = _typed(_unpadded(value), name, spec)
        at = match.end()
    if text[at:].strip():
        raise ValueError("text between the parameters")
    return found


def _unpadded(value: str) -> str:
    """Without the one line break on either side that sets long values off."""
    return value.removeprefix("\n").removesuffix("\n")


def _typed(value: str, name: str, spec: ToolSpec | None) -> Any:
    """Tags say no type, so the tool's schema does."""
    properties: Mapping[str, Any] = spec.input_schema.get("properties", {}) if spec else {}
    schema = properties.get(name, {})
    kinds = schema.get("type", "string") if isinstance(schema, dict) else "string"
    if kinds == "string" or "string" in kinds:
        return value
    try:
        return read_json(value)
    except ValueError:
        return value


def as_text(name: str, arguments: dict[str, Any]) -> str:
    """A call in our own form, in a fence that nothing within can end."""
    body = msgspec.json.encode({"name": name, "arguments": arguments}).decode()
    return f"{FENCE}\n{body}\n```"
