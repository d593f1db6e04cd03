"""What a ladder is given beside its book: own orders, our place in line, our cost, the rewards."""

from collections.abc import Iterable
from typing import NamedTuple

from pmtui.domain.account.position import Stake, entry_fees
from pmtui.domain.books.ladder import LadderMarks, mirrored_orders, stop_marks
from pmtui.domain.conditionals.alerts import AlertState, PriceAlert
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, FeeSchedule
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import Fill, Order
from pmtui.service.views import AccountView, Load, MarketView
from pmtui.ui.market.market_facts import outcome_label


class LadderInputs(NamedTuple):
    """One outcome's side of the account, in terms of its own book."""

    orders: tuple[Order, ...]
    marks: LadderMarks
    other_label: str
    """The other outcome's untrusted name where both are on show; else empty."""


def ladder_inputs(
    account: AccountView,
    view: MarketView,
    token_id: TokenId,
    *,
    fills: tuple[Fill, ...] = (),
    is_mirrored: bool = False,
    alerts: tuple[PriceAlert, ...] = (),
) -> LadderInputs:
    """Gather what belongs on the ladder of a token.

    Args:
        account: the one view that everything of ours comes from, but for the fills.
        view: the market with its terms.
        token_id: the outcome on show.
        fills: our own, for what was paid in fees.
        is_mirrored: whether the other outcome's prices, and what is held of both, are shown too.
            Without it what is held of the other one counts only where nothing of this one is: net
            short.
        alerts: of any outcome; those that wait for a price of this one are marked.
    """
    terms = view.terms
    fee = terms.fee if terms is not None else NO_FEE
    orders = account.orders_at(token_id)
    stakes = stakes_in(account, fills, token_id, fee=fee)
    other, label = _other(view, token_id)
    if other is not None:
        # Both outcomes are one book: who bids for the other one asks here.
        orders += mirrored_orders(account.orders_at(other))
        if is_mirrored or not stakes:
            stakes += stakes_in(account, fills, other, fee=fee, is_other=True)
    marks = LadderMarks(
        ahead=_ahead_of(account, orders),
        scoring=account.scoring,
        stakes=stakes,
        rewards=terms.rewards if terms is not None else None,
        stops=stop_marks(
            (e, account.allotted(e)) for e in account.conditionals if e.token_id == token_id
        ),
        alerts=_prices_waited_for(alerts, token_id),
        is_account_known=account.load is Load.READY,
    )
    return LadderInputs(orders, marks, label if is_mirrored else "")


def _prices_waited_for(alerts: Iterable[PriceAlert], token_id: TokenId) -> tuple[Micros, ...]:
    waiting = (each.plan for each in alerts if each.state is AlertState.WAITING)
    return tuple(plan.price for plan in waiting if plan.token_id == token_id and not plan.condition)


def _ahead_of(
    account: AccountView, orders: tuple[Order, ...]
) -> tuple[tuple[OrderId, Micros], ...]:
    ids = {order.order_id for order in orders}
    return tuple(each for each in account.queue_ahead if each[0] in ids)


def stakes_in(
    account: AccountView,
    fills: tuple[Fill, ...],
    token_id: TokenId,
    *,
    fee: FeeSchedule,
    is_other: bool = False,
) -> tuple[Stake, ...]:
    """Return what is held of a token and what it cost; one stake, or none."""
    return tuple(
        Stake(
            size=held.size,
            average_price=held.average_price,
            entry_fees=entry_fees(fills, token_id, held.size, fee),
            fee=fee,
            is_other=is_other,
        )
        for held in account.positions
        # Less than an order can carry can't be closed: it has no profit and no break-even.
        if held.token_id == token_id and held.size >= SIZE_STEP
    )


def _other(view: MarketView, token_id: TokenId) -> tuple[TokenId | None, str]:
    tokens = view.terms.token_ids if view.terms is not None else ()
    if not tokens and view.market is not None:
        tokens = view.market.token_ids
    if len(tokens) != 2 or token_id not in tokens:
        return None, ""
    index = 1 - tokens.index(token_id)
    return tokens[index], outcome_label(view, index) or "other"
