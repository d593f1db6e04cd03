"""The trading screen: ladder, chart, trades, own orders and position, and the ticket.

The ticket has a region of its own at every size and never covers the ladder. This module holds the
layout and passes Textual's events on; the keys are handled in `controls`.
"""

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget
from typing_extensions import override

from pmtui.config.workplace import MARKET_PLACE, LastScreen
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.watchlist import key_of_market
from pmtui.domain.money import Micros
from pmtui.service.topics import Topic
from pmtui.ui.charts.chart import ChartPane
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.frame import CursorItem, is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import FooterEntry, bindings_for
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.market.controls.market_controls import MarketControls
from pmtui.ui.market.controls.outcomes import STRIP_FROM_HEIGHT
from pmtui.ui.market.controls.panes import CHART_FROM_WIDTH, DEPTH_FROM_WIDTH
from pmtui.ui.market.controls.side_ladders import SIDES_FROM_WIDTH
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_display import MarketWidgets
from pmtui.ui.market.market_head import MarketHead
from pmtui.ui.market.market_model import MarketReader, title_of
from pmtui.ui.market.siblings import SiblingStrip
from pmtui.ui.market.tape import OrdersPane, PositionPane, TapePane
from pmtui.ui.market.trading_screen import TradingScreen
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.wallet.wallet_flow import WalletFlow
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine


def _framed(pane: Widget) -> Panel:
    return Panel(pane, id=f"{pane.id}-panel", classes="-split")


class MarketScreen(TradingScreen[MarketControls]):
    """One market: its ladder, its trades, and own orders in it."""

    ABOUT: ClassVar[str] = "One market: its ladder, its trades, and orders in it."

    CSS_PATH = "market.tcss"
    PLACE: ClassVar[str] = MARKET_PLACE
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.MARKET)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-narrow"),
        (DEPTH_FROM_WIDTH, "-normal"),
        (CHART_FROM_WIDTH, "-wide"),
        (SIDES_FROM_WIDTH, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-tiny"),
        (18, "-short"),
        (STRIP_FROM_HEIGHT, "-tall"),
    ]

    def __init__(
        self, surface: Surface, condition_id: ConditionId, *, outcome_index: int = 0,
        ticket: Side | None = None, aim: tuple[TokenId, Micros] | None = None,
    ) -> None:  # fmt: skip
        """Show a market.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            outcome_index: the outcome to start with.
            ticket: the side of a ticket to open; None for no ticket.
            aim: the outcome and the price to put the cursor at; None for none.
        """
        super().__init__(surface)
        self.head = MarketHead(id="head")
        self.strip = SiblingStrip(id="siblings")
        self.ladder = LadderPane(id="ladder")
        self.ladder.repaint.is_calm = surface.options.is_calm
        self.book = Panel(self.ladder, id="book", classes="-tight")
        self.sides = Container(id="sides")
        self.chart = ChartPane(id="chart")
        self.depth = DepthPane(id="depth")
        self.position = PositionPane(id="position")
        self.orders = OrdersPane(id="orders")
        self.ticket = TicketPane(surface, id="ticket")
        self.tape = TapePane(id="tape")
        panes = (self.chart, self.depth, self.position, self.orders, self.tape)
        self.frames = tuple(_framed(pane) for pane in panes)
        self.dials = (TextLine(id="dials"), TextLine(id="dials-more"))
        self.reader = MarketReader(surface, condition_id, self.ladder)
        self.reader.outcome_index = outcome_index
        workspace = Workspace(
            surface=surface, reader=self.reader, line=self.message_line, page=self,
            ladder=self.ladder, ticket=self.ticket,
        )  # fmt: skip
        widgets = MarketWidgets(
            head=self.head, state=self.book, ladder=self.ladder, tape=self.tape,
            position=self.position, orders=self.orders, ticket=self.ticket, dials=self.dials, panels=(self.book, *self.frames),
        )  # fmt: skip
        self.controls = MarketControls(
            workspace, widgets,
            strip=self.strip, prices=self.chart, depth=self.depth, sides=self.sides,
            wallet=WalletFlow(self, surface, self.message_line),
        )  # fmt: skip
        self.actions = self.controls.actions
        self.missing_needs = (self.controls.missing,)
        if ticket is not None:
            self.controls.trading.want_ticket(ticket)
        elif aim is not None:
            self.controls.trading.want(partial(self.controls.outcomes.point_at, *aim))

    @override
    def compose_body(self) -> ComposeResult:
        yield self.head
        yield self.strip
        with Container(id="panes"):
            yield self.book
            yield self.sides
            with Container(id="side"):
                yield self.frames[0]
                yield self.frames[1]
                with Container(id="own"):
                    yield self.frames[2]
                    yield self.ticket
                    yield self.frames[3]
                    yield self.frames[4]
        yield from self.dials

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        return self.controls.footer_entries(is_live=is_live(self))

    @override
    def show_topic(self, topic: Topic) -> None:
        self.controls.show_topic(topic)

    @property
    @override
    def traded_ladder(self) -> Widget:
        return self.book

    @override
    def place(self) -> LastScreen:
        reader = self.reader
        return LastScreen(screen=self.PLACE, item=reader.condition_id, outcome=reader.outcome_index)

    @override
    def cursor_item(self) -> CursorItem:
        condition_id = self.reader.condition_id
        title = title_of(self.surface.queries, condition_id)
        return CursorItem(
            copied=("token id", self.reader.token_id or ""),
            starred=(key_of_market(condition_id), title),
        )

    @override
    def on_mount(self) -> None:
        _ = self.ladder.focus()
        self.show_parts(Part.HEAD)

    @override
    def on_resize(self) -> None:  # type: ignore[override]  # Textual passes the event only where it is named
        self.controls.resize()

    def on_descendant_blur(self) -> None:
        """Check that another widget gets the focus."""
        _ = self.call_later(self._keep_focus)

    def _keep_focus(self) -> None:
        """Focus the ladder if the focused pane was hidden."""
        if is_live(self) and self.focused is None and self.app.app_focus:
            _ = self.ladder.focus()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available; a side ladder shows why not."""
        if action != "perform":
            return super().check_action(action, parameters)
        return self.controls.permits(str(parameters[0]))

    @override
    def show_part(self, part: Part) -> None:
        self.controls.show(part)
