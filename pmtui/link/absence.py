"""What happened while no terminal was attached, told in order to the first one that comes.

It is what a trader would have seen: everything above information, every order that was accepted, and
every transaction that went out. Requests, streams and caches are not news.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from pmtui.domain.formats import count
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.views import Level, LogEntry

MOST_TOLD = 10
"""Events that the notice names; the log has all of them."""
LEFT = "No terminal is attached any more; the service goes on"
_NEWS_KINDS = ("order", "wallet")
"""Entries that are news also where they are only information."""
_BY_WEIGHT = (Level.INFO, Level.GOOD, Level.WARNING, Level.BAD)
_VERBS = {OrderStatus.LIVE.value: "accepted", "FAILED": "fill undone"}
"""How a deed is counted, where its own verb says where an order stands."""
_PLURALS = {
    "stop or target": "stops or targets", "transaction": "transactions", "notice": "notices",
}  # fmt: skip
"""Of what is counted by a noun; deeds are counted by their verbs."""


def find_news(entries: Iterable[LogEntry], left_at: int) -> tuple[LogEntry, ...]:
    """Return what a trader would have seen after an entry of the log, in order."""
    return tuple(
        entry
        for entry in entries
        if entry.sequence > left_at and (entry.level is not Level.INFO or entry.kind in _NEWS_KINDS)
    )


def describe_absence(news: Sequence[LogEntry]) -> str:
    """Count what happened by its kind, and name it in order, the oldest first."""
    counts = Counter(map(_kind_of, news))
    counted = ", ".join(
        count(number, kind, _PLURALS.get(kind, kind)) for kind, number in counts.items()
    )
    told = "; ".join(entry.text for entry in news[:MOST_TOLD])
    more = f"; {len(news) - MOST_TOLD:,} more in the log" if len(news) > MOST_TOLD else ""
    return f"While no terminal was attached: {counted}. {told}{more}"


def weight_of(news: Sequence[LogEntry]) -> Level:
    """Return the gravest level of what happened; at least one that a notice is shown with."""
    return max((Level.GOOD, *(entry.level for entry in news)), key=_BY_WEIGHT.index)


def _kind_of(entry: LogEntry) -> str:
    if entry.deed is not None:
        return _VERBS.get(entry.deed.verb, entry.deed.verb)
    if entry.kind == "order":
        return "stop or target"
    return "transaction" if entry.kind == "wallet" else "notice"
