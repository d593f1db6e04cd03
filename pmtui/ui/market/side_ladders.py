"""Ladders of the next outcomes of the event, beside the main one on a wide screen."""

from collections.abc import Iterable

from textual import on
from textual.containers import Container
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventTopic,
    MarketTopic,
    StatusTopic,
    Topic,
)
from pmtui.ui.facts import key_of
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.ladder.side_ladder import SideLadder, SideRows
from pmtui.ui.market.market_siblings import MarketSiblings

SIDES_FROM_WIDTH = 170
_THREE_FROM_WIDTH = 200
_MOST = 3
_TOO_NARROW = "Side ladders need a screen"
_NO_SIDES = "No side ladders are open"
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
    _last_side: SideLadder | None = None
    """Where the keys were when nothing had them: a terminal that is returned to gives them back."""

    def action_toggle_sides(self) -> None:
        """Show the ladders of the next outcomes beside this one, or no more."""
        if self.size.width < SIDES_FROM_WIDTH:
            self.message_line.say(f"{_TOO_NARROW} of {SIDES_FROM_WIDTH} columns.")
            return
        if self.hoppable is None:
            self.message_line.say("This event has no other open market.")
            return
        self._has_sides, self._last_side = not self._has_sides, None
        self.set_class(self._has_sides, "-sides")
        if self._has_sides and not self._sides:
            # Only now: most screens never have any.
            ladders = [SideLadder(ascii_only=self._ascii_only) for _ in range(_MOST)]
            _ = self.side_ladders.mount(*ladders)
        self.message_line.take_back(_TOO_NARROW, _NO_SIDES)
        self.follow_topics()
        _ = self.call_after_refresh(self._show_after_layout)

    @override
    def hop_to(self, condition_id: ConditionId) -> None:
        aimed = self._aimed_at
        if aimed is not None:
            self.set_focus(self.ladder)
        super().hop_to(condition_id)
        self._show_sides()
        # The keys stay with the outcome that had them, where it is beside the next one too.
        for side in self._sides:
            if aimed is not None and side.is_of(aimed.condition_id):
                self.set_focus(side.ladder)

    def action_go_to_sides(self) -> None:
        """Let keys go to the next ladder beside the main one."""
        shown = [side.ladder for side in self._sides if side.display]
        if not self._is_side_by_side or not shown:
            key = key_of(self.surface.options.keymap, "market.toggle_sides")
            self.message_line.say(f"{_NO_SIDES}: {key} shows them on a wide screen.")
            return
        place = shown.index(self.focused) + 1 if self.focused in shown else 0
        self.set_focus(shown[place % len(shown)])

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _TRADING and isinstance(self.focused, SideRows):
            # Its cursor is not the one that would be traded at.
            keymap = self.surface.options.keymap
            there, here = key_of(keymap, "global.open"), key_of(keymap, "market.go_to_ladder")
            self.message_line.say(
                f"Keys trade on the main ladder: {there} makes this one main, {here} goes back."
            )
            return False
        return super().check_action(action, parameters)

    @on(SideLadder.Picked)
    def _hop_to_side(self, message: SideLadder.Picked) -> None:
        self.hop_to(message.condition_id)
        if message.price is not None:
            self.ladder.point_at(message.price)
        self.set_focus(self.ladder)

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

    @property
    def _side_with_keys(self) -> SideLadder | None:
        if self.focused is None:
            return self._last_side
        return next((s for s in self._sides if s.ladder is self.focused), None)

    @property
    def _aimed_at(self) -> Market | None:
        """The market of the ladder beside the main one that has the keys."""
        side = self._side_with_keys
        market = None if side is None else side.market
        return None if market is None or market.condition_id == self.condition_id else market

    def _beside(self) -> tuple[Market, ...]:
        """Return the markets beside the main one, in their order.

        The one that has the keys stays where it is until they leave it, also when it resolves or
        others come: no key may ever go to another one than was aimed at.
        """
        siblings, aimed = self.hoppable, self._aimed_at
        markets = siblings.after(self._most_sides) if siblings is not None else ()
        if aimed is None or any(m.condition_id == aimed.condition_id for m in markets):
            return markets
        place = [side.market for side in self._sides].index(aimed)
        others = markets[: self._most_sides - 1]
        return (*others[:place], aimed, *others[place:])

    def _follow_keys(self) -> None:
        """Let go of a ladder that stayed only as long as it had the keys."""
        if self.focused is not None:
            self._last_side = self._side_with_keys
        if self._is_side_by_side:
            shown = [side.market for side in self._sides if side.market is not None]
            if [m.condition_id for m in shown] != [m.condition_id for m in self._beside()]:
                self.follow_topics()
                self._show_sides()

    def _side_topics(self) -> Iterable[Topic]:
        if not self._is_side_by_side:
            return
        for market in self._beside():
            if self._outcome_index < len(market.outcomes):
                token_id = market.outcomes[self._outcome_index].token_id
                if token_id is not None:
                    yield BookTopic(token_id)

    def _show_sides(self) -> None:
        """Give each ladder its market, and show what is known of it."""
        if not self._is_side_by_side:
            return
        markets = self._beside()
        for number, side in enumerate(self._sides_for(markets)):
            market = markets[number] if number < len(markets) else None
            side.set_market(market, self._outcome_index)
            self._show_side(side)

    def _sides_for(self, markets: tuple[Market, ...]) -> tuple[SideLadder, ...]:
        """Bring the ladders into the order of their markets: each keeps its own, and so the keys."""
        kept = [next((s for s in self._sides if s.is_of(m.condition_id)), None) for m in markets]
        free = [side for side in self._sides if side not in kept]
        ordered = [side or free.pop(0) for side in kept if side is not None or free]
        for place, side in enumerate(ordered):
            if self._sides[place] is not side:
                self.side_ladders.move_child(side, before=place)
        return self._sides

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
