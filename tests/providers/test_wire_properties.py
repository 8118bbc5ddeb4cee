"""Whatever the wire: every split reads the same, every cut is told, nothing ever raises."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.stream import CallClosed
from ankrcode.providers.wire import Target
from ankrcode.providers.wires import WIRES, wire_named
from providers.wire_samples import SAMPLES, Sample
from providers.wire_streams import (
    SPLITS,
    Outcome,
    at_random,
    check,
    json,
    outcome,
    read,
    target,
    whole,
    without_ids,
)
from torture import examples


def of(samples: list[Sample]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sample", samples, ids=lambda one: one.name)


BY_NAME = of(SAMPLES)
MARKED = of([one for one in SAMPLES if one.has_end])  # their vendors mark the end
BUSY = of([one for one in SAMPLES if len(one.expected.calls) > 1])
LIVELY = [one for one in SAMPLES if not one.expected.failure]


def result_of(sample: Sample, data: bytes, split: str = "whole", *, cut: bool = False) -> Outcome:
    return outcome(read(sample.wire, data, SPLITS[split], *sample.quirks, cut=cut))


@BY_NAME
@pytest.mark.parametrize("split", SPLITS)
def test_every_split_comes_to_the_same(sample: Sample, split: str) -> None:
    assert result_of(sample, sample.data, split) == sample.expected


@BY_NAME
def test_the_events_themselves_do_not_depend_on_the_split(sample: Sample) -> None:
    told = read(sample.wire, sample.data, whole, *sample.quirks)
    for split in SPLITS.values():
        assert read(sample.wire, sample.data, split, *sample.quirks) == told


@BY_NAME
def test_a_connection_cut_at_any_event_is_a_failure_with_what_came_before(sample: Sample) -> None:
    for count in range(len(sample.events)):
        data = b"".join(sample.events[:count])
        came = result_of(sample, data, cut=True)
        assert came.failure == "cut" or came == sample.expected  # which failed by itself
        assert sample.expected.text.startswith(came.text)
        assert sample.expected.thinking.startswith(came.thinking)
        assert came.calls == sample.expected.calls[: len(came.calls)]


@BY_NAME
def test_an_end_in_order_before_the_stop_reason_is_a_cut_too(sample: Sample) -> None:
    """A proxy may end the body properly although the vendor broke off."""
    for count in range(len(sample.events)):
        came = result_of(sample, b"".join(sample.events[:count]))
        assert came.failure == "cut" or (came.stop, came.raw) == (
            sample.expected.stop,
            sample.expected.raw,
        )
        assert came.calls == sample.expected.calls[: len(came.calls)]


@BY_NAME
def test_a_cut_at_any_byte_never_makes_a_call_out_of_half(sample: Sample) -> None:
    for size in range(0, len(sample.data), 3):
        came = result_of(sample, sample.data[:size], cut=True)
        assert came.calls == sample.expected.calls[: len(came.calls)]
        told = bool(sample.expected.failure) and bool(came.failure)  # the error's first words
        assert came.failure == "cut" or told or came == sample.expected


@MARKED
def test_nothing_is_said_after_the_end(sample: Sample) -> None:
    reader = wire_named(sample.wire).reader(target(*sample.quirks))
    events = reader.feed(sample.data)
    check(events)
    assert reader.is_done
    assert reader.feed(sample.data) == []
    assert reader.end() == []
    assert reader.end(cut=True) == []


@MARKED
def test_events_that_come_twice_at_the_end_change_nothing(sample: Sample) -> None:
    assert result_of(sample, sample.data + sample.events[-1]) == sample.expected


@BUSY
def test_calls_are_closed_before_the_end_of_the_answer(sample: Sample) -> None:
    """A tool may start while the answer goes on: whatever is whole is told at once."""
    reader = wire_named(sample.wire).reader(Target(provider="v", model="m"))
    first_closed = next(
        at
        for at, data in enumerate(sample.events)
        if any(isinstance(event, CallClosed) for event in reader.feed(data))
    )
    assert first_closed < len(sample.events) - 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("split", SPLITS)
def test_nothing_at_all_is_a_cut(wire: str, split: str) -> None:
    assert outcome(read(wire, b"", SPLITS[split])).failure == "cut"
    assert outcome(read(wire, b"", SPLITS[split], cut=True)).failure == "cut"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "body",
    [b"<html><title>Bad gateway</title></html>", b"upstream connect error", b"{", b"[]", b"null"],
)
def test_what_is_no_answer_at_all_fails(wire: str, body: bytes) -> None:
    came = outcome(read(wire, body))
    assert came.failure in ("protocol", "cut", "server")
    came = outcome(wire_named(wire).read_whole(body, Target(provider="v", model="m")))
    assert came.failure in ("protocol", "cut", "server")


# ── wild input ──────────────────────────────────────────────────────────────────────────────────
@given(sample=st.sampled_from(SAMPLES), seed=st.integers(0, 2**32))
@examples(300, 20_000)
def test_bytes_changed_at_random_never_raise_and_never_break_the_rules(
    sample: Sample, seed: int
) -> None:
    """`check` compares every closed call with what the stream said."""
    rng = random.Random(seed)
    data = bytearray(sample.data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        _mutate(data, rng)
    told = read(sample.wire, bytes(data), whole, *sample.quirks)
    check(told)
    again = read(sample.wire, bytes(data), at_random(seed), *sample.quirks)
    assert without_ids(again) == without_ids(told)


def _mutate(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data)) if data else 0
    match rng.randrange(5):
        case 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        case 1:
            del data[at : at + rng.choice((1, 2, 10, 100))]
        case 2:
            data[at:at] = data[at : at + rng.choice((1, 5, 50))]
        case 3:
            data[at:at] = rng.choice((b"null", b"{}", b"[", b'"', b"\n\n", b"0", b"\\", b"true"))
        case 4:
            other = rng.randrange(len(data)) if data else 0
            data[at : at + 8], data[other : other + 8] = (
                data[other : other + 8],
                data[at : at + 8],
            )


@given(sample=st.sampled_from(LIVELY), seed=st.integers(0, 2**32))
@examples(200, 10_000)
def test_events_lost_on_the_way_never_make_a_call_that_was_not_said(
    sample: Sample, seed: int
) -> None:
    rng = random.Random(seed)
    kept = [event for event in sample.events if rng.random() > 0.2]
    came = outcome(read(sample.wire, b"".join(kept), whole, *sample.quirks))
    said = {name: arguments for _, name, arguments in sample.expected.calls}
    for _, name, arguments in came.calls:
        if name in said:
            assert arguments in (said[name], {})


@given(sample=st.sampled_from(SAMPLES), seed=st.integers(0, 2**32))
@examples(150, 10_000)
def test_events_in_any_order_never_raise(sample: Sample, seed: int) -> None:
    events = list(sample.events)
    random.Random(seed).shuffle(events)
    check(read(sample.wire, b"".join(events), whole, *sample.quirks))


@given(wire=st.sampled_from(sorted(WIRES)), data=st.binary(max_size=300))
@examples(200, 10_000)
def test_noise_never_raises(wire: str, data: bytes) -> None:
    check(read(wire, data))
    check(wire_named(wire).read_whole(data, Target(provider="v", model="m")))


WORDS = (
    *("type", "index", "delta", "content", "text", "error", "message", "choices", "usage", "id"),
    *("name", "function", "arguments", "tool_calls", "finish_reason", "item", "output", "status"),
    *("candidates", "parts", "functionCall", "args", "done", "output_index", "content_block"),
    *("partial_json", "input", "stop_reason", "response", "reasoning_details", "function_call"),
    *("usageMetadata", "promptFeedback", "partialArgs", "willContinue", "thinking", "x_groq"),
)
VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 500) | st.sampled_from(["", "x", "error", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5)
    ),
    max_leaves=12,
)


@given(wire=st.sampled_from(sorted(WIRES)), value=VALUES)
@examples(400, 30_000)
def test_json_of_any_shape_never_raises(wire: str, value: object) -> None:
    data = json(value)
    check(wire_named(wire).read_whole(data, Target(provider="v", model="m")))
    check(read(wire, b"data: " + data + b"\n\n" + data + b"\n"))
