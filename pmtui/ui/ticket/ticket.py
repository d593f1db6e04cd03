"""The order ticket: a pane of fields over the pure rules, with review and sending.

It never sends by itself, never closes on a refusal, and only waits for an order: the service owns
it. While it has the focus no letter reaches the screen's own keys.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.conditional import Attachment, describe_attachment
from pmtui.domain.formats import format_cents
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, Rejected, Unknown, Verdict
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    TicketContext,
    TicketDraft,
    TicketField,
)
from pmtui.domain.ticket.fields import (
    after_sending,
    next_kind,
    next_time_in_force,
    next_unit,
    read_expiry,
    step_cents,
    step_price,
    step_size,
    switch_side,
    toggle_post_only,
)
from pmtui.domain.ticket.ticket import check_ticket, estimate_after
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView, MarketView
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.facts import key_of
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import actions_in, bindings_for
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.card_place import Place
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import Choice, NumberField
from pmtui.ui.ticket.form import TicketForm
from pmtui.ui.ticket.layout import FIELD_WIDGETS
from pmtui.ui.ticket.orders import SentOrders
from pmtui.ui.ticket.paint_ticket import paint_life, paint_verdict
from pmtui.ui.ticket.ticket_context import ticket_context


class TicketPane(TicketForm):
    """The ticket of one market. Hidden until opened."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.TICKET)

    @dataclass
    class Opened(Message):
        """The ticket is on the screen."""

        pane: "TicketPane"

    @dataclass
    class Closed(Message):
        """The ticket is gone; the focus should go elsewhere."""

        pane: "TicketPane"

    @dataclass
    class KeyKept(Message):
        """A key that would trade or move elsewhere means nothing while the ticket has the keys."""

        pane: "TicketPane"

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Build a closed ticket."""
        super().__init__(surface, id=id)
        self._account: AccountView | None = None
        self._sent = SentOrders()
        self._was_sent = False
        """Whether the choices of the fields are those of an order that left and was not refused."""
        self._life: Line = ()
        """What was said last of the order that is followed."""

    def open(
        self, side: Side, *, market: MarketView, outcome_index: int, price: Micros | None
    ) -> None:
        """Show the ticket and take the focus.

        It starts as a limit order in shares that rests until cancelled, without a size: what was
        typed for another order must not become a part of this one. Only a ticket that is still
        open on this outcome keeps its size, and all of its fields for an order of the same side
        that was not sent yet.

        Args:
            side: buy or sell.
            market: the market and its terms.
            outcome_index: which outcome's token.
            price: to start from; None leaves the field empty.
        """
        draft = TicketDraft(side, outcome_index)
        if self._is_about(market, outcome_index):
            kept = self.draft if self.draft.kind is OrderKind.LIMIT else next_kind(self.draft)
            sized = replace(draft, size_text=kept.size_text, size_unit=kept.size_unit)
            draft = kept if kept.side is side and not self._was_sent else sized
        self._market = market
        self._book = None
        self._message, self._refusal = (), None
        self._was_reviewed = self._was_sent = False
        self._load(
            replace(
                draft, side=side, outcome_index=outcome_index,
                price_text=format_cents(price) if price is not None else "",
            )
        )  # fmt: skip
        self.add_class("-open")
        self._show()
        field = self.price if price is None else self.size_field
        _ = field.focus()
        self.call_after_refresh(self._place_cursor)
        self.post_message(self.Opened(self))

    def _is_about(self, market: MarketView, outcome_index: int) -> bool:
        """Whether it is open already, on this very outcome."""
        before, now = (view.market if view else None for view in (self._market, market))
        is_same = before is not None and now is not None and before.condition_id == now.condition_id
        return self.is_open and is_same and self.draft.outcome_index == outcome_index

    def close(self) -> None:
        """Hide the ticket; an order on its way is the service's and goes on."""
        if self.is_open:
            self.remove_class("-open")
            self.post_message(self.Closed(self))

    def update_context(self, *, book: BookView, account: AccountView, market: MarketView) -> None:
        """Judge the draft by the world as it is now."""
        self._market, self._account, self._book = market, account, book
        news = self._sent.settle(account, self.surface.queries.fills().fills)
        if news:
            self._message = (Cell(news, Role.NOTICE_WARN),)
        life = self._sent.news_of_followed(account)
        if life is not None and self._message == self._life:
            self._life = self._message = paint_life(
                life[1], life[0], ascii_only=self.surface.options.ascii_only
            )
        terms = market.terms
        if terms is not None and book.token_id in terms.token_ids:
            index = terms.token_ids.index(book.token_id)
            if index != self.draft.outcome_index and self.is_open:
                self._load(replace(self.draft, outcome_index=index, price_text=""))
                self._message = (Cell("Outcome changed: enter a price", Role.NOTICE_WARN),)
        if self.is_open:
            self._show()

    def on_mount(self) -> None:
        """Fill the fields for the first time."""
        self._load(self.draft)
        self._show()

    def on_resize(self) -> None:
        """Lay the lines out for the new size."""
        self._show()
        self.call_after_refresh(self._place_cursor)

    def _place_cursor(self) -> None:
        """Put the terminal's own cursor into the field that has the keys: it may have moved."""
        field = self.screen.focused if self.is_mounted else None
        if isinstance(field, NumberField):
            self.app.cursor_position = field.cursor_screen_offset

    def on_key(self, event: events.Key) -> None:
        """Keep letters from the keys of the screen behind, except those of the ticket itself."""
        keymap = self.surface.options.keymap
        own = {key for action in actions_in(Context.TICKET) for key in keymap.keys_of(action.id)}
        if event.is_printable and event.key not in own:
            event.stop()
            self.post_message(self.KeyKept(self))

    @on(NumberField.Restricted)
    def _on_restricted(self, event: NumberField.Restricted) -> None:
        event.stop()
        self.post_message(self.KeyKept(self))

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
        context = self._ticket_context()
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
                self._change(next_time_in_force(self.draft, event.step))
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

    def action_next_time_in_force(self) -> None:
        """Choose how long the order may rest."""
        self._change(next_time_in_force(self.draft))

    def action_next_unit(self) -> None:
        """Choose what the size counts."""
        self._change(next_unit(self.draft))

    def action_toggle_post_only(self) -> None:
        """Refuse the order when it would take, or allow it to."""
        self._change(toggle_post_only(self.draft))

    def action_use_suggestion(self) -> None:
        """Take the fix of the problem that shows its key."""
        problem = self._fixable()
        if problem is not None and problem.fix is not None:
            self._change(problem.fix)

    def action_switch_form(self) -> None:
        """Show all of the ticket where it stood on one line, or the other way round."""
        self._is_whole = not self._is_whole
        self.post_message(self.Reshaped(self))

    def action_close(self) -> None:
        """Close without sending."""
        self.close()

    async def action_review(self) -> None:
        """Show the card of what would be signed, or where the draft cannot be an order."""
        self._was_reviewed = True
        self._refusal, self._message = None, ()
        self._show()
        check = self._check
        if check is None:
            self._say(Cell("The trading terms are loading", Role.NOTICE_WARN))
        elif check.intent is None:
            _ = self.query_one(FIELD_WIDGETS[check.blocking[0].field], Widget).focus()
        elif self._forbidden is not None:
            _ = self.query_one(FIELD_WIDGETS[self._forbidden.field], Widget).focus()
        else:
            prepared = await self.surface.commands.prepare(check.intent)
            if isinstance(prepared, Rejected):
                self._refuse(prepared, self.draft)
            else:
                self._ask(prepared)

    def _ask(self, order: PreparedOrder) -> None:
        doubt = self._sent.doubt_about(order, self.surface.queries.account())
        warnings = self._check.warnings if self._check is not None else ()
        attached = self._check.attached if self._check is not None else None
        screen = ConfirmScreen(
            order, surface=self.surface, doubt=doubt, warnings=warnings, beside=self._place,
            also=() if attached is None else (("On fills", describe_attachment(attached)),),
        )  # fmt: skip
        _ = self.app.push_screen(screen, partial(self._decide, order, self.draft, attached))

    def _place(self) -> Place:
        region = self.region
        return Place(region.x, region.y, region.width, region.height)

    def _decide(
        self, order: PreparedOrder, draft: TicketDraft, attached: Attachment | None,
        is_agreed: bool | None,  # noqa: FBT001 - Textual's callback
    ) -> None:  # fmt: skip
        if not is_agreed:
            return
        command_id = self.surface.commands.place(order.order_id, attached=attached)
        self._sent.note_sent(order)
        self._was_sent = True
        self._say(Cell("sending" + self._dots, Role.NOTICE_WARN, Emphasis.BOLD))
        # The next thing typed is another size; it must not be glued to the price or the old size.
        _ = self.size_field.focus()
        self.size_field.action_select_all()
        # Only the waiting ends with this widget; the order is the service's.
        _ = self.run_worker(self._await_verdict(command_id, order, draft))

    async def _await_verdict(
        self, command_id: CommandId, order: PreparedOrder, draft: TicketDraft
    ) -> None:
        verdict = await self.surface.commands.verdict(command_id)
        if is_live(self):
            self._take_verdict(verdict, order, draft)

    def _take_verdict(self, verdict: Verdict, order: PreparedOrder, draft: TicketDraft) -> None:
        ascii_only = self.surface.options.ascii_only
        match verdict:
            case Accepted():
                self._sent.note_ended(order)
                self._sent.follow(order, verdict)
                if self.draft == draft:
                    self._load(after_sending(draft))
                    self._was_reviewed = False
            case Rejected():
                self._sent.note_ended(order)
                self._was_sent = False
                self._refuse(verdict, draft)
                return
            case Unknown():
                self._sent.note_unknown(order)
        self._life = paint_verdict(verdict, order, ascii_only=ascii_only)
        self._say(*self._life)

    def _refuse(self, verdict: Rejected, draft: TicketDraft) -> None:
        """Keep the ticket as it is, with the reason beside its field."""
        fields = {field.value: field for field in TicketField}
        field = fields.get(verdict.field or "")
        if field is None or self.draft != draft:
            self._say(*paint_verdict(verdict, None, ascii_only=self.surface.options.ascii_only))
            return
        self._refusal = Problem(field, f"Refused: {verdict.reason}")
        self._say(Cell("x Refused; the ticket is unchanged", Role.NOTICE_BAD))

    def _say(self, *line: Cell) -> None:
        self._message = line
        self._show()

    def _change(self, draft: TicketDraft, *, is_typed: bool = False) -> None:
        """Take another draft; what was said of the one before no longer holds."""
        self._refusal = None
        self._was_sent = self._was_sent and is_typed
        if not self._sent.is_sending:
            self._message = ()
        if is_typed:
            self.draft = draft
        else:
            self._load(draft)
        self._show()

    def _ticket_context(self) -> TicketContext | None:
        terms, account = self._terms, self._account
        if terms is None or account is None or self._book is None:
            return None
        return ticket_context(
            self.surface, terms=terms, market=self._market, account=account, book=self._book,
            outcome_index=self.draft.outcome_index,
        )  # fmt: skip

    def _show(self) -> None:
        """Judge the draft by what is known, and paint it."""
        if not is_live(self) or not self.is_open:
            return
        context = self._ticket_context()
        self._check = check_ticket(self.draft, context) if context is not None else None
        self._after = estimate_after(self.draft.side, self._check, context)
        ends = read_expiry(self.draft, context, []) if context is not None else None
        self._ends = ends.astimezone() if ends is not None else None
        self._forbidden = self._ask_own_rules()
        self._paint()

    def _ask_own_rules(self) -> Problem | None:
        """Say while one types what the trader's own limits and the lock would say at the end."""
        intent = self._check.intent if self._check is not None else None
        if intent is None:
            return None
        if lock := self.surface.queries.status().entry_lock:
            key = key_of(self.surface.options.keymap, "global.kill")
            return Problem(TicketField.SIDE, f"{lock}; {key} outside the ticket unlocks it")
        text = self.surface.queries.account().entry.problem(intent)
        return Problem(TicketField.SIZE, text) if text else None
