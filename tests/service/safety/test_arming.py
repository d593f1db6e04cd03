from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import HealthState, Link, LinkState, Source
from pmtui.domain.ids import TokenId
from pmtui.service.safety.arming import DISARM_AFTER_S
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic
from pmtui.service.views import Level
from tests.manual_clock import settle
from tests.service.conditional_kit import book
from tests.service.fakes import (
    CONDITION,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    YES,
    World,
    running_world,
)
from tests.service.order_kit import until

OTHER = TokenId("9" * 76)
"""Of another market, which nobody trades on."""


def is_armed(world: World) -> bool:
    return world.service.queries.status().armed_until is not None


def last_notice(world: World) -> str:
    return [e.text for e in world.service.queries.log().entries if e.kind == "notice"][-1]


async def test_nothing_is_armed_before_somebody_arms(world: World) -> None:
    assert not is_armed(world)
    world.service.commands.touch_arming()
    assert not is_armed(world)
    assert await world.service.commands.arm() == ""
    assert is_armed(world)


async def test_it_ends_after_idle_time_and_every_trading_key_starts_that_anew(world: World) -> None:
    await world.service.commands.arm()
    await world.pass_time(DISARM_AFTER_S - 1)
    world.service.commands.touch_arming()
    await world.pass_time(DISARM_AFTER_S - 1)
    assert is_armed(world)
    await world.pass_time(1)
    assert not is_armed(world)
    assert last_notice(world) == "Disarmed: no trading key for 300 s"


async def test_beside_other_terminals_it_is_said_that_one_was_disarmed(world: World) -> None:
    first, second = world.service.open_terminal(), world.service.open_terminal()
    await first.commands.arm()
    await second.commands.arm()
    assert last_notice(world) == "Armed in one of 2 terminals: single keys trade"
    first.commands.disarm("this line stood still for 3 s")
    assert last_notice(world) == "Disarmed in one of 2 terminals: this line stood still for 3 s"
    first.close()
    second.close()
    assert last_notice(world) == "A terminal that was armed is gone"


async def test_a_danger_that_disarms_several_terminals_is_told_once(world: World) -> None:
    terminals = [world.service.open_terminal() for _ in range(2)]
    for each in terminals:
        await each.commands.arm()
    before = len(world.service.queries.log().entries)
    await world.service.commands.kill()
    said = [e.text for e in world.service.queries.log().entries[before:]]
    assert said.count("Disarmed: the kill switch") == 1
    assert not any(each.queries.status().armed_until for each in terminals)


async def test_why_a_single_key_sent_nothing_is_in_the_log_and_rings_for_nobody(
    world: World,
) -> None:
    unread = world.service.queries.status().unread_notices
    world.service.commands.log_refusal(f"Not sent: {'x' * 1_000}")
    entry = world.service.queries.log().entries[-1]
    assert (entry.level, entry.kind) == (Level.INFO, "order")
    assert entry.text.startswith("Single key: Not sent: xxx")
    assert len(entry.text) < 250
    assert world.service.queries.status().unread_notices == unread


async def test_a_replay_that_plays_fast_or_jumps_takes_no_time_from_it(world: World) -> None:
    await world.service.commands.arm()
    world.clock.play_on(timedelta(hours=1))
    await world.pass_time(DISARM_AFTER_S - 1)
    until, now = world.service.queries.status().armed_until, world.service.queries.now()
    assert until is not None
    assert until - now == timedelta(seconds=1)
    world.clock.play_on(timedelta(hours=-2))
    await world.pass_time(1)
    assert not is_armed(world)


async def test_arming_again_after_disarming_lasts_the_whole_time(world: World) -> None:
    await world.service.commands.arm()
    await world.pass_time(DISARM_AFTER_S / 2)
    world.service.commands.disarm("the window is too small")
    assert not is_armed(world)
    await world.service.commands.arm()
    await world.pass_time(DISARM_AFTER_S - 1)
    assert is_armed(world)
    await world.pass_time(1)
    assert not is_armed(world)


async def watch_market(world: World) -> None:
    """Show a market whose book has come."""
    await world.watch(MarketTopic(CONDITION), BookTopic(YES))
    world.stream.change_link(LinkState.OPEN)
    world.stream.send(book("0.60"))


@pytest.mark.parametrize("state", [LinkState.DOWN, LinkState.SILENT])
async def test_a_lost_market_stream_disarms(world: World, state: LinkState) -> None:
    await watch_market(world)
    await world.service.commands.arm()
    world.stream.change_link(state, "gone")
    assert not is_armed(world)
    assert last_notice(world) == "Disarmed: the market stream was lost"


async def test_a_market_stream_that_is_opened_anew_disarms(world: World) -> None:
    await watch_market(world)
    await world.service.commands.arm()
    world.stream.unstreamed = frozenset({YES})
    world.stream.change_link(LinkState.CONNECTING)
    assert not is_armed(world)


async def test_the_stream_of_a_market_that_has_ended_is_no_loss(world: World) -> None:
    await watch_market(world)
    closed = replace(MARKET, closed=True)
    world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(closed,))]
    market = world.service.queries.market
    await until(world, lambda: (m := market(CONDITION).market) and m.closed, "its end")
    await world.service.commands.arm()
    world.stream.unstreamed = frozenset({YES})
    world.stream.change_link(LinkState.CONNECTING)
    assert is_armed(world)


@pytest.mark.parametrize("state", [LinkState.CONNECTING, LinkState.DOWN])
async def test_another_socket_of_the_stream_disarms_nothing(world: World, state: LinkState) -> None:
    await watch_market(world)
    await world.watch(BookTopic(OTHER))
    await world.service.commands.arm()
    world.stream.change_sockets_of(frozenset({OTHER}), state)
    assert is_armed(world)
    world.service.commands.disarm("enough")
    assert await world.service.commands.arm() == ""
    world.stream.change_sockets_of(frozenset({OTHER, YES}), state)
    assert not is_armed(world)


async def test_opening_a_socket_for_the_next_outcome_is_no_loss(world: World) -> None:
    await watch_market(world)
    await world.watch(BookTopic(NO))
    await world.service.commands.arm()
    world.stream.change_sockets_of(frozenset({NO}), LinkState.CONNECTING)
    assert is_armed(world)
    world.stream.change_sockets_of(frozenset({NO}), LinkState.DOWN)
    assert not is_armed(world)


async def test_where_no_market_is_on_show_only_a_failure_disarms(world: World) -> None:
    await settle()
    await world.service.commands.arm()
    world.stream.change_link(LinkState.CONNECTING)
    assert is_armed(world)
    world.stream.change_link(LinkState.DOWN, "refused")
    assert not is_armed(world)
    assert await world.service.commands.arm() == "The market stream is down"


async def test_a_market_stream_that_nobody_watched_for_a_while_is_no_loss(world: World) -> None:
    await watch_market(world)
    await world.service.commands.arm()
    world.stream.change_link(LinkState.IDLE)
    states = {h.source: h.state for h in world.service.queries.status().health}
    assert states[Source.MARKET_STREAM] is HealthState.IDLE
    world.stream.change_link(LinkState.CONNECTING)
    world.stream.change_link(LinkState.OPEN)
    assert is_armed(world)


async def test_a_trading_host_that_does_not_answer_disarms_and_keeps_it_off(world: World) -> None:
    await settle()
    await world.service.commands.arm()
    world.account.read_failure = Failure(FailureKind.LOST, "GET /data/orders", "timed out")
    world.service.commands.refresh(AccountTopic())
    await world.pass_time(1)
    assert not is_armed(world)
    assert last_notice(world) == "Disarmed: the trading host was lost"
    assert await world.service.commands.arm() == "The trading host is down"


@pytest.mark.parametrize("state", [LinkState.DOWN, LinkState.SILENT, LinkState.CONNECTING])
async def test_a_lost_stream_of_own_orders_disarms(world: World, state: LinkState) -> None:
    await settle()
    assert world.user_stream.link is not None
    world.user_stream.link(Link(LinkState.OPEN, 1))
    assert await world.service.commands.arm() == ""
    world.user_stream.link(Link(state, 1, reason="gone"))
    assert not is_armed(world)
    assert last_notice(world) == "Disarmed: the order stream was lost"
    world.user_stream.link(Link(LinkState.OPEN, 2))
    assert not is_armed(world), "only the trader arms"
    assert await world.service.commands.arm() == ""


async def test_without_a_key_nothing_can_be_armed(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        assert await world.service.commands.arm() == "This session is read-only"
        assert not is_armed(world)


async def test_listeners_hear_of_every_change_once(world: World) -> None:
    heard: list[bool] = []
    world.service.arming.on_change(heard.append)
    await world.service.commands.arm()
    await world.service.commands.arm()
    world.service.commands.disarm("enough")
    world.service.commands.disarm("enough")
    assert heard == [True, False]


async def test_a_clock_that_is_set_back_keeps_nothing_armed(world: World) -> None:
    assert await world.service.commands.arm() == ""
    await world.pass_time(1)
    world.clock.set_wall(-timedelta(hours=1))
    await world.pass_time(DISARM_AFTER_S)
    assert world.service.queries.status().armed_until is None
