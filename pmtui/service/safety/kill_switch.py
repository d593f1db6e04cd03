"""The kill switch: cancels everything, disarms, and locks order entry until it is released.

It cancels until the venue lists no orders and none is on its way: an order sent just before the
kill is caught by the next round. While entry stays locked, any order that turns up is cancelled
again. It can be thrown from outside through the file alone (`kill_file`); then this terminal
reports its progress there.
"""

from collections.abc import Callable
from pathlib import Path

from pmtui.domain.answers import Failure, Listing
from pmtui.domain.backoff import Backoff
from pmtui.domain.formats import count
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.cancelling import ALL_ORDERS
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.list_completeness import describe_missing
from pmtui.service.kernel import Kernel
from pmtui.service.orders.cancelling import Canceller
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.safety.arming import ArmedTerminals
from pmtui.service.safety.kill_lock import UNREADABLE, KillAnswer, Killed, KillLock, write_answer
from pmtui.service.topics import StatusTopic
from pmtui.service.views import Level, OwnList

CHECK_PERIOD_S = 0.25


class KillSwitch:
    """The kill switch of one profile."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        canceller: Canceller,
        lock: KillLock,
        arming: ArmedTerminals,
        state_dir: Path | None = None,
        has_key: bool = True,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._canceller = canceller
        self._lock = lock
        self._arming = arming
        self._state_dir = state_dir
        self._has_key = has_key
        self._seen: Killed | None = None
        """The last kill that was carried out."""
        self._gone: set[OrderId] = set()
        """Orders reported as cancelled by the venue since the kill."""
        self._at_stake: set[OrderId] = set()
        """Orders seen open since the kill: a lost reply says nothing about them."""
        self._finished = ""
        """The id of the kill after which nothing was left."""
        self._listeners: list[Callable[[], object]] = []
        arming.add_check(lambda: lock.reason)

    @property
    def reason(self) -> str:
        """Why no order may be entered; empty if orders may."""
        return self._lock.reason

    def on_kill(self, listener: Callable[[], object]) -> None:
        """Call `listener` immediately whenever the switch is thrown."""
        self._listeners.append(listener)

    def kill(self, by: str) -> str:
        """Throw the switch, unless a terminal has done so by the file; return what is uncertain.

        Args:
            by: who throws it.
        """
        _ = self._lock.refresh()
        is_written = self._lock.killed not in (None, UNREADABLE)
        problem = "" if is_written else self._lock.close(by)
        if self._lock.killed != self._seen:
            self._on_killed()
        if not problem:
            return ""
        text = f"The lock will not survive a restart: {problem}"
        self._kernel.log.notice(Level.BAD, text)
        return text

    def release(self, by: str) -> str:
        """Release the kill lock; return why that failed, or "" on success."""
        problem = self._lock.open()
        if problem:
            self._kernel.log.notice(Level.BAD, f"Trading stays locked: {problem}")
        else:
            self._on_released(by)
        return problem

    async def watch(self) -> None:
        """Watch for kills and releases from outside, and for orders that must not rest."""
        while True:
            _ = self._lock.refresh()
            self._lock.keep()
            killed = self._lock.killed
            if killed is None:
                if self._seen is not None:
                    self._on_released("pmtui release")
            elif killed != self._seen:
                # Just thrown from outside, or left locked by the last session.
                self._on_killed()
            elif killed.kill_id != self._finished or self._open():
                # Also if a bug ended it before it was done; nothing starts twice.
                self._start()
            await self._kernel.clock.sleep(CHECK_PERIOD_S)

    def _on_killed(self) -> None:
        self._seen = self._lock.killed
        self._gone.clear()
        self._at_stake.clear()
        self._arming.disarm("the kill switch")
        deed = "cancelling all orders" if self._has_key else "no key, so nothing is cancelled"
        text = f"Kill switch: {deed}. {self._lock.reason}"
        self._kernel.log.notice(Level.BAD, text)
        self._history.record_kill(text)
        self._kernel.mark(StatusTopic())
        # Also for orders that are waiting or on their way at a release.
        self._canceller.withhold_everything()
        for listener in self._listeners:
            listener()
        self._start()

    def _on_released(self, by: str) -> None:
        was_done = self._seen is None or self._seen.kill_id == self._finished
        self._seen = None
        text = f"Trading unlocked by {by}"
        if not was_done and (left := len(self._open())):
            text += f" before the kill was carried out: {count(left, 'order')} working"
        self._kernel.log.notice(Level.WARNING, f"{text}. Stops and targets stay paused (C)")
        self._history.record_kill(text)
        self._kernel.mark(StatusTopic())

    def _start(self) -> None:
        self._kernel.start_unless_running("kill", "kill switch", self._cancel_everything)

    async def _cancel_everything(self) -> None:
        """Cancel repeatedly until nothing is left, or the lock is released."""
        await self._feed.opened.wait()
        backoff = Backoff(first_s=0.25, longest_s=5.0)
        while (killed := self._lock.killed) is not None:
            _ = self._open()
            problem = await self._cancel_once()
            left = self._open()
            listed = await self._listed()
            if isinstance(listed, Failure):
                problem = problem or f"working orders unknown: {listed}"
            else:
                left |= {order.order_id for order in listed.items}
                if not listed.is_complete:
                    problem = problem or describe_missing(OwnList.ORDERS, listed)
            is_done = not problem and not left
            gone = len(self._cancelled())
            self._answer(KillAnswer(killed.kill_id, gone, len(left), is_done, problem))
            if is_done:
                self._finished = killed.kill_id
                text = f"Kill switch: {count(gone, 'order')} cancelled, none working"
                self._kernel.log.notice(Level.WARNING, text)
                self._history.record_kill(text)
                if self._lock.killed == killed:
                    return
            await self._kernel.clock.sleep(backoff.next_s())

    def _open(self) -> set[OrderId]:
        """Return the orders that may rest as far as we know; a list may be older than the cancel."""
        resting = {order.order_id for order in self._feed.own.open_orders()}
        self._at_stake |= resting
        return resting - self._gone

    def _cancelled(self) -> set[OrderId]:
        known = {order_id: self._feed.own.order(order_id) for order_id in self._at_stake}
        heard = {i for i, o in known.items() if o is not None and o.status is OrderStatus.CANCELLED}
        return self._gone | heard

    async def _cancel_once(self) -> str:
        cancellation = self._canceller.start((), ALL_ORDERS)
        verdict = await cancellation.final
        self._gone.update(verdict.result.canceled)
        return verdict.problem

    async def _listed(self) -> Listing[Order] | Failure:
        account = self._feed.account
        if account is None:
            return Listing(())
        return self._kernel.check(Source.TRADING, await account.host.open_orders())

    def _answer(self, answer: KillAnswer) -> None:
        if self._state_dir is None:
            return
        try:
            write_answer(self._state_dir, answer)
        except OSError as error:
            text = f"The result of the kill switch could not be written: {error.strerror or error}"
            self._kernel.log.add(Level.WARNING, "notice", text)
