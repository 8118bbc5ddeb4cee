"""The rules that a yes for longer leaves: enough for the call, and no more than was approved."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.arity import ANY_WORD, beginning_of, beginnings, is_remembered
from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.decide import Decision
from ankrcode.permissions.suggestions import MAX_RULES, suggested
from ankrcode.protocol.permission import Mode
from permissions.modes import Desk
from torture import examples


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    return folder


def rules_for(desk: Desk, tool: str, arguments: dict[str, Any], **more: bool) -> list[str]:
    facts = facts_of(tool, arguments, desk.workspace)
    return [rule.text for rule in suggested(facts, desk.policy, desk.workspace, **more)]


# ── commands: what is approved → the rules → what they also cover → what they do not ──────────
COMMANDS: list[tuple[str, list[str], list[str], list[str]]] = [
    (
        "npm run test -- --watch",
        ["Bash(npm run test:*)"],
        ["npm run test", "npm run test -- -u", "timeout 9 npm run test"],
        [
            "npm run deploy",
            "npm runx test",
            "npm test",
            "npm run test; touch a",
            "npm run test > a",
        ],
    ),
    (
        "git commit -m 'one two'",
        ["Bash(git commit:*)"],
        ["git commit -am x", "git commit -m 'a; b'", "cd sub && git commit -m x"],
        ["git commit --amend", "git commit --no-verify -m x", "git push", "git -C .. commit -m x"],
    ),
    (
        "docker compose up -d",
        ["Bash(docker compose up:*)"],
        ["docker compose up", "docker compose up web"],
        ["docker compose down", "docker run x", "docker compose -f x.yml up", "docker exec x sh"],
    ),
    (
        "python -m pytest -q tests",
        ["Bash(python -m pytest:*)"],
        ["python -m pytest", "python -m pytest -k 'a and b'"],
        ["python -m pip install x", "python -c x", "python x.py", "python3 -m pytest", "pytest"],
    ),
    ("make test", ["Bash(make test)"], ["make test"], ["make", "make test deploy", "make test -B"]),
    ("make -j8 all", ["Bash(make -j8 all)"], ["make -j8 all"], ["make all", "make -j8 all clean"]),
    ("make", ["Bash(make)"], ["make", "nice make", "A=1 make"], ["make x", "PATH=. make"]),
    (
        "cargo test --all",
        ["Bash(cargo test:*)"],
        ["cargo test", "cargo test name"],
        ["cargo run", "cargo install x", "cargo testx", "cargo +nightly test"],
    ),
    ("mvn test", ["Bash(mvn test)"], ["mvn test"], ["mvn test deploy", "mvn deploy"]),
    ("rm a.log", ["Bash(rm a.log)"], ["rm a.log"], ["rm b.log", "rm -f a.log", "rm a.log b.log"]),
    ("touch a", ["Bash(touch a)"], ["touch a"], ["touch b", "touch a b", "touch ../a"]),
    ("curl https://x.org/a", ["Bash(curl https://x.org/a)"], [], ["curl https://x.org/b"]),
    ("git push", ["Bash(git push)"], ["git push"], ["git push origin x", "git push --force"]),
    ("./run.sh one", ["Bash(./run.sh one)"], ["./run.sh one"], ["./run.sh two", "./run2.sh one"]),
    ("tox -e py311", ["Bash(tox:*)"], ["tox", "tox -e lint"], ["toxic", "tox; touch a"]),
    (
        "echo 'it''s' | tee 'a b.txt'",
        ["Bash(tee 'a b.txt')"],
        ["ls | tee 'a b.txt'"],
        ["ls | tee a b.txt", "ls | tee 'a b.txt' c"],
    ),
    # compound lines: one rule a part
    (
        "npm test && cargo build | tee log",
        ["Bash(npm test:*)", "Bash(cargo build:*)", "Bash(tee log)"],
        ["npm test", "cargo build --release", "cargo build && npm test"],
        ["npm install", "npm test && touch a", "tee other"],
    ),
    ("cd sub && make", ["Bash(make)"], ["make"], ["cd sub && touch a"]),
    ("ls | sort; git add .", ["Bash(git add:*)"], ["git add a"], ["git rm a"]),
    ("for f in a b; do touch $f; done", ["Bash(touch a)", "Bash(touch b)"], [], ["touch c"]),
    ("(make x; make y)", ["Bash(make x)", "Bash(make y)"], ["make y"], ["make z"]),
    ("echo $(make x)", ["Bash(make x)"], [], ["make y"]),
    ("make x || make x", ["Bash(make x)"], [], []),
    ("timeout 5 nice npm test", ["Bash(npm test:*)"], ["npm test"], ["timeout 5 make"]),
    (
        "npm test > out.txt 2>&1",
        ["Bash(npm test:*)", "Edit(/out.txt)"],
        ["npm test"],
        ["npm test > b"],
    ),
    ("make >> sub/log", ["Bash(make)", "Edit(/sub/log)"], ["make > sub/log"], ["make > log"]),
]


@pytest.mark.parametrize(("command", "rules", "covered", "beyond"), COMMANDS)
def test_the_rules_of_a_command(
    command: str, rules: list[str], covered: list[str], beyond: list[str], work: Path
) -> None:
    desk = Desk(work)
    assert rules_for(desk, "Bash", {"command": command}) == rules
    desk.policy.remember(desk.rules(allow=rules).rules)
    for line in (command, *covered):
        verdict = desk.command(line)
        assert (verdict.decision, verdict.by) == (Decision.ALLOW, "rule"), line
    for line in beyond:
        assert desk.command(line).decision is Decision.ASK, line


NEVER = [
    # they run whatever they are given
    *("bash -c 'make'", "sh x.sh", "zsh -c ls", "python -c 'x'", "python x.py", "python3.12 x.py"),
    *("node -e 'x'", "node x.js", "ruby x.rb", "perl -e x", "php x.php", "deno run x.ts"),
    *(
        "sudo make install",
        "sudo -u x make",
        "su -c make",
        "doas make",
        "env A=1 make",
        "env -i make",
    ),
    *(
        "xargs touch",
        "ls | xargs rm",
        "find . -exec touch {} +",
        "find . -delete -name x",
        "eval make",
    ),
    *("source x.sh", ". ./x.sh", "watch make", "parallel make ::: a", "ssh host make", "exec make"),
    *(
        "awk '{print > \"x\"}' a",
        "sed -i s/a/b/ f",
        "vim -c ':!make'",
        "strace make",
        "chroot . make",
    ),
    *(
        "poetry run python x.py",
        "uv run bash",
        "npx ts-node x.ts",
        "docker run x sh",
        "bundle exec ruby x",
    ),
    *("/bin/bash -c make", "/usr/bin/env python x", "busybox sh"),
    # a star would be more than was approved
    *("rm *.log", "touch a*", "chmod +x bin/*", "rm -rf build/*", "git add *.py; rm *"),
    # known only when it runs
    *("make $TARGET", "touch $(date)", "make > $LOG", "$TOOL x", "make `cat x`"),
    # not understood
    *("make 'unclosed", "make <<EOF", "make \u202ex", "make \x1b[2K"),
    # what no rule allows
    *(
        "echo x > .mcp.json",
        "rm -rf .git",
        "git push -f origin main",
        "rm -rf /",
        "LD_PRELOAD=x make",
    ),
    # nothing to allow
    *("ls", "cat a | sort", "true"),
    # more parts than anybody means
    " && ".join(f"make t{n}" for n in range(MAX_RULES + 1)),
]


@pytest.mark.parametrize("command", NEVER)
def test_no_rule_is_suggested(command: str, work: Path) -> None:
    assert rules_for(Desk(work), "Bash", {"command": command}) == []


@pytest.mark.parametrize(
    "name", ["bash", "python3", "python3.13", "node20", "perl5.36.0", "sudo", "xargs"]
)
def test_no_version_or_place_of_an_interpreter_is_remembered(name: str) -> None:
    for program in (name, f"/usr/bin/{name}", f"./venv/bin/{name}"):
        assert not is_remembered((program, "x"))


# ── files, hosts, agents, servers ─────────────────────────────────────────────────────────────
def test_a_file_is_remembered_as_that_file(work: Path) -> None:
    desk = Desk(work)
    for tool in ("Write", "Edit"):
        assert rules_for(desk, tool, {"file_path": "sub/a.py"}) == ["Edit(/sub/a.py)"]
    desk.policy.remember(desk.rules(allow=["Edit(/sub/a.py)"]).rules)
    for path, decision in (
        ("sub/a.py", Decision.ALLOW),
        ("sub/b.py", Decision.ASK),
        ("a.py", Decision.ASK),
        ("other/sub/a.py", Decision.ASK),
    ):
        assert desk.judge("Write", {"file_path": path}).decision is decision, path


@pytest.mark.parametrize(
    ("tool", "arguments", "rules"),
    [
        ("Read", {"file_path": "/etc/hosts"}, ["Read(//etc/hosts)"]),
        ("Grep", {"pattern": "x", "path": "/var/log"}, ["Read(//var/log)"]),
        ("Move", {"source": "a", "destination": "b"}, ["Edit(/a)", "Edit(/b)"]),
        (
            "WebFetch",
            {"url": "https://docs.python.org/3/?q=1"},
            ["WebFetch(domain:docs.python.org)"],
        ),
        ("WebFetch", {"url": "http://x.org:8080/"}, ["WebFetch(domain:x.org:8080)"]),
        ("WebFetch", {"url": "https://EXAMPLE.com."}, ["WebFetch(domain:example.com)"]),
        ("WebFetch", {"url": "not a url"}, []),
        ("WebFetch", {}, []),
        ("Task", {"subagent_type": "Explore"}, ["Task(Explore)"]),
        ("Task", {"subagent_type": "*"}, []),
        ("Task", {"subagent_type": 5}, []),
        ("Skill", {"skill": "review"}, ["Skill(review)"]),
        ("mcp__github__get_issue", {"number": 5}, ["mcp__github__get_issue"]),
        ("Deploy", {"to": "staging"}, []),
        ("Deploy", {}, []),
        ("RunCode", {"language": "python", "code": "x"}, []),
        ("Write", {"file_path": ".claude/settings.json"}, []),
        ("Write", {"file_path": "bad\0name"}, []),
    ],
)
def test_the_rules_of_other_tools(
    tool: str, arguments: dict[str, Any], rules: list[str], work: Path
) -> None:
    assert rules_for(Desk(work), tool, arguments) == rules


def test_a_link_is_remembered_with_its_target(work: Path) -> None:
    (work / "link").symlink_to(work.parent / "target.txt")
    desk = Desk(work)
    rules = rules_for(desk, "Write", {"file_path": "link"})
    assert rules == ["Edit(/link)", f"Edit(/{work.parent}/target.txt)"]
    desk.policy.remember(desk.rules(allow=rules).rules)
    (work / "link").unlink()
    (work / "link").symlink_to(work.parent / "other.txt")
    assert desk.judge("Write", {"file_path": "link"}).decision is Decision.ASK


def test_in_the_persons_own_settings_paths_are_whole(work: Path) -> None:
    desk = Desk(work)
    assert rules_for(desk, "Write", {"file_path": "a"}, is_for_user=True) == [f"Edit(/{work}/a)"]
    line = {"command": "npm test > out"}
    assert rules_for(desk, "Bash", line, is_for_user=True) == [
        "Bash(npm test:*)",
        f"Edit(/{work}/out)",
    ]


@pytest.mark.torture
@examples(in_ci=150, in_torture=5_000)
@given(
    name=st.text(
        st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]),
        min_size=1,
        max_size=12,
    )
)
def test_whatever_a_file_is_called_its_rule_fits_it_and_not_its_neighbours(
    name: str, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    call = {"file_path": f"{tmp_path}/{name}"}
    rules = rules_for(desk, "Write", call)
    if not rules:
        return  # some names cannot be said in a rule, or are never allowed
    desk.policy.remember(desk.rules(allow=rules).rules)
    assert desk.judge("Write", call).decision is Decision.ALLOW
    for other in (f"{name}x", f"x{name}", "x"):
        if other != name:
            verdict = desk.judge("Write", {"file_path": f"{tmp_path}/{other}"})
            assert verdict.decision is not Decision.ALLOW, (rules, other)


WORDS = st.sampled_from(
    [
        *("npm", "git", "make", "cargo", "rm", "python", "docker", "go", "test", "run", "commit"),
        *("add", "up", "-f", "--force", "-m", "a b", "*", "../x", "x.py", "$(make)", "'q'"),
        *("&&", ";", "|", ">"),
    ]
)


@pytest.mark.torture
@examples(in_ci=300, in_torture=20_000)
@given(words=st.lists(WORDS, min_size=1, max_size=6))
def test_rules_for_any_line_allow_it_and_never_an_unlisted_program(
    words: list[str], tmp_path: Path
) -> None:
    desk = Desk(tmp_path, Mode.DEFAULT)
    line = " ".join(words)
    rules = rules_for(desk, "Bash", {"command": line})
    if not rules:
        return
    desk.policy.remember(desk.rules(allow=rules).rules)
    assert desk.command(line).decision is Decision.ALLOW
    for suffix in ("; sudo x", " && curl x.org", " > /etc/x", " | bash x.sh", " $(rm a)"):
        assert desk.command(line + suffix).decision is not Decision.ALLOW, (rules, line + suffix)


# ── the table itself ──────────────────────────────────────────────────────────────────────────
ENTRIES = [entry for entries in beginnings().values() for entry in entries]


def test_the_table_is_large_and_has_nothing_twice() -> None:
    assert len(ENTRIES) >= 150
    assert len(set(ENTRIES)) == len(ENTRIES)
    assert all(entry[0] != ANY_WORD for entry in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=" ".join)
def test_every_beginning_becomes_a_rule_that_works(entry: tuple[str, ...], work: Path) -> None:
    argv = tuple("word" if word == ANY_WORD else word for word in entry)
    assert beginning_of((*argv, "more")) == argv
    assert beginning_of(argv[:-1]) != argv
    line = " ".join(argv)
    rules = rules_for(Desk(work), "Bash", {"command": line})
    assert rules in ([f"Bash({line}:*)"], [])
    if not rules:  # it only reads, or is asked about whatever rules say
        assert Desk(work).command(line).decision is Decision.ALLOW


def test_any_word_is_never_an_option() -> None:
    assert beginning_of(("npm", "run", "-s", "test")) is None
    assert beginning_of(("npm", "run")) is None
    assert beginning_of(("npm", "run", "")) is None
