"""What a clause holds besides its verb, and what of it the verb has used."""

from msgspec import Struct, field

from ankrcode.rocketlang.place import NOWHERE, Place
from ankrcode.rocketlang.shapes import is_file_name, is_folder_name, is_quoted_path

NEUTRAL = frozenset(("FILE", "TEXT", "COMMAND", "HERE"))  # they only say what the thing beside is


ONE_FILE = frozenset(
    (
        *("file", "faail", "fail", "phail", "koppu", "koppai", "kadata", "फ़ाइल", "फाइल", "फाईल"),
        *("கோப்பு", "கோப்பை", "ఫైల్", "ఫైలు", "ಕಡತ", "ಫೈಲ್"),
    )
)
_FIRST_OF_ALL = ("pehle", "pahle", "पहले", "first")
_PAIR = 2
_WHERE = ("IN", "OF", "FROM")


class Item(Struct, kw_only=True):
    """A thing that is named: an argument with the role its case marker gives, or a noun."""

    kind: str  # str path glob url var number range ordinal word noun kind pronoun flag stray open
    text: str
    role: str = ""  # IN OBJ BY TO FROM TILL INSTEAD FOR OF, or none
    value: str = ""  # the sense of a noun, the pattern of a kind
    start: int = 0
    end: int = 0
    is_joined: bool = False  # to the one before it, by and or a comma
    is_used: bool = False
    has_article: bool = False  # the bug, my code: speech, not a name


class Basket(Struct, kw_only=True):
    """All items of one clause."""

    items: list[Item]
    lang: str = "en"
    op: str = ""
    it: str | None = None  # what went before, for a pronoun or a verb without an object
    is_piped: bool = False  # `it` was handed on, not only mentioned
    place: Place = field(default_factory=lambda: NOWHERE)
    has_bare_verb: bool = False  # an English verb at the end, with no light verb: npm start
    is_guess: bool = False  # something was taken for what it only may be

    def has(self, *nouns: str) -> bool:
        """Is one of these nouns said? It is explained then."""
        found = [item for item in self.items if item.kind == "noun" and item.value in nouns]
        for item in found:
            item.is_used = True
        return bool(found)

    def says(self, *nouns: str) -> bool:
        """The same, but leaves it to be explained."""
        return any(item.kind == "noun" and item.value in nouns for item in self.items)

    def free(self, *kinds: str) -> list[Item]:
        return [item for item in self.items if not item.is_used and item.kind in kinds]

    def take(self, item: Item) -> str:
        item.is_used = True
        return item.text

    def texts(self) -> list[Item]:
        """Quoted strings and variables."""
        return self.free("str", "var")

    def paths(self, *, words: bool = False) -> list[Item]:
        """What names files or folders. With `words`, plain words that a noun vouches for too."""
        return [
            item for item in self.items if not item.is_used and self.is_place(item, words=words)
        ]

    def in_folder(self) -> None:
        """`src mein utils.py banao`: a folder that is only the place is part of the path."""
        places = [item for item in self.paths(words=self.says("FOLDER")) if item.kind != "str"]
        if len(places) != _PAIR or any(item.is_joined for item in places):
            return
        files = [item for item in places if item.kind == "path" and "/" not in item.text]
        files = [item for item in files if is_file_name(item.text) or not item.role]
        where = (*_WHERE, "BY") if self.op == "DELETE" else _WHERE  # `lib se old.py hatao`
        folders = [item for item in places if item not in files and item.role in where]
        if len(folders) != 1 or len(files) != 1:
            return
        is_before = folders[0].start < files[0].start
        if is_before != (self.lang == "en"):  # `src mein utils.py`, but `utils.py in src`
            files[0].text = f"{folders[0].text.rstrip('/')}/{files[0].text}"
            folders[0].is_used = True
            self.has("FOLDER")

    def files(self) -> list[Item]:
        """What surely names files, for whoever changes them: no plain words, no usual folders."""
        found = [item for item in self.paths() if item.kind != "noun"]
        return [item for item in found if item.kind != "word" or self.is_known(item.text)]

    def are_together(self, items: list[Item]) -> bool:
        """Named side by side (a.py aur b.py), not one in another or one to another."""
        return all(item.is_joined for item in items[1:])

    def is_place(self, item: Item, *, words: bool = False) -> bool:
        if item.kind in ("path", "var"):
            return True
        if item.kind == "pronoun":
            return self.it is not None
        if item.kind == "str":
            has_path = any(one.kind == "path" for one in self.items)
            return not has_path and is_quoted_path(item.text)
        if item.kind == "word":
            return words or is_folder_name(item.text) or self.is_known(item.text)
        if item.kind == "noun":
            is_folder = item.text in ("tests", "test", "build", "log", "lib")
            return is_folder and (words or item.role in ("IN", "FROM", "OF"))
        return False

    def is_known(self, name: str) -> bool:
        place = self.place
        return place.is_file(name) or place.is_folder(name) or len(place.named(name)) == 1

    def path(self, item: Item) -> str:
        """The path an item names, used up. A bare name that fits one file is that file."""
        item.is_used = True
        if item.kind == "pronoun":
            return self.it or ""
        if item.kind == "word" and not (
            self.place.is_file(item.text) or self.place.is_folder(item.text)
        ):
            found = self.place.named(item.text)
            return found[0] if len(found) == 1 else item.text
        return item.text

    def is_folder(self, item: Item) -> bool:
        return (
            item.text.endswith("/")
            or item.text in (".", "..")
            or self.place.is_folder(item.text)
            or (item.kind in ("word", "noun") and self._is_usual_folder(item.text))
        )

    def _is_usual_folder(self, name: str) -> bool:
        return is_folder_name(name) and len(self.place.named(name)) != 1

    def left(self) -> list[Item]:
        """What nobody explained."""
        return [
            item
            for item in self.items
            if not item.is_used
            and not (item.kind == "noun" and item.value in NEUTRAL)
            and not self._is_adverb(item)
        ]

    def _is_adverb(self, item: Item) -> bool:
        """`pehle tests chalao`: first of all, where nothing is counted."""
        is_first = item.value == "FIRST" and item.text.lower() in _FIRST_OF_ALL
        return is_first and item is self.items[0] and not self.says("LINE", "COMMITS", "LOG")
