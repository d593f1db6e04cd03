"""The card before a terminal leaves its service: what goes on without it, and what is to become of it."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from typing_extensions import override

from pmtui.domain.orders.heartbeat import ExitPolicy
from pmtui.service.views import AccountView, StatusView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.facts import count
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import wrap_line
from pmtui.ui.widgets.key_line import answer_keys
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine

WIDTH = 64
MOST_LINES = 4
KEEP = "keep"
"""The service goes on; every other choice is the `ExitPolicy` with which it stops."""
_COLUMNS = (Column("choice", "", 20, grow=1),)


class LeaveCard(ModalScreen[str]):
    """Offers to leave the service running, or to stop it with a say about open orders."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    DEFAULT_CSS = """
    LeaveCard { align: center middle; }
    LeaveCard > #card {
        width: 68; max-width: 100%; height: auto; background: $panel; border: heavy $primary;
        padding: 0 1;
    }
    LeaveCard LineTable { background: $panel; height: auto; }
    """

    table = query_one("#choices", LineTable)

    def __init__(
        self, lines: tuple[Line, ...], choices: tuple[tuple[str, str], ...], *, options: Options
    ) -> None:
        """Ask.

        Args:
            lines: what goes on, already painted.
            choices: key and words of each, the one that is meant first.
            options: keys and character set of this user.
        """
        super().__init__()
        self._lines = lines
        self._choices = choices
        self._options = options

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card"):
            title = (Cell("Leave this terminal?", Role.HEADING, Emphasis.BOLD),)
            yield TextLine(title)
            for line in self._lines:
                for part in wrap_line(line, WIDTH, most=MOST_LINES):
                    yield TextLine(part)
            yield TextLine()
            yield LineTable(_COLUMNS, show_header=False, id="choices")
            yield TextLine()
            yield answer_keys("Do it", self._options, width=WIDTH)

    def on_mount(self) -> None:
        """List the choices, the cursor on the first."""
        self.table.styles.height = len(self._choices)
        self.table.set_rows([Row(key, (Cell(words),)) for key, words in self._choices])
        self.table.focus()

    @on(LineTable.RowSelected)
    def choose(self, message: LineTable.RowSelected) -> None:
        """Do what the cursor is on."""
        _ = self.dismiss(message.key)

    def action_accept(self) -> None:
        """Do what the cursor is on."""
        _ = self.dismiss(self.table.cursor_key or KEEP)

    def action_decline(self) -> None:
        """Stay."""
        _ = self.dismiss("")


def what_goes_on(account: AccountView, status: StatusView, alerts: int) -> tuple[Line, ...]:
    """Say what the service watches over; nothing where nothing depends on it."""
    lines: list[str] = []
    if account.open_orders:
        lines.append(f"{count(len(account.open_orders), 'working order')} at the venue")
    if account.awake:
        lines.append(count(len(account.awake), "active stop"))
    if alerts:
        lines.append(count(alerts, "price alert"))
    if status.heartbeat.state.is_armed_at_venue:
        lines.append("heartbeats: if they stop, the venue cancels every order")
    return tuple(
        (Cell("It goes on without you: " if not number else "  "), Cell(text))
        for number, text in enumerate(lines)
    )


def choices_of(*, has_orders: bool, has_heartbeat: bool) -> tuple[tuple[str, str], ...]:
    """Return what can be chosen.

    Args:
        has_orders: whether any rest, or may.
        has_heartbeat: whether the venue cancels when heartbeats end.
    """
    choices = [(KEEP, "Leave the service running; it goes on without a terminal")]
    if not has_orders:
        return (*choices, (ExitPolicy.LEAVE.value, "Stop the service"))
    if has_heartbeat:
        choices.append((ExitPolicy.SWITCH.value, "Stop it; the venue cancels when heartbeats end"))
    else:
        choices.append((ExitPolicy.LEAVE.value, "Stop it; orders stay at the venue"))
    return (*choices, (ExitPolicy.CANCEL.value, "Cancel every order, then stop it"))
