"""Lines of bash made from its grammar: every construct, nested, in odd spellings.

The commands are names of canaries, so that a line can be run and what ran can be seen.
"""

import random
from collections.abc import Callable

NAMES = ("alpha", "beta", "gamma", "delta", "kappa", "lambda", "sigma", "omega")
TEXT = ("x", "-n", "a b", "1", "*.txt", "~", "{a,b}", "$y", "foo=bar", "é")


class Lines:
    """A source of lines; the same seed gives the same lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions = 0
        self.bodies: list[str] = []  # here-documents that stand behind the current line

    def line(self) -> str:
        self.bodies = []
        text = self.script(depth=self.pick_number(1, 1, 1, 2))
        for body in self.bodies:
            text += "\n" + body
        return text

    # ── choices ───────────────────────────────────────────────────────────────────────────────
    def one(self, *choices: Callable[[], str]) -> str:
        return self.random.choice(choices)()

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def pick_number(self, *choices: int) -> int:
        return self.random.choice(choices)

    def function(self) -> str:
        """A name that no other function has: none may call itself."""
        self.functions += 1
        return f"f{self.functions}"

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    # ── scripts ───────────────────────────────────────────────────────────────────────────────
    def script(self, depth: int) -> str:
        parts = [self.command(depth) for _ in range(self.pick_number(1, 1, 1, 2, 2, 3))]
        text = parts[0]
        for part in parts[1:]:
            text += self.pick(" ; ", ";", " && ", " || ", " | ", " & ", "|", " |& ", "&&") + part
        return text

    def inner(self, depth: int) -> str:
        """A script for a place where no here-document may hang over the line."""
        saved, self.bodies = self.bodies, []
        text = self.script(depth - 1) if depth > 0 else self.name()
        if self.bodies:
            text = self.name()
        self.bodies = saved
        return text

    def command(self, depth: int) -> str:
        if depth <= 0:
            return self.simple(0)
        if self.chance(55):
            return self.simple(depth)
        return self.one(
            lambda: f"({self.inner(depth)})",
            lambda: f"{{ {self.inner(depth)}; }}",
            lambda: f"if {self.inner(depth)}; then {self.inner(depth)}; fi",
            lambda: (
                f"if {self.inner(depth)}; then {self.inner(depth)}; else {self.inner(depth)}; fi"
            ),
            lambda: f"while {self.inner(depth)}; do {self.inner(depth)}; break; done",
            lambda: f"until ! {self.name()}; do {self.inner(depth)}; break; done",
            lambda: f"for i in {self.words(depth)}; do {self.inner(depth)}; done",
            lambda: f"for ((i=0; i<1; i++)); do {self.inner(depth)}; done",
            lambda: (
                f"case {self.word(depth)} in x|y) {self.inner(depth)};; *) {self.name()};; esac"
            ),
            lambda: f"case a in (a) {self.inner(depth)} ;& b) {self.name()} ;; esac",
            lambda: "{0}() {{ {1}; }}; {0}".format(self.function(), self.inner(depth)),
            lambda: "function {0} {{ {1}; }}; {0} x".format(self.function(), self.inner(depth)),
            lambda: f"[[ -n {self.word(depth)} && x == {self.word(depth)} ]]",
            lambda: f"(( 1 + $({self.inner(depth)}) + 0 ))",
            lambda: f"! {self.simple(depth)}",
            lambda: f"time {self.simple(depth)}",
            lambda: f"time -p {self.inner(depth)}",
            lambda: f"coproc {self.name()}",
            lambda: f"coproc Q {{ {self.inner(depth)}; }}",
            lambda: self.wrapped(depth),
        )

    def wrapped(self, depth: int) -> str:
        return self.one(
            lambda: f"env {self.simple_words(depth)}",
            lambda: f"env A=1 {self.simple_words(depth)}",
            lambda: f"nice -n 1 {self.simple_words(depth)}",
            lambda: f"timeout 5 {self.simple_words(depth)}",
            lambda: f"command {self.simple_words(depth)}",
            lambda: f"echo x | xargs {self.name()}",
            lambda: f"xargs -I% {self.name()} % <<< x",
            lambda: f"bash -c {self.quoted(self.inner(depth))}",
            lambda: f"eval {self.quoted(self.inner(depth))}",
            lambda: f"trap {self.quoted(self.name())} EXIT",
            lambda: f"bash <<< {self.quoted(self.name())}",
            lambda: f"echo {self.quoted(self.name())} | bash",
            lambda: f"exec {self.name()}",
        )

    def quoted(self, text: str) -> str:
        return "'" + text.replace("'", "'\\''") + "'"

    # ── simple commands ───────────────────────────────────────────────────────────────────────
    def simple(self, depth: int) -> str:
        text = self.simple_words(depth)
        if self.chance(15):
            text = f"{self.pick('A', 'B_1')}={self.word(depth)} {text}"
        if self.chance(20):
            text += " " + self.redirect(depth)
        if self.chance(8):
            text = f"{self.redirect(depth)} {text}"
        return text

    def simple_words(self, depth: int) -> str:
        text = self.odd_name(depth)
        for _ in range(self.random.randint(0, 2)):
            text += self.pick(" ", " ", "  ", "\t", " \\\n") + self.word(depth)
        return text

    def name(self) -> str:
        return self.pick(*NAMES)

    def odd_name(self, depth: int) -> str:
        """A command name in one of the ways that bash takes apart."""
        name = self.name()
        at = self.random.randint(1, len(name) - 1)
        left, right = name[:at], name[at:]
        if self.chance(60):
            return name
        return self.one(
            lambda: f"'{name}'",
            lambda: f'"{name}"',
            lambda: f"{left}\\{right}",
            lambda: f"{left}''{right}",
            lambda: f'{left}"{right}"',
            lambda: f"$'{left}\\x{ord(right[0]):02x}{right[1:]}'",
            lambda: f"{left}\\\n{right}",
            lambda: f"{{{name},x}}",
            lambda: f"$(echo {name})",
            lambda: f"`echo {name}`",
            lambda: f"${{nothing}}{name}",
            lambda: f"${{nothing:-{name}}}",
            lambda: f"$nothing {name}",
            lambda: f'$"{name}"',
            lambda: f"$({self.inner(depth)}) {name}",
        )

    def words(self, depth: int) -> str:
        return " ".join(self.word(depth) for _ in range(self.random.randint(1, 3)))

    def word(self, depth: int) -> str:
        if depth <= 0 or self.chance(60):
            return self.plain_word()
        return self.one(
            lambda: f"$({self.inner(depth)})",
            lambda: f'"$({self.inner(depth)})"',
            lambda: f'"a $({self.inner(depth)}) b"',
            lambda: f"`{self.name()}`",
            lambda: f'"`{self.name()} x`"',
            lambda: f"`{self.name()} \\`{self.name()}\\``",
            lambda: f"$(({self.random.randint(0, 9)} + $({self.name()} ; echo 1)))",
            lambda: f"${{y:-$({self.inner(depth)})}}",
            lambda: f'"${{y:-$({self.name()})}}"',
            lambda: f"${{y:=`{self.name()}`}}",
            lambda: f"${{PWD#$({self.name()})}}",
            lambda: f"${{PWD/x/$({self.name()})}}",
            lambda: f"${{PWD:$({self.name()};echo 0):1}}",
            lambda: f"<({self.inner(depth)})",
            lambda: f"a{{b,$({self.name()})}}c",
            lambda: f"x$({self.inner(depth)})y",
            lambda: f"$( {self.inner(depth)} # note\n)",
            lambda: f"$(({self.name()}); {self.name()})",
        )

    def plain_word(self) -> str:
        text = self.pick(*TEXT)
        return self.one(
            lambda: text.replace(" ", "\\ "),
            lambda: f"'{text}'",
            lambda: f'"{text}"',
            lambda: f"$'{text}\\t'",
            lambda: "'$(" + self.name() + ")'",
            lambda: '"\\$(' + self.name() + ')"',
            lambda: "\\`" + self.name() + "\\`",
            lambda: "a#b",
            lambda: "''",
        )

    def redirect(self, depth: int) -> str:
        return self.one(
            lambda: "> /dev/null",
            lambda: "2>&1",
            lambda: "2>/dev/null",
            lambda: "< /dev/null",
            lambda: "&> /dev/null",
            lambda: f"<<< {self.word(depth)}",
            lambda: self.here(depth),
            lambda: f"> >({self.name()})",
            lambda: f"< <({self.name()})",
            lambda: "3>&1",
            lambda: ">&2",
        )

    def here(self, depth: int) -> str:
        end = self.pick("EOF", "E", "'EOF'", '"E"', "\\E")
        plain = end.strip("'\"\\")
        dash = self.pick("", "-")
        inner = self.pick(
            f"text $({self.name()})",
            f"`{self.name()}`",
            f"${{y:-$({self.name()})}}",
            f"\\$({self.name()})",
            "plain 'text",
            f'"$({self.name()})"',
            f"$(( 1 + $({self.name()}; echo 1) ))",
        )
        tab = "\t" if dash else ""
        self.bodies.append(f"{tab}{inner}\n{tab}{plain}")
        return f"<<{dash}{end}"
