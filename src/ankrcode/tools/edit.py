"""Replace text in a file."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ankrcode.config.limits import EDIT_DIFF_LINES, EDIT_MAX_EDITS
from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.diffs import unified
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.editing.edit import Step, applied
from ankrcode.workspace.editing.matching import EXACT
from ankrcode.workspace.editing.original import Original, load, looks_unchanged
from ankrcode.workspace.reads import FileVersion
from ankrcode.workspace.syntax import broken_by, is_checked

_Old = Annotated[str, Meta(description="The text to replace, as it stands in the file")]
_New = Annotated[str, Meta(description="The text to put in its place")]
_All = Annotated[bool, Meta(description="Replace every occurrence instead of exactly one")]


class Replacement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    old_string: _Old
    new_string: _New
    replace_all: _All = False


class EditInput(ToolInput):
    file_path: Annotated[str, Meta(description="The file to change", min_length=1)]
    old_string: _Old | UnsetType = UNSET
    new_string: _New | UnsetType = UNSET
    replace_all: _All = False
    edits: Annotated[
        list[Replacement],
        Meta(
            description="More replacements, made in order after the first",
            max_length=EDIT_MAX_EDITS,
        ),
    ] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = (self.old_string, self.new_string)
        if self.edits and given == (UNSET, UNSET):
            return
        for name, value in zip(("old_string", "new_string"), given, strict=True):
            if value is UNSET:
                raise ValueError(say("edit_shape", what=name))

    @property
    def steps(self) -> list[Step]:
        first: list[Step] = []
        if isinstance(self.old_string, str) and isinstance(self.new_string, str):
            first = [Step("old_string", self.old_string, self.new_string, self.replace_all)]
        return first + [
            Step(f"edits[{index}].old_string", one.old_string, one.new_string, one.replace_all)
            for index, one in enumerate(self.edits)
        ]


class EditOutput(Struct, frozen=True, kw_only=True):
    file_path: str
    replaced: int
    created: bool
    strategies: list[str]  # how each edit found its place
    diff: str
    warning: str


class Plan(Struct, frozen=True):
    """What a call will do, worked out before anything is touched."""

    original: Original
    draft: Draft
    replaced: int
    strategies: dict[str, str]  # parameter → how its place was found

    @property
    def diff(self) -> str:
        path = self.original.path
        return unified(self.draft.before, self.draft.changes, path, max_lines=EDIT_DIFF_LINES)


class Edit(Tool[EditInput]):
    name = "Edit"
    summary = "Replace text in a file that was read, at one place or everywhere."
    permission = Permission.WRITE
    category = "files"
    asked = ("file_path", "old_string", "new_string")
    output = EditOutput

    def acts(self, args: EditInput, ctx: ToolContext) -> Acts:
        path = file(ctx.workspace.resolve(args.file_path))
        return Acts(reads=(path, state("cwd")), writes=(path,))

    def subject(self, args: EditInput) -> str:
        return args.file_path

    def preview(self, args: EditInput, ctx: ToolContext) -> Preview:
        """The diff. An edit that cannot be made is refused here, before anyone is asked."""
        path = ctx.workspace.resolve(args.file_path)
        try:
            body = planned(args, ctx).diff
        except ToolError as problem:
            if ctx.workspace.contains(path):
                raise
            body = str(problem)  # for the person: the model must not learn about it unasked
        return Preview(title=f"Edit {path}", body=body, format="diff")

    async def validate(self, args: EditInput, ctx: ToolContext) -> None:
        for step in args.steps:
            step.check()
        path = ctx.workspace.resolve(args.file_path)
        if not looks_unchanged(path, ctx.reads):
            await in_thread(ctx, loaded, args, ctx)

    async def run(self, args: EditInput, ctx: ToolContext) -> ToolResult:
        plan, content, version = await in_thread(ctx, done, args, ctx)
        ctx.reads.keep(version, content)
        return result_of(plan, version)


def loaded(args: EditInput, ctx: ToolContext) -> Original:
    path, first = ctx.workspace.resolve(args.file_path), args.steps[0].old
    return load(path, ctx.reads, wanted=first, may_be_new=not first)


def planned(args: EditInput, ctx: ToolContext) -> Plan:
    """Read the file and find every place; raises `ToolError` where one cannot be found."""
    original = loaded(args, ctx)
    path = original.path
    draft = Draft(original.text.content)
    ranked = ctx.settings.edit.match == "ranked"
    replaced, strategies = 0, dict[str, str]()
    for step in args.steps:
        ctx.cancel.check()
        step.check()
        try:
            found = applied(draft, step, path, ranked=ranked)
        except ToolError:
            original.check_digest(ctx.reads, step.old)
            raise
        replaced += len(found.changes)
        strategies[step.what] = found.strategy
    original.check_shown(draft.changes)
    if not draft.is_changed and not original.is_new:
        raise ToolError.of("edit_nothing", path=path)
    return Plan(original, draft, replaced, strategies)


def done(args: EditInput, ctx: ToolContext) -> tuple[Plan, bytes, FileVersion]:
    plan = planned(args, ctx)
    original = plan.original
    content = original.encoded(plan.draft)
    ctx.cancel.check()
    version = ctx.files.write(
        original.path, content, expected=original.version, makes_folders=original.is_new
    )
    return plan, content, version


def result_of(plan: Plan, version: FileVersion) -> ToolResult:
    original, draft, path = plan.original, plan.draft, plan.original.path
    why = broken_by(path, draft.before, draft.text) if is_checked(path, draft.before) else ""
    warning = say("no_longer_parses", path=path, why=why) if why else ""
    value = EditOutput(
        file_path=path,
        replaced=plan.replaced,
        created=original.is_new,
        strategies=list(plan.strategies.values()),
        diff=plan.diff,
        warning=warning,
    )
    return ToolResult(
        title=f"Edit {path}",
        value=value,
        text=text_of(value, plan.strategies),
        metadata={
            "replaced": value.replaced,
            "strategies": value.strategies,
            **({"warning": warning} if warning else {}),
        },
        modifiers=(original.read_after(draft.changes, version),),
    )


def text_of(value: EditOutput, strategies: dict[str, str]) -> str:
    if value.created:
        lines = [f"Created {value.file_path}"]
    else:
        lines = [f"Replaced {value.replaced} occurrence(s) in {value.file_path}"]
    for what, strategy in strategies.items():
        if strategy != EXACT:
            place = f"for {what} " if len(strategies) > 1 else ""
            lines.append(
                f"The exact text was not there; {place}it matched without regard to {strategy}."
            )
    return "\n".join([*lines, *filter(None, [value.warning, value.diff])])
