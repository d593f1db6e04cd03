"""Ladders of the next outcomes of the event, beside the main one on a wide screen."""

from collections.abc import Iterable

from textual import on
from textual.containers import Container
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.ids import ConditionId
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventTopic,
    MarketTopic,
    StatusTopic,
    Topic,
)
from pmtui.ui.actions import FooterEntry
from pmtui.ui.paint.facts import key_of
from pmtui.ui.screens.market_siblings import MarketSiblings
from pmtui.ui.widgets.side_ladder import SideLadder, SideRows

SIDES_FROM_WIDTH = 170
_THREE_FROM_WIDTH = 200
_MOST = 3
_TOO_NARROW = "Ladders side by side need a screen"
_NO_SIDES = "No ladders are beside this one"
_TRADING = frozenset((
    "buy", "sell", "scaled", "protect", "flatten", "flatten_now", "cancel_order", "move_order",
    "buy_here", "sell_here", "join_bid", "join_ask", "improve_bid", "improve_ask", "hit_bid",
    "take_ask", "override",
))  # fmt: skip
"""What begins an order, or acts at the cursor of the main ladder. Disarming and cancelling all of
a side or a market works from everywhere."""


class MarketSides(MarketSiblings):
    """The part of the trading screen that shows other books beside its own, to look at and go to."""

    side_ladders = query_one("#sides", Container)
    _has_sides = False

    def action_toggle_sides(self) -> None:
        """Show the ladders of the next outcomes beside this one, or no more."""
        if self.size.width < SIDES_FROM_WIDTH:
            self.say(f"{_TOO_NARROW} of {SIDES_FROM_WIDTH} columns.")
            return
        if self.hoppable is None:
            self.say("This event has no other open market.")
            return
        self._has_sides = not self._has_sides
        self.set_class(self._has_sides, "-sides")
        if self._has_sides and not self._sides:
            # Only now: most screens never have any.
            ladders = [SideLadder(ascii_only=self._ascii_only) for _ in range(_MOST)]
            _ = self.side_ladders.mount(*ladders)
        self.take_back(_TOO_NARROW, _NO_SIDES)
        self.follow_topics()
        _ = self.call_after_refresh(self._show_after_layout)

    @override
    def hop_to(self, condition_id: ConditionId) -> None:
        super().hop_to(condition_id)
        self._show_sides()

    def action_go_to_sides(self) -> None:
        """Let keys go to the next ladder beside the main one."""
        shown = [side.ladder for side in self._sides if side.display]
        if not self._is_side_by_side or not shown:
            key = key_of(self.surface.options.keymap, "market.toggle_sides")
            self.say(f"{_NO_SIDES}: {key} shows them on a wide screen.")
            return
        place = shown.index(self.focused) + 1 if self.focused in shown else 0
        shown[place % len(shown)].focus()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _TRADING and isinstance(self.focused, SideRows):
            # Its cursor is not the one that would be traded at.
            keymap = self.surface.options.keymap
            there, here = key_of(keymap, "global.open"), key_of(keymap, "market.go_to_ladder")
            self.say(f"Keys trade on the main ladder: {there} makes this one it, {here} goes back.")
            return False
        return super().check_action(action, parameters)

    @on(SideLadder.Picked)
    def _hop_to_side(self, message: SideLadder.Picked) -> None:
        self.hop_to(message.condition_id)
        if message.price is not None:
            self.ladder.point_at(message.price)
        self.ladder.focus()

    def _side_entries(self) -> tuple[FooterEntry, ...]:
        """Return the keys of a ladder beside the main one; none where it has not got the focus."""
        if not isinstance(self.focused, SideRows):
            return ()
        keymap = self.surface.options.keymap
        labels = {"global.open": "Go there", "market.go_to_ladder": "Main ladder"}
        return tuple(
            FooterEntry(action_id, key_of(keymap, action_id), label, is_dangerous=False)
            for action_id, label in labels.items()
            if keymap.keys_of(action_id)
        )

    @property
    def _sides(self) -> tuple[SideLadder, ...]:
        return tuple(self.side_ladders.query_children(SideLadder))

    @property
    def _is_side_by_side(self) -> bool:
        return self._has_sides and self.size.width >= SIDES_FROM_WIDTH

    @property
    def _most_sides(self) -> int:
        return _MOST if self.size.width >= _THREE_FROM_WIDTH else _MOST - 1

    def _side_topics(self) -> Iterable[Topic]:
        siblings = self.hoppable
        if siblings is None or not self._is_side_by_side:
            return
        for market in siblings.after(self._most_sides):
            if self._outcome_index < len(market.outcomes):
                token_id = market.outcomes[self._outcome_index].token_id
                if token_id is not None:
                    yield BookTopic(token_id)

    def _show_sides(self) -> None:
        """Give each ladder its market, and show what is known of it."""
        if not self._is_side_by_side:
            return
        siblings = self.hoppable
        markets = siblings.after(self._most_sides) if siblings is not None else ()
        for number, side in enumerate(self._sides):
            market = markets[number] if number < len(markets) else None
            side.set_market(market, self._outcome_index)
            self._show_side(side)

    def _show_after_layout(self) -> None:
        self._show_state()
        self._show_sides()

    def _show_side(self, side: SideLadder) -> None:
        queries, token_id = self.surface.queries, side.token_id
        if token_id is not None:
            orders = queries.account().orders_at(token_id)
            side.show(queries.book(token_id), orders, queries.now())

    def _show_side_topic(self, topic: Topic) -> None:
        """Show what changed of the books beside the main one."""
        if not self._is_side_by_side:
            return
        match topic:
            case BookTopic(token_id):
                for side in self._sides:
                    if side.token_id == token_id:
                        self._show_side(side)
            case MarketTopic() | EventTopic() | AccountTopic():
                self._show_sides()
            case StatusTopic():
                for side in self._sides:
                    side.show_state(self.surface.queries.now())
            case _:
                pass
