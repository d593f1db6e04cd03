from dataclasses import replace
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import EventId, MarketId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import NO_FEE, Event
from pmtui.domain.money import Micros
from pmtui.service.topics import EventQuotesTopic, EventTopic, HistoryTopic, MarketTopic, Topic
from pmtui.service.views import EventQuotesView, EventView, HistoryView, Load, MarketView
from pmtui.ui.cells import Emphasis
from pmtui.ui.charts.overlay import MOST_CURVES, OverlayPane
from pmtui.ui.event.event import EventScreen
from pmtui.ui.event.outcome_order import by_price
from pmtui.ui.explore.reading import CommentsScreen, HoldersScreen, RulesScreen
from pmtui.ui.facts import PRICE_WIDTH, paint_mid
from pmtui.ui.frame import MarketChosen
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets import drawn_pane
from pmtui.ui.widgets.line_table import LineTable
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import (
    is_tame,
    listens_only_in_front,
    screen_lines,
    shows,
    survives_resizing,
    text_of,
)
from tests.ui.moving_market import history
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

ELECTION = believable.election()


def _service(subject: Event = ELECTION, *, live: int = 3) -> FakeService:
    service = FakeService()
    service.events[subject.event_id] = EventView(
        subject, Load.READY, NOW, comments=believable.comments()
    )
    service.quotes[subject.event_id] = believable.quotes(subject, live=live)
    for market in subject.markets:
        assert market.condition_id is not None
        service.markets[market.condition_id] = MarketView(
            market, None, Load.READY, NOW, holders=believable.holders(market)
        )
    return service


def _app(
    service: FakeService, event_id: EventId = ELECTION.event_id, theme: str = "harbour"
) -> ScreenApp:
    return ScreenApp(EventScreen(service.surface(), event_id), theme=theme)


def _row(app: ScreenApp, name: str) -> str:
    return next((line for line in screen_lines(app)[3:-3] if name in line), "")


async def test_every_outcome_has_its_prices_and_own_shares_at_80_by_24() -> None:
    app = _app(_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the first outcome")
        for essential in ("45.5¢", "46.5¢", "46.0¢", "+2.1¢", "$4.3M", "120.5 Yes"):
            assert essential in _row(app, "Ilse Maro")
        assert "40 No" in _row(app, "Tomás Rivela")
        assert "12d 5h left" in text_of(app, "#head")
        assert "3 of 4 live" in text_of(app, "#head")
        assert shows(app, "i Rules")


async def test_outcomes_whose_books_are_loading_are_not_stale() -> None:
    service = _service()
    quotes = service.quotes[ELECTION.event_id]
    rows = tuple(replace(row, is_loading=not row.is_live) for row in quotes.rows)
    service.quotes[ELECTION.event_id] = EventQuotesView(rows)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the first outcome")
        assert "of 4 live" not in text_of(app, "#head")
        assert "updated now" in text_of(app, "#head")


async def test_listed_quotes_read_differently_from_live_ones() -> None:
    service = _service(live=1)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the live one")
        assert "<1m old" in _row(app, "Ngozi Ade")
        assert "→ No" in _row(app, "Bo Lund")
        service.at = NOW + timedelta(minutes=2)
        service.announce(EventQuotesTopic(ELECTION.event_id))
        await until(pilot, lambda: "2m old" in _row(app, "Ngozi Ade"), "its age")
        # What is live needs no word.
        assert "old" not in _row(app, "Ilse Maro")


async def test_a_quote_that_moves_is_shown_without_a_key() -> None:
    service = _service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "45.5¢" in _row(app, "Ilse Maro"), "the first quote")
        rows = service.quotes[ELECTION.event_id].rows
        moved = replace(rows[0], best_bid=believable.micros(0.461))
        service.quotes[ELECTION.event_id] = EventQuotesView((moved, *rows[1:]))
        service.announce(EventQuotesTopic(ELECTION.event_id))
        await until(pilot, lambda: "46.1¢" in _row(app, "Ilse Maro"), "the new bid")


def _with_quotes(service: FakeService, *pairs: tuple[int | None, int | None]) -> None:
    """Let the open outcomes have these bids and asks, in tenths of a cent."""
    rows = service.quotes[ELECTION.event_id].rows
    quoted = [
        replace(
            row, best_bid=None if bid is None else Micros(bid * 1_000),
            best_ask=None if ask is None else Micros(ask * 1_000), is_live=True,
        )
        for row, (bid, ask) in zip(rows, pairs, strict=False)
    ]  # fmt: skip
    service.quotes[ELECTION.event_id] = EventQuotesView(tuple(quoted))


def _without_fees(event: Event) -> Event:
    return replace(event, markets=tuple(replace(m, fee=NO_FEE) for m in event.markets))


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (
            ((396, 398), (387, 388), (106, 108), (102, 104)),
            ("sum bid 99.1¢", "sum ask 99.8¢", "buy set +0.2¢"),
        ),
        (((396, 408), (387, 398), (106, 118), (112, 114)), ("sell set +0.1¢", "buy set -3.8¢")),
        (((396, 398), (387, None), (106, 108), (102, 104)), ("sum ask –", "sell set -0.9¢")),
    ],
)
async def test_the_sums_of_bids_and_asks_say_what_all_outcomes_bring(
    pairs: tuple[tuple[int, int | None], ...], said: tuple[str, ...]
) -> None:
    service = _service(_without_fees(ELECTION))
    _with_quotes(service, *pairs)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: said[0] in text_of(app, "#outcomes-panel"), said[0])
        for words in said:
            assert words in text_of(app, "#outcomes-panel")


async def test_a_paused_outcome_is_named_where_the_set_is_priced() -> None:
    first, second, *rest = _without_fees(ELECTION).markets
    paused = replace(ELECTION, markets=(first, replace(second, accepting_orders=False), *rest))
    service = _service(paused)
    _with_quotes(service, (396, 398), (387, 388), (106, 108), (102, 104))
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        said = f"PAUSED {second.title}: no whole set"
        await until(pilot, lambda: said in text_of(app, "#outcomes-panel"), said)
        assert "buy set" not in text_of(app, "#outcomes-panel")
        assert "paused" in _row(app, second.title)


async def test_chances_stand_as_bars_that_compare_outcomes() -> None:
    app = _app(_service())
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "▄" in _row(app, "Ilse Maro"), "the bar")
        names = [market.title for market in sorted(ELECTION.markets, key=by_price)]
        lengths = [_row(app, name).count("▄") for name in names]
        assert lengths[:3] == sorted(lengths[:3], reverse=True)


async def test_independent_markets_are_called_so() -> None:
    games = believable.event_list()[2]
    app = _app(_service(games), games.event_id)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(
            pilot, lambda: "Independent markets" in text_of(app, "#outcomes-panel"), "the meaning"
        )


async def test_topics_are_dropped_while_another_screen_is_in_front() -> None:
    service = _service()
    topics: set[Topic] = {EventTopic(ELECTION.event_id), EventQuotesTopic(ELECTION.event_id)}
    await listens_only_in_front(
        service, EventScreen(service.surface(), ELECTION.event_id), topics
    )  # fmt: skip


async def test_enter_opens_the_market_at_the_cursor() -> None:
    app = _app(_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the rows")
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.chosen, "the choice")
        chosen = app.chosen[0]
        assert isinstance(chosen, MarketChosen)
        assert chosen.condition_id == ELECTION.markets[1].condition_id


async def test_rules_comments_and_holders_open_and_close() -> None:
    service = _service()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the rows")
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen), "the rules")
        await until(pilot, lambda: shows(app, "resolves to Yes if"), "the market's rules")
        assert shows(app, "https://example.org/results")
        assert shows(app, f"RULES AND RESOLUTION  {ELECTION.title[:20]}")
        assert EventTopic(ELECTION.event_id) in service.watched()
        await pilot.press("escape", "c")
        await until(pilot, lambda: isinstance(app.screen, CommentsScreen), "the comments")
        await until(pilot, lambda: shows(app, "tide_reader  3h ago  4 likes"), "a comment")
        assert shows(app, "    [b]loud[/b]  9m ago")
        assert shows(app, "    Polls [/] lie !")
        await pilot.press("escape", "down", "h")
        await until(pilot, lambda: isinstance(app.screen, HoldersScreen), "the holders")
        second = ELECTION.markets[1].condition_id
        assert second is not None
        await until(pilot, lambda: MarketTopic(second) in service.watched(), "its market")
        await until(pilot, lambda: shows(app, "harbour-seal"), "a holder")
        assert shows(app, "81,200  ▄▄")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EventScreen), "the event")
        assert app.screen.query_one(LineTable).cursor_key == ELECTION.markets[1].market_id


async def test_long_rules_scroll_and_wrap_in_every_width() -> None:
    market = replace(ELECTION.markets[0], description="a long sentence of rules. " * 200 + "END")
    subject = replace(ELECTION, markets=(market, *ELECTION.markets[1:]), description="")
    app = _app(_service(subject))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the rows")
        await pilot.press("i")
        await until(pilot, lambda: shows(app, "a long sentence"), "the rules")
        assert not shows(app, "END")
        await pilot.press("end")
        await until(pilot, lambda: shows(app, "END"), "the end")
        await pilot.press("home")
        await survives_resizing(pilot, app, "a long sentence")


async def test_a_failed_event_says_so_and_names_the_key() -> None:
    service = FakeService()
    app = _app(service)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Loading the event"), "the beginning")
        service.events[ELECTION.event_id] = EventView(None, Load.FAILED, None, "no route")
        service.announce(EventTopic(ELECTION.event_id))
        await until(pilot, lambda: shows(app, "no route. r to retry"), "why")
        await pilot.press("r")
        assert (EventTopic(ELECTION.event_id),) in service.calls_of("refresh")


async def test_hostile_titles_stay_in_their_line() -> None:
    markets = tuple(
        believable.market(i, t, group_title=t) for i, t in enumerate(believable.HOSTILE_TITLES)
    )
    subject = believable.event(5, believable.HOSTILE_TITLES[0], markets)
    app = _app(_service(subject), subject.event_id)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "two lines and a tab"), "a tamed title")
        for key in ("i", "escape", "c", "escape", "h", "escape"):
            await pilot.press(key)
            await settle(pilot)
            assert is_tame(app)
        await survives_resizing(pilot, app, "[/] [bold red]Will [R]")


async def test_every_theme_and_no_colour_at_all_work(any_theme: str) -> None:
    app = _app(_service(), theme=any_theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Ilse Maro"), "the rows")
        await pilot.press("i")
        await until(pilot, lambda: shows(app, "Resolution source"), "the rules")


@given(*[st.none() | st.integers(0, 1_000_000).map(Micros)] * 2)
def test_a_mid_of_one_side_alone_has_a_sign_and_fits(
    bid: Micros | None, ask: Micros | None
) -> None:
    text = paint_mid(bid, ask, Role.TEXT).text
    assert len(text) <= PRICE_WIDTH
    assert text.startswith("~") is ((bid is None) is not (ask is None))


async def test_a_row_says_that_it_counts_an_empty_side() -> None:
    service = _service()
    view = service.quotes[ELECTION.event_id]
    first = replace(view.rows[0], best_bid=None, best_ask=Micros(22_000))
    service.quotes[ELECTION.event_id] = EventQuotesView((first, *view.rows[1:]))
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "~1.1¢" in _row(app, "Ilse Maro"), "the mid")
        assert "no bid, counted as 0¢" in text_of(app, "#details")


def test_open_outcomes_come_first_and_the_likelier_ones_before_the_others() -> None:
    prices = {"a": 100_000, "b": 600_000, "c": 300_000}
    base = believable.market(1, "One of them")
    markets = [
        replace(
            base, market_id=MarketId(name), closed=name == "b",
            outcomes=(replace(base.outcomes[0], price=Micros(price)), base.outcomes[1]),
        )
        for name, price in prices.items()
    ]  # fmt: skip
    assert [m.market_id for m in sorted(markets, key=by_price)] == ["c", "a", "b"]


def _with_histories(service: FakeService) -> FakeService:
    for n, market in enumerate(ELECTION.markets):
        token_id = market.outcomes[0].token_id
        assert token_id is not None
        for interval in Interval:
            view = HistoryView(tuple(history(Random(n))), interval, Load.READY, NOW, version=1)
            service.histories[token_id, interval] = view
    return service


def _watched(service: FakeService) -> list[HistoryTopic]:
    return [topic for topic in service.watched() if isinstance(topic, HistoryTopic)]


def _weeks(service: FakeService) -> list[HistoryTopic]:
    """Return the histories that only a chart of a week asks for: rows show a day."""
    return [topic for topic in _watched(service) if topic.interval is Interval.WEEK]


def _has_curve(app: ScreenApp) -> bool:
    return any("⠀" < mark <= "⣿" for line in screen_lines(app) for mark in line)


async def test_the_leading_outcomes_are_drawn_where_there_is_room() -> None:
    service = _with_histories(_service())
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _has_curve(app), "the curves")
        assert any("[1d]" in line and "Ilse Maro" in line for line in screen_lines(app))
        named = shown_text(app.screen.query_one(OverlayPane))
        assert sum("1 Ilse Maro" in line for line in named) == 1
        assert not any("Bo Lund" in line for line in named)
        assert _row(app, "Bo Lund")
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: len(_weeks(service)) == MOST_CURVES, "a week of four")
        assert shows(app, "[1w]")
        await until(pilot, lambda: _has_curve(app), "the curves of the week")
        await pilot.press("d")
        await until(pilot, lambda: not _weeks(service), "nothing is fetched unseen")
        assert not _has_curve(app)


def _with_lund_at(price: int) -> Event:
    """Return the election with its closed outcome open."""
    lund = ELECTION.markets[-1]
    outcome = replace(lund.outcomes[0], price=Micros(price))
    lund = replace(lund, closed=False, outcomes=(outcome, *lund.outcomes[1:]))
    return replace(ELECTION, markets=(*ELECTION.markets[:-1], lund))


async def test_a_new_favourite_is_drawn_under_its_own_number() -> None:
    subject = _with_lund_at(20_000)
    service = _with_histories(_service(subject))
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _has_curve(app), "the curves")
        chart = app.screen.query_one(OverlayPane)

        def is_drawn(name: str) -> bool:
            return any(name in line for line in shown_text(chart))

        assert is_drawn("4 Anyone else")
        view = service.events[subject.event_id]
        service.events[subject.event_id] = replace(view, event=_with_lund_at(400_000))
        service.announce(EventTopic(subject.event_id))
        await until(pilot, lambda: is_drawn("5 Bo Lund"), "the favourite")
        assert is_drawn("1 Ilse Maro")
        assert not is_drawn("Anyone else")


async def test_the_curve_of_the_outcome_at_the_cursor_is_bold() -> None:
    app = _app(_with_histories(_service()))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _has_curve(app), "the curves")
        chart = app.screen.query_one(OverlayPane)

        def bold() -> set[str]:
            labels = (
                line[-1] for line in chart.paint(*chart.size) if Emphasis.BOLD in line[-1].emphasis
            )
            return {label.text.split()[0] for label in labels}

        await until(pilot, lambda: bold() == {"1"}, "the first one")
        await pilot.press("down")
        await until(pilot, lambda: bold() == {"2"}, "the next one")


def _label(app: ScreenApp, name: str) -> str:
    """Return the end of the line with the label of a curve."""
    lines = shown_text(app.screen.query_one(OverlayPane))
    return next(line.rpartition(name)[2] for line in lines if name in line)


async def test_table_and_chart_tell_one_price_and_one_change_of_the_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The drawing is not renewed here: its labels are painted over it.
    monkeypatch.setattr(drawn_pane, "_SETTLE_S", 3600.0)
    service = _with_histories(_service())
    leader = min(ELECTION.markets, key=by_price)
    token_id = TokenId(str(leader.outcomes[0].token_id))
    topic = EventQuotesTopic(ELECTION.event_id)
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _has_curve(app), "the curves")
        bid, ask = Micros(600_000), Micros(620_000)
        size = Micros(100_000_000)
        service.books[token_id] = BookView(
            token_id, BookState.LIVE, bids=(Level(bid, size),), asks=(Level(ask, size),)
        )
        rows = service.quotes[ELECTION.event_id].rows
        service.quotes[ELECTION.event_id] = EventQuotesView(
            tuple(
                replace(row, best_bid=bid, best_ask=ask)
                if row.condition_id == leader.condition_id
                else row
                for row in rows
            )
        )
        service.announce(topic)
        await until(pilot, lambda: shows(app, "→ 61.0¢  "), "the price in the chart's title")
        (title,) = (line for line in screen_lines(app) if "→ 61.0¢  " in line)
        await until(pilot, lambda: "61.0¢" in _label(app, leader.title), "the label in the chart")
        said = title.partition("→ 61.0¢")[2].split()[0]
        assert "61.0¢" in _row(app, leader.title)
        await until(pilot, lambda: said in _row(app, leader.title), said)


async def test_histories_still_on_their_way_are_told_of_and_drawn_as_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What waits for calm is never drawn here.
    monkeypatch.setattr(drawn_pane, "_SETTLE_S", 3600.0)
    service = _with_histories(_service())
    leaders = sorted(ELECTION.markets, key=by_price)[:4]
    topics = [HistoryTopic(TokenId(str(m.outcomes[0].token_id)), Interval.DAY) for m in leaders]
    there = {t: service.histories[t.token_id, t.interval] for t in topics}
    for topic in topics[2:]:
        waiting = HistoryView((), Interval.DAY, Load.LOADING, NOW)
        service.histories[topic.token_id, topic.interval] = waiting
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _has_curve(app), "the first curves")
        assert shows(app, "loading, 2 of 4 here")
        chart = app.screen.query_one(OverlayPane)

        def is_drawn(said: str) -> bool:
            return shows(app, said) and chart.is_drawn

        for topic, said in zip(topics[2:], ("loading, 3 of 4 here", "max ─"), strict=True):
            service.histories[topic.token_id, topic.interval] = there[topic]
            service.announce(topic)
            await until(pilot, partial(is_drawn, said), said)


async def test_a_chart_begins_with_the_outcome_that_leads() -> None:
    service = _with_histories(_service())
    leader = min(ELECTION.markets, key=by_price)
    topic = HistoryTopic(TokenId(str(leader.outcomes[0].token_id)), Interval.DAY)
    there = service.histories[topic.token_id, topic.interval]
    waiting = HistoryView((), Interval.DAY, Load.LOADING, NOW)
    service.histories[topic.token_id, topic.interval] = waiting
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "loading, 3 of 4 here"), "the others")
        await settle(pilot)
        assert not _has_curve(app)
        assert shows(app, "Loading the histories…")
        service.histories[topic.token_id, topic.interval] = there
        service.announce(topic)
        await until(pilot, lambda: _has_curve(app), "the curves")


async def test_a_long_table_keeps_a_small_screen_until_the_chart_is_asked_for() -> None:
    many = replace(
        ELECTION,
        markets=tuple(
            replace(market, market_id=MarketId(f"{market.market_id}{n}"))
            for n in range(3)
            for market in ELECTION.markets
        ),
    )
    service = _with_histories(_service(many))
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert not _watched(service)
        await pilot.press("right_square_bracket")
        assert _watched(service) == []
        await pilot.press("d")
        await until(pilot, lambda: _has_curve(app), "the curves")
        assert sum(name in line for line in screen_lines(app)[4:10] for name in ("Maro", "Ade"))
        await pilot.resize_terminal(80, 16)
        await until(pilot, lambda: not _has_curve(app), "no room")


async def test_an_event_without_open_outcomes_has_no_chart() -> None:
    closed = replace(ELECTION, markets=tuple(replace(m, closed=True) for m in ELECTION.markets))
    app = _app(_with_histories(_service(closed)))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert not _has_curve(app)
        await pilot.press("d")
        await until(pilot, lambda: "No room for a chart" in text_of(app, "#notice"), "why")
        assert "no data" in text_of(app, "#notice")


async def test_rows_show_the_day_and_what_is_held_brings() -> None:
    service = _with_histories(_service())
    held = believable.position(1, "Ilse Maro", size=100, average=0.4, current=0.46)
    condition_id = ELECTION.markets[0].condition_id
    assert condition_id is not None
    mine = replace(held, condition_id=condition_id)
    service.account_view = replace(service.account_view, positions=(mine,))
    app = _app(service)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: set("▁▆") <= set(_row(app, "Ilse Maro")), "the day")
        assert "+$6.00" in _row(app, ELECTION.markets[0].title)


@pytest.mark.parametrize("width", [80, 100, 120, 200])
async def test_the_head_is_one_line_with_the_whole_name_first(width: int) -> None:
    app = _app(_service())
    async with app.run_test(size=(width, 30)) as pilot:
        await until(pilot, lambda: "left" in text_of(app, "#head"), "the end")
        head = text_of(app, "#head")
        assert head.startswith(f" {ELECTION.title}")
        assert ("liq " in head) == (width >= 200)


async def test_the_bars_of_chances_grow_with_the_screen() -> None:
    app = _app(_service())
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "▄" in _row(app, "Ilse Maro"), "the bar")
        # The shape of its day is drawn with the same sign.
        await settle(pilot)
        usual = _row(app, "Ilse Maro").count("▄")
        await pilot.resize_terminal(200, 50)
        await until(pilot, lambda: _row(app, "Ilse Maro").count("▄") > usual, "a longer bar")
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: _row(app, "Ilse Maro").count("▄") == usual, "the usual one")
