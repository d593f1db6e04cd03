"""Keeps the account's equity in time, over restarts too, as far back as a month."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from pmtui.config.paths import replace_file
from pmtui.domain.account.pnl import EquityPoint, with_sample
from pmtui.domain.money import Micros
from pmtui.service.kernel import Kernel
from pmtui.service.topics import ActivityTopic
from pmtui.service.views import Level

FILE = "equity.json"
SAMPLE_PERIOD_S = 15.0
WRITE_EVERY = 20
"""Samples between two writes: five minutes of a curve may be lost with the machine."""


class _EquityFile(msgspec.Struct, frozen=True):
    points: list[tuple[datetime, int]]
    """Moments and millionths of a dollar."""


class EquityCurve:
    """One profile's equity, sampled while the service runs."""

    def __init__(self, kernel: Kernel, state_dir: Path | None) -> None:
        self._kernel = kernel
        self._path = None if state_dir is None else state_dir / FILE
        self._points: tuple[EquityPoint, ...] = ()
        self._unwritten = 0

    @property
    def points(self) -> tuple[EquityPoint, ...]:
        """The samples, in ascending time."""
        return self._points

    async def run(self, equity: Callable[[], Micros | None]) -> None:
        """Take a sample now and then, whenever the equity is known."""
        self._points = self._read()
        while True:
            value = equity()
            if value is not None:
                self._points = with_sample(self._points, value, self._kernel.venue_now())
                self._kernel.mark(ActivityTopic())
                self._write_sometimes()
            await self._kernel.clock.sleep(SAMPLE_PERIOD_S)

    def _read(self) -> tuple[EquityPoint, ...]:
        if self._path is None:
            return ()
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_EquityFile)
        except (OSError, msgspec.MsgspecError):
            return ()
        aware = [(at, value) for at, value in file.points if at.tzinfo is not None]
        return tuple(EquityPoint(at, Micros(value)) for at, value in sorted(aware))

    def _write_sometimes(self) -> None:
        self._unwritten -= 1
        if self._unwritten > 0 or self._path is None:
            return
        self._unwritten = WRITE_EVERY
        file = _EquityFile([(point.at, int(point.value)) for point in self._points])
        try:
            replace_file(self._path, msgspec.json.encode(file))
        except OSError as error:
            self._path = None
            text = f"The equity curve is not kept for the next start: {error.strerror or error}"
            self._kernel.log.notice(Level.WARNING, text)
