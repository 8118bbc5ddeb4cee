"""Every error of AnkrCode, as one tree.

AnkrCodeError
├── ToolError           a tool call failed; becomes the one error result of that call
│   ├── InvalidInput    the arguments do not fit the tool's schema; lists every fault
│   └── Refused         a rule, a mode, a hook or the person said no
├── UsageError          the command line or the Python API was used wrongly
│   └── ModeError       there is no such mode
├── SettingsError       a settings file or key is wrong
├── SessionError        a session cannot be found, read, written or locked
└── ProviderError       no model, no key, or the provider failed for good

A `ToolError` carries a `code` (what went wrong, for programs), a `kind` (whose fault it is),
a `message` (what happened), a `suggestion` (what to do) and `details` (data). Messages of our own
come from the catalogue in `ankrcode.words`: they also carry `key` and `values`, so that a front
end can say the same in another language. Text for the model stays English.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from ankrcode.words import advice, say


class ErrorKind(StrEnum):
    """Whose fault it is, and so who can mend it (the error types of spec 1)."""

    VALIDATION = "validation_error"
    USER = "user_error"
    SYSTEM = "system_error"
    PERMISSION = "permission_error"
    SECURITY = "security_error"


class ErrorCode(StrEnum):
    """What went wrong. Stable: scripts, rules and dialects rely on these names."""

    # the call itself
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    INVALID_INPUT = "INVALID_INPUT"
    INVALID_PATH = "INVALID_PATH"
    # the world as the person left it
    FILE_NOT_FOUND = "FILE_NOT_FOUND"
    IS_A_DIRECTORY = "IS_A_DIRECTORY"
    NOT_A_DIRECTORY = "NOT_A_DIRECTORY"
    NOT_TEXT = "NOT_TEXT"
    TOO_LARGE = "TOO_LARGE"
    NOT_READ = "NOT_READ"
    CHANGED_SINCE_READ = "CHANGED_SINCE_READ"
    TEXT_NOT_FOUND = "TEXT_NOT_FOUND"
    TEXT_NOT_UNIQUE = "TEXT_NOT_UNIQUE"
    # not allowed
    PERMISSION_DENIED = "PERMISSION_DENIED"
    TOOL_DISABLED = "TOOL_DISABLED"
    BLOCKED = "BLOCKED"
    SANDBOX_MISSING = "SANDBOX_MISSING"
    # the run
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    INTERRUPTED = "INTERRUPTED"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    REPEATED_FAILURE = "REPEATED_FAILURE"
    IO_ERROR = "IO_ERROR"

    @property
    def kind(self) -> ErrorKind:
        return _KINDS.get(self, ErrorKind.USER)


_KINDS = {
    ErrorCode.UNKNOWN_TOOL: ErrorKind.VALIDATION,
    ErrorCode.INVALID_INPUT: ErrorKind.VALIDATION,
    ErrorCode.INVALID_PATH: ErrorKind.VALIDATION,
    ErrorCode.PERMISSION_DENIED: ErrorKind.PERMISSION,
    ErrorCode.TOOL_DISABLED: ErrorKind.PERMISSION,
    ErrorCode.BLOCKED: ErrorKind.SECURITY,
    ErrorCode.SANDBOX_MISSING: ErrorKind.SECURITY,
    ErrorCode.TIMEOUT: ErrorKind.SYSTEM,
    ErrorCode.CANCELLED: ErrorKind.SYSTEM,
    ErrorCode.INTERRUPTED: ErrorKind.SYSTEM,
    ErrorCode.EXECUTION_ERROR: ErrorKind.SYSTEM,
    ErrorCode.REPEATED_FAILURE: ErrorKind.SYSTEM,
    ErrorCode.IO_ERROR: ErrorKind.SYSTEM,
}


class AnkrCodeError(Exception):
    """The root: `except AnkrCodeError` catches everything this package raises on purpose."""

    def __init__(
        self,
        message: str,
        *,
        suggestion: str = "",
        key: str = "",
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.key = key
        self.values = dict(values or {})

    @classmethod
    def of(cls, key: str, /, **values: Any) -> Self:
        """Build the error from the catalogue: message and suggestion by `key` and named values."""
        return cls(say(key, **values), suggestion=advice(key, **values), key=key, values=values)

    def __str__(self) -> str:
        return f"{self.message} {self.suggestion}".rstrip()


class ToolError(AnkrCodeError):
    """Raise it in a tool: the model and the person see what happened and what to do."""

    default_code = ErrorCode.EXECUTION_ERROR

    def __init__(
        self,
        message: str,
        *,
        code: ErrorCode | None = None,
        kind: ErrorKind | None = None,
        suggestion: str = "",
        details: Mapping[str, Any] | None = None,
        key: str = "",
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, suggestion=suggestion, key=key, values=values)
        self.code = code or self.default_code
        self.kind = kind or self.code.kind
        self.details = dict(details or {})

    def coded(self, code: ErrorCode, **details: Any) -> Self:
        """The same error under another code, with data for programs."""
        self.code, self.kind = code, code.kind
        self.details.update(details)
        return self


class InvalidInput(ToolError):
    """The arguments do not fit; `details["faults"]` lists every fault."""

    default_code = ErrorCode.INVALID_INPUT


class Refused(ToolError):
    """A rule, a mode, a hook or the person said no."""

    default_code = ErrorCode.PERMISSION_DENIED


class UsageError(AnkrCodeError):
    """The command line or the Python API was used wrongly; nothing was run."""


class ModeError(UsageError, ValueError):
    """There is no such mode; a `ValueError` too, as of any enum."""


class SettingsError(AnkrCodeError):
    """A settings file or key is wrong; the message names the file, the key and what fits."""


class SessionError(AnkrCodeError):
    """A session cannot be found, read, written or locked; what was recorded before is intact."""


class ProviderError(AnkrCodeError):
    """No model, no key, or the provider failed for good; the message says what to set."""
