"""Whatever a file is written in, an edit changes the bytes it was asked to and no others."""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult

FRENCH = (
    "Les élèves étaient à l'école où le maître répétait sa leçon.\n"
    "Ça ne fait rien, répondit-elle, même si le garçon préfère la forêt.\n"
    "value = 1\n"
    "Où êtes-vous né ? À Besançon, près de la forêt, en août dernier.\n"
)
RUSSIAN = (
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья\n"
    "несчастлива по-своему. Все смешалось в доме Облонских.\n"
    "value = 1\n"
    "Жена узнала, что муж был в связи с бывшею в их доме гувернанткой.\n"
)
JAPANESE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n"
    "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。\n"
    "value = 1\n"
    "吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という。\n"
)
CHINESE = (
    "道可道，非常道。名可名，非常名。无名天地之始，有名万物之母。\n"
    "故常无欲以观其妙，常有欲以观其徼。此两者同出而异名，同谓之玄。\n"
    "value = 1\n"
    "天下皆知美之为美，斯恶已。皆知善之为善，斯不善已。故有无相生。\n"
)
KOREAN = (
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n"
    "인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.\n"
    "value = 1\n"
    "모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다.\n"
)
HINDI = (
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।\n"
    "उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है, क़ानून की दृष्टि में सब समान हैं।\n"
    "value = 1\n"
    "परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए। ज़रूर! 🙏🏽\n"
)


class Form(NamedTuple):
    text: str
    encode: Callable[[str], bytes]
    word: str  # one word of the text, in its own letters
    other: str  # what to put in its place


def with_mark(mark: bytes, encoding: str) -> Callable[[str], bytes]:
    return lambda text: mark + text.encode(encoding)


FORMS: dict[str, Form] = {
    "utf-8": Form(HINDI, with_mark(b"", "utf-8"), "गौरव", "सम्मान"),
    "utf-8-mark": Form(HINDI, with_mark(codecs.BOM_UTF8, "utf-8"), "गौरव", "सम्मान"),
    "utf-16-le-mark": Form(HINDI, with_mark(codecs.BOM_UTF16_LE, "utf-16-le"), "गौरव", "आदर 🎈"),
    "utf-16-be-mark": Form(HINDI, with_mark(codecs.BOM_UTF16_BE, "utf-16-be"), "गौरव", "आदर"),
    "utf-16-le-bare": Form(FRENCH, with_mark(b"", "utf-16-le"), "école", "église"),
    "utf-16-be-bare": Form(FRENCH, with_mark(b"", "utf-16-be"), "école", "église"),
    "utf-32-le-mark": Form(HINDI, with_mark(codecs.BOM_UTF32_LE, "utf-32-le"), "गौरव", "आदर"),
    "utf-32-be-mark": Form(HINDI, with_mark(codecs.BOM_UTF32_BE, "utf-32-be"), "गौरव", "आदर"),
    "latin-1": Form(FRENCH, with_mark(b"", "latin-1"), "école", "église"),
    "cp1252": Form(FRENCH.replace("'", "’"), with_mark(b"", "cp1252"), "école", "cœur"),
    "cp1251": Form(RUSSIAN, with_mark(b"", "cp1251"), "похожи", "подобны"),
    "koi8-r": Form(RUSSIAN, with_mark(b"", "koi8-r"), "похожи", "подобны"),
    "shift-jis": Form(JAPANESE, with_mark(b"", "shift_jis"), "猫", "犬"),
    "euc-jp": Form(JAPANESE, with_mark(b"", "euc_jp"), "猫", "犬"),
    "iso-2022-jp": Form(JAPANESE, with_mark(b"", "iso2022_jp"), "猫", "犬"),
    "gb18030": Form(CHINESE, with_mark(b"", "gb18030"), "万物", "众物"),
    "euc-kr": Form(KOREAN, with_mark(b"", "euc_kr"), "자유로우며", "평등하며"),
}
ENDINGS: dict[str, Callable[[str], str]] = {
    "lf": str,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "open": lambda text: text.removesuffix("\n"),
}


class Desk:
    def __init__(self, folder: Path, content: bytes) -> None:
        self.file = folder / "f.txt"
        self.file.write_bytes(content)
        self.kit = Toolkit(cwd=folder, mode="bypass")

    async def read(self) -> "Desk":
        result = await self.kit.call("Read", file_path="f.txt")
        assert result.ok, result.text
        return self

    async def edit(self, old: str, new: str, **more: bool) -> ToolResult:
        arguments = {"old_string": old, "new_string": new, **more}
        return await self.kit.call("Edit", file_path="f.txt", **arguments)

    async def patch(self, *lines: str) -> ToolResult:
        patch = ["*** Begin Patch", "*** Update File: f.txt", *lines, "*** End Patch"]
        return await self.kit.call("ApplyPatch", patch="\n".join(patch))


async def check(form: Form, before: str, after: str, folder: Path, act: str) -> None:
    """`act` as an edit and as a patch gives the same bytes: those of `after`."""
    old, new = act.split(" → ")
    on = await Desk(folder, form.encode(before)).read()
    result = await on.edit(old, new)
    assert result.ok, result.text
    assert on.file.read_bytes() == form.encode(after)
    on = await Desk(folder, form.encode(before)).read()
    lines = [line for line in before.replace("\r", "").split("\n") if old in line]
    assert len(lines) == 1
    changed = lines[0].replace(old, new).split("\n")
    result = await on.patch(f"-{lines[0]}", *(f"+{line}" for line in changed))
    assert result.ok, result.text
    assert on.file.read_bytes() == form.encode(after)


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_word_in_ascii_is_replaced(
    form: Form, ending: Callable[[str], str], tmp_path: Path
) -> None:
    before = ending(form.text)
    after = before.replace("value = 1", "value = 2")
    await check(form, before, after, tmp_path, "value = 1 → value = 2")


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_word_in_its_own_letters_is_replaced(
    form: Form, ending: Callable[[str], str], tmp_path: Path
) -> None:
    before = ending(form.text)
    after = before.replace(form.word, form.other)
    await check(form, before, after, tmp_path, f"{form.word} → {form.other}")


@pytest.mark.parametrize("ending", [ENDINGS["lf"], ENDINGS["crlf"]], ids=["lf", "crlf"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_line_is_inserted_with_the_line_ending_of_the_file(
    form: Form, ending: Callable[[str], str], tmp_path: Path
) -> None:
    before = ending(form.text)
    newline = "\r\n" if "\r" in before else "\n"
    after = before.replace("value = 1", f"value = 1{newline}{form.other} = 2")
    await check(form, before, after, tmp_path, f"value = 1 → value = 1\n{form.other} = 2")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_everything_comes_back_when_the_edit_is_undone(form: Form, tmp_path: Path) -> None:
    on = await Desk(tmp_path, form.encode(form.text)).read()
    assert (await on.edit(form.word, form.other)).ok
    assert (await on.edit(form.other, form.word)).ok
    assert on.file.read_bytes() == form.encode(form.text)


@pytest.mark.parametrize("name", ["latin-1", "cp1252", "cp1251", "koi8-r", "shift-jis", "euc-kr"])
async def test_a_letter_that_the_encoding_has_not_is_named_and_nothing_is_written(
    name: str, tmp_path: Path
) -> None:
    form = FORMS[name]
    on = await Desk(tmp_path, form.encode(form.text)).read()
    for result in (
        await on.edit("value = 1", "value = 'ॐ'"),
        await on.patch("-value = 1", "+value = 'ॐ'"),
    ):
        assert result.error is not None
        assert "ॐ" in result.text
        assert on.file.read_bytes() == form.encode(form.text)
    assert (await on.edit("value = 1", "value = 3")).ok, "and the file is still known"


# ── bytes that only look like text, and text that only looks odd ──────────────────────────────
RAW: dict[str, tuple[bytes, bytes]] = {
    "lone-cr": (b"a\rvalue\rb\r", b"a\rVALUE\rb\r"),
    "mixed-ends": (b"a\r\nvalue\nb\r\nc\rd\n", b"a\r\nVALUE\nb\r\nc\rd\n"),
    "form-feeds": (b"a\f\nvalue\v\nb\n", b"a\f\nVALUE\v\nb\n"),
    "escape-codes": (b"\x1b[1mvalue\x1b[0m\nplain\n", b"\x1b[1mVALUE\x1b[0m\nplain\n"),
    "separators": ("a\x85value\u2028b\u2029c\n".encode(), "a\x85VALUE\u2028b\u2029c\n".encode()),
    "two-marks": (b"\xef\xbb\xbf\xef\xbb\xbfvalue\n", b"\xef\xbb\xbf\xef\xbb\xbfVALUE\n"),
    "mark-in-the-middle": (b"a\xef\xbb\xbfvalue\n", b"a\xef\xbb\xbfVALUE\n"),
    "decomposed": ("cafe\u0301 value\n".encode(), "cafe\u0301 VALUE\n".encode()),
    "joiners": ("क्\u200dष value 👩\u200d🌾\n".encode(), "क्\u200dष VALUE 👩\u200d🌾\n".encode()),
    "right-to-left": ("שלום value مرحبا\n".encode(), "שלום VALUE مرحبا\n".encode()),
    "astral": ("𝔘 value 🏳️‍🌈\n".encode(), "𝔘 VALUE 🏳️‍🌈\n".encode()),
    "no-newline-at-all": (b"value", b"VALUE"),
    "only-newlines-around": (b"\n\n\nvalue\n\n\n", b"\n\n\nVALUE\n\n\n"),
    "trailing-blanks": (b"  value \t \n\t\n", b"  VALUE \t \n\t\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), RAW.values(), ids=RAW)
async def test_what_is_odd_beside_the_edit_stays_as_it_is(
    before: bytes, after: bytes, tmp_path: Path
) -> None:
    on = await Desk(tmp_path, before).read()
    result = await on.edit("value", "VALUE")
    assert result.ok, result.text
    assert on.file.read_bytes() == after


@pytest.mark.parametrize("name", ["utf-8", "utf-16-le-mark", "shift-jis", "cp1251"])
async def test_replace_all_and_several_edits_agree_with_plain_python(
    name: str, tmp_path: Path
) -> None:
    form = FORMS[name]
    text = form.text * 3
    on = await Desk(tmp_path, form.encode(text)).read()
    assert (await on.edit(form.word, form.other, replace_all=True)).ok
    result = await on.edit("value = 1", "value = 7", replace_all=True)
    assert result.metadata["replaced"] == 3
    expected = text.replace(form.word, form.other).replace("value = 1", "value = 7")
    assert on.file.read_bytes() == form.encode(expected)


async def test_a_mark_in_the_old_text_does_no_harm(tmp_path: Path) -> None:
    on = await Desk(tmp_path, codecs.BOM_UTF8 + b"first\nsecond\n").read()
    assert (await on.edit("\ufefffirst", "\ufeffFIRST")).ok
    assert on.file.read_bytes() == codecs.BOM_UTF8 + b"FIRST\nsecond\n"


async def test_a_mark_in_an_added_file_is_written_as_it_is(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    assert (await kit.call("Edit", file_path="n", old_string="", new_string="\ufeffhi\n")).ok
    assert (tmp_path / "n").read_bytes() == codecs.BOM_UTF8 + b"hi\n"
