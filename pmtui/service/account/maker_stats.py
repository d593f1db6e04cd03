"""What can be said of own resting orders beyond the orders themselves."""

from typing import NamedTuple

from pmtui.service.account.account import AccountFeed
from pmtui.service.account.earned import EarnedFeed
from pmtui.service.account.queue import QueueFeed
from pmtui.service.account.scoring import ScoringFeed
from pmtui.service.books.books import BooksFeed
from pmtui.service.kernel import Kernel


class Resting(NamedTuple):
    """Their place in line, whether they earn, and what they brought."""

    queue: QueueFeed
    scoring: ScoringFeed
    earned: EarnedFeed


def make_resting(kernel: Kernel, account: AccountFeed, books: BooksFeed) -> Resting:
    """Return the feeds of one account's resting orders."""
    queue = QueueFeed(
        kernel,
        open_orders=account.own.open_orders,
        book_of=books.book,
        tape_of=books.tapes.view,
    )
    account.on_order(queue.meet)
    scoring = ScoringFeed(
        kernel, account=lambda: account.account, open_orders=account.own.open_orders
    )
    return Resting(queue, scoring, EarnedFeed(kernel, account=account))
