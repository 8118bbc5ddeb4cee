"""Compound commands as bash reads them: groups, branches, loops, tests, functions."""

from collections.abc import Callable

from ankrcode.permissions.shell.reading import META
from ankrcode.permissions.shell.simple_reading import NAME, SimpleReader
from ankrcode.permissions.shell.syntax import (
    Branches,
    Calculation,
    Case,
    Condition,
    Coprocess,
    CountedFor,
    For,
    Function,
    Group,
    Loop,
    Node,
    Part,
    Script,
    Subshell,
    Text,
    Unparsed,
    Word,
)

_CALCULATES = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_NO_COMPOUND = ("", "!", "time", "coproc", "function")


class CompoundReader(SimpleReader):
    """Adds compound commands; the lists inside them are read by `grammar.Parser`."""

    def _until(self, *words: str) -> Script:
        raise NotImplementedError

    def _case_body(self) -> Script:
        raise NotImplementedError

    def _compound(self, keyword: str) -> Node:
        node = self._compound_body(keyword)
        redirects = self._redirects()
        if not redirects:
            return node
        if isinstance(node, Subshell):
            return Subshell(node.body, redirects)
        return Group(node.body if isinstance(node, Group) else Script(((";", node),)), redirects)

    def _compound_body(self, keyword: str) -> Node:
        if self.starts("(("):
            calculation = self._calculation()
            if calculation is not None:
                return calculation
        if self.starts("("):
            return self._subshell()
        forms: dict[str, Callable[[], Node]] = {
            "{": self._group,
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "[[": self._condition,
        }
        if keyword not in forms:
            raise Unparsed(f"'{keyword}' is not expected here")
        return forms[keyword]()

    def _subshell(self) -> Subshell:
        self.expect("(")
        body = self._nested_list(")")
        self.expect(")")
        return Subshell(body)

    def _nested_list(self, closer: str) -> Script:
        body = self.script(closer)
        if not body.items:
            raise Unparsed("a command is missing")
        return body

    def _group(self) -> Group:
        self._take("{")
        body = self._until("}")
        self._take("}")
        return Group(body)

    def _calculation(self) -> Calculation | None:
        saved, levels = self.mark(), self.levels
        try:
            self.at += 2
            parts = self._calculated("(", ")")
            self.expect("))")
        except Unparsed:
            self.go_back(saved)
            self.levels = levels
            return None
        self.bashisms = True
        return Calculation(tuple(parts))

    def _if(self) -> Branches:
        self._take("if")
        branches: list[tuple[Script | None, Script]] = []
        while True:
            test = self._until("then")
            self._take("then")
            branches.append((test, self._until("elif", "else", "fi")))
            keyword = self._take("elif", "else", "fi")
            if keyword != "elif":
                break
        if keyword == "else":
            branches.append((None, self._until("fi")))
            self._take("fi")
        return Branches(tuple(branches))

    def _while(self) -> Loop:
        self._take("while", "until")
        test = self._until("do")
        return Loop(test, self._do())

    def _do(self) -> Script:
        self.skip_lines()
        closer = {"do": "done", "{": "}"}[self._take("do", "{")]
        body = self._until(closer)
        self._take(closer)
        return body

    def _for(self) -> Node:
        self.bashisms |= self._take("for", "select") == "select"
        self.skip_blanks()
        if self.starts("(("):
            return self._counted_for()
        name = self.word().literal
        if name is None or not NAME.fullmatch(name):
            raise Unparsed("a loop has no name")
        self.skip_lines()
        words: list[Word] | None = None
        if self.starts("in") and (self.at + 2 >= len(self.text) or self.text[self.at + 2] in META):
            self.at += 2
            words = []
            self.skip_blanks()
            while self.peek() and self.peek() not in ";\n#":
                words.append(self.word())
                self.skip_blanks()
        self._skip_semicolon()
        return For(name, None if words is None else tuple(words), self._do())

    def _skip_semicolon(self) -> None:
        self.skip_blanks()
        if self.starts(";") and not self.starts(";;"):
            self.at += 1

    def _counted_for(self) -> CountedFor:
        self.bashisms = True
        self.at += 2
        parts = self._calculated("(", ")")
        self.expect("))")
        self._skip_semicolon()
        return CountedFor(tuple(parts), self._do())

    def _case(self) -> Case:
        self._take("case")
        self.skip_blanks()
        word = self.word()
        self.skip_lines()
        if self.word().literal != "in":
            raise Unparsed("'in' is missing")
        patterns: list[Word] = []
        bodies: list[Script] = []
        self.skip_lines()
        while self._keyword() != "esac":
            patterns += self._patterns()
            bodies.append(self._case_body())
            self.skip_lines()
        self._take("esac")
        return Case(word, tuple(patterns), tuple(bodies))

    def _patterns(self) -> list[Word]:
        found: list[Word] = []
        if self.starts("("):
            self.at += 1
        while True:
            self.skip_blanks()
            found.append(self.word())
            self.skip_blanks()
            if self.starts(")"):
                self.at += 1
                return found
            self.expect("|")

    # ── [[ … ]] ───────────────────────────────────────────────────────────────────────────────
    def _condition(self) -> Condition:
        self.bashisms = True
        self._take("[[")
        words: list[Word] = []
        calculated: list[Word] = []
        previous = ""
        self.skip_lines()
        while True:
            if not self.peek():
                raise Unparsed("']]' is missing")
            operator = self._condition_operator()
            if operator:
                previous = operator
            else:
                word = self._operand(previous)
                if word.literal == "]]":
                    break
                if previous in _CALCULATES:
                    calculated += [*words[-2:-1], word]
                if previous in ("-v", "-R"):
                    calculated.append(word)
                words.append(word)
                previous = word.literal or ""
            self.skip_lines()
        return Condition(tuple(words), tuple(calculated))

    def _condition_operator(self) -> str:
        for operator in ("&&", "||", "(", ")"):
            if self.starts(operator):
                self.at += len(operator)
                return operator
        if self.peek() in ("<", ">") and self.peek(2)[1:] != "(":
            self.at += 1
            return self.text[self.at - 1]
        return ""

    def _operand(self, previous: str) -> Word:
        if previous not in ("=~", "==", "=", "!="):
            return self.word()
        start = self.at
        found: list[Part] = []
        level = 0
        while self.at < len(self.text):
            found += self.parts(META)
            char = self.peek()
            if char == ")" and level == 0:
                break
            if char not in ("(", ")", "|") and not (level and char in (" ", "<", ">", "&", ";")):
                break
            level += {"(": 1, ")": -1}.get(char, 0)
            if char == "|" and level == 0 and previous != "=~":
                break
            if self.starts("||") and level == 0:
                break
            found.append(Text(char, quoted=True))
            self.at += 1
        if level or not found:
            raise Unparsed("a pattern is not closed")
        return Word(tuple(found), start, self.at)

    # ── functions, coprocesses ────────────────────────────────────────────────────────────────
    def _function_keyword(self) -> Function:
        self.bashisms = True
        self._take("function")
        self.skip_blanks()
        name = self.word().literal
        if name is None:
            raise Unparsed("a function has no plain name")
        self.skip_blanks()
        if self.starts("("):
            self.at += 1
            self.skip_blanks()
            self.expect(")")
        return self._function_body(name)

    def _function_body(self, name: str) -> Function:
        self.skip_lines()
        keyword = self._keyword()
        if not self.starts("(") and keyword in _NO_COMPOUND:
            raise Unparsed("a function has no body")
        return Function(name, self._compound(keyword))

    def _coprocess(self) -> Coprocess:
        self.bashisms = True
        self._take("coproc")
        self.skip_blanks()
        saved = self.at
        if self.starts("(") or self._keyword() not in ("", "!", "time"):
            return Coprocess(self._compound(self._keyword()))
        name = self.word(subscripts=True).literal
        self.skip_blanks()
        if name and (self.starts("(") or self._keyword() not in ("", "!", "time", "}")):
            return Coprocess(self._compound(self._keyword()))
        self.at = saved
        return Coprocess(self._simple_or_function())
