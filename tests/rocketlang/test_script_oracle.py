"""Random scripts in random languages against an interpreter of a few lines.

The oracle walks a tree; the script is that tree written down in the words of one language. Both
must make the same calls in the same order.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.runner import MAX_CALLS
from rocketlang.scripts import Call, bash, played, said, stub
from torture import examples

# ── trees ─────────────────────────────────────────────────────────────────────────────────────
# ("say", text) · ("run", command, ok) · ("set", name, text) · ("tell", name) · ("if", kind, a, b)
# ("each", name, items, body) · ("times", n, body) · ("macro", name) · ("pipe", items)
Tree = tuple[Any, ...]
NAMES = ("alpha", "beta")
MACROS = ("ship", "clean")
COMMANDS = [(f"cmd{number}", number % 3 != 0) for number in range(6)]

leaves = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["one", "two words", "{alpha} x", "a | b; c"])),
    st.sampled_from([("run", command, ok) for command, ok in COMMANDS]),
    st.tuples(st.just("set"), st.sampled_from(NAMES), st.sampled_from(["red", "dark blue", "7"])),
    st.tuples(st.just("tell"), st.sampled_from(NAMES)),
    st.tuples(st.just("macro"), st.sampled_from(MACROS)),
    st.tuples(st.just("pipe"), st.sampled_from([(), ("p.py",), ("p.py", "q r.py")])),
)


def blocks(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    body = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.tuples(st.just("if"), st.sampled_from(["passed", "failed"]), body, body | st.just([])),
        st.tuples(
            st.just("each"), st.sampled_from(NAMES), st.sampled_from([(), ("a.py", "b.py")]), body
        ),
        st.tuples(st.just("times"), st.integers(0, 3), body),
    )


trees = st.recursive(leaves, blocks, max_leaves=8)
programs = st.lists(trees, min_size=1, max_size=5)


# ── the oracle ────────────────────────────────────────────────────────────────────────────────
class Stop(Exception):
    """It ends what nobody asks about."""


class Oracle:
    """Does what the tree says, in the plainest way."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.values = {"alpha": "start", "beta": "start"}
        self.ok = True

    def run(self, program: list[Tree]) -> list[Call]:
        with suppress(Stop):
            self.block(program)
        return self.calls

    def block(self, trees: list[Tree]) -> None:
        for index, tree in enumerate(trees):
            following = trees[index + 1] if index + 1 < len(trees) else None
            try:
                self.one(tree)
            except Stop:
                if following is None or following[0] != "if":
                    raise

    def one(self, tree: Tree) -> None:
        match tree:
            case ("set", name, text):
                self.values[name] = text
            case ("if", kind, then, otherwise):
                self.block(then if self.ok is (kind == "passed") else otherwise)
            case ("each", name, items, body):
                self.call(("Glob", {"pattern": f"{len(items)}*.md"}))
                self.loop(body, [(name, item) for item in items])
            case ("times", count, body):
                self.loop(body, [None] * count)
            case _:
                self.leaf(tree)

    def leaf(self, tree: Tree) -> None:
        match tree:
            case ("say", text):
                self.call(said(self.filled(text)))
            case ("tell", name):
                self.call(said(self.values[name]))
            case ("run", command, ok):
                self.call(bash(command), ok=ok)
            case ("macro", name):
                self.call(said(f"in {name}"))
            case ("pipe", items):
                self.call(("Glob", {"pattern": f"{len(items)}*.py"}))
                for item in items:
                    self.call(("Read", {"file_path": item}))

    def loop(self, body: list[Tree], rounds: list[tuple[str, str] | None]) -> None:
        for index, one in enumerate(rounds):
            if one is not None:
                self.values[one[0]] = one[1]
            try:
                self.block(body)
            except Stop:
                if index + 1 == len(rounds) or body[0][0] != "if":
                    raise

    def call(self, call: Call, ok: bool = True) -> None:
        self.calls.append(call)
        self.ok = ok
        if not ok:
            raise Stop

    def filled(self, text: str) -> str:
        return text.replace("{alpha}", self.values["alpha"])


# ── the same, written down ────────────────────────────────────────────────────────────────────
Words = dict[str, str]
LANGUAGES: dict[str, Words] = {
    "en": {
        "say": 'say "{}"', "tell": "say ${}", "find": "find {}", "read": "read",
        "passed": "if pass then", "failed": "if fail then", "else": "else", "end": "end",
        "each": "for each {} in ${}:", "times": "{} times:", "macro": "macro", "call": "run {}",
    },
    "hi-Latn": {
        "say": '"{}" bolo', "tell": "${} bolo", "find": "{} dhoondo", "read": "padho",
        "passed": "agar pass to", "failed": "agar fail ho to", "else": "warna", "end": "khatam",
        "each": "har {} ${} mein:", "times": "{} baar:", "macro": "macro", "call": "{} karo",
    },
    "hi": {
        "say": '"{}" बोलो', "tell": "${} बोलो", "find": "{} खोजो", "read": "पढ़ो",
        "passed": "अगर पास हो तो", "failed": "अगर विफल हो तो", "else": "वरना", "end": "खत्म",
        "each": "हर {} ${} में:", "times": "{} बार:", "macro": "काम", "call": "{} करो",
    },
    "mr": {
        "say": '"{}" सांगा', "tell": "${} सांगा", "find": "{} शोधा", "read": "वाचा",
        "passed": "जर पास तर", "failed": "जर फेल तर", "else": "नाहीतर", "end": "संपले",
        "each": "प्रत्येक {} ${} मध्ये:", "times": "{} वेळा:", "macro": "काम", "call": "{} करा",
    },
    "ta": {
        "say": '"{}" சொல்', "tell": "${} சொல்", "find": "{} தேடு", "read": "படி",
        "passed": "pass என்றால்", "failed": "தோல்வி என்றால்", "else": "இல்லையெனில்",
        "end": "முடிவு", "each": "ஒவ்வொரு {} ${} இல்:", "times": "{} முறை:", "macro": "பணி",
        "call": "{} பண்ணு",
    },
    "te": {
        "say": '"{}" చెప్పు', "tell": "${} చెప్పు", "find": "{} వెతుకు", "read": "చదువు",
        "passed": "pass అయితే", "failed": "fail అయితే", "else": "లేకపోతే", "end": "ముగింపు",
        "each": "ప్రతి {} ${} లో:", "times": "{} సార్లు:", "macro": "పని", "call": "{} చేయి",
    },
    "kn": {
        "say": '"{}" ಹೇಳು', "tell": "${} ಹೇಳು", "find": "{} ಹುಡುಕು", "read": "ಓದು",
        "passed": "pass ಆದರೆ", "failed": "fail ಆದರೆ", "else": "ಇಲ್ಲದಿದ್ದರೆ", "end": "ಮುಗಿಯಿತು",
        "each": "ಪ್ರತಿ {} ${} ನಲ್ಲಿ:", "times": "{} ಬಾರಿ:", "macro": "ಕೆಲಸ", "call": "{} ಮಾಡು",
    },
}  # fmt: skip


def written(program: list[Tree], words: Words) -> str:
    lines = [f'{name} = "start"' for name in NAMES]
    for name in MACROS:
        lines += [f"{words['macro']} {name}", words["say"].format(f"in {name}"), words["end"]]
    for tree in program:
        lines += lines_of(tree, words)
    return "\n".join(lines)


def lines_of(tree: Tree, words: Words) -> list[str]:
    match tree:
        case ("if", kind, then, otherwise):
            other = [words["else"], *inside(otherwise, words)] if otherwise else []
            return [words[kind], *inside(then, words), *other, words["end"]]
        case ("each", name, items, body):
            found = f"found = {words['find'].format(f'{len(items)}*.md')}"
            head = words["each"].format(name, "found")
            return [found, head, *inside(body, words), words["end"]]
        case ("times", count, body):
            return [words["times"].format(count), *inside(body, words), words["end"]]
    return [line_of(tree, words)]


def line_of(tree: Tree, words: Words) -> str:
    match tree:
        case ("say", text):
            return words["say"].format(text)
        case ("tell", name):
            return words["tell"].format(name)
        case ("set", name, text):
            return f'{name} = "{text}"'
        case ("run", command, _):
            return f"$ {command}"
        case ("macro", name):
            return words["call"].format(name)
    return f"{words['find'].format(f'{len(tree[1])}*.py')} | {words['read']}"


def inside(trees: list[Tree], words: Words) -> list[str]:
    return [f"  {line}" for tree in trees for line in lines_of(tree, words)]


ANSWERS = [
    *(stub("Bash", ok=ok, command=command) for command, ok in COMMANDS),
    *(stub("Glob", result=["p.py", "q r.py"][:n], pattern=f"{n}*.py") for n in range(3)),
    *(stub("Glob", result=["a.py", "b.py"][:count], pattern=f"{count}*.md") for count in (0, 2)),
]


def agrees(program: list[Tree], words: Words) -> None:
    first = ("say", "begun")  # an outcome can be asked about only after a call
    script = written([first, *program], words)
    expected = Oracle().run([first, *program])
    assert len(expected) < MAX_CALLS
    assert played(script, *ANSWERS) == expected, script


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.torture
@examples(in_ci=20, in_torture=3_000)
@given(program=programs)
def test_a_script_does_what_its_tree_does(language: str, program: list[Tree]) -> None:
    agrees(program, LANGUAGES[language])


@pytest.mark.torture
@examples(in_ci=20, in_torture=3_000)
@given(program=programs, languages=st.lists(st.sampled_from(sorted(LANGUAGES)), min_size=3))
def test_the_languages_may_be_mixed(program: list[Tree], languages: list[str]) -> None:
    keys = LANGUAGES["en"]
    mixed = {key: LANGUAGES[languages[i % len(languages)]][key] for i, key in enumerate(keys)}
    agrees(program, mixed)


Change = Callable[[str], str]
CHANGES: dict[str, Change] = {
    "indented by tabs": lambda text: text.replace("  ", "\t"),
    "not indented": lambda text: "\n".join(line.strip() for line in text.splitlines()),
    "with the line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "with empty lines": lambda text: text.replace("\n", "\n\n"),
    "with comments": lambda text: text.replace("\n", "\n# a comment: agar pass\n"),
    "with a mark in front": lambda text: f"\ufeff{text}",
    "with blanks behind": lambda text: text.replace("\n", "   \n"),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.torture
@examples(in_ci=5, in_torture=500)
@given(program=programs)
def test_how_it_is_set_does_not_matter(how: str, program: list[Tree]) -> None:
    script = written([("say", "begun"), *program], LANGUAGES["hi-Latn"])
    assert played(CHANGES[how](script), *ANSWERS) == played(script, *ANSWERS)
