"""Records how complete the venue's lists of our account are.

A list with an unreadable row, or one that is longer than the read limit, proves neither what is gone
nor how much is at stake.
"""

from dataclasses import replace
from typing import TypeVar

from pmtui.domain.answers import Listing
from pmtui.domain.formats import count
from pmtui.service.kernel import Kernel
from pmtui.service.views import STILL_LOADING, Level, OwnList

T = TypeVar("T")
_NEEDED = (OwnList.ORDERS, OwnList.FILLS, OwnList.TODAY, OwnList.POSITIONS)
"""The lists that exposure is calculated from."""


class KnownLists:
    """How complete each list is."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._missing_of = dict.fromkeys(_NEEDED, STILL_LOADING)
        self._beside: dict[OwnList, str] = {}
        """What is missing in lists from which nothing is concluded."""
        self._reported: dict[OwnList, int] = {}
        """Unreadable rows of each list that were already reported."""
        self._reported_cut: set[OwnList] = set()

    @property
    def are_known(self) -> bool:
        """Whether all lists have been read, each completely in its last read."""
        return not any(self._missing_of.values())

    def is_known(self, what: OwnList) -> bool:
        """Whether a list was complete in its last read."""
        return not self._missing_of[what]

    @property
    def missing(self) -> str:
        """What is missing in the first incomplete list; empty while one is still loading."""
        missing = [each for each in self._missing_of.values() if each]
        return "" if STILL_LOADING in missing or not missing else missing[0]

    @property
    def all_missing(self) -> tuple[tuple[OwnList, str], ...]:
        """What is missing in each incomplete list, or that it is still loading."""
        every = (self._missing_of | self._beside).items()
        return tuple((what, missing) for what, missing in every if missing)

    def update(self, what: OwnList, listing: Listing[T]) -> None:
        """Record how complete a list is, and report what is missing."""
        self.report(what, listing)
        self._missing_of[what] = describe_missing(what, listing)

    def update_informational(self, what: OwnList, listing: Listing[T]) -> None:
        """Record how complete a list is from which nothing is concluded, however far back it reaches."""
        self._beside[what] = describe_missing(what, replace(listing, is_whole=True))

    def mark_complete(self, what: OwnList) -> None:
        """Record that a list has been read."""
        self._missing_of[what] = ""

    def report(self, what: OwnList, listing: Listing[T]) -> None:
        """Report what is missing in a list; repeat that only if more is missing."""
        is_news = listing.skipped > self._reported.get(what, 0)
        if is_news:
            self._reported[what] = listing.skipped
        if not listing.is_whole and what not in self._reported_cut:
            self._reported_cut.add(what)
            is_news = True
        if is_news:
            text = f"{describe_missing(what, listing)}: no order is treated as closed until it is complete"
            self._kernel.log.notice(Level.WARNING, text)


def describe_missing(what: OwnList, listing: Listing[T]) -> str:
    """Return what is missing in a list; empty if it is complete."""
    if listing.skipped:
        return f"{count(listing.skipped, 'row')} in the venue's list of {what} cannot be read"
    return "" if listing.is_whole else f"The venue's list of {what} goes on where reading ends"
