"""By its looks alone: path, pattern, number or word."""

import pytest

from ankrcode.rocketlang.shapes import (
    is_file_name,
    is_folder_name,
    is_name,
    is_path,
    is_quoted_path,
    is_variable,
    shape,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://example.com/a?b=1", "url"),
        ("www.example.com", "url"),
        ("$file", "var"),
        ("{file}", "var"),
        ("--all", "flag"),
        ("-la", "flag"),
        ("10", "number"),
        ("१०", "number"),
        ("10-20", "range"),
        ("१०-२०", "range"),
        ("10..20", "range"),
        ("*.py", "glob"),
        ("src/**/*.ts", "glob"),
        ("test_[ab].py", "glob"),
        ("file?.txt", "glob"),
        ("*.{js,ts}", "glob"),
        ("app.py", "path"),
        ("src/app.py", "path"),
        ("src/", "path"),
        (".gitignore", "path"),
        (".", "path"),
        ("..", "path"),
        ("~/notes", "path"),
        ("/etc/hosts", "path"),
        ("जुना.txt", "path"),
        ("रिपोर्ट-२.txt", "path"),
        ("README", "path"),
        ("Makefile", "path"),
        ("archive.tar.gz", "path"),
        ("{name}.bak", "path"),
        ("src", "word"),
        ("TODO", "word"),
        ("v1.2.0", "word"),
        ("3.11", "word"),
        ("user@example.com", "word"),
        ("main()", "word"),
        ("x=1", "word"),
        ("पढ़ो", "word"),
    ],
)
def test_a_piece_of_text_is_taken_for_what_it_looks_like(text: str, kind: str) -> None:
    assert shape(text) == kind


@pytest.mark.parametrize("word", ["snake_case", "kebab-case", "camelCase", "TODO", "x86", "v2"])
def test_names_are_words_nobody_says(word: str) -> None:
    assert is_name(word)


@pytest.mark.parametrize("word", ["hatao", "Hatao", "file", "नाम-रूप", "a"])
def test_spoken_words_are_no_names(word: str) -> None:
    assert not is_name(word)


@pytest.mark.parametrize("text", ["my notes.txt", "a b.py", "src/x", "a.md"])
def test_a_quotation_can_name_a_file(text: str) -> None:
    assert is_quoted_path(text)


@pytest.mark.parametrize("text", ["import os.path", "a.b", "foo", "x/y z", "e.g. this", "a.py\nb"])
def test_most_quotations_are_only_text(text: str) -> None:
    assert not is_quoted_path(text)


def test_file_names_end_as_files_do() -> None:
    assert is_file_name("app.py")
    assert is_file_name("src/README")
    assert not is_file_name("feature/login")
    assert not is_file_name("src/")


def test_usual_folders_are_known_and_words_of_speech_are_not() -> None:
    assert is_folder_name("src")
    assert is_folder_name("node_modules")
    assert not is_folder_name("server")
    assert not is_folder_name("app")


def test_variables_are_names_with_a_mark() -> None:
    assert is_variable("$x1")
    assert is_variable("{x1}")
    assert not is_variable("$")
    assert not is_variable("{a b}")
    assert not is_variable("$1x")


def test_no_path_holds_what_paths_do_not() -> None:
    assert not is_path("http://x/y")
    assert not is_path("a@b.com")
    assert not is_path("f(x).y")
