"""`--watch` of what the account stream tells: own orders and own fills, each written when it has changed.

The stream repeats nothing. Whenever the link is new, the host is asked what was missed.
"""

import asyncio
import random
from collections.abc import Hashable, Mapping
from datetime import datetime

from pmtui.cli.get.watching import LinkNotes, Output, first_of
from pmtui.cli.output import warn
from pmtui.clients.account import AccountClient
from pmtui.clients.clob import ClobClient
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.streams.channels import UserChannel
from pmtui.domain.account.events import OrderChanged, UserEvent
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link, LinkState
from pmtui.domain.orders.order import Fill, Order
from pmtui.reads.read import Read, Values
from pmtui.reads.registry import READS
from pmtui.service.clock import SystemClock


class AccountWatch:
    """Follows the orders or the fills of an account."""

    def __init__(self, hosts: ReadHosts, read: Read, values: Values, output: Output) -> None:
        """Prepare to follow.

        Args:
            hosts: who is asked, and where the stream is.
            read: what is followed.
            values: of its arguments, checked.
            output: takes the answers.
        """
        self._hosts = hosts
        self._read = read
        self._values = values
        self._output = output
        self._is_new = asyncio.Event()
        self._has_asked = False
        self._failure: Failure | None = None
        self._forgotten: set[Hashable] = set()
        self._link = LinkNotes()

    async def run(self) -> Failure | None:
        """Follow until enough was written, or until cancelled; returns why it cannot begin.

        A single order is followed until it can fill no more.
        """
        account = await self._hosts.open_account()
        if isinstance(account, Failure):
            return account
        if self._read.name == "fills" and not self._values.text("after"):
            self._values = _replaced(self._values, {"after": _seconds(await self._now())})
        channel = _channel(self._hosts, account)
        await first_of(
            channel.run(on_event=self._take_event, on_link=self._take_link),
            self._ask_anew(),
            self._output.is_done.wait(),
        )
        return self._failure

    async def _now(self) -> datetime:
        """Return the venue's time; ours where it does not say."""
        told = await ClobClient(self._hosts.trading, self._hosts.routes).server_time()
        return SystemClock().now() if isinstance(told, Failure) else told

    def _take_link(self, link: Link) -> None:
        self._link.note(link)
        # Asked only once the stream listens, so that nothing falls in between; but also without a stream.
        if link.state is LinkState.OPEN or (link.state is LinkState.DOWN and not self._has_asked):
            self._is_new.set()

    async def _ask_anew(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            failure = await self._ask_missed()
            if failure is not None and not self._has_asked:
                self._failure = failure
                return
            self._has_asked = True
            if failure is not None:
                warn(f"pmtui get: {failure}")
                if failure.kind is FailureKind.NOT_FOUND:
                    # The one order that is followed: it ended while nothing was heard.
                    return

    async def _ask_missed(self) -> Failure | None:
        """Ask how it stands, and then for orders that are no longer among the open ones."""
        listed: set[Hashable] = set()
        async for step in ask(self._hosts, self._read, self._values, extent=Extent(is_all=True)):
            if isinstance(step, Failure):
                return step
            for item in step.items:
                if isinstance(item, Order):
                    listed.add(item.order_id)
                    self._write_order(item)
                elif isinstance(item, Fill):
                    self._write_missed(item)
        if self._read.name != "open-orders":
            return None
        skipped = listed | self._forgotten
        for key, last in list(self._output.written.items()):
            if isinstance(last, Order) and last.status.is_open and key not in skipped:
                failure = await self._ask_order(last)
                if failure is not None:
                    return failure
        return None

    async def _ask_order(self, last: Order) -> Failure | None:
        values = Values({"order_id": (last.order_id,)})
        async for step in ask(self._hosts, READS["order"], values, extent=Extent()):
            if isinstance(step, Failure) and step.kind is FailureKind.NOT_FOUND:
                # The host forgets what is over, and does not say how it ended.
                self._forgotten.add(last.order_id)
                warn(f"pmtui get: order {last.order_id} ended while the stream was down")
                return None
            if isinstance(step, Failure):
                return step
            for item in step.items:
                if isinstance(item, Order):
                    self._write_order(item)
        return None

    def _take_event(self, event: UserEvent) -> None:
        if isinstance(event, OrderChanged):
            if self._read.name != "fills":
                self._write_order(event.order)
            return
        if self._read.name == "fills":
            for fill in event.fills:
                if self._is_wanted(fill):
                    self._output.write_change(_key(fill), fill)

    def _write_order(self, order: Order) -> None:
        wanted = self._values.text("order_id")
        if wanted and order.order_id.lower() != wanted.lower():
            return
        last = self._output.written.get(order.order_id)
        if isinstance(last, Order) and not last.status.is_open:
            # What is over stays over: an answer may be older than the stream.
            return
        if self._is_wanted(order):
            self._output.write_change(order.order_id, order)
        if wanted and not order.status.is_open:
            self._output.is_done.set()

    def _write_missed(self, fill: Fill) -> None:
        """Write a fill that the host lists, unless the stream has told of it more lately."""
        known = self._output.written.get(_key(fill))
        if known is None or fill.status.is_final:
            self._output.write_change(_key(fill), fill)

    def _is_wanted(self, what: Order | Fill) -> bool:
        condition, token = self._values.text("condition_id"), self._values.text("token_id")
        is_of_market = not condition or what.condition_id.lower() == condition.lower()
        return is_of_market and (not token or what.token_id == token)


def _channel(hosts: ReadHosts, account: AccountClient) -> UserChannel:
    return UserChannel(
        hosts.ws_user,
        account.requests.account.credentials,
        account.owner,
        random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
    )


def _key(fill: Fill) -> tuple[str, str]:
    return fill.trade_id, fill.order_id


def _replaced(values: Values, changed: Mapping[str, str]) -> Values:
    return Values({**values.by_name, **{name: (text,) for name, text in changed.items()}})


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))
