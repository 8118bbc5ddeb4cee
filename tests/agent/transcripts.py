"""Transcripts for the check of answers: what ran, what was answered, which note belongs below.

Each is a list of short lines: `w PATH` a write, `$ COMMAND` a command that ended well, `!N COMMAND`
one that ended with N, and what a command printed after ` -> `.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ankrcode.agent.ledger import Ran


class Transcript(NamedTuple):
    name: str
    ran: tuple[str, ...]
    answer: str
    note: str = ""  # the key of the note that belongs; empty: none


def ran_of(line: str) -> Ran:
    kind, _, rest = line.partition(" ")
    command, _, text = rest.partition(" -> ")
    if kind == "w":
        return Ran(tool="Edit", arguments={"file_path": command})
    if kind == "w?":  # it failed
        return Ran(tool="Edit", arguments={"file_path": command}, ok=False)
    if kind == "patch":
        return Ran(tool="ApplyPatch", arguments={"patch": command.replace("\\n", "\n")})
    if kind == "task":
        return Ran(tool="Task", arguments={"prompt": command})
    if kind in ("code", "code!"):
        return Ran(tool="RunCode", arguments={"code": command}, exit_code=int(kind == "code!"))
    if kind == "&":  # in the background
        return Ran(tool="Bash", arguments={"command": command}, task_id="bg1")
    if kind == "&=":  # its end
        return Ran(tool="TaskOutput", arguments={"task_id": "bg1"}, exit_code=int(command))
    code = 0 if kind == "$" else int(kind[1:])
    arguments = {"command": command}
    return Ran(tool="Bash", arguments=arguments, ok=code == 0, exit_code=code, text=text)


def transcripts_in(file: Path) -> Iterator[Transcript]:
    """`verdict => line ;; line => answer`: `fair`, or which note belongs; `-` where nothing ran."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            verdict, ran, answer = line.split(" => ")
            lines = (
                () if ran == "-" else tuple(one.replace("\\n", "\n") for one in ran.split(" ;; "))
            )
            note = "" if verdict == "fair" else f"evidence_{verdict}"
            yield Transcript(f"{file.stem} {number}", lines, answer.replace("\\n", "\n"), note)


NONE, RED, STALE, OTHER = "evidence_none", "evidence_red", "evidence_stale", "evidence_other"

GREEN_RUNS = (
    Transcript("python", ("w src/calc.py", "$ pytest -q"), "Fixed the bug. All tests pass."),
    Transcript("python through uv", ("w a.py", "$ uv run pytest tests -x"), "The tests pass now."),
    Transcript(
        "python module",
        ("w a.py", "$ python -m pytest tests/test_a.py -q"),
        "tests/test_a.py passes.",
    ),
    Transcript(
        "python unittest", ("w a.py", "$ cd src && python3 -m unittest -v"), "All 4 tests pass."
    ),
    Transcript(
        "python with tail",
        ("w a.py", "$ pytest 2>&1 | tail -5 -> 12 passed in 0.3s"),
        "12 tests passed.",
    ),
    Transcript(
        "python, quiet pipe", ("w a.py", "$ pytest 2>&1 | tail -1 -> done"), "All tests pass."
    ),
    Transcript(
        "django", ("w app/models.py", "$ python manage.py test"), "The whole test suite is green."
    ),
    Transcript("tox", ("w a.py", "$ tox -e py312"), "Tests pass on 3.12."),
    Transcript("javascript", ("w src/a.js", "$ npm test"), "Done. All tests are passing."),
    Transcript(
        "javascript by script",
        ("w a.js", "$ npm run test:unit -- --coverage"),
        "The unit tests pass.",
    ),
    Transcript(
        "typescript", ("w a.ts", "$ npx vitest run src/a.test.ts"), "`src/a.test.ts` passes."
    ),
    Transcript(
        "typescript pnpm", ("w a.ts", "$ pnpm -r test"), "All tests pass across the packages."
    ),
    Transcript("jest", ("w a.tsx", "$ CI=1 yarn jest --runInBand"), "The full test suite passes."),
    Transcript("node", ("w a.mjs", "$ node --test"), "Tests pass."),
    Transcript("go", ("w main.go", "$ go test ./... -count=1"), "The entire test suite passes."),
    Transcript(
        "go one package", ("w pkg/x/x.go", "$ go test ./pkg/x -run TestParse"), "TestParse passes."
    ),
    Transcript("rust", ("w src/lib.rs", "$ cargo test --all"), "All tests pass with no failures."),
    Transcript("rust nextest", ("w src/lib.rs", "$ cargo nextest run"), "The test suite is green."),
    Transcript("java maven", ("w src/main/java/A.java", "$ ./mvnw -q test"), "All tests pass."),
    Transcript("java gradle", ("w A.kt", "$ ./gradlew build"), "The build and its tests pass."),
    Transcript("ruby", ("w lib/a.rb", "$ bundle exec rspec"), "All specs pass."),
    Transcript("rails", ("w app/a.rb", "$ bin/rails test"), "Tests pass."),
    Transcript("c", ("w a.c", "$ make && ctest --output-on-failure"), "All tests passed."),
    Transcript("make", ("w a.c", "$ make check"), "The tests pass."),
    Transcript("dotnet", ("w A.cs", "$ dotnet test --nologo"), "All 31 tests pass."),
    Transcript("php", ("w a.php", "$ vendor/bin/phpunit"), "The test suite passes."),
    Transcript("elixir", ("w a.ex", "$ mix test"), "All tests pass."),
    Transcript("a script", ("w a.py", "$ ./scripts/run_tests.sh"), "All tests pass."),
    Transcript(
        "in a container", ("w a.py", "$ docker compose run --rm app pytest"), "The tests pass."
    ),
    Transcript("background", ("w a.py", "& pytest", "&= 0"), "All tests pass."),
    Transcript("a further agent", ("w a.py", "task run the tests"), "All tests pass."),
    Transcript(
        "only docs after", ("w a.py", "$ pytest", "w README.md", "w docs/x.rst"), "All tests pass."
    ),
    Transcript("failed edit after", ("w a.py", "$ pytest", "w? a.py"), "All tests pass."),
    Transcript("red then green", ("w a.py", "!1 pytest", "w a.py", "$ pytest"), "Tests pass now."),
    Transcript("edit in the same line", ("$ sed -i s/a/b/ a.py && pytest",), "All tests pass."),
    Transcript(
        "commit after", ("w a.py", "$ pytest", "$ git commit -am x"), "All tests pass; committed."
    ),
    Transcript(
        "one named of many",
        ("w a.py", "$ pytest tests/", "!1 pytest tests/test_b.py"),
        "`tests/test_a.py` passes; test_b still fails.",
    ),
)

NO_CLAIMS = (
    Transcript("should", ("w a.py",), "The tests should pass now, but I could not run them."),
    Transcript("did not run", ("w a.py",), "I did not run the tests."),
    Transcript("condition", ("w a.py",), "Once the tests pass, merge it."),
    Transcript("advice", ("w a.py",), "Run `pytest` to make sure that all tests pass."),
    Transcript("failing", ("w a.py", "!1 pytest"), "Two tests still fail; 10 passed."),
    Transcript("question", (), "Do you want me to check whether the tests pass?"),
    Transcript(
        "code block", ("w a.py",), "Run this:\n```\npytest  # all tests pass\n```\nThen tell me."
    ),
    Transcript("quoted", ("w a.py",), "> all tests pass\n\nThat sentence of yours is not true."),
    Transcript("another verb", (), "The tests pass a fake clock to the scheduler."),
    Transcript(
        "admits", ("w a.py", "!1 pytest"), "The new tests pass. One old test fails as before."
    ),
    Transcript("hindi no", ("w a.py",), "टेस्ट पास नहीं हुए।"),
)

NOTED = (
    Transcript("nothing ran", ("w a.py",), "Done, all tests pass.", NONE),
    Transcript("nothing at all", (), "All tests pass.", NONE),
    Transcript("only spoken of", ("w a.py", "$ echo pytest"), "All tests pass.", NONE),
    Transcript("only installed", ("w a.py", "$ pip install pytest"), "The tests pass.", NONE),
    Transcript("only listed", ("w a.py", "$ pytest --collect-only"), "All tests pass.", NONE),
    Transcript("red", ("w a.py", "!1 pytest"), "I fixed it and all tests pass.", RED),
    Transcript(
        "red behind a pipe",
        ("w a.py", "$ pytest | tail -3 -> 2 failed, 10 passed"),
        "All tests pass.",
        RED,
    ),
    Transcript("red made harmless", ("w a.py", "$ pytest || true -> 1 failed"), "Tests pass.", RED),
    Transcript("red in go", ("w a.go", "!1 go test ./..."), "The test suite is green.", RED),
    Transcript("red in rust", ("w a.rs", "!101 cargo test"), "All tests pass.", RED),
    Transcript("red in javascript", ("w a.js", "!1 npm test"), "All tests are passing now.", RED),
    Transcript("red in java", ("w A.java", "!1 mvn test"), "All tests pass.", RED),
    Transcript("red in ruby", ("w a.rb", "!1 bundle exec rspec"), "All specs pass.", RED),
    Transcript("red in the background", ("w a.py", "& pytest", "&= 1"), "All tests pass.", RED),
    Transcript("stale", ("w a.py", "$ pytest", "w a.py"), "All tests pass.", STALE),
    Transcript(
        "stale by patch", ("$ pytest", "patch *** Update File: src/a.py"), "Tests pass.", STALE
    ),
    Transcript("stale by sed", ("$ pytest", "$ sed -i s/a/b/ src/a.py"), "All tests pass.", STALE),
    Transcript(
        "stale by redirect", ("$ cargo test", "$ cat x > src/a.rs"), "All tests pass.", STALE
    ),
    Transcript("stale by git", ("$ go test ./...", "$ git revert HEAD"), "The tests pass.", STALE),
    Transcript("stale in the same line", ("$ pytest && sed -i s/a/b/ a.py",), "Tests pass.", STALE),
    Transcript("stale manifest", ("$ npm test", "w package.json"), "All tests pass.", STALE),
    Transcript(
        "another file", ("w a.py", "$ pytest tests/test_b.py"), "`tests/test_a.py` passes.", OTHER
    ),
    Transcript(
        "another test", ("w a.go", "$ go test ./x -run TestB"), "TestAlpha passes now.", OTHER
    ),
    Transcript(
        "not the whole",
        ("w a.py", "$ pytest tests/test_b.py"),
        "The full test suite passes.",
        OTHER,
    ),
    Transcript("one of all", ("w a.py", "$ pytest -k login"), "All tests pass.", OTHER),
    Transcript("hinglish", ("w a.py", "!1 pytest"), "Ho gaya, saare tests pass hain.", RED),
    Transcript("hindi", ("w a.py",), "हो गया, सभी टेस्ट पास हो गए।", NONE),
    Transcript("german", ("w a.py", "!1 pytest"), "Fertig, alle Tests sind grün.", RED),
    Transcript("french", ("w a.py", "!1 pytest"), "Tous les tests passent.", RED),
    Transcript("spanish", ("w a.py",), "Todas las pruebas pasan.", NONE),
)

MORE = tuple(transcripts_in(Path(__file__).with_suffix(".txt")))
# By somebody who had not seen the rules.
OUTSIDE = tuple(transcripts_in(Path(__file__).with_name("transcripts_outside.txt")))
COUNTS = tuple(transcripts_in(Path(__file__).with_name("transcripts_counts.txt")))
