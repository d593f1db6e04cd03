"""Sending a ticket's order, and tracking orders until their end is known.

The service owns every order: only the waiting for its end is done here.
"""

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from textual.geometry import Region

from pmtui.domain.conditionals.conditional import Attachment, describe_attachment
from pmtui.domain.formats import format_shares
from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    Order,
    OrderStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    SizeUnit,
    TicketDraft,
    TicketField,
    after_sending,
)
from pmtui.domain.ticket.ticket import needs_card
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.frame import if_agreed
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.paint_ticket import paint_life, paint_verdict
from pmtui.ui.ticket.ticket_state import TicketState

_IN_DOUBT = (OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN)

ON_ITS_WAY = "The same order is being sent. This would be a second one."
BEING_CHECKED = "The same order is unconfirmed. This would be a second one."


@dataclass(slots=True)
class _Sent:
    order: PreparedOrder
    is_unknown: bool = False
    is_listed: bool = False
    """Whether the account has listed it since it became unknown."""


class SentOrders:
    """Remembers sent orders until their end is known."""

    def __init__(self) -> None:
        self._sent: dict[OrderId, _Sent] = {}
        self._followed: tuple[PreparedOrder, Accepted] | None = None

    @property
    def is_sending(self) -> bool:
        """Whether a verdict is pending."""
        return any(not sent.is_unknown for sent in self._sent.values())

    def note_sent(self, order: PreparedOrder) -> None:
        """Remember an order that is sent now."""
        self._sent[order.order_id] = _Sent(order)

    def note_ended(self, order: PreparedOrder) -> None:
        """Forget an order whose end is known."""
        self._sent.pop(order.order_id, None)

    def note_unknown(self, order: PreparedOrder) -> None:
        """Keep an order that may or may not be at the venue."""
        self._sent[order.order_id] = _Sent(order, is_unknown=True)

    def follow(self, order: PreparedOrder, verdict: Accepted) -> None:
        """Track an accepted order from now on."""
        self._followed = (order, verdict)

    def news_of_followed(self, account: AccountView) -> tuple[PreparedOrder, Order] | None:
        """Return the tracked order once its state differs from the last one reported."""
        if self._followed is None:
            return None
        order, text = self._followed
        known = next((o for o in account.recent if o.order_id == order.order_id), None)
        if known is None or known.status in _IN_DOUBT:
            return None
        if (known.status, known.matched_size) == (text.status, text.filled_size):
            return None
        is_behind = known.matched_size < text.filled_size and known.status.is_open
        if is_behind:
            # The account is behind the verdict.
            return None
        self._followed = (
            order,
            replace(text, status=known.status, filled_size=known.matched_size),
        )
        return order, known

    def doubt_about(self, order: PreparedOrder, account: AccountView) -> str:
        """Return why sending this order may duplicate another; empty if it does not.

        Includes unconfirmed orders of the account from before this ticket was opened.
        """
        for sent in self._sent.values():
            if _terms(sent.order) == _terms(order):
                return BEING_CHECKED if sent.is_unknown else ON_ITS_WAY
        for known in account.open_orders:
            if known.status in _IN_DOUBT and _terms_of(known) == _terms(order):
                is_unknown = known.status is OrderStatus.UNKNOWN
                return BEING_CHECKED if is_unknown else ON_ITS_WAY
        return ""

    def settle(self, account: AccountView, fills: Iterable[Fill]) -> str:
        """Forget unknown orders that the account has resolved; return what became of them."""
        news = ""
        for order_id, sent in list(self._sent.items()):
            if not sent.is_unknown:
                continue
            known = next((o for o in account.open_orders if o.order_id == order_id), None)
            if known is not None and known.status in _IN_DOUBT:
                sent.is_listed = True
                continue
            filled = Micros(sum(f.size for f in fills if f.order_id == order_id))
            if known is None and not filled and not sent.is_listed:
                continue
            del self._sent[order_id]
            news = _describe_found(known, filled)
        return news


class TicketPage(Protocol):
    """What sending needs of the ticket on the screen."""

    def ask(self, screen: ConfirmScreen, decide: Callable[[bool | None], None]) -> None:
        """Show the card of an order; `decide` gets the result."""
        ...

    def place(self) -> Region | None:
        """Return where the ticket stands; None on one line, which no card can repeat."""
        ...

    def run_worker(self, work: Coroutine[None, None, None]) -> object:
        """Run a coroutine that ends with the ticket."""
        ...

    def load(self, draft: TicketDraft) -> None:
        """Write another draft into the fields."""
        ...

    def show_state(self) -> None:
        """Check the draft, and paint it."""
        ...

    def await_next_size(self) -> None:
        """Focus the size for the next order."""
        ...

    def finish(self, verdict: Accepted, text: str) -> None:
        """Hide the ticket, and report how its order ended."""
        ...


class TicketSending:
    """Asks before an order is sent, sends it, and shows how it ended."""

    def __init__(self, surface: Surface, state: TicketState, page: TicketPage) -> None:
        self._surface = surface
        self._state = state
        self._page = page
        self._sent = SentOrders()
        self._waiting: Line = ()
        """The last message that an order is on its way."""
        self._life: Line = ()
        """The last message about the tracked order."""
        self.was_sent = False
        """Whether the fields are those of an order that was sent and not refused."""
        self.commanded: TicketDraft | None = None
        """The draft of a command, which is for one order: once that is accepted, the ticket
        closes."""

    @property
    def is_sending(self) -> bool:
        """Whether a verdict is pending."""
        return self._sent.is_sending

    def ask(self, order: PreparedOrder) -> None:
        """Show the card of an order, or send it at once if it needs none."""
        check = self._state.check
        attached = check.attached if check is not None else None
        doubt = self._sent.doubt_about(order, self._surface.queries.account())
        warnings = check.warnings if check is not None else ()
        send = partial(self._send, order, self._state.draft, attached)
        is_doubtful = bool(doubt or warnings) or not order.is_derived
        rules, worth = self._surface.options.ticket, Micros(order.cash + order.worst_fee)
        if not needs_card(rules, worth, is_doubtful=is_doubtful):
            send()
            return
        screen = ConfirmScreen(
            order, surface=self._surface, doubt=doubt, warnings=warnings, form=self._page.place,
            also=() if attached is None else (("On fills", describe_attachment(attached)),),
        )  # fmt: skip
        self._page.ask(screen, if_agreed(send))

    def refuse(self, verdict: Rejected, draft: TicketDraft) -> None:
        """Keep the ticket unchanged, with the reason beside its field."""
        fields = {field.value: field for field in TicketField}
        field = fields.get(verdict.field or "")
        if field is None or self._state.draft != draft:
            self.show_line(*paint_verdict(verdict, None))
            return
        self._state.refusal = Problem(field, f"Refused: {verdict.reason}")
        self.show_line(Cell("x Refused; the ticket is unchanged", Role.NOTICE_BAD))

    def follow(self, account: AccountView) -> None:
        """Show the end of unknown orders, and the changes of the tracked one."""
        news = self._sent.settle(account, self._surface.queries.fills().fills)
        if news:
            self._state.message = (Cell(news, Role.NOTICE_WARN),)
        if self._sent.is_sending and self._state.message == self._waiting:
            self._state.message = self._waiting = self._describe_waiting()
        life = self._sent.news_of_followed(account)
        if life is not None and self._state.message == self._life:
            self._life = paint_life(life[1], life[0])
            self._state.message = self._life

    def show_line(self, *line: Cell) -> None:
        """Show a message about an order."""
        self._state.message = line
        self._page.show_state()

    def _send(self, order: PreparedOrder, draft: TicketDraft, attached: Attachment | None) -> None:
        command_id = self._surface.commands.place(order.order_id, attached=attached)
        self._sent.note_sent(order)
        self.was_sent = True
        self._waiting = self._describe_waiting()
        self.show_line(*self._waiting)
        # Select the size, so that typing does not append to it.
        self._page.await_next_size()
        _ = self._page.run_worker(self._await_verdict(command_id, order, draft))

    def _describe_waiting(self) -> Line:
        """Return that an order is on its way, or what keeps its verdict away."""
        process, text = self._surface.process, "sending…"
        if process is not None and process.loss is not None:
            text = "! The service is gone. The next one finds out whether it was sent."
        elif process is not None and process.is_silent:
            text = "! The service does not answer. The order is unconfirmed."
        return (Cell(text, Role.NOTICE_WARN, Emphasis.BOLD),)

    async def _await_verdict(
        self, command_id: CommandId, order: PreparedOrder, draft: TicketDraft
    ) -> None:
        verdict = await self._surface.commands.verdict(command_id)
        self._take_verdict(verdict, order, draft)

    def _take_verdict(self, verdict: Verdict, order: PreparedOrder, draft: TicketDraft) -> None:
        match verdict:
            case Accepted():
                self._sent.note_ended(order)
                self._sent.follow(order, verdict)
                if draft.kind is OrderKind.LIMIT and draft.size_unit is SizeUnit.SHARES:
                    self._surface.memory.keep_size(draft.size_text)
                if draft == self._state.draft == self.commanded:
                    text = "".join(cell.text for cell in paint_verdict(verdict, order))
                    self._page.finish(verdict, text)
                elif self._state.draft == draft:
                    self._page.load(after_sending(draft))
                    self._state.was_reviewed = False
            case Rejected():
                self._sent.note_ended(order)
                self.was_sent = False
                self.refuse(verdict, draft)
                return
            case Unknown():
                self._sent.note_unknown(order)
        self._life = paint_verdict(verdict, order)
        self.show_line(*self._life)


def _describe_found(known: Order | None, filled: Micros) -> str:
    if filled:
        rests = f", {format_shares(known.remaining_size)} working" if known is not None else ""
        return f"Confirmed at the venue: {format_shares(filled)} filled{rests}"
    if known is not None:
        return f"Confirmed at the venue: {format_shares(known.remaining_size)} working"
    return "Checked: not at the venue; see the log"


def _terms(order: PreparedOrder) -> tuple[object, ...]:
    return (order.intent.token_id, order.intent.side, order.price, order.size)


def _terms_of(order: Order) -> tuple[object, ...]:
    return (order.token_id, order.side, order.price, order.original_size)
