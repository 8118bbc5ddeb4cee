"""Which commands run tests: the runners of many languages, and what they were told to run. Wide
on purpose: a run that is not seen would accuse an honest answer."""

import re
from itertools import pairwise

from msgspec import Struct

from ankrcode.agent.commands import Simple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A program that is a runner by itself.
_PROGRAMS = _words(
    """pytest py.test nosetests nose2 tox nox ward trial stestr behave green
    jest vitest mocha ava tap jasmine karma cypress playwright
    gotestsum ginkgo rspec cucumber minitest phpunit pest codecept ctest busted bats prove
    gtest bazel-test wtr web-test-runner elm-test"""
)
# A program that runs tests when one of its words says so.
_BY_WORD = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "deno", "npx", "bunx"), "test"),
    **dict.fromkeys(("go", "cargo", "dotnet", "mix", "lein", "swift", "zig", "dart"), "test"),
    **dict.fromkeys(("flutter", "stack", "cabal", "sbt", "bazel", "xcodebuild", "meson"), "test"),
    **dict.fromkeys(("make", "gmake", "ninja", "just", "task", "rake", "invoke"), "test"),
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew", "ant", "composer"), "test"),
    **dict.fromkeys(("rails", "artisan", "manage.py", "setup.py", "hatch", "pdm", "rye"), "test"),
    **dict.fromkeys(("turbo", "nx", "moon", "lerna", "ng", "vue-cli-service", "cmake"), "test"),
}
_MORE_WORDS = re.compile(
    r"tests?|check|verify|ci|spec|nextest|unit\w*|e2e|coverage|.*[:_-]tests?.*|tests?[:_-].*"
)
_FREE = _words("npm yarn pnpm bun make gmake just task rake composer hatch cargo cmake")
_BUILDS = {
    **dict.fromkeys(("mvn", "mvnw"), frozenset(("package", "install", "verify"))),
    **dict.fromkeys(("gradle", "gradlew"), frozenset(("build", "check"))),
}
_RUN_THROUGH = _words(
    """uv uvx pipx poetry pipenv pdm hatch rye conda npx pnpm yarn bun bunx bundle docker
    docker-compose podman kubectl nix direnv coverage python python3 python2 py pypy3 php ruby perl
    node deno tsx ts-node xargs watch cd pushd"""
)
_SHORT = {"npm": ("t", "tst"), "cargo": ("t",), "yarn": ("t",), "pnpm": ("t",)}
_OF_PACKAGES = frozenset(("--with", "--from", "--extra", "--group", "--package", "--spec"))
# Programs that look, move or check something; tests are at most what they speak of.
_NO_TESTS = _words(
    """cat less head tail ls tree find fd grep rg ag sed awk sort uniq wc diff cmp stat file du
    echo printf true false test [ which type command man git svn hg cp mv rm mkdir touch chmod
    ln tar zip unzip curl wget jq yq pip pip3 apt brew ruff black isort flake8 pylint mypy pyright
    eslint prettier tsc gofmt rustfmt clippy cd pushd popd export source . set unset sleep kill ps
    code vim nano tee exit return local read wait"""
)
_SPEAKS_OF_TESTS = re.compile(
    r"test|spec|nose|eunit|\bassert|^(?:ci|ct|checks?|verify|validate|qa|all|pre-?commit|pre-?push"
    r"|preflight|robot|behat|newman|hurl|wdio|nightwatch|detox|karate|gauge|uvu|qunit|tape|k6"
    r"|tarpaulin|llvm-cov|mutmut|slipcover)\b",
    re.IGNORECASE,
)
# They look, but may be told to run something.
_RUNS_FOR_EACH = {
    "git": ("bisect", "--exec", "-x"),
    **dict.fromkeys(("find", "fd"), ("-exec", "-execdir", "--exec", "-x", "-X")),
}
_SKIPS = re.compile(
    r"-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|--skip-tests", re.IGNORECASE
)
_COMPILES = _words("py_compile compileall build check vet fmt clippy lint typecheck format doc")
_SUMMED_UP = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing)\b|test result: (?:ok|FAILED)|Tests run: \d"
    r"|\b\d+ (?:examples?|tests?|assertions?), |^OK \(\d|^Ran \d+ tests? in|^ok\s+\S+\s+[\d.]+s",
    re.MULTILINE,
)
_INTERPRETERS = re.compile(
    r"(?:python[\d.]*|pypy\d*|php|ruby|perl|node|bash|sh|zsh|julia|Rscript|lua)"
)
_SCRIPT = re.compile(
    r"(?:^|[/_.-])(?:run)?_?(?:tests?|specs?|check|ci)(?:[_.-]|$)|_test\.|test_", re.I
)
_ONLY_LOOKS = _words(
    """--collect-only --co --version --help -h --no-run --list --listTests --list-tests --dry-run
    --fixtures --markers --setup-plan -list --showConfig --init"""
)
_INSTALLS = frozenset(("install", "add", "i", "ci", "uninstall", "remove", "init", "create"))
_WITH_VALUE = _words(
    """-n -p -c -o -W --maxfail --tb --cov --durations --timeout --junitxml --junit-xml --rootdir
    --cov-report --numprocesses --dist --config --reporter --project -j --jobs --count -count
    --manifest-path --features --profile --target -e --env --color --capture -r -f --format
    --retries --workers -C --directory --logger"""
)
_FILTERS = _words(
    """-k -m -t --testNamePattern -run --run --filter --grep -g --test --tests -Dtest --example
    --deselect --ignore -only --only --package --lib --bin --doc -R"""
)
_EVERYTHING = frozenset(
    ("./...", "//...", ".", "./", "tests", "tests/", "test", "test/", "spec", "spec/", "all")
)


class Run(Struct, frozen=True, kw_only=True):
    """A run of tests: the program, and what it was told to run of them."""

    command: str
    runner: str = ""
    paths: tuple[str, ...] = ()  # files and folders
    filters: tuple[str, ...] = ()  # single tests, by name

    @property
    def is_whole(self) -> bool:
        return not self.paths and not self.filters


def run_of(simple: Simple) -> Run | None:
    """The run of tests that this command is, if it is one."""
    words = simple.words
    names = [word.rpartition("/")[2] for word in words]
    if _only_looks(words):
        return None
    at = _runner(names, words)
    if at is None:
        return None
    paths, filters = _selection(words[at + 1 :])
    return Run(
        command=" ".join(words)[:200],
        runner=names[at],
        paths=tuple(paths),
        filters=tuple(filters),
    )


def may_be_run(simple: Simple, text: str) -> bool:
    """Something that may have run tests where nobody can tell: by what it says, or printed."""
    words, program = simple.words, simple.words[0].rpartition("/")[2]
    if program in _RUNS_FOR_EACH and any(word in _RUNS_FOR_EACH[program] for word in words[1:]):
        return speaks_of_tests(" ".join(words))
    if program in _NO_TESTS or _only_looks(words) or any(word in _INSTALLS for word in words[1:3]):
        return False
    if program in ("gh", "glab"):  # what ran elsewhere, looked at from here
        return words[1:2] in (("run",), ("ci",)) or "checks" in words[1:3]
    is_tool = program in _BY_WORD or program in _RUN_THROUGH
    if is_tool and any(word in _COMPILES for word in words[1:4]):
        return False
    return any(map(_SPEAKS_OF_TESTS.search, words)) or _SUMMED_UP.search(text) is not None


def speaks_of_tests(text: str) -> bool:
    return _SPEAKS_OF_TESTS.search(text) is not None


def _only_looks(words: tuple[str, ...]) -> bool:
    if any(word in _ONLY_LOOKS for word in words):
        return True
    if any(map(_SKIPS.fullmatch, words)):
        return True
    program = words[0].rpartition("/")[2]
    if program in ("gradle", "gradlew"):
        return any(pair in (("-x", "test"), ("-x", "check")) for pair in pairwise(words))
    return program == "make" and "-n" in words


def _runner(names: list[str], words: tuple[str, ...]) -> int | None:
    """Where in the command the runner ends, and its arguments begin."""
    for at, name in enumerate(names):
        stem = name.removesuffix(".exe").removesuffix(".cmd")
        if at and words[at - 1] in _OF_PACKAGES:
            continue  # what it needs, not what it runs
        if stem in _PROGRAMS or (stem in ("unittest", "doctest") and at and words[at - 1] == "-m"):
            return at
        if stem in _BY_WORD and (found := _by_word(stem, names, at)) is not None:
            return found
        if stem == "rake" and at == len(names) - 1:
            return at  # its default task
        if at and _is_script(names, words, at):
            return at
        if at == 0 and ("/" in words[0] or "." in name) and _SCRIPT.search(name):
            return at
        if stem == "node" and "--test" in words:
            return words.index("--test")
        if not _runs_others(stem, at):
            return None
    return None


def _is_script(names: list[str], words: tuple[str, ...], at: int) -> bool:
    """`python -u tests/test_a.py`: a file of tests, right behind whoever reads it."""
    options = at - 1
    while options > 0 and words[options].startswith("-"):
        options -= 1
    is_read = _INTERPRETERS.fullmatch(names[options]) is not None
    return is_read and not words[at].startswith("-") and _SCRIPT.search(names[at]) is not None


def _by_word(program: str, names: list[str], at: int) -> int | None:
    """`npm run test`, `go test`, `make check`, `gradle build`: the word may stand a bit later."""
    for later in range(at + 1, min(at + 6, len(names))):
        word = names[later].rpartition(":")[2] if program in _BUILDS else names[later]
        if program == "cargo" and word in _COMPILES:
            return None
        if (
            word in _INSTALLS
            and program not in _BUILDS
            and (word != "ci" or names[later - 1] == "npm")
        ):
            return None
        if word == _BY_WORD[program] or word in _BUILDS.get(program, ()):
            return later
        if word in _SHORT.get(program, ()):
            return later
        if program in _FREE and _MORE_WORDS.fullmatch(word):
            return later
    return None


def _runs_others(name: str, at: int) -> bool:
    """May the runner still come? Programs that only speak of one are passed by."""
    if at == 0:
        return name in _RUN_THROUGH or name in _BY_WORD or bool(_INTERPRETERS.fullmatch(name))
    return at < 8 and name not in _INSTALLS  # noqa: PLR2004 - wrappers and their options are short


def _selection(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    paths: list[str] = []
    filters: list[str] = []
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name in _FILTERS:
            filters.append(value or next(rest, ""))
        elif word in _WITH_VALUE:
            next(rest, None)
        elif word.startswith("-") or word in _EVERYTHING or word in ("run", "--"):
            continue
        elif "::" in word or "#" in word:
            filters.append(word)
        else:
            paths.append(word)
    return paths, filters
