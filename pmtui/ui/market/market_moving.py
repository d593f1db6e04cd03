"""Moving own orders, stops and targets on the ladder: pick up, choose a price, confirm.

Where an order and a stop share a row, the first key picks up the order and the next one the stop.
What is picked up is known by its ids, and where it goes is a price: nothing that moves on the
screen meanwhile changes either.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, replace

from typing_extensions import override

from pmtui.domain.books.ladder import StopMark, orders_at, stops_at
from pmtui.domain.ids import CommandId, OrderId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.moving import why_not_movable
from pmtui.domain.orders.order import MoveEnd, MoveVerdict, Order, OrderIntent, Rejected
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.account.paint_action_cards import Move, say_resting
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.facts import count, key_of
from pmtui.ui.format import format_price
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.action_doubts import say_doubts
from pmtui.ui.keys.actions import FooterEntry, Keymap, footer_entries
from pmtui.ui.market.market_facts import why_not_tradable
from pmtui.ui.market.market_ladder import MarketLadder
from pmtui.ui.market.moves import LEFT_OUT, prepare_moves, say_crossing
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import format_verdict
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.paint_conditional import LIVES_HERE, say_stops

NOTHING_HERE = "No order of yours"
"""True of the price under the cursor, until something else is done."""


@dataclass(frozen=True, slots=True)
class Picked:
    """Orders on their way to another price."""

    order_ids: tuple[OrderId, ...]
    token_id: TokenId
    price: Micros
    """Where they were picked up."""
    stops: tuple[StopMark, ...] = ()
    """Instead of orders: stops or targets."""


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A price of the ladder with own orders at it."""

    price: Micros
    words: str
    """Where they are: a row of grouped prices may hold several."""
    orders: tuple[Order, ...]
    """As the ladder shows them, those of the other outcome in terms of this one."""


class MarketMoving(MarketLadder):
    """The part of the trading screen that moves orders."""

    _picked: Picked | None = None
    _left_out: OrderIntent | None = None
    """What was to replace a cancelled order and did not; `e` offers it again."""
    _nothing_at: Micros | None = None
    """The price of which it was said last that nothing of ours is there."""

    @override
    def forget_market(self) -> None:
        super().forget_market()
        self._picked = None

    @property
    def is_moving(self) -> bool:
        """Whether orders are picked up."""
        return self._picked is not None

    async def action_move_order(self) -> None:
        """Pick up own orders at the cursor, or offer again what a move left out."""
        if (
            self._picked is not None
            and self._picked.order_ids
            and self._stops_at(self._picked.price)
        ):
            self._pick_stops(self._picked.token_id, self._picked.price)
        elif self._picked is not None:
            self.message_line.say(
                "Arrows choose a price; enter moves it there, esc leaves it as is."
            )
        elif self._left_out is not None and self._left_out.condition_id == self.condition_id:
            await self._offer_again(self._left_out)
        else:
            self._pick_up()

    def action_drop_order(self) -> None:
        """Leave the orders that were picked up where they are; else close the ticket, else go back."""
        picked = self._picked
        if picked is not None:
            self._let_go()
            # Where it still is: the next key is for the same order.
            self.ladder.point_at(picked.price)
            self.message_line.say("Nothing was moved.")
        elif self.ticket.is_open:
            self.ticket.close()
        else:
            self.ladder.focus()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the way back to its own key where the ladder has the keys and nothing is open."""
        if action == "drop_order":
            return self.is_moving or (
                is_live(self) and (self.ticket.is_open or not self._has_ladder_keys)
            )
        return super().check_action(action, parameters)

    @property
    def _has_ladder_keys(self) -> bool:
        return self.focused in (self.ladder, None)

    def _pick_up(self) -> None:
        token_id, cursor = self.token_id, self.ladder.cursor
        if cursor is not None and token_id is not None and self._has_only_stops(cursor[0]):
            self._pick_stops(token_id, cursor[0])
            return
        place = self._own_at_cursor()
        if place is None or token_id is None:
            return
        found = tuple(order for order in place.orders if order.token_id == token_id)
        if found:
            self._pick(found, token_id, place.price)
        else:
            self.message_line.say(
                f"Your order at {place.words} is in the other outcome: flip to move it."
            )

    def _stops_at(self, price: Micros) -> tuple[StopMark, ...]:
        """Return the stops and targets of the outcome on show at a price."""
        return stops_at(self.ladder.ladder, price) if self.ladder.ladder is not None else ()

    def _has_only_stops(self, price: Micros) -> bool:
        ladder = self.ladder.ladder
        return bool(
            ladder is not None
            and self._stops_at(price)
            and not orders_at(ladder, price, self._ladder_orders())
        )

    def _pick_stops(self, token_id: TokenId, price: Micros) -> None:
        self._picked = Picked((), token_id, price, self._stops_at(price))
        self.ladder.focus()
        self.show_footer()
        self._show_state()

    def _own_at_cursor(self) -> OwnPlace | None:
        """Return what is ours at the cursor's price, to act on; say so where nothing is."""
        if self._is_read_only():
            return None
        ladder, cursor = self.ladder.ladder, self.ladder.cursor
        if ladder is None or cursor is None:
            self.message_line.say("Put the cursor on one of your orders first.")
            return None
        words = format_price(cursor[0], tick=ladder.axis.tick, ascii_only=self._ascii_only)
        orders = orders_at(ladder, cursor[0], self._ladder_orders())
        if not orders:
            self._nothing_at = cursor[0]
            self.message_line.say(f"{NOTHING_HERE} at {words}.")
            return None
        prices = sorted({order.price for order in orders})
        ends = dict.fromkeys((prices[0], prices[-1]))
        tick, is_ascii = ladder.axis.tick, self._ascii_only
        words = " to ".join(format_price(p, tick=tick, ascii_only=is_ascii) for p in ends)
        return OwnPlace(cursor[0], words, orders)

    def _leave_nothing_behind(self) -> None:
        """Take back what was said of a price that the cursor has left."""
        cursor = self.ladder.cursor
        if cursor is None or cursor[0] != self._nothing_at:
            self.message_line.take_back(NOTHING_HERE)

    def _pick(self, found: tuple[Order, ...], token_id: TokenId, price: Micros) -> None:
        terms = self._market_view.terms
        reason = why_not_tradable(self._market_view, self.surface.queries.status())
        if not reason and terms is None:
            reason = "The trading terms are loading."
        if reason or terms is None:
            self.message_line.say(reason)
            return
        problems = [why_not_movable(order, terms, self.surface.queries.now()) for order in found]
        if any(problems):
            self.message_line.say(f"Cannot be moved: {next(filter(None, problems))}.")
            return
        self._picked = Picked(tuple(o.order_id for o in found), token_id, price)
        self.ladder.focus()
        self.show_footer()
        self._show_state()

    def _let_go(self) -> None:
        self._picked = None
        self.show_footer()
        self._show_state()

    def _follow_picked(self) -> None:
        """Drop what is no longer there to be moved."""
        if self._picked is None:
            return
        if self._picked.token_id != self.token_id:
            self._let_go()
            self.message_line.say("Outcome changed: nothing was moved.")
        elif len(self._picked_orders()) < len(self._picked.order_ids):
            self._let_go()
            self.message_line.say("The order you were moving has ended.")
        elif {mark.conditional_id for mark in self._picked.stops} - {
            each.conditional_id for each in self.surface.queries.account().conditionals
        }:
            self._let_go()
            self.message_line.say("The stop you were moving has ended.")

    def _picked_orders(self) -> tuple[Order, ...]:
        ids = self._picked.order_ids if self._picked is not None else ()
        orders = {o.order_id: o for o in self.surface.queries.account().open_orders}
        return tuple(orders[order_id] for order_id in ids if order_id in orders)

    def _moving_line(self) -> Line:
        """Say what is on its way where; nothing while nothing is picked up."""
        orders, stops = self._picked_orders(), self._picked.stops if self._picked else ()
        if stops:
            what = say_stops(stops, ascii_only=self._ascii_only)
        elif orders:
            what = say_resting(orders[0], ascii_only=self._ascii_only)
            if len(orders) > 1:
                what = count(len(orders), "order")
        else:
            return ()
        cursor = self.ladder.cursor
        to = "?" if cursor is None else format_price(cursor[0], ascii_only=self._ascii_only)
        return (
            Cell(" MOVE ", Role.NOTICE_WARN, Emphasis.BOLD),
            Cell(f"{what} to {to} ", Role.NOTICE_WARN),
        )

    async def _move_to(self, price: Micros) -> None:
        """Ask whether what is picked up shall go to a price."""
        terms, account = self._market_view.terms, self.surface.queries.account()
        if terms is None:
            return
        if self._picked is not None and self._picked.stops:
            self._move_stops_to(self._picked.stops, price)
            return
        moves = await prepare_moves(
            self.surface, self._picked_orders(), price, terms=terms, available=account.available
        )
        if isinstance(moves, str):
            self.message_line.say(f"Not moved: {plain(moves, 90)}.")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self._let_go()
                self._send_moves(moves)

        doubt = say_crossing(moves, self._book_view)
        _ = self.app.push_screen(MoveCard(moves, surface=self.surface, doubt=doubt), decide)

    def _move_stops_to(self, stops: tuple[StopMark, ...], price: Micros) -> None:
        """Ask whether stops or targets shall fire at another price."""
        words = say_stops(stops, ascii_only=self._ascii_only)
        to = format_price(price, ascii_only=self._ascii_only)

        async def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if not is_agreed:
                return
            move = self.surface.commands.move_conditional
            problems = [await move(mark.conditional_id, mark.trigger, price) for mark in stops]
            self._let_go()
            problem = next(filter(None, problems), "")
            self.message_line.say(
                f"Not moved: {plain(problem, 90)}." if problem else f"Moved {words} to {to}."
            )

        lines = ((Cell(f"{words} to {to}"),), (Cell(LIVES_HERE, Role.NOTICE_WARN),))
        question = QuestionScreen("Move it?", lines, agree="Move", options=self.surface.options)
        _ = self.app.push_screen(question, decide)

    def _send_moves(self, moves: tuple[Move, ...]) -> None:
        self.message_line.say(f"Moving {count(len(moves), 'order')}.")
        for old, order in moves:
            command_id = self.surface.commands.move(old.order_id, order.order_id)
            waiting = self.surface.commands.move_verdict(command_id)
            _ = self.run_worker(self._await_move(waiting))

    # Only the words are lost when this screen goes: the service owns the move.
    async def _await_move(self, waiting: Awaitable[MoveVerdict]) -> None:
        verdict = await waiting
        if not is_live(self):
            return
        text = plain(verdict.text, 90)
        if verdict.end is MoveEnd.NOT_REPLACED and verdict.left_out is not None:
            self._left_out = verdict.left_out
            key = key_of(self.surface.options.keymap, "market.move_order")
            text = f"{plain(verdict.text, 60)} - {key} to retry"
        self.message_line.say(text)

    async def _offer_again(self, intent: OrderIntent) -> None:
        self._left_out = None
        order = await self.surface.commands.prepare(intent)
        if isinstance(order, Rejected):
            self.message_line.say(f"Not placed: {plain(order.reason, 80)}.")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                command_id = self.surface.commands.place(order.order_id)
                _ = self.run_worker(self._await_placed(command_id, order))

        doubt = say_doubts(self.surface, [order], LEFT_OUT)
        screen = ConfirmScreen(order, surface=self.surface, doubt=doubt)
        _ = self.app.push_screen(screen, decide)

    async def _await_placed(self, command_id: CommandId, order: PreparedOrder) -> None:
        verdict = await self.surface.commands.verdict(command_id)
        self._delayed.follow(order, verdict, lambda end: format_verdict(end, order))
        if is_live(self):
            self.message_line.say(format_verdict(verdict, order))
            self._tell_of_delayed()

    def _tell_of_delayed(self) -> None:
        """Say what became of an order that the venue held back, or that was said to rest."""
        account = self.surface.queries.account()
        if words := self._resting.overtaken(account):
            self.message_line.take_back(words)
        if news := self._delayed.news(account, self.surface.queries.fills().fills):
            self.message_line.say(news)


def moving_entries(keymap: Keymap) -> tuple[FooterEntry, ...]:
    """Return the keys that matter while orders are picked up."""
    here = tuple(
        replace(entry, label="Move here", is_dangerous=True)
        for entry in footer_entries(Context.LADDER, keymap=keymap)
        if entry.id == "ladder.trade_here"
    )
    key = key_of(keymap, "market.drop_order")
    drop = FooterEntry("market.drop_order", key, "Leave as is", is_dangerous=False)
    rest = footer_entries(Context.GLOBAL, keymap=keymap)
    taken = ("global.open", "global.back")
    return (*here, drop, *(entry for entry in rest if entry.id not in taken))
