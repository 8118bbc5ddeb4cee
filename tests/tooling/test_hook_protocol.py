"""What a script's exit code and output mean, event by event."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.limits import HOOK_CONTEXT_CHARS
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer, together
from ankrcode.tooling.hooks.events import HookEvent
from ankrcode.tooling.hooks.protocol import NotUnderstood, Ran, answer_of, answer_of_data
from torture import examples

PRE, POST = HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE
FAILURE, REQUEST = HookEvent.POST_TOOL_USE_FAILURE, HookEvent.PERMISSION_REQUEST
PROMPT, START, STOP = HookEvent.USER_PROMPT_SUBMIT, HookEvent.SESSION_START, HookEvent.STOP
BLOCKABLE = {PRE, REQUEST, PROMPT, STOP, HookEvent.SUBAGENT_STOP, HookEvent.PRE_COMPACT}
TOLD_TO_THE_MODEL = {POST, FAILURE}
TOLD_TO_THE_PERSON = set(HookEvent) - BLOCKABLE - TOLD_TO_THE_MODEL


def said(event: HookEvent, output: object = "", *, errors: str = "", code: int = 0) -> HookAnswer:
    """The answer of a script that printed this."""
    text = output if isinstance(output, str) else json.dumps(output)
    return answer_of(event, Ran(exit_code=code, output=text, errors=errors), "guard.sh")


def specific(event: HookEvent = PRE, /, **more: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": str(event), **more}}


# ── exit 0 ────────────────────────────────────────────────────────────────────────────────────
DECISIONS = [
    # what it prints                                                        decision, reason
    (specific(permissionDecision="allow"), "allow", ""),
    (specific(permissionDecision="deny"), "deny", ""),
    (specific(permissionDecision="ask"), "ask", ""),
    (specific(permissionDecision="defer"), "ask", ""),
    (specific(permissionDecision="deny", permissionDecisionReason="no"), "deny", "no"),
    (specific(permissionDecision="ask", permissionDecisionReason="sure?"), "ask", "sure?"),
    (specific(permissionDecision="allow", permissionDecisionReason="fine"), "allow", "fine"),
    (specific(permissionDecision=None), "", ""),
    (specific(permissionDecision=""), "", ""),
    (specific(), "", ""),
    ({}, "", ""),
    ({"hookSpecificOutput": None}, "", ""),
    ({"hookSpecificOutput": {"permissionDecision": "deny"}}, "deny", ""),  # no name of the event
    ({"hookSpecificOutput": {"hookEventName": ""}}, "", ""),
    # the older form
    ({"decision": "approve"}, "allow", ""),
    ({"decision": "approve", "reason": "known"}, "allow", "known"),
    ({"decision": "block"}, "deny", ""),
    ({"decision": "block", "reason": "not here"}, "deny", "not here"),
    ({"decision": None, "reason": "nothing"}, "", "nothing"),
    ({"decision": "allow"}, "allow", ""),
    ({"decision": "deny"}, "deny", ""),
    # in the wrong place, but meant
    ({"permissionDecision": "deny", "permissionDecisionReason": "here"}, "deny", "here"),
    ({"permissionDecision": "ask"}, "ask", ""),
    # two places at once: the stricter counts
    ({"decision": "approve", **specific(permissionDecision="deny")}, "deny", ""),
    ({"decision": "block", **specific(permissionDecision="allow")}, "deny", ""),
    ({"decision": "approve", **specific(permissionDecision="ask")}, "ask", ""),
    # what is not ours is no reason to stumble
    ({"decision": "block", "somethingNew": {"x": 1}, "suppressOutput": True}, "deny", ""),
    ({"suppressOutput": True}, "", ""),
    ({"suppressOutput": "yes"}, "", ""),
]


@pytest.mark.parametrize(("output", "decision", "reason"), DECISIONS)
def test_a_decision_before_a_call(output: object, decision: str, reason: str) -> None:
    answer = said(PRE, output)
    assert (answer.decision, answer.reason, answer.faults) == (decision, reason, ())


NOT_UNDERSTOOD = [
    "{",
    "{}}",
    '{"decision": "block"',
    '{"decision": "block"} trailing',
    '{"decision": "block"}{"decision": "approve"}',
    "{'decision': 'block'}",
    "{decision: block}",
    '{"decision": "maybe"}',
    '{"decision": "BLOCK"}',
    '{"decision": "Allow"}',
    '{"decision": " deny"}',
    '{"decision": true}',
    '{"decision": 2}',
    '{"decision": ["deny"]}',
    '{"decision": {"behavior": "deny"}}',
    '{"continue": "false"}',
    '{"continue": 0}',
    '{"reason": 5}',
    '{"systemMessage": ["x"]}',
    '{"hookSpecificOutput": []}',
    '{"hookSpecificOutput": "deny"}',
    '{"hookSpecificOutput": {"permissionDecision": "no"}}',
    '{"hookSpecificOutput": {"permissionDecision": false}}',
    '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": "ls"}}',
    '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": []}}',
    '{"hookSpecificOutput": {"permissionDecision": "allow", "additionalContext": 7}}',
    '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "allow"}}',
    '{"hookSpecificOutput": {"hookEventName": "pretooluse", "permissionDecision": "allow"}}',
    '{"permissionDecision": "never"}',
    '{"decision": "block", "decision": "perhaps"}',
    "{" * 100_000,
    '{"a":' * 100_000,
    # a decision among other text: the script means it, and nobody can tell what
    'debug: starting\n{"decision": "block"}',
    'Loaded profile.\n{"hookSpecificOutput": {"permissionDecision": "deny"}}',
    'warning: x\n{"continue": false}',
    '[{"decision": "block"}]',
    '"decision": "block"',
]


@pytest.mark.parametrize("output", NOT_UNDERSTOOD, ids=lambda text: text[:60])
def test_what_is_not_understood_before_a_call_is_a_no(output: str) -> None:
    answer = said(PRE, output)
    assert answer.decision == "deny"
    assert "guard.sh" in answer.reason
    assert answer.arguments is None


@pytest.mark.parametrize("output", NOT_UNDERSTOOD[:30], ids=lambda text: text[:60])
@pytest.mark.parametrize("event", [POST, STOP, REQUEST, HookEvent.SESSION_END])
def test_elsewhere_what_is_not_understood_is_noted_and_decides_nothing(
    event: HookEvent, output: str
) -> None:
    answer = said(event, output)
    if event is REQUEST and '"hookSpecificOutput": {"hookEventName"' not in output:
        assert answer.decision in ("", "deny")  # never a yes in the person's place
    assert answer.decision != "allow"
    assert answer.faults or answer.context or answer == SILENCE or answer.decision


PLAIN = ["", "  \n", "ok", "checked 3 files", "[1, 2]", "null", "true", '"deny"', "deny", "✓ fine"]


@pytest.mark.parametrize("output", PLAIN)
@pytest.mark.parametrize("event", list(HookEvent))
def test_plain_text_is_context_where_an_event_listens_and_nothing_elsewhere(
    event: HookEvent, output: str
) -> None:
    heard = HookAnswer(context=(output.strip(),)) if output.strip() else SILENCE
    assert said(event, output) == (heard if event in (PROMPT, START) else SILENCE)


@pytest.mark.parametrize("event", [PROMPT, START])
def test_text_that_only_looks_like_json_is_still_context(event: HookEvent) -> None:
    assert said(event, "{braces} are common").context == ("{braces} are common",)


def test_output_that_was_too_long_to_keep_is_not_understood() -> None:
    ran = Ran(output='{"decision": "approve"}', is_whole=False)
    assert answer_of(PRE, ran, "guard.sh").decision == "deny"


def test_stderr_of_a_script_that_is_content_means_nothing() -> None:
    assert said(PRE, "", errors="deprecated option") == SILENCE


# ── what else JSON may say ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("event", list(HookEvent))
def test_additional_context_reaches_the_model_at_every_event(event: HookEvent) -> None:
    assert said(event, specific(event, additionalContext="ctx")).context == ("ctx",)
    assert said(event, {"additionalContext": "ctx"}).context == ("ctx",)
    assert said(event, specific(event, additionalContext="")).context == ()


@pytest.mark.parametrize("event", list(HookEvent))
def test_a_system_message_is_for_the_person(event: HookEvent) -> None:
    answer = said(event, {"systemMessage": "mind the gap"})
    assert answer == HookAnswer(messages=("mind the gap",))


@pytest.mark.parametrize("event", list(HookEvent))
def test_continue_false_stops_with_its_reason(event: HookEvent) -> None:
    answer = said(event, {"continue": False, "stopReason": "enough"})
    assert (answer.is_stopped, answer.stop_reason, answer.is_blocked) == (True, "enough", True)
    assert not said(event, {"continue": True, "stopReason": "unused"}).is_stopped
    assert said(event, {"continue": True, "stopReason": "unused"}).stop_reason == ""
    assert not said(event, {"continue": None}).is_stopped


@pytest.mark.parametrize("given", [{"command": "ls -l"}, {"a": {"b": [1, None, "ह"]}}])
def test_updated_input_is_taken_as_it_is(given: dict[str, Any]) -> None:
    answer = said(PRE, specific(permissionDecision="allow", updatedInput=given))
    assert (answer.decision, answer.arguments) == ("allow", given)
    assert said(PRE, specific(updatedInput=given)).arguments == given
    assert said(PRE, specific(updatedInput=None)).arguments is None


@pytest.mark.parametrize("event", [POST, FAILURE])
def test_after_a_call_a_no_is_told_to_the_model_and_changes_nothing(event: HookEvent) -> None:
    answer = said(event, {"decision": "block", "reason": "lint fails"})
    assert (answer.decision, answer.is_blocked) == ("", False)
    assert answer.context == ("A hook objects: lint fails",)
    both = said(
        event, {"decision": "block", "reason": "x", **specific(event, additionalContext="y")}
    )
    assert both.context == ("A hook objects: x", "y")
    assert said(event, {"decision": "approve"}) == SILENCE
    assert said(event, specific(event, updatedInput={"a": 1})).arguments is None


@pytest.mark.parametrize("event", sorted(BLOCKABLE - {PRE, REQUEST}))
def test_block_blocks_what_can_still_be_blocked(event: HookEvent) -> None:
    answer = said(event, {"decision": "block", "reason": "tests are red"})
    assert (answer.is_blocked, answer.reason) == (True, "tests are red")


REQUESTS = [
    ({"behavior": "allow"}, "allow", "", None),
    ({"behavior": "deny"}, "deny", "", None),
    ({"behavior": "deny", "message": "ask Ada"}, "deny", "ask Ada", None),
    ({"behavior": "allow", "updatedInput": {"command": "ls"}}, "allow", "", {"command": "ls"}),
    ({}, "", "", None),
    ({"behavior": None}, "", "", None),
]


@pytest.mark.parametrize(("choice", "decision", "reason", "arguments"), REQUESTS)
def test_an_answer_in_the_persons_place(
    choice: dict[str, Any], decision: str, reason: str, arguments: dict[str, Any] | None
) -> None:
    answer = said(REQUEST, specific(REQUEST, decision=choice))
    assert (answer.decision, answer.reason, answer.arguments) == (decision, reason, arguments)


def test_an_interrupt_stops_the_turn() -> None:
    answer = said(REQUEST, specific(REQUEST, decision={"behavior": "deny", "interrupt": True}))
    assert answer.is_stopped


# ── exit 2 and the others ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("errors", ["", "  \n", "not on Fridays", "दो पंक्तियाँ\nहैं"])
@pytest.mark.parametrize("event", list(HookEvent))
def test_exit_2_says_no_even_in_silence(event: HookEvent, errors: str) -> None:
    answer = said(event, errors=errors, code=2)
    reason = errors.strip() or "'guard.sh' said no and gave no reason"
    if event in BLOCKABLE:
        assert (answer.decision, answer.reason) == ("deny", reason)
    elif event in TOLD_TO_THE_MODEL:
        assert answer.context == (f"A hook objects: {errors.strip() or 'guard.sh'}",)
        assert not answer.is_blocked
    else:
        assert event in TOLD_TO_THE_PERSON
        assert answer == HookAnswer(messages=(reason,))


@pytest.mark.parametrize(
    "output", [{"decision": "approve"}, specific(permissionDecision="allow"), {"continue": True}]
)
def test_no_output_turns_exit_2_into_a_yes(output: object) -> None:
    assert said(PRE, output, errors="stop", code=2) == HookAnswer(decision="deny", reason="stop")


@pytest.mark.parametrize("code", [1, 3, 130, 137, 143, 255])
@pytest.mark.parametrize("event", list(HookEvent))
def test_another_exit_code_is_noted_and_changes_nothing(event: HookEvent, code: int) -> None:
    answer = said(event, {"decision": "approve"}, errors="it broke", code=code)
    (fault,) = answer.faults
    assert fault == f"'guard.sh' ended with exit code {code}: it broke"
    assert answer == HookAnswer(faults=(fault,))


@pytest.mark.parametrize("code", [126, 127])
def test_a_guard_that_could_not_be_started_is_a_no(code: int) -> None:
    for event in HookEvent:
        answer = said(event, errors="guard.sh: not found", code=code)
        assert answer.decision == ("deny" if event.is_guarded else "")
        assert "guard.sh: not found" in answer.reason + "".join(answer.faults)


def test_a_long_complaint_is_cut() -> None:
    assert len(said(PRE, errors="x" * 1_000_000, code=2).reason) == HOOK_CONTEXT_CHARS
    assert len(said(PRE, {"decision": "block", "reason": "x" * 1_000_000}).reason) <= 10_000
    assert len(said(PRE, errors="x" * 1_000_000, code=1).faults[0]) < 1_000


@pytest.mark.parametrize("event", list(HookEvent))
def test_a_guard_that_is_late_is_a_no_and_others_are_noted(event: HookEvent) -> None:
    answer = answer_of(event, Ran(exit_code=143, timeout_s=1.5), "slow.sh")
    text = "'slow.sh' did not answer within 1.5 s"
    expected = HookAnswer(decision="deny", reason=text) if event is PRE else None
    assert answer == (expected or HookAnswer(faults=(text,)))


# ── several at once ───────────────────────────────────────────────────────────────────────────
YES, NO = HookAnswer(decision="allow", reason="y"), HookAnswer(decision="deny", reason="n")
ASK = HookAnswer(decision="ask", reason="a")
MERGED = [
    ([], ""),
    ([SILENCE, SILENCE], ""),
    ([YES], "allow"),
    ([SILENCE, YES], "allow"),
    ([YES, ASK], "ask"),
    ([ASK, YES], "ask"),
    ([YES, NO], "deny"),
    ([NO, YES], "deny"),
    ([ASK, NO, YES], "deny"),
    ([YES, SILENCE, ASK], "ask"),
    ([YES, YES], "allow"),
]


@pytest.mark.parametrize(("answers", "decision"), MERGED)
def test_the_strictest_decision_counts(answers: list[HookAnswer], decision: str) -> None:
    merged = together(answers)
    assert merged.decision == decision
    assert merged.reason == {"": "", "allow": "y", "ask": "a", "deny": "n"}[decision]


def test_reasons_of_the_strictest_are_joined_and_others_left_out() -> None:
    more = [NO, HookAnswer(decision="deny", reason="m"), YES, NO]
    assert together(more).reason == "n; m"


def test_the_first_new_arguments_count() -> None:
    one, two = HookAnswer(arguments={"a": 1}), HookAnswer(arguments={"a": 2})
    assert together([SILENCE, one, two]).arguments == {"a": 1}
    assert together([two, one]).arguments == {"a": 2}


def test_everything_that_was_said_is_kept_in_order() -> None:
    merged = together(
        [
            HookAnswer(context=("c1",), messages=("m1",), faults=("f1",)),
            HookAnswer(context=("c2", "c3"), is_stopped=True, stop_reason="s"),
            HookAnswer(messages=("m2",), faults=("f2",)),
        ]
    )
    assert merged == HookAnswer(
        context=("c1", "c2", "c3"),
        messages=("m1", "m2"),
        faults=("f1", "f2"),
        is_stopped=True,
        stop_reason="s",
    )


ANSWERS = st.builds(
    HookAnswer,
    decision=st.sampled_from(["", "allow", "ask", "deny"]),
    reason=st.text(max_size=3),
    is_stopped=st.booleans(),
    context=st.tuples() | st.tuples(st.text(max_size=3)),
)


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(st.lists(ANSWERS, max_size=5), st.randoms())
def test_no_order_and_no_company_makes_an_answer_milder(
    answers: list[HookAnswer], chance: Any
) -> None:
    order = ["", "allow", "ask", "deny"]
    shuffled = list(answers)
    chance.shuffle(shuffled)
    merged = together(shuffled)
    assert all(order.index(one.decision) <= order.index(merged.decision) for one in answers)
    assert merged.is_stopped == any(one.is_stopped for one in answers)
    assert merged.decision == together(answers).decision


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["allow", "deny", "ask", "block", "approve", "PreToolUse"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("decision", "reason", "continue", "hookSpecificOutput", "hookEventName"),
                    *("permissionDecision", "updatedInput", "additionalContext", "behavior", "x"),
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.torture
@examples(in_ci=300, in_torture=50_000)
@given(JSON, st.sampled_from(list(HookEvent)))
def test_no_json_does_more_than_be_not_understood(data: Any, event: HookEvent) -> None:
    try:
        answer = answer_of_data(event, data)
    except NotUnderstood:
        return
    assert answer.decision in ("", "allow", "ask", "deny")
    assert answer.arguments is None or isinstance(answer.arguments, dict)


@pytest.mark.torture
@examples(in_ci=300, in_torture=50_000)
@given(st.text(max_size=60), st.integers(0, 255), st.sampled_from(list(HookEvent)))
def test_no_output_at_all_becomes_a_yes_by_accident(
    output: str, code: int, event: HookEvent
) -> None:
    answer = answer_of(event, Ran(exit_code=code, output=output), "x")
    assert answer.decision != "allow"
    assert answer.decision != "deny" or code == 2 or event is PRE
