"""The model of an agent: one that was handed in, or one to be found by its name."""

import os

from ankrcode.config.settings import Settings
from ankrcode.errors import UsageError
from ankrcode.providers.wire import Model

_PARTS = ("name", "context_tokens", "stream", "close")


class ChosenModel:
    """Looked for when it is first needed; what is missing is said then."""

    def __init__(self, settings: Settings, model: str | Model | None, base_url: str | None) -> None:
        if model is not None and not isinstance(model, str):
            _check_is_one(model)
        self._settings = settings
        self._model = model
        self._base_url = base_url

    def found(self) -> Model:
        """Raises `ProviderError` with one sentence on what to set."""
        if self._model is None or isinstance(self._model, str):
            from ankrcode.providers.resolve import model_for  # only who names one pays for it

            settings = self._settings
            self._model = model_for(self._model, settings, os.environ, base_url=self._base_url)
        return self._model

    async def close(self) -> None:
        """Let go of connections, if there are any."""
        if self._model is not None and not isinstance(self._model, str):
            await self._model.close()


def _check_is_one(given: Model) -> None:
    """What is handed in may be anybody's: what it lacks is said before it is asked."""
    lacking = [part for part in _PARTS if not hasattr(given, part)]
    if lacking or isinstance(given, type):
        what = ", ".join(lacking) or "() behind the name of its class"
        raise UsageError.of("agent_model", got=given, lacking=what)
