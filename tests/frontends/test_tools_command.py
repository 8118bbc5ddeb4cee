"""`ankrcode tools`: list, show, and the schemas as each vendor wants them."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ankrcode import tools as builtin
from ankrcode.tooling.vendors import FORMS
from frontends.command import Done, ankrcode

ALL = list(builtin.definitions().values())


def tools(*arguments: str | Path, cwd: Path, **env: str) -> Done:
    return ankrcode("tools", *arguments, cwd=cwd, env=env)


def schemas(cwd: Path, *arguments: str) -> list[dict[str, Any]]:
    done = tools("schema", *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


# ── list ──────────────────────────────────────────────────────────────────────────────────────
def test_the_list_has_a_line_for_each_tool(tmp_path: Path) -> None:
    lines = tools("list", cwd=tmp_path).stdout.splitlines()
    expected = [[one.name, one.permission] for one in ALL]
    assert [line.split()[:2] for line in lines] == expected
    assert all(one.summary in line for one, line in zip(ALL, lines, strict=True))


def test_the_list_as_json_has_the_facts(tmp_path: Path) -> None:
    found = json.loads(tools("list", "--json", cwd=tmp_path).stdout)
    facts = ("name", "summary", "category", "permission")
    assert found == [{fact: getattr(one, fact) for fact in facts} for one in ALL]


def test_the_list_can_be_limited_to_a_category(tmp_path: Path) -> None:
    listed = tools("list", "--category", "files", cwd=tmp_path).stdout.splitlines()
    names = [one.name for one in ALL if one.category == "files"]
    assert [line.split()[0] for line in listed] == names
    wrong = tools("list", "--category", "fruit", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    categories = ", ".join(sorted({one.category for one in ALL}))
    assert f"no category 'fruit'. Categories: {categories}" in wrong.stderr


# ── show ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-012", "S4-004", "S4-166", "S4-168")
def test_one_tool_is_shown_with_its_description_and_parameters(tmp_path: Path) -> None:
    shown = tools("show", "Read", cwd=tmp_path).stdout
    assert shown.startswith("Read – Read files: ")
    assert "several files in one go" in shown
    assert "Read the whole file unless it is very long" in shown
    assert "  file_path (string, required): The file to read\n" in shown
    assert "  limit (integer, default 2000): How many lines to show; 0 means all\n" in shown
    assert '  encoding (base64 | utf-8, default "utf-8"): How the content is returned\n' in shown


@pytest.mark.parametrize("action", ["show", "schema"])
def test_an_unknown_tool_is_answered_with_the_nearest(action: str, tmp_path: Path) -> None:
    done = tools(action, "Raed", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ankrcode: Unknown tool: Raed. Did you mean Read?\n"


@pytest.mark.requirement("S3-031", "S3-032")
def test_variables_in_a_description_follow_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "root" / "sub").mkdir(parents=True)
    root, sub = tmp_path / "root", tmp_path / "root" / "sub"
    place = "absolute, or relative to {}.".format
    assert place(sub) in tools("show", "Read", cwd=sub).stdout
    assert place(sub) in tools("show", "Read", cwd=sub, AGENT_WORKSPACE_ROOT=str(root)).stdout
    assert place(root) in tools("show", "Read", cwd=tmp_path, AGENT_WORKSPACE_ROOT=str(root)).stdout
    given = ankrcode("--cwd", root, "tools", "schema", "Read", cwd=sub)
    assert place(root) in json.loads(given.stdout)[0]["description"]


# ── schema ────────────────────────────────────────────────────────────────────────────────────
KEYS = {
    "anthropic": {"name", "description", "input_schema"},
    "openai": {"type", "function"},
    "openai-responses": {"type", "name", "description", "parameters", "strict"},
    "openai-functions": {"name", "description", "parameters"},
    "gemini": {"name", "description", "parameters"},
    "mcp": {"name", "description", "inputSchema", "outputSchema", "annotations"},
}


def parameters_of(form: dict[str, Any]) -> dict[str, Any]:
    form = form.get("function", form)
    found: dict[str, Any] = next(
        form[key] for key in ("input_schema", "inputSchema", "parameters") if key in form
    )
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.requirement("S0-104", "S0-105", "S1-060", "S2-039", "S3-048")
def test_each_vendor_gets_its_own_form(form: str, tmp_path: Path) -> None:
    found = schemas(tmp_path, "--format", form)
    assert [one.get("function", one)["name"] for one in found] == [one.name for one in ALL]
    for one in found:
        assert set(one) == KEYS[form]
        schema = parameters_of(one)
        jsonschema_rs.Draft202012Validator(schema)
        assert schema["type"] == "object"
        assert all(one["description"] for one in schema["properties"].values())


def test_the_form_of_anthropic_is_the_default_and_names_choose(tmp_path: Path) -> None:
    assert schemas(tmp_path) == schemas(tmp_path, "--format", "anthropic")
    assert [one["name"] for one in schemas(tmp_path, "Read")] == ["Read"]
    both = schemas(tmp_path, "Read", "List")
    assert [one["name"] for one in both] == ["Read", "List"]


@pytest.mark.requirement("S4-164", "S0-012")
def test_only_the_path_of_a_file_is_required(tmp_path: Path) -> None:
    schema = schemas(tmp_path, "Read")[0]["input_schema"]
    assert schema["required"] == ["file_path"]
    assert {"file_path", "offset", "limit"} <= set(schema["properties"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.requirement("S2-001", "S2-006", "S2-039")
def test_another_dialect_is_offered_in_every_form(form: str, tmp_path: Path) -> None:
    found = schemas(tmp_path, "--format", form, "--dialect", "workspace")
    names = {one.get("function", one)["name"]: parameters_of(one) for one in found}
    assert set(names) >= {"list_directory", "read_file"}
    assert "Read" not in names
    listing, reading = names["list_directory"], names["read_file"]
    assert set(listing["properties"]) == {"path", "recursive", "includeHidden"}
    assert set(reading["properties"]) == {"path", "encoding"}
    assert listing["required"] == reading["required"] == ["path"]
    assert reading["properties"]["encoding"]["enum"] == ["base64", "utf-8"]


def test_lists_and_shows_speak_the_dialect_too(tmp_path: Path) -> None:
    listed = tools("list", "--dialect", "workspace", cwd=tmp_path).stdout
    assert {line.split()[0] for line in listed.splitlines()} >= {"list_directory", "read_file"}
    shown = tools("show", "read_file", "--dialect", "workspace", cwd=tmp_path).stdout
    assert "  path (string, required): Relative to the workspace root\n" in shown
    assert tools("show", "Read", "--dialect", "workspace", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("wrong", [("--format", "fax"), ("--dialect", "klingon")])
def test_an_unknown_form_or_dialect_is_wrong_use(wrong: tuple[str, str], tmp_path: Path) -> None:
    done = tools("schema", *wrong, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert wrong[1] in done.stderr
