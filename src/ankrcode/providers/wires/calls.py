"""Calls while they arrive: opened, growing, and closed only when whole.

A strict beginning of an object is never itself an object, so arguments that parse cannot be half.
The one trap is no text at all: it means `{}` only once something shows that the call was not cut.
"""

from collections.abc import Callable, Hashable
from typing import Any

import msgspec

from ankrcode.protocol.stream import AnyStreamEvent, CallBroken, CallClosed, CallGrew, CallOpened
from ankrcode.providers.wires.halves import Halves

NOT_WHOLE = "The arguments are not one whole JSON object."
CUT_SHORT = "The answer ended before the call was whole."
NAMELESS = "The call names no tool."
AT_ODDS = "The call came twice, with different arguments."


class Call:
    """One call on its way."""

    __slots__ = ("halves", "id", "index", "is_shut", "is_told", "name", "pieces", "signature")

    def __init__(self, call_id: str, name: str, signature: str) -> None:
        self.index = -1  # given when it is told of
        self.id = call_id
        self.name = name
        self.signature = signature
        self.pieces: list[str] = []
        self.halves = Halves()
        self.is_told = False
        self.is_shut = False  # the wire closed it, and there was nothing in it

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def is_empty(self) -> bool:
        return not any(piece.strip() for piece in self.pieces)

    def arguments(self) -> dict[str, Any] | None:
        """None unless they are one whole object."""
        return whole_object(self.text)


def whole_object(text: str) -> dict[str, Any] | None:
    """The object this text is; no text and `null` are the empty one."""
    text = text.strip()
    if not text or text == "null":
        return {}
    if text[0] != "{" or text[-1] != "}":
        return None
    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class Calls:
    """The calls of one answer; what happens to them is added to its events."""

    def __init__(self, events: list[AnyStreamEvent]) -> None:
        self._events = events
        self._open: dict[Hashable, Call] = {}
        self._told = self._made_up = 0
        self.closed = 0
        self._over: dict[Hashable, str] = {}  # what closed calls said
        self.meant: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None
        self.are_shut_by_wire = False  # it says of each call that it is over
        self.seed = ""  # of ids for calls that come without one

    def get(self, key: Hashable) -> Call | None:
        return self._open.get(key)

    def over(self, key: Hashable) -> str:
        """What the last call under this key said, if it is closed."""
        return self._over.get(key, "")

    @property
    def are_open(self) -> bool:
        return bool(self._open)

    def open(self, key: Hashable, call_id: str, name: str, signature: str = "") -> None:
        """A call begins, so that those before it have ended if they are whole."""
        self.settle()
        self._supersede(key)
        call = Call(call_id or self._made_up_id(), name, signature)
        self._open[key] = call
        if name:
            self._tell(call)

    def _supersede(self, key: Hashable) -> None:
        """Another begins in its place: what says nothing there was not whole."""
        call = self._open.get(key)
        if call is not None and self.are_shut_by_wire and call.is_empty:
            self.break_off(key, CUT_SHORT)
        else:
            self.close(key)

    def name(self, key: Hashable, call_id: str, name: str) -> None:
        """A name or an id that comes late, or a name in pieces."""
        call = self._open.get(key)
        if call is None:
            return
        if call_id and not call.is_told:
            call.id = call_id
        if name and name != call.name and call.is_empty:
            call.name += name
            self._tell(call)

    def grow(self, key: Hashable, text: str) -> None:
        call = self._open.get(key)
        if call is None or not text:
            return
        self._tell(call)
        text = call.halves.join(text)
        call.pieces.append(text)
        self._events.append(CallGrew(index=call.index, text=text))

    def shut(self, key: Hashable) -> None:
        """The wire closed it. Without arguments it waits for a sign that it was not cut there."""
        call = self._open.get(key)
        if call is not None and call.is_empty:
            call.is_shut = True
        else:
            self.close(key)

    def close(self, key: Hashable) -> None:
        """It will not grow any more, and was not cut."""
        call = self._open.pop(key, None)
        if call is None:
            return
        self._tell(call)
        arguments = call.arguments()
        if arguments is None or not call.name:
            self._broken(call, NOT_WHOLE if call.name else NAMELESS)
            return
        if self.meant is not None:
            arguments = self.meant(call.name, arguments)
        self.closed += 1
        self._over[key] = call.text
        self._events.append(
            CallClosed(
                index=call.index,
                id=call.id,
                name=call.name,
                arguments=arguments,
                signature=call.signature,
            )
        )

    def settle(self) -> None:
        """Something else began: whatever is whole by now is closed, the rest may go on."""
        for key, call in list(self._open.items()):
            if call.is_shut or (call.name and not call.is_empty and call.arguments() is not None):
                self.close(key)

    def finish(self, *, is_over: bool) -> None:
        """The answer ends as it should: what is open is whole, or never will be once it is over."""
        for key, call in list(self._open.items()):
            is_cut = self.are_shut_by_wire and call.is_empty and not call.is_shut
            if not is_cut and call.arguments() is not None:
                self.close(key)
            elif is_over:
                self.break_off(key, CUT_SHORT if is_cut else NOT_WHOLE)

    def break_off(self, key: Hashable, why: str) -> None:
        call = self._open.pop(key, None)
        if call is not None:
            self._broken(call, why)

    def break_all(self, why: str = CUT_SHORT) -> None:
        for key in list(self._open):
            self.break_off(key, why)

    def _tell(self, call: Call) -> None:
        if not call.is_told:
            call.is_told = True
            call.index = self._told
            self._told += 1
            self._events.append(CallOpened(index=call.index, id=call.id, name=call.name))

    def _broken(self, call: Call, why: str) -> None:
        self._tell(call)
        self._events.append(
            CallBroken(index=call.index, id=call.id, name=call.name, text=call.text, why=why)
        )

    def _made_up_id(self) -> str:
        """The same for the same answer, another for each other one."""
        from binascii import crc32

        if not self.seed:
            import os

            self.seed = os.urandom(8).hex()
        self._made_up += 1
        return f"call_{crc32(self.seed.encode()):08x}_{self._made_up}"
