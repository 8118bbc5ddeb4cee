"""The inside of a call that a model writes as text: from where its form begins to its end.

A call is closed when its last bracket or tag is there and everything within can be read; what
breaks off or cannot be read is told as broken, and never runs.
"""

import os
import re
from collections.abc import Mapping

import msgspec

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
)
from ankrcode.providers.text.forms import (
    BARE,
    FORMS,
    Form,
    Written,
    name_in_header,
    named_early,
    read_call,
    read_tags,
)
from ankrcode.providers.text.loose_json import Balance
from ankrcode.providers.wire import ToolSpec

_HEADER_CHARS = 300
_BODY_CHARS = 8_000_000
_BEGINNING = re.compile(r"\{|<parameter[=\s]|<arg_key>|<function=")
_BETWEEN = re.compile(r"[\s,;\]}]*")

Tools = Mapping[str, ToolSpec]  # by name, in lower case


class NotACall(Exception):
    """It only looked like the beginning of a call: it is text, and so is this much after it."""

    def __init__(self, length: int = 0) -> None:
        super().__init__()
        self.length = length


class CallBody:
    """What stands between the opening of a form and its end, one step at a time."""

    def __init__(self, form: Form, tools: Tools, index: int) -> None:
        self.form = form
        self.next_index = index
        self.is_over = False
        self.is_waiting = False  # more is needed
        self._tools = tools
        self._header = ""  # a name that stands before the arguments
        self._balance: Balance | None = None
        self._scanned = 0  # so much of the object was looked at
        self._end = -1  # where it ends
        self._tags = False
        self._opened: CallOpened | None = None
        self._read = 0  # objects so far

    def step(self, held: str, *, is_final: bool) -> tuple[int, list[AnyStreamEvent]]:
        """Given what was not done with so far: how much of it is now, and what that says."""
        self.is_waiting = False
        if self._tags:
            return self._through_tags(held, is_final=is_final)
        if self._balance is not None:
            return self._through_object(held, is_final=is_final)
        if self._read:
            return self._after_object(held, is_final=is_final)
        return self._before_object(held, is_final=is_final)

    # ── before the arguments ──────────────────────────────────────────────────────────────────
    def _before_object(self, held: str, *, is_final: bool) -> tuple[int, list[AnyStreamEvent]]:
        beginning = _BEGINNING.search(held)
        ending, _ = self._closing(held)
        if beginning is None and ending < 0:
            if is_final or len(held.strip()) > _HEADER_CHARS:
                raise NotACall
            return self._wait()
        at = ending if beginning is None or 0 <= ending < beginning.start() else beginning.start()
        name = name_in_header(held[:at])
        if name is None:
            raise NotACall
        if beginning is not None and beginning.start() == at:
            return self._begin(beginning, name)
        if not name or not self.form.names_first:
            raise NotACall  # nothing between opening and end
        self._tags, self._header = True, name
        return at, self._open(name)

    def _begin(self, beginning: re.Match[str], name: str) -> tuple[int, list[AnyStreamEvent]]:
        self._header = name
        if beginning[0] == "{":
            self._balance = Balance()
        elif not name and beginning[0] == "<function=":  # one form within another
            self.form = FORMS["<function="]
            return beginning.end(), []
        elif name and beginning[0] != "<function=":
            self._tags = True
        else:
            raise NotACall
        return beginning.start(), self._open(name) if name else []

    # ── the arguments ─────────────────────────────────────────────────────────────────────────
    def absorb(self, text: str) -> bool:
        """Is this only more of the object's inside? Then nothing need be put together yet."""
        is_told = self._opened is not None or self.form is BARE
        if self._balance is None or not is_told or self._scanned > _BODY_CHARS:
            return False
        self._look(text)
        return self._end < 0

    def _look(self, text: str) -> None:
        assert self._balance is not None
        end = self._balance.feed(text)
        self._end = self._scanned + end if end >= 0 else -1
        self._scanned += len(text)

    def _through_object(self, held: str, *, is_final: bool) -> tuple[int, list[AnyStreamEvent]]:
        if self._end < 0:
            self._look(held[self._scanned :])
        if self._end >= 0:
            end, self._balance, self._scanned, self._end = self._end, None, 0, -1
            self._read += 1
            return end, self._object(held[:end])
        if is_final or len(held) > _BODY_CHARS:
            if self.form is BARE:
                raise NotACall(len(held))
            self.is_over = True
            return len(held), self._broken(held, "it breaks off")
        name = "" if self.form is BARE else named_early(held)
        return self._wait(self._open(name) if name else [])

    def _object(self, text: str) -> list[AnyStreamEvent]:
        try:
            calls = read_call(text, self._header)
        except ValueError as problem:
            if self.form is BARE:
                raise NotACall(len(text)) from None
            early = self._open(named_early(text)) if named_early(text) else []
            return [*early, *self._broken(text, str(problem))]
        if self.form is BARE and not all(one.name.casefold() in self._tools for one in calls):
            raise NotACall(len(text))
        return [event for call in calls for event in self._whole(call)]

    def _through_tags(self, held: str, *, is_final: bool) -> tuple[int, list[AnyStreamEvent]]:
        assert self._header
        at, closing = self._closing(held)
        if at < 0 and not is_final and len(held) <= _BODY_CHARS:
            return self._wait()
        self.is_over = True
        if at < 0:
            return len(held), self._broken(held, "it breaks off")
        try:
            arguments = read_tags(held[:at], self._tools.get(self._header.casefold()))
        except ValueError as problem:
            return at + len(closing), self._broken(held[:at], str(problem))
        return at + len(closing), self._whole(Written(self._header, arguments))

    # ── after them ────────────────────────────────────────────────────────────────────────────
    def _after_object(self, held: str, *, is_final: bool) -> tuple[int, list[AnyStreamEvent]]:
        between = _BETWEEN.match(held)
        start = between.end() if between else 0
        rest = held[start:]
        for closing in self.form.closing:
            if rest.startswith(closing):
                self.is_over = True
                return start + len(closing), []
        if rest.startswith("{"):
            self._balance, self._header = Balance(), ""
            return start, []
        if not is_final and any(one.startswith(rest) for one in self.form.closing or ("{",)):
            return self._wait()
        self.is_over = True
        return start, []

    def _closing(self, held: str) -> tuple[int, str]:
        """Where the form ends, and with which word; (-1, "") where it does not."""
        found = [(at, one) for one in self.form.closing if (at := held.find(one)) >= 0]
        return min(found, default=(-1, ""))

    def _wait(self, events: list[AnyStreamEvent] | None = None) -> tuple[int, list[AnyStreamEvent]]:
        self.is_waiting = True
        return 0, events or []

    # ── what is told ──────────────────────────────────────────────────────────────────────────
    def _open(self, name: str) -> list[AnyStreamEvent]:
        if self._opened is not None:
            return []
        self._opened = self._new(self._real(name))
        return [self._opened]

    def _whole(self, call: Written) -> list[AnyStreamEvent]:
        events = self._open(call.name)
        opened, self._opened = self._opened, None
        assert opened is not None
        if opened.name != self._real(call.name):
            self._opened = opened
            return self._broken(opened.name, "it has two names")
        said = msgspec.json.encode(call.arguments).decode()
        events.append(CallGrew(index=opened.index, text=said))
        closed = CallClosed(
            index=opened.index, id=opened.id, name=opened.name, arguments=call.arguments
        )
        return [*events, closed]

    def _broken(self, text: str, why: str) -> list[AnyStreamEvent]:
        opened, self._opened = self._opened or self._new(""), None
        return [CallBroken(index=opened.index, id=opened.id, name=opened.name, text=text, why=why)]

    def _new(self, name: str) -> CallOpened:
        self.next_index += 1
        return CallOpened(index=self.next_index - 1, id=f"call_{os.urandom(6).hex()}", name=name)

    def _real(self, name: str) -> str:
        """As the tool spells it; a name that no tool has stays as it is."""
        spec = self._tools.get(name.casefold())
        return spec.name if spec else name
