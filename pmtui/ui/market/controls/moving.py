"""Moving own orders, stops and targets on the ladder, by picking them up or tick by tick.

If an order and a stop share a row, the first key picks up the order and the next one the stop. The
selection is kept by ids, and the target is a price: no change on the screen affects either.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from textual.events import Key

from pmtui.domain.books.ladder import Ghost, StopMark
from pmtui.domain.formats import count, parse_size
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.moving import nudged_price, why_not_movable
from pmtui.domain.orders.order import MoveEnd, MoveVerdict, Order, OrderIntent, Rejected
from pmtui.service.views import AccountView
from pmtui.ui.account.action_cards import Move, MoveCard, describe_crossing, describe_resting
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_price
from pmtui.ui.frame import if_agreed
from pmtui.ui.market.controls.own_orders import OwnOrderKeys
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.moves import (
    LEFT_OUT,
    describe_move,
    needs_move_card,
    object_to_moves,
    prepare_moves,
)
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.plain import plain
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.protect import describe_stops, where_stops_live

_LONGEST_SIZE = 12
_NUMBER = frozenset("0123456789.")


@dataclass(frozen=True, slots=True)
class Picked:
    """Orders picked up to be moved."""

    order_ids: tuple[OrderId, ...]
    token_id: TokenId
    price: Micros
    """The price at which they were picked up."""
    stops: tuple[StopMark, ...] = ()
    """The stops or targets picked up instead of orders."""
    size_text: str = ""
    """The typed size; empty for the current one."""


class Moving:
    """Moves own orders from one price of the ladder to another."""

    def __init__(self, workspace: Workspace, own: OwnOrderKeys, news: OrderNews) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._ladder = workspace.ladder
        self._own = own
        self._news = news
        self._picked: Picked | None = None
        self._left_out: OrderIntent | None = None
        """A replacement that was not placed after its order was cancelled; the same key offers
        it again."""

    @property
    def is_moving(self) -> bool:
        """Whether orders are picked up."""
        return self._picked is not None

    def forget(self) -> None:
        """Drop the selection because the market changes."""
        if self._picked is not None:
            self._picked = None
            self._ladder.show_ghosts(())

    async def move(self) -> None:
        """Pick up own orders, or offer again a replacement that was not placed."""
        picked, model = self._picked, self._workspace.reader.read()
        if picked is None and self._own.is_list_focused:
            self._pick_chosen(model)
        elif picked is not None and picked.order_ids and self._own.stops_at(picked.price):
            self._pick_stops(picked.token_id, picked.price)
        elif picked is not None:
            self._line.show(
                "Arrows choose a price, digits a size; enter moves it there, esc leaves it as is."
            )
        elif self._left_out is not None and self._left_out.condition_id == model.condition_id:
            await self._offer_again(self._left_out)
        else:
            self._pick_up(model)

    def drop(self) -> None:
        """Drop the selection without moving anything."""
        picked = self._picked
        if picked is not None:
            self._release()
            # Point at its old price, so that the next key acts on the same order.
            self._ladder.point_at(picked.price)
            self._line.show("Nothing was moved.")

    def take_key(self, event: Key) -> None:
        """Take the keys that type a size, before the screen's own keys."""
        letter = event.character or ""
        key = letter if letter and letter in _NUMBER else event.key
        if (key in _NUMBER or key == "backspace") and self.type_size(key):
            event.stop()

    def type_size(self, key: str) -> bool:
        """Type a key into the size; return whether orders are picked up.

        Args:
            key: a digit, a point, or `backspace`.
        """
        picked = self._picked
        if picked is None:
            return False
        if picked.stops or len(picked.order_ids) != 1:
            what = "a stop" if picked.stops else "several orders at once"
            self._line.show(f"The size of {what} stays; choose one order in the list to change it.")
            return True
        text = picked.size_text[:-1] if key == "backspace" else f"{picked.size_text}{key}"
        self._picked = replace(picked, size_text=text[:_LONGEST_SIZE])
        self.show_ghost()
        self._page.show_parts(Part.STATE)
        return True

    def follow(self, model: MarketModel) -> None:
        """Drop the selection if its orders or stops have ended."""
        if self._picked is None:
            return
        if self._picked.token_id != model.token_id:
            self._release()
            self._line.show("Outcome changed: nothing was moved.")
        elif len(self._picked_orders(model.account)) < len(self._picked.order_ids):
            self._release()
            self._line.refuse_form("The order you were moving has ended.")
        elif {mark.conditional_id for mark in self._picked.stops} - {
            each.conditional_id for each in model.account.conditionals
        }:
            self._release()
            self._line.show("The stop you were moving has ended.")

    def show_ghost(self) -> None:
        """Show on the ladder where the selection would go; nothing without one."""
        picked, model = self._picked, self._workspace.reader.read()
        cursor = model.cursor
        if picked is None or cursor is None or cursor[0] == picked.price:
            self._ladder.show_ghosts(())
            return
        size = parse_size(picked.size_text) if picked.size_text else None
        orders = {order.order_id: order for order in model.ladder_orders}
        held = [orders[each] for each in picked.order_ids if each in orders]
        self._ladder.show_ghosts(
            (
                *(Ghost(o.price, o.side, o.remaining_size, is_leaving=True) for o in held),
                *(
                    Ghost(stop.price, stop.side, stop.size, stop.trigger, is_leaving=True)
                    for stop in picked.stops
                ),
                *(
                    Ghost(cursor[0], order.side, size or order.remaining_size)
                    for order in held
                ),
                *(Ghost(cursor[0], stop.side, stop.size, stop.trigger) for stop in picked.stops),
            )
        )  # fmt: skip

    def state_line(self, model: MarketModel) -> Line:
        """Paint the orders being moved and their new prices; empty if there are none."""
        if self._picked is None:
            return ()
        orders = self._picked_orders(model.account)
        stops = self._picked.stops
        if stops:
            what = describe_stops(stops)
        elif orders:
            what = describe_resting(orders[0])
            if len(orders) > 1:
                what = count(len(orders), "order")
        else:
            return ()
        to = "?" if model.cursor is None else format_price(model.cursor[0])
        text = self._picked.size_text
        size = (Cell(f"size {text}▏", Role.NOTICE_WARN, Emphasis.BOLD),) if text else ()
        return (
            Cell(" MOVE ", Role.NOTICE_WARN, Emphasis.BOLD),
            Cell(f"{what} to {to} ", Role.NOTICE_WARN),
            *size,
        )

    async def move_to(self, price: Micros) -> None:
        """Ask whether to move the selection to a price."""
        model = self._workspace.reader.read()
        terms, surface = model.terms, self._workspace.surface
        if terms is None:
            return
        if self._picked is not None and self._picked.stops:
            self._move_stops_to(self._picked.stops, price)
            return
        orders = self._picked_orders(model.account)
        text = self._picked.size_text if self._picked is not None else ""
        size = parse_size(text) if text else None
        if text and size is None:
            self._line.show(f"Not moved: {text} is no size.")
            return
        moves = await prepare_moves(
            surface, orders, price, terms=terms, available=model.account.available, size=size,
            shown=model.token_id,
        )  # fmt: skip
        if isinstance(moves, str):
            self._line.show(f"Not moved: {plain(moves, 90)}.")
            return

        def move() -> None:
            self._release()
            self.send(moves)

        self.propose(moves, move)

    def propose(
        self, moves: tuple[Move, ...], move: Callable[[], None],
        nudge: Callable[[int], None] | None = None, refuse: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        """Move at once, or ask first if a card is needed.

        Args:
            moves: as prepared.
            move: sends them.
            nudge: moves on from the card.
            refuse: says in place of a card why nothing is moved; None to ask.
        """
        model, surface = self._workspace.reader.read(), self._workspace.surface
        stood = self._workspace.distrust_line(model)
        doubt = f"The prices may have been older: {stood}." if stood else ""
        crossing = describe_crossing(moves, model.book)
        objection = object_to_moves(surface, model, moves, doubt=doubt or crossing)
        if objection and refuse is not None:
            crossed = "it would cross the spread" if crossing else objection
            refuse(f"{stood}: disarmed" if stood else crossed)
        elif objection or needs_move_card(surface, model, moves):
            card = MoveCard(moves, surface=surface, doubt=doubt, nudge=nudge)
            self._page.ask(card, if_agreed(move))
        else:
            self._workspace.commands.touch_arming()
            move()

    def _pick_up(self, model: MarketModel) -> None:
        token_id, cursor = model.token_id, model.cursor
        if (
            cursor is not None
            and token_id is not None
            and self._own.has_only_stops(model, cursor[0])
        ):
            self._pick_stops(token_id, cursor[0])
            return
        place = self._own.at_cursor(model, is_form=True)
        if place is None or token_id is None:
            return
        self._pick(model, place.orders, token_id, price=place.price)

    def _pick_chosen(self, model: MarketModel) -> None:
        order, token_id = self._own.chosen(model), model.token_id
        if order is not None and token_id is not None and self._own.point_at(order):
            self._pick(model, (order,), token_id, price=order.price)

    def _pick(
        self, model: MarketModel, found: tuple[Order, ...], token_id: TokenId, *, price: Micros
    ) -> None:
        terms = model.terms
        if (reason := model.why_no_form) or terms is None:
            self._line.show(reason)
            return
        problems = [why_not_movable(order, terms, model.now) for order in found]
        if any(problems):
            self._line.show(f"Cannot be moved: {next(filter(None, problems))}.")
            return
        self._hold(Picked(tuple(order.order_id for order in found), token_id, price))

    def _pick_stops(self, token_id: TokenId, price: Micros) -> None:
        self._hold(Picked((), token_id, price, self._own.stops_at(price)))

    def _hold(self, picked: Picked) -> None:
        self._picked = picked
        _ = self._ladder.focus()
        self._page.show_parts(Part.FOOTER, Part.STATE)

    def _release(self) -> None:
        self._picked = None
        self.show_ghost()
        self._page.show_parts(Part.FOOTER, Part.STATE)

    def _picked_orders(self, account: AccountView) -> tuple[Order, ...]:
        ids = self._picked.order_ids if self._picked is not None else ()
        orders = {order.order_id: order for order in account.open_orders}
        return tuple(orders[order_id] for order_id in ids if order_id in orders)

    def _move_stops_to(self, stops: tuple[StopMark, ...], price: Micros) -> None:
        """Ask whether to move stops or targets to another trigger price."""
        words = describe_stops(stops)
        to = format_price(price)

        async def agreed() -> None:
            move = self._workspace.commands.move_conditional
            problems = [
                await move(mark.conditional_id, mark.trigger, mark.own_price(price))
                for mark in stops
            ]
            self._release()
            problem = next(filter(None, problems), "")
            said = f"Not moved: {plain(problem, 90)}." if problem else f"Moved {words} to {to}."
            self._line.show(said)

        surface = self._workspace.surface
        where = where_stops_live(surface.options)
        lines = ((Cell(f"{words} to {to}"),), (Cell(where, Role.NOTICE_WARN),))
        question = QuestionScreen("Move it?", lines, agree="Move", surface=surface)
        self._page.ask(question, if_agreed(agreed))

    def send(self, moves: tuple[Move, ...]) -> None:
        """Send the moves that were agreed to, and report how each ends."""
        self._line.show(f"Moving {count(len(moves), 'order')}.")
        commands = self._workspace.commands
        for old, order in moves:
            command_id = commands.move(old.order_id, order.order_id)
            _ = self._page.run_worker(self._report(commands.move_verdict(command_id)))

    # A closed screen loses only the message: the service owns the move.
    async def _report(self, waiting: Awaitable[MoveVerdict]) -> None:
        verdict = await waiting
        again = ""
        if verdict.end is MoveEnd.NOT_REPLACED and verdict.left_out is not None:
            self._left_out = verdict.left_out
            again = self._workspace.key("move_order")
        self._line.show(describe_move(verdict, again))

    async def _offer_again(self, intent: OrderIntent) -> None:
        self._left_out = None
        surface = self._workspace.surface
        order = await surface.commands.prepare(intent)
        if isinstance(order, Rejected):
            self._line.show(f"Not placed: {plain(order.reason, 80)}.")
            return

        def place() -> None:
            command_id = surface.commands.place(order.order_id)
            _ = self._page.run_worker(self._news.report_placed(command_id, order))

        self._page.ask(ConfirmScreen(order, surface=surface, doubt=LEFT_OUT), if_agreed(place))


_PENDING = "Move "
"""The prefix of the message about a nudge that has not been sent."""
PAUSE_S = 0.3
"""Keys that follow each other faster than this are one move."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Orders being nudged, with their old and their new price."""

    order_ids: tuple[OrderId, ...]
    token_id: TokenId
    origin: Micros
    price: Micros


class Nudging:
    """Moves the orders at the cursor tick by tick."""

    def __init__(self, workspace: Workspace, own: OwnOrderKeys, moving: Moving) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._own = own
        self._moving = moving
        self._nudge: Nudge | None = None
        self._pressed = 0

    def forget(self) -> None:
        """Drop a pending nudge because the market changes; nothing is sent."""
        self._nudge = None

    def nudge(self, ticks: int) -> None:
        """Move the orders at the cursor by some ticks."""
        model = self._workspace.reader.read()
        if self._page.are_keys_locked or self._moving.is_moving:
            self._line.show("Finish the ticket or the move first.")
            return
        pending = self._nudge or self._begin(model)
        if pending is None or model.terms is None:
            return
        price = nudged_price(pending.price, ticks, model.terms.tick_size)
        self._nudge = Nudge(pending.order_ids, pending.token_id, pending.origin, price)
        self._workspace.ladder.point_at(price)
        origin, to = (format_price(each) for each in (pending.origin, price))
        self._line.show(f"{_PENDING}{count(len(pending.order_ids), 'order')} {origin} → {to}")
        self._pressed += 1
        pressed = self._pressed

        def settle() -> None:
            # Only the last key of a burst is followed by a pause.
            if pressed == self._pressed and self._nudge is not None:
                _ = self._page.run_worker(self.send())

        _ = self._page.set_timer(PAUSE_S, settle)

    async def send(self) -> None:
        """Send one replacement for each order, or ask first if a card is needed."""
        nudge, self._nudge = self._nudge, None
        model = self._workspace.reader.read()
        if nudge is None or model.terms is None or nudge.token_id != model.token_id:
            return
        orders = tuple(o for o in model.account.open_orders if o.order_id in nudge.order_ids)
        if nudge.price == nudge.origin:
            self._line.show("Back where it was: nothing was moved.")
            return
        moves = await prepare_moves(
            self._workspace.surface, orders, nudge.price,
            terms=model.terms, available=model.account.available, shown=model.token_id,
        )  # fmt: skip
        if isinstance(moves, str):
            self._line.show(f"Not moved: {plain(moves, 90)}.")
            return

        def again(ticks: int) -> None:
            self._nudge = nudge
            self.nudge(ticks)

        def refuse(reason: str) -> None:
            self._workspace.ladder.point_at(nudge.origin)
            move = self._workspace.key("move_order")
            text = f"Not moved: {plain(reason, 90).rstrip('.')}; {move} moves with a card."
            self._line.refuse(text)
            self._workspace.commands.log_refusal(text)

        # A card shows the move; nothing has been moved yet.
        self._line.take_back(_PENDING)
        # Armed, keys trade or are refused: a card would take those that follow.
        refusal = refuse if model.is_armed else None
        self._moving.propose(moves, partial(self._moving.send, moves), again, refusal)

    def _begin(self, model: MarketModel) -> Nudge | None:
        orders = self._orders(model)
        if not orders or model.token_id is None:
            return None
        if (reason := model.why_no_form) or model.terms is None:
            self._line.show(reason)
            return None
        price = orders[0].price
        same = tuple(order for order in orders if order.price == price)
        for order in same:
            if problem := why_not_movable(order, model.terms, model.now):
                self._line.show(f"{describe_resting(order)}: {problem}.")
                return None
        return Nudge(tuple(order.order_id for order in same), model.token_id, price, price)

    def _orders(self, model: MarketModel) -> tuple[Order, ...]:
        if self._own.is_list_focused:
            order = self._own.chosen(model)
            return () if order is None or not self._own.point_at(order) else (order,)
        place = self._own.at_cursor(model)
        return () if place is None else place.orders
