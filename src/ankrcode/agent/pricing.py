"""What an answer cost, where that is known."""

from ankrcode.protocol.message import Usage


def price_of(model: str, usage: Usage) -> float:
    """In US dollars; 0 for a model whose price nobody knows."""
    if not (usage.input_tokens or usage.output_tokens):
        return 0.0
    from ankrcode.providers.cost import cost_of  # after the first answer, not before it
    from ankrcode.providers.known_models import known_model

    return cost_of(usage, known_model(model).prices) or 0.0
