"""Indentation that differs between what was meant and what the file has, and how to translate it.

A translation is believed only if one rule explains every line: text shifted as a whole, tabs for
spaces, or steps of another width.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct

from ankrcode.workspace.editing.loose_lines import indent_of

_USUAL_STEP = 4


class Style(Struct, frozen=True):
    """How a text indents: with what, and how many of it make one step."""

    char: str
    step: int
    aligns: bool = False  # tabs, and more than a few blanks behind them


def style_of(lines: list[str]) -> Style:
    """The habit of most lines; four spaces where there is none to see."""
    indents = [indent_of(line) for line in lines if line.strip()]
    tabs = sum(1 for one in indents if one.startswith("\t"))
    if tabs > sum(1 for one in indents if one.startswith(" ")):
        return Style("\t", 1, any("\t" + " " * _USUAL_STEP in one for one in indents))
    widths = [len(one) for one in indents if "\t" not in one]
    steps = Counter(after - before for before, after in pairwise(widths) if after > before)
    return Style(" ", steps.most_common(1)[0][0] if steps else _USUAL_STEP)


class Shift:
    """From the indentation someone wrote to the indentation of the file."""

    def __init__(self, known: dict[str, str], rules: "list[Rule]") -> None:
        self._known = known
        self._rules = rules

    @property
    def changes_nothing(self) -> bool:
        return all(old == new for old, new in self._known.items())

    def line(self, line: str) -> str | None:
        """A line of the replacement as the file would indent it; None where no rule can tell."""
        if not line.strip():
            return line if self.changes_nothing else ""
        indent = indent_of(line)
        rest = line[len(indent) :]
        if indent in self._known:
            return self._known[indent] + rest
        for rule in self._rules:
            told = rule.apply(indent)
            if told is not None:
                return told + rest
        return None


def shift_between(old: list[str], have: list[str], new: list[str], style: Style) -> Shift | None:
    """The one rule that turns each indent of `old` into that of `have`; None if there is none."""
    known: dict[str, str] = {}
    for one, other in zip(old, have, strict=True):
        if one.strip() and known.setdefault(indent_of(one), indent_of(other)) != indent_of(other):
            return None
    found = (_moved(known, new, style), _scaled(known, new, style), _aligned(known))
    rules = [rule for rule in found if rule]
    return Shift(known, rules) if rules else None


class Rule(Struct, frozen=True):
    """A linear rule over counts of one character, or a prefix that is added or taken away."""

    added: str = ""
    removed: str = ""
    source: str = ""  # the character counted; empty for a rule of prefixes
    target: str = ""
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    only: str = " \t"  # a prefix rule must not mix tabs and spaces that the file does not mix
    deepest: int | None = None  # the most tabs that are sure: deeper ones may stand for alignment
    aligns: bool = False

    def apply(self, indent: str) -> str | None:
        if not self.source:
            fits = indent.startswith(self.removed) and not set(indent) - set(self.only)
            return self.added + indent[len(self.removed) :] if fits else None
        if set(indent) - {self.source}:
            return None
        value = self.factor * len(indent) + self.offset
        whole = value.numerator // value.denominator
        rest = (value - whole) / self.factor
        if value < 0 or rest.denominator != 1 or (rest and self.target != "\t"):
            return None
        if self.deepest is not None and whole > self.deepest and (rest or self.aligns):
            return None
        return self.target * whole + self.source * rest.numerator


def _explains(rule: Rule, known: dict[str, str]) -> bool:
    return all(rule.apply(one) == other for one, other in known.items())


def _moved(known: dict[str, str], new: list[str], style: Style) -> Rule | None:
    """All lines shifted by the same prefix."""
    old, have = next(iter(known.items()))
    if have.endswith(old):
        rule = Rule(added=have[: len(have) - len(old)])
    elif old.endswith(have):
        rule = Rule(removed=old[: len(old) - len(have)])
    else:
        return None
    if not _explains(rule, known):
        return None
    chars = set("".join(known.values())) or {style.char}
    if len(chars) == 1 and set("".join(map(indent_of, new))) - chars and not any(known):
        # Written without any indent for an indented place: further levels take the file's style.
        return Rule(added=rule.added, only="".join(chars))
    return rule


def _scaled(known: dict[str, str], new: list[str], style: Style) -> Rule | None:
    """Tabs for spaces, or steps of another width."""
    source = _one_char([*known, *map(indent_of, new)])
    target = _one_char(list(known.values())) or style.char
    if not source:
        return None
    pairs = sorted((len(old), len(have)) for old, have in known.items())
    factor = _factor(pairs, source, target, new, style)
    if factor <= 0:
        return None
    offset = pairs[0][1] - factor * pairs[0][0]
    deepest = None
    if source == " " and target == "\t":
        levels = [factor * len(indent_of(line)) + offset for line in new if line.strip()]
        sure = () if style.aligns else (int(one) for one in levels if one.denominator == 1)
        deepest = max(pairs[-1][1], *sure, 0)
    rule = Rule(
        source=source,
        target=target,
        factor=factor,
        offset=offset,
        deepest=deepest,
        aligns=style.aligns,
    )
    is_linear = all(factor * old + offset == have for old, have in pairs)
    return rule if is_linear and _explains(rule, known) else None


def _aligned(known: dict[str, str]) -> Rule | None:
    """Another beginning, the same blanks after it: code in tabs, aligned with spaces."""
    least = min(known, key=len)
    rule = Rule(added=known[least], removed=least)
    return rule if len(known) > 1 and _explains(rule, known) else None


def _factor(
    pairs: list[tuple[int, int]], source: str, target: str, new: list[str], style: Style
) -> Fraction:
    """How many target characters one source character is worth."""
    (low, low_have), (high, high_have) = pairs[0], pairs[-1]
    if high > low:
        return Fraction(high_have - low_have, high - low)
    if source == target:
        return Fraction(1)
    if source == "\t":
        return Fraction(style.step if style.char == " " else _USUAL_STEP)
    widths = [len(indent_of(line)) for line in new if line.strip()]
    if low_have and not low % low_have:
        step = low // low_have
        if 1 < step <= _USUAL_STEP or (step > 1 and not any(width % step for width in widths)):
            return Fraction(1, step)
    return Fraction(1, _step([low, *widths]))


def _step(widths: list[int]) -> int:
    """The smallest step between these widths that a person would use."""
    distinct = sorted({0, *widths})
    steps = [after - before for before, after in pairwise(distinct)]
    return min((step for step in steps if step > 1), default=_USUAL_STEP)


def _one_char(indents: list[str]) -> str:
    chars = set("".join(indents))
    return chars.pop() if len(chars) == 1 else ""
