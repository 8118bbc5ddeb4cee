"""What a clause holds, what of it names a place, and what is left over."""

import pytest

from ankrcode.rocketlang.basket import Basket, Item
from rocketlang.sentences import Village


def item(kind: str, text: str, role: str = "", value: str = "", start: int = 0) -> Item:
    return Item(kind=kind, text=text, role=role, value=value, start=start)


def noun(value: str, text: str = "") -> Item:
    return item("noun", text or value.lower(), value=value)


def basket(*items: Item, **more: object) -> Basket:
    return Basket(items=list(items), **more)  # type: ignore[arg-type]


def test_asking_for_a_noun_explains_it() -> None:
    held = basket(noun("ALL"), noun("LINE"))
    assert held.says("ALL")
    assert len(held.left()) == 2
    assert held.has("ALL")
    assert [one.value for one in held.left()] == ["LINE"]
    assert not held.has("GIT")


def test_taking_an_item_explains_it() -> None:
    held = basket(item("str", "x"), item("word", "y"))
    assert held.take(held.items[0]) == "x"
    assert [one.text for one in held.left()] == ["y"]
    assert held.texts() == []


def test_nouns_that_only_say_what_stands_beside_need_no_explaining() -> None:
    assert basket(noun("FILE"), noun("TEXT"), noun("COMMAND")).left() == []


@pytest.mark.parametrize(
    ("one", "is_place"),
    [
        (item("path", "app.py"), True),
        (item("var", "$f"), True),
        (item("str", "a.py"), True),
        (item("str", "my notes.txt"), True),
        (item("str", "os.path"), False),
        (item("str", "hello"), False),
        (item("word", "src"), True),
        (item("word", "hello"), False),
        (item("glob", "*.py"), False),
        (item("pronoun", "it"), False),
        (noun("TESTS", "tests"), False),
        (item("noun", "tests", role="IN", value="TESTS"), True),
    ],
)
def test_what_names_a_place_by_itself(one: Item, is_place: bool) -> None:
    assert basket(one).is_place(one) is is_place


def test_a_quotation_beside_a_path_is_text() -> None:
    quoted = item("str", "b.py")
    assert not basket(item("path", "a.py"), quoted).is_place(quoted)


def test_a_pronoun_names_what_went_before() -> None:
    one = item("pronoun", "use")
    held = basket(one, it="a.py")
    assert held.is_place(one)
    assert held.path(one) == "a.py"


def test_words_are_places_when_vouched_for_or_known() -> None:
    one = item("word", "notes")
    assert basket(one).paths() == []
    assert basket(one).paths(words=True) == [one]
    assert basket(one, place=Village("notes")).paths() == [one]
    assert basket(one, place=Village("x/notes.md")).path(one) == "x/notes.md"
    assert basket(one, place=Village("x/notes.md", "y/notes.md")).paths() == []


def test_only_sure_files_are_changed() -> None:
    held = basket(item("word", "src"), item("path", "a.py"), item("noun", "tests", "IN", "TESTS"))
    assert [one.text for one in held.files()] == ["a.py"]


@pytest.mark.parametrize(
    ("one", "is_folder"),
    [
        (item("path", "src/"), True),
        (item("path", "."), True),
        (item("word", "src"), True),
        (item("path", "src"), False),
        (item("path", "app.py"), False),
    ],
)
def test_folders_are_known_by_their_looks(one: Item, is_folder: bool) -> None:
    assert basket(one).is_folder(one) is is_folder


def test_the_place_knows_its_folders() -> None:
    one = item("path", "lib/a")
    assert basket(one, place=Village("lib/a/b.py")).is_folder(one)


# ── a file in a folder ────────────────────────────────────────────────────────────────────────
def joined(*items: Item, lang: str = "hi", op: str = "READ") -> list[str]:
    held = basket(*items, lang=lang, op=op)
    held.in_folder()
    return [one.text for one in held.paths()]


def test_the_folder_before_its_file_is_part_of_the_path() -> None:
    assert joined(item("word", "src", "IN", start=0), item("path", "a.py", start=9)) == ["src/a.py"]
    assert joined(item("path", "src/", "IN", start=0), item("path", "a.py", start=9)) == [
        "src/a.py"
    ]


def test_in_english_the_folder_follows() -> None:
    file, folder = item("path", "a.py", start=0), item("word", "src", "IN", start=9)
    assert joined(file, folder, lang="en") == ["src/a.py"]
    file, folder = item("path", "a.py", start=9), item("word", "src", "IN", start=0)
    assert joined(folder, file, lang="en") == ["src", "a.py"]


def test_two_files_or_a_path_with_a_slash_are_left_alone() -> None:
    assert joined(item("path", "b.py", "IN"), item("path", "a.py", start=9)) == ["b.py", "a.py"]
    assert joined(item("word", "src", "IN"), item("path", "x/a.py", start=9)) == ["src", "x/a.py"]
    assert joined(item("word", "src"), item("path", "a.py", start=9)) == ["src", "a.py"]


def test_from_a_folder_only_where_something_is_taken_away() -> None:
    folder, file = item("word", "lib", "BY"), item("path", "a.py", start=9)
    assert joined(folder, file, op="DELETE") == ["lib/a.py"]
    folder, file = item("word", "lib", "BY"), item("path", "a.py", start=9)
    assert joined(folder, file, op="READ") == ["lib", "a.py"]


def test_things_side_by_side_are_together() -> None:
    first, second = item("path", "a"), item("path", "b")
    held = basket(first, second)
    assert not held.are_together([first, second])
    second.is_joined = True
    assert held.are_together([first, second])
    assert held.are_together([first])
    assert held.are_together([])


# ── first of all ──────────────────────────────────────────────────────────────────────────────
def test_first_of_all_is_no_number_of_lines() -> None:
    assert basket(noun("FIRST", "pehle"), noun("TESTS")).left() == [noun("TESTS")]
    assert len(basket(noun("FIRST", "pehle"), noun("LINE")).left()) == 2
    assert len(basket(noun("TESTS"), noun("FIRST", "pehle")).left()) == 2
