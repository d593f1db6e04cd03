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
    ExitPolicy,
    ExitReason,
    HeartbeatAnswer,
    HeartbeatId,
    beat_state,
    describe_exit,
    describe_paused_stops,
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


@pytest.mark.parametrize("is_paper", [True, False])
@pytest.mark.parametrize("is_switch_armed", [True, False])
def test_cancelling_is_the_same_everywhere(is_switch_armed: bool, is_paper: bool) -> None:
    said = describe_exit(ExitPolicy.CANCEL, is_switch_armed=is_switch_armed, is_paper=is_paper)
    assert said == "Every order is cancelled before pmtui ends."


@pytest.mark.parametrize("policy", [ExitPolicy.LEAVE, ExitPolicy.SWITCH])
def test_an_armed_switch_cancels_whatever_else_was_chosen(policy: ExitPolicy) -> None:
    said = describe_exit(policy, is_switch_armed=True, is_paper=False)
    assert "the venue cancels every order 10 to 15 s later" in said


def test_a_switch_that_nobody_armed_cancels_nothing_and_that_is_said() -> None:
    said = describe_exit(ExitPolicy.SWITCH, is_switch_armed=False, is_paper=False)
    assert "nothing cancels them: they stay" in said
    assert "stay" in describe_exit(ExitPolicy.LEAVE, is_switch_armed=False, is_paper=False)


def test_the_local_venue_ends_with_us_and_its_switch_with_it() -> None:
    for policy in (ExitPolicy.LEAVE, ExitPolicy.SWITCH):
        said = describe_exit(policy, is_switch_armed=True, is_paper=True)
        assert said.startswith("Paper orders come back on the next start, if a heartbeat")
    said = describe_exit(ExitPolicy.LEAVE, is_switch_armed=False, is_paper=True)
    assert said == "Paper orders come back on the next start."


def test_only_quitting_goes_by_its_own_setting() -> None:
    settings = {exit_reason: exit_reason.setting for exit_reason in ExitReason}
    assert settings.pop(ExitReason.QUIT) == "on_quit"
    assert set(settings.values()) == {"on_hangup"}


def test_stops_that_end_with_the_program_are_counted() -> None:
    assert describe_paused_stops(0) == ""
    assert describe_paused_stops(1).startswith("1 ")
    assert describe_paused_stops(3).startswith("3 ")
