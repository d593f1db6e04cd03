"""What the terminal remembers of how its user left it: the theme kept, sizes, and how panes were set.

It is no setting: the program writes it, and whatever is missing or damaged is as it was at first. What is
in `config.toml` says how things are at first, and is never written by the program.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from pmtui.config.paths import replace_file

_logger = logging.getLogger(__name__)
_LARGEST = 1 << 16
"""Bytes of a file that is read at all."""


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
    grouping: int = 0
    """How many times the ladder's rows were widened."""
    has_candles: bool = False
    has_depth: bool = False
    """Whether the depth of the book stood in the place of the prices."""


def load_workplace(path: Path) -> Workplace:
    """Read what was remembered; a file that is missing or damaged is nothing remembered."""
    try:
        text = path.read_bytes()[:_LARGEST]
        found = json.loads(text)
    except (OSError, ValueError):
        return Workplace()
    if not isinstance(found, dict):
        return Workplace()
    usual = Workplace()
    known = {
        field.name: found[field.name]
        for field in fields(Workplace)
        if type(found.get(field.name)) is type(getattr(usual, field.name))
    }
    return Workplace(**known)


class Memory:
    """The workplace as it is now, kept in a file wherever there is one."""

    def __init__(self, path: Path | None = None) -> None:
        """Begin with what the file tells.

        Args:
            path: of the file; None remembers nothing beyond this session.
        """
        self._path = path
        self._now = Workplace() if path is None else load_workplace(path)

    @property
    def now(self) -> Workplace:
        """What is remembered."""
        return self._now

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

    def keep_grouping(self, steps: int) -> None:
        """Remember how wide the ladder's rows are."""
        self.keep(lambda now: replace(now, grouping=steps))

    def keep_charts(self, *, has_candles: bool, has_depth: bool) -> None:
        """Remember which chart is on show, and how it is drawn."""
        self.keep(lambda now: replace(now, has_candles=has_candles, has_depth=has_depth))
