"""What is told of held markets that have an answer, and how often."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pmtui.domain.account.position import Position
from pmtui.domain.books.market_events import MarketResolved
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Outcome
from pmtui.domain.money import ONE, ZERO, Micros, parse_micros
from pmtui.service.markets import resolutions
from pmtui.service.topics import BookTopic, MarketTopic
from pmtui.service.views import Level
from tests.manual_clock import settle
from tests.service.book_kit import snapshot
from tests.service.fakes import CONDITION, EVENT_WITH_MARKET, MARKET, NO, YES, World, running_world

m = parse_micros
HELD = Position(
    token_id=YES, condition_id=CONDITION, title="River", outcome="Yes", size=m("50"),
    average_price=m("0.35"), current_price=m("0.4"), realized=ZERO,
)  # fmt: skip
A_WHILE = 15.0


def told(world: World) -> list[str]:
    return [e.text for e in world.service.queries.log().entries if "Resolved" in e.text]


async def hold(world: World, *positions: Position) -> None:
    world.analytics.held = positions
    await world.pass_time(A_WHILE)


def answered(price: Micros, number: int = 0) -> Position:
    """Return a position of a market of its own that can be redeemed."""
    condition = ConditionId(f"0x{number:064x}") if number else CONDITION
    token = TokenId(f"9{number:070}") if number else YES
    return replace(
        HELD, token_id=token, condition_id=condition, current_price=price, is_redeemable=True
    )


async def test_only_a_market_on_a_screen_is_a_notice(world: World) -> None:
    await hold(world)
    row = world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await settle()
    world.stream.send(MarketResolved(CONDITION, (YES, NO), NO, "No", None))
    assert [e.level for e in world.service.queries.log().entries if "Resolved" in e.text] == [
        Level.INFO
    ]
    row.close()
    await world.watch(MarketTopic(CONDITION), BookTopic(YES))
    world.stream.send(MarketResolved(CONDITION, (YES, NO), NO, "No", None))
    found = [e.level for e in world.service.queries.log().entries if "Resolved" in e.text]
    assert found == [Level.INFO, Level.WARNING]


async def test_a_watched_market_is_told_of_at_once_and_the_list_adds_nothing(world: World) -> None:
    await hold(world, HELD)
    await world.watch(MarketTopic(CONDITION), BookTopic(YES))
    world.stream.send(MarketResolved(CONDITION, (YES, NO), NO, "No", None))
    text = (
        "Resolved: No wins, your 50 Yes shares are worth $0.00"
        " · Will the river rise over four metres?"
    )
    assert told(world) == [text]
    await hold(world, answered(ZERO))
    assert told(world) == [text]


async def test_dust_is_not_told_of(world: World) -> None:
    dust = replace(HELD, size=m("0.09"))
    await hold(world, dust)
    await world.watch(BookTopic(YES))
    world.stream.send(MarketResolved(CONDITION, (YES, NO), NO, "No", None))
    await hold(world, replace(answered(ZERO), size=dust.size), answered(ONE, 1))
    notices = [e for e in world.service.queries.log().entries if "Resolved" in e.text]
    assert [e.level for e in notices] == [Level.INFO, Level.GOOD]
    assert "worth $0.00" not in "".join(told(world))


async def test_what_was_told_of_is_not_told_of_by_the_next_session(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await hold(world)
        await hold(world, answered(ONE))
        assert len(told(world)) == 1
    async with running_world(tmp_path) as world:
        await hold(world, answered(ONE))
        assert told(world) == []


async def test_both_outcomes_count_and_half_each_has_no_winner(world: World) -> None:
    await hold(world, HELD)
    half = answered(m("0.5"))
    await hold(world, half, replace(half, token_id=NO, outcome="No", size=m("20")))
    (text,) = told(world)
    assert "no single outcome wins, your 50 Yes and 20 No shares are worth $35.00" in text


async def test_many_at_once_are_one_notice_and_a_line_of_the_log_each(world: World) -> None:
    await hold(world)
    await hold(world, *(answered(ONE, number) for number in range(1, 6)))
    entries = [e for e in world.service.queries.log().entries if "Resolved" in e.text]
    assert [e.level for e in entries].count(Level.INFO) == 5
    (summary,) = [e.text for e in entries if e.level is not Level.INFO]
    assert summary == "Resolved: 5 markets, your shares are worth $250.00 in all (see log)"


async def test_a_loss_in_a_market_that_nobody_can_name_is_told_in_other_words(world: World) -> None:
    await hold(world)
    await hold(world, answered(ZERO, 7))
    await world.pass_time(A_WHILE)
    assert told(world) == ["Resolved: Yes loses, your 50 Yes shares are worth $0.00 · River"]


async def test_what_is_remembered_as_told_of_is_bounded_but_for_what_is_held(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolutions, "MOST_KEPT", 2)
    await hold(world)
    await hold(world, *(answered(ONE, number) for number in (1, 2, 3)))
    assert len(told(world)) == 3
    # All are held still, so none is told of again.
    await hold(world, *(answered(ONE, number) for number in (1, 2, 3)))
    assert len(told(world)) == 3
    await hold(world, answered(ONE, 4))
    kept = msgspec.json.decode((tmp_path / resolutions.FILE).read_bytes(), type=list[str])
    assert [int(each, 16) for each in kept] == [3, 4]


async def test_what_is_resolved_is_valued_at_what_it_pays_whatever_its_book_says(
    world: World,
) -> None:
    await hold(world, HELD)
    await world.watch(MarketTopic(CONDITION), BookTopic(YES))
    world.stream.send(snapshot())
    (position,) = world.service.queries.account().positions
    assert position.current_price == world.service.queries.book(YES).midpoint
    assert not position.is_settled
    won = replace(
        MARKET, closed=True,
        outcomes=(Outcome("Yes", YES, ONE), Outcome("No", NO, ZERO)),
    )  # fmt: skip
    world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(won,))]
    world.stream.send(MarketResolved(CONDITION, (YES, NO), YES, "Yes", None))
    await world.pass_time(A_WHILE)
    (position,) = world.service.queries.account().positions
    assert (position.current_price, position.is_settled) == (ONE, True)
    assert (position.value, position.unrealized) == (m("50"), m("32.5"))


async def test_what_can_be_redeemed_is_valued_as_the_host_says_it_pays(world: World) -> None:
    await hold(world, answered(m("0.5")))
    await world.watch(BookTopic(YES))
    world.stream.send(snapshot())
    assert world.service.queries.book(YES).midpoint != m("0.5")
    (position,) = world.service.queries.account().positions
    assert (position.current_price, position.is_settled) == (m("0.5"), True)
