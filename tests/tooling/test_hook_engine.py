"""The engine with real commands: which run, with what, how long, and what becomes of them."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.hooks import HookGroup, fitting_hooks
from ankrcode.config.settings import Settings
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer
from ankrcode.tooling.hooks.engine import HookEngine
from ankrcode.tooling.hooks.events import HookEvent
from ankrcode.tooling.state import AgentState
from ankrcode.workspace.processes.processes import Processes
from ankrcode.workspace.processes.saved import Saved
from ankrcode.workspace.roots import Workspace
from tooling.scripts import decides, keeps, kept, prints, table
from torture import examples
from workspace.running import alive, long_sleep

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "call_1"}


def engine(folder: Path, *, mode: Mode = Mode.DEFAULT, **events: Any) -> HookEngine:
    agent = AgentState(
        workspace=Workspace((folder,)),
        policy=Policy(mode=mode),
        session_id="session_7",
        processes=lambda: Processes(Saved(str(folder / "saved"))),
    )
    return HookEngine(table(**events), (), agent)


def at(folder: Path, event: str, *groups: Any) -> HookEngine:
    events: dict[str, Any] = {event: list(groups)}
    return engine(folder, **events)


# ── matchers ──────────────────────────────────────────────────────────────────────────────────
MATCHERS = [
    # matcher                 matches                                     does not match
    (None, ["Bash", "mcp__a__b", ""], []),
    ("", ["Bash", "anything"], []),
    ("*", ["Bash", "mcp__a__b"], []),
    (" * ", ["Bash"], []),
    ("Bash", ["Bash"], ["bash", "BashOutput", "MyBash", ""]),
    ("Write|Edit", ["Write", "Edit"], ["MultiEdit", "NotebookEdit", "Write|Edit"]),
    ("Write | Edit", ["Write", "Edit"], ["Write "]),
    ("Write,Edit", ["Write", "Edit"], ["Read"]),
    ("Write, Edit", ["Write", "Edit"], [" Edit"]),
    ("Edit|", ["Edit", ""], ["Write"]),
    ("mcp__memory__create", ["mcp__memory__create"], ["mcp__memory__create_all"]),
    ("mcp__memory__.*", ["mcp__memory__create", "mcp__memory__"], ["mcp__github__create"]),
    ("mcp__.*__write.*", ["mcp__fs__write_file", "mcp__x__write"], ["mcp__fs__read"]),
    ("mcp__", ["mcp__"], ["mcp__fs__read"]),
    ("Notebook.*", ["NotebookEdit", "NotebookRead", "MyNotebook"], ["Note"]),
    ("^Edit$", ["Edit"], ["MultiEdit"]),
    ("Edit$", ["Edit", "MultiEdit"], ["Editor"]),
    ("(Multi)?Edit", ["Edit", "MultiEdit", "XEdit"], ["edit"]),
    ("(?i)bash", ["Bash", "BASH"], ["sh"]),
    ("Ba.h", ["Bash", "Bath"], ["Bah"]),
    ("[BW]", ["Bash", "Write"], ["Edit"]),
    ("^(?!Read$)", ["Write", "Reader"], ["Read"]),
    ("startup", ["startup"], ["resume"]),
    ("my-tool", ["my-tool"], ["my_tool"]),
]


@pytest.mark.parametrize(("matcher", "fits", "misses"), MATCHERS)
def test_a_matcher_is_exact_names_or_a_pattern(
    matcher: str | None, fits: list[str], misses: list[str]
) -> None:
    group = HookGroup(matcher=matcher)
    assert [name for name in fits if not group.matches(name)] == []
    assert [name for name in misses if group.matches(name)] == []


SUBJECTS = [
    # event                 what the matcher is compared with
    ("PreToolUse", {"tool_name": "Bash"}, "Bash"),
    ("PostToolUse", {"tool_name": "Bash"}, "Bash"),
    ("PostToolUseFailure", {"tool_name": "Bash"}, "Bash"),
    ("PermissionRequest", {"tool_name": "Bash"}, "Bash"),
    ("SessionStart", {"source": "resume"}, "resume"),
    ("SessionEnd", {"reason": "clear"}, "clear"),
    ("Notification", {"notification_type": "idle_prompt"}, "idle_prompt"),
    ("PreCompact", {"trigger": "auto"}, "auto"),
    ("PostCompact", {"trigger": "manual"}, "manual"),
    ("SubagentStart", {"agent_type": "Explore"}, "Explore"),
    ("SubagentStop", {"agent_type": "Explore"}, "Explore"),
]


@pytest.mark.parametrize(("event", "payload", "subject"), SUBJECTS)
async def test_each_event_has_its_own_subject(
    event: str, payload: dict[str, str], subject: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with_hooks = at(tmp_path, event, (subject, keeps(log)), ("other", "touch no"))
    await with_hooks.run(event, payload)
    await with_hooks.run(event, dict.fromkeys(payload, "somewhat-else"))
    (given,) = kept(log)
    assert given["hook_event_name"] == event
    assert {name: given[name] for name in payload} == payload
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
async def test_events_without_a_subject_run_every_hook(event: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await at(tmp_path, event, ("whatever", keeps(log))).run(event, {"prompt": "hi"})
    assert len(kept(log)) == 1


# ── what a script is given ────────────────────────────────────────────────────────────────────
async def test_a_script_is_given_the_published_fields(tmp_path: Path) -> None:
    log = tmp_path / "log"
    await engine(tmp_path, PreToolUse=[("", keeps(log))]).run("PreToolUse", CALL)
    assert kept(log) == [
        {
            "session_id": "session_7",
            "transcript_path": "",
            "cwd": str(tmp_path),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "tool_use_id": "call_1",
        }
    ]


PAYLOADS = [
    ("UserPromptSubmit", {"prompt": 'नमस्ते\n"quoted" \\ back'}),
    ("SessionStart", {"source": "startup", "model": "m"}),
    ("SessionEnd", {"reason": "logout"}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "done"}),
    ("SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}),
    ("SubagentStop", {"stop_hook_active": True, "agent_id": "a1", "agent_type": "Explore"}),
    ("PreCompact", {"trigger": "manual", "custom_instructions": "keep names"}),
    ("PostCompact", {"trigger": "auto", "compact_summary": "…"}),
    ("Notification", {"message": "waiting", "title": "AnkrCode", "notification_type": "idle"}),
    ("PermissionRequest", {**CALL, "permission_suggestions": []}),
    ("PostToolUse", {**CALL, "tool_response": {"success": True}}),
    ("PostToolUseFailure", {**CALL, "error": "no such file", "is_interrupt": False}),
]


@pytest.mark.parametrize(("event", "payload"), PAYLOADS, ids=[event for event, _ in PAYLOADS])
async def test_every_field_of_an_event_reaches_the_script(
    event: str, payload: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await at(tmp_path, event, ("", keeps(log))).run(event, payload)
    (given,) = kept(log)
    common = {"session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name"}
    assert {name: value for name, value in given.items() if name not in common} == payload
    assert common <= set(given)


@pytest.mark.parametrize(
    ("mode", "name"),
    [(one, "bypassPermissions" if one is Mode.BYPASS else str(one)) for one in Mode],
)
async def test_modes_have_the_names_that_scripts_know(
    mode: Mode, name: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await engine(tmp_path, mode=mode, Stop=[("", keeps(log))]).run("Stop")
    assert kept(log)[0]["permission_mode"] == name


async def test_a_large_payload_arrives_whole_also_if_nobody_reads_it(tmp_path: Path) -> None:
    log, large = tmp_path / "log", "ह" * 3_000_000
    hooks = engine(tmp_path, PostToolUse=[("", keeps(log)), ("", "true"), ("", "exec <&-; true")])
    answer = await hooks.run("PostToolUse", {**CALL, "tool_response": {"content": large}})
    assert answer == SILENCE
    assert kept(log)[0]["tool_response"]["content"] == large


async def test_half_a_character_arrives_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    await engine(tmp_path, UserPromptSubmit=[("", keeps(log))]).run(
        "UserPromptSubmit", {"prompt": "x\udce9y"}
    )
    assert kept(log)[0]["prompt"] == "x\udce9y"


@pytest.mark.parametrize("variable", ["CLAUDE_PROJECT_DIR", "ANKRCODE_PROJECT_DIR"])
async def test_a_script_finds_the_project(variable: str, tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "x.sh").write_text("echo found\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    hooks = engine(tmp_path, SessionStart=[("", f'sh "${variable}"/hooks/x.sh; pwd -P')])
    answer = await hooks.run("SessionStart", {"cwd": str(tmp_path / "sub")})
    assert answer.context == (f"found\n{os.path.realpath(tmp_path)}/sub",)


async def test_a_script_runs_in_the_root_if_the_directory_is_gone(tmp_path: Path) -> None:
    hooks = engine(tmp_path, SessionStart=[("", "pwd -P")])
    answer = await hooks.run("SessionStart", {"cwd": str(tmp_path / "gone")})
    assert answer.context == (os.path.realpath(tmp_path),)


async def test_secrets_are_not_in_the_environment_of_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ankrcode import Toolkit

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-" + "x" * 40)
    monkeypatch.setenv("HARMLESS", "seen")
    kit = Toolkit(cwd=tmp_path, settings=Settings(hooks=table(SessionStart=[("", "env")])))
    (seen,) = (await kit.begin()).context
    assert "HARMLESS=seen" in seen
    assert "ANTHROPIC_API_KEY" not in seen
    assert "sk-ant-" not in seen


# ── which, how often, how long ────────────────────────────────────────────────────────────────
async def test_all_that_match_run_at_once_and_are_heard_in_order(tmp_path: Path) -> None:
    # Each waits for the other: run one after the other, neither would ever end.
    one = "touch a; until [ -e b ]; do :; done; echo one"
    two = "touch b; until [ -e a ]; do :; done; echo two"
    answer = await engine(tmp_path, SessionStart=[("", one), ("", two)]).run("SessionStart")
    assert answer.context == ("one", "two")


async def test_the_same_command_runs_once_for_one_event(tmp_path: Path) -> None:
    log = tmp_path / "log"
    groups = [("Bash", keeps(log)), ("*", keeps(log)), ("B.*", keeps(log)), ("Bash", "true")]
    hooks = engine(tmp_path, PreToolUse=groups)
    await hooks.run("PreToolUse", CALL)
    assert len(kept(log)) == 1
    await hooks.run("PreToolUse", CALL)
    assert len(kept(log)) == 2


async def test_a_hook_may_run_once_in_a_session(tmp_path: Path) -> None:
    log = tmp_path / "log"
    group = {"hooks": [{"type": "command", "command": keeps(log), "once": True}]}
    hooks = engine(tmp_path, Stop=[group])
    for _ in range(3):
        await hooks.run("Stop")
    assert len(kept(log)) == 1


async def test_nothing_runs_for_an_event_without_hooks(tmp_path: Path) -> None:
    hooks = engine(tmp_path, Stop=[("", "touch ran")], Unheard=[("", "touch ran")])
    for event in set(HookEvent) - {HookEvent.STOP}:
        assert not hooks.listens(event)
        assert await hooks.run(event, CALL) == SILENCE
    assert not (tmp_path / "ran").exists()


def test_an_event_that_does_not_exist_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Unheard"):
        asyncio.run(engine(tmp_path).run("Unheard"))


def timed(command: str, seconds: float, **more: Any) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds, **more}]}


async def test_a_script_that_takes_too_long_is_stopped_with_all_it_began(tmp_path: Path) -> None:
    sleep = long_sleep()
    command = f"(trap '' TERM; {sleep} & touch begun; wait) & wait"
    started = time.monotonic()
    answer = await engine(tmp_path, PreToolUse=[timed(command, 0.5)]).run("PreToolUse", CALL)
    assert time.monotonic() - started < 10
    assert answer.decision == "deny"
    assert "did not answer within 0.5 s" in answer.reason
    assert (tmp_path / "begun").exists()
    assert alive(sleep) == []


async def test_what_a_script_leaves_behind_is_stopped_too(tmp_path: Path) -> None:
    sleep = long_sleep()
    command = f"setsid {sleep} >/dev/null 2>&1 & echo noted >&2; exit 2"
    answer = await engine(tmp_path, PreToolUse=[("", command)]).run("PreToolUse", CALL)
    assert (answer.decision, answer.reason) == ("deny", "noted")
    assert alive(sleep) == []


async def test_a_late_hook_elsewhere_is_noted(tmp_path: Path) -> None:
    hooks = engine(tmp_path, PostToolUse=[timed("sleep 60", 0.2), ("", "echo >&2 bad; exit 2")])
    answer = await hooks.run("PostToolUse", CALL)
    assert answer.faults == ("'sleep 60' did not answer within 0.2 s",)
    assert answer.context == ("A hook objects: bad",)


async def test_a_cancelled_hook_leaves_nothing_running(tmp_path: Path) -> None:
    sleep = long_sleep()
    hooks = engine(tmp_path, Stop=[("", f"touch begun; {sleep}")])
    running = asyncio.create_task(hooks.run("Stop"))
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    until = time.monotonic() + 10
    while time.monotonic() < until and alive(sleep):
        await asyncio.sleep(0)
    assert alive(sleep) == []


async def test_nobody_waits_for_an_async_hook(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    hooks = engine(tmp_path, PostToolUse=[timed("cat gate; touch done", 20, **{"async": True})])
    assert await hooks.run("PostToolUse", CALL) == SILENCE
    assert not (tmp_path / "done").exists()
    with (tmp_path / "gate").open("w", encoding="utf-8"):
        pass
    until = time.monotonic() + 10
    while time.monotonic() < until and not (tmp_path / "done").exists():
        await asyncio.sleep(0)
    assert (tmp_path / "done").exists()


async def test_a_flood_is_bounded_and_not_understood(tmp_path: Path) -> None:
    flood = 'printf \'{"decision": "approve", "x": "\'; head -c 3000000 /dev/zero | tr \'\\0\' x'
    answer = await engine(tmp_path, PreToolUse=[("", f"{flood}; printf '\"}}'")]).run(
        "PreToolUse", CALL
    )
    assert answer.decision == "deny"
    assert not list((tmp_path / "saved").glob("*"))  # and nothing of it stays on the disk


async def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    hooks = engine(tmp_path, PreToolUse=[("", "printf '\\377\\376' >&2; exit 2")])
    assert (await hooks.run("PreToolUse", CALL)).reason == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("command", "faults"),
    [
        ("no-such-program-here", ["exit code 127", "not found"]),
        ("./not-executable", ["exit code 126"]),
        ("kill -9 $$", ["exit code 137"]),
        ("exit 1", ["exit code 1: -"]),
    ],
)
async def test_a_broken_command_is_noted_and_blocks_nothing(
    command: str, faults: list[str], tmp_path: Path
) -> None:
    (tmp_path / "not-executable").write_text("x", encoding="utf-8")
    answer = await engine(tmp_path, PostToolUse=[("", command)]).run("PostToolUse", CALL)
    (fault,) = answer.faults
    assert all(one in fault for one in faults)
    assert not answer.is_blocked


async def test_a_command_that_no_shell_can_read_is_a_no(tmp_path: Path) -> None:
    answer = await engine(tmp_path, PreToolUse=[("", "if then")]).run("PreToolUse", CALL)
    assert answer.decision == "deny"
    assert "syntax error" in answer.reason


async def test_a_guard_that_cannot_be_started_is_a_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no bash there
    hooks = engine(tmp_path, PreToolUse=[("", "true")], PostToolUse=[("", "true")])
    answer = await hooks.run("PreToolUse", CALL)
    assert answer.decision == "deny"
    assert "could not be started" in answer.reason
    assert "could not be started" in (await hooks.run("PostToolUse", CALL)).faults[0]


@pytest.mark.parametrize("kind", ["prompt", "agent", "http", "mcp_tool", "", "Command"])
async def test_a_kind_that_cannot_run_here_asks_before_a_call_and_is_noted_elsewhere(
    kind: str, tmp_path: Path
) -> None:
    group = {"hooks": [{"type": kind, "prompt": "is it safe?", "command": "touch ran"}]}
    hooks = engine(tmp_path, PreToolUse=[group], PostToolUse=[group])
    before = await hooks.run("PreToolUse", CALL)
    assert (before.decision, before.reason) == (
        "ask",
        f"hooks of the type '{kind}' do not run here",
    )
    after = await hooks.run("PostToolUse", CALL)
    assert after == HookAnswer(faults=(f"hooks of the type '{kind}' do not run here",))
    assert not (tmp_path / "ran").exists()


# ── several decisions ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("commands", "decision"),
    [
        ([decides("allow"), decides("deny", "n")], "deny"),
        ([decides("deny", "n"), decides("allow")], "deny"),
        ([decides("allow"), decides("ask", "a")], "ask"),
        ([decides("ask", "a"), decides("deny", "n"), decides("allow")], "deny"),
        ([decides("allow"), "exit 2"], "deny"),
        ([decides("allow"), "exit 1"], "allow"),
        ([decides("allow"), "true"], "allow"),
        ([decides("allow"), "echo '{'"], "deny"),
        ([decides("allow"), prints({"continue": False})], "allow"),
        (["true", "echo fine"], ""),
    ],
)
async def test_one_no_is_enough(commands: list[str], decision: str, tmp_path: Path) -> None:
    hooks = engine(tmp_path, PreToolUse=[("Bash", one) for one in commands])
    answer = await hooks.run("PreToolUse", CALL)
    assert answer.decision == decision
    assert answer.is_blocked == (decision == "deny" or '"continue"' in "".join(commands))


# ── conditions ────────────────────────────────────────────────────────────────────────────────
CONDITIONS = [
    ("Bash(rm *)", "Bash", {"command": "rm x"}, True),
    ("Bash(rm *)", "Bash", {"command": "ls; rm x"}, True),
    ("Bash(rm *)", "Bash", {"command": "ls"}, False),
    ("Bash(git push:*)", "Bash", {"command": "git push origin"}, True),
    ("Bash(git push:*)", "Bash", {"command": "git pull"}, False),
    ("Edit(*.py)", "Edit", {"file_path": "a.py"}, True),
    ("Edit(*.py)", "Edit", {"file_path": "a.md"}, False),
    ("Read(./secret/**)", "Read", {"file_path": "secret/k"}, True),
    ("Read(./secret/**)", "Read", {"file_path": "public/k"}, False),
    ("Bash", "Bash", {"command": "ls"}, True),
    ("Bash", "Read", {"file_path": "a"}, False),
    ("not a rule (", "Bash", {"command": "ls"}, True),  # cannot be read: the guard works
    ("", "Bash", {"command": "ls"}, True),
]


@pytest.mark.parametrize(("condition", "tool", "arguments", "runs"), CONDITIONS)
async def test_a_hook_may_say_which_calls_it_is_about(
    condition: str, tool: str, arguments: dict[str, Any], runs: bool, tmp_path: Path
) -> None:
    group = {"hooks": [{"type": "command", "command": "touch ran", "if": condition}]}
    hooks = engine(tmp_path, PreToolUse=[group])
    await hooks.run("PreToolUse", {"tool_name": tool, "tool_input": arguments})
    assert (tmp_path / "ran").exists() == runs


# ── as settings ───────────────────────────────────────────────────────────────────────────────
GOOD: dict[str, Any] = {"hooks": [{"type": "command", "command": "true"}]}
BROKEN = [
    # the block, how many groups can be used, what the first fault names
    ([], 0, "hooks"),
    ("x", 0, "hooks"),
    (7, 0, "hooks"),
    ({"PreToolUse": {}}, 0, "hooks.PreToolUse"),
    ({"PreToolUse": "touch x"}, 0, "hooks.PreToolUse"),
    ({"PreToolUse": [7]}, 0, "hooks.PreToolUse[0]"),
    ({"PreToolUse": [GOOD, {"matcher": 7, **GOOD}]}, 1, "hooks.PreToolUse[1]"),
    ({"PreToolUse": [{"matcher": "(", **GOOD}, GOOD]}, 1, "hooks.PreToolUse[0]"),
    ({"PreToolUse": [{"matcher": "*Edit", **GOOD}]}, 0, "hooks.PreToolUse[0]"),
    ({"PreToolUse": [{"matcher": "a{99999999999}", **GOOD}]}, 0, "hooks.PreToolUse[0]"),
    ({"Stop": [{"hooks": "true"}]}, 0, "hooks.Stop[0]"),
    ({"Stop": [{"hooks": [{"command": 7}]}]}, 0, "hooks.Stop[0]"),
    ({"Stop": [{"hooks": [{"command": "x", "timeout": -1}]}]}, 0, "hooks.Stop[0]"),
    ({"Stop": [{"hooks": [{"command": "x", "timeout": "9"}]}]}, 0, "hooks.Stop[0]"),
    ({"Stop": [{"hooks": ["true"]}], "PreToolUse": [GOOD]}, 1, "hooks.Stop[0]"),
]


@pytest.mark.parametrize(("block", "usable", "named"), BROKEN)
def test_a_broken_group_is_named_and_does_not_take_the_others_along(
    block: Any, usable: int, named: str
) -> None:
    found, faults = fitting_hooks(block, "/x/settings.json")
    assert sum(len(groups) for groups in found.values()) == usable
    assert f"/x/settings.json: '{named}' is no group of hooks" in faults[0].message


FINE = [
    {},
    {"PreToolUse": []},
    {"PreToolUse": [GOOD]},
    {"PreToolUse": [{"matcher": None, **GOOD}]},
    {"PreToolUse": [{"matcher": "*", **GOOD}]},
    {"FutureEvent": [GOOD]},
    {"PreToolUse": [{"hooks": []}]},
    {"PreToolUse": [{"matcher": "Bash"}]},
    {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "?", "model": "m"}]}]},
    {"PreToolUse": [{"description": "mine", **GOOD}]},
    {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0.5}]}]},
    {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": None}]}]},
    {"Stop": [{"hooks": [{"type": "command", "command": "x", "statusMessage": "…"}]}]},
]


@pytest.mark.parametrize("block", FINE, ids=json.dumps)
def test_what_people_have_in_their_files_is_read(block: dict[str, Any]) -> None:
    found, faults = fitting_hooks(block, "x")
    assert faults == []
    assert set(found) == {event for event, groups in block.items() if groups}


def test_a_matcher_that_would_take_long_to_read_is_refused() -> None:
    groups = [{"matcher": "a|" * 200_000, **GOOD}, {"matcher": "(" * 50_000, **GOOD}]
    started = time.thread_time()
    found, faults = fitting_hooks({"Stop": groups}, "x")
    assert time.thread_time() - started < 1
    assert (found, len(faults)) == ({}, 2)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["matcher", "hooks", "type", "command", "timeout", "if", "Stop"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@pytest.mark.torture
@examples(in_ci=300, in_torture=50_000)
@given(st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "x"]), ANYTHING) | ANYTHING)
def test_no_block_of_hooks_does_more_than_be_named_as_wrong(block: Any) -> None:
    found, faults = fitting_hooks(block, "x")
    for groups in found.values():
        for group in groups:
            assert group.matches("Bash") in (True, False)
    assert all(one.message.startswith("x: 'hooks") for one in faults)


def test_a_thousand_faults_are_not_all_told() -> None:
    assert len(fitting_hooks({"Stop": [7] * 1_000}, "x")[1]) <= 20
