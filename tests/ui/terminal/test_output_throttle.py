"""A line slower than what there is to show: pictures become rarer, never older, and keys are heard."""

from pathlib import Path

import pytest

from pmtui.ui.terminal.output_throttle import (
    BRISK_FOR_S,
    BRISK_S,
    CATCH_UP_S,
    GIVE_UP_S,
    NARROW,
    QUESTION,
    SLACK_S,
    SLOWEST_S,
    STILL_S,
    TAKING_S,
    OutputThrottle,
)
from tests.ui.pty_child import PtyChild

TRIP_S = 0.2


class Line:
    """A pace with a clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 100.0
        self.pace = OutputThrottle(lambda: self.at)

    def ask(self) -> bool:
        """Whether a question goes with the picture that is sent now."""
        is_asked = self.pace.question() == QUESTION
        self.pace.painted()
        return is_asked

    def answer_after(self, seconds: float) -> None:
        self.at += seconds
        self.pace.answered()


@pytest.fixture
def line() -> Line:
    line = Line()
    assert line.ask()
    line.answer_after(TRIP_S)
    return line


def test_one_question_at_a_time_is_on_its_way(line: Line) -> None:
    assert line.ask()
    assert not line.ask()
    line.answer_after(TRIP_S)
    assert line.ask()


def test_a_brisk_line_has_shown_frames_at_once_for_a_while(line: Line) -> None:
    line.at += BRISK_FOR_S
    assert line.pace.is_brisk()
    assert line.ask()
    assert line.pace.is_brisk()
    line.at += TRIP_S + BRISK_S * 1.1
    assert not line.pace.is_brisk()
    line.answer_after(0.0)
    assert not line.pace.is_brisk()
    line.at += BRISK_FOR_S * 1.1
    assert line.pace.is_brisk()
    line.pace.given()
    assert not line.pace.is_brisk()


def test_a_line_that_nothing_is_known_of_is_not_brisk() -> None:
    assert not Line().pace.is_brisk()


def test_a_long_way_alone_holds_nothing_back(line: Line) -> None:
    assert line.ask()
    line.at += TRIP_S + SLACK_S * 0.9
    assert not line.pace.is_behind()


def test_a_late_answer_holds_pictures_back_until_it_comes(line: Line) -> None:
    assert line.ask()
    line.at += TRIP_S + SLACK_S * 1.1
    assert line.pace.is_behind()
    line.answer_after(1)
    assert not line.pace.is_behind()


def test_a_late_answer_does_not_make_lateness_usual(line: Line) -> None:
    assert line.ask()
    line.answer_after(5)
    assert line.ask()
    assert line.pace.is_behind(), "one picture at a time on a line that was late"
    for _ in range(NARROW):
        line.answer_after(TRIP_S)
        assert not line.pace.is_behind()
        assert line.ask()
    assert not line.pace.is_behind()
    line.at += TRIP_S + SLACK_S * 1.1
    assert line.pace.is_behind()


def test_a_lost_answer_makes_pictures_rarer_each_time_and_another_one_is_asked_for(
    line: Line,
) -> None:
    assert line.ask()
    asked_at = line.at
    for wait in (SLOWEST_S, 2 * SLOWEST_S, 4 * SLOWEST_S):
        line.at += wait * 0.9
        assert line.pace.is_behind()
        line.at += wait * 0.1 + 0.001
        assert not line.pace.is_behind()
        assert not line.ask()
    assert line.at - asked_at < GIVE_UP_S
    # So long a wait between pictures is no sign that the answer is lost.
    line.at = asked_at + 2 * 8 * SLOWEST_S + 0.001
    assert not line.pace.is_behind()
    assert line.ask()
    line.at += TRIP_S + SLACK_S * 1.1
    assert line.pace.is_behind(), "the next answer is waited for as well"
    line.answer_after(0)
    assert not line.pace.is_behind()


def test_a_terminal_that_has_fallen_silent_is_not_flooded(line: Line) -> None:
    pictures, seconds = 0, 0.0
    for _ in range(3_000):
        if not line.pace.is_behind():
            line.ask()
            pictures += 1
        line.at += 0.1
        seconds = line.at - 100
    assert pictures < seconds
    assert line.pace.question() == ""
    line.answer_after(0)
    for _ in range(NARROW):
        assert line.ask()
        line.answer_after(TRIP_S)
    assert line.ask()
    line.at += TRIP_S
    assert not line.pace.is_behind()


@pytest.mark.parametrize("rate", [1_000, 2_000, 10_000, 100_000])
@pytest.mark.parametrize("size", [400, 4_000, 8_000])
def test_on_a_slow_line_pictures_never_pile_up(line: Line, rate: int, size: int) -> None:
    """Ten pictures a second over a line with endless buffers: none waits behind many others."""
    waiting, sent = 0.0, 0
    questions: list[int] = []
    oldest_s: list[float] = []
    for tick in range(15_000):
        waiting -= min(waiting, rate * 0.02)
        sent_by_now = sent - waiting
        while questions and questions[0] <= sent_by_now:
            questions.pop(0)
            line.pace.answered()
        line.at += 0.02
        if tick % 5 == 0 and not line.pace.is_behind():
            waiting += size
            sent += size
            if line.ask():
                questions.append(sent)
        if tick > 9_000:
            oldest_s.append(waiting / rate)
    assert max(oldest_s) <= 1.1 * size / rate + 2 * (TRIP_S + SLACK_S), max(oldest_s)
    # And the line is not left idle either.
    assert sent >= min(300 * rate, 3_000 * size) * 0.5


def test_a_terminal_that_never_answers_is_not_waited_for() -> None:
    line = Line()
    assert line.ask()
    for _ in range(20):
        line.at += 1
        assert not line.pace.is_behind()
        assert not line.ask()


def test_what_the_kernel_does_not_take_holds_pictures_back(line: Line) -> None:
    line.pace.given()
    assert not line.pace.is_behind()
    line.at += TAKING_S * 1.1
    line.pace.given()
    assert line.pace.is_behind()
    line.pace.taken()
    assert not line.pace.is_behind()


def test_a_line_stands_still_until_the_terminal_confirms_a_picture(line: Line) -> None:
    assert line.ask()
    line.at += STILL_S
    assert line.pace.stood_still_s() == 0
    # However long it takes, also once replies are given up and are asked for again.
    for _ in range(400):
        line.at += 0.25
        if not line.pace.is_behind():
            line.ask()
        assert line.pace.stood_still_s() == pytest.approx(line.at - 100 - TRIP_S)
        assert line.pace.lag_s() == SLOWEST_S
    stood_s = line.pace.stood_still_s()
    line.answer_after(0)
    # A key that comes now was pressed on the old picture.
    line.at += CATCH_UP_S * 0.9
    assert line.pace.stood_still_s() == stood_s
    line.at += CATCH_UP_S * 0.2
    assert line.pace.stood_still_s() == 0


def test_a_program_that_stood_still_has_shown_an_old_picture(line: Line) -> None:
    for _ in range(20):
        line.pace.beat()
        line.at += 0.5
        assert line.pace.stood_still_s() == 0
    line.at += 6
    # A key may be read before the beat.
    assert line.pace.stood_still_s() == pytest.approx(6.5)
    line.pace.beat()
    assert line.pace.stood_still_s() == pytest.approx(6.5)
    for _ in range(3):
        line.at += 0.5
        line.pace.beat()
    assert line.pace.stood_still_s() == 0


def test_a_line_on_which_nothing_is_sent_does_not_stand_still(line: Line) -> None:
    line.at += 3_600
    assert line.pace.stood_still_s() == 0


def test_a_lost_query_is_asked_again_so_that_keys_work_again(line: Line) -> None:
    for _ in range(4_000):
        line.at += 0.1
        if not line.pace.is_behind():
            line.ask()
    asked_again = False
    for _ in range(400):
        line.at += 0.1
        if not line.pace.is_behind():
            asked_again |= line.ask()
    assert asked_again
    line.answer_after(TRIP_S)
    line.at += CATCH_UP_S
    assert line.pace.stood_still_s() == 0


def test_of_a_terminal_that_never_answers_only_the_kernel_tells() -> None:
    line = Line()
    assert line.ask()
    line.at += 60
    assert line.pace.stood_still_s() == 0
    line.pace.given()
    line.at += STILL_S + 1
    assert line.pace.stood_still_s() == pytest.approx(STILL_S + 1)
    line.pace.taken()
    line.at += CATCH_UP_S
    assert line.pace.stood_still_s() == 0


def test_an_answer_without_a_question_means_nothing() -> None:
    line = Line()
    line.pace.answered()
    assert line.ask()
    line.at += 5
    assert not line.pace.is_behind()


MANY = 80
"""Keys, each of which would be a picture."""
FEW = MANY // 4


def test_on_a_line_with_deep_buffers_only_the_newest_picture_is_sent(tmp_path: Path) -> None:
    count = tmp_path / "count"
    with PtyChild("tests.ui.key_app", "ours", env={"KEY_COUNT_FILE": str(count)}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.until(lambda: b"\x1b[6n" in child.output, "a question")
        child.is_mute = True
        keys = 0

        def press() -> None:
            nonlocal keys
            keys += 1
            child.send(b"x")
            child.until(
                lambda: count.exists() and count.read_text() == str(keys),
                f"key {keys} being taken",
            )

        def is_held() -> bool:
            press()
            return not child.pump(SLACK_S * 2)

        child.until(is_held, "an answer being missed")
        before = len(child.output)
        for _ in range(MANY):
            press()
        # One picture for each two seconds, in case the answer is lost.
        assert child.output.count(b"\x1b[?2026h", before) <= FEW
        child.is_mute = False
        child.answer()
        child.until(lambda: f"{keys}:x." in child.row(0), "the newest picture")
