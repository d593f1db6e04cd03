"""The state that a terminal restores: chosen theme, order sizes, and the layout of panes.

It is separate from the settings: the program writes it, and missing or damaged values fall back to the
defaults. `config.toml` holds the initial values, and is never written by the program.
"""

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from pmtui.config.paths import replace_file

_logger = logging.getLogger(__name__)
_LARGEST = 1 << 16
"""Bytes; a larger file is not read."""

_MOST_GROUPINGS = 50
"""Markets whose grouping is remembered."""

WORKPLACE_FILE = "workplace.json"
"""File name, in the state directory."""
EVENT_PLACE, MARKET_PLACE, MARKETS_PLACE = "event", "market", "markets"
"""Names of stored screens whose data is requested before they are loaded."""


@dataclass(frozen=True, slots=True)
class LastScreen:
    """The screen in front when a terminal was closed; the market list if none is named."""

    profile: str = ""
    """Its profile: markets of another profile are ignored."""
    screen: str = ""
    item: str = ""
    """The condition id of a market or the id of an event."""
    outcome: int = 0
    """The outcome of the market that was shown."""
    tab: str = ""
    """The tab of the portfolio."""


@dataclass(frozen=True, slots=True)
class KeptList:
    """How the market list was sorted and filtered. Zeros and empty texts filter nothing."""

    sort: str = ""
    is_reversed: bool = False
    tags: tuple[str, ...] = ()
    """Slugs; events must have all of these tags."""
    labels: tuple[str, ...] = ()
    """Labels of those tags: untrusted text."""
    include_closed: bool = False
    min_volume_24h: int = 0
    """In millionths of a dollar."""
    max_spread: int = 0
    """In millionths of a dollar."""
    ends_within_s: int = 0
    is_mine: bool = False
    is_starred: bool = False
    unfolded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workplace:
    """The state of a terminal. Empty texts and zeros mean that nothing was chosen."""

    theme: str = ""
    size: str = ""
    """Size of the last accepted ticket order, in shares, as typed."""
    preset: int = 0
    """The selected size for single keys."""
    interval: str = ""
    """The time range of charts."""
    groupings: tuple[str, ...] = ()
    """How many times the grouping of each ladder was widened, as `condition id:times`; the newest last."""
    has_candles: bool = False
    has_depth: bool = False
    """Whether the depth chart was shown in place of the price chart."""
    has_both: bool = False
    """Whether the ladder showed both outcomes."""
    has_sides: bool = False
    """Whether the next outcomes were shown beside the ladder, on a screen wide enough."""
    tape_from: int = 0
    """The smallest trade on the tape, in shares; -1 for our own only."""
    prices: str = ""
    """How prices were displayed."""
    times: str = ""
    """The time zone of displayed times."""
    place: LastScreen = LastScreen()
    listing: KeptList = KeptList()
    hidden_columns: tuple[str, ...] = ()
    """Hidden columns of all lists, each as `list.column`."""


def load_workplace(path: Path) -> Workplace:
    """Read the stored state; a missing or damaged file counts as empty."""
    try:
        text = path.read_bytes()[:_LARGEST]
        found = json.loads(text)
    except (OSError, ValueError):
        return Workplace()
    return _read(found, Workplace())


_Kept = TypeVar("_Kept", bound=Workplace | LastScreen | KeptList)


def _read(found: object, usual: _Kept) -> _Kept:
    """Keep the values of the right type; use the default for everything else."""
    if not isinstance(found, dict):
        return usual
    known: dict[str, Any] = {}
    for field in fields(usual):
        value, kind = found.get(field.name), getattr(usual, field.name)
        if isinstance(kind, LastScreen | KeptList):
            known[field.name] = _read(value, kind)
        elif isinstance(kind, tuple) and isinstance(value, list):
            known[field.name] = tuple(each for each in value if isinstance(each, str))
        elif type(value) is type(kind):
            known[field.name] = value
    return replace(usual, **known)


class Memory:
    """The current state, saved to a file if there is one."""

    def __init__(self, path: Path | None = None, *, profile: str = "") -> None:
        """Load the state from the file.

        Args:
            path: of the file; None keeps the state for this session only.
            profile: the current profile.
        """
        self._profile = profile
        self._path = path
        self.now = Workplace() if path is None else load_workplace(path)
        """The current state; `keep` changes it."""

    @property
    def place(self) -> LastScreen:
        """The screen to restore; the market list if another profile was in use."""
        kept = self.now.place
        return kept if kept.profile == self._profile else LastScreen()

    def keep(self, change: Callable[[Workplace], Workplace]) -> None:
        """Save a change; if it cannot be written, log that and keep it for this session."""
        changed = change(self.now)
        if changed == self.now:
            return
        self.now = changed
        if self._path is None:
            return
        try:
            replace_file(self._path, json.dumps(asdict(changed), indent=1).encode())
        except OSError as error:
            _logger.warning("workplace not kept: %s", error)

    def keep_theme(self, name: str) -> None:
        """Save the chosen theme."""
        self.keep(lambda now: replace(now, theme=name))

    def keep_size(self, text: str) -> None:
        """Save the size of an accepted order."""
        self.keep(lambda now: replace(now, size=text))

    def keep_preset(self, number: int) -> None:
        """Save the selected size for single keys."""
        self.keep(lambda now: replace(now, preset=number))

    def keep_interval(self, interval: str) -> None:
        """Save the time range of charts."""
        self.keep(lambda now: replace(now, interval=interval))

    def grouping_of(self, market: str) -> int:
        """Return how many times the grouping of a market's ladder was widened; 0 if never."""
        for kept in self.now.groupings:
            name, _, times = kept.rpartition(":")
            if name == market and times.isdecimal():
                return int(times)
        return 0

    def keep_grouping(self, market: str, times: int) -> None:
        """Save how many times the grouping of a market's ladder was widened; 0 is not stored."""
        others = tuple(k for k in self.now.groupings if k.rpartition(":")[0] != market)
        kept = (*others, f"{market}:{times}") if times else others
        self.keep(lambda now: replace(now, groupings=kept[-_MOST_GROUPINGS:]))

    def keep_charts(self, *, has_candles: bool, has_depth: bool) -> None:
        """Save which chart is shown, and how it is drawn."""
        self.keep(lambda now: replace(now, has_candles=has_candles, has_depth=has_depth))

    def keep_both(self, *, has_both: bool) -> None:
        """Save whether the ladder shows both outcomes."""
        self.keep(lambda now: replace(now, has_both=has_both))

    def keep_sides(self, *, has_sides: bool) -> None:
        """Save whether the next outcomes are shown beside the ladder."""
        self.keep(lambda now: replace(now, has_sides=has_sides))

    def keep_tape(self, least: int) -> None:
        """Save the smallest trade on the tape; -1 for our own only."""
        self.keep(lambda now: replace(now, tape_from=least))

    def keep_prices(self, prices: str) -> None:
        """Save how prices are displayed."""
        self.keep(lambda now: replace(now, prices=prices))

    def keep_times(self, times: str) -> None:
        """Save the time zone of displayed times."""
        self.keep(lambda now: replace(now, times=times))

    def keep_place(self, place: LastScreen | None) -> None:
        """Save which screen is in front; None for a screen that is not restored."""
        if place is None:
            return
        self.keep(lambda now: replace(now, place=replace(place, profile=self._profile)))

    def keep_listing(self, listing: KeptList) -> None:
        """Save how the market list is sorted and filtered."""
        self.keep(lambda now: replace(now, listing=listing))

    def hidden_columns(self, name: str) -> frozenset[str]:
        """Return the hidden columns of a list."""
        found = (each.partition(".") for each in self.now.hidden_columns)
        return frozenset(column for listed, _, column in found if listed == name)

    def keep_columns(self, name: str, hidden: Iterable[str]) -> None:
        """Save the hidden columns of a list."""
        chosen = tuple(f"{name}.{column}" for column in sorted(hidden))
        self.keep(
            lambda now: replace(
                now,
                hidden_columns=(
                    *(each for each in now.hidden_columns if each.partition(".")[0] != name),
                    *chosen,
                ),
            )
        )
