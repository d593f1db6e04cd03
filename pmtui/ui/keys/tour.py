"""The tour: what to do next, and how one can tell that it was done. Knows no screen and no clock."""

import re
from collections.abc import Callable
from dataclasses import dataclass

NO_PLACE = ""
_ACTION = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class TourFacts:
    """Where the trader is and what has happened, as far as the tour asks."""

    place: str = NO_PLACE
    """`markets`, `event`, `market`, `portfolio`, `watchlist`, `log` or `help`."""
    is_searching: bool = False
    has_cursor: bool = False
    """The ladder has a price under its cursor."""
    has_ticket: bool = False
    placed: int = 0
    """Orders made since the tour began."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the tour; `{action.id}` stands for the key of an action."""

    text: str
    is_done: Callable[[TourFacts], bool]


STEPS: tuple[Step, ...] = (
    Step("Press {global.search} and type part of a title: results come at once.",
         lambda facts: facts.is_searching),
    Step("Move with {search.move_down} to a market and open it with {global.open}.",
         lambda facts: facts.place == "market"),
    Step("One price a row, bids left, asks right. {ladder.move_down} goes to the best bid.",
         lambda facts: facts.has_cursor),
    Step("{ladder.move_down} again: a buy below the best ask rests. {market.buy} opens the ticket.",
         lambda facts: facts.has_ticket),
    Step("Type a size, 5 or more. {ticket.review} shows the card, {confirm.accept} again sends.",
         lambda facts: facts.placed > 0),
    Step("{ticket.close} closes the ticket; {global.portfolio} shows positions and orders.",
         lambda facts: facts.place == "portfolio"),
    Step("{global.star} stars this market; {global.watchlist} lists what you starred, live.",
         lambda facts: facts.place == "watchlist"),
    Step("Everything that happened is in the log: {global.log}.",
         lambda facts: facts.place == "log"),
    Step("That is the tour. {global.help} lists the keys of any screen.",
         lambda facts: facts.place == "help"),
)  # fmt: skip


_IN_ANY_ORDER = 5
"""So many steps lead to one another: who is further on has no need of those before."""


class Tour:
    """How far the trader has come. What is already so when its turn comes is not asked for."""

    def __init__(self) -> None:
        self._index = 0

    @property
    def is_over(self) -> bool:
        """Whether every step is done."""
        return self._index >= len(STEPS)

    def learn(self, facts: TourFacts) -> None:
        """Move past every step that these facts show as done, and past what one did without.

        A step further on counts only up to the ticket: from there each one is looked for in turn.
        """
        done = [i for i, step in enumerate(STEPS[:_IN_ANY_ORDER]) if step.is_done(facts)]
        self._index = max(self._index, done[-1] + 1 if done else 0)
        while not self.is_over and STEPS[self._index].is_done(facts):
            self._index += 1

    def line(self, key_of: Callable[[str], str], width: int) -> str:
        """Return what to do now, with the user's own keys; empty when there is nothing left.

        How to leave comes last, where the width has room for it: the first step always has.
        """
        if self.is_over:
            return ""
        text = _ACTION.sub(lambda found: key_of(found[1]), STEPS[self._index].text)
        line = f"Tour {self._index + 1}/{len(STEPS)}  {text}"
        leaving = f"  {key_of('global.tour')} ends it."
        return line + leaving if len(line + leaving) <= width else line
