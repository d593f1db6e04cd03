"""An order that follows another: sent once that one has filled whole, soon, and while it is still wanted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    Verdict,
)
from pmtui.service.clock import read_moment
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.orders.desk import FOLLOW_WITHIN_S, STOPPED_BEFORE
from pmtui.service.surface import Commands, PreparedOrder
from tests.manual_clock import settle
from tests.service.book_kit import book, snapshot, watching
from tests.service.fakes import CONDITION, NO, YES, World, lost, resting, running_world
from tests.service.order_kit import prepared, said, until

SALE = LimitIntent(
    condition_id=CONDITION, token_id=YES, side=Side.SELL, price=Micros(400_000),
    size=Micros(10_000_000), time_in_force=TimeInForce.FAK,
)  # fmt: skip
ENTRY = replace(SALE, token_id=NO, side=Side.BUY, price=Micros(590_000))


@dataclass
class Reversal:
    """Two orders of a running service, prepared, with single keys armed."""

    world: World
    sale: PreparedOrder
    entry: PreparedOrder

    def give(
        self, commands: Commands | None = None, *, override: str = ""
    ) -> tuple[CommandId, CommandId]:
        """Give both commands in one breath, as the key does."""
        commands = commands or self.world.service.commands
        first = commands.flatten(self.sale.order_id, ())
        return first, commands.place(self.entry.order_id, override=override, after=first)

    async def end_of(self, command: CommandId) -> Verdict:
        """Let time pass until a command has its verdict."""
        waiting = asyncio.ensure_future(self.world.service.commands.verdict(command))
        await until(self.world, waiting.done, "a verdict")
        return waiting.result()

    @property
    def posted(self) -> list[str]:
        """What was posted, in order."""
        names = {self.sale.order_id: "sale", self.entry.order_id: "entry"}
        return [names[OrderId(body.decode())] for body in self.world.account.posted]


def matched(order: PreparedOrder, gave: int, got: int) -> PostResult:
    return PostResult(
        order.order_id, PostStatus.MATCHED, making_amount=Micros(gave), taking_amount=Micros(got)
    )


def whole(order: PreparedOrder) -> PostResult:
    return matched(order, 10_000_000, 4_100_000)


@asynccontextmanager
async def reversing(tmp_path: Path, journal: Journal | None = None) -> AsyncIterator[Reversal]:
    async with running_world(tmp_path, journal=journal) as world:
        made = Reversal(world, await prepared(world, SALE), await prepared(world, ENTRY))
        assert await world.service.commands.arm() == ""
        yield made


async def test_it_is_sent_once_the_first_has_filled_whole_and_not_before(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        world = made.world
        world.account.lane.clear()
        first, second = made.give()
        await until(world, lambda: world.account.in_line, "the sale stands in line")
        await world.pass_time(1)
        assert world.account.in_line == 1
        # It reserves nothing and is not among the orders before it is its turn.
        assert [o.order_id for o in world.service.queries.account().open_orders] == [
            made.sale.order_id
        ]
        world.account.answers = [whole(made.sale), matched(made.entry, 5_900_000, 10_000_000)]
        world.account.lane.set()
        assert isinstance(await made.end_of(first), Accepted)
        verdict = await made.end_of(second)
        assert isinstance(verdict, Accepted)
        assert (verdict.order_id, verdict.status) == (made.entry.order_id, OrderStatus.FILLED)
        assert made.posted == ["sale", "entry"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda sale: matched(sale, 4_000_000, 1_640_000), "did not fill whole (filled 4 Yes, the rest"),
        (lambda sale: PostResult(sale.order_id, PostStatus.DELAYED), "did not fill whole (delayed"),
        (lambda _: Failure(FailureKind.REFUSED, "POST /order", "no orders found to match"), "was refused"),
        (lambda _: lost(), "the first order is unconfirmed"),
    ],
)  # fmt: skip
async def test_it_is_not_sent_where_the_first_did_not_fill_whole(
    tmp_path: Path, answer: Callable[[PreparedOrder], PostResult | Failure], words: str
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with reversing(tmp_path, journal) as made:
        made.world.account.answers = [answer(made.sale)]
        _, second = made.give(override="from a book that is stale")
        verdict = await made.end_of(second)
        assert isinstance(verdict, Rejected)
        assert verdict.reason.startswith("Not sent: ")
        assert words in verdict.reason
        await made.world.pass_time(60)
        assert made.posted == ["sale"]
        # The log has both, the journal only what was to leave.
        assert said(made.world, "Not sent: ")
        entries = await journal.entries(made.entry.order_id)
        assert not isinstance(entries, JournalProblem)
        assert entries == ()


async def test_what_the_first_leaves_to_sell_after_its_own_orders_is_whole_too(
    tmp_path: Path,
) -> None:
    async with reversing(tmp_path) as made:
        world, old = made.world, OrderId("0x0f")
        order = resting(old, side=Side.SELL, price=Micros(450_000))
        world.account.open[old] = order
        await world.pass_time(11)
        commands = world.service.commands
        await commands.arm()
        made.sale = await prepared(world, SALE)
        made.entry = await prepared(world, ENTRY)
        world.account.answers = [whole(made.sale), matched(made.entry, 5_900_000, 10_000_000)]
        first = commands.flatten(made.sale.order_id, [order])
        second = commands.place(made.entry.order_id, after=first)
        assert isinstance(await made.end_of(second), Accepted)
        assert world.account.cancelled == [(old,)]
        assert made.posted == ["sale", "entry"]


async def stop_by_kill(made: Reversal) -> None:
    await made.world.service.commands.kill()


async def stop_by_disarming(made: Reversal) -> None:
    made.world.service.commands.disarm("its ladder was closed")


async def stop_by_pulling_all(made: Reversal) -> None:
    made.world.service.commands.cancel_market(CONDITION, NO)


async def stop_by_losing_the_stream(made: Reversal) -> None:
    tell = made.world.user_stream.link
    assert tell is not None
    tell(Link(LinkState.DOWN, 2, "gone"))


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (stop_by_kill, "trading locked since"),
        (stop_by_disarming, "single keys were disarmed"),
        (stop_by_pulling_all, "cancelled before it left"),
        (stop_by_losing_the_stream, "single keys were disarmed"),
    ],
)
async def test_what_stops_trading_meanwhile_stops_it(
    tmp_path: Path, stop: Callable[[Reversal], Coroutine[None, None, None]], words: str
) -> None:
    async with reversing(tmp_path) as made:
        world = made.world
        world.account.answers = [whole(made.sale)]
        tasks = set[asyncio.Task[None]]()
        # The sale is at the venue, and its answer on the way.
        world.account.before_answer = lambda: tasks.add(asyncio.create_task(stop(made)))
        _, second = made.give()
        verdict = await made.end_of(second)
        assert isinstance(verdict, Rejected)
        assert words in verdict.reason.lower()
        await world.pass_time(10)
        assert made.posted == ["sale"]


async def test_it_waits_a_few_seconds_and_no_longer(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        world = made.world
        world.account.lane.clear()
        first, second = made.give()
        await until(world, lambda: world.account.in_line, "the sale stands in line")
        await world.pass_time(FOLLOW_WITHIN_S)
        verdict = await made.end_of(second)
        assert verdict == Rejected("Not sent: first order not filled in 5 s")
        world.account.answers = [whole(made.sale)]
        world.account.lane.set()
        assert isinstance(await made.end_of(first), Accepted)
        await world.pass_time(10)
        assert made.posted == ["sale"]


async def test_one_that_comes_late_over_a_slow_line_is_not_sent(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        world = made.world
        terminal = world.service.open_terminal()
        assert await terminal.commands.arm() == ""
        given = read_moment(world.clock)
        world.account.answers = [whole(made.sale)]
        first = terminal.commands_given(given).flatten(made.sale.order_id, ())
        assert isinstance(await made.end_of(first), Accepted)
        await world.pass_time(FOLLOW_WITHIN_S)
        late = terminal.commands_given(given).place(made.entry.order_id, after=first)
        assert await made.end_of(late) == Rejected("Not sent: first order not filled in 5 s")
        assert made.posted == ["sale"]
        terminal.close()


async def test_it_follows_only_in_the_terminal_that_is_still_armed(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        terminal = made.world.service.open_terminal()
        made.world.account.answers = [whole(made.sale)]
        _, second = made.give(terminal.commands)
        verdict = await made.end_of(second)
        assert verdict == Rejected("Not sent: single keys were disarmed")
        terminal.close()


async def test_a_command_of_another_run_has_nothing_that_follows(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        command = made.world.service.commands.place(made.entry.order_id, after=CommandId("77"))
        verdict = await made.end_of(command)
        assert isinstance(verdict, Rejected)
        assert "does not know the first order" in verdict.reason
        assert made.posted == []


async def test_a_book_that_goes_bad_keeps_a_single_key_that_follows_back(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        world = made.world
        _ = await watching(world)
        world.stream.send(snapshot())
        await settle()
        assert book(world).state.is_good
        world.account.answers = [whole(made.sale)]
        crossed = snapshot(bid="0.44")
        world.account.before_answer = lambda: world.stream.send(crossed)
        first = world.service.commands.flatten(made.sale.order_id, (), is_single_key=True)
        second = world.service.commands.place(made.entry.order_id, is_single_key=True, after=first)
        verdict = await made.end_of(second)
        assert isinstance(verdict, Rejected)
        assert "the book is" in verdict.reason
        assert made.posted == ["sale"]


async def test_the_same_order_follows_once(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        made.world.account.answers = [whole(made.sale)]
        first, second = made.give()
        again = made.world.service.commands.place(made.entry.order_id, after=first)
        assert isinstance(await made.end_of(second), Accepted)
        verdict = await made.end_of(again)
        assert isinstance(verdict, Rejected)
        assert "already sent" in verdict.reason
        assert made.posted == ["sale", "entry"]


async def test_a_service_that_ends_meanwhile_sends_nothing_and_says_so(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        made.world.account.stalls = True
        _, second = made.give()
        await until(made.world, lambda: made.posted, "the sale has left")
        waiting = asyncio.ensure_future(made.world.service.commands.verdict(second))
        await settle()
    assert await waiting == Rejected(f"Not sent: {STOPPED_BEFORE}")
    assert made.posted == ["sale"]


async def test_the_next_run_knows_that_it_never_left(tmp_path: Path) -> None:
    async with reversing(tmp_path) as made:
        made.world.account.stalls = True
        _ = made.give()
        await until(made.world, lambda: made.posted, "the sale has left")
        entry = made.entry.order_id
    async with running_world(tmp_path) as world:
        await world.pass_time(30)
        assert world.account.posted == []
        verdict = await world.service.parts.orders.desk.trace(entry)
        assert verdict == Rejected("it never left: nothing was sent")


async def test_an_override_of_what_follows_is_journaled_when_it_leaves(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with reversing(tmp_path, journal) as made:
        made.world.account.answers = [whole(made.sale)]
        _, second = made.give(override="BUY 10 at 59¢ from a book that is stale")
        assert isinstance(await made.end_of(second), Accepted)
        entries = await journal.entries(made.entry.order_id)
        assert not isinstance(entries, JournalProblem)
        assert [e.kind for e in entries if e.kind in ("override", "intent")] == [
            "override", "intent",
        ]  # fmt: skip
