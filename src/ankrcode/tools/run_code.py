"""Run a program that the model wrote, inside the sandbox and nowhere else."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from tempfile import mkdtemp
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ankrcode.config.limits import (
    CODE_MAX_TIMEOUT_S,
    CODE_STREAM_CHARS,
    CODE_TIMEOUT_S,
    MAX_CODE_CHARS,
)
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import EVERYTHING, Acts, state, tree
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.outcome import failure
from ankrcode.tooling.printed import printed, saved_note
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.processes import Outcome, Process

_FILES = {"python": "main.py", "bash": "main.sh"}
_SPARE_S = 10.0


class RunCodeInput(ToolInput):
    language: Annotated[Literal["python", "bash"], Meta(description="What the code is written in")]
    code: Annotated[
        str, Meta(description="The whole program", min_length=1, max_length=MAX_CODE_CHARS)
    ]
    args: Annotated[
        list[Annotated[str, Meta(max_length=100_000)]],
        Meta(description="Arguments on its command line", max_length=1_000),
    ] = field(default_factory=list)
    env: Annotated[dict[str, str], Meta(description="Further environment variables")] = field(
        default_factory=dict
    )
    timeout: Annotated[
        float, Meta(description="Seconds before it is stopped", gt=0, le=CODE_MAX_TIMEOUT_S)
    ] = CODE_TIMEOUT_S


class RunCodeOutput(Struct, frozen=True, kw_only=True):
    stdout: str
    stderr: str
    exit_code: int
    duration_ms: float


class RunCode(Tool[RunCodeInput]):
    name = "RunCode"
    summary = "Run a Python or bash program in a sandbox without network; see what it prints."
    permission = Permission.EXECUTE
    category = "shell"
    output = RunCodeOutput
    shares_repeats = False
    timeout_s = CODE_MAX_TIMEOUT_S + _SPARE_S  # its own limit is shorter
    max_result_chars = 2 * CODE_STREAM_CHARS + 5_000  # both streams were cut already

    def acts(self, args: RunCodeInput, ctx: ToolContext) -> Acts:
        """Behind a wall it reads the workspace and changes nothing; else nobody knows."""
        runs = (f"{args.language} code",)
        if not is_confined(ctx):
            return Acts(reads=(EVERYTHING,), writes=(EVERYTHING,), runs=runs)
        reads = (*map(tree, ctx.workspace.roots), state("cwd"))
        hosts = ("*",) if ctx.settings.sandbox.network else ()
        return Acts(reads=reads, runs=runs, connects=hosts, confined=True)

    def subject(self, args: RunCodeInput) -> str:
        """A remembered yes holds for exactly this program."""
        parts = (args.language, args.code, *args.args, *map("=".join, args.env.items()))
        return f"{args.language} {sha256(chr(0).join(parts).encode(errors='replace')).hexdigest()}"

    def approval(self, args: RunCodeInput, ctx: ToolContext) -> str:
        return "" if is_confined(ctx) else say("why.no_sandbox", why=why_not(ctx))

    def preview(self, args: RunCodeInput, ctx: ToolContext) -> Preview:
        where = "inside the sandbox" if is_confined(ctx) else "WITHOUT a sandbox"
        return Preview(title=f"Run {args.language} code {where}", body=args.code)

    def render_call(self, arguments: Mapping[str, Any]) -> str:
        first = str(arguments.get("code", "")).strip().partition("\n")[0]
        return f"{arguments.get('language', 'code')}: {first:.60}"

    async def validate(self, args: RunCodeInput, ctx: ToolContext) -> None:
        check(args)
        # In bypass mode nobody was asked, and only a person may let code run without a wall.
        if not is_confined(ctx) and (ctx.settings.sandbox.required or ctx.mode is Mode.BYPASS):
            why = why_not(ctx)
            raise ToolError.of("sandbox_missing", why=why).coded(ErrorCode.SANDBOX_MISSING, why=why)

    async def run(self, args: RunCodeInput, ctx: ToolContext) -> ToolResult:
        folder, argv = await in_thread(ctx, prepared, args, ctx.processes.confinement.scratch())
        try:
            process = started(argv, args, ctx)
            outcome = await attended(process)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return concluded(process, outcome, args, ctx)


def is_confined(ctx: ToolContext) -> bool:
    return ctx.processes.confinement.name != "none"


def why_not(ctx: ToolContext) -> str:
    return str(ctx.processes.confinement.describe().get("sandbox_why", ""))


def profile_of(ctx: ToolContext) -> str:
    return "read-only-network" if ctx.settings.sandbox.network else "read-only"


def check(args: RunCodeInput) -> None:
    """What no process could be started with."""
    for name in args.env:
        if not name or "=" in name or "\0" in name:
            raise ToolError.of("code_variable", name=name).coded(ErrorCode.INVALID_INPUT)
    for parameter, values in (("args", args.args), ("env", args.env.values())):
        if any("\0" in value for value in values):
            error = ToolError.of("code_argument_nul", parameter=parameter)
            raise error.coded(ErrorCode.INVALID_INPUT)


def prepared(args: RunCodeInput, scratch: str) -> tuple[str, list[str]]:
    """The code in a file of its own, in a new folder that no link can redirect."""
    folder = mkdtemp(prefix="code-", dir=scratch)
    name = _FILES[args.language]
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        code = args.code.encode(errors="replace")
        with open(os.open(name, flags, 0o600, dir_fd=handle), "wb") as file:  # noqa: PTH123
            file.write(code)
    finally:
        os.close(handle)
    program = [sys.executable, "-I"] if args.language == "python" else ["bash"]
    return folder, [*program, f"{folder}/{name}", *args.args]


def started(argv: list[str], args: RunCodeInput, ctx: ToolContext) -> Process:
    return ctx.processes.start(
        argv,
        cwd=ctx.cwd,
        env={**ctx.processes.environment(), **args.env},
        profile=profile_of(ctx),
        roots=ctx.workspace.roots,
        timeout_s=args.timeout,
        splits=True,
        told=ctx.output,
    )


async def attended(process: Process) -> Outcome:
    """Wait for the end; cancelled, the program is stopped first."""
    try:
        return await asyncio.shield(process.finished())
    except asyncio.CancelledError:
        process.stop(at_once=True)
        await process.finished()
        raise
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        why = (isinstance(problem, OSError) and problem.strerror) or str(problem)
        error = ToolError.of("command_not_started", why=why)
        raise error.coded(ErrorCode.EXECUTION_ERROR) from None


def concluded(
    process: Process, outcome: Outcome, args: RunCodeInput, ctx: ToolContext
) -> ToolResult:
    stdout, out_note = shown(process.output)
    stderr, err_note = shown(process.errors)
    wall = ctx.processes.confinement
    value = RunCodeOutput(
        stdout=stdout,
        stderr=stderr,
        exit_code=outcome.exit_code,
        duration_ms=round(outcome.duration_s * 1000, 3),
    )
    notes = [out_note, err_note, *outcome.violations]
    if outcome.ended_by == "exit" and outcome.exit_code:
        notes += [wall.explain(outcome.exit_code, stderr), say("code_exit", code=value.exit_code)]
    saved = {"stdout": process.output.path, "stderr": process.errors.path}
    result = ToolResult(
        title=RunCode().render_call({"language": args.language, "code": args.code}),
        value=value,
        text=text_of(value, notes),
        metadata={
            **wall.describe(),
            "profile": profile_of(ctx),
            "exit_code": outcome.exit_code,
            "duration_ms": value.duration_ms,
            **({"saved_to": saved} if any(saved.values()) else {}),
        },
    )
    return result if outcome.ended_by == "exit" else stopped(result, outcome)


def stopped(result: ToolResult, outcome: Outcome) -> ToolResult:
    """It did not end by itself: an error that keeps what was printed."""
    if outcome.ended_by == "timeout":
        error = ToolError.of("code_timeout", seconds=round(outcome.duration_s, 1))
        error.coded(ErrorCode.TIMEOUT, stdout=result.value.stdout, stderr=result.value.stderr)
    else:
        error = ToolError.of("code_stopped").coded(ErrorCode.CANCELLED)
    said = "" if result.text == say("no_output") else f"{result.text}\n\n"
    return replace(result, error=failure(error).error, text=f"{said}{error}")


def shown(output: Output) -> tuple[str, str]:
    """One stream, bounded, and where all of it is."""
    part = printed(output, CODE_STREAM_CHARS)
    if not part.is_whole:
        output.save()
    return part.text, saved_note(output, is_whole=part.is_whole)


def text_of(value: RunCodeOutput, notes: list[str]) -> str:
    parts = [value.stdout.rstrip("\n")]
    if value.stderr.strip():
        parts.append("stderr:\n" + value.stderr.rstrip("\n"))
    parts += notes
    return "\n\n".join(part for part in parts if part.strip()) or say("no_output")
