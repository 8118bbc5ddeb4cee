"""Rules as people write them, and what they come to."""

import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.checks import check
from ankrcode.permissions.rules.path_patterns import Anchors, BadPattern, PathPattern
from ankrcode.permissions.rules.rules import BrokenRule, Kind, parse_rule, parse_rules
from ankrcode.permissions.rules.wildcards import glob_fits
from permissions.corpora import Case, cases, wrong
from permissions.test_paths import mutated
from torture import IS_TORTURE, examples

HERE = Anchors("/proj", "/proj/sub", "/home/asha")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp = Path(os.path.realpath(tmp_path_factory.mktemp("rules")))
    root = tmp / "proj"
    for folder in ("src", "docs", "secrets", ".git/hooks"):
        (root / folder).mkdir(parents=True)
    for folder in ("home", "other"):
        (tmp / folder).mkdir()
    (root / "src" / "app.py").touch()
    links = {
        "link_in": "src/app.py",
        "link_dir": "src",
        "link_out": "../other/x",
        "link_secret": "secrets/a",
        "link_git": ".git",
        "docs/link_up": "..",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return tmp


def answer(case: Case, place: Path) -> dict[str, object]:
    names = {
        "{root}": str(place / "proj"),
        "{root1}": str(place / "proj")[1:],
        "{other1}": str(place / "other")[1:],
    }
    asked = _filled(case, names)
    env = {"root": names["{root}"], "cwd": names["{root}"], "home": str(place / "home")}
    return check("rule", asked, env)


def _filled(value: object, names: dict[str, str]) -> object:
    if isinstance(value, dict):
        return {key: _filled(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, names) for one in value]
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(name, text)
    return value


def test_the_corpus_of_rules_is_answered_as_labelled(place: Path) -> None:
    assert len(cases("rules")) >= 120
    assert wrong("rules", lambda case: str(answer(case, place)["verdict"])) == []


def test_the_answer_names_the_rule_that_decided(place: Path) -> None:
    named = [case for case in cases("rules") if "matched" in case]
    assert len(named) >= 8
    for case in named:
        assert answer(case, place)["matched"] == case["matched"], case


def test_a_broken_rule_is_named(place: Path) -> None:
    case = {"rules": {"deny": ["Bash(rm"]}, "call": {"tool": "Bash", "args": {"command": "ls"}}}
    found = answer(case, place)
    assert found["verdict"] == "ask"
    assert "'Bash(rm' is not a rule" in str(found["faults"])


@pytest.mark.parametrize(
    "given", [None, 5, "x", {}, {"call": {}}, {"call": {"tool": 5}}, {"rules": 5}]
)
def test_a_question_that_is_not_one_is_denied(given: object) -> None:
    assert check("rule", given, {"root": "/"})["verdict"] == "deny"


# ── the text of a rule ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "tool", "what"),
    [
        ("Bash", "Bash", ""),
        (" Bash(npm run test:*) ", "Bash", "npm run test:*"),
        ("Bash(echo (a))", "Bash", "echo (a)"),
        ("Read(./src/**)", "Read", "./src/**"),
        ("mcp__server__*", "mcp__server__*", ""),
        ("mcp__my-server.x__y", "mcp__my-server.x__y", ""),
        ("WebFetch(domain:हिन्दी.भारत)", "WebFetch", "domain:हिन्दी.भारत"),
    ],
)
def test_a_rule_is_a_tool_and_what_it_is_about(text: str, tool: str, what: str) -> None:
    rule = parse_rule(text, "allow", HERE)
    assert (rule.tool, rule.what) == (tool, what)


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("Bash(", "deny", "write Tool or Tool"),
        ("Bash()", "deny", "nothing stands between"),
        ("mcp__*", "allow", "must name its tool"),
        ("*", "allow", "must name its tool"),
        ("mcp__a__b(x)", "deny", "take no brackets"),
        ("Read(!x)", "deny", "take back"),
        ("Read(a/../b)", "deny", "cannot go up"),
        ("Read(~asha/x)", "deny", "~NAME"),
        ("Read(x\\)", "deny", "backslash"),
        ("WebFetch(https://x)", "allow", "domain:HOST"),
        ("Bash(a:* b)", "allow", "only at the end"),
        ("Bash(a\u202eb)", "deny", "write Tool or Tool"),
    ],
)
def test_a_rule_that_cannot_be_read_says_why(text: str, kind: Kind, why: str) -> None:
    with pytest.raises(BrokenRule, match=why):
        parse_rule(text, kind, HERE)


# ── path patterns, by the manual of gitignore ─────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("x", ["/proj/sub/x", "/proj/sub/a/x", "/proj/sub/x/y"], ["/proj/x", "/proj/sub/xy"]),
        ("x/", ["/proj/sub/x", "/proj/sub/a/x/y"], ["/proj/x/y"]),
        ("./x", ["/proj/sub/x", "/proj/sub/x/y"], ["/proj/sub/a/x"]),
        ("a/x", ["/proj/sub/a/x"], ["/proj/sub/b/a/x"]),
        ("/x", ["/proj/x"], ["/proj/sub/x", "/x"]),
        ("//x", ["/x", "/x/y"], ["/proj/x"]),
        ("~/x", ["/home/asha/x"], ["/proj/sub/x"]),
        ("../x", ["/proj/x"], ["/proj/sub/x"]),
        ("**/x", ["/proj/sub/x", "/proj/sub/a/b/x"], ["/proj/x"]),
        ("a/**/x", ["/proj/sub/a/x", "/proj/sub/a/b/c/x"], ["/proj/sub/x"]),
        ("a/**", ["/proj/sub/a", "/proj/sub/a/b"], ["/proj/sub/ab"]),
        ("*.py", ["/proj/sub/a.py", "/proj/sub/b/c.py", "/proj/sub/.py"], ["/proj/sub/a.pyc"]),
        ("a*b", ["/proj/sub/ab", "/proj/sub/axxb"], ["/proj/sub/a/b"]),
        ("[a-c]x", ["/proj/sub/bx"], ["/proj/sub/dx", "/proj/sub/-x"]),
        ("[!a]x", ["/proj/sub/bx"], ["/proj/sub/ax"]),
        ("[]]x", ["/proj/sub/]x"], ["/proj/sub/x"]),
        ("[x", ["/proj/sub/[x"], ["/proj/sub/x"]),
        ("\\*x", ["/proj/sub/*x"], ["/proj/sub/ax"]),
        (".", ["/proj/sub", "/proj/sub/a"], ["/proj/a"]),
        ("caf\u00e9", ["/proj/sub/cafe\u0301"], ["/proj/sub/cafe"]),
    ],
)
def test_a_pattern_fits_as_the_manual_says(
    pattern: str, fitting: list[str], other: list[str]
) -> None:
    for path in fitting:
        assert PathPattern(pattern, HERE).fits(path), path
    for path in other:
        assert not PathPattern(pattern, HERE).fits(path), path


def test_patterns_agree_with_git_itself(tmp_path: Path) -> None:
    """For names below one folder, `git check-ignore` is the judge."""
    import subprocess

    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    patterns = ["x", "*.py", "a/x", "/x", "**/b/x", "a/**/x", "a/**", "?", "[ab]", "[!ab]", "a*"]
    paths = ["x", "a", "b", "c", "a.py", "a/x", "b/x", "a/b/x", "c/a/x", "a/b/c/x", "ab", "x/y"]
    anchors = Anchors(str(tmp_path), str(tmp_path), "/h")
    for pattern in patterns:
        (tmp_path / ".gitignore").write_text(pattern + "\n", encoding="utf-8")
        said = subprocess.run(
            ["git", "-C", tmp_path, "check-ignore", "--no-index", *paths],
            capture_output=True,
            text=True,
            check=False,
        )
        ignored = set(said.stdout.splitlines())
        ours = {path for path in paths if PathPattern(pattern, anchors).fits(f"{tmp_path}/{path}")}
        # We let `a/**` fit `a` itself: whoever may not read what is in it may not list it.
        assert ours - {"a"} == ignored - {"a"}, pattern


# ── whatever the rule ─────────────────────────────────────────────────────────────────────────
@given(st.text(alphabet="ab*", max_size=12), st.text(alphabet="ab", max_size=12))
def test_stars_mean_what_a_regular_expression_would_mean(pattern: str, text: str) -> None:
    import re

    meant = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text)
    assert glob_fits(pattern, text) is (meant is not None)


@pytest.mark.torture
@examples(in_ci=1_000, in_torture=100_000)
@given(st.text(max_size=40), st.sampled_from(["allow", "ask", "deny"]), st.text(max_size=30))
def test_any_text_is_a_rule_or_a_named_fault(text: str, kind: Kind, path: str) -> None:
    for rule_text in (text, f"Read({text})", f"Bash({text})", f"WebFetch(domain:{text})"):
        ruleset, faults = parse_rules([(kind, [rule_text])], HERE)
        assert len(ruleset.rules) + len(faults) == 1
        assert all(str(fault) for fault in faults)
        for rule in ruleset.rules:
            assert not rule.is_about_paths or rule.fits_path("/" + path) in (True, False)


@pytest.mark.torture
def test_mutated_rules_raise_nothing_and_take_no_time(place: Path) -> None:
    chooser = random.Random(11)
    lines = cases("rules")
    for _ in range(60_000 if IS_TORTURE else 1_500):
        case = chooser.choice(lines)
        rules = {
            kind: [mutated(text, chooser) for text in texts]
            for kind, texts in case["rules"].items()
        }
        started = time.thread_time()
        found = answer({**case, "rules": rules}, place)
        assert found["verdict"] in ("allow", "ask", "deny")
        assert time.thread_time() - started < 1


def test_a_pattern_made_to_be_slow_is_not() -> None:
    started = time.thread_time()
    pattern = PathPattern("**/" + "*a" * 60 + "z/**/" + "*a" * 60, HERE)
    assert not pattern.fits("/proj/sub/" + ("a" * 120 + "/") * 30 + "b")
    assert not glob_fits("*a" * 500 + "b", "a" * 50_000)
    assert time.thread_time() - started < 1
    with pytest.raises(BadPattern):
        PathPattern("a/../b", HERE)
