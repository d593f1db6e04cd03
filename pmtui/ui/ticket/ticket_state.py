"""A ticket's draft and its context, the results of the checks, and doubts about an order."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pmtui.domain.account.onboarding import Purpose
from pmtui.domain.books.book_view import BookView, mirrored_view
from pmtui.domain.books.ladder import Ghost
from pmtui.domain.formats import parse_size
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import LimitIntent, Order
from pmtui.domain.orders.own_orders import reserved_shares
from pmtui.domain.ticket.draft import (
    Problem,
    SizeUnit,
    TicketContext,
    TicketDraft,
    TicketField,
    read_expiry,
    unit_of,
)
from pmtui.domain.ticket.estimate import TicketNumbers, estimate
from pmtui.domain.ticket.ghosts import ghosts_of_ticket
from pmtui.domain.ticket.short_sales import context_of_other, other_side_of, other_token
from pmtui.domain.ticket.ticket import (
    PlannedOrder,
    Review,
    TicketAfter,
    TicketCheck,
    action_warnings,
    check_ticket,
    estimate_after,
    review_intent,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, StatusTopic, Topic
from pmtui.service.views import AccountView, MarketView
from pmtui.ui.cells import Line
from pmtui.ui.facts import key_of
from pmtui.ui.format import shown_time
from pmtui.ui.market.market_model import why_not_tradable
from pmtui.ui.surface import Surface

WOULD_BE_REFUSED = "Would be refused now"


def ticket_context(
    surface: Surface,
    *,
    terms: MarketTerms,
    market: MarketView | None,
    account: AccountView,
    book: BookView,
    outcome_index: int,
) -> TicketContext:
    """Return the context for an outcome of a market, with the exact book that is shown."""
    token_id = terms.token_ids[outcome_index]
    others = [each for each in terms.token_ids if each != token_id]
    skew_ms = surface.queries.status().clock_skew_ms
    return TicketContext(
        terms=terms,
        book=book,
        now=surface.queries.now(),
        available_cash=account.available,
        available_shares=account.sellable(token_id),
        resting_shares=reserved_shares(account.open_orders, token_id),
        other_shares=account.sellable(others[0]) if len(others) == 1 else ZERO,
        reserved_cash=account.reserved,
        venue=market.venue if market is not None else (),
        own=tuple(o for o in account.open_orders if o.condition_id == terms.condition_id),
        recent=account.recent,
        rules=surface.options.ticket,
        clock_skew=timedelta(milliseconds=skew_ms or 0),
        closes_at=market.market.end_at if market is not None and market.market else None,
    )


def numbers_of(surface: Surface, order: PreparedOrder) -> TicketNumbers | None:
    """Return what an order would do to the book shown; None before the terms are known."""
    terms = surface.queries.market(order.condition_id).terms
    if terms is None:
        return None
    return estimate(
        order.intent, cash=order.cash, shares=order.size,
        book=surface.queries.book(order.intent.token_id), fee=terms.fee, available_cash=None,
    )  # fmt: skip


def review_order(surface: Surface, order: PreparedOrder) -> Review | None:
    """Return the objections to a prepared order as of now; None before the terms are known."""
    queries, token_id = surface.queries, order.intent.token_id
    market = queries.market(order.condition_id)
    if market.terms is None or token_id not in market.terms.token_ids:
        return None
    account = queries.account()
    context = ticket_context(
        surface, terms=market.terms, market=market, account=account,
        book=book_of(surface, market.terms, token_id),
        outcome_index=market.terms.token_ids.index(token_id),
    )  # fmt: skip
    found = review_intent(order.intent, context)
    reason = why_not_tradable(market, queries.status()) or account.entry.problem(order.intent)
    return replace(found, refusal=reason.rstrip(".") or found.refusal)


def describe_refusal(surface: Surface, condition_id: ConditionId, draft: TicketDraft) -> str:
    """Return what a ticket with this draft would refuse first; empty for nothing, or before terms."""
    queries = surface.queries
    market = queries.market(condition_id)
    if market.terms is None or draft.outcome_index >= len(market.terms.token_ids):
        return ""
    token_id = market.terms.token_ids[draft.outcome_index]
    context = ticket_context(
        surface, terms=market.terms, market=market, account=queries.account(),
        book=book_of(surface, market.terms, token_id), outcome_index=draft.outcome_index,
    )  # fmt: skip
    return next((problem.text for problem in check_ticket(draft, context).blocking), "")


def book_of(surface: Surface, terms: MarketTerms, token_id: TokenId) -> BookView:
    """Return the book of a token, as the other outcome shows it where that one alone is on show."""
    book = surface.queries.book(token_id)
    if book.state.is_good or len(terms.token_ids) != 2:
        return book
    other = surface.queries.book(other_token(terms, token_id))
    return mirrored_view(other, token_id) if other.state.is_good else book


def topics_of(orders: Sequence[PreparedOrder]) -> frozenset[Topic]:
    """Return what may change how prepared orders are judged."""
    topics: set[Topic] = {AccountTopic(), StatusTopic()}
    for order in orders:
        topics |= {MarketTopic(order.condition_id), BookTopic(order.intent.token_id)}
    return frozenset(topics)


@dataclass(slots=True)
class TicketState:
    """Everything about a ticket but its looks."""

    draft: TicketDraft
    """The current fields."""
    market: MarketView | None = None
    account: AccountView | None = None
    book: BookView | None = None
    check: TicketCheck | None = None
    after: TicketAfter | None = None
    refusal: Problem | None = None
    """Why the last order of this draft was refused."""
    forbidden: Problem | None = None
    """The problem by the trader's own limits."""
    lacking: Problem | None = None
    """The approval that the order needs and the wallet lacks."""
    ends: datetime | None = None
    """When a timed order expires, by the local clock."""
    message: Line = ()
    """The last message about an order."""
    was_reviewed: bool = False
    """Whether the trader asked for the card, so that empty fields are reported."""

    @property
    def terms(self) -> MarketTerms | None:
        """The terms for orders; None until they are known."""
        return self.market.terms if self.market is not None else None

    @property
    def closes_at(self) -> datetime | None:
        """When trading in the market ends; None if unknown."""
        market = self.market.market if self.market is not None else None
        return None if market is None else market.end_at

    def is_about(self, market: MarketView, outcome_index: int) -> bool:
        """Return whether the draft is for this market and outcome."""
        before, now = (view.market if view else None for view in (self.market, market))
        is_same = before is not None and now is not None and before.condition_id == now.condition_id
        return is_same and self.draft.outcome_index == outcome_index

    def context(self, surface: Surface) -> TicketContext | None:
        """Return the context for the checks; None while a part of it is unknown."""
        if self.terms is None or self.account is None or self.book is None:
            return None
        return ticket_context(
            surface, terms=self.terms, market=self.market, account=self.account, book=self.book,
            outcome_index=self.draft.outcome_index,
        )  # fmt: skip

    @property
    def meant(self) -> TicketDraft:
        """The draft of the order to sign: for a short sale, that of the other outcome."""
        return other_side_of(self.draft) if self.is_mirrored else self.draft

    @property
    def is_mirrored(self) -> bool:
        """Whether the draft is a short sale, sent as a purchase of the other outcome."""
        return self.check is not None and self.check.is_mirrored

    def ghosts(self) -> tuple[Ghost, ...]:
        """Return the draft for the ladder; empty before the terms are known."""
        if self.terms is None:
            return ()
        numbers = self.check.numbers if self.check is not None else None
        size = numbers.shares if numbers is not None else parse_size(self.draft.size_text)
        is_shares = unit_of(self.draft) is SizeUnit.SHARES
        known = size if numbers is not None or is_shares else None
        return ghosts_of_ticket(self.draft, self.terms.tick_size, size=known)

    def judge(self, surface: Surface) -> None:
        """Check the draft against the current context."""
        context = self.context(surface)
        self.check = check_ticket(self.draft, context) if context is not None else None
        if self.check is not None and context is not None and self.check.is_mirrored:
            self.after = estimate_after(Side.BUY, self.check, context_of_other(context))
        else:
            self.after = estimate_after(self.draft.side, self.check, context)
        ends = read_expiry(self.draft, context, []) if context is not None else None
        self.ends = shown_time(ends) if ends is not None else None
        self.forbidden = self._ask_own_rules(surface)
        self.lacking = self._find_missing_approval(surface, context)

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems, the worst first."""
        own = self.check.problems if self.check is not None else ()
        ranked = sorted(own, key=lambda p: (self.is_quiet(p), p.is_warning))
        first = (self.refusal, self.forbidden, self.lacking)
        return (*(problem for problem in first if problem is not None), *ranked)

    def is_quiet(self, problem: Problem) -> bool:
        """Return whether a field is merely empty so far, which is shown dimmed."""
        texts = {
            TicketField.PRICE: self.draft.price_text,
            TicketField.SIZE: self.draft.size_text,
            TicketField.EXPIRY: self.draft.expiry_text,
        }
        is_empty = not texts.get(problem.field, "x").strip()
        return is_empty and not problem.is_warning and not self.was_reviewed

    def _find_missing_approval(
        self, surface: Surface, context: TicketContext | None
    ) -> Problem | None:
        """Return a problem if the exchange has no approval for what the order pays with."""
        if context is None:
            return None
        account, is_buy = surface.queries.account(), self.draft.side is Side.BUY
        missing = account.cash_not_allowed if is_buy else account.shares_not_allowed
        is_neg_risk = context.terms.neg_risk
        if (Purpose.NEG_RISK_EXCHANGE if is_neg_risk else Purpose.EXCHANGE) not in missing:
            return None
        exchange = "neg-risk exchange" if is_neg_risk else "exchange"
        key = key_of(surface.options.keymap, "global.account")
        text = (
            f"The {exchange} may not move your {'cash' if is_buy else 'shares'}: approve it in the "
            f"account ({key} outside the ticket)"
        )
        return Problem(TicketField.SIDE, text, is_warning=True)

    def _ask_own_rules(self, surface: Surface) -> Problem | None:
        """Return a problem by the trader's own limits or the lock, while the draft is typed."""
        intent = self.check.intent if self.check is not None else None
        if intent is None:
            return None
        if lock := surface.queries.status().kill_lock:
            key = key_of(surface.options.keymap, "global.kill")
            return Problem(TicketField.SIDE, f"{lock}; {key} unlocks it")
        text = surface.queries.account().entry.problem(intent)
        return Problem(TicketField.SIZE, text) if text else None


def describe_doubts(
    surface: Surface,
    orders: Sequence[PreparedOrder],
    doubt: str = "",
    *,
    cancelled: Collection[Order] = (),
    expected: Micros | None = None,
) -> str:
    """Return a card's own doubt, and the ticket's warnings, in sentences.

    Args:
        surface: the service and the user's choices.
        orders: the orders to send.
        doubt: the card's own doubt.
        cancelled: own orders that are cancelled first.
        expected: the price at which they fill, checked instead of limits that nobody typed.
    """
    planned = [
        PlannedOrder(order.intent, order.cash)
        for order in orders
        if isinstance(order.intent, LimitIntent)
    ]
    head = orders[0].intent
    market = surface.queries.market(head.condition_id)
    if not planned or market.terms is None or head.token_id not in market.terms.token_ids:
        return doubt
    context = ticket_context(
        surface,
        terms=market.terms,
        market=market,
        account=surface.queries.account(),
        book=surface.queries.book(head.token_id),
        outcome_index=market.terms.token_ids.index(head.token_id),
    )
    if reason := why_not_tradable(market, surface.queries.status()):
        doubt = f"{WOULD_BE_REFUSED}: {reason} {doubt}".rstrip()
    gone = {order.order_id for order in cancelled}
    context = replace(context, own=tuple(o for o in context.own if o.order_id not in gone))
    warnings = " ".join(f"{text}." for text in action_warnings(planned, context, expected=expected))
    return f"{doubt} {warnings}".strip()
