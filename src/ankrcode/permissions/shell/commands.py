"""The shell, played through: every command a line may run, in the order it may run them.

Nothing is executed. Where the line can go two ways both are followed, loops until nothing new is
learned; what each command prints is followed as far as it is known, so that `cat $(git ls-files)`
can be told from `cat $(curl …)`.
"""

from collections.abc import Callable

from ankrcode.permissions.effects import Ledger
from ankrcode.permissions.places import Places
from ankrcode.permissions.shell import simple, variables
from ankrcode.permissions.shell.expansion import Expander
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.redirects import Redirected, redirect
from ankrcode.permissions.shell.scope import ANYTHING, NOTHING, Scope
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
    Pipeline,
    Redirect,
    Script,
    Simple,
    Subshell,
)
from ankrcode.permissions.shell.values import (
    ANY,
    MAX_ITEMS,
    MAX_OPTIONS,
    OUTSIDE,
    Arg,
    Args,
    Value,
    constant,
    joined,
    scalar,
    widened,
)
from ankrcode.permissions.touching import Touching

MAX_DEPTH = 8
MAX_ROUNDS = 4


class Shell:
    """Plays lines through and writes down what it finds."""

    def __init__(self, ledger: Ledger, places: Places) -> None:
        self.ledger = ledger
        self.places = places
        self.expander = Expander(ledger, places, self.substitute)
        self.touching = Touching(ledger, places)
        self._forms: dict[type, Callable[..., Args]] = {
            Simple: self._simple,
            Pipeline: self._pipeline,
            Script: self.run_script,
            Subshell: self._subshell,
            Group: self._group,
            Branches: self._branches,
            Loop: self._loop,
            For: self._for,
            CountedFor: self._counted_for,
            Case: self._case,
            Function: self._function,
            Condition: self._condition,
            Calculation: self._calculation,
            Coprocess: self._coprocess,
        }

    # ── text and arguments ────────────────────────────────────────────────────────────────────
    def run_text(self, text: str, scope: Scope) -> Args:
        """A script given as text: `bash -c`, `eval`, `trap` … (or the line itself)."""
        if scope.depth > MAX_DEPTH:
            self.ledger.doubt("commands are nested too deeply")
            return ANYTHING
        parsed = parse(text)
        if parsed.fault:
            self.ledger.doubt(parsed.fault)
        if scope.is_posix and parsed.bashisms:
            self.ledger.doubt("sh may read this otherwise than bash")
        return self.run_script(parsed.script, scope)

    def run_argv(self, args: Args, scope: Scope) -> Args:
        """A command given as arguments by another command."""
        if scope.depth > MAX_DEPTH:
            self.ledger.doubt("commands are nested too deeply")
            return ANYTHING
        return simple.run(self, args, scope)

    def substitute(self, script: Script, scope: Scope) -> Args:
        inner = scope.copy()
        return self.run_script(script, inner)

    # ── lists and pipelines ───────────────────────────────────────────────────────────────────
    def run(self, node: Node, scope: Scope) -> Args:
        return self._forms[type(node)](node, scope)

    def run_script(self, script: Script, scope: Scope) -> Args:
        outputs: list[Args] = []
        start = scope.cwds
        following = [operator for operator, _ in script.items[1:]] + [";"]
        for (operator, node), after in zip(script.items, following, strict=False):
            before = scope.copy() if operator in ("&&", "||") else None
            outputs.append(self.run(node, scope))
            if before is not None:
                self._maybe(before, scope, is_and=operator == "&&")
            if after != "&&":
                if scope.cwds != start:  # the folder may not exist: then it stays where it was
                    scope.moved_from = start
                start = scope.cwds
        return printed(outputs)

    def _maybe(self, before: Scope, scope: Scope, *, is_and: bool) -> None:
        """Behind && or ||: it ran, or it did not. A folder entered for && stays certain."""
        after = scope.copy()
        scope.become([before, after])
        if is_and and after.cwds != before.cwds:
            scope.cwds = after.cwds

    def _pipeline(self, node: Pipeline, scope: Scope) -> Args:
        given = scope.stdin
        for command in node.commands:
            inner = scope.copy()
            inner.stdin = given
            inner.forks += 1
            given = self.run(command, inner)
        return given

    def _coprocess(self, node: Coprocess, scope: Scope) -> Args:
        inner = scope.copy()
        inner.forks += 1
        inner.stdin = ANYTHING
        self.ledger.lingers = True
        if scope.endless:
            self.ledger.ask("endless", "execute", "&")
        return self.run(node.body, inner)

    # ── compound commands ─────────────────────────────────────────────────────────────────────
    def _redirected(self, redirects: tuple[Redirect, ...], scope: Scope) -> Redirected:
        return redirect(self, redirects, scope)

    def _subshell(self, node: Subshell, scope: Scope) -> Args:
        inner = scope.copy()
        return self._within(node.body, node.redirects, inner)

    def _group(self, node: Group, scope: Scope) -> Args:
        return self._within(node.body, node.redirects, scope)

    def _within(self, body: Script, redirects: tuple[Redirect, ...], scope: Scope) -> Args:
        found = self._redirected(redirects, scope)
        saved, scope.stdin = scope.stdin, found.stdin or scope.stdin
        output = self.run_script(body, scope)
        scope.stdin = saved
        return NOTHING if found.takes_output else output

    def _branches(self, node: Branches, scope: Scope) -> Args:
        ends: list[Scope] = []
        outputs: list[Args] = []
        for test, body in node.branches:
            if test is not None:
                outputs.append(self.run_script(test, scope))
            inner = scope.copy()
            outputs.append(self.run_script(body, inner))
            ends.append(inner)
        scope.become([*ends, scope.copy()])
        return printed(outputs)

    def _case(self, node: Case, scope: Scope) -> Args:
        self.expander.text(node.word.parts, scope)
        for pattern in node.patterns:
            self.expander.text(pattern.parts, scope)
        ends: list[Scope] = []
        outputs: list[Args] = []
        for body in node.bodies:
            inner = scope.copy()
            outputs.append(self.run_script(body, inner))
            ends.append(inner)
        scope.become([*ends, scope.copy()])
        return printed(outputs)

    def _loop(self, node: Loop, scope: Scope) -> Args:
        is_endless = _is_always_true(node.test)
        whole = Script((*node.test.items, *node.body.items))
        return self._repeat(whole, scope, endless=is_endless)

    def _repeat(self, body: Script, scope: Scope, *, endless: bool = False) -> Args:
        """Round after round, until a round teaches nothing new."""
        output: Args = NOTHING
        for _ in range(MAX_ROUNDS):
            before = scope.copy()
            inner = scope.copy()
            inner.endless |= endless
            output = self.run_script(body, inner)
            scope.become([before, inner])
            if scope.is_like(before):
                return several(output)
        for name in inner.variables:  # still changing: nobody knows what they hold
            if inner.variables[name] != before.variables.get(name):
                scope.variables[name] = Value(((Arg(ANYTHING[0].pieces),),))
        self.run_script(body, scope.copy())
        return several(output)

    def _for(self, node: For, scope: Scope) -> Args:
        options = scope.positional
        if node.words is not None:
            options = self.expander.words(node.words, scope)
        items = list(dict.fromkeys(arg for option in options for arg in option))
        items = [ANY if arg.pieces == OUTSIDE.pieces else arg for arg in items]  # never empty here
        if variables.danger(node.name):
            self.ledger.ask("variable", "change", node.name)
        if not items:
            return NOTHING
        if len(items) > MAX_ITEMS:
            items = [*[item for item in items if _is_far(item)][:MAX_ITEMS], widened(items)]
        scope.variables[node.name] = Value(
            tuple((Arg(item.pieces, computed=True),) for item in items)
        )
        return self._repeat(node.body, scope)

    def _counted_for(self, node: CountedFor, scope: Scope) -> Args:
        self.expander.calculate(node.parts, scope)
        return self._repeat(node.body, scope, endless=_is_blank(node))

    # ── functions, tests ──────────────────────────────────────────────────────────────────────
    def _function(self, node: Function, scope: Scope) -> Args:
        """Defined, not called: what it does is judged where it is called, or at the end."""
        scope.functions[node.name] = (node,)
        self.ledger.uncalled[node.name] = node
        return NOTHING

    def finish(self, scope: Scope) -> None:
        """Functions that nothing called: somebody may call them later."""
        for node in list(self.ledger.uncalled.values()):
            inner = scope.copy()
            inner.functions = {**scope.functions, node.name: (node,)}
            self.call(node, ANYTHING, inner)

    def call(self, node: Function, args: Args, scope: Scope) -> Args:
        entered = dict(scope.calls)
        if node.name in entered:
            if scope.forks > entered[node.name]:
                self.ledger.block("fork_bomb", "execute", node.name)
            else:
                self.ledger.ask("recursion", "execute", node.name)
            return ANYTHING
        saved = scope.positional, scope.calls
        scope.positional = (args,)
        output = self._enter(node, scope)
        scope.positional, scope.calls = saved
        return output

    def _enter(self, node: Function, scope: Scope) -> Args:
        self.ledger.uncalled.pop(node.name, None)
        scope.variables["FUNCNAME"] = scalar(constant(node.name))
        scope.calls = (*scope.calls, (node.name, scope.forks))
        self.ledger.step()
        return self.run(node.body, scope)

    def _condition(self, node: Condition, scope: Scope) -> Args:
        for word in node.words:
            self.expander.text(word.parts, scope)
        for word in node.arithmetic:
            self.expander.calculate(word.parts, scope)
        return NOTHING

    def _calculation(self, node: Calculation, scope: Scope) -> Args:
        self.expander.calculate(node.parts, scope)
        return NOTHING

    def _simple(self, node: Simple, scope: Scope) -> Args:
        return simple.judge(self, node, scope)


def printed(outputs: list[Args]) -> Args:
    """What commands in a row print together."""
    found: Args = NOTHING
    for output in outputs:
        if output == NOTHING:
            continue
        if found == NOTHING:
            found = output
        elif len(found) * len(output) <= MAX_OPTIONS:
            found = tuple(joined(left, right) for left in found for right in output)
        else:
            return ANYTHING
    return found


def several(output: Args) -> Args:
    """What a loop prints: the same again and again."""
    hole = output[0].hole if len(output) == 1 else None
    if output == NOTHING or (hole is not None and hole.kind == "path"):
        return output
    return ANYTHING


def _is_far(arg: Arg) -> bool:
    """Leads out of the folder, or is an option: worth a look of its own among many."""
    return arg.prefix.startswith(("/", ".", "-", "~"))


def _is_always_true(test: Script) -> bool:
    for _, node in test.items[-1:]:
        words = node.words if isinstance(node, Simple) else ()
        if len(words) == 1 and words[0].literal in (":", "true"):
            return True
    return False


def _is_blank(node: CountedFor) -> bool:
    """`for ((;;))`: there is no test."""
    text = "".join(getattr(part, "text", "x") for part in node.parts)
    _, _, rest = text.partition(";")
    return not rest.partition(";")[0].strip()
