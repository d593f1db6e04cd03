"""A stop ends with its market, once that is known to be resolved."""

from dataclasses import replace

from pmtui.domain.books.market_events import MarketResolved
from pmtui.domain.conditionals.conditional import ConditionalState
from pmtui.domain.markets.market import Market, Outcome
from pmtui.domain.money import ONE, ZERO
from pmtui.service.markets.resolved_markets import AGAIN_S
from tests.service.conditional_kit import only, protected
from tests.service.fakes import (
    CONDITION,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    YES,
    World,
)
from tests.service.order_kit import said, until

RESOLVED = replace(
    MARKET, closed=True, outcomes=(Outcome("Yes", YES, ZERO), Outcome("No", NO, ONE))
)


def offer(world: World, market: Market) -> None:
    """Let the metadata host reply with this from now on."""
    world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(market,))]


async def test_a_stop_ends_once_its_market_is_resolved(world: World) -> None:
    await protected(world)
    offer(world, RESOLVED)
    world.stream.send(MarketResolved(CONDITION, (YES, NO), NO, "No", None))
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")
    assert said(world, "Stop over, the market is resolved: SELL 100 Yes, stop 40¢")
    assert world.account.posted == []


async def test_a_resolution_that_the_stream_did_not_report_ends_it_too(world: World) -> None:
    await protected(world)
    offer(world, RESOLVED)
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")


async def test_one_reply_that_a_market_is_resolved_ends_nothing(world: World) -> None:
    await protected(world)
    offer(world, RESOLVED)
    asked = len(world.metadata.asked)
    await until(world, lambda: len(world.metadata.asked) > asked, "the reply")
    offer(world, MARKET)
    await world.pass_time(10 * AGAIN_S)
    assert only(world).state is ConditionalState.WATCHING


async def test_a_market_that_is_closed_without_a_result_ends_nothing(world: World) -> None:
    await protected(world)
    offer(world, replace(MARKET, closed=True, accepting_orders=False))
    await world.pass_time(10 * AGAIN_S)
    assert only(world).state is ConditionalState.WATCHING
