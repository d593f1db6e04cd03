"""The form that sets price alerts, or a condition such as `spread >= 4`, on one outcome."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.conditionals.alerts import AlertState, describe_plan, read_plans
from pmtui.domain.formats import format_cents
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.ticket.draft import step_cents
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.explore.paint_watchlist import LIVES_HERE
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.order_form import OrderForm
from pmtui.ui.ticket.paint_ticket import wrap_line
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_keys

_ENTRIES = (
    ("alert-above", "Above", "¢: rings at bid ≥"),
    ("alert-below", "Below", "¢: rings at ask ≤"),
)
_CENT = Micros(10_000)
_MOST_LISTED = 4
_LONGEST_CONDITION = 40


@dataclass(frozen=True, slots=True)
class AlertSubject:
    """The outcome to watch; both texts are untrusted."""

    condition_id: ConditionId
    token_id: TokenId | None
    outcome: str
    title: str


class AlertForm(OrderForm[str]):
    """Takes the prices and sets the alerts; returns what was set."""

    DEFAULT_CSS = """
    AlertForm .label { width: 8; }
    AlertForm NumberField { width: 8; }
    AlertForm #alert-when { width: 1fr; }
    AlertForm #listed { height: auto; }
    """

    touch = query_one("#alert-touch", TextLine)
    listed = query_one("#listed", TextBlock)
    when = query_one("#alert-when", Input)

    def __init__(self, surface: Surface, subject: AlertSubject) -> None:
        """Ask for the prices of one outcome."""
        super().__init__(surface, subject.condition_id)
        self._subject = subject

    @override
    def compose(self) -> ComposeResult:
        head = f"Price alert on {plain(self._subject.outcome, 24)}"
        with Vertical(classes="frame"):
            yield TextLine((Cell(head, Role.HEADING, Emphasis.BOLD),))
            title = plain(self._subject.title, self.inner)
            yield TextLine((Cell(title, Role.DIM),))
            with Horizontal(classes="row"):
                yield TextLine((Cell(" Market", Role.DIM),), classes="label")
                yield TextLine(id="alert-touch")
            for name, label, meaning in _ENTRIES:
                with Horizontal(classes="row"):
                    yield EntryLabel(label, name)
                    yield NumberField(id=name, characters="0-9.,¢")
                    yield TextLine((Cell(f" {meaning}", Role.DIM),))
            with Horizontal(classes="row"):
                yield EntryLabel("When", "alert-when")
                yield Input(
                    id="alert-when", compact=True, max_length=_LONGEST_CONDITION,
                    placeholder="spread >= 4",
                )  # fmt: skip
            yield TextBlock(id="listed")
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Subscribe to the prices that the alerts are compared with."""
        _ = self.field("alert-above").focus()
        self.show_place()
        self.watch_market(self._subject.token_id)
        self.show()

    @override
    def keys(self) -> KeyLine:
        return answer_keys("Set", self._surface.options, width=self.inner)

    @override
    def show(self) -> None:
        if self._subject.token_id is not None:
            self.show_touch(self.touch, self._subject.token_id)
        self.listed.show(self._waiting())

    def begin_with(self, price: Micros | None, condition: str) -> None:
        """Fill in a command's values: the price goes to the side that has not been reached."""
        self.when.value = condition
        if price is None or self._subject.token_id is None:
            return
        bid = self._surface.queries.book(self._subject.token_id).best_bid
        is_above = bid is None or price > bid
        self.field("alert-above" if is_above else "alert-below").write(format_cents(price))

    def show_place(self) -> None:
        """Show that alerts are unknown to the venue."""
        self.state.show(wrap_line((Cell(LIVES_HERE, Role.DIM),), self.inner, most=2))

    async def action_accept(self) -> None:
        """Set the alerts, or show why not."""
        token_id = self._subject.token_id
        if token_id is None:
            self.show_reason("This market has no order book")
            return
        plans = read_plans(
            self.field("alert-above").value, self.field("alert-below").value, self.when.value,
            condition_id=self._subject.condition_id, token_id=token_id,
        )  # fmt: skip
        if isinstance(plans, str):
            self.show_reason(plans)
            return
        done: list[str] = []
        for plan in plans:
            problem = await self._surface.commands.add_alert(plan)
            if problem:
                first = f"Set {done[0]}. " if done else ""
                self.show_reason(plain(f"{first}{problem}"))
                return
            done.append(describe_plan(plan))
            field = self.when if plan.condition else self.field(f"alert-{plan.side.value}")
            field.value = ""
        outcome = plain(self._subject.outcome, 16)
        _ = self.dismiss(plain(f"Price alert set on {outcome}: {', '.join(done)}"))

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        if event.value:
            self.show_place()

    @on(Input.Submitted, "#alert-when")
    async def _on_submitted(self) -> None:
        await self.action_accept()

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        token_id, field = self._subject.token_id, event.field
        if token_id is None:
            return
        book = self._surface.queries.book(token_id)
        best = book.best_bid if field.id == "alert-above" else book.best_ask
        start = format_cents(best) if best is not None else ""
        tick = self.terms.tick_size if self.terms is not None else _CENT
        field.write(step_cents(field.value or start, event.step, tick))

    def _waiting(self) -> tuple[Line, ...]:
        """Return the alerts that already wait for this outcome."""
        alerts = (row.alert for row in self._surface.queries.watchlist().alerts)
        plans = [
            describe_plan(alert.plan)
            for alert in alerts
            if alert.state is AlertState.WAITING and alert.plan.token_id == self._subject.token_id
        ]
        if not plans:
            return ()
        more = f" and {len(plans) - _MOST_LISTED} more" if len(plans) > _MOST_LISTED else ""
        said = plain(f"Set: {', '.join(plans[:_MOST_LISTED])}{more}")
        return ((Cell(said, Role.KEY),),)
