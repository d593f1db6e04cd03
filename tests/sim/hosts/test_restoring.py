"""Whatever happened, a venue opened on the same store has the same books, balances and orders."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.catalogue.load import load_recorded
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder
from pmtui.sim.storage.maintenance import Maintenance
from pmtui.sim.storage.persistence import Store
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW_NO, SNOW_YES, START_MS, write_catalogue

MOST_STEPS = 40
USERS = [Address("0x" + f"{n:040x}") for n in (1, 2)]
MAKER = Address("0x" + f"{9:040x}")
TOKENS = [RAIN_YES, RAIN_NO, SNOW_YES, SNOW_NO]

order = st.tuples(
    st.just("order"),
    st.sampled_from([*USERS, MAKER]),
    st.sampled_from(TOKENS),
    st.sampled_from(list(Side)),
    st.integers(10, 90),
    st.integers(5, 40),
    st.sampled_from(list(TimeInForce)),
)
step = st.one_of(
    order,
    order,
    order,
    st.tuples(st.just("wait"), st.integers(1, 300_000)),
    st.tuples(st.just("cancel"), st.sampled_from(USERS)),
    st.tuples(st.just("split"), st.sampled_from(USERS), st.integers(1, 50)),
    st.tuples(st.just("fund"), st.sampled_from(USERS), st.integers(1, 500)),
    st.tuples(st.just("tick"), st.sampled_from([1_000, 10_000])),
)


class _Play:
    def __init__(self, venue: Venue, clock: ManualClock) -> None:
        self.venue = venue
        self.clock = clock
        self.maintenance = Maintenance(venue)
        self.count = 0

    def do(self, one: Any) -> None:
        match one:
            case ("order", account, token, side, cents, shares, force):
                self._order(account, token, side, cents, shares=shares, force=force)
            case ("wait", milliseconds):
                self.clock.step(milliseconds)
                self.maintenance.tick()
            case ("cancel", user):
                self.venue.act(lambda x, now_ms: x.cancel_all(ApiKey(user), now_ms=now_ms))
            case ("split", user, dollars):
                amount = Micros(dollars * 1_000_000)
                self.venue.act(
                    lambda x, now_ms: x.split(user, ConditionId(RAIN), amount, now_ms=now_ms)
                )
            case ("fund", user, dollars):
                self.venue.fund(user, Micros(dollars * 1_000_000))
            case ("tick", tick):
                self.venue.act(
                    lambda x, now_ms: x.change_tick_size(
                        ConditionId(RAIN), Micros(tick), now_ms=now_ms
                    )
                )
            case _:
                raise AssertionError(one)

    def _order(
        self,
        account: Address,
        token: str,
        side: Side,
        cents: int,
        *,
        shares: int,
        force: TimeInForce,
    ) -> None:
        self.count += 1
        size, cash = Micros(shares * 1_000_000), Micros(shares * cents * 10_000)
        is_buy = side is Side.BUY
        new = NewOrder(
            order_id=_order_id(self.count),
            account=account,
            owner=ApiKey(account),
            token_id=TokenId(token),
            side=side,
            maker_amount=cash if is_buy else size,
            taker_amount=size if is_buy else cash,
            time_in_force=force,
            expiration_s=self.clock.now_ms() // 1_000 + 400 if force is TimeInForce.GTD else 0,
        )
        self.venue.act(lambda x, now_ms: x.place(new, now_ms=now_ms))


def _order_id(number: int) -> OrderId:
    return OrderId(f"0x{number:064x}")


def _open(catalogue: Path, folder: Path, clock: ManualClock) -> Venue:
    return Venue(load_recorded([catalogue]).catalogue, clock=clock, store=Store(folder))


def _shape(exchange: Exchange, venue: Venue) -> dict[str, Any]:
    reads = exchange.reads
    return {
        "accounts": [reads.account(user) for user in USERS],
        "orders": [reads.open_orders(ApiKey(user)) for user in USERS],
        "trades": [venue.records.trades_of(user) for user in USERS],
        "ledgers": [venue.records.ledger_of(user) for user in USERS],
        "history": [venue.records.order(_order_id(number)) for number in range(1, MOST_STEPS + 1)],
    }


@settings(max_examples=40)
@given(steps=st.lists(step, max_size=MOST_STEPS))
def test_a_venue_restored_at_any_point_is_the_venue_that_was(
    tmp_path_factory: Any, steps: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("venue")
    catalogue, clock = write_catalogue(folder), ManualClock(START_MS)
    venue = _open(catalogue, folder, clock)
    venue.act(lambda x, _: x.open_account(MAKER, simulated=True, unlimited=True))
    for user in USERS:
        venue.fund(user, Micros(200_000_000))
    play = _Play(venue, clock)
    for one in steps:
        play.do(one)
    assert venue.exchange.reads.audit() == []
    before = _shape(venue.exchange, venue)
    venue.close()
    again = _open(catalogue, folder, clock)
    assert _shape(again.exchange, again) == before
    assert again.exchange.reads.audit() == []
    again.close()
