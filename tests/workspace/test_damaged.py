"""UTF-8 with a few bytes that are none: told from other encodings, and back byte for byte."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.damaged import DAMAGED, is_damaged
from ankrcode.workspace.text import decode
from torture import examples
from workspace.test_text import LANGUAGES, LEGACY

HINDI = "यह एक परीक्षण है। फ़ाइल पढ़ी जाती है।\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HINDI.encode() + b"\xff", True),
        (HINDI.encode() * 9 + b"\xff\xfe\xfd", True),
        (HINDI.encode()[:-2], True),
        (b"\xff" * 9 + HINDI.encode(), False),
        (b"plain words \xff and more of them\n" * 9, False),
        ("é\n".encode() + b"\xff", False),
        (b"", False),
        (b"\xff", False),
        ("naïve café, déjà vu\n".encode() * 4 + "Größe\n".encode("latin-1"), False),
        ("naïve café, déjà vu\n".encode() * 9 + "Größe\n".encode("latin-1"), True),
    ],
)
def test_few_bad_bytes_among_many_good_letters_are_damage(content: bytes, expected: bool) -> None:
    assert is_damaged(content) is expected


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_no_other_encoding_is_taken_for_damage(language: str, encoding: str) -> None:
    assert not is_damaged((LANGUAGES[language] * 20).encode(encoding))
    assert decode((LANGUAGES[language] * 20).encode(encoding), "/f").encoding != DAMAGED


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(
    content=st.lists(
        st.binary(max_size=4) | st.text(alphabet="aक中🎉\n", max_size=8).map(str.encode),
        max_size=20,
    ).map(b"".join)
)
def test_any_bytes_come_back_as_they_were(content: bytes) -> None:
    has_private = any("\uf780" <= one <= "\uf7ff" for one in content.decode(errors="ignore"))
    assert content.decode(DAMAGED).encode(DAMAGED) == content or has_private


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(
    content=st.lists(
        st.binary(max_size=4) | st.text(alphabet="aक中🎉\n", max_size=8).map(str.encode),
        max_size=20,
    ).map(b"".join),
    cut=st.integers(0, 60),
)
def test_in_two_pieces_it_reads_the_same(content: bytes, cut: int) -> None:
    decoder = codecs.getincrementaldecoder(DAMAGED)()
    pieces = decoder.decode(content[:cut]) + decoder.decode(content[cut:], final=True)
    assert pieces == content.decode(DAMAGED)


def test_what_is_shown_for_a_byte_is_a_private_character_of_its_own() -> None:
    shown = bytes(range(0x80, 0x100)).decode(DAMAGED)
    assert len(set(shown)) == 128
    assert shown.isprintable() is False
    assert shown[0] == "\uf780"
    assert shown[-1] == "\uf7ff"
    shown.encode()  # every wire can carry it
