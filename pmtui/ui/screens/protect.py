"""Protects a position with a stop, a take profit, or both: entries, a card, and then it is watched."""

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

from pmtui.domain.amounts import is_on_tick
from pmtui.domain.conditional import ConditionalPlan, say_plan
from pmtui.domain.conditional_draft import ConditionalDraft, read_conditional
from pmtui.domain.ids import ConditionId
from pmtui.domain.market import MarketTerms
from pmtui.domain.money import Micros
from pmtui.domain.ticket_reading import format_cents, parse_cents, say_shares
from pmtui.service.surface import Subscription
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.ui.action import Context
from pmtui.ui.actions import bindings_for, footer_entries
from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.market_facts import outcome_label, title_of
from pmtui.ui.paint.conditional import LIVES_HERE
from pmtui.ui.paint.ticket import paint_touch
from pmtui.ui.plain import plain
from pmtui.ui.screens.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme import Role
from pmtui.ui.widgets.key_line import KeyLine
from pmtui.ui.widgets.text_line import TextLine
from pmtui.ui.widgets.ticket_fields import NumberField

WIDTH = 64
_ENTRIES = (
    ("protect-stop", "Stop", "sells when the best bid is there or below"),
    ("protect-give-way", "down to", "cents below the stop, no lower"),
    ("protect-profit", "Profit", "sells when the best bid is there or above"),
    ("protect-size", "Size", "shares"),
)


class ProtectScreen(ModalScreen[None]):
    """Takes the prices, shows the card, and hands the plan to the service."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    DEFAULT_CSS = """
    ProtectScreen { align: center middle; }
    ProtectScreen > #protect {
        width: 68; max-width: 100%; height: auto; background: $panel; border: heavy $primary;
        padding: 0 1;
    }
    ProtectScreen .row { height: 1; }
    ProtectScreen .label { width: 9; }
    ProtectScreen NumberField { width: 11; }
    """

    touch = query_one("#protect-touch", TextLine)
    state = query_one("#protect-state", TextLine)

    def __init__(
        self, surface: Surface, condition_id: ConditionId, *, outcome_index: int, held: Micros
    ) -> None:
        """Ask for the prices.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            outcome_index: which outcome is held.
            held: shares of it.
        """
        super().__init__()
        self._surface = surface
        self._condition_id = condition_id
        self._outcome_index = outcome_index
        self._held = held
        self._subscription: Subscription | None = None

    @override
    def compose(self) -> ComposeResult:
        options = self._surface.options
        ascii_only = options.ascii_only
        queries = self._surface.queries
        view = queries.market(self._condition_id)
        outcome = plain(outcome_label(view, self._outcome_index), 16)
        head = f"Protect {say_shares(self._held)} {outcome}"
        title = plain(title_of(queries, self._condition_id), WIDTH)
        with Vertical(id="protect"):
            yield TextLine((Cell(head, Role.HEADING, Emphasis.BOLD),), ascii_only=ascii_only)
            yield TextLine((Cell(title, Role.DIM),), ascii_only=ascii_only)
            yield TextLine(id="protect-touch", ascii_only=ascii_only)
            for name, label, meaning in _ENTRIES:
                with Horizontal(classes="row"):
                    yield TextLine((Cell(label),), classes="label", ascii_only=ascii_only)
                    yield NumberField(id=name, characters="0-9.,¢")
                    yield TextLine((Cell(f" {meaning}", Role.DIM),), ascii_only=ascii_only)
            yield TextLine(id="protect-state", ascii_only=ascii_only)
            entries = tuple(
                replace(entry, label="Review") if entry.id == "confirm.accept" else entry
                for entry in footer_entries(Context.CONFIRM, keymap=options.keymap)
            )
            yield KeyLine(entries, options, width=WIDTH)

    def on_mount(self) -> None:
        """Start with the whole position, and watch what the prices are judged by."""
        draft = ConditionalDraft(size_text=say_shares(self._held).replace(",", ""))
        self._field("protect-size").value = draft.size_text
        self._field("protect-give-way").value = draft.give_way_text
        _ = self._field("protect-stop").focus()
        topics: list[Topic] = [MarketTopic(self._condition_id), AccountTopic()]
        terms = self._terms
        if terms is not None:
            topics.append(BookTopic(terms.token_ids[self._outcome_index]))
        self._subscription = self._surface.subscriptions.subscribe(topics, self._hear)

    def on_unmount(self) -> None:
        """Stop listening."""
        if self._subscription is not None:
            self._subscription.close()

    def action_accept(self) -> None:
        """Show the card of what would be watched over, or why it cannot be."""
        terms = self._terms
        if terms is None:
            self._say("The market's trading terms are still loading")
            return
        plan = read_conditional(
            self._draft(), condition_id=self._condition_id,
            token_id=terms.token_ids[self._outcome_index],
        )  # fmt: skip
        if isinstance(plan, str):
            self._say(plan)
            return
        self._ask(plan)

    def action_decline(self) -> None:
        """Change nothing."""
        _ = self.dismiss()

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.state.show(())

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        terms, field = self._terms, event.field
        price = parse_cents(field.value or "-")
        if terms is None or field.id == "protect-size":
            return
        if price is None:
            book = self._surface.queries.book(terms.token_ids[self._outcome_index])
            price = book.best_bid
        if price is None:
            return
        stepped = Micros(price + event.step * terms.tick_size)
        if is_on_tick(stepped, terms.tick_size):
            field.value = format_cents(stepped)
            field.cursor_position = len(field.value)

    def _ask(self, plan: ConditionalPlan) -> None:
        view = self._surface.queries.market(self._condition_id)
        outcome = plain(outcome_label(view, self._outcome_index), 16)
        lines = (
            (Cell(plain(title_of(self._surface.queries, self._condition_id)), Role.DIM),),
            (Cell(say_plan(plan, outcome)),),
            (Cell(LIVES_HERE, Role.NOTICE_WARN),),
        )

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - the toolkit's callback
            if is_agreed:
                problem = self._surface.commands.protect(plan)
                if problem:
                    self._say(problem)
                else:
                    _ = self.dismiss()

        question = QuestionScreen(
            "Watch over this?", lines, agree="Watch", options=self._surface.options
        )
        _ = self.app.push_screen(question, decide)

    def _draft(self) -> ConditionalDraft:
        return ConditionalDraft(
            stop_text=self._field("protect-stop").value,
            take_profit_text=self._field("protect-profit").value,
            give_way_text=self._field("protect-give-way").value,
            size_text=self._field("protect-size").value,
        )

    def _field(self, name: str) -> NumberField:
        return self.query_one(f"#{name}", NumberField)

    @property
    def _terms(self) -> MarketTerms | None:
        return self._surface.queries.market(self._condition_id).terms

    def _hear(self, _: Topic) -> None:
        self.call_next(self._show)

    def _show(self) -> None:
        terms = self._terms
        if self.is_mounted and terms is not None:
            book = self._surface.queries.book(terms.token_ids[self._outcome_index])
            ascii_only = self._surface.options.ascii_only
            self.touch.show(paint_touch(book, terms.tick_size, ascii_only=ascii_only))

    def _say(self, reason: str) -> None:
        self.state.show((Cell(plain(reason, WIDTH), Role.NOTICE_WARN),))
