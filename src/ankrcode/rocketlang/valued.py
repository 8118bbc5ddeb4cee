"""A sentence with values in it: read while they are hidden, so that none is taken for a word."""

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.reading import Reading
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.variables import How, Value, Variables, Veil

_OTHER_WAYS: tuple[How, ...] = ("mixed", "named", "quoted")


class Valued(Struct, frozen=True):
    """The reading, the veil to lift from its calls, and whether they work on what was handed on."""

    reading: Reading
    veil: Veil
    takes_it: bool = False


def read_with(
    text: str, variables: Variables, it: Value | None = None, place: Place | None = None
) -> Valued:
    """`it`: what a pipe or a pronoun names. The first way of saying the values that is read."""
    first = _read(text, Veil(variables), it, place)
    if first.reading.fault is None or not first.veil.is_used:
        return first
    for how in _OTHER_WAYS:
        other = _read(text, Veil(variables, how), it, place)
        if other.reading.fault is None:
            return other
    return first


def _read(text: str, veil: Veil, it: Value | None, place: Place | None) -> Valued:
    """What people read of it is told with the values."""
    valued = _hidden(text, veil, it, place)
    reading = valued.reading
    if not veil.hidden:
        return valued
    explain, fault = veil.told(reading.explain), reading.fault
    if fault is not None:
        fault = replace(fault, message=veil.told(fault.message))
    return replace(valued, reading=replace(reading, explain=explain, fault=fault))


def _hidden(text: str, veil: Veil, it: Value | None, place: Place | None) -> Valued:
    over = veil.over(text)
    if it is None:
        return Valued(read_sentence(over, place), veil)
    token = veil.token(it).strip('"')
    reading = read_sentence(over, place, it=token)
    if _is_doubled(reading, token):
        return Valued(read_sentence(over, place), veil)
    if reading.fault is None and _takes(reading, token):
        return Valued(reading, veil, takes_it=True)
    before = read_sentence(f"{token} {over}", place)  # `chalao` of a path: how is it run?
    is_as_much = reading.fault is not None or len(before.calls) == len(reading.calls)
    if is_as_much and before.fault is None and not before.confirm and _takes(before, token):
        return Valued(before, veil, takes_it=True)
    return Valued(reading, veil)


def _is_doubled(reading: Reading, token: str) -> bool:
    """Is it taken twice, as a file and as what is written there? Then one of them was not said."""
    return any(list(call.args.values()).count(token) > 1 for call in reading.calls)


def _takes(reading: Reading, token: str) -> bool:
    if any(call.tool == "Bash" and call.args.get("command") == token for call in reading.calls):
        return False  # a path is no command
    return any(token in str(one) for call in reading.calls for one in call.args.values())
