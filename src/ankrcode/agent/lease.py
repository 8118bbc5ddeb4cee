"""Money: what an agent may still spend, and what it lends to those who work for it."""

_SHARE = 0.5  # of what is left: whoever asks for help must be able to go on


class Purse:
    """One per agent. Without a limit it only counts."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = 0.0
        self.lent_usd = 0.0

    @property
    def left_usd(self) -> float | None:
        """None: there is no limit."""
        if self.limit_usd is None:
            return None
        return max(0.0, self.limit_usd - self.spent_usd - self.lent_usd)

    @property
    def is_empty(self) -> bool:
        return self.left_usd == 0.0

    def spend(self, usd: float) -> None:
        self.spent_usd += usd

    def lend(self) -> "Lease":
        """A share of what is left. It is not ours to spend until it comes back."""
        left = self.left_usd
        return Lease(self, None if left is None else left * _SHARE)


class Lease:
    """What a further agent may spend. What it spends is spent for good, the rest comes back."""

    def __init__(self, lender: Purse, usd: float | None) -> None:
        self.usd = usd
        self._lender = lender
        self._is_open = True
        lender.lent_usd += usd or 0.0

    def settle(self, spent_usd: float) -> None:
        """The work is over: this much was spent. Once."""
        if self._is_open:
            self._is_open = False
            self._lender.lent_usd = max(0.0, self._lender.lent_usd - (self.usd or 0.0))
            self._lender.spend(spent_usd)
