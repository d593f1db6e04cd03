"""A position that plays, pauses, steps, jumps and changes speed, on a clock that a test moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.recording.timeline import FASTEST, SLOWEST, SPEEDS, Timeline

MINUTE = 60_000_000


class Hand:
    """A monotonic clock moved by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def timeline(*, speed: float = 1.0) -> tuple[Timeline, Hand]:
    hand = Hand()
    return Timeline(MINUTE, monotonic=hand, speed=speed), hand


@pytest.mark.parametrize(("speed", "expected"), [(1.0, 2_000_000), (10.0, 20_000_000)])
def test_it_plays_at_its_speed(speed: float, expected: int) -> None:
    line, hand = timeline(speed=speed)
    hand.now_s += 2
    assert line.position_us == expected


def test_it_stays_at_the_end_and_begins_again_from_there() -> None:
    line, hand = timeline()
    hand.now_s += 90
    assert (line.position_us, line.has_ended) == (MINUTE, True)
    line.resume()
    assert (line.position_us, line.moves) == (0, 1)


def test_a_pause_keeps_the_position_and_nothing_comes_closer() -> None:
    line, hand = timeline()
    hand.now_s += 2
    line.pause()
    hand.now_s += 30
    assert (line.position_us, line.wait_s(MINUTE)) == (2_000_000, None)
    line.resume()
    hand.now_s += 1
    assert line.position_us == 3_000_000


def test_another_speed_begins_where_it_is() -> None:
    line, hand = timeline()
    hand.now_s += 2
    line.change_speed(4)
    hand.now_s += 1
    assert line.position_us == 6_000_000
    assert line.wait_s(10_000_000) == pytest.approx(1.0)


def test_speeds_are_chosen_one_by_one_within_their_bounds() -> None:
    line, _ = timeline()
    for _ in SPEEDS:
        line.faster()
    assert line.speed == FASTEST
    for _ in SPEEDS:
        line.slower()
    assert line.speed == SLOWEST


def test_a_step_pauses_at_a_later_moment_and_moves_nothing() -> None:
    line, _ = timeline()
    line.step_to(7_000_000)
    assert (line.position_us, line.is_paused, line.moves) == (7_000_000, True, 0)


@pytest.mark.parametrize(("to_us", "expected"), [(-5, 0), (30, 30), (2 * MINUTE, MINUTE)])
def test_a_jump_stays_within_the_recording(to_us: int, expected: int) -> None:
    line, _ = timeline(speed=0)
    line.move_to(to_us)
    assert (line.position_us, line.moves) == (expected, 1)


@given(st.lists(st.sampled_from(["pause", "resume", "faster", "slower", "wait"]), max_size=30))
def test_the_position_never_runs_backwards_or_out(deeds: list[str]) -> None:
    line, hand = timeline()
    before = 0
    for deed in deeds:
        if deed == "wait":
            hand.now_s += 1.5
        elif deed != "resume" or not line.has_ended:
            getattr(line, deed)()
        assert before <= line.position_us <= MINUTE
        before = line.position_us


def test_time_counts_for_the_stream_while_it_plays_and_never_more_than_is_recorded() -> None:
    line, hand = timeline(speed=0)
    hand.now_s += 5
    line.step_to(3_000_000)
    line.move_to(30_000_000)
    hand.now_s += 5
    assert line.played_s == 0
    line.resume()
    hand.now_s += 2
    assert line.played_s == 2
    line.change_speed(10)
    hand.now_s += 1
    assert line.played_s == 3
    line.change_speed(0.5)
    hand.now_s += 4
    line.pause()
    hand.now_s += 5
    assert line.played_s == 5


def test_whoever_delivers_is_told_of_every_change() -> None:
    line, _ = timeline()
    told: list[int] = []
    line.on_change(lambda: told.append(line.position_us))
    line.pause()
    line.move_to(5)
    line.faster()
    assert len(told) == 3
