"""Quitting: shows what would still be working, and asks what becomes of it."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.conditionals.alerts import AlertState
from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.formats import count, format_shares
from pmtui.domain.orders.exit_policy import ExitPolicy, describe_exit
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.service.views import AccountView, Mode, StatusView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row, line_width
from pmtui.ui.frame import if_agreed
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_model import title_of
from pmtui.ui.modal import Modal
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import (
    LINE_WIDTH,
    paint_resting_orders,
    paint_unknown_orders,
)
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardLines
from pmtui.ui.ticket.paint_ticket import wrap_line
from pmtui.ui.ticket.protect import paint_protection
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine, answer_keys

MOST_LINES = 8
_CHROME_ROWS = 4
"""Rows of border, a blank and keys."""
KEEP = "keep"
"""The service keeps running; every other choice is the `ExitPolicy` with which it stops."""
_COLUMNS = (Column("choice", "", 20, grow=1),)


class LeaveCard(Modal[str]):
    """Offers to leave the service running, or to stop it with a choice about open orders."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    DEFAULT_CSS = """
    LeaveCard > #card { border: heavy $warning; }
    LeaveCard LineTable { background: $panel; height: auto; }
    """

    table = query_one("#choices", LineTable)

    def __init__(
        self, lines: tuple[Line, ...], choices: tuple[tuple[str, str], ...], *, options: Options
    ) -> None:
        """Ask how to quit.

        Args:
            lines: what goes on, painted.
            choices: the key and the text of each, the default first.
            options: keys and character set of this user.
        """
        super().__init__()
        self._lines = lines
        self._choices = choices
        self._options = options

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card", classes="frame"):
            yield CardLines(self._paint_lines)
            yield LineTable(_COLUMNS, show_header=False, id="choices")
            yield TextLine()
            yield answer_keys("Do it", self._options, width=self.inner)

    def _paint_lines(self, width: int) -> tuple[Line, ...]:
        title: Line = (Cell("Leave this terminal?", Role.HEADING, Emphasis.BOLD),)
        parts = (wrap_line(line, width, most=MOST_LINES) for line in self._lines)
        return (title, *(part for wrapped in parts for part in wrapped), ())

    @property
    @override
    def rows(self) -> int:
        return len(self._paint_lines(self.inner)) + len(self._choices) + _CHROME_ROWS

    @override
    def fit(self) -> None:
        super().fit()
        self.query_one("#card").styles.height = self.rows
        self.query_one(CardLines).repaint()

    def on_mount(self) -> None:
        """List the choices with the cursor on the first."""
        self.table.styles.height = len(self._choices)
        self.table.set_rows([Row(key, (Cell(words),)) for key, words in self._choices])
        self.table.focus()

    @on(LineTable.RowSelected)
    def choose(self, message: LineTable.RowSelected) -> None:
        """Close with the chosen row's key."""
        _ = self.dismiss(message.key)

    def action_accept(self) -> None:
        """Close with the selected choice."""
        _ = self.dismiss(self.table.cursor_key or KEEP)

    def action_decline(self) -> None:
        """Stay."""
        _ = self.dismiss("")


def what_goes_on(account: AccountView, status: StatusView, alerts: int) -> tuple[Line, ...]:
    """Paint what the service keeps watching; empty when nothing depends on it."""
    lines: list[str] = []
    if account.open_orders:
        lines.append(f"{count(len(account.open_orders), 'working order')} at the venue")
    if account.active:
        lines.append(count(len(account.active), "active stop"))
    if alerts:
        lines.append(count(alerts, "price alert"))
    if status.heartbeat.state.is_armed_at_venue:
        lines.append("heartbeats: if they stop, the venue cancels every order")
    goes_on = tuple(
        (Cell("It goes on without you: " if not number else "  "), Cell(text))
        for number, text in enumerate(lines)
    )
    return (*goes_on, *paint_paused(account))


def paint_paused(account: AccountView) -> tuple[Line, ...]:
    """Paint the stops that sell nothing until they are resumed, and the shares without a stop."""
    paused = account.paused
    if not paused:
        return ()
    outcomes = {each.token_id: each.outcome for each in paused}
    bare = [
        f"{format_shares(shares)} {plain(outcome, 16)}"
        for token_id, outcome in outcomes.items()
        if (shares := account.unprotected(token_id))
    ]
    if len(bare) > MOST_LISTED:
        bare[MOST_LISTED:] = [f"{len(bare) - MOST_LISTED} more"]
    text = f"{count(len(paused), 'paused stop')}, which will not sell"
    if bare:
        text += f": {', '.join(bare)} unprotected"
    return ((Cell(text, Role.NOTICE_WARN),),)


def paint_others(terminals: int) -> tuple[Line, ...]:
    """Paint that stopping the service takes it from other terminals, too."""
    others = terminals - 1
    if others < 1:
        return ()
    are = "is" if others == 1 else "are"
    text = f"{count(others, 'other terminal')} {are} attached: stopping the service ends it there"
    return ((Cell(text, Role.NOTICE_WARN),),)


def choices_of(*, has_orders: bool, has_heartbeat: bool) -> tuple[tuple[str, str], ...]:
    """Return the choices on quitting.

    Args:
        has_orders: whether orders rest, or may rest.
        has_heartbeat: whether the venue cancels when heartbeats end.
    """
    choices = [(KEEP, "Leave the service running")]
    if not has_orders:
        return (*choices, (ExitPolicy.LEAVE.value, "Stop the service"))
    if has_heartbeat:
        choices.append((ExitPolicy.SWITCH.value, "Stop it; the venue cancels them"))
    else:
        choices.append((ExitPolicy.LEAVE.value, "Stop it; orders stay at the venue"))
    return (*choices, (ExitPolicy.CANCEL.value, "Cancel every order, then stop it"))


MOST_LISTED = 3
_LEAST_TITLE = 16


class QuitKey:
    """Quits, after a question if orders rest or stops are active."""

    def __init__(self, app: App[Any], surface: Surface, policy: ExitPolicy) -> None:
        """Ask before an application ends."""
        self._app = app
        self._surface = surface
        self._policy = policy
        self.stop_policy: str | None = None
        """The `ExitPolicy` for stopping a service in its own process; None leaves it running."""

    def press(self) -> None:
        """Quit, or ask first."""
        if self._surface.loss is not None:
            # Without a service nothing can go on.
            self._app.exit()
            return
        if self._surface.options.is_attached:
            self._leave()
            return
        queries = self._surface.queries
        account = queries.account()
        orders, active = account.open_orders, account.active
        if not orders and not active:
            self._app.exit()
            return

        lines: tuple[Line, ...] = paint_ending(active)
        if orders:
            lines = (
                *lines,
                *paint_resting_orders(orders, partial(title_of, queries)),
                *paint_unknown_orders(orders),
                paint_leaving(self._policy, queries.status()),
            )
        title = title_leaving(has_orders=bool(orders), has_active=bool(active))
        label = label_leaving(self._policy) if orders else "Quit"
        question = QuestionScreen(title, lines, agree=label, surface=self._surface)
        _ = self._app.push_screen(question, if_agreed(self._app.exit))

    def _leave(self) -> None:
        """Quit and leave the service running, or ask first if something depends on it."""
        queries = self._surface.queries
        account, status = queries.account(), queries.status()
        waiting = [a for a in queries.watchlist().alerts if a.alert.state is AlertState.WAITING]
        lines = what_goes_on(account, status, len(waiting))
        if not lines:
            self._app.exit()
            return

        def decide(choice: str | None) -> None:
            if choice:
                self.stop_policy = None if choice == KEEP else choice
                self._app.exit()

        choices = choices_of(
            has_orders=bool(account.open_orders),
            has_heartbeat=status.heartbeat.policy is not HeartbeatPolicy.OFF,
        )
        lines = (*lines, *paint_others(status.terminals))
        card = LeaveCard(lines, choices, options=self._surface.options)
        _ = self._app.push_screen(card, decide)


def paint_leaving(policy: ExitPolicy, status: StatusView) -> Line:
    """Paint the configured exit policy and its effect."""
    text = describe_exit(
        policy,
        is_switch_armed=status.heartbeat.state.is_armed_at_venue,
        is_paper=status.mode is Mode.PAPER,
    )
    return (Cell(f"{text} (on_quit = {policy.value})", Role.NOTICE_WARN),)


def label_leaving(policy: ExitPolicy) -> str:
    """Return the label of the agreeing key."""
    return "Cancel and quit" if policy is ExitPolicy.CANCEL else "Quit"


def paint_ending(active: Sequence[ConditionalOrder]) -> tuple[Line, ...]:
    """Paint the stops that become inactive when this program ends."""
    if not active:
        return ()
    count = len(active)
    text = (
        "1 stop is inactive while pmtui is closed, and paused on the next start:"
        if count == 1
        else f"{count} stops are inactive while pmtui is closed, and paused on the next start:"
    )
    lines: list[Line] = [(Cell(text, Role.NOTICE_WARN),)]
    for each in active[:MOST_LISTED]:
        _, *protection = paint_protection(each)
        known = (Cell("  "), *protection, Cell("  "))
        title = plain(each.title, max(LINE_WIDTH - line_width(known), _LEAST_TITLE))
        lines.append((*known, Cell(title, Role.DIM)))
    if count > MOST_LISTED:
        lines.append((Cell(f"  and {count - MOST_LISTED} more", Role.DIM),))
    return tuple(lines)


def title_leaving(*, has_orders: bool, has_active: bool) -> str:
    """Return the title of the question."""
    if has_orders and has_active:
        return "Quit with working orders and active stops?"
    return "Quit with working orders?" if has_orders else "Quit with active stops?"
