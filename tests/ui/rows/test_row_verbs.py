from dataclasses import replace

import pytest
from textual.screen import Screen

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import Accepted, LimitIntent, OrderStatus, Rejected, TimeInForce
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, MarketListTopic
from pmtui.service.views import Load, MarketListView
from pmtui.ui.account.action_cards import FlattenCard
from pmtui.ui.app import PmtuiApp
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.alert_form import AlertForm
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import MarketChosen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.rows.flattening import FlattenManyCard
from pmtui.ui.ticket.protect import ProtectScreen
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, READ_ONLY_STATUS, FakeService
from tests.ui.look import shows, text_of
from tests.ui.rows.row_stage import ELECTION, agree, hold, tradable_service
from tests.ui.stage import THEMES
from tests.ui.wait import settle, until

FIRST, SECOND = ELECTION.markets[:2]


def event_app(service: FakeService) -> ScreenApp:
    return ScreenApp(EventScreen(service.surface(), ELECTION.event_id))


def list_app(service: FakeService) -> ScreenApp:
    rows = (believable.event_row(ELECTION),)
    service.lists[MarketListTopic()] = MarketListView(rows, Load.READY, has_more=False, as_of=NOW)
    return ScreenApp(MarketsScreen(service.surface()))


def portfolio_app(service: FakeService) -> ScreenApp:
    return ScreenApp(PortfolioScreen(service.surface()))


async def test_b_on_an_outcome_opens_its_ticket_and_s_the_outcome_that_is_held() -> None:
    service = tradable_service()
    hold(service, FIRST, index=1)
    app = event_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("b", "s")
        await until(pilot, lambda: len(app.chosen) == 2, "both choices")
    assert FIRST.condition_id is not None
    assert app.chosen == [
        MarketChosen(FIRST.condition_id, 0, Side.BUY), MarketChosen(FIRST.condition_id, 1, Side.SELL)
    ]  # fmt: skip


@pytest.mark.parametrize("side", [Side.BUY, Side.SELL])
async def test_a_market_that_is_opened_to_trade_shows_the_ticket_once_it_has_come(
    side: Side,
) -> None:
    service = tradable_service()
    app = PmtuiApp(service.surface(), themes=tuple(THEMES.values()))
    async with app.run_test(size=(120, 36)) as pilot:
        assert FIRST.condition_id is not None
        _ = app.screen.post_message(MarketChosen(FIRST.condition_id, 0, side))
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        screen = app.screen
        assert isinstance(screen, MarketScreen)
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        assert screen.ticket.draft.side is side


async def test_what_cannot_be_traded_says_so_on_the_list() -> None:
    service = tradable_service()
    closed = ELECTION.markets[-1]
    assert closed.closed
    assert closed.condition_id is not None
    service.status_view = READ_ONLY_STATUS
    app = event_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("b")
        await until(pilot, lambda: "Read-only" in text_of(app, "#notice"), "why")
        await pilot.press("t")
        await until(pilot, lambda: "Read-only" in text_of(app, "#notice"), "why")
    assert not app.chosen


async def test_f_on_a_row_sells_with_the_card_of_the_market_screen() -> None:
    service = tradable_service()
    hold(service, FIRST, size=120)
    app = event_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        assert not service.calls_of("flatten")
        await agree(app, pilot, service)
        ((order, in_the_way),) = service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert isinstance(order.intent, LimitIntent)
        assert order.intent.token_id == FIRST.token_ids[0]
        assert order.intent.size == believable.micros(120)
        assert order.intent.time_in_force is TimeInForce.FAK
        assert in_the_way == ()
        # Nothing is heard of the book any more than before.
        assert BookTopic(FIRST.token_ids[0]) not in service.watched()


async def test_f_on_an_event_sells_all_that_is_held_of_it_with_one_card() -> None:
    service = tradable_service()
    hold(service, FIRST, size=120)
    hold(service, SECOND, size=40, index=1)
    app = list_app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, ELECTION.title[:12]), "the row")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        assert shows(app, "Sell 2 whole positions?")
        assert shows(app, "SELL 120 Yes")
        assert shows(app, "SELL 40")
        service.verdicts = [
            Accepted(
                believable.order(1).order_id,
                OrderStatus.FILLED,
                believable.micros(120),
                "",
                believable.micros(60),
                believable.micros(1.204),
            ),
            Rejected("no match"),
        ]
        await agree(app, pilot, service)
        assert len(service.calls_of("flatten")) == 2
        end = "Sold 1 of 2 for $60.00, fee $1.20: $58.80 received. "
        await until(pilot, lambda: end in text_of(app, "#notice"), "the end")
        assert "no match" in text_of(app, "#notice")


async def test_a_card_is_declined_and_nothing_is_sent() -> None:
    service = tradable_service()
    hold(service, FIRST)
    hold(service, SECOND)
    app = list_app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, ELECTION.title[:12]), "the row")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        await pilot.press("escape")
        await settle(pilot)
    assert not service.calls_of("flatten")


async def test_what_cannot_be_sold_is_named_on_the_card_and_stays() -> None:
    service = tradable_service()
    hold(service, FIRST)
    hold(service, SECOND)
    assert SECOND.condition_id is not None
    view = service.markets[SECOND.condition_id]
    paused = replace(SECOND, accepting_orders=False)
    service.markets[SECOND.condition_id] = replace(view, market=paused)
    app = list_app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, ELECTION.title[:12]), "the row")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        assert shows(app, "Sell 1 whole position?")
        assert shows(app, "Stays:")


@pytest.mark.parametrize(("key", "said"), [("f", "No position"), ("t", "No position")])
async def test_without_a_position_the_row_says_so(key: str, said: str) -> None:
    service = tradable_service()
    app = event_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press(key)
        await until(pilot, lambda: said in text_of(app, "#notice"), said)


@pytest.mark.parametrize(("key", "form"), [("t", ProtectScreen), ("A", AlertForm)])
async def test_forms_open_over_a_position_of_the_portfolio(
    key: str, form: type[Screen[None]]
) -> None:
    service = tradable_service()
    hold(service, FIRST, index=1)
    app = portfolio_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, FIRST.question[:10]), "the position")
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, form), "the form")
        assert shows(app, "No")


async def test_f_in_the_portfolio_sells_what_is_held_at_the_cursor_beyond_the_other_outcome() -> (
    None
):
    service = tradable_service()
    hold(service, FIRST, size=45)
    hold(service, FIRST, size=50, index=1)
    app = portfolio_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, FIRST.question[:10]), "the positions")
        await pilot.press("f")
        paired = "All 45 Yes are paired with No: M merges them."
        await until(pilot, lambda: paired in text_of(app, "#notice"), "why nothing is sold")
        await pilot.press("down", "f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        assert shows(app, "Sell the net position?")
        assert shows(app, "45 stay: M merges them")
        await agree(app, pilot, service)
        ((order, _),) = service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert (order.intent.token_id, order.size) == (FIRST.token_ids[1], believable.micros(5))


@pytest.mark.parametrize("key", ["f", "F"])
async def test_pairs_of_a_market_are_kept_when_all_is_flattened(key: str) -> None:
    service = tradable_service()
    hold(service, FIRST, size=24.96)
    hold(service, FIRST, size=10, index=1)
    hold(service, SECOND, size=40)
    app = list_app(service) if key == "f" else portfolio_app(service)
    named = ELECTION.title[:12] if key == "f" else FIRST.question[:10]
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, named), "the rows")
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        assert shows(app, "Sell 2 net positions?")
        assert shows(app, "10 pairs stay:")
        await agree(app, pilot, service)
        sold = [
            (order.intent.token_id, order.size)
            for order, _ in service.calls_of("flatten")
            if isinstance(order, PreparedOrder)
        ]
        assert sold == [
            (FIRST.token_ids[0], believable.micros(14.96)),
            (SECOND.token_ids[0], believable.micros(40)),
        ]


async def test_pairs_alone_are_merged_and_not_sold() -> None:
    service = tradable_service()
    hold(service, FIRST, size=10)
    hold(service, FIRST, size=10, index=1)
    app = event_app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("f")
        said = "10 pairs stay: p M merges them. Nothing to sell"
        await until(pilot, lambda: said in text_of(app, "#notice"), "what can be done")
    assert not service.calls_of("flatten")


async def test_an_empty_list_says_that_there_is_no_market() -> None:
    service = FakeService()
    app = ScreenApp(WatchlistScreen(service.surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("b", "s", "f", "t", "A"):
            await pilot.press(key)
            await until(pilot, lambda: "No market here" in text_of(app, "#notice"), key)


async def test_capital_f_sells_the_marked_positions_and_without_marks_all_of_them() -> None:
    service = tradable_service()
    for market in ELECTION.markets[:3]:
        hold(service, market)
    app = portfolio_app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, FIRST.question[:10]), "the positions")
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        assert shows(app, "Sell 3 whole positions?")
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("space", "space", "F")
        await until(pilot, lambda: isinstance(app.screen, FlattenManyCard), "the card")
        assert shows(app, "Sell 2 whole positions?")
        await agree(app, pilot, service)
        tokens = [
            order.intent.token_id
            for order, _ in service.calls_of("flatten")
            if isinstance(order, PreparedOrder)
        ]
        assert tokens == [market.token_ids[0] for market in ELECTION.markets[:2]]
