# The public names, for type checkers: __init__.py loads each when it is used.
from ankrcode.agent.agent import Agent as Agent
from ankrcode.agent.answer import Answer as Answer
from ankrcode.app import Toolkit as Toolkit
from ankrcode.app import builtin_tools as builtin_tools
from ankrcode.errors import AnkrCodeError as AnkrCodeError
from ankrcode.errors import ErrorCode as ErrorCode
from ankrcode.errors import ErrorKind as ErrorKind
from ankrcode.errors import InvalidInput as InvalidInput
from ankrcode.errors import ProviderError as ProviderError
from ankrcode.errors import Refused as Refused
from ankrcode.errors import SettingsError as SettingsError
from ankrcode.errors import ToolError as ToolError
from ankrcode.errors import UsageError as UsageError
from ankrcode.protocol.acts import Acts as Acts
from ankrcode.protocol.approval import Approval as Approval
from ankrcode.protocol.approval import ApprovalAnswer as ApprovalAnswer
from ankrcode.protocol.approval import Preview as Preview
from ankrcode.protocol.call import ToolCall as ToolCall
from ankrcode.protocol.definition import Definition as Definition
from ankrcode.protocol.event import Event as Event
from ankrcode.protocol.permission import Mode as Mode
from ankrcode.protocol.permission import Permission as Permission
from ankrcode.protocol.result import Attachment as Attachment
from ankrcode.protocol.result import ErrorInfo as ErrorInfo
from ankrcode.protocol.result import ToolResult as ToolResult
from ankrcode.tooling.context import ToolContext as ToolContext
from ankrcode.tooling.function import tool as tool
from ankrcode.tooling.hooks import Hook as Hook
from ankrcode.tooling.hooks import HookAnswer as HookAnswer
from ankrcode.tooling.hooks.functions import hook as hook
from ankrcode.tooling.registry import Registry as Registry
from ankrcode.tooling.results import Cut as Cut
from ankrcode.tooling.schema import ToolInput as ToolInput
from ankrcode.tooling.state import ToolOptions as ToolOptions
from ankrcode.tooling.tool import Tool as Tool

__version__: str
