"""The operator's switches while the venue runs: limits, faults, the behaviour of streams and chain."""

from dataclasses import dataclass, field
from enum import Enum

from pmtui.domain.ids import Address, ConditionId

HOLD_MS = 250
"""How long a market with `itode` holds a taking order (docs/wire.md#matching, 2026)."""
MAX_CANCELS = 1_000
"""Ids in a bare array, since 2026-06-15."""
MAX_CANCELS_SEED = 3_000
"""Ids in the older `{"orderIDs": […]}`."""


@dataclass(slots=True)
class GeoAnswer:
    """The result of the geographic check, and whether the trading host refuses orders because of it."""

    blocked: bool = False
    ip: str = "127.0.0.1"
    country: str = "CH"
    region: str = "ZH"


@dataclass(slots=True)
class Fault:
    """A fault for requests whose path begins with `prefix`."""

    host: str
    """Name of the host: clob, gamma, data, relayer, rpc or geoblock."""
    prefix: str = "/"
    delay_ms: int = 0
    status: int = 0
    """Status of the false reply; 0 lets the request through after the delay."""
    body: str = ""
    """JSON text of the false reply; empty for the public venue's internal error."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of the false reply, such as `Retry-After` in either of its forms."""
    method: str = ""
    """Method of the affected requests; empty for all."""
    remaining: int = 1
    """Number of requests that will still be affected."""
    is_answer_lost: bool = False
    """Whether the request is executed and its reply never sent."""


@dataclass(frozen=True, slots=True)
class TakerDelay:
    """How a market treats a taking order."""

    seconds: int = 0
    """Answered `delayed` at once and tried this much later."""
    hold_ms: int = 0
    """Held this long before it is tried and answered."""


class SettlementCourse(Enum):
    """The course of a trade on the chain."""

    NORMAL = "normal"
    RETRYING = "retrying"
    """Its first transaction is lost; the second is mined."""
    FAILED = "failed"
    """Its second transaction is lost too, and the trade is reversed."""


class RelayCourse(Enum):
    """The course of a relayer transaction."""

    NORMAL = "normal"
    FAILED = "failed"
    """It reverts, whatever it contains."""
    INVALID = "invalid"
    """It is refused after it was accepted."""
    STALLED = "stalled"
    """It is never broadcast; its wallet stays busy."""
    REPLACED = "replaced"
    """It is broadcast again under another hash."""


class Silence(Enum):
    """What a stream still sends."""

    NONE = "none"
    """Everything."""
    EVENTS = "events"
    """Only replies to pings."""
    ALL = "all"
    """Nothing, while the connection stays open."""


class Framing(Enum):
    """How stream events are put into frames."""

    RECORDED = "recorded"
    """As recorded: the books of a subscription in one array, everything else as objects."""
    OBJECTS = "objects"
    ARRAYS = "arrays"


@dataclass(slots=True)
class StreamManner:
    """The behaviour of both streams."""

    silence: Silence = Silence.NONE
    framing: Framing = Framing.RECORDED
    has_lower_case_sides: bool = False
    """Whether sides are in lower case in `price_change` and `last_trade_price` events."""
    refuses_users: bool = False
    """Whether the user channel closes as for bad credentials, whatever the credentials."""


class Trick(Enum):
    """What can happen to an event for one connection."""

    DROP = "drop"
    DUPLICATE = "duplicate"
    SWAP = "swap"
    """It is sent after the next one; never, if there is none."""
    GARBLE = "garble"
    """Its second half is missing."""
    CLOSE = "close"
    """The connection breaks instead."""


@dataclass(slots=True)
class StreamTrick:
    """A trick applied to the next events."""

    trick: Trick
    channel: str = ""
    """`market` or `user`; empty for the first to send."""
    remaining: int = 1


@dataclass(slots=True)
class RateLimits:
    """Token buckets of one signer (docs/wire.md#rate-limits, standard tier of 2026-07-24)."""

    is_enforced: bool = False
    """Refuses with 429; if not, it only warns, as the public venue did when it announced the limits."""
    tier: str = "standard"
    orders_per_s: int = 40
    orders_burst: int = 60
    cancels_per_s: int = 80
    cancels_burst: int = 120


@dataclass(slots=True)
class HostLimits:
    """How often the analytics host may be queried in ten seconds (docs/wire.md#rate-limits)."""

    is_enforced: bool = True
    scale: float = 1.0
    """Multiplies every limit, for clients that run faster than real time."""


@dataclass(slots=True)
class Controls:
    """Every switch, neutral by default."""

    geo: GeoAnswer = field(default_factory=GeoAnswer)
    faults: list[Fault] = field(default_factory=list)
    closed_only: set[Address] = field(default_factory=set)
    """Owners who may only reduce their positions."""
    deposit_wallets_only: bool = False
    """Refuse signature types 0 to 2 as the public venue refuses new accounts."""
    has_status_prefixes: bool = False
    """Send `ORDER_STATUS_LIVE` and `TRADE_STATUS_MINED` instead of the bare words."""
    hash_delay_ms: int = 0
    """How long after its match a trade shows no transaction hash."""
    stale_balance_ms: int = 0
    """How long after a fill the venue uses the old conditional balance."""
    are_heartbeats_swept: bool = True
    """Whether the orders of an owner without heartbeats are cancelled."""
    max_cancels: int = MAX_CANCELS
    max_cancels_seed: int = MAX_CANCELS_SEED
    delays: dict[ConditionId, TakerDelay] = field(default_factory=dict)
    """Set by the operator; other markets have the delay of their catalogue row."""
    courses: list[SettlementCourse] = field(default_factory=list)
    """Courses of the next trades with a party that is not simulated."""
    relay_courses: list[RelayCourse] = field(default_factory=list)
    """Courses of the next relayer transactions."""
    is_submit_limited: bool = False
    """Whether the relayer limits submissions to 25 a minute."""
    limits: RateLimits = field(default_factory=RateLimits)
    analytics_limits: HostLimits = field(default_factory=HostLimits)
    streams: StreamManner = field(default_factory=StreamManner)
    tricks: list[StreamTrick] = field(default_factory=list)

    def take_fault(self, host: str, path: str, *, method: str = "") -> Fault | None:
        """Return the first fault that applies to a request, and count it."""
        for fault in self.faults:
            is_hit = (
                fault.host == host
                and path.startswith(fault.prefix)
                and fault.method.upper() in ("", method)
            )
            if is_hit and fault.remaining > 0:
                fault.remaining -= 1
                if fault.remaining == 0:
                    self.faults.remove(fault)
                return fault
        return None

    def take_trick(self, channel: str) -> Trick | None:
        """Return the trick for the next event of a channel, and count it."""
        for trick in self.tricks:
            if trick.channel in ("", channel):
                trick.remaining -= 1
                if trick.remaining <= 0:
                    self.tricks.remove(trick)
                return trick.trick
        return None

    def take_relay_course(self) -> RelayCourse:
        """Return the course of the next relayer transaction, and count it."""
        return self.relay_courses.pop(0) if self.relay_courses else RelayCourse.NORMAL

    def take_course(self) -> SettlementCourse:
        """Return the course of the next trade, and count it."""
        return self.courses.pop(0) if self.courses else SettlementCourse.NORMAL
