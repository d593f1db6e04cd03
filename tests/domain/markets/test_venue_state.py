from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import FeeSchedule, MarketTerms
from pmtui.domain.markets.venue_state import (
    OF_A_MARKET,
    Evidence,
    VenueFact,
    VenueState,
    describe_state,
    fact_of_refusal,
    facts_of_terms,
    in_order,
    state_of_refusal,
)
from pmtui.domain.money import Micros

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
HERE, THERE = ConditionId("0xaa"), ConditionId("0xbb")

# WIRE_CLOB §6.5, word for word.
TABLE = {
    "'0xABC' address banned": VenueState.BANNED,
    "'0xABC' address in closed only mode": VenueState.CLOSE_ONLY,
    "the market is not yet ready to process new orders": VenueState.MARKET_NOT_READY,
    "order match delayed due to market conditions": VenueState.DELAYED,
    "Trading restricted in your region, please refer to available regions - "
    "https://docs.polymarket.com/developers/CLOB/geoblock": VenueState.REGION_REFUSED,
    "Trading is currently disabled. Check polymarket.com for updates": VenueState.DISABLED,
    "Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.": (
        VenueState.CANCEL_ONLY
    ),
    "post-only mode: only post-only orders and cancels are allowed": VenueState.POST_ONLY,
}
OF_THE_ORDER_ALONE = (
    "Invalid order payload", "invalid signature", "not enough balance / allowance",
    "order 0x1 is invalid. Duplicated.", "order 0x1 is invalid. Size (3) lower than the minimum: 5",
    "invalid post-only order: order crosses book", "invalid expiration", "Too Many Requests",
    "no orders found to match with FAK order.", "",
)  # fmt: skip


@pytest.mark.parametrize(("text", "state"), TABLE.items())
def test_the_venues_words_tell_its_state(text: str, state: VenueState) -> None:
    assert state_of_refusal(text) is state
    assert state_of_refusal(text.upper()) is state


@pytest.mark.parametrize("text", OF_THE_ORDER_ALONE)
def test_a_refusal_of_the_order_alone_tells_nothing_of_the_venue(text: str) -> None:
    assert state_of_refusal(text) is None
    assert state_of_refusal(text, status=400) is None
    assert fact_of_refusal(text, now=NOW, condition_id=HERE) is None


@given(text=st.text(max_size=40))
def test_a_425_is_a_restart_whatever_its_body_says(text: str) -> None:
    assert state_of_refusal(text, status=425) is VenueState.RESTARTING


@pytest.mark.parametrize(("text", "state"), TABLE.items())
def test_a_state_of_a_market_is_believed_of_that_market_only(text: str, state: VenueState) -> None:
    fact = fact_of_refusal(text, now=NOW, condition_id=HERE)
    assert fact is not None
    assert fact.concerns(HERE)
    assert fact.concerns(THERE) is (state not in OF_A_MARKET)
    # Without a market it cannot be told which one is meant.
    assert (fact_of_refusal(text, now=NOW) is None) is (state in OF_A_MARKET)


@given(seconds=st.integers(0, 10**6))
def test_a_stated_end_is_believed_within_reason(seconds: int) -> None:
    text = "post-only mode: only post-only orders and cancels are allowed"
    stated = timedelta(seconds=seconds)
    fact = fact_of_refusal(text, now=NOW, stated=stated)
    assert fact is not None
    assert fact.until is not None
    assert fact.until <= NOW + timedelta(minutes=20)
    if seconds <= 1_200:
        assert fact.until == NOW + stated
    assert fact.holds(NOW) is (seconds > 0)
    assert not fact.holds(fact.until)


@given(
    facts=st.lists(
        st.builds(
            VenueFact,
            state=st.sampled_from(VenueState),
            evidence=st.sampled_from(Evidence),
            as_of=st.just(NOW),
            until=st.sampled_from([None, NOW, NOW + timedelta(seconds=1)]),
            condition_id=st.sampled_from([None, HERE, THERE]),
        ),
        max_size=12,
    )
)
def test_what_holds_is_told_once_and_the_worst_first(facts: list[VenueFact]) -> None:
    told = in_order(tuple(facts), NOW)
    assert all(fact.holds(NOW) for fact in told)
    assert len({(f.state, f.condition_id) for f in told}) == len(told)
    assert {(f.state, f.condition_id) for f in told} == {
        (f.state, f.condition_id) for f in facts if f.holds(NOW)
    }
    severity = list(VenueState)
    places = [severity.index(fact.state) for fact in told]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("seconds", "is_held", "text"), [(3, False, "3 s"), (0, True, "a moment"), (0, False, None)]
)
def test_a_markets_flags_tell_that_takers_wait(
    seconds: int, text: str | None, *, is_held: bool
) -> None:
    terms = MarketTerms(
        condition_id=HERE, token_ids=(), outcome_labels=(), tick_size=Micros(10_000),
        min_order_size=Micros(5_000_000), neg_risk=False, fee=FeeSchedule(Micros(0)),
        has_taker_delay=is_held, seconds_delay=seconds,
    )  # fmt: skip
    facts = facts_of_terms(terms, NOW)
    assert [fact.text for fact in facts] == ([text] if text else [])
    assert facts_of_terms(None, NOW) == ()


def test_a_phrase_is_short_and_counts_down() -> None:
    fact = VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW, until=NOW + timedelta(seconds=79))
    assert describe_state(fact, NOW) == "post-only mode 79s"
    for state in VenueState:
        assert len(describe_state(VenueFact(state, Evidence.ANSWER, NOW), NOW)) <= 18
