"""Names that no rule or mode writes unasked, because other programs believe what stands in them.

A hook, a shell's start-up file or an agent's settings is run or obeyed later. The *name* is
protected, so it makes no difference whether anything is there yet; and it is compared as the
most forgiving file system would: case, Unicode form, invisible characters, trailing dots and
blanks, streams and short names of Windows make no difference either.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# A file or folder of this name, and everything below it, wherever it stands.
AGENTS = (
    *(".ankrcode", ".claude", ".claude.json", ".codex", ".cursor", ".gemini", ".opencode"),
    *(".mcp.json", ".windsurf", ".aider.conf.yml", ".amp", ".augment", ".clinerules", ".continue"),
    *(".copilot", ".crush", ".factory", ".goose", ".junie", ".kilocode", ".kiro", ".qwen", ".roo"),
    ".trae",
)
EDITORS = (".vscode", ".idea", ".zed", ".fleet", ".devcontainer")
GIT = (".git", ".gitconfig", ".gitmodules", ".git-credentials", ".husky")
SHELLS = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc"),
    *(".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsession"),
    *(".xsessionrc", ".pam_environment", ".ripgreprc", ".envrc"),
)
CREDENTIALS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", "_netrc", ".pgpass", ".my.cnf"),
    *(".pypirc", ".git-credentials", ".vault-token"),
)
NAMES = frozenset((*AGENTS, *EDITORS, *GIT, *SHELLS, *CREDENTIALS))
CREDENTIAL_NAMES = frozenset(CREDENTIALS)

# The same for a folder and a name in it.
PLACES = frozenset(
    [
        *((".config", name) for name in ("ankrcode", "git", "fish", "autostart", "systemd")),
        *((".config", name) for name in ("gh", "gcloud", "powershell", "environment.d")),
        *((".state", "ankrcode"), (".cache", "ankrcode"), ("state", "ankrcode")),
        *((".docker", "config.json"), ("etc", "ankrcode"), (".local", "bin")),
        *((".cargo", "credentials"), (".cargo", "credentials.toml")),
    ]
)
CREDENTIAL_PLACES = frozenset(
    [
        *((".config", "gh"), (".config", "gcloud"), (".docker", "config.json")),
        *((".cargo", "credentials"), (".cargo", "credentials.toml")),
    ]
)
# A bare repository is called NAME.git; these of its files are run or obeyed.
IN_BARE_GIT = frozenset(("hooks", "config", "info", "modules", "config.worktree"))

_SHORT_NAME = r"git~[0-9]+\Z"


def protected_name(names: Iterable[str]) -> str:
    """The first protected name among the parts of a path; empty where none is."""
    return _found(names, NAMES, PLACES, is_for_writing=True)


def credential_name(names: Iterable[str]) -> str:
    """The same for what should not even be read unasked."""
    return _found(names, CREDENTIAL_NAMES, CREDENTIAL_PLACES, is_for_writing=False)


def _found(
    names: Iterable[str],
    alone: frozenset[str],
    paired: frozenset[tuple[str, str]],
    *,
    is_for_writing: bool,
) -> str:
    before = ""
    for name in names:
        folded = folded_name(name)
        is_in_bare_git = is_for_writing and before.endswith(".git") and folded in IN_BARE_GIT
        if folded in alone or (before, folded) in paired or is_in_bare_git:
            return name
        before = folded
    return ""


@lru_cache(maxsize=4_096)
def folded_name(name: str) -> str:
    """As the most forgiving file system would compare it."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
        name = "".join(char for char in name if unicodedata.category(char) not in ("Cf", "Cc"))
        name = unicodedata.normalize("NFC", name.casefold())
    name = name.lower().partition(":")[0].rstrip(". ")
    return ".git" if re.match(_SHORT_NAME, name) else name
