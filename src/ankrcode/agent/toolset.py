"""Which tools a model is told of, and how briefly: the first request pays for every word."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from ankrcode.app import AnyTool, Toolkit
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.errors import UsageError
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.protocol.permission import Mode
from ankrcode.providers.wire import ToolSpec
from ankrcode.tooling.describe import variables_of
from ankrcode.tools import definitions

Given = TypeVar("Given")

# What daily work needs. The others answer when called, or when somebody chooses them.
DAILY = (
    *("Read", "Edit", "Write", "Grep", "Glob", "Bash", "TaskOutput", "KillShell"),
    *("TodoWrite", "Task", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"),
)
# In a small window every word told is one less for the work: few tools, and of them the parts that
# are always needed.
SMALL_WINDOW = 8_000  # tokens
FEW = ("Read", "Edit", "ApplyPatch", "Write", "Grep", "Bash", "TodoWrite")
_PARTS = frozenset(("path", "offset", "limit"))
# Models that were trained on patches write them best.
_PATCHERS = ("gpt-", "codex", "o3", "o4")
_NEEDS_A_PERSON = frozenset(("AskUserQuestion", "EnterPlanMode", "ExitPlanMode"))
# Checked when a call comes; a model that is told of them writes no better calls.
_LEFT_OUT = frozenset(("minLength", "maxLength", "additionalProperties", "title", "maxItems"))
_EMPTY: tuple[Any, ...] = ("", False, 0, None)


def narrowed(settings: Settings, allowed: Iterable[str], denied: Iterable[str]) -> Settings:
    """The settings with these rules added."""
    rules = settings.permissions
    more = {"allow": [*rules.allow, *allowed], "deny": [*rules.deny, *denied]}
    return replace(settings, permissions=replace(rules, **more))


def listed(name: str, given: Iterable[Given]) -> tuple[Given, ...]:
    """As a tuple. A lone text would be taken letter by letter, and nobody would see it."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UsageError.of("agent_takes_list", name=name, got=given)
    return tuple(given)


def check_beside_kit(given: dict[str, Any]) -> None:
    """What makes a toolkit does not count where there is one: better said than passed over."""
    unheard = [name for name, value in given.items() if value and value != Mode.DEFAULT]
    if unheard:
        raise UsageError.of("agent_kit_alone", names=", ".join(unheard))


def forbid(kit: Toolkit, denied: tuple[str, ...]) -> None:
    """These never run, in a toolkit that was there before."""
    policy = kit.agent.policy
    known = {rule.text for rule in policy.rules.rules if rule.kind == "deny"} if denied else ()
    if new := [one for one in denied if one not in known]:
        policy.bind(rules_of_settings(PermissionSettings(deny=new), kit.agent.workspace))


class Toolset:
    """What one agent's model is told of."""

    def __init__(
        self,
        kit: Toolkit,
        own: Iterable[AnyTool],
        wanted: Iterable[str] | None,
        denied: Iterable[str],
    ) -> None:
        self._kit = kit
        self._own = tuple(one.name for one in own)
        self._wanted = None if wanted is None else listed("toolset", wanted)
        self._hidden = frozenset(one for one in denied if one.isidentifier())

    def below(self, kit: Toolkit, wanted: Iterable[str] | None) -> "Toolset":
        """For a further agent: the person's own tools too, and none that are hidden here."""
        lower = Toolset(kit, (), wanted, ())
        lower._own, lower._hidden = self._own, self._hidden
        return lower

    def _check(self) -> None:
        """A slip would leave the model without a tool, and without a word. A further agent's may
        name what its parent has not."""
        known = self._kit.registry.names
        for name in self._wanted or ():
            if name not in known and not self._kit.agent.depth:
                raise UsageError.of("agent_toolset", name=name, names=", ".join(known))

    def told(self, model: str, window: int = 0) -> tuple[ToolSpec, ...]:
        """By a model of this name, with so many tokens."""
        self._check()
        is_attended = self._kit.approver is not None
        is_small = 0 < window < SMALL_WINDOW and self._wanted is None
        names = chosen(self._kit, model, self._wanted, self._own, is_attended=is_attended)
        kept = (*FEW, *self._own) if is_small else names
        told = specs(self._kit, (one for one in names if one in kept and one not in self._hidden))
        return tuple(map(_shorter, told)) if is_small else told


def chosen(
    kit: Toolkit, model: str, wanted: Iterable[str] | None, own: Iterable[str], *, is_attended: bool
) -> tuple[str, ...]:
    """The names, in the order of the registry; a choice of the person's own is taken as it is."""
    names = set(DAILY) if wanted is None else set(wanted)
    if wanted is None:
        names |= set(own)
        if _is_patcher(model):
            names = names - {"Edit"} | {"ApplyPatch"}
        if not is_attended:
            names -= _NEEDS_A_PERSON if kit.mode is not Mode.PLAN else {"AskUserQuestion"}
        if kit.agent.person.asker is not None:  # answers may have been given in advance
            names.add("AskUserQuestion")
    return tuple(name for name in kit.registry.names if name in names)


def _is_patcher(model: str) -> bool:
    return model.rpartition("/")[2].startswith(_PATCHERS)


def specs(kit: Toolkit, names: Iterable[str]) -> tuple[ToolSpec, ...]:
    """As the model is told of them: frozen for the conversation, so that its prefix is, too."""
    wanted, variables = set(names), variables_of(kit.agent.workspace)
    usable = kit.registry.enabled(kit.agent.policy.granted)
    return tuple(
        ToolSpec(name=one.name, description=_told(one), input_schema=brief(one.input_schema))
        for one in usable.described(variables)
        if one.name in wanted
    )


def _shorter(tool: ToolSpec) -> ToolSpec:
    """Only what a call must have, and what a long text is read in pieces by."""
    schema = tool.input_schema
    kept = _PARTS.union(schema.get("required", ()))
    parts = {name: one for name, one in schema.get("properties", {}).items() if name in kept}
    return replace(tool, input_schema={**schema, "properties": parts})


def _told(one: Definition) -> str:
    """Our own tools of every day in few words; one that took such a name speaks for itself."""
    text = _briefs().get(one.name, "")
    return text if text and one.summary == _own_summaries()[one.name] else one.description.strip()


@cache
def _briefs() -> dict[str, str]:
    sections = Path(__file__).with_name("brief.md").read_text(encoding="utf-8").split("# ")[1:]
    return {name: text.strip() for name, _, text in (one.partition("\n") for one in sections)}


@cache
def _own_summaries() -> dict[str, str]:
    return {one.name: one.summary for one in definitions().values()}


def brief(schema: JsonSchema) -> JsonSchema:
    """The same schema without what only the check of a call needs."""
    kept: JsonSchema = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or (key == "default" and _is_empty(value)):
            continue
        if key == "minimum" and value in (0, 1):
            continue
        if key in ("properties", "$defs") and isinstance(value, dict):
            kept[key] = {name: _brief(one) for name, one in value.items()}
        else:
            kept[key] = _brief(value)
    return kept


def _is_empty(value: Any) -> bool:
    return value in _EMPTY if not isinstance(value, list | dict) else not value


def _brief(value: Any) -> Any:
    if isinstance(value, dict):
        return brief(value)
    if isinstance(value, list):
        return [_brief(one) for one in value]
    return value
