"""Where the ticket's fields stand: in rows of a pane, or side by side on one line."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.ticket.draft import TicketField
from pmtui.ui.cells import Cell
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import Choice, NumberField, TextBlock
from pmtui.ui.widgets.text_line import TextLine

FIELD_WIDGETS = {
    TicketField.SIDE: "#ticket-side",
    TicketField.OUTCOME: "#ticket-side",
    TicketField.KIND: "#ticket-kind",
    TicketField.TIME_IN_FORCE: "#ticket-time-in-force",
    TicketField.EXPIRY: "#ticket-expiry",
    TicketField.POST_ONLY: "#ticket-post-only",
    TicketField.PRICE: "#ticket-price",
    TicketField.SIZE: "#ticket-size",
    TicketField.STOP: "#ticket-stop",
    TicketField.TARGET: "#ticket-target",
}


class TicketLayout(Vertical):
    """The fields, and the blocks of lines that tell of them; subclasses fill them."""

    DEFAULT_CSS = """
    TicketLayout { display: none; width: 100%; height: 100%; }
    TicketLayout.-open { display: block; }
    TicketLayout .ticket-row { height: 1; }
    TicketLayout .ticket-label { width: 7; }
    TicketLayout #ticket-side { width: 7; }
    TicketLayout NumberField { background: $surface; }
    TicketLayout NumberField:focus { background: $primary 35%; }
    TicketLayout #ticket-kind { width: 8; }
    TicketLayout #ticket-time-in-force { width: 5; }
    TicketLayout #ticket-post-only { width: 15; }
    TicketLayout #ticket-unit { width: 10; }
    TicketLayout #ticket-price { width: 8; }
    TicketLayout #ticket-size { width: 12; }
    TicketLayout #ticket-expiry { width: 7; visibility: hidden; }
    TicketLayout.-timed #ticket-expiry { visibility: visible; }
    TicketLayout.-market #ticket-post-only { display: none; }
    TicketLayout.-market #ticket-price { width: 13; }
    TicketLayout #ticket-stop, TicketLayout #ticket-target { width: 7; }
    TicketLayout #ticket-target-label { width: 8; }
    TicketLayout.-sell #ticket-attached, TicketLayout.-low #ticket-attached { display: none; }
    TicketLayout #ticket-figures { height: 1fr; }
    TicketLayout #ticket-below { display: none; }

    /* On one line: the same fields in the same order, all that is said of them below. */
    TicketLayout.-line { layout: horizontal; height: 3; }
    TicketLayout.-line TextBlock { display: none; }
    TicketLayout.-line #ticket-below { display: block; dock: bottom; height: 2; width: 100%; }
    TicketLayout.-line .ticket-row { width: auto; }
    TicketLayout.-line #ticket-attached { display: none; }
    TicketLayout.-line .ticket-what { width: 1fr; }
    TicketLayout.-line #ticket-side { width: 6; }
    TicketLayout.-line #ticket-kind { width: 7; }
    TicketLayout.-line #ticket-time-in-force { width: 4; }
    TicketLayout.-line #ticket-expiry { width: 6; margin-left: 1; }
    /* Cut short, `post-only` would read as a verb. */
    TicketLayout.-line #ticket-post-only { width: 14; }
    TicketLayout.-line #ticket-price-label { width: 4; }
    TicketLayout.-line.-market #ticket-price-label { width: 7; }
    TicketLayout.-line #ticket-price { width: 6; }
    TicketLayout.-line.-market #ticket-price { width: 13; }
    TicketLayout.-line #ticket-touch { width: 2; }
    TicketLayout.-line #ticket-size-label { width: 6; }
    TicketLayout.-line #ticket-size { width: 11; }
    TicketLayout.-line #ticket-unit { width: 8; }
    """

    side = query_one("#ticket-side", Choice)
    kind = query_one("#ticket-kind", Choice)
    time_in_force = query_one("#ticket-time-in-force", Choice)
    post_only = query_one("#ticket-post-only", Choice)
    unit = query_one("#ticket-unit", Choice)
    price = query_one("#ticket-price", NumberField)
    size_field = query_one("#ticket-size", NumberField)
    expiry = query_one("#ticket-expiry", NumberField)
    stop = query_one("#ticket-stop", NumberField)
    target = query_one("#ticket-target", NumberField)
    outcome = query_one("#ticket-outcome", TextLine)
    touch = query_one("#ticket-touch", TextLine)
    figures = query_one("#ticket-figures", TextBlock)
    state = query_one("#ticket-state", TextBlock)
    below = query_one("#ticket-below", TextBlock)

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Build empty fields."""
        super().__init__(id=id)
        self.surface = surface

    @override
    def compose(self) -> ComposeResult:
        with Horizontal(classes="ticket-row ticket-what"):
            yield Choice(id="ticket-side")
            yield TextLine(id="ticket-outcome")
        yield TextBlock(id="ticket-side-notes")
        with Horizontal(classes="ticket-row"):
            yield Choice(id="ticket-kind")
            yield Choice(id="ticket-time-in-force")
            yield NumberField(id="ticket-expiry", characters="0-9smhdcloeSMHDCLOE")
            yield Choice(id="ticket-post-only")
        yield TextBlock(id="ticket-kind-notes")
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-price-label", classes="ticket-label")
            yield NumberField(id="ticket-price", characters="0-9.,¢")
            yield TextLine(id="ticket-touch")
        yield TextBlock(id="ticket-price-notes")
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-size-label", classes="ticket-label")
            yield NumberField(id="ticket-size", characters="0-9.,$%")
            yield Choice(id="ticket-unit")
        yield TextBlock(id="ticket-size-notes")
        with Horizontal(classes="ticket-row", id="ticket-attached"):
            yield TextLine(id="ticket-stop-label", classes="ticket-label")
            yield NumberField(id="ticket-stop", characters="0-9.,¢")
            yield TextLine(id="ticket-target-label")
            yield NumberField(id="ticket-target", characters="0-9.,¢")
            yield TextLine((Cell(" ¢", Role.DIM),))
        yield TextBlock(id="ticket-attached-notes")
        yield TextBlock(id="ticket-figures")
        yield TextBlock(id="ticket-state")
        yield TextBlock(id="ticket-below")

    def action_next_field(self) -> None:
        """Move to the next field."""
        self._move_focus(1)

    def action_previous_field(self) -> None:
        """Move to the field before."""
        self._move_focus(-1)

    def _move_focus(self, step: int) -> None:
        # Round and round: past the last field the same keys would be commands of the screen.
        fields = [each for each in self.screen.focus_chain if self in each.ancestors]
        focused = self.screen.focused
        if focused in fields:
            _ = fields[(fields.index(focused) + step) % len(fields)].focus()
