"""The application over a replay: the same screens, and the replay's keys."""

from typing import ClassVar

from textual.binding import BindingType

from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.replay.replay_line import ReplayLine


class ReplayApp(PmtuiApp):
    """The terminal of a replay."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.REPLAY)

    def action_replay(self, deed: str) -> None:
        """Run an action of the replay.

        Args:
            deed: the name of the action and of its control.
        """
        controls = self.surface.replay
        if controls is None:
            return
        deeds = {
            "pause": controls.pause, "step": controls.step, "back": controls.back,
            "forward": controls.forward, "slower": controls.slower, "faster": controls.faster,
        }  # fmt: skip
        deeds[deed]()
        for line in self.screen.query(ReplayLine):
            line.follow()
