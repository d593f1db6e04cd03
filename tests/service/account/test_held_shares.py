"""What the terminal shows as held, while fills, trades, balances and positions arrive in any order."""

import asyncio
import random
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.account.position import Position
from pmtui.domain.answers import Failure
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, TradeChanged, TradeStatus
from pmtui.service.topics import AccountTopic, BookTopic
from tests.service.fakes import CONDITION, YES, FakeAccountHost, World, lost, running_world
from tests.service.order_kit import until

m = parse_micros
HELD = Position(
    token_id=YES, condition_id=CONDITION, title="", outcome="Yes", size=m("100"),
    average_price=m("0.5"), current_price=m("0.5"), realized=Micros(0),
)  # fmt: skip
WAYS = ("to fills", "from fills", "to shares", "from shares", "to positions", "from positions")


@dataclass
class Wallet:
    """The venue's own record of one token, behind a running service."""

    world: World
    is_streamed: bool = True
    stream_delay_s: float = 0.0
    held: list[tuple[float, int]] = field(default_factory=list)
    """Since when how much is held."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def set(self, size: int) -> None:
        self.held.append((self.world.clock.monotonic(), size))
        self.world.analytics.held = (replace(HELD, size=Micros(size)),) if size else ()

    def trade(self, size: int, *, delay_s: float | None = None) -> Fill:
        """Let a fill happen now; the stream tells of it after its delay."""
        venue_now = self.world.clock.now() + self.world.trading.ahead
        fill = Fill(
            trade_id=TradeId(f"t{len(self.held)}"), order_id=OrderId("0xa"), token_id=YES,
            condition_id=CONDITION, outcome="Yes", side=Side.BUY if size > 0 else Side.SELL,
            price=m("0.5"), size=Micros(abs(size)), fee=Micros(0), liquidity=Liquidity.MAKER,
            status=TradeStatus.MATCHED, matched_at=venue_now.replace(microsecond=0),
        )  # fmt: skip
        self.set(self.held[-1][1] + size)
        self.world.account.own_fills = (fill, *self.world.account.own_fills)
        if self.is_streamed:
            delay = self.stream_delay_s if delay_s is None else delay_s
            self.tasks.append(asyncio.ensure_future(self._tell(fill, delay)))
        return fill

    async def _tell(self, fill: Fill, delay_s: float) -> None:
        await self.world.clock.sleep(delay_s)
        self.world.user_stream.send(TradeChanged((fill,), at=fill.matched_at))

    def range_of_last(self, seconds: float) -> tuple[int, int]:
        since = self.world.clock.monotonic() - seconds
        before = [size for at, size in self.held if at <= since][-1:]
        held = [*before, *(size for at, size in self.held if at > since)]
        return min(held), max(held)

    @property
    def shown(self) -> int:
        return self.world.service.queries.account().held(YES)


async def watched(world: World, *, held: str) -> Wallet:
    """Hold shares of a token in sight, some time after the start."""
    wallet = Wallet(world)
    wallet.set(m(held))
    world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await until(world, lambda: wallet.shown == m(held), "what is held")
    await world.pass_time(70)
    return wallet


def one_figure(world: World) -> bool:
    """Whether positions, what can be sold and what is held are the same."""
    account = world.service.queries.account()
    return account.shares(YES) == account.held(YES) == account.sellable(YES)


@pytest.mark.parametrize("size", ["60", "-60"])
@pytest.mark.parametrize("moment", WAYS)
@pytest.mark.parametrize("told", ["late", "by the next poll"])
async def test_a_fill_between_two_answers_of_one_refresh_counts_once(
    world: World, told: str, moment: str, size: str
) -> None:
    wallet = await watched(world, held="100")
    wallet.is_streamed, wallet.stream_delay_s = told == "late", 1.5
    change = int(size) * m("1")
    left = [moment]

    async def happen(at: str) -> None:
        if at in left:
            left.clear()
            wallet.trade(change)

    world.account.way = world.analytics.way = happen
    world.service.commands.refresh(AccountTopic())
    for _ in range(150):
        await world.pass_time(0.1)
        assert wallet.shown in (m("100"), m("100") + change)
        assert one_figure(world)
    assert not left
    assert wallet.shown == m("100") + change
    assert world.service.parts.account.feed.holdings.doubtful() == frozenset()


@pytest.mark.parametrize("seed", range(6))
async def test_under_jitter_only_what_was_held_a_moment_ago_is_shown(
    world: World, seed: int
) -> None:
    rng = random.Random(seed)
    wallet = await watched(world, held="100")

    async def jitter(_: str) -> None:
        await world.clock.sleep(rng.uniform(0.06, 0.25))

    world.account.way = world.analytics.way = jitter
    for _ in range(40):
        size = rng.choice([5, 15, 30, -5, -15, -30]) * m("1")
        wallet.trade(max(size, -wallet.held[-1][1]) or m("7"), delay_s=rng.uniform(0.06, 0.6))
        for _ in range(rng.randrange(4, 16)):
            await world.pass_time(0.1)
            least, most = wallet.range_of_last(2.5)
            assert least <= wallet.shown <= most
            assert one_figure(world)
    await world.pass_time(3)
    assert wallet.shown == wallet.held[-1][1]


async def test_a_restart_right_after_a_fill_shows_what_is_held(tmp_path: Path) -> None:
    for reported in ("40", "100"):
        host = FakeAccountHost(shares={YES: m(reported)})
        async with running_world(tmp_path, account=host) as world:
            wallet = Wallet(world)
            wallet.set(m("100"))
            wallet.is_streamed = False
            wallet.trade(-m("60"))
        async with running_world(tmp_path, account=host) as world:
            wallet = Wallet(world)
            wallet.set(m(reported))
            world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
            # A host that lags behind is caught up with by its next answer.
            await world.pass_time(1)
            assert wallet.shown == m(reported)
            host.shares.clear()
            wallet.set(m("40"))
            await world.pass_time(11)
            assert wallet.shown == m("40")
            assert one_figure(world)


async def test_shares_of_a_failed_sale_are_back(world: World) -> None:
    wallet = await watched(world, held="100")
    sale = wallet.trade(-m("60"))
    await world.pass_time(90)
    assert wallet.shown == m("40")
    failed = replace(sale, status=TradeStatus.FAILED)
    world.user_stream.send(TradeChanged((failed,), at=world.clock.now()))
    assert wallet.shown == m("100")
    world.account.own_fills = (failed,)
    wallet.set(m("100"))
    for _ in range(20):
        await world.pass_time(10)
        assert wallet.shown == m("100")


async def test_what_no_fill_explains_is_shown_and_asked_about(world: World) -> None:
    wallet = Wallet(world)
    await world.pass_time(20)
    assert world.account.refreshed == []
    wallet.set(m("25"))
    await until(world, lambda: wallet.shown == m("25"), "the deposit")
    await until(world, lambda: world.account.refreshed == [YES], "the venue is asked")
    asked = len(world.account.refreshed)
    await world.pass_time(200)
    assert world.service.parts.account.feed.holdings.doubtful() == frozenset()
    assert len(world.account.refreshed) > asked
    wallet.trade(-m("5"))
    await world.pass_time(1)
    assert wallet.shown == m("20")


async def test_asking_for_the_shares_of_a_token_asks_past_the_venues_cache(world: World) -> None:
    feed = world.service.parts.account.feed
    world.account.shares[YES] = m("12")
    assert await feed.ask_shares(YES) == m("12")
    assert world.account.refreshed == [YES]
    assert world.service.queries.account().held(YES) == m("12")


async def test_without_the_venues_clock_fills_still_count_once(world: World) -> None:
    world.trading.time = lost("GET /time")
    world.service.parts.kernel._venue_epoch = None
    world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    wallet = Wallet(world)
    wallet.set(m("100"))
    await world.pass_time(30)
    for size in ("-60", "20", "-30"):
        wallet.trade(int(size) * m("1"))
        await world.pass_time(0.5)
        assert wallet.shown == wallet.held[-1][1]
    assert isinstance(world.trading.time, Failure)


async def test_a_clock_that_is_set_changes_nothing(world: World) -> None:
    wallet = await watched(world, held="100")
    for step in (timedelta(hours=-3), timedelta(days=2)):
        world.clock.set_wall(step)
        world.trading.ahead -= step
        wallet.trade(-m("10"))
        for _ in range(80):
            await world.pass_time(1)
            assert wallet.shown in (wallet.held[-1][1], wallet.held[-2][1])
        assert wallet.shown == wallet.held[-1][1]


@pytest.mark.parametrize("is_seen", [False, True])
async def test_a_confirmed_split_counts_once_and_at_once_whatever_lists_lag(
    world: World, *, is_seen: bool
) -> None:
    wallet = await watched(world, held="0")
    feed = world.service.parts.account.feed
    # The chain has it; the trading host tells of it, the list of positions does not yet.
    submitted = world.clock.now() + world.trading.ahead
    wallet.held.append((world.clock.monotonic(), m("100")))
    if is_seen:
        # Or the lists have it before the relayer confirms it.
        wallet.set(m("100"))
        world.service.commands.refresh(AccountTopic())
    await world.pass_time(3)
    assert wallet.shown == (m("100") if is_seen else 0)
    split = Fill(
        trade_id=TradeId("0xdigest:0"), order_id=OrderId("0xdigest"), token_id=YES,
        condition_id=CONDITION, outcome="Yes", side=Side.BUY, price=m("0.5"), size=m("100"),
        fee=Micros(0), liquidity=Liquidity.MAKER, status=TradeStatus.CONFIRMED,
        matched_at=submitted,
    )  # fmt: skip
    feed.apply_exchange((split,))
    assert wallet.shown == m("100")
    wallet.trade(-m("40"), delay_s=0)
    world.analytics.held = ()
    for _ in range(20):
        await world.pass_time(2)
        assert wallet.shown == m("60")
        assert one_figure(world)
    wallet.set(m("60"))
    await world.pass_time(90)
    assert wallet.shown == m("60")
