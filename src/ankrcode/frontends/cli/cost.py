"""What models have cost so far, by the recorded sessions."""

import argparse
from collections.abc import Iterator

from ankrcode.errors import SessionError
from ankrcode.frontends.cli.lines import as_json
from ankrcode.providers.cost import Spent
from ankrcode.providers.known_models import known_model
from ankrcode.providers.ledger import Ledger
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CostSpent
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from ankrcode.words import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="only this one; the id, or its beginning")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    store = session_store()
    ids = [store.find(options.session)] if options.session else store.ids()
    ledger, count = Ledger(), 0
    for record in _spent(store, ids):
        ledger.add(record.model, _counted(record))
    count = len(ids)
    if options.json:
        print(as_json(_as_data(ledger, count)).decode())
        return 0
    for model, spent in sorted(ledger.by_model.items(), key=lambda item: -item[1].usd):
        print(_line(model, spent))
    print(_line(say("cost_all", count=count), ledger.session))
    return 0


def _spent(store: SessionStore, ids: list[str]) -> Iterator[CostSpent]:
    """Each answer once: a copy of a session holds what its original spent, too."""
    seen: set[tuple[object, ...]] = set()
    for session_id in ids:
        try:
            content = read_log(store.path_of(session_id))
        except SessionError:
            continue  # removed meanwhile, or another's
        for _, record in content.records:
            if not isinstance(record, CostSpent):
                continue
            one = (record.at, record.model, record.usage, record.usd)
            if one not in seen:
                seen.add(one)
                yield record


def _counted(record: CostSpent) -> Spent:
    usage = record.usage
    is_unpriced = not record.usd and known_model(record.model).prices is None
    return Spent(
        answers=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        written_tokens=usage.written_tokens,
        thinking_tokens=usage.thinking_tokens,
        usd=record.usd,
        unpriced=1 if is_unpriced else 0,
    )


def _line(name: str, spent: Spent) -> str:
    unknown = f"  {say('cost_unknown', count=spent.unpriced)}" if spent.unpriced else ""
    tokens = say(
        "cost_tokens",
        answers=spent.answers,
        given=spent.input_tokens,
        cached=spent.cached_tokens,
        got=spent.output_tokens,
    )
    return f"{name:<44} ${spent.usd:>9.4f}  {tokens}{unknown}"


def _as_data(ledger: Ledger, sessions: int) -> dict[str, object]:
    return {"sessions": sessions, "total": ledger.session, "by_model": ledger.by_model}
