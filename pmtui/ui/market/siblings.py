"""The outcomes of an event beside the one shown: their order, and the strip of their prices."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.message import Message

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros, complement, midpoint
from pmtui.service.views import QuoteRow
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.event.outcome_order import order_of
from pmtui.ui.format import TENTH_OF_CENT, read_price
from pmtui.ui.plain import cell_width, fit_names
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine

QUOTED_UP_TO = 12
"""Events with more open markets are not streamed just for the strip."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The markets of an event that can be switched between, in an order that no price changes."""

    markets: tuple[Market, ...]
    index: int
    """The position of the market shown."""

    @property
    def is_quoted(self) -> bool:
        """Whether they are few enough to stream all their prices."""
        return len(self.markets) <= QUOTED_UP_TO

    def stepped(self, steps: int) -> int:
        """Return the position so many steps on, wrapping around at the ends."""
        return (self.index + steps) % len(self.markets)

    def after(self, count: int) -> tuple[Market, ...]:
        """Return the next markets, wrapping around, without the one shown."""
        count = min(count, len(self.markets) - 1)
        return tuple(self.markets[self.stepped(step)] for step in range(1, count + 1))


def siblings_of(
    event: Event | None, condition_id: ConditionId, order: tuple[ConditionId, ...] = ()
) -> Siblings | None:
    """Return the event's open markets; None if there is no other than the one shown.

    The market shown is included even if it is closed. The order is that of the event, or the one
    shown until now.
    """
    if event is None:
        return None
    found = {
        m.condition_id: m
        for m in event.markets
        if m.condition_id is not None and (not m.closed or m.condition_id == condition_id)
    }
    markets = tuple(found[each] for each in order_of(event, order) if each in found)
    places = [n for n, market in enumerate(markets) if market.condition_id == condition_id]
    return Siblings(markets, places[0]) if places and len(markets) > 1 else None


_LONGEST_NAME = 18
"""What a name takes at most where not all outcomes fit."""
_PRICE = 6
"""The longest price, so that a changing price shifts nothing."""
_MORE = 2
"""Cells at either end for the sign that there are more."""


class Strip(NamedTuple):
    """A painted line, and the position of the outcome at each cell."""

    line: Line
    places: tuple[int, ...]
    """For each cell from the left; −1 where there is none."""


def paint_siblings(
    siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int, *, is_rough: bool = False
) -> Strip:
    """Paint as many outcomes around the one shown as fit.

    Args:
        siblings: the markets, and which of them is shown.
        mids: their prices, as far as known.
        width: the cells available.
        is_rough: whether these prices are not live.
    """
    lead = f" Outcome {siblings.index + 1} of {len(siblings.markets)} "
    cells = [Cell(lead, Role.DIM)]
    places = [-1] * len(lead)
    beside = 2 + (_PRICE + 1 if mids else 0)
    room = width - len(lead) - 2 * _MORE - beside * len(siblings.markets)
    names = fit_names([m.title for m in siblings.markets], room, least=_LONGEST_NAME)
    items = [
        (name, _price_of(market, mids, is_rough=is_rough))
        for name, market in zip(names, siblings.markets, strict=True)
    ]
    sizes = [sum(cell_width(text) for text in item) + 2 for item in items]
    first, last = _window(siblings.index, sizes, width - len(lead) - 2 * _MORE)
    less, more = ("‹", "›")
    if first:
        cells.append(Cell(f"{less} ", Role.KEY))
        places += [first - 1, -1]
    for place in range(first, last + 1):
        cells += _paint_item(items[place], is_current=place == siblings.index)
        places += [place] * sizes[place]
    if last + 1 < len(items):
        cells.append(Cell(f" {more}", Role.KEY))
        places += [-1, last + 1]
    return Strip(fit_line(tuple(cells), width), tuple(places[:width]))


def live_mids(quotes: tuple[QuoteRow, ...], outcome_index: int) -> dict[ConditionId, Micros]:
    """Return the midpoints of good streamed books, in terms of the outcome shown."""
    mids: dict[ConditionId, Micros] = {}
    for row in quotes:
        mid = midpoint(row.best_bid, row.best_ask) if row.is_live else None
        if mid is not None:
            mids[row.condition_id] = complement(mid) if outcome_index else mid
    return mids


def known_prices(markets: Iterable[Market], outcome_index: int) -> dict[ConditionId, Micros]:
    """Return the prices loaded with the event, which are as old as the event."""
    found = {m.condition_id: m.outcomes[0].price for m in markets if m.condition_id and m.outcomes}
    return {
        condition_id: complement(price) if outcome_index else price
        for condition_id, price in found.items()
        if price is not None
    }


def _price_of(market: Market, mids: Mapping[ConditionId, Micros], *, is_rough: bool) -> str:
    if not mids:
        return ""
    mid = mids.get(market.condition_id or ConditionId(""))
    price = (
        "-" if mid is None else f"{'~' if is_rough else ''}{read_price(mid, tick=TENTH_OF_CENT)}"
    )
    return price.rjust(_PRICE + 1)


def _paint_item(item: tuple[str, str], *, is_current: bool) -> list[Cell]:
    name, price = item
    left, right = "[]" if is_current else "  "
    role, emphasis = (Role.HEADING, Emphasis.BOLD) if is_current else (Role.TEXT, Emphasis.NONE)
    return [
        Cell(f"{left}{name}", role, emphasis),
        Cell(price, Role.TEXT if is_current else Role.DIM),
        Cell(right, role, emphasis),
    ]


def _window(index: int, sizes: list[int], room: int) -> tuple[int, int]:
    """Return the first and the last position shown, around the current one."""
    first = last = index
    room -= sizes[index]
    has_grown = True
    while has_grown:
        has_grown = False
        if last + 1 < len(sizes) and sizes[last + 1] <= room:
            last += 1
            room -= sizes[last]
            has_grown = True
        if first and sizes[first - 1] <= room:
            first -= 1
            room -= sizes[first]
            has_grown = True
    return first, last


class SiblingStrip(TextLine):
    """Shows the outcomes around the one on the screen, for a click to switch."""

    @dataclass
    class Picked(Message):
        """The trader wants to switch to this outcome."""

        condition_id: ConditionId

    _places: tuple[ConditionId | None, ...] = ()
    """The market at each cell of the line shown."""

    def show_siblings(
        self, siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int
    ) -> None:
        """Show these outcomes; does nothing when they are unchanged."""
        strip = paint_siblings(siblings, mids, width, is_rough=not siblings.is_quoted)
        ids = [market.condition_id for market in siblings.markets]
        self._places = tuple(None if place < 0 else ids[place] for place in strip.places)
        self.show(strip.line)

    def on_click(self, event: events.Click) -> None:
        """Switch to the clicked outcome."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x >= len(self._places):
            return
        condition_id = self._places[offset.x]
        if condition_id is not None:
            event.stop()
            self.post_message(self.Picked(condition_id))
