"""A sentence in, a reading out: the whole path, on one screen."""

from collections.abc import Sequence

from ankrcode.rocketlang.basket import Item
from ankrcode.rocketlang.clauses import clauses
from ankrcode.rocketlang.command import Command, Context, read_command
from ankrcode.rocketlang.effects import changes
from ankrcode.rocketlang.explain import back_translation
from ankrcode.rocketlang.faults import Fault, Voice, fault
from ankrcode.rocketlang.frames.plan import Lack
from ankrcode.rocketlang.guards import asks, forbids, is_keyword, tells
from ankrcode.rocketlang.lexicon import LANGUAGES, Lexicon, lexicon_for
from ankrcode.rocketlang.normalise import WRITTEN_TOGETHER, languages_written, normalise
from ankrcode.rocketlang.place import NOWHERE, Place
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.suggestions import suggestions, usual_form
from ankrcode.rocketlang.tags import Unit, tag
from ankrcode.rocketlang.tokens import tokenise, unquoted
from ankrcode.rocketlang.verbs import Verb, pick

_LONGEST = 100_000  # characters of a line, quotations included
_SEARCHES = ("FIND", "COUNT")
_MOST_RIVALS = 3
_MOST_TOKENS = 200  # nobody says more in one sentence


def read_sentence(text: str, place: Place | None = None, *, it: str | None = None) -> Reading:
    """What this sentence asks for. Pure: nothing runs, nothing is written.

    `it` stands for what went before (the path or text a pipeline hands on): pronouns name it, and
    a verb without an object takes it.
    """
    command = _shell_line(text)
    if command is not None:
        return _shell(command)
    if len(text) > _LONGEST:
        return Reading(fault=fault("not_a_command", Voice("en", "roman")))
    spoken = _spoken(text)
    reading = _read(text, spoken, place or NOWHERE, it)
    if spoken != LANGUAGES and reading.fault and reading.fault.code == "unknown_command":
        wider = _read(text, LANGUAGES, place or NOWHERE, it)  # a native name, a romanised verb
        return reading if wider.fault and wider.fault.code == "unknown_command" else wider
    return reading


def _read(text: str, languages: tuple[str, ...], place: Place, it: str | None) -> Reading:
    lexicon = lexicon_for(languages)
    tokens = tokenise(text, lexicon, _MOST_TOKENS)
    if len(tokens) > _MOST_TOKENS:
        return Reading(fault=fault("not_a_command", Voice("en", "roman")))
    return _Reader(text, tag(tokens, lexicon), lexicon, place, it).read()


def _spoken(text: str) -> tuple[str, ...]:
    """Whose words are needed: one script names its languages, Latin letters may be anybody's."""
    written = () if text.isascii() else languages_written(unquoted(text))
    return ("en", *written) if written in WRITTEN_TOGETHER else LANGUAGES


def _shell_line(text: str) -> str | None:
    """`$ ls -la` and `!ls`: a command as it stands."""
    line = text.strip()
    if line.startswith("$ "):
        return line[2:].strip()
    if line.startswith("!") and len(line) > 1 and not line.startswith("!="):
        return line[1:].strip()
    return None


def _shell(command: str) -> Reading:
    calls = (Planned(tool="Bash", args={"command": command}),)
    told = back_translation(calls, Voice("en", "roman"))
    return Reading(calls=calls, explain=told, changes=True, is_full=True)


class _Reader:
    """The state of one reading."""

    def __init__(
        self, text: str, units: list[Unit], lexicon: Lexicon, place: Place, it: str | None
    ) -> None:
        self.text = text
        self.units = units
        self.lexicon = lexicon
        self.place = place
        self.it = it
        self.voice = Voice("en", "roman")

    def read(self) -> Reading:
        parts = clauses(self.units, self.lexicon)
        verbs = [pick(part, self.lexicon) for part in parts]
        self.voice = self._voice(verbs)
        problem = self._guarded(verbs) or self._unread(parts, verbs)
        if problem:
            return self._faulty(problem)
        read: list[Command] = []
        for part, verb in zip(parts, verbs, strict=True):
            if verb is not None:  # without one it is unread, see above
                command = self._command(part, verb, read[-1].mentioned if read else None)
                if isinstance(command, Fault):
                    return self._faulty(command)
                read.append(command)
        return self._doubted(read) or self._reading(read)

    def _doubted(self, read: list[Command]) -> Reading | None:
        """Beside a change no clause may hold an unexplained word, not even one that only looks."""
        doubtful = next((one.doubt for one in read if one.doubt), None)
        if doubtful is None or not any(changes(call) for one in read for call in one.calls):
            return None
        return self._faulty(self._unexplained(doubtful))

    def _unexplained(self, item: Item) -> Fault:
        span = (item.start, item.end)
        return fault("unknown_object", self.voice, x=item.text, slot="object", span=span)

    def _voice(self, verbs: Sequence[Verb | None]) -> Voice:
        """The language of the first verb, the script of the words."""
        written = languages_written(
            normalise("".join(u.text for u in self.units if u.kind != "str"))
        )
        found = next(
            (verb.lang for verb in verbs if verb), written[0] if written else self._guess()
        )
        return Voice(found, "native" if found in written else "roman")

    def _guess(self) -> str:
        """Without a verb: the language most words belong to."""
        votes = dict.fromkeys(LANGUAGES, 0)
        for unit in self.units:
            for lang in {one.lang for one in unit.senses if one.lang}:
                votes[lang] += 1
        return max(LANGUAGES, key=lambda lang: (votes[lang], lang == "en"))

    def _guarded(self, verbs: Sequence[Verb | None]) -> Fault | None:
        lang, units = self.voice.lang, self.units
        if all(verb is not None and verb.op in _SEARCHES for verb in verbs):
            units = [unit for unit in units if not is_keyword(unit, lang)]
        unit = forbids(units, lang)
        if unit:
            return fault("negated", self.voice, span=(unit.start, unit.end))
        unit = tells(units, lang)
        asked = asks(units, lang)
        if asked and not unit:
            is_quoted = any(one.kind == "str" for one in self.units)
            is_looking = all(verb is not None and not verb.changes for verb in verbs)
            unit = None if is_quoted and is_looking and asked.kind != "question" else asked
        if unit:
            return fault("not_a_command", self.voice, span=(unit.start, unit.end))
        return None

    def _unread(self, parts: list[list[Unit]], verbs: Sequence[Verb | None]) -> Fault | None:
        if not parts:
            return fault("unknown_command", self.voice, x="", span=(0, len(self.text)))
        for part, verb in zip(parts, verbs, strict=True):
            if verb is None:
                return self._unknown(part)
            if verb.rivals:
                unit = part[verb.at]
                near = tuple(usual_form(op, self.voice) for op in verb.rivals)[:_MOST_RIVALS]
                span = (unit.start, unit.end)
                return fault("ambiguous_verb", self.voice, x=unit.text, near=near, span=span)
        return None

    def _unknown(self, part: list[Unit]) -> Fault:
        span = (part[0].start, part[-1].end)
        near = suggestions(part, self.lexicon, self.voice)
        said = self.text[span[0] : span[1]]
        return fault("unknown_command", self.voice, x=said, near=near, span=span)

    def _command(self, part: list[Unit], verb: Verb, mentioned: str | None) -> Command | Fault:
        context = Context(place=self.place, it=self.it, mentioned=mentioned)
        found = read_command(part, verb, context)
        if isinstance(found, Lack):
            return self._lacking(found, part) if verb.is_exact else self._unknown(part)
        return self._unexplained(found) if isinstance(found, Item) else found

    def _lacking(self, lack: Lack, part: list[Unit]) -> Fault:
        span = (part[0].start, part[-1].end)
        said = lack.text or self.text[span[0] : span[1]]
        return fault(lack.code, self.voice, x=said, slot=lack.slot, span=span)

    def _reading(self, read: list[Command]) -> Reading:
        calls = tuple(call for one in read for call in one.calls)
        return Reading(
            calls=calls,
            confirm=any(one.asks_first for one in read),
            lang=self.voice.lang,
            script=self.voice.script,
            explain=back_translation(calls, self.voice),
            changes=any(changes(call) for call in calls),
            mentioned=read[-1].mentioned,
            is_full=all(one.is_sure for one in read),
        )

    def _faulty(self, problem: Fault) -> Reading:
        return Reading(
            lang=self.voice.lang, script=self.voice.script, fault=problem, explain=problem.message
        )
