"""Single keys that trade while they are armed.

A key reads the exact book that is shown and sends a price of it, or the cursor's; no change of the
book between two frames makes it another order. The service arms and disarms, and owns every order.
Arming holds on every market until it ends, and so does the chosen size.

When a form does not open, keys meant for it are ignored for a moment: after the key for a form the
trader may have typed a price, a size and `enter` already.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from operator import is_

from textual.geometry import Size

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import NO_MARKS
from pmtui.domain.formats import count, exact_shares, format_shares
from pmtui.domain.health import Source
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ZERO, Micros, complement
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.flattening import (
    FlattenPlan,
    FlattenProblem,
    close_now,
    net_of_market,
    plan_flatten_net,
)
from pmtui.domain.orders.order import Accepted, LimitIntent, OrderStatus, Rejected, Unknown
from pmtui.domain.orders.reversing import ReversePlan, plan_reverse
from pmtui.domain.orders.single_keys import (
    SingleKey,
    SingleKeyPlan,
    SingleKeyProblem,
    describe_doubtful_book,
    describe_override,
    key_warnings,
    plan_single_key,
    why_locked,
)
from pmtui.domain.ticket.draft import TicketContext
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic, Topic
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.facts import key_of
from pmtui.ui.format import format_price
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import TERMS_LOADING, MarketModel
from pmtui.ui.market.moves import describe_merging, describe_pairs, prepare_net_sale
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.market.paint_single_keys import (
    ArmedKeys,
    Clearing,
    Dials,
    KeyOrder,
    RestingKeys,
    Reversal,
    describe_cleared,
    describe_clearing,
    describe_end,
    describe_result,
    describe_reversed,
    describe_reversing,
    describe_sent,
    describe_what_clears,
    describe_what_sells,
    paint_arming,
)
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.ticket_state import ticket_context

SMALLEST = Size(79, 18)
"""On a smaller screen position or orders are out of sight, so single keys do not trade."""
OVERRIDE_LIFE_S = 2
_AT_CURSOR = frozenset({SingleKey.BUY_HERE, SingleKey.SELL_HERE})
HELD_DOWN_S = 0.15
"""The same key again this soon is a held key or a stalled connection, not a second press."""
KEYS_IN_TICKET = (
    "Ticket has focus: single keys are off", "Ticket has focus: other keys are off"
)  # fmt: skip
"""The start of a message that the ticket has the focus, withdrawn when it closes."""
ANSWER_WITHIN_S = 2.0
"""How long the service may take for the order of a key."""
NOT_LOADED = "The market is not loaded yet."
_ENDED = "the market has ended"
TOO_SMALL = f"The screen is smaller than {SMALLEST.width}x{SMALLEST.height}"
_NAMED_KEYS = (
    *(key.name.lower() for key in SingleKey), *(f"preset_{number}" for number in range(1, 6)),
    "flatten_now", "reverse", "cancel_bids", "cancel_asks", "toggle_arming", "next_window",
)  # fmt: skip
_TYPED = frozenset({*"0123456789", "comma", "full_stop"})
"""Keys that a form's fields take, by their Textual names."""


class SingleKeys:
    """Arms single keys, chooses their size, and turns a key into an order or a refusal."""

    def __init__(
        self, workspace: Workspace, news: OrderNews, *, is_moving: Callable[[], bool]
    ) -> None:
        """Start without a permission for a doubtful book.

        Args:
            workspace: the screen's workspace.
            news: reports how orders ended.
            is_moving: returns whether orders are picked up, so that no key may trade.
        """
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._news = news
        self._is_moving = is_moving
        self._permitted_at_s: float | None = None
        self._pressed: tuple[str, float] | None = None
        self._was_armed = False
        self._reported_gone: tuple[Side, Micros] | None = None
        self._reversing: CommandId | None = None
        """The second order of a reversal that has not ended."""
        self._resting: tuple[tuple[object, ...], RestingKeys] | None = None
        """The disarmed state as shown, and the inputs it was made from."""
        self._planned: (
            tuple[tuple[object, ...], tuple[object, ...], Mapping[SingleKey, KeyOrder | str]] | None
        ) = None
        """What each key would send, and the inputs it was planned from: planning takes milliseconds."""

    @property
    def preset(self) -> Micros:
        """The size that single keys send."""
        return self._workspace.surface.single_key_size

    def forget(self) -> None:
        """Drop the state of the current market when another one is shown."""
        self._permitted_at_s = self._pressed = self._reversing = None
        self._line.forget_refusal()

    async def toggle_arming(self) -> None:
        """Arm or disarm single keys."""
        model = self._workspace.reader.read()
        if model.is_armed:
            self.disarm()
        else:
            await self._arm(model)
            self.follow(self._workspace.reader.read())
            self._page.show_parts(Part.STATUS, Part.STATE)

    def disarm(self) -> None:
        """Disarm single keys."""
        self._workspace.commands.disarm("")
        self._line.confirm("Disarmed.")
        self.follow(self._workspace.reader.read())
        self._page.show_parts(Part.STATUS, Part.STATE)

    def leave(self) -> None:
        """Disarm because the screen closes: arming is for visible ladders only."""
        if self._workspace.reader.read().is_armed:
            self._workspace.commands.disarm("its ladder was closed")

    def topics_behind(self) -> tuple[Topic, ...]:
        """Return what tells that arming must end while another screen is in front; empty if disarmed."""
        model = self._workspace.reader.read()
        return (MarketTopic(model.condition_id),) if model.is_armed else ()

    def follow_end(self) -> None:
        """Disarm if the market has ended."""
        model = self._workspace.reader.read()
        if model.is_armed and model.is_over:
            self._workspace.commands.disarm(_ENDED)

    def choose_preset(self, number: int) -> None:
        """Choose the size that single keys send."""
        if self._line.ignores_key():
            return
        presets = self._workspace.surface.options.presets
        if number > len(presets):
            self._line.show(f"Only {count(len(presets), 'preset')}.")
            return
        self._workspace.surface.memory.keep_preset(number - 1)
        self._workspace.commands.touch_arming()
        text = f"Single-key size: {exact_shares(self.preset)}"
        if self._workspace.reader.read().is_armed:
            self._line.confirm(f"{text}; a purchase that takes spends dollars and may get more.")
        else:
            self._line.confirm(f"{text}; {self._key('toggle_arming')} to arm.")
        self._page.show_parts(Part.STATUS, Part.STATE)

    def override(self) -> None:
        """Permit the next key to trade from a book that may be wrong."""
        model = self._workspace.reader.read()
        book, reason = self._book_on_show(model), self._why_keys_rest(model)
        if reason or book is None:
            self._line.show(reason or NOT_LOADED)
        elif book.state.is_good:
            self._line.show(f"Book {book.state.words}: nothing to override.")
        else:
            self._permitted_at_s = self._workspace.queries.monotonic()
            self._line.show(
                f"OVERRIDE: the next key within {OVERRIDE_LIFE_S} s trades, book {book.state.words}."
            )
            _ = self._page.set_timer(OVERRIDE_LIFE_S, partial(self._page.show_parts, Part.STATE))
            self._page.show_parts(Part.STATE)

    async def press(self, key: SingleKey) -> None:
        """Send the order of a key, or show why nothing is sent."""
        keys = self._workspace.keymap.keys_of(f"market.{key.name.lower()}")
        if not _TYPED.isdisjoint(keys) and self._line.ignores_key():
            return
        model = self._workspace.reader.read()
        # A held key stays at one price; the same key at another price is a new press.
        here = f" {model.cursor[0]}" if model.cursor is not None and key in _AT_CURSOR else ""
        found = self._obey(model, key.name + here)
        if found is None:
            return
        book, is_permitted = found
        if model.terms is None:
            self._line.show(TERMS_LOADING)
            return
        context = self._context_of(model, book, model.terms)
        plan = self._plan(key, model, context, is_permitted=is_permitted)
        if isinstance(plan, SingleKeyProblem):
            keymap = self._workspace.keymap
            hint = describe_what_clears(plan.meets, key, model.ladder_orders, keymap)
            self._refuse(f"Not sent: {plain(plan.text, 90)}{hint}.")
            return
        if key.crosses and self._has_gone(key.side, plan.price):
            return
        pressed_s = self._workspace.queries.monotonic()
        order = await self._workspace.commands.prepare(plan.intent)
        if isinstance(order, Rejected):
            self._refuse(f"Not sent: {plain(order.reason, 90)}.")
            return
        if self._refuse_late(pressed_s):
            return
        override = "" if book.state.is_good else describe_override(plan, book)
        command_id = self._workspace.commands.place(
            order.order_id, override=override, is_single_key=True
        )
        self._follow_order(command_id, order, takes=plan.takes, warnings=plan.warnings)

    def _plan(
        self, key: SingleKey, model: MarketModel, context: TicketContext, *, is_permitted: bool
    ) -> SingleKeyPlan | SingleKeyProblem:
        """Return the order of a key, by which it is both sent and shown."""
        plan = plan_single_key(
            key, cursor=None if model.cursor is None else model.cursor[0], size=self.preset,
            context=context, outcome_index=model.outcome_index,
            own=model.account.orders_at(context.book.token_id), is_overridden=is_permitted,
        )  # fmt: skip
        if isinstance(plan, SingleKeyPlan) and (why := model.account.entry.problem(plan.intent)):
            return SingleKeyProblem(why)
        return plan

    async def flatten(self) -> None:
        """Cancel all own orders in this market and sell its net position, without a confirmation."""
        model = self._workspace.reader.read()
        found = self._obey(model, "flatten")
        if found is None:
            return
        if self._reversing is not None:
            stops = ", ".join(map(self._key, ("cancel_market", "toggle_arming")))
            self._refuse(f"Not sent: a reversal is under way; {stops} keep its second order back.")
            return
        book, _ = found
        pressed_s = self._workspace.queries.monotonic()
        clearing = Clearing(model.own_orders, book.token_id)
        if clearing.orders and _is_flat(model, book):
            command_id = self._workspace.commands.cancel_market(model.condition_id, None)
            self._line.show(f"Cancelling {clearing.words}; no position to sell.")
            work = self._news.report_cancel(command_id, "in this market")
            _ = self._page.run_worker(work)
            return
        sale = await prepare_net_sale(self._workspace.surface, model.terms, book)
        if isinstance(sale, str):
            self._refuse(sale)
            return
        if self._refuse_late(pressed_s):
            return
        order, plan = sale
        override = (
            "" if book.state.is_good else f"the {plan.what} from {describe_doubtful_book(book)}"
        )
        warnings = self._warnings_of(model, order, book) + plan.warnings
        if pairs := describe_pairs(plan.pairs, describe_merging(self._workspace.keymap)):
            warnings = (*warnings, pairs)
        if plan.others:
            # Apart, as the sale waits only for what is in its way.
            _ = self._workspace.commands.cancel(order.order_id for order in plan.others)
        command_id = self._workspace.commands.flatten(
            order.order_id, plan.in_the_way, override=override, is_single_key=True
        )
        clearing = replace(clearing, orders=(*plan.in_the_way, *plan.others))
        self._follow_order(command_id, order, takes=True, warnings=warnings, clearing=clearing)

    async def reverse(self) -> None:
        """Sell the net position of this market, and once that filled whole buy as much of the other outcome."""
        model = self._workspace.reader.read()
        found = self._obey(model, "reverse")
        if found is None:
            return
        book, _ = found
        if model.terms is None:
            self._line.show(TERMS_LOADING)
            return
        plan = plan_reverse(
            held=model.account.held, context=self._context_of(model, book, model.terms),
            give_way_percent=self._workspace.surface.options.flatten_percent,
        )  # fmt: skip
        if isinstance(plan, SingleKeyProblem):
            self._refuse(f"Not sent: {plain(plan.text, 90)}.")
            return
        is_long = plan.sale.intent.token_id == book.token_id
        touch = book.best_bid if is_long else book.best_ask
        if touch is not None and self._has_gone(Side.SELL if is_long else Side.BUY, touch):
            return
        pressed_s = self._workspace.queries.monotonic()
        legs = await self._workspace.commands.prepare_many((plan.sale.intent, plan.entry.intent))
        for leg in legs:
            if isinstance(leg, Rejected):
                self._refuse(f"Not sent: {plain(leg.reason, 90)}.")
                return
        if not self._refuse_late(pressed_s):
            sale, entry = (leg for leg in legs if isinstance(leg, PreparedOrder))
            self._send_reversal(plan, sale, entry, book=book, model=model)

    def _send_reversal(
        self, plan: ReversePlan, sale: PreparedOrder, entry: PreparedOrder, *,
        book: BookView, model: MarketModel,
    ) -> None:  # fmt: skip
        commands = self._workspace.commands
        override = "" if book.state.is_good else f"reversing from {describe_doubtful_book(book)}"
        first = commands.flatten(
            sale.order_id, plan.sale.in_the_way, override=override, is_single_key=True
        )
        second = commands.place(entry.order_id, override=override, is_single_key=True, after=first)
        self._reversing = second
        pairs = describe_pairs(plan.sale.pairs, describe_merging(self._workspace.keymap))
        warnings = (
            *self._warnings_of(model, sale, book), *plan.sale.warnings, *plan.entry.warnings,
            *filter(None, (pairs,)),
        )  # fmt: skip
        clearing = Clearing(plan.sale.in_the_way, book.token_id)
        self._line.show(describe_clearing(clearing, describe_reversing(sale, entry, warnings)))
        reversal = Reversal(clearing, sale, entry, warnings)
        work = self._report_reversal(first, second, reversal, since=self._line.mark)
        _ = self._page.run_worker(work)

    # The service sends the second order or does not, whether or not a screen is there to see it.
    async def _report_reversal(
        self, first: CommandId, second: CommandId, reversal: Reversal, *, since: int
    ) -> None:
        sold = await self._workspace.commands.verdict(first)
        bought = await self._workspace.commands.verdict(second)
        if self._reversing == second:
            self._reversing = None
        words = partial(
            describe_reversed, reversal,
            cleared=describe_cleared(reversal.clearing, self._workspace.queries.account(), sold),
            if_not_sold=describe_what_sells(self._workspace.keymap, "reverse"),
        )  # fmt: skip
        if isinstance(bought, Rejected | Unknown):
            # Half of it is news that nothing may stand in front of.
            since = self._line.mark
        if isinstance(sold, Accepted) and sold.status is OrderStatus.FILLED:
            self._news.report(reversal.entry, bought, lambda end: words(sold, end), since=since)
        else:
            self._news.report(reversal.sale, sold, lambda end: words(end, bought), since=since)

    def cancel_side(self, side: Side) -> None:
        """Cancel own orders on one side of the ladder."""
        name = "bid" if side is Side.BUY else "ask"
        orders = self._workspace.reader.read().ladder_orders
        found = tuple(order for order in orders if order.side is side)
        if not found:
            self._line.show(f"No working orders on the {name} side.")
            return
        command_id = self._workspace.commands.cancel(order.order_id for order in found)
        self._line.show(f"Cancelling {count(len(found), 'order')} on the {name} side.")
        work = self._news.report_cancel(command_id, f"on the {name} side")
        _ = self._page.run_worker(work)

    def follow(self, model: MarketModel) -> None:
        """Disarm on too small a screen or when the market has ended, and update the keys that work."""
        is_armed = model.is_armed
        reason = "" if _is_large_enough(self._page.size) else TOO_SMALL.lower()
        reason = reason or (_ENDED if model.is_over else "")
        if is_armed and reason:
            self._workspace.commands.disarm(reason)
            is_armed = self._workspace.reader.read().is_armed
        if is_armed != self._was_armed:
            self._was_armed, self._permitted_at_s = is_armed, None
            self._page.show_parts(Part.FOOTER)
            if not is_armed:
                self._line.take_back("ARMED", "OVERRIDE")

    def state_line(self, model: MarketModel) -> Line:
        """Paint why single keys do not trade; empty while they do, and while they are not armed."""
        if model.status.kill_lock:
            return (Cell(" LOCKED ", Role.NOTICE_BAD, Emphasis.BOLD),)
        # As of the last status, because this is painted with every book.
        if not self._was_armed or model.book is None:
            return ()
        return paint_arming(
            self.preset, model.book, is_permitted=self._is_permitted(),
            are_keys_locked=self._page.are_keys_locked, is_over=model.is_over,
        )  # fmt: skip

    def dials(
        self, model: MarketModel, *, has_next: Callable[[], bool] = lambda: False
    ) -> Dials | None:
        """Return what each single key does or would do; None when none can ever trade.

        Args:
            model: the market shown.
            has_next: returns whether it is a window of a series.
        """
        if model.status.mode is Mode.READ_ONLY:
            return None
        is_locked = self._page.are_keys_locked
        if not is_locked and (armed := self._armed_keys(model)) is not None:
            return armed
        # Needed with every change of a book, on which none of this depends.
        account = model.account if model.is_over else None
        chosen = self._workspace.surface.memory.now.preset
        seen = (model.status, model.market, account, is_locked, chosen)
        known = self._resting
        if known is None or not all(map(is_, known[0], seen)):
            known = self._resting = (seen, self._resting_keys(model, has_next=has_next()))
        return known[1]

    def _resting_keys(self, model: MarketModel, *, has_next: bool) -> RestingKeys:
        reason = "ticket has the keys" if self._page.are_keys_locked else ""
        keymap = self._workspace.keymap
        ended = partial(
            describe_result, model.market.market, model.positions, fees=model.settled_fees
        )
        return RestingKeys(
            presets=self._workspace.surface.options.presets,
            chosen=self._workspace.surface.chosen_preset,
            keys={name: key_of(keymap, f"market.{name}") for name in _NAMED_KEYS},
            lock=plain(model.status.kill_lock, 100),
            reason=reason or model.why_not_tradable.rstrip("."),
            result=ended(holds_nothing=model.holds_nothing) if model.is_over else "",
            has_next=has_next,
        )  # fmt: skip

    def _armed_keys(self, model: MarketModel) -> ArmedKeys | None:
        until, book = model.status.armed_until, self._book_on_show(model)
        if not self._was_armed or until is None or book is None or model.terms is None:
            return None
        if model.is_over:
            # Its keys trade nothing; the state of arming is in the title of the ladder.
            return None
        ladder = self._workspace.ladder.ladder
        keymap = self._workspace.keymap
        trip = next((h for h in model.status.health if h.source is Source.TRADING), None)
        marks = ladder.placed.marks if ladder is not None else NO_MARKS
        plan = plan_flatten_net(
            held=model.account.held, orders=model.own_orders, book=book, terms=model.terms,
            give_way_percent=marks.give_way_percent,
        )  # fmt: skip
        held = ZERO if marks.net is None else size_floor(marks.net.size)
        is_refused = held > 0 and isinstance(plan, FlattenProblem)
        closing = None
        if (net := marks.net) is not None:
            way = marks.give_way_percent
            closing = close_now(
                net, book, model.ladder_orders, tick=model.terms.tick_size, give_way_percent=way
            )
        return ArmedKeys(
            presets=self._workspace.surface.options.presets,
            chosen=self._workspace.surface.chosen_preset,
            orders=self._orders(model, book, model.terms),
            keys={name: key_of(keymap, f"market.{name}") for name in _NAMED_KEYS},
            held=None if is_refused else held,
            cancels=(0, 0) if is_refused else Clearing(model.own_orders, book.token_id).sides,
            closing=closing,
            reverse=_reverse_of(plan, book),
            round_trip_ms=None if trip is None else trip.round_trip_ms,
            left_s=int((until - model.now).total_seconds()),
            tick=model.terms.tick_size,
        )  # fmt: skip

    def _orders(
        self, model: MarketModel, book: BookView, terms: MarketTerms
    ) -> Mapping[SingleKey, KeyOrder | str]:
        """Return what each key would send now, planned again as soon as it can be something else."""
        is_permitted = self._is_permitted()
        facts = (model.account, model.market)
        seen = (*_decisive(book, model.cursor), model.cursor, self.preset, is_permitted)
        known = self._planned
        if known is None or known[1] != seen or not all(map(is_, known[0], facts)):
            context = self._context_of(model, book, terms)
            plans = (
                (k, self._plan(k, model, context, is_permitted=is_permitted)) for k in SingleKey
            )
            orders = {
                key: KeyOrder(plan.price, plan.intent.size)
                if isinstance(plan, SingleKeyPlan)
                else plan.brief
                for key, plan in plans
            }
            known = self._planned = (facts, seen, orders)
        return known[2]

    def explain_ticket_has_keys(self) -> None:
        """Show that a key was ignored because the ticket has the focus."""
        close = key_of(self._workspace.keymap, "ticket.close")
        is_armed = self._workspace.reader.read().is_armed
        what = KEYS_IN_TICKET[0] if is_armed else KEYS_IN_TICKET[1]
        self._line.show(f"{what}. {close} to close it.")

    def _has_gone(self, side: Side, price: Micros) -> bool:
        """Refuse, once, a price worse than the one seen on a slow connection; return whether."""
        seen = self._workspace.ladder.better_seen(side, price)
        told, self._reported_gone = self._reported_gone, (side, price)
        if seen is None or told == self._reported_gone:
            return False
        was, now = (format_price(each) for each in (seen, price))
        self._refuse(f"Not sent: {was} is gone, now {now}; press again to take it.")
        return True

    def _refuse_late(self, pressed_s: float) -> bool:
        """Refuse an order whose price is old by the time it is prepared; return whether it was."""
        took_s = self._workspace.queries.monotonic() - pressed_s
        if took_s >= ANSWER_WITHIN_S:
            self._refuse(f"Not sent: the service took {took_s:.0f} s to answer; press again.")
        elif not self._workspace.reader.read().is_armed:
            self._refuse("Not sent: disarmed meanwhile.")
        else:
            return False
        return True

    def _context_of(self, model: MarketModel, book: BookView, terms: MarketTerms) -> TicketContext:
        return ticket_context(
            self._workspace.surface, terms=terms, market=model.market, account=model.account,
            book=book, outcome_index=model.outcome_index,
        )  # fmt: skip

    def _warnings_of(
        self, model: MarketModel, order: PreparedOrder, book: BookView
    ) -> tuple[str, ...]:
        """Return the warnings about an order that is sent without a card."""
        if model.terms is None or not isinstance(order.intent, LimitIntent):
            return ()
        context = self._context_of(model, book, model.terms)
        return key_warnings(context, order.intent, cash=order.cash, shares=order.size)

    def _follow_order(
        self, command_id: CommandId, order: PreparedOrder, *, takes: bool,
        warnings: tuple[str, ...], clearing: Clearing | None = None,
    ) -> None:  # fmt: skip
        said = describe_sent(order, takes=takes, warnings=warnings)
        self._line.show(describe_clearing(clearing, said))
        since = self._line.mark
        _ = self._page.run_worker(
            self._report_end(command_id, order, warnings, clearing=clearing, since=since)
        )

    # A closed screen loses only the message: the service owns the order.
    async def _report_end(
        self, command_id: CommandId, order: PreparedOrder, warnings: tuple[str, ...], *,
        clearing: Clearing | None, since: int,
    ) -> None:  # fmt: skip
        verdict = await self._workspace.commands.verdict(command_id)
        words = partial(
            describe_end, order=order, warnings=warnings,
            cleared=describe_cleared(clearing, self._workspace.queries.account(), verdict),
            if_not_sold=describe_what_sells(self._workspace.keymap),
        )  # fmt: skip
        self._news.report(order, verdict, words, since=since)

    async def _arm(self, model: MarketModel) -> None:
        reason = model.why_not_tradable.rstrip(".")
        if not reason and not _is_large_enough(self._page.size):
            reason = TOO_SMALL
        if not reason:
            self._line.show("Arming: the service has not answered yet.")
            reason = await self._workspace.commands.arm()
        if reason:
            self._line.show(f"Not armed: {plain(reason, 90)}.")
            return
        names = ("buy_here", "sell_here", "take_ask", "toggle_arming")
        buy, sell, take, off = (self._key(name) for name in names)
        size = format_shares(self.preset)
        self._line.show(
            f"ARMED {size}: {buy}/{sell} trade at the cursor, {off} to disarm. "
            f"{take} spends dollars and may get more."
        )

    def _book_on_show(self, model: MarketModel) -> BookView | None:
        """Return the exact book of the ladder, with the latest known state."""
        known, shown = model.book, self._workspace.ladder.book
        if known is None or shown is None or shown.token_id != known.token_id:
            return known
        return shown if known.state.is_good else replace(shown, state=known.state)

    def _is_permitted(self) -> bool:
        at_s = self._permitted_at_s
        return at_s is not None and self._workspace.queries.monotonic() - at_s < OVERRIDE_LIFE_S

    def _obey(self, model: MarketModel, name: str) -> tuple[BookView, bool] | None:
        """Return the book to trade from, and whether an override permits a doubtful one.

        Returns None and shows why if the key does nothing. An override is used up.
        """
        book, reason = self._book_on_show(model), self._why_key_sends_nothing(model, name)
        if reason or book is None:
            self._line.show(reason or NOT_LOADED)
            return None
        is_permitted, self._permitted_at_s = self._is_permitted(), None
        self._page.show_parts(Part.STATE)
        if not is_permitted and (locked := why_locked(book)):
            self._refuse(f"{locked}; {self._key('override')} permits one order.")
            return None
        return book, is_permitted

    def _refuse(self, text: str) -> None:
        """Show why a key sends nothing, and log it: the next message may follow at once."""
        self._line.refuse(text)
        self._workspace.commands.log_refusal(text)

    def _why_keys_rest(self, model: MarketModel) -> str:
        """Return why single keys do nothing here; empty when they may trade."""
        if reason := model.why_not_tradable:
            return reason
        stood = self._workspace.distrust_line(model)
        if stood or not model.is_armed:
            said = f"Not sent: {stood}. Disarmed" if stood else "Not armed"
            return f"{said}: {self._key('toggle_arming')} to arm."
        if self._workspace.ladder.is_unseen:
            return "Not sent: the ladder was not on your screen yet; press again."
        if self._is_moving():
            return "An order is being moved: finish that first."
        return ""

    def _why_key_sends_nothing(self, model: MarketModel, name: str) -> str:
        """Return why a key is refused; empty when it is accepted. Each use extends the arming."""
        if reason := self._why_keys_rest(model):
            return reason
        now_s, before = self._workspace.queries.monotonic(), self._pressed
        self._pressed = (name, now_s)
        self._workspace.commands.touch_arming()
        if before is not None and before[0] == name and now_s - before[1] < HELD_DOWN_S:
            return "Same key twice at once: the second sends nothing."
        return ""

    def _key(self, name: str) -> str:
        return self._workspace.key(name)


def _is_flat(model: MarketModel, book: BookView) -> bool:
    """Return whether there is no net position that an order could sell."""
    if model.terms is None:
        return False
    return size_floor(net_of_market(model.account.held, book.token_id, model.terms).excess) <= 0


def _decisive(book: BookView, cursor: tuple[Micros, Side] | None) -> tuple[object, ...]:
    """Return what of a book decides on the orders of keys: its touch, and what one at the cursor may take."""
    price = None if cursor is None else cursor[0]
    bids = 1 if price is None else sum(level.price >= price for level in book.bids)
    asks = 1 if price is None else sum(level.price <= price for level in book.asks)
    return (book.token_id, book.state, book.bids[: max(bids, 1)], book.asks[: max(asks, 1)])


def _is_large_enough(size: Size) -> bool:
    return size.width >= SMALLEST.width and size.height >= SMALLEST.height


def _reverse_of(plan: FlattenPlan | FlattenProblem, book: BookView) -> tuple[Side, Micros] | None:
    """Return the side and the worst price of reversing on the ladder shown; None where depth does not suffice."""
    if isinstance(plan, FlattenProblem) or plan.again is None:
        return None
    if plan.intent.token_id == book.token_id:
        return Side.SELL, plan.again
    return Side.BUY, complement(plan.again)
