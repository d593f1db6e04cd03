"""A text field above a table: letters are text, arrows move the table."""

from collections.abc import Callable, Collection, Mapping
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widgets import Input
from typing_extensions import override

from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.widgets.line_table import LineTable

MOST_LETTERS = 120


class SearchInput(Input):
    """A text field that passes movement and enter to a table."""

    DEFAULT_CSS = """
    SearchInput { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "search.open",
        "search.move_up",
        "search.move_down",
        # Leaving the field would turn letters into commands: the focus stays here.
        "search.next_result",
        "search.previous_result",
        "search.page_up",
        "search.page_down",
    )

    def __init__(
        self, table: Callable[[], LineTable], *, placeholder: str = "", id: str | None = None,  # noqa: A002 - Textual's word
        not_text: Mapping[str, str] | None = None, begins: Collection[str] = (),
        if_none: Callable[[], object] | None = None,
    ) -> None:  # fmt: skip
        """Start empty.

        Args:
            table: returns the table that the keys move in.
            placeholder: shown while the field is empty; never venue text.
            id: as for every widget.
            not_text: signs that are keys here, too, with their actions; letters, digits and the
                space are always text.
            begins: keys that open the search elsewhere. They are not text in an empty field, nor
                when all text is selected.
            if_none: called when there is no row to open.
        """
        super().__init__(
            placeholder=placeholder, max_length=MOST_LETTERS, compact=True, id=id,
            select_on_focus=False,
        )  # fmt: skip
        # A blinking cursor would cause traffic, and differ in screenshots.
        self.cursor_blink = False
        self._table = table
        self._not_text = not_text or {}
        self._begins = frozenset(begins)
        self._if_none = if_none

    async def on_key(self, event: events.Key) -> None:
        """Run the action of a sign that is a key here."""
        character = event.character or " "
        if event.key in self._begins and self.selected_text == self.value:
            event.stop()
            event.prevent_default()
            return
        if event.key in self._not_text and not (character.isalnum() or character == " "):
            event.stop()
            event.prevent_default()
            await self.run_action(self._not_text[event.key])

    def action_open(self) -> None:
        """Open the selected row, and leave the focus on the table for the return."""
        table = self._table()
        table.action_open()
        if not table.rows and self._if_none is not None:
            _ = self._if_none()
        if table.rows:
            # At once, because the next letter may be queued already.
            self.screen.set_focus(table)

    def action_move_up(self) -> None:
        """Move the table's cursor one row up."""
        self._table().action_move_up()

    def action_move_down(self) -> None:
        """Move the table's cursor one row down."""
        self._table().action_move_down()

    @override
    def action_page_up(self) -> None:
        """Move the table's cursor one screen up."""
        self._table().action_page_up()

    @override
    def action_page_down(self) -> None:
        """Move the table's cursor one screen down."""
        self._table().action_page_down()
