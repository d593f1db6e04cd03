"""A trading screen's controls without a terminal: a page, a ladder and a ticket that write down."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from inspect import isawaitable
from typing import Any

from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import Axis, Ghost, Ladder, build_ladder
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import MarketView
from pmtui.ui.market.controls.moving import Moving, Nudging
from pmtui.ui.market.controls.own_orders import OwnOrderKeys
from pmtui.ui.market.controls.single_keys import SingleKeys
from pmtui.ui.market.controls.trading import Trading
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import MarketReader
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.message_line import MessageLine
from tests.ui.fake_surface import FakeService
from tests.ui.moving_market import CONDITION, NO, TICK, YES, MovingMarket


def cents(number: float) -> Micros:
    return Micros(round(number * 10_000))


@dataclass
class FakePage:
    """Implements `Page`: what is asked of it is written down."""

    size: Size = field(default=Size(120, 36))
    are_keys_locked: bool = False
    is_covered: bool = False
    focused: Widget | None = None
    classes: set[str] = field(default_factory=set)
    shown: list[Part] = field(default_factory=list)
    asked: list[Screen[Any]] = field(default_factory=list)
    posted: list[Message] = field(default_factory=list)
    timers: list[Callable[[], None]] = field(default_factory=list)
    _decide: Callable[[Any], Awaitable[None] | None] | None = None
    _work: list[Coroutine[None, None, None]] = field(default_factory=list)

    def post_message(self, message: Message) -> None:
        self.posted.append(message)

    def set_focus(self, widget: Widget | None) -> None:
        self.focused = widget

    def set_class(self, add: bool, *class_names: str, update: bool = True) -> None:
        self.classes = self.classes | {*class_names} if add else self.classes - {*class_names}

    def run_worker(self, work: Coroutine[None, None, None]) -> None:
        self._work.append(work)

    def call_after_refresh(self, callback: Callable[[], None]) -> None:
        callback()

    def set_timer(self, delay: float, callback: Callable[[], None]) -> None:
        """Nothing is timed here: a test moves the clock, or lets the timers end."""
        self.timers.append(callback)

    def ask(
        self,
        screen: Screen[Any],
        decide: Callable[[Any], None] | Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        self.asked.append(screen)
        self._decide = decide

    def show_parts(self, *parts: Part) -> None:
        self.shown += parts

    async def answer(self, answer: object) -> None:
        """Answer the last question."""
        assert self._decide is not None
        done = self._decide(answer)
        if isawaitable(done):
            await done

    async def finish(self) -> None:
        """Wait until all that was waited for has come."""
        while self._work:
            await self._work.pop(0)


@dataclass
class FakeLadder:
    """Implements `LadderOnShow` over one book."""

    service: FakeService
    reader: MarketReader | None = None
    cursor: tuple[Micros, Side] | None = None
    seen: Micros | None = None
    """The better touch that was seen last."""
    line_stood_still_s: float = 0.0
    key_late_s: float = 0.0
    is_unseen: bool = False
    is_focused: bool = False
    ghosts: tuple[Ghost, ...] = ()

    @property
    def book(self) -> BookView:
        return self.service.books[YES]

    @property
    def ladder(self) -> Ladder:
        model = self.reader.read() if self.reader is not None else None
        inputs = None if model is None else model.ladder
        assert inputs is not None
        axis = Axis(TICK, TICK)
        return build_ladder(self.book, axis, orders=inputs.orders, marks=inputs.marks)

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        return self.seen

    def point_at(self, price: Micros) -> None:
        self.cursor = (price, Side.BUY)

    def go_to(self, price: Micros) -> None:
        self.point_at(price)

    def show_ghosts(self, ghosts: tuple[Ghost, ...]) -> None:
        self.ghosts = ghosts

    def clear_cursor(self) -> None:
        self.cursor = None

    def action_recentre(self) -> None:
        self.cursor = None

    def focus(self) -> None:
        self.is_focused = True


@dataclass
class FakeTicket:
    """Implements `TicketOnShow`."""

    opened: list[tuple[Side, Micros | None]] = field(default_factory=list)
    drafts: list[TicketDraft] = field(default_factory=list)
    reviews: int = 0
    is_open: bool = False

    def open(
        self, side: Side, *, market: MarketView, outcome_index: int, price: Micros | None
    ) -> None:
        self.opened.append((side, price))
        self.is_open = True

    def fill(self, draft: TicketDraft) -> None:
        self.drafts.append(draft)

    async def action_review(self) -> None:
        self.reviews += 1

    def close(self) -> None:
        self.is_open = False


@dataclass
class FakeOrderList:
    """Implements `OrderList`."""

    has_focus: bool = False
    selected: Order | None = None


class Desk:
    """The controls that trade, over a market whose book stands still at 52 bid, 54 asked."""

    def __init__(self) -> None:
        self.service = MovingMarket().service
        book = self.service.books[YES]
        lots = Micros(900_000_000)
        self.service.books[YES] = replace(
            book, state=BookState.LIVE, version=book.version + 1,
            bids=(Level(cents(52), lots), *(x for x in book.bids if x.price < cents(52))),
            asks=(Level(cents(54), lots), *(x for x in book.asks if x.price > cents(54))),
        )  # fmt: skip
        self.page, self.ladder, self.ticket = FakePage(), FakeLadder(self.service), FakeTicket()
        self.listed = FakeOrderList()
        surface = self.service.surface()
        self.line = MessageLine(self.service, lambda: None)
        self.reader = MarketReader(surface, CONDITION, self.ladder)
        self.ladder.reader = self.reader
        self.workspace = Workspace(
            surface=surface, reader=self.reader, line=self.line, page=self.page,
            ladder=self.ladder, ticket=self.ticket,
        )  # fmt: skip
        self.news = OrderNews(surface, self.line)
        self.own = OwnOrderKeys(self.workspace, self.news, self.listed)
        self.moving = Moving(self.workspace, self.own, self.news)
        self.nudging = Nudging(self.workspace, self.own, self.moving)
        self.trading = Trading(self.workspace, self.news)
        self.keys = SingleKeys(self.workspace, self.news, is_moving=lambda: self.moving.is_moving)

    @property
    def said(self) -> str:
        """What the message line says."""
        message = self.line.current()
        return "" if message is None else message.text

    def arm(self) -> None:
        """Let single keys trade, as the service says it."""
        status = self.service.status_view
        self.service.status_view = replace(status, armed_until=status.now + timedelta(minutes=5))
        self.keys.follow(self.reader.read())

    def set_state(self, state: BookState) -> None:
        book = self.service.books[YES]
        self.service.books[YES] = replace(book, state=state, version=book.version + 1)

    def set_orders(self, *orders: Order) -> None:
        self.service.account_view = replace(self.service.account_view, open_orders=orders)

    def hold(self, *, yes: float, no: float) -> None:
        """Hold so many shares of both outcomes, at the price of the position there was."""
        view = self.service.account_view
        first = next(each for each in view.positions if each.token_id == YES)
        wanted = (YES, "Yes", 0, yes), (NO, "No", 1, no)
        positions = tuple(
            replace(first, token_id=t, outcome=label, outcome_index=index, size=cents(size * 100))
            for t, label, index, size in wanted
            if size
        )
        balances = tuple((t, cents(size * 100)) for t, _, _, size in wanted)
        self.service.account_view = replace(view, positions=positions, balances=balances)

    def order(self, number: int) -> Order:
        """Return an open order by its place in the account."""
        return self.service.account_view.open_orders[number]

    def placed(self, name: str = "place") -> list[PreparedOrder]:
        """Return the orders of every call of a command."""
        found = [arguments[0] for arguments in self.service.calls_of(name)]
        assert all(isinstance(order, PreparedOrder) for order in found)
        return [order for order in found if isinstance(order, PreparedOrder)]


def hold_dust(desk: Desk) -> None:
    """Leave of every position less than can be sold."""
    view = desk.service.account_view
    positions = tuple(replace(each, size=Micros(7_272)) for each in view.positions)
    balances = tuple((token_id, Micros(7_272)) for token_id, _ in view.balances)
    desk.service.account_view = replace(view, positions=positions, balances=balances)
