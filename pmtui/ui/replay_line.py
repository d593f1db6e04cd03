"""The line of a replay: position, recorded time, speed, and keys."""

from collections.abc import Callable

from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import key_of
from pmtui.ui.keys.actions import Keymap, find_action
from pmtui.ui.surface import ReplayControls, ReplayView
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine

CHECK_PERIOD_S = 0.25
_PAUSE = "replay.pause"
_KEYS = (
    _PAUSE, "replay.step", "replay.back", "replay.forward", "replay.slower",
    "replay.faster",
)  # fmt: skip


class ReplayLine(TextLine):
    """Shows the state of a replay."""

    DEFAULT_CSS = """
    ReplayLine { background: $panel; }
    """

    def __init__(
        self, controls: ReplayControls, keymap: Keymap, *, on_pause_change: Callable[[], None]
    ) -> None:
        """Follow a replay.

        Args:
            controls: the replay's controls.
            keymap: the user's keys.
            on_pause_change: called when the replay ends, is paused, or resumes.
        """
        super().__init__(id="replay")
        self._controls = controls
        self._keymap = keymap
        self._on_pause_change = on_pause_change
        self._paused_reason = ""

    def on_mount(self) -> None:
        """Show the state now and from now on."""
        self.follow()
        self.set_interval(CHECK_PERIOD_S, self.follow)

    def on_resize(self) -> None:
        """Repaint for the new width."""
        self.follow()

    def follow(self) -> None:
        """Show the current state."""
        view = self._controls.view()
        self.show_in_width(
            lambda width: paint_replay(view, width, key=lambda each: key_of(self._keymap, each))
        )
        if view.paused_reason != self._paused_reason:
            self._paused_reason = view.paused_reason
            self._on_pause_change()


def paint_replay(view: ReplayView, width: int, *, key: Callable[[str], str]) -> Line:
    """Paint a replay in one line; if it does not fit, the time is dropped first, then keys."""
    state = "ended" if view.has_ended else "paused" if view.is_paused else ""
    head: Line = (
        Cell(" REPLAY ", Role.STALE, Emphasis.BOLD),
        Cell(f" {_clock(view.position_s)}/{_clock(view.length_s)} x{view.speed:g}"),
    )
    if state:
        head = (*head, Cell(f" {state}", Role.NOTICE_WARN))
    moment = Cell(f"  {view.at:%Y-%m-%d %H:%M:%S} UTC", Role.DIM)
    keys: list[Cell] = []
    for action_id in _KEYS:
        name = key(action_id)
        if name:
            is_play = bool(state) and action_id == _PAUSE
            label = "Play" if is_play else find_action(action_id).label
            keys += [Cell(f"  {name} ", Role.KEY), Cell(label)]
    for line in ((*head, moment, *keys), (*head, *keys)):
        if line_width(line) <= width:
            return line
    return fit_line((*head, *keys), width)


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 3_600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
