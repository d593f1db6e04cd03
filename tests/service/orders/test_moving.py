"""Cancel and replace as one action: what is at the venue when it ends is what the verdict says."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import not_sold
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import (
    Accepted,
    CancelResult,
    Fill,
    MoveEnd,
    MoveVerdict,
    Order,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    Rejected,
    TimeInForce,
    TradeChanged,
    Unknown,
    Verdict,
)
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.orders.moving import PROOF_WITHIN_S
from pmtui.service.profile import Tuning
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic
from tests.service.book_kit import snapshot, watching
from tests.service.fakes import CONDITION, NO, YES, World, fill, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, said, until

OLD = OrderId("0x" + "0a" * 32)
HIGHER = replace(BUY, price=Micros(410_000))


def part_of_old(size: int, **changes: object) -> Fill:
    return replace(fill(OLD, size=Micros(size)), **changes)  # type: ignore[arg-type]


async def with_old(world: World) -> PreparedOrder:
    """Let an order rest, and prepare the one that is to take its place."""
    world.account.open[OLD] = resting(OLD)
    await world.pass_time(11)
    return await prepared(world, HIGHER)


async def moved(world: World, replacement: PreparedOrder) -> MoveVerdict:
    commands = world.service.commands
    command = commands.move(OLD, replacement.order_id)
    told: list[MoveVerdict] = []

    async def wait() -> None:
        told.append(await commands.move_verdict(command))

    task = asyncio.ensure_future(wait())
    await until(world, lambda: told, "the move has ended")
    await task
    return told[0]


async def test_a_move_cancels_first_and_then_sends_what_was_confirmed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await with_old(world)
        verdict = await moved(world, order)
        assert verdict.end is MoveEnd.MOVED
        assert isinstance(verdict.placed, Accepted)
        assert world.account.cancelled == [(OLD,)]
        assert world.account.posted == [order.unsigned.order_id.encode()]
        (live,) = world.service.queries.account().open_orders
        assert (live.order_id, live.price) == (order.unsigned.order_id, 410_000)
        # One action: both orders' lives name the other.
        entries = await journal.entries(order.unsigned.order_id)
        assert not isinstance(entries, JournalProblem)
        kinds = [e.kind for e in entries]
        assert kinds.index("move") < kinds.index("intent")
        assert OLD in entries[0].text
        assert [e.text.partition(":")[0] for e in entries if e.kind == "move"][-1] == "moved"


async def test_a_post_only_order_stays_where_its_new_price_would_cross(world: World) -> None:
    await watching(world)
    world.stream.send(snapshot(bid="0.41", ask="0.43"))
    world.account.open[OLD] = resting(OLD)
    await world.pass_time(11)
    world.stream.send(snapshot(bid="0.41", ask="0.43"))
    passive = await prepared(world, replace(HIGHER, is_post_only=True))
    # The market comes to the new price after it was confirmed.
    world.stream.send(snapshot(bid="0.40", ask="0.41"))
    verdict = await moved(world, passive)
    assert verdict.end is MoveEnd.NOT_MOVED
    assert verdict.text == "Not moved: it would cross at 41¢; the order stays"
    assert world.account.cancelled == []
    assert world.account.posted == []
    # An order that may take is moved there.
    verdict = await moved(world, await prepared(world, HIGHER))
    assert verdict.end is MoveEnd.MOVED


async def test_the_new_order_waits_until_the_cancel_is_answered(world: World) -> None:
    order = await with_old(world)
    world.account.cancel_answers = [lost("DELETE /order")]
    world.service.commands.move(OLD, order.order_id)
    await world.pass_time(0.3)
    assert world.account.posted == []
    await until(world, lambda: world.account.posted, "the repeated cancel is answered")
    assert world.account.cancelled == [(OLD,), (OLD,)]


async def test_nothing_is_sent_while_nobody_answers_the_cancel(world: World) -> None:
    order = await with_old(world)
    world.account.cancel_failure = lost("DELETE /order")
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.UNKNOWN
    assert "Nothing new was sent" in verdict.text
    await world.pass_time(60)
    assert world.account.posted == []
    # The cancel alone is asked on and on; it cannot harm.
    assert len(world.account.cancelled) > 3


async def test_a_lost_cancel_that_the_stream_confirms_is_followed_by_the_new_order(
    world: World,
) -> None:
    order = await with_old(world)
    world.account.cancel_answers = [
        lost("DELETE /order"),
        CancelResult((), ((OLD, "Order not found or already canceled"),)),
    ]
    command = world.service.commands.move(OLD, order.order_id)
    await world.pass_time(0.1)
    world.account.open.clear()
    gone = resting(OLD, status=OrderStatus.CANCELLED)
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, gone, None))
    await until(world, lambda: world.account.posted, "the new order leaves")
    verdict = await world.service.commands.move_verdict(command)
    assert verdict.end is MoveEnd.MOVED


async def test_what_is_gone_for_another_reason_is_not_replaced(world: World) -> None:
    order = await with_old(world)
    world.account.cancel_answers = [
        CancelResult((), ((OLD, "Order not found or already canceled"),))
    ]
    gone = resting(OLD, status=OrderStatus.CANCELLED, reason="not enough balance")
    command = world.service.commands.move(OLD, order.order_id)
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, gone, None))
    await world.pass_time(5)
    assert (await world.service.commands.move_verdict(command)).end is MoveEnd.NOT_MOVED
    assert world.account.posted == []


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_cancel_while_it_is_being_moved_wins(world: World, *, by_name: bool) -> None:
    order = await with_old(world)
    world.account.cancel_answers = [lost("DELETE /order")]
    commands = world.service.commands
    command = commands.move(OLD, order.order_id)
    await world.pass_time(0.1)
    _ = commands.cancel([OLD]) if by_name else commands.cancel_all()
    await world.pass_time(5)
    assert (await commands.move_verdict(command)).end is not MoveEnd.MOVED
    assert world.account.posted == []


async def test_a_cancel_of_another_market_stops_no_move(world: World) -> None:
    order = await with_old(world)
    commands = world.service.commands
    world.account.read_failure = lost("GET /data/trades")
    command = commands.move(OLD, order.order_id)
    await until(world, lambda: world.account.cancelled, "the old one is cancelled")
    _ = commands.cancel_market(ConditionId("0x0ther"), None)
    world.account.read_failure = None
    await world.pass_time(2)
    assert (await commands.move_verdict(command)).end is MoveEnd.MOVED


async def test_an_order_that_filled_meanwhile_is_not_moved(world: World) -> None:
    order = await with_old(world)
    world.account.refuses_to_cancel = {OLD: "order already matched"}
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_MOVED
    assert "order already matched" in verdict.text
    assert world.account.posted == []


async def test_only_what_is_left_of_it_is_placed_again(world: World) -> None:
    order = await with_old(world)
    world.account.own_fills = (part_of_old(4_000_000),)
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.MOVED
    (live,) = world.service.queries.account().open_orders
    assert (live.original_size, live.price) == (6_000_000, 410_000)
    # Not the confirmed one: that would have been four shares too many.
    assert world.account.posted != [order.unsigned.order_id.encode()]


@pytest.mark.parametrize(("wanted", "filled", "placed"), [(25, 0, 25), (25, 4, 21), (9, 3, 6)])
async def test_a_changed_size_counts_what_filled_meanwhile(
    world: World, wanted: int, filled: int, placed: int
) -> None:
    world.account.open[OLD] = resting(OLD)
    await world.pass_time(11)
    _ = await prepared(world)
    intent = replace(BUY, size=Micros(wanted * 1_000_000))
    order = await world.service.commands.prepare(intent, replacing=OLD)
    assert isinstance(order, PreparedOrder)
    assert order.replaces_size == 10_000_000
    if filled:
        world.account.own_fills = (part_of_old(filled * 1_000_000),)
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.MOVED
    (live,) = world.service.queries.account().open_orders
    assert (live.original_size, live.price) == (placed * 1_000_000, BUY.price)


async def test_what_is_left_below_the_minimum_is_not_placed_again(world: World) -> None:
    order = await with_old(world)
    world.account.own_fills = (part_of_old(6_000_000),)
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_REPLACED
    assert "minimum of 5" in verdict.text
    assert world.account.posted == []


async def test_nothing_is_placed_where_the_fills_cannot_be_read(world: World) -> None:
    order = await with_old(world)
    world.account.read_failure = lost("GET /data/trades")
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_REPLACED
    # Part of it may be bought: its whole size is not offered again.
    assert verdict.left_out is None
    assert world.account.posted == []


def cancelled_by_stream(world: World, matched: int) -> None:
    """Let the user stream report that the old order is gone, with what it had matched."""
    gone = resting(OLD, status=OrderStatus.CANCELLED, matched_size=Micros(matched))
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, gone, None))


async def test_nothing_is_placed_without_the_cancelled_orders_own_record(world: World) -> None:
    order = await with_old(world)
    # Its trades are complete, and may be out of date.
    world.account.remembers_cancelled = False
    started_s = world.clock.monotonic()
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_REPLACED
    assert verdict.left_out is None
    assert PROOF_WITHIN_S <= world.clock.monotonic() - started_s <= PROOF_WITHIN_S + 1
    assert world.account.posted == []


@pytest.mark.parametrize("matched", [0, 4_000_000])
async def test_the_streams_record_of_a_cancelled_order_is_its_own(
    world: World, matched: int
) -> None:
    order = await with_old(world)
    world.account.remembers_cancelled = False
    command = world.service.commands.move(OLD, order.order_id)
    await world.pass_time(1)
    cancelled_by_stream(world, matched)
    if matched:
        await world.pass_time(2)
        # Its trades say less: they are late.
        assert world.account.posted == []
        world.user_stream.send(TradeChanged((part_of_old(matched),), None))
    await until(world, lambda: world.account.posted, "the new order leaves")
    assert (await world.service.commands.move_verdict(command)).end is MoveEnd.MOVED
    (live,) = world.service.queries.account().open_orders
    assert live.original_size == 10_000_000 - matched


async def test_a_record_and_trades_that_go_on_disagreeing_stop_a_move(world: World) -> None:
    order = await with_old(world)
    world.account.open[OLD] = resting(
        OLD, matched_size=Micros(3_000_000), status=OrderStatus.PARTIALLY_FILLED
    )
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_REPLACED
    assert world.account.posted == []


async def test_what_fills_after_the_cancel_was_confirmed_is_not_bought_again(world: World) -> None:
    order = await with_old(world)
    world.account.remembers_cancelled = False
    command = world.service.commands.move(OLD, order.order_id)
    await world.pass_time(1)
    # Matched before it was cancelled, heard of after that.
    world.user_stream.send(TradeChanged((part_of_old(2_000_000),), None))
    cancelled_by_stream(world, 5_000_000)
    late = part_of_old(3_000_000, trade_id=TradeId("t2"))
    await world.pass_time(1)
    world.account.own_fills = (late, part_of_old(2_000_000))
    await until(world, lambda: world.account.posted, "the new order leaves")
    assert (await world.service.commands.move_verdict(command)).end is MoveEnd.MOVED
    (live,) = world.service.queries.account().open_orders
    assert live.original_size == 5_000_000


async def test_nothing_is_cancelled_while_the_order_stream_is_down(world: World) -> None:
    order = await with_old(world)
    assert world.user_stream.link is not None
    world.user_stream.link(Link(LinkState.DOWN, 1, "reset"))
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_MOVED
    assert "stream is down" in verdict.text
    assert world.account.cancelled == []


async def test_an_order_that_ends_too_soon_is_not_cancelled_for_a_move(world: World) -> None:
    end = world.clock.now() + timedelta(seconds=200)
    world.account.open[OLD] = resting(OLD, time_in_force=TimeInForce.GTD, expires_at=end)
    await world.pass_time(11)
    gtd = replace(HIGHER, time_in_force=TimeInForce.GTD, expires_at=end)
    order = await prepared(world, gtd)
    # The card was looked at for too long, by the venue's clock.
    world.trading.time = end - timedelta(seconds=110)
    await world.pass_time(61)
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_MOVED
    assert world.account.cancelled == []


async def test_an_order_is_moved_again_and_again_for_what_is_left(world: World) -> None:
    order = await with_old(world)
    world.account.own_fills = (part_of_old(2_000_000),)
    assert (await moved(world, order)).end is MoveEnd.MOVED
    (second,) = world.service.queries.account().open_orders
    assert second.original_size == 8_000_000
    world.account.open[second.order_id] = second
    commands = world.service.commands
    next_one = await commands.prepare(
        replace(BUY, price=Micros(420_000), size=second.remaining_size), replacing=second.order_id
    )
    assert isinstance(next_one, PreparedOrder)
    part = part_of_old(1_000_000, order_id=second.order_id, trade_id=TradeId("t2"))
    world.account.own_fills = (part, part_of_old(2_000_000))
    command = commands.move(second.order_id, next_one.order_id)
    await until(world, lambda: len(world.account.posted) == 2, "the third order leaves")
    assert (await commands.move_verdict(command)).end is MoveEnd.MOVED
    (third,) = world.service.queries.account().open_orders
    assert third.original_size == 7_000_000


async def test_a_move_that_was_cut_off_is_looked_up_by_the_id_that_was_sent(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        order = await with_old(world)
        world.account.own_fills = (part_of_old(4_000_000),)
        world.account.stalls = True
        _ = world.service.commands.move(OLD, order.order_id)
        await until(world, lambda: world.account.posted, "the smaller order leaves")
        (sent,) = world.account.posted
        assert sent != order.unsigned.order_id.encode()
        await world.catch_up()
    journal = Journal(tmp_path / "journal.sqlite")
    moves = await journal.cut_off_moves()
    entries = await journal.entries(OrderId(sent.decode()))
    await journal.close()
    assert not isinstance(moves, JournalProblem)
    assert not isinstance(entries, JournalProblem)
    assert [(move.old, move.new, move.was_sent) for move in moves] == [
        (OLD, OrderId(sent.decode()), True)
    ]
    kinds = [entry.kind for entry in entries]
    assert kinds.index("move") < kinds.index("intent")


async def test_a_trade_that_cannot_be_read_stops_a_move_only_where_it_may_be_of_its_order(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        order = await with_old(world)
        world.account.unread_fills = (frozenset({OrderId("0x77")}),)
        assert (await moved(world, order)).end is MoveEnd.MOVED
    (tmp_path / "second").mkdir()
    async with running_world(tmp_path / "second") as world:
        order = await with_old(world)
        world.account.unread_fills = (frozenset({OLD}),)
        verdict = await moved(world, order)
        assert verdict.end is MoveEnd.NOT_REPLACED
        assert world.account.posted == []


async def test_a_refused_replacement_says_that_the_old_order_is_gone(world: World) -> None:
    order = await with_old(world)
    words = "not enough balance / allowance"
    world.account.answers = [Failure(FailureKind.REFUSED, "POST /order", words, 400)]
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.NOT_REPLACED
    assert isinstance(verdict.placed, Rejected)
    assert verdict.left_out == HIGHER
    assert said(world, "Cancelled, not replaced")
    assert world.service.queries.account().open_orders == ()


async def test_a_lost_replacement_is_unknown_and_looked_for(world: World) -> None:
    order = await with_old(world)
    new_id = order.unsigned.order_id
    world.account.answers = [lost()]
    verdict = await moved(world, order)
    assert verdict.end is MoveEnd.UNKNOWN
    assert isinstance(verdict.placed, Unknown)
    world.account.known[new_id] = resting(new_id)

    def is_found() -> bool:
        orders = world.service.queries.account().open_orders
        return [o.status for o in orders] == [OrderStatus.LIVE]

    await until(world, is_found, "the new order is found")
    assert len(world.account.posted) == 1


async def test_an_order_that_is_not_there_is_not_moved(world: World) -> None:
    order = await prepared(world, HIGHER)
    assert (await moved(world, order)).end is MoveEnd.NOT_MOVED
    assert world.account.cancelled == []


async def test_nothing_is_cancelled_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with running_world(tmp_path, journal=Journal(blocked / "journal.sqlite")) as world:
        order = await with_old(world)
        verdict = await moved(world, order)
        assert verdict.end is MoveEnd.NOT_MOVED
        assert world.account.cancelled == []


SELL = replace(BUY, side=Side.SELL, price=Micros(350_000), time_in_force=TimeInForce.FAK)


async def test_a_position_is_sold_after_its_open_sales_are_gone(world: World) -> None:
    sale = resting(OLD, side=Side.SELL, price=Micros(600_000), original_size=Micros(6_000_000))
    world.account.open[OLD] = sale
    await world.pass_time(11)
    order = await prepared(world, SELL)
    command = world.service.commands.flatten(order.order_id, (sale,))
    assert isinstance(await world.service.commands.verdict(command), Accepted)
    assert world.account.cancelled == [(OLD,)]
    assert world.account.posted == [order.unsigned.order_id.encode()]


async def test_what_the_open_sales_sold_meanwhile_is_not_sold_again(world: World) -> None:
    sale = resting(OLD, side=Side.SELL, price=Micros(600_000), original_size=Micros(6_000_000))
    world.account.open[OLD] = sale
    await world.pass_time(11)
    order = await prepared(world, SELL)
    world.account.own_fills = (part_of_old(4_000_000, side=Side.SELL),)
    world.account.answers = [PostResult(None, None, "no orders found to match")]
    command = world.service.commands.flatten(order.order_id, (sale,), override="of a stale book")
    await world.service.commands.verdict(command)
    entries = world.service.queries.log().entries
    assert any("Sell 6 Yes at 35¢" in entry.text for entry in entries)
    assert world.account.posted != [order.unsigned.order_id.encode()]
    # What was permitted is kept with the order that leaves, not with the one it stands for.
    (noted,) = (entry for entry in entries if entry.text == "Override: of a stale book")
    assert world.account.posted == [(noted.order_id or "").encode()]
    # Another run must not take the sale that was asked for as one that never left.
    lines = await world.service._journal.entries(order.order_id)
    assert not isinstance(lines, JournalProblem)
    assert [(e.kind, e.text) for e in lines] == [
        ("resized", f"leaves with fewer shares, as {noted.order_id}")
    ]


async def test_the_same_sale_leaves_only_once_though_less_of_it_is_left(world: World) -> None:
    sale = resting(OLD, side=Side.SELL, price=Micros(600_000), original_size=Micros(6_000_000))
    world.account.open[OLD] = sale
    await world.pass_time(11)
    order = await prepared(world, SELL)
    world.account.own_fills = (part_of_old(4_000_000, side=Side.SELL),)
    commands = world.service.commands
    first, second = (
        commands.flatten(order.order_id, (sale,)),
        commands.flatten(order.order_id, (sale,)),
    )
    assert isinstance(await commands.verdict(second), Rejected)
    assert isinstance(await commands.verdict(first), Accepted)
    assert len(world.account.posted) == 1


async def test_nothing_is_sold_while_an_open_sale_stays(world: World) -> None:
    sale = resting(OLD, side=Side.SELL)
    world.account.open[OLD] = sale
    await world.pass_time(11)
    order = await prepared(world, SELL)
    world.account.cancel_answers = [CancelResult((), ((OLD, "order is delayed"),))]
    command = world.service.commands.flatten(order.order_id, (sale,))
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    assert "order is delayed" in verdict.reason
    assert world.account.posted == []


async def bidding(world: World, token: TokenId = YES, price: int = 360_000) -> Order:
    """Rest an order of ours that a sale of Yes meets."""
    side = Side.BUY if token == YES else Side.SELL
    bid = resting(OLD, token_id=token, side=side, price=Micros(price))
    world.account.open[OLD] = bid
    await world.pass_time(11)
    return bid


@pytest.mark.parametrize(("token", "price"), [(YES, 360_000), (NO, 640_000)])
async def test_own_bids_are_surely_gone_before_a_position_is_sold(
    world: World, token: TokenId, price: int
) -> None:
    bid = await bidding(world, token, price)
    order = await prepared(world, SELL)
    world.account.cancel_answers = [lost("DELETE /order")]
    command = world.service.commands.flatten(order.order_id, (bid,))
    await world.pass_time(0.3)
    assert world.account.posted == []
    await until(world, lambda: world.account.posted, "the repeated cancel is answered")
    assert isinstance(await world.service.commands.verdict(command), Accepted)
    assert world.account.cancelled == [(OLD,), (OLD,)]


async def test_nothing_is_sold_into_a_bid_whose_cancel_nobody_answers(world: World) -> None:
    bid = await bidding(world)
    order = await prepared(world, SELL)
    world.account.cancel_failure = lost("DELETE /order")
    told: list[Verdict] = []
    command = world.service.commands.flatten(order.order_id, (bid,))

    async def wait() -> None:
        told.append(await world.service.commands.verdict(command))

    task = asyncio.ensure_future(wait())
    await until(world, lambda: told, "it is said")
    await task
    assert told == [not_sold("no answer to the cancels before it")]
    await world.pass_time(30)
    assert world.account.posted == []


async def test_nothing_is_sold_into_a_bid_that_stays(world: World) -> None:
    bid = await bidding(world)
    order = await prepared(world, SELL)
    world.account.cancel_answers = [CancelResult((), ((OLD, "order is delayed"),))]
    verdict = await world.service.commands.verdict(
        world.service.commands.flatten(order.order_id, (bid,))
    )
    assert verdict == not_sold("your BUY 10 Yes @ 36¢ stayed: order is delayed")
    assert world.account.posted == []


async def test_nothing_is_sold_into_a_bid_that_came_after_the_plan(world: World) -> None:
    await bidding(world)
    order = await prepared(world, SELL)
    verdict = await world.service.commands.verdict(
        world.service.commands.flatten(order.order_id, ())
    )
    assert verdict == not_sold("your BUY 10 Yes @ 36¢ came in its way")
    assert world.account.posted == []


async def test_a_position_without_open_sales_is_sold_at_once(world: World) -> None:
    order = await prepared(world, SELL)
    command = world.service.commands.flatten(order.order_id, ())
    assert isinstance(await world.service.commands.verdict(command), Accepted)
    assert world.account.cancelled == []


async def test_the_next_session_tells_once_of_a_move_that_was_cut_off(tmp_path: Path) -> None:
    new = OrderId("0x" + "0b" * 32)
    journal = Journal(tmp_path / "journal.sqlite")
    line = f"to be replaced by {new}: 10 at 41¢"
    at = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)
    assert await journal.append("move", line, at=at, order_id=OLD) is None
    await journal.close()
    for session in ("first", "second"):
        async with running_world(tmp_path) as world:
            told = said(world, "A move from the last session was cut off: 10 at 41¢ was not sent")
            assert told is (session == "first")


async def test_a_move_that_ended_is_not_told_of_again(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        assert (await moved(world, await with_old(world))).end is MoveEnd.MOVED
    async with running_world(tmp_path) as world:
        assert not said(world, "was cut off")


async def test_an_order_and_its_replacement_count_once_against_the_limits(tmp_path: Path) -> None:
    tuning = Tuning(limits=Limits(total=Micros(5_000_000)))
    async with running_world(tmp_path, tuning=tuning) as world:
        world.account.open[OLD] = resting(OLD)
        await world.pass_time(11)
        await world.watch(MarketTopic(CONDITION))
        commands = world.service.commands
        # Beside the old order it would be too much; in its place it is not.
        assert isinstance(await commands.prepare(HIGHER), Rejected)
        order = await commands.prepare(HIGHER, replacing=OLD)
        assert isinstance(order, PreparedOrder)
        assert (await moved(world, order)).end is MoveEnd.MOVED


async def test_what_the_limits_refuse_leaves_the_old_order_alone(tmp_path: Path) -> None:
    tuning = Tuning(limits=Limits(total=Micros(8_500_000)))
    async with running_world(tmp_path, tuning=tuning) as world:
        order = await with_old(world)
        other = OrderId("0x" + "0c" * 32)
        world.account.open[other] = resting(other, original_size=Micros(12_000_000))
        await world.pass_time(11)
        verdict = await moved(world, order)
        assert verdict.end is MoveEnd.NOT_MOVED
        assert world.account.cancelled == []


async def test_an_order_is_moved_once_at_a_time(world: World) -> None:
    first = await with_old(world)
    commands = world.service.commands
    second = await commands.prepare(replace(HIGHER, price=Micros(420_000)), replacing=OLD)
    assert isinstance(second, PreparedOrder)
    begun = commands.move(OLD, first.order_id)
    refused = await commands.move_verdict(commands.move(OLD, second.order_id))
    assert refused.end is MoveEnd.NOT_MOVED
    await until(world, lambda: world.account.posted, "the first one goes on")
    assert (await commands.move_verdict(begun)).end is MoveEnd.MOVED
    assert world.account.posted == [first.unsigned.order_id.encode()]
