"""`providers.NAME.FIELD`: one setting of one provider, by the name that messages call it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from ankrcode.config.keys import Key
from ankrcode.config.models import ProviderSettings
from ankrcode.words import say


def provider_key(name: str) -> Key | None:
    """None for a name of another form. The person's alone, as all of the section is."""
    parts = name.split(".")
    if len(parts) != 3 or parts[0] != "providers" or not parts[1]:  # noqa: PLR2004
        return None
    for field in msgspec.structs.fields(ProviderSettings):
        if field.name == parts[2]:
            about = say("setting_of_provider", field=field.name, provider=parts[1])
            make = field.default_factory
            return Key(
                name=name,
                kind=Annotated[field.type, Meta(description=about)],
                default=field.default if make is msgspec.NODEFAULT else make(),
                is_for_projects=False,
            )
    return None
