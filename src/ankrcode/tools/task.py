"""Let a further agent do a piece of the work."""

import asyncio
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import NOTHING, Acts
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.outcome import failure
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.subagents import NO_AGENT, AgentOrder, AgentReport, AgentWork
from ankrcode.tooling.tool import Tool
from ankrcode.words import say

_MAX_PROMPT_CHARS = 1_000_000
# What it was not allowed to do counts as ours: whoever runs us must not read success.
_CODES = {"error_denied": ErrorCode.PERMISSION_DENIED}


class TaskInput(ToolInput):
    description: Annotated[
        str, Meta(description="What it is about, in 3-5 words", min_length=1, max_length=500)
    ]
    prompt: Annotated[
        str,
        Meta(description="The whole task", min_length=1, max_length=_MAX_PROMPT_CHARS),
    ]
    subagent_type: Annotated[
        str, Meta(description="Which agent does it", min_length=1, max_length=100)
    ]
    model: Annotated[
        str, Meta(description="haiku, sonnet, opus or provider/name; else the type's own")
    ] = ""
    max_turns: (
        Annotated[int, Meta(description="How often it may answer; 20 if not given", ge=1, le=1_000)]
        | UnsetType
    ) = UNSET
    allowed_tools: (
        Annotated[
            list[str],
            Meta(description="Only these of its tools: Read, Bash(git:*)", max_length=100),
        ]
        | UnsetType
    ) = UNSET
    thoroughness: Annotated[
        Literal["", "quick", "medium", "very thorough"], Meta(description="How far explore looks")
    ] = ""
    run_in_background: Annotated[
        bool, Meta(description="Answer at once; TaskOutput has the outcome")
    ] = False
    resume: Annotated[
        str, Meta(description="The id of an earlier agent that should go on", max_length=200)
    ] = ""
    isolation: Annotated[
        Literal["", "worktree"], Meta(description="Work in a git worktree of its own")
    ] = ""


class TaskReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    agent_id: str = field(name="agentId")
    agent_type: str = ""
    response: str = ""
    status: str = "completed"
    turns: int = 0
    cost_usd: float = 0.0
    output_path: str = ""
    worktree: str = ""
    branch: str = ""


class Task(Tool[TaskInput]):
    name = "Task"
    summary = "Let a further agent do a piece of the work, here or in the background."
    permission = Permission.EXECUTE
    category = "agents"
    waits = True
    shares_repeats = False
    is_journalled = False
    output = TaskReport

    def acts(self, args: TaskInput, ctx: ToolContext) -> Acts:
        """Nothing: several may work at once, and each call of theirs is judged for itself."""
        if args.isolation:
            return Acts(runs=(f"git worktree add … # for the agent {args.subagent_type}",))
        return NOTHING

    def is_concurrency_safe(self, args: TaskInput) -> bool:
        return True

    def subject(self, args: TaskInput) -> str:
        return args.subagent_type

    async def validate(self, args: TaskInput, ctx: ToolContext) -> None:
        check(args)

    def preview(self, args: TaskInput, ctx: ToolContext) -> Preview:
        """Who would work, and on what. What cannot begin is not asked about."""
        check(args)
        if ctx.subagents is not None:
            ctx.subagents.check(order_of(args))
        return Preview(title=f"{args.subagent_type}: {args.description}", body=args.prompt)

    async def run(self, args: TaskInput, ctx: ToolContext) -> ToolResult:
        if ctx.subagents is None:
            return without_model(args)
        if args.run_in_background:
            ctx.tasks.check_room()
        work = ctx.subagents.start(order_of(args))
        ctx.metadata(agent_id=work.agent_id, title=args.description)
        if args.run_in_background:
            return left_to_work(work, args, ctx)
        return reported(await work.report())


def check(args: TaskInput) -> None:
    if not args.prompt.strip():  # vendors refuse it, and nobody would know why
        raise ToolError.of("subagent_no_task").coded(ErrorCode.INVALID_INPUT, prompt="")


def order_of(args: TaskInput) -> AgentOrder:
    return AgentOrder(
        agent_type=args.subagent_type,
        prompt=args.prompt,
        description=args.description,
        model=args.model,
        max_turns=None if args.max_turns is UNSET else args.max_turns,
        tools=None if args.allowed_tools is UNSET else tuple(args.allowed_tools),
        thoroughness=args.thoroughness,
        resume=args.resume,
        is_isolated=args.isolation == "worktree",
    )


def without_model(args: TaskInput) -> ToolResult:
    """Whoever called may have a model, and do it in our place (spec 3)."""
    problem = ToolError.of("subagent_none").coded(ErrorCode.TOOL_DISABLED)
    asked = {"subagent_type": args.subagent_type, "prompt": args.prompt}
    return replace(failure(problem), title=args.description, metadata={"error": NO_AGENT, **asked})


def left_to_work(work: AgentWork, args: TaskInput, ctx: ToolContext) -> ToolResult:
    ctx.tasks.add(work.agent_id, work, kind="agent", title=args.description, owner=ctx.agent_id)
    path = work.output.save()
    where = say("subagent_output_at", path=path) if path else say("subagent_output_nowhere")
    return ToolResult(
        title=args.description,
        value=TaskReport(
            agent_id=work.agent_id,
            agent_type=args.subagent_type,
            status="running",
            output_path=path,
        ),
        text=f"{say('subagent_started', id=work.agent_id)}\n{where}",
        metadata={
            "agent_id": work.agent_id,
            "agent_type": args.subagent_type,
            "task_id": work.agent_id,
            "output_path": path,
            "chain_id": ctx.chain_id,
            "depth": ctx.depth + 1,
        },
    )


def reported(report: AgentReport) -> ToolResult:
    """The agent's last message; how to go on with it, and where its changes are."""
    if report.subtype == "error_cancelled":
        raise asyncio.CancelledError
    notes = [say("subagent_resumable", id=report.agent_id)]
    if report.worktree:
        notes.append(say("subagent_worktree", path=report.worktree, branch=report.branch))
    result = ToolResult(
        value=output_of(report),
        text="\n\n".join([report.text or say("subagent_silent"), "\n".join(notes)]),
        metadata=facts(report),
    )
    if report.ok:
        return result
    problem = ToolError.of("subagent_failed", subtype=report.subtype, error=report.error)
    code = _CODES.get(report.subtype, ErrorCode.EXECUTION_ERROR)
    failed = failure(problem.coded(code, subtype=report.subtype))
    text = "\n\n".join([failed.text, result.text])
    return replace(result, error=failed.error, text=text)


def output_of(report: AgentReport) -> TaskReport:
    return TaskReport(
        agent_id=report.agent_id,
        agent_type=report.agent_type,
        response=report.text,
        status="completed" if report.ok else "failed",
        turns=report.turns,
        cost_usd=report.cost_usd,
        output_path=report.output_path,
        worktree=report.worktree,
        branch=report.branch,
    )


def facts(report: AgentReport) -> dict[str, Any]:
    place = {"worktree": report.worktree, "branch": report.branch, "left_out": report.left_out}
    return {
        "agent_id": report.agent_id,
        "agent_type": report.agent_type,
        "output_path": report.output_path,
        "model": report.model,
        "turns": report.turns,
        "cost_usd": report.cost_usd,
        "chain_id": report.chain_id,
        "depth": report.depth,
        **({key: value for key, value in place.items() if value} if report.worktree else {}),
    }
