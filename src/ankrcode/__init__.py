"""AnkrCode: the tool system for coding agents. These are its public names; each loads when used.

Nothing is imported here that start-up would pay for, not even `typing`.
"""

from importlib import import_module

from ankrcode.version import __version__

_PLACES = {
    "Agent": "agent.agent",
    "Answer": "agent.answer",
    "Toolkit": "app",
    "builtin_tools": "app",
    "Tool": "tooling.tool",
    "ToolInput": "tooling.schema",
    "ToolContext": "tooling.context",
    "ToolOptions": "tooling.state",
    "Registry": "tooling.registry",
    "tool": "tooling.function",
    "Hook": "tooling.hooks",
    "HookAnswer": "tooling.hooks",
    "hook": "tooling.hooks.functions",
    "Cut": "tooling.results",
    "Acts": "protocol.acts",
    "Approval": "protocol.approval",
    "ApprovalAnswer": "protocol.approval",
    "Preview": "protocol.approval",
    "ToolCall": "protocol.call",
    "Definition": "protocol.definition",
    "Event": "protocol.event",
    "Options": "providers.wire",
    "Settings": "config.settings",
    "Mode": "protocol.permission",
    "Permission": "protocol.permission",
    "Attachment": "protocol.result",
    "ErrorInfo": "protocol.result",
    "ToolResult": "protocol.result",
    "AnkrCodeError": "errors",
    "ErrorCode": "errors",
    "ErrorKind": "errors",
    "InvalidInput": "errors",
    "ProviderError": "errors",
    "Refused": "errors",
    "SessionError": "errors",
    "SettingsError": "errors",
    "ToolError": "errors",
    "UsageError": "errors",
}

__all__ = [*_PLACES, "__version__"]  # noqa: PLE0604 - names, by construction


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'ankrcode' has no attribute {name!r}")
    value = getattr(import_module(f"ankrcode.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
