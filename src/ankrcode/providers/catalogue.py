"""What is known of single models: sizes, abilities, prices with the day they were read.

Nothing here is guessed: each price names the vendor's page it stands on and the day it was read
(in the table that comes with litellm 1.108.4, MIT, which cites those pages). A model that is not
listed can be used all the same: what it costs is then unknown, and says so.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from os.path import dirname, join

import msgspec
from msgspec import Struct

_FILE = join(dirname(__file__), "models.json")  # noqa: PTH118, PTH120 - pathlib costs 3 ms


class Prices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """US dollars for a million tokens. `cached` and `written` default to the price of input."""

    input: float
    output: float
    as_of: str
    cached: float | None = None
    written: float | None = None
    source: str = ""
    above_tokens: int = 0  # longer prompts have prices of their own
    above_input: float | None = None
    above_output: float | None = None
    above_cached: float | None = None


class ModelFacts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is not known stands at its most common value, prices at none."""

    context_tokens: int = 0  # 0: as its provider's row says
    max_output_tokens: int | None = None
    prices: Prices | None = None
    tools: bool = True
    vision: bool = False
    pdf: bool = False
    thinking: bool = False
    is_free: bool = False  # costs nothing within limits


UNKNOWN = ModelFacts()
_SAME = {"openai-chat": "openai", "openai-responses": "openai"}  # other wires to the same models


@cache
def _rows() -> dict[str, msgspec.Raw]:
    with open(_FILE, "rb") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read(), type=dict[str, msgspec.Raw])


def model_names() -> tuple[str, ...]:
    """`provider/model`, the vendor's own before resellers."""
    return tuple(_rows())


@cache
def find_model(name: str) -> ModelFacts:
    """By `provider/model`; a date or `-latest` behind a listed name is the same model."""
    rows = _rows()
    name = listed_as(name, rows)
    return msgspec.json.decode(rows[name], type=ModelFacts) if name else UNKNOWN


def listed_as(name: str, rows: Iterable[str]) -> str:
    """The name under which these rows have it; empty where they do not."""
    provider, slash, model = name.partition("/")
    name = _SAME.get(provider, provider) + slash + model
    if name in rows:
        return name
    return max((row for row in rows if _is_dated(name, row)), key=len, default="")


def named_so(bare: str) -> tuple[str, ...]:
    """Every `provider/model` whose model has this name."""
    return tuple(name for name in _rows() if name.partition("/")[2] == bare)


def near_model(provider: str, model: str) -> str:
    """What was probably meant, as `provider/model`; empty where it is listed or nothing is like
    it."""
    from difflib import get_close_matches  # only a mistake pays for it

    own = _SAME.get(provider, provider)
    listed = [name.partition("/")[2] for name in _rows() if name.startswith(f"{own}/")]
    near = get_close_matches(model.lower()[:100], listed, n=1, cutoff=0.7)
    return f"{provider}/{near[0]}" if near and near[0] != model else ""


def all_models() -> Mapping[str, ModelFacts]:
    return {name: find_model(name) for name in _rows()}


def _is_dated(name: str, listed: str) -> bool:
    if not name.startswith(listed):
        return False
    rest = name[len(listed) :]
    is_date = rest[:1] in "-@:" and rest[1:].replace("-", "").isdigit()
    return is_date or rest in ("-latest", ":latest")
