"""A line of commands: stages between bars, commands in a row within a stage."""

from collections.abc import Callable, Iterator

from ankrcode.rocketlang import control
from ankrcode.rocketlang.blocks import Called, Pipeline, Sentence, Shell
from ankrcode.rocketlang.pieces import Piece, pieces, plain
from ankrcode.rocketlang.sentence import read_sentence

Parting = Callable[[list[Piece], int], int]
_SOMETHING = "found.txt"  # what a pronoun may stand for
_ROW = frozenset(";।॥")
_NOT_THEN = frozenset(("se", "से"))  # `phir se karo`: again


def read_pipeline(text: str, line: int, macros: frozenset[str]) -> Pipeline:
    """Cut at bars, then at semicolons, dandas and words like *then*."""
    if command := shell_text(text):
        return Pipeline(stages=((Shell(text=command, line=line),),), line=line)
    stages = []
    for stage in _parts(text, pieces(text), is_bar):
        parts = [_command(part, line, macros) for part in _parts(stage, pieces(stage), is_row)]
        whole = Sentence(text=stage, line=line)
        if len(parts) > 1 and not all(map(_is_read, parts)) and _is_read(whole):
            parts = [whole]  # the word was no *then* here
        stages.append(tuple(parts))
    return Pipeline(stages=tuple(one for one in stages if one), line=line)


def shell_text(text: str) -> str:
    """`$ command` and `!command`: what is for bash; empty where it is not."""
    text = text.strip()
    if text.startswith(("$ ", "$\t")):
        return text[2:].strip()
    return text[1:].strip() if text.startswith("!") else ""


def is_bar(found: list[Piece], index: int) -> int:
    return 1 if found[index].is_sign and found[index].text == "|" else 0


def is_row(found: list[Piece], index: int) -> int:
    """How many pieces here part two commands; 0 if none does."""
    piece = found[index]
    if piece.is_sign and piece.text in _ROW:
        return 1
    word = control.at(found, index, "SEQ")
    if word is None:
        return 0
    following = index + word.length
    if following < len(found) and found[following].plain in _NOT_THEN:
        return 0
    return word.length


def _parts(text: str, found: list[Piece], parts_here: Parting) -> Iterator[str]:
    """What stands between the places where it is parted, without what is empty."""
    begun, index = 0, 0
    while index < len(found):
        length = parts_here(found, index)
        if length:
            if part := text[begun : found[index].start].strip(" \t,"):
                yield part
            begun = found[index + length - 1].end
        index += length or 1
    if part := text[begun:].strip():
        yield part


def _command(text: str, line: int, macros: frozenset[str]) -> Sentence | Shell | Called:
    if command := shell_text(text):
        return Shell(text=command, line=line)
    if name := macro_called(pieces(text), macros):
        return Called(name=name, line=line)
    return Sentence(text=text, line=line)


def _is_read(command: Sentence | Shell | Called) -> bool:
    """Can it be read as it stands?"""
    if not isinstance(command, Sentence):
        return True
    it = _SOMETHING if has_pronoun(command.text) else None
    return read_sentence(command.text, it=it).fault is None


def has_pronoun(text: str) -> bool:
    return control.anywhere(pieces(text), "IT")


def macro_called(found: list[Piece], macros: frozenset[str]) -> str:
    """`deploy`, `deploy karo`, `run deploy`: the macro's name; empty where none is meant."""
    if not macros or not found:
        return ""
    names = {plain(one): one for one in macros}
    first, last = names.get(found[0].plain.lstrip("/")), names.get(found[-1].plain)
    if first and (len(found) == 1 or _is_run(found[1:])):
        return first
    return last if last and _is_run(found[:-1]) else ""


def _is_run(found: list[Piece]) -> bool:
    return control.whole(found, "RUN") is not None
