"""How each vendor of Chat Completions is asked to think."""

from typing import Any

from ankrcode.providers.wire import Options, Target
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.efforts import effort_of, thinking_budget


def asked_thinking(options: Options, target: Target) -> dict[str, Any]:
    """Fields of the request; none where nothing was asked for."""
    budget, effort = thinking_budget(options), effort_of(options)
    its = target.quirks
    if budget is None or quirks.NO_EFFORT in its:
        return {}
    thinks = budget > 0
    if quirks.EFFORT_OBJECT in its:
        if options.max_thinking_tokens:
            return {"reasoning": {"max_tokens": options.max_thinking_tokens}}
        return {"reasoning": {"effort": effort} if thinks else {"enabled": False}}
    if quirks.THINKING_SWITCH in its:
        return {"thinking": {"type": "enabled" if thinks else "disabled"}}
    if quirks.ENABLE_THINKING in its:
        limit = {"thinking_budget": budget} if thinks else {}
        return {"enable_thinking": thinks, **limit}
    return {"reasoning_effort": effort if thinks else "none"}
