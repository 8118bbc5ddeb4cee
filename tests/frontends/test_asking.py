"""One plain question: what the person sees, and what counts as a yes."""

import signal
from collections.abc import Callable

import pytest

from ankrcode.frontends.asking import Terminal, interruptible
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.approval import Approval, Preview


def approval(preview: Preview | None = None, text: str = "") -> Approval:
    return Approval(
        id="a", call_id="c", tool="Bash", arguments={}, reason="make runs other code",
        acts=Acts(), preview=preview, text=text,
    )  # fmt: skip


def person(*answers: str) -> tuple[Terminal, list[str]]:
    """Somebody who types these lines; the questions they were asked."""
    asked: list[str] = []
    left = list(answers)

    def ask(question: str) -> str:
        asked.append(question)
        if not left:
            raise EOFError
        return left.pop(0)

    return Terminal(ask), asked


@pytest.mark.parametrize(
    ("answer", "approved"),
    [
        *(("yes", True), ("y", True), ("haan", True), ("हाँ", True), ("aama", True)),
        *(("avunu", True), ("ಹೌದು", True), ("ho", True)),
        *(("no", False), ("nahi", False), ("வேண்டாம்", False), ("vaddu", False), ("ಬೇಡ", False)),
        *(("", False), ("hmm", False), ("yes no", False), ("always", False)),
    ],
)
async def test_only_a_yes_is_a_yes(answer: str, approved: bool) -> None:
    terminal, asked = person(answer)
    assert (await terminal.approve(approval())).approved is approved
    assert asked == ["[yes/no] "]


async def test_no_answer_at_all_is_a_no() -> None:
    terminal, _ = person()
    assert not (await terminal.approve(approval())).approved


def test_ctrl_c_is_a_no() -> None:
    def interrupted(question: str) -> str:
        raise KeyboardInterrupt

    assert Terminal(interrupted).agrees("Shall I?") is False


def test_what_is_neither_is_told_to_count_as_no(capsys: pytest.CaptureFixture[str]) -> None:
    terminal, _ = person("maybe later", "")
    assert terminal.agrees("Shall I?") is False
    assert "neither yes nor no" in capsys.readouterr().out
    assert terminal.agrees("Shall I?") is False
    assert capsys.readouterr().out == "", "silence needs no comment"


async def test_the_person_sees_what_would_run_and_why_it_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal, _ = person("no")
    preview = Preview(title="make test", body="make test", format="command")
    await terminal.approve(approval(preview))
    assert capsys.readouterr().out.splitlines() == [
        "Run this? make test",
        "Why it asks: make runs other code",
    ]


async def test_a_difference_is_shown_but_not_endlessly(capsys: pytest.CaptureFixture[str]) -> None:
    terminal, _ = person("no")
    body = "\n".join(f"+line {number}" for number in range(100))
    await terminal.approve(approval(Preview(title="Edit a.py", body=body, format="diff")))
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "  +line 0"
    assert "… and 40 more" in shown
    assert len(shown) == 63


async def test_without_a_preview_all_that_is_given_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal, _ = person("no")
    await terminal.approve(approval(text='{"url": "http://x"}'))
    shown = capsys.readouterr().out
    assert "Run this? Bash" in shown
    assert "http://x" in shown


async def test_nothing_in_it_reaches_the_terminal_as_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal, _ = person("no")
    evil = "rm x\x1b[2K\rls"
    await terminal.approve(approval(Preview(title=evil, body=f"{evil}\n\x07", format="command")))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "\x07" not in shown


@pytest.mark.parametrize(
    ("language", "word"), [("hi", "चलाऊँ"), ("hi-Latn", "chalaun"), ("ta", "இயக்கட்டுமா")]
)
async def test_it_asks_in_the_language_of_the_person(
    language: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return "no"

    await Terminal(ask, language).approve(approval())
    assert word in capsys.readouterr().out


def current() -> Callable[..., object] | int | None:
    return signal.getsignal(signal.SIGINT)


def test_while_a_line_is_typed_ctrl_c_ends_the_typing_and_nothing_else() -> None:
    before = current()
    with interruptible():
        assert current() is signal.default_int_handler
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert current() is before
