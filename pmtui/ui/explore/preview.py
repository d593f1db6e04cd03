"""What the event under the cursor is about, beside a wide list: outcomes, own shares, rules."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import ONE
from pmtui.service.views import EventRow
from pmtui.ui.cells import Cell, Line, bar_text, fit_line
from pmtui.ui.facts import ABSENT, first_label, first_price, join_facts, name_fact, paint_money
from pmtui.ui.format import format_size_compact
from pmtui.ui.plain import fit, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.units import read_average
from pmtui.ui.widgets.line_pane import LinePane

_MOST_OUTCOMES = 12
_BAR_SHARE = 3
"""A bar takes such a part of the width."""
_PRICE_CELLS = 7
_LEAST_RULES = 3
_TITLE_LINES = 2
_LONGEST_LEADER = 24


class PreviewPane(LinePane):
    """The event under the cursor of a list."""

    _row: EventRow | None = None
    _held: Mapping[TokenId, Position] = {}

    def show(self, row: EventRow | None, positions: Sequence[Position]) -> None:
        """Show an event, and what is held of it."""
        held = {position.token_id: position for position in positions}
        if (row, held) != (self._row, self._held):
            self._row, self._held = row, held
            self.repaint()

    @override
    def title(self) -> Line:
        return (Cell("EVENT", Role.HEADING),)

    @override
    def value(self) -> Line:
        """Return the price of what stands for the event."""
        leading = self._row.leading if self._row is not None else None
        price = first_price(leading) if leading is not None else None
        if leading is None or price is None:
            return ()
        name = plain(leading.title, _LONGEST_LEADER)
        return (Cell(f"{name} ", Role.DIM), Cell(read_average(price), Role.HEADING))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._row is None:
            return ()
        return paint_preview(self._row, self._held, width, height)


def paint_preview(
    row: EventRow, held: Mapping[TokenId, Position], width: int, height: int
) -> tuple[Line, ...]:
    """Show an event in so many lines at most: its title, outcomes with bars, own shares, rules."""
    event = row.event
    lines: list[Line] = [
        (Cell(text, Role.HEADING),)
        for text in wrap(plain(event.title), width, max_lines=_TITLE_LINES, placeholder="…")
    ]
    facts = (
        name_fact("24h", paint_money(event.volume_24h)),
        name_fact("liquidity", paint_money(event.liquidity)),
    )
    lines += [join_facts(facts, width)[1:], ()]
    open_markets = [market for market in event.markets if not market.closed] or list(event.markets)
    ranked = sorted(open_markets, key=lambda market: -(first_price(market) or 0))
    shown = ranked[:_MOST_OUTCOMES]
    lines += [_outcome(each, is_alone=len(ranked) == 1, width=width) for each in shown]
    if len(ranked) > len(shown):
        lines.append((Cell(f"and {len(ranked) - len(shown)} more", Role.DIM),))
    lines += _own_lines(ranked, held)
    lines += _rules(event.description or _description(ranked), width, height - len(lines))
    return tuple(fit_line(line, width) for line in lines[:height])


def _outcome(market: Market, *, is_alone: bool, width: int) -> Line:
    """Show an outcome's name, its chance as a bar, and its price."""
    price = first_price(market)
    bar = max(width // _BAR_SHARE, 1)
    room = max(width - bar - _PRICE_CELLS - 2, 1)
    name = plain(first_label(market) if is_alone else market.title, room)
    drawn = bar_text(price or 0, ONE, bar)
    text = ABSENT if price is None else read_average(price)
    role = Role.BID if price is not None and not market.closed else Role.DIM
    return (
        Cell(f"{fit(name, room)} "), Cell(f"{drawn} ", role), Cell(f"{text:>{_PRICE_CELLS}}"),
    )  # fmt: skip


def _own_lines(markets: Sequence[Market], held: Mapping[TokenId, Position]) -> list[Line]:
    own = [
        (Cell(f"{format_size_compact(position.size).strip()} ", Role.OWN_ORDER),
         Cell(f"{plain(outcome.label)} "),
         Cell(f"at {read_average(position.average_price)}", Role.DIM))
        for market in markets
        for outcome in market.outcomes
        if outcome.token_id is not None
        and (position := held.get(outcome.token_id)) is not None
        and position.size
    ]  # fmt: skip
    return [(), (Cell("Your position", Role.HEADING),), *own] if own else []


def _description(markets: Sequence[Market]) -> str:
    return next((market.description for market in markets if market.description), "")


def _rules(text: str, width: int, room: int) -> list[Line]:
    if not text or room < _LEAST_RULES:
        return []
    lines = wrap(plain(text), width, max_lines=room - 2, placeholder="…")
    return [(), (Cell("Rules", Role.HEADING),), *((Cell(line, Role.DIM),) for line in lines)]
