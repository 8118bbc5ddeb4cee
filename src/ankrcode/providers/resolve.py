"""From a name to a model that answers: `model_for` is what everybody calls."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module

from msgspec.structs import replace

from ankrcode.errors import ProviderError
from ankrcode.providers.candidate import Candidate
from ankrcode.providers.catalogue import ModelFacts
from ankrcode.providers.client import WireModel
from ankrcode.providers.endpoint import ChosenSettings, Endpoint, endpoint_for
from ankrcode.providers.health import Health
from ankrcode.providers.keys import Keys
from ankrcode.providers.known_models import known_model
from ankrcode.providers.naming import MADE_HERE, Choice, Naming
from ankrcode.providers.retry import RetryPolicy
from ankrcode.providers.router import Router
from ankrcode.providers.transport.http import HttpClient, Timeouts
from ankrcode.providers.transport.proxies import Proxies
from ankrcode.providers.transport.tls import TlsFiles, tls_files
from ankrcode.providers.wire import Model
from ankrcode.providers.wires import wire_named

_HEALTH = Health()  # of this process
_MOST_OUTPUT = 32_000  # where the vendor wants a limit: long enough for any sensible answer


def model_for(
    name: str | None,
    settings: ChosenSettings,
    environ: Mapping[str, str],
    *,
    base_url: str | None = None,
    offline: bool = False,
    health: Health | None = None,
) -> Model:
    """The model of that name with its fallbacks behind it; without a name, the configured one.

    Raises `ProviderError` with one sentence on what to set.
    """
    return _Maker(settings, environ, offline=offline or settings.models.offline).routed(
        name, base_url, health or _HEALTH
    )


class _Maker:
    def __init__(
        self, settings: ChosenSettings, environ: Mapping[str, str], *, offline: bool
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._offline = offline
        self._keys = Keys(environ, keyring=settings.models.keyring, providers=settings.providers)
        self._naming = Naming(settings, environ, self._keys, offline=offline)

    def routed(self, name: str | None, base_url: str | None, health: Health) -> Model:
        models = self._settings.models
        others = self._fallbacks()
        first = self._first(name, base_url, has_others=bool(others))
        policy = RetryPolicy(
            retries=models.retries,
            max_wait_s=models.max_wait_s,
            max_total_wait_s=models.max_total_wait_s,
        )
        return Router([*first, *others], policy=policy, health=health)

    def _first(
        self, name: str | None, base_url: str | None, *, has_others: bool
    ) -> list[Candidate]:
        """The model itself. One that nobody named just now and that lacks a key gives way to the
        fallbacks, and says so; where nothing at all was chosen, the first of them is the model."""
        try:
            choice = self._choice(name, base_url)
        except ProviderError:
            if name or not has_others:
                raise
            return []
        try:
            return [self._candidate(choice, base_url)]
        except ProviderError as problem:
            if name or not has_others:
                raise
            from ankrcode.providers.unready import UnreadyModel

            return [Candidate(model=UnreadyModel(choice.name, str(problem)))]

    def _fallbacks(self) -> list[Candidate]:
        found: list[Candidate] = []
        for name in self._naming.ordered(self._settings.models.fallback):
            try:
                found.append(self._candidate(self._naming.choice(name), None))
            except ProviderError:
                continue  # a fallback without a key is none
        return found

    def _choice(self, name: str | None, base_url: str | None) -> Choice:
        if base_url and (name := name or self._naming.configured):
            return self._naming.served(name)
        return self._naming.choice(name) if name else self._naming.unnamed()

    def _candidate(self, choice: Choice, base_url: str | None) -> Candidate:
        if choice.provider in MADE_HERE:
            return Candidate(model=self._made_here(choice))
        endpoint = endpoint_for(
            choice.provider,
            self._settings,
            self._environ,
            self._keys,
            base_url,
            offline=self._offline,
        )
        facts = known_model(choice.name, self._environ)
        model = self._reached(endpoint, choice, facts)
        by_text = endpoint.own.text_tools or not facts.tools
        if not by_text and not endpoint.row.may_lack_tools:
            return Candidate(model=model, facts=facts)
        from ankrcode.providers.text.tools import TextToolsModel

        return Candidate(
            model=TextToolsModel(model, always=by_text), facts=replace(facts, tools=True)
        )

    def _reached(self, endpoint: Endpoint, choice: Choice, facts: ModelFacts) -> Model:
        wire = _wire_of(endpoint, choice.model)
        model: Model = self._wired(endpoint, choice, facts, wire)
        if endpoint.is_usual:
            return model
        from ankrcode.providers.either import EitherModel  # only beside the vendor's own address
        from ankrcode.providers.other_ways import other_ways

        for other, its_wire in other_ways(endpoint, choice.model, wire):
            model = EitherModel(model, partial(self._wired, other, choice, facts, its_wire))
        return model

    def _wired(self, endpoint: Endpoint, choice: Choice, facts: ModelFacts, wire: str) -> WireModel:
        row = endpoint.row
        target = row.target(choice.provider, choice.model, endpoint.base_url)
        context = endpoint.own.context_tokens or facts.context_tokens or target.context_tokens
        most = min(facts.max_output_tokens or 0, _MOST_OUTPUT) if wire == "anthropic" else 0
        return WireModel(
            wire=wire_named(wire),
            target=replace(target, context_tokens=context, max_output_tokens=most or None),
            http=self._http(endpoint),
            login=endpoint.login,
            headers=row.headers,
            secrets=endpoint.secrets,
            wire_name=wire,
        )

    def _http(self, endpoint: Endpoint) -> HttpClient:
        own, models = endpoint.own, self._settings.models
        files = TlsFiles(
            ca_file=own.ca_file or models.ca_file,
            client_cert=own.client_cert,
            client_key=own.client_key,
        )
        timeouts = Timeouts(
            connect=models.connect_timeout_s,
            first=models.first_byte_timeout_s,
            idle=models.idle_timeout_s,
        )
        return HttpClient(
            timeouts=timeouts,
            proxies=Proxies(self._environ),
            tls=tls_files(self._environ, files),
            offline=self._offline,
        )

    def _made_here(self, choice: Choice) -> Model:
        """A model without a server: its module is loaded only now."""
        module = import_module(f"ankrcode.providers.{MADE_HERE[choice.provider]}")
        model: Model = module.made(choice.model, self._settings, self._environ)
        return model


def _wire_of(endpoint: Endpoint, model: str) -> str:
    """A server of one's own that takes OpenAI's place mostly knows Chat Completions alone."""
    row = endpoint.row
    special = row.variant(model).wire
    if endpoint.own.wire or special:
        return endpoint.own.wire or special
    is_openais_place = row.wire == "openai-responses" and not endpoint.is_usual
    return row.compatible_wire or row.wire if is_openais_place else row.wire
