"""Verdict = behaviour: what is said about a call beforehand, and what becomes of it in the loop.

Every built-in tool before every mode, with and without rules, with a person and with nobody. What
happens is seen from outside: who was asked, what was refused, and which files are not as before.
"""

import os
import random
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import msgspec
import pytest

from agent.crew import call, calls
from agent.verdict_samples import (
    BROKEN,
    ORDER,
    RANK,
    READS,
    RULES,
    RUNS,
    SAMPLES,
    WRITES,
    Place,
    Sample,
    patch,
)
from ankrcode import Agent, Mode, Toolkit
from ankrcode.app import builtin_tools
from ankrcode.config.loaded import load_settings
from ankrcode.config.paths import config_file, project_file
from ankrcode.config.trust import TrustStore
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.frontends.cli.verdicts import Verdicts
from ankrcode.permissions.checks import mode_meant
from ankrcode.permissions.rules.layers import rules_of_layers
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import FakePerson, ScriptedModel
from ankrcode.workspace.roots import Workspace
from frontends.command import ankrcode, answers
from frontends.headless import ask as ask_agent
from frontends.headless import call as said_call
from frontends.headless import calls as said_calls
from frontends.headless import lines_of
from permissions.outside import rules as outside
from permissions.test_outside import rule_question

EVERY = 11  # so many samples are passed over where all would take too long


@pytest.fixture
def folder(memory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In memory, as is the person's home: nobody waits for a disk."""
    made = Path(mkdtemp(dir=memory))
    (made / "home").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(made / "home"))
    return made


# ── what happens ──────────────────────────────────────────────────────────────────────────────
class Story(NamedTuple):
    """One call: what was said of it beforehand, and what became of it."""

    told: dict[str, Any]  # by `permissions check`
    judged: str  # by the toolkit
    decision: str
    result: ToolResult
    changed: bool


async def story(place: Place, sample: Sample, *, attended: bool) -> Story:
    """Ask what would become of the call, then let a model make it in the real loop."""
    person = FakePerson()  # says no to everything
    kit = place.toolkit(approve=person if attended else None)
    await place.prepare(kit, sample.tool)
    asked = {"tool": sample.tool, "args": sample.arguments, "mode": place.mode}
    told = Verdicts().on_call(asked, {"root": str(place.work)})
    _, verdict = kit.judge(ToolCall(name=sample.tool, arguments=sample.arguments))
    kit.activity.flush()
    ended: list[ToolResult] = []
    kit.on("tool_call_end", lambda event: ended.append(getattr(event, "result")))  # noqa: B009
    before = place.snapshot()
    turns: list[Any] = [calls(call(sample.tool, **sample.arguments)), "looked", "done", "done"]
    agent = Agent(ScriptedModel(turns), kit=kit)
    await agent.run("go")
    kit.activity.flush()
    changed = place.snapshot() != before
    await agent.close()
    result = ended[0]
    # A plan is shown to the person by the tool itself, once it may run.
    is_asked = any(one.tool == sample.tool != "ExitPlanMode" for one in person.asked)
    is_refused = result.error is not None and result.error.code is ErrorCode.PERMISSION_DENIED
    decision = "ask" if is_asked else "deny" if is_refused else "allow"
    return Story(told, str(verdict.decision), decision, result, changed)


# ── every tool, every mode ────────────────────────────────────────────────────────────────────
def test_every_tool_is_tried() -> None:
    assert {one.tool for one in SAMPLES} == set(builtin_tools().names)


def is_true(story: Story, sample: Sample, *, attended: bool) -> bool:
    said = story.told["verdict" if attended else "headless"]
    if story.judged != story.told["verdict"] or story.decision != said:
        return False
    if story.changed:
        return story.decision == "allow" and sample.writes
    return not (sample.writes and story.decision == "allow" and story.result.ok)


async def false_stories(folder: Path, mode: str, samples: list[Sample], **place: Any) -> list[str]:
    """What did not happen as it was said, as lines to read."""
    wrong = []
    for number, sample in enumerate(samples):
        for attended in (True, False):
            here = Place(folder / f"{number}{attended}", mode, **place)
            one = await story(here, sample, attended=attended)
            if not is_true(one, sample, attended=attended):
                found = one.told, one.judged, one.decision, one.changed, one.result.text[:200]
                wrong.append(f"{mode}, attended {attended}: {sample.label}: {found}")
            if one.decision != "ask":
                break  # nobody was asked: without anybody it is the same
    return wrong


@pytest.mark.parametrize("mode", list(Mode))
async def test_without_rules_it_happens_as_it_was_said(mode: str, folder: Path) -> None:
    assert await false_stories(folder, mode, SAMPLES) == []


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("name", [one for one in RULES if one != "none"])
async def test_with_rules_it_happens_as_it_was_said(name: str, mode: str, folder: Path) -> None:
    """Each pair of rules and mode meets other samples, and each sample several of them."""
    at = len(RULES) * list(Mode).index(Mode(mode)) + list(RULES).index(name)
    chosen = SAMPLES[at % EVERY :: EVERY]
    assert await false_stories(folder, mode, chosen, rules=RULES[name]) == []


@pytest.mark.parametrize("trusted", [False, True])
async def test_rules_of_a_folder_count_as_far_as_it_is_trusted(trusted: bool, folder: Path) -> None:
    rules = {"allow": ["Bash(touch:*)", "Edit(/new.txt)"], "deny": ["Read(/a.txt)"]}
    free, denied = [WRITES[0], RUNS[0]], [READS[0], WRITES[1]]
    more: dict[str, Any] = {"rules": rules, "trusted": trusted}
    assert await false_stories(folder, "default", [*free, *denied, READS[-1]], **more) == []
    place = Place(folder / "place", "default", **more)
    assert {verdict(place, one) for one in free} == {"allow" if trusted else "ask"}
    assert {verdict(place, one) for one in denied} == {"deny"}  # a denial counts everywhere


def verdict(place: Place, sample: Sample) -> str:
    asked = {"tool": sample.tool, "args": sample.arguments, "mode": place.mode}
    return str(Verdicts().on_call(asked, {"root": str(place.work)})["verdict"])


@pytest.mark.parametrize("mode", list(Mode))
async def test_what_is_no_call_is_said_to_be_none_and_runs_nowhere(mode: str, folder: Path) -> None:
    place = Place(folder, mode)
    kit = place.toolkit()
    for sample in BROKEN:
        assert verdict(place, sample) == "deny", sample
        assert not (await kit.call(sample.tool, sample.arguments)).ok
        with pytest.raises(ToolError):
            kit.judge(ToolCall(name=sample.tool, arguments=sample.arguments))


async def test_a_tool_that_is_switched_off_is_judged_as_it_is_refused(folder: Path) -> None:
    kit = Toolkit(cwd=folder, mode="bypass", permissions=["read"])
    made = ToolCall(name="Write", arguments={"file_path": "a", "content": "x"})
    with pytest.raises(ToolError) as problem:
        kit.judge(made)
    result = await kit.call_raw(made)
    assert result.error is not None
    assert result.error.code is problem.value.code is ErrorCode.TOOL_DISABLED
    assert kit.judge(ToolCall(name="List", arguments={}))[1].decision == "allow"


# ── the same question, with rules of one's own ────────────────────────────────────────────────
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("name", RULES)
def test_a_question_about_rules_is_answered_alike(name: str, mode: str, folder: Path) -> None:
    """Never less strictly. It knows nothing of this machine: no wall for code, no journal; and of
    an agent it tells what that may do, though to begin one is nothing."""
    place, verdicts = Place(folder, mode, RULES[name]), Verdicts()
    for sample in SAMPLES[len(name) % 3 :: 3]:
        made = {"tool": sample.tool, "args": sample.arguments}
        env = {"root": str(place.work)}
        by_rule = verdicts.on_rule({"rules": RULES[name], "mode": mode, "call": made}, env)
        by_call = verdicts.on_call({**made, "mode": mode}, env)
        if sample.tool in ("Task", "RunCode", "Undo", "Redo") or mode == "auto":
            assert RANK[by_rule["verdict"]] >= RANK[by_call["verdict"]]
        else:
            assert by_rule["verdict"] == by_call["verdict"], sample
            assert by_rule["matched"] == by_call["matched"], sample


def test_the_known_differences_are_gone(folder: Path) -> None:
    """What the name of a tool tells is not all: each of these was once said wrongly."""
    place = Place(folder, "acceptEdits")
    wanted: dict[str, tuple[str, dict[str, Any]]] = {
        "Delete": ("ask", {"path": "a.txt"}),
        "ApplyPatch": ("ask", patch("*** Delete File: a.txt")),
        "Move": ("ask", {"source": "a.txt", "destination": "b.txt", "overwrite": True}),
        "RunCode": ("allow", {"language": "python", "code": "1"}),
        "Redo": ("allow", {"preview": True}),
        "Undo": ("allow", {"preview": True}),
        "Task": ("allow", ORDER),
    }
    for tool, (want, arguments) in wanted.items():
        assert verdict(place, Sample(tool, arguments)) == want, tool


def test_nothing_is_written_by_a_verdict(folder: Path) -> None:
    def found() -> list[str]:
        return sorted(map(str, folder.rglob("*")))

    place = Place(folder / "here", "auto")
    before = found(), place.snapshot()
    for sample in [*SAMPLES, *BROKEN]:
        verdict(place, sample)
    assert (found(), place.snapshot()) == before


def test_a_call_that_is_none_gets_an_answer_all_the_same() -> None:
    odd: list[Any] = [None, 5, [], {}, {"tool": 5}, {"tool": "Read", "args": [1]}, {"tool": "\0"}]
    odd += [{"tool": "Tasks", "mode": mode} for mode in ("bypas", 5, ["plan"], {"a": 1})]
    for given in odd:
        answer = Verdicts().on_call(given, {})
        assert (answer["verdict"], answer["headless"]) == ("deny", "deny")
        assert answer["reason"]
    theirs = {"tool": "Bash", "args": {"command": "touch x"}, "mode": "bypassPermissions"}
    assert Verdicts().on_call(theirs, {})["verdict"] == "allow"


def test_settings_that_cannot_be_read_stop_the_call_as_they_stop_the_agent(
    folder: Path,
) -> None:
    place = Place(folder, "default")
    file = config_file(os.environ)
    file.parent.mkdir(parents=True)
    file.write_text('{"permissions": {"deny": ["Bash("]}}', encoding="utf-8")
    answer = Verdicts().on_call({"tool": "Tasks", "args": {}}, {"root": str(place.work)})
    assert answer["verdict"] == "deny"
    assert "Bash(" in answer["reason"]
    done = ask_agent(place.work, "go", turns=["done"])
    assert done.returncode == 2


ODD = [
    *("", "a.txt", "..", "/", "~", "\0", "x" * 5_000, "a\nb", "*", "-rf", "\u202e"),
    0,
    -1,
    2**70,
]
ODD += [None, True, [], {}, ["a.txt"], [{}], {"a": [1]}, 1e309, "*** Begin Patch\n*** End Patch"]


@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
def test_whatever_the_arguments_there_is_an_answer_and_no_file(mode: str, folder: Path) -> None:
    place, verdicts, chance = Place(folder / "here", mode), Verdicts(), random.Random(3)
    before, env = place.snapshot(), {"root": str(place.work)}
    tools = builtin_tools().definitions()
    for _ in range(600):
        tool = chance.choice(tools)
        names = list(tool.input_schema.get("properties", {})) or ["x"]
        given = {name: chance.choice(ODD) for name in names if chance.random() < 0.7}
        usual = next(one.arguments for one in SAMPLES if one.tool == tool.name)
        made = {"tool": tool.name, "args": {**usual, **given} if chance.random() < 0.5 else given}
        by_call = verdicts.on_call({**made, "mode": mode}, env)
        by_rule = verdicts.on_rule({"rules": {}, "mode": mode, "call": made}, env)
        assert {by_call["verdict"], by_rule["verdict"]} <= set(RANK)
        if by_call["verdict"] == "ask":
            assert by_rule["verdict"] != "allow", made  # it says no less than the tool itself
    assert place.snapshot() == before


# ── cases of somebody who knows the manuals and not the code ──────────────────────────────────
CASES = [
    (want, asked)
    for want, asked, cwd in outside.cases()
    if cwd == "{root}" and asked["call"]["tool"] in ("Read", "Grep", "Glob", "Write", "Edit")
]


def is_far(place: Path, asked: dict[str, Any]) -> bool:
    """A case about the machine at large is not for tests to run."""
    made = asked["call"]["args"]
    named = str(made.get("file_path") or made.get("path") or ".")
    return not Path(os.path.realpath(place / "r" / "proj" / named)).is_relative_to(place)


async def test_cases_of_others_happen_as_they_are_labelled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with the rules in its folder, in the real loop, where nobody says yes."""
    (folder / "r").mkdir()
    outside.build(folder / "r")
    monkeypatch.setenv("HOME", str(folder / "r" / "home"))
    root = folder / "r" / "proj"
    TrustStore.of(os.environ).add(root)
    wrong, tried = [], 0
    for want, asked in CASES[::2]:
        question = rule_question(asked, "{root}", folder)["input"]
        if is_far(folder, question) or "\\ud8" in ascii(question):
            continue
        tried += 1
        file = project_file(root)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(msgspec.json.encode({"permissions": question["rules"]}))
        made = question["call"]
        loaded = load_settings(root, environ=os.environ)
        rules, _ = rules_of_layers(loaded.rules, Workspace((root,)))
        mode = mode_meant(question["mode"])
        kit = Toolkit(cwd=root, mode=mode, settings=loaded.settings, rules=rules)
        turns: list[Any] = [calls(call(made["tool"], **made["args"])), "done"]
        answer = await Agent(ScriptedModel(turns), kit=kit).run("go")
        kit.close()
        happened = "deny" if answer.denials else "allow"
        if happened not in want.replace("ask", "deny").split("|"):
            wrong.append(f"{happened} instead of {want}: {question}")
    assert wrong == []
    assert tried >= 100


# ── over the command line ─────────────────────────────────────────────────────────────────────
MADE = [READS[0], READS[1], WRITES[0], WRITES[8], WRITES[15], RUNS[0], RUNS[7], RUNS[12]]


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
def test_the_real_command_does_what_the_real_command_says(mode: str, folder: Path) -> None:
    place = Place(folder / "here", mode)
    lines = [
        {"kind": "call", "input": {"tool": one.tool, "args": one.arguments}, "env": {"mode": mode}}
        for one in MADE
    ]
    given = b"\n".join(map(msgspec.json.encode, lines))
    said = answers(ankrcode("permissions", "check", "--json", cwd=place.work, given=given))
    before = place.snapshot()
    made = said_calls(*(said_call(one.tool, **one.arguments) for one in MADE))
    options = ("--permission-mode", mode, "--output-format", "json")
    (answer,) = lines_of(ask_agent(place.work, "go", *options, turns=[made, "looked", "done"]))
    refused = [one["tool_name"] for one in answer["permission_denials"]]
    said_no = [one.tool for one, told in zip(MADE, said, strict=True) if told["headless"] == "deny"]
    assert refused == said_no
    should_change = any(
        one.writes and told["headless"] == "allow" for one, told in zip(MADE, said, strict=True)
    )
    assert (place.snapshot() != before) is should_change


def test_a_mode_of_the_settings_counts_where_none_is_named(folder: Path) -> None:
    place = Place(folder, "default")
    line = msgspec.json.encode({"kind": "call", "input": {"tool": "Write", "args": {
        "file_path": "x", "content": ""}}})  # fmt: skip
    for mode, want in (("acceptEdits", "allow"), ("dontAsk", "deny"), ("default", "ask")):
        options = ("--set", f"permissions.mode={mode}", "permissions", "check", "--json")
        (answer,) = answers(ankrcode(*options, cwd=place.work, given=line))
        assert answer["verdict"] == want
