"""One market at one moment: all that is shown of it and traded in it comes from this picture."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.alerts import PriceAlert
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView, MarketView, StatusView
from pmtui.ui.ladder.ladder_inputs import LadderInputs, ladder_inputs
from pmtui.ui.market.market_facts import token_id_of, why_not_tradable

TERMS_LOADING = "The trading terms are loading."


class Pointed(Protocol):
    """A ladder with a cursor."""

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The price pointed at, and what `enter` does there; None while nothing is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketModel:
    """The market on show, with what the service knows of it and of the account."""

    condition_id: ConditionId
    outcome_index: int
    """Which outcome's book is on show."""
    is_mirrored: bool
    """Whether the other outcome's prices and own orders stand on the same rows."""
    market: MarketView
    token_id: TokenId | None
    """The token on show; None until the market is known, or when it has none."""
    book: BookView | None
    account: AccountView
    fills: tuple[Fill, ...]
    alerts: tuple[PriceAlert, ...]
    """Of any market."""
    status: StatusView
    now: datetime
    cursor: tuple[Micros, Side] | None

    @property
    def terms(self) -> MarketTerms | None:
        """What orders must obey; None until it is known."""
        return self.market.terms

    @property
    def is_over(self) -> bool:
        """Whether nothing trades in this market any more."""
        market = self.market.market
        return market is not None and (market.closed or market.archived)

    @property
    def is_armed(self) -> bool:
        """Whether single keys trade now."""
        until = self.status.armed_until
        return until is not None and until > self.status.now

    @property
    def why_not_tradable(self) -> str:
        """Why no order can be sent; empty when one can."""
        return why_not_tradable(self.market, self.status)

    @property
    def why_no_form(self) -> str:
        """Why nothing can be asked about an order yet; empty when it can."""
        return self.why_not_tradable or ("" if self.terms is not None else TERMS_LOADING)

    @property
    def own_orders(self) -> tuple[Order, ...]:
        """The open orders of ours in this market, of either outcome."""
        orders = self.account.open_orders
        return tuple(order for order in orders if order.condition_id == self.condition_id)

    @property
    def quote(self) -> Micros | None:
        """The middle of the book where the book is good."""
        return self.book.midpoint if self.book is not None and self.book.state.is_good else None

    @property
    def ladder(self) -> LadderInputs | None:
        """What stands on the ladder beside the book; None before there is a token."""
        if self.token_id is None:
            return None
        return ladder_inputs(
            self.account, self.market, self.token_id,
            fills=self.fills, is_mirrored=self.is_mirrored, alerts=self.alerts,
        )  # fmt: skip

    @property
    def ladder_orders(self) -> tuple[Order, ...]:
        """The own orders that the ladder shows, in terms of its outcome."""
        ladder = self.ladder
        return ladder.orders if ladder is not None else ()


class MarketReader:
    """Knows which market and outcome are on show, and reads the picture of them."""

    def __init__(self, queries: Queries, condition_id: ConditionId, pointed: Pointed) -> None:
        self._queries = queries
        self._pointed = pointed
        self._token: tuple[tuple[ConditionId, int], TokenId] | None = None
        self.condition_id = condition_id
        """The market on show; another one when the trader goes to another outcome."""
        self.outcome_index = 0
        """Which outcome's book is on show."""
        self.is_mirrored = False
        """Whether the other outcome's prices stand on the same rows."""

    @property
    def token_id(self) -> TokenId | None:
        """The token on show; None until the market is known, or when it has none."""
        shown = self.condition_id, self.outcome_index
        if self._token is None or self._token[0] != shown:
            token_id = token_id_of(self._queries.market(self.condition_id), self.outcome_index)
            # Asked for with every topic, and a market's tokens are what they are for ever.
            self._token = None if token_id is None else (shown, token_id)
        return None if self._token is None else self._token[1]

    def read(self) -> MarketModel:
        """Return the picture as it is at this moment."""
        queries, token_id = self._queries, self.token_id
        return MarketModel(
            condition_id=self.condition_id,
            outcome_index=self.outcome_index,
            is_mirrored=self.is_mirrored,
            market=queries.market(self.condition_id),
            token_id=token_id,
            book=None if token_id is None else queries.book(token_id),
            account=queries.account(),
            fills=queries.fills().fills,
            alerts=tuple(row.alert for row in queries.watchlist().alerts),
            status=queries.status(),
            now=queries.now(),
            cursor=self._pointed.cursor,
        )
