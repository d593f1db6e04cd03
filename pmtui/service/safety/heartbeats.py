"""The dead man's switch: sends heartbeats while the trader wants them, and reports when they fail.

The venue's switch cannot be turned off: once a heartbeat was accepted, silence cancels every open
order of the key. So heartbeats that began with arming do not end with disarming, but when nothing
rests any more; they continue for an order that arrives before the venue's check. A session that
ends while they are sent has its orders cancelled.

A heartbeat has a connection of its own, a short deadline, and no influence on the reported health
of the trading host: failures are reported here.
"""

import asyncio
from datetime import datetime, timedelta

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.formats import are, count
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.heartbeat import (
    ANSWER_S,
    DEADLINE_S,
    EVERY_S,
    SWEEP_S,
    SWEPT_WITHIN,
    BeatState,
    HeartbeatId,
    HeartbeatPolicy,
    HeartbeatView,
    beat_state,
)
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.journal.journal import Journal
from pmtui.service.kernel import Kernel
from pmtui.service.ports import HeartbeatHost
from pmtui.service.safety.arming import ArmedTerminals
from pmtui.service.topics import StatusTopic
from pmtui.service.views import Level

RETRY_PAUSE_S = 0.5
LOST_PAUSE_S = 2.0
"""Working orders are already gone, so the next heartbeat is not urgent."""
WATCH_PERIOD_S = 0.5


class HeartbeatSender:
    """Sends the heartbeats of one account."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        journal: Journal,
        arming: ArmedTerminals,
        *,
        policy: HeartbeatPolicy,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._journal = journal
        self._arming = arming
        self._policy = policy
        self._changed = asyncio.Event()
        self._is_on = False
        self._began_at = kernel.clock.now()
        self._accepted_at: datetime | None = None
        self._accepted_s = 0.0
        self._reported: BeatState | None = None
        """The most severe report since the last accepted heartbeat."""
        self._reason = ""
        self._at_risk: frozenset[OrderId] = frozenset()
        """The orders in `_kept` at a loss: the venue may cancel them before the next check."""
        self._kept: frozenset[OrderId] = frozenset()
        """Orders that have rested since the last accepted heartbeat."""
        self._lost_at = self._began_at
        arming.on_change(self._on_arming)
        feed.on_order(self._on_order)

    @property
    def is_used(self) -> bool:
        """Whether heartbeats are configured at all."""
        return self._policy is not HeartbeatPolicy.OFF

    @property
    def state(self) -> BeatState:
        """The current state."""
        return beat_state(self._silence()) if self._is_on else BeatState.OFF

    def view(self) -> HeartbeatView:
        """Return what the status line shows."""
        return HeartbeatView(self._policy, self.state, self._accepted_at if self._is_on else None)

    async def run(self) -> None:
        """Send heartbeats whenever they are wanted."""
        await self._feed.opened.wait()
        while True:
            self._changed.clear()
            if self._is_wanted():
                _ = await self._kernel.within(await self._beat(), self._changed.wait())
            else:
                self._end()
                await self._changed.wait()

    async def watch(self) -> None:
        """Report failing heartbeats at once, even while one is in progress."""
        while True:
            await self._kernel.clock.sleep(WATCH_PERIOD_S)
            self._report_silence()
            self._report_cancelled()

    def _is_wanted(self) -> bool:
        match self._policy:
            case HeartbeatPolicy.OFF:
                return False
            case HeartbeatPolicy.ON:
                return True
            case HeartbeatPolicy.ARMED:
                is_risky = self._is_on or self._may_be_swept()
                return self._arming.is_armed or (is_risky and bool(self._feed.own.open_orders()))

    async def _beat(self) -> float:
        """Send one heartbeat; return the wait before the next."""
        account, clock = self._feed.account, self._kernel.clock
        if account is None:
            return RETRY_PAUSE_S
        if not self._is_on:
            self._begin()
        sent_at, sent_s = clock.now(), clock.monotonic()
        answer = await self._ask(account.heartbeat)
        if isinstance(answer, Failure):
            self._reason = answer.text or answer.kind.value
            self._report_silence()
            return LOST_PAUSE_S if self.state is BeatState.LOST else RETRY_PAUSE_S
        # Lost while nothing was running, as during sleep.
        self._report_silence()
        before, self._accepted_at, self._accepted_s = self._accepted_at, sent_at, sent_s
        self._report_accepted(before)
        self._kept = self._open_ids()
        self._kernel.mark(StatusTopic())
        return max(EVERY_S - (clock.monotonic() - sent_s), 0.0)

    async def _ask(self, host: HeartbeatHost) -> HeartbeatId | Failure:
        """Send a heartbeat with a timeout that leaves time for another one."""
        answer = await self._kernel.within(ANSWER_S, host.beat())
        if answer is None:
            text = f"no answer within {ANSWER_S} s"
            return Failure(FailureKind.LOST, "POST /v1/heartbeats", text)
        return answer

    def _begin(self) -> None:
        self._is_on = True
        self._accepted_at, self._reported, self._reason = None, None, ""
        self._began_at = self._kernel.clock.now()
        self._kernel.mark(StatusTopic())

    def _end(self) -> None:
        if not self._is_on:
            return
        was_armed = self.state.is_armed_at_venue
        self._is_on = False
        if was_armed:
            text = "Heartbeats stop, no working orders: the venue cancels what this key places"
            self._report(Level.INFO, f"{text} elsewhere within {SWEPT_WITHIN}")
        self._kernel.mark(StatusTopic())

    def _silence(self) -> timedelta | None:
        """Return the time since the last accepted one, also by the wall clock, which runs during sleep."""
        if self._accepted_at is None:
            return None
        clock = self._kernel.clock
        steady = timedelta(seconds=clock.monotonic() - self._accepted_s)
        return max(clock.now() - self._accepted_at, steady)

    def _report_silence(self) -> None:
        """Report a missed heartbeat, a loss, and a switch that does not start, once each."""
        state, silence = self.state, self._silence()
        self._kept |= self._open_ids()
        if state is BeatState.STARTING:
            waited = self._kernel.clock.now() - self._began_at
            if self._reported is None and waited >= timedelta(seconds=DEADLINE_S):
                self._reported = BeatState.LATE
                text = f"The dead man's switch could not be started ({self._why()})"
                self._report(Level.BAD, f"{text}: orders stay if this terminal dies")
        elif state is BeatState.LATE and self._reported is None and silence is not None:
            self._reported = BeatState.LATE
            left = DEADLINE_S - int(silence.total_seconds())
            text = f"Heartbeat missed ({self._why()}): the venue cancels every order"
            self._report(Level.BAD, f"{text} unless one is accepted within {left} s")
        elif state is BeatState.LOST and self._reported is not BeatState.LOST:
            self._reported = BeatState.LOST
            self._lost_at = self._kernel.clock.now()
            self._at_risk = self._kept
            self._feed.suspect(self._at_risk, is_over=False)
            text = f"HEARTBEATS LOST ({self._why()}): none accepted for {DEADLINE_S} s"
            self._report(Level.BAD, f"{text}, the venue cancels every open order of this key")

    def _report_accepted(self, before: datetime | None) -> None:
        now = self._kernel.clock.now()
        reported, self._reported, self._reason = self._reported, None, ""
        if before is None:
            level = Level.INFO if reported is None else Level.GOOD
            text = "The dead man's switch is on: without heartbeats the venue cancels every order"
            self._report(level, f"{text} within {SWEPT_WITHIN}")
        elif reported is not None:
            gap = f"{(now - before).total_seconds():.0f} s"
            if reported is BeatState.LOST:
                text = f"Heartbeats are accepted again after {gap}; asking what was cancelled"
                self._report(Level.WARNING, text)
                # It can only be queried now, and a reply may be out of date for a while.
                self._lost_at = now
                self._feed.suspect(self._at_risk)
            else:
                self._report(
                    Level.GOOD, f"Heartbeat accepted after {gap}, in time: orders were kept"
                )

    def _report_cancelled(self) -> None:
        """Summarise which orders were cancelled after a loss; each order also has its own message."""
        if not self._at_risk:
            return
        known = [self._feed.own.order(order_id) for order_id in self._at_risk]
        gone = sum(order is not None and order.status is OrderStatus.CANCELLED for order in known)
        still_open = any(order is not None and order.status.is_open for order in known)
        is_over = self._reported is None and self._kernel.clock.now() - self._lost_at >= timedelta(
            seconds=2 * (DEADLINE_S + SWEEP_S)
        )
        if still_open and not is_over:
            return
        self._at_risk = frozenset()
        if gone:
            text = f"{gone} order{'s were' if gone != 1 else ' was'} cancelled"
            self._report(Level.BAD, f"{text} since the last good heartbeat")

    def _on_arming(self, is_armed: bool) -> None:  # noqa: FBT001 - the listener's shape
        self._changed.set()
        rests = len(self._feed.own.open_orders())
        if self._policy is HeartbeatPolicy.ARMED and self._is_on and not is_armed and rests:
            text = f"Heartbeats continue while {count(rests, 'order')} {are(rests)} working"
            self._report(Level.WARNING, f"{text}, or the venue would cancel")

    def _on_order(self, order: Order) -> None:
        if order.status.is_open and not self._is_on and self._may_be_swept():
            self._changed.set()

    def _may_be_swept(self) -> bool:
        """Whether the venue may still cancel orders because of a silence, even an intended one."""
        silence = self._silence()
        return silence is not None and silence < timedelta(seconds=DEADLINE_S + SWEEP_S + ANSWER_S)

    def _open_ids(self) -> frozenset[OrderId]:
        return frozenset(order.order_id for order in self._feed.own.open_orders())

    def _why(self) -> str:
        return self._reason or "no answer"

    def _report(self, level: Level, text: str) -> None:
        self._kernel.log.notice(level, text)
        self._journal.record("heartbeat", text, at=self._kernel.clock.now())
