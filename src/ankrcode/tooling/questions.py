"""Questions to the person: what a good one is, how it is shown, and answers given in advance."""

from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ankrcode.errors import ErrorCode, SettingsError, ToolError
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.tooling.arguments import json_fault
from ankrcode.tooling.person import Asker
from ankrcode.words import say

MAX_QUESTIONS = 4
MAX_HEADER_CHARS = 12
MIN_OPTIONS, MAX_OPTIONS = 2, 4
MAX_ANSWER_BYTES = 1024 * 1024

Answers = dict[str, str | list[str]]


def check(questions: Sequence[Question]) -> None:
    """Answers are told apart by header, options by label: neither may come twice."""
    headers = [question.header for question in questions]
    if len(set(headers)) < len(headers):
        raise ToolError.of("question_headers").coded(ErrorCode.INVALID_INPUT)
    for question in questions:
        labels = [option.label for option in question.options]
        if len(set(labels)) < len(labels):
            error = ToolError.of("question_labels", header=question.header)
            raise error.coded(ErrorCode.INVALID_INPUT, header=question.header)


def choices(question: Question) -> list[str]:
    """One line for each option, and a last one for words of the person's own."""
    shown = [
        f"{option.label} - {option.description}" if option.description else option.label
        for option in question.options
    ]
    return [*shown, say("question_other")]


class AnswersFromFile:
    """Answers given in advance, for where nobody is there: JSON, by header or by question.

    {"Database": "SQLite", "Features": ["Search", "Export"], "Which name?": "anything at all"}
    """

    def __init__(self, answers: Answers, path: str = "") -> None:
        self._answers = answers
        self._path = path

    @classmethod
    def of(cls, path: str | Path) -> "AnswersFromFile":
        """Raises `SettingsError` if the file cannot be read as answers."""
        try:
            with Path(path).open("rb") as file:
                content = file.read(MAX_ANSWER_BYTES + 1).removeprefix(BOM_UTF8)
            return cls(msgspec.json.decode(content, type=Answers), str(path))
        except OSError as problem:
            why = problem.strerror or str(problem)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            why = json_fault(problem)
        raise SettingsError.of("answers_unreadable", path=path, why=why)

    async def __call__(self, question: Question) -> QuestionAnswer:
        for key in (question.header, question.question):
            if key in self._answers:
                answer = self._answers[key]
                chosen = (answer,) if isinstance(answer, str) else tuple(answer)
                return QuestionAnswer(question_id=question.id, chosen=chosen)
        error = ToolError.of("answer_missing", header=question.header, path=self._path)
        raise error.coded(ErrorCode.EXECUTION_ERROR, header=question.header)


def asker_for(answers_file: str) -> Asker | None:
    """Who answers where no person is there: the file of the settings, or nobody."""
    return AnswersFromFile.of(Path(answers_file).expanduser()) if answers_file else None
