"""Help: every key of the screen one came from, generated from the registry."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.explore.paint_reading import wrap_text
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for, help_lines
from pmtui.ui.keys.glossary import GlossaryScreen
from pmtui.ui.ladder.paint_ladder import SIGNS
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine

COLUMNS = (
    Column("keys", "Key", 12),
    Column("label", "Does", 19, priority=1),
    Column("help", "What it means", 30, grow=1),
)

_LEAST = 30
_BESIDE = 36
"""What the other columns take, with the cells between and beside them."""


class HelpScreen(FrameScreen):
    """Keys by where they work."""

    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.HELP,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.HELP)
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.open", "global.help"})
    DEFAULT_CSS = "HelpScreen LineTable { margin-left: 1; }"

    table = query_one("#keys", LineTable)

    def __init__(self, surface: Surface, contexts: Sequence[Context], about: str) -> None:
        """Explain the keys of some contexts.

        Args:
            surface: for the frame and the user's keys.
            contexts: where one came from, nearest first.
            about: what that screen is for, in a line.
        """
        super().__init__(surface)
        replay = () if surface.replay is None else (Context.REPLAY,)
        self._contexts = (*contexts, *replay, Context.GLOBAL)
        self._about = about

    @override
    def compose_body(self) -> ComposeResult:
        heading = (Cell(" Help ", Role.HEADING), Cell(f" {self._about}", Role.DIM))
        yield TextLine(heading)
        yield LineTable(COLUMNS, id="keys", show_cursor=False)

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self._explain()
        self.table.focus()

    @override
    def on_resize(self) -> None:  # type: ignore[override]  # Textual passes the event only where it is named
        """Break the sentences where the screen ends now."""
        self._explain()

    def _explain(self) -> None:
        room = max(_LEAST, self.size.width - _BESIDE)
        keymap = self.surface.options.keymap
        rows = _sign_rows(room) if Context.LADDER in self._contexts else []
        previous = None
        for place, line in enumerate(help_lines(*self._contexts, keymap=keymap)):
            if line.context is not previous:
                previous = line.context
                title = Cell(line.context.value.capitalize(), Role.HEADING, Emphasis.BOLD)
                rows.append(Row(f"-{line.context}", (title, Cell(""), Cell(""))))
            # Two keys may have one label.
            name = f"{line.context}.{place}"
            first, *more = wrap_text(line.help, room) or ("",)
            help_cell = Cell(first, Role.DIM)
            rows.append(Row(name, (Cell(line.keys, Role.KEY), Cell(line.label), help_cell)))
            rows += [
                Row(f"{name}.{number}", (Cell(""), Cell(""), Cell(text, Role.DIM)))
                for number, text in enumerate(more)
            ]
        self.table.set_rows(rows)

    def action_glossary(self) -> None:
        """Explain the words of this trade."""
        _ = self.app.push_screen(GlossaryScreen(self.surface))

    def action_close(self) -> None:
        """Go back to where one came from."""
        _ = self.dismiss()


def _sign_rows(room: int) -> list[Row]:
    """Return what the signs on a ladder mean."""
    title = Cell("Signs on the ladder", Role.HEADING, Emphasis.BOLD)
    rows = [Row("-signs", (Cell(""), title, Cell("")))]
    for number, (sign, meaning) in enumerate(SIGNS):
        for part, text in enumerate(wrap_text(meaning, room)):
            cells = (Cell("" if part else sign, Role.OWN_ORDER), Cell(""), Cell(text, Role.DIM))
            rows.append(Row(f"sign.{number}.{part}", cells))
    return rows
