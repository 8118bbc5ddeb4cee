"""In plan mode nothing is written: not by commands, tools, further agents or hooks.

Each way would leave `canary.txt` behind; all of them go through the real loop, with a person who
would say yes to everything, rules that allow everything, and grants from before.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, text_of
from ankrcode import Mode, hook
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.config.trust import TrustStore
from ankrcode.testing import YES, FakePerson, Turn

CANARY = "canary.txt"
FREE = Settings(permissions=PermissionSettings(allow=["Bash", "Write", "Edit", "RunCode", "Task"]))

COMMANDS = [
    "echo x > canary.txt",
    "echo x >> canary.txt",
    ": > canary.txt",
    "printf x | tee canary.txt",
    "ls | tee canary.txt > /dev/null",
    "touch canary.txt",
    "cp a.txt canary.txt",
    "mv a.txt canary.txt",
    "ln -s a.txt canary.txt",
    "ln a.txt canary.txt",
    "install a.txt canary.txt",
    "truncate -s 1 canary.txt",
    "mkdir canary.txt",
    "mkfifo canary.txt",
    "sort -o canary.txt a.txt",
    "sed 'w canary.txt' a.txt",
    "sed -n 's/a/b/w canary.txt' a.txt",
    "awk '{print > \"canary.txt\"}' a.txt",
    "python3 -c \"open('canary.txt', 'w')\"",
    "perl -e 'open(F, \">canary.txt\")'",
    "bash -c 'echo x > canary.txt'",
    'sh -c "touch canary.txt"',
    "eval 'echo x > canary.txt'",
    "env touch canary.txt",
    "command touch canary.txt",
    "nohup touch canary.txt",
    "echo canary.txt | xargs touch",
    "find . -maxdepth 0 -exec touch canary.txt ';'",
    "find . -fprint canary.txt",
    "git diff --output=canary.txt --no-index a.txt b.txt",
    "echo $(touch canary.txt)",
    "cat <(touch canary.txt)",
    "true && { touch canary.txt; }",
    "(touch canary.txt) & wait",
    "t=touch; $t canary.txt",
    "exec 3> canary.txt",
    "read line < a.txt > canary.txt",
    "tar -cf canary.txt a.txt",
    "curl -o canary.txt file:///etc/hostname",
    "cat > canary.txt <<'END'\nx\nEND",
]
TOOLS = [
    call("Write", file_path=CANARY, content="x"),
    call("Edit", file_path=CANARY, old_string="", new_string="x"),
    call("ApplyPatch", patch=f"*** Begin Patch\n*** Add File: {CANARY}\n+x\n*** End Patch"),
    call("NotebookEdit", notebook_path="canary.ipynb", new_source="x", edit_mode="insert"),
    call("Move", source="a.txt", destination=CANARY),
    call("Delete", path="a.txt"),
    call("Bash", command=f"touch {CANARY}", description="x", run_in_background=True),
    call("Bash", command=f"touch {CANARY}", description="x", dangerously_disable_sandbox=True),
]


def shell(command: str) -> Any:
    return call("Bash", command=command, description="write")


def planning(folder: Path, turns: list[Any], **more: Any) -> Firm:
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    (folder / "b.txt").write_text("two\n", encoding="utf-8")
    given = {"mode": "plan", "settings": FREE, "approve": FakePerson([YES] * 50), **more}
    firm = Firm(folder, turns, **given)
    for tool in ("Bash", "Write", "Edit", "RunCode"):
        firm.kit.agent.policy.grant(tool)
    firm.kit.agent.policy.phrases += ["test", "build", "install"]
    return firm


def check_untouched(folder: Path, beside: tuple[str, ...] = ()) -> None:
    left = sorted(one.name for one in folder.iterdir() if one.name not in beside)
    assert left == ["a.txt", "b.txt"]
    assert (folder / "a.txt").read_text(encoding="utf-8") == "one\n"


# ── by itself ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("command", COMMANDS)
async def test_no_command_writes(command: str, tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(shell(command)), "tried"])
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


@pytest.mark.parametrize("made", TOOLS, ids=lambda made: f"{made.name} {list(made.arguments)[-1]}")
async def test_no_tool_writes(made: Any, tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(made), "tried"])
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


async def test_code_that_runs_leaves_nothing(tmp_path: Path) -> None:
    code = call("RunCode", language="python", code="open('canary.txt', 'w').write('x')")
    firm = planning(tmp_path, [calls(code), "tried"])
    await firm.run()
    check_untouched(tmp_path)


async def test_the_plan_is_a_file_and_no_way_to_another(tmp_path: Path) -> None:
    firm = planning(tmp_path, [])
    plan = Path(firm.kit.agent.policy.plan_file)
    plan.symlink_to(tmp_path / CANARY)
    firm.model.turns += [calls(call("Write", file_path=str(plan), content="x")), "tried"]
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


async def test_a_shell_may_not_even_write_the_plan(tmp_path: Path) -> None:
    firm = planning(tmp_path, [])
    plan = firm.kit.agent.policy.plan_file
    firm.model.turns += [calls(shell(f"echo x > {plan}"), shell(f"tee {plan} < a.txt")), "tried"]
    await firm.run()
    assert [one.ok for one in firm.results] == [False, False]
    assert not Path(plan).exists()


async def test_nobody_is_even_asked(tmp_path: Path) -> None:
    person = FakePerson([YES] * 50)
    made = [*map(shell, COMMANDS[:6]), *TOOLS]
    await planning(tmp_path, [calls(*made), "tried"], approve=person).run()
    assert person.asked == []
    check_untouched(tmp_path)


async def test_what_comes_after_entering_is_refused_in_the_same_answer(tmp_path: Path) -> None:
    made = [call("EnterPlanMode"), shell(COMMANDS[0]), TOOLS[0]]
    firm = planning(tmp_path, [calls(*made), "tried"], mode="bypass")
    await firm.run()
    assert firm.kit.mode is Mode.PLAN
    check_untouched(tmp_path)


# ── through further agents ────────────────────────────────────────────────────────────────────
WRITERS = [
    ("code", TOOLS[0]),
    ("code", shell("echo x > canary.txt")),
    ("general", TOOLS[2]),
    ("general", shell("python3 -c \"open('canary.txt', 'w')\"")),
    ("bash", shell("touch canary.txt")),
    ("bash", shell("git init")),
    ("security", shell("cp a.txt canary.txt")),
]


@pytest.mark.parametrize(("kind", "made"), WRITERS)
async def test_no_agent_writes_in_a_planners_place(kind: str, made: Any, tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(order("write", kind)), calls(made), "tried", "done"])
    await firm.run()
    told = firm.model.requests[2].messages[-1].parts[0]
    assert told.is_error  # type: ignore[union-attr]
    check_untouched(tmp_path)


async def test_nor_an_agent_of_an_agent(tmp_path: Path) -> None:
    turns = [
        calls(order("hand on", "general")),
        calls(order("write", "code")),
        calls(TOOLS[0], shell(COMMANDS[0])),
        "tried",
        "tried",
        "done",
    ]
    await planning(tmp_path, turns).run()
    check_untouched(tmp_path)


async def test_nor_one_that_was_hired_before_the_plan_began(tmp_path: Path) -> None:
    def again(request: Any) -> Turn:
        said = text_of(request.messages[-1])
        agent_id = said.split("resume ")[1].split(".")[0]
        return calls(call("EnterPlanMode"), order("now write", "code", resume=agent_id))

    turns = [calls(order("look", "code")), "seen", again, calls(TOOLS[0]), "tried", "done"]
    firm = planning(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert firm.kit.mode is Mode.PLAN
    check_untouched(tmp_path)


async def test_nor_one_in_a_worktree_of_its_own(tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(order("write", "code", isolation="worktree")), "done"])
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


async def test_nor_one_in_the_background(tmp_path: Path) -> None:
    turns = [
        calls(order("write", "code", run_in_background=True)),
        Turn(when="write", calls=(TOOLS[0], shell(COMMANDS[0]))),
        Turn(when="Background", text="done"),
        "tried",
    ]
    firm = planning(tmp_path, turns)
    await firm.run()
    agent_id = firm.results[0].metadata["agent_id"]
    done = await firm.kit.call("TaskOutput", task_id=agent_id)
    assert done.value.task.output.count("✗") == 2
    check_untouched(tmp_path)


async def test_nor_one_whose_file_wants_every_right(tmp_path: Path) -> None:
    folder = tmp_path / ".ankrcode" / "agents"
    folder.mkdir(parents=True)
    text = "---\nname: free\npermissionMode: bypassPermissions\n---\nWrite."
    (folder / "free.md").write_text(text, encoding="utf-8")
    TrustStore.of(os.environ).add(tmp_path)
    turns = [calls(order("write", "free")), calls(TOOLS[0], shell(COMMANDS[0])), "tried", "done"]
    await planning(tmp_path, turns).run()
    check_untouched(tmp_path, beside=(".ankrcode",))


async def test_nor_one_that_leaves_the_plan_in_its_parents_place(tmp_path: Path) -> None:
    turns = [
        calls(order("leave", "general")),
        calls(call("EnterPlanMode")),
        calls(call("ExitPlanMode")),
        calls(TOOLS[0]),
        "tried",
        "done",
    ]
    firm = planning(tmp_path, turns)
    await firm.run()
    assert firm.kit.mode is Mode.PLAN
    check_untouched(tmp_path)


# ── through hooks ─────────────────────────────────────────────────────────────────────────────
@hook("PreToolUse")
def says_yes(payload: dict[str, Any]) -> Any:
    return {"hookSpecificOutput": {"permissionDecision": "allow"}}


@hook("PermissionRequest")
def answers_yes(payload: dict[str, Any]) -> Any:
    return {"hookSpecificOutput": {"decision": {"behavior": "allow"}}}


@hook("PreToolUse", matcher="Bash")
def rewrites_command(payload: dict[str, Any]) -> Any:
    given = {**payload["tool_input"], "command": "echo x > canary.txt"}
    return {"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": given}}


@hook("PreToolUse", matcher="Write")
def rewrites_place(payload: dict[str, Any]) -> Any:
    given = {"file_path": CANARY, "content": "x"}
    return {"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": given}}


@pytest.mark.parametrize("hooks", [(says_yes,), (answers_yes,), (says_yes, answers_yes)])
async def test_no_hook_says_yes_to_a_write(hooks: tuple[Any, ...], tmp_path: Path) -> None:
    made = [*map(shell, COMMANDS[:4]), *TOOLS[:5]]
    firm = planning(tmp_path, [calls(*made), "tried"], hooks=hooks)
    await firm.run()
    assert not any(one.ok for one in firm.results)
    check_untouched(tmp_path)


async def test_no_hook_makes_a_write_of_a_look(tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(shell("ls")), "tried"], hooks=[rewrites_command])
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


async def test_no_hook_turns_the_plan_into_another_file(tmp_path: Path) -> None:
    firm = planning(tmp_path, [], hooks=[rewrites_place])
    plan = firm.kit.agent.policy.plan_file
    firm.model.turns += [calls(call("Write", file_path=plan, content="x")), "tried"]
    await firm.run()
    assert not firm.results[0].ok
    check_untouched(tmp_path)


async def test_no_hook_lets_an_agent_write(tmp_path: Path) -> None:
    made = calls(TOOLS[0], shell("ls"), shell(COMMANDS[0]))
    turns = [calls(order("write", "code")), made, "tried", "done"]
    await planning(tmp_path, turns, hooks=[says_yes, answers_yes, rewrites_command]).run()
    check_untouched(tmp_path)


# ── and yet ───────────────────────────────────────────────────────────────────────────────────
async def test_looking_around_works_and_the_plan_can_be_written_and_approved(
    tmp_path: Path,
) -> None:
    firm = planning(tmp_path, [])
    plan = firm.kit.agent.policy.plan_file
    firm.model.turns += [
        calls(shell("ls"), shell("cat a.txt"), call("Read", file_path="a.txt"), order("look")),
        "seen",
        calls(call("Write", file_path=plan, content="# Plan")),
        calls(call("ExitPlanMode")),
        calls(TOOLS[0]),
        "done",
    ]
    await firm.run()
    assert all(one.ok for one in firm.results)
    assert firm.kit.mode is Mode.DEFAULT
    assert (tmp_path / CANARY).exists()


@pytest.mark.parametrize("command", COMMANDS)
async def test_each_command_would_write_where_it_may(command: str, tmp_path: Path) -> None:
    firm = planning(tmp_path, [calls(shell(command)), "done"], mode="bypass")
    await firm.run()
    assert os.path.lexists(tmp_path / CANARY)


def test_there_are_more_than_thirty_ways() -> None:
    ways = len(COMMANDS) + len(TOOLS) + len(WRITERS)
    assert ways >= 30
    assert len({*COMMANDS}) == len(COMMANDS)
