"""Rows of the metadata host: the catalogue's objects, updated with the venue's live numbers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from typing_extensions import override

from pmtui.domain.money import ONE, ZERO, Micros, complement, format_micros
from pmtui.sim.catalogue.gamma import decimal_number, micros_of, rows_of, text_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket, Row
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.engine.terms import MarketView
from pmtui.sim.venue import Venue

_DAY_CHANGE = "oneDayPriceChange"
PRICE_CHANGES = (
    "oneHourPriceChange",
    _DAY_CHANGE,
    "oneWeekPriceChange",
    "oneMonthPriceChange",
    "oneYearPriceChange",
)
"""Fields of a market that are derived from its price history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveMarket:
    """Current values that replace the catalogue's."""

    best_bid: Micros | None
    """First outcome's; None if there are no bids."""
    best_ask: Micros | None
    last_trade: Micros | None
    """Price of the first outcome; None if nothing has traded."""
    volume: Micros
    """Dollars since the market was listed."""
    volume_24h: Micros
    liquidity: Micros
    """Dollars resting in the book."""
    tick_size: Micros
    is_closed: bool
    payouts: tuple[Micros, ...] = ()
    """Payout of each outcome, once resolved."""
    closed_at: datetime | None = None


class LiveNumbers(Protocol):
    """The source of the metadata host's current numbers."""

    def now(self) -> datetime:
        """Return the venue's time, aware."""
        ...

    def market(self, market: CatalogueMarket) -> LiveMarket | None:
        """Return current numbers, or None if the catalogue's row still applies."""
        ...

    def is_closed(self, market: CatalogueMarket) -> bool:
        """Return whether a market is closed; must be fast, as every list checks all markets."""
        live = self.market(market)
        return market.raw.get("closed") is True if live is None else live.is_closed

    def price_change(self, market: CatalogueMarket, field: str) -> Micros | None:
        """Return the current value of one of `PRICE_CHANGES`, or None if the catalogue's row applies."""
        del market, field
        return None


class MetadataRows:
    """Builds the objects that are sent."""

    def __init__(self, catalogue: Catalogue, live: LiveNumbers) -> None:
        self._catalogue = catalogue
        self._live = live
        self._known: dict[str, LiveMarket | None] = {}

    def begin(self) -> None:
        """Start a request: each number is read once and stays the same during it."""
        self._known.clear()

    def _live_of(self, market: CatalogueMarket) -> LiveMarket | None:
        if market.market_id not in self._known:
            self._known[market.market_id] = self._live.market(market)
        return self._known[market.market_id]

    def market(
        self, market: CatalogueMarket, *, with_event: bool = True, with_tags: bool = False
    ) -> dict[str, object]:
        """Return a market object, by default with the event it belongs to."""
        row = {**market.raw, **self.changes(market)}
        event = self._catalogue.event_of(market)
        if with_event:
            embedded = self._event_alone(event)
            embedded.pop("tags", None)
            row["events"] = [embedded]
        if with_tags:
            row["tags"] = list(rows_of(event.raw, "tags"))
        return row

    def event(self, event: CatalogueEvent) -> dict[str, object]:
        """Return an event object with its markets."""
        row = self._event_alone(event)
        row["markets"] = [self.market(market, with_event=False) for market in event.markets]
        return row

    def event_sums(self, event: CatalogueEvent) -> dict[str, object]:
        """Return the fields of an event that change with the venue's numbers."""
        live = [(one, now) for one in event.markets if (now := self._live_of(one)) is not None]
        if not live:
            return {}
        volume = liquidity = day = ZERO
        for market, now in live:
            volume = Micros(volume + now.volume - market.volume)
            day = Micros(day + now.volume_24h - market.volume_24h)
            liquidity = Micros(liquidity + now.liquidity - market.liquidity)
        fields: dict[str, object] = {
            key: _sum(event.raw, key, change)
            for key, change in (("volume", volume), ("volume24hr", day), ("liquidity", liquidity))
        }
        if len(live) == len(event.markets) and all(now.is_closed for _, now in live):
            fields["closed"] = True
            ends = [now.closed_at for _, now in live if now.closed_at is not None]
            if ends:
                # With a T here, but with a space on markets.
                fields["closedTime"] = f"{max(ends):%Y-%m-%dT%H:%M:%SZ}"
        return fields

    def _event_alone(self, event: CatalogueEvent) -> dict[str, object]:
        return {**event.raw, **self.event_sums(event)}

    def changes(self, market: CatalogueMarket) -> dict[str, object]:
        """Return the fields of a market that change with the venue's numbers."""
        live = self._live_of(market)
        if live is None:
            return self._price_changes(market)
        fields = {key: read(live) for key, read in _LIVE_FIELDS.items()}
        fields.update(self._price_changes(market))
        for key in _absent_fields(live):
            if key not in market.raw:
                del fields[key]
        if live.last_trade is not None:
            fields["lastTradePrice"] = decimal_number(live.last_trade)
        if live.best_bid is not None or live.best_ask is not None:
            middle = Micros((_bid(live) + _ask(live)) // 2)
            fields["outcomePrices"] = _prices(middle, complement(middle))
        if live.is_closed:
            fields.update(_closing(live))
        return fields

    def _price_changes(
        self, market: CatalogueMarket, wanted: Iterable[str] = PRICE_CHANGES
    ) -> dict[str, object]:
        fields: dict[str, object] = {}
        for field in wanted:
            is_stated = field in market.raw
            if not is_stated and not (field == _DAY_CHANGE and self._has_traded(market)):
                continue
            change = self._live.price_change(market, field)
            # A zero change is left out, as on the public venue, if the row began without one.
            if change or (change is not None and is_stated):
                fields[field] = decimal_number(change)
        return fields

    def _has_traded(self, market: CatalogueMarket) -> bool:
        live = self._live_of(market)
        is_known = "lastTradePrice" in market.raw
        return live is not None and (is_known or live.last_trade is not None)

    def value(self, market: CatalogueMarket, field: str) -> object:
        """Return the current value of a market's field, for sorting."""
        if field in PRICE_CHANGES:
            return self._price_changes(market, (field,)).get(field, market.raw.get(field))
        read = _LIVE_FIELDS.get(field)
        live = self._live_of(market) if read is not None or field in _RARELY_LIVE else None
        if live is None:
            return market.raw.get(field)
        if read is not None:
            return read(live)
        return self.changes(market).get(field, market.raw.get(field))

    def is_closed(self, market: CatalogueMarket) -> bool:
        """Return whether a market is closed by now; a closed one never opens again."""
        return market.raw.get("closed") is True or self._live.is_closed(market)

    def now(self) -> datetime:
        """Return the venue's time."""
        return self._live.now()


def _bid(live: LiveMarket) -> Micros:
    return live.best_bid or ZERO


def _ask(live: LiveMarket) -> Micros:
    return ONE if live.best_ask is None else live.best_ask


_LIVE_FIELDS: Mapping[str, Callable[[LiveMarket], object]] = {
    "bestBid": lambda live: decimal_number(_bid(live)),
    "bestAsk": lambda live: decimal_number(_ask(live)),
    "spread": lambda live: decimal_number(Micros(_ask(live) - _bid(live))),
    "orderPriceMinTickSize": lambda live: decimal_number(live.tick_size),
    "volume": lambda live: format_micros(live.volume),
    "volumeNum": lambda live: decimal_number(live.volume),
    "volumeClob": lambda live: decimal_number(live.volume),
    "volume24hr": lambda live: decimal_number(live.volume_24h),
    "volume24hrClob": lambda live: decimal_number(live.volume_24h),
    "liquidity": lambda live: format_micros(live.liquidity),
    "liquidityNum": lambda live: decimal_number(live.liquidity),
    "liquidityClob": lambda live: decimal_number(live.liquidity),
}
_VOLUMES = ("volume", "volumeNum", "volumeClob", "volume24hr", "volume24hrClob")


def _absent_fields(live: LiveMarket) -> tuple[str, ...]:
    """Return the fields that the public venue leaves out if they have no value."""
    volumes = () if live.volume else _VOLUMES
    # Without any book it sends 0, with only asks nothing.
    has_asks_only = live.best_bid is None and live.best_ask is not None
    return (*volumes, "bestBid") if has_asks_only else volumes


EVENT_SUMS = frozenset({"volume", "volume24hr", "liquidity", "closed", "closedTime"})
"""Fields of an event that are derived from its markets."""
_RARELY_LIVE = frozenset(
    {"lastTradePrice", "outcomePrices", "closed", "acceptingOrders", "closedTime"}
)


def _closing(live: LiveMarket) -> Mapping[str, object]:
    fields: dict[str, object] = {"closed": True, "acceptingOrders": False}
    if live.closed_at is not None:
        fields["closedTime"] = f"{live.closed_at:%Y-%m-%d %H:%M:%S}+00"
        fields["umaEndDate"] = f"{live.closed_at:%Y-%m-%dT%H:%M:%SZ}"
    if live.payouts:
        fields["outcomePrices"] = _prices(*live.payouts)
        fields["umaResolutionStatus"] = "resolved"
    return fields


def _prices(*prices: Micros) -> str:
    return "[" + ", ".join(f'"{format_micros(price)}"' for price in prices) + "]"


def _sum(row: Row, key: str, change: Micros) -> int | float:
    return decimal_number(Micros((micros_of(row, key) or ZERO) + change))


def id_number(row: Row) -> int:
    """Return an id as a number, for sorting; 0 if it is not one."""
    text = text_of(row, "id")
    return int(text) if text.isascii() and text.isdigit() else 0


_DAY_MS = 86_400_000


def resolved_at(view: MarketView) -> datetime | None:
    """Return when a market was resolved while the venue was running; None if it was not."""
    return (
        None if view.resolved_ms is None else datetime.fromtimestamp(view.resolved_ms / 1_000, UTC)
    )


class VenueNumbers(LiveNumbers):
    """Books, trades and resolutions of a venue, on top of the catalogue's initial values."""

    def __init__(self, venue: Venue, prices: PastPrices) -> None:
        self._venue = venue
        self._prices = prices

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
