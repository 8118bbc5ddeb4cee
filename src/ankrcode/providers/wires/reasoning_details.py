"""OpenRouter's account of a model's thought: pieces that must go back as one list."""

from typing import Any

from ankrcode.providers.wires.loose import mapping, text

_GROWING = ("text", "summary", "data")


class Details:
    """Pieces of the same index and type belong together."""

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []

    @property
    def are_open(self) -> bool:
        return bool(self._details)

    def take(self, pieces: list[Any]) -> str:
        """What can be read of these."""
        told = ""
        for piece in pieces:
            detail = mapping(piece)
            told += text(detail.get("text")) or text(detail.get("summary"))
            last = self._details[-1] if self._details else {}
            if last and _same(last, detail):
                _grow(last, detail)
            elif detail:
                self._details.append(dict(detail))
        return told

    def close(self) -> list[dict[str, Any]]:
        details, self._details = self._details, []
        return details


def _same(last: dict[str, Any], detail: dict[str, Any]) -> bool:
    is_one = last.get("type") == detail.get("type") and last.get("index") == detail.get("index")
    return is_one and (not last.get("id") or not detail.get("id") or last["id"] == detail["id"])


def _grow(last: dict[str, Any], detail: dict[str, Any]) -> None:
    for name, value in detail.items():
        if name in _GROWING and isinstance(value, str) and isinstance(last.get(name), str):
            last[name] += value
        elif value is not None:
            last[name] = value
