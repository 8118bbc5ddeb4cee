"""A session for the eyes of others: without secrets, and without the name of the home folder."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from ankrcode.config.redactor import Redactor
from ankrcode.sessions.records import AnyRecord, SessionStarted


def hidden(records: Iterable[AnyRecord], redactor: Redactor) -> Iterator[AnyRecord]:
    """The same records without secrets; the very same where there was none."""
    yield from map(redactor.redact_data, records)


def redacted(records: Iterable[AnyRecord], redactor: Redactor, home: str) -> Iterator[AnyRecord]:
    """The same records; settings stay behind, they are nobody's business."""
    clean = cleaner(redactor, home)
    for record in records:
        data = clean(msgspec.to_builtins(record))
        if isinstance(record, SessionStarted):
            data.pop("settings", None)
        yield msgspec.convert(data, type(record))


def cleaner(redactor: Redactor, home: str) -> Callable[[Any], Any]:
    """What makes data fit for others."""
    is_home = re.compile(re.escape(home.rstrip("/")) + r"(?![\w.-])") if home.strip("/") else None

    def shortened(value: Any) -> Any:
        if isinstance(value, str):
            return is_home.sub("~", value) if is_home is not None else value
        if isinstance(value, dict):
            return {shortened(key): shortened(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [shortened(item) for item in value]
        return value

    return lambda value: shortened(redactor.redact_data(value))
