"""The preview beside a wide list: outcomes, own shares and rules of the selected row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import Cell, Line, bar_text, fit_line
from pmtui.ui.facts import ABSENT, first_label, join_facts, name_fact, paint_money
from pmtui.ui.format import format_size_compact, read_average, read_paid
from pmtui.ui.plain import fit, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane

PREVIEW_FROM = 150
"""The width from which a list has a preview beside it."""
_MOST_OUTCOMES = 12
_BAR_SHARE = 3
"""A bar takes this fraction of the width."""
_PRICE_CELLS = 7
_LEAST_RULES = 3
_TITLE_LINES = 2
_LONGEST_LEADER = 24


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a preview: an event, or a single market. Texts are untrusted."""

    title: str
    markets: tuple[Market, ...]
    leading: Market | None
    """The market that represents it."""
    volume_24h: Micros | None
    liquidity: Micros | None
    description: str = ""
    kind: str = "EVENT"
    live: Micros | None = None
    """The live price of that market, as its row shows it."""
    is_ordered: bool = False
    """Whether its markets follow each other, instead of being compared by their prices."""

    def price_of(self, market: Market) -> Micros | None:
        """Return the price of a market: the live one of the row beside, else that of the metadata."""
        is_live = market == self.leading and self.live is not None and not market.closed
        return self.live if is_live else market.first_price


def event_subject(event: Event, leading: Market | None, live: Micros | None = None) -> Subject:
    """Return an event as the subject of a preview."""
    return Subject(
        event.title, event.markets, leading, event.volume_24h, event.liquidity, event.description,
        live=live,
    )  # fmt: skip


def market_subject(market: Market, live: Micros | None = None) -> Subject:
    """Return a market as the subject of a preview."""
    return Subject(
        market.distinct_name, (market,), market, market.volume_24h, market.liquidity, kind="MARKET",
        live=live,
    )  # fmt: skip


class PreviewPane(LinePane):
    """Previews the selected row of a list."""

    _subject: Subject | None = None
    _held: Mapping[TokenId, Position] = {}

    def show(self, subject: Subject | None, positions: Sequence[Position]) -> None:
        """Show an event or a market, and the positions in it."""
        held = {position.token_id: position for position in positions}
        if (subject, held) != (self._subject, self._held):
            self._subject, self._held = subject, held
            self.repaint()

    @override
    def title(self) -> Line:
        subject = self._subject
        return () if subject is None else (Cell(subject.kind, Role.HEADING),)

    @override
    def value(self) -> Line:
        """Return the price of the representing market."""
        subject = self._subject
        leading = subject.leading if subject is not None else None
        price = subject.price_of(leading) if subject is not None and leading is not None else None
        if subject is None or leading is None or price is None:
            return ()
        is_alone = len(subject.markets) == 1
        name = plain(first_label(leading) if is_alone else leading.title, _LONGEST_LEADER)
        return (Cell(f"{name} ", Role.DIM), Cell(read_average(price), Role.HEADING))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._subject is None:
            return ()
        return paint_preview(self._subject, self._held, width, height)


def paint_preview(
    event: Subject, held: Mapping[TokenId, Position], width: int, height: int
) -> tuple[Line, ...]:
    """Paint a subject in at most `height` lines: title, outcomes with bars, own shares, rules."""
    lines: list[Line] = [
        (Cell(text, Role.HEADING),)
        for text in wrap(plain(event.title), width, max_lines=_TITLE_LINES, placeholder="…")
    ]
    facts = (
        name_fact("vol 24h", paint_money(event.volume_24h)),
        name_fact("liquidity", paint_money(event.liquidity)),
    )
    lines += [join_facts(facts, width)[1:], ()]
    open_markets = [market for market in event.markets if not market.closed] or list(event.markets)
    ranked = open_markets
    if not event.is_ordered:
        ranked = sorted(open_markets, key=lambda market: -(event.price_of(market) or 0))
    shown = ranked[:_MOST_OUTCOMES]
    lines += [
        _outcome(each, event.price_of(each), is_alone=len(ranked) == 1, width=width)
        for each in shown
    ]
    if len(ranked) > len(shown):
        lines.append((Cell(f"and {len(ranked) - len(shown)} more", Role.DIM),))
    lines += _own_lines(ranked, held)
    texts = (event.description, *(market.description for market in ranked))
    lines += _rules(next(filter(None, texts), ""), width, height - len(lines))
    return tuple(fit_line(line, width) for line in lines[:height])


def _outcome(market: Market, price: Micros | None, *, is_alone: bool, width: int) -> Line:
    """Paint an outcome's name, its chance as a bar between strokes at 0 and 100¢, and its price."""
    bar = max(width // _BAR_SHARE - 2, 1)
    room = max(width - bar - _PRICE_CELLS - 4, 1)
    name = plain(first_label(market) if is_alone else market.title, room)
    drawn = bar_text(price or 0, ONE, bar)
    text = ABSENT if price is None else read_average(price)
    role = Role.KEY if price is not None and not market.closed else Role.DIM
    return (
        Cell(f"{fit(name, room)} "), Cell("▕", Role.DIM), Cell(drawn, role), Cell("▏ ", Role.DIM),
        Cell(f"{text:>{_PRICE_CELLS}}"),
    )  # fmt: skip


def _own_lines(markets: Sequence[Market], held: Mapping[TokenId, Position]) -> list[Line]:
    own = [
        (Cell(f"{format_size_compact(position.size).strip()} ", Role.OWN_ORDER),
         Cell(f"{plain(outcome.label)} "),
         Cell(f"at {read_paid(position.average_price)}", Role.DIM))
        for market in markets
        for outcome in market.outcomes
        if outcome.token_id is not None
        and (position := held.get(outcome.token_id)) is not None
        and position.size
    ]  # fmt: skip
    return [(), (Cell("Your position", Role.HEADING),), *own] if own else []


def _rules(text: str, width: int, room: int) -> list[Line]:
    if not text or room < _LEAST_RULES:
        return []
    lines = wrap(plain(text), width, max_lines=room - 2, placeholder="…")
    return [(), (Cell("Rules", Role.HEADING),), *((Cell(line, Role.DIM),) for line in lines)]
