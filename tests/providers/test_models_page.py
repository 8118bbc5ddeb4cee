"""The page about models names every provider, as the table has it.

`ANKRCODE_UPDATE_SNAPSHOTS=1` rewrites the table of the page.
"""

import os
import re
from pathlib import Path

from ankrcode.providers.scripted import Turn
from ankrcode.providers.table import Provider, all_providers
from ankrcode.providers.text.forms import FORMS

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
TABLE = re.compile(r"<!-- providers -->\n.*?<!-- end -->", re.DOTALL)
UPDATE = bool(os.environ.get("ANKRCODE_UPDATE_SNAPSHOTS"))  # before a fixture removes it


def row_of(name: str, row: Provider) -> str:
    keys = ", ".join(f"`{key}`" for key in row.keys) or "–"
    needs = keys if row.needs_key else f"none needed ({keys})"
    free = "yes" if row.is_free else ""
    return f"| `{name}` | {row.title} | {row.wire} | {needs} | {free} |"


def fresh_table() -> str:
    head = "| name | vendor | wire | key | free tier |\n|---|---|---|---|---|"
    rows = "\n".join(row_of(name, row) for name, row in all_providers().items())
    return f"<!-- providers -->\n{head}\n{rows}\n<!-- end -->"


def test_the_table_of_the_page_is_that_of_the_program() -> None:
    text = PAGE.read_text(encoding="utf-8")
    renewed = TABLE.sub(lambda _: fresh_table(), text)
    if UPDATE:
        PAGE.write_text(renewed, encoding="utf-8")
    assert text == renewed or UPDATE, "run it again with ANKRCODE_UPDATE_SNAPSHOTS=1"
    assert len(all_providers()) >= 25


def test_the_page_names_all_that_a_turn_of_a_script_may_have() -> None:
    words = set(re.findall(r"\w+", PAGE.read_text(encoding="utf-8")))
    unsaid = {"signature", "events"}  # for those who read the source anyway
    assert not set(Turn.__struct_fields__) - words - unsaid


def test_the_page_names_whose_forms_of_calls_are_known() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for vendor in ("Hermes", "Qwen", "Llama", "Mistral", "functionary", "DeepSeek", "Kimi", "Phi"):
        assert vendor in text
    assert len(FORMS) >= 10
