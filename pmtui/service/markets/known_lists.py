"""What the venue's lists of our own orders, trades and positions lack, told once and asked often.

A list with a row that cannot be read, or one that goes on where reading ends, is no proof of
anything: not of what is gone, and not of how much is at stake.
"""

from dataclasses import replace
from typing import TypeVar

from pmtui.domain.answers import Listing
from pmtui.domain.formats import count
from pmtui.service.kernel import Kernel
from pmtui.service.views import STILL_LOADING, Level, OwnList

T = TypeVar("T")
_NEEDED = (OwnList.ORDERS, OwnList.FILLS, OwnList.TODAY, OwnList.POSITIONS)
"""What is at stake is made of these."""


class KnownLists:
    """How much of each list is known."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._lacks = dict.fromkeys(_NEEDED, STILL_LOADING)
        self._beside: dict[OwnList, str] = {}
        """What lists lack that nothing is ruled out by."""
        self._told: dict[OwnList, int] = {}
        """How many rows of each list could not be read, as far as it was told."""
        self._told_cut: set[OwnList] = set()

    @property
    def are_known(self) -> bool:
        """Whether all of them have been told of, each whole when it was told of last."""
        return not any(self._lacks.values())

    def is_known(self, what: OwnList) -> bool:
        """Whether a list was whole when it was told of last."""
        return not self._lacks[what]

    @property
    def lack(self) -> str:
        """Say what is missing in the first that is not whole; empty while one is still loading."""
        lacks = [lack for lack in self._lacks.values() if lack]
        return "" if STILL_LOADING in lacks or not lacks else lacks[0]

    @property
    def lacks(self) -> tuple[tuple[OwnList, str], ...]:
        """Say of each list that is not whole what it lacks, or that it is still loading."""
        every = (self._lacks | self._beside).items()
        return tuple((what, lack) for what, lack in every if lack)

    def note(self, what: OwnList, listing: Listing[T]) -> None:
        """Take in how much a list told, and tell of what it lacks."""
        self.tell(what, listing)
        self._lacks[what] = say_lack(what, listing)

    def note_beside(self, what: OwnList, listing: Listing[T]) -> None:
        """Take in how much a list told that is only looked at; however far back it reaches."""
        self._beside[what] = say_lack(what, replace(listing, is_whole=True))

    def note_whole(self, what: OwnList) -> None:
        """Take in that a list has been told of."""
        self._lacks[what] = ""

    def tell(self, what: OwnList, listing: Listing[T]) -> None:
        """Tell of what a list lacks, again only if it is more."""
        is_news = listing.skipped > self._told.get(what, 0)
        if is_news:
            self._told[what] = listing.skipped
        if not listing.is_whole and what not in self._told_cut:
            self._told_cut.add(what)
            is_news = True
        if is_news:
            text = f"{say_lack(what, listing)}: nothing is taken for gone meanwhile"
            self._kernel.log.notice(Level.WARNING, text)


def say_lack(what: OwnList, listing: Listing[T]) -> str:
    """Say what a list lacks; empty if it is complete."""
    if listing.skipped:
        return f"{count(listing.skipped, 'row')} in the venue's list of {what} cannot be read"
    return "" if listing.is_whole else f"The venue's list of {what} goes on where reading ends"
