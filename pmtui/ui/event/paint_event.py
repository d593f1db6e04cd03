"""Paints an event: its facts, the sums of its prices, and a row for each outcome."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pmtui.domain.markets.market import Event, Market, Trading
from pmtui.domain.money import SCALE, Micros, counted_mid, is_one_sided, spread
from pmtui.domain.orders.basket import (
    SetLeg,
    SetPrice,
    SetPrices,
    has_one_winner,
    legs_of,
    set_prices,
)
from pmtui.service.views import EventQuotesView, EventView, Load, QuoteRow
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row, bar_text, fit_line, line_width
from pmtui.ui.explore.paint_markets import (
    NO_DAY,
    SPARK_WIDTH,
    paint_day_change,
    paint_marked_spread,
    with_change,
)
from pmtui.ui.facts import (
    ABSENT,
    CHANGE_WIDTH,
    MONEY_WIDTH,
    PRICE_WIDTH,
    STAR,
    LiveRows,
    describe_prices_age,
    format_price_age,
    indent,
    join_facts,
    key_of,
    name_fact,
    paint_gain,
    paint_mid,
    paint_money,
    paint_price,
    paint_spread,
    paint_star,
    paint_time_left,
)
from pmtui.ui.format import (
    format_average,
    format_size_compact,
    shown_time,
)
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import Align, cell_width, fit_names, plain
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.widgets.panel import fit_title

OWN_WIDTH = 10
CHANCE_WIDTH = 14
_SUM_BAR = 16
_LEAST_HALTED = 20
"""Cells of a paused outcome's name at least."""
_LEAST_SET = 2
"""The fewest outcomes that make a set."""
_LEAST_TITLE = 48
"""Cells of the event's name that facts never take."""
_SUM_BAR_FROM = 96
"""The title width from which a bar stands between the sums."""

OUTCOME_COLUMNS = (
    Column("mark", "", 1, is_essential=True, silent=("",)),
    Column("name", "Outcome", 21, grow=2, is_essential=True),
    Column("chance", "Chance", CHANCE_WIDTH, priority=1, grow=1),
    Column("bid", "Bid", PRICE_WIDTH, align=Align.RIGHT),
    Column("ask", "Ask", PRICE_WIDTH, align=Align.RIGHT),
    Column("mid", "Mid", PRICE_WIDTH, align=Align.RIGHT),
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("day", "Day", SPARK_WIDTH, priority=2),
    Column("spread", "Spread", PRICE_WIDTH, priority=1, align=Align.RIGHT),
    Column("last", "Last", PRICE_WIDTH, priority=3, align=Align.RIGHT),
    Column("volume", "Volume", MONEY_WIDTH, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, priority=2, align=Align.RIGHT),
    Column("liquidity", "Liquid", MONEY_WIDTH, priority=4, align=Align.RIGHT),
    Column("own", "Pos", OWN_WIDTH, align=Align.RIGHT, silent=("",)),
    Column("gain", "P&L", MONEY_WIDTH, priority=3, align=Align.RIGHT, silent=("",)),
    Column("quote", "Status", 8, is_essential=True),
)


def paint_outcome_row(
    market: Market, quote: QuoteRow | None, now: datetime, *, is_starred: bool = False,
    day: Cell = NO_DAY, opened: Micros | None = None, gain: Micros | None = None,
    chance_width: int = CHANCE_WIDTH,
) -> Row:  # fmt: skip
    """Paint an outcome with its prices; prices that are not live are marked as stale.

    Args:
        market: the market whose first outcome is shown.
        quote: its best prices, where they are known.
        now: for the age of a stale quote.
        is_starred: whether it is on the watchlist.
        day: its sparkline, by `paint_day`.
        opened: its price a day ago, where that is known.
        gain: the unrealised gain of both outcomes.
        chance_width: cells for the bar of its chance.
    """
    bid = quote.best_bid if quote else market.best_bid
    ask = quote.best_ask if quote else market.best_ask
    last = quote.last_trade_price if quote else market.last_trade_price
    words = describe_quote(market, quote, now)
    live = counted_mid(bid, ask) if quote is not None and quote.is_live else None
    is_live = quote is not None and quote.is_live
    change, apart = paint_day_change(market, market.change_to(live, opened)), spread(bid, ask)
    cells = (
        paint_star(is_starred=is_starred),
        Cell(plain(market.title), Role.DIM if market.closed else Role.TEXT),
        _paint_chance(market, counted_mid(bid, ask), chance_width, is_live=is_live),
        *paint_prices(market, bid, ask, is_live=is_live),
        change,
        with_change(day, change),
        paint_marked_spread(None if market.closed else apart, Role.DIM),
        paint_price(last, Role.DIM),
        paint_money(market.volume),
        paint_money(market.volume_24h, Role.DIM),
        paint_money(market.liquidity, Role.DIM),
        Cell(describe_holding(market, quote.position_size if quote else None), Role.OWN_ORDER),
        Cell("") if gain is None else paint_gain(gain, MONEY_WIDTH),
        words,
    )
    return Row(market.market_id, cells)


def paint_prices(
    market: Market | None, bid: Micros | None, ask: Micros | None, *, is_live: bool
) -> tuple[Cell, Cell, Cell]:
    """Paint bid, ask and mid, stale if not live; for a closed market its payout."""
    if market is not None and market.closed:
        return paint_price(None), paint_price(None), paint_price(market.first_price, Role.DIM)
    roles = (Role.BID, Role.ASK, Role.TEXT) if is_live else (Role.STALE,) * 3
    return paint_price(bid, roles[0]), paint_price(ask, roles[1]), paint_mid(bid, ask, roles[2])


def _paint_chance(market: Market, middle: Micros | None, width: int, *, is_live: bool) -> Cell:
    """Paint the chance of an outcome as a bar, to compare at a glance."""
    stated = market.outcomes[0].price if market.outcomes else None
    chance = stated if market.closed else middle if middle is not None else stated
    bar = bar_text(chance or 0, SCALE, width).rstrip()
    return Cell(bar, Role.KEY if is_live else Role.DIM)


def describe_holding(market: Market, size: Micros | None) -> str:
    """Return the outcome held and its size; a negative size is of the second outcome."""
    if not size:
        return ""
    index = 0 if size > 0 else 1
    label = plain(market.outcomes[index].label, 3) if index < len(market.outcomes) else "?"
    amount = format_size_compact(Micros(abs(size)), width=OWN_WIDTH - 4).strip()
    return f"{amount} {label}"


def paint_event_head(
    view: EventView, quotes: EventQuotesView, now: datetime, *, keymap: Keymap, width: int
) -> Line:
    """Paint the event's name, and at the right the age of its prices, its end and its volume."""
    event = view.event
    if event is None:
        return indent((Cell(explain_no_event(view, keymap), Role.DIM),))
    title = plain(event.title)
    star = (Cell(f"{STAR} ", Role.KEY),) if view.is_starred else ()
    width -= line_width(star)
    most = width - min(cell_width(title), _LEAST_TITLE) - 4
    facts: list[Cell] = []
    for fact in _head_facts(event, view, quotes, now, keymap=keymap):
        apart = [Cell(" · ", Role.DIM)] if facts else []
        if line_width((*facts, *apart, *fact)) <= most:
            facts += [*apart, *fact]
    room = max(width - line_width(tuple(facts)) - 3, 0)
    name = Cell(plain(title, room), Role.HEADING, Emphasis.BOLD)
    gap = Cell(" " * max(width - 2 - cell_width(name.text) - line_width(tuple(facts)), 0))
    return fit_line((Cell(" "), *star, name, gap, *facts, Cell(" ")), width + line_width(star))


def _head_facts(
    event: Event, view: EventView, quotes: EventQuotesView, now: datetime, *, keymap: Keymap
) -> tuple[Line, ...]:
    """Return the facts for the event's head, the most important first."""
    priced = {m.condition_id for m in event.markets if m.quoted_token is not None}
    shown = [row for row in quotes.rows if row.condition_id in priced]
    rows = LiveRows(
        live=sum(row.is_live for row in shown),
        priced=len(priced),
        loading=sum(row.is_loading for row in shown),
    )
    age: Line = (describe_prices_age(view.as_of, now, rows),)
    if view.problem:
        again = key_of(keymap, "global.refresh")
        failed = Cell(f", failed: {plain(view.problem, 24)} ({again})", Role.NOTICE_WARN)
        age = (*age, failed)
    return (
        age,
        *describe_end(event, now),
        name_fact("vol", paint_money(event.volume)),
        name_fact("vol 24h", paint_money(event.volume_24h)),
        name_fact("liq", paint_money(event.liquidity)),
    )


def explain_no_event(view: EventView, keymap: Keymap) -> str:
    """Return why there is nothing to show, and which key helps."""
    if view.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return f"Could not load the event: {plain(view.problem)}. {again} to retry."
    return "Loading the event…"


def paint_outcomes_title(
    event: Event | None, quotes: EventQuotesView, room: int
) -> tuple[Line, Line]:
    """Paint how the outcomes are related, and the gain of buying or selling all of them."""
    title = (Cell("OUTCOMES", Role.HEADING),)
    if event is None or not event.markets:
        return title, ()
    open_ones = sum(not market.closed for market in event.markets)
    count = (Cell(f"{open_ones} of {len(event.markets)} open", Role.DIM),)
    if len(event.markets) < _LEAST_SET:
        return fit_title((title, count), (), room)
    if not event.neg_risk:
        words = Cell("Independent markets: more than one can resolve Yes", Role.DIM)
        return fit_title((title, count), ((words,),), room)
    if not has_one_winner(event):
        return fit_title((title, count), (), room)
    values = set_facts(event, quotes, room - line_width(title))
    return fit_title((title, (Cell("one winner", Role.DIM),), count), values, room)


def set_facts(event: Event, quotes: EventQuotesView, room: int) -> list[Line]:
    """Return the sums of bids and asks, and the gain of buying or selling all outcomes after fees.

    Outcomes that are paused are named instead of the gains. Empty for events without one winner.
    """
    if len(event.markets) < _LEAST_SET or not event.neg_risk or not has_one_winner(event):
        return []
    found = set_prices(set_legs(event, quotes))
    sums = _paint_sums(found, room)
    if found.halted:
        more = f" and {len(found.halted) - 2} more" if len(found.halted) > 2 else ""
        said = f"PAUSED {more}: no whole set"
        taken = line_width(sums) + len(said) + len(", ") + 4
        names = ", ".join(fit_names(found.halted[:2], room - taken, least=_LEAST_HALTED))
        return [(Cell(f"PAUSED {names}{more}: no whole set", Role.NOTICE_WARN),), sums]
    sides = (("buy set", found.buying), ("sell set", found.selling))
    gains = [gain for name, side in sides if (gain := _paint_gain(name, side))]
    whole = _joined([sums, *gains])
    note = [(Cell("after fees", Role.DIM),)] if gains else []
    return [*([whole] if line_width(whole) < room else [sums, *gains]), *note]


def _joined(facts: Sequence[Line]) -> Line:
    cells: list[Cell] = []
    for fact in facts:
        cells += [Cell("  "), *fact] if cells else fact
    return tuple(cells)


def set_legs(event: Event, quotes: EventQuotesView) -> tuple[SetLeg, ...]:
    """Return the legs of an event's set at the prices shown."""
    known = {row.condition_id: row for row in quotes.rows}
    legs = []
    for market in legs_of(event):
        row = known.get(market.condition_id) if market.condition_id is not None else None
        bid, ask = (row.best_bid, row.best_ask) if row else (market.best_bid, market.best_ask)
        legs.append(SetLeg(market.title, bid, ask, market.fee, not market.is_tradable))
    return tuple(legs)


def _paint_sums(found: SetPrices, room: int) -> Line:
    """Paint the sums of bids and asks, with a bar between them if it fits: a set is worth 100."""
    bids, asks = found.selling, found.buying
    left = Cell(f"sum bid {format_average(bids.total) if bids else ABSENT}", Role.BID)
    right = Cell(f"sum ask {format_average(asks.total) if asks else ABSENT}", Role.ASK)
    if room < _SUM_BAR_FROM or bids is None:
        return (left, Cell("  "), right)
    bar = bar_text(min(bids.total, SCALE), SCALE, _SUM_BAR)
    return (left, Cell(" ▕", Role.DIM), Cell(bar, Role.BID), Cell("▏ ", Role.DIM), right)


def _paint_gain(name: str, side: SetPrice | None) -> Line:
    if side is None or side.gain is None:
        return ()
    sign = "+" if side.gain > 0 else "-" if side.gain < 0 else ""
    role = sign_role(side.gain)
    return (
        Cell(f"{name} ", Role.DIM),
        Cell(f"{sign}{format_average(Micros(abs(side.gain)))}", role),
    )


def paint_outcome_details(market: Market | None, quote: QuoteRow | None, width: int) -> Line:
    """Paint the details of the selected outcome."""
    if market is None:
        return ()
    bid = quote.best_bid if quote else market.best_bid
    ask = quote.best_ask if quote else market.best_ask
    size = quote.position_size if quote else None
    empty = "bid" if bid is None else "ask"
    counted = "0¢" if bid is None else "100¢"
    is_assumed = is_one_sided(bid, ask) and not market.closed
    facts: list[Cell | Line] = [
        Cell(f"one-sided book: no {empty}, counted as {counted}", Role.STALE) if is_assumed else (),
        name_fact("position", Cell(describe_holding(market, size), Role.OWN_ORDER)) if size else (),
        name_fact("spread", paint_spread(None if market.closed else spread(bid, ask))),
        name_fact("last", paint_price(quote.last_trade_price if quote else None)),
        name_fact("vol 24h", paint_money(market.volume_24h)),
        name_fact("liquidity", paint_money(market.liquidity)),
    ]
    return join_facts(facts, width, tail=plain(market.question))


def describe_quote(market: Market, quote: QuoteRow | None, now: datetime) -> Cell:
    """Return the age of a quote, or the result of a closed market; empty if live in an open one."""
    if market.closed:
        return Cell(_result_words(market), Role.DIM)
    if market.trading is not Trading.OPEN:
        return Cell(market.trading.value, Role.STALE)
    if not market.is_tradable:
        return Cell("no book", Role.STALE)
    if quote is None or quote.as_of is None:
        return Cell("waiting", Role.STALE)
    if quote.is_live:
        return Cell("")
    return Cell(f"{format_price_age(quote.as_of, now)} old", Role.STALE)


def _result_words(market: Market) -> str:
    winners = [o.label for o in market.outcomes if o.price == SCALE]
    return f"→ {plain(winners[0], 6)}" if len(winners) == 1 else "closed"


def describe_end(event: Event, now: datetime) -> tuple[Line, ...]:
    """Return the time left and the end date."""
    if event.closed:
        return ((Cell("closed", Role.STALE),),)
    if event.end_at is None:
        return ((Cell("no end date", Role.DIM),),)
    date = f"{shown_time(event.end_at):%d %b %Y}"
    if event.end_at - now < timedelta(seconds=1):
        # Less than a second is left; the event is closed only once it is decided.
        return ((Cell(f"ended {date}", Role.STALE),),)
    left = paint_time_left(event.end_at, now)
    return ((left._replace(role=Role.TEXT), Cell(" left", Role.DIM)), (Cell(date, Role.DIM),))
