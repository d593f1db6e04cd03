"""Price alerts ring once, from books that can be trusted, and wait on over a restart."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.books.market_events import MarketResolved
from pmtui.domain.conditionals.alerts import (
    AlertPlan,
    AlertSide,
    AlertState,
    PriceAlert,
    parse_condition,
    plan_of,
)
from pmtui.domain.health import LinkState
from pmtui.domain.markets.market import Event
from pmtui.domain.markets.watchlist import key_of_market
from pmtui.domain.money import parse_micros
from pmtui.service.conditionals.price_alerts import UNKNOWN
from pmtui.service.topics import AlertTopic, BookTopic, Topic, WatchlistTopic
from pmtui.service.views import Level
from tests.manual_clock import settle
from tests.service.fakes import (
    CONDITION,
    EVENT,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    YES,
    World,
    running_world,
)
from tests.service.watch_kit import book, know, view

m = parse_micros
ABOVE = AlertPlan(CONDITION, YES, AlertSide.ABOVE, m("0.65"))
BELOW = AlertPlan(CONDITION, YES, AlertSide.BELOW, m("0.55"))


def alerts(world: World) -> list[PriceAlert]:
    return [row.alert for row in view(world).alerts]


def states(world: World) -> list[AlertState]:
    return [alert.state for alert in alerts(world)]


def rang(world: World) -> list[str]:
    entries = world.service.queries.log().entries
    return [e.text for e in entries if "Price alert: " in e.text and e.level is Level.WARNING]


async def waiting(world: World, *plans: AlertPlan) -> None:
    await know(world)
    for plan in plans:
        assert await world.service.commands.add_alert(plan) == ""
    await settle()


async def hear(world: World, bid: str, ask: str) -> None:
    world.stream.send(book(bid, ask))
    await world.pass_time(0.5)


async def test_it_rings_once_when_the_best_bid_is_there(world: World) -> None:
    await waiting(world, ABOVE, BELOW)
    assert YES in world.stream.watched
    told: list[Topic] = []
    world.service.hub.subscribe([AlertTopic()], told.append)
    await hear(world, "0.60", "0.62")
    assert states(world) == [AlertState.WAITING] * 2
    assert world.service.queries.alerts().fired == 0
    told.clear()
    unread = world.service.queries.status().unread_notices
    await hear(world, "0.66", "0.68")
    assert states(world) == [AlertState.RANG, AlertState.WAITING]
    assert alerts(world)[0].rang_price == m("0.66")
    assert rang(world) == [f"Price alert: Yes: bid 66¢, bid ≥ 65¢ · {MARKET.question}"]
    assert told == [AlertTopic()]
    assert world.service.queries.alerts().fired == 1
    assert world.service.queries.status().unread_notices == unread + 1
    await hear(world, "0.60", "0.62")
    await hear(world, "0.70", "0.72")
    assert len(rang(world)) == 1


async def test_one_below_waits_for_the_best_ask(world: World) -> None:
    await waiting(world, BELOW)
    # Somebody bids less; nobody sells for so little.
    await hear(world, "0.50", "0.62")
    assert states(world) == [AlertState.WAITING]
    await hear(world, "0.50", "0.54")
    assert states(world) == [AlertState.RANG]


async def test_the_other_outcome_has_a_book_of_its_own(world: World) -> None:
    await waiting(world, AlertPlan(CONDITION, NO, AlertSide.ABOVE, m("0.65")))
    await hear(world, "0.66", "0.68")
    assert states(world) == [AlertState.WAITING]
    world.stream.send(book("0.66", "0.68", token_id=NO))
    await world.pass_time(0.5)
    assert states(world) == [AlertState.RANG]
    assert alerts(world)[0].outcome == "No"


async def test_a_crossed_book_rings_nothing(world: World) -> None:
    await waiting(world, ABOVE, BELOW)
    await hear(world, "0.70", "0.40")
    assert states(world) == [AlertState.WAITING] * 2
    assert rang(world) == []


async def test_a_stale_book_rings_nothing_until_it_is_whole_again(world: World) -> None:
    await waiting(world, ABOVE)
    await hear(world, "0.60", "0.62")
    world.stream.change_link(LinkState.DOWN, "gone")
    await world.pass_time(0.5)
    # A book fetched while the line is down is old the moment it comes.
    world.trading.books_by_token[YES] = book("0.70", "0.72")
    await world.pass_time(10)
    assert states(world) == [AlertState.WAITING]
    world.stream.change_link(LinkState.OPEN)
    await hear(world, "0.70", "0.72")
    assert states(world) == [AlertState.RANG]


async def test_what_waits_goes_on_after_a_restart_and_what_rang_stays_so(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await waiting(world, ABOVE, BELOW)
        await hear(world, "0.66", "0.68")
        assert states(world) == [AlertState.RANG, AlertState.WAITING]
    async with running_world(tmp_path) as world:
        assert states(world) == [AlertState.RANG, AlertState.WAITING]
        assert world.service.queries.alerts().fired == 0
        assert YES in world.stream.watched
        await hear(world, "0.50", "0.54")
        assert states(world) == [AlertState.RANG, AlertState.RANG]
        assert world.service.queries.alerts().fired == 1
    async with running_world(tmp_path) as world:
        await hear(world, "0.50", "0.54")
        assert rang(world) == []


async def test_a_book_is_heard_only_while_an_alert_waits_for_it(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await waiting(world, ABOVE)
        (alert,) = alerts(world)
        _ = await world.service.commands.remove_alert(alert.alert_id)
        _ = await world.service.commands.remove_alert(alert.alert_id)
        assert alerts(world) == []
        await world.pass_time(60)
        assert not world.stream.watched
    async with running_world(tmp_path) as world:
        assert alerts(world) == []


async def test_a_market_is_listed_while_an_alert_belongs_to_it(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await waiting(world, ABOVE)
        (row,) = view(world).rows
        assert (row.key, row.is_starred, row.title) == (
            key_of_market(CONDITION), False, MARKET.question,
        )  # fmt: skip
        await world.watch(WatchlistTopic())
        assert CONDITION in world.metadata.asked
        await world.service.commands.star(row.key, row.title)
        _ = await world.service.commands.unstar(row.key)
        assert [row.is_starred for row in view(world).rows] == [False]
        assert states(world) == [AlertState.WAITING]
    # The venue is not there: the alert itself knows what it is about.
    async with running_world(tmp_path, with_key=False, unreachable="no venue") as world:
        (row,) = view(world).rows
        assert (row.title, row.seen) == (MARKET.question, None)


@pytest.mark.parametrize("how", ["told by the stream", "told by the metadata"])
async def test_a_market_that_ended_ends_its_alerts(world: World, how: str) -> None:
    await waiting(world, ABOVE, BELOW)
    await hear(world, "0.66", "0.68")
    if how == "told by the stream":
        world.stream.send(
            MarketResolved(
                condition_id=CONDITION, token_ids=(YES, NO), winning_token_id=YES,
                winning_outcome="Yes", at=None,
            )
        )  # fmt: skip
    else:
        closed = replace(MARKET, closed=True)
        world.metadata.events = [Event(EVENT, "river", "River levels", (closed,))]
        world.service.hub.subscribe([WatchlistTopic()], lambda _: None)
    await world.pass_time(1)
    assert states(world) == [AlertState.RANG, AlertState.OVER]
    assert any("the market has ended" in e.text for e in world.service.queries.log().entries)
    assert await world.service.commands.add_alert(ABOVE) != ""


async def test_an_alert_on_what_is_not_known_is_refused(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False, unreachable="no venue") as world:
        assert await world.service.commands.add_alert(ABOVE) == UNKNOWN


async def test_a_price_that_is_there_already_is_refused(world: World) -> None:
    await waiting(world, ABOVE)
    await hear(world, "0.60", "0.62")
    at_hand = AlertPlan(CONDITION, YES, AlertSide.ABOVE, m("0.60"))
    assert await world.service.commands.add_alert(at_hand) == "The best bid is 60¢ already"
    assert await world.service.commands.add_alert(ABOVE) == "Already set: bid ≥ 65¢"


def plan_for(text: str) -> AlertPlan:
    condition = parse_condition(text)
    assert not isinstance(condition, str)
    return plan_of(condition, condition_id=CONDITION, token_id=YES)


async def test_a_condition_rings_once_and_says_what_was_seen(world: World) -> None:
    await waiting(world, plan_for("spread >= 4"))
    await hear(world, "0.60", "0.62")
    assert states(world) == [AlertState.WAITING]
    await hear(world, "0.60", "0.65")
    assert states(world) == [AlertState.RANG]
    assert rang(world) == [f"Price alert: Yes: spread 5¢, spread ≥ 4¢ · {MARKET.question}"]
    await hear(world, "0.60", "0.66")
    assert len(rang(world)) == 1


async def test_a_condition_waits_on_after_a_restart(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await waiting(world, plan_for("spread >= 4"))
    async with running_world(tmp_path) as world:
        await know(world)
        assert states(world) == [AlertState.WAITING]
        assert alerts(world)[0].plan == plan_for("spread >= 4")
        await hear(world, "0.60", "0.65")
        assert states(world) == [AlertState.RANG]


async def test_time_alone_meets_a_condition(world: World) -> None:
    ending = replace(MARKET, end_at=world.clock.now() + timedelta(minutes=12))
    world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(ending,))]
    await waiting(world, plan_for("left 10m"))
    await world.pass_time(60)
    assert states(world) == [AlertState.WAITING]
    await world.pass_time(70)
    assert states(world) == [AlertState.RANG]


async def test_a_condition_that_cannot_be_read_is_refused(world: World) -> None:
    await know(world)
    bad = replace(plan_for("spread >= 4"), condition="spread wide")
    assert "Not a condition" in await world.service.commands.add_alert(bad)
    assert not alerts(world)


async def test_a_book_that_only_an_alert_watches_has_no_balance_asked_for(world: World) -> None:
    await waiting(world, ABOVE)
    await world.pass_time(30)
    assert YES in world.stream.watched
    assert YES not in world.account.asked_balances
    world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await world.pass_time(30)
    assert YES in world.account.asked_balances
