"""Whether single keys may trade: off initially, and off again when idle or when data is unreliable.

While armed, one key sends an order without confirmation. So arming ends automatically: after idle time,
when the stream of the market shown, that of own orders or the trading host is lost, and when order entry
is locked. Only `arm` turns it on. A stream that nobody watches is closed, which is no loss, nor is
opening it for the next market or one more socket for other tokens (`service/books/stream_faults.py`).
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.service.books.stream_faults import StreamLoss
from pmtui.service.clock import Moment, seconds_since
from pmtui.service.kernel import Kernel
from pmtui.service.surface import ARM_WITHIN_S
from pmtui.service.topics import StatusTopic
from pmtui.service.views import Level

DISARM_AFTER_S = 300.0
"""Seconds without a trading key until it disarms, unless the settings override it."""


class ArmedTerminals:
    """The arming of every terminal: each has its own, and a danger disarms all."""

    def __init__(
        self, kernel: Kernel, market: StreamLoss, *, idle_s: float = DISARM_AFTER_S
    ) -> None:
        self._kernel = kernel
        self._market = market
        self._idle = timedelta(seconds=idle_s)
        self.own = Arming(kernel, self, idle=self._idle)
        """Of whoever uses the service within its own process."""
        self._attached: list[Arming] = []
        self._listeners: list[Callable[[bool], None]] = []
        self._checks: list[Callable[[], str]] = []
        kernel.health.on_change(self._on_health)

    @property
    def is_armed(self) -> bool:
        """Whether single keys may trade now in any terminal."""
        return any(each.is_armed for each in (self.own, *self._attached))

    def open(self) -> "Arming":
        """Add a terminal, disarmed; return its arming."""
        made = Arming(self._kernel, self, idle=self._idle)
        self._attached.append(made)
        return made

    def close(self, arming: "Arming") -> None:
        """Forget a terminal that is gone; its arming ends with it."""
        self._attached.remove(arming)
        if arming.end():
            # Every terminal that is left reads this, armed or not.
            self._kernel.log.notice(Level.WARNING, "A terminal that was armed is gone")
            self.notify()

    def add_check(self, check: Callable[[], str]) -> None:
        """Add a check that can prevent arming: it is called every time and returns "" if it does not."""
        self._checks.append(check)

    def on_change(self, listener: Callable[[bool], None]) -> None:
        """Call `listener` with whether any terminal is armed, on every change."""
        self._listeners.append(listener)

    def disarm(self, reason: str) -> None:
        """Disarm every terminal and report why, once."""
        if sum(each.end() for each in (self.own, *self._attached)):
            self._kernel.log.notice(Level.WARNING, f"Disarmed: {reason}")
            self.notify()

    @property
    def are_several(self) -> bool:
        """Whether more than one terminal is attached."""
        return len(self._attached) > 1

    def describe(self, what: str) -> str:
        """Return what became of one terminal, in words that every terminal reads."""
        return f"{what} in one of {len(self._attached)} terminals" if self.are_several else what

    def why_not(self) -> str:
        """Return why no terminal may be armed now, or "" if one may."""
        for check in self._checks:
            if reason := check():
                return reason[:1].upper() + reason[1:]
        for health in self._kernel.health.view():
            if self._is_down(health):
                return f"The {_NEEDED[health.source]} is down"
        return ""

    def notify(self) -> None:
        """Report that a terminal was armed or disarmed."""
        self._kernel.mark(StatusTopic())
        for listener in self._listeners:
            listener(self.is_armed)

    def _is_down(self, health: SourceHealth) -> bool:
        if health.source is Source.MARKET_STREAM:
            return self._market.is_down(health)
        return health.source in _NEEDED and health.state is HealthState.DOWN

    def _on_health(self, before: SourceHealth, now: SourceHealth) -> None:
        if now.source is Source.MARKET_STREAM:
            is_lost = self._market.is_lost(now)
        elif now.source is Source.USER_STREAM:
            # Positions and orders are outdated until the source is back, even before anyone sees
            # it.
            is_lost = before.state is HealthState.LIVE and now.state in _GONE
        else:
            is_lost = self._is_down(now)
        if is_lost:
            self.disarm(f"the {_NEEDED[now.source]} was lost")


class Arming:
    """Whether single keys of one terminal may trade, and until when."""

    def __init__(self, kernel: Kernel, terminals: ArmedTerminals, *, idle: timedelta) -> None:
        self._kernel = kernel
        self._terminals = terminals
        self._idle = idle
        self._until: datetime | None = None
        """By the machine's time of day, which is not that of a replay."""
        self._until_s = 0.0
        """The same by the monotonic clock, which is never set back, but may stop during sleep."""

    @property
    def is_armed(self) -> bool:
        """Whether single keys may trade now."""
        return self.armed_until is not None

    @property
    def armed_until(self) -> datetime | None:
        """When it disarms without another trading key, by the service's clock; None if disarmed."""
        if self._until is None or self._left_s(self._until) <= 0:
            return None
        return self._until + self._kernel.clock.replay_shift()

    async def arm(self, *, given: Moment | None = None) -> str:
        """Arm and return "", or return why not. Arming again restarts the idle time.

        Args:
            given: when the trader pressed the key in another process; None for now.
        """
        clock = self._kernel.clock
        if given is not None and (age_s := seconds_since(given, clock)) >= ARM_WITHIN_S:
            late = f"Too late: given {age_s:.0f} s ago"
            self._kernel.log.add(Level.INFO, "notice", f"Not armed. {late}")
            return late
        if reason := self._terminals.why_not():
            return reason
        was_armed = self._until is not None
        self._start_anew()
        if not was_armed:
            said = self._terminals.describe("Armed")
            self._kernel.log.add(Level.INFO, "notice", f"{said}: single keys trade")
            self._kernel.start_unless_running(self, "arming", self._wait_for_idleness)
            self._terminals.notify()
        return ""

    def disarm(self, reason: str) -> None:
        """Disarm; report the reason if it was armed, unless it is empty because the trader disarmed."""
        if self.end():
            level = Level.WARNING if reason else Level.INFO
            said = self._terminals.describe("Disarmed")
            self._kernel.log.notice(level, f"{said}: {reason}" if reason else said)
            self._terminals.notify()

    def end(self) -> bool:
        """Disarm without a report; return whether it was armed."""
        was_armed = self._until is not None
        self._until = None
        return was_armed

    def touch(self) -> None:
        """Record the use of a trading key, which restarts the idle time. It never arms."""
        if self.is_armed:
            self._start_anew()

    def _start_anew(self) -> None:
        clock = self._kernel.clock
        self._until = clock.now() - clock.replay_shift() + self._idle
        self._until_s = clock.monotonic() + self._idle.total_seconds()
        self._kernel.mark(StatusTopic())

    def _left_s(self, until: datetime) -> float:
        """Return the seconds left, by the clock that shows fewer."""
        clock = self._kernel.clock
        by_wall = (until - (clock.now() - clock.replay_shift())).total_seconds()
        return min(by_wall, self._until_s - clock.monotonic())

    async def _wait_for_idleness(self) -> None:
        while self._until is not None:
            left = self._left_s(self._until)
            if left <= 0:
                self.disarm(f"no trading key for {self._idle.total_seconds():.0f} s")
                return
            await self._kernel.clock.sleep(left)


_NEEDED = {
    Source.MARKET_STREAM: "market stream",
    Source.USER_STREAM: "order stream",
    Source.TRADING: "trading host",
}
_GONE = frozenset({HealthState.DOWN, HealthState.CONNECTING})
