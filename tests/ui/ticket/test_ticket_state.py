"""What the rules say of a draft in the world as it is known, without a terminal."""

from dataclasses import replace

import pytest

from pmtui.domain.account.onboarding import Purpose
from pmtui.domain.markets.market import Side
from pmtui.domain.ticket.draft import Problem, TicketDraft, TicketField
from pmtui.ui.ticket.ticket_state import TicketState
from tests.ui.fake_surface import EMPTY_ACCOUNT, FakeService
from tests.ui.ticket_stage import book_view, market_view


def known(draft: TicketDraft) -> TicketState:
    return TicketState(draft, market=market_view(), account=EMPTY_ACCOUNT, book=book_view())


def test_nothing_is_checked_before_the_terms_are_known() -> None:
    state = TicketState(TicketDraft(Side.BUY, 0), market=market_view(has_terms=False))
    state.judge(FakeService().surface())
    assert state.check is None
    assert state.problems() == ()


def test_a_whole_draft_becomes_an_intent() -> None:
    state = known(TicketDraft(Side.BUY, 0, price_text="52", size_text="10"))
    state.judge(FakeService().surface())
    assert state.check is not None
    assert state.check.intent is not None


def test_an_empty_field_is_named_loudly_only_after_a_review() -> None:
    state = known(TicketDraft(Side.BUY, 0, price_text="52"))
    state.judge(FakeService().surface())
    (problem,) = [p for p in state.problems() if p.field is TicketField.SIZE]
    assert state.is_quiet(problem)
    state.was_reviewed = True
    assert not state.is_quiet(problem)


def test_a_refusal_comes_before_everything_else() -> None:
    state = known(TicketDraft(Side.BUY, 0, price_text="52"))
    state.judge(FakeService().surface())
    state.refusal = Problem(TicketField.PRICE, "Refused: too far")
    assert state.problems()[0] is state.refusal


def test_a_locked_entry_forbids_a_draft_that_the_rules_allow() -> None:
    service = FakeService()
    service.status_view = replace(service.status_view, kill_lock="Killed")
    state = known(TicketDraft(Side.BUY, 0, price_text="52", size_text="10"))
    state.judge(service.surface())
    assert state.forbidden is not None
    assert state.forbidden.field is TicketField.SIDE


@pytest.mark.parametrize(
    ("side", "is_neg_risk", "purpose"),
    [
        (Side.BUY, False, Purpose.EXCHANGE),
        (Side.BUY, True, Purpose.NEG_RISK_EXCHANGE),
        (Side.SELL, False, Purpose.EXCHANGE),
    ],
)
def test_an_approval_that_the_order_needs_and_lacks_is_warned_of_with_its_key(
    side: Side, is_neg_risk: bool, purpose: Purpose
) -> None:
    service = FakeService()
    state = known(TicketDraft(side, 0, price_text="52", size_text="10"))
    assert state.terms is not None
    assert state.market is not None
    state.market = replace(state.market, terms=replace(state.terms, neg_risk=is_neg_risk))
    state.judge(service.surface())
    assert state.lacking is None
    missing = frozenset({purpose})
    service.account_view = replace(
        EMPTY_ACCOUNT,
        cash_not_allowed=missing if side is Side.BUY else frozenset(),
        shares_not_allowed=missing if side is Side.SELL else frozenset(),
    )
    state.judge(service.surface())
    assert state.lacking is not None
    assert state.lacking.is_warning
    assert "(a outside the ticket)" in state.lacking.text
    assert state.lacking in state.problems()


def test_a_ticket_is_about_one_outcome_of_one_market() -> None:
    state = known(TicketDraft(Side.BUY, 0))
    assert state.is_about(market_view(), 0)
    assert not state.is_about(market_view(), 1)
    other = market_view()
    assert other.market is not None
    renamed = replace(other, market=replace(other.market, condition_id=None))
    assert not state.is_about(renamed, 0)
