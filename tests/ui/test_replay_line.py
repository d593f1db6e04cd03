"""Where a replay is, in one line at any width; and its keys, pressed in the whole terminal."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pmtui.ui.cells import line_width
from pmtui.ui.facts import key_of
from pmtui.ui.keys.action_table import ACTIONS, Context
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, actions_in
from pmtui.ui.replay_line import paint_replay
from pmtui.ui.surface import ReplayView

VIEW = ReplayView(
    position_s=725, length_s=4_000, at=datetime(2026, 7, 27, 14, 43, 10, tzinfo=UTC), speed=4.0,
    is_paused=False, has_ended=False,
)  # fmt: skip


def text(view: ReplayView, width: int = 120) -> str:
    line = paint_replay(view, width, key=lambda each: key_of(DEFAULT_KEYMAP, each))
    assert line_width(line) <= width
    return "".join(cell.text for cell in line)


def test_position_length_speed_moment_and_keys_are_shown() -> None:
    said = text(VIEW)
    for part in ("12:05/1:06:40", "x4", "2026-07-27 14:43:10 UTC", "P Pause", "{ -30s", "= Faster"):
        assert part in said


@pytest.mark.parametrize(
    ("is_paused", "has_ended", "state"),
    [(False, False, []), (True, False, ["paused"]), (False, True, ["ended"])],
)
def test_what_keeps_it_still_is_said(is_paused: bool, has_ended: bool, state: list[str]) -> None:
    said = text(replace(VIEW, is_paused=is_paused, has_ended=has_ended))
    assert [word for word in ("paused", "ended") if word in said] == state
    assert ("P Play" in said, "P Pause" in said) == (bool(state), not state)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_on_a_narrow_screen_the_moment_goes_first(width: int) -> None:
    said = text(replace(VIEW, is_paused=True), width)
    assert "12:05/1:06:40 x4 paused" in said
    assert "2026" not in said


def test_no_key_of_a_replay_means_anything_else_on_any_screen() -> None:
    ours = {key for action in actions_in(Context.REPLAY) for key in action.keys}
    others = {key for a in ACTIONS if a.context is not Context.REPLAY for key in a.keys}
    assert len(ours) == 7
    assert not ours & others
