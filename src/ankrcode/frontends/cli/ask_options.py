"""What `ankrcode -p` takes; names that people know from other agents are understood too."""

import argparse
from contextlib import suppress

from ankrcode.frontends.cli.which_session import add_session_options
from ankrcode.protocol.permission import Mode

ABOUT = (
    "Give an agent a task and print what comes of it; what is piped in goes with it."
    " Nothing ever asks: what would need a question is refused, unless the mode or a rule allows"
    " it."
)
FORMATS = ("text", "json", "stream-json")
ALIASES = {"bypassPermissions": Mode.BYPASS}
_MODES = [*(str(mode) for mode in Mode), *ALIASES]
_RULE_OPTIONS = ("--allowed-tools", "--allowedTools", "--disallowed-tools", "--disallowedTools")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", nargs="*", metavar="TASK", help="what to do; else read from stdin")
    parser.add_argument("-p", "--print", action="store_true", help=argparse.SUPPRESS)
    _add_forms(parser)
    _add_rights(parser)
    _add_limits(parser)
    add_session_options(parser, is_brief=True)
    parser.add_argument("--no-session", action="store_true", help="record nothing")


def _add_forms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output-format", choices=FORMATS, default="text", metavar="FORM", help=" | ".join(FORMATS)
    )
    parser.add_argument(
        "--input-format",
        choices=("text", "stream-json"),
        default="text",
        metavar="FORM",
        help="text | stream-json: each line of stdin is a task",
    )
    parser.add_argument(
        "--include-partial-messages",
        dest="partial",
        action="store_true",
        help="stream-json also has each piece of text as it comes",
    )
    parser.add_argument("--verbose", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--json-schema", metavar="SCHEMA", help="the answer is JSON that fits this schema or file"
    )
    parser.add_argument(
        "--image", action="append", default=[], metavar="FILE", help="a picture; may be repeated"
    )
    parser.add_argument(
        "--answers",
        metavar="FILE",
        help="answers to questions, as JSON: header or question → answer",
    )
    parser.add_argument("--system-prompt", metavar="TEXT", help="instead of our own")
    parser.add_argument("--append-system-prompt", default="", metavar="TEXT", help="after our own")


def _add_rights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--permission-mode", metavar="MODE", choices=_MODES, help=" | ".join(Mode))
    parser.add_argument(
        "--allowed-tools",
        "--allowedTools",
        action="append",
        default=[],
        metavar="RULES",
        help='what runs unasked, such as "Edit,Bash(make:*)"',
    )
    parser.add_argument(
        "--disallowed-tools",
        "--disallowedTools",
        action="append",
        default=[],
        metavar="RULES",
        help="what never runs",
    )
    parser.add_argument(
        "--add-dir", action="append", default=[], metavar="DIR", help="a further folder to work in"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help="provider/name, or a tier such as small")
    parser.add_argument(
        "--base-url", type=_address, metavar="URL", help="where the model is served"
    )
    parser.add_argument("--offline", action="store_true", help="only models on this machine")
    parser.add_argument("--max-turns", type=_count, metavar="N", help="at most so many requests")
    parser.add_argument("--max-cost", type=_money, metavar="USD", help="at most so much money")


def _address(text: str) -> str:
    """An empty one is a variable that was not set: the vendor is not who was meant."""
    if not text.strip():
        raise argparse.ArgumentTypeError("needs the address of a server")
    return text


def _count(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) > 0:
            return number
    raise argparse.ArgumentTypeError(f"must be 1 or more, not {text!r}")


def _money(text: str) -> float:
    with suppress(ValueError):
        if 0 < (number := float(text)) < float("inf"):
            return number
    raise argparse.ArgumentTypeError(f"must be more than 0, not {text!r}")


def rules_joined(arguments: list[str]) -> list[str]:
    """`--allowed-tools Edit "Bash(make:*)"`: further rules may follow as words of their own."""
    joined: list[str] = []
    since = 0  # words since such an option; 0 where none is near
    for one in arguments:
        if since > 1 and _is_rule(one):
            joined[-1] += f",{one}"
            continue
        joined.append(one)
        is_option = one.startswith("-")
        since = 1 if one in _RULE_OPTIONS else 2 if since == 1 and not is_option else 0
    return joined


def _is_rule(word: str) -> bool:
    """A task of one word may look like a tool's name only if it is one."""
    if not word[:1].isupper() and not word.startswith("mcp__"):
        return False
    if word.endswith(")") and word.partition("(")[0].isidentifier():
        return True
    from ankrcode.tools import definitions  # only who writes rules this way pays for it

    return word.startswith("mcp__") or any(one.name == word for one in definitions().values())
