"""How hard to think, in each vendor's measure."""

from ankrcode.providers.wire import Effort, Options

_BUDGETS: dict[Effort, int] = {"minimal": 1_024, "low": 4_096, "medium": 10_000, "high": 24_000}
MIN_BUDGET = 1_024


def thinking_budget(options: Options) -> int | None:
    """Tokens to think with; 0 for none at all, None where nothing was asked for."""
    if options.max_thinking_tokens is not None:
        return options.max_thinking_tokens
    return _BUDGETS[options.effort] if options.effort else None


def effort_of(options: Options) -> Effort | None:
    """A word for it, also where a number was asked for."""
    if options.effort is not None or options.max_thinking_tokens is None:
        return options.effort
    return next((e for e, most in _BUDGETS.items() if options.max_thinking_tokens <= most), "high")
