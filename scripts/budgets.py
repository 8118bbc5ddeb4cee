"""Size budgets as a ratchet: files and functions stay small, tests outweigh the source.

Percentiles and hard stops for src/; a figure may only be lowered here, never raised.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_P90, FILE_STOP = 250, 500
FUNCTION_P90, FUNCTION_STOP = 25, 60
TEST_RATIO = 1.5
MAX_DEPTH = 2
ROOT = Path(__file__).parent.parent


def main() -> int:
    source = sorted((ROOT / "src" / "ankrcode").rglob("*.py"))
    faults = [*file_faults(source), *function_faults(source), *ratio_faults(source)]
    for fault in faults:
        print(f"budget: {fault}")
    return 1 if faults else 0


def file_faults(files: list[Path]) -> Iterator[str]:
    sizes = {file: lines(file) for file in files}
    yield from over("file", {name(file): size for file, size in sizes.items()}, FILE_P90, FILE_STOP)
    for file in files:
        if len(file.relative_to(ROOT / "src" / "ankrcode").parts) - 1 > MAX_DEPTH:
            yield f"{name(file)} lies more than {MAX_DEPTH} folders deep"


def function_faults(files: list[Path]) -> Iterator[str]:
    sizes: dict[str, int] = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                sizes[f"{name(file)}:{node.lineno} {node.name}"] = size
    yield from over("function", sizes, FUNCTION_P90, FUNCTION_STOP)


def ratio_faults(files: list[Path]) -> Iterator[str]:
    of_source = sum(map(lines, files))
    of_tests = sum(map(lines, (ROOT / "tests").rglob("*.py")))
    print(f"budgets: {of_source} lines of source, {of_tests} of tests")
    if of_tests < TEST_RATIO * of_source:
        yield f"tests have {of_tests / of_source:.2f} × the lines of the source, not {TEST_RATIO}"


def over(what: str, sizes: dict[str, int], p90: int, stop: int) -> Iterator[str]:
    ordered = sorted(sizes.values())
    at_p90 = ordered[int(len(ordered) * 0.9)]
    if at_p90 > p90:
        yield f"the 90th percentile of {what} lengths is {at_p90}, not {p90}"
    for place, size in sizes.items():
        if size > stop:
            yield f"{place} has {size} lines; the stop is {stop}"


def lines(file: Path) -> int:
    return file.read_text(encoding="utf-8").count("\n")


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
