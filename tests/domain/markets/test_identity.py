from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, MarketId, TokenId
from pmtui.domain.markets.identity import (
    CONDITION,
    METADATA_HOST,
    TRADING_HOST,
    Fact,
    find_disagreement,
    is_position_id,
)
from pmtui.domain.markets.market import NO_FEE, Market, MarketTerms, Outcome
from pmtui.domain.money import Micros

CONDITION_ID = ConditionId("0x" + "ab" * 32)
YES, NO = TokenId("7" * 76 + "1"), TokenId("8" * 76 + "2")
OTHER = (TokenId("5" * 76 + "3"), TokenId("6" * 76 + "4"))
NEW = (TokenId(str((7 << 104) + 1)), TokenId(str((7 << 104) + 2)))
MARKET = Market(
    market_id=MarketId("1"), condition_id=CONDITION_ID, slug="river", question="Will it rise?",
    outcomes=(Outcome("Yes", YES, None), Outcome("No", NO, None)),
)  # fmt: skip
TERMS = MarketTerms(
    condition_id=CONDITION_ID, token_ids=(YES, NO), outcome_labels=("Yes", "No"),
    tick_size=Micros(10_000), min_order_size=Micros(5_000_000), neg_risk=False, fee=NO_FEE,
)  # fmt: skip


def found(
    market: Market, terms: MarketTerms, derived: tuple[TokenId, ...] | None = (YES, NO)
) -> Fact | None:
    disagreement = find_disagreement(CONDITION_ID, market, terms, derived=derived)
    return None if disagreement is None else disagreement.fact


def with_tokens(tokens: tuple[TokenId, ...], labels: tuple[str, ...] = ("Yes", "No")) -> Market:
    outcomes = tuple(Outcome(label, t, None) for label, t in zip(labels, tokens, strict=True))
    return replace(MARKET, outcomes=outcomes)


def test_sources_that_agree_disagree_on_nothing() -> None:
    assert found(MARKET, TERMS) is None
    assert found(with_tokens((YES, NO), (" yes", "NO")), TERMS) is None
    upper = ConditionId(CONDITION_ID.upper().replace("X", "x"))
    assert found(replace(MARKET, condition_id=upper), TERMS) is None


@pytest.mark.parametrize(
    ("market", "terms", "fact"),
    [
        # The trading host lies alone.
        (MARKET, replace(TERMS, token_ids=OTHER), Fact.TOKENS),
        (MARKET, replace(TERMS, outcome_labels=("No", "Yes")), Fact.OUTCOMES),
        (MARKET, replace(TERMS, token_ids=(NO, YES)), Fact.TOKENS),
        (MARKET, replace(TERMS, token_ids=(NO, YES), outcome_labels=("No", "Yes")), Fact.TOKENS),
        (MARKET, replace(TERMS, neg_risk=True), Fact.NEG_RISK),
        (MARKET, replace(TERMS, condition_id=ConditionId("0x" + "cd" * 32)), Fact.CONDITION),
        (MARKET, replace(TERMS, token_ids=(YES, YES)), Fact.TOKENS),
        (MARKET, replace(TERMS, token_ids=(YES,), outcome_labels=("Yes",)), Fact.TOKENS),
        (MARKET, replace(TERMS, token_ids=NEW), Fact.TOKENS),
        # Both hosts lie together.
        (with_tokens((NO, YES)), replace(TERMS, token_ids=(NO, YES)), Fact.TOKENS),
        (with_tokens(OTHER), replace(TERMS, token_ids=OTHER), Fact.TOKENS),
        (with_tokens((YES, YES)), replace(TERMS, token_ids=(YES, YES)), Fact.TOKENS),
        (with_tokens((YES, NEW[1])), replace(TERMS, token_ids=(YES, NEW[1])), Fact.TOKENS),
        # The metadata host lies alone.
        (with_tokens((NO, YES)), TERMS, Fact.TOKENS),
        (with_tokens((YES, NO), ("No", "Yes")), TERMS, Fact.OUTCOMES),
        (replace(MARKET, neg_risk=True), TERMS, Fact.NEG_RISK),
        (replace(MARKET, condition_id=None), TERMS, Fact.CONDITION),
    ],
)
def test_a_source_that_lies_is_found(market: Market, terms: MarketTerms, fact: Fact) -> None:
    assert found(market, terms) is fact


def test_without_tokens_in_the_metadata_the_condition_id_decides() -> None:
    bare = replace(MARKET, outcomes=(Outcome("Yes", None, None), Outcome("No", None, None)))
    assert found(bare, TERMS) is None
    assert found(bare, replace(TERMS, token_ids=OTHER)) is Fact.TOKENS
    assert found(bare, TERMS, None) is Fact.TOKENS
    assert found(bare, replace(TERMS, token_ids=NEW)) is Fact.TOKENS


def test_what_cannot_be_derived_needs_two_hosts_that_agree() -> None:
    newer = replace(TERMS, token_ids=NEW)
    assert found(with_tokens(NEW), newer) is None
    assert found(with_tokens((NEW[1], NEW[0])), newer) is Fact.TOKENS
    assert found(MARKET, TERMS, None) is None
    assert found(MARKET, TERMS, ()) is Fact.TOKENS


def test_every_side_is_heard() -> None:
    terms = replace(TERMS, token_ids=(NO, YES))
    both = find_disagreement(CONDITION_ID, MARKET, terms, derived=(YES, NO))
    assert both is not None
    assert [who for who, _ in both.views] == [TRADING_HOST, METADATA_HOST]
    lying = find_disagreement(CONDITION_ID, with_tokens((NO, YES)), terms, derived=(YES, NO))
    assert lying is not None
    assert [who for who, _ in lying.views] == [TRADING_HOST, METADATA_HOST, CONDITION]
    assert all(who in lying.sentence and what in lying.sentence for who, what in lying.views)


@given(
    tokens=st.sampled_from([(YES, NO), (NO, YES), OTHER, NEW]),
    labels=st.permutations(["Yes", "No"]),
    neg_risk=st.booleans(),
)
def test_a_trading_host_alone_cannot_have_another_token_signed(
    tokens: tuple[TokenId, ...], labels: list[str], neg_risk: bool
) -> None:
    terms = replace(
        TERMS,
        token_ids=tokens,
        outcome_labels=tuple(labels),
        neg_risk=neg_risk,
    )
    is_honest = (terms.token_ids, terms.outcome_labels, neg_risk) == (
        (YES, NO),
        ("Yes", "No"),
        False,
    )
    assert (found(MARKET, terms) is None) is is_honest


@pytest.mark.parametrize("token", ["", "x", "-1", "1" * 5_000, "١٢", "0x12"])
def test_a_text_that_is_no_number_is_no_position(token: str) -> None:
    assert not is_position_id(TokenId(token))


def test_long_texts_of_a_host_stay_short_in_the_sentence() -> None:
    terms = replace(
        TERMS, token_ids=(TokenId("x" * 9_999),) * 50, outcome_labels=("y" * 9_999,) * 50
    )
    lying = find_disagreement(CONDITION_ID, MARKET, terms, derived=(YES, NO))
    assert lying is not None
    assert len(lying.sentence) < 500
