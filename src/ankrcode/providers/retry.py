"""When a failed request is tried again, and after how long: capped, shown, never for minutes."""

import os

from msgspec import Struct

from ankrcode.protocol.stream import Failure, FailureKind

_FIRST_WAIT_S = 0.5
_QUICK_WAIT_S = 2.0  # with another model at hand nobody waits longer than this

# How often each kind is worth another try of the same request, at most.
_TRIES = {
    FailureKind.RATE_LIMIT: 20,
    FailureKind.OVERLOADED: 20,
    FailureKind.SERVER: 20,
    FailureKind.NETWORK: 20,
    FailureKind.CUT: 20,
    FailureKind.TIMEOUT: 1,  # it took long enough
    FailureKind.PROTOCOL: 1,
}
# What is wrong with the request itself stays wrong elsewhere; a refusal is not shopped around.
_FINAL = (
    FailureKind.BAD_REQUEST,
    FailureKind.FILTERED,
    FailureKind.BUDGET,
    FailureKind.CANCELLED,
)


class RetryPolicy(Struct, frozen=True, kw_only=True):
    retries: int = 4
    max_wait_s: float = 30.0  # a single wait, whatever the server asks for
    max_total_wait_s: float = 60.0  # for one answer
    first_wait_s: float = _FIRST_WAIT_S

    def wait_before(
        self, failure: Failure, tries: int, waited_s: float, *, has_other: bool
    ) -> float | None:
        """Seconds until try number `tries` + 1 of the same model; None to give it up."""
        most = 0 if failure.is_lasting else min(self.retries, _TRIES.get(failure.kind, 0))
        left = self.max_total_wait_s - waited_s
        if tries > (min(most, 1) if has_other else most) or left <= 0:
            return None
        wait = failure.retry_after_s or self._backoff(tries)
        if has_other and wait > _QUICK_WAIT_S:
            return None
        return min(wait, self.max_wait_s, left)

    def _backoff(self, tries: int) -> float:
        """Twice as long each time, less a random part, so that not all come back at once."""
        part = os.urandom(1)[0] / 512  # up to a half; the module `random` costs a millisecond
        return float(self.first_wait_s * 2 ** min(tries - 1, 30) * (1 - part))


def may_go_elsewhere(kind: FailureKind) -> bool:
    """Could another model do better?"""
    return kind not in _FINAL
