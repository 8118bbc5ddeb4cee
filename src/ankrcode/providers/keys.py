"""Where keys come from: the environment, a program of yours that prints them, a file that only
you can read, the system's keyring.

Nowhere else: a settings file may be shared, a command line is seen by every process.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from importlib import import_module

import msgspec

from ankrcode.config.models import ProviderSettings
from ankrcode.errors import ProviderError
from ankrcode.providers.transport.secret import Secret

KEYRING_SERVICE = "ankrcode"
_MAX_FILE_BYTES = 64 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Keys:
    """Looks in each place in turn, and in the later ones only when they are needed."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        keyring: bool = True,
        providers: Mapping[str, ProviderSettings] | None = None,
    ) -> None:
        self._environ = environ
        self._uses_keyring = keyring
        self._providers = providers or {}
        self._from_file: dict[str, str] | None = None

    def find(
        self, provider: str, variables: Sequence[str], *, fresh: bool = False
    ) -> Secret | None:
        """The provider's key, or nothing. `fresh`: what was printed before does not count."""
        value = self.in_environment(variables)
        if not value and self.is_printed(provider, variables):
            value = self._printed(provider, fresh=fresh)
        value = value or self._file().get(provider, "")
        value = value or (self._keyring(provider) if self._uses_keyring else "")
        return Secret(_checked(value, provider)) if value else None

    def is_printed(self, provider: str, variables: Sequence[str]) -> bool:
        """Does it come from a program?"""
        return bool(self._command(provider)) and not self.in_environment(variables)

    def in_environment(self, variables: Sequence[str]) -> str:
        values = (self._environ.get(name, "").strip() for name in variables)
        return next(filter(None, values), "")

    def in_file(self, provider: str) -> bool:
        return bool(self._file().get(provider))

    def has(self, provider: str, variables: Sequence[str]) -> bool:
        """Without waking a program or the keyring, which may ask a person to unlock them."""
        is_set = self.in_environment(variables) or self._command(provider)
        return bool(is_set) or self.in_file(provider)

    def _command(self, provider: str) -> list[str]:
        own = self._providers.get(provider)
        return own.key_command if own else []

    def _printed(self, provider: str, *, fresh: bool) -> str:
        from ankrcode.providers.key_command import printed_key  # few have such a program

        return printed_key(self._command(provider), provider, self._environ, fresh=fresh)

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
