"""The base of forms for wallet steps: a frame over the screen that returns a step.

Nothing is sent from here: the service prepares the step while the form stays open, so that a
refusal loses no entry, and the card asks for confirmation.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.account.wallet_steps import (
    Approval,
    Approve,
    Merge,
    Settlement,
    Split,
    WalletStep,
)
from pmtui.domain.formats import exact_dollars, exact_shares, parse_size
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import (
    Micros,
    cents_down,
    complement,
    format_micros,
    group_micros,
    notional_floor,
)
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_money_change, read_average
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_model import net_in
from pmtui.ui.modal import Modal
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import NumberField, TextBlock
from pmtui.ui.ticket.paint_ticket import paint_text, wrap_line
from pmtui.ui.widgets.text_line import TextLine, answer_keys

_MOST_LINES = 3
NO_AMOUNT = "Enter an amount"
PREPARING = "Preparing…"

Prepare = Callable[[WalletStep], Awaitable[str]]
"""Prepares a step; returns why that failed, or an empty text."""


class WalletStepForm(Modal[WalletStep | None]):
    """Subclasses yield their entries and read a step from them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)

    DEFAULT_CSS = """
    WalletStepForm .label { width: 9; }
    WalletStepForm NumberField { width: 18; }
    WalletStepForm.-narrow .label { width: 8; }
    WalletStepForm.-narrow NumberField { width: 9; }
    WalletStepForm #state { height: auto; min-height: 1; }
    """

    state = query_one("#state", TextBlock)
    """What the entries would do, or what is wrong with them."""
    amount = query_one("#amount", NumberField)

    def __init__(
        self,
        surface: Surface,
        *,
        heading: str,
        subject: str,
        label: str = "Dollars",
        says: str = "",
    ) -> None:
        """Start empty.

        Args:
            surface: the service and the user's choices.
            heading: what the step does.
            subject: what it is done with, untrusted; empty to leave it out.
            label: the name of the amount.
            says: a word after the amount.
        """
        super().__init__()
        self.surface = surface
        self._heading = heading
        self._subject = subject
        self._label = label
        self._says = says
        self._is_asked = False
        self._prepare: Prepare | None = None
        self._is_preparing = False

    def prepare_with(self, prepare: Prepare) -> None:
        """Stay open until a step is prepared, instead of returning it at once."""
        self._prepare = prepare

    def compose_entries(self) -> ComposeResult:
        """Yield the entries, a row each: an amount alone unless overridden."""
        field = NumberField(id="amount", characters="0-9.,$")
        yield self.labelled(self._label, field, says=self._says)

    @abstractmethod
    def read(self) -> WalletStep | str:
        """Return the step, or why the entries are incomplete."""

    @abstractmethod
    def foresee(self) -> tuple[Line, ...]:
        """Return what the step would do, as far as the entries tell."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="frame"):
            yield TextLine((Cell(self._heading, Role.HEADING, Emphasis.BOLD),))
            if self._subject:
                yield TextLine((Cell(plain(self._subject, self.inner), Role.DIM),))
            yield from self.compose_entries()
            yield TextBlock(id="state")
            yield answer_keys("Review", self.surface.options, width=self.inner)

    def on_mount(self) -> None:
        """Focus the first entry, and show what the initial entries would do."""
        _ = self.query(Input).first().focus()
        self.show_state()

    @override
    def fit(self) -> None:
        super().fit()
        if not self._is_preparing:
            self.show_state()

    def action_accept(self) -> None:
        """Close with the step, or show what is wrong."""
        self._is_asked = True
        step = self.read()
        if isinstance(step, str):
            self.show_state()
        elif self._prepare is None:
            _ = self.dismiss(step)
        elif not self._is_preparing:
            self._is_preparing = True
            _ = self.run_worker(self._answer_prepared(step, self._prepare), exit_on_error=True)

    async def _answer_prepared(self, step: WalletStep, prepare: Prepare) -> None:
        self._show_reason(PREPARING, Role.DIM)
        problem = await prepare(step)
        self._is_preparing = False
        if not is_live(self):
            return
        if problem:
            self._show_reason(problem, Role.NOTICE_BAD)
        else:
            _ = self.dismiss(step)

    def action_decline(self) -> None:
        """Close; nothing is prepared."""
        _ = self.dismiss()

    def labelled(self, label: str, field: Input, *, says: str = "") -> Horizontal:
        """Return an entry with its name before it and a word after it."""
        name = TextLine((Cell(label),), classes="label")
        if not says:
            return Horizontal(name, field, classes="row")
        told = TextLine((Cell(f" {says}", Role.DIM),))
        return Horizontal(name, field, told, classes="row")

    def show_state(self) -> None:
        """Show what the step would do; a problem only after enter, or if something is typed."""
        step = self.read()
        if isinstance(step, str) and self._is_asked:
            self._show_reason(step, Role.NOTICE_BAD)
        else:
            lines = (wrap_line(line, self.inner, most=_MOST_LINES) for line in self.foresee())
            self.state.show(tuple(part for wrapped in lines for part in wrapped))

    def _show_reason(self, text: str, role: Role) -> None:
        self.state.show(paint_text(plain(text), self.inner, role))

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.show_state()


def read_amount(text: str, most: Micros | None, what: str) -> Micros | str:
    """Parse an amount in millionths; a text says why it is invalid.

    Args:
        text: the typed text.
        most: the largest amount; None if unknown.
        what: the noun for the sentence: `cash`, `shares of each outcome`.
    """
    amount = parse_size(text)
    if amount is None or amount <= 0:
        return (
            NO_AMOUNT
            if not text.strip()
            else "Not an amount: digits above zero, with six decimals at most"
        )
    if most is not None and amount > most:
        return f"There are only {group_micros(most)} {what}"
    return amount


class MergeForm(WalletStepForm):
    """Takes how many shares of both outcomes to merge into cash."""

    def __init__(self, surface: Surface, settlement: Settlement) -> None:
        """Start with everything that can be merged in a market."""
        super().__init__(
            surface, heading="Merge both outcomes into cash", subject=settlement.title,
            label="Shares", says="of each",
        )  # fmt: skip
        self._settlement = settlement

    @override
    def on_mount(self) -> None:
        # Textual also calls WalletStepForm.on_mount.
        self.amount.offer(format_micros(self._settlement.mergeable))

    @override
    def read(self) -> Merge | str:
        amount = read_amount(
            self.amount.value, self._settlement.mergeable, "shares of each outcome"
        )
        if isinstance(amount, str):
            return amount
        return Merge(self._settlement.condition_id, amount)

    @override
    def foresee(self) -> tuple[Line, ...]:
        step = self.read()
        if isinstance(step, str):
            return ((Cell("A dollar for one share of each outcome.", Role.DIM),),)
        lines: list[Line] = [(Cell(f"+{exact_dollars(step.amount)} cash", Role.UP),)]
        if (cost := self._cost_of_pair()) is not None:
            gain = format_money_change(notional_floor(complement(cost), step.amount))
            text = f"A pair pays $1 and cost {read_average(cost)} on average: realises {gain}"
            lines.append((Cell(text),))
        for outcome in self._settlement.outcomes:
            left = exact_shares(Micros(outcome.size - step.amount))
            lines.append((Cell(f"{left} left of {plain(outcome.label, 24)}", Role.DIM),))
        return tuple(lines)

    def _cost_of_pair(self) -> Micros | None:
        """Return the average cost of a pair: that of both outcomes less that of the net position; None if unknown."""
        queries = self.surface.queries
        tokens = {each.token_id for each in self._settlement.outcomes}
        held = [p for p in queries.account().positions if p.token_id in tokens]
        pairs = min((p.size for p in held), default=0)
        if len(held) != len(tokens) or not pairs:
            return None
        more = max(held, key=lambda each: each.size)
        net = net_in(queries, more)
        paid = sum(p.size * p.average_price for p in held)
        average = more.average_price if net is None else net.average_price
        # The averages are rounded themselves.
        return Micros(round((paid - (more.size - pairs) * average) // pairs, -1))


class SplitForm(WalletStepForm):
    """Takes how much cash to split into shares of both outcomes."""

    def __init__(
        self, surface: Surface, condition_id: ConditionId, *, title: str, cash: Micros | None
    ) -> None:
        """Ask for an amount.

        Args:
            surface: the service and the user's choices.
            condition_id: of the market.
            title: its name.
            cash: what no working order reserves; None if unknown.
        """
        cash = None if cash is None else cents_down(cash)
        there = "" if cash is None else f"of {exact_dollars(cash)} free"
        super().__init__(
            surface, heading="Split cash into both outcomes", subject=title, says=there
        )
        self._condition_id = condition_id
        self._cash = cash

    @override
    def read(self) -> Split | str:
        amount = read_amount(self.amount.value, self._cash, "dollars")
        return amount if isinstance(amount, str) else Split(self._condition_id, amount)

    @override
    def foresee(self) -> tuple[Line, ...]:
        step = self.read()
        if isinstance(step, str):
            return ((Cell("One share of each outcome for a dollar.", Role.DIM),),)
        shares = exact_shares(step.amount)
        return (
            (Cell(f"-{exact_dollars(step.amount)} cash, +{shares} of each outcome"),),
            (Cell("Each counts as bought at 50¢, as the venue counts it.", Role.DIM),),
        )


class ExactApprovalForm(WalletStepForm):
    """Takes the most that a contract may spend."""

    def __init__(
        self, surface: Surface, approval: Approval, *, name: str, is_refused: bool
    ) -> None:
        """Ask for an amount.

        Args:
            surface: the service and the user's choices.
            approval: the contract's approval.
            name: the contract's name.
            is_refused: whether the relayer accepts only unlimited approvals.
        """
        heading = f"Let the {plain(name, 30)} spend up to"
        super().__init__(surface, heading=heading, subject=approval.contract)
        self._approval = approval
        self._is_refused = is_refused

    @override
    def read(self) -> Approve | str:
        amount = read_amount(self.amount.value, None, "dollars")
        return amount if isinstance(amount, str) else Approve((self._approval,), amount)

    @override
    def foresee(self) -> tuple[Line, ...]:
        if not self._is_refused:
            return ((Cell("Each trade uses up some of it.", Role.DIM),),)
        text = (
            "The relayer takes unlimited approvals only for this contract: it may refuse this one."
        )
        return paint_text(text, self.inner, Role.NOTICE_WARN)
