"""Run a command inside the sandbox, or tell which wall stands here and what it covers."""

import argparse
import os
import sys
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from ankrcode.config.secrets import is_secret_variable
from ankrcode.config.settings import SandboxSettings, Settings
from ankrcode.errors import ToolError, UsageError
from ankrcode.frontends.cli.settings import load_and_warn
from ankrcode.sandbox.choose import WALLS, Sandbox, missing
from ankrcode.sandbox.here import run_here
from ankrcode.sandbox.profile_names import PROFILES, is_confined
from ankrcode.words import say
from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.processes.descendants import new_mark
from ankrcode.workspace.roots import Workspace, find_cwd, find_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ankrcode.frontends.cli.main import add_common_options  # it imports us

    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run_ = actions.add_parser("run", help="run a command inside the sandbox")
    add_common_options(run_, default=argparse.SUPPRESS)
    run_.add_argument(
        "--profile",
        metavar="NAME",
        choices=PROFILES,
        default="workspace-write",
        help="what it may do: %(choices)s (default: %(default)s)",
    )
    run_.add_argument("--network", action="store_true", help="let it use the network")
    run_.add_argument("words", nargs="+", metavar="CMD", help="after --, with its own options")
    status = actions.add_parser("status", help="which wall stands, and what it covers")
    add_common_options(status, default=argparse.SUPPRESS)
    status.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    settings = load_and_warn(options)
    if options.action == "status":
        return show_status(settings.sandbox, as_json=options.json)
    return run_command(options, settings)


# ── run ───────────────────────────────────────────────────────────────────────────────────────
def run_command(options: argparse.Namespace, settings: Settings) -> int:
    """The command's own exit code. Without a wall nothing runs: that is what was asked for."""
    sandbox = Sandbox(settings.sandbox)
    profile = profile_of(options)
    if is_confined(profile) and sandbox.wall is None:
        raise missing(sandbox.why_none())
    root = find_root(options.cwd, os.environ)
    workspace = Workspace((root,), options.cwd or find_cwd(root))
    launch = Launch(
        argv=tuple(options.words),
        env=variables(settings) if is_confined(profile) else dict(os.environ),
        cwd=workspace.cwd,
        keeps_terminal=True,
        mark=new_mark(),
    )
    try:
        code, undone = run_here(sandbox.confine(launch, profile, workspace.roots))
    except (OSError, ValueError) as problem:
        why = (isinstance(problem, OSError) and problem.strerror) or str(problem)
        raise ToolError.of("sandbox_not_started", program=options.words[0], why=why) from None
    for line in undone:
        print(f"ankrcode: {line}", file=sys.stderr)
    return code


def variables(settings: Settings) -> dict[str, str]:
    """The person's own, without secrets: what is behind the wall need not know them."""
    passed = settings.shell.env_pass
    return {
        name: value
        for name, value in os.environ.items()
        if not is_secret_variable(name, value)
        or any(fnmatchcase(name, pattern) for pattern in passed)
    }


def profile_of(options: argparse.Namespace) -> str:
    profile: str = options.profile
    if not options.network or profile.endswith("-network"):
        return profile
    if not is_confined(profile):
        why = f"The profile {profile} has the network anyway"
        raise UsageError.of("usage", why=why, command="sandbox run")
    return f"{profile}-network"


# ── status ────────────────────────────────────────────────────────────────────────────────────
def show_status(settings: SandboxSettings, *, as_json: bool) -> int:
    """0 where a wall stands, else 1: a script can ask."""
    state = status_of(settings)
    if as_json:
        print(msgspec.json.encode(state).decode())
    else:
        print("\n".join(status_lines(state)))
    return 0 if state["wall"] != "none" else 1


def status_of(settings: SandboxSettings) -> dict[str, Any]:
    sandbox = Sandbox(settings)
    return {
        "wall": sandbox.name,
        "why": "" if sandbox.wall else sandbox.why_none(),
        "covers": sandbox.wall.covers() if sandbox.wall else {},
        "walls": {name: why_not() for name, (why_not, _) in WALLS.items()},
        "profiles": list(PROFILES),
        "settings": msgspec.to_builtins(settings),
    }


def status_lines(state: dict[str, Any]) -> list[str]:
    if not state["covers"]:
        lines = [say("sandbox.status.none", why=state["why"])]
    else:
        lines = [say("sandbox.status", wall=state["wall"])]
        lines += [
            "  " + say("sandbox.status.covers", topic=topic, answer=answer)
            for topic, answer in state["covers"].items()
        ]
    others = {name: why for name, why in state["walls"].items() if name != state["wall"]}
    works = say("sandbox.status.works")
    return lines + [
        say("sandbox.status.other", name=name, why=why or works) for name, why in others.items()
    ]
