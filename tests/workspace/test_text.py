"""Text in whatever encoding it came: read right, written back byte for byte."""

import random
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.text import NEW_FILE, Text, decode, newline_of
from torture import examples

HINDI = "यह एक परीक्षण है। फ़ाइल पढ़ी जाती है और त्रुटि लौटाई जाती है।\n"
ENGLISH = "The quick brown fox\r\njumps over the lazy dog.\r\n"
LANGUAGES = {
    "German": "Die Größe der Straße änderte sich täglich, während die Bäume blühten.\n",
    "French": "L'élève à l'école, où l'été était déjà passé. Ça va être très gênant.\n",
    "Spanish": "El niño pequeño comió una manzana, ¿qué pasó después? ¡Está aquí!\n",
    "Italian": "Perché non è più così? La città è lontana, ma può darsi: lunedì.\n",
    "Swedish": "Här är några ord på svenska: köpmännen sålde smör och bröd på söndagen.\n",
    "Icelandic": "Það er gott að búa á Íslandi. Þú ert ekki hér, þýðir það eitthvað?\n",
    "Portuguese": "A situação não é fácil: coração, irmãos, avó e avô estão lá às três.\n",
    "Polish": "Zażółć gęślą jaźń. Książka leży na stole, a źródło jest głęboko. Łódź.\n",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Řeka tečla rychle přes město.\n",
    "Hungarian": "Árvíztűrő tükörfúrógép. Az időjárás tegnap elég rossz volt, ma jó idő.\n",
    "Russian": "Съешь же ещё этих мягких французских булок, да выпей чаю. Ошибка.\n",
    "Ukrainian": "Функція повертає значення помилки, якщо її не знайдено у файлі.\n",
    "Greek": "Η γρήγορη καφέ αλεπού πηδάει πάνω από το σκυλί. Κείμενα για δοκιμή.\n",
    "Turkish": "Pijamalı hasta yağız şoföre çabucak güvendi. Türkçe için ışık gerekir.\n",
    "Hebrew": "זוהי דוגמה של טקסט בעברית לבדיקה. השועל החום קפץ מעל הכלב.\n",
    "Arabic": "هذا نص تجريبي باللغة العربية للاختبار. قفز الثعلب البني فوق الكلب.\n",
    "Thai": "นี่คือข้อความทดสอบภาษาไทย สุนัขจิ้งจอกกระโดดข้ามสุนัขขี้เกียจ\n",
    "Japanese": "これは日本語のテストです。関数は値を返します。漢字とカタカナの文章。\n",
    "Chinese": "这是一个中文测试。函数返回一个值，如果文件不存在则抛出异常。\n",
    "Taiwanese": "這是一個中文測試。函數返回一個值，如果檔案不存在則拋出異常。\n",
    "Korean": "이것은 한국어 테스트입니다. 함수는 값을 반환합니다. 파일이 없습니다.\n",
}
LEGACY = [
    *(("German", one) for one in ("latin-1", "cp1252")),
    *((name, "latin-1") for name in ("French", "Spanish", "Italian", "Swedish", "Icelandic")),
    ("Portuguese", "cp1252"),
    *((name, one) for name in ("Polish", "Czech", "Hungarian") for one in ("cp1250", "iso8859-2")),
    *(("Russian", one) for one in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    *(("Ukrainian", one) for one in ("cp1251", "koi8-u")),
    *(("Greek", one) for one in ("cp1253", "iso8859-7")),
    ("Turkish", "cp1254"),
    ("Hebrew", "cp1255"),
    *(("Arabic", one) for one in ("cp1256", "iso8859-6")),
    ("Thai", "cp874"),
    *(("Japanese", one) for one in ("cp932", "shift_jis", "euc-jp", "iso2022_jp")),
    *(("Chinese", one) for one in ("gb18030", "gbk", "gb2312")),
    ("Taiwanese", "big5"),
    *(("Korean", one) for one in ("euc-kr", "cp949")),
]
CODE = "def function(value):\n    return value + 1  # plain\n\n"


def check_round_trip(content: bytes) -> Text:
    text = decode(content, "/f")
    assert text.encode(text.content, "/f") == content
    return text


def code_of(content: bytes) -> ErrorCode:
    with pytest.raises(ToolError) as caught:
        decode(content, "/f")
    assert caught.value.suggestion
    return caught.value.code


# ── Unicode ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("text", [ENGLISH, HINDI, *LANGUAGES.values(), "party 🎉\n"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"]
)
def test_unicode_is_read_with_and_without_a_mark(text: str, encoding: str) -> None:
    found = check_round_trip(text.encode(encoding))
    assert found.content == text
    assert found.is_certain
    assert found.encoding.startswith(encoding.removesuffix("-sig"))
    assert bool(found.mark) == (encoding in ("utf-8-sig", "utf-16", "utf-32"))


def test_a_mark_is_kept_aside_and_written_again() -> None:
    text = check_round_trip("\ufeffa\n".encode("utf-16-be"))
    assert (text.content, text.encoding, text.mark) == ("a\n", "utf-16-be", b"\xfe\xff")
    assert text.encode("b", "/f") == b"\xfe\xff\0b"
    assert text.described == "utf-16-be with byte order mark"


def test_a_mark_before_other_bytes_is_no_proof() -> None:
    assert check_round_trip(b"\xef\xbb\xbfna\xefve\n").encoding == "latin-1"
    assert check_round_trip(b"\xff\xfea\0b\0").encoding == "utf-16-le"
    assert code_of(b"\xff\xfea\0b") == "NOT_TEXT"


@pytest.mark.parametrize("text", ["", "a", "\n", "\r\n", "no newline at the end", "\t"])
def test_the_smallest_texts_are_utf8(text: str) -> None:
    assert check_round_trip(text.encode()) == Text(content=text, encoding="utf-8")


def test_terminal_colours_and_page_breaks_are_text() -> None:
    assert check_round_trip(b"\x1b[31mred\x1b[0m\x0c\n").encoding == "utf-8"


# ── before Unicode ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("language", "encoding"), LEGACY)
@pytest.mark.parametrize("form", ["line", "lines", "comment in code"])
def test_what_people_wrote_before_unicode_is_read_right(
    language: str, encoding: str, form: str
) -> None:
    line = LANGUAGES[language]
    text = {"line": line, "lines": line * 30, "comment in code": f"{CODE}# {line}{CODE}"}[form]
    assert check_round_trip(text.encode(encoding)).content == text


@pytest.mark.parametrize("encoding", ["cp932", "euc-jp", "gb18030", "koi8-r", "cp1251", "big5"])
def test_enough_text_in_a_known_encoding_is_certain(encoding: str) -> None:
    language = next(name for name, one in LEGACY if one == encoding)
    assert check_round_trip((LANGUAGES[language] * 5).encode(encoding)).is_certain


@pytest.mark.parametrize("text", ["café\n", "Größe\n", "© 2024 Acme\n", "20 °C ± 1\n", "août\n"])
def test_a_few_western_letters_are_latin_1_and_said_to_be_a_guess(text: str) -> None:
    found = check_round_trip(text.encode("latin-1"))
    assert (found.content, found.encoding, found.is_certain) == (text, "latin-1", False)
    assert found.described == "latin-1 (a guess)"


def test_curly_quotes_of_windows_are_cp1252() -> None:
    text = "naïve façade – “quoted” text… €5\n"
    found = check_round_trip(text.encode("cp1252"))
    assert (found.content, found.encoding) == (text, "cp1252")


def test_an_encoding_that_loses_a_byte_is_not_believed() -> None:
    twice_encoded = b"\x81\xe6\x87\x9a"  # cp932 has two codes for ∵ and writes one
    content = LANGUAGES["Japanese"].encode("cp932") + twice_encoded
    assert check_round_trip(content).encoding != "cp932"


def test_a_letter_the_encoding_lacks_is_refused_by_name() -> None:
    text = decode("Größe\n".encode("latin-1"), "/f")
    with pytest.raises(ToolError) as caught:
        text.encode("Größe →\n", "/f")
    assert caught.value.code == "NOT_TEXT"
    assert "latin-1" in caught.value.message
    assert "→" in caught.value.message


def test_new_files_are_utf8() -> None:
    assert NEW_FILE.encode("é\n", "/f") == "é\n".encode()


# ── what is no text ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x02\x01\x01\0" + bytes(8) + b"\x03\0>\0\x01\0\0\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
        b"GIF89a\x01\0\x01\0\x80\0\0",
        b"PK\x03\x04\x14\0\0\0\x08\0",
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
        b"RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0",
        b"\0" * 100,
        b"text and then\0a zero byte",
    ],
)
def test_binary_data_is_named_as_such(content: bytes) -> None:
    assert code_of(content) == "NOT_TEXT"


def test_noise_is_hardly_ever_taken_for_text() -> None:
    dice = random.Random(5)
    taken = 0
    for _ in range(300):
        try:
            check_round_trip(dice.randbytes(dice.choice((50, 200, 1_000, 20_000))))
            taken += 1
        except ToolError:
            pass
    assert taken <= 3


@pytest.mark.torture
@examples(in_ci=300, in_torture=30_000)
@given(content=st.binary(max_size=300))
def test_whatever_is_called_text_comes_back_byte_for_byte(content: bytes) -> None:
    with suppress(ToolError):
        check_round_trip(content)


@pytest.mark.torture
@examples(in_ci=200, in_torture=20_000)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
)
def test_any_unicode_text_comes_back_from_utf8(text: str) -> None:
    found = check_round_trip(text.encode())
    assert found.mark.decode() + found.content == text or found.encoding != "utf-8"


@pytest.mark.parametrize("encoding", ["latin-1", "cp932", "utf-8", "utf-16"])
def test_large_files_take_bounded_time(encoding: str) -> None:
    text = {"latin-1": "Größe\n", "cp932": "日本語のテスト\n"}.get(encoding, HINDI)
    content = (text * (20_000_000 // len(text.encode(encoding)))).encode(encoding)
    started = time.process_time()
    check_round_trip(content)
    assert time.process_time() - started < 5


# ── line endings ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("one line", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\nb\nc\n", "\n"),
        ("a\r\nb\n", "\n"),
        ("a\rb\r", "\r"),
        ("a\rb\nc\n", "\n"),
        ("progress 1 %\rprogress 2 %\rdone\r\n", "\r"),
    ],
)
def test_the_line_ending_that_most_lines_have(text: str, newline: str) -> None:
    assert newline_of(text) == newline
