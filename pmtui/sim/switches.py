"""What an operator of the venue can switch while it runs: the geographic answer and faults."""

from dataclasses import dataclass, field

from pmtui.domain.ids import Address


@dataclass(slots=True)
class GeoAnswer:
    """What the geographic check says, and whether the trading host refuses orders for it."""

    blocked: bool = False
    ip: str = "127.0.0.1"
    country: str = "CH"
    region: str = "ZH"


@dataclass(slots=True)
class Fault:
    """A way to misbehave towards requests whose path begins with `prefix`."""

    host: str
    """Name of the host: clob, gamma, data, relayer, rpc or geoblock."""
    prefix: str = "/"
    delay_ms: int = 0
    status: int = 0
    """Answered instead of the real answer; 0 lets the request through after the delay."""
    body: str = ""
    """JSON text of that answer; empty for the service's words for an internal error."""
    remaining: int = 1
    """How many requests are still to be hit."""
    is_answer_lost: bool = False
    """Whether the request is carried out and its answer then never sent."""


@dataclass(slots=True)
class Switches:
    """Every switch, at rest by default."""

    geo: GeoAnswer = field(default_factory=GeoAnswer)
    faults: list[Fault] = field(default_factory=list)
    closed_only: set[Address] = field(default_factory=set)
    """Owners who may only reduce what they hold."""
    deposit_wallets_only: bool = False
    """Refuse signature types 0 to 2 as the service refuses new accounts."""

    def take_fault(self, host: str, path: str) -> Fault | None:
        """Return the first fault that hits a request, and count it."""
        for fault in self.faults:
            if fault.host == host and path.startswith(fault.prefix) and fault.remaining > 0:
                fault.remaining -= 1
                if fault.remaining == 0:
                    self.faults.remove(fault)
                return fault
        return None
