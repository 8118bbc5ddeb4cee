"""The manifest keeps its own rules, and the check between tests and entries works both ways."""

import json
import re
import shutil
import textwrap
from pathlib import Path

import pytest

import requirements
from requirements import ALL, BY_ID, NOT_REQUIREMENTS, Status, claimants, read_claims

pytest_plugins = ["pytester"]

RANGES = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def test_ids_are_unique_well_formed_and_without_gaps() -> None:
    for spec in range(5):
        ids = sorted(entry.id for entry in ALL if entry.spec == spec)
        assert ids == [f"S{spec}-{number:03}" for number in range(1, len(ids) + 1)]


def test_every_statement_is_one_line() -> None:
    assert [r.id for r in ALL if not r.statement.strip() or "\n" in r.statement] == []


def test_no_two_entries_of_a_part_say_the_same() -> None:
    assert len({(r.spec, r.part, r.statement) for r in ALL}) == len(ALL)


def test_every_entry_names_its_lines() -> None:
    ranges = [entry.lines for entry in ALL]
    ranges += [other.lines for spec in NOT_REQUIREMENTS for other in spec]
    assert [lines for lines in ranges if not RANGES.fullmatch(lines)] == []


def test_every_deviation_has_a_reason_and_nothing_else_does() -> None:
    assert [r.id for r in ALL if bool(r.reason) != (r.status is Status.DEVIATES)] == []


def test_every_done_entry_is_claimed_by_a_test() -> None:
    tests = claimants(read_claims())
    assert [r.id for r in ALL if r.status is Status.DONE and r.id not in tests] == []


def test_every_claim_names_an_entry_that_is_done_or_deviates() -> None:
    complaints = []
    for test, keys in read_claims().items():
        for key in keys:
            if key not in BY_ID:
                complaints.append(f"{test} claims unknown {key}")
            elif BY_ID[key].status is Status.PLANNED:
                complaints.append(f"{test} claims {key}, which is planned: flip it to done")
    assert complaints == []


def test_claims_are_read_from_functions_classes_and_modules(tmp_path: Path) -> None:
    source = """
        import pytest
        pytestmark = [pytest.mark.slow, pytest.mark.requirement("S0-001")]

        @pytest.mark.requirement("S0-002", "S0-003")
        async def test_one(): ...

        @pytest.mark.requirement("S0-004")
        class TestMany:
            def test_two(self): ...
            def helper(self): ...
    """
    file = tmp_path / "tests" / "deep" / "test_x.py"
    file.parent.mkdir(parents=True)
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    assert read_claims(tmp_path / "tests") == {
        "tests/deep/test_x.py::test_one": ("S0-001", "S0-002", "S0-003"),
        "tests/deep/test_x.py::TestMany::test_two": ("S0-001", "S0-004"),
    }


def test_the_json_view_lists_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert requirements.main(["--json"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert len(view["requirements"]) == view["summary"]["all"]["total"] == len(ALL)
    assert {"id", "spec", "part", "statement", "status", "reason", "dialect", "tests"} <= set(
        view["requirements"][0]
    )


def test_a_line_of_a_specification_without_entry_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after_the_end = 100_000 * "\n" + "A new demand."
    (tmp_path / "0-x.md").write_text(after_the_end, encoding="utf-8")
    assert requirements.main(["--check-specs", str(tmp_path)]) == 1
    assert "0-x.md:100001: A new demand." in capsys.readouterr().out


def test_absent_specifications_are_no_fault(tmp_path: Path) -> None:
    assert requirements.main(["--check-specs", str(tmp_path / "nowhere")]) == 0


# --- the plugin, on a small project of the same make ---------------------------------------------

MANIFEST = """
    from specs import NotRequirement, Parts, deviates, done, planned

    REQUIREMENTS: Parts = {
        "Part": (
            done("S0-001", "1", "first"),
            done("S0-002", "2", "second"),
            planned("S0-003", "3", "third"),
            deviates("S0-004", "4", "fourth", reason="better"),
            deviates("S0-005", "5", "fifth", reason="better"),
        ),
    }
    NOT_REQUIREMENTS: tuple[NotRequirement, ...] = ()
"""
EMPTY = "REQUIREMENTS = {}\nNOT_REQUIREMENTS = ()\n"
SETTINGS = """
    [pytest]
    pythonpath = tests
    addopts = --import-mode=importlib -p no:cacheprovider -p no:hypothesispytest -p no:asyncio
        -p no:anyio -p no:langsmith_plugin
"""
MACHINERY = ("requirements.py", "requirement_plugin.py", "specs/__init__.py")

GOOD = """
    import pytest

    @pytest.mark.requirement("S0-001", "S0-002")
    def test_both(): ...
"""
UNKNOWN = GOOD.replace("S0-002", "S0-010")
UNCLAIMED = GOOD.replace(', "S0-002"', "")
FAILING = GOOD.replace("...", "assert False")
NOT_RUN = """
    import pytest

    @pytest.mark.requirement("S0-001")
    @pytest.mark.skip
    def test_skipped(): ...

    @pytest.mark.requirement("S0-002")
    @pytest.mark.xfail
    def test_expected_to_fail(): assert False

    @pytest.mark.requirement("S0-004")
    @pytest.mark.skip
    def test_deviation(): ...
"""

serial_and_parallel = pytest.mark.parametrize("how", [(), ("-n", "2")], ids=["serial", "xdist"])


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with the real machinery, five entries and no test yet."""
    tests = pytester.mkdir("tests")
    (tests / "specs").mkdir()
    for name in MACHINERY:
        shutil.copy(Path(__file__).parent / name, tests / name)
    files = {f"specs/spec{number}.py": EMPTY for number in range(5)}
    files["specs/spec0.py"] = textwrap.dedent(MANIFEST)
    files["conftest.py"] = 'pytest_plugins = ["requirement_plugin"]\n'
    for name, text in files.items():
        (tests / name).write_text(text, encoding="utf-8")
    pytester.makeini(textwrap.dedent(SETTINGS))
    return pytester


def run(project: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    """What pytest says of these tests, in a process of its own with its own manifest."""
    file = project.path / "tests" / "test_small.py"
    file.write_text(textwrap.dedent(tests), encoding="utf-8")
    return project.runpytest_subprocess(*arguments)


@serial_and_parallel
def test_a_run_that_shows_all_done_entries_passes(
    project: pytest.Pytester, how: tuple[str, ...]
) -> None:
    assert run(project, GOOD, *how).ret == pytest.ExitCode.OK


@serial_and_parallel
def test_an_unknown_id_fails_the_collection(project: pytest.Pytester, how: tuple[str, ...]) -> None:
    result = run(project, UNKNOWN, *how)
    assert result.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED)
    result.stdout.fnmatch_lines(["*test_small.py::test_both claims*", "*S0-010; nearest: S0-0*"])
    result.stdout.no_fnmatch_line("S0-001 *")


@serial_and_parallel
def test_a_done_entry_whose_test_fails_is_named(
    project: pytest.Pytester, how: tuple[str, ...]
) -> None:
    result = run(project, FAILING, *how)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["S0-001 done, Part: first (failed)"])


@serial_and_parallel
def test_a_done_entry_without_a_test_fails_the_run(
    project: pytest.Pytester, how: tuple[str, ...]
) -> None:
    result = run(project, UNCLAIMED, *how)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["S0-002 done, Part: second (no test)"])
    result.stdout.no_fnmatch_line("S0-001 *")


def test_skipped_and_expected_failures_show_nothing(project: pytest.Pytester) -> None:
    result = run(project, NOT_RUN)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "S0-001 done, Part: first (skipped)",
            "S0-002 done, Part: second (xfailed)",
            "S0-004 deviates, Part: fourth (skipped)",
        ]
    )
    result.stdout.no_fnmatch_line("S0-005 *")


@pytest.mark.parametrize("choice", ["-kboth", "tests/test_small.py"])
def test_a_partial_run_judges_nothing(project: pytest.Pytester, choice: str) -> None:
    assert run(project, UNCLAIMED, choice).ret == pytest.ExitCode.OK
