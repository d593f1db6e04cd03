"""The account screen's keys: steps, revoking, exact approvals, sending, receiving, addresses."""

from collections.abc import Awaitable, Callable, Iterable, Mapping

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.onboarding import next_step
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.frame import FrameScreen, TransactionsChosen, refresh_topics
from pmtui.ui.keys.action_table import Need
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.wallet.address_form import AddressForm
from pmtui.ui.wallet.receive import ReceiveScreen
from pmtui.ui.wallet.send_form import SendForm
from pmtui.ui.wallet.wallet_flow import WalletFlow, why_no_wallet
from pmtui.ui.wallet.wallet_form import ExactApprovalForm

PASTE_PROMPT = "\nPaste your relayer key. It is not shown; escape gives up.\nRelayer key: "
KEY_IS_KEPT = "The relayer key is kept."
LONGEST_PROBLEM = 140


class AccountKeys:
    """Runs these keys for the selected line, each with its form or card."""

    def __init__(
        self, page: FrameScreen, surface: Surface, line: MessageLine, *,
        lines: Callable[[], Iterable[AccountLine]], at_cursor: Callable[[], AccountLine | None],
        point_at: Callable[[AccountLine], None],
    ) -> None:  # fmt: skip
        """Act on the lines of one account."""
        self._page = page
        self._surface = surface
        self._line = line
        self._lines = lines
        self._at_cursor = at_cursor
        self._point_at = point_at
        self._flow = WalletFlow(page, surface, line)

    @property
    def actions(self) -> Mapping[str, Callable[[], Awaitable[None] | None]]:
        """The handlers of the actions in the registry's account context."""
        return {
            "take_step": self.take_step,
            "take_next": self.take_next,
            "paste_relayer_key": self.paste_relayer_key,
            "revoke": self.revoke,
            "approve_exactly": self.approve_exactly,
            "send": self.send,
            "name_address": self.name_address,
            "receive": self.receive,
        }

    def missing(self) -> frozenset[Need]:
        """Return the needs of these keys that neither the selected line nor the account meets."""
        line = self._at_cursor()
        there = {
            Need.STEP: line is not None
            and (line.shows_transactions or line.refreshes or line.does is not None),
            Need.NEXT_STEP: next_step(self._lines()) is not None,
            Need.GRANT: line is not None and line.undoes is not None,
            Need.WALLET: not why_no_wallet(self._surface),
        }
        return frozenset(need for need, is_there in there.items() if not is_there)

    def take_step(self) -> None:
        """Start the selected step."""
        line = self._at_cursor()
        if line is not None:
            self._take(line)

    def take_next(self) -> None:
        """Start the next missing step and move the cursor to it."""
        line = next_step(self._lines())
        if line is None:
            self._line.show("Every step is done.")
            return
        self._point_at(line)
        self._take(line)

    def paste_relayer_key(self) -> None:
        """Ask for the trader's own relayer key, outside the screen."""
        if reason := why_no_wallet(self._surface):
            self._line.show(reason)
            return
        # Run by the app: a closing screen would cancel the prompt with the terminal half restored.
        _ = self._page.app.run_worker(self._take_relayer_key(), exit_on_error=True)

    async def _take_relayer_key(self) -> None:
        app = self._page.app
        given = await app.hidden_prompt.ask(PASTE_PROMPT) if isinstance(app, TerminalApp) else None
        if not given:
            self._line.show("No relayer key was taken.")
            return
        problem = await self._surface.commands.take_relayer_key(PastedKey(given))
        shown = plain(problem, LONGEST_PROBLEM)
        self._line.show(f"No relayer key was taken: {shown}" if shown else KEY_IS_KEPT)

    def revoke(self) -> None:
        """Revoke the selected approval."""
        line = self._at_cursor()
        if line is not None and line.undoes is not None:
            self._flow.take(line.undoes)
        else:
            reason = why_no_wallet(self._surface)
            self._line.show(reason or "Nothing to revoke on this line.")

    def approve_exactly(self) -> None:
        """Ask for the most that the selected contract may spend."""
        line = self._at_cursor()
        if line is None or line.exact is None:
            reason = why_no_wallet(self._surface)
            self._line.show(reason or "Only cash is approved up to an amount.")
            return
        approval = line.exact
        form = ExactApprovalForm(
            self._surface,
            approval.approval,
            name=approval.name,
            is_refused=approval.is_exact_refused,
        )
        self._flow.ask(form)

    def send(self) -> None:
        """Ask for the recipient and the amount of a transfer."""
        if reason := why_no_wallet(self._surface):
            self._line.show(reason)
            return
        view = self._surface.queries.wallet()
        form = SendForm(
            self._surface,
            cash=self._surface.queries.account().available,
            book=self._surface.queries.address_book(),
            sent_to=view.sent_to,
        )
        self._flow.ask(form)

    def name_address(self) -> None:
        """Name an address, or forget one."""

        def answered(text: str | None) -> None:
            if text:
                self._line.show(text)

        _ = self._page.app.push_screen(AddressForm(self._surface), answered)

    def receive(self) -> None:
        """Show the address of the wallet."""
        _ = self._page.app.push_screen(ReceiveScreen(self._surface))

    def _take(self, line: AccountLine) -> None:
        if line.shows_transactions:
            _ = self._page.post_message(TransactionsChosen())
        elif line.refreshes:
            refresh_topics(self._page)
            self._line.confirm(f"Asking again: {line.words.title}")
        elif line.does is not None:
            self._flow.take(line.does)
        elif line.is_running:
            self._line.show(f"Under way: {line.result}")
        else:
            self._line.show(self._why_not(line))

    def _why_not(self, line: AccountLine) -> str:
        if reason := why_no_wallet(self._surface):
            return reason
        return line.to_do or f"{line.words.title}: nothing to do."
