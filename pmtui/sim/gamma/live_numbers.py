"""The numbers of the metadata host that change while markets trade."""

from datetime import UTC, datetime

from typing_extensions import override

from pmtui.domain.money import Micros
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.engine.terms import MarketView
from pmtui.sim.gamma.rows import LiveMarket, LiveNumbers
from pmtui.sim.venue import Venue

_DAY_MS = 86_400_000


def resolved_at(view: MarketView) -> datetime | None:
    """Return when a market was resolved while the venue ran; None where it was not."""
    return (
        None if view.resolved_ms is None else datetime.fromtimestamp(view.resolved_ms / 1_000, UTC)
    )


class VenueNumbers(LiveNumbers):
    """Books, trades and resolutions of a venue, on top of what its catalogue began with."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._prices = PastPrices(venue)

    @override
    def now(self) -> datetime:
        return self._venue.clock.now()

    @override
    def market(self, market: CatalogueMarket) -> LiveMarket | None:
        view = self._venue.trading(market.condition_id)
        if view is None:
            return None
        records = self._venue.records
        bid, ask = self._venue.exchange.reads.top(view.spec.tokens[0])
        day_ago_ms = self._venue.clock.now_ms() - _DAY_MS
        volume = records.volume(market.condition_id)
        volume_24h = records.volume_since(market.condition_id, day_ago_ms)
        payout = view.payout
        return LiveMarket(
            best_bid=bid,
            best_ask=ask,
            last_trade=view.last_trade_price,
            volume=Micros(market.volume + volume),
            volume_24h=Micros(market.volume_24h + volume_24h),
            liquidity=market.liquidity,
            tick_size=view.tick_size,
            is_closed=payout is not None,
            payouts=() if payout is None else (payout.pays(0), payout.pays(1)),
            closed_at=resolved_at(view),
        )

    @override
    def is_closed(self, market: CatalogueMarket) -> bool:
        view = self._venue.trading(market.condition_id)
        if view is None:
            return market.raw.get("closed") is True
        return view.payout is not None

    @override
    def price_change(self, market: CatalogueMarket, field: str) -> Micros | None:
        # Without tokens there is no chart to agree with.
        return self._prices.change(market, field) if market.token_ids else None
