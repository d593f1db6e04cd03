"""Single keys that trade on the trading screen, while they are armed.

A key reads one book, the very one on show, and sends a price of it or the cursor's; what the book
does between two frames turns no key into another order. The service arms and disarms, and owns
every order. Arming holds on every market until it ends; a screen begins with the first size.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from textual import on
from textual.geometry import Size
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import exact_shares
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import FlattenPlan
from pmtui.domain.orders.order import LimitIntent, Rejected
from pmtui.domain.orders.single_keys import (
    OneKey,
    OneKeyProblem,
    describe_doubtful_book,
    describe_override,
    key_warnings,
    plan_one_key,
    why_locked,
)
from pmtui.domain.ticket.draft import TicketContext
from pmtui.service.surface import PreparedOrder
from pmtui.ui.cells import Line
from pmtui.ui.facts import count, key_of
from pmtui.ui.format import format_price, format_size
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, Keymap, actions_in, key_label
from pmtui.ui.market.market_facts import why_not_tradable
from pmtui.ui.market.market_trading import MarketTrading
from pmtui.ui.market.paint_single_keys import paint_arming, say_end, say_sent
from pmtui.ui.market.self_trade_hints import (
    say_cleared,
    say_clearing,
    say_what_clears,
    say_what_sells,
)
from pmtui.ui.plain import plain
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.ticket.ticket_context import ticket_context

SMALLEST = Size(79, 18)
"""Below this the own position or orders are out of sight, and no single key trades."""
OVERRIDE_LIFE = timedelta(seconds=2)
_AT_CURSOR = frozenset({OneKey.BUY_HERE, OneKey.SELL_HERE})
HELD_DOWN = timedelta(milliseconds=150)
"""The same key again this soon is a key that is held down: no finger, or a line that stuttered."""
KEYS_IN_TICKET = (
    "Ticket has focus: single keys are off", "Ticket has focus: other keys are off"
)  # fmt: skip
"""How it begins to be said that the ticket has the keys; true no more when it closes."""
NOT_LOADED = "The market is not loaded yet."
TOO_SMALL = f"The screen is smaller than {SMALLEST.width}x{SMALLEST.height}"


class MarketOneKey(MarketTrading):
    """The part of the trading screen that trades by single keys."""

    _preset = 0
    _permitted_at: datetime | None = None
    _pressed: tuple[str, datetime] | None = None
    _was_armed = False
    _told_gone: tuple[Side, Micros] | None = None

    @override
    def forget_market(self) -> None:
        super().forget_market()
        self._permitted_at = self._pressed = None

    @property
    def is_armed(self) -> bool:
        """Whether single keys trade now."""
        status = self.surface.queries.status()
        return status.armed_until is not None and status.armed_until > status.now

    @property
    def preset(self) -> Micros:
        """The size that single keys send."""
        return self.surface.options.presets[self._preset]

    async def action_toggle_arming(self) -> None:
        """Let single keys trade, or no more."""
        if self.is_armed:
            self.surface.commands.disarm("by you")
            self.message_line.say("Disarmed.")
        else:
            await self._arm()
        self._follow_arming()
        self._show_status()
        self._show_state()

    def action_choose_preset(self, number: int) -> None:
        """Let single keys send another size."""
        presets = self.surface.options.presets
        if number > len(presets):
            self.message_line.say(f"Only {count(len(presets), 'preset')}.")
            return
        self._preset = number - 1
        self.surface.commands.touch_arming()
        text = f"One-key size: {exact_shares(self.preset)}"
        if self.is_armed:
            self.message_line.confirm(
                f"{text}; a purchase that takes spends dollars and may get more."
            )
        else:
            self.message_line.say(f"{text}; {self._key('toggle_arming')} to arm.")
        self._show_state()

    def action_override(self) -> None:
        """Permit the next key to trade from a book that may be wrong."""
        book, reason = self._book_on_show, self._why_keys_rest()
        if reason or book is None:
            self.message_line.say(reason or NOT_LOADED)
        elif book.state.is_good:
            self.message_line.say(f"Book {book.state.words}: nothing to override.")
        else:
            self._permitted_at = self.surface.queries.now()
            seconds = OVERRIDE_LIFE.seconds
            self.message_line.say(
                f"OVERRIDE: the next key within {seconds} s trades, book {book.state.words}."
            )
            _ = self.set_timer(seconds, self._show_state)
            self._show_state()

    async def action_buy_here(self) -> None:
        """Place a limit order to buy at the cursor."""
        await self._press(OneKey.BUY_HERE)

    async def action_sell_here(self) -> None:
        """Place a limit order to sell at the cursor."""
        await self._press(OneKey.SELL_HERE)

    async def action_join_bid(self) -> None:
        """Buy at the best bid without taking."""
        await self._press(OneKey.JOIN_BID)

    async def action_join_ask(self) -> None:
        """Sell at the best ask without taking."""
        await self._press(OneKey.JOIN_ASK)

    async def action_improve_bid(self) -> None:
        """Buy a tick above the best bid without taking."""
        await self._press(OneKey.IMPROVE_BID)

    async def action_improve_ask(self) -> None:
        """Sell a tick below the best ask without taking."""
        await self._press(OneKey.IMPROVE_ASK)

    async def action_hit_bid(self) -> None:
        """Sell now at the best bid."""
        await self._press(OneKey.HIT_BID)

    async def action_take_ask(self) -> None:
        """Buy now at the best ask."""
        await self._press(OneKey.TAKE_ASK)

    async def action_flatten_now(self) -> None:
        """Sell the whole position of this outcome without a question."""
        found = self._obey("flatten")
        if found is None:
            return
        book, _ = found
        sale = await self._prepare_sale(book)
        if isinstance(sale, str):
            self.message_line.say(sale)
            return
        order, plan = sale
        override = (
            "" if book.state.is_good else f"the whole position from {describe_doubtful_book(book)}"
        )
        warnings = self._warnings_of(order, book)
        command_id = self.surface.commands.flatten(
            order.order_id, plan.in_the_way, override=override, is_single_key=True
        )
        self._follow_order(command_id, order, takes=True, warnings=warnings, clearing=plan)

    def action_cancel_bids(self) -> None:
        """Cancel own orders on the bid side."""
        self._cancel_side(Side.BUY)

    def action_cancel_asks(self) -> None:
        """Cancel own orders on the ask side."""
        self._cancel_side(Side.SELL)

    async def _press(self, key: OneKey) -> None:
        view, cursor = self._market_view, self.ladder.cursor
        # Held down it stays where it is: at another price it was pressed anew.
        here = f" {cursor[0]}" if cursor is not None and key in _AT_CURSOR else ""
        found = self._obey(key.name + here)
        if found is None:
            return
        book, is_permitted = found
        if view.terms is None:
            self.message_line.say("The trading terms are loading.")
            return
        own = self.surface.queries.account().orders_at(book.token_id)
        plan = plan_one_key(
            key, cursor=None if cursor is None else cursor[0], size=self.preset,
            context=self._context_of(book, view.terms), outcome_index=self._outcome_index, own=own,
            is_overridden=is_permitted,
        )  # fmt: skip
        if isinstance(plan, OneKeyProblem):
            hint = say_what_clears(plan.meets, key, self._ladder_orders(), self._keymap)
            self.message_line.say(f"Not sent: {plain(plan.text, 90)}{hint}.")
            return
        if key.crosses and self._has_gone(plan.intent):
            return
        order = await self.surface.commands.prepare(plan.intent)
        if isinstance(order, Rejected):
            self.message_line.say(f"Not sent: {plain(order.reason, 90)}.")
            return
        override = "" if book.state.is_good else describe_override(plan, book)
        command_id = self.surface.commands.place(
            order.order_id, override=override, is_single_key=True
        )
        self._follow_order(command_id, order, takes=plan.takes, warnings=plan.warnings)

    def _has_gone(self, intent: LimitIntent) -> bool:
        """Say once that the price to take was a better one as it was seen, on a slow line."""
        seen = self.ladder.better_seen(intent.side, intent.price)
        told, self._told_gone = self._told_gone, (intent.side, intent.price)
        if seen is None or told == self._told_gone:
            return False
        was, now = (format_price(p, ascii_only=self._ascii_only) for p in (seen, intent.price))
        self.message_line.say(f"Not sent: {was} is gone, now {now}; press again to take it.")
        return True

    def _context_of(self, book: BookView, terms: MarketTerms) -> TicketContext:
        return ticket_context(
            self.surface, terms=terms, market=self._market_view,
            account=self.surface.queries.account(), book=book, outcome_index=self._outcome_index,
        )  # fmt: skip

    def _warnings_of(self, order: PreparedOrder, book: BookView) -> tuple[str, ...]:
        """Return what the trader wants to hear of an order that no card comes before."""
        terms = self._market_view.terms
        if terms is None or not isinstance(order.intent, LimitIntent):
            return ()
        context = self._context_of(book, terms)
        return key_warnings(context, order.intent, cash=order.cash, shares=order.size)

    def _follow_order(
        self, command_id: CommandId, order: PreparedOrder, *, takes: bool,
        warnings: tuple[str, ...], clearing: FlattenPlan | None = None,
    ) -> None:  # fmt: skip
        said = say_sent(order, takes=takes, warnings=warnings, ascii_only=self._ascii_only)
        self.message_line.say(say_clearing(clearing, said))
        _ = self.run_worker(self._await_end(command_id, order, warnings, clearing))

    # Only the words are lost when this screen goes: the service owns the order.
    async def _await_end(
        self, command_id: CommandId, order: PreparedOrder, warnings: tuple[str, ...],
        clearing: FlattenPlan | None,
    ) -> None:  # fmt: skip
        verdict = await self.surface.commands.verdict(command_id)
        cleared = say_cleared(clearing, self.surface.queries.account())
        say = partial(
            say_end, order=order, warnings=warnings, ascii_only=self._ascii_only,
            cleared=cleared, if_not_sold=say_what_sells(self._keymap),
        )  # fmt: skip
        self._delayed.follow(order, verdict, say)
        if is_live(self):
            self.message_line.say(words := say(verdict))
            self._resting.note(verdict, words)
            self._tell_of_delayed()

    def _cancel_side(self, side: Side) -> None:
        name = "bid" if side is Side.BUY else "ask"
        found = tuple(order for order in self._ladder_orders() if order.side is side)
        if not found:
            self.message_line.say(f"No working orders on the {name} side.")
            return
        command_id = self.surface.commands.cancel(order.order_id for order in found)
        self.message_line.say(f"Cancelling {count(len(found), 'order')} on the {name} side.")
        _ = self.run_worker(self._say_cancelled(command_id, f"on the {name} side"))

    async def _arm(self) -> None:
        view, status = self._market_view, self.surface.queries.status()
        reason = why_not_tradable(view, status).rstrip(".")
        if not reason and not _is_large_enough(self.size):
            reason = TOO_SMALL
        reason = reason or await self.surface.commands.arm()
        if reason:
            self.message_line.say(f"Not armed: {plain(reason, 90)}.")
            return
        names = ("buy_here", "sell_here", "take_ask", "toggle_arming")
        buy, sell, take, off = (self._key(name) for name in names)
        size = format_size(self.preset)
        self.message_line.say(
            f"ARMED {size}: {buy}/{sell} trade at the cursor, {off} to disarm. "
            f"{take} spends dollars: {size} or more."
        )

    @on(TicketPane.KeyKept)
    def _say_that_keys_rest(self) -> None:
        close = key_of(self._keymap, "ticket.close")
        what = KEYS_IN_TICKET[0] if self.is_armed else KEYS_IN_TICKET[1]
        self.message_line.say(f"{what}. {close} to close it.")

    @property
    @override
    def do_keys_rest(self) -> bool:
        return is_live(self) and self.ticket.is_open and self.ticket.has_focus_within

    def _follow_arming(self) -> None:
        """Disarm on a screen that shows too little, and show the keys that work now."""
        is_armed = self.is_armed
        if is_armed and not _is_large_enough(self.size):
            self.surface.commands.disarm(TOO_SMALL.lower())
            is_armed = self.is_armed
        if is_armed != self._was_armed:
            self._was_armed, self._permitted_at = is_armed, None
            self.show_footer()
            if not is_armed:
                self.message_line.take_back("ARMED", "OVERRIDE")

    def _arming_line(self, book: BookView) -> Line:
        """Say that single keys trade; nothing while they do not."""
        # As of the last status: this is painted with every book.
        if not self._was_armed:
            return ()
        return paint_arming(
            self.preset, book, is_permitted=self._is_permitted, is_resting=self.do_keys_rest,
            is_over=self.is_over,
        )  # fmt: skip

    @property
    def _book_on_show(self) -> BookView | None:
        """The very book that the ladder shows, called no better than it is known to be by now."""
        known, shown = self._book_view, self.ladder.book
        if known is None or shown is None or shown.token_id != known.token_id:
            return known
        return shown if known.state.is_good else replace(shown, state=known.state)

    @property
    def _is_permitted(self) -> bool:
        if self._permitted_at is None:
            return False
        return timedelta() <= self.surface.queries.now() - self._permitted_at < OVERRIDE_LIFE

    def _obey(self, name: str) -> tuple[BookView, bool] | None:
        """Return the book to trade from and whether it is permitted though it may be wrong.

        None where the key does nothing now, and it is said why. A permission is used up.
        """
        book, reason = self._book_on_show, self._why_key_sends_nothing(name)
        if reason or book is None:
            self.message_line.say(reason or NOT_LOADED)
            return None
        is_permitted, self._permitted_at = self._is_permitted, None
        self._show_state()
        if not is_permitted and (locked := why_locked(book)):
            self.message_line.say(f"{locked}; {self._key('override')} permits one order.")
            return None
        return book, is_permitted

    def _why_keys_rest(self) -> str:
        """Say why single keys do nothing here; empty when they may trade."""
        status = self.surface.queries.status()
        if reason := why_not_tradable(self._market_view, status):
            return reason
        if status.entry_lock:
            return f"{plain(status.entry_lock, 100)}."
        if not self.is_armed:
            return f"Not armed: {self._key('toggle_arming')} to arm."
        if self.is_moving:
            return "An order is being moved: finish that first."
        return ""

    def _why_key_sends_nothing(self, name: str) -> str:
        """Say why a key is not obeyed now; one that is used keeps arming from running out."""
        if reason := self._why_keys_rest():
            return reason
        now, before = self.surface.queries.now(), self._pressed
        self._pressed = (name, now)
        self.surface.commands.touch_arming()
        if before is not None and before[0] == name and timedelta() <= now - before[1] < HELD_DOWN:
            return "Same key twice at once: sent only once."
        return ""

    def _key(self, name: str) -> str:
        return key_of(self._keymap, f"market.{name}")

    @property
    def _keymap(self) -> Keymap:
        return self.surface.options.keymap


def armed_entries(keymap: Keymap) -> tuple[FooterEntry, ...]:
    """Return the keys that matter while single keys trade."""
    names = (
        "buy_here", "sell_here", "toggle_arming", "join_bid", "join_ask", "improve_bid",
        "improve_ask", "hit_bid", "take_ask", "flatten_now", "cancel_bids", "cancel_asks",
    )  # fmt: skip
    found = {action.id: action for action in actions_in(Context.MARKET)}
    return tuple(
        FooterEntry(
            action.id,
            key_label(keys[0]),
            "Disarm" if name == "toggle_arming" else action.label,
            is_dangerous=name != "toggle_arming",
        )
        for name in names
        if (keys := keymap.keys_of((action := found[f"market.{name}"]).id))
    )


def _is_large_enough(size: Size) -> bool:
    return size.width >= SMALLEST.width and size.height >= SMALLEST.height
