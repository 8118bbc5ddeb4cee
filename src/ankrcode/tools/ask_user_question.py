"""Ask the person who is there, and wait for the answer."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.question import Option, Question
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.questions import (
    MAX_HEADER_CHARS,
    MAX_OPTIONS,
    MAX_QUESTIONS,
    MIN_OPTIONS,
    check,
)
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say


class OptionInput(Struct, frozen=True, kw_only=True):
    label: Annotated[str, Meta(description="One to five words", min_length=1, max_length=200)]
    description: Annotated[str, Meta(description="What choosing it means", max_length=2_000)] = ""


class QuestionInput(Struct, frozen=True, kw_only=True):
    question: Annotated[str, Meta(description="The whole question", min_length=1, max_length=4_000)]
    header: Annotated[
        str,
        Meta(
            description="A short name; the answer comes under it",
            min_length=1,
            max_length=MAX_HEADER_CHARS,
        ),
    ]
    options: Annotated[
        list[OptionInput],
        Meta(description="What to choose from", min_length=MIN_OPTIONS, max_length=MAX_OPTIONS),
    ]
    multi_select: Annotated[bool, Meta(description="May several be chosen?")] = field(
        default=False, name="multiSelect"
    )


class AskUserQuestionInput(ToolInput):
    questions: Annotated[
        list[QuestionInput],
        Meta(description="One to four questions", min_length=1, max_length=MAX_QUESTIONS),
    ]


class AskUserQuestionOutput(Struct, frozen=True, kw_only=True):
    answers: dict[str, list[str]]


class AskUserQuestion(Tool[AskUserQuestionInput]):
    name = "AskUserQuestion"
    summary = "Ask the person up to four things at once and wait for the answers."
    permission = Permission.READ
    category = "conversation"
    waits = True
    shares_repeats = False
    is_journalled = False
    output = AskUserQuestionOutput

    def acts(self, args: AskUserQuestionInput, ctx: ToolContext) -> Acts:
        return Acts(writes=(state("person"),))

    def is_concurrency_safe(self, args: AskUserQuestionInput) -> bool:
        return False

    async def validate(self, args: AskUserQuestionInput, ctx: ToolContext) -> None:
        check([asked(one, "") for one in args.questions])

    async def run(self, args: AskUserQuestionInput, ctx: ToolContext) -> ToolResult:
        answers: dict[str, list[str]] = {}
        for one in args.questions:
            answer = await ctx.ask(asked(one, ctx.new_id("question")))
            answers[one.header] = list(answer.chosen)
        return ToolResult(
            title=say("question_title", headers=", ".join(answers)),
            value=AskUserQuestionOutput(answers=answers),
            text=msgspec.json.encode(answers).decode(),
            metadata={"answered": sum(map(bool, answers.values())), "total": len(answers)},
        )


def asked(one: QuestionInput, question_id: str) -> Question:
    """The question as a front end gets it."""
    options = (Option(label=it.label, description=it.description) for it in one.options)
    return Question(
        id=question_id,
        question=one.question,
        header=one.header,
        options=tuple(options),
        multi_select=one.multi_select,
    )
