"""`pmtui record`: writes the streams of chosen tokens and the hosts' replies to a file for `pmtui replay`.

A crash loses at most one second. The books are read from the trading host after every reconnection of the
stream, as a gap is not visible in it.
"""

import argparse
import asyncio
import os
import random
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pmtui import __version__
from pmtui.cli.output import warn, warn_over
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse
from pmtui.cli.venue.paper import Unreachable, profile_endpoints
from pmtui.clients.gamma import EVENT, MARKETS
from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.rate_limits import METADATA_LIMITS, RateGate, analytics_limits, clob_limits
from pmtui.clients.streams.channels import RawMarketChannel
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.formats import count
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Market
from pmtui.reads.routes import ANALYTICS_ROUTES
from pmtui.reads.trading_routes import ROUTES, RouteName
from pmtui.recording.writer import (
    EXISTS,
    AnswerRow,
    CannotMakeError,
    EndRow,
    FrameRow,
    Header,
    LinkRow,
    RecordingWriter,
)
from pmtui.service.clock import Clock, SystemClock
from pmtui.wire import clob as wire
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_markets

TRADES = 500
"""Trades of each market from before the recording."""
_FIDELITY = {Interval.DAY: 5, Interval.MAX: 1440}

Keep = Callable[[AnswerRow], None]
FLUSH_S = 1.0
"""Seconds between flushes; the most that a crash can lose."""
REFRESH_S = 300.0
"""Seconds between two reads from the hosts while the stream reports no trouble."""
_PROG = "pmtui record"
NOT_FOUND = 1


class RecordedMarket(NamedTuple):
    """A recorded market: both of its tokens, whichever was given."""

    condition_id: ConditionId
    token_ids: tuple[TokenId, ...]
    event_id: EventId | None
    title: str


class RecordedReads:
    """Reads of the three public hosts; each reply is kept unchanged."""

    def __init__(
        self, endpoints: Endpoints, dialect: Dialect, *, now_us: Callable[[], int]
    ) -> None:
        """Prepare to read.

        Args:
            endpoints: of the profile.
            dialect: dialect of the hosts.
            now_us: returns microseconds since the recording began.
        """
        self._clob_routes = ROUTES[dialect]
        self._data_routes = ANALYTICS_ROUTES[dialect]
        self._now_us = now_us
        self._hosts = {
            "clob": HttpHost(endpoints.clob, gate=RateGate(clob_limits(self._clob_routes))),
            "gamma": HttpHost(endpoints.gamma, gate=RateGate(METADATA_LIMITS)),
            "data": HttpHost(endpoints.data, gate=RateGate(analytics_limits(dialect))),
        }
        self._keep: Keep = lambda _row: None
        self.failed: list[str] = []
        """Reads without a reply, in words."""

    def keep_in(self, keep: Keep) -> None:
        """Pass every reply from now on to `keep`."""
        self._keep = keep

    async def find_market(self, token_id: TokenId) -> RecordedMarket | Failure:
        """Return a token's market with all its ids."""
        path, query = self._clob_routes.route(RouteName.MARKET_OF_TOKEN).with_id(token_id)
        body = await self._read("clob", path, *query)
        if isinstance(body, Failure):
            return body
        try:
            found = wire.decode_market_of_token(body)
        except WireError as error:
            return Failure(FailureKind.SERVER, f"GET {path}", str(error))
        listed = await self._listed(found.condition_id)
        return RecordedMarket(
            found.condition_id,
            found.token_ids,
            None if listed is None else listed.event_id,
            "" if listed is None else listed.distinct_name,
        )

    async def read_market(self, market: RecordedMarket) -> None:
        """Read what a terminal requests when a market is opened."""
        condition_id = market.condition_id
        if market.event_id:
            await self._read("gamma", EVENT.format(id=market.event_id))
        path, query = self._clob_routes.route(RouteName.MARKET_TERMS).with_id(condition_id)
        await self._read("clob", path, *query)
        about = (self._data_routes.market_key, condition_id)
        await self._read("data", self._data_routes.trades.path, about, ("limit", str(TRADES)))
        for token_id in market.token_ids:
            for interval, minutes in _FIDELITY.items():
                await self._read(
                    "clob",
                    self._clob_routes.route(RouteName.PRICES_HISTORY).path,
                    ("market", token_id),
                    ("interval", interval.value),
                    ("fidelity", str(minutes)),
                )

    async def read_books(self, market: RecordedMarket) -> None:
        """Read the trading host's current books."""
        for token_id in market.token_ids:
            await self._read(
                "clob", self._clob_routes.route(RouteName.BOOK).path, ("token_id", token_id)
            )

    async def close(self) -> None:
        """Close every connection."""
        for host in self._hosts.values():
            await host.aclose()

    async def _listed(self, condition_id: ConditionId) -> Market | None:
        for closed in ("false", "true"):
            body = await self._read(
                "gamma",
                MARKETS,
                ("condition_ids", condition_id),
                ("closed", closed),
            )
            if isinstance(body, Failure):
                return None
            try:
                rows = decode_markets(body)
            except WireError:
                return None
            for market in rows.items:
                if market.condition_id == condition_id:
                    return market
        return None

    async def _read(self, host: str, path: str, *query: tuple[str, str]) -> bytes | Failure:
        body = await self._hosts[host].read(path, query=query)
        if isinstance(body, Failure):
            self.failed.append(str(body))
        else:
            self._keep(AnswerRow(self._now_us(), host, path, body.decode(errors="replace"), query))
        return body


@dataclass(slots=True)
class Progress:
    """The progress of a recording."""

    elapsed_s: float = 0.0
    messages: int = 0
    written: int = 0
    """Bytes on disk."""
    gaps: int = 0
    """Number of reconnections of the stream."""
    is_down: bool = False
    """Whether the stream has been lost and is not back yet."""
    failed_reads: int = 0
    titles: tuple[str, ...] = ()


class Recorder:
    """One recording, from the first request to the last flush."""

    def __init__(
        self,
        endpoints: Endpoints,
        settings: Settings,
        *,
        clock: Clock,
        on_progress: Callable[[Progress], None],
    ) -> None:
        """Prepare to record."""
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
        """Record until told to stop; the file is complete afterwards.

        Raises:
            CannotMakeError: the file exists already, or cannot be created there.
            OSError: the file cannot be written.
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
            # Another connection attempt changes nothing until it succeeds.
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


def run(arguments: Sequence[str]) -> int:
    """Record until told to stop; return the exit code."""
    options = _parser().read(arguments)
    if reason := _why_not_made(options.file):
        return refuse(f"{options.file}: {reason}", prog=_PROG)
    try:
        settings = load_settings({"profile": options.profile})
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    tokens = tuple(dict.fromkeys(options.token_id))
    try:
        return asyncio.run(_record(settings, options.file, tokens, limit_s=options.seconds))
    except CannotMakeError as error:
        return refuse(f"{options.file}: {error}", prog=_PROG)
    except OSError as error:
        return refuse(f"{options.file}: {error.strerror or error}", prog=_PROG, code=UNAVAILABLE)


def _why_not_made(path: Path) -> str:
    """Return why a file cannot be written, before any host is queried, or "" if it can."""
    if str(path) == "-":
        return "a recording is not written to standard output; name a file"
    if os.path.lexists(path):
        return EXISTS
    if not path.parent.is_dir():
        return "its folder does not exist"
    return "" if os.access(path.parent, os.W_OK | os.X_OK) else "its folder cannot be written"


async def _record(
    settings: Settings, path: Path, tokens: tuple[TokenId, ...], *, limit_s: float | None
) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    async with profile_endpoints(settings, locate().state) as endpoints:
        if isinstance(endpoints, Unreachable):
            return refuse(endpoints.text, prog=_PROG, code=UNAVAILABLE)
        recorder = Recorder(endpoints, settings, clock=SystemClock(), on_progress=_show)
        try:
            problem = await recorder.find(tokens)
            if problem is not None:
                return _not_found(problem)
            if limit_s is not None:
                loop.call_later(limit_s, stop.set)
            warn(*(f"Recording {title}" for title in recorder.progress.titles if title))
            await recorder.record(path, stop)
        finally:
            await recorder.close()
    return _end(path, recorder.progress)


def _not_found(problem: Failure) -> int:
    is_unknown = problem.kind in (FailureKind.NOT_FOUND, FailureKind.REFUSED)
    return refuse(str(problem), prog=_PROG, code=NOT_FOUND if is_unknown else UNAVAILABLE)


def _show(progress: Progress) -> None:
    warn_over(_line(progress))


def _line(progress: Progress) -> str:
    minutes, seconds = divmod(int(progress.elapsed_s), 60)
    words = [
        f"{minutes}:{seconds:02d}",
        count(progress.messages, "message"),
        f"{progress.written / 1_000:,.0f} kB",
    ]
    if progress.gaps:
        words.append(count(progress.gaps, "gap"))
    if progress.is_down:
        words.append("the stream is down")
    if progress.failed_reads:
        words.append(f"{count(progress.failed_reads, 'read')} without an answer")
    return ", ".join(words)


def _end(path: Path, progress: Progress) -> int:
    warn(f"{path}: {_line(progress)}")
    if not progress.messages:
        return refuse("the stream said nothing", prog=_PROG, code=UNAVAILABLE)
    return 0


def _token(text: str) -> TokenId:
    if not (text.isascii() and text.isdecimal() and len(text) <= 78):
        raise argparse.ArgumentTypeError("takes a token id: up to 78 digits")
    return TokenId(text)


def _seconds(text: str) -> float:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 604_800):
        raise argparse.ArgumentTypeError("takes a number of seconds, up to a week")
    return float(text)


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Keep what the venue says about some tokens, with the times of arrival: the "
        "market stream letter for letter, and the answers a terminal asks for. Both tokens of each "
        "market are kept. Ends on ctrl+c or SIGTERM; a crash costs the last second.",
        epilog="`pmtui replay FILE` plays it. The file is gzip of one JSON object a line. Exit "
        "code: 0 fine, 1 no market has the token, 2 wrong usage, or the file exists or cannot be made, "
        "69 a host did not answer, the stream told nothing, or the disk is full.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="to be made; never written over")
    parser.add_argument(
        "--token-id", type=_token, action="append", required=True, metavar="ID",
        help="whose market to record; may be repeated",
    )  # fmt: skip
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="end by itself after so long")
    parser.add_profile()
    return parser
