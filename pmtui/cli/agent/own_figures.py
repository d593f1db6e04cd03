"""The account's own orders, fills and positions by the running service, for an agent that may read them.

The service knows more than the hosts: orders whose fate is unknown, and fills before every host lists them. It is
asked where it has the whole list and the venue confirmed it within a minute; else the hosts are, and what the
service knew last is told where they do not answer, with its age.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pmtui.agent.port import Answered, ReadPort, Refusal, Refused
from pmtui.cli.agent.live_books import SERVICE
from pmtui.cli.agent.onlooker import OwnViews, attach
from pmtui.domain.orders.order import Fill
from pmtui.reads.read import Read, Values
from pmtui.service.account.fills import RECENT
from pmtui.service.views import Load, OwnList

MOST_AGE = timedelta(seconds=60)
"""The service asks six times as often."""


class _Told(NamedTuple):
    rows: Sequence[object]
    lists: tuple[OwnList, ...]
    """Those that must be known wholly for the rows to be all there are."""


class OwnFigures:
    """Fulfils the agent's port: figures of the account from the service, all else from another port."""

    def __init__(self, inner: ReadPort, place: Path) -> None:
        """Take whom to ask.

        Args:
            inner: for everything that the service does not give.
            place: where the service of the profile listens, if it runs.
        """
        self._inner = inner
        self._place = place

    def now(self) -> datetime:
        """Return the time."""
        return self._inner.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Answer a read; see the port."""
        known = await self._of_service(read, values, limit) if read.name in OWN_READS else None
        if known is not None and self.now() - known.as_of <= MOST_AGE:
            return known
        answer = await self._inner.ask(read, values, limit=limit)
        is_silent = isinstance(answer, Refused) and answer.reason is Refusal.UNAVAILABLE
        return known if known is not None and is_silent else answer

    async def _of_service(self, read: Read, values: Values, limit: int | None) -> Answered | None:
        async with attach(self._place) as onlooker:
            views = None if onlooker is None else await onlooker.own()
        if views is None or views.account.load is not Load.READY or views.account.as_of is None:
            return None
        told = OWN_READS[read.name](views, values)
        if told is None or any(views.account.lack_of(each) for each in told.lists):
            return None
        kept = tuple(told.rows if limit is None else told.rows[:limit])
        return Answered(kept, views.account.as_of, SERVICE, len(kept) == len(told.rows))


def _open_orders(views: OwnViews, values: Values) -> _Told:
    condition, token = values.text("condition_id").lower(), values.text("token_id")
    rows = [
        order
        for order in views.account.open_orders
        if condition in ("", order.condition_id.lower()) and token in ("", order.token_id)
    ]
    return _Told(rows, (OwnList.ORDERS,))


def _order(views: OwnViews, values: Values) -> _Told | None:
    """Find one order; one that ended long ago is left to the host."""
    wanted = values.text("order_id").lower()
    known = (*views.account.open_orders, *views.account.recent)
    found = next((order for order in known if order.order_id.lower() == wanted), None)
    return None if found is None else _Told((found,), ())


def _fills(views: OwnViews, values: Values) -> _Told | None:
    """Return the fills of a span that the service has surely read; earlier ones are left to the host."""
    condition, token = values.text("condition_id").lower(), values.text("token_id")
    after, before = values.moment("after"), values.moment("before")
    if after is None or views.account.as_of is None or after < views.account.as_of - RECENT:
        return None

    def is_wanted(fill: Fill) -> bool:
        return (
            condition in ("", fill.condition_id.lower())
            and token in ("", fill.token_id)
            and fill.matched_at >= after
            and (before is None or fill.matched_at <= before)
        )

    rows = [fill for fill in views.fills.fills if is_wanted(fill)]
    return _Told(rows, (OwnList.FILLS,))


def _positions(views: OwnViews, values: Values) -> _Told | None:
    """Return the account's own positions; those of another wallet are left to the host."""
    wallet = values.text("wallet").lower()
    is_ours = bool(views.address) and wallet == views.address.lower()
    if not is_ours or not {"wallet", "user", "limit"} >= values.by_name.keys():
        return None
    return _Told(views.account.positions, (OwnList.POSITIONS, OwnList.FILLS))


OWN_READS: Mapping[str, Callable[[OwnViews, Values], _Told | None]] = MappingProxyType(
    {"open-orders": _open_orders, "order": _order, "fills": _fills, "positions": _positions}
)
"""Reads that the service can answer. Of a balance it keeps no approvals, so that is the host's."""
