"""Paints the rows of the market list and of search results, with live prices."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeGuard

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.formats import count
from pmtui.domain.markets.history import PricePoint, spark_levels
from pmtui.domain.markets.listing import (
    Arrangement,
    ListFilter,
    ListSort,
    is_wide,
    rolling_series,
)
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros, counted_mid, spread
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import EventRow, Load, MarketListView, MarketRow, SearchView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.explore.tag_picker import TagChoice
from pmtui.ui.facts import (
    ABSENT,
    CHANGE_WIDTH,
    LEFT_WIDTH,
    MONEY_WIDTH,
    PRICE_WIDTH,
    STAR,
    LiveRows,
    describe_prices_age,
    first_label,
    format_price_age,
    indent,
    join_facts,
    key_of,
    name_fact,
    paint_change,
    paint_mid,
    paint_money,
    paint_price,
    paint_spread,
    paint_time_left,
)
from pmtui.ui.format import format_age, format_money_compact, format_price, format_size_compact
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import Align, plain
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.widgets.panel import fit_title

OWN_MARK = "●"
MARKS_WIDTH = 2
"""A cell for a position, and one for a star or a folded series."""
_STRONG_MOVE, _MOVE = Micros(50_000), Micros(20_000)
"""Changes in a day from which a cell is strongly, and lightly, highlighted."""
AGE_WIDTH = 4
SPARK_WIDTH = 10
_SPARKS = "▁▂▃▄▅▆"
"""No full block: it would touch the line of the row above."""
_SPARK_LEVELS = 8
"""The levels of `spark_levels`."""

_LEAST_SPARK = 2
_DAY = timedelta(days=1)
_NEARLY_A_DAY = timedelta(hours=23)
"""A day's history may start some minutes late."""
NO_DAY = Cell("")

_AGE = Column(
    "age", "Age", AGE_WIDTH, priority=1, align=Align.RIGHT, silent=("", ABSENT)
)  # fmt: skip
"""Left out while every price in view is live, or about to be."""
EVENT_COLUMNS = (
    Column("own", "", MARKS_WIDTH, about="In position, starred"),
    Column("title", "Event", 28, grow=3, ease=44, is_essential=True, is_name=True),
    Column("leading", "Leader", 12, grow=1, ease=14),
    Column("price", "Price", PRICE_WIDTH, align=Align.RIGHT),
    _AGE,
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("day", "Day", SPARK_WIDTH, priority=2),
    # Wide enough for its title with the sort mark.
    Column("spread", "Spread", PRICE_WIDTH + 1, priority=1, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, align=Align.RIGHT),
    Column("liquidity", "Liquid", MONEY_WIDTH, priority=2, align=Align.RIGHT),
    Column("volume", "Volume", MONEY_WIDTH, priority=4, align=Align.RIGHT),
    Column("left", "Ends", LEFT_WIDTH, align=Align.RIGHT),
    Column("open", "Open", 4, priority=3, align=Align.RIGHT, about="Open markets"),
    Column("tags", "Tags", 16, priority=5),
)
RESULT_COLUMNS = (
    Column("own", "", MARKS_WIDTH, about="In position, starred"),
    Column("question", "Market", 27, grow=3, ease=44, is_essential=True, is_name=True),
    Column("outcome", "Outcome", 7, grow=1, silent=("Yes",)),
    Column("price", "Price", PRICE_WIDTH, align=Align.RIGHT),
    _AGE,
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("spread", "Spread", PRICE_WIDTH, priority=1, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, align=Align.RIGHT),
    Column("liquidity", "Liquid", MONEY_WIDTH, priority=2, align=Align.RIGHT),
    Column("left", "Ends", LEFT_WIDTH, align=Align.RIGHT),
    Column("position", "Pos", 7, priority=3, align=Align.RIGHT, silent=("",)),
    Column("event", "Event", 40, priority=4, grow=1),
)


def paint_event_row(
    row: EventRow, book: BookView | None, now: datetime, *, is_cached: bool = False,
    day: Cell = NO_DAY, opened: Micros | None = None, name: str | None = None,
) -> Row:  # fmt: skip
    """Paint an event by its leading market; a cached event looks stale throughout.

    Args:
        row: the event.
        book: the book of its leading market, if streamed.
        now: for ages and the time left.
        is_cached: loaded by an earlier session.
        day: its sparkline, by `paint_day`.
        opened: its price a day ago, where that is known.
        name: of a window, below its unfolded series; None for the event's title.
    """
    event, leading = row.event, row.leading
    cells = (
        paint_marks(is_held=row.has_position, mark=STAR if row.is_starred else ""),
        Cell(plain(event.title) if name is None else f"  {plain(name)}"),
        Cell(_leading_name(event, leading), Role.DIM),
        *_with_day(
            _quote_cells(
                leading,
                book,
                row.as_of,
                now,
                opened=opened,
                is_cached=is_cached,
                is_window=rolling_series(event) is not None,
            ),
            day,
        ),
        paint_money(event.volume_24h),
        paint_money(event.liquidity, Role.DIM),
        paint_money(event.volume, Role.DIM),
        paint_time_left(event.end_at, now, is_closed=event.closed),
        Cell(str(row.open_markets), Role.DIM),
        Cell(_tag_names(event), Role.DIM),
    )
    return Row(event.event_id, tuple(map(_as_stale, cells)) if is_cached else cells)


def paint_day(points: Sequence[PricePoint], now: datetime) -> Cell:
    """Paint the last day's prices as a sparkline, coloured by the change."""
    levels = spark_levels(points, until=now, reach=_DAY, columns=SPARK_WIDTH)
    known = [level for level in levels if level is not None]
    if len(known) < _LEAST_SPARK:
        return NO_DAY
    text = "".join(
        " " if level is None else _SPARKS[level * len(_SPARKS) // _SPARK_LEVELS] for level in levels
    )
    # Dimmed, because a column of full colour would drown the figures beside it.
    return Cell(text, sign_role(known[-1] - known[0]), Emphasis.DIM)


def price_a_day_ago(points: Sequence[PricePoint], now: datetime) -> Micros | None:
    """Return the price with which a chart of the day begins, unless the history is shorter."""
    first = next(iter(points), None)
    if first is None or now - first.at < _NEARLY_A_DAY:
        return None
    start = now - _DAY
    for before, after in pairwise(points):
        if after.at >= start:
            return before.price
    return points[-1].price


def _with_day(quote: tuple[Cell, Cell, Cell, Cell], day: Cell) -> tuple[Cell, ...]:
    price, age, change, spread_cell = quote
    return price, age, change, with_change(day, change), spread_cell


def with_change(day: Cell, change: Cell) -> Cell:
    """Return a sparkline in the colour of the change beside it, if there is one."""
    return day._replace(role=change.role) if day.text and change.text != ABSENT else day


def paint_result_row(
    row: MarketRow, book: BookView | None, now: datetime, *, name: str | None = None
) -> Row:
    """Paint a search result at the prices of its book, if that is streamed.

    Args:
        row: the result.
        book: its book, if streamed.
        now: for ages and the time left.
        name: of a window, below its unfolded series; None for the market's name.
    """
    market = row.market
    size = row.position_size
    cells = (
        paint_marks(is_held=bool(size), mark=STAR if row.is_starred else ""),
        Cell(plain(market.distinct_name) if name is None else f"  {plain(name)}"),
        Cell(first_label(market), Role.DIM),
        *_quote_cells(
            market, book, row.as_of, now, is_window=rolling_series(row.event) is not None
        ),
        paint_money(market.volume_24h),
        paint_money(market.liquidity, Role.DIM),
        paint_time_left(market.end_at, now, is_closed=market.closed),
        Cell(format_size_compact(size) if size else "", Role.OWN_ORDER),
        Cell(plain(row.event_title if row.event_title != market.question else ""), Role.DIM),
    )
    return Row(market.market_id, cells)


def paint_list_title(
    view: MarketListView, arrangement: Arrangement, now: datetime, room: int, *, tag: TagChoice,
    keymap: Keymap, rows: LiveRows, is_loading_more: bool = False,
) -> tuple[Line, Line]:  # fmt: skip
    """Paint the order and filters of the list, its age, and how much of it is loaded.

    Args:
        view: the list.
        arrangement: its order and filters.
        now: for its age.
        room: the cells available.
        tag: the chosen tags, and whether closed events are listed.
        keymap: the user's keys.
        rows: how many rows in view are live.
        is_loading_more: whether the next page is loading.
    """
    named = Cell(
        plain(tag.label, 40) if tag.label else "all tags", Role.KEY if tag.label else Role.DIM
    )
    more = ", loading more…" if is_loading_more else ""
    more = more or (" loaded, scroll for more" if view.has_more else "")
    said = (Cell(count(len(view.rows), "event") + more, Role.DIM),) if view.rows else ()
    names = (
        (Cell("MARKETS", Role.HEADING),),
        name_fact("by", name_order(arrangement)),
        (named,),
        (Cell("closed included", Role.KEY),) if tag.include_closed else (),
        *name_filter(arrangement.filter),
    )
    return fit_title(names, (_freshness(view, now, rows, keymap), said), room)


def paint_results_title(rows: LiveRows, room: int) -> tuple[Line, Line]:
    """Paint how many of the results in view have live prices, if not all have: the status says that."""
    said = f"{rows.live} of {rows.priced} live"
    is_short = rows.live + rows.loading < rows.priced
    value = (Cell(said, Role.STALE),) if is_short else ()
    return fit_title(((Cell("RESULTS", Role.HEADING),),), (value,), room)


_SORTED_COLUMNS = {
    ListSort.VOLUME_24H: "volume_24h",
    ListSort.MOVERS: "change",
    ListSort.SPREAD: "spread",
    ListSort.ENDING_SOON: "left",
    ListSort.VOLUME: "volume",
    ListSort.LIQUIDITY: "liquidity",
}


def sorted_column(arrangement: Arrangement) -> tuple[str, str]:
    """Return the key of the sorted column and its mark; the key is empty if there is none."""
    mark = "▴" if arrangement.is_reversed else "▾"
    return _SORTED_COLUMNS.get(arrangement.sort, ""), mark


def sort_of_column(key: str) -> ListSort | None:
    """Return the order for a column; None for a column that cannot be sorted."""
    return next((sort for sort, column in _SORTED_COLUMNS.items() if column == key), None)


def explain_empty_list(view: MarketListView, topic: MarketListTopic, keymap: Keymap) -> str:
    """Return why no events are listed, and which key helps."""
    if view.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return f" Could not load the list: {plain(view.problem)}. {again} to retry."
    if view.load is Load.READY:
        other = key_of(keymap, "markets.filter")
        narrowed = " with this tag" if topic.tag_slug else ""
        return f" No open events{narrowed}. {other} to change the filter."
    return " Loading events…"


def paint_search_note(view: SearchView, *, is_asked: bool) -> Line:
    """Paint the number of results, and whether the server has answered."""
    if not is_asked:
        return (Cell(f"{count(view.indexed, 'market')} cached", Role.DIM),)
    found = Cell(f"{count(len(view.rows), 'result')}  ")
    match view.load:
        case Load.READY:
            return (found, Cell("server included", Role.DIM))
        case Load.FAILED:
            return (found, Cell("server search failed", Role.NOTICE_WARN))
        case Load.EMPTY | Load.LOADING:
            return (found, Cell("searching the server…", Role.STALE))


def explain_empty_search(view: SearchView, keymap: Keymap) -> str:
    """Return why nothing was found, and which key helps."""
    where = f"in {count(view.indexed, 'cached market')}"
    match view.load:
        case Load.FAILED:
            return f" No matches {where}; the server's search failed: {plain(view.problem)}."
        case Load.READY:
            close = key_of(keymap, "search.close")
            return f" No matches. {close} to clear."
        case Load.EMPTY | Load.LOADING:
            return f" No matches {where}; searching the server…"


def paint_event_details(
    row: EventRow | None, book: BookView | None, width: int, *, is_cached: bool = False
) -> tuple[Line, Line]:
    """Paint the details of an event in two lines."""
    if row is None:
        return (), ()
    event, leading = row.event, row.leading
    facts: list[Cell | Line] = [
        name_fact("spread", _spread_cell(leading, book)),
        name_fact("liquidity", paint_money(event.liquidity)),
        name_fact("volume", paint_money(event.volume)),
        Cell(f"{row.open_markets} of {count(len(event.markets), 'market')} open"),
        Cell("in position", Role.OWN_ORDER) if row.has_position else (),
        Cell("starred", Role.KEY) if row.is_starred else (),
    ]
    details = join_facts(facts, width, tail=_tag_names(event))
    return _titled(event.title), tuple(map(_as_stale, details)) if is_cached else details


def paint_result_details(
    row: MarketRow | None, book: BookView | None, width: int
) -> tuple[Line, Line]:
    """Paint the details of a search result in two lines."""
    if row is None:
        return (), ()
    market, size = row.market, row.position_size
    held = Cell(f"position {format_size_compact(size)}", Role.OWN_ORDER) if size else ()
    facts: list[Cell | Line] = [
        name_fact("spread", _spread_cell(market, book)),
        name_fact("liquidity", paint_money(market.liquidity)),
        held,
        Cell("starred", Role.KEY) if row.is_starred else (),
        Cell("not trading", Role.STALE) if not market.is_tradable else (),
    ]
    # An event's only market often has the event's name.
    tail = f"of {plain(row.event_title)}" if row.event_title not in ("", market.question) else ""
    return _titled(market.question or market.title), join_facts(facts, width, tail=tail)


def name_order(arrangement: Arrangement) -> Cell:
    """Paint the order of a list, with a mark for its direction."""
    mark = "▴" if arrangement.is_reversed else "▾"
    return Cell(f"{arrangement.sort.value} {mark}", Role.KEY)


def name_filter(wanted: ListFilter) -> tuple[Line, ...]:
    """Paint every filter of a list."""
    facts: list[str] = []
    if wanted.min_volume_24h is not None:
        facts.append(f"vol 24h ≥ {format_money_compact(wanted.min_volume_24h)}")
    if wanted.max_spread is not None:
        facts.append(f"spread ≤ {format_price(wanted.max_spread)}")
    if wanted.ends_within is not None:
        facts.append(f"ends < {describe_span(wanted.ends_within)}")
    facts += ["mine"] if wanted.is_mine else []
    facts += ["starred"] if wanted.is_starred else []
    return tuple((Cell(fact, Role.KEY),) for fact in facts)


def describe_span(span: timedelta) -> str:
    """Write a duration in its largest unit: `1h`, `7d`."""
    return format_age(span.total_seconds())


def _titled(title: str) -> Line:
    return indent((Cell(plain(title), Role.HEADING),))


def paint_marks(*, is_held: bool, mark: str) -> Cell:
    """Paint whether something is held in a row, and the mark before its name."""
    held = OWN_MARK if is_held else " "
    return Cell(f"{held}{mark}".rstrip(), Role.OWN_ORDER if is_held else Role.KEY)


def _leading_name(event: Event, leading: Market | None) -> str:
    if leading is None:
        return ""
    # The group title alone tells which market is left of an event.
    own = leading.group_title if len(event.markets) == 1 else leading.title
    return plain(own) if own and own != event.title else first_label(leading)


def _quote_cells(
    market: Market | None, book: BookView | None, as_of: datetime | None, now: datetime, *,
    opened: Micros | None = None, is_cached: bool = False, is_window: bool = False,
) -> tuple[Cell, Cell, Cell, Cell]:  # fmt: skip
    """Paint price, age, change and spread: from a good book, else stale with the metadata's age.

    A window of a rolling series lives for less than a day, so it has no change of one.
    """
    if market is None:
        return paint_price(None), Cell(""), paint_change(None), _spread_cell(None, None)
    live = counted_mid(book.best_bid, book.best_ask) if is_live(book) else None
    change = paint_day_change(market, None if is_window else market.change_to(live, opened))
    spread_cell = _spread_cell(market, book)
    if market.closed:
        price = paint_price(market.first_price, Role.DIM)
        return price, Cell(""), change, spread_cell
    if is_live(book):
        price = paint_mid(book.best_bid, book.best_ask, Role.TEXT)
        if live is None:
            # An empty book has no live price.
            return price, Cell(""), change, spread_cell
        # A live price needs no word; a market that takes no orders is marked as paused.
        if not market.takes_orders:
            return price._replace(role=Role.STALE), Cell(""), change, Cell("paused", Role.STALE)
        return price, Cell(""), change, spread_cell
    # The price of a row that has just come into view is about to be live.
    is_awaited = not is_cached and market.quoted_token is not None and is_loading(book)
    age = Cell("" if is_awaited else format_price_age(as_of, now), Role.STALE)
    price = paint_price(market.first_price, Role.STALE)
    return price, age, change, spread_cell


def is_loading(book: BookView | None) -> bool:
    """Return whether a row's book is not asked for yet, or not answered."""
    return book is None or book.state is BookState.LOADING


def is_live(book: BookView | None) -> TypeGuard[BookView]:
    """Return whether a row's prices come from its book."""
    return book is not None and book.state.is_good


def _spread_cell(market: Market | None, book: BookView | None) -> Cell:
    if market is None or market.closed:
        return paint_marked_spread(None, Role.DIM)
    if is_live(book):
        return paint_marked_spread(book.spread, Role.DIM)
    return paint_marked_spread(spread(market.best_bid, market.best_ask), Role.STALE)


def paint_marked_spread(distance: Micros | None, role: Role) -> Cell:
    """Paint the spread of a row; the last cell is for the sign of a wide one, so figures line up."""
    cell = paint_spread(distance, role, width=PRICE_WIDTH - 1)
    if not is_wide(distance):
        return cell._replace(text=f"{cell.text} ")
    return Cell(f"{cell.text}!", Role.NOTICE_WARN, Emphasis.BOLD)


def paint_day_change(market: Market, change: Micros | None) -> Cell:
    """Paint a day's change on a background by its size; of a closed market, where nothing moves, dim."""
    cell, size = paint_change(change), abs(change or 0)
    if market.closed:
        return cell._replace(role=Role.DIM)
    if change is None or size < _MOVE:
        return cell
    if size >= _STRONG_MOVE:
        return cell._replace(ground=Role.FLASH_UP if change > 0 else Role.FLASH_DOWN)
    return cell._replace(ground=Role.AREA_UP if change > 0 else Role.AREA_DOWN)


def _tag_names(event: Event) -> str:
    return ", ".join(plain(tag.label, 24) for tag in event.tags[:6])


def _as_stale(cell: Cell) -> Cell:
    return cell._replace(role=Role.STALE)


def _describe_cached(as_of: datetime | None, now: datetime) -> Cell:
    age_s = (now - as_of).total_seconds() if as_of is not None else 0.0
    return Cell(f"cached {format_age(max(age_s, 0.0))} ago", Role.STALE)


def _freshness(view: MarketListView, now: datetime, rows: LiveRows, keymap: Keymap) -> Line:
    if not view.rows:
        return ()
    told = view.as_of
    age = _describe_cached(told, now) if view.is_cached else describe_prices_age(told, now, rows)
    if not view.problem:
        return (age,)
    again = key_of(keymap, "global.refresh")
    return (age, Cell(f", failed: {plain(view.problem, 24)} ({again})", Role.NOTICE_WARN))
