"""The list of events and the results of a search, row by row, with what each is doing now."""

from datetime import datetime
from typing import TYPE_CHECKING

from pmtui.domain.money import Micros
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import EventRow, Load, MarketListView, MarketRow, SearchView
from pmtui.ui.actions import Keymap
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.format import format_age, format_size_compact
from pmtui.ui.paint.facts import (
    CHANGE_WIDTH,
    LEFT_WIDTH,
    MONEY_WIDTH,
    PRICE_WIDTH,
    count,
    first_label,
    first_price,
    indent,
    join_facts,
    key_of,
    name_fact,
    paint_change,
    paint_money,
    paint_price,
    paint_time_left,
    say_age,
    spread,
    with_star,
)
from pmtui.ui.plain import Align, plain
from pmtui.ui.theme import Role

if TYPE_CHECKING:
    from pmtui.domain.market import Event, Market

OWN_MARK = "●"

EVENT_COLUMNS = (
    Column("own", "", 1),
    Column("title", "Event", 30, grow=3),
    Column("leading", "Leading", 12, grow=1),
    Column("price", "Price", PRICE_WIDTH, align=Align.RIGHT),
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("spread", "Spread", PRICE_WIDTH, priority=1, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, align=Align.RIGHT),
    Column("liquidity", "Liquid", MONEY_WIDTH, priority=2, align=Align.RIGHT),
    Column("volume", "Volume", MONEY_WIDTH, priority=4, align=Align.RIGHT),
    Column("left", "Left", LEFT_WIDTH, align=Align.RIGHT),
    Column("open", "Open", 4, priority=3, align=Align.RIGHT),
    Column("tags", "Tags", 36, priority=5),
)
RESULT_COLUMNS = (
    Column("own", "", 1),
    Column("question", "Market", 30, grow=3),
    Column("outcome", "Outcome", 7, grow=1),
    Column("price", "Price", PRICE_WIDTH, align=Align.RIGHT),
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("spread", "Spread", PRICE_WIDTH, priority=1, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, align=Align.RIGHT),
    Column("liquidity", "Liquid", MONEY_WIDTH, priority=2, align=Align.RIGHT),
    Column("left", "Left", LEFT_WIDTH, align=Align.RIGHT),
    Column("position", "Own", 7, priority=3, align=Align.RIGHT),
    Column("event", "Event", 40, priority=4, grow=1),
)


def paint_event_row(row: EventRow, now: datetime, *, is_cached: bool = False) -> Row:
    """Show an event by its leading market; nothing of a cached one looks current."""
    event, leading = row.event, row.leading
    cells = (
        _own_mark(is_held=row.has_position),
        Cell(with_star(plain(event.title), is_starred=row.is_starred)),
        Cell(_leading_name(event, leading), Role.DIM),
        *_quote_cells(leading),
        paint_money(event.volume_24h),
        paint_money(event.liquidity, Role.DIM),
        paint_money(event.volume, Role.DIM),
        paint_time_left(event.end_at, now, is_closed=event.closed),
        Cell(str(row.open_markets), Role.DIM),
        Cell(_tag_names(event), Role.DIM),
    )
    return Row(event.event_id, tuple(map(_as_stale, cells)) if is_cached else cells)


def paint_result_row(row: MarketRow, now: datetime) -> Row:
    """Show a market that a search found."""
    market = row.market
    size = row.position_size
    cells = (
        _own_mark(is_held=bool(size)),
        Cell(with_star(plain(market.telling_name), is_starred=row.is_starred)),
        Cell(first_label(market), Role.DIM),
        *_quote_cells(market),
        paint_money(market.volume_24h),
        paint_money(market.liquidity, Role.DIM),
        paint_time_left(market.end_at, now, is_closed=market.closed),
        Cell(format_size_compact(size) if size else "", Role.OWN_ORDER),
        Cell(plain(row.event_title), Role.DIM),
    )
    return Row(market.market_id, cells)


def paint_list_heading(
    view: MarketListView, topic: MarketListTopic, now: datetime, *, tag_label: str,
    keymap: Keymap, width: int, is_loading_more: bool = False,
) -> Line:  # fmt: skip
    """Say what the list holds, how it is ordered and narrowed, and how old it is."""
    narrowed = [Cell("closed too", Role.KEY)] if topic.include_closed else []
    tag = Cell(plain(tag_label, 24) if tag_label else "all tags", Role.KEY)
    more = ", fetching more…" if is_loading_more else ", more below" if view.has_more else ""
    said = count(len(view.rows), "event") + more
    return join_facts(
        [
            Cell("Markets", Role.HEADING, Emphasis.BOLD),
            name_fact("by", Cell(topic.sort.value, Role.KEY)),
            tag,
            *narrowed,
            _freshness(view, now, keymap),
            Cell(said, Role.DIM) if view.rows else (),
        ],
        width,
        separator="   ",
    )


def say_empty_list(view: MarketListView, topic: MarketListTopic, keymap: Keymap) -> str:
    """Say why no events are listed, and which key helps."""
    if view.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return f" The list could not be fetched: {plain(view.problem)}. {again} tries again."
    if view.load is Load.READY:
        other = key_of(keymap, "markets.filter")
        narrowed = " with this tag" if topic.tag_slug else ""
        return f" No open events{narrowed}. {other} changes the filter."
    return " Fetching the list of events…"


def paint_search_note(view: SearchView, *, is_asked: bool) -> Line:
    """Say what a search has found and who has answered."""
    if not is_asked:
        return (Cell(f"{view.indexed:,} markets known here", Role.DIM),)
    found = Cell(f"{count(len(view.rows), 'market')}  ")
    match view.load:
        case Load.READY:
            return (found, Cell("service asked too", Role.VERIFIED))
        case Load.FAILED:
            return (found, Cell("the service failed", Role.NOTICE_WARN))
        case Load.EMPTY | Load.LOADING:
            return (found, Cell("asking the service…", Role.STALE))


def say_empty_search(view: SearchView, keymap: Keymap) -> str:
    """Say why nothing was found, and which key helps."""
    where = f"in the {view.indexed:,} markets seen so far"
    match view.load:
        case Load.FAILED:
            return f" Nothing {where}; the service's search failed: {plain(view.problem)}."
        case Load.READY:
            close = key_of(keymap, "search.close")
            return f" Nothing {where} or at the service. {close} goes back to the list."
        case Load.EMPTY | Load.LOADING:
            return f" Nothing {where}; asking the service…"


def paint_event_details(
    row: EventRow | None, width: int, *, is_cached: bool = False
) -> tuple[Line, Line]:
    """Show what the columns may have had no room for, in two lines."""
    if row is None:
        return (), ()
    event, leading = row.event, row.leading
    facts: list[Cell | Line] = [
        name_fact("spread", paint_price(_spread_of(leading))),
        name_fact("liquidity", paint_money(event.liquidity)),
        name_fact("volume", paint_money(event.volume)),
        Cell(f"{row.open_markets} of {count(len(event.markets), 'market')} open"),
        Cell("you hold some", Role.OWN_ORDER) if row.has_position else (),
        Cell("starred", Role.KEY) if row.is_starred else (),
    ]
    details = join_facts(facts, width, tail=_tag_names(event))
    return _titled(event.title), tuple(map(_as_stale, details)) if is_cached else details


def paint_result_details(row: MarketRow | None, width: int) -> tuple[Line, Line]:
    """Show what the columns may have had no room for, in two lines."""
    if row is None:
        return (), ()
    market, size = row.market, row.position_size
    held = Cell(f"you hold {format_size_compact(size)}", Role.OWN_ORDER) if size else ()
    facts: list[Cell | Line] = [
        name_fact("spread", paint_price(_spread_of(market))),
        name_fact("liquidity", paint_money(market.liquidity)),
        held,
        Cell("starred", Role.KEY) if row.is_starred else (),
        Cell("not open for trading", Role.STALE) if not market.is_tradable else (),
    ]
    tail = f"of {plain(row.event_title)}" if row.event_title else ""
    return _titled(market.question or market.title), join_facts(facts, width, tail=tail)


def _titled(title: str) -> Line:
    return indent((Cell(plain(title), Role.HEADING),))


def _own_mark(*, is_held: bool) -> Cell:
    return Cell(OWN_MARK if is_held else "", Role.OWN_ORDER)


def _leading_name(event: "Event", leading: "Market | None") -> str:
    if leading is None:
        return ""
    if len(event.markets) == 1 or leading.title == event.title:
        return first_label(leading)
    return plain(leading.title)


def _quote_cells(market: "Market | None") -> tuple[Cell, Cell, Cell]:
    if market is None:
        return paint_price(None), paint_change(None), paint_price(None)
    return (
        paint_price(first_price(market)),
        paint_change(market.shown_change),
        paint_price(_spread_of(market), Role.DIM),
    )


def _spread_of(market: "Market | None") -> Micros | None:
    return None if market is None else spread(market.best_bid, market.best_ask)


def _tag_names(event: "Event") -> str:
    return ", ".join(plain(tag.label, 24) for tag in event.tags[:6])


def _as_stale(cell: Cell) -> Cell:
    return cell._replace(role=Role.STALE)


def _say_cached(as_of: datetime | None, now: datetime) -> Cell:
    age_s = (now - as_of).total_seconds() if as_of is not None else 0.0
    return Cell(f"cached {format_age(max(age_s, 0.0))} ago", Role.STALE)


def _freshness(view: MarketListView, now: datetime, keymap: Keymap) -> Cell | Line:
    if not view.rows:
        return ()
    age = _say_cached(view.as_of, now) if view.is_cached else say_age(view.as_of, now)
    if not view.problem:
        return age
    again = key_of(keymap, "global.refresh")
    return (age, Cell(f", failed: {plain(view.problem, 24)} ({again})", Role.NOTICE_WARN))
