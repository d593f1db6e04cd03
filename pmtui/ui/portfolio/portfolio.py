"""The portfolio screen and its tabs: positions, orders, fills, closed, activity, and so on."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from typing_extensions import override

from pmtui.config.workplace import LastScreen
from pmtui.domain.account.position import Dust, Position
from pmtui.domain.orders.order import Order
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    FillsTopic,
    HistoryTopic,
    MarketTopic,
    RewardsTopic,
    RowQuotesTopic,
    StatusTopic,
    Topic,
    WalletTopic,
)
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.frame import CursorItem, FrameScreen, MarketChosen, is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import FooterEntry, bindings_for, footer_entries
from pmtui.ui.portfolio.holding import HoldingPane, holding_of
from pmtui.ui.portfolio.order_keys import OrderKeys
from pmtui.ui.portfolio.own_rows import OwnRows
from pmtui.ui.portfolio.paint_portfolio import (
    Portfolio,
    Tab,
    paint_rows_title,
    paint_tabs,
    paint_totals,
    portfolio_of,
    tab_at,
)
from pmtui.ui.portfolio.portfolio_keys import PortfolioKeys
from pmtui.ui.portfolio.settle_actions import SettleActions
from pmtui.ui.portfolio.summary import STACKED_FROM, Summary, exposure_in, paint_exposure_line
from pmtui.ui.rows.columns import ColumnKeys
from pmtui.ui.rows.row_verbs import RowVerbs, market_to_trade
from pmtui.ui.surface import Surface
from pmtui.ui.wallet.transaction import TransactionScreen
from pmtui.ui.wallet.wallet_flow import WalletFlow
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel, are_frames_wanted
from pmtui.ui.widgets.text_line import TextLine

TABS = tuple(Tab)
_SHOWN = (
    AccountTopic, FillsTopic, ActivityTopic, RewardsTopic, MarketTopic, RowQuotesTopic, WalletTopic,
    HistoryTopic,
)  # fmt: skip

HOLDING_FROM = 170
"""The width from which everything in the selected row's market is shown beside the table."""
_WITH_HOLDING = (Tab.POSITIONS, Tab.ORDERS, Tab.FILLS)
_FEW_PROFITS, _MOST_PROFITS = 5, 10
"""The most events with a profit shown, on a usual and on a tall screen."""
TALL = 44
"""The height from which curve and profits get more rows."""
_USUAL_SUMMARY, _TALL_SUMMARY = (9, 13), (14, 20)
"""The least and the most rows of the panes above the positions, side by side."""
_LEAST_ROWS = 5
_ROWS_BESIDE = 16
"""Rows needed for the pane beside the table."""
_FRAME_ROWS = 2
_LINES = 6
"""Status line, tabs, two lines of details, notice and keys."""


class TabLine(TextLine):
    """The names of the tabs; a click on one opens it."""

    def __init__(self, show_tab: Callable[[Tab], None]) -> None:
        """Start empty; `show_tab` opens a tab."""
        super().__init__(id="tabs")
        self._show_tab = show_tab

    def on_click(self, event: events.Click) -> None:
        """Open the clicked tab."""
        offset = event.get_content_offset(self)
        tab = None if offset is None else tab_at(self.line, offset.x)
        if tab is not None:
            event.stop()
            self._show_tab(tab)


class PortfolioScreen(FrameScreen):
    """Positions, open orders, fills and their results."""

    ABOUT: ClassVar[str] = "Positions, open orders, fills and what became of them."
    PLACE: ClassVar[str] = "portfolio"
    SHOWS_ACCOUNT: ClassVar[tuple[type[Topic], ...]] = _SHOWN
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.PORTFOLIO, Context.ROW)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.PORTFOLIO),
        *bindings_for(Context.ROW),
    ]
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.portfolio"})
    HORIZONTAL_BREAKPOINTS = [(0, "-alone"), (HOLDING_FROM, "-beside")]  # noqa: RUF012 - typed by Textual
    VERTICAL_BREAKPOINTS = [(0, "-usual"), (TALL, "-tall")]  # noqa: RUF012 - typed by Textual
    DEFAULT_CSS = """
    PortfolioScreen LineTable { display: none; }
    PortfolioScreen LineTable.-active { display: block; }
    PortfolioScreen #tables { height: 1fr; }
    PortfolioScreen #rows-panel { width: 1fr; }
    PortfolioScreen #holding-panel { display: none; width: 50; }
    PortfolioScreen.-beside.-traded #holding-panel { display: block; }
    PortfolioScreen #profits-panel { display: none; }
    PortfolioScreen #exposure { display: none; }
    PortfolioScreen #totals { display: none; }
    PortfolioScreen.-totals #totals { display: block; }
    PortfolioScreen.-exposed #exposure { display: block; }
    PortfolioScreen.-figures Summary { display: block; }
    PortfolioScreen.-figures #profits-panel { display: block; }
    """

    heading = query_one("#tabs", TextLine)
    totals = query_one("#totals", TextLine)
    exposure = query_one("#exposure", TextLine)
    title_line = query_one("#title", TextLine)
    details = query_one("#details", TextLine)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        line = self.message_line
        orders = OrderKeys(self, surface, line, changed=self._show_items)
        settle_actions = SettleActions(surface, WalletFlow(self, surface, line), line)
        self._rows = OwnRows(surface, orders, settle_actions)
        self._summary = Summary(surface)
        self._frame = Panel(*self._rows.tables.values(), id="rows-panel", classes="-table")
        self._holding = HoldingPane(id="holding")
        self._profits = Panel(self._summary.profits, id="profits-panel")
        verbs = RowVerbs(
            self, surface, line, lambda: self._rows.target, merge_path=("portfolio.merge",)
        )
        keys = PortfolioKeys(
            surface, self._rows, orders=orders, settle_actions=settle_actions, flattening=verbs.flattening,
            line=line, changed=self._show_items,
        )  # fmt: skip
        columns = ColumnKeys(
            self, surface.memory, tuple(self._rows.tables.values()),
            shown=lambda: self._rows.table,
        )  # fmt: skip
        self.missing_needs = (verbs.missing, keys.missing)
        self.actions = {
            "next_tab": partial(self._step_tab, 1),
            "previous_tab": partial(self._step_tab, -1),
            **keys.actions,
            **verbs.actions,
            **columns.actions,
        }

    @override
    def topics(self) -> Iterable[Topic]:
        yield from (AccountTopic(), FillsTopic(), ActivityTopic(), WalletTopic())
        if self._rows.tab is Tab.REWARDS:
            yield RewardsTopic()
        yield from self._rows.topics()

    @override
    def compose_body(self) -> ComposeResult:
        yield TabLine(self.show_tab)
        yield TextLine(id="totals")
        yield self._summary
        yield TextLine(id="exposure")
        with Horizontal(id="tables"):
            yield self._frame
            yield Panel(self._holding, id="holding-panel")
        yield self._profits
        yield TextLine(id="title")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self.show_tab(self._rows.tab)

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_items()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        # What is done with an order comes before what is done with its market.
        own = (Context.ROW, Context.PORTFOLIO)
        near = own[::-1] if self._rows.tab is Tab.ORDERS else own
        return footer_entries(*near, Context.GLOBAL, keymap=self.surface.options.keymap)

    @override
    def show_topic(self, topic: Topic) -> None:
        if isinstance(topic, _SHOWN):
            self._show_items()
        elif topic == StatusTopic():
            # In one frame with the status line, which shows the same figures.
            if self.has_class("-figures"):
                self._summary.show(portfolio_of(self.surface.queries))
            self._show_heading()

    def show_tab(self, tab: Tab) -> None:
        """Activate a tab."""
        is_other = tab is not self._rows.tab
        self._rows.switch_to(tab)
        self._rows.table.focus()
        self.lines.show_footer()
        self._show_items()
        if is_other:
            self.feed.renew()
            self.surface.memory.keep_place(self.place())

    def show_first(self, tab: Tab) -> None:
        """Activate a tab now, or when the screen is mounted."""
        if is_live(self):
            self.show_tab(tab)
        else:
            self._rows.tab = tab

    @override
    def place(self) -> LastScreen:
        return LastScreen(screen=self.PLACE, tab=self._rows.tab.value)

    @override
    def cursor_item(self) -> CursorItem:
        traded = market_to_trade(self._rows.target, self.surface.queries)
        copied: tuple[str, str] = "", ""
        match item := self._rows.at_cursor:
            case Order():
                copied = "order id", item.order_id
            case TransactionView():
                copied = "transaction hash", item.hash
            case None | Dust():
                pass
            case _:
                copied = "condition id", item.condition_id or ""
        return CursorItem(copied, traded=traded)

    @on(LineTable.RowHighlighted)
    def show_details(self) -> None:
        """Show the details of the selected row."""
        title, details = self._rows.details(self.size.width)
        self.title_line.show(title)
        self.details.show(details)
        if self.size.width >= HOLDING_FROM:
            way = self.surface.options.flatten_percent
            queries, target = self.surface.queries, self._rows.target
            self._holding.show(holding_of(queries, target, give_way_percent=way))

    @on(LineTable.RowSelected)
    def open_row(self, message: LineTable.RowSelected) -> None:
        """Open the market, the transaction or the small positions of a row."""
        item = self._rows.item(message.key)
        if item is None:
            return
        if isinstance(item, TransactionView):
            _ = self.app.push_screen(TransactionScreen(self.surface, item.key))
        elif isinstance(item, Dust):
            self._rows.switch_dust()
            self._show_items()
        elif item.condition_id is None:
            self.message_line.show("No market on this line.")
        else:
            index = item.outcome_index if isinstance(item, Position) else 0
            aim = (item.token_id, item.price) if isinstance(item, Order) else None
            self.post_message(MarketChosen(item.condition_id, index, aim=aim))

    def _step_tab(self, steps: int) -> None:
        self.show_tab(TABS[(TABS.index(self._rows.tab) + steps) % len(TABS)])

    def _show_items(self) -> None:
        if self._rows.show():
            self.feed.renew()
        has_figures = are_frames_wanted(self.size) and (
            self._rows.tab is Tab.POSITIONS or self._has_room_for_figures
        )
        self.set_class(has_figures, "-figures")
        self.set_class(self._rows.tab in _WITH_HOLDING, "-traded")
        own = portfolio_of(self.surface.queries)
        if has_figures:
            self._summary.show(own)
            most = _MOST_PROFITS if self.has_class("-tall") else _FEW_PROFITS
            profits = min(self._summary.profit_rows, most) + _FRAME_ROWS
            self._profits.styles.height = profits
            # The curve takes the height that the rows leave.
            free = self.size.height - _LINES - profits - self._table_rows
            least, most = self._summary_rows
            rows = min(max(free, least), most)
            self._summary.take(max(rows, STACKED_FROM) if free >= STACKED_FROM else rows)
        self._show_exposure(own, is_in_panes=has_figures)
        self._show_heading()
        self.show_details()

    @property
    def _summary_rows(self) -> tuple[int, int]:
        return _TALL_SUMMARY if self.has_class("-tall") else _USUAL_SUMMARY

    @property
    def _table_rows(self) -> int:
        """The rows that the table needs, with its frame."""
        least = _ROWS_BESIDE if self.has_class("-beside") else _LEAST_ROWS
        return max(len(self._rows.table.rows), least) + 1 + _FRAME_ROWS

    @property
    def _has_room_for_figures(self) -> bool:
        """Whether the panes above a list take no row from it; else the list is worth more."""
        profits = _FEW_PROFITS + _FRAME_ROWS
        return self._table_rows + profits + self._summary_rows[0] <= self.size.height - _LINES

    def _show_exposure(self, own: Portfolio, *, is_in_panes: bool) -> None:
        """Show equity and exposure in one line when there is no room for panes."""
        is_shown = own.account.balance is not None and not is_in_panes
        self.set_class(is_shown, "-exposed")
        if not is_shown:
            self.exposure.show(())
            return
        equity = self.surface.queries.status().portfolio_value
        self.exposure.show(paint_exposure_line(exposure_in(own), equity, self.size.width))

    def _show_heading(self) -> None:
        queries, width = self.surface.queries, self.size.width
        own, tab = portfolio_of(queries), self._rows.tab
        self.heading.show(
            paint_tabs(
                own, tab, queries.now(), keymap=self.surface.options.keymap, width=width,
                rows=self._rows.live_rows(own),
            )
        )  # fmt: skip
        status = queries.status()
        self._frame.show_title_in_width(partial(paint_rows_title, own, tab))
        # With panes, those show the day's result, and the status line shows the cash.
        are_in_panes = self.has_class("-figures") and own.account.balance is not None
        totals = () if are_in_panes else paint_totals(own, status, width)
        self.set_class(bool(totals), "-totals")
        self.totals.show(totals)
