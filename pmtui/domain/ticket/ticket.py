"""The order ticket: turns typed text into an intent, or into problems and warnings beside its fields.

An order that the venue would refuse is a problem, with the nearest valid value as a ready-made fix. One that it
would accept gets a warning at most and is never blocked: a price far from the market, a large amount and the
same order twice may be mistakes, and a state of the venue may be over by now. Orders that do not come from a
ticket (moved, flattened, scaled) are checked by the same rules; several orders of one card are one action, so
their sum counts. For a valid order the ticket shows the consequences: the price from which closing makes no
loss, and whether it earns rewards.

A short sale is checked as the equivalent purchase of the other outcome (`short_sales`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto

from pmtui.domain.account.position import Stake, break_even
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.conditionals.conditional import (
    Attachment,
    PlanField,
    PlanProblem,
    check_attachment,
    read_attachment,
)
from pmtui.domain.formats import (
    count_shares,
    describe_free_shares,
    exact_shares,
    format_cents,
    format_dollars_down,
    format_dollars_up,
    format_shares,
)
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, MarketTerms, RewardTerms, Side
from pmtui.domain.markets.rewards import reward_band
from pmtui.domain.markets.venue_state import VenueFact, VenueState
from pmtui.domain.money import (
    ZERO,
    Micros,
    format_micros,
    notional_ceil,
    notional_floor,
    ratio_ceil,
    ratio_floor,
)
from pmtui.domain.orders.amounts import (
    MIN_MARKETABLE_BUY,
    SIZE_STEP,
    AmountError,
    is_on_tick,
    order_amounts,
    price_ceil,
    price_floor,
    size_floor,
)
from pmtui.domain.orders.order import (
    MIN_LIFE,
    LimitIntent,
    MarketBuyIntent,
    Order,
    OrderIntent,
    OrderStatus,
    TimeInForce,
)
from pmtui.domain.orders.self_trade import best_bid_of_others, check_own, midpoint_of_others
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    SizeUnit,
    TicketContext,
    TicketDraft,
    TicketField,
    TicketRules,
    affordable_cash,
    describe_outliving,
    read_expiry,
    read_limit_price,
    read_size,
    read_worst_price,
)
from pmtui.domain.ticket.estimate import TicketNumbers, cost_in_book, estimate
from pmtui.domain.ticket.short_sales import (
    context_of_other,
    describe_mirrored,
    is_short_sale,
    other_side_of,
)


@dataclass(frozen=True, slots=True)
class TicketCheck:
    """The result of checking a draft. `intent` is set if nothing blocks it."""

    problems: tuple[Problem, ...]
    intent: OrderIntent | None
    numbers: TicketNumbers | None
    attached: Attachment | None = None
    """The stop and the target to attach to the purchase."""
    is_mirrored: bool = False
    """Whether the intent is the equivalent order in the other outcome."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The texts of warnings, which do not stop the order, without duplicates."""
        return tuple(dict.fromkeys(p.text for p in self.problems if p.is_warning))

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """Problems that stop the order."""
        return tuple(p for p in self.problems if not p.is_warning)

    def of(self, field: TicketField) -> tuple[Problem, ...]:
        """Problems of one field."""
        return tuple(p for p in self.problems if p.field is field)


def check_ticket(draft: TicketDraft, context: TicketContext) -> TicketCheck:
    """Check a draft; a short sale is checked as the equivalent purchase of the other outcome."""
    return (
        check_mirrored(draft, context) if is_short_sale(draft, context) else _check(draft, context)
    )


def check_mirrored(draft: TicketDraft, context: TicketContext) -> TicketCheck:
    """Check a draft as the equivalent order in the other outcome, which becomes its intent."""
    check = _check(other_side_of(draft), context_of_other(context))
    problems = tuple(
        replace(p, fix=None if p.fix is None else other_side_of(p.fix)) for p in check.problems
    )
    if isinstance(check.intent, LimitIntent) and check.numbers is not None:
        sent = check.numbers.shares if check.intent.spend is None else check.intent.size
        sentence = describe_mirrored(check.intent, context.terms, sent)
        problems = (Problem(TicketField.SIDE, sentence, is_warning=True), *problems)
    return replace(check, problems=problems, is_mirrored=True)


@dataclass(frozen=True, slots=True)
class Review:
    """What stands against an order that was prepared, as things are now."""

    refusal: str = ""
    """Why it would be refused; empty where it would not."""
    warnings: tuple[str, ...] = ()


def review_intent(intent: OrderIntent, context: TicketContext) -> Review:
    """Judge an order that is fixed by the ticket's rules, with the book of its own token."""
    check = _check(_draft_of(intent, context.terms), context)
    refusal, warnings = next((p.text for p in check.blocking), ""), check.warnings
    ends = intent.expires_at if isinstance(intent, LimitIntent) else None
    if ends is not None:
        left = ends - context.now - context.clock_skew
        if left < MIN_LIFE:
            text = f"it expires in {max(int(left.total_seconds()), 0)} s, under two minutes"
            refusal = refusal or text
        elif text := describe_outliving(context, ends):
            warnings = (*warnings, text)
    return Review(refusal, warnings)


def _draft_of(intent: OrderIntent, terms: MarketTerms) -> TicketDraft:
    """Return the fields of an order; a time to live counts from when it was prepared, and is left out."""
    index = terms.token_ids.index(intent.token_id)
    if isinstance(intent, MarketBuyIntent):
        return TicketDraft(
            Side.BUY, index, OrderKind.MARKET, intent.time_in_force,
            price_text=format_cents(intent.worst_price), size_text=format_micros(intent.amount),
            size_unit=SizeUnit.DOLLARS,
        )  # fmt: skip
    is_timed = intent.time_in_force is TimeInForce.GTD
    return TicketDraft(
        intent.side, index,
        time_in_force=TimeInForce.GTC if is_timed else intent.time_in_force,
        price_text=format_cents(intent.price), size_text=format_micros(intent.size),
        is_post_only=intent.is_post_only,
    )  # fmt: skip


def _check(draft: TicketDraft, context: TicketContext) -> TicketCheck:
    problems = [
        *_check_market(context),
        *_check_kind(draft, context),
        *check_venue(draft, context),
    ]
    if draft.kind is OrderKind.MARKET and draft.side is Side.SELL:
        return TicketCheck(tuple(problems), None, None)
    if draft.kind is OrderKind.MARKET:
        size = read_size(draft, context, None, problems)
        price = read_worst_price(draft, context, size, problems)
    else:
        price = read_limit_price(draft, context, problems)
        size = read_size(draft, context, price, problems)
    expires_at = read_expiry(draft, context, problems)
    if price is None or size is None:
        return TicketCheck(tuple(problems), None, None)
    intent = _intent(draft, context, price, size=size, expires_at=expires_at)
    try:
        amounts = order_amounts(intent, context.terms.tick_size)
    except AmountError as error:
        problems.append(Problem(TicketField.PRICE, str(error)))
        return TicketCheck(tuple(problems), None, None)
    if amounts.is_empty:
        problems.append(Problem(TicketField.SIZE, "Nothing left after rounding"))
        return TicketCheck(tuple(problems), None, None)
    is_buy = draft.side is Side.BUY
    cash, shares = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
    numbers = estimate(
        intent, cash=cash, shares=shares, book=context.book, fee=context.terms.fee,
        available_cash=context.available_cash,
    )  # fmt: skip
    # Problems about the order's fate come before the effect of rounding on its size.
    problems += _check_balance(draft, context, intent, numbers=numbers)
    problems += _check_matching(draft, context, intent, numbers=numbers)
    problems += _check_size(draft, context, intent, numbers=numbers)
    problems += check_delay(draft, context, numbers)
    attached = _read_attachment(draft, context, price, problems)
    if draft.side is Side.SELL and numbers.shares > context.available_shares:
        # Shares that are not held fill nothing and bring nothing.
        return TicketCheck(tuple(problems), None, None)
    is_blocked = any(not p.is_warning for p in problems)
    if not is_blocked:
        problems += check_own(context, intent)
        problems += check_warnings(context, intent, numbers)
    return TicketCheck(tuple(problems), None if is_blocked else intent, numbers, attached)


def _read_attachment(
    draft: TicketDraft, context: TicketContext, price: Micros, problems: list[Problem]
) -> Attachment | None:
    """Return the stop and target of a purchase, adding problems if they are invalid."""
    if draft.side is Side.SELL:
        return None
    terms, book = context.terms, context.book
    found = read_attachment(draft.stop_text, draft.target_text, tick=terms.tick_size)
    wrong: tuple[PlanProblem, ...] = ()
    if isinstance(found, PlanProblem):
        wrong, found = (found,), None
    elif found is not None:
        bid = best_bid_of_others(book, terms.condition_id, context.own)
        wrong = check_attachment(
            found, price=price, bid=bid if book.state.is_good else None, tick=terms.tick_size
        )
    problems += [Problem(_ATTACHED.get(each.field, TicketField.STOP), each.text) for each in wrong]
    return found


_ATTACHED = {PlanField.STOP: TicketField.STOP, PlanField.TAKE_PROFIT: TicketField.TARGET}


def _check_market(context: TicketContext) -> list[Problem]:
    problems = []
    if not context.terms.accepting_orders:
        problems.append(Problem(TicketField.OUTCOME, "The market takes no orders now"))
    state = context.book.state
    if state is BookState.NO_BOOK:
        text = "No order book for this outcome"
        problems.append(Problem(TicketField.OUTCOME, text, is_warning=True))
    elif not state.is_good:
        text = f"Book {state.words}: prices may be wrong"
        problems.append(Problem(TicketField.PRICE, text, is_warning=True))
    return problems


def _check_kind(draft: TicketDraft, context: TicketContext) -> list[Problem]:
    if draft.kind is OrderKind.MARKET and draft.side is Side.SELL:
        best = context.book.best_bid if context.book.state.is_good else None
        fix = replace(
            draft,
            kind=OrderKind.LIMIT,
            time_in_force=TimeInForce.FAK,
            price_text=format_cents(best) if best is not None else "",
            is_post_only=False,
        )
        text = "No market sells on this venue; use a limit with FAK"
        return [Problem(TicketField.KIND, text, fix=fix)]
    if draft.kind is OrderKind.MARKET and draft.time_in_force.rests:
        fix = replace(draft, time_in_force=TimeInForce.FOK)
        return [Problem(TicketField.TIME_IN_FORCE, "A market order needs FOK or FAK", fix=fix)]
    if draft.is_post_only and not draft.time_in_force.rests:
        fix = replace(draft, is_post_only=False)
        text = "Post-only needs GTC or GTD"
        return [Problem(TicketField.POST_ONLY, text, fix=fix)]
    return []


def _intent(
    draft: TicketDraft,
    context: TicketContext,
    price: Micros,
    *,
    size: Micros,
    expires_at: datetime | None,
) -> OrderIntent:
    condition_id = context.terms.condition_id
    token_id = context.terms.token_ids[draft.outcome_index]
    if draft.kind is OrderKind.MARKET:
        return MarketBuyIntent(
            condition_id=condition_id,
            token_id=token_id,
            amount=size,
            worst_price=price,
            time_in_force=draft.time_in_force,
        )
    intent = LimitIntent(
        condition_id=condition_id,
        token_id=token_id,
        side=draft.side,
        price=price,
        size=size,
        time_in_force=draft.time_in_force,
        is_post_only=draft.is_post_only,
        expires_at=expires_at,
    )
    if draft.side is Side.SELL or draft.time_in_force is not TimeInForce.FAK:
        return intent
    cost = max(cost_in_book(size, price, context.book), MIN_MARKETABLE_BUY)
    return replace(intent, spend=cost) if cost < notional_floor(price, size) else intent


def _check_size(
    draft: TicketDraft, context: TicketContext, intent: OrderIntent, *, numbers: TicketNumbers
) -> list[Problem]:
    """Check a size against the venue's minimums, and report if rounding changed it."""
    minimum = context.terms.min_order_size
    # A purchase by dollars never rests, whatever time in force is still in its field.
    rests = intent.time_in_force.rests and not isinstance(intent, MarketBuyIntent)
    is_short = rests and numbers.shares < minimum
    is_sure = context.book.state.is_good or not rests
    takes = numbers.fills_now > 0 or not rests
    is_cheap = draft.side is Side.BUY and takes and numbers.cash < MIN_MARKETABLE_BUY
    if not is_short and not is_cheap:
        if isinstance(intent, MarketBuyIntent) or intent.spend is not None:
            return []
        text = f"To the cent: {count_shares(numbers.shares)}"
        is_less = numbers.shares != intent.size
        return [Problem(TicketField.SIZE, text, is_warning=True)] if is_less else []
    if isinstance(intent, MarketBuyIntent):
        fix = replace(draft, size_text="1", size_unit=SizeUnit.DOLLARS)
    else:
        worth_a_dollar = ratio_ceil(MIN_MARKETABLE_BUY, intent.price)
        least = max(minimum if is_short else 0, worth_a_dollar if is_cheap else 0)
        size = Micros(-(-least // SIZE_STEP) * SIZE_STEP)
        fix = replace(draft, size_text=format_micros(size), size_unit=SizeUnit.SHARES)
    problems = []
    if is_short:
        text = f"Minimum {exact_shares(minimum)}"
        if is_cheap:
            text += ", and $1 in all where it fills at once"
        problems.append(Problem(TicketField.SIZE, text, fix=fix))
    if is_cheap:
        text = "Marketable buys need at least $1"
        problems.append(Problem(TicketField.SIZE, text, is_warning=not is_sure, fix=fix))
    return problems


def _check_matching(
    draft: TicketDraft, context: TicketContext, intent: OrderIntent, *, numbers: TicketNumbers
) -> list[Problem]:
    """Return problems that would arise from matching the order against the current book."""
    takes = numbers.fills_now > 0
    is_good = context.book.state.is_good
    if numbers.displayed_at_limit > 0 and draft.is_post_only:
        text = "It would cross: post-only will be rejected"
        fix = _behind_the_touch(draft, context)
        return [Problem(TicketField.POST_ONLY, text, is_warning=not is_good, fix=fix)]
    if intent.time_in_force.rests or not is_good:
        return []
    if intent.time_in_force is TimeInForce.FOK and numbers.displayed_at_limit > 0:
        if not numbers.is_short_of_depth:
            return []
        fix = replace(draft, time_in_force=TimeInForce.FAK)
        text = "Not enough liquidity to fill it whole: FOK would be killed"
        return [Problem(TicketField.SIZE, text, is_warning=True, fix=fix)]
    if not takes:
        text = f"No liquidity at this price: {intent.time_in_force.value} would be killed"
        return [Problem(TicketField.PRICE, text, is_warning=True)]
    return []


def _behind_the_touch(draft: TicketDraft, context: TicketContext) -> TicketDraft | None:
    """Return the draft at the best price that does not take; None if there is none."""
    tick = context.terms.tick_size
    if draft.side is Side.BUY:
        touch = context.book.best_ask
        price = None if touch is None else price_floor(Micros(touch - 1), tick)
        is_clear = price is not None and touch is not None and price < touch
    else:
        touch = context.book.best_bid
        price = None if touch is None else price_ceil(Micros(touch + 1), tick)
        is_clear = price is not None and touch is not None and price > touch
    if price is None or not is_clear or not is_on_tick(price, tick):
        return None
    return replace(draft, price_text=format_cents(price))


def _check_balance(
    draft: TicketDraft, context: TicketContext, intent: OrderIntent, *, numbers: TicketNumbers
) -> list[Problem]:
    if draft.side is Side.SELL:
        if numbers.shares <= context.available_shares:
            return []
        free = size_floor(context.available_shares)
        fix = replace(draft, size_text=format_micros(free), size_unit=SizeUnit.SHARES)
        text = describe_free_shares(context.available_shares)
        if context.resting_shares > 0:
            text += f"; {format_shares(context.resting_shares)} in working orders"
        return [Problem(TicketField.SIZE, text, fix=fix if free > 0 else None)]
    available, after = context.available_cash, numbers.cash_after
    if available is None or after is None:
        return []
    # Checked at the limit and at the expected fill: the venue uses the larger.
    if numbers.cash + numbers.worst_fee <= available and after >= 0:
        return []
    affordable, fee = _affordable(draft, context, intent)
    text = f"Costs more than the {format_dollars_down(available)} available"
    if fee:
        text += f", up to {format_dollars_up(fee)} of it for the fee"
    if context.reserved_cash > 0:
        text += f"; {format_dollars_down(context.reserved_cash)} reserved for working orders"
    return [Problem(TicketField.SIZE, text, fix=affordable)]


def _affordable(
    draft: TicketDraft, context: TicketContext, intent: OrderIntent
) -> tuple[TicketDraft | None, Micros]:
    """Return the draft with the largest affordable size, and the possible fee."""
    if isinstance(intent, MarketBuyIntent):
        # The fee per dollar is largest at the lowest price it can fill at.
        at = min(context.book.best_ask or intent.worst_price, intent.worst_price)
        cash = affordable_cash(context, intent.amount, at, has_fee=True)
        size, unit = size_floor(cash), SizeUnit.DOLLARS
        fee = taker_fee(ratio_floor(size, at), at, context.terms.fee)
    else:
        cash = affordable_cash(
            context,
            Micros(context.available_cash or 0),
            intent.price,
            has_fee=not intent.is_post_only,
        )
        size, unit = size_floor(ratio_floor(cash, intent.price)), SizeUnit.SHARES
        reserves = NO_FEE if intent.is_post_only else context.terms.fee
        fee = taker_fee(size, intent.price, reserves)
    if size <= 0:
        return None, ZERO
    return replace(draft, size_text=format_micros(size), size_unit=unit), fee


class RewardsOutlook(Enum):
    """Whether the resting part would earn liquidity rewards at the current midpoint."""

    EARNS = auto()
    TOO_SMALL = auto()
    TOO_FAR = auto()


@dataclass(frozen=True, slots=True)
class TicketAfter:
    """What follows after it has filled, and while it rests."""

    even: Micros | None = None
    """The lowest price at which the purchase could be sold again without a loss, all fees included."""
    outlook: RewardsOutlook | None = None
    """None if nothing rests, nothing is paid, or there is no midpoint."""
    rewards: RewardTerms | None = None


def estimate_after(
    side: Side, check: TicketCheck | None, context: TicketContext | None
) -> TicketAfter | None:
    """Return what follows from a ticket's order; None if there is no valid order yet."""
    numbers = check.numbers if check is not None else None
    if numbers is None or context is None:
        return None
    terms = context.terms
    return TicketAfter(
        even=_even(numbers, terms) if side is Side.BUY else None,
        outlook=_outlook(numbers, terms.rewards, context.book),
        rewards=terms.rewards,
    )


def _even(numbers: TicketNumbers, terms: MarketTerms) -> Micros | None:
    size = Micros(numbers.fills_now + numbers.rests)
    if not size:
        return None
    average = ratio_ceil(numbers.expected_cash, size)
    stake = Stake(size, average, entry_fees=numbers.fee, fee=terms.fee)
    return break_even(stake, terms.tick_size)


def _outlook(
    numbers: TicketNumbers, rewards: RewardTerms | None, book: BookView
) -> RewardsOutlook | None:
    band = reward_band(rewards, book.midpoint)
    if band is None or not numbers.rests or not book.state.is_good:
        return None
    if not band.holds(numbers.limit):
        return RewardsOutlook.TOO_FAR
    is_large = band.takes(numbers.limit, numbers.rests)
    return RewardsOutlook.EARNS if is_large else RewardsOutlook.TOO_SMALL


_CENT = 10_000
_TICKS_APART = 2
"""Within this distance of the midpoint no price is flagged, whatever the percentage."""


def check_warnings(
    context: TicketContext, intent: OrderIntent, numbers: TicketNumbers
) -> list[Problem]:
    """Return the warnings that the trader enabled."""
    return [
        *check_price(context, intent),
        *check_again(context, intent, cash=numbers.cash, shares=numbers.shares),
        *check_notional(context, Micros(max(numbers.cash, numbers.expected_cash))),
    ]


def check_price(context: TicketContext, intent: OrderIntent) -> list[Problem]:
    """Return the warning about a price far on the wrong side of the midpoint of others: an own bid lifts none."""
    percent = context.rules.worst_price_percent
    mid = midpoint_of_others(context.book, context.terms.condition_id, context.own)
    if not percent or mid is None or mid <= 0 or not context.book.state.is_good:
        return []
    price = intent.worst_price if isinstance(intent, MarketBuyIntent) else intent.price
    is_buy = intent.side is Side.BUY
    worse = price - mid if is_buy else mid - price
    if worse * 100 <= mid * percent or worse <= _TICKS_APART * context.terms.tick_size:
        return []
    off = worse * 100 // mid
    text = (
        f"{format_cents(price)}¢ is {off}% {'above' if is_buy else 'below'} the midpoint "
        f"{format_cents(mid)}¢"
    )
    return [Problem(TicketField.PRICE, text, is_warning=True)]


def check_notional(
    context: TicketContext, amount: Micros, *, what: str = "one order"
) -> list[Problem]:
    """Return the warning about a large dollar amount in one order."""
    if not is_large(context, amount):
        return []
    bound = format_dollars_down(context.rules.notional_warning)
    text = f"Large: {format_dollars_up(amount)} in {what} (your warning: {bound})"
    return [Problem(TicketField.SIZE, text, is_warning=True)]


def is_large(context: TicketContext, amount: Micros) -> bool:
    """Whether an amount exceeds the trader's warning threshold."""
    rules = context.rules
    return rules.warns_of_size and amount >= rules.notional_warning


def check_again(
    context: TicketContext, intent: OrderIntent, *, cash: Micros, shares: Micros
) -> list[Problem]:
    """Return the warning about an order that was already sent a moment ago."""
    seconds = seconds_since_same(context, intent, cash=cash, shares=shares)
    if seconds is None:
        return []
    text = f"Same order sent {seconds} s ago: this would be a second one"
    return [Problem(TicketField.SIZE, text, is_warning=True)]


def seconds_since_same(
    context: TicketContext, intent: OrderIntent, *, cash: Micros, shares: Micros
) -> int | None:
    """Return the seconds since the same order was sent; None if too long ago, or never."""
    window = context.rules.duplicate_window
    ages = [
        context.now - order.created_at
        for order in context.recent
        if window
        and is_same_order(order, intent, cash=cash, shares=shares)
        and context.now - order.created_at <= window
    ]
    return max(min(ages), timedelta()).seconds if ages else None


def is_same_order(order: Order, intent: OrderIntent, *, cash: Micros, shares: Micros) -> bool:
    """Whether an intent repeats an order of ours that was not refused.

    Args:
        order: one of ours.
        intent: the order to send.
        cash: the dollars it would sign.
        shares: the shares it would sign.
    """
    if order.status is OrderStatus.REJECTED:
        return False
    if (order.token_id, order.side) != (intent.token_id, intent.side):
        return False
    if isinstance(intent, MarketBuyIntent):
        # The book sets its price: spending the same dollars at once is the same order.
        spent = notional_ceil(order.price, order.original_size)
        same_price = order.price == ratio_ceil(cash, shares) if shares else False
        is_near = abs(spent - cash) < _CENT or (same_price and order.original_size == shares)
        return is_near and not order.time_in_force.rests
    return (order.price, order.original_size) == (intent.price, shares)


_REFUSED = {
    VenueState.BANNED: "The venue has banned this account; it refuses orders",
    VenueState.DISABLED: "Trading is disabled; the venue refuses orders now",
    VenueState.RESTARTING: "The venue is restarting; it refuses orders for a while",
    VenueState.CANCEL_ONLY: "The venue is cancel-only; it refuses orders now",
    VenueState.MARKET_NOT_READY: "The market is not ready for orders yet",
}


def check_venue(draft: TicketDraft, context: TicketContext) -> list[Problem]:
    """Return the effects of the venue's state on a draft, whatever its price and size."""
    problems: list[Problem] = []
    for fact in context.venue:
        match fact.state:
            case VenueState.REGION_REFUSED:
                place = f" ({fact.text})" if 0 < len(fact.text) <= 12 else ""
                text = f"The venue refuses orders from this region{place}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case VenueState.CLOSE_ONLY if draft.side is Side.BUY:
                text = "The account may only close positions, not buy"
                problems.append(_warning(TicketField.SIDE, text))
            case VenueState.POST_ONLY if not draft.is_post_only:
                problems.append(_warn_of_post_only(draft, context, fact))
            case VenueState.BUDGET_LOW:
                text = f"Near the request limit: {fact.text}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case _ if fact.state in _REFUSED:
                problems.append(_warning(TicketField.OUTCOME, _REFUSED[fact.state]))
            case _:
                pass
    return problems


def check_delay(
    draft: TicketDraft, context: TicketContext, numbers: TicketNumbers
) -> list[Problem]:
    """Return a warning that a taking order is delayed, if the market delays takers."""
    delay = next((f for f in context.venue if f.state is VenueState.DELAYED), None)
    takes = numbers.displayed_at_limit > 0 or not draft.time_in_force.rests
    if delay is None or draft.is_post_only or not takes:
        return []
    span = delay.text if 0 < len(delay.text) <= 12 else "a while"
    text = f"Taker orders wait {span} here and cannot be cancelled meanwhile"
    return [_warning(TicketField.TIME_IN_FORCE, text)]


def _warn_of_post_only(draft: TicketDraft, context: TicketContext, fact: VenueFact) -> Problem:
    rests = draft.time_in_force.rests and draft.kind is OrderKind.LIMIT
    fix = replace(
        draft,
        kind=OrderKind.LIMIT,
        time_in_force=draft.time_in_force if rests else TimeInForce.GTC,
        is_post_only=True,
    )
    left = "" if fact.until is None else f" for {max((fact.until - context.now).seconds, 1)} s"
    return Problem(
        TicketField.POST_ONLY,
        f"The venue takes post-only orders only{left}",
        is_warning=True,
        fix=fix if draft.kind is OrderKind.LIMIT else None,
    )


def _warning(field: TicketField, text: str) -> Problem:
    return Problem(field, text, is_warning=True)


@dataclass(frozen=True, slots=True)
class PlannedOrder:
    """An order of a card, with the dollars that it signs."""

    intent: LimitIntent
    cash: Micros


def action_warnings(
    planned: Sequence[PlannedOrder], context: TicketContext, *, expected: Micros | None = None
) -> tuple[str, ...]:
    """Return the warnings about these orders, each once.

    Args:
        planned: the orders.
        context: what they are checked against.
        expected: the price at which they fill, checked instead of limits that nobody typed.
    """
    found: list[Problem] = []
    for order in planned:
        intent = order.intent
        draft = TicketDraft(
            intent.side,
            context.terms.token_ids.index(intent.token_id),
            time_in_force=intent.time_in_force,
            is_post_only=intent.is_post_only,
        )
        numbers = estimate(
            intent, cash=order.cash, shares=intent.size, book=context.book,
            fee=context.terms.fee, available_cash=None,
        )  # fmt: skip
        found += check_venue(draft, context)
        found += check_delay(draft, context, numbers)
        found += check_again(context, intent, cash=order.cash, shares=intent.size)
    # Of several prices the worst is checked: the highest for buys, the lowest for sells.
    is_buy = planned[0].intent.side is Side.BUY
    prices = sorted(planned, key=lambda order: order.intent.price, reverse=is_buy)
    worst = prices[0].intent
    found += check_price(context, worst if expected is None else replace(worst, price=expected))
    size = Micros(sum(order.intent.size for order in planned))
    found += check_own(context, replace(worst, size=size))
    total = Micros(sum(order.cash for order in planned))
    what = "one order" if len(planned) == 1 else f"these {len(planned)} orders"
    found += check_notional(context, total, what=what)
    return tuple(dict.fromkeys(problem.text for problem in found))


def needs_card(rules: TicketRules, worth: Micros, *, is_doubtful: bool) -> bool:
    """Return whether a ticket order is shown on a confirmation card before it is sent.

    Args:
        rules: the user's settings.
        worth: the dollars that it may cost or bring, including the largest possible fee.
        is_doubtful: whether there is any objection, which always requires a card.
    """
    return is_doubtful or worth > rules.confirm_above
