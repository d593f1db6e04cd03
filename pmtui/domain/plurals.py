"""How many of something there are, in words that fit one as well as many."""

from pmtui.domain.money import ONE, Micros, group_micros
from pmtui.domain.ticket.reading import say_shares


def count(number: int, noun: str, plural: str = "") -> str:
    """Say how many of something there are: `1 order`, `1,200 orders`.

    Args:
        number: how many.
        noun: one of them.
        plural: several of them, where an `s` is not enough.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def are(number: int) -> str:
    """Return the verb that goes with a number of things."""
    return "is" if number == 1 else "are"


def count_shares(size: Micros) -> str:
    """Say how many shares there are, to the hundredth: `1 share`, `1,000.5 shares`."""
    return f"{say_shares(size)} {_shares(size)}"


def exact_shares(size: Micros) -> str:
    """Say how many shares there are, dust too: `1 share`, `0.000004 shares`."""
    return f"{group_micros(size)} {_shares(size)}"


def shares_are(size: Micros) -> str:
    """Begin a sentence about shares: `1 share is`, `0.004 shares are`."""
    return f"{exact_shares(size)} {'is' if size == ONE else 'are'}"


def say_free_shares(size: Micros) -> str:
    """Say how few shares are free to sell."""
    if size <= 0:
        return "Nothing to sell"
    return f"Only {count_shares(size)} {'is' if size == ONE else 'are'} free to sell"


def _shares(size: Micros) -> str:
    return "share" if size == ONE else "shares"
