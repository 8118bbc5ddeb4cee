"""Hooks around real calls: what they stop, change, add and hear of."""

import json
import shlex
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import ApprovalAnswer, HookAnswer, ToolCall, Toolkit, ToolResult
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.protocol.event import Noticed
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.hooks.functions import FunctionHook, hook
from tooling.scripts import decides, keeps, kept, kit, prints, script, settings, table


def rewrites(command: str, decision: str | None = "allow") -> str:
    """A command that gives Bash another command line."""
    specific: dict[str, Any] = {"updatedInput": {"command": command}}
    if decision:
        specific["permissionDecision"] = decision
    return prints({"hookSpecificOutput": {"hookEventName": "PreToolUse", **specific}})


def at(folder: Path, event: str, command: str) -> Toolkit:
    events: dict[str, Any] = {event: [("Bash", command)]}
    return kit(folder, **events)


async def bash(toolkit: Toolkit, command: str) -> ToolResult:
    return await toolkit.call("Bash", command=command)


# ── before ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-150")
async def test_a_refused_call_does_not_run_and_says_why(tmp_path: Path) -> None:
    with_hook = kit(tmp_path, PreToolUse=[("Bash", "echo 'not on\nFridays' >&2; exit 2")])
    result = await bash(with_hook, "touch ran")
    assert result.error is not None
    assert (result.error.code, result.error.key) == ("PERMISSION_DENIED", "denied.hook")
    assert result.text == "A hook refused Bash: not on\nFridays"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "guard",
    ["exit 2", "echo '{'", prints({"decision": "nope"}), prints({"continue": False})],
    ids=["silent", "garbled", "unknown", "stopped"],
)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypass", "dontAsk"])
async def test_no_mode_is_stronger_than_a_guard(guard: str, mode: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    with_hook = kit(tmp_path, mode=mode, PreToolUse=[("Read", guard)])
    result = await with_hook.call("Read", file_path="a.txt")
    assert result.error is not None
    assert result.error.code == "PERMISSION_DENIED"


async def test_a_stop_is_told_to_whoever_runs_the_turn(tmp_path: Path) -> None:
    stop = prints({"continue": False, "stopReason": "budget is spent"})
    before = await bash(kit(tmp_path, PreToolUse=[("", stop)]), "touch ran")
    assert before.metadata["hook_stop"] == "budget is spent"
    assert not (tmp_path / "ran").exists()
    after = await bash(kit(tmp_path, PostToolUse=[("", stop)]), "touch ran")
    assert after.ok
    assert after.metadata["hook_stop"] == "budget is spent"


async def test_a_hook_may_answer_the_question(tmp_path: Path) -> None:
    person = FakePerson()
    with_hook = Toolkit(
        cwd=tmp_path, approve=person, settings=settings(PreToolUse=[("Bash", decides("allow"))])
    )
    assert (await bash(with_hook, "touch ran")).ok
    assert person.asked == []


async def test_a_hook_may_raise_a_question(tmp_path: Path) -> None:
    person = FakePerson([YES])
    asking = settings(PreToolUse=[("Bash", decides("ask", "is it late?"))])
    with_hook = Toolkit(cwd=tmp_path, approve=person, settings=asking)
    assert (await bash(with_hook, "ls")).ok
    assert [one.reason for one in person.asked] == ["is it late?"]
    headless = Toolkit(cwd=tmp_path, settings=asking)
    refused = await bash(headless, "ls")
    assert refused.error is not None
    assert refused.error.code == "PERMISSION_DENIED"


async def test_where_nobody_may_be_asked_a_hooks_question_is_a_no(tmp_path: Path) -> None:
    person = FakePerson([YES])
    asking = settings(PreToolUse=[("List", decides("ask", "really?"))])
    with_hook = Toolkit(cwd=tmp_path, mode="dontAsk", approve=person, settings=asking)
    assert not (await with_hook.call("List")).ok
    assert person.asked == []


async def test_a_rule_that_asks_is_not_answered_by_an_early_yes(tmp_path: Path) -> None:
    """The person wants to be asked; only a hook that speaks at the question may speak for them."""
    person = FakePerson([NO])
    rules = PermissionSettings(ask=["Bash(touch:*)"])
    early = Settings(hooks=table(PreToolUse=[("", decides("allow"))]), permissions=rules)
    kit = Toolkit(cwd=tmp_path, approve=person, settings=early)
    assert not (await bash(kit, "touch ran")).ok
    assert len(person.asked) == 1
    there = Settings(hooks=table(PermissionRequest=[("", answers("allow"))]), permissions=rules)
    kit = Toolkit(cwd=tmp_path, approve=person, settings=there)
    assert (await bash(kit, "touch ran")).ok


@pytest.mark.parametrize("matcher", ["(", "*x", "[a"])
def test_a_broken_matcher_in_a_program_is_said_at_once(matcher: str, tmp_path: Path) -> None:
    from ankrcode import SettingsError

    with pytest.raises(SettingsError, match=r"hooks.Stop\[0\]"):
        kit(tmp_path, Stop=[(matcher, "true")])


DENIED = [
    # why no                                          the call
    ({"deny": ["Bash(touch:*)"]}, "default", ("Bash", {"command": "touch ran"})),
    ({"deny": ["Bash"]}, "bypass", ("Bash", {"command": "touch ran"})),
    ({}, "dontAsk", ("Bash", {"command": "touch ran"})),
    ({}, "plan", ("Bash", {"command": "touch ran"})),
    ({}, "plan", ("Write", {"file_path": "ran", "content": "x"})),
    ({}, "bypass", ("Bash", {"command": "rm -rf {root}"})),  # blocked for good
    ({}, "default", ("Bash", {"command": "rm -rf {root}"})),
]


@pytest.mark.parametrize(("rules", "mode", "call"), DENIED)
async def test_no_hook_overrides_a_deny(
    rules: dict[str, list[str]], mode: str, call: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    allowing = prints(
        {
            "hookSpecificOutput": {
                "hookEventName": "PermissionRequest",
                "decision": {"behavior": "allow"},
            }
        }
    )
    hooks = table(PreToolUse=[("", decides("allow"))], PermissionRequest=[("", allowing)])
    chosen = Settings(hooks=hooks, permissions=msgspec.convert(rules, PermissionSettings))
    person = FakePerson([YES] * 5)
    name, given = call
    arguments = {key: value.replace("{root}", str(tmp_path)) for key, value in given.items()}
    kit = Toolkit(cwd=tmp_path, mode=mode, approve=person, settings=chosen)
    result = await kit.call(name, arguments)
    assert tmp_path.is_dir()
    assert result.error is not None
    assert not (tmp_path / "ran").exists()
    assert person.asked == []


async def test_no_hook_answers_for_a_protected_name(tmp_path: Path) -> None:
    person = FakePerson([NO, NO])
    allowing = prints({"hookSpecificOutput": {"decision": {"behavior": "allow"}}})
    chosen = settings(PreToolUse=[("", decides("allow"))], PermissionRequest=[("", allowing)])
    with_hooks = Toolkit(cwd=tmp_path, approve=person, settings=chosen, mode="acceptEdits")
    result = await with_hooks.call("Write", file_path=".claude/settings.json", content="{}")
    assert result.error is not None
    assert len(person.asked) == 1


async def test_a_tool_goes_by_its_own_name_whoever_calls_it(tmp_path: Path) -> None:
    from ankrcode import dialects

    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    log = tmp_path / "log"
    with_hook = kit(tmp_path, PreToolUse=[("Read", keeps(log))])
    dialect = dialects.load("workspace")
    await with_hook.call_in(dialect, ToolCall(name="read_file", arguments={"path": "a.txt"}))
    (given,) = kept(log)
    assert given["tool_name"] == "Read"
    assert "file_path" in given["tool_input"]


@pytest.mark.requirement("S4-151")
async def test_arguments_that_came_as_text_reach_the_hook_parsed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(tmp_path, PreToolUse=[("", keeps(log))])
    await with_hook.call_raw(ToolCall(name="Bash", arguments='{"command": "true"}', id="call_x"))
    (given,) = kept(log)
    assert given["tool_input"] == {"command": "true"}
    assert given["tool_use_id"] == "call_x"


async def test_a_call_that_cannot_be_read_bothers_no_hook(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(tmp_path, PreToolUse=[("", keeps(log))])
    for call in (
        ToolCall(name="Nothing", arguments={}),
        ToolCall(name="Bash", arguments="{"),
        ToolCall(name="Bash", arguments={"command": 7}),
    ):
        assert not (await with_hook.call_raw(call)).ok
    assert not log.exists()


# ── other arguments ───────────────────────────────────────────────────────────────────────────
async def test_rewritten_arguments_are_what_runs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(
        tmp_path, PreToolUse=[("Bash", rewrites("echo safe"))], PostToolUse=[("", keeps(log))]
    )
    result = await bash(with_hook, "echo unsafe")
    assert result.text.strip() == "safe"
    assert kept(log)[0]["tool_input"] == {"command": "echo safe"}


async def test_rewritten_arguments_are_judged_again_by_rules(tmp_path: Path) -> None:
    chosen = Settings(
        hooks=table(PreToolUse=[("Bash", rewrites("touch ran"))]),
        permissions=PermissionSettings(deny=["Bash(touch:*)"]),
    )
    result = await bash(Toolkit(cwd=tmp_path, mode="bypass", settings=chosen), "true")
    assert result.error is not None
    assert not (tmp_path / "ran").exists()


async def test_rewritten_arguments_are_judged_again_by_the_other_hooks(tmp_path: Path) -> None:
    guard = script(
        tmp_path,
        "guard.py",
        "import json, sys\n"
        "if 'touch' in json.load(sys.stdin)['tool_input']['command']:\n"
        "    sys.exit(2)\n",
    )
    with_hooks = kit(tmp_path, PreToolUse=[("Bash", guard), ("Bash", rewrites("touch ran"))])
    assert not (await bash(with_hooks, "true")).ok
    assert not (tmp_path / "ran").exists()


async def test_a_script_that_adds_to_what_it_sees_adds_once(tmp_path: Path) -> None:
    adding = script(
        tmp_path,
        "adding.py",
        "import json, sys\n"
        "given = json.load(sys.stdin)['tool_input']\n"
        "given['command'] = 'echo added; ' + given['command']\n"
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n"
        "    'permissionDecision': 'allow', 'updatedInput': given}}))\n",
    )
    person = FakePerson()
    chosen = settings(PreToolUse=[("Bash", adding)])
    result = await bash(Toolkit(cwd=tmp_path, approve=person, settings=chosen), "touch ran")
    assert result.text.strip() == "added"
    assert (tmp_path / "ran").exists()
    assert person.asked == []  # it allowed its own rewriting


async def test_a_yes_given_with_a_rewriting_holds_if_the_script_is_silent_later(
    tmp_path: Path,
) -> None:
    wrapping = script(
        tmp_path,
        "wrap.py",
        "import json, sys\n"
        "given = json.load(sys.stdin)['tool_input']\n"
        "if not given['command'].startswith('true;'):\n"
        "    given['command'] = 'true; ' + given['command']\n"
        "    print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n"
        "        'permissionDecision': 'allow', 'updatedInput': given}}))\n",
    )
    person = FakePerson()
    chosen = settings(PreToolUse=[("Bash", wrapping)])
    assert (await bash(Toolkit(cwd=tmp_path, approve=person, settings=chosen), "touch ran")).ok
    assert person.asked == []


async def test_that_yes_is_for_the_scripts_own_rewriting_only(tmp_path: Path) -> None:
    """Another hook changes it once more: nobody has allowed the outcome, so a person is asked."""
    first = script(
        tmp_path,
        "first.py",
        "import json, sys\n"
        "if json.load(sys.stdin)['tool_input']['command'] == 'start':\n"
        "    print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n"
        "        'permissionDecision': 'allow', 'updatedInput': {'command': 'touch one'}}}))\n",
    )
    second = script(
        tmp_path,
        "second.py",
        "import json, sys\n"
        "if json.load(sys.stdin)['tool_input']['command'] == 'touch one':\n"
        "    print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n"
        "        'updatedInput': {'command': 'touch two'}}}))\n",
    )
    person = FakePerson([NO])
    chosen = settings(PreToolUse=[("Bash", first), ("Bash", second)])
    result = await bash(Toolkit(cwd=tmp_path, approve=person, settings=chosen), "start")
    assert not result.ok
    assert [one.arguments for one in person.asked] == [{"command": "touch two"}]


async def test_a_rewriting_after_the_persons_own_edit_is_asked_about(tmp_path: Path) -> None:
    edited = ApprovalAnswer(approved=True, arguments={"command": "touch mine"})
    person = FakePerson([edited, NO])
    late = script(
        tmp_path,
        "late.py",
        "import json, sys\n"
        "if 'mine' in json.load(sys.stdin)['tool_input']['command']:\n"
        "    print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n"
        "        'updatedInput': {'command': 'touch theirs'}}}))\n",
    )
    chosen = settings(PreToolUse=[("Bash", late)])
    result = await bash(Toolkit(cwd=tmp_path, approve=person, settings=chosen), "touch it")
    assert not result.ok
    assert [one.arguments["command"] for one in person.asked] == ["touch it", "touch theirs"]
    assert not (tmp_path / "theirs").exists()


async def test_arguments_that_do_not_fit_are_an_error_of_the_call(tmp_path: Path) -> None:
    wrong = prints({"hookSpecificOutput": {"updatedInput": {"command": 7}}})
    result = await bash(kit(tmp_path, PreToolUse=[("", wrong)]), "touch ran")
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert not (tmp_path / "ran").exists()


# ── after ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-044")
async def test_after_a_success_the_hook_gets_the_response(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(tmp_path, PostToolUse=[("Write|Bash", keeps(log))])
    await with_hook.call("Write", file_path="a.txt", content="x")
    await bash(with_hook, "echo out")
    wrote, ran = kept(log)
    assert wrote["hook_event_name"] == "PostToolUse"
    assert wrote["tool_response"]["success"] is True
    assert wrote["tool_response"]["filePath"] == "a.txt"
    assert ran["tool_response"]["stdout"].strip() == "out"
    assert ran["tool_response"]["interrupted"] is False


@pytest.mark.requirement("S4-045")
async def test_after_a_failure_the_hook_gets_the_error(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(
        tmp_path, PostToolUse=[("", "touch wrong")], PostToolUseFailure=[("", keeps(log))]
    )
    result = await bash(with_hook, "echo oh no; exit 3")
    assert not result.ok
    (given,) = kept(log)
    assert given["hook_event_name"] == "PostToolUseFailure"
    assert "oh no" in given["error"]
    assert given["is_interrupt"] is False
    assert not (tmp_path / "wrong").exists()


async def test_a_call_that_never_ran_has_no_after(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(
        tmp_path,
        PreToolUse=[("", "exit 2")],
        PostToolUse=[("", keeps(log))],
        PostToolUseFailure=[("", keeps(log))],
    )
    assert not (await bash(with_hook, "true")).ok
    assert not log.exists()


async def test_a_response_is_an_object_whatever_the_tool_returns(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "a.txt").write_text("text", encoding="utf-8")
    with_hook = kit(tmp_path, PostToolUse=[("", keeps(log))])
    for call in (
        ("List", {"path": "."}),
        ("Read", {"file_path": "a.txt"}),
        ("Glob", {"pattern": "*"}),
    ):
        await with_hook.call(call[0], call[1])
    assert [type(one["tool_response"]) for one in kept(log)] == [dict] * 3


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
async def test_context_reaches_the_model_with_the_result(event: str, tmp_path: Path) -> None:
    saying = prints({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "mind X"}})
    result = await bash(at(tmp_path, event, saying), "echo out")
    assert result.text == "out\n\nmind X"
    assert result.metadata["hook_context"] == ["mind X"]


async def test_context_reaches_the_model_with_an_error_too(tmp_path: Path) -> None:
    saying = prints({"additionalContext": "see LOG"})
    result = await bash(kit(tmp_path, PostToolUseFailure=[("", saying)]), "exit 3")
    assert not result.ok
    assert result.text.endswith("\n\nsee LOG")


async def test_context_is_said_once_though_the_call_is_judged_again(tmp_path: Path) -> None:
    saying = prints({"additionalContext": "once"})
    with_hooks = kit(tmp_path, PreToolUse=[("", saying), ("", rewrites("echo new"))])
    assert (await bash(with_hooks, "echo old")).text == "new\n\nonce"


async def test_context_is_bounded_and_free_of_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    long = kit(tmp_path, PostToolUse=[("", prints({"additionalContext": "क्ष" * 4_000}))])
    shown = (await bash(long, "true")).metadata["hook_context"][0]
    assert len(shown) < 10_010
    assert shown.endswith("क्ष …")
    leaking = kit(tmp_path, PostToolUse=[("", prints({"additionalContext": f"key {secret}"}))])
    assert secret not in repr(await bash(leaking, "true"))


async def test_secrets_in_a_result_do_not_reach_a_hooks_log(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    (tmp_path / "a.txt").write_text(f"token {secret}\n", encoding="utf-8")
    log = tmp_path / "log"
    await kit(tmp_path, PostToolUse=[("", keeps(log))]).call("Read", file_path="a.txt")
    assert secret not in log.read_text(encoding="utf-8")


async def test_a_hooks_message_is_shown_to_the_person(tmp_path: Path) -> None:
    with_hook = kit(tmp_path, PostToolUse=[("", prints({"systemMessage": "formatted"}))])
    seen: list[Any] = []
    with_hook.on("notice", seen.append)
    result = await bash(with_hook, "true")
    with_hook.activity.flush()
    assert result.metadata["hook_messages"] == ["formatted"]
    assert "formatted" not in result.text
    (notice,) = seen
    assert isinstance(notice, Noticed)
    assert notice.values["message"] == "formatted"


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
async def test_a_failing_hook_is_noted_and_harms_nothing(event: str, tmp_path: Path) -> None:
    result = await bash(at(tmp_path, event, "echo oops >&2; exit 1"), "echo out")
    assert result.text.strip() == "out"
    assert "exit code 1: oops" in result.metadata["hook_errors"][0]


# ── in the person's place ─────────────────────────────────────────────────────────────────────
def answers(behavior: str, **more: Any) -> str:
    choice = {"behavior": behavior, **more}
    return prints(
        {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": choice}}
    )


def asking(tmp_path: Path, command: str, *said: ApprovalAnswer) -> tuple[FakePerson, Toolkit]:
    person = FakePerson(said)
    chosen = settings(PermissionRequest=[("Bash", command)])
    return person, Toolkit(cwd=tmp_path, approve=person, settings=chosen)


async def test_a_hook_may_say_yes_for_the_person(tmp_path: Path) -> None:
    person, with_hook = asking(tmp_path, answers("allow"))
    assert (await bash(with_hook, "touch ran")).ok
    assert person.asked == []


async def test_a_hook_may_say_no_for_the_person(tmp_path: Path) -> None:
    person, with_hook = asking(tmp_path, answers("deny", message="ask Ada"), YES)
    result = await bash(with_hook, "touch ran")
    assert result.text == "A hook refused Bash: ask Ada"
    assert person.asked == []
    assert not (tmp_path / "ran").exists()


async def test_a_hook_may_edit_for_the_person(tmp_path: Path) -> None:
    person, with_hook = asking(tmp_path, answers("allow", updatedInput={"command": "touch other"}))
    assert (await bash(with_hook, "touch ran")).ok
    assert [one.name for one in tmp_path.iterdir()] == ["other"]
    assert person.asked == []


@pytest.mark.parametrize("command", ["true", "exit 1", "echo hello", "echo '{'", "sleep 0"])
async def test_otherwise_the_person_is_asked(command: str, tmp_path: Path) -> None:
    person, with_hook = asking(tmp_path, command, YES)
    assert (await bash(with_hook, "touch ran")).ok
    assert len(person.asked) == 1


async def test_nobody_is_asked_about_what_needs_no_question(tmp_path: Path) -> None:
    log = tmp_path / "log"
    _, with_hook = asking(tmp_path, keeps(log))
    assert (await bash(with_hook, "ls")).ok
    assert not log.exists()


async def test_without_a_person_a_hook_may_still_answer(tmp_path: Path) -> None:
    headless = Toolkit(cwd=tmp_path, settings=settings(PermissionRequest=[("", answers("allow"))]))
    assert (await bash(headless, "touch ran")).ok


async def test_a_question_is_announced_to_notification_hooks(tmp_path: Path) -> None:
    log = tmp_path / "log"
    person = FakePerson([YES])
    chosen = settings(Notification=[("permission_prompt", f"{keeps(log)}.part; mv log.part log")])
    with_hook = Toolkit(cwd=tmp_path, approve=person, settings=chosen)
    command = "until [ -e log ]; do :; done; touch ran"
    assert (await bash(with_hook, command)).ok  # it runs once the hook has run
    (given,) = kept(log)
    assert given["message"] == "AnkrCode needs your permission to use Bash"
    assert given["notification_type"] == "permission_prompt"


# ── sessions and agents ───────────────────────────────────────────────────────────────────────
async def test_a_session_starts_with_its_first_call_and_says_its_piece_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    starting = f"{keeps(log)}; echo 'branch: next'"
    with_hook = kit(tmp_path, SessionStart=[("startup", starting)])
    assert (await bash(with_hook, "echo one")).text == "one\n\nbranch: next"
    assert (await bash(with_hook, "echo two")).text.strip() == "two"
    (given,) = kept(log)
    assert given["source"] == "startup"


async def test_whoever_begins_the_session_gets_its_context(tmp_path: Path) -> None:
    with_hook = kit(tmp_path, SessionStart=[("resume", "echo welcome back")])
    assert (await with_hook.begin("resume")).context == ("welcome back",)
    assert (await with_hook.begin("resume")) == HookAnswer()
    assert (await bash(with_hook, "echo one")).text.strip() == "one"


async def test_a_session_that_began_ends_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with_hook = kit(tmp_path, SessionEnd=[("", keeps(log))])
    with_hook.close()
    assert not log.exists()
    await bash(with_hook, "true")
    with_hook.for_agent("helper").close()
    assert not log.exists()
    with_hook.close()
    with_hook.close()
    assert [one["reason"] for one in kept(log)] == ["other"]


async def test_hooks_guard_further_agents_and_know_who_they_are(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "sub").mkdir()
    with_hook = kit(tmp_path, PreToolUse=[("", f"{keeps(log)}; exit 2")])
    child = with_hook.for_agent("Explore", cwd=tmp_path / "sub")
    assert not (await bash(child, "true")).ok
    assert not (await bash(with_hook, "true")).ok
    helper, main = kept(log)
    assert helper["agent_type"] == "Explore"
    assert helper["agent_id"] == child.agent.agent_id
    assert helper["cwd"] == str(tmp_path / "sub")
    assert "agent_id" not in main


async def test_hooks_can_be_switched_off(tmp_path: Path) -> None:
    off = Settings(hooks=table(PreToolUse=[("", "exit 2")]), hooks_enabled=False)
    with_hooks = Toolkit(cwd=tmp_path, mode="bypass", settings=off)
    assert with_hooks.hooks is None
    assert (await bash(with_hooks, "true")).ok


# ── in Python ─────────────────────────────────────────────────────────────────────────────────
def refusing(payload: dict[str, Any]) -> HookAnswer | None:
    if "--force" in payload["tool_input"]["command"]:
        return HookAnswer(decision="deny", reason="no force")
    return None


async def test_a_function_is_a_hook(tmp_path: Path) -> None:
    guard = hook("PreToolUse", matcher="Bash")(refusing)
    with_hook = Toolkit(cwd=tmp_path, mode="bypass", hooks=[guard])
    assert (await bash(with_hook, "echo")).ok
    result = await bash(with_hook, "echo --force")
    assert result.text == "A hook refused Bash: no force"
    assert guard({"tool_input": {"command": ""}}) is None  # still the function it was


async def an_async_one(payload: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "a"}}


RETURNS = [
    (lambda _: None, "out"),
    (lambda _: {}, "out"),
    (lambda _: HookAnswer(), "out"),
    (lambda _: {"decision": "block", "reason": "old"}, "A hook refused Bash: old"),
    (lambda _: HookAnswer(decision="deny"), "A hook refused Bash and gave no reason."),
    (an_async_one, "A hook refused Bash: a"),
    (partial(an_async_one), "A hook refused Bash: a"),
    (lambda _: {"decision": "dunno"}, "A hook refused Bash: what"),
    (lambda _: "deny", "A hook refused Bash: what"),
    (lambda _: 7, "A hook refused Bash: what"),
    (lambda _: 1 / 0, "A hook refused Bash: '"),
    (lambda _: {"additionalContext": "ctx"}, "out\n\nctx"),
]


@pytest.mark.parametrize(("function", "text"), RETURNS)
async def test_what_a_function_may_return(function: Any, text: str, tmp_path: Path) -> None:
    with_hook = Toolkit(cwd=tmp_path, mode="bypass", hooks=[hook("PreToolUse")(function)])
    assert (await bash(with_hook, "echo out")).text.strip().startswith(text)


async def test_a_function_gets_what_a_script_gets_and_cannot_change_the_call(
    tmp_path: Path,
) -> None:
    log, seen = tmp_path / "log", []

    def meddling(payload: dict[str, Any]) -> None:
        seen.append(json.loads(json.dumps(payload)))
        payload["tool_input"]["command"] = "touch ran"

    with_hooks = Toolkit(
        cwd=tmp_path,
        mode="bypass",
        hooks=[hook("PreToolUse")(meddling)],
        settings=settings(PreToolUse=[("", keeps(log))]),
    )
    assert (await bash(with_hooks, "echo out")).text.strip() == "out"
    assert seen == kept(log)
    assert not (tmp_path / "ran").exists()


async def test_a_function_that_hangs_is_a_no(tmp_path: Path) -> None:
    import asyncio

    async def hanging(payload: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    late = hook("PreToolUse", timeout_s=0.05)(hanging)
    result = await bash(Toolkit(cwd=tmp_path, mode="bypass", hooks=[late]), "touch ran")
    assert "did not answer within 0.05 s" in result.text
    assert not (tmp_path / "ran").exists()


async def test_functions_serve_every_event(tmp_path: Path) -> None:
    seen: list[str] = []

    def noting(payload: dict[str, Any]) -> None:
        seen.append(payload["hook_event_name"])

    events = ("SessionStart", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd")
    hooks: list[FunctionHook] = [hook(event)(noting) for event in events]
    with_hooks = Toolkit(cwd=tmp_path, mode="bypass", hooks=hooks)
    await bash(with_hooks, "true")
    await bash(with_hooks, "false; exit 9")
    with_hooks.close()
    before = ["SessionStart", "PreToolUse", "PostToolUse"]
    assert seen == [*before, "PreToolUse", "PostToolUseFailure", "SessionEnd"]


def test_a_function_for_no_event_is_a_mistake() -> None:
    from ankrcode import UsageError

    with pytest.raises(UsageError, match="There is no event 'PreTool'"):
        hook("PreTool")


# ── scripts as people publish them ────────────────────────────────────────────────────────────
VALIDATOR = """\
import json, re, sys
RULES = [(r"^grep\\b(?!.*\\|)", "use rg"), (r"^find\\s+\\S+\\s+-name\\b", "use rg --files")]
try:
    data = json.load(sys.stdin)
except json.JSONDecodeError as problem:
    print(f"Error: {problem}", file=sys.stderr)
    sys.exit(1)
if data.get("tool_name") != "Bash":
    sys.exit(0)
issues = [say for rule, say in RULES if re.search(rule, data["tool_input"].get("command", ""))]
for issue in issues:
    print(f"- {issue}", file=sys.stderr)
sys.exit(2 if issues else 0)
"""
PROTECTOR = """\
import json, sys
path = json.load(sys.stdin).get("tool_input", {}).get("file_path", "")
sys.exit(2 if any(part in path for part in (".env", "package-lock.json", ".git/")) else 0)
"""
APPROVER = """\
import json, sys
data = json.load(sys.stdin)
if data["tool_input"].get("file_path", "").endswith((".md", ".txt")):
    print(json.dumps({"decision": "approve", "reason": "docs", "suppressOutput": True}))
sys.exit(0)
"""
FORMATTER = """\
import json, pathlib, sys
data = json.load(sys.stdin)
path = pathlib.Path(data["cwd"], data["tool_response"]["filePath"])
path.write_text(path.read_text().rstrip() + "\\n")
"""
PUBLISHED = [
    (VALIDATOR, "Bash", ("Bash", {"command": "grep -r x ."}), "A hook refused Bash: - use rg"),
    (VALIDATOR, "Bash", ("Bash", {"command": "echo ok"}), "ok"),
    (PROTECTOR, "Edit|Write", ("Write", {"file_path": ".env", "content": ""}), "A hook refused"),
    (PROTECTOR, "Edit|Write", ("Write", {"file_path": "a.txt", "content": "x"}), ""),
    (APPROVER, "Write", ("Write", {"file_path": "a.md", "content": "x"}), ""),
]


@pytest.mark.parametrize(("body", "matcher", "call", "text"), PUBLISHED)
async def test_published_guards_work_unchanged(
    body: str, matcher: str, call: tuple[str, dict[str, Any]], text: str, tmp_path: Path
) -> None:
    with_hook = kit(tmp_path, PreToolUse=[(matcher, script(tmp_path, "hook.py", body))])
    assert (await with_hook.call(*call)).text.startswith(text)


async def test_a_published_formatter_works_unchanged(tmp_path: Path) -> None:
    formatter = script(tmp_path, "format.py", FORMATTER)
    with_hook = kit(tmp_path, PostToolUse=[("Write|Edit", formatter)])
    result = await with_hook.call("Write", file_path="a.txt", content="x  \n\n\n")
    assert result.ok
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x\n"


async def test_a_shell_one_liner_logs_every_command(tmp_path: Path) -> None:
    read = "import json, sys; print(json.load(sys.stdin)['tool_input']['command'])"
    logging = f'python3 -c {shlex.quote(read)} >> "$CLAUDE_PROJECT_DIR"/log.txt'
    with_hook = kit(tmp_path, PreToolUse=[("Bash", logging)])
    await bash(with_hook, "echo one")
    await bash(with_hook, "echo दो")
    logged = (tmp_path / "log.txt").read_text(encoding="utf-8")
    assert logged == "echo one\necho दो\n"
