"""Any history of fills, told of in any order: what is shown was held, and ends as what is held.

The venue is a list of moments. A report shows the state of one between its question, minus the
lag, and its answer; it is read later still. Each fill is told of some time after its match, by as
many ways as there are. No fill is lost.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from math import inf

from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.account.holdings import RESOLUTION, Holdings, ReportTime
from pmtui.domain.account.position import Position
from pmtui.domain.ids import TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, TradeStatus
from tests.domain.orders.order_kit import FILL, START, TOKEN

SHARE = 1_000_000
QUIET_MS = 120_000
"""So long nothing happens at first."""
NO_ERROR = timedelta()
TOLD_MS = 1_000
"""After a trade failed."""
LISTED = Position(
    token_id=TOKEN, condition_id=FILL.condition_id, title="", outcome="Yes", size=Micros(0),
    average_price=Micros(400_000), current_price=Micros(500_000), realized=Micros(0),
)  # fmt: skip


@dataclass(frozen=True)
class Happened:
    """A change of what is held, and when it is told of; of a deposit nobody tells."""

    at_ms: int
    size: int
    heard_ms: tuple[int, ...]
    is_fill: bool = True
    fails_ms: int | None = None
    """When its trade fails on chain, which is told of a second later."""
    sent_ms: float = -inf
    """When its order was sent; -inf where that is not known."""

    def size_at(self, at_ms: int) -> int:
        has_failed = self.fails_ms is not None and self.fails_ms <= at_ms
        return self.size if self.at_ms <= at_ms and not has_failed else 0


@dataclass(frozen=True)
class Asked:
    """A report: of the moment `seen_ms`, read at `heard_ms`."""

    asked_ms: int
    seen_ms: int
    answered_ms: int
    heard_ms: int
    is_balance: bool


@dataclass(frozen=True)
class Read:
    """The trades, read completely: all that happened to any until the question, minus the lag."""

    asked_ms: int
    heard_ms: int


@dataclass(frozen=True)
class Case:
    lag_ms: int
    first: int
    happened: tuple[Happened, ...]
    asked: tuple[Asked, ...]
    reads: tuple[Read, ...] = ()

    def held_at(self, at_ms: int) -> int:
        return self.first + sum(each.size_at(at_ms) for each in self.happened)

    def range_since(self, since_ms: int, until_ms: int) -> tuple[int, int]:
        """The least and the most that the venue held in a stretch of time."""
        within = [each.at_ms for each in self.happened if since_ms < each.at_ms <= until_ms]
        held = [self.held_at(at) for at in (since_ms, *within)]
        return min(held), max(held)

    @property
    def end_ms(self) -> int:
        """When the last thing has been told of."""
        heard = [
            ms
            for each in self.happened
            for ms in (each.at_ms, *each.heard_ms, (each.fails_ms or 0) + TOLD_MS)
        ]
        reads = [each.heard_ms for each in self.reads]
        return max([0, *heard, *reads, *(each.heard_ms for each in self.asked)])


def moment_of(ms: int) -> timedelta:
    return timedelta(milliseconds=ms)


def to_fill(key: TradeId, each: Happened, status: TradeStatus) -> Fill:
    # The venue cuts the moment to the second.
    return replace(
        FILL, trade_id=key, size=Micros(abs(each.size)), status=status,
        side=Side.BUY if each.size > 0 else Side.SELL,
        matched_at=START + moment_of(each.at_ms // 1000 * 1000),
    )  # fmt: skip


class Replay:
    """Tells a model of a case, step by step."""

    def __init__(self, case: Case, *, lag_ms: int | None = None) -> None:
        """Begin with a model that allows for the lag of the case, or for a longer one."""
        self.case = case
        self.holdings = Holdings(lag=moment_of(case.lag_ms if lag_ms is None else lag_ms))
        self.newest: Asked | None = None
        self.failed: set[TradeId] = set()

    def steps(self) -> list[tuple[int, int, Happened | Asked | Read]]:
        told = [
            (ms, number, each)
            for number, each in enumerate(self.case.happened)
            for ms in (each.heard_ms if each.is_fill else ())
        ]
        told += [
            (each.fails_ms + TOLD_MS, number, each)
            for number, each in enumerate(self.case.happened)
            if each.fails_ms is not None
        ]
        asked = [(each.heard_ms, 10_000 + n, each) for n, each in enumerate(self.case.asked)]
        reads = [(each.heard_ms, 20_000 + n, each) for n, each in enumerate(self.case.reads)]
        return sorted([*told, *asked, *reads], key=lambda step: step[:2])

    def tell(self, number: int, step: Happened | Asked | Read, *, now_ms: int = 0) -> None:
        if isinstance(step, Read):
            until_ms = step.asked_ms - self.case.lag_ms
            for index, each in enumerate(self.case.happened):
                if each.is_fill and each.at_ms <= until_ms:
                    has_failed = each.fails_ms is not None and each.fails_ms <= until_ms
                    self.tell_fill(index, each, now_ms=now_ms, has_failed=has_failed)
            self.holdings.apply_complete_trades(START + moment_of(step.asked_ms))
            return
        if isinstance(step, Happened):
            has_failed = step.fails_ms is not None and step.fails_ms + TOLD_MS <= now_ms
            self.tell_fill(number, step, now_ms=now_ms, has_failed=has_failed)
            return
        if self.newest is None or self.newest.asked_ms <= step.asked_ms:
            self.newest = step
        time = ReportTime(
            START + moment_of(step.asked_ms), START + moment_of(step.answered_ms), NO_ERROR,
            step.answered_ms,
        )  # fmt: skip
        size = Micros(self.case.held_at(step.seen_ms))
        if step.is_balance:
            self.holdings.apply_balance(TOKEN, size, time)
        else:
            rows = (replace(LISTED, size=size),) if size else ()
            self.holdings.apply_positions(rows, time)

    def tell_fill(self, number: int, each: Happened, *, now_ms: int, has_failed: bool) -> None:
        key = TradeId(str(number))
        if has_failed:
            self.failed.add(key)
        # As own orders are kept: what has failed stays so, whoever tells otherwise later.
        status = TradeStatus.FAILED if key in self.failed else TradeStatus.MATCHED
        fill = to_fill(key, each, status)
        # Any unit does, as long as it is one.
        self.holdings.apply_fill(fill, heard=START + moment_of(now_ms), sent_s=each.sent_ms)

    def poll(self, at_ms: int) -> None:
        """Ask both hosts, whose answers are of that very moment, and read all trades."""
        for is_balance in (True, False):
            self.tell(0, Asked(at_ms, at_ms, at_ms, at_ms, is_balance))
        self.holdings.apply_complete_trades(START + moment_of(at_ms))

    @property
    def size(self) -> int:
        return self.holdings.size(TOKEN) or 0


COMMON_SIZES = st.lists(st.sampled_from((5, 20, 60, -5, -20, -60)), max_size=8)
TELLING_SIZES = st.lists(
    st.integers(0, 15).flatmap(lambda power: st.sampled_from((2**power, -(2**power)))),
    unique_by=abs, max_size=16,
)  # fmt: skip
"""No two choices of such fills add up to the same, so that a report tells which it contains."""


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    in_order: bool = True,
    deposits: bool = False,
    failures: bool = False,
    telling: bool = False,
) -> Case:
    lag_ms = draw(st.sampled_from([0, 400, 1_500, 5_000]))
    delays = st.integers(0, 4_000)
    first = draw(st.integers(0, 5)) * 20 * SHARE
    held, at_ms, heard_ms = first, 0, 0
    happened: list[Happened] = []
    for drawn in draw(TELLING_SIZES if telling else COMMON_SIZES):
        at_ms += draw(st.integers(1, 3_000))
        size = drawn * SHARE
        if size + held < 0:
            size = -size if telling else -held or 7 * SHARE
        held += size
        is_fill = not deposits or draw(st.booleans())
        told = sorted(at_ms + draw(delays) for _ in range(draw(st.integers(1, 2))))
        if in_order:
            told = [max(heard_ms, ms) for ms in told]
        heard_ms = told[0]
        fails_ms = at_ms + draw(st.integers(1, 9_000)) if failures and draw(st.booleans()) else None
        sent_ms = at_ms - draw(st.integers(0, 2_000)) if draw(st.booleans()) else -inf
        happened.append(Happened(at_ms, size, tuple(told), is_fill, fails_ms, sent_ms))
    asked: list[Asked] = []
    for _ in range(draw(st.integers(0, 20))):
        asked_ms = draw(st.integers(0, at_ms + 4_000))
        answered_ms = asked_ms + draw(st.integers(0, 2_000))
        seen_ms = draw(st.integers(asked_ms - lag_ms, answered_ms))
        later_ms = answered_ms + draw(st.integers(0, 1_000))
        asked.append(Asked(asked_ms, seen_ms, answered_ms, later_ms, draw(st.booleans())))
    reads: list[Read] = []
    for _ in range(draw(st.integers(0, 4))):
        asked_ms = draw(st.integers(0, at_ms + 12_000))
        reads.append(Read(asked_ms, asked_ms + draw(st.integers(0, 1_000))))
    return Case(lag_ms, first, tuple(happened), tuple(asked), tuple(reads))


LATE_AND_EQUAL = Case(
    lag_ms=0, first=0,
    happened=(
        *(Happened(n, 5 * SHARE, (n if n < 3 else 1_006,)) for n in range(1, 5)),
        Happened(5, -20 * SHARE, (1_006,)),
    ),
    asked=(
        Asked(1_005, 1_005, 1_005, 1_005, is_balance=False),
        Asked(0, 0, 0, 0, is_balance=False),
        Asked(0, 0, 5, 1_005, is_balance=False),
    ),
)  # fmt: skip
"""An older answer that comes after the newest and says the same."""


@given(cases())
@example(LATE_AND_EQUAL)
def test_what_is_shown_was_held_since_the_last_question(case: Case) -> None:
    replay = Replay(case)
    replay.poll(-QUIET_MS)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
        assert replay.newest is not None
        since_ms = replay.newest.asked_ms - case.lag_ms - RESOLUTION // moment_of(1)
        least, most = case.range_since(since_ms, now_ms)
        assert least <= replay.size <= most


@given(cases())
def test_one_poll_after_the_last_fill_was_told_of_the_truth_is_shown(case: Case) -> None:
    replay = Replay(case)
    replay.poll(-QUIET_MS)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
    replay.poll(case.end_ms + 1)
    assert replay.size == case.held_at(case.end_ms)


OUT_OF_ORDER = Case(
    lag_ms=400, first=20 * SHARE,
    happened=(
        Happened(1, -5 * SHARE, (1,)),
        *(Happened(n, 5 * SHARE, (max(n, 1_085) if n > 1_083 else n,)) for n in range(1_083, 1_088)),
    ),
    asked=(Asked(0, 1_084, 1_084, 1_084, is_balance=False),),
)  # fmt: skip
"""Only another order than that of the matches explains the reports."""


@given(cases(in_order=False))
@example(OUT_OF_ORDER)
def test_fills_told_of_in_another_order_end_the_same(case: Case) -> None:
    replay = Replay(case)
    replay.poll(-QUIET_MS)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
        untold = [e.size for e in case.happened if e.at_ms <= now_ms and e.heard_ms[0] > now_ms]
        assert replay.newest is not None
        since_ms = replay.newest.asked_ms - case.lag_ms - RESOLUTION // moment_of(1)
        least, most = case.range_since(since_ms, now_ms)
        assert least - sum(s for s in untold if s > 0) <= replay.size
        assert replay.size <= most - sum(s for s in untold if s < 0)
    replay.poll(case.end_ms + 1)
    assert replay.size == case.held_at(case.end_ms)


@given(cases())
def test_a_start_among_fills_shows_what_was_held_and_ends_as_what_is_held(case: Case) -> None:
    replay = Replay(case)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
        if replay.newest is not None:
            since_ms = replay.newest.asked_ms - case.lag_ms - RESOLUTION // moment_of(1)
            least, most = case.range_since(since_ms, now_ms)
            assert least <= replay.size <= most
    replay.poll(case.end_ms + case.lag_ms + 1_001)
    assert replay.size == case.held_at(case.end_ms)


@given(cases(telling=True))
def test_a_start_among_many_fills_never_shows_what_was_not_held(case: Case) -> None:
    # The wallet's state may be a minute old for all that is known; it is far younger.
    replay = Replay(case, lag_ms=60_000)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
        if replay.newest is not None:
            since_ms = replay.newest.asked_ms - case.lag_ms - RESOLUTION // moment_of(1)
            least, most = case.range_since(since_ms, now_ms)
            assert least <= replay.size <= most


@given(cases(deposits=True))
def test_shares_that_came_or_went_without_a_fill_are_known_after_three_polls(case: Case) -> None:
    replay = Replay(case)
    replay.poll(-QUIET_MS)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
    at_ms = case.end_ms
    for _ in range(3):
        at_ms += case.lag_ms + 1_001
        replay.poll(at_ms)
    assert replay.size == case.held_at(case.end_ms)
    assert not replay.holdings.doubtful()


@given(cases(failures=True))
def test_shares_of_a_failed_trade_are_taken_back_once_whatever_contained_them(case: Case) -> None:
    # More than all sales together, as what is bought and fails may have been sold meanwhile.
    case = replace(case, first=case.first + 1_000 * SHARE)
    replay = Replay(case)
    replay.poll(-QUIET_MS)
    for now_ms, number, step in replay.steps():
        replay.tell(number, step, now_ms=now_ms)
    replay.poll(case.end_ms + 1)
    assert replay.size == case.held_at(case.end_ms)
    assert not replay.holdings.doubtful()
