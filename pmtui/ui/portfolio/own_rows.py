"""The rows of the portfolio's tabs: their items, titles, and further data."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from pmtui.domain.account.position import CONVERSION, Activity, Dust, Position
from pmtui.domain.books.book_view import BookState
from pmtui.domain.conditionals.conditional import ConditionalState
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order
from pmtui.domain.orders.own_orders import ticks_away
from pmtui.service.topics import HistoryTopic, MarketTopic, RowQuotesTopic, Topic
from pmtui.service.views import AccountView
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.explore.paint_markets import NO_DAY, paint_day
from pmtui.ui.facts import NO_ROWS, LiveRows
from pmtui.ui.market.market_model import exit_of, net_in, tick_size_of, title_of
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.order_keys import OrderKeys
from pmtui.ui.portfolio.paint_portfolio import Portfolio, Tab, explain_nothing_here, portfolio_of
from pmtui.ui.portfolio.portfolio_details import describe_dust, paint_item_details
from pmtui.ui.portfolio.portfolio_rows import TAB_COLUMNS, Item, OrderMarks, paint_item, tab_items
from pmtui.ui.portfolio.settle_actions import SettleActions, describe_standing, standing_notes
from pmtui.ui.rows.row_stream import RowMemo
from pmtui.ui.rows.row_verbs import RowTarget, target_of_token
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.protect import paint_protection, paint_unprotected
from pmtui.ui.widgets.line_table import LineTable

_SAID_BY_TRANSACTION = frozenset({CONVERSION, "WITHDRAWAL"})
"""Activity with too little detail: the recipient of cash, or the outcomes converted."""
MOST_LOOKED_UP = 8
"""The most markets fetched at a time just for the titles of rows."""


class OwnRows:
    """A table for each tab, and the item of each row."""

    def __init__(self, surface: Surface, orders: OrderKeys, settle_actions: SettleActions) -> None:
        """Start with the positions.

        Args:
            surface: the service and the user's choices.
            orders: knows which orders are marked or ending.
            settle_actions: knows which markets are marked to be redeemed.
        """
        self._surface = surface
        self._orders = orders
        self._settle_actions = settle_actions
        self.tables = {tab: LineTable(TAB_COLUMNS[tab], id=tab.name.lower()) for tab in Tab}
        self.tab = Tab.POSITIONS
        """The active tab."""
        self._items: dict[str, Item] = {}
        self._nameless: frozenset[ConditionId] = frozenset()
        self._streamed: tuple[TokenId, ...] = ()
        """The tokens whose quotes are streamed."""
        self._shaped: tuple[HistoryTopic, ...] = ()
        """The histories for the sparklines."""
        self._is_dust_shown = False
        self._selling: frozenset[TokenId] = frozenset()
        self._memo = RowMemo()

    @property
    def table(self) -> LineTable:
        """The active table."""
        return self.tables[self.tab]

    @property
    def at_cursor(self) -> Item | None:
        """The item of the selected row."""
        return self.item(self.table.cursor_key)

    @property
    def target(self) -> RowTarget | None:
        """What trading keys act on in the selected row."""
        item, queries = self.at_cursor, self._surface.queries
        match item:
            case Position():
                return RowTarget(item.condition_id, item.outcome_index)
            case Order() | Fill():
                market = queries.market(item.condition_id).market if item.condition_id else None
                return target_of_token(item.condition_id, item.token_id, market)
            case None | Dust() | TransactionView():
                return None
            case _:
                condition_id = item.condition_id
                return None if condition_id is None else RowTarget(condition_id)

    def item(self, key: str | None) -> Item | None:
        """Return the item of a row."""
        return self._items.get(key or "")

    def topics(self) -> Iterable[Topic]:
        """Return the topics of the rows besides the account."""
        if self._streamed:
            yield RowQuotesTopic(self._streamed)
        yield from self._shaped
        yield from (MarketTopic(c) for c in sorted(self._nameless))

    @property
    def to_flatten(self) -> tuple[Position, ...]:
        """The positions marked to be sold; without marks, all that can be sold."""
        listed = [
            p for p in self._items.values() if isinstance(p, Position) and not p.is_redeemable
        ]
        marked = tuple(p for p in listed if p.token_id in self._selling)
        return marked or tuple(listed)

    def mark_to_sell(self, position: Position) -> None:
        """Mark a position to be sold with others, or unmark it."""
        self._selling = self._selling ^ {position.token_id}

    def unmark_sales(self) -> None:
        """Unmark all positions."""
        self._selling = frozenset()

    def switch_dust(self) -> None:
        """Show or hide positions that are too small to be sold."""
        self._is_dust_shown = not self._is_dust_shown

    def switch_to(self, tab: Tab) -> None:
        """Activate a tab."""
        self.tab = tab
        self._memo.clear()
        for each, table in self.tables.items():
            table.set_class(each is tab, "-active")

    def show(self) -> bool:
        """Show the rows of the active tab; return whether its topics have changed."""
        queries = self._surface.queries
        own = portfolio_of(queries)
        view, now = own.account, queries.now()
        second = now.replace(microsecond=0)
        self._items = tab_items(own, self.tab, self._minimum_of, is_dust_shown=self._is_dust_shown)
        self._orders.forget_ended(view)
        self._selling &= {p.token_id for p in view.positions}
        marks = self._marks(view)
        keymap = self._surface.options.keymap
        self.table.set_empty_text(explain_nothing_here(own, self.tab, queries.status(), keymap))
        rows = []
        for key, item in self._items.items():
            title = self._title_of(item)
            paint = partial(paint_item, key, item, title, now, marks)
            rows.append(self._memo.row(key, (item, title, marks, second), paint))
        self.table.set_rows(rows)
        self._memo.keep_only(set(self._items))
        return self._follow(view)

    def details(self, width: int) -> tuple[Line, Line]:
        """Return the details of the selected row."""
        item = self.at_cursor
        if item is None:
            return (), ()
        queries = self._surface.queries
        account = queries.account()
        marks = self._marks(account)
        title, details = paint_item_details(item, self._title_of(item), marks, width)
        attached = account.attached_to(item.order_id) if isinstance(item, Order) else None
        if attached is not None:
            title = (*title, Cell("  on its fills: "), *paint_protection(attached, account))
        if isinstance(item, Position):
            said = describe_standing(queries.wallet(), item, self._surface.options.keymap)
            bare = said or paint_unprotected(account, item.token_id)
            title = (*title, Cell("  "), *bare) if bare else title
        return title, details

    def live_rows(self, own: Portfolio) -> LiveRows:
        """Return how many positions have a live price."""
        if self.tab is not Tab.POSITIONS:
            return NO_ROWS
        priced, book = len(_moving(own.account)), self._surface.queries.book
        aged = self._aged(own.account)
        loading = sum(book(token).state is BookState.LOADING for token in aged)
        return LiveRows(priced - len(aged), priced, loading)

    def _marks(self, view: AccountView) -> OrderMarks:
        return OrderMarks(
            marked=self._orders.marked, ending=self._orders.ending, scoring=view.scoring,
            aged=self._aged(view), redeeming=self._settle_actions.marked, away=self._away(view),
            queue=dict(view.queue_ahead), selling=self._selling,
            notes=standing_notes(self._surface.queries.wallet()),
            days=self._shapes(), exits=self._exits(view), stops=stops_of(view),
        )  # fmt: skip

    def _shapes(self) -> dict[TokenId, Cell]:
        """Return the sparkline of each position's day, if it fits."""
        queries = self._surface.queries
        found = {
            topic.token_id: paint_day(
                queries.history(topic.token_id, topic.interval).points, queries.now()
            )
            for topic in self._shaped
        }
        return {token_id: day for token_id, day in found.items() if day != NO_DAY}

    def _days(self) -> tuple[HistoryTopic, ...]:
        if self.tab is not Tab.POSITIONS or "day" not in self.table.columns.in_view:
            return ()
        return tuple(HistoryTopic(token_id, Interval.DAY) for token_id in self._streamed)

    def _exits(self, view: AccountView) -> dict[TokenId, Micros]:
        """Return what closing each net position brings now, net of fees, as beside its ladder."""
        if self.tab is not Tab.POSITIONS:
            return {}
        queries, way = self._surface.queries, self._surface.options.flatten_percent
        fills = defaultdict[ConditionId, list[Fill]](list)
        for fill in queries.fills().fills:
            fills[fill.condition_id].append(fill)
        found = {}
        for position in view.positions:
            net = net_in(queries, position, fills[position.condition_id])
            closing = exit_of(queries, position, net, give_way_percent=way)
            if closing is not None:
                found[position.token_id] = closing.profit
        return found

    def _away(self, view: AccountView) -> dict[OrderId, int]:
        """Return how far working orders are from the touch, where known."""
        if self.tab is not Tab.ORDERS:
            return {}
        queries = self._surface.queries
        found = {}
        for order in view.open_orders:
            market = queries.market(order.condition_id)
            away = ticks_away(order, queries.book(order.token_id), tick_size_of(market))
            if away is not None:
                found[order.order_id] = away
        return found

    def _aged(self, view: AccountView) -> frozenset[TokenId]:
        book = self._surface.queries.book
        return frozenset(t for t in _moving(view) if not book(t).state.is_good)

    # Orders, fills and rewards have no titles: fetch unknown markets for their names.
    def _follow(self, view: AccountView) -> bool:
        market = self._surface.queries.market
        nameless = [
            item.condition_id
            for item in self._items.values()
            if isinstance(item, Order | Fill | Earned) and market(item.condition_id).market is None
        ]
        watched = (self._nameless, self._streamed, self._shaped)
        self._nameless = frozenset(list(dict.fromkeys(nameless))[:MOST_LOOKED_UP])
        self._streamed = self._to_stream(view)
        self._shaped = self._days()
        return watched != (self._nameless, self._streamed, self._shaped)

    def _to_stream(self, view: AccountView) -> tuple[TokenId, ...]:
        """Return the tokens whose books the active tab needs."""
        wanted: tuple[TokenId, ...] = ()
        if self.tab is Tab.POSITIONS:
            wanted = _moving(view)
        elif self.tab is Tab.ORDERS:
            wanted = tuple(dict.fromkeys(order.token_id for order in view.open_orders))
        return tuple(sorted(wanted[:MOST_STREAMED_ROWS]))

    def _title_of(self, item: Item) -> str:
        queries = self._surface.queries
        if isinstance(item, Dust):
            return describe_dust(item)
        if isinstance(item, TransactionView):
            return plain(item.title)
        if isinstance(item, Order | Fill | Earned):
            return plain(title_of(queries, item.condition_id))
        if isinstance(item, Activity):
            # A conversion's outcomes and a transfer's recipient are in the wallet's own
            # transaction.
            found = self._transaction_of(item)
            is_better_known = found is not None and item.kind in _SAID_BY_TRANSACTION
            if found is not None and is_better_known and len(found.calls) == 1:
                return plain(found.title)
            if not item.title and not item.condition_id:
                return "Cash"
        market = queries.market(item.condition_id).market if item.condition_id else None
        if market is None or market.question != item.title:
            return plain(item.title)
        return plain(market.distinct_name)

    def _transaction_of(self, activity: Activity) -> TransactionView | None:
        """Return the wallet transaction behind an activity."""
        wanted = activity.transaction_hash.lower()
        if not wanted or activity.kind == "TRADE":
            return None
        listed = self._surface.queries.wallet().transactions
        return next((each for each in listed if each.hash.lower() == wanted), None)

    def _minimum_of(self, condition_id: ConditionId) -> Micros | None:
        known = self._surface.queries.market(condition_id)
        if known.terms is not None:
            return known.terms.min_order_size
        return known.market.min_order_size if known.market is not None else None


def stops_of(view: AccountView) -> dict[TokenId, Micros]:
    """Return the highest active stop of each token."""
    found: dict[TokenId, Micros] = {}
    for each in view.conditionals:
        if each.state is ConditionalState.WATCHING and each.stop is not None:
            found[each.token_id] = max(each.stop, found.get(each.token_id, Micros(0)))
    return found


def _moving(view: AccountView) -> tuple[TokenId, ...]:
    """Return the tokens of positions that are not resolved."""
    return tuple(p.token_id for p in view.positions if not p.is_redeemable)
