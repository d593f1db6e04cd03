"""What an action is: an id, the keys that start it, and how dangerous it is."""

from dataclasses import dataclass
from enum import StrEnum


class Context(StrEnum):
    """Where a key means something."""

    GLOBAL = "global"
    REPLAY = "replay"
    """Everywhere, in a replay only."""
    MARKETS = "markets"
    SEARCH = "search"
    PICKER = "picker"
    FILTERS = "filters"
    THEMES = "themes"
    COLUMNS = "columns"
    EVENT = "event"
    MARKET = "market"
    LADDER = "ladder"
    TICKET = "ticket"
    CONFIRM = "confirm"
    COMMAND = "command"
    PORTFOLIO = "portfolio"
    ACCOUNT = "account"
    TRANSACTION = "transaction"
    WATCHLIST = "watchlist"
    ROW = "row"
    """On every list whose rows are markets, events, positions or orders."""
    CONDITIONALS = "conditionals"
    LOG = "log"
    HELP = "help"


# Asked two thousand times before the first picture, for which an enumeration's own way is slow.
_CONTEXTS = {context.value: context for context in Context}


_PERFORMED = frozenset({
    Context.MARKETS, Context.EVENT, Context.MARKET, Context.PORTFOLIO, Context.ACCOUNT,
    Context.WATCHLIST, Context.ROW,
})  # fmt: skip
"""Contexts of screens that look what an action does up by its name."""


class Danger(StrEnum):
    """What an action can cost."""

    NONE = "none"
    ASKS = "asks"
    """Confirms with the numbers that matter before it does anything."""
    TRADES = "trades"
    """Changes orders at once, without another question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing the trader can do."""

    id: str
    label: str
    keys: tuple[str, ...]
    """As the terminal names them: `x`, `X`, `ctrl+p`, `slash`."""
    help: str
    danger: Danger = Danger.NONE
    in_footer: bool = True
    in_palette: bool = True
    in_widget: bool = False
    """Bound by the focused widget, not by the screen or the app."""
    command: str = ""
    """Textual's action when it is not a method of ours."""

    @property
    def context(self) -> Context:
        """Where the key works."""
        return _CONTEXTS[self.id.partition(".")[0]]

    @property
    def method(self) -> str:
        """What a binding calls."""
        name = self.id.partition(".")[2]
        return self.command or (f"perform({name!r})" if self.context in _PERFORMED else name)
