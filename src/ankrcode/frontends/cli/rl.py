"""Do what a sentence says, in English or five Indian languages; no model is needed."""

import argparse
import sys

from ankrcode.errors import UsageError

DONE = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ankrcode.frontends.options import add_running_options

    parser.add_argument("words", nargs="*", metavar="SENTENCE", help="what to do")
    parser.add_argument(
        "--check", action="store_true", help="only say what would be done; with --json from stdin"
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    add_running_options(parser)


def run(options: argparse.Namespace) -> int:
    text = said(options.words)
    if options.check:
        from ankrcode.frontends.cli.rl_check import check_lines, check_one

        return check_one(text, is_json=options.json) if text else check_lines()
    if not text and sys.stdin.isatty():
        raise UsageError.of("rl_nothing_said")
    return _run(text, options)


def _run(text: str, options: argparse.Namespace) -> int:
    import asyncio

    from ankrcode.frontends.talk import Talk, is_open

    talk = Talk(options)
    try:
        if not text:
            from ankrcode.frontends.line import Line, piped_lines

            return Line(talk, is_open=is_open).run(piped_lines())
        if options.dry_run:
            from ankrcode.frontends.cli.run import dry_run

            return dry_run(talk, text, {})
        return asyncio.run(talk.answer(text))
    finally:
        talk.close()


def said(words: list[str]) -> str:
    """One sentence, as the person meant it: what the shell unquoted is quoted again."""
    if len(words) == 1:
        return words[0]
    return " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
