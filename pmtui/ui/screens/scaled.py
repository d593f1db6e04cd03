"""A scaled ladder of orders: entries, every leg as it would be, and how each of them ended.

Nothing is read or rounded here: `domain.scaled` plans, the service sends, this shows.
"""

from collections.abc import Awaitable
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.book_view import BookView
from pmtui.domain.ids import ConditionId
from pmtui.domain.market import MarketTerms
from pmtui.domain.money import Micros
from pmtui.domain.scaled import ScaledField, ScaledPlan, ScaledProblem
from pmtui.domain.scaled_draft import (
    ScaledDraft,
    entry_of,
    legs_that_cross,
    next_shape,
    next_unit,
    read_scaled,
    step_entry,
    warnings_of,
    with_entry,
)
from pmtui.domain.ticket_reading import format_cents
from pmtui.domain.ticket_steps import Step
from pmtui.domain.verdict import Rejected, Verdict
from pmtui.service.surface import PreparedOrder, Subscription
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.ui.action import Context
from pmtui.ui.actions import bindings_for, footer_entries
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.market_facts import outcome_label, title_of
from pmtui.ui.paint.scaled import (
    paint_leg_end,
    paint_plan,
    paint_scaled_problem,
    paint_sent,
)
from pmtui.ui.paint.ticket import side_role
from pmtui.ui.plain import plain
from pmtui.ui.screens.action_cards import ScaledCard
from pmtui.ui.surface import Surface
from pmtui.ui.theme import Role
from pmtui.ui.widgets.key_line import KeyLine
from pmtui.ui.widgets.text_line import TextLine
from pmtui.ui.widgets.ticket_fields import Choice, NumberField, TextBlock

WIDTH = 64
_ENTRIES = {
    "scaled-first": ScaledField.FIRST_PRICE,
    "scaled-last": ScaledField.LAST_PRICE,
    "scaled-count": ScaledField.COUNT,
    "scaled-total": ScaledField.TOTAL,
}


class ScaledScreen(ModalScreen[None]):
    """Spreads a total over a range of prices; enter asks, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    DEFAULT_CSS = """
    ScaledScreen { align: center middle; }
    ScaledScreen > #scaled {
        width: 68; max-width: 100%; height: auto; max-height: 100%; background: $panel;
        border: heavy $primary; padding: 0 1;
    }
    ScaledScreen .row { height: 1; }
    ScaledScreen .label { width: 8; }
    ScaledScreen Choice { width: 10; }
    ScaledScreen #scaled-post-only { width: 16; }
    ScaledScreen NumberField { width: 10; }
    ScaledScreen #scaled-legs { height: auto; max-height: 16; }
    """

    side = query_one("#scaled-side", Choice)
    unit = query_one("#scaled-unit", Choice)
    shape = query_one("#scaled-shape", Choice)
    post_only = query_one("#scaled-post-only", Choice)
    legs = query_one("#scaled-legs", TextBlock)
    state = query_one("#scaled-state", TextBlock)

    def __init__(
        self,
        surface: Surface,
        condition_id: ConditionId,
        *,
        outcome_index: int,
        start: Micros | None = None,
    ) -> None:
        """Open for one outcome of a market, from a price where one is given."""
        super().__init__()
        self._surface = surface
        self._condition_id = condition_id
        self._outcome_index = outcome_index
        self.draft = ScaledDraft(first_text=format_cents(start) if start is not None else "")
        """The entries as they are now."""
        self._sent: tuple[PreparedOrder, ...] = ()
        self._verdicts: tuple[Verdict, ...] = ()
        self._subscription: Subscription | None = None

    @override
    def compose(self) -> ComposeResult:
        ascii_only = self._surface.options.ascii_only
        view = self._surface.queries.market(self._condition_id)
        outcome = plain(outcome_label(view, self._outcome_index), 16)
        title = plain(title_of(self._surface.queries, self._condition_id), WIDTH - 20)
        with Vertical(id="scaled"):
            yield TextLine(
                (Cell("Scaled orders ", Role.HEADING, Emphasis.BOLD), Cell(title, Role.DIM)),
                ascii_only=ascii_only,
            )
            with Horizontal(classes="row"):
                yield Choice(id="scaled-side", ascii_only=ascii_only)
                yield TextLine((Cell(outcome),), ascii_only=ascii_only)
                yield Choice(id="scaled-post-only", ascii_only=ascii_only)
            with Horizontal(classes="row"):
                yield from self._entry("From", "scaled-first", "0-9.¢")
                yield from self._entry("to", "scaled-last", "0-9.¢")
                yield TextLine((Cell("cents", Role.DIM),), ascii_only=ascii_only)
            with Horizontal(classes="row"):
                yield from self._entry("Orders", "scaled-count", "0-9")
                yield from self._entry("sizes", "", "")
                yield Choice(id="scaled-shape", ascii_only=ascii_only)
            with Horizontal(classes="row"):
                yield from self._entry("Total", "scaled-total", "0-9.,$")
                yield Choice(id="scaled-unit", ascii_only=ascii_only)
            yield TextBlock(id="scaled-legs", ascii_only=ascii_only)
            yield TextBlock(id="scaled-state", ascii_only=ascii_only)
            entries = tuple(
                replace(entry, label="Review") if entry.id == "confirm.accept" else entry
                for entry in footer_entries(Context.CONFIRM, keymap=self._surface.options.keymap)
            )
            yield KeyLine(entries, self._surface.options, width=WIDTH)

    def on_mount(self) -> None:
        """Fill the entries and watch what they are judged by."""
        self._load(self.draft)
        topics: list[Topic] = [MarketTopic(self._condition_id), AccountTopic()]
        terms = self._terms
        if terms is not None:
            topics.append(BookTopic(terms.token_ids[self._outcome_index]))
        self._subscription = self._surface.subscriptions.subscribe(topics, self._hear)
        name = "#scaled-last" if self.draft.first_text else "#scaled-first"
        _ = self.query_one(name, NumberField).focus()

    def on_unmount(self) -> None:
        """Stop listening; what was sent is the service's."""
        if self._subscription is not None:
            self._subscription.close()

    def action_accept(self) -> None:
        """Ask whether to send the legs; once they are sent, leave."""
        if self._sent:
            if self._verdicts:
                _ = self.dismiss()
            return
        plan = self._plan()
        terms = self._terms
        if not isinstance(plan, ScaledPlan) or terms is None:
            self._focus_problem(plan)
            return
        orders: list[PreparedOrder] = []
        for order in self._surface.commands.prepare_many(plan.intents(terms, self._outcome_index)):
            if isinstance(order, Rejected):
                self.state.show(((Cell(plain(order.reason, WIDTH), Role.NOTICE_BAD),),))
                return
            orders.append(order)
        doubt = " ".join(f"{text}." for text in self._warnings(plan))
        card = ScaledCard(orders, surface=self._surface, doubt=doubt)

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - the toolkit's callback
            if is_agreed:
                self._send(tuple(orders))

        _ = self.app.push_screen(card, decide)

    def action_decline(self) -> None:
        """Leave; orders on their way go on."""
        _ = self.dismiss()

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        field = _ENTRIES.get(event.input.id or "")
        if field is not None:
            self._change(with_entry(self.draft, field, event.value))

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        field, terms = _ENTRIES.get(event.field.id or ""), self._terms
        if field is not None and terms is not None:
            step = 1 if event.step is Step.UP else -1
            self._load(step_entry(self.draft, field, step, terms))

    @on(Choice.Moved)
    def _on_moved(self, event: Choice.Moved) -> None:
        draft = self.draft
        match event.choice.id:
            case "scaled-side":
                self._load(replace(draft, side=draft.side.opposite))
            case "scaled-shape":
                self._load(next_shape(draft, 1 if event.step is Step.UP else -1))
            case "scaled-unit":
                self._load(next_unit(draft))
            case _:
                self._load(replace(draft, is_post_only=not draft.is_post_only))

    def _entry(self, label: str, name: str, characters: str) -> ComposeResult:
        ascii_only = self._surface.options.ascii_only
        yield TextLine((Cell(label, Role.DIM),), classes="label", ascii_only=ascii_only)
        if name:
            yield NumberField(id=name, characters=characters)

    @property
    def _terms(self) -> MarketTerms | None:
        return self._surface.queries.market(self._condition_id).terms

    def _plan(self) -> ScaledPlan | ScaledProblem | None:
        terms = self._terms
        return None if terms is None else read_scaled(self.draft, terms)

    def _hear(self, _: Topic) -> None:
        self.call_next(self._show)

    def _load(self, draft: ScaledDraft) -> None:
        """Take another draft, and write it into the entries."""
        for name, entry in _ENTRIES.items():
            text = entry_of(draft, entry)
            field = self.query_one(f"#{name}", NumberField)
            if field.value != text:
                with field.prevent(Input.Changed):
                    field.value = text
                field.cursor_position = len(text)
        self._change(draft)

    def _change(self, draft: ScaledDraft) -> None:
        if draft != self.draft:
            # What is on the screen is a new ladder now; the one sent is in the account.
            self._sent, self._verdicts = (), ()
        self.draft = draft
        self._show()

    def _send(self, orders: tuple[PreparedOrder, ...]) -> None:
        command_id = self._surface.commands.place_many(orders)
        self._sent, self._verdicts = orders, ()
        self._show()
        waiting = self._surface.commands.batch_verdict(command_id)
        _ = self.run_worker(self._await(waiting, orders))

    # Only the words are lost when this screen goes: the service owns the orders.
    async def _await(
        self, waiting: Awaitable[tuple[Verdict, ...]], orders: tuple[PreparedOrder, ...]
    ) -> None:
        verdicts = await waiting
        if self.is_mounted and self._sent == orders:
            self._verdicts = verdicts
            self._show()

    def _show(self) -> None:
        if not self.is_mounted:
            return
        self._show_choices()
        plan = self._plan()
        ascii_only = self._surface.options.ascii_only
        if not isinstance(plan, ScaledPlan):
            self.legs.show(())
            line: Line = (Cell("The market's terms are still loading", Role.DIM),)
            self.state.show((line if plan is None else paint_scaled_problem(plan),))
            return
        crossing = legs_that_cross(plan, self._book())
        self.legs.show(paint_plan(plan, crossing, self._ends(), ascii_only=ascii_only))
        if self._sent:
            self.state.show((paint_sent(self._verdicts, len(self._sent)),))
        else:
            warnings = self._warnings(plan)
            self.state.show(tuple((Cell(text, Role.NOTICE_WARN),) for text in warnings))

    def _show_choices(self) -> None:
        draft = self.draft
        self.side.show(f" {draft.side.value}", side_role(draft.side))
        self.unit.show(f" {draft.unit.value}")
        self.shape.show(f" {draft.shape.value}")
        self.post_only.show(f" [{'x' if draft.is_post_only else ' '}] post-only")

    def _ends(self) -> tuple[Cell, ...]:
        known = {o.order_id: o for o in self._surface.queries.account().open_orders}
        return tuple(
            paint_leg_end(
                self._verdicts[number] if number < len(self._verdicts) else None,
                known.get(order.unsigned.order_id),
            )
            for number, order in enumerate(self._sent)
        )

    def _warnings(self, plan: ScaledPlan) -> tuple[str, ...]:
        account, terms = self._surface.queries.account(), self._terms
        token_id = terms.token_ids[self._outcome_index] if terms is not None else None
        return warnings_of(
            plan,
            book=self._book(),
            available_cash=account.available,
            available_shares=account.sellable(token_id) if token_id is not None else Micros(0),
        )

    def _book(self) -> BookView | None:
        terms = self._terms
        if terms is None:
            return None
        return self._surface.queries.book(terms.token_ids[self._outcome_index])

    def _focus_problem(self, plan: ScaledPlan | ScaledProblem | None) -> None:
        if isinstance(plan, ScaledProblem):
            name = next(name for name, field in _ENTRIES.items() if field is plan.field)
            _ = self.query_one(f"#{name}", NumberField).focus()
