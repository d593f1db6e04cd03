"""Ladders of the event's next outcomes, beside the main one on a wide screen."""

from collections.abc import Iterable

from textual.containers import Container
from textual.widget import Widget

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventTopic,
    MarketTopic,
    StatusTopic,
    Topic,
)
from pmtui.ui.facts import key_of
from pmtui.ui.frame import DeskChosen
from pmtui.ui.ladder.side_ladder import SIDE_WIDTH, SideLadder, SideRows
from pmtui.ui.market.controls.outcomes import Outcomes
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.siblings import Siblings

SIDES_FROM_WIDTH = 170
_MOST = 3
_OTHER_PANES = 110
"""The width of the main ladder, and of charts and tape beside it."""
_NO_SIDES = "No side ladders are open"
_TRADING = frozenset((
    "buy", "sell", "scaled", "protect", "flatten", "flatten_now", "reverse", "cancel_order", "move_order",
    "buy_here", "sell_here", "join_bid", "join_ask", "improve_bid", "improve_ask", "hit_bid",
    "take_ask", "override",
))  # fmt: skip
"""Actions that start an order, or act at the main ladder's cursor. Disarming and cancelling a
side or a market work from everywhere."""


def markets_beside(
    siblings: Siblings | None, most: int, *, aimed: Market | None, place: int
) -> tuple[Market, ...]:
    """Return the markets beside the main one, in their order.

    A focused ladder keeps its place until it loses the focus, even if its market resolves or others
    are added: no key may reach another market than it was aimed at.

    Args:
        siblings: the markets of the event; None while unknown.
        most: how many ladders fit.
        aimed: the market of the focused ladder; None if that is the main one.
        place: the position of its ladder.
    """
    markets = siblings.after(most) if siblings is not None else ()
    if aimed is None or any(m.condition_id == aimed.condition_id for m in markets):
        return markets
    others = markets[: most - 1]
    return (*others[:place], aimed, *others[place:])


class SideLadders:
    """Shows other books beside the main one, to watch and to switch to."""

    def __init__(
        self, workspace: Workspace, outcomes: Outcomes, place: Container, *, main: Widget
    ) -> None:
        """Restore the ladders of the last session once the outcomes are known.

        Args:
            workspace: the screen's workspace.
            outcomes: lists the markets and switches to them.
            place: the container of the ladders.
            main: the main ladder.
        """
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._reader = workspace.reader
        self._outcomes = outcomes
        self._place = place
        self._main = main
        self._is_wanted = workspace.surface.memory.now.has_sides
        self._is_placed = False
        """Whether the screen is laid out for them."""
        self._last: SideLadder | None = None
        """The ladder that had the focus before the terminal lost it: the focus returns there
        with the terminal."""
        self._left: ConditionId | None = None
        """The market whose ladder had the focus before the main market changed."""

    @property
    def is_on_show(self) -> bool:
        """Whether side ladders are shown."""
        return (
            self._is_wanted
            and self._page.size.width >= SIDES_FROM_WIDTH
            and self._outcomes.siblings is not None
        )

    @property
    def have_keys(self) -> bool:
        """Whether one of them has the focus."""
        return isinstance(self._page.focused, SideRows)

    def toggle(self) -> None:
        """Show or hide the side ladders; on a narrow screen open the desk instead."""
        event_id = self._outcomes.event_id
        if event_id is None or self._outcomes.siblings is None:
            self._line.show("This event has no other open market.")
            return
        if self._page.size.width < SIDES_FROM_WIDTH:
            _ = self._page.post_message(DeskChosen(event_id, self._reader.condition_id))
            return
        self._is_wanted, self._last = not self._is_wanted, None
        self._workspace.surface.memory.keep_sides(has_sides=self._is_wanted)
        self._line.take_back(_NO_SIDES)
        self.show()

    def focus_next(self) -> None:
        """Focus the next side ladder."""
        shown = [side.ladder for side in self._ladders if side.display]
        if not self.is_on_show or not shown:
            key = self._workspace.key("toggle_sides")
            self._line.show(f"{_NO_SIDES}: {key} shows them on a wide screen.")
            return
        focused = self._page.focused
        place = next((n for n, each in enumerate(shown) if each is focused), -1) + 1
        self._page.set_focus(shown[place % len(shown)])

    def pick(self, condition_id: ConditionId, price: Micros | None) -> None:
        """Make an outcome the main one, with the cursor at a price."""
        self._outcomes.hop_to(condition_id)
        if price is not None:
            self._workspace.ladder.point_at(price)
        self._page.set_focus(self._main)

    def permits(self, action: str) -> bool:
        """Return whether an action is available; show why not if a side ladder has the focus."""
        if action not in _TRADING or not self.have_keys:
            return True
        # The side ladder's cursor is not where an order would go.
        there, here = (
            key_of(self._workspace.keymap, "global.open"),
            self._workspace.key("go_to_ladder"),
        )
        self._line.show(
            f"Keys trade on the main ladder: {there} makes this one main, {here} goes back."
        )
        return False

    def leave(self) -> None:
        """Focus the main ladder before its market changes."""
        aimed = self._focused_market
        self._left = None if aimed is None else aimed.condition_id
        if aimed is not None:
            self._page.set_focus(self._main)

    def arrive(self) -> None:
        """Show the markets beside the new one; the focus stays with its outcome."""
        self.show()
        for side in self._ladders:
            if self._left is not None and side.is_of(self._left):
                self._page.set_focus(side.ladder)

    def follow_keys(self) -> None:
        """Remove a ladder that was kept only while it had the focus."""
        if self._page.focused is not None:
            self._last = self._with_keys
        if self.is_on_show:
            shown = [side.market for side in self._ladders if side.market is not None]
            if [m.condition_id for m in shown] != [m.condition_id for m in self._beside()]:
                self._page.show_parts(Part.TOPICS)
                self.show()

    def topics(self) -> Iterable[Topic]:
        """Return the topics of the books beside the main one."""
        if not self.is_on_show:
            return
        index = self._reader.outcome_index
        for market in self._beside():
            if index < len(market.outcomes):
                token_id = market.outcomes[index].token_id
                if token_id is not None:
                    yield BookTopic(token_id)

    def show(self) -> None:
        """Assign markets to the ladders and show their books."""
        self._lay_out()
        if not self.is_on_show:
            return
        markets = self._beside()
        for number, side in enumerate(self._in_order_of(markets)):
            market = markets[number] if number < len(markets) else None
            side.set_market(market, self._reader.outcome_index)
            self._show_book(side)

    def show_topic(self, topic: Topic) -> None:
        """Update what changed beside the main ladder."""
        if self._is_wanted and isinstance(topic, MarketTopic | EventTopic):
            self._lay_out()
        if not self._is_placed:
            return
        match topic:
            case BookTopic(token_id):
                for side in self._ladders:
                    if side.token_id == token_id:
                        self._show_book(side)
            case MarketTopic() | EventTopic() | AccountTopic():
                self.show()
            case StatusTopic():
                for side in self._ladders:
                    side.show_state(self._workspace.queries.now())
            case _:
                pass

    @property
    def _ladders(self) -> tuple[SideLadder, ...]:
        return tuple(self._place.query_children(SideLadder))

    @property
    def _most(self) -> int:
        fitting = (self._page.size.width - _OTHER_PANES) // SIDE_WIDTH
        return min(fitting, _MOST)

    @property
    def _with_keys(self) -> SideLadder | None:
        focused = self._page.focused
        if focused is None:
            return self._last
        return next((side for side in self._ladders if side.ladder is focused), None)

    @property
    def _focused_market(self) -> Market | None:
        """The market of the focused side ladder."""
        side = self._with_keys
        market = None if side is None else side.market
        is_main = market is not None and market.condition_id == self._reader.condition_id
        return None if is_main else market

    def _beside(self) -> tuple[Market, ...]:
        aimed = self._focused_market
        shown = [side.market for side in self._ladders]
        place = shown.index(aimed) if aimed is not None else 0
        return markets_beside(self._outcomes.siblings, self._most, aimed=aimed, place=place)

    def _in_order_of(self, markets: tuple[Market, ...]) -> tuple[SideLadder, ...]:
        """Sort the ladders by their markets, so that each keeps its market and the focus."""
        ladders = self._ladders
        kept = [next((s for s in ladders if s.is_of(m.condition_id)), None) for m in markets]
        free = [side for side in ladders if side not in kept]
        ordered = [side or free.pop(0) for side in kept if side is not None or free]
        for place, side in enumerate(ordered):
            if self._ladders[place] is not side:
                self._place.move_child(side, before=place)
        return self._ladders

    def _lay_out(self) -> None:
        """Add or remove the ladders when the layout changes."""
        if self.is_on_show is self._is_placed:
            return
        self._is_placed = not self._is_placed
        _ = self._page.set_class(self._is_placed, "-sides")
        if self._is_placed and not self._ladders:
            # Mounted only now, because most screens never show any.
            _ = self._place.mount(*(SideLadder() for _ in range(_MOST)))
        self._page.show_parts(Part.CHARTS, Part.TOPICS)
        _ = self._page.call_after_refresh(self._show_after_layout)

    def _show_after_layout(self) -> None:
        self._page.show_parts(Part.STATE)
        self.show()

    def _show_book(self, side: SideLadder) -> None:
        queries, token_id = self._workspace.queries, side.token_id
        if token_id is not None:
            orders = queries.account().orders_at(token_id)
            side.show(queries.book(token_id), orders, queries.now())
