"""Between a call in the pipeline and the hooks of the settings."""

from typing import Any

import msgspec

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer
from ankrcode.tooling.hooks.engine import HookEngine
from ankrcode.tooling.hooks.events import HookEvent, mode_for_scripts
from ankrcode.tooling.person import QUESTION
from ankrcode.tooling.remarks import Remarks
from ankrcode.words import say


class EngineHook:
    """All hooks of an engine as one `Hook`."""

    def __init__(self, engine: HookEngine) -> None:
        self._engine = engine

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer:
        remarks = ctx.remarks = ctx.remarks or Remarks()
        answer = await self._engine.run(
            HookEvent.PRE_TOOL_USE, _facts(call, ctx), rewrites=remarks.rewritten
        )
        begun, self._engine.begun = self._engine.begun, SILENCE
        return msgspec.structs.replace(
            answer,
            context=(*begun.context, *answer.context),
            messages=(*begun.messages, *answer.messages),
            faults=(*begun.faults, *answer.faults),
        )

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> HookAnswer:
        facts = _facts(call, ctx) | {"tool_response": _response(call, result)}
        return await self._engine.run(HookEvent.POST_TOOL_USE, facts)

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> HookAnswer:
        assert result.error is not None  # it failed
        facts = _facts(call, ctx) | {"error": result.text, "is_interrupt": False}
        return await self._engine.run(HookEvent.POST_TOOL_USE_FAILURE, facts)

    async def asked(self, call: ToolCall, reason: str, ctx: ToolContext) -> HookAnswer:
        facts = _facts(call, ctx) | {"message": reason}
        return await self._engine.run(HookEvent.PERMISSION_REQUEST, facts)

    def notified(self, ctx: ToolContext, kind: str) -> None:
        key = "hook_question" if kind == QUESTION else "hook_notice"
        facts = _whereabouts(ctx) | {
            "message": say(key, tool=ctx.tool),
            "notification_type": kind,
        }
        self._engine.tell(HookEvent.NOTIFICATION, facts)


def _whereabouts(ctx: ToolContext) -> dict[str, Any]:
    """Where this agent is; a further agent also says who it is."""
    facts = {"cwd": ctx.cwd, "permission_mode": mode_for_scripts(ctx.mode)}
    return facts | {"agent_id": ctx.agent_id, "agent_type": ctx.agent} if ctx.depth else facts


def _facts(call: ToolCall, ctx: ToolContext) -> dict[str, Any]:
    return _whereabouts(ctx) | {
        "tool_name": call.name,
        "tool_input": call.arguments,
        "tool_use_id": call.id,
    }


def _response(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    """Always an object, with the names that published scripts look for."""
    value = msgspec.to_builtins(result.value, enc_hook=repr)
    response = value if isinstance(value, dict) else {"content": result.text}
    given = call.arguments if isinstance(call.arguments, dict) else {}
    if "file_path" in given:
        response = {"filePath": given["file_path"], **response}
    if isinstance(response.get("output"), str):
        response = {"stdout": response["output"], "stderr": "", "interrupted": False, **response}
    return {"success": True, **response}
