"""Rules with examples of what they should come to: tests for a policy, as `permissions test` runs.

    {"rules": {"allow": ["Bash(npm run test:*)"], "deny": ["Read(.env)"]},
     "examples": [{"call": "Bash(npm run test --watch)", "want": "allow"},
                  {"tool": "Read", "args": {"file_path": ".env"}, "want": "deny"}]}

Without "rules", the rules of the settings are tried.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ankrcode.errors import UsageError
from ankrcode.permissions.checks import Foresight, foreseen
from ankrcode.permissions.decide import Decision, Verdict
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Ruleset, parse_rules
from ankrcode.protocol.permission import Mode
from ankrcode.workspace.roots import Workspace

_KINDS: tuple[Kind, ...] = ("deny", "ask", "allow")
# What stands between the brackets of a short call, by tool.
_MEANT = {"Bash": "command", "WebFetch": "url", "Task": "subagent_type", "Agent": "subagent_type"}


class Tried(Struct, frozen=True, kw_only=True):
    """One example, and what it came to."""

    call: str
    want: str
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        return self.verdict.decision == self.want


def try_examples(
    document: Any,
    workspace: Workspace,
    settings_rules: Ruleset,
    foresee: Foresight | None = None,
) -> list[Tried]:
    """Raises `UsageError` where the document is not what it should be."""
    if not isinstance(document, dict) or not isinstance(document.get("examples"), list):
        raise _wrong('it must be {"rules": {…}, "examples": […]}')
    rules = rules_in(document["rules"], workspace) if "rules" in document else settings_rules
    return [
        _tried(example, rules, document, workspace, foresee) for example in document["examples"]
    ]


def rules_in(given: Any, workspace: Workspace) -> Ruleset:
    """The lists of a document as rules."""
    if not isinstance(given, dict) or not set(given) <= set(_KINDS):
        raise _wrong('"rules" must hold lists named allow, ask and deny')
    anchors = Anchors(workspace.root, workspace.cwd, workspace.home)
    rules, faults = parse_rules(list(_lists(given)), anchors)
    if faults:
        raise _wrong(str(faults[0]))
    return rules


def _lists(given: dict[str, Any]) -> Iterator[tuple[Kind, list[object]]]:
    for kind in _KINDS:
        texts = given.get(kind, [])
        if not isinstance(texts, list):
            raise _wrong(f'"{kind}" must be a list')
        yield kind, texts


def _tried(
    example: Any,
    rules: Ruleset,
    document: dict[str, Any],
    workspace: Workspace,
    foresee: Foresight | None,
) -> Tried:
    if not isinstance(example, dict) or example.get("want") not in set(Decision):
        raise _wrong(f'{str(example)[:100]}: an example needs "want": allow, ask or deny')
    tool, arguments = _call(example)
    mode = example.get("mode", document.get("mode", Mode.DEFAULT))
    if mode not in set(Mode):
        raise _wrong(f"{str(mode)[:40]!r} is not a mode; they are {', '.join(Mode)}")
    policy = Policy(mode=Mode(mode), rules=rules)
    verdict = foreseen(tool, arguments, policy, workspace, foresee)
    call = str(example.get("call") or f"{tool} {arguments}")
    return Tried(call=call, want=example["want"], verdict=verdict)


def _call(example: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """`{"tool", "args"}`, or in short `"call": "Bash(ls)"`."""
    short = example.get("call")
    if isinstance(short, str):
        name, _, rest = short.partition("(")
        what = rest.removesuffix(")")
        return name, {_MEANT.get(name, "file_path"): what} if what else {}
    tool, arguments = example.get("tool"), example.get("args", {})
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise _wrong(f'{str(example)[:100]}: an example needs "call", or "tool" and "args"')
    return tool, arguments


def _wrong(why: str) -> UsageError:
    return UsageError.of("rule_examples", why=why)
