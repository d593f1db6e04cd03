"""The queue estimate, checked against a line of people that is really kept."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.queue import QueueSpot, join_queue, resume_queue, update_queue
from pmtui.domain.money import Micros

sizes = st.integers(0, 10**12).map(Micros)


@st.composite
def looks(draw: st.DrawFn) -> tuple[Micros, Micros, Micros]:
    displayed = draw(sizes)
    return displayed, draw(sizes), Micros(draw(st.integers(0, displayed)))


def told(spot: QueueSpot, look: tuple[Micros, Micros, Micros]) -> QueueSpot:
    displayed, traded, own = look
    return update_queue(spot, displayed, traded=traded, own_shown=own)


@given(sizes, st.lists(st.tuples(looks(), st.booleans()), max_size=12))
def test_it_is_never_negative_never_more_than_displayed_and_never_grows(
    joined_at: Micros, seen: list[tuple[tuple[Micros, Micros, Micros], bool]]
) -> None:
    spot = join_queue(joined_at)
    for look, is_gap in seen:
        before = spot.ahead
        spot = resume_queue(spot, look[0], own_shown=look[2]) if is_gap else told(spot, look)
        assert 0 <= spot.ahead <= look[0] - look[2]
        assert spot.ahead <= before


@dataclass
class Line:
    """A price level that knows who stands where."""

    ahead: int
    own: int
    behind: int = 0
    traded: int = field(default=0, init=False)

    @property
    def displayed(self) -> Micros:
        return Micros(self.ahead + self.own + self.behind)

    def trade(self, size: int) -> None:
        self.traded += min(size, self.displayed)
        for name in ("ahead", "own", "behind"):
            part = min(size, getattr(self, name))
            setattr(self, name, getattr(self, name) - part)
            size -= part

    def look(self, spot: QueueSpot) -> QueueSpot:
        traded, self.traded = Micros(self.traded), 0
        return update_queue(spot, self.displayed, traded=traded, own_shown=Micros(self.own))


moves = st.lists(st.tuples(st.sampled_from(("trade", "join")), st.integers(1, 500)), max_size=30)


@given(st.integers(0, 3000), st.integers(1, 300), moves)
def test_without_cancellations_the_estimate_is_the_truth(
    ahead: int, own: int, steps: list[tuple[str, int]]
) -> None:
    line = Line(ahead, own)
    spot = join_queue(line.displayed, own_shown=Micros(own))
    for kind, size in steps:
        if kind == "trade":
            line.trade(size)
        else:
            line.behind += size
        spot = line.look(spot)
        assert spot.ahead == line.ahead


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(1, 3000))
def test_what_is_cancelled_leaves_in_proportion(ahead: int, behind: int, cancelled: int) -> None:
    line = Line(ahead, 10, 0)
    spot = join_queue(line.displayed, own_shown=Micros(10))
    line.behind = behind
    spot = line.look(spot)
    others = ahead + behind
    cancelled = min(cancelled, others)
    spot = update_queue(spot, Micros(line.displayed - cancelled), own_shown=Micros(10))
    expected = ahead - (ahead * cancelled // others if others else 0)
    assert spot.ahead == expected


@given(st.integers(1, 3000), st.integers(0, 3000), st.integers(1, 3000))
def test_a_trade_and_its_level_may_come_in_either_order(
    ahead: int, behind: int, traded: int
) -> None:
    line = Line(ahead, 5, behind)
    start = QueueSpot(Micros(ahead), line.displayed, Micros(5))
    traded = min(traded, ahead)
    before, after = line.displayed, Micros(line.displayed - traded)
    size = Micros(traded)
    own = Micros(5)
    print_first = update_queue(start, before, traded=size, own_shown=own)
    print_first = update_queue(print_first, after, own_shown=own)
    level_first = update_queue(start, after, own_shown=own)
    level_first = update_queue(level_first, after, traded=size, own_shown=own)
    together = update_queue(start, after, traded=size, own_shown=own)
    assert print_first.ahead == level_first.ahead == together.ahead == ahead - traded


def test_an_own_order_that_leaves_is_nobody_elses_cancellation() -> None:
    # Two own orders of 10 behind 100: the later one is cancelled.
    spot = QueueSpot(Micros(100), Micros(120), Micros(20))
    assert update_queue(spot, Micros(110), own_shown=Micros(10)).ahead == 100


def test_an_order_met_again_stands_behind_everybody_and_a_gap_credits_nobody() -> None:
    spot = join_queue(Micros(500), own_shown=Micros(50))
    assert spot.ahead == 450
    assert resume_queue(spot, Micros(480), own_shown=Micros(50)).ahead == 430
    assert resume_queue(spot, Micros(900), own_shown=Micros(50)).ahead == 450
    assert resume_queue(spot, Micros(20), own_shown=Micros(50)).ahead == 0
