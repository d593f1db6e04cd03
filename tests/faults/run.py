"""A trader behind a bad line whose program is killed again and again, and the audit afterwards."""

import asyncio
import json
import os
import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pmtui.domain.market import Side
from pmtui.domain.money import SCALE, Micros, notional_ceil, notional_floor
from pmtui.domain.order import Liquidity
from pmtui.service.journal import JournalProblem
from pmtui.service.journal_rows import OrderLife, read_lives
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.faults.fault_proxy import Fault, FaultProxy
from tests.sim.kit import KEYS, RAIN, RAIN_NO, RAIN_YES, Person, http_client, write_catalogue

ROOT = Path(__file__).parents[2]
LIFE_DEADLINE_S = 90.0
STARTING_CASH = 100_000
LONGEST_REPORT = 1 << 24
ENDED = {"cancelled", "rejected", "expired"}


@dataclass
class Outcome:
    """What a run counted, and everything that does not agree."""

    orders: int = 0
    kills: int = 0
    at_venue: int = 0
    filled_in_part_or_whole: int = 0
    moves: int = 0
    states: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class FaultRun:
    """One venue, one trader, many lives."""

    def __init__(
        self, folder: Path, running: RunningVenue, proxy: FaultProxy, *, seed: int
    ) -> None:
        self._folder = folder
        self._running = running
        self._proxy = proxy
        self._rng = random.Random(seed)
        self._lives = 0
        self.kills = 0

    async def trade(self, *, orders: int, kills: int) -> None:
        """Let lives follow each other until there are enough orders and kills."""
        while self._proxy.posts < orders or self.kills < kills:
            steps = self._rng.randrange(2, max(3, 4 * orders // max(kills, 1)))
            await self._live_and_die(steps)

    async def settle(self) -> dict[str, Any]:
        """Let the line be good, find out about everything, and return what the trader knows."""
        await self._proxy.settle()
        self._proxy.is_fair = True
        process = await self._start(orders=0, with_stream=False)
        assert process.stdout is not None
        async with asyncio.timeout(LIFE_DEADLINE_S):
            assert await process.stdout.readline() == b"ready\n"
            report: dict[str, Any] = json.loads(await process.stdout.readline())
            assert await process.wait() == 0
        return report

    async def _live_and_die(self, steps: int) -> None:
        process = await self._start(orders=10_000, with_stream=self._rng.randrange(2) == 0)
        assert process.stdout is not None
        async with asyncio.timeout(LIFE_DEADLINE_S):
            assert await process.stdout.readline() == b"ready\n"
            left = steps

            def on_moment() -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    process.kill()

            self._proxy.on_moment = on_moment
            await process.wait()
        self._proxy.on_moment = lambda: None
        assert process.returncode == -9, f"it ended by itself: {process.returncode}"
        self.kills += 1

    async def _start(self, *, orders: int, with_stream: bool) -> asyncio.subprocess.Process:
        self._lives += 1
        urls = {name: url for name, url in self._running.urls.items() if name != "admin"}
        urls["clob"] = f"http://127.0.0.1:{self._proxy.port}"
        if not with_stream:
            # Nobody speaks the stream's protocol there.
            urls["ws_user"] = f"ws://127.0.0.1:{self._proxy.port}/nothing"
        plan = {
            "home": str(self._folder),
            "urls": urls,
            "key": KEYS[0],
            "condition": RAIN,
            "tokens": [RAIN_YES, RAIN_NO],
            "orders": orders,
            "seed": self._rng.randrange(2**32),
        }
        path = self._folder / f"plan-{self._lives}.json"
        path.write_text(json.dumps(plan))
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.faults.client",
            str(path),
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_REPORT,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )


async def run_faults(folder: Path, *, orders: int, kills: int, seed: int) -> Outcome:
    """Trade over a bad line, die often, settle, and compare journal and venue order by order."""
    options = VenueOptions(speed=0, catalogue=(write_catalogue(folder),))
    async with running_venue(options) as running, http_client() as http:
        trader = await Person(running, http, key=0).arrive(dollars=str(STARTING_CASH))
        await _make_market(await Person(running, http, key=1).arrive(dollars="1000000"))
        address = urlsplit(running.urls["clob"])
        assert address.hostname is not None
        assert address.port is not None
        rng = random.Random(seed + 1)
        async with FaultProxy((address.hostname, address.port), rng).serving() as proxy:
            run = FaultRun(folder, running, proxy, seed=seed)
            await run.trade(orders=orders, kills=kills)
            report = await run.settle()
            outcome = _compare(folder, running, trader, report)
            outcome.kills = run.kills
            outcome.faults = proxy.counts
            ledger = await trader.ledger()
            audit = await trader.admin("GET", "/audit")
        outcome.problems += audit["problems"]
        if not ledger["is_whole"]:
            outcome.problems.append("the venue's ledger does not add up")
        _compare_holdings(report, ledger, outcome)
    return outcome


async def _make_market(maker: Person) -> None:
    """Rest purchases of both outcomes below the middle: each is a sale of the other one too."""
    for token in (RAIN_YES, RAIN_NO):
        for cents in range(40, 49):
            await maker.rest(Side.BUY, f"0.{cents}", "3000", token=token)


@dataclass(frozen=True)
class AtVenue:
    """What the venue knows of an order, by its books and by its trades."""

    matched: int
    is_live: bool
    status: str


def _orders_at(running: RunningVenue, trader: Person) -> dict[str, AtVenue]:
    """Return every order of the trader that ever rested, traded or was killed at the venue."""
    records = running.venue.records
    traded: dict[str, int] = defaultdict(int)
    for trade in records.trades_of_owner(trader.api_key):
        if trade.taker_owner == trader.api_key:
            traded[trade.taker_order_id] += trade.size
        for maker in trade.makers:
            if maker.owner == trader.api_key:
                traded[maker.order_id] += maker.size
    views = {order.order_id: order for order in records.orders_of(trader.api_key)}
    return {
        # What was filled at once never rested: the venue has only its trades.
        order_id: AtVenue(size, is_live=False, status="taken")
        for order_id, size in traded.items()
    } | {
        order_id: AtVenue(
            max(traded[order_id], view.matched_size),
            is_live=view.status == "LIVE",
            status=view.status,
        )
        for order_id, view in views.items()
    }


def _compare(
    folder: Path, running: RunningVenue, trader: Person, report: dict[str, Any]
) -> Outcome:
    lives = read_lives(folder / "journal.sqlite")
    assert not isinstance(lives, JournalProblem), lives
    journaled = {str(life.order.order.order_id): life for life in lives}
    at_venue = _orders_at(running, trader)
    matched: dict[str, int] = defaultdict(int)
    for order_id, _, _, _, size, *_ in report["fills"]:
        matched[order_id] += size
    outcome = Outcome(orders=len(journaled), at_venue=len(at_venue))
    outcome.states = Counter(life.order.state or "open" for life in lives)
    outcome.filled_in_part_or_whole = len(matched)
    for order_id in at_venue.keys() - journaled.keys():
        outcome.problems.append(f"{order_id}: at the venue, never journaled")
    outcome.moves = sum(_replaced_by(life) is not None for life in lives)
    for order_id, life in journaled.items():
        new = _replaced_by(life)
        if order_id in report["open"] and new in report["open"]:
            outcome.problems.append(f"{order_id} and {new} both rest, one was to replace the other")
        problem = _judge(life, at_venue.get(order_id), matched[order_id], report["open"])
        if problem:
            outcome.problems.append(f"{order_id}: {problem}; {_say(life)}")
    return outcome


def _replaced_by(life: OrderLife) -> str | None:
    """Return the order that was to take the place of another, where one was sent for it."""
    words = "to be replaced by "
    plans = [e.text for e in life.entries if e.kind == "move" and e.text.startswith(words)]
    return plans[-1].removeprefix(words).partition(":")[0] if plans else None


def _judge(
    life: OrderLife, order: AtVenue | None, matched: int, open_orders: dict[str, int]
) -> str:
    """Return what the two disagree on about one order, empty where they agree."""
    state = life.order.state
    order_id = life.order.order.order_id
    if order is None:
        is_fine = state in ENDED and order_id not in open_orders and not matched
        return "" if is_fine else f"not at the venue, here {state} with {matched} matched"
    if matched != order.matched:
        return f"{order.matched} matched at the venue, {matched} by own fills"
    if order.is_live:
        same = state is None and open_orders.get(order_id) == matched
        return "" if same else f"rests at the venue, here {state}"
    if order_id in open_orders or state is None:
        return f"{order.status} at the venue, here it rests"
    # The venue cuts matches to hundredths of a share, and calls what is left of one nothing.
    is_full = order.status == "MATCHED" or matched >= life.order.order.original_size
    expected = {"filled"} if is_full else ENDED
    return "" if state in expected else f"{order.status} at the venue, here {state}"


def _compare_holdings(report: dict[str, Any], ledger: Any, outcome: Outcome) -> None:
    shares: dict[str, int] = defaultdict(int)
    for _, _, side, token, size, *_ in report["fills"]:
        shares[token] += size if side == "BUY" else -size
    at_venue = {token: round(float(size) * 1e6) for token, size in ledger["shares"].items()}
    held = {token: size for token, size in shares.items() if size}
    if held != at_venue:
        outcome.problems.append(f"shares by own fills {held}, at the venue {at_venue}")
    cash = STARTING_CASH * SCALE
    for _, _, side, _, size, price, fee, liquidity in report["fills"]:
        # Parts of a cent go against the taker. The market maker takes nothing here, so whoever
        # rested was met by himself and has what the taker gave up.
        rounds_up = (side == "BUY") is (liquidity == Liquidity.TAKER.value)
        notional = (notional_ceil if rounds_up else notional_floor)(Micros(price), Micros(size))
        cash += -notional if side == "BUY" else notional
        cash -= fee
    if cash != round(float(ledger["collateral"]) * 1e6):
        outcome.problems.append(f"cash by own fills {cash}, at the venue {ledger['collateral']}")
    if report["balance"] != round(float(ledger["collateral"]) * 1e6):
        outcome.problems.append(f"cash {report['balance']}, at the venue {ledger['collateral']}")


def _say(life: OrderLife) -> str:
    return " | ".join(f"{e.kind}: {e.text}" for e in life.entries)
