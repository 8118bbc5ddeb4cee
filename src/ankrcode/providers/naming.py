"""From what a person calls a model to a provider and its name for it."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ankrcode.errors import ProviderError
from ankrcode.providers.catalogue import model_names, named_so
from ankrcode.providers.endpoint import ChosenSettings, row_for
from ankrcode.providers.keys import Keys
from ankrcode.providers.table import ALIASES, TIERS, Provider, all_providers, find_provider

_ANY = "openai-compatible"  # any server that speaks Chat Completions
# Models that need no server, and the module whose `made(name, settings, environ)` makes them.
MADE_HERE = {"scripted": "scripted", "recorded": "recorded", "local": "local"}


class Choice(Struct, frozen=True):
    provider: str
    model: str

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


class Naming:
    """`provider/name`, `provider/tier`, a provider, a tier, or a model's bare name."""

    def __init__(
        self, settings: ChosenSettings, environ: Mapping[str, str], keys: Keys, *, offline: bool
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._keys = keys
        self._offline = offline

    def choice(self, name: str) -> Choice:
        """Raises one sentence where nothing fits the name."""
        name = name.strip()
        first, slash, rest = name.partition("/")
        if first in MADE_HERE:
            return Choice(first, rest)
        if provider := self._provider_called(first):
            return self._of_provider(provider, rest)
        if name in TIERS:
            return self._of_tier(name)
        if slash and not named_so(name):
            row_for(first, self._settings)  # says which providers there are
        return self._of_bare_name(name)

    def served(self, name: str) -> Choice:
        """At a server of one's own, which may have what nobody else is known to have. Many name
        their models as `vendor/name`: such a name goes there whole."""
        name = name.strip()
        first, _, rest = name.partition("/")
        provider = self._provider_called(first)
        if provider and rest and _is_vendors(name, provider):
            return Choice(_ANY, name)
        try:
            return self.choice(name)
        except ProviderError:
            return Choice(provider, rest) if provider and rest else Choice(_ANY, name)

    def unnamed(self) -> Choice:
        """What to ask when nobody said: the first provider whose key is set.

        Settings that were loaded know the variable already, and what counts before it.
        """
        return self.choice(self.configured) if self.configured else self._of_tier("medium")

    @property
    def configured(self) -> str:
        return (self._settings.model or self._environ.get("ANKRCODE_MODEL", "")).strip()

    def ordered(self, names: Sequence[str]) -> list[str]:
        """Fallbacks in turn; those with a free tier first if so wished."""
        if not self._settings.models.prefer_free:
            return list(names)
        return sorted(names, key=lambda name: not self._is_free(name))

    def _is_free(self, name: str) -> bool:
        row = find_provider(name.partition("/")[0])
        return row is not None and row.is_free

    def _provider_called(self, name: str) -> str:
        """As the table has it; empty where nobody is called so."""
        if self._is_provider(name):
            return name
        plain = name.lower()
        return ALIASES.get(plain, plain if self._is_provider(plain) else "")

    def _is_provider(self, name: str) -> bool:
        return find_provider(name) is not None or name in self._settings.providers

    def _of_provider(self, provider: str, model: str) -> Choice:
        own = self._settings.providers.get(provider)
        tier = TIERS.get(model or "medium")
        if tier is not None:
            row = row_for(provider, self._settings)
            usual = own.model if own else ""
            named = "" if row.is_local else model  # without tiers: somebody has called his model so
            model = (not model and usual) or row.tiers.get(tier, "") or usual or named
        if not model:
            row = row_for(provider, self._settings)
            key = "provider_without_model.local" if row.is_local else "provider_without_model"
            raise ProviderError.of(key, provider=provider)
        return Choice(provider, model)

    def _of_tier(self, name: str) -> Choice:
        tier = TIERS[name]
        said = str(getattr(self._settings.models, tier))
        if said and said not in TIERS:
            return self.choice(said)
        for provider, row in self._at_hand():
            if row.free_model and self._settings.models.prefer_free:
                return Choice(provider, row.free_model)
            if tier in row.tiers:
                return Choice(provider, row.tiers[tier])
            own = self._settings.providers.get(provider)
            if own and own.model:
                return Choice(provider, own.model)
        raise ProviderError.of("model_unset.offline" if self._offline else "model_unset")

    def _of_bare_name(self, name: str) -> Choice:
        """The provider whose key is set, among those that have it; else the first of them."""
        offers = [full.partition("/")[0] for full in named_so(name)]
        at_hand = {provider for provider, _ in self._at_hand()}
        if not offers:
            raise _unknown(name)
        return Choice(min(offers, key=lambda one: one not in at_hand), name)

    def _at_hand(self) -> Iterator[tuple[str, Provider]]:
        """Providers that could be asked now: a person's own, then by the table's order, free ones
        first if so wished."""
        for name, own in self._settings.providers.items():
            if own.model:
                yield name, row_for(name, self._settings)
        rows = list(all_providers().items())
        if self._settings.models.prefer_free:
            rows.sort(key=lambda item: not item[1].is_free)
        for name, row in rows:
            if not self._offline and row.needs_key and self._has_key(name, row):
                yield name, row

    def _has_key(self, name: str, row: Provider) -> bool:
        """Or a base URL: whoever sets one means this provider."""
        if self._keys.has(name, row.keys) or self._keys.in_environment(row.base_url_variables):
            return True
        names = ("AWS_ACCESS_KEY_ID", "AWS_PROFILE")
        return row.auth == "sigv4" and any(self._environ.get(variable) for variable in names)


def _is_vendors(name: str, provider: str) -> bool:
    """Is all of it a model's name? `Qwen/…` is, where `qwen/…` means a provider; so is what
    others are known to offer by that very name, and the provider is not."""
    first = name.partition("/")[0]
    is_provider = first == first.lower() or first.lower() == provider
    return not is_provider or (bool(named_so(name)) and name not in model_names())


def _unknown(name: str) -> ProviderError:
    from difflib import get_close_matches  # only a mistake pays for it

    by_bare_name = {full.partition("/")[2]: full for full in reversed(model_names())}
    near = get_close_matches(name[:100], by_bare_name, n=1, cutoff=0.7)
    if near:
        return ProviderError.of("model_unknown.near", name=name, near=by_bare_name[near[0]])
    return ProviderError.of("model_unknown", name=name)
