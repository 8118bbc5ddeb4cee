"""Kinds of values and arguments: what it means that one stands there.

A kind of `KINDS` looks at one argument; a kind of `REST` takes it and all that follow.
"""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase

from ankrcode.permissions.shell import variables
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.values import Arg, Args, constant

# Patterns are text here: each is compiled by its first use, not by every start.
_VERIFIES = r"%G|%\(signature"
_LOOKS = (
    *("color.*", "core.quotepath", "core.abbrev", "log.date", "log.decorate", "log.abbrevcommit"),
    *("diff.algorithm", "diff.renames", "diff.noprefix", "diff.context", "column.*", "advice.*"),
    *("status.*", "core.pager", "pager.*"),
)
# Settings with which git runs none of the programs that a repository may name.
MUTE = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false"),
    *("gpg.program=false", "gpg.x509.program=false", "gpg.ssh.program=false"),
    # by these git would run another git, with none of our flags, or any merge driver
    *("diff.submodule=short", "log.diffMerges=separate"),
    # a partial clone fetches what it lacks, by whatever program the address asks for
    "protocol.allow=never",
    *(f"protocol.{one}.allow=never" for one in ("ext", "ssh", "file", "git", "http", "https")),
)
_MUTE = {*MUTE, "core.fsmonitor=", "core.useBuiltinFSMonitor=false"}


def _nothing(call: Call, arg: Arg) -> None:
    """Text, numbers, patterns: data."""


def _path(call: Call, arg: Arg) -> None:
    if arg.text != "-":
        call.shell.touching.read(arg, call.scope)


def _listed(call: Call, arg: Arg) -> None:
    call.shell.touching.look(arg, call.scope)


def _write(call: Call, arg: Arg) -> None:
    if arg.text == "-" and call.name == "tee":  # a file of that name
        arg = constant("./-")
    adds = call.name == "tee" and call.given is not None and call.given.has("-a", "--append")
    call.shell.touching.write(arg, call.scope, appends=adds)


def _append(call: Call, arg: Arg) -> None:
    call.shell.touching.write(arg, call.scope, appends=True)


def _move(call: Call, arg: Arg) -> None:
    """A file that is taken away from where it is."""
    call.shell.touching.destroy(arg, call.scope, why="move_tree", workspace=False)
    call.shell.touching.write(arg, call.scope)


def _change(call: Call, arg: Arg) -> None:
    call.ledger.ask("change", "change", f"{call.name} {arg.shown}")


def _connect(call: Call, arg: Arg) -> None:
    call.ledger.ask("connect", "connect", arg.shown)


def _code(call: Call, arg: Arg) -> None:
    """A program in another language, or a file that holds one."""
    call.ledger.ask("code", "execute", call.name)


def _topic(call: Call, arg: Arg) -> None:
    """A page of the manual, or a file that is shown like one."""
    if "/" in arg.shown:
        _path(call, arg)


def _date(call: Call, arg: Arg) -> None:
    if not arg.prefix.startswith("+"):
        _change(call, arg)


def _format(call: Call, arg: Arg) -> None:
    """Formats of git: some of them run gpg, whichever program that is set to be."""
    text = arg.text
    if text is None or re.search(_VERIFIES, text):
        call.ledger.ask("flag", "execute", f"{call.name} {arg.shown}")


def _submodule(call: Call, arg: Arg) -> None:
    """`--submodule=diff` runs git in the submodule, whose settings may name programs."""
    if arg.text not in ("log", "short"):
        call.ledger.ask("flag", "execute", f"{call.name} --submodule={arg.shown}")


def _merges(call: Call, arg: Arg) -> None:
    """`--diff-merges=remerge` merges again, by programs that the settings may name."""
    if arg.text in (None, "remerge", "r"):
        call.ledger.ask("flag", "execute", f"{call.name} --diff-merges={arg.shown}")


def _revision(call: Call, arg: Arg) -> None:
    """`HEAD~2`, `main..topic`, `HEAD:.env`, or a path."""
    text = arg.text
    if text is None:
        return
    path = text.rpartition(":")[2] or text
    if call.shell.places.is_secret(path):
        call.ledger.ask("secret", "secret", text)
    elif text.startswith(("/", "~", "../")) or "/../" in text:
        call.shell.touching.read(arg, call.scope)


def _patch_path(call: Call, arg: Arg) -> None:
    """A path that git limits itself to: within the repository by its own rule."""
    if arg.text and call.shell.places.is_secret(arg.text):
        call.ledger.ask("secret", "secret", arg.text)


def _folder(call: Call, arg: Arg) -> None:
    """The folder that the rest is relative to."""
    call.shell.touching.read(arg, call.scope)
    if arg.text is None:
        call.scope.cwds = ()
        return
    places = call.shell.places
    call.scope.cwds = tuple(places.plain(arg.text, cwd) for cwd in call.scope.cwds)


def _variable(call: Call, arg: Arg) -> None:
    """A name of the environment that is printed."""
    if arg.text is None or variables.is_secret(arg.text):
        call.ledger.ask("secret_variable", "secret", arg.shown)


def _awk(call: Call, arg: Arg) -> None:
    if arg.text is None:
        call.ledger.ask("code", "execute", "awk")
        return
    from ankrcode.permissions.programs import awk  # few commands need it

    found = awk.read(arg.text)
    for script in found.runs:
        call.run_text(script)
    for path in found.reads:
        _path(call, constant(path))
    if found.doubt:
        call.ledger.ask("flag", "execute", f"awk: {found.doubt}")
        for path in re.findall(_AWK_WRITES, arg.text):
            _write(call, constant(path))


_AWK_WRITES = r'>{1,2}\s*"([^"\\]+)"'


def _ssh_option(call: Call, arg: Arg) -> None:
    """`-o ProxyCommand=…` runs on this machine."""
    found = re.fullmatch(r"(?i)(?:proxy|local|knownhosts)command[ =](.*)", arg.text or "")
    if found:
        call.run_text(found[1])


def _checkpoint(call: Call, arg: Arg) -> None:
    if (arg.text or "").startswith("exec="):
        call.run_text((arg.text or "").removeprefix("exec="))


def _awk_argument(call: Call, arg: Arg) -> None:
    """`name=value` sets a variable of the program, anything else is a file."""
    if not re.match(r"[A-Za-z_]\w*=", arg.prefix):
        _path(call, arg)


def _sed(call: Call, arg: Arg) -> None:
    if arg.text is None:
        if not _is_plain_substitution(arg):
            call.ledger.ask("code", "execute", "sed")
        return
    from ankrcode.permissions.programs import sed  # few commands need it

    found = sed.read(arg.text)
    for script in found.runs:
        call.run_text(script)
    for path in found.reads:
        _path(call, constant(path))
    for path in found.writes:
        _write(call, constant(path))
    if found.doubt:
        call.ledger.ask("flag", "execute", f"sed: {found.doubt}")


def _is_plain_substitution(arg: Arg) -> bool:
    """`${n}p`, `s/x/5/`: only numbers are open, and what they are put into is harmless."""
    text = "".join(piece if isinstance(piece, str) else "1" for piece in arg.pieces)
    holes = [piece for piece in arg.pieces if not isinstance(piece, str)]
    from ankrcode.permissions.programs import sed

    found = sed.read(text)
    harmless = not (found.doubt or found.reads or found.writes)
    return harmless and all(hole.kind == "number" for hole in holes)


_JQ_ENVIRONMENT = r"(?<![.\w$])(env|\$ENV|\$__prog_args)\b(\.(\w+))?"


def _jq(call: Call, arg: Arg) -> None:
    """jq writes nothing; it can show the environment."""
    if arg.text is None:
        return
    program = re.sub(r'"(?:[^"\\(]|\\[^(])*"', '""', arg.text)
    for found in re.finditer(_JQ_ENVIRONMENT, program):
        if not found[3] or variables.is_secret(found[3]):
            call.ledger.ask("environment", "secret", "jq env")


_YQ_REACHES = r"(?<![.\w])(load\w*|strenv|envsubst|env|system|error)\b|\\\("


def _yq(call: Call, arg: Arg) -> None:
    """A program or a file, whichever yq takes it for: its operators read files and variables."""
    if arg.text is not None and re.search(_YQ_REACHES, arg.text) and not arg.text.endswith(_DATA):
        call.ledger.ask("environment", "secret", f"yq {arg.text}")
    elif arg.text is None or not arg.text.startswith("."):
        _path(call, arg)


_DATA = (".yml", ".yaml", ".json", ".xml", ".toml", ".csv", ".properties")


def _config_key(call: Call, arg: Arg) -> None:
    """A key of git's settings that is printed: some hold tokens."""
    key = (arg.text or "*").lower()
    if any(fnmatchcase(key, one) for one in ("*token*", "*password*", "*extraheader*", "*secret*")):
        call.ledger.ask("secret", "secret", arg.shown)


_COMMANDS = ("pager", "editor", "command", "external", "fsmonitor", "helper", "textconv", "driver")


def _git_setting(call: Call, arg: Arg) -> None:
    """`git -c name=value`: harmless only where the setting is about looks."""
    name = (arg.text or "").partition("=")[0].lower()
    value = (arg.text or "").partition("=")[2]
    if arg.text in _MUTE:
        return
    is_plain = "pager" not in name or value in ("", "cat", "false")
    if is_plain and any(fnmatchcase(name, one) for one in _LOOKS):
        return
    if name.startswith("alias.") or any(one in name for one in _COMMANDS):
        call.run_text(value.removeprefix("!"))
    call.ledger.ask("setting", "execute", arg.shown, "git.config")


def _inside(call: Call, arg: Arg) -> None:
    """A folder with settings of its own: only one of the workspace."""
    named = call.shell.touching.named(arg, call.scope)
    places = call.shell.places
    if named is None or not all(places.is_inside(places.both(one, "/")[-1]) for one in named):
        call.ledger.ask("outside", "read", arg.shown)


def _git_folder(call: Call, arg: Arg) -> None:
    """`--git-dir=.git` is what git finds by itself; any other folder may be set up to run code."""
    if (arg.text or "").rstrip("/").rpartition("/")[2] != ".git":
        call.ledger.ask("setting", "execute", arg.shown, "git.config")
    _inside(call, arg)


def _certificate(call: Call, arg: Arg) -> None:
    """A file of which only the public part is shown: *.pem is no secret then."""
    for path in call.shell.touching.named(arg, call.scope) or [""]:
        if not path or not call.shell.places.may_read(call.shell.places.both(path, "/")[-1]):
            call.ledger.ask("outside", "read", arg.shown)


def _binary(call: Call, arg: Arg) -> None:
    """binutils take options from @FILE, which may load a plug-in."""
    if arg.prefix.startswith("@") or (arg.text is None and not arg.prefix):
        call.ledger.ask("unknown_flag", "unknown", f"{call.name} {arg.shown}")
    _path(call, arg)


def _local(call: Call, arg: Arg) -> None:
    """A package, or the file of one: rpm fetches what looks like an address."""
    if "://" in arg.shown:
        _connect(call, arg)


def _alias(call: Call, arg: Arg) -> None:
    if arg.text is None or "=" in arg.text:
        _change(call, arg)


def _service_verb(call: Call, arg: Arg) -> None:
    if arg.text != "status":
        _change(call, arg)


def _docker_format(call: Call, arg: Arg) -> None:
    """Parts of a description that hold no environment and no arguments."""
    fields = re.findall(r"\{\{(.*?)\}\}", arg.text or "{{.}}")
    if not fields or not all(re.fullmatch(_PUBLIC_FIELD, field) for field in fields):
        call.ledger.ask("environment", "secret", f"docker inspect {arg.shown}")


_PUBLIC_FIELD = (
    r"\s*(?:(?:json|len|range|if) )?\.(?:State|NetworkSettings|Id|ID|Name|Image|Created|Mounts"
    r"|RestartCount|Platform|Driver|RepoTags|RepoDigests|Size|Architecture|Os|RootFS|IPAddress"
    r"|Gateway|MacAddress|Source|Destination|Status|Health)\b[.\w]*\s*|\s*(?:end|else)\s*"
)


def _less_argument(call: Call, arg: Arg) -> None:
    """`+/text` and `+G` only move; other commands behind + may run programs."""
    text = arg.prefix
    if not text.startswith("+"):
        _path(call, arg)
    elif not re.fullmatch(r"\+(/[^!|\n]*|[GgF]|\d+[Gg]?)", arg.text or ""):
        call.ledger.ask("flag", "execute", f"{call.name} {arg.shown}")


def _process_option(call: Call, arg: Arg) -> None:
    """`ps aux`: without a dash, e shows the environment of every process."""
    text = arg.text or ""
    if "e" in text and not text.isdigit() and not text.startswith("-"):
        call.ledger.ask("environment", "secret", f"ps {arg.shown}")


def _terminal_setting(call: Call, arg: Arg) -> None:
    if arg.text not in ("size", "speed"):
        _change(call, arg)


def _kernel_setting(call: Call, arg: Arg) -> None:
    if "=" in arg.shown or arg.text is None:
        _change(call, arg)


def _archive(call: Call, arg: Arg) -> None:
    """An archive that is read; `host:file` and tapes are elsewhere."""
    if ":" in arg.shown:
        _connect(call, arg)
    else:
        _path(call, arg)


_FORCED = ("-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete")


def _pushed(call: Call, arg: Arg) -> None:
    """A leading + forces, a leading : deletes."""
    text = arg.text or ""
    if text.startswith(("+", ":")):
        call.ledger.ask("flag", "change", f"git push {text}", "git.force_push")
    is_forced = call.given is not None and call.given.has(*_FORCED)
    target = text.lstrip("+").rpartition(":")[2].rpartition("/")[2]
    if target in ("main", "master") and (is_forced or text.startswith(("+", ":"))):
        call.ledger.ask("force_push_main", "change", target, "git.force_push_main")


def _checked_out(call: Call, arg: Arg) -> None:
    if arg.text in (".", "./", ":/", "*", "--"):
        call.ledger.ask("flag", "change", f"git checkout {arg.text}", "git.discard")


def _restored(call: Call, arg: Arg) -> None:
    if call.given is None or not call.given.has("-S", "--staged"):
        call.ledger.ask("flag", "change", f"git restore {arg.shown}", "git.discard")


_SQL_READS = (
    r"(?i)\s*(?:(?:select|with|explain|values|pragma\s+\w+(?:\s*\(\s*['\"]?\w*['\"]?\s*\))?\s*\Z)"
    r"|\.(?:tables|schema|indexes|indices|databases|fullschema|show|help)\b|\Z)"
)
_SQL_DOES = (
    r"(?i)\b(load_extension|writefile|readfile|edit|fts3_tokenizer|attach|vacuum|insert|update|delete"
    r"|replace\s+into|create|drop|alter|reindex|detach|eval|fileio_\w+|lsdir|fsdir)\b"
)


def _sql(call: Call, arg: Arg) -> None:
    """Statements that only ask."""
    lines = [one for text in (arg.text or "?").split("\n") for one in text.split(";")]
    if re.search(_SQL_DOES, arg.shown) or not all(re.match(_SQL_READS, line) for line in lines):
        call.ledger.ask("code", "execute", call.name)


# ── the rest of the line ──────────────────────────────────────────────────────────────────────
def _run(call: Call, args: Args) -> Args:
    """A command with its arguments; flock also takes a script behind -c."""
    if call.name == "flock" and args[0].text in ("-c", "--command") and len(args) > 1:
        _script(call, args[1])
        return ANYTHING
    return call.run(args)


def _joined_script(call: Call, args: Args) -> Args:
    """Arguments that are put together and given to a shell: ssh, watch, eval."""
    texts = [arg.text for arg in args]
    if None in texts:
        call.ledger.ask("computed", "execute", " ".join(arg.shown for arg in args))
        return ANYTHING
    return call.run_text(" ".join(text or "" for text in texts))


def _script(call: Call, arg: Arg) -> None:
    """A script as one argument: su -c, flock -c."""
    if arg.text is None:
        call.ledger.ask("computed", "execute", arg.shown)
    else:
        call.run_text(arg.text)


Kind = Callable[[Call, Arg], None]
KINDS: dict[str, Kind] = {
    **dict.fromkeys(("text", "pattern", "number", "name", "exists", "label"), _nothing),
    "path": _path,
    "list": _listed,
    "write": _write,
    "append": _append,
    "move": _move,
    "change": _change,
    "connect": _connect,
    "code": _code,
    "date": _date,
    "topic": _topic,
    "format": _format,
    "rev": _revision,
    "submodule": _submodule,
    "merges": _merges,
    "tracked": _patch_path,
    "folder": _folder,
    "variable": _variable,
    "awk": _awk,
    "awk-argument": _awk_argument,
    "sed": _sed,
    "jq": _jq,
    "key": _config_key,
    "setting": _git_setting,
    "script": _script,
    "less": _less_argument,
    "ps": _process_option,
    "stty": _terminal_setting,
    "sysctl": _kernel_setting,
    **dict.fromkeys(("tarfile", "archive"), _archive),
    "zipped": _path,
    "config": _nothing,
    "push": _pushed,
    "checkout": _checked_out,
    "restore": _restored,
    "inside": _inside,
    "git-dir": _git_folder,
    "certificate": _certificate,
    "binary": _binary,
    "local": _local,
    "alias": _alias,
    "status": _service_verb,
    "docker-format": _docker_format,
    "yq": _yq,
    "sql": _sql,
    "ssh-option": _ssh_option,
    "checkpoint": _checkpoint,
}
REST: dict[str, Callable[[Call, Args], Args]] = {"command": _run, "words": _joined_script}
