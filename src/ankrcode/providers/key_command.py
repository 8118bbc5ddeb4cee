"""A key that a program prints: a password store, a cloud's own login. The person's choice alone.

It is run without a shell, in the person's home, within a bound of time. What it printed is kept
in memory for a while and nowhere else; a server that refuses it has the program asked again.
"""

import os
import time
from collections.abc import Mapping, Sequence

import msgspec

from ankrcode.errors import ProviderError
from ankrcode.providers.transport.secret import Secret

PATIENCE_S = 60.0  # a person may have to unlock something
KEPT_S = 300.0
_MAX_CHARS = 16_384
_MAX_WHY_CHARS = 200

_kept: dict[tuple[str, ...], tuple[float, str]] = {}  # until when, what


def printed_key(
    command: Sequence[str], provider: str, environ: Mapping[str, str], *, fresh: bool = False
) -> str:
    """What it printed, on one line; an object stays one. Raises one sentence that holds no key."""
    known = _kept.get(tuple(command))
    if known is not None and known[0] > time.monotonic() and not fresh:
        return known[1]
    value = _on_one_line(_run(list(command), provider, environ))
    if not value or len(value) > _MAX_CHARS or not value.isprintable():
        raise _failed(provider, command, "it did not print one key")
    _kept[tuple(command)] = (time.monotonic() + KEPT_S, value)
    return value


def _run(command: list[str], provider: str, environ: Mapping[str, str]) -> str:
    import subprocess  # only who has such a command pays for it

    from ankrcode.config.paths import home_folder

    home = home_folder(environ)
    program = _found(os.path.expanduser(command[0]), environ)  # noqa: PTH111
    if not program:
        raise _failed(provider, command, "there is no such program")
    try:
        done = subprocess.run(  # noqa: S603 - the person's own program, by their own settings
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            env=dict(environ),
            cwd=home if home.is_dir() else "/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _failed(provider, command, f"it took longer than {PATIENCE_S:.0f} s") from None
    except OSError as problem:
        raise _failed(provider, command, problem.strerror or "it cannot be started") from None
    printed = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        reason = _reason(done.stderr.decode("utf-8", "replace"), Secret(printed))
        raise _failed(provider, command, f"it ended with code {done.returncode}{reason}")
    return printed


def _found(name: str, environ: Mapping[str, str]) -> str:
    """By its path, or in the folders of PATH: never in the current one, which may be anybody's."""
    if "/" in name:
        return name if name.startswith("/") and os.access(name, os.X_OK) else ""
    folders = [one for one in environ.get("PATH", os.defpath).split(":") if one.startswith("/")]
    places = (f"{folder}/{name}" for folder in folders)
    return next((one for one in places if os.path.isfile(one) and os.access(one, os.X_OK)), "")  # noqa: PTH113


def _on_one_line(text: str) -> str:
    if not text.startswith("{"):
        return text
    try:
        return msgspec.json.encode(msgspec.json.decode(text)).decode()
    except msgspec.DecodeError:
        return ""


def _reason(errors: str, printed: Secret) -> str:
    """Its last words, for they mostly say what is wrong; without what looks like a secret."""
    from ankrcode.config.secrets import redact

    lines = redact(printed.removed_from(errors)).strip().splitlines()
    return f": {lines[-1].strip()[:_MAX_WHY_CHARS]}" if lines else ""


def _failed(provider: str, command: Sequence[str], why: str) -> ProviderError:
    return ProviderError.of("key_command_failed", provider=provider, program=command[0], why=why)
