"""Compares what a trader's program knows with what the venue has on record."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.money import SCALE, Micros, notional_ceil, notional_floor
from pmtui.domain.orders.order import Liquidity
from pmtui.service.journal.journal_rows import JournalProblem, OrderLife, read_lives
from pmtui.sim.engine.events import Event, OrderCancelled, OrderPlaced, OrderUpdated
from pmtui.sim.engine.terms import OrderView
from pmtui.sim.run import RunningVenue
from tests.faults.bad_line import Fault
from tests.faults.bad_stream import StreamFault
from tests.sim.kit import Person

STARTING_CASH = 100_000
HEARD_WITHIN_MS = 60_000
"""A fill whose frame is late or lost is known by then, from a poll; on a bad line some polls are lost too."""
ENDED = {"cancelled", "rejected", "expired"}

Report = dict[str, Any]


@dataclass
class Outcome:
    """What a run counted, and everything that does not agree."""

    orders: int = 0
    kills: int = 0
    suspensions: int = 0
    at_venue: int = 0
    filled_in_part_or_whole: int = 0
    moves: int = 0
    conditional_sales: int = 0
    peeks: int = 0
    checks: int = 0
    clock_jumps: int = 0
    old_answers: int = 0
    states: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    stream_faults: Counter[StreamFault] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def plus(self, other: "Outcome") -> "Outcome":
        """Return both together."""
        return Outcome(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        )


@dataclass(frozen=True)
class AtVenue:
    """What the venue knows of an order, by its books and by its trades."""

    matched: int
    is_live: bool
    status: str


class Truth:
    """The venue's records of one trader."""

    def __init__(self, running: RunningVenue, trader: Person) -> None:
        self._running = running
        self._trader = trader
        self._orders: dict[OrderId, OrderView] = {}
        running.venue.subscribe(self._keep_orders)

    @property
    def now_ms(self) -> int:
        """The venue's time."""
        return self._running.venue.clock.now_ms()

    def _keep_orders(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, OrderPlaced | OrderUpdated | OrderCancelled) and (
                event.order.owner == self._trader.api_key
            ):
                self._orders[event.order.order_id] = event.order

    def live_orders(self) -> dict[OrderId, int]:
        """Return the orders that rest, with what is matched of each."""
        orders = self._orders.values()
        return {o.order_id: o.matched_size for o in orders if o.status == "LIVE"}

    def held(self, token: str) -> int:
        """Return the shares of a token in the wallet now."""
        lines = self._running.venue.records.ledger_of(self._trader.wallet)
        return next((e.balance for e in reversed(lines) if e.token_id == token), 0)

    def knowable(self, token: str, first_ms: int, last_ms: int) -> tuple[int, int]:
        """Return the least and the most that a trader can take himself to hold in a span of time.

        On a bad line a fill may be heard before an earlier one, which is lost until a poll: what is
        known is what was held at some moment, and any of the changes that soon followed it.
        """
        lines = self._running.venue.records.ledger_of(self._trader.wallet)
        past = [e for e in lines if e.token_id == token and e.at_ms <= last_ms]
        first = next((i for i, e in enumerate(past) if e.at_ms > first_ms), len(past))
        moments = [(first_ms, past[first - 1].balance if first else 0)]
        moments += [(e.at_ms, e.balance) for e in past[first:]]
        least, most = [], []
        for at_ms, balance in moments:
            soon = [e.change for e in past if at_ms < e.at_ms <= at_ms + HEARD_WITHIN_MS]
            least.append(balance + sum(min(change, 0) for change in soon))
            most.append(balance + sum(max(change, 0) for change in soon))
        return min(least), max(most)

    def changes_since(self, token: str, first_ms: int) -> list[tuple[str, int, str]]:
        """Return what moved shares of a token: when, by how much, and by which trade."""
        lines = self._running.venue.records.ledger_of(self._trader.wallet)
        return [
            (f"{datetime.fromtimestamp(e.at_ms / 1_000, UTC):%M:%S.%f}", e.change, e.reference[:8])
            for e in lines
            if e.token_id == token and e.at_ms > first_ms
        ]

    def orders(self) -> dict[OrderId, AtVenue]:
        """Return every order of the trader that ever rested, traded or was killed at the venue."""
        records = self._running.venue.records
        traded: dict[OrderId, int] = defaultdict(int)
        for trade in records.trades_of_owner(self._trader.api_key):
            if trade.taker_owner == self._trader.api_key:
                traded[trade.taker_order_id] += trade.size
            for maker in trade.makers:
                if maker.owner == self._trader.api_key:
                    traded[maker.order_id] += maker.size
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
            for order_id, view in self._orders.items()
        }


def compare_now(report: Report, truth: Truth, tokens: tuple[TokenId, ...]) -> list[str]:
    """Return what a report of open orders and shares has wrong."""
    problems = [f"still in doubt: {what}" for what in report["stuck"]]
    live = {str(order_id): matched for order_id, matched in truth.live_orders().items()}
    if report["open"] != live:
        problems.append(f"open here {report['open']}, at the venue {live}")
    held = {token: (report["held"][token], truth.held(token)) for token in tokens}
    problems += [
        f"{here} of {token[:6]} held here, {there} at the venue"
        for token, (here, there) in held.items()
        if here != there
    ]
    return problems


def compare_all(folder: Path, truth: Truth, report: Report) -> Outcome:
    """Compare journal, fills and orders with the venue, order by order."""
    lives = read_lives(folder / "journal.sqlite")
    assert not isinstance(lives, JournalProblem), lives
    journaled = {str(life.order.order.order_id): life for life in lives}
    at_venue = {str(order_id): order for order_id, order in truth.orders().items()}
    matched: dict[str, int] = defaultdict(int)
    for order_id, _, _, _, size, *_ in report["fills"]:
        matched[order_id] += size
    outcome = Outcome(orders=len(journaled), at_venue=len(at_venue))
    outcome.states = Counter(life.order.state or "open" for life in lives)
    outcome.filled_in_part_or_whole = len(matched)
    outcome.conditional_sales = _count_conditional_sales(folder / "journal.sqlite")
    for order_id in at_venue.keys() - journaled.keys():
        outcome.problems.append(f"{order_id}: at the venue, never journaled")
    outcome.moves = sum(_replacement(life) is not None for life in lives)
    for order_id, life in journaled.items():
        new = _replacement(life)
        if order_id in report["open"] and new in report["open"]:
            outcome.problems.append(f"{order_id} and {new} both rest, one was to replace the other")
        problem = _judge(life, at_venue.get(order_id), matched[order_id], report["open"])
        if problem:
            outcome.problems.append(f"{order_id}: {problem}; {_history(life)}")
    return outcome


def compare_money(report: Report, ledger: Any) -> list[str]:
    """Return where cash and shares, by own fills and as shown, differ from the venue's ledger."""
    problems = []
    shares: dict[str, int] = defaultdict(int)
    for _, _, side, token, size, *_ in report["fills"]:
        shares[token] += size if side == "BUY" else -size
    at_venue = {token: round(float(size) * 1e6) for token, size in ledger["shares"].items()}
    held = {token: size for token, size in shares.items() if size}
    if held != at_venue:
        problems.append(f"shares by own fills {held}, at the venue {at_venue}")
    cash = STARTING_CASH * SCALE
    for _, _, side, _, size, price, fee, liquidity in report["fills"]:
        # Parts of a cent go against the taker. The market maker takes nothing here, so whoever
        # rested was met by himself and has what the taker gave up.
        rounds_up = (side == "BUY") is (liquidity == Liquidity.TAKER.value)
        notional = (notional_ceil if rounds_up else notional_floor)(Micros(price), Micros(size))
        cash += -notional if side == "BUY" else notional
        cash -= fee
    if cash != round(float(ledger["collateral"]) * 1e6):
        problems.append(f"cash by own fills {cash}, at the venue {ledger['collateral']}")
    if report["balance"] != round(float(ledger["collateral"]) * 1e6):
        problems.append(f"cash {report['balance']}, at the venue {ledger['collateral']}")
    return problems


def _count_conditional_sales(journal: Path) -> int:
    with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as file:
        (number,) = file.execute(
            "SELECT COUNT(*) FROM entries WHERE kind = 'conditional' AND text LIKE '%sells as%'"
        ).fetchone()
    return int(number)


def _replacement(life: OrderLife) -> str | None:
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


def history_of(folder: Path, order_id: str) -> str:
    """Return what the journal tells of one order."""
    lives = read_lives(folder / "journal.sqlite")
    assert not isinstance(lives, JournalProblem), lives
    return " || ".join(_history(e) for e in lives if e.order.order.order_id == order_id)


def _history(life: OrderLife) -> str:
    return " | ".join(f"{e.kind}: {e.text}" for e in life.entries)
