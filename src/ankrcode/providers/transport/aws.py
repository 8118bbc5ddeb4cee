"""Who we are for AWS, and where: variables first, then the shared files of its own tools."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.config.paths import home_folder
from ankrcode.errors import ProviderError
from ankrcode.providers.transport.secret import Secret
from ankrcode.providers.transport.sigv4 import AwsCredentials

_MAX_FILE_BYTES = 1024 * 1024

Profile = dict[str, str]


class Aws:
    """`AWS_ACCESS_KEY_ID` and its relatives, or a profile of `~/.aws/credentials` and `config`.

    Roles, single sign-on and instance metadata need requests of their own and are not followed,
    but a program may be asked for them: a profile's `credential_process`.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._profile: Profile | None = None

    def credentials(self, *, fresh: bool = False) -> AwsCredentials | None:
        """`fresh`: what a program printed before does not count."""
        found = self._written()
        if found is None and (command := self.process()):
            from ankrcode.providers.key_command import printed_key

            found = printed_credentials(printed_key(command, "bedrock", self._environ, fresh=fresh))
        return found

    def place(self) -> str:
        """Where credentials are, without asking anybody for them; empty where they are not."""
        if self._environ.get("AWS_ACCESS_KEY_ID") and self._environ.get("AWS_SECRET_ACCESS_KEY"):
            return "AWS_ACCESS_KEY_ID"
        is_there = self._written() is not None or bool(self.process())
        return (
            f"the AWS profile {self._environ.get('AWS_PROFILE') or 'default'}" if is_there else ""
        )

    def process(self) -> list[str]:
        """The profile's program for credentials, where nothing else has them."""
        text = self._of_profile().get("credential_process", "")
        if not text or self._written() is not None:
            return []
        from shlex import split

        try:
            return split(text)
        except ValueError:
            return []

    def _written(self) -> AwsCredentials | None:
        """As they stand in variables or files."""
        source: Mapping[str, str] = {
            name.lower(): value for name, value in self._environ.items() if name.startswith("AWS_")
        }
        return _credentials(source) or _credentials(self._of_profile())

    def region(self) -> str:
        """Empty where nobody said."""
        named = self._environ.get("AWS_REGION") or self._environ.get("AWS_DEFAULT_REGION")
        return named or self._of_profile().get("region", "")

    def _of_profile(self) -> Profile:
        if self._profile is None:
            name = self._environ.get("AWS_PROFILE") or "default"
            folder = home_folder(self._environ) / ".aws"
            config = self._environ.get("AWS_CONFIG_FILE") or folder / "config"
            keys = self._environ.get("AWS_SHARED_CREDENTIALS_FILE") or folder / "credentials"
            section = name if name == "default" else f"profile {name}"
            self._profile = read_profile(Path(config), section) | read_profile(Path(keys), name)
        return self._profile


def printed_credentials(text: str) -> AwsCredentials:
    """As `aws configure export-credentials` and every `credential_process` print them."""
    try:
        said = msgspec.json.decode(text, type=_Printed)
    except (msgspec.DecodeError, UnicodeError):
        raise ProviderError.of("aws_credentials_wrong") from None
    return AwsCredentials(
        access_key=said.AccessKeyId,
        secret_key=Secret(said.SecretAccessKey),
        session_token=Secret(said.SessionToken) if said.SessionToken else None,
    )


class _Printed(Struct):
    """In AWS's own words."""

    AccessKeyId: str
    SecretAccessKey: str
    SessionToken: str | None = None


def _credentials(source: Mapping[str, str]) -> AwsCredentials | None:
    access, secret = source.get("aws_access_key_id"), source.get("aws_secret_access_key")
    if not access or not secret:
        return None
    token = source.get("aws_session_token", "")
    return AwsCredentials(
        access_key=access,
        secret_key=Secret(secret),
        session_token=Secret(token) if token else None,
    )


def read_profile(path: Path, section: str) -> Profile:
    """One section of an INI file in AWS's way: nested settings are indented and not ours."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return {}
    found: Profile = {}
    is_inside = False
    for line in text.splitlines():
        if line.startswith("["):
            is_inside = " ".join(line.partition("]")[0][1:].split()) == section
        elif is_inside and line[:1] not in ("", " ", "\t", "#", ";"):
            name, equals, value = line.partition("=")
            if equals:
                found[name.strip().lower()] = value.partition(" #")[0].strip()
    return found
