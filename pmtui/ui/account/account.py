"""The account: every step to trading with its key, what is in force, and cash in and out."""

from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.onboarding import Step
from pmtui.service.topics import (
    AccountTopic,
    AddressBookTopic,
    OnboardingTopic,
    StatusTopic,
    Topic,
    WalletTopic,
)
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.account_lines import account_lines, next_line
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
from pmtui.ui.frame import FrameScreen, TransactionsChosen
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.wallet.address_form import AddressForm
from pmtui.ui.wallet.receive import ReceiveScreen
from pmtui.ui.wallet.send_form import SendForm
from pmtui.ui.wallet.wallet_flow import WalletFlow, why_no_wallet
from pmtui.ui.wallet.wallet_form import ExactApprovalForm
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine


class AccountPane(LinePane):
    """The line under the cursor in full, below the account's lines or beside them."""

    _shown: AccountLine | None = None

    def show(self, line: AccountLine | None) -> None:
        """Show this one."""
        self._shown = line
        self.repaint()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._shown is None:
            return ()
        lines = paint_account_details(self._shown, max(1, width - 2), height)
        return tuple(indent(line) for line in lines)


PASTE_PROMPT = "\nPaste your relayer key. It is not shown; escape gives up.\nRelayer key: "
KEY_IS_KEPT = "The relayer key is kept."
LONGEST_PROBLEM = 140
WIDE = 150
"""From here on there is room for the explanation beside the lines."""
ABOUT_WIDTH = 60


class AccountScreen(FrameScreen):
    """Every step from a key to a first order, with its state and its result."""

    ABOUT: ClassVar[str] = "Every step from a key to a first order, with its state and its result."
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.ACCOUNT,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.ACCOUNT)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - typed by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-short"), (32, "-tall")]  # noqa: RUF012 - see above
    DEFAULT_CSS = f"""
    AccountScreen #lines {{ height: 1fr; layout: vertical; }}
    AccountScreen #about {{ height: 4; background: $surface; }}
    AccountScreen.-tall #about {{ height: 7; }}
    AccountScreen.-tiny #about {{ display: none; }}
    AccountScreen.-wide #lines {{ layout: horizontal; }}
    AccountScreen.-wide #steps {{ width: 1fr; }}
    AccountScreen.-wide #about {{ display: block; width: {ABOUT_WIDTH}; height: 1fr; }}
    """

    table = query_one("#steps", LineTable)
    about = query_one("#about", AccountPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self.message_line: MessageLine = MessageLine(surface.queries, self._show_notice)
        self._flow = WalletFlow(self, surface, self.message_line)
        self._lines: dict[str, AccountLine] = {}

    @override
    def topics(self) -> Iterable[Topic]:
        return (OnboardingTopic(), AccountTopic(), WalletTopic(), AddressBookTopic())

    @override
    def compose_body(self) -> ComposeResult:
        yield TextLine(id="heading")
        yield TextLine(id="way")
        with Container(id="lines"):
            yield LineTable(ACCOUNT_COLUMNS, id="steps")
            yield AccountPane(id="about")

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self.table.focus()
        self._show_lines()
        if self.surface.queries.onboarding().key_problem:
            # Whoever looks without a key wants to know how to get one.
            _ = self.table.move_cursor_to(Step.KEY.value)

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_lines()

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in (*self.topics(), StatusTopic()):
            self._show_lines()

    @override
    def to_copy(self) -> tuple[str, str]:
        line = self._at_cursor()
        return line.copied if line is not None else ("", "")

    @on(LineTable.RowHighlighted)
    def show_about(self) -> None:
        """Show what the columns have no room for."""
        self.about.show(self._at_cursor())

    @on(LineTable.RowSelected)
    def explain(self) -> None:
        """Explain the line under the cursor in full."""
        line = self._at_cursor()
        if line is not None:
            _ = self.app.push_screen(AccountLineScreen(self.surface, line.key))

    def action_take_step(self) -> None:
        """Take the step at the cursor."""
        line = self._at_cursor()
        if line is not None:
            self._take(line)

    def action_take_next(self) -> None:
        """Take the next step that is missing, and point at it."""
        line = next_line(self._lines.values())
        if line is None:
            self.message_line.say("Every step is done.")
            return
        _ = self.table.move_cursor_to(line.key)
        self._take(line)

    def action_paste_relayer_key(self) -> None:
        """Ask for a relayer key that the trader has, outside the screen."""
        if reason := why_no_wallet(self.surface):
            self.message_line.say(reason)
            return
        # The application's own worker: no screen that goes may leave the terminal half given back.
        _ = self.app.run_worker(self._take_relayer_key(), exit_on_error=True)

    async def _take_relayer_key(self) -> None:
        given = await self._ask_hidden_line(PASTE_PROMPT)
        if not given:
            self.message_line.say("No relayer key was taken.")
            return
        problem = await self.surface.commands.take_relayer_key(PastedKey(given))
        shown = plain(problem, LONGEST_PROBLEM)
        self.message_line.say(f"No relayer key was taken: {shown}" if shown else KEY_IS_KEPT)

    async def _ask_hidden_line(self, prompt: str) -> str | None:
        app = self.app
        return await app.hidden_prompt.ask(prompt) if isinstance(app, TerminalApp) else None

    def action_revoke(self) -> None:
        """Take back what the line at the cursor allows."""
        line = self._at_cursor()
        if line is not None and line.undoes is not None:
            self._flow.take(line.undoes)
        else:
            reason = why_no_wallet(self.surface)
            self.message_line.say(reason or "Nothing to revoke on this line.")

    def action_approve_exactly(self) -> None:
        """Ask up to how much the contract at the cursor may spend."""
        line = self._at_cursor()
        if line is None or line.exact is None:
            reason = why_no_wallet(self.surface)
            self.message_line.say(reason or "Only cash is approved up to an amount.")
            return
        told = line.exact
        form = ExactApprovalForm(
            self.surface, told.approval, name=told.name, is_refused=told.is_exact_refused
        )
        self._flow.ask(form)

    def action_send(self) -> None:
        """Ask to whom cash is to be sent."""
        if reason := why_no_wallet(self.surface):
            self.message_line.say(reason)
            return
        view = self.surface.queries.wallet()
        form = SendForm(
            self.surface,
            cash=view.cash,
            book=self.surface.queries.address_book(),
            sent_to=view.sent_to,
        )
        self._flow.ask(form)

    def action_name_address(self) -> None:
        """Name an address, or forget one."""

        def answered(said: str | None) -> None:
            if said:
                self.message_line.say(said)

        _ = self.app.push_screen(AddressForm(self.surface), answered)

    def action_receive(self) -> None:
        """Show the address of the wallet."""
        _ = self.app.push_screen(ReceiveScreen(self.surface))

    def _take(self, line: AccountLine) -> None:
        if line.shows_transactions:
            self.post_message(TransactionsChosen())
        elif line.refreshes:
            self.action_refresh()
            self.message_line.confirm(f"Asking again: {line.words.title}")
        elif line.does is not None:
            self._flow.take(line.does)
        elif line.is_running:
            self.message_line.say(f"Under way: {line.result}")
        else:
            self.message_line.say(self._why_not(line))

    def _why_not(self, line: AccountLine) -> str:
        if reason := why_no_wallet(self.surface):
            return reason
        return line.to_do or f"{line.words.title}: nothing to do."

    def _at_cursor(self) -> AccountLine | None:
        return self._lines.get(self.table.cursor_key or "")

    def _show_lines(self) -> None:
        queries = self.surface.queries
        facts, status, now = queries.onboarding(), queries.status(), queries.now()
        lines = account_lines(facts, status, queries.wallet())
        self._lines = {line.key: line for line in lines}
        width = self.size.width
        room = width - BESIDE_RESULT - (ABOUT_WIDTH if width >= WIDE else 0)
        self.table.set_rows([paint_account_row(line, now, room) for line in lines])
        heading = paint_account_heading(lines, status, width, is_asking=facts.is_asking)
        self._show_line("#heading", heading)
        keymap = self.surface.options.keymap
        self._show_line("#way", paint_account_way(facts, lines, status, width, keymap=keymap))
        self.show_about()

    def _show_line(self, selector: str, line: Line) -> None:
        self.query_one(selector, TextLine).show(line)


class AccountLineScreen(ReadingScreen):
    """What one line of the account is, what it signs, and what can be done."""

    ABOUT: ClassVar[str] = "What one line of the account is, what it signs, and what can be done."

    def __init__(self, surface: Surface, key: str) -> None:
        """Explain the line of this key."""
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
    def to_copy(self) -> tuple[str, str]:
        line = self._line()
        return line.copied if line is not None else ("", "")

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
