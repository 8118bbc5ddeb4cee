"""ripgrep: where it is, and how it is asked."""

import os
import subprocess
import sysconfig
from functools import cache

from ankrcode.workspace.programs import program_on
from ankrcode.workspace.roots import is_inside
from ankrcode.workspace.search.ignore import repository_of
from ankrcode.workspace.search.walk import Filters

# No configuration file, no colours, nothing that depends on the machine: the same answers for all.
_ALWAYS = ("--no-config", "--color=never", "--no-ignore-global", "--no-ignore-messages", "--null")


def find_rg(roots: tuple[str, ...]) -> str | None:
    """The one that came with us, else one on PATH – but none that a workspace brought along."""
    beside_python = program_on("rg", sysconfig.get_path("scripts"))
    if beside_python:
        return beside_python
    path = program_on("rg")
    if path is None or any(is_inside(os.path.realpath(path), root) for root in roots):
        return None
    return os.path.realpath(path)


def filter_arguments(filters: Filters, folder: str, type_name: str = "") -> list[str]:
    """Which files are looked at. Later globs count more, so that .git stays out."""
    arguments = [*_ALWAYS]
    if filters.glob:
        arguments.append(f"--glob={filters.glob}")
    if filters.include_hidden:
        arguments += ["--hidden", "--glob=!.git"]
    if filters.include_ignored:
        arguments.append("--no-ignore")
    elif repository_of(folder) is None:
        arguments += ["--no-require-git", "--no-ignore-parent"]
    if filters.max_depth is not None:
        arguments.append(f"--max-depth={filters.max_depth}")
    if type_name:
        arguments.append(f"--type={type_name}")
    return arguments


@cache
def type_names(rg: str) -> tuple[str, ...]:
    """The file types this ripgrep knows."""
    said = subprocess.run(  # noqa: S603 - fixed arguments
        [rg, "--no-config", "--type-list"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=10,
        check=False,
        cwd="/",
        stdin=subprocess.DEVNULL,
    )
    return tuple(line.partition(":")[0] for line in said.stdout.splitlines())
