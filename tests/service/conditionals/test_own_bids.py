"""A conditional order and own bids: what protects is sent, and nobody trades with himself unstreamed."""

from dataclasses import replace

import pytest

from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.conditionals.conditional import ConditionalPlan, ConditionalState
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import CancelResult
from pmtui.service.conditionals.sales import PATIENCE_S
from pmtui.service.conditionals.triggers import LASTS_S
from tests.service.conditional_kit import PLAN, book, m, only, protected, triggered
from tests.service.fakes import NO, YES, World, resting
from tests.service.order_kit import said, until

MINE = OrderId("0x" + "0c" * 32)


async def bidding(
    world: World, price: str, *, plan: ConditionalPlan = PLAN, token: TokenId = YES
) -> None:
    """Protect what is held, with a bid of ours for twenty in the book."""
    await protected(world, plan)
    side = Side.BUY if token == YES else Side.SELL
    world.account.open[MINE] = resting(
        MINE, token_id=token, side=side, price=m(price), original_size=m("20"),
        outcome="Yes" if token == YES else "No",
    )  # fmt: skip
    await until(world, lambda: world.service.queries.account().open_orders, "the bid")


def bids(*levels: tuple[str, str]) -> BookSnapshot:
    return replace(book("0.5"), bids=tuple(TextLevel(price, size) for price, size in levels))


@pytest.mark.parametrize(("token", "price"), [(YES, "0.36"), (NO, "0.64")])
async def test_own_bids_are_cancelled_before_a_stop_sells(
    world: World, token: TokenId, price: str
) -> None:
    await bidding(world, price, token=token)
    world.account.before_answer = lambda: seen.append(tuple(world.account.cancelled))
    seen: list[object] = []
    await triggered(world)
    # The cancellation was answered before the sale was posted.
    assert seen == [((MINE,),)]
    what = "BUY 20 Yes" if token == YES else "SELL 20 No"
    price_said = "36¢" if token == YES else "64¢"
    assert said(world, f"Cancels your own {what} @ {price_said} first: it would self-trade")


async def test_bids_below_its_worst_price_stay(world: World) -> None:
    await bidding(world, "0.34")
    await triggered(world)
    assert world.account.cancelled == []


async def test_what_cannot_be_cancelled_in_time_does_not_keep_it_from_selling(world: World) -> None:
    await bidding(world, "0.36")
    world.account.stalled_cancels = 1
    world.stream.send(book("0.39"))
    await world.pass_time(PATIENCE_S - 0.5)
    assert world.account.posted == []
    await until(world, lambda: world.account.posted, "the sale leaves all the same")
    text = "sells though your own BUY 20 Yes @ 36¢ may still be there: up to 20 shares sold to yourself"
    assert said(world, text)


async def test_a_cancellation_that_is_answered_late_is_waited_for(world: World) -> None:
    await bidding(world, "0.36")
    world.account.cancel_answers = [CancelResult((), (), (MINE,))]
    await triggered(world)
    assert world.account.cancelled == [(MINE,), (MINE,)]
    assert not said(world, "may still be there")


async def test_what_the_venue_refuses_to_cancel_is_told_and_sold_all_the_same(world: World) -> None:
    await bidding(world, "0.36")
    world.account.cancel_answers = [CancelResult((), ((MINE, "order is being matched"),))]
    await triggered(world)
    assert said(world, "may still be there: up to 20 shares sold to yourself")


async def test_a_take_profit_waits_for_somebody_elses_bid(world: World) -> None:
    await bidding(world, "0.85")
    world.stream.send(bids(("0.85", "20"), ("0.60", "500")))
    await world.pass_time(30)
    assert (world.account.posted, world.account.cancelled) == ([], [])
    assert only(world).state is ConditionalState.WATCHING
    world.stream.send(bids(("0.85", "21"), ("0.60", "500")))
    await until(world, lambda: world.account.posted, "the sale leaves")
    assert world.account.cancelled == [(MINE,)]


async def test_a_bid_of_ones_own_holds_no_stop_up_for_long(world: World) -> None:
    await bidding(world, "0.50")
    world.stream.send(bids(("0.50", "20"), ("0.38", "500")))
    await world.pass_time(LASTS_S - 1)
    assert world.account.posted == []
    await until(world, lambda: world.account.posted, "the sale leaves")
    assert said(world, "Stop hit: bid 38¢ (excluding yours)")
    assert world.account.cancelled == [(MINE,)]


async def test_what_holds_a_stop_up_is_looked_at_anew_after_every_change(world: World) -> None:
    await bidding(world, "0.50")
    for _ in range(3):
        world.stream.send(bids(("0.50", "20"), ("0.38", "500")))
        await world.pass_time(LASTS_S - 1)
        # Somebody stands beside our bid.
        world.stream.send(bids(("0.50", "25"), ("0.38", "500")))
        await world.pass_time(2)
    assert world.account.posted == []


async def test_a_plan_is_checked_by_the_price_that_fires_it(world: World) -> None:
    await bidding(world, "0.50")
    _ = await world.service.commands.cancel_conditional(only(world).conditional_id)
    world.stream.send(bids(("0.50", "20"), ("0.39", "500")))
    await world.pass_time(1)
    protect = world.service.commands.protect
    refusal = await protect(PLAN)
    assert refusal == "The stop: bid 39¢: it would trigger now"
    assert await protect(replace(PLAN, stop=m("0.38"))) == ""
    await world.pass_time(30)
    assert world.account.posted == []


async def test_without_a_bid_at_its_worst_price_it_waits_loudly_and_sells_when_one_comes(
    world: World,
) -> None:
    await protected(world)
    world.stream.send(book("0.34"))
    await world.pass_time(30)
    assert world.account.posted == []
    assert only(world).state is ConditionalState.WATCHING
    (notice,) = (e for e in world.service.queries.log().entries if e.until_read)
    assert "NOT sold" in notice.text
    world.stream.send(book("0.35"))
    await until(world, lambda: world.account.posted, "the sale leaves")
