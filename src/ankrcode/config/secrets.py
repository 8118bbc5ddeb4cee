"""What looks like a secret, taken out of a text.

A well-known prefix is proof enough. A value assigned to a name such as `token` must also look as
if it had been generated: code, prose and templates are full of such names.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import pairwise

from ankrcode.config import secret_patterns as patterns
from ankrcode.config import secret_tokens as tokens

MIN_KNOWN_CHARS = 8  # shorter values occur in ordinary text
_MANY_KINDS, _SOME_KINDS = 4, 3
_MIN_DENSE_CHARS, _MOST_PARTS_PER_CHAR = 12, 0.36  # one name in 500 has more, one token in 30 less
_MOST_IN_LONG_NAMES, _MOST_IN_NAMES = 0.3, 0.25
_LONG_LINE = 4_000
_DRAWN_CHARS, _MIN_CHARS_IN_SMALL = 8, 40
_NEUTRAL = "-_./:"  # they join words as well as the parts of a token


Namer = Callable[[str, str], str]  # kind and secret → what is written in its place
Judge = Callable[[re.Match[str]], str]


def redact(text: str, known: Collection[str] = (), name: Namer | None = None) -> str:
    """The text with everything that looks like a secret replaced by `[redacted:KIND]`.

    `known` are values that are secret whatever they look like; short ones are left alone.
    """
    name = name or _by_kind
    if known:
        text = redact_known(text, known, name)
    # A plain search for a fixed word is far cheaper than a pattern, and most texts have none.
    if "PRIVATE KEY" in text:
        text = _compiled(patterns.PRIVATE_KEY).sub(partial(_named, name, "private-key"), text)
    found = _compiled(tokens.RUN).findall(text)
    runs = "\n".join(found)
    for kind, beginning, rest in tokens.TOKENS if runs else ():
        if beginning in runs:
            token = _compiled(tokens.token_pattern(beginning, rest))
            text = token.sub(partial(_named, name, kind), text)
    if any(len(run) > tokens.MIN_OTHER for run in found):
        text = _without_other_tokens(text, name)
    for kind, marker, before, whole in tokens.MARKED:
        if marker not in text:
            continue
        places = [at - width for at in _places(text, marker) for width in before if at >= width]
        if places:
            alone = rf"(?<![A-Za-z0-9]){whole}"
            text = _judged_at(text, places, alone, partial(_named, name, kind))
    return _without_named_secrets(text, name)


def _without_other_tokens(text: str, name: Namer) -> str:
    """`service_` and a long random run: the name stands before what is quickly found."""
    pieces: list[str] = []
    done = 0
    for found in _compiled(tokens.OTHERS).finditer(text):
        before = max(done, found.start() - tokens.MAX_OTHER_NAME)
        head = _compiled(tokens.OTHER_NAME).search(text, before, found.start())
        if head and _is_random(found["rest"], says_so=_says_secret(head[0])):
            pieces += (text[done : head.start()], name("token", text[head.start() : found.end()]))
            done = found.end()
    return "".join((*pieces, text[done:])) if pieces else text


def _says_secret(name: str) -> bool:
    """`mk_live_`, `x_api_`: what follows is hardly anything else."""
    return not tokens.TELLING_NAMES.isdisjoint(re.split("[_-]", name.lower()))


def _is_random(value: str, *, says_so: bool = False) -> bool:
    """Stricter than `_looks_generated`: no name of a variable says that it is a secret."""
    if says_so and _kinds(value) > 1 and _is_dense(value, _MOST_IN_NAMES):
        return True
    is_long = len(value) >= _MIN_CHARS_IN_SMALL and value.isalnum()
    is_long = is_long and not _compiled(patterns.LONG_HEX).match(value)
    return (is_long or _kinds(value) == _SOME_KINDS) and _is_dense(value, _MOST_IN_LONG_NAMES)


def redact_known(text: str, known: Collection[str], name: Namer) -> str:
    values = sorted((value for value in known if len(value) >= MIN_KNOWN_CHARS), key=len)
    if not any(value in text for value in values):
        return text
    longest_first = "|".join(map(re.escape, reversed(values)))
    return re.sub(longest_first, lambda found: name("known", found[0]), text)


def _named(name: Namer, kind: str, found: re.Match[str]) -> str:
    is_drawn = _compiled(tokens.DRAWN).search(found[0][-_DRAWN_CHARS:])
    return found[0] if is_drawn else name(kind, found[0])


def _by_kind(kind: str, _secret: str) -> str:
    return f"[redacted:{kind}]"


def secret_values(environ: Mapping[str, str]) -> frozenset[str]:
    """The values of the variables whose names say that they are secret."""
    return frozenset(
        value
        for name, value in environ.items()
        if len(value) >= MIN_KNOWN_CHARS and _is_named_secret(name, value)
    )


def is_secret_variable(name: str, value: str) -> bool:
    """Does this variable hold a secret: by its name, or by what stands in it?"""
    return bool(value) and (_is_named_secret(name, value) or redact(value) != value)


def _is_named_secret(name: str, value: str) -> bool:
    is_secret_name = _compiled(patterns.SENSITIVE_VARIABLE).search(name)
    return is_secret_name is not None and not _is_path(value)


def _without_named_secrets(text: str, name: Namer) -> str:
    if "://" in text:
        text = _compiled(patterns.URL_LOGIN).sub(partial(_judge_url, name), text)
        text = _compiled(patterns.URL_USER).sub(partial(_judge_url_token, name), text)
    lowered = _lowered(text)
    begins = sorted(at for word in patterns.AUTHORIZATION_BEGINS for at in _places(lowered, word))
    text = _judged_at(text, begins, patterns.AUTHORIZATION, partial(_judge_authorization, name))
    if "cookie" in lowered:
        cookies = _places(_lowered(text), "cookie")
        text = _judged_at(text, cookies, patterns.COOKIES, partial(_judge_cookies, name))
    if "sig=" in lowered or "signature=" in lowered:
        text = _compiled(patterns.SIGNED_URL).sub(partial(_judge_signature, name), text)
    pieces: list[str] = []
    place = 0
    for start, end in _telling_parts(text):
        pieces += (text[place:start], _without_assigned_secrets(text[start:end], name))
        place = end
    return "".join((*pieces, text[place:])) if pieces else text


def _without_assigned_secrets(text: str, name: Namer) -> str:
    judge = partial(_judge_assignment, name)
    text = _compiled(patterns.QUOTED).sub(partial(_judge_quoted, name), text)
    text = _compiled(patterns.CONFIG).sub(partial(_judge_config, name), text)
    text = _compiled(patterns.OPTION).sub(judge, text)
    return _compiled(patterns.ASSIGNMENT).sub(judge, text)


def _lowered(text: str) -> str:
    """In small letters, of the same length: one letter alone has no single small form."""
    return text.replace("\u0130", "i").lower()


def _places(text: str, word: str, start: int = 0) -> Iterator[int]:
    """Where a word stands; a plain search is far cheaper than any pattern."""
    while (start := text.find(word, start)) >= 0:
        yield start
        start += 1


def _judged_at(text: str, places: Iterable[int], pattern: str, judge: Judge) -> str:
    """As `re.sub`, where a match can only begin at one of these places (in order)."""
    pieces: list[str] = []
    done = 0
    for place in places:
        found = _compiled(pattern).match(text, place) if place >= done else None
        if found:
            pieces += (text[done:place], judge(found))
            done = found.end()
    return "".join((*pieces, text[done:])) if pieces else text


def _telling_parts(text: str) -> list[tuple[int, int]]:
    """Where a name and a value may stand: its line and the next, or its surroundings."""
    lowered = _lowered(text)
    found: list[tuple[int, int]] = []
    for word, around in patterns.TELLING:
        end = 0
        for one in _compiled(around).finditer(lowered) if word in lowered else ():
            if one.start() >= end - _LONG_LINE // 2:
                start, end = _part_around(text, one.start())
                found.append((start, end))
    return _merged(sorted(found))


def _part_around(text: str, place: int) -> tuple[int, int]:
    start = text.rfind("\n", max(0, place - _LONG_LINE // 2), place) + 1
    start = start or max(0, place - _LONG_LINE // 2)
    end = text.find("\n", place, place + _LONG_LINE)
    end = text.find("\n", end + 1, end + _LONG_LINE) if end >= 0 else -1
    return start, end if end >= 0 else min(len(text), place + _LONG_LINE)


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in parts:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _judge_url(name: Namer, found: re.Match[str]) -> str:
    value = found["value"]
    is_example = _compiled(patterns.EXAMPLE_LOGIN).match(found[0])
    if is_example or _is_placeholder(value) or (value.isupper() and _is_wording(value)):
        return found[0]
    return found["before"] + name("password", value)


def _judge_url_token(name: Namer, found: re.Match[str]) -> str:
    is_secret = _is_random(found["value"])
    return found["before"] + name("token", found["value"]) if is_secret else found[0]


def _judge_authorization(name: Namer, found: re.Match[str]) -> str:
    value = found["value"]
    is_secret = not _is_wording(value) if found["scheme"] else _looks_generated(value)
    if not is_secret or _is_placeholder(value):
        return found[0]
    return found["before"] + name("authorization", value)


def _judge_cookies(name: Namer, found: re.Match[str]) -> str:
    judge = partial(_judge_signature, name, kind="cookie")
    return _compiled(patterns.SESSION_COOKIE).sub(judge, found[0])


def _judge_signature(name: Namer, found: re.Match[str], kind: str = "signature") -> str:
    value = found["value"]
    if _is_placeholder(value) or not _looks_generated(value):
        return found[0]
    return found["before"] + name(kind, value)


def _judge_quoted(name: Namer, found: re.Match[str]) -> str:
    """Only what `_judge_assignment` would take for the end of the value is new here."""
    value = found["value"]
    is_longer = any(char in value for char in ",;&|<>(){}[]")
    if not is_longer or _is_placeholder(value) or _is_path(value) or "redacted:" in value:
        return found[0]
    if _kinds(value) < _MANY_KINDS or _compiled(patterns.CALL).search(value):
        return found[0]
    return found["before"] + found["quote"] + name(_kind_of(found["name"]), value)


def _judge_assignment(name: Namer, found: re.Match[str]) -> str:
    value = found["value"].rstrip(".:")
    if "#" in value and _is_in_a_query(found):
        value = value.partition("#")[0]
    tail = found["value"][len(value) :] + found["after"]
    is_quoted = found["quote"][-1:] in ("'", '"', "`")
    variable = found["name"] or "password"
    kind = _kind_of(variable)
    is_literal = is_quoted or (variable.isupper() and found["sign"] == "=")
    is_password = kind == "password"
    if _is_placeholder(value) or _is_path(value) or _is_listed(found):
        return found[0]
    if _is_sentence(found) if is_quoted else found["after"]:
        return found[0]
    if is_password and not is_literal:
        is_literal = _is_in_a_list(found)
    if not is_literal and _is_code(value):
        return found[0]
    if (is_password and is_literal and _is_password(value)) or _looks_generated(value):
        return found["before"] + found["quote"] + name(kind, value) + tail
    return found[0]


def _is_password(value: str) -> bool:
    """A person's own choice: shorter than what is generated, but not plain words."""
    if len(value) < MIN_KNOWN_CHARS:
        return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return not _is_wording(value)


def _judge_config(name: Namer, found: re.Match[str]) -> str:
    """`db_password: hunter2` alone on its line, with a digit: no sentence and no type."""
    value = found["value"]
    is_other = _is_placeholder(value) or _is_path(value) or value.endswith((",", ";", "(", "{"))
    has_digit = any(char.isdigit() for char in value)
    if is_other or not has_digit or not _is_password(value) or "redacted:" in value:
        return found[0]
    is_list = _compiled(patterns.NEXT_PAIR).search(value)
    if is_list or _compiled(patterns.CALL).search(value) or value[0] in "\"'`[(&|":
        return found[0]
    return found["before"] + name("password", value)


def _is_in_a_query(found: re.Match[str]) -> bool:
    before = found.string[max(0, found.start() - 50) : found.start()]
    return bool(_compiled(patterns.IN_QUERY).search(before))


def _is_listed(found: re.Match[str]) -> bool:
    """`["token", "key1"]` lists names; `define("TOKEN", "…")` gives one a value."""
    if not found.groupdict().get("comma"):
        return False
    before = found.string[max(0, found.start() - 70) : found.start()]
    return not _compiled(patterns.IN_CALL).search(before) or not _looks_generated(found["value"])


def _is_in_a_list(found: re.Match[str]) -> bool:
    """`?user=a&password=x`, `Server=db;Pwd=x`: parts of a query or a connection string."""
    before = found.string[max(0, found.start() - 1) : found.start()]
    return before in ("?", "&", ";") and found["sign"] == "="


def _is_sentence(found: re.Match[str]) -> bool:
    """Does the quoted text go on after the first word?"""
    return found.string[found.end() : found.end() + 1] == " "


def _is_code(value: str) -> bool:
    """A name rather than a value: `response.data2.token`, `OAuth2Token`."""
    is_name = not value[:1].isdigit() and _compiled(patterns.CODE_REFERENCE).match(value)
    return bool(is_name) and not _is_dense(value)


def _kind_of(name: str) -> str:
    lowered = name.lower()
    kinds = (kind for kind in ("token", "credential", "key", "secret") if kind in lowered)
    if lowered == "pat":
        return "token"
    return next(kinds, "authorization" if lowered.endswith("auth") else "password")


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
    if _compiled(patterns.LONG_HEX).match(value):
        return True
    return kinds == _MANY_KINDS or edges > (1 if kinds == _SOME_KINDS else 2) or _is_dense(value)


def _is_dense(value: str, most: float = _MOST_PARTS_PER_CHAR) -> bool:
    """Has it more parts than words would have? `OAuthToken` has three, `xK9fQ2mZpL` nine."""
    parts = len(_compiled(patterns.PART).findall(value))
    return len(value) >= _MIN_DENSE_CHARS and parts / len(value) > most


def _kinds(value: str) -> int:
    """How many of: lower case, upper case, digits, symbols. Other scripts count as lower case."""
    kinds = {
        "digit" if char.isdigit() else "upper" if char.isupper() else "lower"
        for char in value
        if char.isalnum() or not char.isascii()
    }
    is_symbol = any(c.isascii() and not c.isalnum() and c not in _NEUTRAL for c in value)
    return len(kinds) + is_symbol
