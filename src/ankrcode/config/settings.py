"""What can be set, as typed data: each field says what it means and what fits it.

A workspace may be a hostile checkout, so its files set nothing unless the field (or its whole
section) says so with `_PROJECT`, or with `_TRUSTED` once the person trusts the folder; a new
field is therefore the person's alone until decided.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from ankrcode.config.agents import QuestionSettings, SubagentSettings
from ankrcode.config.hooks import HookGroup
from ankrcode.config.limits import GLOB_DEFAULT_ENTRIES, Limits
from ankrcode.config.models import BudgetSettings, ModelSettings, ProviderSettings
from ankrcode.protocol.permission import Mode

_PROJECT = {"project": True}
_TRUSTED = {"project": "trusted"}


class PermissionSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Annotated[Mode, Meta(description="How much may happen without a question")] = Mode.DEFAULT
    allow: Annotated[
        list[str],
        Meta(
            description="Rules: what may run without a question", max_length=1_000, extra=_TRUSTED
        ),
    ] = field(default_factory=list)
    ask: Annotated[
        list[str],
        Meta(description="Rules: what is always asked", max_length=1_000, extra=_PROJECT),
    ] = field(default_factory=list)
    deny: Annotated[
        list[str], Meta(description="Rules: what never runs", max_length=1_000, extra=_PROJECT)
    ] = field(default_factory=list)
    denial_ends_turn: Annotated[
        bool, Meta(description="Your no without a word of advice ends the turn")
    ] = False


class LogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    level: Annotated[
        Literal["off", "error", "warning", "info", "debug"],
        Meta(description="How much is written to the log file"),
    ] = "off"
    max_bytes: Annotated[
        int,
        Meta(description="How long a log file may get, in bytes", ge=10_000, le=1_000_000_000),
    ] = 1_000_000
    files: Annotated[
        int,
        Meta(description="How many full log files are kept beside the current one", ge=1, le=99),
    ] = 3


class ResultSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cut: Annotated[
        Literal["start", "end", "both"],
        Meta(description="Which part of an oversized result is shown", extra=_PROJECT),
    ] = "both"
    folder: Annotated[
        str,
        Meta(
            description="Where oversized results are saved; empty means the state folder",
            pattern=r"^($|/|~/)",
            max_length=4_000,
            examples=["/data/results", "~/results"],
        ),
    ] = ""


class ReadSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_tokens: Annotated[
        int,
        Meta(
            description="How much text one Read may return, in tokens (estimated)",
            ge=1_000,
            le=1_000_000,
            extra=_PROJECT,
        ),
    ] = 25_000


class EditSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    match: Annotated[
        Literal["exact", "ranked"],
        Meta(
            description="Must an edit match exactly, or may it find the one place that is meant",
            extra=_PROJECT,
        ),
    ] = "ranked"


class ShellSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    profile: Annotated[
        bool,
        Meta(description="Take the environment of commands from the login shell", extra=_TRUSTED),
    ] = False
    env_pass: Annotated[
        list[str],
        Meta(
            description="Variables with secrets that commands may see, such as GH_TOKEN or AWS_*",
            max_length=100,
        ),
    ] = field(default_factory=list)
    saved_bytes: Annotated[
        int,
        Meta(
            description="How much of one command's output is saved, in bytes",
            ge=1_000_000,
            le=1_000_000_000_000,
        ),
    ] = 2_147_483_648
    saved_folder_bytes: Annotated[
        int,
        Meta(
            description="How much output of all commands is kept, in bytes",
            ge=1_000_000,
            le=10_000_000_000_000,
        ),
    ] = 10_737_418_240


class SandboxSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    wall: Annotated[
        Literal["auto", "bubblewrap", "landlock", "seatbelt", "none"],
        Meta(description="Which wall to use; auto takes the strongest that works here"),
    ] = "auto"
    required: Annotated[
        bool, Meta(description="Refuse what should be confined where no wall works")
    ] = False
    always: Annotated[
        bool, Meta(description="Confine also the commands that a person approved")
    ] = False
    network: Annotated[
        bool, Meta(description="Let RunCode use the network; it then asks before it runs")
    ] = False
    caches: Annotated[
        list[Literal["pip", "uv", "npm", "yarn", "pnpm", "cargo", "go"]],
        Meta(description="Package caches that confined commands may write", max_length=7),
    ] = field(default_factory=list)
    memory_mb: Annotated[
        int, Meta(description="Memory of a command, in MiB", ge=64, le=1_048_576)
    ] = 8_192
    code_memory_mb: Annotated[
        int, Meta(description="Memory of RunCode, in MiB", ge=64, le=1_048_576)
    ] = 4_096
    cpu_s: Annotated[
        int, Meta(description="CPU time of one process, in seconds", ge=1, le=86_400)
    ] = 3_600
    processes: Annotated[
        int, Meta(description="How many processes commands may add", ge=8, le=100_000)
    ] = 512
    file_mb: Annotated[
        int, Meta(description="How large a file may get, in MiB", ge=1, le=1_048_576)
    ] = 4_096


class UndoSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enabled: Annotated[
        bool, Meta(description="Keep what calls change, so that it can be undone")
    ] = True
    file_bytes: Annotated[
        int, Meta(description="Larger files are not kept, in bytes", ge=0, le=1_000_000_000)
    ] = 16_777_216
    total_bytes: Annotated[
        int,
        Meta(
            description="How much is kept for one workspace, in bytes; the oldest goes first",
            ge=1_000_000,
            le=1_000_000_000_000,
        ),
    ] = 1_073_741_824
    total_calls: Annotated[
        int, Meta(description="How many calls can be undone", ge=1, le=100_000)
    ] = 2_000
    wait_ms: Annotated[
        int,
        Meta(description="How long a command waits until contents are kept", ge=0, le=60_000),
    ] = 250


class SessionSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_age_days: Annotated[
        int,
        Meta(description="How many days a session is kept; 0 means for ever", ge=0, le=36_500),
    ] = 0
    max_bytes: Annotated[
        int,
        Meta(
            description="How much all sessions may take, in bytes; the oldest go first",
            ge=1_000_000,
            le=10_000_000_000_000,
        ),
    ] = 10_737_418_240


class RocketLangSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Annotated[
        Literal["auto", "only", "off"],
        Meta(
            description="Plain commands without a model: auto where one is read in full,"
            " only for every line, or off"
        ),
    ] = "auto"


class GlobSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Annotated[
        int,
        Meta(
            description="How many files Glob lists unless asked otherwise; 0 means all",
            ge=0,
            le=100_000,
            extra=_PROJECT,
        ),
    ] = GLOB_DEFAULT_ENTRIES


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting; what is not set has its default."""

    language: Annotated[
        str,
        Meta(
            description="The language of messages for people",
            pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?(?![\s\S])",  # $ would let a newline through
            examples=["en", "hi"],
            extra=_PROJECT,
        ),
    ] = "en"
    permissions: Annotated[PermissionSettings, Meta(description="Who may do what")] = field(
        default_factory=PermissionSettings
    )
    limits: Annotated[Limits, Meta(description="Bounds of calls", extra=_PROJECT)] = field(
        default_factory=Limits
    )
    plugins: Annotated[
        list[str], Meta(description="Installed tool plugins to load, by name", max_length=100)
    ] = field(default_factory=list)
    results: Annotated[ResultSettings, Meta(description="How results are shown and kept")] = field(
        default_factory=ResultSettings
    )
    read: Annotated[ReadSettings, Meta(description="Reading files")] = field(
        default_factory=ReadSettings
    )
    edit: Annotated[EditSettings, Meta(description="How files are edited")] = field(
        default_factory=EditSettings
    )
    shell: Annotated[ShellSettings, Meta(description="How commands run")] = field(
        default_factory=ShellSettings
    )
    sandbox: Annotated[SandboxSettings, Meta(description="The wall around commands")] = field(
        default_factory=SandboxSettings
    )
    undo: Annotated[UndoSettings, Meta(description="What can be taken back")] = field(
        default_factory=UndoSettings
    )
    sessions: Annotated[SessionSettings, Meta(description="Recorded sessions")] = field(
        default_factory=SessionSettings
    )
    glob: Annotated[GlobSettings, Meta(description="How files are found by name")] = field(
        default_factory=GlobSettings
    )
    rocketlang: Annotated[RocketLangSettings, Meta(description="Commands in plain words")] = field(
        default_factory=RocketLangSettings
    )
    hooks: Annotated[
        dict[str, list[HookGroup]],
        Meta(description="Commands to run when something happens, by event", extra=_TRUSTED),
    ] = field(default_factory=dict)
    hooks_enabled: Annotated[bool, Meta(description="Run hooks at all")] = True
    model: Annotated[
        str,
        Meta(
            description="The model to ask; empty means by the keys that are set",
            max_length=500,
            examples=["anthropic/claude-sonnet-4-5", "medium"],
        ),
    ] = ""
    models: Annotated[ModelSettings, Meta(description="How models are chosen and asked")] = field(
        default_factory=ModelSettings
    )
    providers: Annotated[
        dict[str, ProviderSettings],
        Meta(description="Providers of your own, and what differs from the table, by name"),
    ] = field(default_factory=dict)
    budget: Annotated[BudgetSettings, Meta(description="What models may cost")] = field(
        default_factory=BudgetSettings
    )
    subagents: Annotated[SubagentSettings, Meta(description="Further agents")] = field(
        default_factory=SubagentSettings
    )
    questions: Annotated[QuestionSettings, Meta(description="Questions to the person")] = field(
        default_factory=QuestionSettings
    )
    log: Annotated[LogSettings, Meta(description="The log file")] = field(
        default_factory=LogSettings
    )


def settings_schema() -> dict[str, Any]:
    """A JSON Schema of a settings file, without references, so that any editor can use it."""
    from msgspec.json import schema

    raw = schema(Settings)
    inlined: dict[str, Any] = _inline(raw, raw["$defs"])
    inlined["properties"] = {"$schema": {"type": "string"}, **inlined["properties"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **inlined}


def _inline(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_inline(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    own = {name: _inline(item, definitions) for name, item in part.items() if name[0] != "$"}
    if "$ref" not in part:
        return own
    target = part["$ref"].removeprefix("#/$defs/")
    return {**_inline(definitions[target], definitions), **own}
