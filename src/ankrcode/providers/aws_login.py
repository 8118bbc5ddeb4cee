"""Requests to Amazon Bedrock, signed with whatever credentials there are."""

from collections.abc import Mapping
from functools import partial

from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.transport.auth import Sign
from ankrcode.providers.transport.aws import Aws, printed_credentials
from ankrcode.providers.transport.secret import Secret
from ankrcode.providers.transport.sigv4 import signed_headers


class AwsLogin:
    def __init__(self, environ: Mapping[str, str], region: str) -> None:
        self._aws = Aws(environ)
        self._region = region  # of a person's settings

    @property
    def is_printed(self) -> bool:
        """Do its own files name a program that prints credentials?"""
        return bool(self._aws.process())

    def signer(self, url: str, printed: Secret | None, *, fresh: bool) -> Sign | None:
        """None where there are no credentials. `printed`: those of a person's own program."""
        if printed is not None:
            credentials = printed_credentials(printed.reveal())
        elif (found := self._aws.credentials(fresh=fresh)) is not None:
            credentials = found
        else:
            return None
        host = parse_address(url).host.split(".")
        in_host = host[1] if host[0].startswith("bedrock-runtime") and len(host) > 1 else ""
        return partial(
            signed_headers,
            "POST",
            credentials=credentials,
            region=in_host or self._region or self._aws.region() or "us-east-1",
            service="bedrock",
        )
