"""The line to the terminal: what a busy market costs on it, and how soon a key is answered.

Everything runs beside a reference of the same run: the same program at rest, with fewer changes, or
shown as Textual shows it.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.key_times import KeyTimes, measure_keys
from tests.bench.row import Row, at_most, plain
from tests.bench.session import Session
from tests.bench.watched_market import SETTLING_S, SIZE, Used, one_market, watched_market
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.trader import open_first_event

TURNS = 3
STEADY, FAST, BURST = 200, 1_000, 5_000
SLOW = 50
WINDOW_S = 6.0
IDLE_S = 8.0
KEYS_S = 16.0
CORE_GOAL_PERCENT, LINE_GOAL = 10.0, 40_000.0
USUAL_GOAL, SLOWEST_GOAL = 1.5, 3.0
MEMORY_GOAL_MB = 90.0
SLOW_LINE_BYTES, SLOW_LINE_PAUSE_S = 160, 0.04
"""At most 4 kB a second."""
SLOW_LINE_KEYS, SLOW_LINE_GAP_S = 8, (1.5, 2.0)


def rows() -> Iterator[Row]:
    """Return figures beside their references, as they come."""
    for part in (_steady, _bursts, _keys, _slow_line, _memory):
        yield from part()


def _within(name: str, ours: float, limit: float) -> Row:
    return Row(
        name=name, ours=ours, reference=limit, ratio=ours / limit if limit else None,
        goal=f"≤ {limit:g}", met=ours <= limit,
    )  # fmt: skip


def _steady() -> list[Row]:
    size = f"{SIZE[0]}x{SIZE[1]}"
    session = one_market(STEADY, WINDOW_S + 1)
    with watched_market(session, per_second=STEADY) as market:
        idle = market.use(IDLE_S)
        market.start()
        ours = market.use(WINDOW_S)
    stock = _used(session, STEADY, "plain")
    name = f"{STEADY} changes/s at {size}"
    return [
        _within("bytes of an idle market on the screen, a second", idle.screen_bytes, 0),
        plain("share of a core of the same, %", idle.core_share * 100),
        _within(f"{name}: share of a core, %", ours.core_share * 100, CORE_GOAL_PERCENT),
        _within(f"{name}: bytes/s to the screen", ours.screen_bytes, LINE_GOAL),
        plain(f"{name}: share of a core over Textual's own display, %",
              ours.core_share * 100, stock.core_share * 100),
        plain(f"{name}: bytes/s over Textual's own display",
              ours.screen_bytes, stock.screen_bytes),
    ]  # fmt: skip


def _bursts() -> list[Row]:
    few = one_market(SLOW, WINDOW_S + 1)
    times = BURST // SLOW
    # The same levels end the same, and each changes a hundred times as often on the way.
    many = few._replace(frames=[frame for frame in few.frames for _ in range(times)])
    lively = one_market(BURST, WINDOW_S + 1)
    reference = _used(few, SLOW).screen_bytes
    return [
        at_most(
            f"{BURST:,} changes/s, bytes/s, over {SLOW} of the same levels",
            [(_used(many, BURST).screen_bytes, reference)],
            1.05,
        ),
        plain(
            f"{BURST:,} changes/s of all levels, bytes/s, over {SLOW}",
            _used(lively, BURST).screen_bytes,
            reference,
        ),
    ]


def _keys() -> list[Row]:
    turns = [_keys_once() for _ in range(TURNS)]
    name = f"key to paint at {FAST:,} changes/s"
    usual = [(busy.usual, rest.usual) for rest, busy, _ in turns]
    slowest = [(busy.slowest, rest.slowest) for rest, busy, _ in turns]
    ours, stock = ([turn[which] for turn in turns] for which in (1, 2))
    return [
        at_most(f"{name}, median ms, over the same at rest", usual, USUAL_GOAL),
        at_most(f"{name}, 99th percentile ms, over the same at rest", slowest, SLOWEST_GOAL),
        plain(f"{name}, median ms, over Textual's frames",
              median(times.usual for times in ours), median(times.usual for times in stock)),
        plain(f"{name}, 99th percentile ms, over Textual's",
              median(times.slowest for times in ours), median(times.slowest for times in stock)),
    ]  # fmt: skip


def _keys_once() -> tuple[KeyTimes, KeyTimes, KeyTimes]:
    """Return the times at rest, among changes, and among changes as Textual shows them."""
    session = one_market(FAST, KEYS_S)
    with watched_market(session, per_second=FAST) as market:
        rest = measure_keys(market.terminal)
        market.start()
        ours = measure_keys(market.terminal)
    with watched_market(session, per_second=FAST, variant="plain") as market:
        market.start()
        return rest, ours, measure_keys(market.terminal)


def _slow_line() -> list[Row]:
    session = one_market(FAST, SLOW_LINE_KEYS * SLOW_LINE_GAP_S[1] * 2)
    ours, stock = (_on_a_slow_line(session, variant) for variant in ("", "plain"))
    return [
        plain(
            "key to paint on a line of 4 kB/s, median ms, over Textual's",
            ours.usual,
            stock.usual,
        )
    ]


def _on_a_slow_line(session: Session, variant: str) -> KeyTimes:
    with watched_market(session, per_second=FAST, variant=variant) as market:
        market.terminal.read_bytes = SLOW_LINE_BYTES
        market.start()
        return measure_keys(
            market.terminal, keys=SLOW_LINE_KEYS, gap_s=SLOW_LINE_GAP_S, pause_s=SLOW_LINE_PAUSE_S
        )


def _used(session: Session, per_second: int, variant: str = "") -> Used:
    with watched_market(session, per_second=per_second, variant=variant) as market:
        market.start()
        return market.use(WINDOW_S)


def _memory() -> list[Row]:
    with (
        tempfile.TemporaryDirectory() as home,
        Terminal((PROGRAM, "--standalone"), home=Path(home), size=SIZE) as terminal,
    ):
        terminal.until_text("¢")
        open_first_event(terminal)
        terminal.press("enter")
        terminal.until_text("verified")
        terminal.pump_for(SETTLING_S * 4)
        status = Path(f"/proc/{terminal.pid}/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return [_within("resident memory with a live book, MB", int(kilobytes) / 1_000, MEMORY_GOAL_MB)]
