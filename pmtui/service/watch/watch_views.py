"""What the watchlist shows: frozen rows, each with its age, and the alerts that belong to them."""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.books.book_view import BookState
from pmtui.domain.conditionals.alerts import PriceAlert
from pmtui.domain.markets.watchlist import Seen, StarKey
from pmtui.domain.money import Micros
from pmtui.service.views import Load, QuoteRow


@dataclass(frozen=True, slots=True)
class AlertRow:
    """A price alert with what its outcome costs now."""

    alert: PriceAlert
    book: BookState
    """Nothing fires unless this is good."""
    best_bid: Micros | None
    best_ask: Micros | None


@dataclass(frozen=True, slots=True)
class WatchRow:
    """Something starred, or a market that an alert waits for."""

    key: StarKey
    title: str
    """Untrusted text."""
    is_starred: bool
    seen: Seen | None
    """None until anything is known of it."""
    quote: QuoteRow | None = None
    """Of its market, or of the leading one of an event."""
    is_heard: bool = True
    """Whether its book is streamed while the list is open; there is a bound on how many are."""
    alerts: tuple[AlertRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchlistView:
    """Everything that is watched."""

    rows: tuple[WatchRow, ...]
    load: Load
    as_of: datetime | None
    """When the metadata host last answered for all of it."""
    problem: str = ""
    """Why it did not."""
    unheard: int = 0
    """Markets beyond the bound: their prices are the metadata host's."""
    kept_problem: str = ""
    """Why what is starred cannot be kept for the next session, or was not read from the last."""

    def is_starred(self, key: StarKey) -> bool:
        """Whether something is starred."""
        return any(row.is_starred and row.key == key for row in self.rows)

    @property
    def alerts(self) -> tuple[AlertRow, ...]:
        """Every alert, in the order of the rows."""
        return tuple(alert for row in self.rows for alert in row.alerts)
