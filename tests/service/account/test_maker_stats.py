"""What own orders brought: asked while somebody looks, a day that is over only once."""

from dataclasses import replace
from datetime import date, timedelta

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.rewards import AssetEarnings, Earnings, Rebate
from pmtui.domain.money import ONE, Micros
from pmtui.service.account.maker_stats import EARNED_DAYS, EARNED_PERIOD_S, NOBODY_TELLS
from pmtui.service.topics import RewardsTopic
from pmtui.service.views import EarnedView, Load
from tests.manual_clock import settle
from tests.service.fakes import World

RAIN = ConditionId("0x01")
ME = Address("0x" + "5a" * 20)
DOWN = Failure(FailureKind.UNREACHABLE, "GET /rewards/user", "no connection")


class FakeEarnings:
    """Pays three dollars a day, and gives half a dollar back."""

    def __init__(self) -> None:
        self.asked: list[date] = []
        self.fails_on: date | None = None

    async def earnings(self, day: date) -> tuple[Earnings, ...] | Failure:
        self.asked.append(day)
        if day == self.fails_on:
            return DOWN
        return (Earnings(day, ME, AssetEarnings(ME, Micros(3 * ONE), ONE), RAIN),)

    async def rebates(self, day: date) -> tuple[Rebate, ...] | Failure:
        return (Rebate(day, RAIN, ME, ME, Micros(ONE // 2)),)

    async def percentages(self) -> dict[ConditionId, Micros] | Failure:
        return {RAIN: Micros(20 * ONE)}


def told_by(world: World, host: FakeEarnings | None) -> None:
    account = world.service.parts.account.feed
    assert account.account is not None
    account.account = replace(account.account, earnings=host)


def view(world: World) -> EarnedView:
    return world.service.queries.earned()


async def test_nobody_is_asked_before_somebody_looks_nor_afterwards(world: World) -> None:
    host = FakeEarnings()
    told_by(world, host)
    today = world.clock.now().date()
    await world.pass_time(EARNED_PERIOD_S * 2)
    assert host.asked == []
    assert view(world).load is Load.LOADING
    looking = world.service.hub.subscribe([RewardsTopic()], lambda _: None)
    await settle()
    assert host.asked == [today - timedelta(days=back) for back in range(EARNED_DAYS)]
    assert [row.day for row in view(world).rows] == host.asked
    assert {row.total for row in view(world).rows} == {Micros(3 * ONE + ONE // 2)}
    assert [row.percent for row in view(world).rows] == [20 * ONE, *[None] * (EARNED_DAYS - 1)]
    # The days before are over and known.
    await world.pass_time(EARNED_PERIOD_S)
    assert host.asked[EARNED_DAYS:] == [today]
    looking.close()
    await world.pass_time(EARNED_PERIOD_S * 2)
    assert len(host.asked) == EARNED_DAYS + 1


async def test_a_refresh_asks_about_every_day_again(world: World) -> None:
    host = FakeEarnings()
    told_by(world, host)
    _ = world.service.hub.subscribe([RewardsTopic()], lambda _: None)
    await settle()
    world.service.commands.refresh(RewardsTopic())
    await settle()
    assert len(host.asked) == 2 * EARNED_DAYS


async def test_a_day_that_cannot_be_read_leaves_the_others_and_is_asked_again(world: World) -> None:
    host = FakeEarnings()
    told_by(world, host)
    today = world.clock.now().date()
    host.fails_on = today - timedelta(days=2)
    _ = world.service.hub.subscribe([RewardsTopic()], lambda _: None)
    await settle()
    assert [row.day for row in view(world).rows] == [today, today - timedelta(days=1)]
    assert "no connection" in view(world).problem
    assert view(world).as_of is None
    host.fails_on = None
    await world.pass_time(EARNED_PERIOD_S)
    assert len(view(world).rows) == EARNED_DAYS
    assert not view(world).problem
    assert view(world).as_of == world.clock.now()


async def test_a_host_that_tells_nothing_of_it_is_said_to(world: World) -> None:
    told_by(world, None)
    _ = world.service.hub.subscribe([RewardsTopic()], lambda _: None)
    await settle()
    assert view(world).load is Load.FAILED
    assert view(world).problem == NOBODY_TELLS
