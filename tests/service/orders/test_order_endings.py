"""How orders end, and how an end is taken back: through the running service, over restarts too."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.domain.answers import Failure, Listing
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Fill,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    PostStatus,
)
from pmtui.domain.orders.own_orders import LAG_S
from pmtui.service.account.account import POLL_PERIOD_S
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem, read_fills, read_lives
from pmtui.service.markets.venue_clock import TRADE_MARGIN
from pmtui.service.orders.lost_orders import MISSING_PAUSE_S
from pmtui.service.views import Level
from tests.service.fakes import FakeAccountHost, World, fill, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, said, until, verdict_of

FIRST = OrderId("0x01")
PROVED_WITHIN_S = POLL_PERIOD_S + LAG_S + 2 * MISSING_PAUSE_S
"""That an order of long ago has ended elsewhere, with the user stream silent."""


def status_of(world: World, order_id: OrderId) -> OrderStatus | None:
    order = world.service.parts.account.feed.own.order(order_id)
    return order.status if order is not None else None


def journaled(tmp_path: Path) -> tuple[str | None, int]:
    """Return the state of the one order of a journal, and how many fills it holds."""
    path = tmp_path / "journal.sqlite"
    lives, fills = read_lives(path), read_fills(path)
    assert not isinstance(lives, JournalProblem)
    assert not isinstance(fills, JournalProblem)
    (life,) = lives
    return life.order.state, len(fills)


async def with_order(world: World) -> None:
    """Let an order rest that has been listed for longer than any answer may be out of date."""
    world.account.open = {FIRST: resting(FIRST)}
    await world.pass_time(POLL_PERIOD_S + LAG_S + 1)
    assert status_of(world, FIRST) is OrderStatus.LIVE


async def test_an_order_that_vanished_has_ended_only_after_several_looks(world: World) -> None:
    await with_order(world)
    world.account.open = {}
    await world.pass_time(LAG_S - 1)
    assert status_of(world, FIRST) is OrderStatus.LIVE
    await world.pass_time(PROVED_WITHIN_S - LAG_S + 1)
    assert status_of(world, FIRST) is OrderStatus.CANCELLED


@pytest.mark.parametrize(
    "step", [timedelta(hours=-1), timedelta(days=2), timedelta(seconds=8)], ids=str
)
async def test_a_clock_that_is_set_ends_no_order_and_keeps_none_open(
    world: World, step: timedelta
) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    await verdict_of(world, order)
    world.clock.set_wall(step)
    # Neither its list nor its own route shows it yet: both may be out of date by this much.
    await world.pass_time(LAG_S)
    world.account.open[order_id] = resting(order_id)
    await world.pass_time(LAG_S)
    assert status_of(world, order_id) is OrderStatus.LIVE
    world.clock.set_wall(-2 * step)
    world.account.open = {}
    await world.pass_time(PROVED_WITHIN_S)
    assert status_of(world, order_id) is OrderStatus.CANCELLED


async def test_an_order_that_is_listed_again_meanwhile_has_not_ended(world: World) -> None:
    await with_order(world)
    for _ in range(4):
        world.account.open = {}
        await world.pass_time(LAG_S)
        world.account.open = {FIRST: resting(FIRST)}
        await world.pass_time(POLL_PERIOD_S)
        assert status_of(world, FIRST) is OrderStatus.LIVE


async def test_an_incomplete_list_of_trades_ends_no_order(world: World) -> None:
    await with_order(world)
    world.account.open, world.account.unread_fills = {}, (None,)
    await world.pass_time(3 * PROVED_WITHIN_S)
    assert status_of(world, FIRST) is OrderStatus.LIVE
    world.account.unread_fills = ()
    await world.pass_time(PROVED_WITHIN_S)
    assert status_of(world, FIRST) is OrderStatus.CANCELLED


@dataclass
class HostWithLateTrades(FakeAccountHost):
    """Its trades are out of date."""

    now_s: Callable[[], float] = lambda: 0.0
    shown_from_s: float = 0.0

    @override
    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = 500,
    ) -> Listing[Fill] | Failure:
        if self.now_s() < self.shown_from_s:
            return Listing(())
        return await super().fills(after=after, before=before, max_pages=max_pages)


async def test_an_order_that_filled_is_not_called_cancelled_while_its_trades_are_late(
    tmp_path: Path,
) -> None:
    host = HostWithLateTrades()
    async with running_world(tmp_path, account=host) as world:
        await with_order(world)
        host.now_s = world.clock.monotonic
        host.open, host.own_fills = {}, (fill(FIRST),)
        host.shown_from_s = world.clock.monotonic() + LAG_S
        seen = set()
        while status_of(world, FIRST) is not OrderStatus.FILLED:
            seen.add(status_of(world, FIRST))
            await world.pass_time(0.5)
            assert world.clock.monotonic() < 120
        assert seen == {OrderStatus.LIVE}


async def test_a_cancellation_that_the_lists_contradict_is_taken_back(
    world: World, tmp_path: Path
) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    await verdict_of(world, order)
    world.account.open = {order_id: resting(order_id, matched_size=Micros(2_000_000))}
    gone = resting(order_id, status=OrderStatus.CANCELLED)
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, gone, None))
    await world.pass_time(LAG_S - 1)
    assert status_of(world, order_id) is OrderStatus.CANCELLED
    await world.pass_time(2 * POLL_PERIOD_S + 2)
    assert status_of(world, order_id) is OrderStatus.PARTIALLY_FILLED
    notices = world.service.queries.log().entries
    assert any(n.level is Level.WARNING and n.order_id == order_id for n in notices)
    await world.catch_up()
    assert journaled(tmp_path)[0] is None


async def rule_out(tmp_path: Path, *, start: datetime | None = None) -> OrderId:
    """Lose an order on its way, and end the session after it was ruled out."""
    options = {} if start is None else {"start": start}
    async with running_world(tmp_path, **options) as world:  # type: ignore[arg-type]
        order = await prepared(world)
        world.account.answers = [lost()]
        await verdict_of(world, order)
        order_id = order.unsigned.order_id
        await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")
        assert status_of(world, order_id) is OrderStatus.REJECTED
    assert journaled(tmp_path) == ("rejected", 0)
    return order_id


async def test_what_was_ruled_out_and_fills_before_the_next_session_is_journaled(
    tmp_path: Path,
) -> None:
    order_id = await rule_out(tmp_path)
    host = FakeAccountHost(own_fills=(fill(order_id),))
    async with running_world(tmp_path, account=host) as world:
        await until(
            world, lambda: status_of(world, order_id) is OrderStatus.FILLED, "its fill counts"
        )
    assert journaled(tmp_path) == ("filled", 1)


async def test_what_was_ruled_out_and_rests_in_the_next_session_is_open_again(
    tmp_path: Path,
) -> None:
    order_id = await rule_out(tmp_path)
    host = FakeAccountHost(open={order_id: resting(order_id)})
    async with running_world(tmp_path, account=host) as world:
        await until(world, lambda: status_of(world, order_id) is OrderStatus.LIVE, "it is listed")
        notices = world.service.queries.log().entries
        assert any(n.level is Level.WARNING and n.order_id == order_id for n in notices)
        # Confirmed at the venue when this session's clock had long moved on.
        world.account.own_fills = (fill(order_id, size=Micros(4_000_000)),)
        await until(
            world,
            lambda: status_of(world, order_id) is OrderStatus.PARTIALLY_FILLED,
            "its fill counts",
        )
    assert journaled(tmp_path) == (None, 1)


async def test_a_quiet_next_session_leaves_what_was_ruled_out_alone(tmp_path: Path) -> None:
    order_id = await rule_out(tmp_path)
    async with running_world(tmp_path) as world:
        await world.pass_time(60)
        assert status_of(world, order_id) is OrderStatus.REJECTED
        assert world.service.queries.account().open_orders == ()
        assert world.service.parts.account.feed.recent_orders() == ()
    assert journaled(tmp_path) == ("rejected", 0)


async def test_a_fill_that_is_heard_of_a_session_late_is_written_down_once(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        order = await prepared(world)
        order_id = order.unsigned.order_id
        world.account.answers = [
            PostResult(
                order_id, PostStatus.MATCHED, making_amount=order.cash, taking_amount=order.size
            )
        ]
        await verdict_of(world, order)
    assert journaled(tmp_path) == ("filled", 0)
    lines = []
    for _ in range(3):
        host = FakeAccountHost(own_fills=(fill(order_id),))
        async with running_world(tmp_path, account=host) as world:
            await world.pass_time(1)
            await world.catch_up()
        journal = Journal(tmp_path / "journal.sqlite")
        entries = await journal.entries(order_id)
        await journal.close()
        assert not isinstance(entries, JournalProblem)
        lines.append(sum(entry.kind == "fill" for entry in entries))
    assert lines == [1, 1, 1]
    assert journaled(tmp_path) == ("filled", 1)


@pytest.mark.parametrize("off", [timedelta(days=2), timedelta(hours=-30)], ids=str)
async def test_a_fill_is_found_whatever_our_clock_says(tmp_path: Path, off: timedelta) -> None:
    venue = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    async with running_world(tmp_path, start=venue + off, ahead=-off) as world:
        order = await prepared(world, BUY)
        order_id = order.unsigned.order_id
        world.account.answers = [lost()]
        world.account.own_fills = (fill(order_id),)
        await verdict_of(world, order)
        await until(
            world, lambda: status_of(world, order_id) is OrderStatus.FILLED, "its fill is found"
        )
        bounds = [after for after, _ in world.account.asked_fills if after is not None]
        assert bounds
        assert max(bounds) <= venue - TRADE_MARGIN + timedelta(seconds=1)


async def test_no_bound_is_given_for_trades_before_the_venues_clock_is_known(world: World) -> None:
    world.service.parts.kernel._venue_epoch = None
    start = world.service.parts.account.feed.session_start
    assert start.bound_for_trades() is None
    world.service.parts.kernel.skew = timedelta(days=1)
    bound = start.bound_for_trades()
    assert bound == datetime(2026, 11, 21, 12, 0, tzinfo=UTC) - TRADE_MARGIN
    # The machine slept, and the monotonic clock with it.
    world.service.parts.kernel.skew = timedelta(days=1, hours=8)
    assert start.bound_for_trades() == bound
