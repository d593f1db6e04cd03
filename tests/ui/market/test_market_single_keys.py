"""Single keys that trade: what each sends, when they are locked, and what is said of it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from typing_extensions import override

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import not_sold
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    Order,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
)
from pmtui.domain.ticket.draft import TicketRules
from pmtui.service import views
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, StatusTopic
from pmtui.ui.app import PmtuiApp
from pmtui.ui.ladder.ladder_viewport import RecentLadders
from pmtui.ui.market.controls.single_keys import SMALLEST
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.fields import Choice
from tests.scenes.world import make_world
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW, READ_ONLY_STATUS
from tests.ui.market.market_kit import cents, line, on_market, opened
from tests.ui.market.sibling_kit import market_of
from tests.ui.market.sibling_kit import opened as opened_outcome
from tests.ui.market.single_key_kit import arm, armed, chips, disarm, on_armed, sent, widen
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover

SMALL, MIDDLE = (80, 24), (120, 36)
ORDER_KEYS = (
    "B", "S", "comma", "full_stop", "less_than_sign", "greater_than_sign", "D", "U", "F",
)  # fmt: skip


def set_state(app: MarketDemo, state: BookState) -> None:
    service = app.market.service
    book = service.books[YES]
    service.books[YES] = replace(book, state=state, version=book.version + 1)
    service.announce(BookTopic(YES))


def answer_for_all(app: MarketDemo) -> None:
    """Leave no order in doubt, and none that a sale would meet."""
    service = app.market.service
    known = tuple(
        order
        for order in service.account_view.open_orders
        if order.status is not OrderStatus.UNKNOWN and order.side is Side.SELL
    )
    service.account_view = replace(service.account_view, open_orders=known)


def only_intent(app: MarketDemo) -> LimitIntent:
    (order,) = sent(app)
    assert isinstance(order.intent, LimitIntent)
    return order.intent


async def test_v_arms_and_says_in_words_what_keys_do_now() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        assert not chips(screen)
        await pilot.press("v")
        assert service.calls_of("arm") == [()]
        assert "ARMED 5: B/S trade at the cursor, v to disarm." in line(screen, "notice")
        arm(app)
        await until(pilot, lambda: chips(screen) == ["ARMED", "5"], "it shows")
        assert "ARMED" in line(screen, "status")
        await pilot.press("v")
        assert service.calls_of("disarm") == [("",)]
        assert "Disarmed" in line(screen, "notice")
        disarm(app)
        await until(pilot, lambda: not chips(screen), "it is off")


async def test_why_it_cannot_be_armed_is_said() -> None:
    async with on_market() as (app, pilot, screen):
        app.market.service.arm_refusal = "The market stream is down"
        await pilot.press("v")
        assert "Not armed: The market stream is down." in line(screen, "notice")


async def test_no_key_trades_before_it_is_armed() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(50))
        for key in (*ORDER_KEYS, "exclamation_mark"):
            screen.message_line.show("")
            await pilot.press(key)
            assert "Not armed: v to arm." in line(screen, "notice"), key
        assert not sent(app)
        assert not app.market.service.calls_of("prepare")


@pytest.mark.parametrize(
    ("key", "side", "price", "time_in_force", "is_post_only"),
    [
        ("B", Side.BUY, 53, TimeInForce.GTC, False),
        ("S", Side.SELL, 53, TimeInForce.GTC, False),
        ("comma", Side.BUY, 52, TimeInForce.GTC, True),
        ("full_stop", Side.SELL, 54, TimeInForce.GTC, True),
        ("less_than_sign", Side.BUY, 53, TimeInForce.GTC, True),
        ("greater_than_sign", Side.SELL, 53, TimeInForce.GTC, True),
        ("D", Side.SELL, 52, TimeInForce.FAK, False),
        ("U", Side.BUY, 54, TimeInForce.FAK, False),
    ],
)
async def test_each_key_sends_its_order_and_tells_how_it_ended(
    key: str, side: Side, price: float, time_in_force: TimeInForce, *, is_post_only: bool
) -> None:
    async with on_armed(at=53) as (app, pilot, screen):
        service = app.market.service
        service.is_holding = True
        await pilot.press("2", key)
        intent = only_intent(app)
        assert intent == LimitIntent(
            condition_id=CONDITION, token_id=YES, side=side, price=cents(price),
            size=Micros(10_000_000), time_in_force=time_in_force, is_post_only=is_post_only,
        )  # fmt: skip
        what = f"{side.value} 10 Yes @ {price}¢"
        takes = " (taker)" if key in "DU" else ""
        assert f"Sent {what}{takes}." in line(screen, "notice")
        # Once by the key that chose the size, once by the one that traded.
        assert len(service.calls_of("touch_arming")) == 2
        end = f"{what} filled." if takes else f"Working: {what}."
        if takes:
            filled = Accepted(believable.order(1).order_id, OrderStatus.FILLED, intent.size, "")
            service.verdicts = [filled]
        service.release()
        await until(pilot, lambda: end in line(screen, "notice"), "its end")


async def test_a_large_order_is_said_to_be_one_beside_its_end_and_goes_out() -> None:
    app = MarketDemo(0)
    rules = TicketRules(notional_warning=Micros(1_000_000))
    app._surface = replace(
        app._surface, options=replace(app._surface.options, ticket=rules)
    )  # fmt: skip
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot, at=53)
        await pilot.press("B")
        await until(
            pilot, lambda: "! large: $2.65" in line(screen, "notice"), "the warning"
        )  # fmt: skip
        assert only_intent(app).price == cents(53)


async def test_an_order_at_the_cursor_that_takes_says_so() -> None:
    async with on_armed(at=54) as (app, pilot, screen):
        app.market.service.is_holding = True
        await pilot.press("B")
        assert "Sent BUY 5 Yes @ 54¢ (taker)." in line(screen, "notice")


async def test_the_price_is_the_cursors_whatever_the_book_does() -> None:
    async with on_armed(at=51) as (app, pilot, screen):
        service = app.market.service
        book = service.books[YES]
        service.books[YES] = replace(book, bids=book.bids[8:], version=book.version + 1)
        service.announce(BookTopic(YES))
        await settle(pilot)
        await pilot.press("B")
        assert only_intent(app).price == cents(51)
        assert screen.ladder.cursor is not None


async def test_a_key_means_the_book_that_is_on_show_not_one_nobody_has_seen() -> None:
    async with on_armed() as (app, pilot, _):
        service = app.market.service
        book = service.books[YES]
        # Known to the service, not announced and so not painted yet.
        service.books[YES] = replace(
            book, asks=tuple(x for x in book.asks if x.price >= cents(60)), version=99
        )
        await pilot.press("U")
        assert only_intent(app).price == cents(54)


async def test_a_book_that_is_known_to_be_bad_locks_though_it_still_looks_good() -> None:
    async with on_armed() as (app, pilot, screen):
        service = app.market.service
        service.books[YES] = replace(service.books[YES], state=BookState.STALE, version=99)
        await pilot.press("U")
        assert not sent(app)
        assert "The book is stale: single keys are locked" in line(screen, "notice")


async def test_presets_choose_the_size_and_say_so() -> None:
    async with on_market() as (app, pilot, screen):
        await pilot.press("3")
        assert "Single-key size: 50 shares; v to arm." in line(screen, "notice")
        arm(app)
        await until(pilot, lambda: chips(screen) == ["ARMED", "50"], "it shows")
        await pilot.press("4")
        assert chips(screen) == ["ARMED", "100"]
        assert "Single-key size: 100 shares; " in line(screen, "notice")


async def test_several_may_be_on_their_way_and_each_end_names_its_order() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        service.is_holding = True
        await pilot.press("B", "less_than_sign", "comma")
        assert [order.price for order in sent(app)] == [cents(50), cents(53), cents(52)]
        service.release()
        await until(
            pilot, lambda: "Working: BUY 5 Yes @ 52¢." in line(screen, "notice"), "the last"
        )


async def test_a_refusal_names_its_order_and_the_reason() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        app.market.service.verdicts = [Rejected("too many orders")]
        await pilot.press("B")
        await until(
            pilot,
            lambda: "BUY 5 Yes @ 50¢ refused: too many orders" in line(screen, "notice"),
            "the refusal",
        )


@pytest.mark.parametrize(
    ("status", "filled", "words"),
    [
        (OrderStatus.FILLED, 5, "filled."),
        (OrderStatus.PARTIALLY_FILLED, 2, "filled 2, the rest is working."),
        (OrderStatus.DELAYED, 0, "accepted, delayed by the venue. Its fill shows here."),
        (OrderStatus.CANCELLED, 2, "filled 2 Yes, the rest cancelled."),
    ],
)
async def test_every_end_has_its_words(status: OrderStatus, filled: int, words: str) -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        text = "filled 2 Yes, the rest cancelled" if status is OrderStatus.CANCELLED else ""
        order_id = believable.order(1).order_id
        size = Micros(filled * 1_000_000)
        app.market.service.verdicts = [Accepted(order_id, status, size, text)]
        await pilot.press("B")
        await until(
            pilot, lambda: f"BUY 5 Yes @ 50¢ {words}" in line(screen, "notice"), "its words"
        )


async def test_what_was_said_to_rest_is_taken_back_when_it_fills() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        await pilot.press("B")
        await until(
            pilot, lambda: "Working: BUY 5 Yes @ 50¢." in line(screen, "notice"), "it rests"
        )
        (order,) = sent(app)
        resting = replace(believable.order(1, price=0.5, size=5), order_id=order.unsigned.order_id)
        view = service.account_view
        service.account_view = replace(view, recent=(resting,))
        service.announce(AccountTopic())
        await settle(pilot)
        assert "Working:" in line(screen, "notice")
        filled = replace(resting, matched_size=Micros(5_000_000), status=OrderStatus.FILLED)
        service.account_view = replace(view, recent=(filled,))
        told = views.LogEntry(1, service.at, views.Level.GOOD, "order", "Bought 5 Yes at 50¢")
        service.log_view = views.LogView((told,), 0, 0)
        service.announce(AccountTopic())
        await until(pilot, lambda: "Bought 5 Yes" in line(screen, "notice"), "the fill")


async def test_an_unknown_end_is_not_called_a_refusal() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        order_id = believable.order(1).order_id
        app.market.service.verdicts = [Unknown(order_id, "no answer within 10 s", NOW)]
        await pilot.press("B")
        await until(
            pilot, lambda: "unconfirmed, checking: no answer" in line(screen, "notice"), "its words"
        )


@pytest.mark.parametrize("state", [state for state in BookState if not state.is_good])
async def test_an_unproven_book_locks_the_keys_in_words(state: BookState) -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        set_state(app, state)
        await until(pilot, lambda: "KEYS LOCKED" in line(screen, "book"), "it shows")
        for key in ORDER_KEYS:
            screen.message_line.show("")
            await pilot.press(key)
            said = f"The book is {state.words}: single keys are locked; ! permits one order."
            assert said in line(screen, "notice"), key
        assert not sent(app)


async def test_the_override_permits_one_order_for_two_seconds_and_is_journaled() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        set_state(app, BookState.STALE)
        await settle(pilot)
        await pilot.press("exclamation_mark")
        assert "OVERRIDE 5+ " in line(screen, "book")
        assert "book stale" in line(screen, "notice")
        await pilot.press("B")
        ((order, override),) = service.calls_of("place")
        assert isinstance(order, PreparedOrder)
        assert isinstance(override, str)
        assert override.startswith("BUY 5 at 50¢ from a book that is stale, of 2026-06-15")
        assert override.endswith("bid 52¢, ask 54¢")
        assert "KEYS LOCKED" in line(screen, "book")
        await pilot.press("S")
        assert len(service.calls_of("place")) == 1
        await pilot.press("exclamation_mark")
        service.at += timedelta(seconds=2)
        await pilot.press("S")
        assert len(service.calls_of("place")) == 1
        assert "locked" in line(screen, "notice")


async def test_a_permission_is_used_up_by_a_key_that_sends_nothing_too() -> None:
    async with on_armed() as (app, pilot, screen):
        set_state(app, BookState.LOSSY)
        await settle(pilot)
        await pilot.press("exclamation_mark", "B")
        assert "Put the cursor on a price first" in line(screen, "notice")
        screen.ladder.point_at(cents(50))
        await pilot.press("S")
        assert not sent(app)


async def test_a_good_book_needs_no_override_and_an_order_from_it_is_no_override() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        await pilot.press("exclamation_mark")
        assert "nothing to override" in line(screen, "notice")
        await pilot.press("B")
        ((_,),) = app.market.service.calls_of("place")


async def test_selling_all_needs_no_card_when_armed() -> None:
    async with on_armed() as (app, pilot, screen):
        answer_for_all(app)
        app.market.service.is_holding = True
        await pilot.press("F")
        ((order, sales),) = app.market.service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert order.intent.side is Side.SELL
        assert order.intent.time_in_force is TimeInForce.FAK
        assert app.screen is screen
        assert isinstance(sales, tuple)
        assert [sale.price for sale in sales] == [cents(57)]
        assert "Cancelling 1 ask; then SELL 1,250.5 Yes @ 47¢ (taker)." in line(screen, "notice")


async def test_selling_all_from_an_unproven_book_is_journaled_too() -> None:
    async with on_armed() as (app, pilot, _):
        answer_for_all(app)
        set_state(app, BookState.STALE)
        await settle(pilot)
        await pilot.press("exclamation_mark", "F")
        ((_, _, override),) = app.market.service.calls_of("flatten")
        assert isinstance(override, str)
        assert override.startswith("the whole position from a book that is stale")


async def test_selling_all_cancels_own_bids_that_it_would_meet_and_says_so() -> None:
    app = MarketDemo(0)
    service = app.market.service
    mine = tuple(believable.order(each, price=0.52, size=10) for each in (8, 9))
    asks = (believable.order(7, side=Side.SELL, price=0.57, size=1000),)
    view = service.account_view
    service.account_view = replace(view, open_orders=(*mine, *asks))
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await armed(app, pilot)
        service.is_holding = True
        await pilot.press("F")
        ((order, in_the_way),) = service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert in_the_way == (*mine, *asks)
        said = "Cancelling 2 bids, 1 ask; then SELL 1,250.5 Yes @ 47¢"
        assert said in line(screen, "notice")
        # One of them filled before it was cancelled.
        filled = replace(mine[0], status=OrderStatus.FILLED)
        service.account_view = replace(view, open_orders=(), recent=(filled,))
        size = order.size
        service.verdicts = [
            Accepted(order.unsigned.order_id, OrderStatus.FILLED, size, "", Micros(size // 2))
        ]
        service.release()
        said = "(limit 47¢); cancelled 1 bid, 1 ask."
        await until(pilot, lambda: said in line(screen, "notice"), "what was cancelled")


async def test_why_a_position_is_not_sold_says_what_to_do() -> None:
    app = MarketDemo(0)
    service = app.market.service
    own = (believable.order(9, price=0.52, size=10),)
    service.account_view = replace(service.account_view, open_orders=own)
    service.verdicts = [not_sold("your BUY 10 Yes @ 52¢ stayed: order is delayed")]
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await armed(app, pilot)
        await pilot.press("F")
        said = "Not sold: your BUY 10 Yes @ 52¢ stayed: order is delayed: F to retry, s to sell by ticket."
        await until(pilot, lambda: said in line(screen, "notice"), "what to do")


@pytest.mark.parametrize(
    ("key", "own", "said"),
    [
        (
            "U",
            believable.order(9, side=Side.SELL, price=0.54, size=10),
            "SELL 10 Yes @ 54¢: ) pulls asks",
        ),
        ("D", believable.order(9, price=0.52, size=10), "BUY 10 Yes @ 52¢: ( pulls bids"),
        (
            "D",
            replace(
                believable.order(9, side=Side.SELL, price=0.48, size=10, outcome="No"), token_id=NO
            ),
            "SELL 10 No @ 48¢: ( pulls bids",
        ),
    ],
)
async def test_a_key_that_meets_an_own_order_sends_nothing(key: str, own: Order, said: str) -> None:
    app = MarketDemo(0)
    service = app.market.service
    service.account_view = replace(service.account_view, open_orders=(own,))
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        await pilot.press(key)
        await settle(pilot)
        assert f"Not sent: Self-trade with your {said}." in line(screen, "notice")
        assert sent(app) == []


ASK = believable.order(9, side=Side.SELL, price=0.54, size=10)


@pytest.mark.parametrize("is_good", [True, False])
async def test_the_good_end_of_an_order_is_not_said_over_a_newer_refusal(*, is_good: bool) -> None:
    app = MarketDemo(0)
    service = app.market.service
    service.account_view = replace(service.account_view, open_orders=(ASK,))
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        service.is_holding = True
        await pilot.press("1", "D")
        await until(pilot, lambda: "Sent SELL" in line(screen, "notice"), "the first key")
        await pilot.press("U")
        said = "Not sent: Self-trade with your SELL 10 Yes @ 54¢"
        await until(pilot, lambda: said in line(screen, "notice"), "the second key")
        (reason,) = service.calls_of("log_refusal")[0]
        assert str(reason).startswith(said)
        filled = Accepted(believable.order(1).order_id, OrderStatus.FILLED, Micros(5_000_000), "")
        service.verdicts = [filled if is_good else Rejected("no balance")]
        service.release()
        await settle(pilot)
        # What went wrong is worse than a key that did nothing.
        assert (said in line(screen, "notice")) is is_good
        assert ("no balance" in line(screen, "notice")) is not is_good


async def test_two_takers_in_a_row_are_both_sent() -> None:
    app = MarketDemo(0)
    service = app.market.service
    flying = replace(
        believable.order(9, side=Side.SELL, price=0.52, size=5), status=OrderStatus.SENT,
        time_in_force=TimeInForce.FAK,
    )  # fmt: skip
    service.account_view = replace(service.account_view, open_orders=(flying,))
    async with app.run_test(size=SMALL) as pilot:
        _ = await armed(app, pilot)
        await pilot.press("U")
        await settle(pilot)
        assert [order.intent.side for order in sent(app)] == [Side.BUY]


@pytest.mark.parametrize("is_armed", [True, False])
@pytest.mark.parametrize(
    ("key", "side", "name"),
    [("left_parenthesis", Side.BUY, "bid"), ("right_parenthesis", Side.SELL, "ask")],
)
async def test_a_side_is_cancelled_armed_or_not_from_any_book(
    key: str, side: Side, name: str, *, is_armed: bool
) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await (armed if is_armed else opened)(app, pilot)
        set_state(app, BookState.STALE)
        await settle(pilot)
        service = app.market.service
        await pilot.press(key)
        ((ids,),) = service.calls_of("cancel")
        mine = {o.order_id for o in service.account_view.open_orders if o.side is side}
        assert isinstance(ids, tuple)
        assert set(ids) == mine
        assert len(ids) == 2
        await until(
            pilot, lambda: f"Cancelled 2 orders on the {name} side." in line(screen, "notice"),
            "the verdict",
        )  # fmt: skip
        service.account_view = replace(service.account_view, open_orders=())
        await pilot.press(key)
        assert f"No working orders on the {name} side" in line(screen, "notice")
        assert len(service.calls_of("cancel")) == 1


async def test_what_forbids_trading_is_said() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        usual, view = service.status_view, service.markets[CONDITION]
        assert view.market is not None
        for key in (*ORDER_KEYS, "exclamation_mark"):
            service.status_view = replace(READ_ONLY_STATUS, armed_until=usual.armed_until)
            await pilot.press(key)
            assert "Read-only: no key." in line(screen, "notice"), key
            service.status_view = replace(usual, kill_lock="Trading locked since noon by K")
            await pilot.press(key)
            assert "Trading locked since noon by K." in line(screen, "notice"), key
            service.status_view = usual
            service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
            await pilot.press(key)
            assert "Closed: trading has ended." in line(screen, "notice"), key
            service.markets[CONDITION] = view
        assert not sent(app)


async def test_keys_are_not_called_armed_where_nothing_trades_any_more() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        await until(pilot, lambda: chips(screen), "they trade")
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: "KEYS OFF HERE" in line(screen, "book"), "it is said")
        assert not chips(screen)
        service.markets[CONDITION] = view
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: chips(screen), "they trade again")


async def test_arming_ends_with_its_market_whatever_screen_is_in_front() -> None:
    async with on_armed(at=50) as (app, pilot, _):
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        await app.push_screen(PortfolioScreen(app.market.service.surface()))
        await until(pilot, lambda: isinstance(app.screen, PortfolioScreen), "it is in front")
        service.announce(MarketTopic(CONDITION))
        await settle(pilot)
        assert not service.calls_of("disarm")
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: bool(service.calls_of("disarm")), "it disarms")
        assert service.calls_of("disarm") == [("the market has ended",)]
        assert isinstance(app.screen, PortfolioScreen)


async def test_nobody_arms_without_a_key_or_for_a_market_that_is_over() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        await pilot.press("v")
        assert "Not armed: Closed: trading has ended." in line(screen, "notice")
        service.markets[CONDITION] = view
        service.status_view = READ_ONLY_STATUS
        await pilot.press("v")
        assert "Not armed: Read-only: no key." in line(screen, "notice")
        assert not service.calls_of("arm")


async def test_no_key_trades_while_an_order_is_being_moved() -> None:
    async with on_armed(at=49) as (app, pilot, screen):
        await pilot.press("e")
        await until(pilot, lambda: screen.controls.moving.is_moving, "it is picked up")
        await pilot.press("B")
        assert "being moved" in line(screen, "notice")
        assert not sent(app)


@pytest.mark.parametrize("start", ["tab", "shift+tab"])
async def test_a_ticket_with_the_focus_keeps_every_key_to_itself(start: str) -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket has the keys")
        fields = set()
        for _ in range(9):
            assert screen.ticket.has_focus_within
            fields.add(screen.focused)
            await pilot.press(*ORDER_KEYS, "3", "v", "left_parenthesis", "exclamation_mark")
            await settle(pilot)
            names = {call.name for call in app.market.service.calls}
            assert not names & {"place", "flatten", "cancel", "disarm", "touch_arming"}
            await pilot.press(start)
        assert len(fields) == 7


@pytest.mark.parametrize("where", ["a field", "a choice"])
async def test_it_is_said_that_keys_rest_while_the_ticket_has_them(where: str) -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        assert " ARMED 5 · " in line(screen, "status")
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket has the keys")
        await until(pilot, lambda: "ARMED, ticket open" in line(screen, "status"), "the status")
        assert "KEYS IN TICKET" in line(screen, "book")
        while where == "a choice" and not isinstance(screen.focused, Choice):
            await pilot.press("shift+tab")
        await pilot.press("F")
        said = "Ticket has focus: single keys are off. esc to close it."
        await until(pilot, lambda: said in line(screen, "notice"), "why nothing happens")
        assert app.market.service.calls_of("flatten") == []
        await pilot.press("escape")
        await until(pilot, lambda: " ARMED 5 · " in line(screen, "status"), "keys trade again")
        assert chips(screen) == ["ARMED", "5"]
        await until(pilot, lambda: said not in line(screen, "notice"), "it is true no more")


async def test_a_key_that_is_held_down_sends_once() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        await pilot.press("B", "B")
        assert len(sent(app)) == 1
        assert "the second sends nothing" in line(screen, "notice")
        # Every press that is not obeyed holds it down further.
        service.at += timedelta(milliseconds=100)
        await pilot.press("B")
        service.at += timedelta(milliseconds=100)
        await pilot.press("B")
        assert len(sent(app)) == 1
        service.at += timedelta(milliseconds=151)
        await pilot.press("B")
        assert len(sent(app)) == 2


async def test_at_another_price_the_same_key_is_another_order_however_soon() -> None:
    async with on_armed(at=50) as (app, pilot, _):
        await pilot.press("B", "down", "B", "B", "down", "B")
        assert [order.price for order in sent(app)] == [cents(50), cents(49), cents(48)]


async def test_what_the_rules_refuse_is_not_sent_and_said() -> None:
    async with on_armed(at=70) as (app, pilot, screen):
        await pilot.press("B")
        assert "Not sent: 70¢ is 32% above the midpoint 53¢: too far for a single key." in line(
            screen, "notice"
        )
        app.market.service.refusal = Rejected("Over your limit of $500")
        screen.ladder.point_at(cents(50))
        await pilot.press("S")
        assert "Not sent: Over your limit of $500." in line(screen, "notice")
        assert not sent(app)


async def test_a_screen_too_small_for_what_is_ours_disarms() -> None:
    async with on_armed() as (app, pilot, screen):
        service = app.market.service
        await pilot.resize_terminal(SMALLEST.width, SMALLEST.height)
        await settle(pilot)
        assert not service.calls_of("disarm")
        await pilot.resize_terminal(SMALLEST.width - 1, SMALLEST.height)
        await until(pilot, lambda: service.calls_of("disarm"), "it is disarmed")
        assert service.calls_of("disarm")[0] == ("the screen is smaller than 79x18",)
        disarm(app)
        await settle(pilot)
        await pilot.press("v")
        assert "Not armed: The screen is smaller than 79x18." in line(screen, "notice")
        assert not service.calls_of("arm")


async def test_idle_time_that_runs_out_is_seen_at_the_next_key() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        service.status_view = replace(
            service.status_view, now=service.status_view.now + timedelta(minutes=5)
        )
        await pilot.press("B")
        assert not sent(app)
        assert "Not armed" in line(screen, "notice")


async def test_the_next_outcome_keeps_the_size_and_no_permission() -> None:
    world = make_world()
    app = PmtuiApp(world.service.surface(), themes=load_themes()[0])
    service = world.service
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await opened_outcome(app, pilot, market_of(world, "Ada Lindqvist"))
        service.status_view = replace(
            service.status_view, armed_until=service.status_view.now + timedelta(minutes=5)
        )
        service.announce(StatusTopic())
        await pilot.press("3")
        await until(pilot, lambda: chips(screen) == ["ARMED", "50"], "it is armed")
        token_id = screen.reader.token_id
        assert token_id is not None
        service.books[token_id] = replace(service.books[token_id], state=BookState.STALE)
        service.announce(BookTopic(token_id))
        await settle(pilot)
        await pilot.press("exclamation_mark")
        assert "OVERRIDE 50+ " in line(screen, "book")
        await pilot.press("right")
        await until(pilot, lambda: screen.reader.token_id != token_id, "the next outcome")
        await settle(pilot)
        assert screen.controls.single_keys.preset == 50_000_000
        other = screen.reader.token_id
        assert other is not None
        service.books[other] = replace(service.books[other], state=BookState.STALE, version=99)
        service.announce(BookTopic(other))
        await settle(pilot)
        await pilot.press("comma")
        assert not service.calls_of("place")
        assert "single keys are locked" in line(screen, "notice")


class SlowLine(CellDisplay):
    """A line that takes a minute."""

    @property
    @override
    def lag_s(self) -> float:
        return 60.0


class SlowDemo(MarketDemo):
    def __init__(self, changes: int) -> None:
        super().__init__(changes)
        self.terminal = SlowLine(self, on_room=self.catch_up)


async def test_a_price_that_went_before_it_was_seen_is_taken_at_the_second_press() -> None:
    app = SlowDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        screen.ladder.viewport.recent = RecentLadders()
        service = app.market.service
        book = service.books[YES]
        service.books[YES] = replace(book, asks=book.asks[1:], version=book.version + 1)
        service.announce(BookTopic(YES))
        await settle(pilot)
        await pilot.press("U")
        assert not sent(app)
        said = "Not sent: 54¢ is gone, now 55¢; press again to take it."
        assert said in line(screen, "notice")
        service.at += timedelta(seconds=1)
        await pilot.press("U")
        assert only_intent(app).price == cents(55)
        # What rests at the best price waits for nobody to see it.
        await pilot.press("comma")
        assert len(sent(app)) == 2


async def test_a_click_points_and_never_trades() -> None:
    async with on_armed(MIDDLE) as (app, pilot, screen):
        await pilot.click(screen.ladder, offset=(20, 6))
        await settle(pilot)
        assert screen.ladder.cursor is not None
        assert not sent(app)


@pytest.mark.parametrize("size", [SMALL, MIDDLE, (200, 50)])
async def test_neither_arming_nor_a_ticket_moves_a_price_or_hides_own_orders(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (app, pilot, screen):
        widen(app)
        app.market.service.announce(BookTopic(YES))
        await settle(pilot)
        rows = [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)]
        place = screen.ladder.region.offset
        arm(app)
        await until(pilot, lambda: screen.has_class("-armed"), "single keys are armed")
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
        assert screen.ladder.region.offset == place
        assert screen.orders.region.height >= 3
        assert not screen.orders.region.overlaps(screen.ticket.region)
        disarm(app)
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
