from pmtui.domain.heartbeat import (
    DEADLINE_S,
    FIRST_HEARTBEAT,
    PERIOD_S,
    HeartbeatAnswer,
    HeartbeatId,
)


def test_one_heartbeat_may_be_missed_before_the_deadline() -> None:
    assert 2 * PERIOD_S <= DEADLINE_S


def test_a_heartbeat_counts_unless_it_is_refused() -> None:
    assert FIRST_HEARTBEAT == ""
    assert HeartbeatAnswer(HeartbeatId("h")).is_accepted
    assert not HeartbeatAnswer(HeartbeatId("h"), "Invalid Heartbeat ID").is_accepted
