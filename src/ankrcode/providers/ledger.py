"""What was spent: by the last answer, this turn, the whole session, and by each model."""

from ankrcode.providers.cost import Spent


class Ledger:
    """A turn is what one message of the person sets off."""

    def __init__(self, session: Spent | None = None) -> None:
        self.call = Spent()
        self.turn = Spent()
        self.session = session or Spent()  # a resumed session goes on counting
        self.by_model: dict[str, Spent] = {}

    def begin_turn(self) -> None:
        self.turn = Spent()

    def add(self, model: str, spent: Spent) -> None:
        self.call = spent
        self.turn = self.turn.plus(spent)
        self.session = self.session.plus(spent)
        self.by_model[model] = self.by_model.get(model, Spent()).plus(spent)
