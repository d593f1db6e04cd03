import pytest

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.entry_rules import NO_RULES, EntryRules
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, OrderIntent

HERE = ConditionId("0x" + "ab" * 32)
DOLLAR = 1_000_000
BUY = LimitIntent(HERE, TokenId("1"), Side.BUY, Micros(500_000), Micros(20 * DOLLAR))
SALE = LimitIntent(HERE, TokenId("1"), Side.SELL, Micros(500_000), Micros(20 * DOLLAR))
DOLLARS = MarketBuyIntent(HERE, TokenId("1"), Micros(11 * DOLLAR), Micros(900_000))
LIMITS = Limits(order=Micros(12 * DOLLAR), market=Micros(15 * DOLLAR), total=Micros(40 * DOLLAR))


@pytest.mark.parametrize("intent", [BUY, SALE, DOLLARS])
def test_without_rules_nothing_is_refused(intent: OrderIntent) -> None:
    assert NO_RULES.problem(intent) == ""


def test_a_purchase_counts_beside_what_is_at_stake_in_its_market_and_everywhere() -> None:
    assert EntryRules(LIMITS).problem(BUY) == ""
    here = EntryRules(LIMITS, markets=((HERE, Micros(6 * DOLLAR)),))
    assert here.problem(BUY) == "Over your limit of $15.00 for a market: it would be $16.00"
    elsewhere = EntryRules(LIMITS, markets=((ConditionId("0x1"), Micros(6 * DOLLAR)),))
    assert elsewhere.problem(BUY) == ""
    everywhere = EntryRules(LIMITS, total=Micros(35 * DOLLAR))
    assert "it would be $46.00" in everywhere.problem(DOLLARS)


def test_what_cannot_be_checked_refuses_a_purchase_and_no_sale() -> None:
    rules = EntryRules(LIMITS, unchecked="still loading")
    assert (rules.problem(BUY), rules.problem(SALE)) == ("still loading", "")


def test_a_breach_says_what_may_yet_turn_out_not_to_count() -> None:
    rules = EntryRules(Limits(order=Micros(DOLLAR)), doubt="one may arrive")
    assert rules.problem(BUY).endswith("for an order: it would be $10.00; one may arrive")
    assert EntryRules(LIMITS, doubt="one may arrive").problem(BUY) == ""
