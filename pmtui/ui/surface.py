"""What every screen is given: the service's three narrow interfaces, and the user's options."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pmtui.config.terminal_settings import Times
from pmtui.config.workplace import Memory
from pmtui.domain.formats import PriceFormat
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.domain.notices import NoticeWays
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY, DEFAULT_PRESETS, DEFAULT_RULES, TicketRules
from pmtui.service.surface import Commands, Queries, Subscriptions
from pmtui.service.views import ServiceLoss
from pmtui.ui.event.outcome_order import OutcomeOrders
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, Keymap
from pmtui.ui.message_line import NoticeAge


@dataclass(frozen=True, slots=True)
class Options:
    """The options of this user on this terminal."""

    keymap: Keymap = field(default=DEFAULT_KEYMAP)
    ascii_only: bool = False
    """Whether the terminal shows only plain ASCII."""
    ticket: TicketRules = DEFAULT_RULES
    """The rules for warnings before an order is sent."""
    flatten_percent: int = DEFAULT_GIVE_WAY
    """How far below the best bid the sale of a whole position may fill, in per cent."""
    presets: tuple[Micros, ...] = DEFAULT_PRESETS
    """Sizes in shares that single keys send."""
    chart_interval: Interval = Interval.DAY
    """The initial range of charts."""
    prices: PriceFormat = PriceFormat.CENTS
    """How prices are displayed; typed prices stay in cents."""
    times: Times = Times.LOCAL
    """The clock for displayed times."""
    is_calm: bool = False
    """Whether flashing, pulsing and fading are off."""
    notices: NoticeWays = field(default=NoticeWays())
    """How notices are sent outside the terminal."""
    is_attached: bool = False
    """Whether the service runs in its own process and outlives this terminal."""
    is_first_run: bool = False
    """Whether nobody has traded here before, so that the tour is offered."""
    theme_problems: tuple[str, ...] = ()
    """Which theme files cannot be used, and why."""


class ServiceProcess(Protocol):
    """The service's own process, as seen by an attached terminal."""

    @property
    def loss(self) -> ServiceLoss | None:
        """Since when the process is gone; None while it runs."""
        ...

    @property
    def locked_account(self) -> str:
        """The account whose keystore lacks a passphrase; empty if there is none."""
        ...

    @property
    def is_silent(self) -> bool:
        """Whether the process runs and does not answer."""
        ...

    def start_again(self) -> None:
        """Restart the process if it was ended on purpose."""
        ...


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The state of a replay."""

    position_s: int
    length_s: int
    at: datetime
    """The recorded time."""
    speed: float
    """Recorded seconds per second."""
    is_paused: bool
    has_ended: bool

    @property
    def paused_reason(self) -> str:
        """Why nothing new arrives; empty while it plays."""
        if self.has_ended:
            return "recording ended"
        return "replay paused" if self.is_paused else ""


class ReplayControls(Protocol):
    """Drives a replay."""

    def view(self) -> ReplayView:
        """Return its position, speed and state."""
        ...

    def pause(self) -> None:
        """Pause or resume; at the end, start over."""
        ...

    def step(self) -> None:
        """Pause at the next message."""
        ...

    def back(self) -> None:
        """Jump some seconds back."""
        ...

    def forward(self) -> None:
        """Jump some seconds forward."""
        ...

    def slower(self) -> None:
        """Play at the next lower speed."""
        ...

    def faster(self) -> None:
        """Play at the next higher speed."""
        ...


@dataclass(frozen=True, slots=True)
class Surface:
    """A screen's access to the service."""

    queries: Queries
    commands: Commands
    subscriptions: Subscriptions
    options: Options = field(default_factory=Options)
    memory: Memory = field(default_factory=Memory)
    """The state kept from the last session."""
    notice_age: NoticeAge = field(default_factory=NoticeAge)
    """How long the latest notice has been visible, on all screens together."""
    outcomes: OutcomeOrders = field(default_factory=OutcomeOrders)
    """In which order every screen lists the outcomes of an event."""
    replay: ReplayControls | None = None
    """The controls of a replay; None for a live session."""
    process: ServiceProcess | None = None
    """The service's process if it is not this one."""

    @property
    def chosen_preset(self) -> int:
        """The index of the size that single keys send on every screen."""
        chosen = self.memory.now.preset
        return chosen if 0 <= chosen < len(self.options.presets) else 0

    @property
    def single_key_size(self) -> Micros:
        """The size that single keys send on every screen, in shares."""
        return self.options.presets[self.chosen_preset]

    @property
    def loss(self) -> ServiceLoss | None:
        """Since when the service is gone; None while it runs."""
        return None if self.process is None else self.process.loss

    @property
    def locked_account(self) -> str:
        """The account whose keystore lacks a passphrase; empty if there is none."""
        return "" if self.process is None else self.process.locked_account
