"""One model of a chain, with what is known of it."""

from msgspec import Struct

from ankrcode.providers.catalogue import UNKNOWN, ModelFacts
from ankrcode.providers.wire import Model


class Candidate(Struct, frozen=True, kw_only=True):
    model: Model
    facts: ModelFacts = UNKNOWN

    @property
    def name(self) -> str:
        return self.model.name
