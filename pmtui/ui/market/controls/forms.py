"""The forms that open from the trading screen: stop and target, scaled orders, split, alert, rules."""

from pmtui.domain.account.wallet_steps import Split
from pmtui.domain.money import Micros
from pmtui.ui.explore.alert_form import AlertForm, AlertSubject
from pmtui.ui.explore.reading import RulesScreen
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.market.market_model import outcome_label, title_of
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.wallet.wallet_flow import WalletSteps
from pmtui.ui.wallet.wallet_form import SplitForm


class MarketForms:
    """Opens each for the outcome on show, or says why it does not open."""

    def __init__(self, workspace: Workspace, wallet: WalletSteps) -> None:
        """Build them.

        Args:
            workspace: of the screen.
            wallet: takes steps of the wallet over the screen.
        """
        self._workspace = workspace
        self._wallet = wallet
        self._line = workspace.line
        self._page = workspace.page

    def protect(self) -> None:
        """Watch over what is held of this outcome."""
        model = self._workspace.reader.read()
        if self._workspace.is_read_only(model):
            return
        if model.token_id is None or model.terms is None:
            self._line.refuse_form("The market is loading.")
            return
        held = model.account.held(model.token_id)
        if held <= 0:
            self._line.refuse_form("No position in this outcome to protect.")
            return
        self._page.ask(
            ProtectScreen(
                self._workspace.surface, model.condition_id,
                outcome_index=model.outcome_index, held=held,
                at=None if model.cursor is None else model.cursor[0],
                draw=self._workspace.ladder.show_ghosts,
            )
        )  # fmt: skip

    def scaled(self) -> None:
        """Spread a total over a range of prices."""
        model = self._workspace.reader.read()
        if reason := model.why_no_form:
            self._line.refuse_form(reason)
            return
        self._page.ask(
            ScaledScreen(
                self._workspace.surface, model.condition_id, outcome_index=model.outcome_index,
                start=None if model.cursor is None else model.cursor[0],
                draw=self._workspace.ladder.show_ghosts,
            )
        )  # fmt: skip

    def split(self, amount: Micros | None = None) -> None:
        """Turn cash into shares of both outcomes; without an amount a form asks for it."""
        model = self._workspace.reader.read()
        if self._workspace.is_read_only(model):
            return
        market = model.market.market
        if market is None:
            self._line.refuse_form("The market is loading.")
        elif market.closed or market.archived:
            self._line.refuse_form("Trading has ended here: only what is held can be redeemed.")
        elif amount is not None:
            self._wallet.take(Split(model.condition_id, amount))
        else:
            form = SplitForm(
                self._workspace.surface, model.condition_id,
                title=market.distinct_name, cash=model.account.balance,
            )  # fmt: skip
            self._wallet.ask(form)

    def set_alert(self) -> None:
        """Ask which price of the outcome on show to wait for."""
        model = self._workspace.reader.read()
        if model.token_id is None:
            self._line.refuse_form("The market is loading, or has no order book.")
            return
        label = outcome_label(model.market, model.outcome_index)
        title = title_of(self._workspace.queries, model.condition_id)
        subject = AlertSubject(model.condition_id, model.token_id, label, title)
        self._page.ask(AlertForm(self._workspace.surface, subject), self._show_result)

    def _show_result(self, said: str | None) -> None:
        if said:
            self._line.show(said)

    def rules(self) -> None:
        """Show the rules of the market and of its event."""
        model = self._workspace.reader.read()
        event_id = model.market.market.event_id if model.market.market else None
        self._page.ask(RulesScreen(self._workspace.surface, event_id, model.condition_id))
