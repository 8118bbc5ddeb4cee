"""Each example is a script that runs as it is, with no key and in any folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shown import fits

EXAMPLES = Path(__file__).parent.parent / "examples"
OUTPUT = {
    "01_call_one_tool.py": """\
List …/place
         6  …  hello.txt
FILE_NOT_FOUND – There is no file at …/place/no-such-file.txt.
""",
    "02_define_a_tool.py": """\
5
Validation failed: 'text' must be text, not the number 7… Example: word_count(text="text")
""",
    "03_many_calls_and_events.py": """\
event: tool_progress
event: tool_progress
event: tool_progress
mango is ripe
guava is ripe
lychee is ripe
""",
    "04_definitions_for_three_vendors.py": """\
anthropic → {"name": "ApplyPatch", "description": "Change…
openai → {"type": "function", "function": {"name": "ApplyPatch", …
gemini → {"name": "ApplyPatch", "description": "Change…
['delete_file', …'write_file']
""",
    "05_approvals_and_hooks.py": """\
May save_note run? it writes …/note.txt
save_note went well
→ saved
→ A hook refused save_note: no passwords in notes.
May save_note run? it writes …/note.txt
→ User denied permission. Keep it short.
""",
    "06_an_agent_with_a_script.py": """\
it says – Let me look.
it used – Read True
it says – A minus where a plus belongs.
it used – Edit True
it says – `add` adds now. I did not run anything.
success 3
return a + b
""",
    "07_an_agent_with_tools_of_your_own.py": """\
looked up {'fruit': 'guava'} {'fruit': 'mango'}
{'sold_out': ['guava']}
""",
    "08_headless_from_a_script.py": """\
4 error_denied ['Write']
0 success The total is 35. 3
35
""",
    "09_follow_a_task.py": """\
session True True
assistant – I look.
assistant – calls Grep {'pattern': 'TODO'}
user – gets …notes.txt
assistant – There is one, in notes.txt.
result – success 2
""",
    "10_a_chain_of_programs.py": """\
disk full
Disk.
""",
}


def test_every_example_is_numbered_and_has_its_output_here() -> None:
    names = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert names == sorted(OUTPUT)
    assert [int(name[:2]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d\d_[a-z_]+\.py", name) for name in names)


@pytest.mark.parametrize("name", OUTPUT)
@pytest.mark.requirement("S1-070")
def test_an_example_runs_and_says_what_it_should(name: str, tmp_path: Path) -> None:
    work = tmp_path / "place"
    work.mkdir()
    (work / "hello.txt").write_text("hello\n", encoding="utf-8")
    without_keys = {key: v for key, v in os.environ.items() if not key.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", EXAMPLES / name],
        cwd=work,
        env=without_keys,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert fits(OUTPUT[name], done.stdout), done.stdout


def test_a_tool_takes_ten_lines() -> None:
    text = (EXAMPLES / "02_define_a_tool.py").read_text(encoding="utf-8")
    _, _, code = text.partition('"""\n')
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_comparison_itself_can_fail() -> None:
    assert fits("a … c", "a b c\n")
    assert fits("a\n…\nc", "a\n1\n2\nc")
    assert not fits("a … c", "a b d")
    assert not fits("a.c", "abc")
    assert not fits("a", "a\nb")
    assert not fits("a … c", "a\nc")
