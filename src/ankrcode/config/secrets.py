"""What looks like a secret, taken out of a text.

A well-known prefix is proof enough. A value assigned to a name such as `token` must also look as
if it had been generated: code, prose and templates are full of such names.
"""

import re
from collections.abc import Collection, Mapping
from functools import cache
from itertools import pairwise

from ankrcode.config import secret_patterns as patterns

MIN_KNOWN_CHARS = 8  # shorter values occur in ordinary text
_MANY_KINDS, _SOME_KINDS = 4, 3
_MIN_DENSE_CHARS, _MOST_PARTS_PER_CHAR = 12, 0.36  # one name in 500 has more, one token in 30 less
_NEUTRAL = "-_./:"  # they join words as well as the parts of a token


def redact(text: str, known: Collection[str] = ()) -> str:
    """The text with everything that looks like a secret replaced by `[redacted:KIND]`.

    `known` are values that are secret whatever they look like; short ones are left alone.
    """
    values = sorted((value for value in known if len(value) >= MIN_KNOWN_CHARS), key=len)
    if values:
        longest_first = "|".join(map(re.escape, reversed(values)))
        text = re.sub(longest_first, _instead("known"), text)
    # A plain search for a fixed word is far cheaper than a pattern, and most texts have none.
    if "PRIVATE KEY" in text:
        text = _compiled(patterns.PRIVATE_KEY).sub(_instead("private-key"), text)
    for kind, beginning, rest in patterns.TOKENS:
        if beginning in text:
            token = _compiled(patterns.token_pattern(beginning, rest))
            text = token.sub(_instead(kind), text)
    if "://" in text:
        text = _compiled(patterns.URL_LOGIN).sub(_judge_url, text)
    return _without_named_secrets(text)


def secret_values(environ: Mapping[str, str]) -> frozenset[str]:
    """The values of the variables whose names say that they are secret."""
    is_secret_name = _compiled(patterns.SENSITIVE_VARIABLE).search
    return frozenset(
        value
        for name, value in environ.items()
        if len(value) >= MIN_KNOWN_CHARS and is_secret_name(name) and not _is_path(value)
    )


def _without_named_secrets(text: str) -> str:
    lowered = text.lower()
    if "bearer" in lowered or "authorization" in lowered:
        text = _compiled(patterns.AUTHORIZATION).sub(_judge_authorization, text)
    if any(stem in lowered for stem in patterns.SENSITIVE_STEMS) or "-u" in lowered:
        text = _compiled(patterns.OPTION).sub(_judge_assignment, text)
        text = _compiled(patterns.ASSIGNMENT).sub(_judge_assignment, text)
    return text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _instead(kind: str) -> str:
    return f"[redacted:{kind}]"


def _judge_url(found: re.Match[str]) -> str:
    if _is_placeholder(found["value"]):
        return found[0]
    return found["before"] + _instead("password")


def _judge_authorization(found: re.Match[str]) -> str:
    value = found["value"]
    is_secret = not _is_wording(value) if found["header"] else _looks_generated(value)
    if not is_secret or _is_placeholder(value):
        return found[0]
    return found["before"] + _instead("authorization")


def _judge_assignment(found: re.Match[str]) -> str:
    value = found["value"].rstrip(".:")
    tail = found["value"][len(value) :] + found["after"]
    is_quoted = found["quote"][-1:] in ("'", '"', "`")
    name = found["name"] or "password"
    kind = _kind_of(name)
    is_literal = is_quoted or (name.isupper() and found["sign"] == "=")
    if _is_placeholder(value) or _is_path(value):
        return found[0]
    if _is_sentence(found) if is_quoted else found["after"]:
        return found[0]
    if not is_literal and _is_code(value):
        return found[0]
    is_weak_password = kind == "password" and is_literal and not _is_wording(value)
    if is_weak_password or _looks_generated(value):
        return found["before"] + found["quote"] + _instead(kind) + tail
    return found[0]


def _is_sentence(found: re.Match[str]) -> bool:
    """Does the quoted text go on after the first word?"""
    return found.string[found.end() : found.end() + 1] == " "


def _is_code(value: str) -> bool:
    """A name rather than a value: `response.data2.token`, `OAuth2Token`."""
    return _compiled(patterns.CODE_REFERENCE).match(value) is not None and not _is_dense(value)


def _kind_of(name: str) -> str:
    kinds = (kind for kind in ("token", "credential", "key", "secret") if kind in name.lower())
    return next(kinds, "password")


def _is_placeholder(value: str) -> bool:
    return _compiled(patterns.PLACEHOLDER).match(value) is not None


def _is_wording(value: str) -> bool:
    return _compiled(patterns.WORDING).match(value) is not None


def _is_path(value: str) -> bool:
    """A place in a file system or a resource name; base64 has slashes too, but mixes cases."""
    if value.startswith(("/", "./", "../", "~/")):
        return not any(char in value for char in "+=") and not _is_aws_secret(value)
    return "/" in value and value == value.lower()


def _is_aws_secret(value: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9/]{40}", value)) and _kinds(value) >= _SOME_KINDS


def _looks_generated(value: str) -> bool:
    """Random text mixes kinds of characters, and changes often between them."""
    if len(value) < MIN_KNOWN_CHARS:
        return False
    plain = [char for char in value if char not in _NEUTRAL]
    edges = sum(left.isdigit() != right.isdigit() for left, right in pairwise(plain))
    kinds = _kinds(value)
    return kinds == _MANY_KINDS or edges > (1 if kinds == _SOME_KINDS else 2) or _is_dense(value)


def _is_dense(value: str) -> bool:
    """Has it more parts than words would have? `OAuthToken` has three, `xK9fQ2mZpL` nine."""
    parts = len(_compiled(patterns.PART).findall(value))
    return len(value) >= _MIN_DENSE_CHARS and parts / len(value) > _MOST_PARTS_PER_CHAR


def _kinds(value: str) -> int:
    """How many of: lower case, upper case, digits, symbols. Other scripts count as lower case."""
    kinds = {
        "digit" if char.isdigit() else "upper" if char.isupper() else "lower"
        for char in value
        if char.isalnum() or not char.isascii()
    }
    is_symbol = any(c.isascii() and not c.isalnum() and c not in _NEUTRAL for c in value)
    return len(kinds) + is_symbol
