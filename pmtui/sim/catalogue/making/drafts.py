"""What a template or a fixture list says about an event, before it gets the service's shape."""

from dataclasses import dataclass, field

from typing_extensions import override

from pmtui.sim.catalogue import dates


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment some seconds after the anchor; formats as the mark of a date."""

    seconds: int

    @override
    def __format__(self, form: str) -> str:
        return dates.mark(self.seconds, form or "iso")


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What the metadata host says about a fixture."""

    game_id: int
    league: str
    home: str
    away: str
    starts: Moment


@dataclass(slots=True, kw_only=True)
class MarketDraft:
    """One market."""

    question: str
    price: float
    """Chance of the first outcome."""
    group: str = ""
    rules: str = ""
    """When the event's own rules do not hold."""
    outcomes: tuple[str, str] = ("Yes", "No")
    ends: Moment | None = None
    """When the event's own end does not hold."""
    market_type: str = ""
    line: float | None = None
    weight: float = 1.0
    """Share of the event's volume, relative to its siblings."""
    winner: int | None = None
    """Index of the outcome that won; -1 for a 50/50 settlement."""


@dataclass(slots=True, kw_only=True)
class EventDraft:
    """One event."""

    title: str
    rules: str
    source: str
    tags: tuple[str, ...]
    markets: list[MarketDraft]
    ends: Moment
    period_s: int
    fees: str
    neg_risk: bool = False
    series: str = ""
    volume: float = 4.5
    """Decimal logarithm of the dollars traded."""
    fine_tick: bool = False
    tick: int | None = None
    """Grid of every market in millionths, where it is an odd one."""
    game: Game | None = None
    is_past: bool = False
    patch: dict[str, object] = field(default_factory=dict)
    """Fields laid over every market row: how oddities are made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDraft:
    """A series that events name by slug."""

    slug: str
    title: str
    recurrence: str
