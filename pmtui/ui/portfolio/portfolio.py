"""What is ours, a tab for each: positions, open orders, fills, what is closed, done and earned."""

from collections.abc import Awaitable, Iterable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.account.position import Dust, Position
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, MoveEnd, MoveVerdict, Order, OrderIntent, Rejected
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    FillsTopic,
    MarketTopic,
    RewardsTopic,
    RowQuotesTopic,
    StatusTopic,
    Topic,
    WalletTopic,
)
from pmtui.service.views import AccountView
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.account.paint_action_cards import Move
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import NO_ROWS, LiveRows, count, key_of
from pmtui.ui.frame import FrameScreen, MarketChosen, is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.action_doubts import say_doubts
from pmtui.ui.keys.actions import FooterEntry, bindings_for
from pmtui.ui.market.market_facts import title_of, why_nothing_of_ours
from pmtui.ui.market.move_prompt import MovePrompt
from pmtui.ui.market.moves import LEFT_OUT
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import paint_resting_orders
from pmtui.ui.portfolio.paint_portfolio import (
    Tab,
    paint_tabs,
    paint_totals,
    portfolio_of,
    say_nothing_here,
)
from pmtui.ui.portfolio.portfolio_details import paint_item_details, say_dust
from pmtui.ui.portfolio.portfolio_rows import TAB_COLUMNS, Item, OrderMarks, paint_item, tab_items
from pmtui.ui.portfolio.settling import (
    SETTLE_ACTIONS,
    PositionTable,
    Settling,
    say_standing,
    standing_notes,
)
from pmtui.ui.question import QuestionScreen
from pmtui.ui.row_memo import RowMemo
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.paint_conditional import paint_protection, paint_unprotected
from pmtui.ui.wallet.transaction import TransactionScreen
from pmtui.ui.wallet.wallet_flow import WalletFlow
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine

TABS = tuple(Tab)
_SHOWN = (
    AccountTopic, FillsTopic, ActivityTopic, RewardsTopic, MarketTopic, RowQuotesTopic, WalletTopic,
)  # fmt: skip
ORDER_ACTIONS = (
    "portfolio.cancel_order",
    "portfolio.move_order",
    "portfolio.mark_order",
    "portfolio.cancel_marked",
)
_NO_MARKING = tuple(each for each in ORDER_ACTIONS if each != "portfolio.mark_order")
_IDLE_ACTIONS = {Tab.ORDERS: SETTLE_ACTIONS, Tab.POSITIONS: _NO_MARKING}
MOST_LOOKED_UP = 8
"""Markets fetched at a time because a row of ours names them and nothing else has yet."""


class PortfolioScreen(FrameScreen):
    """Positions, open orders, fills and what became of them."""

    ABOUT: ClassVar[str] = "Positions, open orders, fills and what became of them."
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.PORTFOLIO,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.PORTFOLIO)
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.portfolio"})
    DEFAULT_CSS = """
    PortfolioScreen LineTable { display: none; margin-left: 1; }
    PortfolioScreen LineTable.-active { display: block; }
    """

    orders = query_one("#orders", LineTable)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._tab = Tab.POSITIONS
        self._items: dict[str, Item] = {}
        self._marked: frozenset[OrderId] = frozenset()
        self._ending: frozenset[OrderId] = frozenset()
        self._left_out: OrderIntent | None = None
        """What was to replace a cancelled order and did not."""
        self._nameless: frozenset[ConditionId] = frozenset()
        self._is_dust_shown = False
        self._streamed: tuple[TokenId, ...] = ()
        """Of positions whose prices move."""
        self._memo = RowMemo()
        self.message_line: MessageLine = MessageLine(surface.queries, self._show_notice)
        flow = WalletFlow(self, surface, self.message_line)
        self._settling = Settling(surface, flow, self.message_line)

    @override
    def topics(self) -> Iterable[Topic]:
        yield from (AccountTopic(), FillsTopic(), ActivityTopic(), WalletTopic())
        if self._tab is Tab.REWARDS:
            yield RewardsTopic()
        if self._streamed and self._tab is Tab.POSITIONS:
            yield RowQuotesTopic(self._streamed)
        yield from (MarketTopic(c) for c in sorted(self._nameless))

    @override
    def compose_body(self) -> ComposeResult:
        yield TextLine(id="tabs")
        yield TextLine(id="totals")
        for tab in TABS:
            kind = PositionTable if tab is Tab.POSITIONS else LineTable
            yield kind(TAB_COLUMNS[tab], id=_table_id(tab))
        yield TextLine(id="title")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self.show_tab(self._tab)

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_heading()
        self._show_details()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        entries = super().footer_entries()
        idle = _IDLE_ACTIONS.get(self._tab, (*ORDER_ACTIONS, *SETTLE_ACTIONS))
        return tuple(e for e in entries if e.id not in idle)

    @override
    def show_topic(self, topic: Topic) -> None:
        if isinstance(topic, _SHOWN):
            self._show_items()
        elif topic == StatusTopic():
            self._show_heading()

    def show_tab(self, tab: Tab) -> None:
        """Bring a tab to the front."""
        is_other_topic = tab is not self._tab
        self._tab = tab
        self._memo.clear()
        for each in TABS:
            self._table(each).set_class(each is tab, "-active")
        self._table(tab).focus()
        self.show_footer()
        self._show_items()
        if is_other_topic:
            self.retopic()

    def show_first(self, tab: Tab) -> None:
        """Show a tab now, or as the first one of a screen that is not there yet."""
        if is_live(self):
            self.show_tab(tab)
        else:
            self._tab = tab

    def action_next_tab(self) -> None:
        """Show the next tab."""
        self.show_tab(TABS[(TABS.index(self._tab) + 1) % len(TABS)])

    def action_previous_tab(self) -> None:
        """Show the previous tab."""
        self.show_tab(TABS[TABS.index(self._tab) - 1])

    def action_mark_order(self) -> None:
        """Mark the order or the resolved market at the cursor, or unmark it."""
        item = self._items.get(self._table(self._tab).cursor_key or "")
        if isinstance(item, Position):
            if self._settling.mark(item.condition_id):
                self._show_items()
                self._table(self._tab).action_move_down()
            return
        order = self._order_at_cursor()
        if order is not None:
            self._marked = self._marked ^ {order.order_id}
            self._show_items()
            self.orders.action_move_down()

    def action_cancel_order(self) -> None:
        """Cancel the order at the cursor."""
        order = self._order_at_cursor()
        if order is not None:
            self._cancel(frozenset({order.order_id}))

    def action_cancel_marked(self) -> None:
        """Cancel the marked orders, after a question that names them."""
        listed = self.surface.queries.account().open_orders
        orders = [o for o in listed if o.order_id in self._marked]
        if not orders:
            mark = key_of(self.surface.options.keymap, "portfolio.mark_order")
            reason = why_nothing_of_ours(self.surface.queries.status())
            self._say(reason or f"No marked orders; {mark} marks the one at the cursor.")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self._cancel(frozenset(o.order_id for o in orders))

        title = f"Cancel {count(len(orders), 'marked order')}?"
        lines = paint_resting_orders(orders, partial(title_of, self.surface.queries))
        question = QuestionScreen(title, lines, agree="Cancel them", options=self.surface.options)
        _ = self.app.push_screen(question, decide)

    @override
    def to_copy(self) -> tuple[str, str]:
        item = self._items.get(self._table(self._tab).cursor_key or "")
        if isinstance(item, Order):
            return "order id", item.order_id
        if isinstance(item, TransactionView):
            return "transaction hash", item.hash
        if item is None or isinstance(item, Dust):
            return "", ""
        return "condition id", item.condition_id or ""

    async def action_move_order(self) -> None:
        """Ask where the order at the cursor is to go; offer first what a move left out."""
        if self._left_out is not None:
            await self._offer_again(self._left_out)
            return
        order = self._order_at_cursor()
        if order is not None:
            _ = self.app.push_screen(MovePrompt(self.surface, order), self._send_moves)

    @on(LineTable.RowHighlighted)
    def show_details(self) -> None:
        """Show what the columns have no room for."""
        self._show_details()

    @on(LineTable.RowSelected)
    def open_market(self, message: LineTable.RowSelected) -> None:
        """Go where this is traded."""
        item = self._items.get(message.key)
        if item is None:
            return
        if isinstance(item, TransactionView):
            _ = self.app.push_screen(TransactionScreen(self.surface, item.key))
        elif isinstance(item, Dust):
            self._is_dust_shown = not self._is_dust_shown
            self._show_items()
        elif item.condition_id is None:
            self._say("No market on this line.")
        else:
            self.post_message(MarketChosen(item.condition_id))

    @on(PositionTable.Wanted)
    def settle(self, message: PositionTable.Wanted) -> None:
        """Make of a position what is wanted."""
        item = self._items.get(self._table(self._tab).cursor_key or "")
        self._settling.take(message.wish, item if isinstance(item, Position) else None)
        self._show_items()

    def _cancel(self, order_ids: frozenset[OrderId]) -> None:
        command_id = self.surface.commands.cancel(sorted(order_ids))
        self._marked -= order_ids
        self._ending |= order_ids
        self._show_items()
        _ = self.run_worker(self._await_end(command_id, order_ids), exit_on_error=True)

    # Only the words are lost when this screen goes: the service owns the cancellation.
    async def _await_end(self, command_id: CommandId, order_ids: frozenset[OrderId]) -> None:
        verdict = await self.surface.commands.cancel_verdict(command_id)
        # What nobody has answered for is asked again, and goes on ending until it has ended.
        self._ending -= order_ids - frozenset(verdict.result.unanswered)
        problems = [plain(reason, 60) for _, reason in verdict.result.not_canceled]
        if verdict.problem:
            problems.insert(0, plain(verdict.problem, 60))
        if problems:
            unsure = "Cancel unconfirmed" if verdict.result.unanswered else "Not cancelled"
            self._say(f"{unsure}: {problems[0]}")
        self._show_items()

    def _send_moves(self, moves: tuple[Move, ...] | None) -> None:
        for old, order in moves or ():
            self._ending |= {old.order_id}
            command_id = self.surface.commands.move(old.order_id, order.order_id)
            waiting = self.surface.commands.move_verdict(command_id)
            _ = self.run_worker(self._await_move(waiting, old.order_id))
        self._show_items()

    async def _await_move(self, waiting: Awaitable[MoveVerdict], order_id: OrderId) -> None:
        verdict = await waiting
        self._ending -= {order_id}
        if not is_live(self):
            return
        text = plain(verdict.text, 90)
        if verdict.end is MoveEnd.NOT_REPLACED and verdict.left_out is not None:
            self._left_out = verdict.left_out
            text += f" - {key_of(self.surface.options.keymap, 'portfolio.move_order')} to retry"
        self._say(text)
        self._show_items()

    async def _offer_again(self, intent: OrderIntent) -> None:
        self._left_out = None
        order = await self.surface.commands.prepare(intent)
        if isinstance(order, Rejected):
            self._say(f"Not placed: {plain(order.reason, 60)}")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                _ = self.surface.commands.place(order.order_id)

        doubt = say_doubts(self.surface, [order], LEFT_OUT)
        screen = ConfirmScreen(order, surface=self.surface, doubt=doubt)
        _ = self.app.push_screen(screen, decide)

    def _order_at_cursor(self) -> Order | None:
        item = self._items.get(self._table(self._tab).cursor_key or "")
        if isinstance(item, Order):
            return item
        if self._tab is Tab.ORDERS:
            reason = why_nothing_of_ours(self.surface.queries.status())
            self._say(reason or "No working order here.")
        else:
            onward = key_of(self.surface.options.keymap, "portfolio.next_tab")
            self._say(f"Only working orders can be cancelled; {onward} goes to their tab.")
        return None

    def _table(self, tab: Tab) -> LineTable:
        return self.query_one(f"#{_table_id(tab)}", LineTable)

    def _show_items(self) -> None:
        queries = self.surface.queries
        own = portfolio_of(queries)
        view, now = own.account, queries.now()
        second = now.replace(microsecond=0)
        self._items = tab_items(own, self._tab, self._minimum_of, is_dust_shown=self._is_dust_shown)
        self._forget_ended(frozenset(o.order_id for o in view.open_orders))
        marks = self._marks(view)
        table = self._table(self._tab)
        status = queries.status()
        table.set_empty_text(say_nothing_here(own, self._tab, status, self.surface.options.keymap))
        rows = []
        for key, item in self._items.items():
            title = self._title_of(item)
            paint = partial(paint_item, key, item, title, now, marks)
            rows.append(self._memo.row(key, (item, title, marks, second), paint))
        table.set_rows(rows)
        self._memo.keep_only(set(self._items))
        self._show_heading()
        self._show_details()
        self._look_up_names()
        self._stream_positions(view)

    def _show_heading(self) -> None:
        queries = self.surface.queries
        own = portfolio_of(queries)
        keymap, width = self.surface.options.keymap, self.size.width
        self._show_line(
            "#tabs",
            paint_tabs(
                own,
                self._tab,
                queries.now(),
                keymap=keymap,
                width=width,
                rows=self._live_rows(own.account),
            ),
        )
        self._show_line("#totals", paint_totals(own, self._tab, queries.status(), width))

    def _show_details(self) -> None:
        item = self._items.get(self._table(self._tab).cursor_key or "")
        title: Line = ()
        details: Line = ()
        if item is not None:
            account = self.surface.queries.account()
            marks = self._marks(account)
            title, details = paint_item_details(item, self._title_of(item), marks, self.size.width)
            attached = account.attached_to(item.order_id) if isinstance(item, Order) else None
            if attached is not None:
                title = (*title, Cell("  on its fills: "), *paint_protection(attached, account))
            if isinstance(item, Position):
                wallet, keymap = self.surface.queries.wallet(), self.surface.options.keymap
                said = say_standing(wallet, item, keymap)
                bare = said or paint_unprotected(account, item.token_id)
                title = (*title, Cell("  "), *bare) if bare else title
        self._show_line("#title", title)
        self._show_line("#details", details)

    def _marks(self, view: AccountView) -> OrderMarks:
        return OrderMarks(
            self._marked, self._ending, view.scoring, self._aged(view), self._settling.marked,
            standing_notes(self.surface.queries.wallet()),
        )  # fmt: skip

    def _aged(self, view: AccountView) -> frozenset[TokenId]:
        book = self.surface.queries.book
        return frozenset(t for t in _moving(view) if not book(t).state.is_good)

    def _live_rows(self, view: AccountView) -> LiveRows:
        if self._tab is not Tab.POSITIONS:
            return NO_ROWS
        priced = len(_moving(view))
        return LiveRows(priced - len(self._aged(view)), priced)

    def _stream_positions(self, view: AccountView) -> None:
        wanted = tuple(sorted(_moving(view)[:MOST_STREAMED_ROWS]))
        if wanted != self._streamed:
            self._streamed = wanted
            self.retopic()

    def _title_of(self, item: Item) -> str:
        queries = self.surface.queries
        if isinstance(item, Dust):
            return say_dust(item)
        if isinstance(item, TransactionView):
            return plain(item.title)
        if isinstance(item, Order | Fill | Earned):
            return plain(title_of(queries, item.condition_id))
        market = queries.market(item.condition_id).market if item.condition_id else None
        if market is None or market.question != item.title:
            return plain(item.title)
        return plain(market.distinct_name)

    def _minimum_of(self, condition_id: ConditionId) -> Micros | None:
        known = self.surface.queries.market(condition_id)
        if known.terms is not None:
            return known.terms.min_order_size
        return known.market.min_order_size if known.market is not None else None

    # Orders, fills and rewards carry no title: a market nobody has looked at yet is fetched for its name.
    def _look_up_names(self) -> None:
        market = self.surface.queries.market
        nameless = [
            item.condition_id
            for item in self._items.values()
            if isinstance(item, Order | Fill | Earned) and market(item.condition_id).market is None
        ]
        wanted = frozenset(list(dict.fromkeys(nameless))[:MOST_LOOKED_UP])
        if wanted != self._nameless:
            self._nameless = wanted
            self.retopic()

    def _forget_ended(self, still_open: frozenset[OrderId]) -> None:
        self._marked &= still_open
        self._ending &= still_open

    def _say(self, text: str) -> None:
        self.message_line.say(text)

    def _show_line(self, selector: str, line: Line) -> None:
        self.query_one(selector, TextLine).show(line)


def _moving(view: AccountView) -> tuple[TokenId, ...]:
    """Return the tokens of positions whose price is not settled."""
    return tuple(p.token_id for p in view.positions if not p.is_redeemable)


def _table_id(tab: Tab) -> str:
    return tab.name.lower()
