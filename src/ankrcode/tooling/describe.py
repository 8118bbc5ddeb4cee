"""What the model is told about a tool: from its `.md` or `.txt` file, with a few variables."""

import re
from collections.abc import Mapping

from ankrcode.workspace.roots import Workspace

_VARIABLE = r"\$\{(workspace|directory|cwd)\}"


def filled(template: str, variables: Mapping[str, str]) -> str:
    """Replace `${workspace}`, `${directory}` and `${cwd}`; everything else stays as it is."""
    return re.sub(_VARIABLE, lambda found: variables.get(found[1], found[0]), template)


def variables_of(workspace: Workspace) -> dict[str, str]:
    return {
        "workspace": workspace.root,
        "directory": workspace.cwd,
        "cwd": workspace.cwd,
    }
