"""Redaction looks closely only where it must: quick on long texts, with the same answers."""

import json
import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ankrcode
from ankrcode.config import secret_tokens, secrets
from ankrcode.config.secrets import redact
from torture import examples

MEGABYTE = 1_000_000
SECRET = "xK9" + "fQ2mZpL7wR4tB8"


def source_code() -> str:
    folder = Path(ankrcode.__file__).parent
    files = sorted(folder.rglob("*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def records() -> str:
    rows = [{"key": f"k{n}", "token_count": n, "author": "me", "passed": True} for n in range(3000)]
    return json.dumps(rows, indent=1)


def base64_noise() -> str:
    return "".join(random.Random(5).choices(string.ascii_letters + string.digits + "+/", k=50_000))


# Each is repeated to a megabyte; the bound is a fifth of what one look at every place took.
LONG = {
    "code": source_code(),
    "records": records(),
    "base64": base64_noise(),
    "log": "2024-01-01 INFO auth.service: user login ok path=/api/v1/token session-key\n",
    "telling-words": "token secret password key auth ",
    "one-line-of-pairs": "passed: yes, keyed: no; tokens=12 ",
    "options": "--keep --token-count --no-auth -u -p --user name ",
    "rulers": "-" * 79 + "\n",
    "hindi": "नमस्ते दुनिया, यह token एक परीक्षा है।\n",
    "turkish": "İstanbul'da token sayısı 5 adettir.\n",
    "shell": "mysql --host db -e 'select 1'; login -f bob; mariadb -u root\n",
    "headers": "Authorization header, bearer of news, cookie jar, signature line\n",
}


@pytest.mark.parametrize("name", LONG)
def test_a_megabyte_of_ordinary_text_takes_a_fraction_of_a_second(name: str) -> None:
    text = (LONG[name] * (MEGABYTE // len(LONG[name]) + 1))[:MEGABYTE]
    redact(text[:1000])  # the patterns are made once
    started = time.process_time()
    assert len(redact(text)) > 0
    assert time.process_time() - started < 0.6


def test_every_known_token_is_one_run_of_the_characters_looked_for() -> None:
    from config.test_secrets import samples

    for kind, sample in samples():
        beginnings = [start for one, start, _ in secret_tokens.TOKENS if one == kind]
        runs = "\n".join(secrets._compiled(secret_tokens.RUN).findall(sample))
        assert not beginnings or any(start in runs for start in beginnings), sample


@pytest.mark.parametrize("row", secret_tokens.TOKENS, ids=lambda row: row[1])
def test_no_kind_of_token_is_shorter_than_what_is_looked_for(row: tuple[str, str, str]) -> None:
    """The shortest token of a kind would slip through if a run had to be longer than it."""
    _, beginning, rest = row
    pattern = secrets._compiled(secret_tokens.token_pattern(beginning, rest))
    for length in range(15 - len(beginning)):
        for filling in ("a1", "live_a1", "b-a1", "pat_a1", "p_v1_a1", "atp-a1"):
            assert pattern.fullmatch(beginning + (filling * 20)[:length]) is None


# ── what is passed over holds nothing ─────────────────────────────────────────────────────────
NAMES = [
    *("password", "Passwd", "PASSPHRASE", "passcode", "pass", "pwd", "db_pwd", "secret", "SECRET"),
    *("token", "accessToken", "credential", "credentials", "auth", "_auth", "oauth", "author"),
    *("api_key", "api-key", "apikey", "secret_access_key", "AWS_SECRET_ACCESS_KEY", "licensekey"),
    *("client-secret", "token_prod", "token2", "key_old", "master-key-base64", "monkey", "key"),
    *("--password", "--api-token", "--a-b-c-secret", "--user", "-u bob", "-U bob", "sshpass -p"),
    *("login bob password", "login -h db -p", "mysql -u root -p", "mysqldump -p", "mariadb -p"),
]
SIGNS = [
    "=",
    " = ",
    ": ",
    ":",
    " := ",
    " => ",
    '": "',
    "'] = '",
    '="',
    "=='",
    " ",
    "\n= ",
    '\\":\\"',
]
VALUES = [SECRET, "S3c" + "r3t!Pw", "hunter2" + "x9", "plain", "your-token-here", "a;b&C3!dE,f", ""]
BETWEEN = ["", " ", "\n", "; ", "&", "?", "token ", "key: ", "\u0130", "ज्ञ ", "'", '"', "x" * 50]
ASSIGNED = st.tuples(*map(st.sampled_from, (BETWEEN, NAMES, SIGNS, VALUES, BETWEEN))).map("".join)


@examples(in_ci=600, in_torture=50_000)
@given(st.lists(ASSIGNED, min_size=1, max_size=6).map("".join))
def test_looking_only_where_a_name_stands_finds_what_looking_everywhere_finds(text: str) -> None:
    everywhere = secrets._without_assigned_secrets(text, secrets._by_kind)
    places = secrets._telling_parts(text)
    found = [secrets._without_assigned_secrets(text[a:b], secrets._by_kind) for a, b in places]
    rest = [
        text[a:b]
        for a, b in zip([0, *(b for _, b in places)], [a for a, _ in places], strict=False)
    ]
    rest.append(text[places[-1][1] if places else 0 :])
    pieces = [piece for pair in zip(rest, [*found, ""], strict=True) for piece in pair]
    assert "".join(pieces) == everywhere


@pytest.mark.parametrize("case", ["lower", "upper", "title"])
@pytest.mark.parametrize(
    "text",
    [
        f"authorization: bearer {SECRET}",
        f"see bearer {SECRET} there",
        f"cookie: sessionid={SECRET}",
        f"https://x.test/a?sig={SECRET * 2}",
        f"--api-token {SECRET}",
        f"curl -u bob:{SECRET} x",
        f"sshpass -p {SECRET} ssh x",
    ],
    ids=lambda text: text.partition(SECRET[:4])[0].strip(),
)
def test_the_words_before_a_secret_may_be_in_any_case(text: str, case: str) -> None:
    before, secret, after = text.partition(SECRET)
    changed = getattr(before, case)().replace("-U ", "-u ").replace("-P ", "-p ")
    for filler in ("", "\u0130 ", "नमस्ते\n", "bearer cookie sig= token "):
        assert SECRET not in redact(filler + changed + secret + after)


@pytest.mark.parametrize("line", ["x" * 1_990, "y " * 3_000, "token " * 700, "key=" * 900])
@pytest.mark.parametrize(
    "text", [f"password = '{SECRET}'", f"--token {SECRET} ", f"-u a:{SECRET} "]
)
def test_a_secret_deep_in_a_long_line_is_found(line: str, text: str) -> None:
    assert SECRET not in redact(f"{line} {text}")
    assert SECRET not in redact(f"{text} {line}")
    assert SECRET not in redact(f"{line} {text} {line} {text} {line}")
