"""The account's orders, fills and positions from the running service, for an agent's reads.

The service knows more than the hosts: orders whose state is unknown, and fills before every host lists them.
Its answer is used if it has the whole list and the venue confirmed it within a minute. Otherwise the hosts
answer, and if they do not, the service's last answer is returned with its age.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pmtui.agent.port import Answered, ReadPort, Refusal, Refused
from pmtui.cli.agent.live_books import SERVICE
from pmtui.cli.agent.service_reader import OwnViews, open_service_reader
from pmtui.domain.orders.order import Fill
from pmtui.reads.read import Read, Values
from pmtui.service.account.fills import RECENT
from pmtui.service.views import Load, OwnList

MOST_AGE = timedelta(seconds=60)
"""The service asks the venue six times as often as this."""


class _KnownRows(NamedTuple):
    rows: Sequence[object]
    lists: tuple[OwnList, ...]
    """The rows are complete only if all of these lists are."""


class OwnFigures:
    """Implements the agent's port: account data from the service, everything else from another port."""

    def __init__(self, inner: ReadPort, socket_path: Path) -> None:
        """Read from a service and from another port.

        Args:
            inner: answers what the service cannot.
            socket_path: of the profile's service, whether it runs or not.
        """
        self._inner = inner
        self._socket_path = socket_path

    def now(self) -> datetime:
        """Return the current time."""
        return self._inner.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Return the result of a read, from the service if it has the complete list."""
        known = await self._of_service(read, values, limit) if read.name in OWN_READS else None
        if known is not None and self.now() - known.as_of <= MOST_AGE:
            return known
        answer = await self._inner.ask(read, values, limit=limit)
        is_silent = isinstance(answer, Refused) and answer.reason is Refusal.UNAVAILABLE
        return known if known is not None and is_silent else answer

    async def _of_service(self, read: Read, values: Values, limit: int | None) -> Answered | None:
        async with open_service_reader(self._socket_path) as service:
            views = None if service is None else await service.own()
        if views is None or views.account.load is not Load.READY or views.account.as_of is None:
            return None
        known = OWN_READS[read.name](views, values)
        if known is None or any(views.account.missing_in(each) for each in known.lists):
            return None
        kept = tuple(known.rows if limit is None else known.rows[:limit])
        return Answered(kept, views.account.as_of, SERVICE, len(kept) == len(known.rows))


def _open_orders(views: OwnViews, values: Values) -> _KnownRows:
    condition, token = values.text("condition_id").lower(), values.text("token_id")
    rows = [
        order
        for order in views.account.open_orders
        if condition in ("", order.condition_id.lower()) and token in ("", order.token_id)
    ]
    return _KnownRows(rows, (OwnList.ORDERS,))


def _order(views: OwnViews, values: Values) -> _KnownRows | None:
    """Return one order; an order that ended long ago is left to the host."""
    wanted = values.text("order_id").lower()
    known = (*views.account.open_orders, *views.account.recent)
    found = next((order for order in known if order.order_id.lower() == wanted), None)
    return None if found is None else _KnownRows((found,), ())


def _fills(views: OwnViews, values: Values) -> _KnownRows | None:
    """Return the fills of a period that the service has read; earlier ones are left to the host."""
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
    return _KnownRows(rows, (OwnList.FILLS,))


def _positions(views: OwnViews, values: Values) -> _KnownRows | None:
    """Return the account's own positions; those of another wallet are left to the host."""
    wallet = values.text("wallet").lower()
    is_ours = bool(views.address) and wallet == views.address.lower()
    if not is_ours or not {"wallet", "user", "limit"} >= values.by_name.keys():
        return None
    return _KnownRows(views.account.positions, (OwnList.POSITIONS, OwnList.FILLS))


OWN_READS: Mapping[str, Callable[[OwnViews, Values], _KnownRows | None]] = MappingProxyType(
    {"open-orders": _open_orders, "order": _order, "fills": _fills, "positions": _positions}
)
"""Reads that the service can answer. It keeps no allowances, so balances are left to the host."""
