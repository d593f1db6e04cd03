"""Records some markets until told to stop: the stream as it comes, and the answers beside it.

A second is the most that a crash can cost. The books are read from the trading host whenever the stream
has been opened anew, as a gap in it shows nowhere else.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pmtui import __version__
from pmtui.cli.record.reads import RecordedMarket, RecordedReads
from pmtui.clients.streams.channels import RawMarketChannel
from pmtui.config.endpoints import Endpoints
from pmtui.config.settings import Settings
from pmtui.domain.answers import Failure
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId
from pmtui.recording.writer import AnswerRow, EndRow, FrameRow, Header, LinkRow, RecordingWriter
from pmtui.service.ports import Clock

FLUSH_S = 1.0
"""What a crash may cost."""
REFRESH_S = 300.0
"""Between two looks at the hosts while the stream is quiet about trouble."""


@dataclass(slots=True)
class Progress:
    """How far a recording has come."""

    elapsed_s: float = 0.0
    messages: int = 0
    written: int = 0
    """Bytes on the disk."""
    gaps: int = 0
    """How often the stream was opened again."""
    is_down: bool = False
    """Whether the stream has been lost and not come back."""
    failed_reads: int = 0
    titles: tuple[str, ...] = ()


class Recorder:
    """One recording, from the first question to the last flush."""

    def __init__(
        self,
        endpoints: Endpoints,
        settings: Settings,
        *,
        clock: Clock,
        on_progress: Callable[[Progress], None],
    ) -> None:
        """Prepare to record.

        Args:
            endpoints: of the profile.
            settings: of the profile.
            clock: our own time.
            on_progress: told once a second.
        """
        self._endpoints = endpoints
        self._settings = settings
        self._clock = clock
        self._on_progress = on_progress
        self._started_s = clock.monotonic()
        self._reads = RecordedReads(endpoints, settings.dialect, now_us=self._now_us)
        self._markets: list[RecordedMarket] = []
        self._early: list[AnswerRow] = []
        self._has_opened = asyncio.Event()
        self._is_stale = asyncio.Event()
        self.progress = Progress()

    async def find(self, token_ids: Sequence[TokenId]) -> Failure | None:
        """Find the markets of some tokens; a failure names what could not be found."""
        self._reads.keep_in(self._early.append)
        for token_id in token_ids:
            if any(token_id in market.token_ids for market in self._markets):
                continue
            found = await self._reads.find_market(token_id)
            if isinstance(found, Failure):
                return found
            self._markets.append(found)
        self.progress.titles = tuple(market.title for market in self._markets)
        return None

    async def record(self, path: Path, stop: asyncio.Event) -> None:
        """Record until told to stop; the file is whole afterwards.

        Raises:
            CannotMakeError: there is such a file already, or none can be made there.
            OSError: it cannot be written.
        """
        tokens = tuple(token for market in self._markets for token in market.token_ids)
        now = self._clock.now()
        started_ms = round(now.timestamp() * 1_000) - self._now_us() // 1_000
        header = Header(
            started_ms=started_ms,
            token_ids=tokens,
            profile=self._settings.profile,
            dialect=self._settings.dialect.value,
            program=f"pmtui {__version__}",
        )
        writer = RecordingWriter(path, header)
        try:
            for row in self._early:
                writer.add(row)
            self._reads.keep_in(writer.add)
            await self._run(writer, frozenset(tokens), stop)
            writer.add(EndRow(self._now_us(), self.progress.messages))
        finally:
            writer.close()
            self.progress.written = writer.written

    async def close(self) -> None:
        """Close every connection."""
        await self._reads.close()

    async def _run(
        self, writer: RecordingWriter, tokens: frozenset[TokenId], stop: asyncio.Event
    ) -> None:
        channel = RawMarketChannel(
            self._endpoints.ws_market,
            tokens,
            random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
        )

        def on_frame(frame: bytes) -> None:
            writer.add(FrameRow(self._now_us(), frame.decode(errors="replace")))
            self.progress.messages += 1

        def on_link(link: Link) -> None:
            writer.add(LinkRow(self._now_us(), link.state.value, link.reason))
            # Connecting again changes nothing until it succeeds.
            self.progress.is_down |= link.state is LinkState.DOWN
            if link.state is LinkState.OPEN:
                self.progress.is_down = False
                self.progress.gaps += self._has_opened.is_set()
                self._has_opened.set()
                self._is_stale.set()

        tasks = [
            asyncio.create_task(channel.run(on_frame=on_frame, on_link=on_link)),
            asyncio.create_task(self._keep_reading()),
        ]
        try:
            while not stop.is_set():
                await _wait(stop, FLUSH_S)
                writer.flush()
                self._report(writer)
                for task in tasks:
                    if task.done():
                        task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_reading(self) -> None:
        for market in self._markets:
            await self._reads.read_market(market)
        while True:
            await _wait(self._is_stale, REFRESH_S)
            self._is_stale.clear()
            for market in self._markets:
                await self._reads.read_books(market)

    def _report(self, writer: RecordingWriter) -> None:
        self.progress.elapsed_s = self._now_us() / 1_000_000
        self.progress.written = writer.written
        self.progress.failed_reads = len(self._reads.failed)
        self._on_progress(self.progress)

    def _now_us(self) -> int:
        return round((self._clock.monotonic() - self._started_s) * 1_000_000)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
