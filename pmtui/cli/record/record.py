"""`pmtui record`: the streams of chosen tokens, with arrival times, in a file for `pmtui replay`."""

import argparse
import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from pmtui.cli.output import warn, warn_over
from pmtui.cli.record.recorder import Progress, Recorder
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse
from pmtui.cli.venue.venue_access import Unreachable, profile_endpoints
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.formats import count
from pmtui.domain.ids import TokenId
from pmtui.recording.writer import EXISTS, CannotMakeError
from pmtui.service.clock import SystemClock

_PROG = "pmtui record"
NOT_FOUND = 1
MOST_TOKENS = 200
"""One socket, and both tokens of each market are heard."""


def run(arguments: Sequence[str]) -> int:
    """Record until told to stop; returns the exit code."""
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
    """Say why a file cannot be made, before any host is asked; empty where nothing speaks against it."""
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
    parser.add_argument("--profile", help="as for the terminal; default paper")
    return parser
