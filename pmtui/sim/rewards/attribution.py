"""Which orders came through a builder, and the trades that followed from them.

A builder is named by 32 bytes inside the signed order. Only orders that were taken count.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pmtui.domain.ids import OrderId
from pmtui.sim.engine.events import MakerFill, Trade
from pmtui.sim.venue import Venue

KIND = "builder of order"
NO_BUILDER = "0x" + "0" * 64


@dataclass(frozen=True, slots=True)
class AttributedTrade:
    """A trade one of whose orders names a builder; `maker` is that order's part if it rested."""

    trade: Trade
    builder: str
    maker: MakerFill | None


class Attribution:
    """The builders of all orders that name one."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._builders = {OrderId(name): row.decode() for name, row in venue.notes(KIND)}

    def note(self, order_id: OrderId, builder: str) -> None:
        """Remember the builder of an order that was taken."""
        code = builder.lower()
        if code != NO_BUILDER and order_id not in self._builders:
            self._venue.write_notes(KIND, {order_id: code.encode()})
            self._builders[order_id] = code

    def trades(self, builder: str) -> list[AttributedTrade]:
        """Return a builder's trades, newest first, one row for each order in them."""
        records = self._venue.records
        trades = {t.trade_id: t for user in records.users() for t in records.trades_of(user)}
        rows = [row for trade in trades.values() for row in self._rows(trade, builder.lower())]
        return sorted(rows, key=lambda row: row.trade.matched_ms, reverse=True)

    def _rows(self, trade: Trade, builder: str) -> Iterator[AttributedTrade]:
        if self._builders.get(trade.taker_order_id) == builder:
            yield AttributedTrade(trade, builder, None)
        for fill in trade.makers:
            if self._builders.get(fill.order_id) == builder:
                yield AttributedTrade(trade, builder, fill)
