"""Run a command in bash."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, Literal
from uuid import NAMESPACE_OID, uuid5

from msgspec import Meta, Struct
from msgspec.structs import replace

from ankrcode.config.limits import BASH_MAX_TIMEOUT_MS, BASH_SPARE_S, BASH_TIMEOUT_MS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.permissions.verdicts import CONFINED, OPEN
from ankrcode.protocol.acts import EVERYTHING, Acts
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import DirectoryChanged
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.outcome import failure
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.processes.processes import MAX_COMMAND_BYTES, Outcome, Process

_TITLE_CHARS = 200
_OTHERS_START_S = 0.05
_FOR_RESULT = ("ankrcode.tooling.command_result", "ankrcode.config.redacted_output")
_UNCONFINED = "unconfined: "  # so a remembered yes to a command is none to the same without a wall


class BashInput(ToolInput):
    command: Annotated[str, Meta(description="The command to run", min_length=1)]
    description: Annotated[
        str, Meta(description="What it does, clearly and concisely, in 5 to 10 words")
    ] = ""
    timeout: Annotated[
        float,
        Meta(description="Milliseconds before it is stopped", ge=1, le=BASH_MAX_TIMEOUT_MS),
    ] = BASH_TIMEOUT_MS
    cwd: Annotated[
        str, Meta(description="Run this one command in another directory; the next is back here")
    ] = ""
    run_in_background: Annotated[
        bool, Meta(description="Return at once; read its output later with TaskOutput")
    ] = False
    on_timeout: Annotated[
        Literal["stop", "background"],
        Meta(description="Stop it when the time is up, or let it go on in the background"),
    ] = "stop"
    stdin: Annotated[
        bool, Meta(description="Let TaskInput write to a background command; else it has no input")
    ] = False
    dangerously_disable_sandbox: Annotated[
        bool, Meta(description="Ask the person to let this one command run outside the sandbox")
    ] = False


class BashOutput(Struct, frozen=True, kw_only=True):
    output: str
    exit_code: int | None = None  # None: it still runs
    no_match: bool = False  # exit code 1 was an answer
    timed_out: bool = False
    duration_ms: float = 0.0
    cwd: str = ""  # where the next command starts
    task_id: str = ""  # of a command in the background
    output_path: str = ""  # where all of the output is


class Bash(Tool[BashInput]):
    name = "Bash"
    summary = "Run a line of bash, at once or in the background, and return what it printed."
    permission = Permission.EXECUTE
    category = "shell"
    output = BashOutput
    shares_repeats = False
    timeout_s = BASH_MAX_TIMEOUT_MS / 1000 + BASH_SPARE_S  # its own limit is shorter

    def acts(self, args: BashInput, ctx: ToolContext) -> Acts:
        check(args.command)
        return acts_of(args.command, args.cwd, ctx)

    def is_concurrency_safe(self, args: BashInput) -> bool:
        """Does it only read, wherever it may run?"""
        from ankrcode.permissions.judge import judge  # slow to load
        from ankrcode.permissions.places import CommandEnv

        anywhere = CommandEnv(roots=("/",), cwd="/", home="/")
        return judge(args.command, anywhere).verdict == "read_only"

    def subject(self, args: BashInput) -> str:
        return f"{_UNCONFINED}{args.command}" if args.dangerously_disable_sandbox else args.command

    def approval(self, args: BashInput, ctx: ToolContext) -> str:
        return say("why.unconfined") if args.dangerously_disable_sandbox else ""

    def preview(self, args: BashInput, ctx: ToolContext) -> Preview:
        where = f" (in {args.cwd})" if args.cwd else ""
        title = f"{args.description or args.command}{where}"
        from ankrcode.tooling.sed_edit import previewed  # only who is shown it pays for it

        if (plan := previewed(args.command, args.cwd, ctx)) is not None and plan.diff:
            return Preview(title=title, body=plan.diff, format="diff")
        return Preview(title=title, body=args.command, format="command")

    def render_call(self, arguments: Mapping[str, Any]) -> str:
        return f"$ {' '.join(str(arguments.get('command', '')).split())[:_TITLE_CHARS]}"

    async def run(self, args: BashInput, ctx: ToolContext) -> ToolResult:
        if not args.run_in_background and (done := await edited(args, ctx)) is not None:
            return done
        cwd = ctx.workspace.resolve(args.cwd) if args.cwd else ctx.cwd
        if not is_directory(cwd):
            return nowhere(cwd, args, ctx)
        notes = await prepared(ctx)
        command = await as_it_runs(args.command, ctx)
        if args.run_in_background:
            ctx.tasks.check_room()
            process = launched(command, args, ctx, cwd)
            await begun(process)
            return backgrounded(process, args, ctx, notes)
        process = launched(command, args, ctx, cwd)
        is_kept = args.on_timeout == "background"
        outcome = await attended(process, args.timeout / 1000 if is_kept else None)
        if outcome is None and ctx.tasks.has_room:
            process.detach()
            return backgrounded(process, args, ctx, notes, is_moved=True)
        if outcome is None:
            outcome = await cut_short(process)
        return concluded(process, outcome, args, ctx, notes)


# ── before it runs ────────────────────────────────────────────────────────────────────────────
def acts_of(command: str, cwd: str, ctx: ToolContext) -> Acts:
    """File by file where the line says it all; else it may do anything, also change directory."""
    from ankrcode.permissions.command_judge import command_env  # slow to load
    from ankrcode.permissions.judge import judge

    return judge(command, command_env(ctx.workspace, cwd)).acts


def check(command: str) -> None:
    """Refuse what no shell could run, before anybody is asked about it."""
    if not command.strip():
        raise ToolError.of("command_empty").coded(ErrorCode.INVALID_INPUT)
    if "\0" in command:
        raise ToolError.of("command_nul").coded(ErrorCode.INVALID_INPUT)
    size = len(command.encode(errors="surrogatepass"))
    if size > MAX_COMMAND_BYTES:
        error = ToolError.of("command_too_long", size=size, limit=MAX_COMMAND_BYTES)
        raise error.coded(ErrorCode.TOO_LARGE, size=size)


def profile_of(args: BashInput, ctx: ToolContext) -> str:
    """As the verdict says; what was approved runs openly, unless the settings confine all."""
    profile = ctx.verdict.profile or CONFINED
    if profile != OPEN or not ctx.settings.sandbox.always or is_unconfined(args, ctx):
        return profile
    return CONFINED


def is_unconfined(args: BashInput, ctx: ToolContext) -> bool:
    """Did a person say yes to exactly this? No mode, rule, grant or hook was asked."""
    return args.dangerously_disable_sandbox and ctx.verdict.by == "person"


def is_directory(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def nowhere(cwd: str, args: BashInput, ctx: ToolContext) -> ToolResult:
    """The directory does not exist; a lasting one is given up, so that the next command works."""
    root = ctx.workspace.root
    if args.cwd or cwd == root:
        key = "not_a_directory" if os.path.exists(cwd) else "directory_missing"  # noqa: PTH110
        raise ToolError.of(key, path=cwd).coded(ErrorCode.NOT_A_DIRECTORY, path=cwd)
    problem = ToolError.of("directory_gone", path=cwd, root=root)
    result = failure(problem.coded(ErrorCode.NOT_A_DIRECTORY, path=cwd))
    return replace(result, modifiers=(DirectoryChanged(path=root),))


async def prepared(ctx: ToolContext) -> list[str]:
    """Read the login shell's environment, once; a note if that failed."""
    if not ctx.processes.wants_profile:
        return []
    is_read = await in_thread(ctx, ctx.processes.read_profile)
    return [] if is_read else [say("profile_failed")]


# ── while it runs ─────────────────────────────────────────────────────────────────────────────
def launched(command: str, args: BashInput, ctx: ToolContext, cwd: str) -> Process:
    is_watched = not args.run_in_background
    is_stopped = is_watched and args.on_timeout == "stop"
    return ctx.processes.shell(
        command,
        cwd=cwd,
        profile=profile_of(args, ctx),
        roots=ctx.workspace.roots,
        timeout_s=args.timeout / 1000 if is_stopped else None,
        takes_input=args.stdin and (args.run_in_background or not is_stopped),
        told=ctx.output if is_watched else None,
        is_awaited=is_watched,
    )


async def as_it_runs(command: str, ctx: ToolContext) -> str:
    """A git that only reads must not run what the repository's own settings name."""
    if "git" not in command or EVERYTHING in ctx.acts.writes:
        return command
    from ankrcode.tooling.repository import deaf_command  # only git pays for it

    return await in_thread(ctx, deaf_command, command, ctx.acts.reads_files, ctx.processes)


async def begun(process: Process) -> None:
    try:
        await process.started()
    except asyncio.CancelledError:
        process.stop(at_once=True)
        raise
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise not_started(problem) from None


async def attended(process: Process, wait_s: float | None) -> Outcome | None:
    """Wait for the end, or so long; cancelled, the command is stopped and says how it ended."""
    end = process.finished()
    loading = asyncio.get_running_loop().call_later(_OTHERS_START_S, load_for_result)
    try:
        await asyncio.wait((end,), timeout=wait_s)
    except asyncio.CancelledError:
        process.stop()
        try:
            await asyncio.wait((end,))
        except asyncio.CancelledError:
            process.stop(at_once=True)
            raise
    finally:
        loading.cancel()
    if not end.done():
        end.cancel()
        return None
    try:
        return end.result()
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise not_started(problem) from None


def load_for_result() -> None:
    """Before it ends, for then somebody waits; after the start of others, which come first."""
    for module in _FOR_RESULT:
        import_module(module)


async def cut_short(process: Process) -> Outcome:
    """The time is up, and there is no place for it in the background."""
    process.stop()
    outcome = await attended(process, None)
    assert outcome is not None  # without a limit it waits for the end
    return replace(outcome, ended_by="timeout")


def not_started(problem: BaseException) -> ToolError:
    why = (isinstance(problem, OSError) and problem.strerror) or str(problem)
    return ToolError.of("command_not_started", why=why).coded(ErrorCode.EXECUTION_ERROR)


# ── its result ────────────────────────────────────────────────────────────────────────────────
def concluded(
    process: Process, outcome: Outcome, args: BashInput, ctx: ToolContext, notes: list[str]
) -> ToolResult:
    from ankrcode.tooling.command_result import (
        assembled,
        facts_of,
        how_it_ended,
        notes_on,
        shown_output,
    )

    shown = shown_output(process, ctx.settings.limits.result_chars)
    no_match = outcome.ended_by == "exit" and is_no_match(args.command, outcome, shown.text)
    problem = how_it_ended(outcome, is_answer=no_match)
    notes += notes_on(process, outcome, shown)
    if no_match:
        notes.append(say("no_match"))
    wall, profile = ctx.processes.confinement, profile_of(args, ctx)
    if problem is not None and outcome.ended_by == "exit" and profile != "open":
        notes.append(wall.explain(outcome.exit_code, shown.text))
    cwd, note = directory_after(outcome, args, ctx)
    facts = facts_of(process, outcome)
    value = BashOutput(
        output=shown.text,
        exit_code=outcome.exit_code,
        no_match=no_match,
        timed_out=outcome.ended_by == "timeout",
        duration_ms=facts["duration_ms"],
        cwd=cwd,
        output_path=process.output.path,
    )
    result = ToolResult(
        value=value,
        metadata={**facts, "cwd": cwd, **wall.describe(), "profile": profile},
        modifiers=(DirectoryChanged(path=cwd),) if cwd != ctx.cwd else (),
    )
    return assembled(result, shown.text, [*notes, note], problem)


def is_no_match(command: str, outcome: Outcome, printed: str) -> bool:
    if outcome.exit_code != 1:
        return False
    from ankrcode.tooling.exit_codes import is_answer  # it reads shell: slow to load

    return is_answer(command, outcome.exit_code, printed)


def directory_after(outcome: Outcome, args: BashInput, ctx: ToolContext) -> tuple[str, str]:
    """Where the next command starts, and what to say if that is not where this one ended."""
    if args.cwd or outcome.cwd in ("", ctx.cwd):
        return ctx.cwd, ""
    if ctx.workspace.contains(outcome.cwd) and is_directory(outcome.cwd):
        return outcome.cwd, ""
    return ctx.cwd, say("directory_reset", path=outcome.cwd, cwd=ctx.cwd)


def backgrounded(
    process: Process, args: BashInput, ctx: ToolContext, notes: list[str], *, is_moved: bool = False
) -> ToolResult:
    """From now on it is a task with a name."""
    task = ctx.tasks.add(
        str(uuid5(NAMESPACE_OID, ctx.new_id("task"))),
        process,
        kind="shell",
        title=args.description or args.command,
        owner=ctx.agent_id,
    )
    path = process.output.save()
    from ankrcode.tooling.command_result import shown_output

    so_far = shown_output(process, ctx.settings.limits.result_chars).text if is_moved else ""
    begun = say("task_moved", task=task.id) if is_moved else say("task_started", task=task.id)
    where = say("task_output_at", path=path) if path else say("task_output_nowhere")
    wall, profile = ctx.processes.confinement.describe(), profile_of(args, ctx)
    return ToolResult(
        value=BashOutput(output=so_far, cwd=ctx.cwd, task_id=task.id, output_path=path),
        text="\n".join(filter(None, [so_far, begun, where, *notes])),
        metadata={"task_id": task.id, "output_path": path, "profile": profile} | wall,
    )


async def edited(args: BashInput, ctx: ToolContext) -> ToolResult | None:
    """A plain edit is done as it was shown; sed prints nothing. None: it is another command."""
    if not args.command.lstrip().startswith("sed"):
        return None
    from ankrcode.tooling.sed_edit import apply, planned  # few commands are such edits

    plan = await in_thread(ctx, planned, args.command, args.cwd, ctx)
    if plan is None:
        return None
    modifiers = await in_thread(ctx, apply, plan, ctx)
    value = BashOutput(output="", exit_code=0, cwd=ctx.cwd)
    metadata = {"exit_code": 0, "edited": plan.path, "cwd": ctx.cwd}
    text = plan.diff or say("sed_nothing", path=plan.path)
    return ToolResult(value=value, text=text, metadata=metadata, modifiers=modifiers)
