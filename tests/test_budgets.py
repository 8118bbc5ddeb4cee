"""The size budgets: what they let through, and what they stop."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "budgets.py"


@pytest.fixture
def budgets(tmp_path: Path) -> ModuleType:
    """The script, looking at a project of the test's own."""
    spec = importlib.util.spec_from_file_location("budgets_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["ROOT"] = tmp_path
    (tmp_path / "src" / "ankrcode").mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    return module


def write(folder: Path, name: str, lines: int) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x = 1\n" * lines, encoding="utf-8")
    return path


def source(folder: Path) -> Path:
    return folder / "src" / "ankrcode"


def test_a_small_and_well_tested_project_passes(budgets: ModuleType, tmp_path: Path) -> None:
    write(source(tmp_path), "a.py", 100)
    write(tmp_path / "tests", "test_a.py", 150)
    (source(tmp_path) / "b.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    assert budgets.main() == 1, "153 lines would be needed for 102"
    write(tmp_path / "tests", "test_b.py", 10)
    assert budgets.main() == 0


def test_a_file_that_is_too_long_is_named(budgets: ModuleType, tmp_path: Path) -> None:
    files = [write(source(tmp_path), f"small_{number}.py", 10) for number in range(20)]
    files.append(write(source(tmp_path), "long.py", 501))
    assert list(budgets.file_faults(files)) == [
        "src/ankrcode/long.py has 501 lines; the stop is 500"
    ]


def test_many_middling_files_are_noticed_together(budgets: ModuleType, tmp_path: Path) -> None:
    files = [write(source(tmp_path), f"middling_{number}.py", 300) for number in range(5)]
    assert list(budgets.file_faults(files)) == [
        "the 90th percentile of file lengths is 300, not 250"
    ]


def test_a_folder_that_is_too_deep_is_named(budgets: ModuleType, tmp_path: Path) -> None:
    deep = write(source(tmp_path) / "a" / "b" / "c", "d.py", 1)
    (fault,) = budgets.file_faults([deep])
    assert "more than 2 folders deep" in fault


def test_a_function_that_is_too_long_is_named_with_its_line(
    budgets: ModuleType, tmp_path: Path
) -> None:
    path = source(tmp_path) / "a.py"
    short = "".join(f"def short_{number}():\n    pass\n" for number in range(20))
    path.write_text(short + "async def long():\n" + "    x = 1\n" * 60, encoding="utf-8")
    (fault,) = budgets.function_faults([path])
    assert fault == "src/ankrcode/a.py:41 long has 61 lines; the stop is 60"


def test_too_few_tests_are_told_as_a_ratio(budgets: ModuleType, tmp_path: Path) -> None:
    files = [write(source(tmp_path), "a.py", 100)]
    write(tmp_path / "tests", "test_a.py", 120)
    (fault,) = budgets.ratio_faults(files)
    assert fault == "tests have 1.20 × the lines of the source, not 1.5"
