"""What every part of the trading screen works on: one market, its panes and the views of it."""

from abc import abstractmethod

from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.orders.order import Order
from pmtui.service.topics import Topic
from pmtui.service.views import MarketView, TapeView
from pmtui.ui.charts.chart import ChartPane
from pmtui.ui.frame import FrameScreen
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.market.delayed_orders import DelayedOrders
from pmtui.ui.market.market_facts import token_id_of, why_nothing_of_ours
from pmtui.ui.market.market_head import MarketHead
from pmtui.ui.market.stale_order_notice import SaidResting
from pmtui.ui.market.tape import OrdersPane, PositionPane, TapePane
from pmtui.ui.message_line import MessageLine
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.ticket import TicketPane

_NOTHING = BookView(TokenId(""), BookState.LOADING)


class MarketParts(FrameScreen):
    """One market on the screen; the mixins beside it add what its keys do."""

    head = query_one("#head", MarketHead)
    ladder = query_one("#ladder", LadderPane)
    chart = query_one("#chart", ChartPane)
    tape = query_one("#tape", TapePane)
    position = query_one("#position", PositionPane)
    orders = query_one("#orders", OrdersPane)
    ticket = query_one("#ticket", TicketPane)

    def __init__(self, surface: Surface, condition_id: ConditionId) -> None:
        super().__init__(surface)
        self.message_line: MessageLine = MessageLine(surface.queries, self._show_notice)
        self.condition_id = condition_id
        self._outcome_index = 0
        self._interval = surface.options.chart_interval
        self._watched: tuple[Topic, ...] = ()
        self._token: tuple[tuple[ConditionId, int], TokenId] | None = None
        self._delayed = DelayedOrders()
        self._resting = SaidResting()

    @property
    def is_over(self) -> bool:
        """Whether nothing trades in this market any more."""
        market = self._market_view.market
        return market is not None and (market.closed or market.archived)

    @property
    def outcome_index(self) -> int:
        """Which outcome's book is on show."""
        return self._outcome_index

    @property
    def token_id(self) -> TokenId | None:
        """The token on show; None until the market is known, or when it has none."""
        shown = self.condition_id, self._outcome_index
        if self._token is None or self._token[0] != shown:
            token_id = token_id_of(self._market_view, self._outcome_index)
            # ExportRequest for at every turn, and a market's tokens are what they are for ever.
            self._token = None if token_id is None else (shown, token_id)
        return None if self._token is None else self._token[1]

    @override
    def to_copy(self) -> tuple[str, str]:
        return "token id", self.token_id or ""

    @property
    def _ascii_only(self) -> bool:
        return self.surface.options.ascii_only

    @property
    def _market_view(self) -> MarketView:
        return self.surface.queries.market(self.condition_id)

    @property
    def _book_view(self) -> BookView | None:
        token_id = self.token_id
        return None if token_id is None else self.surface.queries.book(token_id)

    def forget_market(self) -> None:
        """Let go of all that belongs to the market on show, because another one comes.

        A part that keeps more than this about the market lets go of it too.
        """
        self.message_line.take_back_confirmation()
        self.ticket.close()
        self.ladder.clear_cursor()
        self.ladder.show(_NOTHING)
        self.tape.show(TapeView((), 0))
        self.chart.clear()
        self.orders.forget_cursor()

    def follow_topics(self) -> None:
        """Watch what matters now, if it is something else than before."""
        before = self._watched
        if before and before != tuple(self.topics()):
            self.retopic()

    @abstractmethod
    def show_market(self) -> None:
        """Show everything there is about the market."""

    @abstractmethod
    def _show_state(self) -> None:
        """Show the line above the ladder."""

    def _is_read_only(self) -> bool:
        """Whether nothing here can be ours, which is said."""
        reason = why_nothing_of_ours(self.surface.queries.status())
        if reason:
            self.message_line.refuse_form(reason)
        return bool(reason)

    def _own_orders(self) -> tuple[Order, ...]:
        orders = self.surface.queries.account().open_orders
        return tuple(order for order in orders if order.condition_id == self.condition_id)

    def _tell_ticket(self) -> None:
        book = self._book_view if self.ticket.is_open else None
        if book is not None:
            account = self.surface.queries.account()
            self.ticket.update_context(book=book, account=account, market=self._market_view)
