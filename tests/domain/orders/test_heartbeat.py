from datetime import timedelta

import pytest

from pmtui.domain.orders.heartbeat import (
    ANSWER_S,
    DEADLINE_S,
    EVERY_S,
    FIRST_HEARTBEAT,
    LATE_AFTER_S,
    PERIOD_S,
    BeatState,
    HeartbeatAnswer,
    HeartbeatId,
    beat_state,
)


def test_one_heartbeat_may_be_missed_before_the_deadline() -> None:
    assert 2 * PERIOD_S <= DEADLINE_S


def test_a_heartbeat_counts_unless_it_is_refused() -> None:
    assert FIRST_HEARTBEAT == ""
    assert HeartbeatAnswer(HeartbeatId("h")).is_accepted
    assert not HeartbeatAnswer(HeartbeatId("h"), "Invalid Heartbeat ID").is_accepted


def test_we_send_more_often_than_asked_and_two_more_may_fail_before_the_deadline() -> None:
    assert EVERY_S < PERIOD_S
    assert EVERY_S + 3 * ANSWER_S <= DEADLINE_S


def test_a_heartbeat_in_its_turn_is_never_late() -> None:
    assert LATE_AFTER_S >= EVERY_S + ANSWER_S


@pytest.mark.parametrize(
    ("silence_s", "state"),
    [
        (None, BeatState.STARTING),
        (0, BeatState.BEATING),
        (LATE_AFTER_S - 1, BeatState.BEATING),
        (LATE_AFTER_S, BeatState.LATE),
        (DEADLINE_S - 1, BeatState.LATE),
        (DEADLINE_S, BeatState.LOST),
        (3_600, BeatState.LOST),
    ],
)
def test_silence_says_how_it_stands(silence_s: int | None, state: BeatState) -> None:
    silence = None if silence_s is None else timedelta(seconds=silence_s)
    assert beat_state(silence) is state


def test_the_venue_cancels_once_a_heartbeat_was_accepted_and_not_before() -> None:
    armed = {state for state in BeatState if state.is_armed_at_venue}
    assert armed == {BeatState.BEATING, BeatState.LATE, BeatState.LOST}
