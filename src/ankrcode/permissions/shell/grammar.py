"""Commands as bash reads them: lists, pipelines, compound commands, functions.

A parser by descent along bash's own grammar. It is exact or it raises `Unparsed`: bash stops at
a syntax error, but it runs what stands before it, so `Parsed.script` holds that part too.
"""

from functools import lru_cache

from msgspec import Struct

from ankrcode.permissions.shell.compound_reading import CompoundReader
from ankrcode.permissions.shell.reading import META
from ankrcode.permissions.shell.syntax import Coprocess, Node, Pipeline, Script, Simple, Unparsed

MAX_LEVELS = 120
_CLOSERS = {"then", "elif", "else", "fi", "do", "done", "esac", "}"}


class Parsed(Struct, frozen=True):
    script: Script  # everything, or what stands before the fault
    fault: str  # empty where the text is certain
    bashisms: bool


@lru_cache(maxsize=512)
def parse(text: str) -> Parsed:
    """The tree of a command line; the same text gives the same tree."""
    parser = Parser(text)
    try:
        script = parser.script("")
    except Unparsed as problem:
        return Parsed(Script(tuple(parser.finished)), problem.why, parser.bashisms)
    except RecursionError:
        return Parsed(Script(tuple(parser.finished)), "it is nested too deeply", parser.bashisms)
    return Parsed(script, "", parser.bashisms)


class Parser(CompoundReader):
    """Adds lists and pipelines: the whole of bash's grammar."""

    # ── lists ─────────────────────────────────────────────────────────────────────────────────
    def script(self, closer: str) -> Script:
        """Commands up to `closer` (empty: the end of the text), which is not consumed."""
        items: list[tuple[str, Node]] = []
        if not self.levels:
            self.finished = items
        self.levels += 1
        operator = ";"
        self.skip_lines()
        while not self._is_end(closer):
            node = self.pipeline()
            following = self._separator(closer)
            items.append((operator, self._background(node) if following == "&" else node))
            operator = following if following in ("&&", "||") else ";"
        if operator != ";":
            raise Unparsed("a command is missing")
        if not closer and self.waiting:
            raise Unparsed("a here-document is not closed")
        self.levels -= 1
        return Script(tuple(items))

    def _background(self, node: Node) -> Node:
        return Coprocess(node)

    def _is_end(self, closer: str) -> bool:
        if self.at >= len(self.text):
            if closer:
                raise Unparsed(f"'{closer}' is missing")
            return True
        if closer == ")" and self.peek() == ")":
            return True
        return closer in ("", ";;") and self._at_closer(closer)

    def _at_closer(self, closer: str) -> bool:
        return closer == ";;" and (self.starts(";;") or self.starts(";&"))

    def _separator(self, closer: str) -> str:
        """What follows a command; line breaks behind it are consumed."""
        self.skip_blanks()
        for operator in ("&&", "||"):
            if self.starts(operator):
                self.at += 2
                self.skip_lines()
                return operator
        if closer == ";;" and self._at_closer(closer):
            return ";"
        if self.peek() in (";", "&") and not self.starts(";;") and not self.starts(";&"):
            found = self.peek()
            self.at += 1
            self.skip_lines()
            return found
        if self.peek() == "\n" or self._skips_comment():
            self.skip_lines()
            return ";"
        if not self._is_end(closer) and not self._is_keyword_next(_CLOSERS):
            raise Unparsed(f"'{self.peek()}' is not expected here")
        return ";"

    def _skips_comment(self) -> bool:
        if self.peek() != "#":
            return False
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end
        return True

    def skip_lines(self) -> None:
        """Blanks, comments and line breaks, with the here-documents behind those."""
        while True:
            self.skip_blanks()
            self._skips_comment()
            if self.peek() != "\n":
                return
            self.at += 1
            self.read_bodies()

    def _until(self, *words: str) -> Script:
        """Commands up to one of these reserved words in command position."""
        items: list[tuple[str, Node]] = []
        self.levels += 1
        operator = ";"
        self.skip_lines()
        while not self._is_keyword_next(set(words)):
            if self.at >= len(self.text):
                raise Unparsed(f"'{words[0]}' is missing")
            node = self.pipeline()
            following = self._separator("")
            items.append((operator, self._background(node) if following == "&" else node))
            operator = following if following in ("&&", "||") else ";"
        if operator != ";" or not items:
            raise Unparsed("a command is missing")
        self.levels -= 1
        return Script(tuple(items))

    def _case_body(self) -> Script:
        items: list[tuple[str, Node]] = []
        operator = ";"
        self.skip_lines()
        while not self._at_closer(";;") and self._keyword() != "esac":
            if self.at >= len(self.text):
                raise Unparsed("'esac' is missing")
            node = self.pipeline()
            following = self._separator(";;")
            items.append((operator, self._background(node) if following == "&" else node))
            operator = following if following in ("&&", "||") else ";"
        if operator != ";":
            raise Unparsed("a command is missing")
        for closer in (";;&", ";;", ";&"):
            if self.starts(closer):
                self.bashisms |= closer != ";;"
                self.at += len(closer)
                break
        return Script(tuple(items))

    # ── pipelines ─────────────────────────────────────────────────────────────────────────────
    def pipeline(self) -> Node:
        self.skip_blanks()
        start = self.at
        while (keyword := self._keyword()) in ("!", "time"):
            self.word()
            self.skip_blanks()
            if keyword == "time":
                self.bashisms = True
                self._time_options()
        if self.at > start and self._ends_pipeline():
            return Simple()
        commands = [self.command()]
        while True:
            self.skip_blanks()
            if not self.starts("|") or self.starts("||"):
                break
            self.at += 2 if self.starts("|&") else 1
            self.bashisms |= self.text[self.at - 1] == "&"
            self.skip_lines()
            commands.append(self.command())
        return commands[0] if len(commands) == 1 else Pipeline(tuple(commands))

    def _time_options(self) -> None:
        for option in ("-p", "--"):
            end = self.at + len(option)
            if self.starts(option) and (end >= len(self.text) or self.text[end] in META):
                self.at = end
                self.skip_blanks()

    def _ends_pipeline(self) -> bool:
        return self.at >= len(self.text) or self.peek() in ";\n&)"

    # ── commands ──────────────────────────────────────────────────────────────────────────────
    def command(self) -> Node:
        self.levels += 1
        if self.levels > MAX_LEVELS:
            raise Unparsed("it is nested too deeply")
        self.skip_blanks()
        keyword = self._keyword()
        if self.starts("(") or keyword not in ("", "!", "time", "coproc", "function"):
            node = self._compound(keyword)
        elif keyword == "function":
            node = self._function_keyword()
        elif keyword == "coproc":
            node = self._coprocess()
        else:
            node = self._simple_or_function()
        self.levels -= 1
        return node
