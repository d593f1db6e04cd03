"""Liquidity rewards as arithmetic: what resting orders are worth, exactly, in integers.

An order scores S = ((v − s) / v)² · b for each of its shares: v is the market's widest spread, s the
order's distance from the middle, b a multiplier that is 1 here. An account's bids and asks are
summed apart, both tokens on the first one's axis; the weaker side counts, or a third of the
stronger where the middle is not near an end (the published terms of the programme, 2026).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from pmtui.domain.ids import Address
from pmtui.domain.money import ONE, SCALE, Micros

ONE_SIDED_DIVISOR = 3
NEAR_ENDS = Micros(ONE // 10)
"""Within this distance of 0 or 1 quotes on one side only score nothing."""


@dataclass(frozen=True, slots=True)
class RewardTerms:
    """What an order must be to score."""

    min_size: Micros
    """Shares."""
    max_spread: Micros
    """Distance from the middle, in price units."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A resting order on the axis of the first token."""

    account: Address
    is_bid: bool
    """BUY of the first token or SELL of the second."""
    price: Micros
    size: Micros
    """Shares that can still match."""


def quote_score(quote: Quote, middle: Micros, terms: RewardTerms) -> Fraction:
    """Return the score of one order: S times its shares; 0 if it is too small or too far away."""
    away = abs(quote.price - middle)
    if quote.size < terms.min_size or away >= terms.max_spread:
        return Fraction(0)
    nearness = Fraction(terms.max_spread - away, terms.max_spread)
    return nearness**2 * Fraction(quote.size, SCALE)


def account_scores(
    quotes: Iterable[Quote], middle: Micros, terms: RewardTerms
) -> dict[Address, Fraction]:
    """Return the score of every account that has one."""
    sides: dict[Address, list[Fraction]] = {}
    for quote in quotes:
        score = quote_score(quote, middle, terms)
        if score:
            sides.setdefault(quote.account, [Fraction(0), Fraction(0)])[quote.is_bid] += score
    is_near_end = not NEAR_ENDS <= middle <= ONE - NEAR_ENDS
    scores = {}
    for account, both in sides.items():
        score = min(both)
        if not is_near_end:
            score = max(score, max(both) / ONE_SIDED_DIVISOR)
        if score:
            scores[account] = score
    return scores


def shares_of(scores: dict[Address, Fraction]) -> dict[Address, Fraction]:
    """Return what part of a market's reward each account has earned; all parts add up to 1."""
    total = sum(scores.values(), Fraction(0))
    return {account: score / total for account, score in scores.items()}
