"""What the trading screen needs to know of a market, from metadata and terms, in one place."""

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market, Trading
from pmtui.domain.money import ONE, Micros
from pmtui.service.surface import Queries
from pmtui.service.views import Load, MarketView, Mode, StatusView
from pmtui.ui.plain import plain

_LONGEST_LABEL = 16


def token_id_of(view: MarketView, index: int) -> TokenId | None:
    """Return the token of an outcome; None until the market is known, or when it has none."""
    if view.terms is not None and index < len(view.terms.token_ids):
        return view.terms.token_ids[index]
    outcomes = view.market.outcomes if view.market else ()
    return outcomes[index].token_id if index < len(outcomes) else None


def tick_size_of(view: MarketView) -> Micros | None:
    """Return the tick by the trading host, else by the metadata."""
    if view.terms is not None:
        return view.terms.tick_size
    return view.market.tick_size if view.market else None


def title_of(queries: Queries, condition_id: ConditionId) -> str:
    """Return a market's name, untrusted as it came; the start of its id until it is known."""
    market = queries.market(condition_id).market
    if market is not None:
        return market.distinct_name
    return f"market {plain(condition_id, 12)}"


def outcome_labels(view: MarketView) -> tuple[str, ...]:
    """Return the names of all outcomes, untrusted as they came."""
    count = len(view.market.outcomes) if view.market else 0
    return tuple(outcome_label(view, index) for index in range(count))


def why_not_tradable(view: MarketView, status: StatusView) -> str:
    """Say in a sentence why no order can be sent; empty when one can."""
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
    return why_nothing_of_ours(status)


def trading_of(view: MarketView) -> Trading:
    """Return whether a market takes orders, by its terms too."""
    trading = view.market.trading if view.market is not None else Trading.OPEN
    is_refused = view.terms is not None and not view.terms.accepting_orders
    return Trading.HALTED if trading is Trading.OPEN and is_refused else trading


def why_nothing_of_ours(status: StatusView) -> str:
    """Say in a sentence why this session has no orders and no shares; empty when it may."""
    if status.mode is Mode.READ_ONLY:
        return f"Read-only: {plain(status.mode_reason, 60) or 'no key'}."
    return ""


def market_words(view: MarketView) -> str:
    """Say why a market is not there; empty when it is."""
    if view.load is Load.FAILED:
        return f"Not loaded: {plain(view.problem, 60) or 'no answer'}"
    return "" if view.market is not None else "Loading the market…"


def outcome_label(view: MarketView, index: int) -> str:
    """Return the name of an outcome, untrusted as it came."""
    outcomes = view.market.outcomes if view.market else ()
    if index < len(outcomes):
        return outcomes[index].label
    return f"Outcome {index + 1}"


def _resolution(market: Market) -> str:
    for outcome in market.outcomes:
        if outcome.price == ONE:
            return f", resolved {plain(outcome.label, _LONGEST_LABEL)}"
    return ""
