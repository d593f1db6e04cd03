"""What a session is run with: its profile, and the numbers that settings change and tests shorten."""

from dataclasses import dataclass

from pmtui.domain.account.keys import NO_BUILDER, BuilderCode
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.limits import NO_LIMITS, Limits
from pmtui.domain.orders.own_orders import LAG_S, RULED_OUT_AFTER_S
from pmtui.service.conditionals.sales import SALE_LAG_S
from pmtui.service.hub import DEFAULT_FRAMES_PER_SECOND
from pmtui.service.orders.desk import POST_DEADLINE_S
from pmtui.service.safety.arming import DISARM_AFTER_S
from pmtui.service.views import Mode


@dataclass(frozen=True, slots=True)
class Profile:
    """Name and mode as the status line says them."""

    name: str
    mode: Mode
    reason: str = ""
    remedy: str = ""
    """The command that adds the key that is missing; empty where nothing is."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How fast, how long, how much."""

    frames_per_second: int = DEFAULT_FRAMES_PER_SECOND
    """The most notifications a second for a watched topic."""
    post_deadline_s: int = POST_DEADLINE_S
    ruled_out_after_s: float = RULED_OUT_AFTER_S
    replica_lag_s: float = LAG_S
    """How far behind the venue's answers may be before an order's end is concluded from them."""
    sale_lag_s: float = SALE_LAG_S
    """How long the venue's lists may lack what became of a conditional order's sale."""
    disarm_after_s: float = DISARM_AFTER_S
    limits: Limits = NO_LIMITS
    heartbeat: HeartbeatPolicy = HeartbeatPolicy.OFF
    notice_command: tuple[str, ...] = ()
    """A program of the trader's own that is given every notice; empty for none."""
    builder_code: BuilderCode = NO_BUILDER
    """Whom orders credit; the hosts sign with the same one."""
    is_venue_time: bool = False
    """Whether the service's clock is the venue's own, as in a replay."""


AS_SHIPPED = Tuning()
