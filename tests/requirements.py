"""The honest map: what the five specifications ask, how far it is built, and which test shows it.

`python tests/requirements.py` prints the coverage; `--help` lists the other views. A test claims
entries by `@pytest.mark.requirement("S1-021", "S1-022")`. Claims are read from the source, so
that the map can be drawn without running or even importing a single test.
"""

import argparse
import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from specs import NotRequirement, Parts, Requirement, Status, spec0, spec1, spec2, spec3, spec4

__all__ = ["ALL", "BY_ID", "NOT_REQUIREMENTS", "NotRequirement", "Requirement", "Status"]

TESTS = Path(__file__).resolve().parent
SPECS = (spec0, spec1, spec2, spec3, spec4)


def _entries(parts: Parts) -> Iterator[Requirement]:
    for part, entries in parts.items():
        for entry in entries:
            yield replace(entry, part=part)


ALL = tuple(entry for spec in SPECS for entry in _entries(spec.REQUIREMENTS))
BY_ID = {entry.id: entry for entry in ALL}
NOT_REQUIREMENTS: tuple[tuple[NotRequirement, ...], ...] = tuple(
    spec.NOT_REQUIREMENTS for spec in SPECS
)

# --- which test claims what ---------------------------------------------------------------------

Claims = dict[str, tuple[str, ...]]  # test → ids of the entries that it claims to show
Claimants = Mapping[str, list[str]]  # the same seen from the other side: id → tests


def read_claims(tests: Path = TESTS) -> Claims:
    """Every test below the folder that claims an entry, in the order of the files."""
    claims: Claims = {}
    for path in sorted({*tests.rglob("test_*.py"), *tests.rglob("*_test.py")}):
        text = path.read_text(encoding="utf-8")
        if "mark.requirement" in text:  # few claim anything, and to parse takes its time
            module = ast.parse(text, filename=str(path))
            claims.update(_claims_in(module.body, path.relative_to(tests.parent).as_posix(), ()))
    return claims


def claimants(claims: Claims) -> Claimants:
    """Which tests claim each entry; entries that nobody claims are left out."""
    tests: defaultdict[str, list[str]] = defaultdict(list)
    for test, keys in claims.items():
        for key in keys:
            tests[key].append(test)
    return dict(tests)


def _claims_in(body: list[ast.stmt], prefix: str, outer: tuple[str, ...]) -> Claims:
    """The claims of a module or class body; what the whole claims counts for each of its tests."""
    inherited = (*outer, *_ids_in(_pytestmark(body)))
    claims: Claims = {}
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            keys = (*inherited, *_ids_in(node.decorator_list))
            claims.update(_claims_in(node.body, f"{prefix}::{node.name}", keys))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            keys = (*inherited, *_ids_in(node.decorator_list))
            if keys and node.name.startswith("test"):
                claims[f"{prefix}::{node.name}"] = keys
    return claims


def _pytestmark(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for node in body:
        if isinstance(node, ast.Assign) and "pytestmark" in map(ast.unparse, node.targets):
            marks = node.value
            yield from marks.elts if isinstance(marks, ast.List | ast.Tuple) else [marks]


def _ids_in(marks: Iterable[ast.expr]) -> Iterator[str]:
    """The ids that marks claim: literals only, or drawing the map would have to run code."""
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("mark.requirement"):
            yield from (str(ast.literal_eval(argument)) for argument in mark.args)


# --- is every line of the specifications accounted for ------------------------------------------


def line_numbers(ranges: str) -> set[int]:
    """The lines that "99-101,140" stands for."""
    numbers: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def uncovered_lines(spec: int, text: str) -> Iterator[tuple[int, str]]:
    """Lines that neither an entry nor a `NotRequirement` of the specification accounts for."""
    ranges = [entry.lines for entry in ALL if entry.spec == spec]
    ranges += [other.lines for other in NOT_REQUIREMENTS[spec]]
    covered = line_numbers(",".join(ranges)) if ranges else set()
    for number, line in enumerate(text.splitlines(), start=1):
        if _speaks(line) and number not in covered:
            yield number, line


def _speaks(line: str) -> bool:
    """Whether a line can ask for anything: headings, fences and bare punctuation cannot."""
    return bool(re.search(r"\w", line)) and not line.lstrip().startswith(("#", "```"))


def check_specs(folder: Path) -> int:
    """Print every uncovered line; the exit code is 1 if there is one."""
    if not folder.is_dir():
        print(f"{folder} is not there: nothing to check")
        return 0
    found = [
        f"{path.name}:{number}: {line}"
        for spec in range(len(SPECS))
        for path in folder.glob(f"{spec}-*.md")
        for number, line in uncovered_lines(spec, path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found) or "every line is covered")
    return 1 if found else 0


# --- views --------------------------------------------------------------------------------------


def coverage(entries: Iterable[Requirement], tests: Claimants) -> dict[str, float]:
    """Counts by status; an entry is settled once a test shows what we do, a deviation too."""
    rows = list(entries)
    counts = {str(status): sum(row.status is status for row in rows) for status in Status}
    settled = sum(row.status is not Status.PLANNED and row.id in tests for row in rows)
    percent = round(100 * settled / max(len(rows), 1), 1)
    return {**counts, "total": len(rows), "settled": settled, "percent": percent}


def summary(tests: Claimants) -> dict[str, dict[str, float]]:
    """Coverage per specification, then of all five."""
    rows = {
        str(spec): coverage((entry for entry in ALL if entry.spec == spec), tests)
        for spec in range(len(SPECS))
    }
    return {**rows, "all": coverage(ALL, tests)}


def as_table() -> str:
    """The summary for people."""
    rows = summary(claimants(read_claims()))
    lines = ["spec " + " ".join(f"{column:>8}" for column in rows["all"])]
    lines += [f"{key:>4} " + " ".join(f"{v:>8}" for v in row.values()) for key, row in rows.items()]
    return "\n".join(lines)


def as_json() -> str:
    """The summary and every entry with its tests, for scripts."""
    tests = claimants(read_claims())
    entries = [{"spec": e.spec, **asdict(e), "tests": tests.get(e.id, [])} for e in ALL]
    view = {"summary": summary(tests), "requirements": entries}
    return json.dumps(view, indent=1, ensure_ascii=False)


def as_plan() -> str:
    """What is still open, one line each."""
    still_open = (entry for entry in ALL if entry.status is Status.PLANNED)
    return "\n".join(f"{entry.id}  {entry.part}: {entry.statement}" for entry in still_open)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="What the specifications ask, and what is shown.")
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--json", action="store_true", help="coverage and every entry as JSON")
    view.add_argument("--planned", action="store_true", help="list what is still open")
    view.add_argument("--check-specs", type=Path, metavar="DIR", help="find lines without entry")
    chosen = parser.parse_args(arguments)
    if chosen.check_specs:
        return check_specs(chosen.check_specs)
    print(as_json() if chosen.json else as_plan() if chosen.planned else as_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
