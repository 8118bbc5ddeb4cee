"""Glob patterns: what they fit, where they begin, and what is wrong with them."""

import os
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.search.patterns import PatternError, expand_braces, plan_glob
from torture import examples


def fits(pattern: str, path: str, *, include_hidden: bool = False) -> bool:
    plan = plan_glob(pattern, "/nowhere", include_hidden=include_hidden)
    top, whole = plan.folder.rstrip("/") + "/", f"/nowhere/{path}"
    return whole.startswith(top) and bool(plan.regex.fullmatch(whole.removeprefix(top)))


# ── an independent reading of the same rules ──────────────────────────────────────────────────
def expected(pattern: str, path: str, *, include_hidden: bool) -> bool:
    return _fit(tuple(pattern.split("/")), tuple(path.split("/")), include_hidden)


@cache
def _fit(parts: tuple[str, ...], names: tuple[str, ...], include_hidden: bool) -> bool:
    """Name by name, trying every way: slow and plain."""
    if not parts:
        return not names
    if parts[0] == "**":
        if len(parts) == 1:
            return bool(names) and all(include_hidden or name[0] != "." for name in names)
        for taken in range(len(names) + 1):
            if not include_hidden and any(name[0] == "." for name in names[:taken]):
                break
            if _fit(parts[1:], names[taken:], include_hidden):
                return True
        return False
    if not names or (not include_hidden and names[0][0] == "." and parts[0][0] in "*?["):
        return False
    return _fit_name(parts[0], names[0]) and _fit(parts[1:], names[1:], include_hidden)


@cache
def _fit_name(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return any(_fit_name(part[1:], name[taken:]) for taken in range(len(name) + 1))
    if not name:
        return False
    if part.startswith("[!a]"):
        return name[0] != "a" and _fit_name(part[4:], name[1:])
    if part.startswith("[ab]"):
        return name[0] in "ab" and _fit_name(part[4:], name[1:])
    return part[0] in ("?", name[0]) and _fit_name(part[1:], name[1:])


part = st.one_of(
    st.just("**"),
    st.lists(
        st.sampled_from(["a", "b", ".", "*", "?", "[!a]", "[ab]"]), min_size=1, max_size=5
    ).map("".join),
).filter(lambda text: text not in (".", ".."))
name = st.text(alphabet="ab.", min_size=1, max_size=5).filter(lambda text: text not in (".", ".."))


@pytest.mark.torture
@examples(in_ci=1_000, in_torture=30_000)
@given(
    parts=st.lists(part, min_size=1, max_size=4),
    names=st.lists(name, min_size=1, max_size=5),
    include_hidden=st.booleans(),
)
def test_a_pattern_fits_what_a_plain_reading_of_the_rules_fits(
    parts: list[str], names: list[str], include_hidden: bool
) -> None:
    pattern, path = "/".join(parts), "/".join(names)
    if parts[-1] == "**" and len(parts) > 1:
        pattern, parts = f"{pattern}/*", [*parts, "*"]  # what `a/**` means, written out
    assert fits(pattern, path, include_hidden=include_hidden) == expected(
        pattern, path, include_hidden=include_hidden
    )


@pytest.mark.parametrize(
    "pattern",
    ["*.py", "*", "**/*", "a/*.py", "**/a/*", "*/*/*", "**/b*.py", "?.py", "[ab].py", "a/**/c/*"],
)
def test_plain_patterns_mean_what_pathlib_says(pattern: str, tmp_path: Path) -> None:
    for folder in ("a", "a/b", "a/b/c", "b", "c/a"):
        (tmp_path / folder).mkdir(parents=True)
        for file in ("a.py", "b.py", "bb.py", "x.txt"):
            (tmp_path / folder / file).touch()
    (tmp_path / "a.py").touch()
    plan = plan_glob(pattern, str(tmp_path), include_hidden=False)
    found = {
        path
        for path in tmp_path.rglob("*")
        if path.is_file()
        and path.is_relative_to(plan.folder)
        and plan.regex.fullmatch(str(path.relative_to(plan.folder)))
    }
    assert found == {path for path in tmp_path.glob(pattern) if path.is_file()}
    assert found
    assert all(os.fsencode(path).endswith(plan.endings or b"") for path in found)


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("**/*.{ts,tsx}", "a/b/c.tsx", "a/b/c.js"),
        ("{src,test}/**/*.py", "test/x/y.py", "docs/y.py"),
        ("{a,b{c,d}}.txt", "bd.txt", "b.txt"),
        ("x{,y}z", "xz", "xyyz"),
        ("**", "a/b", ".a/b"),
        ("src/**", "src/a/b", "src"),
        ("a**b", "axxb", "a/b"),
        ("[!a-c]x", "dx", "bx"),
        ("[^a]x", "bx", "ax"),
        ("[]]x", "]x", "[x"),
        ("[a-]x", "-x", "bx"),
        (r"\*x", "*x", "ax"),
        (r"\{a,b\}", "{a,b}", "a"),
        ("[{]x", "{x", "x"),
        (".github/*.yml", ".github/ci.yml", ".github/.x.yml"),
        ("**/.env", "a/.env", "a/env"),
        ("./a/./b", "a/b", "a/c"),
        ("a//b", "a/b", "a"),
        ("?", "न", "नम"),
        ("*\n*", "a\nb", "ab"),
    ],
)
def test_each_sign_of_a_pattern(pattern: str, fitting: str, other: str) -> None:
    assert fits(pattern, fitting)
    assert not fits(pattern, other)


def test_hidden_names_fit_wildcards_only_when_asked() -> None:
    for pattern, path in (
        ("*", ".a"),
        ("**/x", ".a/x"),
        ("?a", ".a"),
        ("[.]a", ".a"),
        ("**", "a/.b"),
    ):
        assert not fits(pattern, path)
        assert fits(pattern, path, include_hidden=True)


@pytest.mark.parametrize(
    ("pattern", "folder", "depth"),
    [
        ("*.py", "/r", 1),
        ("**/*.py", "/r", None),
        ("src/*/x.py", "/r/src", 2),
        ("src/app/**/x.py", "/r/src/app", None),
        ("{src/a,src/b}/*.py", "/r/src", 2),
        ("/etc/*.conf", "/etc", 1),
        ("../other/*", "/other", 1),
        ("main.py", "/r", 1),
        ("src/main.py", "/r/src", 1),
        ("{a,/b}/*", "/", 2),
    ],
)
def test_looking_begins_where_the_first_wildcard_is(
    pattern: str, folder: str, depth: int | None
) -> None:
    plan = plan_glob(pattern, "/r", include_hidden=False)
    assert plan.folder == folder
    if depth is None or folder != "/":
        assert plan.max_depth == depth


def test_a_pattern_from_home_begins_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert plan_glob("~/*.txt", "/r", include_hidden=False).folder == str(tmp_path)


def test_a_link_on_the_way_is_followed_to_its_real_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    plan = plan_glob("link/*", str(tmp_path), include_hidden=False)
    assert plan.folder == str(tmp_path / "real")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("[a", "'[' is never closed"),
        ("a{b", "'{' is never closed"),
        ("a}b", "'}' closes no brace"),
        ("{a,{b,c}", "'{' is never closed"),
        ("a\\", "escapes nothing"),
        ("src/", "only files are listed"),
        ("/", "only files are listed"),
        (".", "names no file"),
        ("*/../x", "before the first wildcard"),
        ("[z-a]", "runs backwards"),
        ("{a,b}" * 11, "more than 1000 patterns"),
    ],
)
def test_a_pattern_that_means_nothing_says_why(pattern: str, why: str) -> None:
    with pytest.raises(PatternError) as caught:
        plan_glob(pattern, "/r", include_hidden=False)
    assert why in caught.value.why


def test_braces_are_written_out_in_order() -> None:
    assert expand_braces("a{b,c{d,e}f}g") == ["abg", "acdfg", "acefg"]
    assert expand_braces("{a}{,b}") == ["a", "ab"]
    assert expand_braces("plain") == ["plain"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 30 + "b", "a" * 250),
        ("**/" + "*a" * 20 + "*b", "a" * 250),
        ("**/a/" * 8 + "x", "a/" * 60 + "y"),
        ("**/*/" * 8 + "x", "a/" * 60 + "y"),
    ],
)
def test_a_spiteful_pattern_costs_no_more_than_others(pattern: str, path: str) -> None:
    regex = plan_glob(pattern, "/r", include_hidden=False).regex
    start = time.thread_time()
    assert not regex.fullmatch(path)
    assert time.thread_time() - start < 1
