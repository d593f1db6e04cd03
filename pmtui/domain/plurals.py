"""How many of something there are, in words that fit one as well as many."""

from pmtui.domain.money import ONE, Micros
from pmtui.domain.ticket_reading import say_shares


def count(number: int, noun: str) -> str:
    """Say how many of something there are: `1 order`, `1,200 orders`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def count_shares(size: Micros) -> str:
    """Say how many shares there are: `1 share`, `0.5 shares`."""
    return f"{say_shares(size)} share" if size == ONE else f"{say_shares(size)} shares"


def are(number: int) -> str:
    """Return the verb that goes with a number of things."""
    return "is" if number == 1 else "are"
