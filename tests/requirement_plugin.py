"""Holds tests and requirements together: pytest fails when one side promises what the other lacks.

A claim of an unknown id stops the collection. At the end of a full run every entry that counts
as shown (done, or a deviation that some test claims) must have had at least one passing test.
"""

import difflib
from collections import defaultdict
from collections.abc import Generator

import pytest

from requirements import ALL, BY_ID, Requirement, Status

CLAIM = "requirement"  # claims travel as user properties, which xdist workers hand back
NARROWING = ("collectonly", "keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and start to watch."""
    config.addinivalue_line("markers", "requirement(*ids): the test shows these entries")
    config.pluginmanager.register(RequirementWatch(config), "requirement-watch")


class RequirementWatch:
    """Notes what came of the tests of each entry, and judges the whole at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.is_full_run = _runs_all_tests(config)
        self.outcomes: defaultdict[str, set[str]] = defaultdict(set)
        self.unshown: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_pycollect_makeitem(
        self, collector: pytest.Collector
    ) -> Generator[None, object, object]:
        """Refuse unknown ids as a collection error, which xdist workers hand back readably."""
        made = yield
        for item in made if isinstance(made, list) else [made]:
            if isinstance(item, pytest.Item):
                claims = _claims_of(item)
                if unknown := [key for key in claims if key not in BY_ID]:
                    raise collector.CollectError(_complaint(item, unknown))
                item.user_properties += [(CLAIM, key) for key in claims]
        return made

    def pytest_deselected(self) -> None:
        """A run that leaves tests out cannot judge the whole."""
        self.is_full_run = False

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Neither can a run whose collection failed."""
        self.is_full_run = self.is_full_run and not report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ended; an expected failure shows nothing."""
        if report.passed and report.when != "call":
            return
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        for name, key in report.user_properties:
            if name == CLAIM:
                self.outcomes[str(key)].add(outcome)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a full run that did not show what the manifest says is shown."""
        ran = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        is_worker = hasattr(session.config, "workerinput")
        if ran and self.is_full_run and not is_worker:
            self.unshown = [_verdict(entry, self.outcomes) for entry in ALL if self._lacks(entry)]
        if self.unshown:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Say which entries no passing test showed."""
        if self.unshown:
            terminalreporter.section("requirements without a passing test", red=True)
            for line in self.unshown:
                terminalreporter.write_line(line)

    def _lacks(self, entry: Requirement) -> bool:
        is_claimed = entry.id in self.outcomes
        must_be_shown = entry.status is Status.DONE or (
            entry.status is Status.DEVIATES and is_claimed
        )
        return must_be_shown and "passed" not in self.outcomes.get(entry.id, ())


def _runs_all_tests(config: pytest.Config) -> bool:
    """Whether nothing on the command line leaves tests out."""
    tests = config.rootpath / "tests"
    folders = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
    reaches_all = any(folder == tests or folder in tests.parents for folder in folders)
    return reaches_all and not any(config.getoption(option, None) for option in NARROWING)


def _claims_of(item: pytest.Item) -> list[str]:
    return [str(key) for mark in item.iter_markers("requirement") for key in mark.args]


def _complaint(item: pytest.Item, unknown: list[str]) -> str:
    lines = [f"{item.nodeid} claims what no specification has:"]
    for key in unknown:
        nearest = ", ".join(difflib.get_close_matches(key, BY_ID)) or "nothing like it"
        lines.append(f"  {key}; nearest: {nearest}")
    return "\n".join(lines)


def _verdict(entry: Requirement, outcomes: dict[str, set[str]]) -> str:
    came_to = ", ".join(sorted(outcomes.get(entry.id, ()))) or "no test"
    return f"{entry.id} {entry.status}, {entry.part}: {entry.statement} ({came_to})"
