"""Notebooks: which are valid, what is shown of them, and edits that touch one cell alone."""

import json
import warnings
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ToolError
from ankrcode.workspace.documents.notebook_edits import (
    cell_spans,
    style_of,
    with_new_cell,
    with_source,
    without_cell,
)
from ankrcode.workspace.documents.notebooks import (
    Notebook,
    joined,
    kind_of,
    parse_notebook,
    shown_outputs,
)
from documents import code_cell, display, markdown_cell, notebook, stream, written
from torture import examples

ERROR = {"ename": "ValueError", "evalue": "no", "output_type": "error", "traceback": ["a", "b"]}
PLAIN = notebook(
    markdown_cell("# Title\nनमस्ते", "intro"),
    code_cell("x = 1\nprint(x)", stream("1\n"), cell_id="first", run=3),
    code_cell("", cell_id="empty"),
)


def parsed(text: str) -> Notebook:
    return parse_notebook(text, "/a.ipynb")


def check_by_nbformat(text: str) -> None:
    """The reference implementation finds nothing wrong, nor anything to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbformat.validate(json.loads(text))


def is_valid_for_nbformat(made: Any) -> bool:
    """It also stumbles over what it does not expect."""
    stumbles = (AssertionError, AttributeError, ImportError, LookupError, TypeError, ValueError)
    try:
        check_by_nbformat(json.dumps(made))
    except (nbformat.ValidationError, Warning, *stumbles):
        return False
    return True


def sources(text: str) -> list[str]:
    return [joined(cell.source) for cell in parsed(text).cells]


# ── valid or not ──────────────────────────────────────────────────────────────────────────────
def test_a_plain_notebook_is_read() -> None:
    found = parsed(written(PLAIN))
    assert [kind_of(cell) for cell in found.cells] == ["markdown", "code", "code"]
    assert [cell.id for cell in found.cells] == ["intro", "first", "empty"]
    assert (found.language, found.has_ids) == ("python", True)


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """The plain notebook with one thing in it replaced; `...` removes it."""
    made: dict[str, Any] = json.loads(json.dumps(PLAIN))
    place: Any = made
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return made


BROKEN: list[tuple[list[Any], Any]] = [
    (["cells"], ...),
    (["cells"], {}),
    (["cells"], None),
    (["cells", 0], "text"),
    (["cells", 0], []),
    (["cells", 0, "cell_type"], ...),
    (["cells", 0, "cell_type"], "heading"),
    (["cells", 0, "source"], ...),
    (["cells", 0, "source"], 7),
    (["cells", 0, "source"], ["a", 7]),
    (["cells", 0, "metadata"], ...),
    (["cells", 0, "metadata"], []),
    (["cells", 0, "id"], "with blank"),
    (["cells", 0, "id"], "x" * 65),
    (["cells", 0, "id"], 7),
    (["cells", 1, "outputs"], ...),
    (["cells", 1, "outputs"], {}),
    (["cells", 1, "execution_count"], ...),
    (["cells", 1, "execution_count"], "3"),
    (["cells", 1, "execution_count"], -1),
    (["cells", 1, "outputs", 0, "output_type"], "picture"),
    (["cells", 1, "outputs", 0, "text"], ...),
    (["cells", 1, "outputs", 0, "name"], 1),
    (["cells", 1, "outputs", 0], {**ERROR, "traceback": "a"}),
    (["cells", 1, "outputs", 0], {"output_type": "display_data", "metadata": {}}),
    (["cells", 1, "outputs", 0], {"output_type": "execute_result", "data": {}, "metadata": {}}),
    (["metadata"], ...),
    (["metadata"], []),
    (["nbformat"], ...),
    (["nbformat"], 3),
    (["nbformat"], 5),
    (["nbformat"], "4"),
    (["nbformat_minor"], ...),
    (["nbformat_minor"], -1),
]


@pytest.mark.parametrize(("path", "value"), BROKEN, ids=str)
def test_what_the_reference_refuses_is_refused(path: list[Any], value: Any) -> None:
    made = changed(path, value)
    assert not is_valid_for_nbformat(made)
    with pytest.raises(ToolError) as caught:
        parsed(json.dumps(made))
    assert caught.value.key == "notebook_invalid"
    assert caught.value.code == "NOT_TEXT"


ACCEPTED: list[tuple[list[Any], Any]] = [
    (["cells"], []),
    (["cells", 0, "source"], "one text"),
    (["cells", 0, "source"], []),
    (["cells", 0, "attachments"], {"a.png": {"image/png": "aGk="}}),
    (["cells", 1, "execution_count"], None),
    (["cells", 1, "outputs", 0], ERROR),
    (["cells", 1, "outputs", 0], display(text_plain="x", application_json={"a": [1, None]})),
    (["metadata"], {}),
    (["metadata", "colab"], {"name": "x"}),
]


@pytest.mark.parametrize(("path", "value"), ACCEPTED, ids=str)
def test_what_the_reference_accepts_is_accepted(path: list[Any], value: Any) -> None:
    made = changed(path, value)
    check_by_nbformat(json.dumps(made))
    parsed(json.dumps(made))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", '"x"', "{}", "[" * 100_000, '{"cells":' * 50_000, "x\0"]
)
def test_what_is_no_notebook_at_all_is_refused(text: str) -> None:
    with pytest.raises(ToolError):
        parsed(text)


def test_a_plot_saved_with_nan_is_read_as_jupyter_reads_it() -> None:
    made = notebook(code_cell("plot()", display(application_json={"y": [1.5, float("nan")]})))
    assert "NaN" in json.dumps(made)
    assert len(parsed(json.dumps(made)).cells) == 1


def test_a_notebook_without_a_language_is_read() -> None:
    assert parsed(written(changed(["metadata"], {"kernelspec": {"name": 7}}))).language == ""


# ── what is shown ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("output", "label", "text"),
    [
        (stream("a\nb\n"), "stdout", "a\nb\n"),
        (stream("\x1b[31mred\x1b[0m", "stderr"), "stderr", "red"),
        (ERROR, "error", "a\nb\nValueError: no"),
        ({**ERROR, "traceback": ["\x1b[0;31mValueError\x1b[0m: no"]}, "error", "ValueError: no"),
        (display(text_html="<b>x</b>", text_plain=["x", "y"]), "text/plain", "xy"),
        (display(text_html="<b>x</b>"), "text/html", "<b>x</b>"),
        (display(application_json={"a": 1}), "application/json", '{"a": 1}'),
        (display(), "nothing", ""),
    ],
)
def test_an_output_is_shown_as_its_plainest_text(output: Any, label: str, text: str) -> None:
    (cell,) = parsed(json.dumps(notebook(code_cell("x", output)))).cells
    (shown,) = shown_outputs(cell)
    assert (shown.label, shown.text, shown.picture) == (label, text, "")


def test_a_picture_is_preferred_to_its_description() -> None:
    output = display(image_png=["aGVs\n", "bG8=\n"], text_plain="<Figure>")
    (cell,) = parsed(json.dumps(notebook(code_cell("x", output)))).cells
    (shown,) = shown_outputs(cell)
    assert (shown.label, shown.picture, shown.text) == ("image/png", "aGVsbG8=", "")


# ── style ─────────────────────────────────────────────────────────────────────────────────────
STYLES: dict[str, Any] = {
    "jupyter": {"indent": 1, "ensure_ascii": False},
    "two": {"indent": 2, "ensure_ascii": False},
    "four": {"indent": 4, "ensure_ascii": True},
    "tab": {"indent": "\t"},
    "flat": {"indent": 0},
    "line": {},
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
}


def styled(made: Any, style: str, newline: str = "\n", end: str = "\n") -> str:
    return (json.dumps(made, **STYLES[style]) + end).replace("\n", newline)


EDITS: dict[str, Any] = {
    "replace": lambda made: made["cells"][1].update(
        source=["y = 2\n", "नया"], outputs=[], execution_count=None
    ),
    "insert": lambda made: made["cells"].insert(
        1,
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "new",
            "metadata": {},
            "outputs": [],
            "source": ["y = 2\n", "नया"],
        },
    ),
    "first": lambda made: made["cells"].insert(
        0, {"cell_type": "markdown", "id": "new", "metadata": {}, "source": ["y = 2\n", "नया"]}
    ),
    "delete": lambda made: made["cells"].pop(1),
    "last": lambda made: made["cells"].pop(),
}


def edited(text: str, edit: str) -> str:
    source = "y = 2\nनया"
    match edit:
        case "replace":
            return with_source(text, 1, source, "code")
        case "insert":
            return with_new_cell(text, 0, source, "code", "new")
        case "first":
            return with_new_cell(text, None, source, "markdown", "new")
        case "delete":
            return without_cell(text, 1)
        case _:
            return without_cell(text, len(cell_spans(text)) - 1)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["open", "closed"])
@pytest.mark.parametrize("style", STYLES)
def test_an_edit_is_byte_for_byte_what_rewriting_in_the_same_style_gives(
    style: str, end: str, newline: str, edit: str
) -> None:
    made = json.loads(json.dumps(PLAIN))
    before = styled(made, style, newline, end)
    EDITS[edit](made)
    assert edited(before, edit) == styled(made, style, newline, end)


@pytest.mark.parametrize("style", STYLES)
def test_the_only_cell_can_go_and_another_can_come(style: str) -> None:
    one = notebook(markdown_cell("alone", "a"))
    none = without_cell(styled(one, style), 0)
    assert none == styled(notebook(), style)
    assert with_new_cell(none, None, "alone", "markdown", "a") == styled(one, style)


def test_a_single_text_stays_a_single_text() -> None:
    made = notebook(markdown_cell("x", "a"))
    made["cells"][0]["source"] = "one\ntwo"
    assert (
        json.loads(with_source(written(made), 0, "a\nb", "markdown"))["cells"][0]["source"]
        == "a\nb"
    )


def test_fields_that_nobody_knows_and_their_order_are_kept() -> None:
    made = notebook(code_cell("x", stream("1"), cell_id="a", run=1))
    made["cells"][0] = {"zeta": [1, {"b": 2}], **made["cells"][0], "alpha": None}
    made = {"later": "first", **made}
    after = json.loads(with_source(written(made), 0, "y", "code"))
    assert list(after) == list(made)
    assert list(after["cells"][0]) == list(made["cells"][0])
    assert after["cells"][0]["zeta"] == [1, {"b": 2}]


@pytest.mark.parametrize("kind", ["code", "markdown"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_cell_can_become_another_type_and_stays_valid(kind: str, number: int) -> None:
    made = changed(["cells", 0, "attachments"], {"a.png": {"image/png": "aGk="}})
    after = with_source(written(made), number, "new", kind)
    check_by_nbformat(after)
    assert json.loads(after)["cells"][number]["cell_type"] == kind


def test_numbers_that_python_would_write_otherwise_are_left_alone() -> None:
    text = written(PLAIN).replace(
        '"nbformat": 4', '"x": [1.10, 1E5, -0.0, "\\u00e9\\/"], "nbformat": 4'
    )
    after = with_source(text, 1, "y", "code")
    assert '"x": [1.10, 1E5, -0.0, "\\u00e9\\/"]' in after


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    text = written(PLAIN)
    twice = '{"cells": [],' + text.lstrip()[1:]
    assert sources(with_source(twice, 1, "y", "code"))[1] == "y"


@pytest.mark.parametrize("text", ["{}", '{"a":1}', '{\n "a": 1}', '{\r\n\t"nbformat": 4}'])
def test_any_text_has_a_style(text: str) -> None:
    assert style_of(text).written([1], 1).replace("\r\n", "\n").split() in (
        ["[1]"],
        ["[", "1", "]"],
    )


SOURCES = st.text(
    alphabet=st.characters(exclude_categories=["Cs"]) | st.sampled_from('\n\r\t"\\{}[],:\u2028क्'),
    max_size=60,
)


@pytest.mark.torture
@given(
    style=st.sampled_from(sorted(STYLES)),
    cells=st.lists(SOURCES, max_size=4),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["replace", "insert", "delete"]),
            st.integers(0, 5),
            SOURCES,
            st.sampled_from(["code", "markdown"]),
        ),
        max_size=6,
    ),
)
@examples(in_ci=150, in_torture=20_000)
def test_any_sequence_of_edits_gives_the_cells_it_should_and_a_valid_notebook(
    style: str, cells: list[str], steps: list[tuple[str, int, str, str]]
) -> None:
    made = notebook(*(markdown_cell(source, f"c{n}") for n, source in enumerate(cells)))
    text, expected = styled(made, style), list(cells)
    for step, (mode, at, source, kind) in enumerate(steps):
        number = at % len(expected) if expected else None
        if mode == "insert":
            text = with_new_cell(text, number, source, kind, f"n{step}")
            expected.insert(0 if number is None else number + 1, source)
        elif number is not None and mode == "delete":
            text = without_cell(text, number)
            del expected[number]
        elif number is not None:
            text = with_source(text, number, source, kind)
            expected[number] = source
    assert sources(text) == expected
    check_by_nbformat(text)
