"""The best prices of a market as any list shows them: from its book where that is good."""

from collections.abc import Callable
from datetime import datetime

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros
from pmtui.service.views import QuoteRow


class Quotes:
    """Reads books and holdings into quotes."""

    def __init__(
        self,
        *,
        book_of: Callable[[TokenId], BookView],
        positions: Callable[[], tuple[Position, ...]],
    ) -> None:
        self.book_of = book_of
        self._positions = positions

    def quote(self, market: Market, as_of: datetime | None) -> QuoteRow:
        """Return a market's best prices.

        Args:
            market: as the metadata host told of it.
            as_of: when it did.
        """
        condition_id = market.condition_id or ConditionId("")
        size = self.position_size(market)
        book = self.book_of(market.token_ids[0]) if market.token_ids else None
        if book is not None and book.state.is_good:
            return QuoteRow(
                condition_id=condition_id,
                best_bid=book.best_bid,
                best_ask=book.best_ask,
                last_trade_price=book.own_last_price,
                as_of=book.as_of,
                is_live=True,
                position_size=size,
            )
        return QuoteRow(
            condition_id=condition_id,
            best_bid=market.best_bid,
            best_ask=market.best_ask,
            last_trade_price=market.last_trade_price,
            as_of=as_of,
            is_live=False,
            position_size=size,
        )

    def position_size(self, market: Market) -> Micros | None:
        """Return own shares of the first outcome minus those of the second; None for none."""
        tokens = market.token_ids
        if len(tokens) != 2:
            return None
        sizes = {p.token_id: p.size for p in self._positions()}
        if tokens[0] not in sizes and tokens[1] not in sizes:
            return None
        return Micros(sizes.get(tokens[0], 0) - sizes.get(tokens[1], 0))
