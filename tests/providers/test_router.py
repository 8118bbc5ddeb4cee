"""The router: who is asked, who is asked next, and what is never asked again."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.protocol.message import AttachmentPart, Message, TextPart
from ankrcode.protocol.result import Attachment
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    ThinkingGrew,
    Used,
    Waited,
)
from ankrcode.providers.candidate import Candidate
from ankrcode.providers.catalogue import ModelFacts
from ankrcode.providers.health import Health
from ankrcode.providers.retry import RetryPolicy
from ankrcode.providers.router import Router
from ankrcode.providers.wire import ModelRequest, Options
from providers.asking import TOOL, Outcome, ask, question

END = Stopped(reason=StopReason.END)
CALL = CallClosed(index=0, id="1", name="Write", arguments={"path": "a"})
ABLE = ModelFacts(vision=True, pdf=True)


def failed(kind: FailureKind, wait: float | None = None) -> Failed:
    return Failed(failure=Failure(kind=kind, message=f"it is {kind}", retry_after_s=wait))


class Told:
    """A model that answers each request with the next of its lists of events."""

    def __init__(
        self, name: str, *answers: Iterable[AnyStreamEvent], context_tokens: int = 100_000
    ) -> None:
        self._name = name
        self._answers = [list(one) for one in answers]
        self._context_tokens = context_tokens
        self.asked = 0
        self.closed_streams = 0
        self.is_closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        self.asked += 1
        events = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        try:
            for event in events:
                yield event
        finally:
            self.closed_streams += 1

    async def close(self) -> None:
        self.is_closed = True


class Naps:
    """Sleeps in no time, and remembers for how long it should have."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0)


def routed(
    *models: Told,
    facts: ModelFacts = ABLE,
    policy: RetryPolicy | None = None,
    health: Health | None = None,
    naps: Naps | None = None,
) -> Router:
    return Router(
        [Candidate(model=model, facts=facts) for model in models],
        policy=policy or RetryPolicy(retries=3),
        health=health or Health(),
        sleep=naps or Naps(),
    )


# ── one model ───────────────────────────────────────────────────────────────────────────────────
async def test_what_goes_well_goes_through_unchanged() -> None:
    end = Stopped(reason=StopReason.TOOL_USE)
    events: list[AnyStreamEvent] = [TextGrew(text="a"), CALL, TextGrew(text="b"), end]
    outcome = await ask(routed(Told("p/m", events)))
    assert outcome.events == events


async def test_a_router_is_called_as_its_first_model() -> None:
    router = routed(Told("p/m", [END], context_tokens=7), Told("q/n", [END]))
    assert (router.name, router.context_tokens) == ("p/m", 7)


async def test_closing_closes_every_model() -> None:
    models = Told("p/m", [END]), Told("q/n", [END])
    await routed(*models).close()
    assert all(model.is_closed for model in models)


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.RATE_LIMIT,
        FailureKind.OVERLOADED,
        FailureKind.SERVER,
        FailureKind.NETWORK,
        FailureKind.CUT,
        FailureKind.TIMEOUT,
        FailureKind.PROTOCOL,
    ],
)
async def test_what_may_pass_is_tried_again(kind: FailureKind) -> None:
    model = Told("p/m", [failed(kind)], [TextGrew(text="yes"), END])
    outcome = await ask(routed(model))
    assert model.asked == 2
    (wait,) = outcome.waits
    assert (wait.provider, wait.model, wait.attempt) == ("p", "m", 2)
    assert wait.failure.kind is kind
    assert outcome.text == "yes"


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.NO_KEY,
        FailureKind.AUTH,
        FailureKind.MODEL,
        FailureKind.BAD_REQUEST,
        FailureKind.CONTEXT,
        FailureKind.QUOTA,
        FailureKind.FILTERED,
        FailureKind.OFFLINE,
        FailureKind.BUDGET,
        FailureKind.CANCELLED,
    ],
)
async def test_what_does_not_pass_is_not_tried_again(kind: FailureKind) -> None:
    model = Told("p/m", [failed(kind)])
    outcome = await ask(routed(model))
    assert model.asked == 1
    assert outcome.events == [failed(kind)]


async def test_tries_are_counted() -> None:
    model = Told("p/m", [failed(FailureKind.SERVER)])
    outcome = await ask(routed(model, policy=RetryPolicy(retries=3)))
    assert model.asked == 4
    assert [wait.attempt for wait in outcome.waits] == [2, 3, 4]
    assert outcome.failure.kind is FailureKind.SERVER


async def test_no_wait_is_longer_than_its_cap() -> None:
    naps = Naps()
    model = Told("p/m", [failed(FailureKind.RATE_LIMIT, 3_600)])
    policy = RetryPolicy(retries=9, max_wait_s=30, max_total_wait_s=70)
    outcome = await ask(routed(model, policy=policy, naps=naps))
    assert naps.taken == [30, 30, 10]
    assert [wait.seconds for wait in outcome.waits] == naps.taken
    assert outcome.failure.retry_after_s == 3_600


async def test_a_wait_that_is_asked_for_is_kept() -> None:
    naps = Naps()
    model = Told("p/m", [failed(FailureKind.RATE_LIMIT, 7.5)], [END])
    await ask(routed(model, naps=naps))
    assert naps.taken == [7.5]


async def test_text_that_came_before_is_void_after_a_wait() -> None:
    model = Told(
        "p/m",
        [ThinkingGrew(text="hm"), TextGrew(text="half an ans"), failed(FailureKind.CUT)],
        [TextGrew(text="a whole answer"), END],
    )
    outcome = await ask(routed(model))
    kinds = [type(event) for event in outcome.events]
    assert kinds == [ThinkingGrew, TextGrew, Waited, TextGrew, Stopped]
    assert outcome.text == "a whole answer"


async def test_a_call_that_never_became_whole_may_be_asked_for_again() -> None:
    broken: list[AnyStreamEvent] = [
        CallOpened(index=0, id="1", name="Write"),
        CallGrew(index=0, text="{"),
        CallBroken(index=0, id="1", name="Write"),
        failed(FailureKind.CUT),
    ]
    outcome = await ask(routed(Told("p/m", broken, [CALL, END])))
    assert outcome.calls == [CALL]


@pytest.mark.parametrize("kind", list(FailureKind))
async def test_after_a_whole_call_every_failure_is_a_cut(kind: FailureKind) -> None:
    first = Told("p/m", [CALL, TextGrew(text="and"), failed(kind)])
    second = Told("q/n", [END])
    outcome = await ask(routed(first, second))
    assert (first.asked, second.asked) == (1, 0)
    assert outcome.failure.kind is FailureKind.CUT
    assert outcome.failure.message == f"it is {kind}"
    assert outcome.waits == []
    assert outcome.switches == []


async def test_a_model_that_forgets_to_end_is_cut() -> None:
    model = Told("p/m", [TextGrew(text="a")], [TextGrew(text="b"), END])
    outcome = await ask(routed(model))
    assert outcome.text == "b"
    assert outcome.waits[0].failure.kind is FailureKind.CUT


async def test_a_model_that_forgets_to_end_after_a_call_is_not_asked_again() -> None:
    model = Told("p/m", [CALL])
    outcome = await ask(routed(model))
    assert model.asked == 1
    assert outcome.failure.kind is FailureKind.CUT


async def test_nothing_is_heard_after_the_end() -> None:
    model = Told("p/m", [TextGrew(text="a"), END, TextGrew(text="b"), failed(FailureKind.CUT)])
    outcome = await ask(routed(model))
    assert outcome.events == [TextGrew(text="a"), END]


async def test_who_stops_listening_ends_the_models_stream() -> None:
    model = Told("p/m", [TextGrew(text="a"), TextGrew(text="b"), END])
    events = routed(model).stream(question())
    await anext(events)
    await events.aclose()  # type: ignore[attr-defined]
    assert model.closed_streams == 1


# ── several ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-136")
async def test_fallbacks_are_tried_in_turn() -> None:
    first = Told("anthropic/a", [failed(FailureKind.AUTH)])
    second = Told("groq/b", [failed(FailureKind.QUOTA)])
    third = Told("openai/c", [TextGrew(text="here"), END])
    outcome = await ask(routed(first, second, third))
    assert outcome.text == "here"
    named = [(switch.provider, switch.model) for switch in outcome.switches]
    assert named == [("groq", "b"), ("openai", "c")]
    reasons = [switch.failure.kind for switch in outcome.switches if switch.failure]
    assert reasons == [FailureKind.AUTH, FailureKind.QUOTA]


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.BAD_REQUEST,
        FailureKind.FILTERED,
        FailureKind.BUDGET,
        FailureKind.CANCELLED,
    ],
)
async def test_some_failures_are_not_taken_elsewhere(kind: FailureKind) -> None:
    second = Told("q/n", [END])
    outcome = await ask(routed(Told("p/m", [failed(kind)]), second))
    assert second.asked == 0
    assert outcome.failure.kind is kind


async def test_with_another_at_hand_nobody_waits_long() -> None:
    naps = Naps()
    first = Told("p/m", [failed(FailureKind.RATE_LIMIT, 20)])
    outcome = await ask(routed(first, Told("q/n", [END]), naps=naps))
    assert first.asked == 1
    assert naps.taken == []
    assert len(outcome.switches) == 1


async def test_with_another_at_hand_a_hiccup_is_tried_once_more() -> None:
    first = Told("p/m", [failed(FailureKind.SERVER)])
    second = Told("q/n", [END])
    await ask(routed(first, second))
    assert (first.asked, second.asked) == (2, 1)


async def test_the_last_of_the_chain_is_tried_as_often_as_allowed() -> None:
    first = Told("p/m", [failed(FailureKind.SERVER)])
    second = Told("q/n", [failed(FailureKind.SERVER)])
    outcome = await ask(routed(first, second, policy=RetryPolicy(retries=3)))
    assert (first.asked, second.asked) == (2, 4)
    assert outcome.failure.kind is FailureKind.SERVER


async def test_waits_of_all_models_together_are_bounded() -> None:
    naps = Naps()
    models = [Told(f"p/{number}", [failed(FailureKind.SERVER)]) for number in range(10)]
    policy = RetryPolicy(retries=20, max_wait_s=1, max_total_wait_s=5, first_wait_s=1)
    outcome = await ask(routed(*models, policy=policy, naps=naps))
    assert sum(naps.taken) <= 5
    assert len(outcome.switches) == 9


async def test_a_conversation_that_is_too_long_goes_to_a_larger_model() -> None:
    first = Told("p/m", [failed(FailureKind.CONTEXT)], context_tokens=100_000)
    small = Told("q/small", [END], context_tokens=50_000)
    large = Told("r/large", [END], context_tokens=200_000)
    outcome = await ask(routed(first, small, large))
    assert small.asked == 0
    assert [switch.model for switch in outcome.switches] == ["large"]


async def test_with_no_larger_model_it_stays_too_long() -> None:
    first = Told("p/m", [failed(FailureKind.CONTEXT)], context_tokens=100_000)
    outcome = await ask(routed(first, Told("q/n", [END], context_tokens=50_000)))
    assert outcome.failure.kind is FailureKind.CONTEXT


async def test_partial_text_is_void_after_a_switch() -> None:
    first = Told("p/m", [TextGrew(text="half"), failed(FailureKind.QUOTA)])
    outcome = await ask(routed(first, Told("q/n", [TextGrew(text="whole"), END])))
    assert [type(event) for event in outcome.events] == [TextGrew, Switched, TextGrew, Stopped]
    assert outcome.text == "whole"


# ── memory ──────────────────────────────────────────────────────────────────────────────────────
async def test_a_model_that_failed_rests_and_that_is_told() -> None:
    health = Health()
    first = Told("p/m", [failed(FailureKind.AUTH)])
    second = Told("q/n", [END])
    router = routed(first, second, health=health)
    await ask(router)
    outcome = await ask(router)
    assert first.asked == 1
    (switch,) = outcome.switches
    assert switch.failure is not None
    assert switch.failure.kind is FailureKind.AUTH


async def test_a_model_is_asked_again_when_it_has_rested() -> None:
    now = [0.0]
    health = Health(clock=lambda: now[0])
    first = Told("p/m", [failed(FailureKind.AUTH)], [END])
    router = routed(first, Told("q/n", [END]), health=health)
    await ask(router)
    now[0] = 601.0
    outcome = await ask(router)
    assert first.asked == 2
    assert outcome.switches == []


async def test_when_all_rest_they_are_asked_all_the_same() -> None:
    health = Health()
    models = [Told("p/m", [failed(FailureKind.AUTH)]), Told("q/n", [failed(FailureKind.AUTH)])]
    router = routed(*models, health=health)
    for _ in range(2):
        outcome = await ask(router)
        assert outcome.failure.kind is FailureKind.AUTH
    assert [model.asked for model in models] == [2, 2]


async def test_a_single_model_is_never_passed_over() -> None:
    model = Told("p/m", [failed(FailureKind.AUTH)])
    router = routed(model)
    for _ in range(3):
        await ask(router)
    assert model.asked == 3


async def test_success_is_remembered_too() -> None:
    health = Health()
    health.failed("p/m", failed(FailureKind.SERVER).failure)
    model = Told("p/m", [END])
    await ask(routed(model, health=health))
    assert health.why_resting("p/m") is None


# ── abilities ───────────────────────────────────────────────────────────────────────────────────
def with_picture() -> ModelRequest:
    picture = Attachment(type="image", mime="image/png", data="AAAA")
    parts = (TextPart(text="What is this?"), AttachmentPart(attachment=picture))
    return ModelRequest(messages=(Message(role="user", parts=parts),))


@pytest.mark.parametrize(
    ("lacking", "request_", "kind"),
    [
        (ModelFacts(tools=False), question(), FailureKind.MODEL),
        (ModelFacts(context_tokens=1_000), with_picture(), FailureKind.MODEL),
    ],
    ids=["tools", "vision"],
)
async def test_a_model_that_cannot_do_it_is_passed_over(
    lacking: ModelFacts, request_: ModelRequest, kind: FailureKind
) -> None:
    unable, able = Told("p/m", [END]), Told("q/n", [END])
    router = Router([Candidate(model=unable, facts=lacking), Candidate(model=able, facts=ABLE)])
    outcome = await ask(router, request_)
    assert (unable.asked, able.asked) == (0, 1)
    (switch,) = outcome.switches
    assert switch.failure is not None
    assert switch.failure.kind is kind
    assert "p/m" in switch.failure.message


async def test_a_long_conversation_goes_to_a_model_with_room() -> None:
    small, large = Told("p/m", [END], context_tokens=2_000), Told("q/n", [END])
    outcome = await ask(routed(small, large), question("word " * 5_000))
    assert (small.asked, large.asked) == (0, 1)
    assert outcome.switches[0].failure is not None
    assert outcome.switches[0].failure.kind is FailureKind.CONTEXT


async def test_a_model_that_nobody_knows_is_given_a_chance() -> None:
    unknown, able = Told("p/m", [END]), Told("q/n", [END])
    router = Router([Candidate(model=unknown), Candidate(model=able, facts=ABLE)])
    outcome = await ask(router, with_picture())
    assert (unknown.asked, able.asked) == (1, 0)
    assert outcome.switches == []


async def test_when_nobody_can_the_first_is_asked_all_the_same() -> None:
    models = Told("p/m", [END]), Told("q/n", [END])
    outcome = await ask(routed(*models, facts=ModelFacts(tools=False)))
    assert [model.asked for model in models] == [1, 0]
    assert outcome.switches == []


async def test_tools_that_may_not_be_called_need_no_ability() -> None:
    model = Told("p/m", [END])
    request = ModelRequest(
        messages=question().messages, tools=(TOOL,), options=Options(tool_choice="none")
    )
    router = Router(
        [
            Candidate(model=model, facts=ModelFacts(tools=False)),
            Candidate(model=Told("q/n", [END]), facts=ABLE),
        ]
    )
    await ask(router, request)
    assert model.asked == 1


async def test_what_was_used_is_told_of_every_try() -> None:
    from ankrcode.protocol.message import Usage

    used = Used(usage=Usage(input_tokens=5))
    model = Told("p/m", [used, failed(FailureKind.CUT)], [used, END])
    outcome: Outcome = await ask(routed(model))
    assert outcome.events.count(used) == 2


# ── whatever happens ────────────────────────────────────────────────────────────────────────────
KINDS = list(FailureKind)
some_events = st.lists(
    st.sampled_from(
        [
            TextGrew(text="t"),
            ThinkingGrew(text="h"),
            CallOpened(index=0, id="1", name="Write"),
            CallGrew(index=0, text="{"),
            CallBroken(index=0, id="1", name="Write"),
            CALL,
        ]
    ),
    max_size=4,
)
some_ends: st.SearchStrategy[list[AnyStreamEvent]] = st.one_of(
    st.just([END]),
    st.just([]),
    st.tuples(st.sampled_from(KINDS), st.none() | st.floats(0, 5_000)).map(
        lambda pair: [failed(*pair)]
    ),
)
some_answers = st.lists(
    st.tuples(some_events, some_ends).map(lambda pair: [*pair[0], *pair[1]]),
    min_size=1,
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(some_answers, min_size=1, max_size=4), st.integers(0, 5))
def test_whatever_models_do_the_router_keeps_its_word(
    chain: list[list[list[AnyStreamEvent]]], retries: int
) -> None:
    """One end; nothing asked again after a whole call; every wait capped and told; no model asked
    more often than allowed."""
    models = [Told(f"p/{place}", *answers) for place, answers in enumerate(chain)]
    naps = Naps()
    policy = RetryPolicy(retries=retries, max_wait_s=30, max_total_wait_s=60)
    router = routed(*models, policy=policy, naps=naps)
    outcome = asyncio.run(ask(router))  # checks the end, and that no call is replayed
    assert sum(naps.taken) <= 60 + 1e-9
    assert [wait.seconds for wait in outcome.waits] == naps.taken
    assert all(0 <= nap <= 30 for nap in naps.taken)
    assert all(model.asked <= 1 + retries for model in models)
    assert all(model.closed_streams == model.asked for model in models)
    if any(isinstance(event, CallClosed) for event in outcome.events):
        last = max(at for at, e in enumerate(outcome.events) if isinstance(e, CallClosed))
        assert not any(isinstance(e, Waited | Switched) for e in outcome.events[last:])
    assert len(outcome.switches) <= len(models) - 1
