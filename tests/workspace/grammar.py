"""Patterns, globs and lines of ignore files, made up from their grammars."""

from random import Random

LITERALS = (
    *(
        "a",
        "b",
        "c",
        "x",
        "T",
        "B",
        "1",
        "2",
        "_",
        "-",
        " ",
        ":",
        "=",
        ",",
        "é",
        "ß",
        "न",
        "म",
        "क",
    ),
    *("alpha", "beta", "TODO", "def", "run", "end", "日本", "i", "I", "k", "s", "/", "#", "%", "~"),
)
ESCAPED = (
    *(r"\.", r"\*", r"\+", r"\?", r"\(", r"\)", r"\[", r"\]", r"\{", r"\}", r"\|", r"\^", r"\$"),
    *(r"\\", r"\-", r"\/", r"\ ", r"\#", r"\&", r"\~", r"\_", r"\t", r"\r", r"\f", r"\v", r"\a"),
    *(r"\x61", r"\x{e9}", r"\x{1F600}", r"\u0062", r"\u{928}", r"\U00000063", r"\x2D"),
)
SETS = (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".")
CLASS_ITEMS = (
    *(
        "a",
        "b",
        "x",
        "é",
        "न",
        "-",
        "a-c",
        "A-Z",
        "0-9",
        "à-ü",
        "क-ह",
        "!-/",
        " ",
        ".",
        "*",
        "(",
        "^",
    ),
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\]", r"\[", r"\^", r"\-", r"\\", r"\t", r"\x61"),
    *("[:alpha:]", "[:^digit:]", "[:space:]", "[:punct:]", "[:word:]", "[:upper:]", "[:xdigit:]"),
    *(r"\x{61}-\x{7a}", "I", "k", "s"),
)
BORDERS = ("^", "$", r"\b", r"\B", r"\<", r"\>", r"\b{start}", r"\b{end}")
LOOKS = ("(?={})", "(?!{})", "(?<={})", "(?<!{})")
FLAGS = ("i", "-i", "s", "-s", "is", "i-s", "u", "m")
REPEATS = ("*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "{ 2 }", "{1, 2}", "{0}")


class Patterns:
    """Regular expressions of ripgrep's grammar, within what Python can say too."""

    def __init__(self, random: Random, *, may_nest: bool = True) -> None:
        self._random = random
        self._may_nest = may_nest  # repetitions in repetitions, which take Python for ever
        self._names = 0

    def pattern(self) -> str:
        made = self._alternatives(2)
        return made or "a"

    def _alternatives(self, depth: int) -> str:
        count = self._random.choice((1, 1, 1, 1, 2, 3))
        return "|".join(self._sequence(depth) for _ in range(count))

    def _sequence(self, depth: int) -> str:
        count = (
            self._random.choice((0, 1, 1, 2, 2, 3)) if depth < 2 else self._random.choice((1, 2, 3))
        )
        return "".join(self._piece(depth) for _ in range(count))

    def _piece(self, depth: int) -> str:
        atom = self._atom(depth)
        if not self._may_nest and atom.endswith(")"):
            return atom
        while self._random.random() < 0.25:
            atom += self._random.choice(REPEATS) + self._random.choice(("", "", "?"))
            if not self._may_nest:
                break
        return atom

    def _atom(self, depth: int) -> str:
        pick = self._random.random()
        choose = self._random.choice
        if pick < 0.4:
            return choose(LITERALS)
        if pick < 0.5:
            return choose(ESCAPED)
        if pick < 0.65:
            return choose(SETS)
        if pick < 0.78:
            return self._class()
        if pick < 0.86 or depth == 0:
            return choose(BORDERS)
        return self._group(depth - 1)

    def _group(self, depth: int) -> str:
        flags = self._random.choice(FLAGS)
        if self._random.random() < 0.2:
            return f"(?{flags}){self._random.choice(LITERALS)}"
        self._names += 1
        name = f"n{self._names}"
        opening = self._random.choice(("(", "(?:", f"(?P<{name}>", f"(?<{name}>", f"(?{flags}:"))
        return f"{opening}{self._alternatives(depth)})"

    def _class(self) -> str:
        items = self._random.sample(CLASS_ITEMS, self._random.choice((1, 2, 3)))
        negation = self._random.choice(("", "", "^"))
        first = self._random.choice(("", "", "", "]", "-"))
        return f"[{negation}{first}{''.join(items)}]"


SEGMENTS = (
    *("a.py", "*.py", "*.js", "*.log", "*", "?.py", "src", "deep", "build", "[a-c].*", "[!a-c].py"),
    *(
        "*.{py,js}",
        "{src,lib}",
        "x*",
        "*x",
        "READ*.md",
        "**",
        "**",
        ".config",
        ".*",
        "node_modules",
    ),
    *("keep.log", "*.*", "[]x]*", r"\[odd\].js", "नाम*", "a b", "b*d", "inner", "*deep*", "d?ep"),
)


def make_path_glob(random: Random) -> str:
    """Names and wildcards between slashes."""
    return "/".join(random.choice(SEGMENTS) for _ in range(random.choice((1, 1, 1, 2, 2, 3))))


def make_glob(random: Random) -> str:
    """What `rg --glob` takes: left out, anchored or for folders by its signs."""
    if random.random() < 0.7:
        return ""
    body = make_path_glob(random)
    sign, anchor = random.choice(("", "", "", "!")), random.choice(("", "", "", "/"))
    return sign + anchor + body + random.choice(("", "", "", "", "/"))


def make_ignore_line(random: Random) -> str:
    if random.random() < 0.1:
        return random.choice(
            ("", "# a comment", r"\#odd", r"\!odd", "   ", "/", "!", "*~", "[", "a[")
        )
    negation = random.choice(("", "", "", "!"))
    anchor = random.choice(("", "", "", "/"))
    only_folders = random.choice(("", "", "", "/"))
    blanks = random.choice(("", "", "", "", " ", "\\ ", "\t", "\r"))
    return negation + anchor + make_path_glob(random) + only_folders + blanks
