"""A card of themes; the selected one is applied to the whole terminal at once."""

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.theme import Theme
from typing_extensions import override

from pmtui.config.workplace import Memory
from pmtui.domain.formats import count
from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import STOPPING, bindings_for, bindings_of, footer_entries
from pmtui.ui.modal import Dimming
from pmtui.ui.plain import plain
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.theme.theme_files import LONGEST_KIND, KnownTheme
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import KeyLine, TextLine

COLUMNS = (Column("name", "Theme", 20, grow=1), Column("about", "", LONGEST_KIND))
WIDTH = 40
_PROBLEM_LINES = 3
_BESIDE = 5
"""Lines of the card besides themes and problems."""


class ThemePicker(ModalScreen[str]):
    """Moving previews a theme, enter keeps it, escape restores the previous one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.THEMES), *bindings_of(*STOPPING)]
    # At the side, without covering other colours: the preview is visible behind the card.
    DEFAULT_CSS = """
    ThemePicker { align: right middle; background: transparent; }
    ThemePicker > #card {
        width: 44; max-width: 100%; height: 70%; min-height: 11; max-height: 100%;
        background: $panel; border: heavy $primary; padding: 0 1;
    }
    ThemePicker LineTable { background: $panel; }
    """

    table = query_one("#themes", LineTable)

    def __init__(self, options: Options, *, names: tuple[str, ...], memory: Memory) -> None:
        """Offer these themes."""
        super().__init__()
        self.dimming = Dimming(self)
        self._options = options
        self._memory = memory
        self._names = names
        self._before = ""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card"):
            title = (Cell("Theme", Role.HEADING, Emphasis.BOLD),)
            yield TextLine(title)
            yield LineTable(COLUMNS, show_header=False, id="themes")
            for line in _describe_problems(self._options.theme_problems):
                yield TextLine((Cell(line, Role.NOTICE_WARN),))
            yield TextLine((Cell("What you keep is worn next time too.", Role.DIM),))
            entries = footer_entries(Context.THEMES, keymap=self._options.keymap)
            yield KeyLine(entries, self._options, width=WIDTH)

    def on_mount(self) -> None:
        """List the themes with the cursor on the current one."""
        beside = _BESIDE + len(_describe_problems(self._options.theme_problems))
        self.query_one("#card").styles.max_height = len(self._names) + beside
        self._before = self.app.theme
        self.table.set_rows([self._row(name) for name in self._names])
        _ = self.table.move_cursor_to(self._before)
        self.table.focus()

    def action_close(self) -> None:
        """Restore the previous theme."""
        self.app.theme = self._before
        _ = self.dismiss(self._before)

    @on(LineTable.RowHighlighted)
    def try_on(self) -> None:
        """Apply the selected theme."""
        name = self.table.cursor_key
        if name is not None:
            self.app.theme = name

    @on(LineTable.RowSelected)
    def keep(self, message: LineTable.RowSelected) -> None:
        """Keep the theme, for the next session, too."""
        self._memory.keep_theme(message.key)
        _ = self.dismiss(message.key)

    def _row(self, name: str) -> Row:
        return Row(name, (Cell(name), Cell(_kind(self.app.available_themes[name]), Role.DIM)))


def _describe_problems(problems: Sequence[str]) -> list[str]:
    """Return which theme files failed and why, shortened so that the list keeps its room."""
    if not problems:
        return []
    lines = wrap(plain(problems[0]), WIDTH, max_lines=_PROBLEM_LINES, placeholder="…")
    more = len(problems) - 1
    return [*lines, f"and {count(more, 'more file')}"] if more else lines


def _kind(theme: Theme) -> str:
    """Return what a theme is for, or at least which colours it has, in a word or two."""
    if isinstance(theme, KnownTheme) and theme.kind:
        return theme.kind
    if not theme.ansi:
        return "dark" if theme.dark else "light"
    colours = (theme.primary, theme.warning, theme.error, theme.success)
    return "no colours" if set(colours) <= {"ansi_default", None} else "16 colours"
