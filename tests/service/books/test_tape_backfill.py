"""What traded before a market was watched is on both outcomes' tapes, once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.market_events import TradePrinted
from pmtui.domain.books.tape import PastTrades
from pmtui.domain.health import LinkState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.books.books import GRACE_S
from pmtui.service.books.tapes import PAUSES_S
from pmtui.service.hub import TopicSubscription
from pmtui.service.topics import BookTopic, LogTopic, MarketTopic, TapeTopic, Topic
from tests.manual_clock import settle
from tests.service.book_kit import change, mirrored, snapshot
from tests.service.fakes import CONDITION, NO, YES, World, running_world

AT_MS = 1_790_000_000_000
SOLD_NO = TradePrint(NO, Side.SELL, Micros(570_000), Micros(2_000_000), datetime(2026, 9, 1, tzinfo=UTC))  # fmt: skip
BOUGHT = TradePrint(
    YES, Side.BUY, Micros(430_000), Micros(3_500_000), datetime.fromtimestamp(AT_MS // 1_000, UTC)
)


async def watch(world: World) -> TopicSubscription:
    topics: list[Topic] = [MarketTopic(CONDITION), TapeTopic(YES)]
    subscription = world.service.hub.subscribe(topics, lambda _: None)
    await settle()
    return subscription


async def test_a_first_look_shows_what_traded_before_on_both_tapes(world: World) -> None:
    world.analytics.past = (BOUGHT, SOLD_NO)
    await watch(world)
    yes, no = (world.service.queries.tape(token) for token in (YES, NO))
    assert [(p.side, p.price) for p in yes.prints] == [(Side.BUY, 430_000), (Side.BUY, 430_000)]
    assert [(p.side, p.price) for p in no.prints] == [(Side.SELL, 570_000), (Side.SELL, 570_000)]
    assert yes.volume == ((430_000, 5_500_000),)
    assert yes.sequence == 0  # nothing of it was heard
    assert world.analytics.asked_trades == [CONDITION]


async def test_a_trade_that_was_heard_meanwhile_is_shown_once(world: World) -> None:
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


async def test_without_an_answer_the_tape_is_empty_and_the_log_says_so(world: World) -> None:
    world.service.hub.subscribe([LogTopic()], lambda _: None)
    world.analytics.past = Failure(FailureKind.LOST, "GET /trades", "timed out")
    await watch(world)
    assert world.service.queries.tape(YES).prints == ()
    assert any("older trades not loaded" in e.text for e in world.service.queries.log().entries)


async def test_a_market_looked_at_again_later_is_asked_for_again(world: World) -> None:
    subscription = await watch(world)
    subscription.close()
    await world.pass_time(GRACE_S + 1)
    await watch(world)
    assert world.analytics.asked_trades == [CONDITION, CONDITION]


MISSED = replace(BOUGHT, size=Micros(9_000_000), at=BOUGHT.at + timedelta(seconds=20))
AFTER = TradePrinted(
    CONDITION, YES, Side.BUY, Micros(440_000), Micros(1_000_000), str(AT_MS + 60_000)
)


async def break_the_line(world: World) -> None:
    """Hear a trade, miss some, and hear again."""
    await watch(world)
    world.stream.send(snapshot())
    world.stream.send(mirrored())
    world.stream.send(
        TradePrinted(CONDITION, YES, BOUGHT.side, BOUGHT.price, BOUGHT.size, str(AT_MS + 400))
    )
    world.stream.change_link(LinkState.DOWN, "reset")
    (gap,) = world.service.queries.tape(YES).gaps
    assert (gap.before, gap.after) == (None, BOUGHT.at + timedelta(milliseconds=400))
    world.stream.change_link(LinkState.OPEN)
    world.stream.send(snapshot())
    world.stream.send(mirrored())
    world.stream.send(AFTER)


async def test_what_a_broken_stream_missed_is_woven_in_once(tmp_path: Path) -> None:
    async with running_world(tmp_path, start=BOUGHT.at + timedelta(seconds=30)) as world:
        await break_the_line(world)
        told = replace(BOUGHT, price=Micros(440_000), size=Micros(1_000_000))
        late = replace(told, at=BOUGHT.at + timedelta(seconds=60))
        world.analytics.missed = PastTrades((late, MISSED, BOUGHT), is_whole=True)
        # Where tasks begin at once, this one saw the first outcome's hole alone and waits again.
        await world.pass_time(2 * PAUSES_S[0] + 0.1)
        assert len(world.analytics.asked_since) == 1
        assert world.analytics.asked_since[0] < BOUGHT.at
        yes, no = (world.service.queries.tape(token) for token in (YES, NO))
        assert [p.size for p in yes.prints] == [1_000_000, 9_000_000, 3_500_000]
        assert [p.side for p in no.prints] == [Side.SELL] * 3
        assert dict(yes.volume) == {430_000: 12_500_000, 440_000: 1_000_000}
        assert yes.gaps == no.gaps == ()


async def test_a_history_that_is_late_is_asked_again_and_then_believed(tmp_path: Path) -> None:
    async with running_world(tmp_path, start=BOUGHT.at + timedelta(seconds=30)) as world:
        await break_the_line(world)
        await world.pass_time(PAUSES_S[0] + 0.1)
        (gap,) = world.service.queries.tape(YES).gaps
        assert not gap.is_final
        world.analytics.missed = PastTrades((MISSED, BOUGHT), is_whole=True)
        await world.pass_time(sum(PAUSES_S))
        assert len(world.analytics.asked_since) == len(PAUSES_S)
        tape = world.service.queries.tape(YES)
        assert [p.size for p in tape.prints] == [1_000_000, 9_000_000, 3_500_000]
        assert tape.gaps == ()


async def test_a_hole_that_no_history_fills_stays_on_the_tape_and_in_the_log(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, start=BOUGHT.at + timedelta(seconds=30)) as world:
        world.analytics.missed = Failure(FailureKind.LOST, "GET /trades", "timed out")
        await break_the_line(world)
        await world.pass_time(sum(PAUSES_S) + 1)
        (gap,) = world.service.queries.tape(YES).gaps
        assert gap.is_final
        assert gap.before is not None
        assert any("stream missed" in e.text for e in world.service.queries.log().entries)


async def test_a_book_that_lost_a_message_doubts_its_tape_too(tmp_path: Path) -> None:
    async with running_world(tmp_path, start=BOUGHT.at + timedelta(seconds=30)) as world:
        await watch(world)
        world.stream.send(snapshot())
        await world.pass_time(1)
        world.analytics.missed = PastTrades((MISSED,), is_whole=True)
        world.stream.send(change("0.39", "5", "f" * 40))
        await world.pass_time(0.5)
        (gap,) = world.service.queries.tape(YES).gaps
        assert gap.before is not None
        await world.pass_time(sum(PAUSES_S))
        tape = world.service.queries.tape(YES)
        assert [p.size for p in tape.prints] == [9_000_000]
        assert tape.gaps == ()


async def test_a_tape_nobody_looks_at_is_filled_when_somebody_does(tmp_path: Path) -> None:
    async with running_world(tmp_path, start=BOUGHT.at + timedelta(seconds=30)) as world:
        await world.watch(MarketTopic(CONDITION), BookTopic(YES))
        world.stream.send(snapshot())
        world.stream.change_link(LinkState.DOWN, "reset")
        world.stream.change_link(LinkState.OPEN)
        world.stream.send(snapshot())
        await world.pass_time(sum(PAUSES_S) + 1)
        assert world.analytics.asked_since == []
        await watch(world)
        await world.pass_time(PAUSES_S[0] + 0.1)
        assert len(world.analytics.asked_since) == 1


async def test_a_replay_moved_back_forgets_the_trades_that_are_still_to_come(world: World) -> None:
    await watch(world)
    for second, price in enumerate((410_000, 420_000, 430_000)):
        at_ms = str(AT_MS + second * 1_000)
        size = Micros(1_000_000)
        world.stream.send(TradePrinted(CONDITION, YES, Side.BUY, Micros(price), size, at_ms))
    moment = datetime.fromtimestamp(AT_MS // 1_000, UTC) + timedelta(seconds=1)
    world.service.rewind(moment)
    tape = world.service.queries.tape(YES)
    assert [each.price for each in tape.prints] == [420_000, 410_000]
    assert sorted(tape.volume) == [(410_000, 1_000_000), (420_000, 1_000_000)]
    world.service.rewind(datetime(2020, 1, 1, tzinfo=UTC))
    assert world.service.queries.tape(YES).volume == ()
