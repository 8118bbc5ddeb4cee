"""Output on its way to a file: without its secrets, otherwise byte for byte, and fast."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.redacted_output import RedactedOutput
from ankrcode.config.redactor import Redactor
from ankrcode.config.secrets import redact
from config.test_secrets import KEY, NAMED_SECRETS, PASSWORD, PRIVATE_KEYS, samples
from torture import examples

MIB = 1024 * 1024
TOKENS = [(kind, token.encode()) for kind, token in samples()]
TOKEN = TOKENS[0][1]

# What floods are made of: one line, few kinds of characters, ordinary text, bytes that are no text.
FLOODS = {
    "one letter": b"x" * 200_000,
    "one line": b"y\n" * 100_000,
    "one message": b"error: cannot open the file\n" * 8_000,
    "one message without end": b"still waiting. " * 12_000,
    "numbers": b"".join(b"%d\n" % number for number in range(40_000)),
    "zeros": bytes(200_000),
    "text": b"".join(b"line %d of the log\n" % number for number in range(10_000)),
    "noise": random.Random(7).randbytes(200_000),
    "another script": "नमस्ते दुनिया\n".encode() * 5_000,
}


def fed(output: RedactedOutput, data: bytes | memoryview) -> bytes:
    return b"".join(output.feed(memoryview(data)))


def passed(data: bytes, step: int = 65_536, redactor: Redactor | None = None) -> bytes:
    """What comes out, whatever the size of the blocks."""
    output = RedactedOutput(redactor or Redactor())
    view = memoryview(data)
    pieces = [fed(output, view[at : at + step]) for at in range(0, len(data), step)]
    return b"".join((*pieces, output.end()))


@pytest.mark.parametrize("step", [997, 65_536, 1_000_000])
@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_what_holds_no_secret_stays_byte_for_byte(flood: bytes, step: int) -> None:
    assert passed(flood, step) == flood


@pytest.mark.parametrize(("kind", "token"), TOKENS)
def test_every_kind_of_token_is_taken_out_of_a_flood_of_one_letter(kind: str, token: bytes) -> None:
    flood = b"#" * 70_000
    found = passed(flood + b"\n" + token + b"\n" + flood)
    assert found == flood + f"\n[redacted:{kind}:1]\n".encode() + flood


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
@pytest.mark.parametrize(("kind", "token"), TOKENS[::12])
def test_a_token_is_found_between_two_floods_of_any_kind(
    kind: str, token: bytes, flood: bytes
) -> None:
    found = passed(flood + b"\n" + token + b"\n" + flood)
    assert token not in found
    assert found == flood + f"\n[redacted:{kind}:1]\n".encode() + flood


@pytest.mark.parametrize(("text", "secret", "kind"), NAMED_SECRETS)
def test_a_secret_known_by_its_name_is_taken_out_too(text: str, secret: str, kind: str) -> None:
    line = b"\n" + text.format(secret).encode() + b"\n"
    flood = b"0123456789\n" * 7_000
    found = passed(flood + line + flood)
    assert found == flood + line.replace(secret.encode(), f"[redacted:{kind}:1]".encode()) + flood


@pytest.mark.parametrize("key", PRIVATE_KEYS)
@pytest.mark.parametrize("step", [100, 65_536])
def test_a_private_key_is_taken_out_as_a_whole(key: str, step: int) -> None:
    before, after = b"1\n" * 40_000, b"2\n" * 40_000
    found = passed(before + key.encode() + b"\n" + after, step)
    assert found == before + b"[redacted:private-key:1]\n" + after


@pytest.mark.parametrize("cut", range(1, len(TOKEN) + 8, 3))
@pytest.mark.parametrize("before", [b"x" * 1_000, b"1\n" * 500, b"a word\n" * 100, b""])
def test_a_token_split_anywhere_is_caught(before: bytes, cut: int) -> None:
    output, data = RedactedOutput(Redactor()), before + b"\n" + TOKEN + b"\nafter"
    at = len(before) + cut
    found = fed(output, data[:at]) + fed(output, data[at:]) + output.end()
    assert TOKEN not in found
    assert found.endswith(b":1]\nafter")


@pytest.mark.parametrize("word", ["password", "PASSWORD", "PassWord", "pAsSwOrD"])
def test_however_the_name_is_written(word: str) -> None:
    line = f"{word}='{PASSWORD}'\n".encode()
    assert PASSWORD.encode() not in passed(b"1\n" * 40_000 + line + b"2\n" * 40_000)


def test_a_secret_that_comes_over_and_over_is_taken_out_every_time() -> None:
    line = b"token=" + KEY.encode() + b"\n"
    found = passed(line * 5_000)
    assert found == b"token=[redacted:token:1]\n" * 5_000


def test_a_line_that_was_harmless_before_is_judged_anew_where_it_changes() -> None:
    flood = b"token=none yet\n" * 10_000
    assert passed(flood + b"token=" + KEY.encode() + b"\n" + flood) == (
        flood + b"token=[redacted:token:1]\n" + flood
    )


@pytest.mark.parametrize(
    "known", ["ZZZZZZZZZZ", "@@!!##%%", "correct horse battery", "ключ-от-дома"]
)
def test_what_is_known_to_be_secret_is_taken_out_whatever_it_looks_like(known: str) -> None:
    redactor = Redactor([known])
    flood = b"1234567890\n" * 7_000
    found = passed(flood + known.encode() + b"\n" + flood, redactor=redactor)
    assert found == flood + b"[redacted:known:1]\n" + flood


def test_the_names_are_those_of_the_session() -> None:
    redactor = Redactor()
    shown = redactor.redact(f"token={KEY}")
    assert passed(f"token={KEY}\n".encode(), redactor=redactor).decode() == shown + "\n"
    assert redactor.restore(shown) == f"token={KEY}"


@pytest.mark.parametrize("prompt", [b"Password: ", b"Your name? ", b"token=", b"$ ", b"x" * 50])
def test_what_is_held_back_can_be_seen(prompt: bytes) -> None:
    output = RedactedOutput(Redactor())
    written = fed(output, b"hello\n" + prompt)
    assert written + output.held == b"hello\n" + prompt
    assert written + output.end() == b"hello\n" + prompt
    assert output.held == b""


@given(data=st.data())
@examples(in_ci=60, in_torture=3_000)
@pytest.mark.torture
def test_wherever_the_blocks_are_cut_the_same_comes_out_as_of_the_whole(
    data: st.DataObject,
) -> None:
    parts = st.one_of(
        st.sampled_from([flood[:3_000] for flood in FLOODS.values()]),
        st.sampled_from([token for _, token in TOKENS]),
        st.sampled_from([text.format(secret).encode() for text, secret, _ in NAMED_SECRETS]),
        st.binary(max_size=40),
    )
    whole = b"\n".join(data.draw(st.lists(parts, max_size=6)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    output = RedactedOutput(Redactor())
    pieces = [fed(output, whole[a:b]) for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    found = b"".join((*pieces, output.end()))
    for _, token in TOKENS:
        assert b"\n" + token + b"\n" not in found
    text = whole.decode(errors="surrogateescape")
    if redact(text) == text:
        assert found == whole


@pytest.mark.parametrize("name", ["one letter", "one line", "one message", "numbers", "zeros"])
def test_a_flood_passes_at_a_glance(name: str) -> None:
    block = memoryview((FLOODS[name] * 6)[:MIB])
    output = RedactedOutput(Redactor())
    taken = []
    for _ in range(8):
        started = time.perf_counter()
        fed(output, block)
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[2] < 0.01  # the redactor itself takes several times as long


def test_what_is_held_back_is_bounded() -> None:
    for beginning in (b"-----BEGIN RSA PRIVATE KEY-----\n", b"password=", TOKEN, b"x", b""):
        output = RedactedOutput(Redactor())
        fed(output, beginning)
        for _ in range(20):
            fed(output, b"A1b2" * 4_096)
            assert len(output.held) < 64 * 1024


@pytest.mark.parametrize("step", [4_096, 50_001, 65_536])
def test_a_line_without_end_is_cut_between_its_parts(step: int) -> None:
    entry = f'{{"name": "a", "token": "{KEY}", "size": 12}}, '.encode()
    found = passed(entry * 5_000, step)
    assert KEY.encode()[:12] not in found
    assert found == entry.replace(KEY.encode(), b"[redacted:token:1]") * 5_000


def test_a_part_of_what_came_before_is_judged_for_itself() -> None:
    secret = b"A" * 12 + b"token=" + KEY.encode() + b"\n"
    harmless = b"tokens: " + KEY[:3].encode() + b"\n"
    whole = harmless * 5_000 + harmless[:-2] * 5_000 + b"\n" + secret * 50
    found = passed(whole)
    assert KEY.encode() not in found
    assert found.startswith(harmless * 5_000)
