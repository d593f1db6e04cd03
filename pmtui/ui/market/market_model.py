"""One market at one moment: everything shown of it and traded in it comes from this model.

Also the reasons why a market cannot be traded, and the ladder's inputs beside the book: own orders,
their place in the queue, the position's cost, and rewards.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from pmtui.domain.account.position import LEAST_HELD, Position, Stake, entry_fees, net_stake
from pmtui.domain.books.book_view import BookSummary, BookView
from pmtui.domain.books.ladder import LadderMarks, StopMark, mirrored_orders, stop_marks
from pmtui.domain.conditionals.alerts import AlertState, PriceAlert
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Market, MarketTerms, Side, Trading
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.flattening import Closing, close_now
from pmtui.domain.orders.order import Fill, Order
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView, Load, MarketView, Mode, OwnList, StatusView
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface

_LONGEST_LABEL = 16


def token_id_of(view: MarketView, index: int) -> TokenId | None:
    """Return the token of an outcome; None if it has none or the market is unknown."""
    if view.terms is not None and index < len(view.terms.token_ids):
        return view.terms.token_ids[index]
    outcomes = view.market.outcomes if view.market else ()
    return outcomes[index].token_id if index < len(outcomes) else None


def tick_size_of(view: MarketView) -> Micros | None:
    """Return the tick size of the trading host, else of the metadata."""
    if view.terms is not None:
        return view.terms.tick_size
    return view.market.tick_size if view.market else None


def title_of(queries: Queries, condition_id: ConditionId) -> str:
    """Return a market's name, untrusted; the start of its id while it is unknown."""
    market = queries.market(condition_id).market
    if market is not None:
        return market.distinct_name
    return f"market {plain(condition_id, 12)}"


def outcome_labels(view: MarketView) -> tuple[str, ...]:
    """Return the names of all outcomes, untrusted."""
    count = len(view.market.outcomes) if view.market else 0
    return tuple(outcome_label(view, index) for index in range(count))


def why_not_tradable(view: MarketView, status: StatusView) -> str:
    """Return why no order can be sent; empty when one can."""
    return why_market_takes_none(view) or why_no_entry(status)


def why_market_takes_none(view: MarketView) -> str:
    """Return why a market takes no orders; empty when it does."""
    market = view.market
    if market is not None:
        if market.archived:
            return "Archived: trading has ended."
        if market.closed:
            return f"Closed{_resolution(market)}: trading has ended."
        if not market.has_order_book or len(market.token_ids) != 2:
            return "No order book: not tradable here."
        if not market.active:
            return "Not open yet: no trading."
        if not market.accepting_orders:
            return "Paused: the market takes no orders now."
    if view.terms is not None and not view.terms.accepting_orders:
        return "Paused: the market takes no orders now."
    return ""


def trading_of(view: MarketView) -> Trading:
    """Return whether a market takes orders, considering its terms, too."""
    trading = view.market.trading if view.market is not None else Trading.OPEN
    is_refused = view.terms is not None and not view.terms.accepting_orders
    return Trading.HALTED if trading is Trading.OPEN and is_refused else trading


def why_nothing_of_ours(status: StatusView) -> str:
    """Return why this session can have no orders or shares; empty when it can."""
    if status.is_gone:
        return "The service is gone: nothing can be sent."
    if status.mode is Mode.READ_ONLY:
        return f"Read-only: {plain(status.mode_reason, 60) or 'no key'}."
    return ""


def why_no_entry(status: StatusView) -> str:
    """Return why this session may send no orders; empty when it may."""
    locked = f"{plain(status.kill_lock, 100)}." if status.kill_lock else ""
    return why_nothing_of_ours(status) or locked


def market_words(view: MarketView) -> str:
    """Return why a market is not loaded; empty when it is."""
    if view.load is Load.FAILED:
        return f"Not loaded: {plain(view.problem, 60) or 'no answer'}"
    return "" if view.market is not None else "Loading the market…"


def outcome_label(view: MarketView, index: int) -> str:
    """Return the name of an outcome, untrusted."""
    outcomes = view.market.outcomes if view.market else ()
    if index < len(outcomes):
        return outcomes[index].label
    return f"Outcome {index + 1}"


def _resolution(market: Market) -> str:
    for outcome in market.outcomes:
        if outcome.price == ONE:
            return f", resolved {plain(outcome.label, _LONGEST_LABEL)}"
    return ""


class LadderInputs(NamedTuple):
    """The account's side of an outcome, in terms of its book."""

    orders: tuple[Order, ...]
    marks: LadderMarks
    other_label: str
    """The other outcome's untrusted name if both are shown; else empty."""
    held: tuple[Stake, ...] = ()
    """The stakes in both outcomes, whichever is shown."""


def ladder_inputs(
    account: AccountView,
    view: MarketView,
    token_id: TokenId,
    *,
    fills: tuple[Fill, ...] = (),
    is_mirrored: bool = False,
    alerts: tuple[PriceAlert, ...] = (),
    give_way_percent: int = DEFAULT_GIVE_WAY,
) -> LadderInputs:
    """Return what belongs on the ladder of a token.

    Args:
        account: the view that all own data but the fills comes from.
        view: the market with its terms.
        token_id: the outcome on show.
        fills: our own, for what was paid in fees.
        is_mirrored: whether the other outcome's prices are shown too.
        alerts: of any outcome; those that wait for a price of this one are marked.
        give_way_percent: how far below the best bid flattening may fill.
    """
    terms = view.terms
    fee = terms.fee if terms is not None else NO_FEE
    orders = account.orders_at(token_id)
    other, label = _other(view, token_id)
    held = stakes_of_both(account, fills, token_id, other, fee=fee)
    net = net_of(held, fills, token_id, other)
    if net is not None and net.size < LEAST_HELD:
        # Dust is no position.
        net = None
    if other is not None:
        # Both outcomes share one book: a bid for the other one is an ask here.
        orders += mirrored_orders(account.orders_at(other))
    marks = LadderMarks(
        ahead=_ahead_of(account, orders),
        displayed=account.displayed,
        scoring=account.scoring,
        net=net,
        give_way_percent=give_way_percent,
        rewards=terms.rewards if terms is not None else None,
        stops=_stops_of(account, token_id, other),
        alerts=_prices_waited_for(alerts, token_id),
        is_trading=trading_of(view) is Trading.OPEN,
        is_account_known=account.load is Load.READY,
    )
    return LadderInputs(orders, marks, label if is_mirrored else "", held)


def _stops_of(
    account: AccountView, token_id: TokenId, other: TokenId | None
) -> tuple[StopMark, ...]:
    here = (each for each in account.conditionals if each.token_id in (token_id, other))
    return stop_marks(((each, account.allotted(each)) for each in here), token_id)


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
    other: TokenId | None = None,
    is_other: bool = False,
) -> tuple[Stake, ...]:
    """Return the position in a token and its cost: one stake, or none."""
    of_other = None if other is None else (other, account.shares(other))
    return tuple(
        Stake(
            size=held.size,
            average_price=held.average_price,
            entry_fees=entry_fees(fills, token_id, held.size, fee, of_other=of_other),
            fee=fee,
            is_other=is_other,
        )
        for held in account.positions
        # A position below the order step can't be closed: it has no profit and no break-even.
        if held.token_id == token_id and held.size >= SIZE_STEP
    )


def stakes_of_both(
    account: AccountView,
    fills: tuple[Fill, ...],
    token_id: TokenId,
    other: TokenId | None,
    *,
    fee: FeeSchedule,
) -> tuple[Stake, ...]:
    """Return the stakes in a market, as seen from one of its outcomes."""
    if other is None:
        return stakes_in(account, fills, token_id, fee=fee)
    return (
        *stakes_in(account, fills, token_id, fee=fee, other=other),
        *stakes_in(account, fills, other, fee=fee, other=token_id, is_other=True),
    )


def net_of(
    stakes: Sequence[Stake], fills: Iterable[Fill], token_id: TokenId, other: TokenId | None
) -> Stake | None:
    """Return the net of the stakes in a market, by its fills; None without any, or if it is flat."""
    return net_stake(
        next((each for each in stakes if not each.is_other), None),
        next((each for each in stakes if each.is_other), None),
        fills,
        tokens=None if other is None else (token_id, other),
    )


def net_stake_in(
    account: AccountView, fills: tuple[Fill, ...], terms: MarketTerms, token_id: TokenId
) -> Stake | None:
    """Return what is held of an outcome beyond the other one; None where that is nothing."""
    others = [each for each in terms.token_ids if each != token_id]
    other = others[0] if len(others) == 1 else None
    stakes = stakes_of_both(account, fills, token_id, other, fee=terms.fee)
    net = net_of(stakes, fills, token_id, other)
    return None if net is None or net.is_other else net


def net_in(
    queries: Queries, position: Position, fills: Sequence[Fill] | None = None
) -> Stake | None:
    """Return what is held of a position's market beyond pairs, if it is of its outcome.

    Args:
        queries: the service.
        position: of one outcome.
        fills: those of its market, if they are at hand.
    """
    view, account = queries.market(position.condition_id), queries.account()
    fee = _fee_of(view)
    other = next(iter(account.others_of(position.token_id)), _other(view, position.token_id)[0])
    known = tuple(queries.fills().fills if fills is None else fills)
    stakes = stakes_of_both(account, known, position.token_id, other, fee=fee)
    net = net_of(stakes, known, position.token_id, other)
    return None if net is None or net.is_other or net.size < LEAST_HELD else net


def _fee_of(view: MarketView) -> FeeSchedule:
    if view.terms is not None:
        return view.terms.fee
    return (view.market.fee if view.market is not None else None) or NO_FEE


def exit_of(
    queries: Queries, position: Position, net: Stake | None, *, give_way_percent: int
) -> Closing | None:
    """Return what closing the net position brings now, as beside the ladder; None if nothing is told.

    Args:
        queries: the service.
        position: in its outcome.
        net: the net position.
        give_way_percent: how far below the best bid flattening may fill.
    """
    book, token_id = queries.book(position.token_id), position.token_id
    tick = tick_size_of(queries.market(position.condition_id)) or book.tick_size
    if net is None or position.is_settled or not book.state.is_good or tick is None:
        return None
    own = [o for o in queries.account().open_orders if o.condition_id == position.condition_id]
    orders = (
        *(order for order in own if order.token_id == token_id),
        *mirrored_orders(order for order in own if order.token_id != token_id),
    )
    return close_now(net, book, orders, tick=tick, give_way_percent=give_way_percent)


def _other(view: MarketView, token_id: TokenId) -> tuple[TokenId | None, str]:
    tokens = view.terms.token_ids if view.terms is not None else ()
    if not tokens and view.market is not None:
        tokens = view.market.token_ids
    if len(tokens) != 2 or token_id not in tokens:
        return None, ""
    index = 1 - tokens.index(token_id)
    return tokens[index], outcome_label(view, index) or "other"


TERMS_LOADING = "The trading terms are loading."


class Pointed(Protocol):
    """A ladder with a cursor."""

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The cursor's price and the side that `enter` trades there; None without a cursor."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketModel:
    """The market shown, with what the service knows of it and of the account."""

    condition_id: ConditionId
    outcome_index: int
    """The index of the outcome shown."""
    is_mirrored: bool
    """Whether the other outcome's prices and own orders are on the same rows."""
    market: MarketView
    token_id: TokenId | None
    """The token shown; None if it has none or the market is unknown."""
    book: BookView | None
    account: AccountView
    fills: tuple[Fill, ...]
    alerts: tuple[PriceAlert, ...]
    """Alerts on any market."""
    status: StatusView
    now: datetime
    cursor: tuple[Micros, Side] | None
    ladder: LadderInputs | None
    """The ladder's inputs beside the book; None without a token."""

    @property
    def terms(self) -> MarketTerms | None:
        """The terms for orders; None until they are known."""
        return self.market.terms

    @property
    def is_over(self) -> bool:
        """Whether trading in this market has ended."""
        market = self.market.market
        return market is not None and (market.closed or market.archived)

    @property
    def has_only_result(self) -> bool:
        """Whether trading has ended and no level is left, so that the result stands where the ladder was."""
        book = self.book
        return self.is_over and (book is None or not (book.bids or book.asks))

    @property
    def positions(self) -> tuple[Position, ...]:
        """What is held in this market, at the prices of the portfolio and the status line."""
        return tuple(p for p in self.account.positions if p.condition_id == self.condition_id)

    @property
    def settled_fees(self) -> dict[TokenId, Micros]:
        """The taker fees paid for positions that are resolved: their result is net of them."""
        fee, account, paid = _fee_of(self.market), self.account, dict[TokenId, Micros]()
        for each in self.positions:
            if each.is_settled:
                other, _ = _other(self.market, each.token_id)
                stakes = stakes_in(account, self.fills, each.token_id, fee=fee, other=other)
                paid[each.token_id] = Micros(sum(stake.entry_fees for stake in stakes))
        return paid

    @property
    def holds_nothing(self) -> str:
        """Says that nothing is held; empty while that is not known."""
        account = self.account
        is_known = account.load is Load.READY and not account.missing_in(OwnList.POSITIONS)
        return "you hold none" if is_known else ""

    @property
    def is_armed(self) -> bool:
        """Whether single keys are armed."""
        until = self.status.armed_until
        return until is not None and until > self.status.now

    @property
    def why_not_tradable(self) -> str:
        """Why no order can be sent; empty when one can."""
        return why_not_tradable(self.market, self.status)

    @property
    def why_no_form(self) -> str:
        """Why no order form can open yet; empty when one can."""
        return self.why_not_tradable or ("" if self.terms is not None else TERMS_LOADING)

    @property
    def own_orders(self) -> tuple[Order, ...]:
        """Own open orders in this market, of either outcome."""
        orders = self.account.open_orders
        return tuple(order for order in orders if order.condition_id == self.condition_id)

    @property
    def summary(self) -> BookSummary | None:
        """The book without its levels; None without a book."""
        return None if self.book is None else self.book.summary

    @property
    def quote(self) -> Micros | None:
        """The midpoint of a good book."""
        return self.book.midpoint if self.book is not None and self.book.state.is_good else None

    @property
    def ladder_orders(self) -> tuple[Order, ...]:
        """Own orders on the ladder, in terms of its outcome."""
        ladder = self.ladder
        return ladder.orders if ladder is not None else ()


def _own_in(account: AccountView) -> Hashable:
    """Return what the ladder shows of an account: prices of positions, which books change, are not in it."""
    held = tuple((p.token_id, p.condition_id, p.size, p.average_price) for p in account.positions)
    return (
        account.load, account.open_orders, account.queue_ahead, account.displayed, account.scoring,
        account.conditionals, account.balances, held,
    )  # fmt: skip


class MarketReader:
    """Keeps which market and outcome are shown, and reads their model."""

    def __init__(self, surface: Surface, condition_id: ConditionId, pointed: Pointed) -> None:
        self._options = surface.options
        self._queries = surface.queries
        self._pointed = pointed
        self._token: tuple[tuple[ConditionId, int], TokenId] | None = None
        self._marked: tuple[Hashable, tuple[PriceAlert, ...], LadderInputs | None] | None = None
        """The ladder's inputs and their sources: a cache, because books change far more often."""
        self.condition_id = condition_id
        """The market shown; it changes when the trader switches to another."""
        self.outcome_index = 0
        """The index of the outcome shown."""
        self.is_mirrored = False
        """Whether the other outcome's prices are on the same rows."""

    @property
    def token_id(self) -> TokenId | None:
        """The token shown; None if it has none or the market is unknown."""
        shown = self.condition_id, self.outcome_index
        if self._token is None or self._token[0] != shown:
            token_id = token_id_of(self._queries.market(self.condition_id), self.outcome_index)
            # Read with every topic, and the tokens of a market never change.
            self._token = None if token_id is None else (shown, token_id)
        return None if self._token is None else self._token[1]

    def read(self) -> MarketModel:
        """Return the model as of now."""
        queries, token_id = self._queries, self.token_id
        market, account = queries.market(self.condition_id), queries.account()
        fills, watched = queries.fills().fills, queries.watchlist()
        source = (market, _own_in(account), fills, watched, token_id, self.is_mirrored)
        if self._marked is None or self._marked[0] != source:
            alerts = tuple(row.alert for row in watched.alerts)
            inputs = None if token_id is None else ladder_inputs(
                account, market, token_id,
                fills=fills, is_mirrored=self.is_mirrored, alerts=alerts,
                give_way_percent=self._options.flatten_percent,
            )  # fmt: skip
            self._marked = source, alerts, inputs
        _, alerts, ladder = self._marked
        return MarketModel(
            condition_id=self.condition_id,
            outcome_index=self.outcome_index,
            is_mirrored=self.is_mirrored,
            market=market,
            token_id=token_id,
            book=None if token_id is None else queries.book(token_id),
            account=account,
            fills=fills,
            alerts=alerts,
            status=queries.status(),
            now=queries.now(),
            cursor=self._pointed.cursor,
            ladder=ladder,
        )
