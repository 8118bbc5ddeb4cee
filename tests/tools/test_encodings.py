"""Files in the encodings of the world: read right, named, and changed without losing a byte."""

import codecs
import random
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.tools.read import ReadOutput
from torture import examples

UNICODE = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"),
    *("utf-32-be", "bom-utf-16-be", "bom-utf-32-be"),
)
SENTENCES = {  # "This function reads the file and returns the first line it finds", or the like
    "Finnish": "Tämä funktio lukee tiedoston ja palauttaa ensimmäisen löydetyn rivin.",
    "Danish": "Funktionen læser filen og går så på næste linje; få øjne ser både æg og ål.",
    "Dutch": "Het coördinatiebestand is één keer geïnstalleerd, daarna volgt de reünie.",
    "French": "La fonction où l'élève a échoué coûte 10 € de plus qu'en été à Besançon.",
    "Croatian": "Ova funkcija čita cijelu datoteku; čovjek, žena i đak vraćaju prvu riječ.",
    "Romanian": "Această funcţie citeşte fişierul şi întoarce prima linie găsită în listă.",
    "Lithuanian": "Ši funkcija skaito failą ir grąžina pirmą rastą eilutę, kuri yra įrašyta.",
    "Bulgarian": "Тази функция чете файла и връща първия намерен ред от него.",
    "Serbian": "Ова функција чита датотеку и враћа први ред који је у њој нашла.",
    "Russian": "Эта функция читает файл и возвращает первую найденную строку.",
    "RUSSIAN": "ВНИМАНИЕ! ФАЙЛ НЕ НАЙДЕН, ПЕРВАЯ СТРОКА ПУСТА",
    "Ukrainian": "Ця функція читає файл і повертає перший рядок, який їй зустрівся.",
    "Greek": "Αυτή η συνάρτηση διαβάζει το αρχείο και επιστρέφει την πρώτη γραμμή.",
    "Turkish": "Bu işlev dosyayı okur ve bulduğu ilk satırı döndürür, çünkü öğrenci hızlı.",
    "Hebrew": "הפונקציה הזאת קוראת את הקובץ ומחזירה את השורה הראשונה שבו.",
    "Arabic": "تقرأ هذه الدالة الملف كله ثم تعيد أول سطر وجدته فيه.",
    "Thai": "ฟังก์ชันนี้อ่านแฟ้มแล้วคืนค่าบรรทัดแรกที่พบในแฟ้มนั้น",
    "Japanese": "この関数はファイルを読み、最初に見つかった行を返します。",
    "Kana": "ﾃﾞｰﾀ ﾌｧｲﾙ の読み込みをします。ｴﾗｰ があれば止まる。",
    "Chinese": "这个函数读取文件，然后返回它找到的第一行内容。",
    "Taiwanese": "這個函數讀取檔案，然後返回它找到的第一行內容。",
    "Korean": "이 함수는 파일을 읽고 처음으로 찾은 줄을 돌려줍니다.",
    "Hindi": "यह फलन फ़ाइल पढ़ता है और मिली हुई पहली पंक्ति लौटाता है।",
    "Marathi": "हे कार्य फाइल वाचते आणि सापडलेली पहिली ओळ परत करते.",
    "Tamil": "இந்தச் செயல்பாடு கோப்பைப் படித்து முதல் வரியைத் தருகிறது.",
    "Bengali": "এই ফাংশনটি ফাইল পড়ে এবং পাওয়া প্রথম লাইনটি ফেরত দেয়।",
    "Emoji": "All tests pass 🎉 on 👩‍💻 and 🐧, none on 🪟.",
}
LEGACY = {
    "Finnish": ("latin-1", "cp1252", "iso8859-15"),
    "Danish": ("latin-1", "cp1252", "iso8859-15"),
    "Dutch": ("latin-1", "cp1252"),
    "French": ("cp1252", "iso8859-15"),
    "Croatian": ("cp1250", "iso8859-2"),
    "Romanian": ("cp1250", "iso8859-2"),
    "Lithuanian": ("cp1257", "iso8859-13"),
    "Bulgarian": ("cp1251", "iso8859-5"),
    "Serbian": ("cp1251", "iso8859-5"),
    "Russian": ("cp1251", "koi8-r", "iso8859-5", "cp866"),
    "RUSSIAN": ("cp1251", "koi8-r", "iso8859-5", "cp866"),
    "Ukrainian": ("cp1251", "koi8-u"),
    "Greek": ("cp1253", "iso8859-7"),
    "Turkish": ("cp1254", "iso8859-9"),
    "Hebrew": ("cp1255", "iso8859-8"),
    "Arabic": ("cp1256", "iso8859-6"),
    "Thai": ("cp874", "tis-620", "iso8859-11"),
    "Japanese": ("cp932", "shift_jis", "euc-jp", "iso2022_jp"),
    "Kana": ("cp932",),
    "Chinese": ("gbk", "gb2312", "gb18030"),
    "Taiwanese": ("big5", "cp950", "big5hkscs"),
    "Korean": ("euc-kr", "cp949"),
}
SCRIPTS = ("Finnish", "Russian", "Arabic", "Thai", "Japanese", "Korean", "Hindi", "Tamil", "Emoji")
ALL = [
    *((language, encoding) for language in SCRIPTS for encoding in UNICODE),
    *((language, "utf-16-le") for language in ("Chinese", "Marathi", "Bengali", "Hebrew", "Greek")),
    *((language, encoding) for language, those in LEGACY.items() for encoding in those),
]


def to_bytes(text: str, encoding: str) -> bytes:
    if encoding.startswith("bom-"):
        return ("\ufeff" + text).encode(encoding.removeprefix("bom-"))
    return text.encode(encoding)


def value_of(result: ToolResult) -> ReadOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ReadOutput)


class Desk(NamedTuple):
    """One file and the tools to read and change it."""

    file: Path
    kit: Toolkit

    async def read(self, **arguments: object) -> ToolResult:
        return await self.kit.call("Read", {"file_path": str(self.file), **arguments})

    async def write(self, content: str) -> ToolResult:
        return await self.kit.call("Write", file_path=str(self.file), content=content)

    async def edit(self, old: str, new: str) -> ToolResult:
        path = str(self.file)
        return await self.kit.call("Edit", file_path=path, old_string=old, new_string=new)


def desk(folder: Path, content: bytes) -> Desk:
    (folder / "a.txt").write_bytes(content)
    return Desk(folder / "a.txt", Toolkit(cwd=folder, mode="acceptEdits"))


# ── every language in every encoding ──────────────────────────────────────────────────────────
NEWLINES = [(*one, "\r\n" if number % 3 == 1 else "\n") for number, one in enumerate(ALL)]


@pytest.mark.parametrize(("language", "encoding", "newline"), NEWLINES)
async def test_a_file_is_read_edited_and_written_in_its_own_encoding(
    language: str, encoding: str, newline: str, tmp_path: Path
) -> None:
    text = f"title = one\n{SENTENCES[language]}\n\n".replace("\n", newline)
    here = desk(tmp_path, to_bytes(text, encoding))
    result = await here.read()
    assert result.ok, result.text
    assert value_of(result).content == text
    named = codecs.lookup(str(result.metadata["encoding"])).name
    assert to_bytes(text, encoding).endswith(text.encode(named))
    assert (await here.edit("title = one", "title = another")).ok
    text = text.replace("title = one", "title = another")
    assert here.file.read_bytes() == to_bytes(text, encoding)
    assert (await here.write(f"{SENTENCES[language]}\nlast\n")).ok
    text = f"{SENTENCES[language]}\nlast\n".replace("\n", newline)
    assert here.file.read_bytes() == to_bytes(text, encoding)


@pytest.mark.parametrize(("language", "encoding"), ALL[::2])
async def test_the_same_text_written_again_changes_no_byte(
    language: str, encoding: str, tmp_path: Path
) -> None:
    text = f"{SENTENCES[language]} " * 3 + "\n"
    before = to_bytes(text, encoding)
    here = desk(tmp_path, before)
    content = value_of(await here.read()).content
    result = await here.write(content)
    assert result.metadata["done"] == "unchanged"
    assert here.file.read_bytes() == before


@pytest.mark.parametrize(("language", "encoding"), ALL[1::2])
async def test_any_window_of_lines_is_read_in_the_same_encoding(
    language: str, encoding: str, tmp_path: Path
) -> None:
    lines = [f"{number} {SENTENCES[language]}" for number in range(1, 41)]
    here = desk(tmp_path, to_bytes("\n".join(lines), encoding))
    for offset, limit in ((1, 1), (20, 5), (40, 1), (39, 0)):
        value = value_of(await here.read(offset=offset, limit=limit))
        last = offset - 1 + limit if limit else 40
        assert value.content.rstrip("\n").split("\n") == lines[offset - 1 : last]
        assert value.total_lines == 40


# ── few letters ───────────────────────────────────────────────────────────────────────────────
FEW = [
    ("x = 'é'\n", "latin-1"),
    ("a\u00a0b\n", "latin-1"),
    ("§ 5 Abs. 1\n" * 20, "latin-1"),
    ("½ cup, ¼ spoon\n" * 5, "latin-1"),
    ("ÅÄÖ åäö\n", "latin-1"),
    ("ÜBERSCHRIFT GRÖSSE\n", "latin-1"),
    ("Price: £5\n", "latin-1"),
    ("It’s “fine” — really…\n", "cp1252"),
    ("10 €\n", "cp1252"),
    ("Привет, мир\n", "cp1251"),
    ("Привет, мир\n", "koi8-r"),
    ("Привет, мир\n", "cp866"),
    ('int main() { puts("Привет"); }  // комментарий\n', "cp1251"),
    ("設定ファイル\n", "cp932"),
    ("設定ファイル\n", "euc-jp"),
    ("// 初期化処理\nint x = 1; /* 値を設定する */\n", "cp932"),
    ("配置文件\n", "gbk"),
    ("# 初始化参数\nx = 1  # 设置值\n", "gbk"),
    ("設定檔案\n", "big5"),
    ("설정 파일\n", "euc-kr"),
    ("नाम\n", "utf-16-le"),
    ("नाम\n", "utf-16-be"),
    ("नाम\n", "utf-32-le"),
    ("設定\n", "utf-16-le"),
    ("設定\n", "utf-16-be"),
    ("a=1\n", "utf-16-le"),
    ("a=1\n", "utf-16-be"),
    ("a=1\n", "utf-32-le"),
    ("ok 🎉\n", "utf-16-le"),
    ("ok 🎉\n", "utf-32-be"),
]


@pytest.mark.parametrize(("text", "encoding"), FEW)
async def test_a_few_letters_are_enough(text: str, encoding: str, tmp_path: Path) -> None:
    here = desk(tmp_path, text.encode(encoding))
    result = await here.read()
    assert value_of(result).content == text
    assert result.metadata["encoding"] != "utf-8"
    assert "edits keep that" in result.text


# ── what cannot be known is said, and loses nothing ───────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe ändern, Übung für die Straße\n", "cp850"),
        ("Größe ändern, Übung für die Straße\n", "cp437"),
        ("Größe ändern, Übung für die Straße\n", "mac_roman"),
        ("această funcție citește fișierul\n", "iso8859-16"),
        ("│ a box │\n╚═══════╝\n", "cp437"),
        ("Ġurnata sabiħa għal kulħadd\n", "iso8859-3"),
    ],
)
async def test_a_rare_encoding_is_called_a_guess_and_survives_an_edit(
    text: str, encoding: str, tmp_path: Path
) -> None:
    before = f"one\n{text}".encode(encoding)
    here = desk(tmp_path, before)
    result = await here.read()
    assert "(a guess)" in result.text
    assert (await here.edit("one\n", "two\n")).ok
    assert here.file.read_bytes() == before.replace(b"one\n", b"two\n")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"text, then\0\x01\x02\x03 bytes\xff\xfe", "binary file"),
        (random.Random(3).randbytes(5_000), "binary file"),
        (b"\x00\x01\x02\x03" * 50, "binary file"),
        ("half of it is fine\n".encode("utf-16-le") + b"\x00\xd8\x00\x00" * 9, "binary file"),
    ],
    ids=["nul", "noise", "counting", "broken-utf-16"],
)
async def test_what_is_text_in_no_encoding_is_refused_and_offered_as_bytes(
    content: bytes, kind: str, tmp_path: Path
) -> None:
    here = desk(tmp_path, content)
    result = await here.read()
    assert result.error is not None, result.text
    assert (result.error.code, result.error.details["kind"]) == ("NOT_TEXT", kind)
    assert "base64" in result.error.suggestion
    assert not (await here.edit("a", "b")).ok
    assert here.file.read_bytes() == content


@pytest.mark.parametrize(
    ("old", "new", "encoding"),
    [
        ("Größe\n", "Größe →\n", "latin-1"),
        ("Größe „alt“ – neu\n", "नाम\n", "cp1252"),
        (SENTENCES["Russian"], "日本", "koi8-r"),
        (SENTENCES["Japanese"], "한국어", "cp932"),
        (SENTENCES["Chinese"], "🎉", "big5"),
    ],
)
async def test_a_letter_that_an_encoding_lacks_is_refused_and_the_file_stays(
    old: str, new: str, encoding: str, tmp_path: Path
) -> None:
    before = old.encode(encoding, "ignore")
    here = desk(tmp_path, before)
    assert (await here.read()).ok
    result = await here.write(new)
    if result.error is None:  # another encoding fits the bytes as well: then it must hold the text
        assert here.file.read_bytes().decode("gb18030") == new
        return
    assert result.error.code == "NOT_TEXT"
    assert result.error.suggestion
    assert here.file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [here.file]


# ── UTF-8 with a few bytes that are none ──────────────────────────────────────────────────────
BAD = [
    b"\xff",
    b"\x80",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf5\x80",
    b"\xe0\xa4",
    "ö".encode("latin-1"),
]


@pytest.mark.parametrize("bad", BAD, ids=bytes.hex)
@pytest.mark.parametrize("language", ["Hindi", "Russian", "Japanese", "Finnish", "Emoji", "Tamil"])
async def test_a_few_bad_bytes_do_not_spoil_the_rest(
    language: str, bad: bytes, tmp_path: Path
) -> None:
    line = f"{SENTENCES[language]}\n".encode()
    before = b"one\n" + line * 9 + b"bad " + bad + b" end\n" + line
    here = desk(tmp_path, before)
    result = await here.read()
    assert result.text.count(SENTENCES[language]) == 10
    assert "damaged-utf-8; edits keep that" in result.text
    assert (await here.edit("one\n", "नया two\n")).ok
    assert here.file.read_bytes() == before.replace(b"one\n", "नया two\n".encode())
    content = value_of(await here.read()).content
    assert (await here.write(f"{content}more\n")).ok
    assert here.file.read_bytes() == before.replace(b"one\n", "नया two\n".encode()) + b"more\n"


@pytest.mark.parametrize("bad", BAD, ids=bytes.hex)
async def test_a_window_of_bad_bytes_alone_is_shown(bad: bytes, tmp_path: Path) -> None:
    line = f"{SENTENCES['Hindi']}\n".encode()
    here = desk(tmp_path, line * 9 + bad + b"\n" + line)
    value = value_of(await here.read(offset=10, limit=1))
    assert value.content == "".join(chr(0xF700 + byte) for byte in bad) + "\n"
    assert (await here.edit(value.content.rstrip(), "mended")).ok
    assert here.file.read_bytes() == line * 9 + b"mended\n" + line


async def test_private_characters_of_the_file_itself_are_not_mistaken_for_bytes(
    tmp_path: Path,
) -> None:
    before = f"{SENTENCES['Hindi']} \uf7ff\n".encode() * 5 + b"\xff\n"
    here = desk(tmp_path, before)
    result = await here.read()
    assert result.error is not None or "damaged" not in result.text
    assert here.file.read_bytes() == before


async def test_a_mark_in_the_new_content_is_not_doubled(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        here = desk(tmp_path, "old\n".encode(encoding))
        await here.read()
        assert (await here.write("\ufeffnew\n")).ok
        assert here.file.read_bytes() == "new\n".encode(encoding)


@pytest.mark.torture
@examples(in_ci=60, in_torture=5_000)
@given(
    pick=st.sampled_from(ALL),
    words=st.lists(st.integers(0, 30), min_size=1, max_size=30),
    newline=st.sampled_from(["\n", "\r\n"]),
)
async def test_any_selection_of_words_survives_a_read_and_a_write(
    tmp_path: Path, pick: tuple[str, str], words: list[int], newline: str
) -> None:
    """Whatever encoding is believed, the bytes written back are those that were read."""
    language, encoding = pick
    known = SENTENCES[language].split()
    text = newline.join(" ".join(known[n % len(known)] for n in words[i:]) for i in range(3))
    before = to_bytes(text, encoding)
    here = desk(tmp_path, before)
    result = await here.read()
    if result.ok:
        assert (await here.write(value_of(result).content + "!")).ok
        content = here.file.read_bytes()
        assert content.startswith(before.removesuffix(b"\x1b(B"))
        assert len(content) - len(before) in (1, 2, 4)
