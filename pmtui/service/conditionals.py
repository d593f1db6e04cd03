"""Watches over conditional orders: their books, their sales, and that none sells twice.

They live in this program only. Each change of one is in the journal, so that a restart brings them
back, at rest: the market may have gone anywhere meanwhile, and only the trader starts them again.
A sale goes the way of every order, through the desk; no other one of the same conditional order
starts before it is known how that one ended.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from pmtui.domain.book_view import BookView
from pmtui.domain.conditional import (
    Conditional,
    ConditionalId,
    ConditionalPlan,
    ConditionalState,
    Trigger,
    after_sale,
    at_rest,
    due,
    plan_problems,
    sale_of,
    say_conditional,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.market import Market, MarketTerms, Side
from pmtui.domain.money import ZERO, Micros, format_micros
from pmtui.domain.order import Order, OrderStatus
from pmtui.domain.verdict import Rejected
from pmtui.service.desk import Desk
from pmtui.service.hub import HubSubscription
from pmtui.service.journal import Journal, JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.service.views import AccountView, Level
from pmtui.service.words import shorten

BLIND_AFTER = timedelta(seconds=10)
"""A book that cannot be trusted for so long is a notice: nothing fires from it."""
LOOKS_EVERY_S = 1.0
COOL_OFF_S = 1.0
"""Between two sales of one conditional order of which the first brought nothing."""
RESTARTED = "the program was restarted"

_IN_DOUBT = frozenset({OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN})


class Conditionals:
    """Every conditional order of a profile."""

    def __init__(
        self,
        kernel: Kernel,
        journal: Journal,
        desk: Desk,
        *,
        account: Callable[[], AccountView],
        book_of: Callable[[TokenId], BookView],
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
        order_of: Callable[[OrderId], Order | None],
        locked: Callable[[], str],
    ) -> None:
        self._kernel = kernel
        self._journal = journal
        self._desk = desk
        self._account = account
        self._book_of = book_of
        self._market_of = market_of
        self._order_of = order_of
        self._locked = locked
        self._known: dict[ConditionalId, Conditional] = {}
        self._subscription: HubSubscription | None = None
        self._watched: frozenset[Topic] = frozenset()
        self._blind_since: dict[TokenId, datetime] = {}
        self._told_blind: set[TokenId] = set()
        self._moved = asyncio.Event()

    def view(self) -> tuple[Conditional, ...]:
        """Return those that are not over, the oldest first."""
        return tuple(each for each in self._known.values() if not each.state.is_over)

    async def restore(self) -> None:
        """Take up what an earlier session left, at rest."""
        found = await self._journal.conditionals()
        if isinstance(found, JournalProblem):
            self._kernel.log.notice(Level.BAD, f"Conditional orders cannot be read: {found.text}")
            return
        for each in found:
            if not each.state.is_over:
                self._put(at_rest(each, each.reason if _rests(each) else RESTARTED))
        if self._known:
            count = len(self._known)
            text = f"{count} conditional order(s) are back, at rest; start them where still wanted"
            self._kernel.log.notice(Level.WARNING, text)

    async def run(self) -> None:
        """Notice books that are not to be trusted, and the kill switch."""
        while True:
            await self._kernel.clock.sleep(LOOKS_EVERY_S)
            self._look_around()

    def add(self, plan: ConditionalPlan) -> str:
        """Watch over a plan from now on, or return why not."""
        market, terms = self._market_of(plan.condition_id)
        problem = self._why_not(plan, terms)
        if problem or market is None or terms is None:
            return problem or "The market's trading terms are not loaded yet"
        index = terms.token_ids.index(plan.token_id)
        labels = terms.outcome_labels
        self._save(
            Conditional(
                conditional_id=ConditionalId(secrets.token_hex(6)),
                condition_id=plan.condition_id,
                token_id=plan.token_id,
                outcome=labels[index] if index < len(labels) else f"outcome {index + 1}",
                title=market.question,
                size=plan.size,
                stop=plan.stop,
                take_profit=plan.take_profit,
                give_way=plan.give_way,
                created_at=self._kernel.clock.now(),
            ),
            "watching",
        )
        return ""

    def start(self, conditional_id: ConditionalId) -> str:
        """Watch over one that is at rest again, or return why not."""
        known = self._known.get(conditional_id)
        if known is None or known.state is not ConditionalState.RESTING:
            return "It is not at rest"
        _, terms = self._market_of(known.condition_id)
        plan = ConditionalPlan(
            known.condition_id, known.token_id, known.size, known.stop, known.take_profit,
            known.give_way,
        )  # fmt: skip
        problem = self._why_not(plan, terms)
        if not problem:
            self._save(replace(known, state=ConditionalState.WATCHING, reason=""), "watching")
        return problem

    def rest(self, conditional_id: ConditionalId, reason: str) -> None:
        """Let one do nothing until it is started again; a sale on its way goes on."""
        known = self._known.get(conditional_id)
        if known is not None and known.state is ConditionalState.WATCHING:
            self._save(at_rest(known, reason), f"at rest: {reason}")

    def cancel(self, conditional_id: ConditionalId) -> None:
        """End one for good; a sale on its way goes on."""
        known = self._known.get(conditional_id)
        if known is not None and not known.state.is_over:
            over = replace(known, state=ConditionalState.CANCELLED, reason="by you")
            self._save(over, "cancelled")

    def _why_not(self, plan: ConditionalPlan, terms: MarketTerms | None) -> str:
        if terms is None or plan.token_id not in terms.token_ids:
            return "The market's trading terms are not loaded yet"
        if locked := self._locked():
            return locked
        account = self._account()
        if account.balance is None:
            return "What you hold is not known yet"
        book = self._book_of(plan.token_id)
        problems = plan_problems(
            plan, held=_held(account, plan.token_id),
            bid=book.best_bid if book.state.is_good else None, tick=terms.tick_size,
        )  # fmt: skip
        return problems[0] if problems else ""

    def _save(self, changed: Conditional, text: str, *, level: Level = Level.INFO) -> None:
        self._put(changed)
        line = f"Conditional order to {say_conditional(changed)}: {text}"
        self._journal.note_conditional(changed, line, at=self._kernel.clock.now())
        self._kernel.log.add(level, "order", f"{line}  {shorten(changed.title)}")

    def _put(self, changed: Conditional) -> None:
        self._known[changed.conditional_id] = changed
        self._kernel.mark(AccountTopic())
        self._watch()

    def _watch(self) -> None:
        topics: set[Topic] = set()
        for each in self._known.values():
            if each.state in (ConditionalState.WATCHING, ConditionalState.SELLING):
                topics |= {BookTopic(each.token_id), MarketTopic(each.condition_id)}
        if frozenset(topics) == self._watched:
            return
        self._watched = frozenset(topics)
        before = self._subscription
        self._subscription = self._kernel.hub.subscribe(topics, self._hear) if topics else None
        # Only now: a book that stays must not lose its last watcher in between.
        if before is not None:
            before.close()

    def _hear(self, topic: Topic) -> None:
        if isinstance(topic, BookTopic):
            self._look(topic.token_id)

    def _look(self, token_id: TokenId) -> None:
        book = self._book_of(token_id)
        if not book.state.is_good:
            self._blind_since.setdefault(token_id, self._kernel.clock.now())
            return
        self._see_again(token_id)
        for each in tuple(self._known.values()):
            trigger = due(each, book.best_bid) if each.token_id == token_id else None
            if trigger is not None:
                self._fire(each, trigger, book)

    def _fire(self, each: Conditional, trigger: Trigger, book: BookView) -> None:
        if locked := self._locked():
            self._save(at_rest(each, locked), f"at rest: {locked}", level=Level.BAD)
            return
        bid = format_micros(Micros((book.best_bid or ZERO) * 100))
        text = f"its {trigger.value} is reached at a best bid of {bid}¢; selling"
        selling = replace(each, state=ConditionalState.SELLING)
        self._save(selling, text, level=Level.WARNING)
        self._kernel.start("conditional order", lambda: self._sell(selling, trigger))

    async def _sell(self, selling: Conditional, trigger: Trigger) -> None:
        sold, problem = await self._sale(selling, trigger)
        known = self._known[selling.conditional_id]
        if known.state is not ConditionalState.SELLING:
            # Cancelled meanwhile: what was sold is sold, and nothing more is.
            return
        if sold <= 0:
            await self._kernel.clock.sleep(COOL_OFF_S)
            known = self._known[selling.conditional_id]
            if known.state is not ConditionalState.SELLING:
                return
        then = after_sale(known, sold, problem=problem)
        text = f"sold {format_micros(sold)}" if sold > 0 else f"nothing sold: {problem}"
        level = Level.GOOD if sold > 0 else Level.BAD
        if then.state is ConditionalState.WATCHING:
            text = f"{text}; watching on"
        elif then.state is ConditionalState.RESTING:
            text = f"{text}; at rest: {then.reason}"
        self._save(then, text, level=level)
        self._look(then.token_id)

    async def _sale(self, selling: Conditional, trigger: Trigger) -> tuple[Micros, str]:
        """Sell once; returns what was sold and why nothing was."""
        _, terms = self._market_of(selling.condition_id)
        if terms is None:
            return ZERO, "the market's trading terms are not loaded"
        account, token_id = self._account(), selling.token_id
        sales = _sales(account, token_id)
        if any(sale.status in _IN_DOUBT for sale in sales):
            return ZERO, "a sale of it is still being checked"
        intent = sale_of(
            selling, trigger, held=_held(account, token_id), tick=terms.tick_size
        )  # fmt: skip
        if intent is None:
            return ZERO, "no shares are held that could be sold"
        order = self._desk.prepare(intent)
        if isinstance(order, Rejected):
            return ZERO, order.reason
        in_the_way = sales if account.sellable(token_id) < intent.size else ()
        verdict = await self._desk.verdict(self._desk.flatten(order, in_the_way))
        if isinstance(verdict, Rejected):
            return ZERO, verdict.reason
        end = await self._end_of(verdict.order_id)
        return end.matched_size, end.reason or "nobody bought at that price"

    async def _end_of(self, order_id: OrderId) -> Order:
        """Wait until it is known how a sale ended, however long that takes."""
        while True:
            order = self._order_of(order_id)
            if order is not None and not order.status.is_open:
                return order
            self._moved.clear()
            await self._moved.wait()

    def on_order(self, _: Order) -> None:
        """Hear that something is known of an order of ours."""
        self._moved.set()

    def _look_around(self) -> None:
        if locked := self._locked():
            for each in self.view():
                self.rest(each.conditional_id, locked)
        tokens = {e.token_id for e in self.view() if e.state is ConditionalState.WATCHING}
        now = self._kernel.clock.now()
        for token_id in tokens:
            self._look(token_id)
            since = self._blind_since.get(token_id)
            if since is not None and now - since >= BLIND_AFTER:
                self._tell_blind(token_id)
        for token_id in self._blind_since.keys() - tokens:
            del self._blind_since[token_id]
            self._told_blind.discard(token_id)

    def _tell_blind(self, token_id: TokenId) -> None:
        if token_id not in self._told_blind:
            self._told_blind.add(token_id)
            state = self._book_of(token_id).state.value
            text = f"Conditional orders see nothing: the book is {state}. None fires meanwhile"
            self._kernel.log.notice(Level.BAD, text)

    def _see_again(self, token_id: TokenId) -> None:
        self._blind_since.pop(token_id, None)
        if token_id in self._told_blind:
            self._told_blind.discard(token_id)
            self._kernel.log.notice(Level.GOOD, "Conditional orders see their book again")


def _rests(each: Conditional) -> bool:
    return each.state is ConditionalState.RESTING


def _sales(account: AccountView, token_id: TokenId) -> tuple[Order, ...]:
    return tuple(o for o in account.orders_at(token_id) if o.side is Side.SELL)


def _held(account: AccountView, token_id: TokenId) -> Micros:
    """Return the shares held, those that open sales speak for included."""
    return dict(account.balances).get(token_id, account.shares(token_id))
