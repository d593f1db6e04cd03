"""What gets signed follows from condition ids, whatever hosts name: a swapped market is found out."""

from dataclasses import dataclass, field, replace

import pytest

from pmtui.domain.account.position import Position
from pmtui.domain.account.wallet_steps import Settlement
from pmtui.domain.account.wallet_transactions import (
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
)
from pmtui.domain.ids import Address, ConditionId, EventId, MarketId
from pmtui.domain.markets.market import Event, Market, MarketTerms, Outcome, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Rejected
from pmtui.service.ports import CallTable, Hosts
from pmtui.service.wallet.settlements import ConvertPlan, Settlements
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON, condition_id, token_ids
from pmtui.signing.wallet_calls import WalletCalls
from tests.ui.fake_surface import NOW

EVENT = "0x" + "e7" * 31 + "00"
SHARE = 1_000_000


def question(index: int) -> ConditionId:
    return condition_id(POLYGON.neg_risk_adapter, f"{EVENT[:-2]}{index:02x}")


def market(condition: ConditionId, *, neg_risk: bool, stated: ConditionId | None = None) -> Market:
    """Return a market whose tokens are those of a condition, under whatever id it is stated."""
    outcomes = tuple(
        Outcome(label, token, None)
        for label, token in zip(("Yes", "No"), token_ids(condition, neg_risk=neg_risk), strict=True)
    )
    return Market(
        MarketId(condition[:10]), stated or condition, "slug", f"Question {condition[:6]}?",
        outcomes, event_id=EventId("9"), neg_risk=neg_risk,
    )  # fmt: skip


def position(of: Market, index: int, shares: int = 10, *, redeemable: bool = False) -> Position:
    assert of.condition_id is not None
    other = of.token_ids[1 - index]
    return Position(
        of.token_ids[index], of.condition_id, of.question, ("Yes", "No")[index],
        Micros(shares * SHARE), Micros(500_000), Micros(SHARE * (1 - index)), Micros(0),
        outcome_index=index, opposite_token_id=other, is_redeemable=redeemable,
        neg_risk=of.neg_risk,
    )  # fmt: skip


@dataclass(frozen=True)
class FakeAccess:
    table: CallTable = field(default_factory=WalletCalls)


@dataclass
class FakeFacts:
    """Knows the contracts, and what the chain said of answers."""

    access: FakeAccess = field(default_factory=FakeAccess)
    payouts: dict[ConditionId, tuple[Micros, ...] | None] = field(default_factory=dict)

    def outcome_payout(self, held: Position) -> Micros | None:
        told = self.payouts.get(held.condition_id, ())
        return None if told is None else held.current_price if held.is_redeemable else None


class FakeMetadata:
    """Answers with one event."""

    def __init__(self, *markets: Market, neg_risk_id: str = EVENT) -> None:
        self._event = Event(
            EventId("9"), "slug", "Event", markets, neg_risk=True, neg_risk_id=neg_risk_id
        )

    async def event(self, event_id: EventId) -> Event:
        assert event_id == self._event.event_id
        return self._event

    async def market(self, condition: ConditionId) -> Market:
        return next(each for each in self._event.markets if each.condition_id == condition)


@dataclass
class FakeHosts:
    metadata: FakeMetadata


def settlements(*positions: Position, known: tuple[Market, ...] = ()) -> Settlements:
    by_id = {each.condition_id: each for each in known}

    def market_of(condition: ConditionId) -> tuple[Market | None, MarketTerms | None]:
        return by_id.get(condition), None

    return Settlements(FakeFacts(), lambda: positions, market_of)  # type: ignore[arg-type]  # only what is asked of them


def hosts(*markets: Market, neg_risk_id: str = EVENT) -> Hosts:
    return FakeHosts(FakeMetadata(*markets, neg_risk_id=neg_risk_id))  # type: ignore[return-value]  # as above


MINE = market(ConditionId("0x" + "a1" * 32), neg_risk=False)
OTHER = ConditionId("0x" + "b2" * 32)


@pytest.mark.parametrize("is_stated_neg_risk", [False, True])
def test_the_kind_of_a_market_is_proved_by_its_tokens(*, is_stated_neg_risk: bool) -> None:
    held = replace(position(MINE, 0), neg_risk=is_stated_neg_risk)
    proved = settlements(held).proved(held.condition_id)
    assert isinstance(proved, Settlement)
    assert proved.neg_risk is False


def test_a_position_under_a_swapped_condition_id_is_not_signed_for() -> None:
    held = replace(position(MINE, 0, redeemable=True), condition_id=OTHER)
    assert isinstance(settlements(held).proved(OTHER), Rejected)


async def test_a_market_under_a_swapped_condition_id_is_not_split_into() -> None:
    swapped = market(ConditionId("0x" + "a1" * 32), neg_risk=False, stated=OTHER)
    found = await settlements(known=(swapped,)).find(OTHER, hosts(swapped))
    assert isinstance(found, Rejected)
    honest = await settlements(known=(MINE,)).find(ConditionId("0x" + "a1" * 32), hosts(MINE))
    assert isinstance(honest, Settlement)


def test_what_is_held_of_both_outcomes_can_be_merged() -> None:
    (found,) = settlements(position(MINE, 0, 7), position(MINE, 1, 3)).held()
    assert found.mergeable == 3 * SHARE
    assert [each.size for each in found.outcomes] == [7 * SHARE, 3 * SHARE]


async def test_a_conversion_names_the_questions_by_their_proved_numbers() -> None:
    markets = tuple(market(question(index), neg_risk=True) for index in (0, 3, 7))
    plan = await settlements(known=markets).plan_conversion(
        (question(3), question(7)), hosts(*markets)
    )
    assert isinstance(plan, ConvertPlan)
    assert plan.questions == 1 << 3 | 1 << 7
    assert plan.neg_risk_id == EVENT
    assert [each.condition_id for each in plan.received] == [question(0)]


@pytest.mark.parametrize("neg_risk_id", ["", "0x" + "11" * 32])
async def test_an_event_that_is_stated_wrong_is_not_converted(neg_risk_id: str) -> None:
    markets = tuple(market(question(index), neg_risk=True) for index in (0, 1))
    plan = await settlements(known=markets).plan_conversion(
        (question(0),), hosts(*markets, neg_risk_id=neg_risk_id)
    )
    assert isinstance(plan, Rejected)


async def test_a_strange_market_in_an_event_stops_its_conversion() -> None:
    honest = market(question(0), neg_risk=True)
    strange = market(ConditionId("0x" + "c3" * 32), neg_risk=True)
    plan = await settlements(known=(honest, strange)).plan_conversion(
        (question(0),), hosts(honest, strange)
    )
    assert isinstance(plan, Rejected)


@pytest.mark.parametrize("conditions", [(), (question(0), question(0)), (question(0), OTHER)])
async def test_a_conversion_names_markets_of_one_event_each_once(
    conditions: tuple[ConditionId, ...],
) -> None:
    markets = tuple(market(question(index), neg_risk=True) for index in (0, 1))
    plan = await settlements(known=markets).plan_conversion(conditions, hosts(*markets))
    assert isinstance(plan, Rejected)


def test_a_confirmed_split_or_merge_is_told_as_trades_at_half_a_dollar() -> None:
    assert MINE.condition_id is not None
    calls = (
        wallet_calls.approve(POLYGON.collateral, POLYGON.collateral_adapter, 5),
        wallet_calls.split(MINE.condition_id, 7 * SHARE, neg_risk=False),
        wallet_calls.merge(MINE.condition_id, 2 * SHARE, neg_risk=False),
        wallet_calls.split(OTHER, SHARE, neg_risk=False),
    )
    made = WalletTransaction(
        TransactionKey("0xd"), "Split", Address("0x1"), Address("0x2"), NOW, calls=calls,
        status=TransactionStatus.CONFIRMED,
    )  # fmt: skip
    fills = settlements(known=(MINE,)).exchanged(made)
    assert [(f.token_id, f.side, f.size) for f in fills] == [
        *((token, Side.BUY, 7 * SHARE) for token in MINE.token_ids),
        *((token, Side.SELL, 2 * SHARE) for token in MINE.token_ids),
    ]
    assert {(f.price, f.matched_at, f.fee) for f in fills} == {(SHARE // 2, NOW, 0)}
    assert len({(f.trade_id, f.token_id) for f in fills}) == len(fills)
    for doubted in (
        replace(made, chain_view="reverted"), replace(made, relayer_view="another batch"),
    ):  # fmt: skip
        assert settlements(known=(MINE,)).exchanged(doubted) == ()
