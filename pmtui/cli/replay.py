"""`pmtui replay`: plays a recording in the full terminal, as if live, with practice orders.

Venue and terminal run in one process, on the recording's own time. Practice orders are matched against
the recorded book; the account is created for the replay and discarded with it.
"""

import argparse
import asyncio
import random
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

from typing_extensions import override

from pmtui.cli.hosts import SessionHosts
from pmtui.cli.output import warn, why_no_full_screen
from pmtui.cli.session_process import CRASHED, run_logged, start_log, use_one_malloc_arena
from pmtui.cli.terminal import exit_despite_stuck_output
from pmtui.cli.terminal_app import Appearance, load_appearance, make_app, read_keys
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.cli.venue.paper import STARTING_CASH, load_paper_key
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.paths import JOURNAL_FILE, locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import KeyKind
from pmtui.domain.money import parse_micros
from pmtui.recording.reader import Recording, Unreadable, read_recording
from pmtui.recording.timeline import FASTEST, SLOWEST, Timeline
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile, Tuning
from pmtui.service.views import Mode
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import VenueAdmin
from pmtui.sim.replay.feed import ReplayFeed
from pmtui.sim.replay.run import NoMarketError, RunningReplay, running_replay
from pmtui.ui.surface import ReplayView

JUMP_S = 30
"""The length of a jump by key, in seconds."""
_PROG = "pmtui replay"
UNUSABLE = 1


class RecordedTime(SystemClock):
    """The recorded time at the replay's position; waits take real time."""

    def __init__(self, started_ms: int, timeline: Timeline) -> None:
        self._started_ms = started_ms
        self._timeline = timeline

    @override
    def now(self) -> datetime:
        at_us = self._started_ms * 1_000 + self._timeline.position_us
        return datetime.fromtimestamp(at_us / 1_000_000, UTC)

    @override
    def replay_shift(self) -> timedelta:
        return self.now() - super().now()

    @override
    def stream_s(self) -> float:
        return self._timeline.played_s


class Playback:
    """Implements the terminal's controls of a replay."""

    def __init__(self, timeline: Timeline, clock: RecordedTime) -> None:
        self._timeline = timeline
        self._clock = clock
        self._feed: ReplayFeed | None = None
        self._rewind: Callable[[datetime], None] = lambda _: None
        self._moves = timeline.moves
        timeline.on_change(self._note_move)

    def attach(self, feed: ReplayFeed, *, rewind: Callable[[datetime], None]) -> None:
        """Connect the controls to a running replay.

        Args:
            feed: knows the time of the next message.
            rewind: called with the recorded time whenever the replay jumps.
        """
        self._feed = feed
        self._rewind = rewind

    def _note_move(self) -> None:
        """Make the service forget data after the new position, if the replay has jumped."""
        if self._moves != self._timeline.moves:
            self._moves = self._timeline.moves
            self._rewind(self._clock.now())

    def view(self) -> ReplayView:
        """Return its position, speed and state."""
        line = self._timeline
        return ReplayView(
            position_s=line.position_us // 1_000_000,
            length_s=line.length_us // 1_000_000,
            at=self._clock.now(),
            speed=line.speed,
            is_paused=line.is_paused,
            has_ended=line.has_ended,
        )

    def pause(self) -> None:
        """Pause or resume; at the end, start over."""
        if self._timeline.is_paused or self._timeline.has_ended:
            self._timeline.resume()
        else:
            self._timeline.pause()

    def step(self) -> None:
        """Pause at the next message."""
        at_us = self._feed.next_at_us if self._feed is not None else None
        if at_us is None:
            self._timeline.pause()
        else:
            self._timeline.step_to(at_us)

    def back(self) -> None:
        """Jump back by some seconds."""
        self._timeline.move_to(self._timeline.position_us - JUMP_S * 1_000_000)

    def forward(self) -> None:
        """Jump forward by some seconds."""
        self._timeline.move_to(self._timeline.position_us + JUMP_S * 1_000_000)

    def slower(self) -> None:
        """Play at the next lower speed."""
        self._timeline.slower()

    def faster(self) -> None:
        """Play at the next higher speed."""
        self._timeline.faster()


def run(arguments: Sequence[str]) -> int:
    """Play a recording until the trader quits; return the exit code."""
    options = _parser().read(arguments)
    recording = read_recording(options.file)
    if isinstance(recording, Unreadable):
        return refuse(recording.text, prog=_PROG, code=UNUSABLE)
    if reason := why_no_full_screen():
        return refuse(reason, prog=_PROG)
    try:
        settings = load_settings({"profile": "paper"})
        paths = locate()
        own = settings.for_terminal()
        appearance = load_appearance(own, paths, read_keys(own, paths))
        log = start_log(settings.profile, paths)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    timeline = make_timeline(recording, options.speed)
    with tempfile.TemporaryDirectory(prefix="pmtui-replay-") as folder:
        session = ReplaySession(settings, appearance, recording, timeline, state=Path(folder))
        try:
            code = asyncio.run(run_logged(session.run()))
        except ConfigError as error:
            return refuse(f"{options.file}: {error}", prog=_PROG, code=UNUSABLE)
    exit_despite_stuck_output(code)
    if code == CRASHED:
        warn(f"{_PROG}: stopped by a bug; details in {log}")
    return code


def make_timeline(recording: Recording, speed: float) -> Timeline:
    """Return a replay's timeline; one that starts paused starts at its first message, to show a book.

    Args:
        recording: with at least one message.
        speed: recorded seconds per real second; 0 for paused.
    """
    timeline = Timeline(recording.length_us, monotonic=time.monotonic, speed=speed)
    if not speed:
        timeline.move_to(recording.messages[0].at_us)
    return timeline


def make_replay_service(
    settings: Settings, venue: RunningReplay, *, clock: SystemClock, state: Path
) -> DataService:
    """Return the service of one replay.

    Args:
        settings: the user's settings.
        venue: of the replay.
        clock: the recording's time.
        state: the state directory of the replay's account.
    """

    async def connect(health: Health) -> Hosts | str:
        running = venue.running
        hosts = SessionHosts(
            # Never the user's own addresses: a replay connects to its own venue only.
            Endpoints(**{field.name: running.urls[field.name] for field in fields(Endpoints)}),
            Dialect.SEED,
            health=health,
            clock=clock,
            venue_admin=VenueAdmin(running.urls["admin"], running.admin_token),
            order_deadline_s=settings.order_deadline_s,
        )
        secret = load_paper_key(state)
        # The wallet is deployed and funded before the terminal can request it.
        wallets = derive_wallets(Signer(secret).address)
        running.venue.accounts.learn(wallets.owner)
        payer = wallets.paying(settings.signature_type, has_older=False)
        _ = running.venue.fund(payer, parse_micros(STARTING_CASH))
        return hosts.hosts(secret, settings.signature_type, kind=KeyKind.PAPER)

    return DataService(
        profile=Profile("replay", Mode.PAPER),
        connect=connect,
        clock=clock,
        journal=Journal(state / JOURNAL_FILE),
        rng=random.Random(),  # noqa: S311 - spreads retries, keeps no secret
        tuning=Tuning(
            frames_per_second=settings.frame_rate,
            post_deadline_s=settings.order_deadline_s,
            disarm_after_s=settings.disarm_after_s,
            limits=settings.limits.to_limits(),
            is_venue_time=True,
        ),
        state_dir=state,
    )


class ReplaySession:
    """One replay: its venue, the service on it, and the terminal."""

    def __init__(
        self,
        settings: Settings,
        appearance: Appearance,
        recording: Recording,
        timeline: Timeline,
        *,
        state: Path,
    ) -> None:
        """Create the session."""
        self._settings = settings
        self._appearance = appearance
        self._recording = recording
        self._timeline = timeline
        self._state = state
        self.clock = RecordedTime(recording.header.started_ms, timeline)
        self.playback = Playback(timeline, self.clock)

    async def run(self) -> int:
        """Show the terminal until the trader quits; return the exit code.

        Raises:
            ConfigError: the recording contains nothing to show.
        """
        use_one_malloc_arena()
        async with AsyncExitStack() as stack:
            try:
                venue = await stack.enter_async_context(
                    running_replay(self._recording, self._timeline)
                )
            except NoMarketError as error:
                raise ConfigError("replay", str(error)) from None
            service = make_replay_service(
                self._settings, venue, clock=self.clock, state=self._state
            )
            self.playback.attach(venue.feed, rewind=service.rewind)
            app = make_app(
                self._settings.for_terminal(), self._appearance, queries=service.queries, commands=service.commands,
                subscriptions=service.hub, is_first_run=False, replay=self.playback,
            )  # fmt: skip
            await stack.enter_async_context(service.running())
            loop = asyncio.get_running_loop()
            for number in (signal.SIGHUP, signal.SIGTERM):
                loop.add_signal_handler(number, app.exit)
            await app.run_async()
        return 0 if app.crash is None else CRASHED


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if speed and not SLOWEST <= speed <= FASTEST:
        raise argparse.ArgumentTypeError(
            f"takes a number between {SLOWEST:g} and {FASTEST:g}, or 0 to begin paused"
        )
    return speed


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Play a recording into the whole terminal as if it were live: pause, step, jump "
        "and change the speed by keys that a line of the screen shows. Orders are practice: they are "
        "matched against the recorded book, with an account that is forgotten afterwards.",
        epilog="Files of `pmtui record`, and messages of the market stream that others kept: a JSON "
        "message a line or a list of them, gzip or not, bare or beside the time of arrival. Exit "
        "code: 0 fine, 1 the file cannot be replayed, 2 wrong usage or configuration.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X",
        help=f"recorded seconds that pass in one, {SLOWEST:g} to {FASTEST:g}; 0 begins paused; "
        "default 1",
    )  # fmt: skip
    return parser
