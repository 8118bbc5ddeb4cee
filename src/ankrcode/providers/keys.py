"""Where keys come from: the environment, the system's keyring, a file that only you can read.

Nowhere else: a settings file may be shared, a command line is seen by every process.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from importlib import import_module

import msgspec

from ankrcode.errors import ProviderError
from ankrcode.providers.transport.secret import Secret

KEYRING_SERVICE = "ankrcode"
_MAX_FILE_BYTES = 64 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Keys:
    """Looks in each place in turn; the file and the keyring only when they are needed."""

    def __init__(self, environ: Mapping[str, str], *, keyring: bool = True) -> None:
        self._environ = environ
        self._uses_keyring = keyring
        self._from_file: dict[str, str] | None = None

    def find(self, provider: str, variables: Sequence[str]) -> Secret | None:
        """The provider's key, or nothing."""
        value = self.in_environment(variables) or self._file().get(provider, "")
        value = value or (self._keyring(provider) if self._uses_keyring else "")
        return Secret(_checked(value, provider)) if value else None

    def in_environment(self, variables: Sequence[str]) -> str:
        values = (self._environ.get(name, "").strip() for name in variables)
        return next(filter(None, values), "")

    def has(self, provider: str, variables: Sequence[str]) -> bool:
        """Without waking the keyring, which may ask a person to unlock it."""
        return bool(self.in_environment(variables) or self._file().get(provider))

    def _file(self) -> dict[str, str]:
        if self._from_file is None:
            self._from_file = read_key_file(key_file(self._environ))
        return self._from_file

    def _keyring(self, provider: str) -> str:
        try:
            keyring = import_module("keyring")
        except ImportError:
            return ""
        try:
            return str(keyring.get_password(KEYRING_SERVICE, provider) or "")
        except (keyring.errors.KeyringError, RuntimeError):  # locked, or no desktop here
            return ""


def key_file(environ: Mapping[str, str]) -> str:
    """`keys.json` beside the person's settings: `{"groq": "…"}`."""
    chosen = environ.get("ANKRCODE_KEY_FILE", "")
    if chosen.startswith("/"):
        return chosen
    from ankrcode.config.paths import config_file  # only where no variable has the key

    return str(config_file(environ).with_name("keys.json"))


def read_key_file(path: str) -> dict[str, str]:
    """Keys by provider; a file that others may read or write is refused."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise ProviderError.of("key_file_unread", path=path, why=problem.strerror) from None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
            raise ProviderError.of("key_file_foreign", path=path)
        if about.st_mode & _OTHERS:
            raise ProviderError.of("key_file_open", path=path)
        data = os.read(handle, _MAX_FILE_BYTES + 1)
    finally:
        os.close(handle)
    try:
        if len(data) > _MAX_FILE_BYTES:
            raise msgspec.DecodeError
        return msgspec.json.decode(data, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeError):
        raise ProviderError.of("key_file_wrong", path=path) from None


def _checked(value: str, provider: str) -> str:
    """A key with a line break or a letter of another script in it was pasted wrongly."""
    value = value.strip()
    if not (value.isascii() and value.isprintable()):
        raise ProviderError.of("key_garbled", provider=provider)
    return value
