"""A question from a tool to the person, and the person's answer."""

from msgspec import Struct


class Option(Struct, frozen=True, kw_only=True):
    label: str
    description: str = ""


class Question(Struct, frozen=True, kw_only=True):
    """One question with a few options; free text is always possible."""

    id: str
    question: str
    header: str = ""
    options: tuple[Option, ...] = ()
    multi_select: bool = False


class QuestionAnswer(Struct, frozen=True, kw_only=True):
    question_id: str
    chosen: tuple[str, ...]
