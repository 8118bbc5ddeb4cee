"""Who we are for a provider: its key, wherever that comes from, or a signature of AWS."""

from collections.abc import Callable, Mapping
from functools import partial

from ankrcode.config.models import ProviderSettings
from ankrcode.providers.keys import Keys, key_file
from ankrcode.providers.table import Provider
from ankrcode.providers.transport.auth import Login, basic
from ankrcode.providers.transport.secret import Secret


class Logins:
    """Makes the login of one provider; and again, where it came from a program and ran out."""

    def __init__(
        self,
        name: str,
        row: Provider,
        own: ProviderSettings,
        environ: Mapping[str, str],
        keys: Keys,
        *,
        in_url: str = "",
    ) -> None:
        self._name = name
        self._row = row
        self._own = own
        self._environ = environ
        self._keys = keys
        self._in_url = in_url  # user and password of a person's base URL

    def to(self, url: str) -> Login | None:
        """None where there is no key. A program is asked for one only with the first request:
        it may take long, and a fallback may never be needed."""
        if self._is_printed():
            make = partial(self._made, url, fresh=False)
            return Login("none", None, variable=self.place(), renew=make, is_pending=True)
        return self._made(url, fresh=False)

    def _is_printed(self) -> bool:
        if self._row.auth == "none":
            return False
        if self._row.auth != "sigv4" or self._keys.is_printed(self._name, self._row.keys):
            return self._keys.is_printed(self._name, self._row.keys)
        from ankrcode.providers.aws_login import AwsLogin

        has_key = self._keys.find(self._name, self._row.keys) is not None
        return not has_key and AwsLogin(self._environ, self._own.region).is_printed

    def _made(self, url: str, *, fresh: bool) -> Login | None:
        """`fresh`: programs are asked again."""
        row = self._row
        if row.auth == "none":
            return None
        key = self._keys.find(self._name, row.keys, fresh=fresh)
        if key is None and self._in_url:
            where = f"providers.{self._name}.base_url"
            return Login("basic", Secret(basic(self._in_url)), variable=where)
        if row.auth == "sigv4" and (key is None or key.reveal().startswith("{")):
            return self._signed(url, key, fresh=fresh)
        if key is None:
            return None
        place = self.place()
        style = "bearer" if row.auth == "sigv4" or place in row.bearer_keys else row.auth
        return Login(style, key, variable=place, renew=self._renewal(url))

    def _renewal(self, url: str) -> Callable[[], Login | None] | None:
        return partial(self._made, url, fresh=True) if self._is_printed() else None

    def place(self) -> str:
        """Where a person sets it: what has it now, else what would be looked at first."""
        name, variables = self._name, self._row.keys
        present = next((one for one in variables if self._keys.in_environment([one])), "")
        if present:
            return present
        if self._keys.is_printed(name, variables):
            return f"providers.{name}.key_command"
        if self._row.auth != "none" and self._keys.in_file(name):
            return f"'{name}' in {key_file(self._environ)}"
        return (*variables, f"providers.{name}.key_env")[0]

    def _signed(self, url: str, printed: Secret | None, *, fresh: bool) -> Login | None:
        from ankrcode.providers.aws_login import AwsLogin  # only AWS wants signatures

        sign = AwsLogin(self._environ, self._own.region).signer(url, printed, fresh=fresh)
        if sign is None:
            return None
        variable = "AWS_SECRET_ACCESS_KEY"
        return Login("none", None, sign, variable=variable, renew=self._renewal(url))
