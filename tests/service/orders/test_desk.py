"""Orders through the running service: every way one can end."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    MarketBuyIntent,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    TradeChanged,
    TradeStatus,
    Unknown,
)
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.orders.preparing import to_order
from pmtui.service.topics import BookTopic, MarketTopic
from tests.service.fakes import (
    CONDITION,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    YES,
    World,
    fill,
    lost,
    resting,
    running_world,
)
from tests.service.order_kit import BUY, only_order, prepared, said, until, verdict_of


async def test_a_resting_order_is_accepted_shown_and_reserves_its_cash(world: World) -> None:
    order = await prepared(world)
    command = world.service.commands.place(order.order_id)
    # In flight it is already there to see, and its money is spoken for.
    (shown,) = world.service.queries.account().open_orders
    assert shown.status is OrderStatus.PENDING
    assert world.service.queries.account().reserved == 4_000_000
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Accepted)
    assert verdict.status is OrderStatus.LIVE
    (live,) = world.service.queries.account().open_orders
    assert live.status is OrderStatus.LIVE
    assert world.account.posted == [order.unsigned.order_id.encode()]


async def test_the_amounts_of_a_limit_order_are_those_of_the_card(world: World) -> None:
    order = await prepared(world)
    assert (order.unsigned.draft.maker_amount, order.unsigned.draft.taker_amount) == (
        4_000_000,
        10_000_000,
    )
    assert (order.cash, order.size, order.price) == (4_000_000, 10_000_000, 400_000)


async def test_what_does_not_rest_is_signed_with_market_amounts(world: World) -> None:
    fak = replace(BUY, time_in_force=TimeInForce.FAK, size=Micros(7_330_000))
    order = await prepared(world, fak)
    # 7.33 x 0.40 = 2.932: dollars to the cent, shares to four decimals.
    assert order.unsigned.draft.maker_amount == 2_930_000
    assert order.unsigned.draft.taker_amount == 7_325_000


async def test_a_good_till_date_order_states_a_minute_more(world: World) -> None:
    end = world.clock.now() + timedelta(minutes=5)
    gtd = replace(BUY, time_in_force=TimeInForce.GTD, expires_at=end)
    order = await prepared(world, gtd)
    assert order.unsigned.draft.expiration_s == int(end.timestamp()) + 60


async def test_a_refusal_is_a_rejection_with_the_venues_words_and_field(world: World) -> None:
    order = await prepared(world)
    words = "not enough balance / allowance"
    world.account.answers = [Failure(FailureKind.REFUSED, "POST /order", words, 400)]
    verdict = await verdict_of(world, order)
    assert verdict == Rejected(words, "size")
    assert world.service.queries.account().open_orders == ()


@pytest.mark.parametrize("kind", [FailureKind.UNREACHABLE, FailureKind.BUSY, FailureKind.CANCELLED])
async def test_what_never_left_is_rejected(world: World, kind: FailureKind) -> None:
    order = await prepared(world)
    world.account.answers = [Failure(kind, "POST /order", "no way")]
    assert isinstance(await verdict_of(world, order), Rejected)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "order match delayed due to market conditions"),
        (400, "could not insert order: context canceled"),
        (500, "order timed out"),
        (503, "a web page instead of data"),
    ],
)
async def test_an_answer_that_does_not_settle_it_is_unknown(
    world: World, status: int, text: str
) -> None:
    kind = FailureKind.REFUSED if status == 400 else FailureKind.SERVER
    world.account.answers.append(Failure(kind, "POST /order", text, status))
    verdict = await verdict_of(world, await prepared(world))
    assert isinstance(verdict, Unknown)
    assert only_order(world) is OrderStatus.UNKNOWN


async def test_a_block_of_the_edge_is_a_rejection_in_its_words(world: World) -> None:
    blocked = Failure(FailureKind.SERVER, "POST /order", "blocked by the edge", 403)
    world.account.answers.append(blocked)
    verdict = await verdict_of(world, await prepared(world))
    assert isinstance(verdict, Rejected)
    assert verdict.reason == "blocked by the edge"


async def test_a_lost_reply_is_unknown_until_the_order_is_found(world: World) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    world.account.answers = [lost()]
    world.account.known[order_id] = resting(order_id)
    verdict = await verdict_of(world, order)
    assert isinstance(verdict, Unknown)
    assert world.service.queries.status().unknown_orders == 1
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")
    assert len(world.account.posted) == 1


async def test_an_order_that_is_nowhere_is_ruled_out_in_the_end(world: World) -> None:
    order = await prepared(world)
    world.account.answers = [lost()]
    assert isinstance(await verdict_of(world, order), Unknown)
    assert world.service.queries.account().reserved == 4_000_000
    await until(world, lambda: only_order(world) is None, "it is ruled out")
    assert world.service.queries.account().reserved == 0
    await until(world, lambda: said(world, "never reached the venue"), "it is told")


async def test_a_fill_tells_of_an_order_without_an_answer(world: World) -> None:
    order = await prepared(world)
    world.account.answers = [lost()]
    assert isinstance(await verdict_of(world, order), Unknown)
    world.user_stream.send(
        OrderChanged(OrderEventKind.PLACEMENT, resting(order.unsigned.order_id), world.clock.now())
    )
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")


async def test_nothing_is_sent_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with running_world(tmp_path, journal=Journal(blocked / "journal.sqlite")) as world:
        order = await prepared(world)
        verdict = await verdict_of(world, order)
        assert isinstance(verdict, Rejected)
        assert "journal" in verdict.reason
        assert world.account.posted == []


async def test_the_journal_tells_an_orders_whole_life(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await prepared(world)
        await verdict_of(world, order)
        await until(world, lambda: world.account.posted, "the order left")
        entries = await journal.entries(order.unsigned.order_id)
        assert not isinstance(entries, JournalProblem)
        kinds = [e.kind for e in entries]
        assert kinds[:2] == ["intent", "sending"]
        assert kinds.index("answer") < kinds.index("verdict")
        world.account.open[order.unsigned.order_id] = resting(order.unsigned.order_id)
        command = world.service.commands.cancel_market(CONDITION, None)
        await world.service.commands.cancel_verdict(command)
        entries = await journal.entries(order.unsigned.order_id)
        assert not isinstance(entries, JournalProblem)
        assert [e.text for e in entries if e.kind == "cancel"] == ["asked", "done"]
        assert entries[-1].text == "cancelled, 0 of 10"


async def test_what_was_permitted_with_an_order_is_on_the_disk_before_it_leaves(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await prepared(world)
        command = world.service.commands.place(order.order_id, override="from a book that is stale")
        verdict = await world.service.commands.verdict(command)
        assert isinstance(verdict, Accepted)
        entries = await journal.entries(order.unsigned.order_id)
        assert not isinstance(entries, JournalProblem)
        assert [(e.kind, e.text) for e in entries][:1] == [
            ("override", "from a book that is stale")
        ]
        assert [e.kind for e in entries][1:3] == ["intent", "sending"]
        assert said(world, "Override: from a book that is stale")


async def test_without_an_override_none_is_noted(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await prepared(world)
        _ = await verdict_of(world, order)
        entries = await journal.entries(order.unsigned.order_id)
        assert not isinstance(entries, JournalProblem)
        assert "override" not in {e.kind for e in entries}


async def test_a_dropped_rest_is_no_resting_order(world: World) -> None:
    order = await prepared(world, replace(BUY, time_in_force=TimeInForce.FAK))
    world.account.answers = [
        PostResult(
            order.unsigned.order_id,
            PostStatus.MATCHED,
            making_amount=Micros(1_600_000),
            taking_amount=Micros(4_000_000),
        )
    ]
    verdict = await verdict_of(world, order)
    assert isinstance(verdict, Accepted)
    assert verdict.filled_size == 4_000_000
    assert world.service.queries.account().open_orders == ()


async def test_a_market_buy_that_spent_its_dollars_is_filled(world: World) -> None:
    intent = MarketBuyIntent(CONDITION, YES, Micros(5_000_000), Micros(500_000))
    order = await prepared(world, intent)
    assert order.unsigned.draft.maker_amount == 5_000_000
    world.account.answers = [
        PostResult(
            order.unsigned.order_id,
            PostStatus.MATCHED,
            making_amount=Micros(5_000_000),
            taking_amount=Micros(12_195_100),
        )
    ]
    verdict = await verdict_of(world, order)
    assert isinstance(verdict, Accepted)
    assert verdict.status is OrderStatus.FILLED


async def test_a_cancellation_ends_the_order_and_says_what_stayed(world: World) -> None:
    first, second = OrderId("0x01"), OrderId("0x02")
    world.account.open = {o: resting(o) for o in (first, second)}
    world.account.refuses_to_cancel = {second: "order already matched"}
    world.service.commands.refresh(MarketTopic(CONDITION))
    await world.pass_time(11)
    command = world.service.commands.cancel([first, second])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result.canceled == (first,)
    assert verdict.result.not_canceled == ((second, "order already matched"),)
    shown = {o.order_id for o in world.service.queries.account().open_orders}
    assert shown == {second}


async def test_a_cancellation_without_an_answer_changes_nothing(world: World) -> None:
    order_id = OrderId("0x01")
    world.account.open = {order_id: resting(order_id)}
    await world.pass_time(11)
    world.account.cancel_failure = lost("DELETE /order")
    command = world.service.commands.cancel_all()
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.problem
    assert len(world.service.queries.account().open_orders) == 1


async def test_without_a_key_nothing_can_be_prepared(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        await world.watch(MarketTopic(CONDITION))
        assert isinstance(await world.service.commands.prepare(BUY), Rejected)


async def test_a_foreign_token_is_refused(world: World) -> None:
    await world.watch(MarketTopic(CONDITION))
    wrong = replace(BUY, token_id=TokenId("1"))
    assert isinstance(await world.service.commands.prepare(wrong), Rejected)


async def test_a_fill_fills_the_order_and_makes_a_position_at_once(world: World) -> None:
    order = await prepared(world)
    await verdict_of(world, order)
    event = TradeChanged((fill(order.unsigned.order_id),), world.clock.now())
    world.user_stream.send(event)
    account = world.service.queries.account()
    assert account.open_orders == ()
    assert account.shares(YES) == 10_000_000
    assert account.shares(NO) == 0
    # The same trade is told again as it settles: nothing is counted twice.
    world.user_stream.send(event)
    confirmed = fill(order.unsigned.order_id, status=TradeStatus.CONFIRMED)
    world.user_stream.send(TradeChanged((confirmed,), world.clock.now()))
    assert world.service.queries.account().shares(YES) == 10_000_000


async def test_an_order_that_fills_at_once_is_told_once_by_its_fill(world: World) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    world.account.answers = [
        PostResult(
            order_id,
            PostStatus.MATCHED,
            making_amount=Micros(4_000_000),
            taking_amount=Micros(10_000_000),
        )
    ]
    verdict = await verdict_of(world, order)
    assert isinstance(verdict, Accepted)
    assert verdict.status is OrderStatus.FILLED
    world.user_stream.send(TradeChanged((fill(order_id),), world.clock.now()))
    entries = world.service.queries.log().entries
    told = [entry.text for entry in entries if entry.order_id == order_id]
    assert len(told) == 1
    assert told[0].startswith("Bought 10 Yes at 40¢")


@pytest.mark.parametrize("is_heard_first", [True, False])
async def test_an_order_that_is_killed_is_told_once(world: World, *, is_heard_first: bool) -> None:
    order = await prepared(world, replace(BUY, time_in_force=TimeInForce.FOK))
    order_id = order.unsigned.order_id
    why = "order couldn't be fully filled. FOK orders are fully filled or killed."
    world.account.answers = [Failure(FailureKind.REFUSED, "POST /order", why, 400)]

    def hear() -> None:
        status = OrderStatus.CANCELLED
        killed = replace(to_order(order, status, reason=why), time_in_force=TimeInForce.FOK)
        world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, killed, None))

    if is_heard_first:
        world.account.before_answer = hear
    assert isinstance(await verdict_of(world, order), Rejected)
    if not is_heard_first:
        hear()
    entries = world.service.queries.log().entries
    (told,) = [entry.text for entry in entries if entry.order_id == order_id]
    assert told.startswith("Rejected: Buy 10 Yes at 40¢")
    assert world.service.queries.status().unread_notices == 1


async def test_a_trade_that_fails_on_chain_is_taken_back_visibly(world: World) -> None:
    order = await prepared(world)
    await verdict_of(world, order)
    world.user_stream.send(TradeChanged((fill(order.unsigned.order_id),), None))
    failed = fill(order.unsigned.order_id, status=TradeStatus.FAILED)
    world.user_stream.send(TradeChanged((failed,), None))
    assert world.service.queries.account().shares(YES) == 0
    assert said(world, "FAILED")
    assert said(world, "Status corrected, was filled")


async def test_an_order_ruled_out_that_turns_up_is_told_loudly(world: World) -> None:
    order = await prepared(world)
    world.account.answers = [Failure(FailureKind.REFUSED, "POST /order", "no", 400)]
    await verdict_of(world, order)
    placed = resting(order.unsigned.order_id)
    world.user_stream.send(OrderChanged(OrderEventKind.PLACEMENT, placed, None))
    assert only_order(world) is OrderStatus.LIVE
    assert said(world, "yet at the venue")
    assert said(world, "Status corrected, was rejected")


async def test_the_way_of_the_next_order_is_kept_open_while_a_market_is_watched(
    world: World,
) -> None:
    await world.pass_time(60)
    assert world.account.warmed == 0
    watching = world.service.hub.subscribe([MarketTopic(CONDITION)], lambda _: None)
    await world.pass_time(60)
    assert world.account.warmed == 4
    watching.close()
    await world.pass_time(60)
    assert world.account.warmed == 4


async def test_what_can_be_sold_is_known_by_fills_before_any_host_reports_it(world: World) -> None:
    world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await world.pass_time(1)
    assert world.service.queries.account().sellable(YES) == 0
    order = await prepared(world)
    await verdict_of(world, order)
    world.user_stream.send(TradeChanged((fill(order.unsigned.order_id),), None))
    assert world.service.queries.account().sellable(YES) == 10_000_000
    # The venue is told to look again, and still lags; the fill counts until it agrees.
    await until(world, lambda: YES in world.account.refreshed, "it is told to look")
    await world.pass_time(20)
    assert world.service.queries.account().sellable(YES) == 10_000_000
    world.account.shares[YES] = Micros(10_000_000)
    await world.pass_time(20)
    assert world.service.queries.account().sellable(YES) == 10_000_000


async def test_shares_in_open_sales_are_not_offered_twice(world: World) -> None:
    world.account.shares[YES] = Micros(10_000_000)
    sale = resting(OrderId("0x01"), side=Side.SELL, original_size=Micros(4_000_000))
    world.account.open = {sale.order_id: sale}
    world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await world.pass_time(11)
    account = world.service.queries.account()
    assert account.shares(YES) == 0
    assert account.sellable(YES) == 6_000_000
    assert account.sellable(NO) == 0


async def test_an_order_is_named_so_that_a_narrow_card_tells_its_market(world: World) -> None:
    question = "What will the river do at the bridge in the second week of May: Nothing?"
    market = replace(MARKET, question=question, group_title="Nothing")
    world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(market,))]
    order = await prepared(world)
    assert order.market_title.startswith("Nothing: What will")
    order_id = order.unsigned.order_id
    _ = await verdict_of(world, order)
    await until(world, lambda: said(world, "Nothing: What will"), "it is told of by that name")
    assert any(o.order_id == order_id for o in world.service.queries.account().recent)
