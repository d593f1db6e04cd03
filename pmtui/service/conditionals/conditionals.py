"""Monitors the books of conditional orders, starts their sales, and prevents double selling.

They exist in this program only. Each change is journaled, so that a restart restores them, paused:
the market may have moved anywhere meanwhile, and only the trader resumes them. Only three things
pause one: the trader, the kill switch, and the venue reporting twice that none of its shares are
held; each causes a notice that stays until it is read. A sale goes through the desk like every
order; no other sale of the same token starts before its result is known, and the sold shares are
counted once, even after a restart.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.conditional import (
    UNDONE,
    Attachment,
    ConditionalId,
    ConditionalOrder,
    ConditionalPlan,
    ConditionalState,
    CountedFills,
    PlanProblem,
    Trigger,
    after_sale,
    check_attachment,
    check_plan,
    describe_conditional,
    follow_purchases,
    moved_to,
    paused,
    plan_of,
    recount,
    without,
    worst_price,
)
from pmtui.domain.conditionals.coverage import allot, covered_by
from pmtui.domain.formats import are, count, format_shares, with_cent_sign
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Market, MarketTerms, Side
from pmtui.domain.money import ONE, ZERO, Micros, format_micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.order import Order
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.domain.orders.self_trade import best_bid_of_others
from pmtui.service.conditionals.endings import PAUSES, ConditionalEndings
from pmtui.service.conditionals.flat_positions import FlatPositions
from pmtui.service.conditionals.sales import ConditionalSales, Sale, SaleHooks
from pmtui.service.conditionals.triggers import CHECK_PERIOD_S, Reached, StaleBooks, Triggers
from pmtui.service.hub import FollowedTopics
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, StatusTopic, Topic
from pmtui.service.views import AccountView, Level, Load
from pmtui.service.words import shorten

COOL_OFF_S = 1.0
"""Seconds before retrying a sale that was never sent."""
RESTARTED = "pmtui was restarted"
_BY_YOU = "by you"
SLOW_AFTER = 20
"""Consecutive sales that sold nothing before a notice reports it; the order continues, more slowly, and
further tries are not logged."""
SLOW_COOL_OFF_S = 10.0
TOO_LOW = "no bid at its limit or better"
MAY_FAIL_FOR = timedelta(days=1)
"""How long the trades of a sale are tracked; they fail or are confirmed within minutes."""
_HUNDREDTH = 100
"""A hundredth of a cent, in micros: the precision of displayed averages."""
KILLED = "the kill switch"
FAULT = "a fault in this program while it sold"


class Conditionals:
    """All conditional orders of a profile."""

    def __init__(  # noqa: PLR0913 - what it asks of the parts that it connects
        self,
        kernel: Kernel,
        journal: Journal,
        sales: ConditionalSales,
        *,
        account: Callable[[], AccountView],
        book_of: Callable[[TokenId], BookView],
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
        market_problem: Callable[[ConditionId], str],
        own: OwnOrders,
        locked: Callable[[], str],
        is_moving_to: Callable[[OrderId], bool],
        is_resolved: Callable[[ConditionId], bool],
    ) -> None:
        self._kernel = kernel
        self._journal = journal
        self.sales = sales
        self._account = account
        self._book_of = book_of
        self._market_of = market_of
        self._market_problem = market_problem
        self._own = own
        self.triggers = Triggers(kernel, own)
        self._flat = FlatPositions(own, sales)
        self._endings = ConditionalEndings(
            kernel, sales, self._flat, account=account, view=self.view, save=self._save,
            is_selling=lambda each: each.sale is not None or each.conditional_id in self._under_way,
            is_busy=lambda token_id: token_id in self._busy,
            may_bring_more=self._may_bring_more, is_resolved=is_resolved,
        )  # fmt: skip
        self._locked = locked
        self._is_moving_to = is_moving_to
        self._known: dict[ConditionalId, ConditionalOrder] = {}
        self._followed = FollowedTopics(kernel.hub, self._on_change)
        self._stale_books = StaleBooks(kernel)
        self._busy: dict[TokenId, ConditionalId] = {}
        """Tokens with a sale in progress: the next one must not offer the same shares."""
        self._attached: set[OrderId] = set()
        """Orders of this session that have a stop or target attached."""
        self._under_way: set[ConditionalId] = set()
        """Conditional orders whose sale has a task that waits for its result."""
        self._reported_waits: dict[ConditionalId, str] = {}
        """Why triggered orders do not sell yet, as already reported."""

    def view(self) -> tuple[ConditionalOrder, ...]:
        """Return the orders that have not ended, oldest first."""
        return tuple(each for each in self._known.values() if not each.state.is_over)

    async def restore(self) -> None:
        """Restore the conditional orders of earlier sessions, paused."""
        found = await self._journal.conditionals()
        if isinstance(found, JournalProblem):
            self._kernel.log.notice(Level.BAD, f"Stops and targets cannot be read: {found.text}")
            return
        for each in found:
            if not each.state.is_over:
                # One that waits for the fills of its purchase has nothing to sell yet.
                stays = _is_paused(each) or each.is_waiting
                self._put(each if stays else paused(each, RESTARTED))
            elif _still_reversible((*each.counted, *each.sources), self._kernel.clock.now()):
                self._known[each.conditional_id] = each
        if back := [each for each in self.view() if _is_paused(each)]:
            what = f"{count(len(back), 'stop')} {are(len(back))}"
            text = f"{what} paused: {RESTARTED}. Resume those still wanted (C)"
            self._kernel.log.notice(Level.BAD, text, until_read=True, cause=PAUSES)

    async def run(self) -> None:
        """Check regularly for untrusted books, missing shares and the kill switch."""
        while True:
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            self._check_all()
            self._recount()
            for each in self.view():
                if each.sale is not None and each.conditional_id not in self._under_way:
                    self._count_abandoned_sale(each, each.sale)

    async def add(self, plan: ConditionalPlan) -> str:
        """Start monitoring a plan; return why not, or "" on success."""
        market, terms = self._market_of(plan.condition_id)
        problem = self._why_not(plan, terms)
        if problem or market is None or terms is None:
            return problem or "The trading terms are loading"
        index = terms.token_ids.index(plan.token_id)
        labels = terms.outcome_labels
        self._save(
            ConditionalOrder(
                conditional_id=_new_id(),
                condition_id=plan.condition_id,
                token_id=plan.token_id,
                outcome=labels[index] if index < len(labels) else f"outcome {index + 1}",
                title=market.distinct_name,
                size=plan.size,
                stop=plan.stop,
                take_profit=plan.take_profit,
                give_way=plan.give_way,
                created_at=self._kernel.clock.now(),
                is_all=plan.is_all,
                trail=plan.trail,
            ),
            "watching",
        )
        # A trailing stop gets its first price at once.
        self._check_book(plan.token_id)
        return ""

    def attach(self, order: PreparedOrder, attachment: Attachment) -> str:
        """Attach a stop and a target to a purchase before it is sent; return why not, or "" on success.

        They are journaled before the order is, and cover exactly the shares that it buys.
        """
        intent, now = order.intent, self._kernel.clock.now()
        if order.order_id in self._attached:
            return ""
        market, terms = self._market_of(order.condition_id)
        if market is None or terms is None:
            return "The trading terms are loading"
        if intent.side is not Side.BUY:
            return "Only a purchase brings shares to protect"
        book = self._book_of(intent.token_id)
        bid = best_bid_of_others(book, order.condition_id, self._account().open_orders)
        problems = check_attachment(
            attachment, price=order.price, bid=bid if book.state.is_good else None,
            tick=terms.tick_size, others=self._active(intent.token_id),
        )  # fmt: skip
        if problems:
            return problems[0].sentence
        order_id = order.order_id
        self._attached.add(order_id)
        self._save(
            ConditionalOrder(
                conditional_id=_new_id(),
                condition_id=order.condition_id,
                token_id=intent.token_id,
                outcome=order.outcome,
                title=market.distinct_name,
                size=ZERO,
                stop=attachment.stop,
                take_profit=attachment.take_profit,
                give_way=attachment.give_way,
                created_at=now,
                sources=(CountedFills(order_id, ZERO, ZERO, now),),
            ),
            f"on the fills of BUY {format_shares(order.size)} at {with_cent_sign(order.price)}",
        )
        return ""

    def on_order(self, order: Order) -> None:
        """Handle a change of one of our orders: its fills are protected at once."""
        sources = (source for each in self._known.values() for source in each.sources)
        if any(source.order_id == order.order_id for source in sources):
            self._recount()
        self._endings.end_closed(order.condition_id)

    def follow_move(self, old: OrderId, new: OrderId) -> None:
        """Attach the stop and target of a moved order to its replacement as well."""
        for each in tuple(self._known.values()):
            if any(source.order_id == old for source in each.sources):
                self._attached.add(new)
                added = CountedFills(new, ZERO, ZERO, self._kernel.clock.now())
                self._save(replace(each, sources=(*each.sources, added)), "follows the moved order")

    async def start(self, conditional_id: ConditionalId) -> str:
        """Resume a paused order; return why not, or "" on success."""
        known = self._known.get(conditional_id)
        if known is None or known.state is not ConditionalState.PAUSED:
            return "It is not paused"
        if known.sale is not None or conditional_id in self._under_way:
            return "Its last sale is still being checked"
        _, terms = self._market_of(known.condition_id)
        problem = self._why_not(plan_of(known), terms, known=known)
        if not problem:
            self._save(replace(known, state=ConditionalState.WATCHING, reason=""), "watching")
        return problem

    async def move(self, conditional_id: ConditionalId, trigger: Trigger, price: Micros) -> str:
        """Move a trigger price; return why not, or "" on success."""
        known = self._known.get(conditional_id)
        if known is None or known.state.is_over:
            return "It has ended"
        if known.state not in (ConditionalState.WATCHING, ConditionalState.PAUSED) or known.sale:
            return "It is selling"
        _, terms = self._market_of(known.condition_id)
        if terms is None:
            return "The trading terms are loading"
        moved = moved_to(known, trigger, price, tick=terms.tick_size)
        problem = self._why_not(plan_of(moved), terms, known=moved)
        if not problem:
            self._save(moved, f"its {trigger.value} was moved")
        return problem

    async def pause(self, conditional_id: ConditionalId) -> str:
        """Pause an order until it is resumed; a sale that was already sent continues."""
        known = self._known.get(conditional_id)
        if known is not None and known.state.is_active:
            self._save(paused(known, _BY_YOU), f"paused: {_BY_YOU}")
        return ""

    def pause_all(self, reason: str) -> None:
        """Pause every order until it is resumed."""
        for each in self.view():
            if each.state.is_active:
                self._save(paused(each, reason), f"paused: {reason}")

    async def cancel(self, conditional_id: ConditionalId, trigger: Trigger | None = None) -> str:
        """Cancel an order, or one price of a pair; a sale that was already sent continues."""
        known = self._known.get(conditional_id)
        left = without(known, trigger) if known is not None and trigger is not None else None
        if left is not None and not left.state.is_over:
            self._save(left, f"without its {trigger}")
        elif known is not None and not known.state.is_over:
            over = replace(known, state=ConditionalState.CANCELLED, reason="by you")
            self._save(over, "cancelled")
        return ""

    def _why_not(
        self, plan: ConditionalPlan, terms: MarketTerms | None, *,
        known: ConditionalOrder | None = None,
    ) -> str:  # fmt: skip
        if terms is None or plan.token_id not in terms.token_ids:
            return "The trading terms are loading"
        if problem := self._market_problem(plan.condition_id):
            return problem
        if locked := self._locked():
            return locked
        account = self._account()
        if account.balance is None:
            return "Your positions are loading"
        book = self._book_of(plan.token_id)
        bid = best_bid_of_others(book, plan.condition_id, account.open_orders)
        held, others = account.held(plan.token_id), self._active(plan.token_id)
        bid = bid if book.state.is_good else None
        if known is not None:
            others = [each for each in others if each.conditional_id != known.conditional_id]
        if known is not None and known.is_waiting:
            problems = self._check_waiting(known, plan, terms, bid=bid, others=others)
        else:
            problems = check_plan(
                plan, held=held, bid=bid, tick=terms.tick_size, others=others,
                of_other=account.held_of_other(plan.token_id),
            )  # fmt: skip
        return problems[0].sentence if problems else ""

    def _check_waiting(
        self, known: ConditionalOrder, plan: ConditionalPlan, terms: MarketTerms, *,
        bid: Micros | None, others: list[ConditionalOrder],
    ) -> tuple[PlanProblem, ...]:  # fmt: skip
        """Check one whose shares are still to be bought, as the ticket of the purchase does; return the problem."""
        # Only one for the whole position claims those shares too.
        others = [each for each in others if each.is_all]
        orders = (self._own.order(source.order_id) for source in known.sources)
        prices = [o.price for o in orders if o is not None and o.status.is_open]
        if not prices:
            plan = replace(plan, size=ONE)
            return check_plan(plan, held=ONE, bid=None, tick=terms.tick_size, others=others)
        attachment = Attachment(plan.stop, plan.take_profit, plan.give_way)
        return check_attachment(
            attachment, price=prices[-1], bid=bid, tick=terms.tick_size, others=others
        )

    def _active(self, token_id: TokenId) -> list[ConditionalOrder]:
        """Return the active orders of a token."""
        return [e for e in self._known.values() if e.token_id == token_id and e.state.is_active]

    def _save(
        self, changed: ConditionalOrder, text: str, *, level: Level = Level.INFO,
        named_as: ConditionalOrder | None = None, is_repeat: bool = False,
    ) -> None:  # fmt: skip
        """Save a change and log it.

        Args:
            changed: the order as it is now.
            text: what happened to it.
            level: of the log entry.
            named_as: the order to describe, if not the changed one.
            is_repeat: whether the log has enough of these, so that only the journal gets it.
        """
        before = self._known.get(changed.conditional_id)
        self._put(changed)
        # What says that stops are paused ends with the last pause that the trader did not ask for.
        is_last = (
            before is not None and _is_forced(before) and not any(map(_is_forced, self.view()))
        )
        # What happened comes first: the end of a line is cut.
        line = f"{text[:1].upper()}{text[1:]} · {describe_conditional(named_as or changed)}"
        self._journal.record_conditional(changed, line, at=self._kernel.clock.now())
        if not is_repeat:
            self._kernel.log.add(
                level, "order", f"{line} · {shorten(changed.title)}",
                cause=PAUSES if is_last else "",
            )  # fmt: skip

    def _put(self, changed: ConditionalOrder) -> None:
        self._known[changed.conditional_id] = changed
        self._mark()
        topics: set[Topic] = set()
        for each in self._known.values():
            if each.state.is_active:
                topics |= {BookTopic(each.token_id), MarketTopic(each.condition_id)}
        self._followed.follow(topics)

    def _mark(self) -> None:
        self._kernel.mark(AccountTopic())
        self._kernel.mark(StatusTopic())

    def _on_change(self, topic: Topic) -> None:
        if isinstance(topic, BookTopic):
            self._check_book(topic.token_id)

    def _check_book(self, token_id: TokenId) -> None:
        book = self._book_of(token_id)
        if self._stale_books.note(token_id, book.state):
            self._mark()
        if not book.state.is_good:
            return
        if self.triggers.has_stood_still:
            return
        for each in tuple(self._known.values()):
            if each.token_id != token_id:
                continue
            if (higher := self.triggers.update_trailing_stop(each, book)) is not None:
                self._put(higher)
                self._journal.record_conditional(higher, "", at=self._kernel.clock.now())
                continue
            self.triggers.note_own_bid_above_stop(each, book)
            reached = self.triggers.reached(each, book)
            if reached is None:
                self._reported_waits.pop(each.conditional_id, None)
            elif token_id not in self._busy and each.sale is None:
                self._fire_or_wait(each, reached)

    def _fire_or_wait(self, each: ConditionalOrder, reached: Reached) -> None:
        if each.conditional_id in self._under_way:
            return
        reason = self._wait_reason(each, reached)
        if not reason:
            self._reported_waits.pop(each.conditional_id, None)
            self._fire(each, reached)
        elif self._reported_waits.get(each.conditional_id) != reason:
            self._reported_waits[each.conditional_id] = reason
            self._save(each, f"{reached.words}, not sold yet: {reason}", level=Level.WARNING)
            if reason == TOO_LOW:
                words = f"Stop hit, NOT sold, {reason}: {describe_conditional(each)}"
                self._kernel.log.notice(Level.BAD, words, until_read=True)

    def _wait_reason(self, each: ConditionalOrder, reached: Reached) -> str:
        """Return why a triggered order cannot sell yet; empty if it can."""
        if self.sales.may_be_sold_out(each.token_id):
            return "another sale is still being checked"
        _, terms = self._market_of(each.condition_id)
        if terms and reached.bid < worst_price(each, reached.trigger, terms.tick_size):
            # A sale would be refused, and its result would have to be checked first.
            return TOO_LOW
        return ""

    def _fire(self, each: ConditionalOrder, reached: Reached) -> None:
        if self.pause_if_locked():
            return
        selling = replace(each, state=ConditionalState.SELLING)
        self._busy[each.token_id] = each.conditional_id
        self._under_way.add(each.conditional_id)
        self._save(
            selling, f"{reached.words}, selling", level=Level.WARNING, is_repeat=_repeats(each)
        )
        self._kernel.start("conditional order", lambda: self._sell(selling, reached.trigger))

    async def _sell(self, selling: ConditionalOrder, trigger: Trigger) -> None:
        conditional_id, token_id = selling.conditional_id, selling.token_id
        is_faulty = True
        try:
            sale = await self.sales.sell(selling, trigger, self._hooks_for(conditional_id, trigger))
            self._release_token(selling)
            is_slow = self._known[conditional_id].tries >= SLOW_AFTER
            if not sale.has_left or (is_slow and not sale.sold):
                # Another one of the same token may continue meanwhile.
                self._check_book(token_id)
                await self.sales.cool_off(
                    token_id, SLOW_COOL_OFF_S if is_slow else COOL_OFF_S,
                    is_wanted=lambda: self._known[conditional_id].state.is_active,
                )  # fmt: skip
            self._finish(conditional_id, sale)
            is_faulty = False
        except asyncio.CancelledError:
            # The program ends; the next session finds in the journal what was sent.
            is_faulty = False
            raise
        finally:
            self._release_token(selling)
            self._under_way.discard(conditional_id)
            if is_faulty:
                self._go_on_after_fault(conditional_id)
        self._check_book(token_id)

    def _hooks_for(self, conditional_id: ConditionalId, trigger: Trigger) -> SaleHooks:
        def report(text: str, level: Level) -> None:
            self._save(self._known[conditional_id], text, level=level)

        return SaleHooks(
            allowed_size=lambda held: self._allowed_size(conditional_id, held),
            record_order=lambda order: self._record_sale_order(conditional_id, trigger, order),
            why_unwanted=lambda: _why_unwanted(self._known[conditional_id], trigger),
            on_unconfirmed=lambda reason: self._check_sale(conditional_id, reason),
            report=report,
        )

    def _go_on_after_fault(self, conditional_id: ConditionalId) -> None:
        """Keep an order active: the result of its sale is read before anything else is sold."""
        known = self._known[conditional_id]
        if known.state.is_active:
            known = replace(known, state=ConditionalState.WATCHING, reason=FAULT)
        self._save(known, FAULT, level=Level.BAD)

    def _allowed_size(self, conditional_id: ConditionalId, held: Micros) -> Micros:
        """Return how many of the held shares an order may sell now.

        No other order of the token sells meanwhile, so a triggered order with a stated size comes
        before those that still wait. One for the whole position leaves the pairs as they are now.
        """
        known = self._known[conditional_id]
        if not known.is_all:
            return Micros(min(known.size, held))
        of_other = self.sales.held_of_other(known)
        return allot(self._active(known.token_id), held, of_other=of_other).get(
            conditional_id, ZERO
        )

    def _release_token(self, sold: ConditionalOrder) -> None:
        if self._busy.get(sold.token_id) == sold.conditional_id:
            del self._busy[sold.token_id]

    def _finish(self, conditional_id: ConditionalId, sale: Sale) -> None:
        """Count the shares that a sale sold, whatever the trader changed meanwhile."""
        known = self._known[conditional_id]
        # A fill may be reported later: even a refused order was once seen to fill.
        late = self.sales.sold_size(known.sale) if known.sale is not None else ZERO
        failed = self.sales.failed_size(known.sale) if known.sale is not None else ZERO
        sold = late if failed else max(sale.sold, late)
        then = self._with_rest(after_sale(known, sold, problem=sale.problem))
        if known.sale is not None:
            # Also for a sale of nothing: a fill that is reported late is counted later.
            counted = CountedFills(known.sale, sold, failed, self._kernel.clock.now())
            then = replace(
                then, counted=(*_still_reversible(then.counted, self._kernel.clock.now()), counted)
            )
        text = _describe_sold(sold, sale)
        if then.state is ConditionalState.WATCHING:
            text = f"{text}; still active"
        elif then.state is ConditionalState.PAUSED:
            text = f"{text}; paused: {then.reason}"
        if then.tries == SLOW_AFTER:
            words = f"A stop has failed {SLOW_AFTER} times and keeps trying: {sale.problem}"
            self._kernel.log.notice(Level.BAD, words, until_read=True)
        # An order that has ended meanwhile needs no further sale.
        level = Level.GOOD if sold > 0 else Level.INFO if known.state.is_over else Level.BAD
        # Afterwards its size is the remainder, so the text describes the order before the sale.
        self._save(then, text, level=level, named_as=known, is_repeat=_repeats(then))

    def _with_rest(self, then: ConditionalOrder) -> ConditionalOrder:
        """Keep an order for the whole position active while some of the position is left."""
        if not then.is_all or then.state is not ConditionalState.DONE:
            return then
        if self._flat.is_flat(then.conditional_id):
            return then
        held, of_other = self.sales.held(then.token_id), self.sales.held_of_other(then)
        rest = covered_by(then, self._active(then.token_id), held, of_other=of_other)
        if size_floor(rest) <= 0:
            return then
        return replace(then, state=ConditionalState.WATCHING, reason="", size=rest)

    def _recount(self) -> None:
        """Count the fills of purchases, late fills of sales, and trades that failed."""
        for each in tuple(self._known.values()):
            followed = follow_purchases(
                each, matched=self.sales.sold_size, failed=self.sales.failed_size,
                is_open=self._may_bring_more,
            )  # fmt: skip
            if followed is not None:
                if followed.size > each.size:
                    self.triggers.note_fill(each.conditional_id)
                is_over = followed.state.is_over
                self._save(followed, followed.reason if is_over else "follows its order's fills")
        for each in tuple(self._known.values()):
            found = recount(each, matched=self.sales.sold_size, failed=self.sales.failed_size)
            if found is None:
                continue
            is_back = found.conditional.state.is_active and not each.state.is_active
            if is_back and any(other.is_all for other in self._active(each.token_id)):
                # The one for the whole position covers them already.
                found = replace(found, conditional=replace(each, counted=found.conditional.counted))
            text = UNDONE if found.back else f"{format_shares(found.late)} more sold than reported"
            self._save(found.conditional, text, level=Level.BAD)
            if found.back:
                words = f"A sale FAILED on chain: {_describe_returned_shares(found.conditional, found.back)}"
                self._kernel.log.notice(Level.BAD, words, until_read=True)

    def _may_bring_more(self, order_id: OrderId) -> bool:
        """Whether an order may still fill; an unknown one may while a move may still send it."""
        order = self._own.order(order_id)
        if order is None:
            return self._is_moving_to(order_id) or self._account().load is not Load.READY
        return order.status.is_open

    def _record_sale_order(
        self, conditional_id: ConditionalId, trigger: Trigger, order: PreparedOrder
    ) -> str:
        """Record the order of a sale before it is sent, or return why it must not be sent."""
        known = self._known[conditional_id]
        if unwanted := _why_unwanted(known, trigger):
            return f"Not sold: {unwanted}"
        selling = replace(known, sale=order.order_id)
        if known.is_all:
            selling = replace(selling, size=order.size)
        self._put(selling)
        text = f"{describe_conditional(known)}: sells as {selling.sale}"
        self._journal.record_conditional(selling, text, at=self._kernel.clock.now())
        return ""

    def _check_sale(self, conditional_id: ConditionalId, reason: str) -> None:
        """Show that a sale is unconfirmed and being checked."""
        known = self._known[conditional_id]
        if known.state is ConditionalState.SELLING:
            known = replace(known, state=ConditionalState.CHECKING, reason=reason)
        text = f"sale unconfirmed, checking before it sells more: {reason}"
        self._save(known, text, level=Level.WARNING, is_repeat=_repeats(known))

    def _count_abandoned_sale(self, left: ConditionalOrder, order_id: OrderId) -> None:
        """Count a sale without a task of its own: from an earlier session, or after a fault."""

        async def learn() -> None:
            if await self.sales.read_outcome(order_id, since=left.created_at):
                self._finish(left.conditional_id, Sale(ZERO, "its last sale did not fill"))

        self._kernel.start_unless_running(("left sale", order_id), "conditional order", learn)

    def _check_all(self) -> None:
        _ = self.pause_if_locked()
        self._endings.check()
        tokens = {e.token_id for e in self.view() if e.state is ConditionalState.WATCHING}
        for token_id in tokens:
            self._check_book(token_id)
        self._stale_books.report(tokens)

    def pause_if_locked(self) -> bool:
        """Pause all orders if order entry is locked; return whether it is.

        This is done at once, as entry may be unlocked before the next check.
        """
        if not self._locked():
            return False
        active = [each for each in self.view() if each.state.is_active]
        if active:
            self.pause_all(KILLED)
            # Also true after the unlock, which resumes nothing.
            until = f"until you resume {'it' if len(active) == 1 else 'them'} (C)"
            text = f"{count(len(active), 'stop')} paused by {KILLED} {until}"
            self._kernel.log.notice(Level.BAD, text, until_read=True, cause=PAUSES)
        return True


def _new_id() -> ConditionalId:
    return ConditionalId(secrets.token_hex(6))


def _repeats(each: ConditionalOrder) -> bool:
    """Whether an order has failed so often that further tries are not news."""
    return each.state.is_active and each.tries > SLOW_AFTER


def _describe_sold(sold: Micros, sale: Sale) -> str:
    if sold <= 0:
        return f"nothing sold: {sale.problem}"
    if sale.average is None:
        return f"sold {format_shares(sold)}"
    average = Micros((sale.average + _HUNDREDTH // 2) // _HUNDREDTH * _HUNDREDTH)
    return f"sold {format_shares(sold)} at {with_cent_sign(average)}"


def _still_reversible(counted: tuple[CountedFills, ...], now: datetime) -> tuple[CountedFills, ...]:
    return tuple(sale for sale in counted if now - sale.at < MAY_FAIL_FOR)


def _why_unwanted(each: ConditionalOrder, trigger: Trigger) -> str:
    """Return why a sale that was not sent yet is no longer wanted; empty while it is."""
    if each.state is not ConditionalState.SELLING:
        return f"the stop is {each.state.value}"
    has_price = each.has_stop if trigger is Trigger.STOP else each.take_profit is not None
    return "" if has_price else f"its {trigger.value} was cancelled"


def _is_paused(each: ConditionalOrder) -> bool:
    return each.state is ConditionalState.PAUSED


def _is_forced(each: ConditionalOrder) -> bool:
    """Whether something other than the trader paused an order."""
    return _is_paused(each) and each.reason != _BY_YOU


def _describe_returned_shares(each: ConditionalOrder, back: Micros) -> str:
    shares = f"{format_micros(back)} {each.outcome} came back"
    match each.state:
        case ConditionalState.CANCELLED:
            return f"{shares} UNPROTECTED, the stop was cancelled"
        case ConditionalState.DONE:
            return f"{shares} and are protected by the stop for the whole position"
        case ConditionalState.PAUSED:
            return f"{shares} UNPROTECTED, the stop is paused: {each.reason}"
        case _:
            return f"{shares} and are protected again: {describe_conditional(each)}"
