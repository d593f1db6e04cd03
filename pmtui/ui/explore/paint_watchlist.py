"""Paints the watchlist: a row for each starred item, with its price alerts below."""

from datetime import datetime

from pmtui.domain.conditionals.alerts import (
    AlertSide,
    AlertState,
    PriceAlert,
    describe_plan,
    describe_ring,
)
from pmtui.domain.formats import count
from pmtui.domain.markets.watchlist import MOST_WATCHED, StarKind, StarSnapshot
from pmtui.domain.money import counted_mid, spread
from pmtui.service.views import AlertRow, Load, WatchlistView, WatchRow
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.event.paint_event import OWN_WIDTH, describe_holding, describe_quote, paint_prices
from pmtui.ui.explore.paint_markets import (
    NO_DAY,
    SPARK_WIDTH,
    paint_day_change,
    paint_marked_spread,
    with_change,
)
from pmtui.ui.facts import (
    CHANGE_WIDTH,
    LEFT_WIDTH,
    MONEY_WIDTH,
    PRICE_WIDTH,
    LiveRows,
    describe_prices_age,
    first_label,
    join_facts,
    key_of,
    name_fact,
    paint_change,
    paint_money,
    paint_spread,
    paint_star,
    paint_time_left,
)
from pmtui.ui.format import format_age, format_price
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import Align, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.panel import fit_title

LIVES_HERE = "Alerts need pmtui or its service running, and a live book."
_LONGEST_OUTCOME = 8

WATCH_COLUMNS = (
    Column("mark", "", 1, is_essential=True),
    Column("title", "Event or market", 21, grow=3, ease=36, is_essential=True, is_name=True),
    Column("outcome", "Outcome", 12, priority=2, grow=1),
    Column("bid", "Bid", PRICE_WIDTH, align=Align.RIGHT),
    Column("ask", "Ask", PRICE_WIDTH, align=Align.RIGHT),
    Column("mid", "Mid", PRICE_WIDTH, align=Align.RIGHT),
    Column("change", "24h", CHANGE_WIDTH, align=Align.RIGHT),
    Column("day", "Day", SPARK_WIDTH, priority=3),
    Column("spread", "Spread", PRICE_WIDTH, priority=1, align=Align.RIGHT),
    Column("volume", "Volume", MONEY_WIDTH, priority=1, align=Align.RIGHT),
    Column("volume_24h", "Vol 24h", MONEY_WIDTH, priority=4, align=Align.RIGHT),
    Column("left", "Ends", LEFT_WIDTH, align=Align.RIGHT),
    Column("own", "Pos", OWN_WIDTH, align=Align.RIGHT, silent=("",)),
    Column("quote", "Status", 8, is_essential=True),
    Column("event", "Event", 30, priority=5, grow=1),
)
_NOTHING = Cell("")


def row_key(row: WatchRow) -> str:
    """Return the key of a starred item's row."""
    return f"{row.key.kind.value}:{row.key.item_id}"


def alert_key(alert: PriceAlert) -> str:
    """Return the key of an alert's row."""
    return f"alert:{alert.alert_id}"


def paint_watch_row(row: WatchRow, now: datetime, day: Cell = NO_DAY) -> Row:
    """Paint a starred item with its prices; prices that are not live are marked as stale."""
    seen, quote = row.seen, row.quote
    star, title = paint_star(is_starred=row.is_starred), Cell(plain(row.title))
    if seen is None:
        return Row(
            row_key(row), (star, title, *[_NOTHING] * 11, Cell("waiting", Role.STALE), _NOTHING)
        )
    market = seen.market
    bid, ask = (quote.best_bid, quote.best_ask) if quote else (None, None)
    is_live = quote is not None and quote.is_live
    live = counted_mid(bid, ask) if is_live else None
    change = paint_day_change(market, market.change_to(live)) if market else paint_change(None)
    apart = spread(bid, ask)
    is_closed = seen.is_closed or (market is not None and market.closed)
    cells = (
        star,
        title._replace(role=Role.DIM) if is_closed else title,
        Cell(_outcome(row, seen), Role.DIM),
        *paint_prices(market, bid, ask, is_live=is_live),
        change,
        with_change(day, change),
        paint_marked_spread(None if is_closed else apart, Role.DIM),
        paint_money(seen.volume),
        paint_money(seen.volume_24h, Role.DIM),
        paint_time_left(seen.end_at, now, is_closed=is_closed),
        Cell(
            describe_holding(market, quote.position_size) if market and quote else "",
            Role.OWN_ORDER,
        ),
        describe_quote(market, quote, now) if market else Cell("no market", Role.STALE),
        Cell(plain(seen.event_title), Role.DIM),
    )
    return Row(row_key(row), cells)


def paint_alert_row(row: AlertRow) -> Row:
    """Paint a price alert below its market, with the prices of its own outcome."""
    alert, is_good = row.alert, row.book.is_good
    outcome = plain(alert.outcome, _LONGEST_OUTCOME)
    has_rung = alert.state is AlertState.RANG
    is_bid = alert.plan.side is AlertSide.ABOVE
    words = Cell(f"  {outcome} {describe_plan(alert.plan)}", Role.DIM)
    if has_rung:
        words = words._replace(role=Role.NOTICE_WARN, emphasis=Emphasis.BOLD)
    # In cents, like the alert's level beside them.
    bid = paint_spread(row.best_bid, Role.TEXT if is_good and is_bid else Role.DIM)
    ask = paint_spread(row.best_ask, Role.TEXT if is_good and not is_bid else Role.DIM)
    # The other columns are filled in the market's row above.
    return Row(
        alert_key(alert),
        (_NOTHING, words, _NOTHING, bid, ask, *[_NOTHING] * 8, _state(row), _NOTHING),
    )


def paint_watch_title(
    view: WatchlistView, now: datetime, keymap: Keymap, room: int
) -> tuple[Line, Line]:
    """Paint the numbers of stars and alerts, and the age of the metadata."""
    stars = sum(row.is_starred for row in view.rows)
    waiting = sum(each.alert.state is AlertState.WAITING for each in view.alerts)
    rung = sum(each.alert.state is AlertState.RANG for each in view.alerts)
    names = ((Cell("WATCHLIST", Role.HEADING),), (Cell(f"{stars} starred", Role.DIM),))
    values = (
        _freshness(view, now, keymap),
        (Cell(f"{count(rung, 'alert')} rang", Role.NOTICE_WARN),) if rung else (),
        (Cell(f"{count(waiting, 'alert')} set", Role.KEY),) if waiting else (),
    )
    return fit_title(names, values, room)


def paint_watch_note(view: WatchlistView, width: int) -> Line:
    """Paint a limitation of this list; empty when there is none."""
    if view.kept_problem:
        return (Cell(f" {plain(view.kept_problem, width - 1)}", Role.NOTICE_WARN),)
    if view.unstreamed:
        said = (
            f"Only {MOST_WATCHED} books are streamed: {count(view.unstreamed, 'row')} below them "
        )
        said += "shows listed prices." if view.unstreamed == 1 else "show listed prices."
        return (Cell(f" {said}", Role.NOTICE_WARN),)
    return (Cell(f" {LIVES_HERE}", Role.DIM),) if view.alerts else ()


def explain_nothing_starred(keymap: Keymap) -> str:
    """Return what to do when nothing is starred."""
    star, markets = key_of(keymap, "global.star"), key_of(keymap, "global.markets")
    search = key_of(keymap, "global.search")
    where = f"{markets} markets, {search} search"
    return f" Nothing starred. {star} stars the row at the cursor ({where})."


def paint_watch_details(row: WatchRow, now: datetime, width: int) -> tuple[Line, Line]:
    """Paint the details of a starred item in two lines."""
    title: Line = (Cell(f" {plain(row.title)}", Role.HEADING),)
    seen, quote = row.seen, row.quote
    if seen is None:
        return title, (Cell(" Not loaded yet.", Role.DIM),)
    market = seen.market
    prices = spread(quote.best_bid, quote.best_ask) if quote else None
    age_s = (now - seen.as_of).total_seconds()
    is_live = quote is not None and quote.is_live
    facts: list[Cell | Line] = [
        name_fact("prices of", Cell(_outcome(row, seen))) if market else (),
        name_fact("spread", paint_spread(None if seen.is_closed else prices)),
        name_fact("volume", paint_money(seen.volume)),
        name_fact("vol 24h", paint_money(seen.volume_24h)),
        Cell(f"last seen {format_age(age_s)} ago", Role.STALE) if not is_live else (),
        Cell(f"{seen.open_markets} open") if row.key.kind is StarKind.EVENT else (),
        Cell("not starred", Role.STALE) if not row.is_starred else (),
    ]
    tail = f"of {plain(seen.event_title)}" if seen.event_title else ""
    return title, join_facts(facts, width, tail=tail)


def paint_alert_details(row: AlertRow, now: datetime) -> tuple[Line, Line]:
    """Paint the market of an alert, and what it waits for or what made it ring."""
    alert = row.alert
    outcome = plain(alert.outcome, 20)
    title: Line = (Cell(f" {plain(alert.title)}", Role.HEADING),)
    return title, (_alert_words(row, outcome, now),)


def _alert_words(row: AlertRow, outcome: str, now: datetime) -> Cell:
    alert = row.alert
    if alert.state is AlertState.RANG:
        ago = format_age((now - (alert.rang_at or now)).total_seconds())
        return Cell(f" {outcome}: rang {ago} ago, {describe_ring(alert)}", Role.NOTICE_WARN)
    if alert.state is AlertState.OVER:
        return Cell(" The market has ended: the alert is off.", Role.DIM)
    if not row.book.is_good:
        return Cell(f" {outcome}: book {row.book.value}, the alert cannot ring.", Role.STALE)
    if alert.plan.condition:
        return Cell(f" {outcome}: rings once when {describe_plan(alert.plan)}.")
    is_above = alert.plan.side is AlertSide.ABOVE
    best, beyond = ("bid", "higher") if is_above else ("ask", "lower")
    price = format_price(alert.plan.price)
    return Cell(f" {outcome}: rings once at {best} {price} or {beyond}.")


def _state(row: AlertRow) -> Cell:
    state = row.alert.state
    if state is AlertState.RANG:
        return Cell("RANG", Role.NOTICE_WARN, Emphasis.BOLD)
    if state is AlertState.OVER:
        return Cell("ended", Role.DIM)
    return Cell("set", Role.VERIFIED) if row.book.is_good else Cell(row.book.value, Role.STALE)


def _outcome(row: WatchRow, seen: StarSnapshot) -> str:
    market = seen.market
    if market is None:
        return ""
    if row.key.kind is StarKind.EVENT and market.title != seen.title:
        return plain(market.title)
    return first_label(market)


def _is_priced(seen: StarSnapshot | None) -> bool:
    """Return whether the price of a starred item can move."""
    market = seen.market if seen is not None else None
    return market is not None and market.quoted_token is not None


def _freshness(view: WatchlistView, now: datetime, keymap: Keymap) -> Line:
    if view.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return (Cell(f"not fetched: {plain(view.problem, 30)} ({again})", Role.NOTICE_WARN),)
    if not view.rows:
        return ()
    if view.as_of is None:
        return (Cell("fetching…", Role.STALE),)
    priced = [row.quote for row in view.rows if _is_priced(row.seen)]
    loading = sum(quote is not None and quote.is_loading for quote in priced)
    rows = LiveRows(
        live=sum(quote is not None and quote.is_live for quote in priced),
        priced=len(priced),
        # Those beyond the streamed ones stay without a book.
        loading=max(loading - view.unstreamed, 0),
    )
    return (describe_prices_age(view.as_of, now, rows),)
