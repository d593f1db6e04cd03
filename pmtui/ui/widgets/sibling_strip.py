"""The line of an event's outcomes; a click on one goes there."""

from collections.abc import Mapping

from textual import events
from textual.message import Message

from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.records import dataclass
from pmtui.ui.paint.siblings import paint_siblings
from pmtui.ui.siblings import Siblings
from pmtui.ui.widgets.text_line import TextLine


class SiblingStrip(TextLine):
    """Shows the outcomes around the one on the screen."""

    @dataclass
    class Picked(Message):
        """The trader wants to go to the outcome at this place."""

        index: int

    _places: tuple[int, ...] = ()

    def show_siblings(
        self, siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int
    ) -> None:
        """Show them; the same again costs nothing."""
        strip = paint_siblings(siblings, mids, width, ascii_only=self._ascii_only)
        self._places = strip.places
        self.show(strip.line)

    def on_click(self, event: events.Click) -> None:
        """Go to what is under the pointer."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x >= len(self._places) or self._places[offset.x] < 0:
            return
        event.stop()
        self.post_message(self.Picked(self._places[offset.x]))
