"""Settings about further agents and about questions to the person. The person's alone."""

from typing import Annotated

from msgspec import Meta, Struct


class SubagentSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    depth: Annotated[
        int,
        Meta(description="How deep agents may start further ones; 0 means none", ge=0, le=5),
    ] = 2
    running: Annotated[
        int, Meta(description="How many further agents may work at once", ge=1, le=64)
    ] = 8
    total: Annotated[
        int, Meta(description="How many further agents one session may start", ge=1, le=10_000)
    ] = 200


class QuestionSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    answers_file: Annotated[
        str,
        Meta(
            description="Answers to AskUserQuestion where nobody is there: JSON, by header",
            pattern=r"^($|/|~/)",
            max_length=4_000,
            examples=["~/answers.json"],
        ),
    ] = ""
