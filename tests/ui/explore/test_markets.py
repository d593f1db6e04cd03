from dataclasses import replace
from datetime import timedelta

from textual import events
from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import SeriesId
from pmtui.domain.markets.history import Interval, PricePoint, price_line
from pmtui.domain.markets.market import MarketSort, Series
from pmtui.domain.money import ONE, Micros
from pmtui.domain.money import parse_micros as m
from pmtui.service.topics import (
    HistoryTopic,
    MarketListTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
)
from pmtui.service.views import HistoryView, Load, MarketListView, SearchView
from pmtui.ui.cells import Cell, Row
from pmtui.ui.explore.filter_form import FilterForm
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.paint_markets import (
    RESULT_COLUMNS,
    paint_day_change,
    paint_marked_spread,
    price_a_day_ago,
)
from pmtui.ui.explore.preview import PreviewPane
from pmtui.ui.explore.tag_picker import TagPicker
from pmtui.ui.facts import PRICE_WIDTH
from pmtui.ui.frame import EventChosen, MarketChosen
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable, TableColumns
from pmtui.ui.widgets.search_input import SearchInput
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import (
    is_tame,
    listens_only_in_front,
    screen_lines,
    shows,
    survives_resizing,
    text_of,
)
from tests.ui.stage import head_of, shown_text
from tests.ui.wait import settle, until

BY_VOLUME = MarketListTopic()
RIVER = tuple(
    believable.single(300 + i, f"Will gauge {i} pass two metres?", volume=1_000) for i in range(60)
)


def _app(service: FakeService, theme: str = "harbour") -> ScreenApp:
    return ScreenApp(MarketsScreen(service.surface()), theme=theme)


def _listing(count: int, *, has_more: bool = True) -> MarketListView:
    rows = tuple(believable.event_row(e) for e in RIVER[:count])
    return MarketListView(rows, Load.READY, has_more, NOW)


def _table(app: ScreenApp, name: str = "events") -> LineTable:
    return app.screen.query_one(f"#{name}", LineTable)


async def test_the_essentials_are_there_at_80_by_24() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        row = next(line for line in screen_lines(app) if "Harbour City" in line)
        for essential in ("●", "Ilse Maro", "46.0¢", "+2.1¢", "$894.8k", "12d 5h"):
            assert essential in row
        assert "spread 1.0¢" in text_of(app, "#details")
        assert "4 of 5 markets open" in text_of(app, "#details")
        assert shows(app, "S Sort")


async def test_wide_screens_show_more_columns() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Spread"), "the spread's column")
        assert shows(app, "Liquid")
        # Names are read before what nobody sorts by.
        assert not shows(app, "Open")
        await pilot.resize_terminal(200, 50)
        await until(pilot, lambda: shows(app, "Open"), "one more column")


async def test_topics_are_dropped_while_another_screen_is_in_front() -> None:
    service = believable_service()
    await listens_only_in_front(service, MarketsScreen(service.surface()), {BY_VOLUME})


async def test_sorting_goes_round_and_starts_at_the_top() -> None:
    service = believable_service()
    newest = MarketListTopic(MarketSort.NEWEST)
    service.lists[newest] = _listing(30)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "S")
        await until(pilot, lambda: shows(app, "by movers 24h ▾"), "an order of our own")
        assert BY_VOLUME in service.watched()
        await pilot.press("S", "S")
        assert MarketListTopic(MarketSort.ENDING_SOON) in service.watched()
        assert BY_VOLUME not in service.watched()
        await pilot.press("S")
        await until(pilot, lambda: shows(app, "by newest"), "the order in the heading")
        assert _table(app).cursor_key == RIVER[0].event_id
        await pilot.press("S", "S", "S")
        assert BY_VOLUME in service.watched()


async def test_an_order_of_the_venue_is_reversed_by_the_venue() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("R")
        assert MarketListTopic(is_reversed=True) in service.watched()
        await until(pilot, lambda: shows(app, "by volume 24h ▴"), "the mark")
        await pilot.press("S")
        assert BY_VOLUME in service.watched()
        before = _table(app).cursor_key
        await pilot.press("R")
        await until(pilot, lambda: shows(app, "by movers 24h ▴"), "the mark")
        assert BY_VOLUME in service.watched()
        assert _table(app).cursor_key != before


async def _click_title(app: ScreenApp, pilot: Pilot[None], title: str) -> None:
    """Click the title of a column of the list."""
    header = shown_text(_table(app))[0]
    await pilot.click(_table(app), offset=(header.index(title[:4]) + 1, 0))


async def test_a_click_on_a_title_orders_by_its_column_and_another_click_reverses() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await _click_title(app, pilot, "Spread")
        await until(pilot, lambda: shows(app, "by spread ▾"), "the order")
        await _click_title(app, pilot, "Spread")
        await until(pilot, lambda: shows(app, "by spread ▴"), "the other way round")
        await _click_title(app, pilot, "24h")
        await until(pilot, lambda: shows(app, "by movers 24h ▾"), "another order")
        await _click_title(app, pilot, "Event")
        await until(
            pilot, lambda: "Cannot sort by this column" in text_of(app, "#notice"), "a word"
        )
        assert shows(app, "by movers 24h ▾")


async def test_enter_on_no_results_says_so() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("slash", *"zzz", "enter")
        await until(pilot, lambda: "Nothing found" in text_of(app, "#notice"), "the answer")
        assert app.screen.query_one(SearchInput).has_focus
        assert not app.chosen


async def test_results_that_begin_alike_show_what_is_their_own() -> None:
    service = believable_service()
    banks = ("Northern", "Southern")
    name = "Cut of 50 basis points or more: What will the {} Central Bank do to its rate in May?"
    events = [believable.single(n, name.format(bank)) for n, bank in enumerate(banks, 800)]
    service.searches["cut"] = SearchView(
        "cut", believable.market_rows(*events), Load.READY, indexed=2
    )  # fmt: skip
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("slash", *"cut")
        for bank in banks:
            await until(pilot, lambda bank=bank: shows(app, f"the {bank}"), bank)  # type: ignore[misc]


WINDOWS = tuple(
    replace(
        believable.single(500 + n, f"Ether up or down, window {n}?", volume=100),
        series=(Series(SeriesId("1"), "ether-5m", "Ether every five minutes", "5m"),),
        end_at=NOW + timedelta(minutes=5 * n + 5),
    )
    for n in range(3)
)


async def test_the_cursor_begins_below_a_series_and_its_row_has_no_change_of_a_day() -> None:
    service = believable_service()
    loud = tuple(
        replace(
            event,
            volume_24h=Micros(10**15),
            markets=tuple(replace(m, day_change=Micros(-265_000)) for m in event.markets),
        )
        for event in WINDOWS
    )
    rows = tuple(believable.event_row(event) for event in (*loud, *RIVER[:3]))
    service.lists[BY_VOLUME] = MarketListView(rows, Load.READY, False, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "+ Ether every five minutes"), "the fold")
        assert _table(app).rows[0].key == "series 5m"
        # One key buys at the cursor: not in a window that ends in minutes.
        assert _table(app).cursor_key == RIVER[0].event_id
        assert _table(app).scroll_y == 0
        assert not shows(app, "-26.5¢")
        await pilot.press("home", "space")
        await until(pilot, lambda: len(_table(app).rows) == 7, "all windows")
        assert not shows(app, "-26.5¢")


async def test_the_preview_of_a_series_has_the_sums_of_its_row_and_its_windows() -> None:
    service = believable_service()
    rows = tuple(believable.event_row(event) for event in (RIVER[0], *WINDOWS))
    service.lists[BY_VOLUME] = MarketListView(rows, Load.READY, False, NOW)
    app = _app(service)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: shows(app, "+ Ether every five minutes"), "the fold")
        await pilot.press("end")
        preview = app.screen.query_one(PreviewPane)
        await until(pilot, lambda: "SERIES" in head_of(preview), "the series")
        text = shown_text(preview)
        assert text[0].startswith("Ether every five minutes · every 5m (3)")
        row = next(line for line in screen_lines(app) if "+ Ether every" in line)
        assert next(word for word in text[1].split() if word.startswith("$")) in row
        assert sum("▕" in line for line in text) == 3
        windows = [line for line in text if "▕" in line]
        assert windows == sorted(windows)


def test_a_closed_market_does_not_shout_its_last_change() -> None:
    market, change = RIVER[0].markets[0], Micros(969_000)
    loud = paint_day_change(market, change)
    quiet = paint_day_change(replace(market, closed=True), change)
    assert loud.text == quiet.text == "+96.9¢"
    assert (loud.role, loud.ground) == (Role.UP, Role.FLASH_UP)
    assert (quiet.role, quiet.ground) == (Role.DIM, None)


async def test_windows_of_a_series_are_one_row_until_they_are_unfolded() -> None:
    service = believable_service()
    rows = tuple(believable.event_row(event) for event in (*RIVER[:2], *WINDOWS, RIVER[2]))
    service.lists[BY_VOLUME] = MarketListView(rows, Load.READY, False, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "+ Ether every five minutes"), "the fold")
        keys = [row.key for row in _table(app).rows]
        assert keys == [*(event.event_id for event in RIVER[:3]), "series 5m"]
        await pilot.press("end", "space")
        await until(pilot, lambda: len(_table(app).rows) == 7, "all windows")
        assert shows(app, "− Ether every five minutes")
        # A window stands below its series, by what only it is called.
        ether = [row.cells[1].text for row in _table(app).rows if "Ether" in row.cells[1].text]
        assert ether == ["Ether every five minutes · every 5m (3)"]
        assert _table(app).cursor_key == "series 5m"
        await pilot.press("enter")
        await until(pilot, lambda: len(_table(app).rows) == 4, "folded again")


async def test_found_windows_of_a_series_are_one_row_until_they_are_unfolded() -> None:
    service = believable_service()
    (river,) = believable.market_rows(RIVER[0])[:1]
    windows = (
        replace(row, event=replace(event, markets=()))
        for event in WINDOWS
        for row in believable.market_rows(event)
    )
    service.searches["ether"] = SearchView("ether", (river, *windows), Load.READY, 9)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("slash", *"ether")
        await until(pilot, lambda: shows(app, "+ Ether every five minutes · every 5m (3)"), "it")
        table = app.screen.query_one("#results", LineTable)
        assert [row.key for row in table.rows] == [river.market.market_id, "series 5m"]
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(table.rows) == 5, "all windows")
        assert table.cursor_key == "series 5m"
        table.focus()
        await pilot.press("space")
        await until(pilot, lambda: len(table.rows) == 2, "one row again")
        await pilot.press("space")
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.chosen, "the first window")


async def test_filters_narrow_what_is_loaded_and_say_so() -> None:
    service = believable_service()
    rows = (
        believable.event_row(RIVER[0]),
        replace(believable.event_row(RIVER[1]), is_starred=True),
    )
    service.lists[BY_VOLUME] = MarketListView(rows, Load.READY, True, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: len(_table(app).rows) == 2, "all of them")
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, FilterForm), "the card")
        table = app.screen_stack[0].query_one("#events", LineTable)
        await pilot.press("end", "space")
        await until(pilot, lambda: len(table.rows) == 1, "the starred one, behind the card")
        await pilot.press("escape")
        await until(pilot, lambda: len(table.rows) == 2, "all of them, as before")
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, FilterForm), "the card")
        await pilot.press("end", "right", "enter")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        await until(pilot, lambda: len(_table(app).rows) == 1, "the starred one")
        assert _table(app).rows[0].key == RIVER[1].event_id
        assert "starred" in screen_lines(app)[1]
        assert service.calls_of("load_more")[0] == (BY_VOLUME,)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, FilterForm), "the card")
        await pilot.press("x", "enter")
        await until(pilot, lambda: len(_table(app).rows) == 2, "all of them again")


async def test_wide_screens_show_the_event_beside_the_list() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(200, 50)) as pilot:
        pane = app.screen.query_one(PreviewPane)
        await until(
            pilot, lambda: any("Ilse Maro" in line for line in shown_text(pane)), "outcomes"
        )
        assert app.screen.region.contains_region(pane.region)
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert not pane.region.area


async def test_enter_opens_an_event_or_its_only_market() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the rows")
        await pilot.press("enter", "down", "enter")
        await until(pilot, lambda: len(app.chosen) == 2, "both choices")
        second = service.lists[BY_VOLUME].rows[1].event.markets[0].condition_id
        first = app.chosen[0]
        assert isinstance(first, EventChosen)
        assert first.event_id == believable.election().event_id
        assert isinstance(app.chosen[1], MarketChosen)
        assert app.chosen[1].condition_id == second


async def test_pages_load_ahead_with_visible_progress() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(20)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: service.calls_of("load_more"), "the wish for more")
        assert service.calls_of("load_more")[0] == (BY_VOLUME,)
        await pilot.press("end")
        await until(pilot, lambda: shows(app, "20 events, loading more…"), "the progress")
        service.lists[BY_VOLUME] = _listing(60, has_more=False)
        service.announce(BY_VOLUME)
        await until(pilot, lambda: len(_table(app).rows) == 60, "the new rows")
        await until(pilot, lambda: not shows(app, "fetching"), "the progress to end")
        assert _table(app).cursor_key == RIVER[19].event_id
        calls = len(service.calls_of("load_more"))
        await pilot.press("end")
        await settle(pilot)
        assert len(service.calls_of("load_more")) == calls


async def test_the_cursor_stays_on_its_event_when_the_order_changes() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(5, has_more=False)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the rows")
        await pilot.press("down", "down")
        view = service.lists[BY_VOLUME]
        service.lists[BY_VOLUME] = replace(view, rows=tuple(reversed(view.rows)))
        service.announce(BY_VOLUME)
        await until(pilot, lambda: _table(app).rows[0].key == RIVER[4].event_id, "the new order")
        assert _table(app).cursor_key == RIVER[2].event_id


async def test_loading_failing_and_empty_lists_say_so_and_name_the_key() -> None:
    service = FakeService()
    app = _app(service)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Loading events"), "the beginning")
        service.lists[BY_VOLUME] = MarketListView((), Load.FAILED, False, None, "no\x1b[31m route")
        service.announce(BY_VOLUME)
        await until(pilot, lambda: shows(app, "no route. r to retry"), "why")
        await pilot.press("r")
        assert service.calls_of("refresh") == [(BY_VOLUME,)]
        service.lists[BY_VOLUME] = MarketListView((), Load.READY, False, NOW)
        service.announce(BY_VOLUME)
        await until(pilot, lambda: shows(app, "No open events. g to change"), "the empty list")


async def test_an_old_list_says_its_age_and_what_went_wrong() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(3)
    service.stream(*(event.markets[0] for event in RIVER))
    app = _app(service)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: "updated now" in text_of(app, "#list-panel"), "the fresh list")
        service.at = NOW + timedelta(minutes=3)
        service.lists[BY_VOLUME] = replace(service.lists[BY_VOLUME], problem="timed out")
        service.announce(StatusTopic())
        await until(pilot, lambda: "3m ago" in text_of(app, "#list-panel"), "the age")
        assert "timed out (r)" in text_of(app, "#list-panel")


def _prices(app: ScreenApp) -> list[tuple[str, str]]:
    return [(row.cells[3].text, row.cells[4].text) for row in _table(app).rows]


def _is_live(row: Row) -> bool:
    return row.cells[3].role is Role.TEXT


async def test_rows_in_view_are_streamed_and_only_what_moved_is_painted() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(60, has_more=False)
    markets = [event.markets[0] for event in RIVER]
    service.stream(*markets)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any(map(_is_live, _table(app).rows)), "live prices")
        table = _table(app)
        in_view = {m.quoted_token for m in markets[: len(table.keys_in_view)]}
        (topic,) = (t for t in service.watched() if isinstance(t, RowQuotesTopic))
        assert set(topic.token_ids) == in_view
        assert all(age == "" for _, age in _prices(app))
        assert "age" not in _table(app).columns.in_view
        order, before = [row.key for row in table.rows], table.rows
        moved = replace(markets[1], best_bid=m("0.71"), best_ask=m("0.73"))
        service.stream(moved)
        service.announce(topic)
        await until(pilot, lambda: _prices(app)[1] == ("72.0¢", ""), "the price that moved")
        assert [row.key for row in table.rows] == order
        assert [n for n, row in enumerate(table.rows) if row is not before[n]] == [1]


async def test_scrolled_rows_give_way_to_those_that_came_into_view() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(60, has_more=False)
    service.stream(*(event.markets[0] for event in RIVER))
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "updated now" in text_of(app, "#list-panel"), "live prices")
        await pilot.press("end")
        await until(pilot, lambda: _is_live(_table(app).rows[-1]), "the last row")
        assert _table(app).rows[0].cells[3].role is Role.STALE
        assert "updated now" in text_of(app, "#list-panel")


async def test_a_row_whose_book_is_not_good_is_dimmed_and_as_old_as_its_list() -> None:
    service = FakeService(at=NOW + timedelta(minutes=3))
    view = _listing(3, has_more=False)
    rows = tuple(replace(row, as_of=NOW) for row in view.rows)
    service.lists[BY_VOLUME] = replace(view, rows=rows, as_of=NOW + timedelta(minutes=3))
    service.stream(*(event.markets[0] for event in RIVER[:3]))
    token_id = RIVER[0].markets[0].quoted_token
    assert token_id is not None
    service.books[token_id] = replace(service.books[token_id], state=BookState.STALE)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "2 of 3 live" in text_of(app, "#list-panel"), "the count")
        price, age = _table(app).rows[0].cells[3:5]
        assert (price.role, age.text, age.role) == (Role.STALE, "3m", Role.STALE)
        assert [age for _, age in _prices(app)] == ["3m", "", ""]
        await until(pilot, lambda: "age" in _table(app).columns.in_view, "a column for ages")


async def test_rows_that_have_just_come_into_view_are_not_called_stale() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(3, has_more=False)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "updated now" in text_of(app, "#list-panel"), "the list")
        await settle(pilot)
        assert "live" not in text_of(app, "#list-panel")


async def test_letters_in_the_search_line_are_text() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"qsfmpXr?", "slash")
        await until(pilot, lambda: SearchTopic("qsfmpXr?/") in service.watched(), "the search")
        assert isinstance(app.screen, MarketsScreen)
        assert app.is_running
        assert not service.calls_of("refresh")


async def test_tab_moves_in_the_results_and_the_next_letter_is_text_still() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(100, 20)) as pilot:
        screen = app.screen
        assert isinstance(screen, MarketsScreen)
        screen.start_search()
        await settle(pilot)
        await pilot.press("w", "i")
        await until(pilot, lambda: len(screen.query_one("#results", LineTable).rows) > 2, "rows")
        await settle(pilot)
        results = screen.query_one("#results", LineTable)
        first = results.cursor_key
        await pilot.press("tab")
        await until(pilot, lambda: results.cursor_key != first, "the next row")
        await pilot.press("shift+tab")
        await until(pilot, lambda: results.cursor_key == first, "the first row")
        await pilot.press("n")
        assert screen.search.value == "win"
        assert screen.search.has_focus


async def test_letters_that_arrive_with_the_search_key_are_text_too() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the list")
        for key in "/quit now":
            name = {"/": "slash", " ": "space"}.get(key, key)
            app.post_message(events.Key(name, key))
        await until(pilot, lambda: SearchTopic("quit now") in service.watched(), "the search")
        await pilot.press("escape", "down")
        await settle(pilot)
        assert app.screen.query_one(SearchInput).value == ""
        assert app.is_running


async def test_results_come_as_one_types_and_escape_restores_the_list() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the list")
        await pilot.press("down", "down", "down")
        before = _table(app).cursor_key
        await pilot.press("slash", "w")
        await until(pilot, lambda: shows(app, "43 results"), "local results")
        assert shows(app, "searching the server")
        await pilot.press("i")
        await until(pilot, lambda: shows(app, "9 results  server included"), "merged results")
        assert SearchTopic("w") not in service.watched()
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.chosen, "the choice")
        chosen = app.chosen[0]
        assert isinstance(chosen, MarketChosen)
        assert chosen.condition_id == service.searches["wi"].rows[1].market.condition_id
        await pilot.press("escape")
        await until(pilot, lambda: shows(app, "by volume 24h"), "the list's heading")
        assert _table(app).cursor_key == before
        assert service.watched() >= {BY_VOLUME}
        assert SearchTopic("wi") not in service.watched()


async def test_a_search_leaves_the_list_where_it_was_scrolled() -> None:
    service = FakeService()
    service.lists[BY_VOLUME] = _listing(60, has_more=False)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the list")
        for keys in (("end", "up", "up"), ("home", "down", "down")):
            await pilot.press(*keys)
            await settle(pilot)
            before = _table(app).keys_in_view
            await pilot.press("slash", "w")
            await until(pilot, lambda: shows(app, "RESULTS"), "the results")
            await settle(pilot)
            # Rows change while nobody sees them.
            view = service.lists[BY_VOLUME]
            rows = (*view.rows[:-1], replace(view.rows[-1], has_position=keys[0] == "end"))
            service.lists[BY_VOLUME] = replace(view, rows=rows)
            await pilot.press("escape")
            await until(pilot, lambda: shows(app, "by volume 24h"), "the list's heading")
            await settle(pilot)
            assert _table(app).keys_in_view == before


def _nothing() -> None:
    """A callback that nobody needs."""


def test_the_outcome_is_named_where_it_is_not_yes_for_all() -> None:
    outcome = [column.key for column in RESULT_COLUMNS].index("outcome")

    def row(key: str, label: str) -> Row:
        cells = [Cell("x") for _ in RESULT_COLUMNS]
        cells[outcome] = Cell(label)
        return Row(key, tuple(cells))

    columns = TableColumns(RESULT_COLUMNS, width=lambda: 120, marked=_nothing, chosen=_nothing)
    _ = columns.follow((row("1", "Yes"), row("2", "Yes")))
    assert "outcome" not in columns.in_view
    _ = columns.follow((row("1", "Yes"), row("2", "Up")))
    assert "outcome" in columns.in_view


async def test_who_comes_back_to_a_search_types_the_next_one() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the list")
        search = app.screen.query_one(SearchInput)
        # Before any text the key that opens the search is none either.
        await pilot.press("slash", "slash", "w", "i")
        await until(pilot, lambda: SearchTopic("wi") in service.watched(), "the search")
        await until(pilot, lambda: app.screen.query_one("#results", LineTable).rows, "results")
        await pilot.press("enter")
        await until(pilot, lambda: app.chosen, "the choice")
        assert search.value == "wi"
        # The rows have the keys: a letter is no text, and a row is a target of keys.
        assert app.focused is app.screen.query_one("#results", LineTable)
        await pilot.press("j")
        assert search.value == "wi"
        await pilot.press("slash")
        assert search.value == "wi"
        assert search.has_focus
        await pilot.press("f", "e")
        await until(pilot, lambda: SearchTopic("fe") in service.watched(), "the next search")
        await pilot.press("slash")
        assert search.value == "fe/"


async def test_service_results_never_move_the_row_under_the_cursor() -> None:
    service = believable_service()
    rows = believable.market_rows(*RIVER[:6])
    service.searches["g"] = SearchView("g", rows[:3], Load.LOADING, 60)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", "g", "down")
        results = _table(app, "results")
        await until(pilot, lambda: len(results.rows) == 3, "local results")
        service.searches["g"] = SearchView("g", (rows[5], rows[2], *rows[:2]), Load.READY, 60)
        service.announce(SearchTopic("g"))
        await until(pilot, lambda: len(results.rows) == 4, "merged results")
        wanted = [rows[0], rows[1], rows[2], rows[5]]
        assert [r.key for r in results.rows] == [r.market.market_id for r in wanted]
        assert results.cursor_key == rows[1].market.market_id


async def test_a_search_without_results_says_where_it_looked() -> None:
    service = FakeService()
    service.searches["zz"] = SearchView("zz", (), Load.FAILED, 12, problem="timed out")
    app = _app(service)
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("slash", "z", "z")
        await until(pilot, lambda: shows(app, "No matches in 12 cached markets"), "the text")
        assert shows(app, "the server's search failed: timed out")


async def test_the_filter_narrows_by_tag_and_takes_closed_events_in() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TagPicker), "the card")
        await pilot.press(*"cryp", "ctrl+o")
        await until(pilot, lambda: shows(app, "shown"), "the choice of closed events")
        await pilot.press("enter")
        wanted = MarketListTopic(tag_slug="crypto", include_closed=True)
        await until(pilot, lambda: wanted in service.watched(), "the narrowed list")
        assert "Crypto  closed included" in text_of(app, "#list-panel")
        await pilot.press("g", "escape")
        await settle(pilot)
        assert wanted in service.watched()


async def test_several_tags_leave_the_events_that_have_all_of_them() -> None:
    service = believable_service()
    both = next(e for e in RIVER if len(e.tags) > 1)
    first, second = both.tags[0], both.tags[1]
    wanted = MarketListTopic(tag_slug=first.slug)
    listed = [event for event in RIVER if first in event.tags]
    rows = tuple(believable.event_row(event) for event in listed)
    service.lists[wanted] = MarketListView(rows, Load.READY, False, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TagPicker), "the card")
        picker = app.screen
        assert isinstance(picker, TagPicker)
        for each in (first, second):
            _ = picker.table.move_cursor_to(each.slug)
            await pilot.press("ctrl+t")
        await pilot.press("enter")
        await until(pilot, lambda: wanted in service.watched(), "the list of the first tag")
        said = f"{first.label} + {second.label}"
        await until(pilot, lambda: said in text_of(app, "#list-panel"), "both names")
        kept = [event for event in listed if second in event.tags]
        assert [row.key for row in _table(app).rows] == [event.event_id for event in kept]
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TagPicker), "the card")
        await pilot.press("home", "enter")
        await until(pilot, lambda: "all tags" in text_of(app, "#list-panel"), "every tag again")


async def test_the_column_that_the_list_is_ordered_by_carries_the_mark() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Vol24h▾"), "by volume")
        await pilot.press("R")
        await until(pilot, lambda: shows(app, "Vol24h▴"), "the other way round")
        await pilot.press("S")
        await until(pilot, lambda: shows(app, "24h▾"), "by movers")
        assert shows(app, "Vol 24h")
        await pilot.press("S")
        await until(pilot, lambda: shows(app, "Spread▾"), "by spread")


async def test_hostile_titles_stay_in_their_line() -> None:
    service = FakeService()
    events = [believable.single(i, t) for i, t in enumerate(believable.HOSTILE_TITLES)]
    rows = tuple(believable.event_row(e) for e in events)
    service.lists[BY_VOLUME] = MarketListView(rows, Load.READY, False, NOW)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the rows")
        assert shows(app, "[/] [bold red]Will [R] vs [D]")
        assert is_tame(app)
        for _ in rows:
            await pilot.press("down")
        await survives_resizing(pilot, app, "two lines and a tab")


async def test_every_theme_and_no_colour_at_all_work(any_theme: str) -> None:
    app = _app(believable_service(), any_theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the list")
        await pilot.press("slash", "w")
        await until(pilot, lambda: shows(app, "43 results"), "the results")
        await pilot.press("escape", "g")
        await until(pilot, lambda: isinstance(app.screen, TagPicker), "the card")


async def test_ascii_terminals_get_ascii_only() -> None:
    app = ScreenApp(MarketsScreen(believable_service().surface(ascii_only=True)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the list")
        body = "\n".join(screen_lines(app)[1:18])
        odd = {c for c in body if not c.isascii()}
        assert odd <= set("▁▂▃▄▅▆▇█")  # Textual's own scrollbar


async def test_a_screen_that_is_too_small_says_so_until_it_is_not() -> None:
    service = FakeService()
    app = ScreenApp(MarketsScreen(service.surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        for width, height in ((20, 5), (39, 24), (80, 11), (40, 12), (80, 24)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            is_small = width < 40 or height < 12
            assert shows(app, f"{width}x{height} needs 40x12") is is_small, (width, height)


async def test_resizing_never_crashes() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await survives_resizing(pilot, app, "Harbour City")
        await pilot.press("slash", "w")
        await survives_resizing(pilot, app, "43 results")


async def test_rows_show_the_shape_of_their_day_where_there_is_room() -> None:
    service = believable_service()
    token = believable.election().markets[0].outcomes[0].token_id
    assert token is not None
    topic = HistoryTopic(token, Interval.DAY)
    points = tuple(
        PricePoint(NOW - timedelta(hours=23 - n), Micros(400_000 + 10_000 * n)) for n in range(24)
    )
    service.histories[token, Interval.DAY] = HistoryView(points, Interval.DAY, Load.READY, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: topic in service.watched(), "the day of the first row")
        service.announce(topic)
        await until(pilot, lambda: shows(app, "▄▄▅▅▆"), "its shape")
        # The column and its data come and go together, by room and by choice.
        columns = app.screen.query_one("#events", LineTable).columns

        async def agree() -> bool:
            await settle(pilot)
            is_shown = "day" in columns.in_view
            service.announce(BY_VOLUME)
            await until(pilot, lambda: (topic in service.watched()) is is_shown, "the day watched")
            service.announce(topic)
            await until(pilot, lambda: shows(app, "▄▄▅▅▆") is is_shown, "the day shown")
            return is_shown

        agreed = set()
        for width in (92, 98, 104, 120):
            await pilot.resize_terminal(width, 36)
            agreed.add(await agree())
        assert agreed == {True, False}
        columns.hide(("day",))
        assert not await agree()


async def test_a_change_that_the_venue_does_not_tell_is_that_of_the_days_history() -> None:
    service = believable_service()
    row = service.lists[BY_VOLUME].rows[0]
    assert row.leading is not None
    quiet = replace(row.leading, day_change=None)
    event = replace(row.event, markets=(quiet,))
    token_id = quiet.quoted_token
    assert token_id is not None
    service.lists[BY_VOLUME] = replace(
        service.lists[BY_VOLUME], rows=(replace(row, event=event, leading_place=0),)
    )
    service.stream(quiet)
    bids, asks = (Level(Micros(500_000), ONE),), (Level(Micros(520_000), ONE),)
    service.books[token_id] = BookView(token_id, BookState.LIVE, bids=bids, asks=asks)
    points = (
        PricePoint(NOW - timedelta(hours=23, minutes=50), Micros(450_000)),
        PricePoint(NOW - timedelta(hours=1), Micros(490_000)),
    )
    service.histories[token_id, Interval.DAY] = HistoryView(points, Interval.DAY, Load.READY, NOW)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "+6.0¢"), "the change of the day")


def test_a_history_that_began_later_tells_no_change_of_a_day() -> None:
    young = (PricePoint(NOW - timedelta(hours=3), Micros(450_000)),)
    assert price_a_day_ago(young, NOW) is None
    assert price_a_day_ago((), NOW) is None
    assert price_a_day_ago((PricePoint(NOW - timedelta(days=1), Micros(1)),), NOW) == 1
    # It is where the chart of the day begins, also where the history reaches further back.
    hours = (30, 25, 24, 23, 1)
    points = tuple(PricePoint(NOW - timedelta(hours=h), Micros(h)) for h in hours)
    for known in (points, points[:2], points[2:], points[3:]):
        drawn = price_line(known, (), Interval.DAY, now=NOW).points[0]
        assert price_a_day_ago(known, NOW) == drawn.price


def test_the_sign_of_a_wide_spread_shifts_no_number() -> None:
    distances = (10_000, 4_900, 50_000, 128_500, 990_000)
    cells = [paint_marked_spread(Micros(distance), Role.DIM) for distance in distances]
    assert [cell.text for cell in cells] == ["1.0¢ ", "0.49¢ ", "5.0¢!", "12.8¢!", "99.0¢!"]
    assert all(len(cell.text) <= PRICE_WIDTH for cell in cells)
    assert paint_marked_spread(None, Role.DIM).text == "– "
