"""What is shown before a plain `sed -i` is what sed itself then does: sed is the judge."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.testing import YES
from ankrcode.workspace.processes.sed import understood, worked_out
from torture import examples

CONTENTS = {
    "lines": (
        b"alpha beta\nbeta gamma\n\nalpha alpha alpha\nAlpha BETA\n\t alpha  \n"
        b"a/b|c\\d.e*f[g]h^i$j&k\n/usr/lib/x alpha\n" + "नमस्ते alpha\nalpha 漢字 é\n".encode()
    ),
    "no line break at the end": b"alpha beta\nlast alpha",
    "windows lines, and bytes that are no text": b"alpha\r\nbeta \xff\xfe alpha\r\n\0alpha\n",
    "empty": b"",
}


class Judge:
    """Runs the command for real, on a copy."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "f"

    def after(self, command: str, content: bytes) -> bytes | None:
        """The file afterwards; None where sed refuses."""
        self._path.write_bytes(content)
        ran = subprocess.run(
            ["bash", "-c", command], cwd=self._path.parent, capture_output=True, check=False
        )
        return self._path.read_bytes() if ran.returncode == 0 else None


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("sed"))


def ours(command: str, content: bytes) -> bytes | None:
    edit = understood(command)
    assert edit is not None, f"not understood: {command}"
    assert edit.path == "f"
    return worked_out(edit, content, os.environ)


SCRIPTS = [
    "s/alpha/X/",
    "s/alpha/X/g",
    "s/alpha/X/2",
    "s/alpha/X/2g",
    "s/alpha/X/I",
    "s/alpha/X/gi",
    "s/alpha/X/p",
    "s/alpha//",
    "s/alpha/[&]/g",
    "s/alpha/\\&/",
    "s/alpha/a\\nb/",
    "s/alpha/a\\tb/",
    "s/alpha/\\U&/",
    "s/alpha/\\u&\\E/",
    "s/\\(al\\)\\(pha\\)/\\2\\1/",
    "s/al*pha*/X/",
    "s/^/> /",
    "s/$/ </",
    "s/^alpha$/X/",
    "s/.*/X/",
    "s/[a-g]\\+/X/g",
    "s/\\balpha\\b/X/",
    "s/\\s\\+$//",
    "s/\\/usr\\/lib/\\/opt/",
    "s|/usr/lib|/opt|",
    "s#a/b#x#",
    "s,alpha,X,",
    "s:alpha:X:",
    "s@alpha@X@",
    "s_alpha_X_",
    "s1alpha1X1",
    "s alpha X ",
    "s/a\\|b/X/g",
    "s|a\\|b|X|g",
    "1s/alpha/X/",
    "$s/alpha/X/",
    "2,3s/alpha/X/",
    "2,$s/alpha/X/",
    "/beta/s/alpha/X/",
    "/beta/Is/alpha/X/",
    "/beta/!s/alpha/X/",
    "1!s/alpha/X/",
    "/gamma/,/Alpha/s/alpha/X/",
    "/gamma/,$s/a/X/g",
    "3s/a/X/",
    "d",
    "1d",
    "$d",
    "2,3d",
    "/alpha/d",
    "/alpha/!d",
    "/^$/d",
    "/alpha/,/beta/d",
    "s/alpha/X/;s/beta/Y/g",
    "1d;s/alpha/X/",
    "s/alpha/X/\n2d",
    "s/a/X/ ; s/b/Y/",
    "s/\\r$//",
    "s/\\x61/X/",
    "s/é/X/",
    "s/नमस्ते/X/",
    "s/[[:space:]]*$//",
    "s/[^a]/-/g",
    "s/a\\{2,\\}/X/",
    "s/\\(a\\)\\1/X/",
    "s/alpha/\\\n/",
    "s//X/",
    "/alpha/s//X/",
]


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_each_of_these_scripts_does_what_it_shows(judge: Judge, content: bytes) -> None:
    for script in SCRIPTS:
        command = f"sed -i '{script}' f"
        assert ours(command, content) == judge.after(command, content), script


EXTENDED = [
    "s/(al)(pha)/\\2\\1/",
    "s/al+pha?/X/",
    "s/alpha|beta/X/g",
    "s/a{2,3}/X/",
    "s/^(.*)$/[\\1]/",
    "s/\\(alpha\\)/X/",
    "/alpha|gamma/d",
    "s/([a-z]+) ([a-z]+)/\\2 \\1/",
    "s/[[:upper:]]/\\l&/g",
]


@pytest.mark.parametrize("script", EXTENDED)
def test_extended_expressions_too(judge: Judge, script: str) -> None:
    for option in ("-E", "-r", "--regexp-extended"):
        command, content = f"sed -i {option} '{script}' f", CONTENTS["lines"]
        assert ours(command, content) == judge.after(command, content)


WRITTEN = [
    "sed -i s/alpha/X/ f",
    "sed -i 's/alpha/X/' f",
    'sed -i "s/alpha/X/" f',
    "sed -i s/alpha/'X Y'/ f",
    "sed -i 's/alpha/'\"X\"'/' f",
    "sed --in-place 's/alpha/X/' f",
    "sed 's/alpha/X/' -i f",
    "sed 's/alpha/X/' f -i",
    "sed -i f -e 's/alpha/X/'",
    "sed -i -e 's/alpha/X/' f",
    "sed -i -e 's/alpha/X/' -e 's/X/Y/' f",
    "sed -e 's/alpha/X/' -i -E f",
    "sed -i --expression 's/alpha/X/' f",
    "sed -i 's/alpha/X/' 'f'",
    "sed  -i\t's/alpha/X/'   f  ",
]


@pytest.mark.parametrize("command", WRITTEN)
def test_however_the_command_is_written(judge: Judge, command: str) -> None:
    assert ours(command, CONTENTS["lines"]) == judge.after(command, CONTENTS["lines"])


REFUSED = [
    "s/[/X/",
    "s/\\(a/X/",
    "s/a/\\1/",
    "s/a/b/gg",
    "s/a/b/2 3",
    "s/a/b/0",
    "0s/a/b/",
    "5,s/a/b/",
    "s/a\\{2/X/",
]


@pytest.mark.parametrize("script", REFUSED)
def test_what_sed_refuses_is_left_to_sed(judge: Judge, script: str) -> None:
    command = f"sed -i '{script}' f"
    assert judge.after(command, CONTENTS["lines"]) is None
    edit = understood(command)
    assert edit is None or worked_out(edit, CONTENTS["lines"], os.environ) is None


# ── any script ────────────────────────────────────────────────────────────────────────────────
pieces = st.sampled_from(
    ("a", "alpha", "b", ".", "a*", "[ab]", "^", "$", "\\(a\\)", "\\.", "\\n", " ", "é", "\\*", "-")
)
patterns = st.lists(pieces, min_size=1, max_size=3).map("".join)
replacements = st.lists(
    st.sampled_from(("X", "&", "\\&", "\\n", "\\\\", "", " ", "\\1", "é", "\\t")), max_size=3
).map("".join)
flags = st.sampled_from(("", "g", "i", "I", "2", "gI", "p", "3g", "m"))
simple_addresses = st.one_of(
    st.integers(1, 6).map(str), st.just("$"), patterns.map("/{}/".format), st.just("/ALPHA/I")
)
addresses = st.one_of(
    st.just(""),
    simple_addresses,
    st.builds("{},{}".format, simple_addresses, simple_addresses),
    simple_addresses.map("{}!".format),
)


@st.composite
def commands(draw: st.DrawFn) -> str:
    if draw(st.integers(0, 5)) == 0:
        return draw(addresses) + "d"
    mark = draw(st.sampled_from("/|#,:@_"))
    parts = [draw(patterns), draw(replacements)]
    inner = mark.join(part.replace(mark, "\\" + mark) for part in parts)
    return f"{draw(addresses)}s{mark}{inner}{mark}{draw(flags)}"


scripts = st.lists(commands(), min_size=1, max_size=3).map("; ".join)
texts = st.lists(
    st.sampled_from(
        (b"alpha", b"a", b"b", b" ", b"\n", b"\r\n", b"aab", b"\xff", b"-", b".", b"*")
    ),
    max_size=12,
).map(b"".join)


@given(script=scripts, content=texts, is_extended=st.booleans())
@examples(in_ci=200, in_torture=20_000)
@pytest.mark.torture
def test_whatever_the_script_what_is_shown_is_what_is_done(
    judge: Judge, script: str, content: bytes, is_extended: bool
) -> None:
    command = f"sed -i {'-E ' if is_extended else ''}'{script}' f"
    edit = understood(command)
    assert edit is not None
    shown, done = worked_out(edit, content, os.environ), judge.after(command, content)
    assert shown == done


# ── through the tool ──────────────────────────────────────────────────────────────────────────
class Person:
    """Says yes, and keeps what was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def __call__(self, approval: Approval) -> ApprovalAnswer:
        assert approval.preview is not None
        self.shown.append(approval.preview.body)
        return YES


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
async def test_the_tool_leaves_the_file_as_sed_would(
    tmp_path: Path, judge: Judge, content: bytes
) -> None:
    person = Person()
    kit = Toolkit(cwd=tmp_path, approve=person)
    path = tmp_path / "f"
    for script in SCRIPTS[::7]:
        path.write_bytes(content)
        path.chmod(0o640)
        command = f"sed -i '{script}' f"
        result = await kit.call("Bash", command=command)
        assert result.ok, result.text
        assert path.read_bytes() == judge.after(command, content)
        assert path.stat().st_mode & 0o777 == 0o640
    assert len(person.shown) == len(SCRIPTS[::7])
