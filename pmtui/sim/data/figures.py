"""What both dialects of the analytics host ask of the venue's ledger."""

from collections import Counter
from collections.abc import Callable

from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import ZERO, Micros, notional_floor
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.data.accounts import AccountFigures
from pmtui.sim.data.ledger import (
    Deed,
    Entry,
    Holding,
    entries_of_trade,
    history_of,
    holdings_of,
    price_of,
)
from pmtui.sim.data.query import AnalyticsQuery, QueryRefusal
from pmtui.sim.data.rows import Row, RowWriter
from pmtui.sim.venue import Venue

EVERYWHERE = "GLOBAL"
"""In place of a market: all of them."""

Answer = Callable[[AnalyticsQuery], object]


class Figures:
    """What both dialects ask of the ledger."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        self.writer = RowWriter(venue)
        self.prices = PastPrices(venue)
        self.accounts = AccountFigures(venue, self.prices)

    def holdings(self, query: AnalyticsQuery) -> list[Holding]:
        """Return the holdings asked for, open and past."""
        conditions, title = query.conditions(), query.text("title").lower()
        return [
            holding
            for holding in holdings_of(self.venue, query.account())
            if (conditions is None or holding.condition_id in conditions)
            and title in self._question(holding).lower()
        ]

    def market_holdings(self, market: CatalogueMarket) -> list[Holding]:
        """Return what every account holds, or a user ever held, in one market."""
        reads = self.venue.exchange.reads
        accounts = dict.fromkeys(
            (
                *(a for token in market.token_ids for a in reads.holders(token)),
                *self.venue.records.users(),
            )
        )
        return [
            holding
            for account in accounts
            for holding in holdings_of(self.venue, account)
            if holding.condition_id == market.condition_id
        ]

    def _question(self, holding: Holding) -> str:
        market = self.venue.market(holding.condition_id)
        return "" if market is None else market.question

    def mergeable(self, holdings: list[Holding]) -> set[tuple[Address, ConditionId]]:
        """Return the accounts and markets where both tokens are held."""
        held = Counter((one.account, one.condition_id) for one in holdings if one.size)
        return {both for both, count in held.items() if count > 1}

    def open_interest(self, query: AnalyticsQuery) -> list[tuple[str, float]]:
        """Return the dollars locked in the markets named, or in all together where none is."""
        if query.conditions() is None:
            every = (
                self.writer.open_interest(m.condition_id) for m in self.venue.catalogue.markets
            )
            return [(EVERYWHERE, sum(value for value in every if value is not None))]
        return [
            (market.condition_id, value)
            for market in query.markets()
            if (value := self.writer.open_interest(market.condition_id)) is not None
        ]

    def trades(self, query: AnalyticsQuery, *, is_taker_only: bool) -> list[Entry]:
        """Return sides of trades, latest first."""
        user = query.user(is_required=False)
        if user is not None:
            entries = [e for e in history_of(self.venue, user) if e.deed is Deed.TRADE]
        else:
            recent = self.venue.records.all_recent(query.conditions())
            entries = [entry for trade in recent for entry in entries_of_trade(trade)]
        wanted = [e for e in query.matching(entries) if e.is_taker or not is_taker_only]
        return wanted[::-1]

    def activity(self, query: AnalyticsQuery, *, is_without_transfers: bool) -> list[Entry]:
        """Return what an account did, latest first."""
        kinds = {kind.upper() for kind in query.listed("type")}
        entries = query.matching(history_of(self.venue, query.account()))
        if is_without_transfers:
            entries = [e for e in entries if e.deed not in (Deed.DEPOSIT, Deed.WITHDRAWAL)]
        return [e for e in entries if not kinds or e.deed.value in kinds][::-1]

    def value(self, query: AnalyticsQuery) -> Micros:
        """Return what the positions of an account are worth now."""
        worth = ZERO
        for holding in self.holdings(query):
            price = price_of(self.venue, holding.token_id)
            worth = Micros(worth + notional_floor(price, holding.size))
        return worth

    def holders(self, market: CatalogueMarket, *, least: Micros, most: int) -> list[list[Row]]:
        """Return the biggest holders of each token of a market."""
        lists = []
        for token_id in market.token_ids:
            held = self.venue.exchange.reads.holders(token_id)
            largest = sorted(held.items(), key=lambda item: -item[1])
            rows = [
                self.writer.holder(account, token_id, amount)
                for account, amount in largest
                if amount >= least
            ]
            lists.append(rows[:most])
        return lists

    def volumes(self, query: AnalyticsQuery) -> list[tuple[CatalogueMarket, Micros]]:
        """Return the dollars traded in each market of the events asked about."""
        events = query.listed("id", "event_id")
        if not events:
            raise QueryRefusal("required query param 'id' not provided")
        found = [self.venue.catalogue.event(event_id) for event_id in events]
        markets = [market for event in found if event is not None for market in event.markets]
        return [(market, self.venue.records.volume(market.condition_id)) for market in markets]
