"""The desk of an event: as many tradable ladders side by side as fit."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from typing_extensions import override

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.watchlist import key_of_market
from pmtui.service.topics import EventQuotesTopic, EventTopic, StatusTopic, Topic
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.desk.desk_controls import MOST_COLUMNS, DeskColumn, DeskControls
from pmtui.ui.event.paint_event import describe_end, set_facts
from pmtui.ui.frame import CursorItem
from pmtui.ui.keys.actions import FooterEntry, bindings_of
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.market.market_footer import KeyPlace, market_entries
from pmtui.ui.market.paint_single_keys import paint_dials
from pmtui.ui.market.trading_screen import TradingScreen
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.wallet.wallet_flow import WalletFlow
from pmtui.ui.widgets.panel import fit_title
from pmtui.ui.widgets.text_line import TextLine

DESK_ACTIONS = tuple(
    f"market.{name}"
    for name in (
        "buy", "sell", "flatten", "protect", "scaled", "set_alert", "rules", "cancel_order",
        "move_order", "cancel_market", "drop_order", "toggle_arming", "buy_here", "sell_here",
        "join_bid", "join_ask", "improve_bid", "improve_ask", "hit_bid", "take_ask", "flatten_now",
        "reverse", "cancel_bids", "cancel_asks", "preset_1", "preset_2", "preset_3", "preset_4", "preset_5",
        "override", "go_to_price", "flip_outcome", "next_sibling", "previous_sibling",
    )
)  # fmt: skip
"""The market screen's actions that work here, on the focused ladder."""


_MARGINS, _LEAST_NAME = 4, 20
"""Of the heading: blank cells, and those that the event's name keeps."""
_LINE_FROM_WIDTH = 60
"""The least width for the side, the price, the size and the unit of a ticket side by side."""


class DeskScreen(TradingScreen[DeskControls]):
    """Ladders of an event's outcomes side by side; the market keys act on the focused one."""

    ABOUT: ClassVar[str] = (
        "Ladders of an event's outcomes side by side; the keys of a market act on the one that has them."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(*DESK_ACTIONS, "market.toggle_sides")
    DEFAULT_CSS = """
    DeskScreen #columns { height: 1fr; }
    DeskScreen #ticket { height: 3; }
    DeskScreen.-rows #ticket { height: 9; }
    DeskScreen .dials { display: none; background: $panel; }
    DeskScreen.-dials .dials { display: block; }
    """

    def __init__(
        self, surface: Surface, event_id: EventId, first: ConditionId | None = None
    ) -> None:
        """Show the outcomes of an event, starting at a market if one is given."""
        super().__init__(surface)
        self._event_topic = EventTopic(event_id)
        self._quotes_topic = EventQuotesTopic(event_id)
        self._first = first
        self.columns = tuple(DeskColumn(is_first=not n) for n in range(MOST_COLUMNS))
        self.ticket = TicketPane(surface, id="ticket")
        self.ticket.has_whole_form = False
        self._heading = TextLine(id="heading")
        self._state = TextLine(id="state")
        self._dials = TextLine(classes="dials"), TextLine(classes="dials")
        line = self.message_line
        self.controls = DeskControls(
            self, surface, line, self.ticket, columns=self.columns,
            wallet=WalletFlow(self, surface, line),
        )  # fmt: skip
        self.actions = self.controls.actions
        self.missing_needs = (self.controls.missing,)

    @override
    def topics_now(self) -> tuple[Topic, ...]:
        return self._event_topic, self._quotes_topic, *self.controls.topics()

    @override
    def compose_body(self) -> ComposeResult:
        yield self._heading
        with Horizontal(id="columns"):
            yield from self.columns
        yield self._state
        yield from self._dials
        yield self.ticket

    @override
    def on_mount(self) -> None:
        self._show_event()

    @override
    def on_resize(self, _: events.Resize) -> None:
        # Textual also calls FrameScreen.on_resize.
        is_line = self.size.width >= _LINE_FROM_WIDTH
        self.set_class(not is_line, "-rows")
        self.ticket.show_on_a_line(is_line=is_line)
        self.controls.place()
        self.controls.follow_arming()
        self._show_heading()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        place = KeyPlace(
            is_in_ticket=self.are_keys_locked, has_suggestion=self.ticket.has_suggestion,
            is_moving=self.controls.moving.is_moving, is_on_ladder=True,
            has_cursor=self.controls.has_cursor, is_armed=self.controls.is_armed,
        )  # fmt: skip
        entries = market_entries(self.surface.options.keymap, place)
        return tuple(e for e in entries if not e.id.startswith("market.") or e.id in DESK_ACTIONS)

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic == self._event_topic:
            self._show_event()
        elif topic == StatusTopic():
            self.controls.show_columns()
            self.controls.follow_arming()
            self._show_heading()
        elif topic == self._quotes_topic:
            self._show_heading()
        else:
            self.controls.show_topic(topic)

    @property
    @override
    def traded_ladder(self) -> Widget | None:
        return self.controls.column

    @override
    def cursor_item(self) -> CursorItem:
        market = self.controls.market
        if market is None or market.condition_id is None:
            return CursorItem()
        return CursorItem(starred=(key_of_market(market.condition_id), market.distinct_name))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the drop key to the back action while there is nothing to drop."""
        if action == "perform" and parameters == ("drop_order",):
            return self.controls.moving.is_moving or self.ticket.is_open or self.controls.is_armed
        return super().check_action(action, parameters)

    @override
    def show_part(self, part: Part) -> None:
        if part is Part.TICKET:
            self.controls.update_ticket()
        elif part is Part.STATE:
            self._state.show(self.controls.state_line())
            self._show_dials()
        else:
            self.controls.show_columns()

    def _show_dials(self) -> None:
        dials = self.controls.dials()
        _ = self.set_class(dials is not None, "-dials")
        if dials is not None:
            for line, cells in zip(self._dials, paint_dials(dials, self.size.width), strict=True):
                line.show(cells)

    def _show_heading(self) -> None:
        """Show the event's name, how long it lasts, and what all of its outcomes cost together."""
        event = self.surface.queries.event(self._event_topic.event_id).event
        if event is None:
            self._heading.show((Cell(" Loading the event…", Role.DIM),))
            return
        queries, width = self.surface.queries, self.size.width - _MARGINS
        (left, *_), quotes = describe_end(event, queries.now()), queries.view(self._quotes_topic)
        name, least = plain(event.title), plain(event.title, _LEAST_NAME)
        sums = set_facts(event, quotes, width - cell_width(name))
        _, facts = fit_title(((Cell(least),),), sums, width - line_width(left))
        end: Line = (*facts, Cell("  "), *left) if facts else left
        room = max(width + 1 - line_width(end), 0)
        heading = fit_line((Cell(f" {name}", Role.HEADING, Emphasis.BOLD),), room)
        self._heading.show((*heading, Cell("  "), *end, Cell(" ")))

    def _show_event(self) -> None:
        event = self.surface.queries.event(self._event_topic.event_id).event
        self._show_heading()
        if event is None:
            return
        first, self._first = self._first, None
        self.controls.set_event(event, first)
