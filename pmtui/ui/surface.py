"""What every screen is given: the service's three narrow things, and the user's choices."""

from dataclasses import dataclass, field
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
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, Keymap
from pmtui.ui.message_line import NoticeAge
from pmtui.ui.replay.replay_controls import ReplayControls


@dataclass(frozen=True, slots=True)
class Options:
    """How this user, on this terminal, wants it."""

    keymap: Keymap = field(default=DEFAULT_KEYMAP)
    ascii_only: bool = False
    """The terminal shows plain ASCII only."""
    ticket: TicketRules = DEFAULT_RULES
    """What is warned of before an order leaves."""
    flatten_percent: int = DEFAULT_GIVE_WAY
    """How far below the best bid selling a whole position may fill."""
    presets: tuple[Micros, ...] = DEFAULT_PRESETS
    """Sizes in shares that single keys send."""
    chart_interval: Interval = Interval.DAY
    """How far back a chart reaches at first."""
    prices: PriceFormat = PriceFormat.CENTS
    """How prices are written for reading; what is typed stays in cents."""
    times: Times = Times.LOCAL
    """By which clock times are written."""
    is_calm: bool = False
    """Nothing flashes, pulses or fades."""
    notices: NoticeWays = field(default=NoticeWays())
    """The ways that notices take out of this terminal."""
    is_attached: bool = False
    """The service lives in a process of its own, and goes on without this terminal."""
    is_first_run: bool = False
    """Nobody has traded here before: say where to begin."""
    theme_problems: tuple[str, ...] = ()
    """Which theme files cannot be used, and why."""


class ServiceProcess(Protocol):
    """The process of its own that the service runs in, as an attached terminal knows it."""

    @property
    def loss(self) -> ServiceLoss | None:
        """Since when there is none; None while it runs."""
        ...

    @property
    def locked_account(self) -> str:
        """Whose keystore the service cannot open without a passphrase; empty where there is none."""
        ...

    def start_again(self) -> None:
        """Start it where somebody ended it."""
        ...


@dataclass(frozen=True, slots=True)
class Surface:
    """The way from a screen to the service."""

    queries: Queries
    commands: Commands
    subscriptions: Subscriptions
    options: Options = field(default_factory=Options)
    memory: Memory = field(default_factory=Memory)
    """How the user left the terminal, and what is to come back."""
    notice_age: NoticeAge = field(default_factory=NoticeAge)
    """For how long the newest notice has been shown, on all screens together."""
    replay: ReplayControls | None = None
    """Drives the replay that is shown; None for a live session."""
    process: ServiceProcess | None = None
    """The process that the service runs in, where that is not this one."""

    @property
    def loss(self) -> ServiceLoss | None:
        """Since when the service behind this terminal is gone; None while there is one."""
        return None if self.process is None else self.process.loss

    @property
    def locked_account(self) -> str:
        """Whose keystore the service cannot open without a passphrase; empty where there is none."""
        return "" if self.process is None else self.process.locked_account
