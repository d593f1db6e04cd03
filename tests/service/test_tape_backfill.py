"""What traded before a market was watched is on both outcomes' tapes, once."""

from datetime import UTC, datetime
from pathlib import Path

from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.market import Side
from pmtui.domain.market_events import TradePrinted
from pmtui.domain.money import Micros
from pmtui.domain.order import TradePrint
from pmtui.service.feeds.books import GRACE_S
from pmtui.service.hub import HubSubscription
from pmtui.service.topics import LogTopic, MarketTopic, TapeTopic, Topic
from tests.manual_clock import settle
from tests.service.fakes import CONDITION, NO, YES, World, running_world

AT_MS = 1_790_000_000_000
SOLD_NO = TradePrint(NO, Side.SELL, Micros(570_000), Micros(2_000_000), datetime(2026, 9, 1, tzinfo=UTC))  # fmt: skip
BOUGHT = TradePrint(
    YES, Side.BUY, Micros(430_000), Micros(3_500_000), datetime.fromtimestamp(AT_MS // 1_000, UTC)
)


async def watch(world: World) -> HubSubscription:
    topics: list[Topic] = [MarketTopic(CONDITION), TapeTopic(YES)]
    subscription = world.service.hub.subscribe(topics, lambda _: None)
    await settle()
    return subscription


async def test_a_first_look_shows_what_traded_before_on_both_tapes(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.analytics.past = (BOUGHT, SOLD_NO)
        await watch(world)
        yes, no = (world.service.queries.tape(token) for token in (YES, NO))
        assert [(p.side, p.price) for p in yes.prints] == [
            (Side.BUY, 430_000),
            (Side.BUY, 430_000),
        ]
        assert [(p.side, p.price) for p in no.prints] == [
            (Side.SELL, 570_000),
            (Side.SELL, 570_000),
        ]
        assert yes.volume == ((430_000, 5_500_000),)
        assert yes.sequence == 0  # nothing of it was heard
        assert world.analytics.asked_trades == [CONDITION]


async def test_a_trade_that_was_heard_meanwhile_is_shown_once(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.analytics.past = (BOUGHT, SOLD_NO)
        subscription = world.service.hub.subscribe([TapeTopic(YES)], lambda _: None)
        world.stream.send(
            TradePrinted(CONDITION, YES, BOUGHT.side, BOUGHT.price, BOUGHT.size, str(AT_MS + 400))
        )
        assert len(world.service.queries.tape(YES).prints) == 1
        await watch(world)
        tape = world.service.queries.tape(YES)
        assert [p.size for p in tape.prints] == [3_500_000, 2_000_000]
        assert tape.volume == ((430_000, 5_500_000),)
        subscription.close()


async def test_without_an_answer_the_tape_is_empty_and_the_log_says_so(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.service.hub.subscribe([LogTopic()], lambda _: None)
        world.analytics.past = Failure(FailureKind.LOST, "GET /trades", "timed out")
        await watch(world)
        assert world.service.queries.tape(YES).prints == ()
        assert any("traded before" in e.text for e in world.service.queries.log().entries)


async def test_a_market_looked_at_again_later_is_asked_for_again(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        subscription = await watch(world)
        subscription.close()
        await world.pass_time(GRACE_S + 1)
        await watch(world)
        assert world.analytics.asked_trades == [CONDITION, CONDITION]
