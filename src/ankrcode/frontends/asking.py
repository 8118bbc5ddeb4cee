"""One plain question on a terminal: what would run, why it is asked, yes or no in six languages."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ankrcode.errors import ToolError
from ankrcode.permissions.visible import visible
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.rocketlang.answers import answered
from ankrcode.tooling.questions import choices
from ankrcode.words import say

Ask = Callable[[str], str]
_SHOWN_LINES = 60
_MOST_DIGITS = 3


class Terminal:
    """Asks the person in front of it. `ask` prints a question and returns the line typed."""

    def __init__(self, ask: Ask | None = None, language: str = "en") -> None:
        self._ask = ask or _typed
        self.language = language

    async def approve(self, approval: Approval) -> ApprovalAnswer:
        """The approver for calls that nobody has stated word for word."""
        shown = approval.preview.title if approval.preview is not None else approval.tool
        print(say("ask_run", language=self.language, what=visible(shown)))
        body = visible(approval.preview.body if approval.preview is not None else approval.text)
        lines = [line for line in body.split("\n") if line and line != shown]
        for line in lines[:_SHOWN_LINES]:
            print(f"  {line}")
        if len(lines) > _SHOWN_LINES:
            print(say("changes_more", count=len(lines) - _SHOWN_LINES))
        print(say("ask_why", language=self.language, reason=approval.reason))
        return ApprovalAnswer(approved=self.agrees(say("ask_answer", language=self.language)))

    async def answer(self, question: Question) -> QuestionAnswer:
        """A number, several where that makes sense, or words of the person's own."""
        print(visible(question.question))
        for number, choice in enumerate(choices(question), start=1):
            print(f"  {number}. {visible(choice)}")
        picked = chosen(question, self._typed_line("ask_choice"))
        if picked is None:
            picked = (self._typed_line("ask_own_words").strip(),)
        return QuestionAnswer(question_id=question.id, chosen=picked)

    def _typed_line(self, key: str) -> str:
        with interruptible():
            try:
                return self._ask(f"{say(key, language=self.language)} ")
            except (EOFError, KeyboardInterrupt):
                print()
                raise ToolError.of("question_unanswered") from None

    def agrees(self, question: str) -> bool:
        """A yes; whatever else is said, or nothing, is a no."""
        with interruptible():
            try:
                said = self._ask(f"{question} ")
            except (EOFError, KeyboardInterrupt):
                print()
                return False
        answer = answered(said)
        if answer is None and said.strip():
            print(say("ask_unknown", language=self.language))
        return answer is True


def chosen(question: Question, said: str) -> tuple[str, ...] | None:
    """The labels that were meant by their numbers; anything else is an answer as it stands.

    None: the last line was chosen, so the answer is still to be typed.
    """
    words = said.replace(",", " ").split()
    labels = [option.label for option in question.options]
    if not words or not all(map(_is_short_number, words)):
        return (said.strip(),)
    numbers = [int(one) for one in words]
    is_one_too_many = len(numbers) > 1 and not question.multi_select
    if is_one_too_many or not all(0 < one <= len(labels) + 1 for one in numbers):
        return (said.strip(),)
    if len(labels) + 1 in numbers:
        return None
    return tuple(dict.fromkeys(labels[one - 1] for one in numbers))


def _is_short_number(word: str) -> bool:
    return word.isdecimal() and len(word) <= _MOST_DIGITS


def _typed(question: str) -> str:
    sys.stdout.flush()
    return input(question)


@contextmanager
def interruptible() -> Iterator[None]:
    """While a line is typed, Ctrl-C ends the typing and nothing else."""
    try:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
