"""What all outcomes of an event cost together where exactly one of them wins.

A set is one Yes share of every open market of such an event: it pays a dollar in the end. Buying the set
lifts every ask; selling it hits every bid, which is the same as buying No of every market. Mids cannot be
traded: only bids and asks say what a set brings, and only after the taker's fees.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import Event, FeeSchedule, Market
from pmtui.domain.money import ONE, Micros


@dataclass(frozen=True, slots=True)
class SetLeg:
    """One market of a set."""

    name: str
    """Untrusted text."""
    bid: Micros | None
    ask: Micros | None
    fee: FeeSchedule | None
    """None while it is not known."""
    is_halted: bool = False
    """Whether no order is taken there now, so that no whole set can be traded."""


@dataclass(frozen=True, slots=True)
class SetPrice:
    """One side of a set."""

    total: Micros
    """Sum of the prices, in dollars for one set."""
    fees: Micros | None
    """Of taking one share of every leg; None where a fee is not known."""
    gain: Micros | None
    """What one set brings after fees: its dollar less what it costs, or what it sells for less its dollar."""


@dataclass(frozen=True, slots=True)
class SetPrices:
    """Both sides of a set; None where a leg has no price there."""

    buying: SetPrice | None
    selling: SetPrice | None
    halted: tuple[str, ...] = ()
    """The legs that take no orders now."""


def set_prices(legs: Iterable[SetLeg]) -> SetPrices:
    """Return what a set costs and sells for, one share of every leg at the best prices."""
    legs = tuple(legs)
    asks = _total([leg.ask for leg in legs])
    bids = _total([leg.bid for leg in legs])
    ask_fees = _fees([(leg.ask, leg.fee) for leg in legs])
    bid_fees = _fees([(leg.bid, leg.fee) for leg in legs])
    return SetPrices(
        None if asks is None else SetPrice(asks, ask_fees, _gain(ONE - asks, ask_fees)),
        None if bids is None else SetPrice(bids, bid_fees, _gain(bids - ONE, bid_fees)),
        tuple(leg.name for leg in legs if leg.is_halted),
    )


def has_one_winner(event: Event) -> bool:
    """Whether exactly one open market of an event pays: only then a set is worth its dollar."""
    return event.neg_risk and len(legs_of(event)) > 1 and not is_decided(event)


def is_decided(event: Event) -> bool:
    """Whether one of the event's markets has resolved Yes already, so that the others pay nothing."""
    return any(m.closed and m.outcomes and m.outcomes[0].price == ONE for m in event.markets)


def legs_of(event: Event) -> tuple[Market, ...]:
    """Return the markets of a set: those that are open, in the event's order."""
    return tuple(m for m in event.markets if not m.closed and not m.archived)


def _total(prices: list[Micros | None]) -> Micros | None:
    known = [price for price in prices if price is not None]
    return Micros(sum(known)) if known and len(known) == len(prices) else None


def _fees(legs: list[tuple[Micros | None, FeeSchedule | None]]) -> Micros | None:
    fees = [taker_fee(ONE, p, fee) for p, fee in legs if p is not None and fee is not None]
    return Micros(sum(fees)) if len(fees) == len(legs) else None


def _gain(before_fees: int, fees: Micros | None) -> Micros | None:
    return None if fees is None else Micros(before_fees - fees)
