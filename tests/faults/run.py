"""A trader behind a bad line whose program is killed, suspended and set wrong, and the audit."""

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.faults.audit import (
    STARTING_CASH,
    Outcome,
    Report,
    Truth,
    compare_all,
    compare_money,
    compare_now,
    history_of,
)
from tests.faults.bad_line import FaultProxy
from tests.faults.bad_stream import StreamProxy
from tests.sim.kit import (
    KEYS,
    RAIN,
    RAIN_NO,
    RAIN_YES,
    SNOW,
    SNOW_NO,
    SNOW_YES,
    Person,
    http_client,
    write_catalogue,
)

ROOT = Path(__file__).parents[2]
LIFE_DEADLINE_S = 1_800.0
"""A life has few steps, but each may wait for a bad line, or for all to agree."""
ANSWER_DEADLINE_S = 180.0
AGREES_WITHIN_S = 60.0
"""A program on a good line, that does nothing, knows all within this time."""
LONGEST_REPORT = 1 << 26
SHOWN_WITHIN_MS = 60_000
"""How long ago a figure of shares may have been true while the line is bad: polls get lost."""
REQUOTES_EVERY_S = 1.2
MARKETS = {RAIN: (RAIN_YES, RAIN_NO), SNOW: (SNOW_YES, SNOW_NO)}
TOKENS = tuple(TokenId(token) for tokens in MARKETS.values() for token in tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long a run is."""

    orders: int
    kills: int
    seed: int
    long_suspensions: int = 1
    """Longer than the venue waits for heartbeats, in lives that send them."""
    is_attached: bool = False
    """Whether the trader's terminal reaches its service over a socket, which is cut now and then."""


class Life:
    """One process of the trader's program."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ready(self) -> None:
        """Wait until it has read its account."""
        assert await self._line() == b"ready\n"

    async def ask(self, *words: str) -> Report:
        """Ask for what it knows; see `tests.faults.client`.

        Raises:
            EOFError: it was killed meanwhile.
        """
        await self.tell(*words)
        line = await self._line()
        if not line:
            raise EOFError
        report: Report = json.loads(line)
        return report

    async def tell(self, *words: str) -> None:
        """Say something that has no answer."""
        assert self._process.stdin is not None
        with suppress(ConnectionError):
            self._process.stdin.write(" ".join(words).encode() + b"\n")
            await self._process.stdin.drain()

    def send_signal(self, number: signal.Signals) -> None:
        """Kill, stop or continue it."""
        # Not through the process object, which would take its end from whoever waits for it.
        with suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.kill(self._process.pid, number)

    async def ended(self) -> int:
        """Wait for its end and return its status."""
        async with asyncio.timeout(LIFE_DEADLINE_S):
            return await self._process.wait()

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        async with asyncio.timeout(ANSWER_DEADLINE_S):
            return await self._process.stdout.readline()


class FaultRun:
    """One venue, one trader, many lives."""

    def __init__(
        self, folder: Path, running: RunningVenue, line: FaultProxy, *, stream: StreamProxy,
        truth: Truth, plan: Plan,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._running = running
        self._line = line
        self._stream = stream
        self._truth = truth
        self._plan = plan
        self._rng = random.Random(plan.seed)
        self._lives = 0
        self._long_left = plan.long_suspensions
        self.requotes = asyncio.Event()
        """Set while other traders move the market."""
        self.requotes.set()
        self.outcome = Outcome()

    async def trade(self) -> None:
        """Let lives follow each other until there are enough orders and kills."""
        plan = self._plan
        while self._line.posts < plan.orders or self.outcome.kills < plan.kills:
            steps = self._rng.randrange(2, max(3, 4 * plan.orders // max(plan.kills, 1)))
            await self._live_and_die(steps)

    async def settle(self) -> Report:
        """Let the line be good, and return what the trader knows once that agrees."""
        async with self._living(trades=False) as life:
            report = await self._agree(life, "at the end", is_end=True)
            await life.tell("end")
            assert await life.ended() == 0
        return report

    async def _live_and_die(self, steps: int) -> None:
        async with self._living(trades=True) as life:
            left = steps
            is_checking = False
            moments: asyncio.Queue[None] = asyncio.Queue()

            def on_moment() -> None:
                nonlocal left
                if is_checking:
                    return
                left -= 1
                if left == 0:
                    life.send_signal(signal.SIGKILL)
                moments.put_nowait(None)

            self._line.on_moment = on_moment
            ended = asyncio.create_task(life.ended())
            try:
                while not ended.done():
                    moment = asyncio.create_task(moments.get())
                    await asyncio.wait({moment, ended}, return_when=asyncio.FIRST_COMPLETED)
                    moment.cancel()
                    what = self._rng.random()
                    if what < 0.03:
                        await self._suspend(life)
                    elif what < 0.13:
                        await self._peek(life)
                    elif what < 0.135:
                        is_checking = True
                        _ = await self._agree(life, f"in life {self._lives}")
                        await life.tell("go")
                        is_checking = False
            except EOFError:
                pass
            finally:
                self._line.on_moment = lambda: None
                self._turn_bad()
            assert await ended == -signal.SIGKILL, f"it ended by itself: {ended.result()}"
        self.outcome.kills += 1

    async def _suspend(self, life: Life) -> None:
        is_long = self._long_left > 0 and self._rng.randrange(10) == 0
        self._long_left -= is_long
        seconds = 20.0 if is_long else self._rng.uniform(0.2, 4.0)
        life.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        life.send_signal(signal.SIGCONT)
        self.outcome.suspensions += 1

    async def _peek(self, life: Life) -> None:
        """Ask at any moment: nothing that rests may be shown ended, nor shares that never were."""
        first_ms = self._truth.now_ms - SHOWN_WITHIN_MS
        live_before = self._truth.live_orders()
        seen = await life.ask("peek", *live_before)
        live = self._truth.live_orders().keys() & live_before.keys()
        self.outcome.peeks += 1
        self.outcome.problems += [
            f"{order_id} rests, and is shown ended" for order_id in live & set(seen["ended"])
        ]
        for token, held in seen["held"].items():
            if held is None:
                # Nothing has been reported of it yet in this life.
                continue
            least, most = self._truth.knowable(token, first_ms, self._truth.now_ms)
            if not least <= held <= most:
                why = await life.ask("explain", token)
                text = f"{held} of {token[:6]} shown; {least} to {most} can be known"
                lines = self._truth.changes_since(token, first_ms)
                self.outcome.problems.append(f"{text}: {json.dumps(why)}; ledger {lines}")

    async def _agree(self, life: Life, when: str, *, is_end: bool = False) -> Report:
        """Let the line be good and nobody trade; all must be known after a time."""
        self._line.is_fair = self._stream.is_fair = True
        self.requotes.clear()
        await self._line.settle()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + AGREES_WITHIN_S
        while True:
            report = await life.ask("check")
            problems = compare_now(report, self._truth, TOKENS)
            if is_end:
                problems += compare_all(self._folder, self._truth, report).problems
            if not problems or loop.time() > deadline:
                break
        problems += [history_of(self._folder, stuck.split()[0]) for stuck in report["stuck"]]
        self.outcome.checks += 1
        self.outcome.clock_jumps += report["clock_jumps"]
        self.outcome.problems += [f"{when}: {problem}" for problem in problems]
        if not is_end:
            # After the end nobody trades any more: what was reported is compared with the venue.
            self._turn_bad()
        return report

    def _turn_bad(self) -> None:
        self._line.is_fair = self._stream.is_fair = False
        self.requotes.set()

    @asynccontextmanager
    async def _living(self, *, trades: bool) -> AsyncIterator[Life]:
        self._lives += 1
        urls = {name: url for name, url in self._running.urls.items() if name != "admin"}
        urls["clob"] = f"http://127.0.0.1:{self._line.port}"
        urls["ws_user"] = self._stream.url
        if self._rng.randrange(4) == 0:
            # Nobody speaks the stream's protocol there.
            urls["ws_user"] = f"ws://127.0.0.1:{self._line.port}/nothing"
        plan = {
            "home": str(self._folder),
            "urls": urls,
            "key": KEYS[0],
            "markets": MARKETS,
            "trades": trades,
            "is_attached": self._plan.is_attached,
            "clock_jumps": self._rng.randrange(3) == 0,
            "heartbeats": self._rng.randrange(4) == 0,
            "seed": self._rng.randrange(2**32),
        }
        path = self._folder / f"plan-{self._lives}.json"
        path.write_text(json.dumps(plan))
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.client", str(path),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_REPORT, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        try:
            life = Life(process)
            await life.ready()
            yield life
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            path.unlink()


async def run_faults(folder: Path, plan: Plan) -> Outcome:
    """Trade over a bad line, die often, settle, and compare journal and venue order by order."""
    options = VenueOptions(speed=0, catalogue=(write_catalogue(folder),))
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_venue(options))
        http = await stack.enter_async_context(http_client())
        trader = await Person(running, http, key=0).arrive(dollars=str(STARTING_CASH))
        maker = await Person(running, http, key=1).arrive(dollars="100000000")
        address = urlsplit(running.urls["clob"])
        assert address.hostname is not None
        assert address.port is not None
        rng = random.Random(plan.seed + 1)
        line = FaultProxy((address.hostname, address.port), rng)
        stream = StreamProxy(running.urls["ws_user"], rng)
        await stack.enter_async_context(line.serving())
        await stack.enter_async_context(stream.serving())
        truth = Truth(running, trader)
        run = FaultRun(folder, running, line, stream=stream, truth=truth, plan=plan)
        others = asyncio.create_task(_make_markets(maker, run.requotes, random.Random(plan.seed)))
        try:
            await run.trade()
            report = await run.settle()
        finally:
            others.cancel()
            await asyncio.gather(others, return_exceptions=True)
        outcome = _add_up(compare_all(folder, truth, report), run.outcome)
        outcome.faults, outcome.stream_faults = line.counts, stream.counts
        outcome.old_answers = line.old_answers
        ledger = await trader.ledger()
        audit = await trader.admin("GET", "/audit")
    outcome.problems += audit["problems"]
    if not ledger["is_whole"]:
        outcome.problems.append("the venue's ledger does not add up")
    outcome.problems += compare_money(report, ledger)
    return outcome


def _add_up(at_end: Outcome, underway: Outcome) -> Outcome:
    at_end.kills, at_end.suspensions = underway.kills, underway.suspensions
    at_end.peeks, at_end.checks = underway.peeks, underway.checks
    at_end.clock_jumps = underway.clock_jumps
    at_end.problems = underway.problems + at_end.problems
    return at_end


async def _make_markets(maker: Person, requotes: asyncio.Event, rng: random.Random) -> None:
    """Move both markets about: bids for both outcomes, each also an offer of the other one."""
    while True:
        for tokens in MARKETS.values():
            await requotes.wait()
            middle = rng.randrange(38, 63)
            for token, top in zip(tokens, (middle, 99 - middle), strict=True):
                await maker.call(
                    "DELETE", "/cancel-market-orders", json.dumps({"asset_id": token}).encode()
                )
                for cents in range(top - 5, top + 1):
                    await maker.place(
                        Side.BUY, f"0.{cents:02}", "400", TimeInForce.GTC, token=token
                    )
        await asyncio.sleep(REQUOTES_EVERY_S)
