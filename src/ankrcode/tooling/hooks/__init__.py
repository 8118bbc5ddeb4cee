"""Points where others may look at a call and change its course: scripts and functions."""

from ankrcode.tooling.hooks.answer import HookAnswer as HookAnswer
from ankrcode.tooling.hooks.chain import Hook as Hook
from ankrcode.tooling.hooks.chain import HookChain as HookChain
