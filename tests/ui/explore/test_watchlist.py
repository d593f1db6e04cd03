"""The watchlist's screen, its form, and the star everywhere else."""

from dataclasses import replace
from datetime import timedelta

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.alerts import (
    AlertId,
    AlertPlan,
    AlertSide,
    AlertState,
    PriceAlert,
)
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import (
    key_of_event,
    key_of_market,
    snapshot_event,
    snapshot_market,
)
from pmtui.service.topics import AlertTopic, MarketListTopic, StatusTopic, WatchlistTopic
from pmtui.service.views import AlertRow, Load, QuoteRow, WatchlistView, WatchRow
from pmtui.ui.app import PmtuiApp
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.alert_form import AlertForm
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import EventChosen, MarketChosen, show_answer
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.search_input import SearchInput
from tests.scenes.watched import watchlist_of
from tests.scenes.world import make_world
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import (
    listens_only_in_front,
    screen_lines,
    shows,
    survives_resizing,
    text_of,
)
from tests.ui.wait import settle, until

m = believable.micros
ELECTION = believable.election()
RIVER = believable.single(71, "Will the river gauge pass two metres?", price=0.305).markets[0]
assert RIVER.condition_id is not None
RIVER_ID = RIVER.condition_id
RIVER_KEY = key_of_market(RIVER_ID)


def quote(market: Market, *, is_live: bool = True, age_s: float = 0) -> QuoteRow:
    assert market.condition_id is not None
    as_of = NOW - timedelta(seconds=age_s)
    return QuoteRow(market.condition_id, m(0.30), m(0.31), m(0.30), as_of, is_live, m(120.5))


def alert(
    name: str = "a1",
    *,
    price: float = 0.45,
    side: AlertSide = AlertSide.ABOVE,
    state: AlertState = AlertState.WAITING,
) -> PriceAlert:
    has_rung = state is AlertState.RANG
    return PriceAlert(
        AlertId(name), AlertPlan(RIVER_ID, RIVER.token_ids[0], side, m(price)), "Yes",
        RIVER.question, NOW - timedelta(minutes=9), state,
        rang_at=NOW - timedelta(minutes=3) if has_rung else None,
        rang_price=m(0.46) if has_rung else None,
    )  # fmt: skip


def alert_row(each: PriceAlert, book: BookState = BookState.VERIFIED) -> AlertRow:
    return AlertRow(each, book, m(0.30), m(0.31))


EVENT_ROW = WatchRow(
    key_of_event(ELECTION), ELECTION.title, True, snapshot_event(ELECTION, NOW),
    quote(ELECTION.markets[0]),
)  # fmt: skip
RIVER_ROW = WatchRow(RIVER_KEY, RIVER.question, True, snapshot_market(RIVER, NOW), quote(RIVER))


def service_with(*rows: WatchRow, **changes: object) -> FakeService:
    service = FakeService()
    view = WatchlistView(rows, Load.READY, NOW)
    service.watchlist_view = replace(view, **changes)  # type: ignore[arg-type]  # a test names what differs
    return service


def app_with(service: FakeService, *, ascii_only: bool = False) -> ScreenApp:
    return ScreenApp(WatchlistScreen(service.surface(ascii_only=ascii_only)))


def row_of(app: ScreenApp, words: str) -> str:
    return next((line for line in screen_lines(app)[2:-4] if words in line), "")


def noticed(app: ScreenApp) -> str:
    return text_of(app, "#notice")


async def test_the_essentials_are_there_at_80_by_24() -> None:
    app = app_with(service_with(EVENT_ROW, RIVER_ROW))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the market")
        for essential in ("★", "30.0¢", "31.0¢", "30.5¢", "120.5 Yes"):
            assert essential in row_of(app, "Will the river")
        assert "12d 5h" in row_of(app, "Harbour City")
        assert "WATCHLIST  2 starred" in text_of(app, "#list-panel")
        assert "updated now" in text_of(app, "#list-panel")
        assert "prices of Ilse Maro" in text_of(app, "#details")
        assert "spread 1.0¢" in text_of(app, "#details")
        assert "volume $" in text_of(app, "#details")
        assert shows(app, "A Alert")


@pytest.mark.parametrize("size", [(120, 36), (200, 50)])
async def test_wide_screens_show_more_columns(size: tuple[int, int]) -> None:
    app = app_with(service_with(EVENT_ROW, RIVER_ROW))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the market")
        assert all(shows(app, title) for title in ("Spread", "Volume", "Outcome"))


async def test_it_survives_resizing_and_listens_only_in_front() -> None:
    app = app_with(service_with(EVENT_ROW, RIVER_ROW))
    async with app.run_test(size=(80, 24)) as pilot:
        await survives_resizing(pilot, app, "Will the river")
    service = service_with(RIVER_ROW)
    await listens_only_in_front(service, WatchlistScreen(service.surface()), {WatchlistTopic()})


async def test_a_price_that_is_not_live_says_how_old_it_is() -> None:
    old = replace(
        RIVER_ROW, quote=quote(RIVER, is_live=False, age_s=125),
        seen=snapshot_market(RIVER, NOW - timedelta(seconds=125)),
    )  # fmt: skip
    view = {"load": Load.FAILED, "problem": "no answer", "as_of": None}
    app = app_with(service_with(old, **view))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "2m old" in row_of(app, "Will the river"), "its age")
        assert "last seen 2m ago" in text_of(app, "#details")
        assert "not fetched: no answer (r)" in text_of(app, "#list-panel")
        await pilot.press("r")
        await until(pilot, lambda: shows(app, "Will"), "still there")


async def test_a_star_nobody_ever_heard_of_is_listed_all_the_same() -> None:
    app = app_with(service_with(WatchRow(RIVER_KEY, "As starred", True, None)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "waiting" in row_of(app, "As starred"), "the row")
        assert "Not loaded yet" in text_of(app, "#details")
        await pilot.press("A")
        await until(pilot, lambda: "No market here" in noticed(app), "why not")


async def test_a_closed_market_shows_how_it_ended() -> None:
    won = tuple(replace(o, price=m(1.0 if i == 0 else 0.0)) for i, o in enumerate(RIVER.outcomes))
    closed = replace(RIVER, closed=True, outcomes=won)
    row = replace(RIVER_ROW, seen=snapshot_market(closed, NOW), quote=quote(closed, is_live=False))
    app = app_with(service_with(row))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "→ Yes" in row_of(app, "Will the river"), "the end")
        assert "closed" in row_of(app, "Will the river")
        assert "100.0¢" in row_of(app, "Will the river")


async def test_an_empty_list_says_what_to_do() -> None:
    app = app_with(service_with())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Nothing starred. * stars the row"), "the hint")
        await pilot.press("A")
        await until(pilot, lambda: "* stars one" in noticed(app), "the hint again")
        await pilot.press("x", "enter", "y")
        assert app.chosen == []


async def test_the_sign_of_a_star_is_there_in_plain_ascii_too() -> None:
    app = app_with(service_with(RIVER_ROW), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the market")
        assert "* Will the river" in row_of(app, "Will the river")
        assert all(line.isascii() for line in screen_lines(app))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"unstreamed": 1}, "Only 40 books are streamed: 1 row below them shows listed prices."),
        ({"unstreamed": 7}, "Only 40 books are streamed: 7 rows below them show listed prices."),
        ({"kept_problem": "The watchlist cannot be read"}, "The watchlist cannot be read"),
    ],
)
async def test_what_one_would_not_expect_is_said(changes: dict[str, object], said: str) -> None:
    app = app_with(service_with(RIVER_ROW, **changes))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, said), said)


async def test_enter_opens_what_is_under_the_cursor() -> None:
    app = app_with(service_with(EVENT_ROW, replace(RIVER_ROW, alerts=(alert_row(alert()),))))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the market")
        await pilot.press("enter", "down", "enter", "down", "enter")
        await settle(pilot)
        assert app.chosen == [
            EventChosen(ELECTION.event_id), MarketChosen(RIVER_ID), MarketChosen(RIVER_ID),
        ]  # fmt: skip


# --- price alerts


async def test_alerts_stand_below_their_market_and_say_what_they_wait_for() -> None:
    alerts = (
        alert_row(alert("a1")),
        alert_row(alert("a2", price=0.2, side=AlertSide.BELOW), BookState.STALE),
        alert_row(alert("a3", price=0.44, state=AlertState.RANG)),
        alert_row(alert("a4", price=0.43, state=AlertState.OVER)),
    )
    app = app_with(service_with(replace(RIVER_ROW, alerts=alerts)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Yes bid ≥ 45¢"), "the alert")
        assert "set" in row_of(app, "Yes bid ≥ 45¢")
        assert "stale" in row_of(app, "Yes ask ≤ 20¢")
        assert "RANG" in row_of(app, "Yes bid ≥ 44¢")
        assert "ended" in row_of(app, "Yes bid ≥ 43¢")
        assert "1 alert rang  2 alerts set" in text_of(app, "#list-panel")
        assert "Alerts need pmtui or its service running" in text_of(app, "#note")
        said = (
            "rings once at bid 45¢ or higher",
            "book stale, the alert cannot ring",
            "rang 3m ago, bid 46¢, bid ≥ 44¢",
            "the alert is off",
        )
        for words in said:
            await pilot.press("down")
            await until(pilot, lambda words=words: words in text_of(app, "#details"), words)  # type: ignore[misc]  # bound now


async def test_an_alert_is_set_from_the_list() -> None:
    service = service_with(RIVER_ROW)
    token = RIVER.token_ids[0]
    service.books[token] = BookView(
        token, BookState.VERIFIED, (Level(m(0.30), m(9)),), (Level(m(0.31), m(9)),)
    )
    app = app_with(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the market")
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, AlertForm), "the form")
        await until(pilot, lambda: shows(app, "30 / 31"), "the best prices")
        assert shows(app, "Price alert on Yes")
        assert shows(app, "Alerts need pmtui or its service running")
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "Enter a price above"), "what is missing")
        await pilot.press(*"45", "tab", "up")
        await until(pilot, lambda: shows(app, "32"), "a step up from the best ask")
        service.alert_problem = "The best ask is 31¢ already"
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "The best ask is 31¢ already"), "why not")
        service.alert_problem = ""
        await pilot.press("backspace", "backspace", *"25", "enter")
        await until(pilot, lambda: isinstance(app.screen, WatchlistScreen), "the list again")
        plans = [plan for (plan,) in service.calls_of("add_alert")]
        assert plans[-2:] == [
            AlertPlan(RIVER_ID, token, AlertSide.ABOVE, m(0.45)),
            AlertPlan(RIVER_ID, token, AlertSide.BELOW, m(0.25)),
        ]
        assert "Price alert set on Yes: bid ≥ 45¢, ask ≤ 25¢" in noticed(app)
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, AlertForm), "the form")
        await pilot.press("tab", "tab", *"move 3 10m", "enter")
        await until(pilot, lambda: isinstance(app.screen, WatchlistScreen), "the list again")
        waits = AlertPlan(RIVER_ID, token, AlertSide.ABOVE, m(0), condition="move 3 10m")
        assert service.calls_of("add_alert")[-1] == (waits,)


async def test_the_form_lists_what_waits_already_and_can_be_left() -> None:
    waiting = tuple(alert_row(alert(f"a{n}", price=0.5 + n / 100)) for n in range(7))
    service = service_with(replace(RIVER_ROW, alerts=waiting))
    app = app_with(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Yes bid ≥ 50¢"), "the alert")
        await pilot.press("down", "A")
        await until(pilot, lambda: shows(app, "Set: bid ≥ 50¢"), "what waits")
        assert shows(app, "and 3 more")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, WatchlistScreen), "the list again")
        assert not service.calls_of("add_alert")


async def test_the_alert_at_the_cursor_is_removed() -> None:
    service = service_with(replace(RIVER_ROW, alerts=(alert_row(alert("a1")),)))
    app = app_with(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row_of(app, "Yes bid ≥ 45¢"), "the alert")
        await pilot.press("x")
        await until(pilot, lambda: "No alert at the cursor" in noticed(app), "why not")
        await pilot.press("down", "x")
        await settle(pilot)
        assert service.calls_of("remove_alert") == [("a1",)]
        assert "Alert removed." in noticed(app)


# --- the star and the bell, in the whole application


class RingingApp(PmtuiApp):
    """Counts the bells: without a terminal none is heard."""

    bells = 0

    @override
    def bell(self) -> None:
        self.bells += 1


def whole(service: FakeService) -> RingingApp:
    return RingingApp(service.surface(), themes=load_themes()[0])


async def starts(pilot: Pilot[None], app: PmtuiApp) -> None:
    await until(pilot, lambda: shows(app, "Harbour City"), "the list")


async def test_w_opens_the_list_and_the_star_key_stars_and_unstars() -> None:
    service = believable_service()
    app = whole(service)
    event = service.lists[MarketListTopic()].rows[0].event
    async with app.run_test(size=(80, 24)) as pilot:
        await starts(pilot, app)
        await pilot.press("asterisk")
        await until(pilot, lambda: service.calls_of("star"), "the star")
        assert service.calls_of("star") == [(key_of_event(event), event.title)]
        service.watchlist_view = WatchlistView((EVENT_ROW,), Load.READY, NOW)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WatchlistScreen), "the watchlist")
        await pilot.press("asterisk")
        await until(pilot, lambda: service.calls_of("unstar"), "no star")
        assert service.calls_of("unstar") == [(EVENT_ROW.key,)]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "back")


async def test_a_star_on_the_trading_screen_is_told_on_a_line_and_covers_nothing() -> None:
    service = believable_service()
    app = whole(service)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await starts(pilot, app)
        assert RIVER_ID is not None
        app.navigation.go(MarketChosen(RIVER_ID))
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        await settle(pilot)
        await pilot.press("asterisk")
        await until(pilot, lambda: "Starred" in text_of(app, "#notice"), "it is told")
        assert not app._notifications
        show_answer(app, "No working orders.")
        assert "No working orders" in text_of(app, "#notice")
        assert not app._notifications


async def test_what_cannot_be_starred_is_said() -> None:
    service = FakeService(star_problem="200 are starred")
    app = whole(service)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: shows(app, "Loading events"), "the list on its way")
        await pilot.press("asterisk")
        await until(pilot, lambda: shows(app, "Nothing to star here"), "nothing there")
        assert not service.calls_of("star")
    service = believable_service()
    service.star_problem = "200 are starred"
    app = whole(service)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await starts(pilot, app)
        await pilot.press("asterisk")
        await until(pilot, lambda: shows(app, "200 are starred"), "why not")


async def test_a_search_result_is_starred_while_one_types() -> None:
    service = believable_service()
    app = whole(service)
    found = service.searches["wi"].rows
    async with app.run_test(size=(80, 24)) as pilot:
        await starts(pilot, app)
        await pilot.press("slash", *"wi", "down", "asterisk")
        await until(pilot, lambda: service.calls_of("star"), "the star")
        condition_id = found[1].market.condition_id
        assert condition_id is not None
        ((key, _),) = service.calls_of("star")
        assert key == key_of_market(condition_id)
        assert app.screen.query_one(SearchInput).value == "wi"


async def test_starred_rows_carry_the_sign() -> None:
    service = believable_service()
    listed = service.lists[MarketListTopic()]
    rows = (replace(listed.rows[0], is_starred=True), *listed.rows[1:])
    service.lists[MarketListTopic()] = replace(listed, rows=rows)
    found = service.searches["wi"]
    marked = replace(found, rows=(replace(found.rows[0], is_starred=True), *found.rows[1:]))
    service.searches["wi"] = marked
    app = ScreenApp(MarketsScreen(service.surface(ascii_only=True)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "o* "), "the sign, beside that of a holding")
        await pilot.press("slash", *"wi")
        await until(pilot, lambda: shows(app, "* Will"), "the sign in the results")


async def test_an_event_stars_its_outcomes_and_itself() -> None:
    service = believable_service()
    view = service.events[ELECTION.event_id]
    first = ELECTION.markets[0]
    service.events[ELECTION.event_id] = replace(view, starred=frozenset({first.market_id}))
    app = whole(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await starts(pilot, app)
        app.navigation.go(EventChosen(ELECTION.event_id))
        await until(pilot, lambda: shows(app, "★ Ilse Maro"), "the sign")
        assert isinstance(app.screen, EventScreen)
        await pilot.press("asterisk", "E")
        await until(pilot, lambda: len(service.calls_of("star")) == 2, "both stars")
        assert first.condition_id is not None
        keys = [call[0] for call in service.calls_of("star")]
        assert keys == [key_of_market(first.condition_id), key_of_event(ELECTION)]
        service.watchlist_view = WatchlistView((EVENT_ROW,), Load.READY, NOW)
        await pilot.press("E")
        await until(pilot, lambda: service.calls_of("unstar"), "no star")


async def test_a_market_stars_itself_and_waits_for_its_price() -> None:
    service = believable_service()
    market = ELECTION.markets[0]
    assert market.condition_id is not None
    shown = service.markets[market.condition_id]
    service.markets[market.condition_id] = replace(shown, is_starred=True)
    app = whole(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await starts(pilot, app)
        app.navigation.go(MarketChosen(market.condition_id))
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        await until(pilot, lambda: shows(app, f"★ {market.question[:20]}"), "the sign")
        await pilot.press("asterisk")
        await until(pilot, lambda: service.calls_of("star"), "the star")
        assert service.calls_of("star") == [(key_of_market(market.condition_id), market.question)]
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, AlertForm), "the form")
        await pilot.press(*"60", "enter")
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market again")
        ((plan,),) = service.calls_of("add_alert")
        assert plan == AlertPlan(market.condition_id, market.token_ids[0], AlertSide.ABOVE, m(0.60))


async def test_the_bell_rings_once_for_an_alert_wherever_one_is() -> None:
    service = believable_service()
    app = whole(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await starts(pilot, app)
        await pilot.press("l")
        service.announce(AlertTopic())
        await settle(pilot)
        assert app.bells == 0
        service.fired = 1
        service.announce(AlertTopic())
        await until(pilot, lambda: app.bells == 1, "the bell")
        service.announce(AlertTopic(), StatusTopic())
        await settle(pilot)
        assert app.bells == 1


async def test_the_palette_shows_titles_that_look_like_markup_as_they_are() -> None:
    titles = ("[BTC] above 100k?", "[P=NP|Q]", "[$a @click=app.quit]", "[/] 100k [b", "[1] 100k[[")
    service = believable_service()
    rows = tuple(replace(RIVER_ROW, title=title) for title in titles)
    service.watchlist_view = WatchlistView(rows, Load.READY, NOW)
    app = whole(service)
    async with app.run_test(size=(120, 45)) as pilot:
        await starts(pilot, app)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: all(shows(app, f"★ {t}") for t in titles), "every title")


async def test_the_palette_opens_what_is_starred() -> None:
    service = believable_service()
    hostile = replace(RIVER_ROW, title="[bold]River[/] \x1b[31mgauge")
    unstarred = replace(
        RIVER_ROW, key=key_of_market(RIVER_ID), title="Alert only", is_starred=False
    )
    service.watchlist_view = WatchlistView((EVENT_ROW, hostile, unstarred), Load.READY, NOW)
    app = whole(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await starts(pilot, app)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press(*"gauge")
        await until(pilot, lambda: shows(app, "★ [bold]River[/] gauge"), "the harmless title")
        assert not shows(app, "Alert only")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        assert isinstance(app.screen, MarketScreen)
        assert app.screen.reader.condition_id == RIVER_ID
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press(*"harbour city")
        await until(pilot, lambda: shows(app, f"★ {EVENT_ROW.title}"), "the event")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EventScreen), "the event")


async def test_a_wide_list_has_what_the_cursor_is_at_beside_it() -> None:
    world = make_world()
    world.service.watchlist_view = watchlist_of(world)
    app = PmtuiApp(world.service.surface(), themes=load_themes()[0], theme="harbour")
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: shows(app, "EVENT"), "the event beside the list")
        assert shows(app, "Tomas Oyelaran")
        await pilot.press("down")
        await until(pilot, lambda: shows(app, "MARKET"), "the market beside the list")
        row = next(line for line in screen_lines(app) if "MARKET" in line and "WATCHLIST" in line)
        assert "Yes 63.5¢" in row
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: not shows(app, "MARKET"), "no room")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_names_are_aligned_whether_starred_or_not(size: tuple[int, int]) -> None:
    unstarred = replace(RIVER_ROW, is_starred=False)
    app = app_with(service_with(EVENT_ROW, unstarred))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: row_of(app, "Will the river"), "the rows")
        starred, other = row_of(app, "★"), row_of(app, "Will the river")
        assert "★ Harbour" in starred
        assert "★" not in other
        assert starred.index("Harbour") == other.index("Will the river")


@pytest.mark.parametrize("unstreamed", [0, 1])
async def test_rows_whose_books_are_loading_are_not_stale_unlike_those_without_a_stream(
    unstreamed: int,
) -> None:
    assert RIVER_ROW.quote is not None
    loading = replace(RIVER_ROW, quote=replace(RIVER_ROW.quote, is_live=False, is_loading=True))
    app = app_with(service_with(EVENT_ROW, loading, unstreamed=unstreamed))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: row_of(app, RIVER.question[:12]), "the rows")
        assert shows(app, "1 of 2 live" if unstreamed else "updated now")
