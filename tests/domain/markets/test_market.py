"""How a market is named where a line has no room for its whole question."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.markets.market import Market, Trading
from pmtui.domain.money import Micros
from tests.ui import believable

QUESTION = "What will the bank do to its target range in December: No change?"
MARKET = believable.market(1, QUESTION)


def test_siblings_are_told_apart_on_a_narrow_line() -> None:
    hidden = replace(MARKET, group_title="No change")
    assert hidden.distinct_name == f"No change: {QUESTION}"
    # Its event says in few words what all of them are about.
    of_event = replace(hidden, event_title="Bank of Canada decision in December")
    assert of_event.distinct_name == "No change: Bank of Canada decision in December"
    early = replace(MARKET, question="Will Ether touch $4,000 in May?", group_title="$4,000")
    assert early.distinct_name == early.question
    alone = replace(MARKET, group_title="")
    assert alone.distinct_name == QUESTION


def settled(price: int, last: int | None = 550_000) -> Market:
    outcomes = (replace(MARKET.outcomes[0], price=Micros(price)), *MARKET.outcomes[1:])
    last_price = None if last is None else Micros(last)
    market = replace(MARKET, last_trade_price=last_price, day_change=Micros(40_000))
    return replace(market, closed=True, outcomes=outcomes)


def test_a_resolved_market_changed_by_what_its_shares_are_worth() -> None:
    assert settled(0).change_to(None) == -510_000
    assert settled(1_000_000).change_to(None) == 490_000
    assert replace(settled(50_000), closed=False).change_to(None) == 40_000
    assert settled(0, last=None).change_to(None) is None


def test_beside_a_live_price_the_change_is_up_to_that_price() -> None:
    market = replace(settled(550_000), closed=False)
    assert market.change_to(Micros(560_000)) == 50_000
    assert market.change_to(Micros(500_000)) == -10_000
    assert market.change_to(None) == 40_000
    untold = replace(market, day_change=None)
    assert untold.change_to(Micros(560_000)) is None
    assert untold.change_to(Micros(560_000), Micros(500_000)) == 60_000
    assert untold.change_to(None, Micros(500_000)) is None
    # A chart of the day begins there, whatever the venue states.
    assert market.change_to(Micros(560_000), Micros(100_000)) == 460_000
    assert market.change_to(None, Micros(100_000)) == 40_000
    assert replace(market, outcomes=()).change_to(Micros(560_000)) == 40_000


def test_a_last_trade_told_in_terms_of_the_other_outcome_changes_no_change() -> None:
    market = replace(settled(550_000, last=450_000), closed=False)
    assert market.change_to(Micros(560_000)) == 50_000


def test_a_change_from_what_is_no_price_is_not_told() -> None:
    assert settled(0, last=30_000).change_to(None) is None
    assert replace(settled(0), closed=False).change_to(None) is None
    far = replace(settled(550_000), closed=False, day_change=Micros(-500_000))
    assert far.change_to(Micros(560_000)) is None


def test_after_the_answer_what_it_is_worth_goes_before_any_price() -> None:
    assert settled(0).change_to(Micros(560_000)) == -510_000, "what it is worth goes first"


def test_a_share_is_settled_at_nothing_or_a_dollar_and_only_after_the_end() -> None:
    token_id = MARKET.outcomes[0].token_id
    assert token_id is not None
    assert settled(0).settled_price(token_id) == 0
    assert settled(1_000_000).settled_price(token_id) == 1_000_000
    assert settled(999_500).settled_price(token_id) is None
    assert replace(settled(0), closed=False).settled_price(token_id) is None


def test_a_group_title_that_no_narrow_line_shows_whole_is_not_doubled() -> None:
    group = "Between 1,250,000 and 1,500,000 passengers"
    for question in (
        group,
        f"Will there be {group}?",
        f"In the harbour year 2026/27, will there be {group.upper()}?",
    ):
        market = replace(MARKET, question=question, group_title=group)
        assert market.distinct_name == question


def test_a_question_that_leaves_its_group_out_is_told_with_it() -> None:
    market = replace(MARKET, question="Where will the gauge stand?", group_title="2.5 m")
    assert market.distinct_name == "2.5 m: Where will the gauge stand?"


@given(st.text("ab -", max_size=90), st.text("ab -", max_size=40))
@example("a", "")
@example(f"{'a' * 60} b", "b")
@example("b" * 33, "b" * 33)
def test_the_group_title_is_near_the_beginning_or_too_long_for_that(
    question: str, group: str
) -> None:
    market = replace(MARKET, question=question, group_title=group)
    name = market.distinct_name
    assert name.endswith(question)
    if len(group) > 32 and " ".join(group.split()) in " ".join(question.split()):
        assert name in (question, group)
    elif question:
        place = " ".join(name.split()).find(" ".join(group.split()))
        assert place == 0 or 0 < place <= 32 - len(group)


def test_a_market_takes_orders_by_what_the_metadata_says() -> None:
    assert (MARKET.trading, MARKET.takes_orders, MARKET.is_tradable) == (Trading.OPEN, True, True)
    assert replace(MARKET, archived=True).trading is Trading.CLOSED
    assert replace(MARKET, active=False).trading is Trading.NOT_OPEN
    assert replace(MARKET, accepting_orders=False).trading is Trading.HALTED
    assert MARKET.quoted_token == MARKET.token_ids[0]
    assert replace(MARKET, closed=True).quoted_token is None


def test_lists_show_the_mid_as_other_screens_do_where_there_is_one() -> None:
    market = believable.market(1, "Will it?", price=0.09, bid=0.07, ask=0.09)
    assert market.first_price == 80_000
    assert replace(market, best_bid=None).first_price == 90_000
    assert replace(market, closed=True).first_price == 90_000
    assert replace(market, best_bid=None, outcomes=()).first_price is None
