"""Cases of somebody who knows the manuals and not the code, in process and over the command line.

And what must hold for any of them: a stricter list never lets more through, another spelling of
the same place is the same place, and what was redacted stays as it is.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.checks import check
from permissions.corpora import MOST_NOISE
from permissions.outside import paths, rules, secrets, urls
from torture import examples

RANK = {"allow": 0, "ask": 1, "deny": 2}
PATH_CASES, URL_CASES, RULE_CASES = paths.cases(), urls.cases(), rules.cases()
MARKED, CLEAN = secrets.with_secrets(), secrets.without()
MOST_SECONDS = 1.0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A real workspace for paths (`p`) and one for rules (`r`)."""
    tmp = Path(os.path.realpath(tmp_path_factory.mktemp("outside")))
    (tmp / "p").mkdir()
    (tmp / "r").mkdir()
    rules.build(tmp / "r")
    with paths.build(tmp / "p"):
        yield tmp


def path_question(env: str, op: str, path: str, place: Path) -> dict[str, Any]:
    return {
        "kind": "path",
        "input": {"path": paths.filled(path, place / "p"), "op": op},
        "env": _filled(paths.ENVS[env], place / "p"),
    }


def rule_question(asked: dict[str, Any], cwd: str, place: Path) -> dict[str, Any]:
    root = place / "r"
    env = {"root": "{root}", "cwd": cwd, "home": "{home}", "mode": asked["mode"]}
    return {"kind": "rule", "input": _filled(asked, root), "env": _filled(env, root)}


def _filled(value: Any, tmp: Path) -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, tmp) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, tmp) for one in value]
    text = value.replace("{other}", str(tmp / "other")[1:]) if isinstance(value, str) else value
    return paths.filled(text, tmp) if isinstance(text, str) else text


def verdict(question: dict[str, Any]) -> str:
    return str(check(question["kind"], question["input"], question["env"])["verdict"])


# --- as labelled, in process


@pytest.mark.parametrize("env", paths.ENVS)
@pytest.mark.parametrize("op", ["read", "write", "list", "persist_oversized"])
def test_paths_lead_where_the_system_would_go(place: Path, env: str, op: str) -> None:
    wrong = [
        f"{got} instead of {want}: {path!r}"
        for want, one, its_op, path in PATH_CASES
        if (one, its_op) == (env, op)
        and (got := verdict(path_question(env, op, path, place))) not in want.split("|")
    ]
    assert wrong == []


@pytest.mark.parametrize("want", ["allow", "deny"])
def test_urls_are_read_as_the_standards_read_them(want: str) -> None:
    wrong = [
        f"{asked} with {env}"
        for label, asked, env in URL_CASES
        if label == want and check("url", asked, env)["verdict"] != want
    ]
    assert wrong == []


@pytest.mark.parametrize("mode", sorted({asked["mode"] for _, asked, _ in RULE_CASES}))
def test_rules_come_to_what_their_language_says(place: Path, mode: str) -> None:
    wrong = [
        f"{got} instead of {want}: {asked}"
        for want, asked, cwd in RULE_CASES
        if asked["mode"] == mode
        and (got := verdict(rule_question(asked, cwd, place))) not in want.split("|")
    ]
    assert wrong == []


def test_every_secret_is_replaced_and_nothing_else() -> None:
    wrong = [
        f"{text!r} → {output!r}"
        for text in MARKED
        if not re.fullmatch(secrets.wanted(text), output := redacted(secrets.unmarked(text)))
    ]
    assert wrong == []


def test_a_text_without_secrets_stays_as_it_is_byte_for_byte() -> None:
    assert [text for text in CLEAN if redacted(text) != text] == []


def redacted(text: str) -> str:
    return str(check("secret", text, {})["output"])


# --- the same over the command line


def test_the_command_line_answers_all_of_them_alike(place: Path) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        *((want, path_question(env, op, path, place)) for want, env, op, path in PATH_CASES),
        *((want, {"kind": "url", "input": one, "env": env}) for want, one, env in URL_CASES),
        *((want, rule_question(one, cwd, place)) for want, one, cwd in RULE_CASES),
    ]
    asked = [one for one in asked if not _has_surrogates(one[1])]
    answers = answered([question for _, question in asked])
    found = [(want, answer["verdict"]) for (want, _), answer in zip(asked, answers, strict=True)]
    wrong = [pair for pair in found if pair[1] not in pair[0].split("|")]
    assert [pair for pair in wrong if pair[1] in ("allow", "inside")] == []
    assert len(wrong) <= MOST_NOISE * len(found)


def test_the_command_line_redacts_alike() -> None:
    texts = [*map(secrets.unmarked, MARKED[::7]), *CLEAN]
    answers = answered([{"kind": "secret", "input": text} for text in texts])
    assert [answer["output"] for answer in answers] == list(map(redacted, texts))


def test_half_a_character_is_no_json_and_the_next_line_is_answered() -> None:
    lines = ['{"id": 1, "kind": "secret", "input": "a\\ud800b"}', '{"id": 2, "kind": "secret"}']
    first, second = run(lines)
    assert (first["id"], "error" in first) == (None, True)
    assert second["id"] == 2


def answered(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = [json.dumps({"id": at, **question}) for at, question in enumerate(questions)]
    answers = run(lines)
    assert [answer["id"] for answer in answers] == list(range(len(questions)))
    return answers


def run(lines: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ankrcode", "permissions", "check", "--json"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def _has_surrogates(question: dict[str, Any]) -> bool:
    return "\\ud8" in json.dumps(question)


# --- what holds for all of them


def test_there_are_enough_of_each() -> None:
    for cases in (PATH_CASES, URL_CASES, RULE_CASES, MARKED, CLEAN):
        assert len(cases) >= 250
        assert len(set(map(repr, cases))) == len(cases)


@pytest.mark.parametrize("joint", ["//", "/./", "///", "/././"])
def test_another_spelling_of_a_path_leads_to_the_same_place(place: Path, joint: str) -> None:
    odd = re.compile(r"[\x00-\x1f\\%:~]|\A/|\A\Z")
    for _, env, op, path in PATH_CASES:
        # an id is no path, and a name too long for the system is so at another length
        if op == "persist_oversized" or odd.search(path) or "/" not in path or len(path) > 500:
            continue
        other = verdict(path_question(env, op, path.replace("/", joint), place))
        assert other == verdict(path_question(env, op, path, place)), (path, joint)


def test_a_denial_added_never_lets_more_through(place: Path) -> None:
    for _, asked, cwd in RULE_CASES:
        before = verdict(rule_question(asked, cwd, place))
        lists = asked["rules"]
        stricter = {**lists, "deny": [*lists["deny"], "Edit(/docs/**)", "Bash(npm:*)", "Grep"]}
        after = verdict(rule_question({**asked, "rules": stricter}, cwd, place))
        assert RANK[after] >= RANK[before], asked


def test_a_permission_added_never_makes_it_stricter(place: Path) -> None:
    for _, asked, cwd in RULE_CASES:
        before = verdict(rule_question(asked, cwd, place))
        lists = asked["rules"]
        wider = {**lists, "allow": [*lists["allow"], "Edit(/docs/**)", "Bash(npm:*)", "WebFetch"]}
        after = verdict(rule_question({**asked, "rules": wider}, cwd, place))
        assert RANK[after] <= RANK[before], asked


def test_nobody_is_asked_where_nobody_may_be_asked(place: Path) -> None:
    for _, asked, cwd in RULE_CASES:
        in_default = verdict(rule_question({**asked, "mode": "default"}, cwd, place))
        silent = verdict(rule_question({**asked, "mode": "dontAsk"}, cwd, place))
        assert silent == {"ask": "deny"}.get(in_default, in_default), asked


def test_a_denied_tool_is_denied_whatever_else_is_said(place: Path) -> None:
    for _, asked, cwd in RULE_CASES:
        lists = {**asked["rules"], "deny": [asked["call"]["tool"]]}
        for mode in ("default", "bypass"):
            question = rule_question({**asked, "rules": lists, "mode": mode}, cwd, place)
            assert verdict(question) == "deny", asked


def test_a_host_is_fetched_only_if_the_list_says_so() -> None:
    for _, asked, env in URL_CASES:
        assert check("url", asked, {**env, "allow": []})["verdict"] == "deny", asked


def test_a_bad_hop_spoils_every_journey() -> None:
    for _, asked, env in URL_CASES:
        for hop in ("https://169.254.169.254/", "file:///etc/passwd", "https://a@b.example/"):
            hops = asked.get("redirects")
            journey = {**asked, "redirects": [*(hops if isinstance(hops, list) else []), hop]}
            assert check("url", journey, env)["verdict"] == "deny", journey


def test_what_was_redacted_stays_as_it_is() -> None:
    for text in MARKED:
        once = redacted(secrets.unmarked(text))
        assert redacted(once) == once


def test_the_same_secret_has_the_same_name_and_another_has_another() -> None:
    one, two = (secrets.filled("ghp_<gh30>", seed) for seed in "ab")
    output = redacted(f"{one} {two} {one}")
    assert output == " ".join(f"[redacted:github-token:{at}]" for at in (1, 2, 1))


# --- and for what nobody wrote down

ODD = st.sampled_from(
    [*"/\\.:@%#?&=*~$ \t\n\0\"'`;|<>()[]{}", "..", "//", "%2e", "\u202e", "。", "ｅ"]
)


@st.composite
def spliced(draw: st.DrawFn, texts: list[str]) -> str:
    """Pieces of two texts, with something odd between them."""
    one, two = draw(st.sampled_from(texts))[:300], draw(st.sampled_from(texts))[:300]
    left = draw(st.integers(0, len(one)))
    right = draw(st.integers(0, len(two)))
    return one[:left] + "".join(draw(st.lists(ODD, max_size=3))) + two[right:]


def timely(kind: str, given_: Any, env: dict[str, Any]) -> dict[str, Any]:
    started = time.thread_time()
    answer = check(kind, given_, env)
    assert time.thread_time() - started < MOST_SECONDS
    return answer


@pytest.mark.torture
@examples(in_ci=300, in_torture=50_000)
@given(
    path=spliced([case[3] for case in PATH_CASES]), op=st.sampled_from(["read", "write", "list"])
)
def test_any_path_gets_an_answer(place: Path, path: str, op: str) -> None:
    question = path_question("plain", op, path, place)
    answer = timely("path", question["input"], question["env"])["verdict"]
    assert answer in ("inside", "outside", "refuse")
    if answer == "inside":
        root = place / "p" / "proj"
        real = os.path.realpath(root / question["input"]["path"])
        assert Path(real).is_relative_to(root)


@pytest.mark.torture
@examples(in_ci=300, in_torture=50_000)
@given(url=spliced([str(case[1].get("url")) for case in URL_CASES]))
def test_any_url_gets_an_answer(url: str) -> None:
    assert timely("url", {"url": url}, {"allow": urls.LIST})["verdict"] in ("allow", "deny")
    assert timely("url", {"url": "https://example.com/", "redirects": [url]}, {"allow": urls.LIST})


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(data=st.data())
def test_any_rule_gets_an_answer(place: Path, data: st.DataObject) -> None:
    lists = (one for _, asked, _ in RULE_CASES for one in asked["rules"].values())
    texts = sorted({text for one in lists for text in one})
    _, asked, cwd = data.draw(st.sampled_from(RULE_CASES))
    odd = {kind: [data.draw(spliced(texts))] for kind in ("allow", "ask", "deny")}
    question = rule_question({**asked, "rules": odd}, cwd, place)
    assert timely("rule", question["input"], question["env"])["verdict"] in RANK


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(
    token=st.sampled_from(secrets.TOKENS),
    before=st.text(alphabet="ab \n\t\"'(=,:>।é", max_size=20),
    after=st.text(alphabet=" \n\t\"'),;<।é", max_size=20),
)
def test_a_token_is_found_between_any_texts(token: str, before: str, after: str) -> None:
    secret = secrets.filled(token, before + after)
    output = timely("secret", f"{before} {secret}{after}", {})["output"]
    assert secret not in output


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(text=spliced([*map(secrets.unmarked, MARKED[::5]), *CLEAN]))
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    once = timely("secret", text, {})["output"]
    assert timely("secret", once, {})["output"] == once
