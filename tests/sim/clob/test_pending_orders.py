"""Delayed orders of markets that are gone when their time comes."""

import json
from contextlib import closing
from pathlib import Path

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.sim.catalogue.load import load_recorded
from pmtui.sim.clob.pending_orders import Delayed, PendingOrders
from pmtui.sim.engine.events import Event, OrderCancelled
from pmtui.sim.engine.terms import NewOrder, Payout, SeedOrder
from pmtui.sim.storage.persistence import Store
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN, RAIN_YES, START_MS, write_catalogue

SELLER, BUYER = Address("0x" + "01" * 20), Address("0x" + "02" * 20)
ORDER_ID = OrderId("0x" + "0b" * 32)


def _venue(page: Path, clock: ManualClock) -> Venue:
    catalogue = load_recorded((page,)).catalogue
    return Venue(catalogue, clock=clock, store=Store(page.parent / "state"))


def _delay_an_order(venue: Venue) -> None:
    price, size = parse_micros("0.5"), parse_micros("10")
    ask = SeedOrder(OrderId("0x" + "0a" * 32), SELLER, TokenId(RAIN_YES), Side.SELL, price, size)
    venue.act(lambda x, _: x.open_account(SELLER, simulated=True, unlimited=True))
    venue.act(lambda x, now: x.seed(ConditionId(RAIN), [ask], owner=ApiKey(""), now_ms=now))
    venue.fund(BUYER, parse_micros("100"))
    order = NewOrder(
        order_id=ORDER_ID,
        account=BUYER,
        owner=ApiKey("buyer"),
        token_id=TokenId(RAIN_YES),
        side=Side.BUY,
        maker_amount=Micros(price * 10),
        taker_amount=size,
    )
    assert PendingOrders(venue).delay(order, seconds=3) == Delayed(ORDER_ID)


def test_an_order_whose_market_is_not_listed_again_is_forgotten(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    page = write_catalogue(tmp_path)
    with closing(_venue(page, clock)) as venue:
        _delay_an_order(venue)
    page.write_text(json.dumps(json.loads(page.read_text())[1:]))
    with closing(_venue(page, clock)) as venue:
        pending = PendingOrders(venue)
        assert pending.delayed(ORDER_ID) is not None
        heard: list[Event] = []
        venue.subscribe(heard.extend)
        clock.step(3_000)
        pending.tick()
        assert pending.delayed(ORDER_ID) is None
        assert heard == []
        assert PendingOrders(venue).delayed(ORDER_ID) is None


def test_one_of_a_market_that_ended_meanwhile_is_announced_as_gone(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    with closing(_venue(write_catalogue(tmp_path), clock)) as venue:
        _delay_an_order(venue)
        pending = PendingOrders(venue)
        venue.act(lambda x, now: x.resolve(ConditionId(RAIN), Payout.FIRST, now_ms=now))
        heard: list[Event] = []
        venue.subscribe(heard.extend)
        clock.step(3_000)
        pending.tick()
        gone = [event for event in heard if isinstance(event, OrderCancelled)]
        assert [(e.order.order_id, e.order.status) for e in gone] == [(ORDER_ID, "INVALID")]
