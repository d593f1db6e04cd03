"""What the terminal remembers of how its user left it: the theme kept, sizes, and how panes were set.

It is no setting: the program writes it, and whatever is missing or damaged is as it was at first. What is
in `config.toml` says how things are at first, and is never written by the program.
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
"""Bytes of a file that is read at all."""

_MOST_GROUPINGS = 50
"""Markets whose grouping is remembered."""

WORKPLACE_FILE = "workplace.json"
"""In the state directory."""
EVENT_PLACE, MARKET_PLACE, MARKETS_PLACE = "event", "market", "markets"
"""Screens as they are remembered, of which the service is asked before they are loaded."""


@dataclass(frozen=True, slots=True)
class Place:
    """The screen in front when a terminal was left; the list of markets where nothing is named."""

    profile: str = ""
    """Whose: another profile's markets are not ours."""
    screen: str = ""
    item: str = ""
    """The condition id of a market or the id of an event."""
    outcome: int = 0
    """Which outcome of the market was on show."""
    tab: str = ""
    """Which tab of the portfolio."""


@dataclass(frozen=True, slots=True)
class KeptList:
    """How the list of markets was arranged. Zeros and empty texts narrow nothing."""

    sort: str = ""
    is_reversed: bool = False
    tags: tuple[str, ...] = ()
    """Slugs; events have to have all of these tags."""
    labels: tuple[str, ...] = ()
    """What those tags are called: untrusted text."""
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
    """How a terminal was left. Empty texts and zeros are what nobody has chosen."""

    theme: str = ""
    size: str = ""
    """The size of the last order of a ticket that was accepted, in shares, as typed."""
    preset: int = 0
    """Which of the sizes of single keys was chosen."""
    interval: str = ""
    """How far back charts reached."""
    groupings: tuple[str, ...] = ()
    """How many times the rows of a market's ladder were widened, each as `condition id:times`; the newest last."""
    has_candles: bool = False
    has_depth: bool = False
    """Whether the depth of the book stood in the place of the prices."""
    has_both: bool = False
    """Whether both outcomes stood on the ladder."""
    has_sides: bool = False
    """Whether the next outcomes stood beside the ladder, on a screen wide enough."""
    tape_from: int = 0
    """The smallest trade on the tape, in shares; -1 for own ones only."""
    prices: str = ""
    """How prices were written."""
    times: str = ""
    """By which clock times were written."""
    place: Place = Place()
    listing: KeptList = KeptList()
    hidden_columns: tuple[str, ...] = ()
    """Of all lists, each as `list.column`."""


def load_workplace(path: Path) -> Workplace:
    """Read what was remembered; a file that is missing or damaged is nothing remembered."""
    try:
        text = path.read_bytes()[:_LARGEST]
        found = json.loads(text)
    except (OSError, ValueError):
        return Workplace()
    return _read(found, Workplace())


_Kept = TypeVar("_Kept", bound=Workplace | Place | KeptList)


def _read(found: object, usual: _Kept) -> _Kept:
    """Keep the values of the right type; everything else is the default."""
    if not isinstance(found, dict):
        return usual
    known: dict[str, Any] = {}
    for field in fields(usual):
        value, kind = found.get(field.name), getattr(usual, field.name)
        if isinstance(kind, Place | KeptList):
            known[field.name] = _read(value, kind)
        elif isinstance(kind, tuple) and isinstance(value, list):
            known[field.name] = tuple(each for each in value if isinstance(each, str))
        elif type(value) is type(kind):
            known[field.name] = value
    return replace(usual, **known)


class Memory:
    """The workplace as it is now, kept in a file wherever there is one."""

    def __init__(self, path: Path | None = None, *, profile: str = "") -> None:
        """Begin with what the file tells.

        Args:
            path: of the file; None remembers nothing beyond this session.
            profile: whose markets are on show.
        """
        self._profile = profile
        self._path = path
        self._now = Workplace() if path is None else load_workplace(path)

    @property
    def now(self) -> Workplace:
        """What is remembered."""
        return self._now

    @property
    def place(self) -> Place:
        """The screen that was left; the list where another profile was in use."""
        kept = self._now.place
        return kept if kept.profile == self._profile else Place()

    def keep(self, change: Callable[[Workplace], Workplace]) -> None:
        """Remember something; what cannot be written is logged, and remembered for this session."""
        changed = change(self._now)
        if changed == self._now:
            return
        self._now = changed
        if self._path is None:
            return
        try:
            replace_file(self._path, json.dumps(asdict(changed), indent=1).encode())
        except OSError as error:
            _logger.warning("workplace not kept: %s", error)

    def keep_theme(self, name: str) -> None:
        """Remember the theme that was chosen."""
        self.keep(lambda now: replace(now, theme=name))

    def keep_size(self, text: str) -> None:
        """Remember the size of an order that was accepted."""
        self.keep(lambda now: replace(now, size=text))

    def keep_preset(self, number: int) -> None:
        """Remember which size single keys send."""
        self.keep(lambda now: replace(now, preset=number))

    def keep_interval(self, interval: str) -> None:
        """Remember how far back charts reach."""
        self.keep(lambda now: replace(now, interval=interval))

    def grouping_of(self, market: str) -> int:
        """Return how many times the rows of a market's ladder were widened."""
        for kept in self._now.groupings:
            name, _, times = kept.rpartition(":")
            if name == market and times.isdecimal():
                return int(times)
        return 0

    def keep_grouping(self, market: str, times: int) -> None:
        """Remember how wide the rows of a market's ladder are; one row a tick is nothing to remember."""
        others = tuple(k for k in self._now.groupings if k.rpartition(":")[0] != market)
        kept = (*others, f"{market}:{times}") if times else others
        self.keep(lambda now: replace(now, groupings=kept[-_MOST_GROUPINGS:]))

    def keep_charts(self, *, has_candles: bool, has_depth: bool) -> None:
        """Remember which chart is on show, and how it is drawn."""
        self.keep(lambda now: replace(now, has_candles=has_candles, has_depth=has_depth))

    def keep_both(self, *, has_both: bool) -> None:
        """Remember whether both outcomes stand on the ladder."""
        self.keep(lambda now: replace(now, has_both=has_both))

    def keep_sides(self, *, has_sides: bool) -> None:
        """Remember whether the next outcomes stand beside the ladder."""
        self.keep(lambda now: replace(now, has_sides=has_sides))

    def keep_tape(self, least: int) -> None:
        """Remember which trades are on the tape, by the smallest; -1 for own ones only."""
        self.keep(lambda now: replace(now, tape_from=least))

    def keep_prices(self, prices: str) -> None:
        """Remember how prices are written."""
        self.keep(lambda now: replace(now, prices=prices))

    def keep_times(self, times: str) -> None:
        """Remember by which clock times are written."""
        self.keep(lambda now: replace(now, times=times))

    def keep_place(self, place: Place | None) -> None:
        """Remember which screen is in front; None for one that nobody comes back to."""
        if place is None:
            return
        self.keep(lambda now: replace(now, place=replace(place, profile=self._profile)))

    def keep_listing(self, listing: KeptList) -> None:
        """Remember how the list of markets is arranged."""
        self.keep(lambda now: replace(now, listing=listing))

    def hidden_columns(self, name: str) -> frozenset[str]:
        """Return the columns of a list that were hidden."""
        found = (each.partition(".") for each in self._now.hidden_columns)
        return frozenset(column for listed, _, column in found if listed == name)

    def keep_columns(self, name: str, hidden: Iterable[str]) -> None:
        """Remember which columns of a list are hidden."""
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
