"""The parameters of a session: its profile, and numbers that settings change and tests shorten."""

from dataclasses import dataclass

from pmtui.domain.account.keys import NO_BUILDER, BuilderCode
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.limits import NO_LIMITS, Limits
from pmtui.domain.orders.own_orders import LAG_S, RULED_OUT_AFTER_S
from pmtui.service.conditionals.sales import SALE_LAG_S
from pmtui.service.hub import DEFAULT_FRAMES_PER_SECOND
from pmtui.service.orders.sending import POST_DEADLINE_S
from pmtui.service.safety.arming import DISARM_AFTER_S
from pmtui.service.views import Mode


@dataclass(frozen=True, slots=True)
class Profile:
    """Name and mode, as shown on the status line."""

    name: str
    mode: Mode
    reason: str = ""
    remedy: str = ""
    """The command that adds a missing key; empty if nothing is missing."""
    other_remedy: str = ""
    """The command that takes a key of the trader's instead, if there is none yet."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Rates, delays and limits."""

    frames_per_second: int = DEFAULT_FRAMES_PER_SECOND
    """The most notifications per second for a watched topic."""
    post_deadline_s: int = POST_DEADLINE_S
    ruled_out_after_s: float = RULED_OUT_AFTER_S
    replica_lag_s: float = LAG_S
    """How far behind the venue's replies may be before an order's end is concluded from them."""
    sale_lag_s: float = SALE_LAG_S
    """How long the venue's lists may lack the result of a conditional order's sale."""
    disarm_after_s: float = DISARM_AFTER_S
    limits: Limits = NO_LIMITS
    heartbeat: HeartbeatPolicy = HeartbeatPolicy.OFF
    notice_command: tuple[str, ...] = ()
    """The trader's program that receives every notice; empty for none."""
    builder_code: BuilderCode = NO_BUILDER
    """The builder that orders credit; the hosts sign with the same code."""
    is_venue_time: bool = False
    """Whether the service's clock is the venue's own, as in a replay."""


AS_SHIPPED = Tuning()
