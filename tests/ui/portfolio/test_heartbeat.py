from datetime import UTC, datetime, timedelta

import pytest

from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.ui.paint_status import paint_heartbeat
from pmtui.ui.theme.theme import Role

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("state", "age_s", "said", "role"),
    [
        (BeatState.OFF, None, "beat off", Role.DIM),
        (BeatState.STARTING, None, "beat starting", Role.STALE),
        (BeatState.BEATING, 3, "beat 3s", Role.VERIFIED),
        (BeatState.LATE, 7, "beat late 7s", Role.NOTICE_WARN),
        (BeatState.LOST, 75, "beat LOST 1m", Role.NOTICE_BAD),
    ],
)
def test_state_and_age_are_said_in_words_and_not_by_colour_alone(
    state: BeatState, age_s: int | None, said: str, role: Role
) -> None:
    at = None if age_s is None else NOW - timedelta(seconds=age_s)
    cells = paint_heartbeat(HeartbeatView(HeartbeatPolicy.ON, state, at), NOW)
    assert "".join(cell.text for cell in cells) == said
    assert cells[-1].role is role


def test_whoever_wants_no_heartbeats_loses_no_room_to_them() -> None:
    assert paint_heartbeat(HeartbeatView(), NOW) == ()
