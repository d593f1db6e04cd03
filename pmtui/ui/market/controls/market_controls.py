"""Builds the controls of a trading screen, and dispatches actions and messages to them."""

from collections.abc import Iterable, Mapping
from functools import partial

from textual.containers import Container
from textual.message import Message

from pmtui.domain.books.tape import TapeFilter
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    FillsTopic,
    HistoryTopic,
    MarketTopic,
    StatusTopic,
    TapeTopic,
    Topic,
)
from pmtui.ui.charts.chart import ChartPane
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.format import format_price
from pmtui.ui.keys.action_table import Need
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.side_ladder import SideLadder
from pmtui.ui.market.controls.moving import Nudging
from pmtui.ui.market.controls.order_controls import Action, OrderControls
from pmtui.ui.market.controls.outcomes import Outcomes
from pmtui.ui.market.controls.own_orders import NOTHING_HERE
from pmtui.ui.market.controls.panes import RESERVED_ORDERS, Charts, Panes
from pmtui.ui.market.controls.side_ladders import SideLadders
from pmtui.ui.market.controls.single_keys import KEYS_IN_TICKET
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_display import MarketDisplay, MarketWidgets
from pmtui.ui.market.market_footer import KeyPlace, market_entries, missing_in
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.paint_single_keys import ArmedKeys
from pmtui.ui.market.siblings import SiblingStrip
from pmtui.ui.market.tape import OrdersPane
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.wallet.wallet_flow import WalletSteps


class MarketControls:
    """All controls of the trading screen, by subject.

    The screen passes on actions, messages of its panes and changed topics; parts to repaint go
    through `show`.
    """

    def __init__(
        self, workspace: Workspace, widgets: MarketWidgets, *, strip: SiblingStrip,
        prices: ChartPane, depth: DepthPane, sides: Container,
        wallet: WalletSteps,
    ) -> None:  # fmt: skip
        self._workspace = workspace
        self._reader = workspace.reader
        self._page = workspace.page
        self._widgets = widgets
        self._grouped: ConditionId | None = None
        """The market whose grouping is applied to the ladder."""
        self._own_seen_in: ConditionId | None = None
        """The market on show, if there has been anything of ours in it."""
        self._many_seen_in: ConditionId | None = None
        """The market on show, if it has had more orders and stops than rows are reserved for."""
        self._display = MarketDisplay(
            workspace.surface, widgets, width=lambda: workspace.page.size.width
        )
        kept = workspace.surface.memory.now
        workspace.reader.is_mirrored = kept.has_both
        widgets.tape.wanted = next(
            (each for each in TapeFilter if each.value == kept.tape_from), TapeFilter.ALL
        )
        self.outcomes = Outcomes(workspace, strip, leave=self._leave, arrive=self._arrive)
        orders = OrderControls(workspace, wallet, widgets.orders, flip=self.outcomes.flip)
        self._orders, self.commands, self.trading = orders, orders.commands, orders.trading
        self.moving, self.single_keys = orders.moving, orders.single_keys
        self.nudging = Nudging(workspace, orders.own, orders.moving)
        self.sides = SideLadders(workspace, self.outcomes, sides, main=widgets.ladder)
        self.charts = Charts(workspace, prices, depth)
        self.panes = Panes(
            workspace, orders=widgets.orders, tape=widgets.tape, ticket=widgets.ticket
        )
        self.actions: Mapping[str, Action] = {**orders.actions(), **self._own_actions()}
        """The handlers of the actions in the registry's market context, by name."""

    def permits(self, action: str) -> bool:
        """Return whether an action is available now; a side ladder shows why not."""
        if action == "drop_order":
            # On the ladder with nothing open, the key belongs to the back action.
            is_on_ladder = self._page.focused in (self._widgets.ladder, None)
            is_idle = is_on_ladder and not self._reader.read().is_armed
            return self.moving.is_moving or self._widgets.ticket.is_open or not is_idle
        return self.sides.permits(action)

    def topics(self) -> Iterable[Topic]:
        """Return the topics to watch now."""
        yield from (MarketTopic(self._reader.condition_id), AccountTopic(), FillsTopic())
        token_id = self._reader.token_id
        if token_id is not None:
            yield from (BookTopic(token_id), TapeTopic(token_id))
        yield from self.charts.topics()
        yield from self.outcomes.topics()
        yield from self.sides.topics()

    def footer_entries(self, *, is_live: bool) -> tuple[FooterEntry, ...]:
        """Return the keys that work for the focused pane.

        Args:
            is_live: whether the panes are mounted, so that one of them can have the focus.
        """
        model, ticket = self._reader.read(), self._widgets.ticket
        place = KeyPlace(
            is_in_ticket=self._page.are_keys_locked,
            has_suggestion=ticket.has_suggestion,
            lacks_attachments=ticket.has_class("-line") and ticket.draft.side is Side.BUY,
            is_moving=self.moving.is_moving,
            is_on_side_ladder=is_live and self.sides.have_keys,
            is_on_ladder=is_live and self._page.focused in (self._widgets.ladder, None),
            has_cursor=model.cursor is not None,
            is_over=model.is_over,
            is_armed=model.is_armed,
        )
        return market_entries(self._workspace.keymap, place)

    def missing(self) -> frozenset[Need]:
        """Return the needs of keys that neither the market nor the cursor meets."""
        model = self._reader.read()
        return missing_in(model, has_target=self._orders.own.has_target(model))

    def show_topic(self, topic: Topic) -> None:
        """Update what changed."""
        if isinstance(topic, MarketTopic | EventTopic | EventQuotesTopic):
            self._page.show_parts(Part.TOPICS)
        model = self._reader.read()
        if not isinstance(topic, BookTopic) or topic.token_id != model.token_id:
            self.sides.show_topic(topic)
        self.trading.open_wanted(model)
        match topic:
            case MarketTopic():
                self._show_market(model)
                self.single_keys.follow(model)
                self.charts.show_history(model)
                self._display.update_ticket(model)
            case BookTopic(token_id):
                self._follow_book(model, is_shown=token_id == model.token_id)
            case EventTopic() | EventQuotesTopic():
                self.outcomes.show(model)
            case TapeTopic(token_id) if token_id == model.token_id:
                self._display.show_tape(model)
                self._show_book(model)
                self.charts.show_history(model)
            case HistoryTopic() if topic in self.charts.topics():
                self.charts.show_history(model)
            case AccountTopic() | FillsTopic():
                self.moving.follow(model)
                self._orders.news.show()
                self._show_own(model)
                self._display.show_tape(model)
                self._show_book(model)
                self._display.update_ticket(model)
            case StatusTopic():
                self._display.update_ticket(model)
                self.single_keys.follow(model)
                # Ages and the time left change with the clock.
                self._display.show_head(model)
                self._show_own(model)
                self._display.show_tape(model)
                self.charts.follow_quote(model)
                self._show_state(model)
            case _:
                pass

    def show(self, part: Part) -> None:
        """Repaint a part."""
        if part is Part.CHARTS:
            self.charts.place(is_alone=not self.sides.is_on_show)
        elif part is Part.CURSOR:
            self.charts.show_cursor()
        elif part is Part.SIDES:
            self.sides.show()
            self._place_result(self._reader.read())
        else:
            model = self._reader.read()
            show = {
                Part.MARKET: self._show_market,
                Part.HEAD: self._display.show_head,
                Part.STATE: self._show_state,
                Part.BOOK: self._show_book,
                Part.TICKET: self._display.update_ticket,
            }[part]
            show(model)

    def resize(self) -> None:
        """Lay everything out for the current size."""
        self._page.show_parts(Part.CHARTS, Part.TOPICS)
        self.panes.place_ticket()
        model = self._reader.read()
        self.single_keys.follow(model)
        self._display.show_head(model)
        self.outcomes.show(model)
        self.sides.show()
        self._show_state(model)

    def follow_focus(self) -> None:
        """Show the keys of the focused pane, and whether single keys trade there."""
        self.sides.follow_keys()
        self._page.show_parts(Part.FOOTER, Part.STATE)
        if self._reader.read().is_armed:
            self._page.show_parts(Part.STATUS)

    async def answer(self, message: Message) -> None:
        """Handle a pane's message."""
        match message:
            case LadderPane.CursorMoved():
                self._orders.follow_cursor()
                self._page.show_parts(Part.STATE, Part.CURSOR, Part.FOOTER)
            case LadderPane.LevelPicked():
                await self._orders.pick_level(message)
            case LadderPane.Doubted():
                self._workspace.line.show(message.words)
            case OrdersPane.Picked():
                self._orders.own.show(message.order)
            case SiblingStrip.Picked():
                self.outcomes.hop_to(message.condition_id)
            case SideLadder.Picked():
                self.sides.pick(message.condition_id, message.price)
            case _:
                self._answer_ticket(message)

    def _answer_ticket(self, message: Message) -> None:
        match message:
            case TicketPane.Opened():
                self._workspace.line.take_back(NOTHING_HERE)
                _ = self._page.set_class(True, "-ticket")  # noqa: FBT003 - Textual's signature
                self._page.show_parts(Part.FOOTER)
            case TicketPane.Closed():
                self._workspace.line.take_back(*KEYS_IN_TICKET)
                _ = self._page.set_class(False, "-ticket")  # noqa: FBT003 - Textual's signature
                _ = self._widgets.ladder.focus()
                self._place_result(self._reader.read())
                self._page.show_parts(Part.FOOTER)
            case TicketPane.Finished():
                self._orders.news.announce(message.verdict, message.words)
            case TicketPane.KeyKept():
                self.single_keys.explain_ticket_has_keys()
            case TicketPane.SuggestionChanged():
                self._page.show_parts(Part.FOOTER)
            case TicketPane.Drafted():
                self._widgets.ladder.show_ghosts(message.ghosts)
            case TicketPane.Reshaped():
                self.panes.place_ticket()
                self._page.show_parts(Part.FOOTER)
            case _:
                pass

    def _own_actions(self) -> dict[str, Action]:
        return {
            "split": self._orders.forms.split,
            "nudge_up": partial(self.nudging.nudge, 1),
            "nudge_down": partial(self.nudging.nudge, -1),
            "drop_order": self._drop,
            "flip_outcome": self.outcomes.flip,
            "show_both": self.outcomes.show_both,
            "next_sibling": partial(self.outcomes.step, 1),
            "previous_sibling": partial(self.outcomes.step, -1),
            "next_window": partial(self.outcomes.windows.step, 1),
            "previous_window": partial(self.outcomes.windows.step, -1),
            "shorter_interval": partial(self.charts.zoom, -1),
            "longer_interval": partial(self.charts.zoom, 1),
            "switch_chart": self.charts.switch,
            "switch_candles": self.charts.switch_candles,
            "group_prices": self._group_prices,
            "filter_tape": self._filter_tape,
            "toggle_sides": self.sides.toggle,
            "go_to_sides": self.sides.focus_next,
            "go_to_ladder": self.panes.go_to_ladder,
            "go_to_orders": self.panes.go_to_orders,
            "go_to_tape": self.panes.go_to_tape,
            "go_to_chart": self.charts.focus,
            "go_to_ticket": self.panes.go_to_ticket,
        }

    def _drop(self) -> None:
        """Cancel a move; else close the ticket, focus the ladder, or disarm."""
        if self.moving.is_moving:
            self.moving.drop()
        elif self._widgets.ticket.is_open:
            self._widgets.ticket.close()
        elif self._page.focused in (self._widgets.ladder, None):
            self.single_keys.disarm()
        else:
            self.panes.go_to_ladder()

    def _group_prices(self) -> None:
        """Switch to the next grouping of the ladder."""
        group = self._widgets.ladder.next_grouping()
        times = self._widgets.ladder.viewport.grouping
        self._workspace.surface.memory.keep_grouping(self._reader.condition_id, times)
        self._workspace.line.confirm(f"Group {format_price(group)}.")
        self._page.show_parts(Part.STATE)

    def _filter_tape(self) -> None:
        """Switch to the next filter of the tape: by size, or own trades only."""
        wanted = self._widgets.tape.next_filter()
        self._workspace.surface.memory.keep_tape(wanted.value)
        words = wanted.words
        self._workspace.line.confirm(f"Tape: {words}." if words else "Tape: all trades.")

    def _show_market(self, model: MarketModel) -> None:
        self.moving.follow(model)
        self._page.show_parts(Part.FOOTER)
        self._display.show_head(model)
        self.outcomes.show(model)
        self._show_book(model)
        self._show_own(model)

    def _show_book(self, model: MarketModel) -> None:
        if self._grouped != model.condition_id:
            self._grouped = model.condition_id
            memory = self._workspace.surface.memory
            self._widgets.ladder.viewport.grouping = memory.grouping_of(model.condition_id)
        self._display.show_book(model, is_in_series=lambda: self.outcomes.windows.is_in_series)
        self._show_state(model)
        self._place_result(model)

    def _follow_book(self, model: MarketModel, *, is_shown: bool) -> None:
        """Show a book that changed; that of the other outcome has a price for what is held of it."""
        if is_shown:
            self._show_book(model)
        if not self._display.shows_touch(model):
            self._display.show_quote(model)
            self._show_own(model)
            self.outcomes.show(model)
        if is_shown:
            self.charts.show_depth()
            self.charts.follow_quote(model)
            self._display.update_ticket(model)

    def _show_own(self, model: MarketModel) -> None:
        """Show what is ours, in panes that are small until there is something of it here."""
        self._display.show_own(model, has_facts=self.panes.has_facts)
        conditionals = model.account.conditionals
        if (
            model.own_orders
            or any(position.size for position in model.positions)
            or any(each.condition_id == model.condition_id for each in conditionals)
        ):
            # They stay large: nothing beside the ladder moves as orders come and go.
            self._own_seen_in = model.condition_id
        if self._widgets.orders.line_count > RESERVED_ORDERS:
            self._many_seen_in = model.condition_id
        _ = self._page.set_class(self._own_seen_in != model.condition_id, "-bare")
        _ = self._page.set_class(self._many_seen_in == model.condition_id, "-many")

    def _place_result(self, model: MarketModel) -> None:
        """Give the room of an empty ladder to chart and trades; a ticket that is open keeps its place."""
        is_result = (
            model.has_only_result and not self._widgets.ticket.is_open and not self.sides.is_on_show
        )
        if self.charts.show_beside_result(is_beside=is_result):
            _ = self._page.set_class(is_result, "-over")
            self._page.show_parts(Part.TOPICS)
            self.charts.show_history(model)

    def _show_state(self, model: MarketModel) -> None:
        self._display.show_state(
            model,
            moving=self.moving.state_line(model),
            keys=self.single_keys.state_line(model),
            is_in_ticket=self._page.are_keys_locked,
            is_covered=self._page.is_covered,
        )
        dials = self.single_keys.dials(model, has_next=lambda: self.outcomes.windows.is_in_series)
        _ = self._page.set_class(dials is not None, "-dials")
        _ = self._page.set_class(isinstance(dials, ArmedKeys), "-armed")
        self._display.show_dials(dials)

    def _leave(self) -> None:
        self.sides.leave()
        self._workspace.line.take_back_confirmation()
        self._display.clear()
        self.charts.forget()
        self.moving.forget()
        self.nudging.forget()
        self.single_keys.leave()
        self.single_keys.forget()

    def _arrive(self) -> None:
        self.sides.arrive()
