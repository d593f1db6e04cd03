"""The account screen: every step to trading, the rules in force, and cash in and out."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.account.onboarding import SetupStep
from pmtui.service.topics import (
    AccountTopic,
    AddressBookTopic,
    OnboardingTopic,
    StatusTopic,
    Topic,
    WalletTopic,
)
from pmtui.ui.account.account_keys import AccountKeys
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.onboarding_lines import account_lines
from pmtui.ui.account.paint_account import (
    ACCOUNT_COLUMNS,
    BESIDE_RESULT,
    paint_account_details,
    paint_account_heading,
    paint_account_row,
    paint_account_way,
    paint_explanation,
)
from pmtui.ui.cells import Cell, Line, Row
from pmtui.ui.explore.reading import ReadingScreen
from pmtui.ui.facts import indent
from pmtui.ui.frame import CursorItem, FrameScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine


class AccountPane(LinePane):
    """Shows the selected account line in full, below the lines or beside them."""

    _shown: AccountLine | None = None

    def show(self, line: AccountLine | None) -> None:
        """Show this line."""
        self._shown = line
        self.repaint()

    @override
    def title(self) -> Line:
        return () if self._shown is None else (Cell(self._shown.words.title.upper(), Role.HEADING),)

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._shown is None:
            return ()
        lines = paint_account_details(self._shown, max(1, width - 2), height)
        return tuple(indent(line) for line in lines)


WIDE = 150
"""The width from which the explanation stands beside the lines."""
ABOUT_WIDTH = 60
_EDGES = 4
"""Frame strokes and padding beside the lines, in cells."""


class AccountScreen(FrameScreen):
    """Every step from a key to a first order, with its state and its result."""

    ABOUT: ClassVar[str] = "Every step from a key to a first order, with its state and its result."
    PLACE: ClassVar[str] = "account"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.ACCOUNT,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.ACCOUNT)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - typed by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-short"), (32, "-tall")]  # noqa: RUF012 - see above
    DEFAULT_CSS = f"""
    AccountScreen #lines {{ height: 1fr; layout: vertical; }}
    AccountScreen #about-panel {{ height: 5; }}
    AccountScreen.-tall #about-panel {{ height: 8; }}
    AccountScreen.-tiny #about-panel {{ display: none; }}
    AccountScreen.-wide #lines {{ layout: horizontal; }}
    AccountScreen.-wide #steps-panel {{ width: 1fr; }}
    AccountScreen.-wide #about-panel {{ display: block; width: {ABOUT_WIDTH}; height: 1fr; }}
    """

    table = query_one("#steps", LineTable)
    about = query_one("#about", AccountPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._lines: dict[str, AccountLine] = {}
        keys = AccountKeys(
            self, surface, self.message_line, lines=lambda: tuple(self._lines.values()),
            at_cursor=self._at_cursor, point_at=self._point_at,
        )  # fmt: skip
        self.actions = keys.actions
        self.missing_needs = (keys.missing,)

    @override
    def topics(self) -> Iterable[Topic]:
        return (OnboardingTopic(), AccountTopic(), WalletTopic(), AddressBookTopic())

    @override
    def compose_body(self) -> ComposeResult:
        yield TextLine(id="way")
        with Container(id="lines"):
            steps = LineTable(ACCOUNT_COLUMNS, id="steps")
            yield Panel(steps, id="steps-panel", classes="-table")
            yield Panel(AccountPane(id="about"), id="about-panel", classes="-tight")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self.table.focus()
        self._show_lines()
        if self.surface.queries.onboarding().key_problem:
            # A trader without a key wants to know how to get one.
            _ = self.table.move_cursor_to(SetupStep.KEY.value)

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_lines()

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in (*self.topics(), StatusTopic()):
            self._show_lines()

    @override
    def cursor_item(self) -> CursorItem:
        line = self._at_cursor()
        return CursorItem(copied=line.copied) if line is not None else CursorItem()

    @on(LineTable.RowHighlighted)
    def show_about(self) -> None:
        """Show the selected line in full."""
        self.about.show(self._at_cursor())

    @on(LineTable.RowSelected)
    def explain(self) -> None:
        """Open the explanation of the selected line."""
        line = self._at_cursor()
        if line is not None:
            _ = self.app.push_screen(AccountLineScreen(self.surface, line.key))

    def _point_at(self, line: AccountLine) -> None:
        _ = self.table.move_cursor_to(line.key)

    def _at_cursor(self) -> AccountLine | None:
        return self._lines.get(self.table.cursor_key or "")

    def _show_lines(self) -> None:
        queries = self.surface.queries
        facts, status, now = queries.onboarding(), queries.status(), queries.now()
        lines = account_lines(facts, status, queries.wallet())
        self._lines = {line.key: line for line in lines}
        width = self.size.width
        room = width - BESIDE_RESULT - _EDGES - (ABOUT_WIDTH if width >= WIDE else 0)
        self.table.set_rows([paint_account_row(line, now, room) for line in lines])
        heading = partial(paint_account_heading, lines, status, is_asking=facts.is_asking)
        self.query_one("#steps-panel", Panel).show_title_in_width(lambda room: heading(width=room))
        keymap = self.surface.options.keymap
        way = paint_account_way(facts, lines, status, width, keymap=keymap)
        self.query_one("#way", TextLine).show(way)
        self.show_about()


class AccountLineScreen(ReadingScreen):
    """Explains one account line: what it is, what it signs, and what can be done."""

    ABOUT: ClassVar[str] = "What one line of the account is, what it signs, and what can be done."

    def __init__(self, surface: Surface, key: str) -> None:
        """Explain the line with this key."""
        super().__init__(surface)
        self._key = key

    @override
    def topics(self) -> Iterable[Topic]:
        return (OnboardingTopic(), AccountTopic(), WalletTopic())

    @override
    def heading_words(self) -> tuple[str, str]:
        line = self._line()
        return "Account", line.words.title if line is not None else ""

    @override
    def cursor_item(self) -> CursorItem:
        line = self._line()
        return CursorItem(copied=line.copied) if line is not None else CursorItem()

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        line = self._line()
        if line is None:
            return (Row("gone", (Cell("There is nothing more to say about this line."),)),)
        painted = paint_explanation(line, self.surface.queries.now(), width)
        return tuple(Row(f"{number}", (cell,)) for number, cell in enumerate(painted))

    def _line(self) -> AccountLine | None:
        queries = self.surface.queries
        lines = account_lines(queries.onboarding(), queries.status(), queries.wallet())
        return next((line for line in lines if line.key == self._key), None)
