"""The single key that reverses a position: what it sends, what it refuses, and what is said of both orders."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.books.book_view import BookState, Level
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic
from pmtui.ui.market.paint_single_keys import Clearing, Reversal, describe_reversed
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.market.market_kit import cents, line
from tests.ui.market.single_key_kit import armed, sent
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover

SMALL, MIDDLE = (80, 24), (120, 36)
HELD = Micros(1_250_500_000)


def clear(app: MarketDemo, *, bid: int = 900) -> None:
    """Leave no orders of ours, and a book that is deep below its best bid."""
    service = app.market.service
    view = service.account_view
    service.account_view = replace(view, open_orders=(), balance=Micros(10_000_000_000))
    book = service.books[YES]
    deep = Level(cents(51), Micros(5_000_000_000))
    bids = (Level(cents(52), Micros(bid * 1_000_000)), deep)
    service.books[YES] = replace(book, bids=bids, version=book.version + 1)
    service.announce(BookTopic(YES))


def filled(order: PreparedOrder, cash: float) -> Accepted:
    worth = Micros(int(cash * 1_000_000))
    return Accepted(order.order_id, OrderStatus.FILLED, order.size, "", worth)


async def test_it_sends_the_sale_and_as_much_of_the_other_outcome_after_it() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await armed(app, pilot)
        clear(app)
        await until(pilot, lambda: "R rev 51¢" in line(screen, "dials-more"), "its price")
        service = app.market.service
        service.is_holding = True
        await pilot.press("R")
        await until(pilot, lambda: len(sent(app)) == 2, "both orders")
        sale, entry = sent(app)
        assert isinstance(sale.intent, LimitIntent)
        assert (sale.intent.side, sale.intent.token_id, sale.intent.size) == (Side.SELL, YES, HELD)
        # The sale leaves nothing at 52 cents.
        assert entry.intent == LimitIntent(
            condition_id=CONDITION, token_id=NO, side=Side.BUY, price=cents(49), size=HELD,
            time_in_force=TimeInForce.FAK,
        )  # fmt: skip
        ((_, first),) = service.calls_of("place")
        assert service.ordered_by(first) == (sale,)
        # The fake calls the outcome of every order Yes.
        said = "Sent SELL 1,250.5 Yes @ 47¢, then BUY 1,250.5 Yes @ 49¢."
        assert said in line(screen, "notice")
        service.verdicts = [filled(sale, 646), filled(entry, 612.74)]
        service.release()
        said = "Reversed: sold 1,250.5 Yes @ 51.66¢, bought 1,250.5 Yes @ 49¢."
        await until(pilot, lambda: said in line(screen, "notice"), "its end")


async def test_without_a_position_or_enough_of_a_book_it_sends_nothing_and_says_why() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        clear(app)
        service = app.market.service
        book = service.books[YES]
        service.books[YES] = replace(book, bids=book.bids[:1], version=book.version + 1)
        service.announce(BookTopic(YES))
        await until(pilot, lambda: "R rev –" in line(screen, "dials"), "it has no price")
        await pilot.press("R")
        said = "Not sent: bids of only 900 down to 47¢; reversing 1,250.5 takes 2,501."
        await until(pilot, lambda: said in line(screen, "notice"), "the reason")
        service.account_view = replace(service.account_view, positions=(), balances=())
        service.at += timedelta(seconds=1)
        await pilot.press("R")
        said = "Not sent: no position in this market."
        await until(pilot, lambda: said in line(screen, "notice"), "the other reason")
        assert not sent(app)


async def test_a_refusal_of_the_second_keeps_the_first_back() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        clear(app)
        await settle(pilot)
        app.market.service.refusal = Rejected("Over your limit of $50.00 for an order")
        await pilot.press("R")
        said = "Not sent: Over your limit of $50.00 for an order."
        await until(pilot, lambda: said in line(screen, "notice"), "the refusal")
        assert not sent(app)


async def test_too_late_an_answer_sends_neither() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        clear(app)
        await settle(pilot)
        app.market.service.prepares_for_s = 1.5
        await pilot.press("R")
        said = "Not sent: the service took 3 s to answer; press again."
        await until(pilot, lambda: said in line(screen, "notice"), "the refusal")
        assert not sent(app)


async def test_from_an_unproven_book_both_are_journaled_as_permitted() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        await armed(app, pilot)
        clear(app)
        service = app.market.service
        service.books[YES] = replace(service.books[YES], state=BookState.STALE, version=99)
        service.announce(BookTopic(YES))
        await settle(pilot)
        await pilot.press("R")
        assert not sent(app)
        await pilot.press("exclamation_mark")
        service.at += timedelta(seconds=1)
        await pilot.press("exclamation_mark", "R")
        await until(pilot, lambda: len(sent(app)) == 2, "both orders")
        for (call,) in (service.calls_of("flatten"), service.calls_of("place")):
            assert any(str(each).startswith("reversing from a book that is stale") for each in call)


def order(side: Side, outcome: str, price: float) -> PreparedOrder:
    intent = LimitIntent(CONDITION, YES, side, cents(price), Micros(100_000_000))
    made = FakeService().prepare_now(intent)
    assert isinstance(made, PreparedOrder)
    return replace(made, outcome=outcome)


REVERSAL = Reversal(
    clearing=Clearing((), YES),
    sale=order(Side.SELL, "Yes", 44), entry=order(Side.BUY, "No", 55), warnings=("large: $55.00",),
)  # fmt: skip
SALE_ID, ENTRY_ID = REVERSAL.sale.order_id, REVERSAL.entry.order_id


def end(status: OrderStatus, shares: int, cash: float) -> Accepted:
    size = Micros(shares * 1_000_000)
    return Accepted(SALE_ID, status, size, "delayed", Micros(int(cash * 1_000_000)))


SOLD, BOUGHT = end(OrderStatus.FILLED, 100, 46.1), end(OrderStatus.FILLED, 100, 54.3)
UNSENT = Rejected("Not sent: single keys were disarmed")


@pytest.mark.parametrize(
    ("sold", "bought", "said"),
    [
        (SOLD, BOUGHT, "Reversed: sold 100 Yes @ 46.1¢, bought 100 No @ 54.3¢."),
        (SOLD, end(OrderStatus.CANCELLED, 60, 32.4),
         "Reversed in part: sold 100 Yes @ 46.1¢, bought 60 of 100 No @ 54¢; net 60 No."),
        (replace(SOLD, filled_fee=Micros(1_180_000)), replace(BOUGHT, filled_fee=Micros(1_170_000)),
         "Reversed: sold 100 Yes @ 46.1¢, bought 100 No @ 54.3¢, fees $2.35."),
        (SOLD, UNSENT,
         "Flat: sold 100 Yes @ 46.1¢; BUY 100 No not sent: single keys were disarmed."),
        (SOLD, Rejected("not enough balance / allowance"),
         "Flat: sold 100 Yes @ 46.1¢; BUY 100 No @ 55¢ refused: not enough balance / allowance"),
        (SOLD, Rejected("no orders found to match with FAK order."),
         "Flat: sold 100 Yes @ 46.1¢; BUY 100 No @ 55¢: no fill, the ask was gone."),
        (SOLD, Unknown(ENTRY_ID, "no answer within 10 s", NOW),
         "Sold 100 Yes @ 46.1¢; BUY 100 No @ 55¢ unconfirmed, checking: no answer within 10 s"),
        (SOLD, end(OrderStatus.DELAYED, 0, 0),
         "Sold 100 Yes @ 46.1¢; BUY 100 No @ 55¢ accepted, delayed by the venue. Its fill shows here."),
        (end(OrderStatus.CANCELLED, 40, 18.4), UNSENT,
         "Not reversed: sold 40 of 100 Yes @ 46¢, net 60 Yes left; BUY 100 No not sent."),
        (Rejected("no balance"), UNSENT,
         "SELL 100 Yes @ 44¢ refused: no balance; BUY 100 No not sent."),
        (Rejected("Not sold: your BUY 10 Yes @ 46¢ stayed: order is delayed", is_blocked_by_own=True), UNSENT,
         "Not sold: your BUY 10 Yes @ 46¢ stayed: order is delayed: R to retry; BUY 100 No not sent."),
        (Unknown(SALE_ID, "no answer", NOW), UNSENT,
         "SELL 100 Yes @ 44¢ unconfirmed, checking: no answer; BUY 100 No not sent."),
    ],
)  # fmt: skip
def test_the_end_says_what_was_done_and_what_was_not(
    sold: Verdict, bought: Verdict, said: str
) -> None:
    ended = describe_reversed(REVERSAL, sold, bought, if_not_sold="R to retry")
    # Nothing was sent, so there is nothing to warn about.
    assert ended == said if isinstance(sold, Rejected) else ended == f"{said} ! large: $55.00"
    cleared = describe_reversed(REVERSAL, SOLD, BOUGHT, cleared="cancelled 1 ask")
    assert "bought 100 No @ 54.3¢; cancelled 1 ask. ! large" in cleared


@pytest.mark.parametrize("is_whole", [True, False])
async def test_half_a_reversal_is_said_over_a_newer_refusal(*, is_whole: bool) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await armed(app, pilot)
        clear(app)
        await settle(pilot)
        service = app.market.service
        service.is_holding = True
        await pilot.press("R")
        await until(pilot, lambda: len(sent(app)) == 2, "both orders")
        await pilot.press("B")
        refusal = "Put the cursor on a price first"
        await until(pilot, lambda: refusal in line(screen, "notice"), "another key")
        sale, entry = sent(app)
        end_of_entry = filled(entry, 612.74) if is_whole else UNSENT
        service.verdicts = [filled(sale, 646), end_of_entry]
        service.release()
        await settle(pilot)
        assert (refusal in line(screen, "notice")) is is_whole
        assert ("Flat: sold" in line(screen, "notice")) is not is_whole
