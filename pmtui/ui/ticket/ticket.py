"""The order ticket: a pane of fields over the pure rules, with review and sending.

It never sends by itself, never closes on a refusal, and only waits for an order: the service owns
it. While it has the focus, no letter reaches the screen's own keys.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import Ghost
from pmtui.domain.formats import format_cents
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, Rejected
from pmtui.domain.ticket.draft import (
    OrderKind,
    Step,
    TicketDraft,
    next_kind,
    next_time_in_force,
    next_unit,
    step_cents,
    step_price,
    step_size,
    switch_side,
    toggle_post_only,
)
from pmtui.service.views import AccountView, MarketView
from pmtui.ui.cells import Cell
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import STOPPING, actions_in, bindings_for
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import FIELD_WIDGETS, Choice, NumberField, TicketLayout
from pmtui.ui.ticket.orders import TicketSending
from pmtui.ui.ticket.ticket_face import TicketFace
from pmtui.ui.ticket.ticket_state import TicketState

_FAR = 20
"""Farther from the best prices than this many ticks, the ticket starts in its price field."""


class TicketPane(TicketLayout):
    """The ticket of one market; hidden until opened."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.TICKET)

    class Opened(Message):
        """The ticket was opened."""

    class Closed(Message):
        """The ticket was closed; the focus should go elsewhere."""

    @dataclass
    class Finished(Message):
        """Its one order was accepted, so it closed."""

        verdict: Accepted
        words: str

    class Reshaped(Message):
        """The trader wants all of the ticket, or one line again."""

    @dataclass
    class Drafted(Message):
        """The draft has changed, or was removed."""

        ghosts: tuple[Ghost, ...]

    class SuggestionChanged(Message):
        """A suggestion has appeared or gone."""

    class KeyKept(Message):
        """A key that would trade or navigate was ignored because the ticket has the focus."""

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Build a closed ticket."""
        super().__init__(surface, id=id)
        self._state = TicketState(TicketDraft(Side.BUY, 0))
        options = surface.options
        self._face = TicketFace(self, self._state, options.keymap)
        self.is_whole = False
        """Whether the trader wants all of it, even at the cost of other panes."""
        self.has_suggestion = False
        """Whether a problem has a suggestion that a key applies."""
        self._sending = TicketSending(surface, self._state, self)
        self._drawn: tuple[Ghost, ...] = ()

    @property
    def draft(self) -> TicketDraft:
        """The current fields."""
        return self._state.draft

    @property
    def is_open(self) -> bool:
        """Whether the ticket is open."""
        return self.has_class("-open")

    def show_on_a_line(self, *, is_line: bool) -> None:
        """Show the ticket on one line, or in rows; draft and focus stay."""
        if is_line != self.has_class("-line"):
            self.set_class(is_line, "-line", update=self.is_open)
            if self.is_open:
                self._paint()

    def open(
        self, side: Side, *, market: MarketView, outcome_index: int, price: Micros | None
    ) -> None:
        """Show the ticket and focus it.

        It starts as a limit order in shares that rests until cancelled, with the size of the last
        order accepted from a ticket, selected so that typing replaces it. A ticket that is already
        open on this outcome keeps its size, and for an unsent order of the same side all of its
        fields.

        Args:
            side: buy or sell.
            market: the market and its terms.
            outcome_index: the outcome.
            price: the initial price; None leaves it empty.
        """
        draft = TicketDraft(side, outcome_index, size_text=self.surface.memory.now.size)
        if self.is_open and self._state.is_about(market, outcome_index):
            kept = self.draft if self.draft.kind is OrderKind.LIMIT else next_kind(self.draft)
            sized = replace(draft, size_text=kept.size_text, size_unit=kept.size_unit)
            draft = kept if kept.side is side and not self._sending.was_sent else sized
        self._state.market = market
        self._state.book = None
        self._state.message, self._state.refusal = (), None
        self._state.was_reviewed = self._sending.was_sent = False
        self._sending.commanded = None
        self.load(
            replace(
                draft, side=side, outcome_index=outcome_index,
                price_text=format_cents(price) if price is not None else "",
            )
        )  # fmt: skip
        self.add_class("-open")
        self.show_state()
        terms = market.terms
        is_far = price is not None and terms is not None and _is_far(
            price, self.surface.queries.book(terms.token_ids[outcome_index]), terms.tick_size
        )  # fmt: skip
        field = self.price if price is None or is_far else self.size_field
        _ = field.focus()
        self.call_after_refresh(self._place_cursor)
        if is_far:
            # So far from the market, the price is likely to be replaced.
            self.price.action_select_all()
        if draft.size_text:
            # Typing replaces the size rather than adding digits.
            self.size_field.action_select_all()
        self.post_message(self.Opened())

    def fill(self, draft: TicketDraft) -> None:
        """Fill in the fields from a command, and focus the size."""
        self._change(draft)
        self._sending.commanded = self.draft
        _ = self.size_field.focus()

    def close(self) -> None:
        """Hide the ticket; an order already sent belongs to the service and continues."""
        if self.is_open:
            self.remove_class("-open")
            self._draw()
            self.post_message(self.Closed())

    def finish(self, verdict: Accepted, text: str) -> None:
        """Hide the ticket, and report how its order ended."""
        self.close()
        self.post_message(self.Finished(verdict, text))

    def update_context(self, *, book: BookView, account: AccountView, market: MarketView) -> None:
        """Check the draft against the current market."""
        self._state.market, self._state.account, self._state.book = market, account, book
        self._sending.follow(account)
        terms = market.terms
        if terms is not None and book.token_id in terms.token_ids:
            index = terms.token_ids.index(book.token_id)
            if index != self.draft.outcome_index and self.is_open:
                self.load(replace(self.draft, outcome_index=index, price_text=""))
                self._state.message = (Cell("Outcome changed: enter a price", Role.NOTICE_WARN),)
        if self.is_open:
            self.show_state()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def mark_focus(self) -> None:
        """Mark the focused field, and the ticket that has it."""
        if self.is_open and is_live(self):
            self._paint()
            self.refresh()

    def on_mount(self) -> None:
        """Fill the fields for the first time."""
        self.load(self.draft)
        self.show_state()

    def on_resize(self) -> None:
        """Repaint for the new size."""
        self.show_state()
        self.call_after_refresh(self._place_cursor)

    def _place_cursor(self) -> None:
        """Put the terminal's own cursor into the focused field, which may have moved."""
        field = self.screen.focused if self.is_mounted else None
        if isinstance(field, NumberField):
            self.app.cursor_position = field.cursor_screen_offset

    def on_key(self, event: events.Key) -> None:
        """Keep letters from the keys of the screen behind, except the ticket's own keys."""
        keymap = self.surface.options.keymap
        ids = (*STOPPING, *(action.id for action in actions_in(Context.TICKET)))
        own = {key for action in ids for key in keymap.keys_of(action)}
        if event.is_printable and event.key not in own:
            event.stop()
            self.post_message(self.KeyKept())

    @on(NumberField.Restricted)
    def _on_restricted(self, event: NumberField.Restricted) -> None:
        event.stop()
        self.post_message(self.KeyKept())

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        match event.input.id:
            case "ticket-price":
                draft = replace(self.draft, price_text=event.value)
            case "ticket-size":
                draft = replace(self.draft, size_text=event.value)
            case "ticket-stop":
                draft = replace(self.draft, stop_text=event.value)
            case "ticket-target":
                draft = replace(self.draft, target_text=event.value)
            case _:
                draft = replace(self.draft, expiry_text=event.value)
        if draft != self.draft:
            self._change(draft, is_typed=True)

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        event.stop()
        context = self._state.context(self.surface)
        if context is not None and event.field.id == "ticket-price":
            self._change(step_price(self.draft, context, event.step))
        elif context is not None and event.field.id == "ticket-size":
            self._change(step_size(self.draft, context, event.step))
        elif context is not None and event.field.id in ("ticket-stop", "ticket-target"):
            start = event.field.value or self.draft.price_text
            event.field.write(step_cents(start, event.step, context.terms.tick_size))

    @on(Choice.Moved)
    def _on_moved(self, event: Choice.Moved) -> None:
        event.stop()
        match event.choice.id:
            case "ticket-side":
                self.action_switch_side()
            case "ticket-kind":
                self.action_next_kind()
            case "ticket-time-in-force":
                self.action_next_time_in_force(event.step)
            case "ticket-post-only":
                self.action_toggle_post_only()
            case _:
                self._change(next_unit(self.draft, event.step))

    def action_switch_side(self) -> None:
        """Switch between buying and selling."""
        self._change(switch_side(self.draft))

    def action_next_kind(self) -> None:
        """Switch between a limit and a market order."""
        self._change(next_kind(self.draft))

    def action_next_time_in_force(self, step: Step = Step.UP) -> None:
        """Switch how long the order may rest."""
        has_close = self._state.closes_at is not None
        self._change(next_time_in_force(self.draft, step, has_close=has_close))

    def action_next_unit(self) -> None:
        """Switch the unit of the size."""
        self._change(next_unit(self.draft))

    def action_toggle_post_only(self) -> None:
        """Switch whether the order is refused if it would take."""
        self._change(toggle_post_only(self.draft))

    def action_use_suggestion(self) -> None:
        """Apply the fix of the problem that shows its key."""
        problem = self._face.fixable()
        if problem is not None and problem.fix is not None:
            self._change(problem.fix)

    def action_switch_form(self) -> None:
        """Switch between all of the ticket and one line."""
        self.is_whole = not self.is_whole
        self.post_message(self.Reshaped())

    def action_close(self) -> None:
        """Close without sending."""
        self.close()

    async def action_review(self) -> None:
        """Show the card of the order, or focus the field with a problem."""
        self._state.was_reviewed = True
        self._state.refusal, self._state.message = None, ()
        self.show_state()
        check = self._state.check
        if check is None:
            self._sending.show_line(Cell("The trading terms are loading", Role.NOTICE_WARN))
        elif check.intent is None:
            _ = self.query_one(FIELD_WIDGETS[check.blocking[0].field], Widget).focus()
        elif self._state.forbidden is not None:
            _ = self.query_one(FIELD_WIDGETS[self._state.forbidden.field], Widget).focus()
        else:
            prepared = await self.surface.commands.prepare(check.intent)
            if isinstance(prepared, Rejected):
                self._sending.refuse(prepared, self.draft)
            else:
                self._sending.ask(prepared)

    def ask(self, screen: ConfirmScreen, decide: Callable[[bool | None], None]) -> None:
        """Show the card of an order; `decide` gets the result."""
        _ = self.app.push_screen(screen, decide)

    def place(self) -> Region | None:
        """Return where the ticket stands; None on one line, which no card can repeat."""
        return None if self.has_class("-line") else self.region

    def await_next_size(self) -> None:
        """Focus the size for the next order."""
        _ = self.size_field.focus()
        self.size_field.action_select_all()

    def _change(self, draft: TicketDraft, *, is_typed: bool = False) -> None:
        """Replace the draft and clear the messages about the previous one."""
        self._state.refusal = None
        self._sending.was_sent = self._sending.was_sent and is_typed
        if not self._sending.is_sending:
            self._state.message = ()
        if is_typed:
            self._state.draft = draft
        else:
            self.load(draft)
        self.show_state()

    def load(self, draft: TicketDraft) -> None:
        """Write another draft into the fields."""
        self._state.draft = draft
        if is_live(self):
            self._face.write_fields()

    def show_state(self) -> None:
        """Check the draft, and paint it."""
        if is_live(self) and self.is_open:
            self._state.judge(self.surface)
            self._draw()
            self._paint()

    def _draw(self) -> None:
        """Show the draft on the ladder."""
        ghosts = self._state.ghosts() if self.is_open else ()
        if ghosts != self._drawn:
            self._drawn = ghosts
            self.post_message(self.Drafted(ghosts))

    def _paint(self) -> None:
        self.border_title = f"TICKET {self.draft.side.value}"
        has_one = self._face.fixable() is not None
        if has_one != self.has_suggestion:
            self.has_suggestion = has_one
            self.post_message(self.SuggestionChanged())
        self._face.paint()


def _is_far(price: Micros, book: BookView, tick: Micros) -> bool:
    """Return whether a price is far from both best prices of a book."""
    touch = [each for each in (book.best_bid, book.best_ask) if each is not None]
    return bool(touch) and all(abs(price - each) > _FAR * tick for each in touch)
