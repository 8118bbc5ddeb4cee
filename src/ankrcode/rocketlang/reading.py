"""What a sentence comes to: calls that could run, or the fault that keeps it from running."""

from typing import Any

from msgspec import Struct

from ankrcode.rocketlang.faults import Fault


class Planned(Struct, frozen=True, kw_only=True):
    """One call of a tool, not yet made; `$name` and `{name}` in it are still as written."""

    tool: str
    args: dict[str, Any]


class Reading(Struct, frozen=True, kw_only=True):
    """A sentence, read. With a fault there are no calls: nothing is ever half understood."""

    calls: tuple[Planned, ...] = ()
    confirm: bool = False  # ask first, with `explain`: a changing verb was only nearly spelled
    lang: str = "en"
    script: str = "roman"  # of the words of the sentence: roman or native
    explain: str = ""  # what would be done, in the speaker's words
    fault: Fault | None = None
    changes: bool = False  # would anything be different afterwards?
    mentioned: str | None = None  # what a pronoun after it names; of several things none
    is_full: bool = False  # every word explained, nothing guessed: no model needs to look at it
