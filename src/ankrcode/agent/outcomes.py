"""How a run of tests went: by its exit code where that is its own, else by what it printed."""

import re

from ankrcode.agent.commands import Simple

_RED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)"
    r"(?=\s*(?:$|[,;:.|()=!]|in \d|out of|tests?\b|and\b|with\b))"
    r"|^(?:---? )?FAIL(?:ED|URES!)?\b|^\[ +FAILED +\]|\b[1-9]\d* FAILED TESTS?\b"
    r"|test result: FAILED|BUILD FAIL|^not ok \d|\bTests? failed\b|\bSome tests failed\b|Failed!"
    r"|panicked at|npm ERR!|Failures: [1-9]|Errors: [1-9]|error: test failed|^(?:#|ℹ) fail [1-9]"
    r"|(?:failures|errors)=[1-9]",
    re.MULTILINE,
)
# A linter beside it counts errors, too: those of tests stand in the line that sums them up.
_ERRORS = re.compile(r"\b[1-9]\d* errors?\b")
_GREEN = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing|ok)\b|test result: ok|^ok\s|^PASS|BUILD SUCCESS"
    r"|\b0 failures\b|[Aa]ll tests (?:have )?pass|^OK\b|\bPassed!|^ok \d"
    r"|Tests? run: \d+, Failures: 0",
    re.MULTILINE,
)
# Nothing ran, whatever the exit code; and what shows that something did.
_EMPTY = re.compile(
    r"\bRan 0 tests\b|\bno tests ran\b|\bcollected 0 items\b|\bNo tests? (?:files? )?found\b"
    r"|\[no test files\]|\[no tests to run\]|\b0 passing\b|test result: ok\. 0 passed"
    r"|^(?:#|ℹ) tests 0$|^1\.\.0\b|\bNo test is available\b|\bNo tests executed\b",
    re.MULTILINE | re.IGNORECASE,
)
_SKIPPED = re.compile(r"^(?:=+ )?[1-9]\d* skipped(?:, \d+ \w+)* in [\d.]+s", re.MULTILINE)
_SOMETHING = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:pass(?:ed|ing)?|failed|failing|ok|errors?|xfailed)\b"
    r"|\b[1-9]\d* (?:tests?|specs?|examples?|assertions?|scenarios?|checks?)\b"
    r"|[✓✔√]|\b[Aa]ll tests pass|\b(?:Ran|Executed|running|tests|Tests run:|pass) [1-9]"
    r"|^ok\s|^---? (?:PASS|FAIL)|^PASS|\bPassed: +[1-9]",
    re.MULTILINE,
)
_NOT_THERE = re.compile(r"^\S*: No module named '?(?:pytest|nose2?|tox|nox|behave)\b", re.MULTILINE)
_MISSING = (126, 127)  # what the shell says where it finds no such program


def went(simple: Simple, exit_code: int | None, text: str, *, is_all: bool = False) -> str:
    """green, red or empty (no test ran; only where `text` is all that was printed); unknown where
    the exit code is another's and the output says nothing; absent where there is no such runner."""
    if exit_code is None or simple.is_masked:
        return "empty" if is_all and is_empty(text) else _as_printed(text)
    if exit_code in _MISSING or (exit_code and _NOT_THERE.search(text)):
        return "absent"
    if exit_code:
        return "red"
    return "empty" if is_all and is_empty(text) else "green"


def _as_printed(text: str) -> str:
    if _RED.search(text):
        return "red"
    green = [line for line in text.splitlines() if _GREEN.search(line)]
    if any(map(_ERRORS.search, green)) or (not green and _ERRORS.search(text)):
        return "red"
    return "green" if green else "unknown"


def is_empty(text: str) -> bool:
    """Is it certain that no test ran?"""
    if not (_EMPTY.search(text) or _SKIPPED.search(text)):
        return False
    return _SOMETHING.search(text) is None
