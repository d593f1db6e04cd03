"""Opening the ticket, selling a position and cancelling a market, without a terminal."""

from dataclasses import replace

import pytest

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO
from pmtui.domain.orders.order import Rejected
from pmtui.ui.account.action_cards import FlattenCard
from pmtui.ui.market.controls.workspace import Part
from tests.ui import believable
from tests.ui.fake_surface import READ_ONLY_STATUS
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import CONDITION, NO, YES


@pytest.mark.parametrize(("side", "touch"), [(Side.BUY, 54), (Side.SELL, 52)])
def test_the_ticket_opens_at_the_touch_while_nothing_is_pointed_at(side: Side, touch: int) -> None:
    desk = Desk()
    desk.trading.open_at_cursor(side)
    assert desk.ticket.opened == [(side, cents(touch))]
    assert Part.TICKET in desk.page.shown


@pytest.mark.parametrize(("side", "touch"), [(Side.BUY, 54), (Side.SELL, 52)])
def test_the_ticket_opens_at_what_others_quote(side: Side, touch: int) -> None:
    desk = Desk()
    book = desk.service.books[YES]
    levels = book.asks if side is Side.BUY else book.bids
    mine = replace(
        believable.order(9, side=side.opposite), price=levels[0].price, condition_id=CONDITION,
        token_id=YES, original_size=levels[0].size, matched_size=ZERO,
    )  # fmt: skip
    desk.set_orders(mine)
    desk.trading.open_at_cursor(side)
    assert desk.ticket.opened == [(side, levels[1].price)]
    assert levels[0].price == cents(touch)


def test_the_ticket_opens_at_the_cursor() -> None:
    desk = Desk()
    desk.ladder.point_at(cents(47))
    desk.trading.open_at_cursor(Side.SELL)
    assert desk.ticket.opened == [(Side.SELL, cents(47))]


@pytest.mark.parametrize("state", [state for state in BookState if not state.is_good])
def test_a_book_that_may_be_wrong_gives_the_ticket_no_price(state: BookState) -> None:
    desk = Desk()
    desk.set_state(state)
    desk.trading.open_at_cursor(Side.BUY)
    assert desk.ticket.opened == [(Side.BUY, None)]


def test_a_ticket_that_does_not_open_says_why_and_ignores_what_is_typed_for_it() -> None:
    desk = Desk()
    desk.service.status_view = READ_ONLY_STATUS
    desk.trading.open_at_cursor(Side.BUY)
    assert not desk.ticket.opened
    assert desk.said == "Read-only: no key."
    assert desk.line.ignores_key()


async def test_a_whole_position_is_sold_after_its_card_only() -> None:
    desk = Desk()
    desk.set_orders()
    await desk.trading.flatten()
    assert isinstance(desk.page.asked[0], FlattenCard)
    await desk.page.answer(False)
    assert not desk.service.calls_of("flatten")
    await desk.page.answer(True)
    (order,) = desk.placed("flatten")
    assert order.intent.side is Side.SELL
    await desk.page.finish()
    assert desk.said


async def test_a_refused_sale_is_said() -> None:
    desk = Desk()
    desk.set_orders()
    desk.service.verdicts = [Rejected("no orders found to match with FAK order")]
    await desk.trading.flatten()
    await desk.page.answer(True)
    await desk.page.finish()
    assert "no orders found" in desk.said


async def test_nothing_held_is_nothing_to_sell() -> None:
    desk = Desk()
    await desk.trading.flatten()
    assert "still being checked" in desk.said
    desk.service.account_view = replace(desk.service.account_view, positions=())
    await desk.trading.flatten()
    assert not desk.page.asked
    assert desk.said.startswith("Nothing to sell")


async def test_what_is_left_of_pairs_is_dust_and_the_keys_that_merge_are_said_first() -> None:
    desk = Desk()
    desk.set_orders()
    desk.hold(yes=24.961122, no=24.96)
    await desk.trading.flatten()
    assert not desk.page.asked
    assert desk.said.startswith(
        "24.96 pairs stay: p M merges them. Nothing to sell: 0.001122 shares are dust"
    )


async def test_a_named_outcome_is_sold_only_where_more_of_it_is_held() -> None:
    desk = Desk()
    desk.set_orders()
    desk.hold(yes=50, no=45)
    desk.reader.outcome_index = 1
    await desk.trading.flatten(is_shown_only=True)
    assert not desk.page.asked
    assert desk.said == "All 45 No are paired with Yes: p M merges them."
    desk.hold(yes=50, no=0)
    await desk.trading.flatten(is_shown_only=True)
    assert desk.said == "Nothing to sell: no position in No."
    # Without a name it is the market that is flattened, whichever outcome is on show.
    await desk.trading.flatten()
    await desk.page.answer(True)
    (order,) = desk.placed("flatten")
    assert (order.intent.token_id, order.size) == (YES, cents(5000))
    await desk.page.finish()


async def test_a_market_is_cancelled_without_a_question() -> None:
    desk = Desk()
    desk.trading.cancel_market()
    assert not desk.page.asked
    assert desk.service.calls_of("cancel_market") == [(CONDITION, None)]
    await desk.page.finish()
    assert "in this market" in desk.said


def test_a_market_without_orders_asks_nothing() -> None:
    desk = Desk()
    desk.set_orders()
    desk.trading.cancel_market()
    assert not desk.page.asked
    assert desk.said == "No working orders in this market."


async def test_a_net_short_position_is_closed_by_selling_the_other_outcome() -> None:
    desk = Desk()
    desk.set_orders()
    account = desk.service.account_view
    held = account.positions[0]
    short = replace(held, token_id=NO, outcome="No", outcome_index=1)
    desk.service.account_view = replace(account, positions=(short,), balances=((NO, short.size),))
    await desk.trading.flatten()
    assert isinstance(desk.page.asked[0], FlattenCard)
    await desk.page.answer(True)
    (order,) = desk.placed("flatten")
    assert (order.intent.token_id, order.intent.side) == (NO, Side.SELL)
    await desk.page.finish()
