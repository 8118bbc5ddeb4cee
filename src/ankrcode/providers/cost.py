"""What an answer cost: tokens times prices, and unknown where a price is."""

from msgspec import Struct

from ankrcode.protocol.message import Usage
from ankrcode.providers.catalogue import Prices

_MILLION = 1_000_000


class Spent(Struct, frozen=True, kw_only=True):
    """Sums over answers. `usd` holds what is known; `unpriced` counts answers that it lacks."""

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    thinking_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    estimated: int = 0  # answers whose tokens we had to count ourselves

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def known_usd(self) -> float | None:
        """The whole cost, or None if part of it is unknown."""
        return None if self.unpriced else self.usd

    def plus(self, other: "Spent") -> "Spent":
        return Spent(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )


def cost_of(usage: Usage, prices: Prices | None) -> float | None:
    """US dollars. Cached and written tokens are part of the input and have prices of their own."""
    if prices is None:
        return None
    is_long = 0 < prices.above_tokens < usage.input_tokens
    input_price = _either(prices.above_input if is_long else None, prices.input)
    output_price = _either(prices.above_output if is_long else None, prices.output)
    cached_price = prices.above_cached if is_long else prices.cached
    plain = max(0, usage.input_tokens - usage.cached_tokens - usage.written_tokens)
    return (
        plain * input_price
        + usage.cached_tokens * _either(cached_price, input_price)
        + usage.written_tokens * _either(prices.written, input_price)
        + usage.output_tokens * output_price
    ) / _MILLION


def spent_on(usage: Usage, prices: Prices | None, *, is_estimate: bool = False) -> Spent:
    """One answer."""
    usd = cost_of(usage, prices)
    return Spent(
        answers=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        written_tokens=usage.written_tokens,
        thinking_tokens=usage.thinking_tokens,
        usd=usd or 0.0,
        unpriced=1 if usd is None else 0,
        estimated=1 if is_estimate else 0,
    )


def _either(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price
