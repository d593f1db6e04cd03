"""The line of an event's outcomes; a click on one goes there."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events
from textual.message import Message

from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.ui.market.paint_siblings import paint_siblings
from pmtui.ui.market.siblings import Siblings
from pmtui.ui.widgets.text_line import TextLine


class SiblingStrip(TextLine):
    """Shows the outcomes around the one on the screen."""

    @dataclass
    class Picked(Message):
        """The trader wants to go to this outcome."""

        condition_id: ConditionId

    _places: tuple[ConditionId | None, ...] = ()
    """Whose name is at which cell, in the picture that is clicked at."""

    def show_siblings(
        self, siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int
    ) -> None:
        """Show them; the same again costs nothing."""
        strip = paint_siblings(siblings, mids, width, ascii_only=self._ascii_only)
        ids = [market.condition_id for market in siblings.markets]
        self._places = tuple(None if place < 0 else ids[place] for place in strip.places)
        self.show(strip.line)

    def on_click(self, event: events.Click) -> None:
        """Go to what is under the pointer."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x >= len(self._places):
            return
        condition_id = self._places[offset.x]
        if condition_id is not None:
            event.stop()
            self.post_message(self.Picked(condition_id))
