"""The filter form of the list: minimum volume, spread, time to end, own positions, starred."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.markets.listing import NO_FILTER, ListFilter
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.explore.paint_markets import describe_span
from pmtui.ui.format import format_money_compact, format_price
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for, footer_entries
from pmtui.ui.modal import Modal
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import KeyLine, TextLine

COLUMNS = (Column("what", "", 22), Column("value", "", 14, grow=1))
_CENT = SCALE // 100
VOLUMES = (None, *(Micros(dollars * SCALE) for dollars in (1_000, 10_000, 100_000, 1_000_000)))
SPREADS = (None, *(Micros(cents * _CENT) for cents in (1, 2, 5)))
ENDINGS = (None, *(timedelta(hours=hours) for hours in (1, 24, 7 * 24, 30 * 24)))
_ANY = "any"

T = TypeVar("T")


class FilterForm(Modal[ListFilter]):
    """Filters the list behind it at once; enter keeps the filter, escape restores the old one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.FILTERS)
    WIDTH: ClassVar[int] = 52
    DEFAULT_CSS = """
    FilterForm > .frame { height: 10; }
    FilterForm LineTable { background: $panel; }
    """

    table = query_one("#filters", LineTable)

    def __init__(
        self, options: Options, wanted: ListFilter, *, preview: Callable[[ListFilter], None]
    ) -> None:
        """Start with the current filter.

        Args:
            options: keys and character set of this user.
            wanted: the current filter.
            preview: applies the filter to the list while the form is open.
        """
        super().__init__()
        self._options = options
        self._before = self._wanted = wanted
        self._preview = preview

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card", classes="frame"):
            title = (Cell("Filters", Role.HEADING, Emphasis.BOLD),)
            yield TextLine(title)
            yield LineTable(COLUMNS, show_header=False, id="filters")
            entries = footer_entries(Context.FILTERS, keymap=self._options.keymap)
            yield KeyLine(entries, self._options, width=self.inner)

    def on_mount(self) -> None:
        """Show the current filter."""
        self.table.set_rows(paint_filter_rows(self._wanted))
        self.table.focus()

    def on_line_table_row_selected(self) -> None:
        """Keep the filter and close."""
        _ = self.dismiss(self._wanted)

    def action_next(self) -> None:
        """Select the next value of the selected line."""
        self._show(with_next(self._wanted, self.table.cursor_key or ""))

    def action_clear(self) -> None:
        """Clear the filter."""
        self._show(NO_FILTER)

    def action_close(self) -> None:
        """Restore the previous filter and close."""
        self._preview(self._before)
        _ = self.dismiss(self._before)

    def _show(self, wanted: ListFilter) -> None:
        self._wanted = wanted
        self.table.set_rows(paint_filter_rows(wanted))
        self._preview(wanted)


def with_next(wanted: ListFilter, key: str) -> ListFilter:
    """Return a filter with the next value in one of its lines."""
    match key:
        case "volume":
            return replace(wanted, min_volume_24h=_after(VOLUMES, wanted.min_volume_24h))
        case "spread":
            return replace(wanted, max_spread=_after(SPREADS, wanted.max_spread))
        case "ends":
            return replace(wanted, ends_within=_after(ENDINGS, wanted.ends_within))
        case "mine":
            return replace(wanted, is_mine=not wanted.is_mine)
        case "starred":
            return replace(wanted, is_starred=not wanted.is_starred)
        case _:
            return wanted


def paint_filter_rows(wanted: ListFilter) -> tuple[Row, ...]:
    """Paint each line of the form with its value."""
    volume, spread, ends = wanted.min_volume_24h, wanted.max_spread, wanted.ends_within
    return (
        _row("volume", "Volume 24h at least", "" if volume is None else _dollars(volume)),
        _row("spread", "Spread at most", "" if spread is None else format_price(spread)),
        _row("ends", "Ends within", "" if ends is None else describe_span(ends)),
        _row("mine", "In position", "only these" if wanted.is_mine else ""),
        _row("starred", "Starred", "only these" if wanted.is_starred else ""),
    )


def _row(key: str, what: str, value: str) -> Row:
    return Row(key, (Cell(what), Cell(value or _ANY, Role.KEY if value else Role.DIM)))


def _dollars(amount: Micros) -> str:
    return format_money_compact(amount).strip()


def _after(values: Sequence[T | None], value: T | None) -> T | None:
    """Return the value after the given one, the first after the last."""
    at = values.index(value) if value in values else -1
    return values[(at + 1) % len(values)]
