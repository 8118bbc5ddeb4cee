"""Calls found in a model's text while it streams: text goes on, calls become events.

What stands in a code block for the reader, or in a thought, is never a call; our own fence and the
marks that models were trained on are. Text is held back only as long as it may become one of them.
"""

import re
from collections.abc import Sequence

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
)
from ankrcode.providers.text.body import CallBody, NotACall
from ankrcode.providers.text.forms import (
    ACTION,
    BARE,
    FENCED,
    FORMS,
    INVENTED,
    NOISE,
    PROMPTED,
    Form,
)
from ankrcode.providers.wire import ToolSpec

_ENDINGS = {one for form in FORMS.values() for one in form.closing}
_MARKS = [one for one in {*FORMS, *NOISE, *INVENTED, *_ENDINGS} if not one.startswith("`")]
_LONGEST = max(map(len, _MARKS))
_ANYWHERE = "|".join(re.escape(mark) for mark in sorted(_MARKS))
_AT_LINE_START = r"^[ \t]*(?:`{3,}|~{3,}|\{|>>>|<think(?:ing)?>|Action:|Observation:)"
_INTERESTING = re.compile(f"(?P<mark>{_ANYWHERE})|(?P<line>{_AT_LINE_START})", re.MULTILINE)
_LINE_MARKS = ("```", "~~~", ">>>", "<thinking>", "Action:", "Observation:")
_OWN = re.compile(r"[ \t]*```(?:tool|tool_calls?)(?=[\s{\[])[^\S\n]*\n?")
_INVENTED_FENCE = re.compile(r"[ \t]*```(?:tool_)?(?:result|response|output)")
_INFO_CHARS = 40  # a fence whose line is longer is none of ours
_BARE_KEYS = "name|tool|tool_name|function|type|id|tool_calls|arguments|parameters"
_BARE = re.compile(rf"\{{\s*\"(?:{_BARE_KEYS})\"\s*:")
_BARE_SO_FAR = re.compile(r"\{\s*(?:\"\w{0,12}(?:\"\s*)?)?")
_PROMPTED = re.compile(r">>>([\w.-]{1,64})\n(?=\s*\{)")
_PROMPTED_SO_FAR = re.compile(r">>>(?:[\w.-]{1,64}(?:\n\s*)?)?")
_ACTION = re.compile(r"Action:[ \t]*([\w.-]{1,64})[ \t]*\n[ \t]*Action Input:(?=\s*\{)")
_ACTION_SO_FAR = re.compile(
    r"Action:[ \t]*(?:[\w.-]{1,64}[ \t]*(?:\n[ \t]*[ActionIpu]{0,6}(?: [Input]{0,5})?:?\s*)?)?"
)
_THOUGHT_END = re.compile(r"</think(?:ing)?>")


class TextCalls:
    """Text in, events out. `closed` counts the calls that became whole."""

    def __init__(self, tools: Sequence[ToolSpec], *, first_index: int = 0) -> None:
        self.closed = 0
        self.broken = 0
        self._tools = {tool.name.casefold(): tool for tool in tools}
        self._held = ""
        self._inside: list[str] = []  # of a long call; put together when it ends
        self._events: list[AnyStreamEvent] = []
        self._is_line_start = True
        self._last = ""  # the last letter that was told
        self._drops_blanks = False  # after a call or a thought they are nobody's
        self._is_muted = False
        self._is_thought = False
        self._fence = ""  # that of the code block we are in
        self._body: CallBody | None = None
        self._opening = ""
        self._index = first_index

    @property
    def is_at_call(self) -> bool:
        """Has our own fence just been opened, so that only a call can follow?"""
        return self._body is not None and self._body.form is FENCED and not self._held

    def feed(self, text: str) -> list[AnyStreamEvent]:
        if self._body is not None and self._body.absorb(text):
            self._inside.append(text)
            return []
        self._gather(text)
        return self._run(is_final=False)

    def end(self) -> list[AnyStreamEvent]:
        """Nothing more comes: what was held back, and what broke off."""
        self._gather("")
        events = self._run(is_final=True)
        if self._is_thought:
            self._is_thought = False
            events.append(ThinkingClosed())
        return events

    def _gather(self, text: str) -> None:
        self._held = "".join((self._held, *self._inside, text))
        self._inside.clear()

    def _run(self, *, is_final: bool) -> list[AnyStreamEvent]:
        self._events = []
        while self._held or (is_final and self._body):
            if not self._step(is_final=is_final):
                break
        return self._events

    def _step(self, *, is_final: bool) -> bool:
        """One step further; False where more is needed."""
        if self._is_muted:
            self._held = ""
            return False
        if self._body is not None:
            return self._in_body(self._body, is_final=is_final)
        if self._is_thought:
            return self._in_thought(is_final=is_final)
        if self._fence:
            return self._in_code(is_final=is_final)
        return self._in_text(is_final=is_final)

    # ── text for people ───────────────────────────────────────────────────────────────────────
    def _in_text(self, *, is_final: bool) -> bool:
        found = self._next_mark()
        if found is None:
            self._tell(len(self._held) if is_final else self._safe())
            return False
        self._tell(found.start())
        if found["mark"]:
            return self._at_mark(found["mark"], is_final=is_final)
        return self._at_line(found["line"].lstrip(), is_final=is_final)

    def _next_mark(self) -> re.Match[str] | None:
        for found in _INTERESTING.finditer(self._held):
            if found["mark"]:
                before = self._held[found.start() - 1] if found.start() else self._last
                if before != "`":  # else it is quoted, not said
                    return found
            elif found.start() or self._is_line_start:
                return found
        return None

    def _safe(self) -> int:
        """How much of what is held cannot be the beginning of a mark."""
        held = self._held
        line = held.rfind("\n") + 1
        begun = held[line:].lstrip(" \t")
        if (line or self._is_line_start) and any(one.startswith(begun) for one in _LINE_MARKS):
            return line
        for at in range(max(0, len(held) - _LONGEST), len(held)):
            if held[at] in "<[" and any(mark.startswith(held[at:]) for mark in _MARKS):
                return at
        return len(held)

    def _at_mark(self, mark: str, *, is_final: bool) -> bool:
        if mark in FORMS:
            self._enter(FORMS[mark], len(mark))
        elif mark in INVENTED and self.closed:
            self._is_muted = True
        elif self.closed or self.broken:
            self._held, self._drops_blanks = self._held[len(mark) :], True
        elif mark in NOISE:
            return self._before_calls(mark, is_final=is_final)
        else:
            self._tell(len(mark))
        return True

    def _before_calls(self, mark: str, *, is_final: bool) -> bool:
        """A mark around calls is nobody's text only if a call follows it."""
        after = self._held[len(mark) :].lstrip()
        if any(after.startswith(form) for form in FORMS):
            self._held = after
        elif not is_final and any(form.startswith(after) for form in FORMS):
            return False
        else:
            self._tell(len(mark))
        return True

    def _at_line(self, mark: str, *, is_final: bool) -> bool:
        if mark == "Observation:" and self.closed:
            self._is_muted = True
            return True
        if mark == "Observation:":
            self._tell(self._held.index(mark) + len(mark))
            return True
        if mark.startswith("<"):
            self._held = self._held.lstrip()[len(mark) :]
            self._is_thought = True
            return True
        if mark == "{":
            return self._maybe(BARE, _BARE, _BARE_SO_FAR, is_final=is_final)
        if mark == ">>>":
            return self._maybe(PROMPTED, _PROMPTED, _PROMPTED_SO_FAR, is_final=is_final)
        if mark == "Action:":
            return self._maybe(ACTION, _ACTION, _ACTION_SO_FAR, is_final=is_final)
        return self._at_fence(mark, is_final=is_final)

    def _maybe(
        self, form: Form, whole: re.Pattern[str], so_far: re.Pattern[str], *, is_final: bool
    ) -> bool:
        """A form that counts only with a tool that is known."""
        lead = len(self._held) - len(self._held.lstrip(" \t"))
        opening = 0 if form is BARE else len(form.opening)
        found = whole.match(self._held, lead)
        if found and (form is BARE or found[1].casefold() in self._tools):
            self._enter(form, lead + opening)
        elif not found and not is_final and so_far.fullmatch(self._held, lead):
            return False
        else:
            self._tell(lead + len(form.opening))
        return True

    def _at_fence(self, mark: str, *, is_final: bool) -> bool:
        line, newline, _ = self._held.partition("\n")
        lead = len(line) - len(line.lstrip(" \t"))
        if not newline and not is_final and len(line) < lead + _INFO_CHARS:
            return False
        if own := _OWN.match(self._held):
            self._enter(FENCED, own.end())
        elif self.closed and _INVENTED_FENCE.match(line):
            self._is_muted = True
        elif mark[0] == "`" and "`" in line[lead + len(mark) : lead + _INFO_CHARS]:
            self._tell(lead + len(mark))  # code within a line
        else:
            self._fence = mark
            self._tell(len(line) + len(newline))
        return True

    # ── code and thoughts ─────────────────────────────────────────────────────────────────────
    def _in_code(self, *, is_final: bool) -> bool:
        """As it is, up to the line that ends the block."""
        end = re.compile(rf"^[ \t]*{self._fence[0]}{{{len(self._fence)},}}[ \t]*(\n|\Z)", re.M)
        for found in end.finditer(self._held):
            if not (found.start() or self._is_line_start):
                continue
            if not found[1] and not is_final:
                break
            self._tell(found.end())
            self._fence = ""
            return True
        line = self._held.rfind("\n") + 1
        may_end = (line or self._is_line_start) and not self._held[line:].strip(" \t`~")
        self._tell(line if may_end and not is_final else len(self._held))
        return False

    def _in_thought(self, *, is_final: bool) -> bool:
        found = _THOUGHT_END.search(self._held)
        at = found.start() if found else len(self._held)
        if found is None and not is_final:
            tail = self._held.rfind("<")
            at = tail if tail >= 0 and "</thinking>".startswith(self._held[tail:]) else at
        if at:
            self._events.append(ThinkingGrew(text=self._held[:at]))
        self._held = self._held[found.end() if found else at :]
        if found is None:
            return False
        self._events.append(ThinkingClosed())
        self._is_thought, self._is_line_start, self._drops_blanks = False, True, True
        return True

    # ── calls ─────────────────────────────────────────────────────────────────────────────────
    def _enter(self, form: Form, length: int) -> None:
        self._opening, self._held = self._held[:length], self._held[length:]
        self._body = CallBody(form, self._tools, self._index)

    def _in_body(self, body: CallBody, *, is_final: bool) -> bool:
        try:
            consumed, events = body.step(self._held, is_final=is_final)
        except NotACall as text:
            self._leave_as_text(body.form, text.length)
            return True
        self._held = self._held[consumed:]
        self._events += events
        self.closed += sum(isinstance(event, CallClosed) for event in events)
        self.broken += sum(isinstance(event, CallBroken) for event in events)
        self._index = body.next_index
        if body.is_over:
            self._body, self._is_line_start, self._drops_blanks = None, True, True
        return not body.is_waiting

    def _leave_as_text(self, form: Form, length: int) -> None:
        """It was no call: its opening is said after all, and what follows is looked at anew."""
        self._body = None
        self._held = self._opening + self._held
        if form is FENCED:
            self._fence = "```"
        self._tell(len(self._opening) + length)

    def _tell(self, length: int) -> None:
        text, self._held = self._held[:length], self._held[length:]
        if text:
            self._is_line_start, self._last = text.endswith("\n"), text[-1]
        if self._drops_blanks:
            text = text.lstrip()
        if text:
            self._drops_blanks = False
            self._events.append(TextGrew(text=text))
