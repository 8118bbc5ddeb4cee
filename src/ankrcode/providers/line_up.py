"""Who of a chain is asked, in turn: whoever can do what is needed and does not rest."""

from collections.abc import Sequence

from ankrcode.protocol.stream import Failure, FailureKind
from ankrcode.providers.candidate import Candidate
from ankrcode.providers.capabilities import Needs, lacks, needs_of
from ankrcode.providers.estimate import Estimator
from ankrcode.providers.health import Health
from ankrcode.providers.wire import ModelRequest
from ankrcode.words import say

_LACKS = {
    "tools": "model_lacks.tools",
    "vision": "model_lacks.vision",
    "pdf": "model_lacks.pdf",
    "context": "model_lacks.context",
}


class LineUp:
    def __init__(self, candidates: Sequence[Candidate], health: Health) -> None:
        self._candidates = tuple(candidates)
        self._health = health
        self._estimator = Estimator()

    def order(self, request: ModelRequest) -> tuple[list[Candidate], Failure | None]:
        """Those that fit, then those that rest; all of them where none does. And why the first
        of the chain is passed over, if it is."""
        needs = needs_of(request, self._estimator.request(request))
        unable = {id(one): self._lack(one, needs) for one in self._candidates}
        able = [one for one in self._candidates if unable[id(one)] is None]
        resting = [one for one in able if self._health.why_resting(one.name) is not None]
        fit = [one for one in able if one not in resting]
        first = self._candidates[0]
        why = unable[id(first)] or self._health.why_resting(first.name)
        return (fit + resting) or list(self._candidates), why

    def _lack(self, candidate: Candidate, needs: Needs) -> Failure | None:
        lack = lacks(candidate.facts, candidate.model.context_tokens, needs)
        if not lack:
            return None
        provider, _, model = candidate.name.partition("/")
        kind = FailureKind.CONTEXT if lack == "context" else FailureKind.MODEL
        message = say(_LACKS[lack], model=candidate.name)
        return Failure(kind=kind, message=message, provider=provider, model=model)
