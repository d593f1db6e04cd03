"""Sending a ticket's order, without a terminal."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace

from textual.geometry import Region

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, Unknown
from pmtui.domain.ticket.draft import TicketDraft, TicketField
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import ServiceLoss
from pmtui.ui.surface import ServiceProcess
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.orders import TicketSending
from pmtui.ui.ticket.ticket_state import TicketState
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, FakeService
from tests.ui.ticket_stage import book_view, market_view

DRAFT = TicketDraft(Side.BUY, 0, price_text="52", size_text="10")


@dataclass
class FakeTicketPage:
    """Implements `TicketPage`: what is asked of it is written down."""

    state: TicketState
    asked: list[ConfirmScreen] = field(default_factory=list)
    decide: Callable[[bool | None], None] | None = None
    work: list[Coroutine[None, None, None]] = field(default_factory=list)
    next_sizes: int = 0
    closed: list[str] = field(default_factory=list)
    """What was said when it closed."""

    def ask(self, screen: ConfirmScreen, decide: Callable[[bool | None], None]) -> None:
        self.asked.append(screen)
        self.decide = decide

    def place(self) -> Region:
        return Region(0, 0, 10, 10)

    def run_worker(self, work: Coroutine[None, None, None]) -> None:
        self.work.append(work)

    def load(self, draft: TicketDraft) -> None:
        self.state.draft = draft

    def show_state(self) -> None:
        """Nothing is painted."""

    def await_next_size(self) -> None:
        self.next_sizes += 1

    def finish(self, verdict: Accepted, text: str) -> None:
        assert verdict.status.is_open
        self.closed.append(text)


class Sending:
    """A whole draft, prepared and ready to be asked about."""

    def __init__(self, process: ServiceProcess | None = None) -> None:
        self.service = FakeService()
        self.state = TicketState(
            DRAFT, market=market_view(), account=EMPTY_ACCOUNT, book=book_view()
        )
        self.state.judge(self.service.surface())
        self.page = FakeTicketPage(self.state)
        surface = replace(self.service.surface(), process=process)
        self.sending = TicketSending(surface, self.state, self.page)

    @property
    def message(self) -> str:
        return "".join(cell.text for cell in self.state.message)

    async def ask(self) -> PreparedOrder:
        assert self.state.check is not None
        assert self.state.check.intent is not None
        order = await self.service.prepare(self.state.check.intent)
        assert isinstance(order, PreparedOrder)
        self.sending.ask(order)
        return order

    async def send(self) -> PreparedOrder:
        """Agree to the card, and wait for the end."""
        order = await self.ask()
        self.answer(True)
        await self.page.work.pop()
        return order

    def answer(self, is_agreed: bool) -> None:
        assert self.page.decide is not None
        self.page.decide(is_agreed)


async def test_nothing_is_sent_without_a_yes() -> None:
    ticket = Sending()
    _ = await ticket.ask()
    ticket.answer(False)
    assert not ticket.service.calls_of("place")
    assert not ticket.sending.was_sent


async def test_an_accepted_order_leaves_the_ticket_ready_for_the_next_size() -> None:
    ticket = Sending()
    _ = await ticket.send()
    assert len(ticket.service.calls_of("place")) == 1
    assert ticket.page.next_sizes == 1
    assert ticket.state.draft.size_text == ""
    assert ticket.state.draft.price_text == "52"
    assert not ticket.sending.is_sending


async def test_a_refusal_stands_beside_its_field_and_keeps_the_draft() -> None:
    ticket = Sending()
    ticket.service.verdicts = [Rejected("too far from the book", field="price")]
    _ = await ticket.send()
    assert ticket.state.refusal is not None
    assert ticket.state.refusal.field is TicketField.PRICE
    assert ticket.state.draft == DRAFT
    assert not ticket.sending.was_sent


async def test_a_draft_that_changed_meanwhile_is_not_loaded_over() -> None:
    ticket = Sending()
    _ = await ticket.ask()
    ticket.answer(True)
    assert ticket.sending.is_sending
    typed = TicketDraft(Side.BUY, 0, price_text="51", size_text="7")
    ticket.state.draft = typed
    await ticket.page.work.pop()
    assert ticket.state.draft == typed


async def test_an_order_in_doubt_is_said_to_have_arrived_once_the_account_shows_it() -> None:
    ticket = Sending()
    ticket.service.verdicts = [Unknown(OrderId("0x1"), "no answer", since=NOW)]
    order = await ticket.send()
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert "Confirmed at the venue" not in ticket.message
    (placed,) = ticket.service.calls_of("place")
    assert placed[0] == order
    assert not ticket.sending.is_sending


async def test_a_later_life_of_the_order_takes_the_place_of_what_was_said_of_it() -> None:
    ticket = Sending()
    ticket.service.verdicts = [Accepted(OrderId("0x1"), OrderStatus.LIVE, Micros(0), "It rests.")]
    _ = await ticket.send()
    said = ticket.message
    assert said
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert ticket.message == said


async def test_what_a_command_filled_in_closes_with_what_became_of_it() -> None:
    ticket = Sending()
    ticket.sending.commanded = ticket.state.draft
    ticket.service.verdicts = [Accepted(OrderId("0x1"), OrderStatus.LIVE, Micros(0), "It rests.")]
    _ = await ticket.send()
    (said,) = ticket.page.closed
    assert "Working" in said
    # What was typed by hand stays open for the next order.
    other = Sending()
    other.service.verdicts = [Accepted(OrderId("0x1"), OrderStatus.LIVE, Micros(0), "It rests.")]
    _ = await other.send()
    assert not other.page.closed


@dataclass
class Process:
    """The service's process as a terminal knows it."""

    is_silent: bool = False
    loss: ServiceLoss | None = None
    locked_account: str = ""

    def start_again(self) -> None:
        """It is not asked to."""


async def test_an_order_that_waits_for_a_service_says_what_it_waits_for() -> None:
    process = Process()
    ticket = Sending(process)
    ticket.service.is_holding = True
    _ = await ticket.ask()
    ticket.answer(True)
    assert ticket.message == "sending…"
    process.is_silent = True
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert ticket.message == "! The service does not answer. The order is unconfirmed."
    process.loss = ServiceLoss(NOW, is_final=False)
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert ticket.message == "! The service is gone. The next one finds out whether it was sent."
    process.is_silent, process.loss = False, None
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert ticket.message == "sending…"
    ticket.service.release()
    await ticket.page.work.pop()
    process.is_silent = True
    ticket.sending.follow(EMPTY_ACCOUNT)
    assert ticket.message.startswith("+ Working")
