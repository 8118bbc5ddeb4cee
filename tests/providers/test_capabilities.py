"""What a request needs, how long it is, and who can do it."""

import pytest

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.providers.capabilities import Needs, lacks, needs_of
from ankrcode.providers.catalogue import UNKNOWN, ModelFacts
from ankrcode.providers.estimate import PER_MESSAGE, PER_PICTURE, Estimator
from ankrcode.providers.wire import ModelRequest, Options, ToolSpec
from providers.asking import TOOL

PICTURE = Attachment(type="image", mime="image/png", data="AAAA")
PDF = Attachment(type="pdf", mime="application/pdf", data="A" * 80_000)
NOTE = Attachment(type="text", mime="text/plain", data="word " * 100)
ALL = ModelFacts(vision=True, pdf=True)
LISTED = ModelFacts(context_tokens=1_000)


def said(*parts: Part) -> ModelRequest:
    return ModelRequest(messages=(Message(role="user", parts=parts),))


def tokens(*parts: Part) -> int:
    return Estimator().request(said(*parts)) - PER_MESSAGE


# ── needs ───────────────────────────────────────────────────────────────────────────────────────
def test_plain_text_needs_nothing_but_room() -> None:
    assert needs_of(said(TextPart(text="Hi")), 10) == Needs(tokens=10 + 1_024)


def test_room_for_the_answer_is_counted() -> None:
    request = ModelRequest(messages=(), options=Options(max_output_tokens=5_000))
    assert needs_of(request, 10).tokens == 5_010


def test_tools_are_needed_unless_they_may_not_be_called() -> None:
    assert needs_of(ModelRequest(messages=(), tools=(TOOL,)), 0).tools
    request = ModelRequest(messages=(), tools=(TOOL,), options=Options(tool_choice="none"))
    assert not needs_of(request, 0).tools


@pytest.mark.parametrize(
    "part",
    [
        AttachmentPart(attachment=PICTURE),
        ToolResultPart(tool_use_id="1", text="", attachments=(PICTURE,)),
    ],
    ids=["of the person", "of a tool"],
)
def test_a_picture_needs_eyes_wherever_it_stands(part: Part) -> None:
    assert needs_of(said(part), 0).vision


def test_a_pdf_is_told_from_a_picture() -> None:
    needs = needs_of(said(AttachmentPart(attachment=PDF)), 0)
    assert (needs.vision, needs.pdf) == (False, True)


@pytest.mark.parametrize(
    ("facts", "needs", "lack"),
    [
        (ALL, Needs(tools=True, vision=True, pdf=True, tokens=100), ""),
        (ModelFacts(tools=False), Needs(tools=True), "tools"),
        (ModelFacts(tools=False), Needs(), ""),
        (LISTED, Needs(vision=True), "vision"),
        (LISTED, Needs(pdf=True), "pdf"),
        (UNKNOWN, Needs(tools=True, vision=True, pdf=True), ""),
        (UNKNOWN, Needs(tokens=1_001), "context"),
        (ModelFacts(vision=True), Needs(pdf=True), ""),
        (ALL, Needs(tokens=1_000), ""),
        (ALL, Needs(tokens=1_001), "context"),
    ],
)
def test_what_a_model_lacks_is_named(facts: ModelFacts, needs: Needs, lack: str) -> None:
    assert lacks(facts, 1_000, needs) == lack


# ── estimates ───────────────────────────────────────────────────────────────────────────────────
def test_every_kind_of_part_is_counted() -> None:
    text = "word " * 100
    assert 90 <= tokens(TextPart(text=text)) <= 120
    assert 90 <= tokens(ThinkingPart(text=text)) <= 120
    assert 90 <= tokens(ToolResultPart(tool_use_id="1", text=text)) <= 120
    assert 90 <= tokens(ToolUsePart(id="1", name="Write", arguments={"text": text})) <= 140
    assert 90 <= tokens(AttachmentPart(attachment=NOTE)) <= 120


def test_signatures_are_sent_back_and_so_are_counted() -> None:
    assert tokens(ThinkingPart(text="", signature="s" * 4_000)) == 1_000
    assert tokens(ThinkingPart(text="", opaque="s" * 4_000)) == 1_000


def test_pictures_have_a_price_and_pdfs_one_by_their_size() -> None:
    assert tokens(AttachmentPart(attachment=PICTURE)) == PER_PICTURE
    assert tokens(AttachmentPart(attachment=PDF)) > PER_PICTURE
    in_result = ToolResultPart(tool_use_id="1", text="", attachments=(PICTURE, PICTURE))
    assert tokens(in_result) == 2 * PER_PICTURE


def test_hindi_costs_more_than_english_of_the_same_length() -> None:
    hindi, english = "नमस्ते दुनिया " * 50, "hello world " * 58
    assert tokens(TextPart(text=hindi)) > 1.2 * tokens(TextPart(text=english))


def test_tools_are_part_of_the_prompt() -> None:
    tool = ToolSpec(name="t", description="word " * 200, input_schema={"type": "object"})
    without = Estimator().request(ModelRequest(messages=()))
    with_tools = Estimator().request(ModelRequest(messages=(), tools=(tool, tool)))
    assert without == 0
    assert 380 <= with_tools <= 460


def test_the_same_request_is_the_same_number_however_often() -> None:
    estimator = Estimator()
    request = said(TextPart(text="word " * 500))
    first = estimator.request(request)
    assert [estimator.request(request) for _ in range(3)] == [first] * 3
    other = estimator.request(said(TextPart(text="x")))
    assert other < first
    assert estimator.request(request) == first
