"""List the models that are known, show one, try one, and bring prices up to date."""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ankrcode.config.settings import Settings
from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import as_json, harmless
from ankrcode.frontends.cli.settings import load_and_warn
from ankrcode.providers.catalogue import ModelFacts, Prices, model_names
from ankrcode.providers.endpoint import row_for
from ankrcode.providers.keys import Keys
from ankrcode.providers.naming import MADE_HERE, Naming
from ankrcode.providers.prices import PriceList
from ankrcode.providers.table import Provider
from ankrcode.providers.transport.address import without_login
from ankrcode.words import say

_THOUSAND = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="one line for each model that is known")
    listing.add_argument("--provider", metavar="NAME", help="only those of this provider")
    listing.add_argument(
        "--detect", action="store_true", help="only what servers on this machine offer just now"
    )
    show = actions.add_parser("show", help="what is known of one model, and how it is reached")
    test = actions.add_parser("test", help="ask a model for a word and a call")
    for action in (show, test):
        action.add_argument("name", nargs="?", metavar="NAME", help="else the configured one")
    refresh = actions.add_parser("refresh", help="take prices from a file or an https address")
    refresh.add_argument("source", metavar="FILE_OR_URL")
    call = actions.add_parser("call", help="one raw request from standard input; no tool is run")
    call.add_argument("--model", metavar="NAME", help="provider/name; else the configured one")
    call.add_argument("--record", metavar="FILE", help="write down what it says, to be replayed")
    for action in (test, call):
        action.add_argument("--base-url", metavar="URL", help="where the model is served")
    for action in (test, call, refresh):
        action.add_argument("--offline", action="store_true", help="only models on this machine")
    for action in (listing, show, test, call):
        action.add_argument("--json", action="store_true", help="as JSON lines")


def run(options: argparse.Namespace) -> int:
    settings = load_and_warn(options)
    if getattr(options, "offline", False):
        settings = replace(settings, models=replace(settings.models, offline=True))
    code: int = globals()[f"_{options.action}"](options, settings) or 0
    return code


# ── list ──────────────────────────────────────────────────────────────────────────────────────
def _list(options: argparse.Namespace, settings: Settings) -> None:
    if options.provider:
        row_for(options.provider, settings)  # of an unknown one it says which there are
    if options.detect:
        _list_running(options, settings)
    else:
        _list_known(options, settings)


def _list_known(options: argparse.Namespace, settings: Settings) -> None:
    keys = Keys(os.environ, keyring=False, providers=settings.providers)
    prices = PriceList(os.environ)
    of_the_person = [f"{name}/{own.model}" for name, own in settings.providers.items() if own.model]
    for name in dict.fromkeys((*of_the_person, *model_names())):
        provider = name.partition("/")[0]
        if options.provider in (None, provider):
            is_ready = _is_ready(keys, provider, row_for(provider, settings))
            _tell_model(name, prices.facts(name), is_ready=is_ready, options=options)


def _is_ready(keys: Keys, name: str, row: Provider) -> bool:
    return not row.needs_key or keys.has(name, row.keys) or bool(_aws_place(row))


def _aws_place(row: Provider) -> str:
    if row.auth != "sigv4":
        return ""
    from ankrcode.providers.transport.aws import Aws

    return Aws(os.environ).place()


def _tell_model(
    name: str, facts: ModelFacts, *, is_ready: bool, options: argparse.Namespace
) -> None:
    if options.json:
        print(as_json({"name": name, "ready": is_ready, **_facts(facts)}).decode())
        return
    mark = "*" if is_ready else " "
    context = f"{facts.context_tokens // _THOUSAND}k" if facts.context_tokens else ""
    price = _price(facts.prices) or ("free" if facts.is_free else "")
    print(f"{mark} {name:<50} {context:>6}  {price:<22} {' '.join(_abilities(facts))}".rstrip())


def _facts(facts: ModelFacts) -> dict[str, Any]:
    return {name: getattr(facts, name) for name in facts.__struct_fields__}


def _price(prices: Prices | None) -> str:
    return f"${prices.input:g} in, ${prices.output:g} out" if prices else ""


def _abilities(facts: ModelFacts) -> Iterator[str]:
    yield "tools" if facts.tools else "text-tools"
    for name in ("vision", "pdf", "thinking"):
        if getattr(facts, name):
            yield name


def _list_running(options: argparse.Namespace, settings: Settings) -> None:
    from ankrcode.providers.detect import detect

    urls = [own.base_url for own in settings.providers.values() if own.base_url]
    found = asyncio.run(detect(os.environ, urls=urls))
    found = [server for server in found if options.provider in (None, server.provider)]
    for server in found:
        for name in [f"{server.provider}/{model}" for model in server.models] or [server.provider]:
            if options.json:
                row = {"name": name, "ready": bool(server.models), "base_url": server.base_url}
                print(as_json(row).decode())
            else:
                mark = "*" if server.models else " "
                print(harmless(f"{mark} {name:<50} {server.base_url}", sys.stdout))
    if not found:
        print(say("no_server_runs"), file=sys.stderr)


# ── show ──────────────────────────────────────────────────────────────────────────────────────
def _show(options: argparse.Namespace, settings: Settings) -> None:
    facts = described(options.name, settings)
    if options.json:
        print(as_json(facts).decode())
        return
    for name, value in facts.items():
        if value not in (None, "", [], (), {}, False):
            print(f"{name:<16} {harmless(_plain(value), sys.stdout)}")


def _plain(value: Any) -> str:
    if isinstance(value, Prices):
        return f"{_price(value)} for a million tokens ({value.as_of})"
    if value is True:
        return "yes"
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def described(name: str | None, settings: Settings) -> dict[str, Any]:
    """How a model is reached from here and what is known of it; of a key, only where it is."""
    keys = Keys(os.environ, keyring=False, providers=settings.providers)
    naming = Naming(settings, os.environ, keys, offline=settings.models.offline)
    choice = naming.choice(name) if name else naming.unnamed()
    if choice.provider in MADE_HERE:
        return {"name": choice.name, "provider": choice.provider, "made_here": True}
    row = row_for(choice.provider, settings)
    own = settings.providers.get(choice.provider)
    facts = PriceList(os.environ).facts(choice.name)
    target = row.target(choice.provider, choice.model, "")
    return {
        "name": choice.name,
        "title": row.title,
        "wire": row.variant(choice.model).wire or row.wire,
        "base_url": without_login(
            (own.base_url if own else "")
            or keys.in_environment(row.base_url_variables)
            or row.base_url
        ),
        "key": key_state(row, keys, choice.provider),
        **_facts(facts),
        "context_tokens": facts.context_tokens or target.context_tokens,
        "quirks": sorted(target.quirks),
        "key_page": row.key_page,
    }


def key_state(row: Provider, keys: Keys, provider: str) -> str:
    """Which variable is set; never what it says."""
    present = [name for name in row.keys if keys.in_environment([name])]
    if present:
        return f"{present[0]} is set"
    if keys.is_printed(provider, row.keys):
        return f"from providers.{provider}.key_command"
    if keys.has(provider, row.keys):
        return "in the key file"
    if place := _aws_place(row):
        return f"{place} is set" if place.isupper() else f"from {place}"
    needed = (*row.keys, "a key")[0]
    return f"{needed} is not set" if row.needs_key else "none is needed"


# ── the others ────────────────────────────────────────────────────────────────────────────────
def _test(options: argparse.Namespace, settings: Settings) -> int:
    from ankrcode.frontends.cli.models_test import test

    return test(options, settings)


def _call(options: argparse.Namespace, settings: Settings) -> int:
    from ankrcode.frontends.cli.models_call import call

    return call(options, settings)


def _refresh(options: argparse.Namespace, settings: Settings) -> None:
    from ankrcode.providers.prices import prices_file, refresh_prices
    from ankrcode.providers.transport.http import HttpClient
    from ankrcode.providers.transport.proxies import Proxies
    from ankrcode.providers.transport.tls import TlsFiles, tls_files

    if options.source.startswith("http://"):
        raise UsageError.of("usage", why="prices come by https only", command="models refresh")
    files = TlsFiles(ca_file=settings.models.ca_file)
    http = HttpClient(
        proxies=Proxies(os.environ),
        tls=tls_files(os.environ, files),
        offline=settings.models.offline,
    )
    facts = asyncio.run(_refreshed(options.source, http, refresh_prices))
    print(say("prices_taken", count=len(facts), path=prices_file(os.environ)))


async def _refreshed(source: str, http: Any, refresh: Any) -> Any:
    try:
        return await refresh(source, os.environ, http)
    finally:
        await http.close()
