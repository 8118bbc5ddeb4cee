"""The tables of programs: complete, consistent, and nothing in them without a class."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ankrcode.permissions import programs
from ankrcode.permissions.programs import THEMES, Program, Spec, lookup, table
from ankrcode.permissions.programs.judges import JUDGES
from ankrcode.permissions.programs.kinds import KINDS, REST
from ankrcode.permissions.programs.knowledge import DATA, RESTS
from ankrcode.permissions.programs.options import sort
from ankrcode.permissions.shell.builtins import BUILTINS
from ankrcode.permissions.shell.simple import BY_TABLE
from ankrcode.permissions.shell.values import Arg, constant

FOLDER = Path(programs.__file__).parent
CLASSES = {"read", "write", "execute", "connect"}


def every_entry() -> Iterator[tuple[str, Program]]:
    """Programs and their sub-commands, by their full names."""
    waiting = list(table().items())
    while waiting:
        name, program = waiting.pop()
        yield name, program
        waiting += [(f"{name} {inner}", one) for inner, one in program.commands.items()]


def given(spec_name: str, *texts: str) -> tuple[list[tuple[str, str | None]], list[str], list[str]]:
    """Flags with their values, the rest, and what is not known."""
    spec = lookup(spec_name)
    assert spec is not None
    found = sort(spec, tuple(constant(text) for text in texts))
    flags = [(one.flag.name, None if one.value is None else one.value.text) for one in found.flags]
    return flags, [arg.text or "" for arg in found.rest], found.faults


# ── what stands in the tables ─────────────────────────────────────────────────────────────────
def test_hundreds_of_programs_are_known() -> None:
    assert len(table()) >= 150
    detailed = [one for one in table().values() if one.flags]
    assert len(detailed) >= 150


def test_every_program_names_the_manual_that_was_consulted() -> None:
    assert [name for name, one in table().items() if not one.source and not one.same] == []


def test_every_flag_has_a_class_and_a_kind_that_is_known() -> None:
    for name, program in every_entry():
        assert set(program.flags) <= CLASSES, name
        for flag in Spec(name, program).flags.values():
            assert flag.acts in CLASSES, name
            assert flag.kind in KINDS, f"{name} {flag.name}: {flag.kind}"


def test_a_flag_without_a_class_is_rejected() -> None:
    entry = {"ls": {"source": "ls(1)", "flags": {"harmless": "-l"}}}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps(entry), type=dict[str, Program])
    flat = {"ls": {"source": "ls(1)", "flags": "-l -a"}}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps(flat), type=dict[str, Program])


def test_a_field_that_nobody_knows_is_rejected() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"ls": {"source": "x", "flag": {}}}', type=dict[str, Program])


def test_no_flag_has_two_classes() -> None:
    for name, program in every_entry():
        seen: dict[str, str] = {}
        for acts, text in program.flags.items():
            for token in text.split():
                flag = Spec(name, Program(flags={acts: token}))
                for one in flag.flags:
                    assert seen.setdefault(one, acts) == acts, f"{name} {one}"


def test_every_kind_of_argument_is_known() -> None:
    for name, program in every_entry():
        for positional in Spec(name, program).positionals:
            assert positional.kind in KINDS or positional.kind in REST, f"{name} {positional.kind}"


def test_every_other_name_leads_to_a_program() -> None:
    for name, program in table().items():
        if program.same:
            assert lookup(name) is not None, name


def test_conditions_and_policies_speak_of_flags_that_exist() -> None:
    for name, program in every_entry():
        spec = Spec(name, program)
        for positional in spec.positionals:
            for flag in positional.unless | positional.only_if:
                assert flag in spec.flags, f"{name}: {flag}"
        for flag in spec.policy:
            assert flag in spec.flags, f"{name}: {flag}"


def test_whoever_the_table_sends_to_a_function_of_its_own_has_one() -> None:
    special = {"builtin", "wrapper", "destroyer", "find", "git", "tar", "compressor", "unzip"}
    for name, program in table().items():
        if program.judge in special:
            assert name in JUDGES, name


def test_whoever_has_a_function_of_its_own_stands_in_the_table() -> None:
    destroyers = {name for name in JUDGES if name.startswith(("mkfs.", "newfs", "mkdosfs"))}
    missing = [name for name in JUDGES if lookup(name) is None and name not in destroyers]
    assert missing == ["mkntfs"]


def test_whoever_is_judged_by_the_table_alone_has_no_function_of_its_own() -> None:
    assert BY_TABLE.isdisjoint(JUDGES)
    assert [name for name in sorted(BY_TABLE) if lookup(name) is None] == []


def test_kinds_that_are_known_before_they_are_loaded_are_what_they_seem() -> None:
    assert {KINDS[name] for name in DATA} == {KINDS["text"]}
    assert set(REST) == RESTS


def test_builtins_have_no_other_judge() -> None:
    assert [name for name, judge in BUILTINS.items() if JUDGES[name] is not judge] == []


def test_every_file_is_a_theme_and_no_program_stands_in_two() -> None:
    assert sorted(f"{theme}.json" for theme in THEMES) == sorted(
        file.name for file in FOLDER.glob("*.json")
    )
    every = [name for file in FOLDER.glob("*.json") for name in json.loads(file.read_bytes())]
    assert len(every) == len(set(every)) == len(table())


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.name)
def test_a_table_is_sorted_and_has_each_program_once(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    names = re.findall(r'^  "(.+)": \{', text, re.MULTILINE)
    assert names == sorted(set(names))
    assert names == list(json.loads(text))


def test_no_program_stands_in_two_tables() -> None:
    names = [
        name
        for file in FOLDER.glob("*.json")
        for name in json.loads(file.read_text(encoding="utf-8"))
    ]
    assert len(names) == len(set(names))


NEVER_READ_ONLY = [
    *("curl", "wget", "dig", "nslookup", "host", "ping", "nc", "ssh", "scp", "sftp", "telnet"),
    *("getent", "whois", "traceroute", "nmap", "socat", "gh", "aws", "gcloud", "helm", "ftp"),
    *("rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "ln", "dd", "truncate"),
    *("python", "python3", "perl", "ruby", "node"),
    *("make", "pytest", "sudo", "vim"),
]


@pytest.mark.parametrize("name", NEVER_READ_ONLY)
def test_a_program_that_writes_runs_or_connects_is_never_a_reader(name: str) -> None:
    spec = lookup(name)
    assert spec is not None
    assert spec.acts != "read"


def test_an_unknown_program_is_unknown() -> None:
    assert lookup("no-such-program") is None


# ── options, each parser in its own way ───────────────────────────────────────────────────────
def test_short_flags_may_be_bundled() -> None:
    assert given("ls", "-la")[0] == [("-l", None), ("-a", None)]
    assert given("sort", "-rno", "out")[0] == [("-r", None), ("-n", None), ("-o", "out")]


def test_a_value_may_be_attached_or_follow() -> None:
    for texts in (["-oout"], ["-o", "out"], ["--output=out"], ["--output", "out"]):
        flags, rest, faults = given("sort", *texts)
        assert [value for _, value in flags] == ["out"]
        assert (rest, faults) == ([], [])


def test_a_bundle_ends_at_the_flag_that_takes_a_value() -> None:
    assert given("sort", "-k2r")[0] == [("-k", "2r")]
    assert given("grep", "-A3", "x")[0] == [("-A", "3")]
    assert given("cut", "-d:", "-f1")[0] == [("-d", ":"), ("-f", "1")]


def test_long_flags_may_be_abbreviated_where_the_program_allows_it() -> None:
    assert given("sort", "--outp=x")[0] == [("--output", "x")]
    assert given("sort", "--rev")[0] == [("--reverse", None)]
    assert given("date", "--se=x")[0] == [("--set", "x")]


def test_an_ambiguous_abbreviation_is_a_fault() -> None:
    assert given("sort", "--r")[2] == ["--r"]  # --reverse and --random-sort and --random-source


def test_no_abbreviation_where_the_program_knows_none() -> None:
    assert given("rg", "--ignore-cas")[2] == ["--ignore-cas"]
    assert given("rg", "--pr=x")[2] == ["--pr=x"]


def test_flags_may_stand_behind_arguments_unless_the_program_stops() -> None:
    assert given("sort", "f", "-o", "x") == ([("-o", "x")], ["f"], [])
    assert given("timeout", "5", "ls", "-k", "9") == ([], ["5", "ls", "-k", "9"], [])


def test_two_dashes_end_the_flags() -> None:
    assert given("sort", "--", "-o", "x") == ([], ["-o", "x"], [])
    assert given("grep", "-e", "--", "f") == ([("-e", "--")], ["f"], [])


def test_one_dash_is_an_argument() -> None:
    assert given("cat", "-", "-n") == ([("-n", None)], ["-"], [])


def test_a_number_may_be_a_flag() -> None:
    assert given("head", "-20", "f") == ([], ["f"], [])
    assert given("ls", "-20")[2] == ["-20"]


def test_an_optional_value_is_only_taken_if_attached() -> None:
    assert given("ls", "--color", "x") == ([("--color", None)], ["x"], [])
    assert given("ls", "--color=auto")[0] == [("--color", "auto")]


def test_a_flag_without_a_value_refuses_one() -> None:
    assert given("ls", "--all=x")[2] == ["--all=x"]


def test_a_missing_value_is_a_fault() -> None:
    assert given("sort", "-o")[2] == ["-o"]


def test_one_dash_is_enough_for_the_programs_that_say_so() -> None:
    assert given("xmllint", "-noout", "--format", "f")[0] == [("-noout", None), ("-format", None)]
    assert given("xmllint", "--output", "x")[0] == [("-output", "x")]


def test_two_values_belong_to_some_flags() -> None:
    assert given("jq", "--arg", "a", "b", ".x")[1] == [".x"]
    assert given("jq", "--slurpfile", "a", "f.json", ".")[0] == [("--slurpfile", "f.json")]


def test_an_unknown_flag_is_a_fault() -> None:
    assert given("ls", "--frobnicate")[2] == ["--frobnicate"]
    assert given("ls", "-lÿ")[2] == ["-lÿ"]


def test_a_flag_that_is_only_partly_known_is_a_fault() -> None:
    spec = lookup("sort")
    assert spec is not None
    from ankrcode.permissions.shell.values import Hole

    half = Arg(("-", Hole("any", dashed=True)))
    assert sort(spec, (half,)).faults == ["-…"]
    valued = Arg(("--key=", Hole("any", dashed=True)))
    assert sort(spec, (valued,)).faults == []


def test_what_may_be_a_flag_is_a_fault_where_flags_are_dangerous() -> None:
    from ankrcode.permissions.shell.values import ANY

    sorting, printing = lookup("sort"), lookup("cat")
    assert sorting is not None
    assert printing is not None
    assert sort(sorting, (ANY,)).faults == ["…"]
    assert sort(printing, (ANY,)).faults == []
