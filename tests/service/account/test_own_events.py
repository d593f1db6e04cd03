"""The events of what is held: named, and with everybody who may still win, while somebody looks."""

from dataclasses import replace
from pathlib import Path

from pmtui.domain.account.exposure import OwnEvent
from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Outcome
from pmtui.domain.money import ZERO, Micros
from pmtui.service.account.own_events import RACE_PERIOD_S
from pmtui.service.topics import ActivityTopic
from tests.manual_clock import settle
from tests.service.fakes import (
    CONDITION,
    EVENT,
    EVENT_WITH_MARKET,
    MARKET,
    YES,
    World,
    lost,
    running_world,
)

SIBLING_ID = ConditionId("0x" + "cd" * 32)
RUNNER = replace(MARKET, neg_risk=True, event_id=EVENT, event_title="River levels")
SIBLING = replace(
    RUNNER, condition_id=SIBLING_ID,
    outcomes=(Outcome("Yes", TokenId("91"), None), Outcome("No", TokenId("92"), None)),
)  # fmt: skip
RACE = replace(EVENT_WITH_MARKET, markets=(RUNNER, SIBLING), neg_risk=True)
HELD = Position(
    YES, CONDITION, MARKET.question, "Yes", Micros(8_000_000), Micros(400_000), None, ZERO,
    neg_risk=True,
)  # fmt: skip


def events(world: World) -> tuple[OwnEvent, ...]:
    return world.service.queries.activity().events


async def looking(world: World, *, is_race: bool = True) -> None:
    world.metadata.events = [RACE if is_race else EVENT_WITH_MARKET]
    world.analytics.held = (HELD,)
    world.service.commands.refresh(ActivityTopic())
    await settle()
    world.service.hub.subscribe([ActivityTopic()], lambda _: None)
    await world.pass_time(20)


async def test_a_race_names_everybody_who_may_still_win(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await looking(world)
        runners = (CONDITION, SIBLING_ID)
        assert events(world) == (OwnEvent(EVENT, "River levels", (CONDITION,), runners),)
        lost_one = replace(
            SIBLING, closed=True,
            outcomes=tuple(replace(each, price=ZERO) for each in SIBLING.outcomes),
        )  # fmt: skip
        world.metadata.events = [replace(RACE, markets=(RUNNER, lost_one))]
        await world.pass_time(2 * RACE_PERIOD_S)
        assert events(world)[0].runners == (CONDITION,)


async def test_nobody_is_asked_while_nobody_looks(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.metadata.events = [RACE]
        world.analytics.held = (HELD,)
        await world.pass_time(2 * RACE_PERIOD_S)
        assert EVENT not in world.metadata.asked
        assert events(world) == ()


async def test_a_host_that_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.metadata.item_failure = lost("GET /events")
        await looking(world)
        assert events(world) == ()
        world.metadata.item_failure = None
        await world.pass_time(20)
        assert events(world)[0].runners == (CONDITION, SIBLING_ID)
        # What was known stays while the host is away.
        world.metadata.item_failure = lost("GET /events")
        await world.pass_time(2 * RACE_PERIOD_S)
        assert events(world)[0].runners == (CONDITION, SIBLING_ID)


async def test_a_market_that_nobody_knows_is_asked_for_once(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.metadata.events = []
        world.analytics.held = (HELD,)
        world.service.commands.refresh(ActivityTopic())
        world.service.hub.subscribe([ActivityTopic()], lambda _: None)
        await world.pass_time(60)
        assert world.metadata.asked == [CONDITION]
        assert events(world) == ()
