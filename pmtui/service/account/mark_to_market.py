"""What our positions are worth now: by the live book where it is good, else as last reported."""

from dataclasses import replace

from pmtui.domain.account.position import Position
from pmtui.domain.ids import TokenId
from pmtui.service.account.account import AccountFeed
from pmtui.service.books.books import BooksFeed


class Marks:
    """Positions with the newest price there is."""

    def __init__(self, account: AccountFeed, books: BooksFeed) -> None:
        self._account = account
        self._books = books
        self._last: dict[TokenId, tuple[Position, Position]] = {}
        """Each position as it is held, and as it was priced last: most books move less than screens ask."""

    def positions(self) -> tuple[Position, ...]:
        """Return what is held, each with the live midpoint or the analytics host's price."""
        return tuple(self._priced(p) for p in self._account.holdings.positions())

    def _priced(self, position: Position) -> Position:
        book = self._books.book(position.token_id)
        if not book.state.is_good or book.midpoint is None:
            return position
        held, priced = self._last.get(position.token_id, (None, position))
        if held is not position or priced.current_price != book.midpoint:
            priced = replace(position, current_price=book.midpoint)
            self._last[position.token_id] = position, priced
        return priced
