"""Forms over the trading screen, and typed commands, which use the same forms and cards as keys."""

from collections.abc import Callable

from pmtui.domain.account.wallet_steps import Split
from pmtui.domain.conditionals.conditional import ConditionalDraft
from pmtui.domain.formats import format_cents
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.ticket.command_line import (
    CancelOrders,
    CancelTarget,
    Command,
    EnterOrder,
    FlattenPosition,
    GoToPrice,
    ProtectPosition,
    SplitCash,
)
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.ui.explore.alert_form import AlertForm, AlertSubject
from pmtui.ui.explore.reading import RulesScreen
from pmtui.ui.format import format_price
from pmtui.ui.frame import StopChosen
from pmtui.ui.market.controls.trading import Trading
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import outcome_label, title_of
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.ticket.ticket_state import describe_refusal
from pmtui.ui.wallet.wallet_flow import WalletSteps
from pmtui.ui.wallet.wallet_form import SplitForm


class MarketForms:
    """Opens each form for the outcome shown, or shows why it does not open."""

    def __init__(self, workspace: Workspace, wallet: WalletSteps) -> None:
        """Build the forms.

        Args:
            workspace: the screen's workspace.
            wallet: runs wallet steps over the screen.
        """
        self._workspace = workspace
        self._wallet = wallet
        self._line = workspace.line
        self._page = workspace.page

    def protect(self, begin: ConditionalDraft | None = None) -> None:
        """Open the form for stops and targets of the net position, in either outcome.

        Args:
            begin: the initial entries in prices of the outcome shown; None for the cursor's price.
        """
        model = self._workspace.reader.read()
        if self._workspace.refuse_read_only(model):
            return
        if model.token_id is None or model.terms is None:
            self._line.refuse_form("The market is loading.")
            return
        account, tokens, index = model.account, model.terms.token_ids, model.outcome_index
        # A short is shares of the other outcome.
        net = (at for at, token in enumerate(tokens) if size_floor(account.unpaired(token)) > 0)
        index = next(net, index)
        if size_floor(account.held(tokens[index])) <= 0:
            self._line.refuse_form("No position to protect.")
            return
        if (there := account.covering(tokens[index])) is not None:
            _ = self._page.post_message(StopChosen(there.conditional_id))
            return
        self._page.ask(
            ProtectScreen(
                self._workspace.surface, model.condition_id,
                outcome_index=index, begin=begin, shown_index=model.outcome_index,
                at=None if model.cursor is None else model.cursor[0],
                draw=self._workspace.ladder.show_ghosts,
            )
        )  # fmt: skip

    def scaled(self) -> None:
        """Open the form for scaled orders."""
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
        """Split cash into shares of both outcomes; without an amount a form asks for it."""
        model = self._workspace.reader.read()
        if self._workspace.refuse_read_only(model):
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
                title=market.distinct_name, cash=model.account.available,
            )  # fmt: skip
            self._wallet.ask(form)

    def set_alert(self) -> None:
        """Open the form for alerts on the outcome shown."""
        model = self._workspace.reader.read()
        if model.token_id is None:
            self._line.refuse_form("The market is loading, or has no order book.")
            return
        label = outcome_label(model.market, model.outcome_index)
        title = title_of(self._workspace.queries, model.condition_id)
        subject = AlertSubject(model.condition_id, model.token_id, label, title)
        self._page.ask(AlertForm(self._workspace.surface, subject), self._show_result)

    def _show_result(self, text: str | None) -> None:
        if text:
            self._line.show(text)

    def rules(self) -> None:
        """Show the rules of the market and of its event."""
        model = self._workspace.reader.read()
        event_id = model.market.market.event_id if model.market.market else None
        self._page.ask(RulesScreen(self._workspace.surface, event_id, model.condition_id))


class TypedCommands:
    """Runs typed commands on a trading screen."""

    def __init__(
        self, workspace: Workspace, trading: Trading, news: OrderNews, *,
        forms: MarketForms, flip: Callable[[], None], cancel_side: Callable[[Side], None],
    ) -> None:  # fmt: skip
        """Use the controls that the keys use.

        Args:
            workspace: the screen's workspace.
            trading: opens the ticket and the cards.
            news: reports how orders ended.
            forms: opens the forms.
            flip: shows the other outcome.
            cancel_side: cancels own orders on a side of the ladder.
        """
        self._workspace = workspace
        self._trading = trading
        self._news = news
        self._flip = flip
        self._cancel_side = cancel_side
        self._forms = forms

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The labels of the market's outcomes, untrusted."""
        market = self._workspace.reader.read().market.market
        return tuple(outcome.label for outcome in market.outcomes) if market is not None else ()

    @property
    def outcome_index(self) -> int:
        """The index of the outcome shown."""
        return self._workspace.reader.outcome_index

    @property
    def tick(self) -> Micros | None:
        """The tick of the ladder; None before there is a book."""
        ladder = self._workspace.ladder.ladder
        return None if ladder is None else ladder.axis.tick

    def refusal(self, draft: TicketDraft) -> str:
        """Return why the ticket would refuse a draft; empty if it would not."""
        workspace = self._workspace
        return describe_refusal(workspace.surface, workspace.reader.condition_id, draft)

    def want(self, command: Command) -> None:
        """Run a command once the market has loaded."""
        self._trading.want(lambda: self._workspace.page.run_worker(self.obey(command)))

    async def obey(self, command: Command) -> None:
        """Run a command."""
        match command:
            case EnterOrder(draft):
                await self._enter(draft)
            case FlattenPosition(index):
                if index is not None:
                    self._show_outcome(index)
                await self._trading.flatten(is_shown_only=index is not None)
            case ProtectPosition(stop, target):
                self._forms.protect(
                    ConditionalDraft(*(format_cents(p) if p else "" for p in (stop, target)))
                )
            case SplitCash(amount):
                self._forms.split(amount)
            case GoToPrice(price):
                self._workspace.ladder.go_to(price)
            case CancelOrders(_, price) if price is not None:
                self._cancel_at(price)
            case CancelOrders(CancelTarget.BIDS):
                self._cancel_side(Side.BUY)
            case CancelOrders(CancelTarget.ASKS):
                self._cancel_side(Side.SELL)
            case CancelOrders():
                self._trading.cancel_market()
            case _:
                pass

    async def _enter(self, draft: TicketDraft) -> None:
        """Fill in the ticket, and show its card if it has no problem."""
        self._show_outcome(draft.outcome_index)
        self._trading.open_ticket(draft.side, None)
        ticket = self._workspace.ticket
        if ticket.is_open:
            ticket.fill(draft)
            self._workspace.page.show_parts(Part.TICKET)
            await ticket.action_review()

    def _show_outcome(self, index: int) -> None:
        if index != self.outcome_index:
            self._flip()

    def _cancel_at(self, price: Micros) -> None:
        orders = self._workspace.reader.read().ladder_orders
        found = tuple(order.order_id for order in orders if order.price == price)
        where = f"at {format_price(price)}"
        if not found:
            self._workspace.line.show(f"No working orders {where}.")
            return
        command_id = self._workspace.commands.cancel(found)
        _ = self._workspace.page.run_worker(self._news.report_cancel(command_id, where))
