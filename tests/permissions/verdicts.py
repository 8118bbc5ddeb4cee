"""Short ways to ask for a verdict, in a workspace that is not there or one that is."""

import json
from importlib import import_module
from pathlib import Path

from ankrcode.permissions.judge import CommandVerdict, judge
from ankrcode.permissions.places import CommandEnv

CORPUS = Path(__file__).parent / "corpus"
ROOT, HOME = "/work/proj", "/home/dev"
ENV = CommandEnv(roots=(ROOT,), cwd=ROOT, home=HOME)


def labelled(verdict: str) -> list[str]:
    """The command lines of the corpus with this label: those as JSON, then the tables."""
    lines = (CORPUS / f"{verdict}.jsonl").read_text(encoding="utf-8").splitlines()
    found: list[str] = [json.loads(line) for line in lines]
    for table in sorted(CORPUS.glob("*.py")):
        module = import_module(f"permissions.corpus.{table.stem}")
        found += module.LINES if verdict == module.VERDICT else []
    return found


def verdict_of(command: str, env: CommandEnv = ENV) -> str:
    return judge(command, env).verdict


def judged(command: str, env: CommandEnv = ENV) -> CommandVerdict:
    return judge(command, env)


def commands_in(command: str) -> list[tuple[str, ...]]:
    """Every command that was found, as arguments."""
    return [part.argv for part in judge(command, ENV).parts]


def at(root: Path, *, cwd: Path | None = None, home: Path | None = None) -> CommandEnv:
    """A real workspace."""
    return CommandEnv(roots=(str(root),), cwd=str(cwd or root), home=str(home or "/home/dev"))
