"""What is ours is named, in whichever market it is."""

from dataclasses import replace
from datetime import UTC, datetime

from pmtui.domain.account.exposure import OwnEvent
from pmtui.domain.account.position import Position
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import FeeSchedule, Outcome, Side
from pmtui.domain.money import ZERO, Micros, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, OrderChanged, OrderEventKind, TradeStatus
from pmtui.service.markets.market_store import MOST_IDLE
from pmtui.service.markets.own_markets import RACE_PERIOD_S
from pmtui.service.topics import AccountTopic, ActivityTopic, MarketListTopic
from tests.manual_clock import settle
from tests.service.fakes import (
    CONDITION,
    EVENT,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    TERMS,
    YES,
    World,
    lost,
    resting,
)
from tests.service.market_kit import many_events

m = parse_micros
ORDER = OrderId("0x" + "01" * 32)
FILL = Fill(
    trade_id=TradeId("t1"), order_id=ORDER, condition_id=CONDITION, token_id=YES, outcome="Yes",
    side=Side.BUY, price=m("0.35"), size=m("50"), fee=None, liquidity=Liquidity.TAKER,
    status=TradeStatus.CONFIRMED, matched_at=datetime(2026, 11, 20, 11, 55, tzinfo=UTC),
)  # fmt: skip


def rest(world: World, order_id: OrderId = ORDER, condition_id: ConditionId = CONDITION) -> None:
    order = resting(order_id, condition_id=condition_id)
    world.account.open[order_id] = order
    world.user_stream.send(OrderChanged(OrderEventKind.PLACEMENT, order, world.clock.now()))


def question(world: World) -> str:
    market = world.service.queries.market(CONDITION).market
    return market.question if market is not None else ""


async def test_the_market_of_a_resting_order_is_asked_for_once(world: World) -> None:
    await settle()
    assert question(world) == ""
    rest(world)
    await settle()
    assert question(world) == MARKET.question
    rest(world, OrderId("0x" + "02" * 32))
    await world.pass_time(120)
    assert world.metadata.asked == [CONDITION]


async def test_a_host_that_does_not_answer_is_asked_again_when_somebody_looks(world: World) -> None:
    await settle()
    world.metadata.item_failure = lost("GET /markets")
    rest(world)
    await settle()
    assert world.metadata.asked == [CONDITION]
    world.metadata.item_failure = None
    await world.watch(AccountTopic())
    assert question(world) == MARKET.question


async def test_a_market_that_nobody_knows_is_asked_for_once(world: World) -> None:
    await settle()
    world.metadata.item_failure = Failure(FailureKind.NOT_FOUND, "GET /markets", "no")
    rest(world)
    await settle()
    await world.watch(AccountTopic())
    assert world.metadata.asked == [CONDITION]


async def test_browsing_past_many_markets_forgets_none_with_an_order(world: World) -> None:
    await settle()
    rest(world)
    await settle()
    world.metadata.events = [
        replace(e, markets=(replace(e.markets[0], condition_id=ConditionId(f"0x{n:064x}")),))
        for n, e in enumerate(many_events(2 * MOST_IDLE))
    ]
    topic = MarketListTopic()
    world.service.hub.subscribe([topic], lambda _: None)
    for _ in range(2 * MOST_IDLE // 50):
        await settle()
        world.service.commands.load_more(topic)
    await settle()
    assert len(world.service.queries.view(topic).rows) == 2 * MOST_IDLE
    first, last = (ConditionId(f"0x{n:064x}") for n in (0, 2 * MOST_IDLE - 1))
    assert world.service.queries.market(first).market is None
    assert world.service.queries.market(last).market is not None
    assert question(world) == MARKET.question


async def test_a_fee_is_unknown_until_its_market_is_learned_and_so_is_the_day(world: World) -> None:
    world.account.own_fills = (FILL,)
    world.metadata.item_failure = lost("GET /markets")
    world.trading.terms = lost("GET /clob-markets")
    await world.pass_time(60)
    (fill,) = world.service.queries.fills().fills
    assert fill.fee is None
    assert world.service.queries.status().day_result is None
    # The metadata does not know the market any more; whoever trades it does.
    world.metadata.item_failure = Failure(FailureKind.NOT_FOUND, "GET /markets", "no")
    world.trading.terms = replace(TERMS, fee=FeeSchedule(m("0.04"), 1))
    await world.pass_time(60)
    (fill,) = world.service.queries.fills().fills
    assert fill.fee == m("0.455")
    assert world.service.queries.status().day_result == -m("0.46")


async def test_shares_that_were_redeemed_count_with_what_they_were_exchanged_for(
    world: World,
) -> None:
    yes, no = MARKET.outcomes
    outcomes = (replace(yes, price=m("1")), replace(no, price=m("0")))
    over = replace(MARKET, closed=True, outcomes=outcomes)
    world.metadata.events = [replace(world.metadata.events[0], markets=(over,))]
    world.account.own_fills = (FILL,)
    # Held by our own word at first; then the list says that nothing is there any more.
    await world.pass_time(120)
    assert world.service.queries.account().positions == ()
    assert world.service.queries.status().day_result == m("32.5")


async def test_a_sold_half_of_a_split_is_owed_at_what_the_other_half_leaves(world: World) -> None:
    await world.pass_time(60)
    assert world.service.queries.status().day_result == ZERO
    sold = replace(FILL, side=Side.SELL, price=m("0.4"), size=m("20"), fee=ZERO)
    other = Position(
        token_id=NO, condition_id=CONDITION, title="", outcome="No", size=m("20"),
        average_price=m("0.5"), current_price=m("0.6"), realized=ZERO,
    )  # fmt: skip
    world.account.own_fills, world.analytics.held = (sold,), (other,)
    await world.pass_time(120)
    assert world.service.queries.status().day_result == ZERO
    world.analytics.held = (replace(other, current_price=m("0.5")),)
    await world.pass_time(120)
    assert world.service.queries.status().day_result == -m("2")


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


async def test_a_race_names_everybody_who_may_still_win(world: World) -> None:
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


async def test_nobody_is_asked_while_nobody_looks(world: World) -> None:
    world.metadata.events = [RACE]
    world.analytics.held = (HELD,)
    await world.pass_time(2 * RACE_PERIOD_S)
    assert EVENT not in world.metadata.asked
    assert events(world) == ()


async def test_a_host_that_does_not_answer_is_asked_again(world: World) -> None:
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


async def test_a_market_of_the_past_that_nobody_knows_is_asked_for_once(world: World) -> None:
    world.metadata.events = []
    world.analytics.held = (HELD,)
    world.service.commands.refresh(ActivityTopic())
    world.service.hub.subscribe([ActivityTopic()], lambda _: None)
    await world.pass_time(60)
    assert world.metadata.asked == [CONDITION]
    assert events(world) == ()
