"""What an order leads to: from which price on closing loses nothing, and whether it earns meanwhile.

Pure, and an estimate as all numbers of the ticket are: of this order alone, with the book as it is.
"""

from dataclasses import dataclass
from enum import Enum, auto

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.closing import Stake, break_even
from pmtui.domain.markets.market import MarketTerms, RewardTerms, Side
from pmtui.domain.markets.rewards import reward_band
from pmtui.domain.money import Micros, ratio_ceil
from pmtui.domain.ticket.draft import TicketContext
from pmtui.domain.ticket.numbers import TicketNumbers
from pmtui.domain.ticket.ticket import TicketCheck


class RewardsOutlook(Enum):
    """Whether what rests would earn liquidity rewards, with the middle where it is."""

    EARNS = auto()
    TOO_SMALL = auto()
    TOO_FAR = auto()


@dataclass(frozen=True, slots=True)
class TicketAfter:
    """What comes after it has filled, and while it rests."""

    even: Micros | None = None
    """The lowest price at which what it buys could be sold again without a loss, all fees included."""
    outlook: RewardsOutlook | None = None
    """None where nothing rests, nothing is paid, or no middle can be told."""
    rewards: RewardTerms | None = None


def look_beyond(
    side: Side, check: TicketCheck | None, context: TicketContext | None
) -> TicketAfter | None:
    """Look beyond the order of a ticket; None while it is none yet."""
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
