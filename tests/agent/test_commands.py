"""Commands taken apart, and runs of tests found in them."""

import pytest

from ankrcode.agent.claims import claims_in
from ankrcode.agent.commands import taken_apart
from ankrcode.agent.evidence import covers, unsupported
from ankrcode.agent.ledger import Ledger, Ran
from ankrcode.agent.notes import SUMMARISED, note
from ankrcode.agent.outcomes import went
from ankrcode.agent.runners import Run, run_of
from ankrcode.agent.talk import may_claim
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.outcome import failure
from ankrcode.words import say


def simples(command: str) -> list[tuple[str, bool]]:
    return [(" ".join(one.words), one.is_masked) for one in taken_apart(command)]


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("pytest -q", [("pytest -q", False)]),
        ("cd a && pytest", [("cd a", False), ("pytest", False)]),
        ("pytest; echo done", [("pytest", True), ("echo done", False)]),
        ("pytest | tail -3", [("pytest", True), ("tail -3", False)]),
        (
            "set -o pipefail; pytest | cat",
            [("set -o pipefail", True), ("pytest", False), ("cat", False)],
        ),
        ("pytest || true", [("pytest", True), ("true", False)]),
        ("A=1 B=2 timeout -k 5 60 nice pytest", [("pytest", False)]),
        ("bash -lc 'cd x && go test ./...'", [("cd x", False), ("go test ./...", False)]),
        ("if true; then pytest; fi", [("true", True), ("pytest", False)]),
        ("(cd a; make test)", [("cd a", True), ("make test", False)]),
        ("pytest\nruff check", [("pytest", True), ("ruff check", False)]),
        ("echo 'a; b && c'", [("echo a; b && c", False)]),
        ("echo 'unbalanced", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_line_is_taken_apart(command: str, parts: list[tuple[str, bool]]) -> None:
    assert simples(command) == parts


def test_targets_of_output_are_seen() -> None:
    one, two = taken_apart("cat a > src/b.py 2>&1 && python x >> log.txt")
    assert one.targets == ("src/b.py",)
    assert one.words == ("cat", "a")
    assert two.targets == ("log.txt",)


def test_a_line_that_is_very_long_is_not_looked_at() -> None:
    assert taken_apart("x " * 20_000) == []


def found(command: str) -> Run | None:
    runs = [run for one in taken_apart(command) if (run := run_of(one)) is not None]
    return runs[-1] if runs else None


@pytest.mark.parametrize(
    "command",
    """pytest
    python -m pytest -x -n 4 --tb short
    python3.12 -m unittest discover
    python tests/test_a.py
    ./run_tests.sh
    scripts/test
    bash scripts/ci.sh
    tox -e py311
    nox -s tests
    npm test
    npm run test
    npm run test:ci
    npm run-script unit-tests
    yarn test --watchAll=false
    pnpm --filter app test
    bun test
    deno test -A
    npx jest
    npx playwright test
    node --test
    go test ./...
    gotestsum -- ./...
    cargo test
    cargo nextest run
    cargo +nightly test
    mvn -q -B verify
    ./mvnw test
    gradle check
    ./gradlew :app:test
    sbt test
    bundle exec rspec
    bundle exec rake spec
    bin/rails test
    ruby -Itest test/a_test.rb
    dotnet test
    vendor/bin/phpunit
    composer test
    php artisan test
    ctest --test-dir build
    make test
    make -C sub check
    make -j4 unit-tests
    just test
    mix test
    swift test
    flutter test
    stack test
    bats tests
    prove -r t
    docker compose exec -T web pytest
    docker run --rm img npm test
    poetry run pytest
    uv run --frozen pytest
    hatch run test
    conda run -n env pytest
    coverage run -m pytest
    xvfb-run -a pytest""".splitlines(),
    ids=str.strip,
)
def test_runs_of_tests_are_found(command: str) -> None:
    assert found(command.strip()) is not None


@pytest.mark.parametrize(
    "command",
    """echo pytest
    grep -r pytest .
    cat tests/test_a.py
    pip install pytest
    npm install jest
    pnpm add -D vitest
    cargo build
    cargo test --no-run
    go build ./...
    go vet ./...
    pytest --collect-only
    pytest --version
    jest --listTests
    make -n test
    make build
    npm run build
    git diff tests/test_a.py
    ls tests
    vim test_a.py
    which pytest
    rm tests/test_a.py""".splitlines(),
    ids=str.strip,
)
def test_what_only_speaks_of_tests_runs_none(command: str) -> None:
    assert found(command.strip()) is None


@pytest.mark.parametrize(
    ("command", "paths", "filters"),
    [
        ("pytest", (), ()),
        ("pytest -q -n 4 --tb short tests", (), ()),
        ("pytest tests/test_a.py", ("tests/test_a.py",), ()),
        ("pytest tests/test_a.py::test_b", (), ("tests/test_a.py::test_b",)),
        ("pytest -k login tests/", (), ("login",)),
        ("go test ./...", (), ()),
        ("go test ./pkg -run=TestX", ("./pkg",), ("TestX",)),
        ("cargo test parse", ("parse",), ()),
        ("npx jest src/a.test.ts -t adds", ("src/a.test.ts",), ("adds",)),
        ("npm test -- src/a.test.ts", ("src/a.test.ts",), ()),
        ("mvn test -Dtest=FooTest", (), ("FooTest",)),
        ("dotnet test --filter Name=X", (), ("Name=X",)),
    ],
)
def test_what_was_chosen_is_known(
    command: str, paths: tuple[str, ...], filters: tuple[str, ...]
) -> None:
    run = found(command)
    assert run is not None
    assert (run.paths, run.filters) == (paths, filters)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("===== 12 passed in 0.2s", "green"),
        ("===== 1 failed, 12 passed in 0.2s", "red"),
        ("Tests: 3 passed, 3 total", "green"),
        ("Tests: 1 failed, 2 passed", "red"),
        ("ok  \tmod/pkg\t0.01s", "green"),
        ("--- FAIL: TestX (0.00s)\nFAIL", "red"),
        ("test result: ok. 5 passed; 0 failed", "green"),
        ("test result: FAILED. 4 passed; 1 failed", "red"),
        ("Tests run: 4, Failures: 0, Errors: 0\nBUILD SUCCESS", "green"),
        ("Tests run: 4, Failures: 1, Errors: 0\nBUILD FAILURE", "red"),
        ("5 examples, 0 failures", "green"),
        ("5 examples, 2 failures", "red"),
        ("OK (12 tests, 30 assertions)", "green"),
        ("nothing to see", "unknown"),
    ],
)
def test_behind_a_pipe_the_output_tells(text: str, outcome: str) -> None:
    [piped, _] = taken_apart("pytest | tail")
    assert went(piped, 0, text) == outcome


def test_the_exit_code_counts_where_it_is_the_runners() -> None:
    [plain] = taken_apart("pytest")
    assert went(plain, 0, "1 failed in the name of a test") == "green"
    assert went(plain, 1, "12 passed") == "red"


# ── claims ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("answer", "scope", "names"),
    [
        ("All tests pass.", "all", ()),
        ("The tests pass now.", "some", ()),
        ("The full test suite passes.", "full", ()),
        ("`tests/test_a.py` passes.", "some", ("tests/test_a.py",)),
        ("**All 12 tests passed** ✅", "all", ()),
        ("After the change, 5/5 tests passing.", "some", ()),
        ("The code passes all tests.", "all", ()),
        ("test_login and test_logout both pass.", "some", ("test_login", "test_logout")),
        ("pytest is green.", "some", ()),
        ("test_will_not_fail passes.", "some", ("test_will_not_fail",)),
    ],
)
def test_claims_are_found(answer: str, scope: str, names: tuple[str, ...]) -> None:
    [claim] = claims_in(answer)
    assert (claim.scope, claim.names) == (scope, names)
    assert may_claim(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Now the tests should pass.",
        "I could not run the tests.",
        "The tests do not pass.",
        "If the tests pass, merge.",
        "Please make sure the tests pass.",
        "3 tests fail, 9 passed.",
        "I added tests for the password check.",
        "The test passes its input to the parser.",
        "This lets the tests pass the clock in.",
        "Only some tests pass.",
        "Next step: get the tests to pass.",
        "The specification is clear.",
        "Greenfield project.",
    ],
)
def test_other_words_claim_nothing(answer: str) -> None:
    assert claims_in(answer) == []


def test_a_run_covers_what_it_includes() -> None:
    [named] = claims_in("`tests/unit/test_auth.py` passes.")
    assert covers(Run(command="pytest"), named)
    assert covers(Run(command="pytest tests/unit", paths=("tests/unit",)), named)
    assert covers(Run(command="", filters=("tests/unit/test_auth.py::test_x",)), named)
    assert not covers(Run(command="", paths=("tests/unit/test_db.py",)), named)


# ── the ledger ────────────────────────────────────────────────────────────────────────────
def use(name: str, **arguments: str) -> ToolUsePart:
    return ToolUsePart(id=f"{name}-{len(arguments)}", name=name, arguments=dict(arguments))


def test_the_ledger_keeps_what_bears_on_claims_and_no_more() -> None:
    ledger = Ledger()
    ledger.note(
        [use("Read", file_path="a"), use("Write", file_path="b", content="x" * 9_999),
         use("Bash", command="pytest")],
        [ToolResult(), ToolResult(), ToolResult(text="y" * 9_999, metadata={"exit_code": 0})],
    )  # fmt: skip
    assert [one.tool for one in ledger.ran] == ["Write", "Bash"]
    assert ledger.ran[0].arguments == {"file_path": "b"}
    assert len(ledger.ran[1].text) < 2_000


def test_the_exit_code_of_a_failure_is_known() -> None:
    ledger = Ledger()
    error = ToolError("failed").coded(ErrorCode.EXECUTION_ERROR, exit_code=2)
    ledger.note([use("Bash", command="pytest")], [failure(error)])
    assert ledger.ran[0].exit_code == 2
    assert not ledger.ran[0].ok


def test_a_ledger_is_taken_up_from_a_conversation() -> None:
    def talk(text: str, *, is_error: bool) -> list[Message]:
        call = use("Bash", command="pytest")
        part = ToolResultPart(tool_use_id=call.id, text=text, is_error=is_error)
        return [Message(role="assistant", parts=(call,)), Message(role="user", parts=(part,))]

    green, red = Ledger(), Ledger()
    green.take_up(talk("2 passed", is_error=False))
    red.take_up(talk("1 failed", is_error=True))
    assert unsupported(green.ran, "All tests pass.") == ""
    assert "failed" in unsupported(red.ran, "All tests pass.")


def test_what_was_summarised_away_may_have_run() -> None:
    ledger = Ledger()
    ledger.take_up([Message(role="user", parts=(TextPart(text="hi"), note(f"{SUMMARISED} So.")))])
    assert unsupported(ledger.ran, "All tests pass.") == ""
    write = Ran(tool="Edit", arguments={"file_path": "a.py"})
    assert unsupported([*ledger.ran, write], "All tests pass.")


@pytest.mark.parametrize(("status", "is_noted"), [("completed", False), ("failed", True)])
@pytest.mark.parametrize("is_resumed", [False, True])
def test_the_end_of_a_run_in_the_background_counts_when_it_is_told(
    status: str, *, is_noted: bool, is_resumed: bool
) -> None:
    """Nobody needs to ask for its output: a note says that it ended."""
    ledger = Ledger()
    begun, looked = use("Bash", command="pytest"), use("Read", file_path="a.py")
    started = ToolResult(text="started", metadata={"task_id": "t-1"})
    ended = say("task_ended", task="t-1", title="pytest (all)", status=status)
    ledger.note([begun], [started])
    assert unsupported(ledger.ran, "All tests pass.")
    if is_resumed:
        ledger.take_up([Message(role="user", parts=(note(ended),))])
    else:
        ledger.note([looked], [ToolResult(text="x = 1", metadata={"notes": [ended]})])
    assert bool(unsupported(ledger.ran, "All tests pass.")) is is_noted


def test_a_tool_of_ones_own_that_tests_counts() -> None:
    ledger = Ledger()
    ledger.note([use("run_tests")], [ToolResult(text="fine")])
    assert unsupported(ledger.ran, "All tests pass.") == ""


def test_the_same_transcript_gives_the_same_note() -> None:
    ran = [Ran(tool="Edit", arguments={"file_path": "a.py"})]
    notes = {unsupported(ran, "All tests pass.") for _ in range(5)}
    assert len(notes) == 1
