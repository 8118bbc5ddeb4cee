"""The check of the documents' Python: what it finds, and where it says it is."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "snippets.py"
PAGE = """# A page

```python
def twice(number: int) -> int:
    return 2 * number
```

Something in between.

```python
print(twice({argument}))
```

```text
not python at all {{
```
"""


@pytest.fixture
def snippets(tmp_path: Path) -> ModuleType:
    """The script, looking at a project of the test's own."""
    spec = importlib.util.spec_from_file_location("snippets_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(ROOT=tmp_path, PLACE=tmp_path / "place")
    for name in ("docs", "examples"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").write_text("No snippet.\n", encoding="utf-8")
    return module


def test_a_page_is_one_module_with_each_snippet_at_its_own_line(
    snippets: ModuleType, tmp_path: Path
) -> None:
    page = tmp_path / "docs" / "a-page.md"
    page.write_text(PAGE.format(argument="1"), encoding="utf-8")
    name, text = snippets.module_of(page)
    assert name == "a_page_md.py"
    assert text.splitlines()[3] == "def twice(number: int) -> int:"
    assert text.splitlines()[10] == "print(twice(1))"
    assert "not python" not in text
    assert snippets.module_of(tmp_path / "README.md") is None


def test_a_fault_is_found_and_what_is_gone_is_forgotten(
    snippets: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page, example = tmp_path / "docs" / "page.md", tmp_path / "examples" / "one.py"
    page.write_text(PAGE.format(argument="'two'"), encoding="utf-8")
    example.write_text("def untyped(x):\n    return x\n", encoding="utf-8")
    assert snippets.main() == 1
    told = capfd.readouterr().out
    assert "page_md.py:11: error:" in told
    assert "example_one.py:1: error:" in told
    page.write_text(PAGE.format(argument="2"), encoding="utf-8")
    example.unlink()
    assert snippets.main() == 0
