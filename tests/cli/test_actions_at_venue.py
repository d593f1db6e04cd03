"""Batches, ladders, moves and flattening with real clients, real sockets and the local venue."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.flattening import FlattenPlan, plan_flatten
from pmtui.domain.orders.moving import plan_move
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    MoveEnd,
    MoveVerdict,
    Order,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.domain.orders.reversing import ReversePlan, plan_reverse
from pmtui.domain.ticket.draft import TicketContext
from pmtui.domain.ticket.scaled import ScaledPlan, ScaledSpec, TotalUnit, plan_scaled
from pmtui.service.surface import PreparedOrder
from tests.cli.at_venue import HERE, YES, PatientTime, ServiceAtVenue, service_at_venue, until
from tests.sim.kit import RAIN_NO, RAIN_YES

m = parse_micros


def buy(price: str, size: str) -> LimitIntent:
    return LimitIntent(HERE, YES, Side.BUY, m(price), m(size))


async def batch(here: ServiceAtVenue, *intents: LimitIntent) -> tuple[Verdict, ...]:
    commands = here.service.commands
    legs = [leg for leg in await commands.prepare_many(intents) if isinstance(leg, PreparedOrder)]
    assert len(legs) == len(intents)
    async with asyncio.timeout(60):
        return await commands.batch_verdict(commands.place_many([leg.order_id for leg in legs]))


async def move(here: ServiceAtVenue, old: Order, price: str) -> MoveVerdict:
    service = here.service
    terms = service.queries.market(HERE).terms
    assert terms is not None
    intent = plan_move(old, m(price), terms=terms, now=service.queries.now(), available_cash=None)
    assert isinstance(intent, LimitIntent)
    order = await service.commands.prepare(intent)
    assert isinstance(order, PreparedOrder)
    async with asyncio.timeout(60):
        return await service.commands.move_verdict(
            service.commands.move(old.order_id, order.order_id)
        )


def open_orders(here: ServiceAtVenue) -> tuple[Order, ...]:
    return here.service.queries.account().open_orders


async def at_venue(here: ServiceAtVenue) -> dict[OrderId, tuple[str, str]]:
    ledger = await here.ann.ledger()
    return {OrderId(o["id"]): (o["price"], o["original_size"]) for o in ledger["open_orders"]}


async def lose_answers(here: ServiceAtVenue, method: str, prefix: str) -> None:
    fault = {"host": "clob", "method": method, "prefix": prefix, "is_answer_lost": True}
    await here.ann.admin("POST", "/faults", fault | {"remaining": 1})


async def test_a_batch_is_taken_leg_by_leg_in_the_venues_words(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        first, second, third = await batch(
            here, buy("0.30", "10"), buy("0.31", "100000000"), buy("0.32", "10")
        )
        assert isinstance(first, Accepted)
        assert isinstance(second, Rejected)
        assert "not enough balance" in second.reason
        assert isinstance(third, Accepted)
        assert sorted(price for price, _ in (await at_venue(here)).values()) == ["0.3", "0.32"]
        await until(here.service, lambda: len(open_orders(here)) == 2)


async def test_a_batch_without_an_answer_is_found_leg_by_leg(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        await lose_answers(here, "POST", "/orders")
        verdicts = await batch(here, buy("0.30", "10"), buy("0.31", "10"))
        assert [type(v) for v in verdicts] == [Unknown, Unknown]
        live = OrderStatus.LIVE
        await until(here.service, lambda: [o.status for o in open_orders(here)] == [live, live])
        assert {o.order_id for o in open_orders(here)} == set(await at_venue(here))


async def test_fifteen_legs_of_a_ladder_are_what_was_planned(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        terms = here.service.queries.market(HERE).terms
        assert terms is not None
        spec = ScaledSpec(Side.BUY, m("0.20"), m("0.34"), 15, m("60"), unit=TotalUnit.DOLLARS)
        plan = plan_scaled(spec, terms)
        assert isinstance(plan, ScaledPlan)
        verdicts = await batch(here, *plan.intents(terms, 0))
        assert all(isinstance(v, Accepted) for v in verdicts)
        ledger = await here.ann.ledger()
        # Reserved to the unit: what the plan said, and it said no more than was to be spent.
        assert m(ledger["reserved"]) == plan.cash
        assert plan.cash <= m("60") < plan.cash + m("0.01")


async def test_a_move_leaves_one_order_at_the_new_price(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        assert isinstance(await here.place("0.30", "10", is_post_only=True), Accepted)
        (old,) = open_orders(here)
        verdict = await move(here, old, "0.33")
        assert verdict.end is MoveEnd.MOVED
        ((new_id, terms),) = (await at_venue(here)).items()
        assert terms == ("0.33", "10")
        assert new_id != old.order_id
        (live,) = open_orders(here)
        assert live.is_post_only


async def test_only_the_rest_of_a_partly_filled_order_moves(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        assert isinstance(await here.place("0.40", "20"), Accepted)
        (old,) = open_orders(here)
        # Half of it fills between the card and the cancel: the move was planned for all.
        planned = replace(old)
        await here.bob.place(Side.BUY, "0.60", "8", token=RAIN_NO)
        verdict = await move(here, planned, "0.38")
        assert verdict.end is MoveEnd.MOVED
        assert list((await at_venue(here)).values()) == [("0.38", "12")]


async def test_a_move_whose_cancel_is_lost_still_leaves_one_order(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        assert isinstance(await here.place("0.30", "10"), Accepted)
        (old,) = open_orders(here)
        await lose_answers(here, "DELETE", "/order")
        verdict = await move(here, old, "0.33")
        assert verdict.end is MoveEnd.MOVED
        assert list((await at_venue(here)).values()) == [("0.33", "10")]
        await until(here.service, lambda: len(open_orders(here)) == 1)


async def test_an_order_that_filled_first_stays_filled(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        assert isinstance(await here.place("0.40", "10"), Accepted)
        (old,) = open_orders(here)
        await here.bob.place(Side.BUY, "0.60", "10", token=RAIN_NO)
        verdict = await move(here, old, "0.38")
        assert verdict.end is MoveEnd.NOT_MOVED
        assert await at_venue(here) == {}


async def test_a_post_only_replacement_that_would_cross_leaves_the_old_one(
    tmp_path: Path,
) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        await here.bob.rest(Side.BUY, "0.55", "50", token=RAIN_NO)
        assert isinstance(await here.place("0.30", "10", is_post_only=True), Accepted)
        (old,) = open_orders(here)
        verdict = await move(here, old, "0.45")
        assert verdict.end is MoveEnd.NOT_MOVED
        assert "cross" in verdict.text
        assert len(await at_venue(here)) == 1


async def test_a_position_tied_up_by_own_sales_is_sold_whole(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        service = here.service
        await here.bob.rest(Side.BUY, "0.55", "40", token=RAIN_NO)
        assert isinstance(await here.place("0.45", "40"), Accepted)
        await until(service, lambda: service.queries.account().sellable(YES) == m("40"))
        sale = await service.commands.prepare(LimitIntent(HERE, YES, Side.SELL, m("0.60"), m("25")))
        assert isinstance(sale, PreparedOrder)
        await service.commands.verdict(service.commands.place(sale.order_id))
        await here.bob.rest(Side.BUY, "0.42", "15")
        await here.bob.rest(Side.BUY, "0.41", "100")
        await until(service, lambda: len(service.queries.book(YES).bids) == 2)
        terms = service.queries.market(HERE).terms
        assert terms is not None
        plan = plan_flatten(
            held=m("40"), orders=open_orders(here), book=service.queries.book(YES), terms=terms
        )
        assert isinstance(plan, FlattenPlan)
        assert [o.order_id for o in plan.sales] == [sale.unsigned.order_id]
        order = await service.commands.prepare(plan.intent)
        assert isinstance(order, PreparedOrder)
        verdict = await service.commands.verdict(
            service.commands.flatten(order.order_id, plan.sales)
        )
        assert isinstance(verdict, Accepted)
        assert verdict.filled_size == m("40")
        ledger = await here.ann.ledger()
        assert Micros(m(ledger["shares"].get(RAIN_YES, "0"))) == 0
        assert await at_venue(here) == {}


async def test_own_bids_make_way_for_selling_a_position(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        service = here.service
        await here.bob.rest(Side.BUY, "0.55", "20", token=RAIN_NO)
        assert isinstance(await here.place("0.45", "20"), Accepted)
        await until(service, lambda: service.queries.account().sellable(YES) == m("20"))
        await here.bob.rest(Side.BUY, "0.40", "50")
        assert isinstance(await here.place("0.42", "15"), Accepted)
        await until(service, lambda: len(service.queries.book(YES).bids) == 2)
        terms = service.queries.market(HERE).terms
        assert terms is not None
        (mine,) = open_orders(here)
        plan = plan_flatten(
            held=m("20"), orders=(mine,), book=service.queries.book(YES), terms=terms
        )
        assert isinstance(plan, FlattenPlan)
        assert (plan.bids, plan.best_bid) == ((mine,), m("0.40"))
        order = await service.commands.prepare(plan.intent)
        assert isinstance(order, PreparedOrder)
        verdict = await service.commands.verdict(
            service.commands.flatten(order.order_id, plan.in_the_way)
        )
        assert isinstance(verdict, Accepted)
        # At what others bid: nothing was traded with ourselves.
        assert (verdict.filled_size, verdict.average) == (m("20"), m("0.40"))
        ledger = await here.ann.ledger()
        assert Micros(m(ledger["shares"].get(RAIN_YES, "0"))) == 0
        assert await at_venue(here) == {}


async def reverse(here: ServiceAtVenue, *, late: OrderId | None = None) -> tuple[Verdict, Verdict]:
    """Reverse the position as the single key does, by the book as it is known now.

    Args:
        here: the service.
        late: an order of the other person that is cancelled after the key was pressed.
    """
    service = here.service
    account, terms = service.queries.account(), service.queries.market(HERE).terms
    assert terms is not None
    context = TicketContext(
        terms=terms, book=service.queries.book(YES), now=service.queries.now(),
        available_cash=account.available, available_shares=account.sellable(YES),
        own=account.open_orders,
    )  # fmt: skip
    plan = plan_reverse(held=account.held, context=context)
    assert isinstance(plan, ReversePlan), plan
    commands = service.commands
    sale, entry = await commands.prepare_many((plan.sale.intent, plan.entry.intent))
    assert isinstance(sale, PreparedOrder)
    assert isinstance(entry, PreparedOrder)
    if late is not None:
        await here.bob.call("DELETE", "/order", json.dumps({"orderID": late}).encode())
    first = commands.flatten(sale.order_id, plan.sale.in_the_way, is_single_key=True)
    second = commands.place(entry.order_id, is_single_key=True, after=first)
    async with asyncio.timeout(60):
        return await commands.verdict(first), await commands.verdict(second)


async def shares(here: ServiceAtVenue) -> tuple[Micros, Micros]:
    """Return what the venue has of both outcomes for the service's key."""
    held = (await here.ann.ledger())["shares"]
    return m(held.get(RAIN_YES, "0")), m(held.get(RAIN_NO, "0"))


async def long_of_20(here: ServiceAtVenue) -> None:
    await here.bob.rest(Side.BUY, "0.55", "20", token=RAIN_NO)
    assert isinstance(await here.place("0.45", "20"), Accepted)
    await until(here.service, lambda: here.service.queries.account().sellable(YES) == m("20"))


async def test_a_position_is_reversed_and_back_again(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        service = here.service
        await long_of_20(here)
        await here.bob.rest(Side.BUY, "0.44", "30")
        await here.bob.rest(Side.BUY, "0.43", "30")
        await here.bob.rest(Side.BUY, "0.54", "90", token=RAIN_NO)
        assert isinstance(await here.place("0.42", "5"), Accepted)
        await until(service, lambda: len(service.queries.book(YES).bids) == 3)
        await until(service, lambda: bool(service.queries.book(YES).asks))
        assert await service.commands.arm() == ""
        sold, bought = await reverse(here)
        assert isinstance(sold, Accepted)
        assert isinstance(bought, Accepted)
        assert (sold.filled_size, sold.average) == (m("20"), m("0.44"))
        # Ten at 56 cents and ten at 57 in terms of No, for the dollars that those cost.
        assert (bought.filled_size, bought.filled_cash) == (m("20"), m("11.3"))
        assert await shares(here) == (0, m("20"))
        # The own bid was in the way of the first, as it is of flattening.
        assert await at_venue(here) == {}
        other = TokenId(RAIN_NO)
        await until(service, lambda: service.queries.account().sellable(other) == m("20"))
        await until(service, lambda: service.queries.book(YES).best_bid == m("0.43"))
        sold, bought = await reverse(here)
        assert isinstance(sold, Accepted)
        assert isinstance(bought, Accepted)
        assert await shares(here) == (m("20"), 0)


async def test_a_sale_that_fills_in_part_is_not_followed(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        service = here.service
        await long_of_20(here)
        await here.bob.rest(Side.BUY, "0.44", "12")
        gone = await here.bob.rest(Side.BUY, "0.43", "30")
        await until(service, lambda: len(service.queries.book(YES).bids) == 2)
        assert await service.commands.arm() == ""
        sold, bought = await reverse(here, late=gone)
        assert isinstance(sold, Accepted)
        assert sold.filled_size == m("12")
        assert isinstance(bought, Rejected)
        assert "did not fill whole (filled 12 Yes, the rest cancelled)" in bought.reason
        assert await shares(here) == (m("8"), 0)
        assert await at_venue(here) == {}


async def test_a_moved_order_ends_when_the_old_one_would_have(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, PatientTime) as here:
        service = here.service
        end = service.queries.now() + timedelta(minutes=10)
        intent = replace(
            buy("0.30", "10"), time_in_force=TimeInForce.GTD, expires_at=end.replace(microsecond=0)
        )
        order = await service.commands.prepare(intent)
        assert isinstance(order, PreparedOrder)
        await service.commands.verdict(service.commands.place(order.order_id))
        before = await listed(here)
        # As the venue lists it, not as we remember it: the two must mean the same end.
        await service.parts.account.feed.fetch_now()
        (old,) = open_orders(here)
        assert (await move(here, old, "0.33")).end is MoveEnd.MOVED
        after = await listed(here)
        assert after["id"] != before["id"]
        assert after["expiration"] == before["expiration"]
        assert after["order_type"] == "GTD"


async def listed(here: ServiceAtVenue) -> dict[str, str]:
    """Return the only open order as the venue lists it."""
    answer = (await here.ann.call("GET", "/data/orders")).json()
    (order,) = answer["data"]
    found: dict[str, str] = order
    return found
