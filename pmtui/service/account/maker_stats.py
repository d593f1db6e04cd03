"""Queue positions, scoring and rewards of our resting orders.

Queue positions are estimated from book, tape and own orders together. An estimate lasts as long as its
book is subscribed. A new order starts behind the size displayed at that moment. One that existed
before (a restart) starts behind all size that is not ours, and for a while also behind added size, as
a newly subscribed book may be incomplete; until then it is not shown. After a gap (an unwatched book,
a lost stream) the same applies, but the size ahead before the gap is the maximum, since later size is
behind: that is shown. An estimate is never better than the evidence, and never rises.

The venue is asked periodically whether orders score for rewards, and for the rewards of each day.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import NamedTuple

from pmtui.domain.answers import Failure
from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.queue import QueueSpot, join_queue, resume_queue, update_queue
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.rewards import Earned, earned_on
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import Order, OrderStatus, TradePrint
from pmtui.service.account.account import AccountFeed
from pmtui.service.books.books import BooksFeed
from pmtui.service.kernel import Kernel, ask_while_watched
from pmtui.service.ports import Account, EarningsHost
from pmtui.service.topics import AccountTopic, BookTopic, RewardsTopic, Topic
from pmtui.service.views import EarnedView, Load, TapeView

QUEUE_PERIOD_S = 0.1
SHOWN_AFTER_S = 2.0
"""By then the stream has shown an order that the host has accepted."""
MET_AGAIN_S = 10.0
"""For this long after an order was seen again, all size that appears at its price counts as ahead."""
_RESTING = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})


@dataclass(slots=True)
class QueuedOrder:
    """One order in the queue at its price."""

    spot: QueueSpot
    resting_since_s: float | None = None
    """When it was first known to rest; None while it may not have arrived."""
    doubted_until_s: float = 0.0
    """Until then, added size may have been ahead all along: the book was not watched."""
    most: Micros | None = None
    """The largest size ahead before the last gap; None without an estimate."""


@dataclass(slots=True)
class Lines:
    """Own orders in one token's book."""

    standing: dict[OrderId, QueuedOrder] = field(default_factory=dict)
    book: BookView | None = None
    """The book at the last update while it was good; None after a gap."""
    orders: tuple[Order, ...] = ()
    sequence: int = 0
    """Number of trades counted so far."""
    ahead: dict[OrderId, Micros] = field(default_factory=dict)
    """Size ahead of each order at the last update, if known."""
    displayed: frozenset[OrderId] = frozenset()
    """Those of them that the book certainly shows."""


class QueueFeed:
    """Estimates the queue ahead of each own order."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        open_orders: Callable[[], Iterable[Order]],
        book_of: Callable[[TokenId], BookView],
        tape_of: Callable[[TokenId], TapeView],
    ) -> None:
        self._kernel = kernel
        self._open_orders = open_orders
        self._book_of = book_of
        self._tape_of = tape_of
        self._lines: dict[TokenId, Lines] = {}
        self._has_orders = asyncio.Event()

    async def run(self) -> None:
        """Update the queue estimate of every book with own orders, several times a second."""
        while True:
            await self._has_orders.wait()
            await self._kernel.clock.sleep(QUEUE_PERIOD_S)
            self.update()
            if not self._lines:
                self._has_orders.clear()

    def on_order(self, order: Order) -> None:
        """Estimate the queue ahead of a new order at once: the book does not show the order yet."""
        if order.status.is_open:
            self._has_orders.set()
        lines = self._lines.get(order.token_id)
        if order.status.is_open and (lines is None or order.order_id not in lines.standing):
            self.update()

    def ahead(self) -> tuple[tuple[OrderId, Micros], ...]:
        """Return the estimates for orders that rest in a trusted book."""
        return tuple(each for lines in self._lines.values() for each in lines.ahead.items())

    def displayed(self) -> frozenset[OrderId]:
        """Return the orders that the size displayed at their price certainly includes."""
        return frozenset().union(*(lines.displayed for lines in self._lines.values()))

    def update(self) -> None:
        """Apply the changes since the last update."""
        by_token: dict[TokenId, list[Order]] = {}
        for order in self._open_orders():
            by_token.setdefault(order.token_id, []).append(order)
        for token_id in [t for t in self._lines if t not in by_token]:
            del self._lines[token_id]
        for token_id, orders in by_token.items():
            lines = self._lines.setdefault(token_id, Lines())
            self._update_line(token_id, lines, tuple(orders))
            before = lines.ahead, lines.displayed
            lines.ahead = self._known_ahead(lines)
            lines.displayed = frozenset(o for o in lines.ahead if lines.standing[o].spot.own_shown)
            if before != (lines.ahead, lines.displayed):
                self._kernel.mark(BookTopic(token_id))

    def _known_ahead(self, lines: Lines) -> dict[OrderId, Micros]:
        """Return the size ahead of each order; for a doubtful one the maximum, if that is known."""
        found: dict[OrderId, Micros] = {}
        now = self._kernel.clock.monotonic()
        for order_id, standing in lines.standing.items() if lines.book is not None else ():
            is_doubtful = now < standing.doubted_until_s
            ahead = standing.most if is_doubtful else standing.spot.ahead
            if standing.resting_since_s is not None and ahead is not None:
                found[order_id] = ahead
        return found

    def _update_line(self, token_id: TokenId, lines: Lines, orders: tuple[Order, ...]) -> None:
        book, tape = self._book_of(token_id), self._tape_of(token_id)
        if not book.state.is_good:
            lines.book = None
            return
        is_shown = all(s.spot.own_shown or s.resting_since_s is None
                         for s in lines.standing.values())  # fmt: skip
        if book is lines.book and orders == lines.orders and is_shown:
            return
        is_gap = lines.book is None
        missed = max(0, tape.sequence - lines.sequence)
        prints = () if is_gap else tape.prints[:missed]
        sizes, before = _sizes(book), _sizes(lines.book)
        standing: dict[OrderId, QueuedOrder] = {}
        for order in orders:
            displayed = sizes.get(order.price, ZERO)
            known = lines.standing.get(order.order_id)
            if known is None:
                grown = displayed - before.get(order.price, ZERO)
                standing[order.order_id] = self._join(order, displayed, grown, is_gap=is_gap)
            else:
                standing[order.order_id] = self._stand(
                    known, order, displayed, prints, is_gap=is_gap
                )
        lines.standing, lines.book, lines.orders = standing, book, orders
        lines.sequence = tape.sequence

    def _join(self, order: Order, displayed: Micros, grown: int, *, is_gap: bool) -> QueuedOrder:
        now = self._kernel.clock.monotonic()
        if order.status not in _RESTING:
            return QueuedOrder(join_queue(displayed), None)
        # Seen at the first update and not new: it existed before, and the book shows it.
        age = self._kernel.clock.now() - order.created_at
        if is_gap and age.total_seconds() >= SHOWN_AFTER_S:
            spot = join_queue(displayed, own_shown=order.remaining_size)
            return QueuedOrder(spot, now - SHOWN_AFTER_S, now + MET_AGAIN_S)
        # The book may have shown it first: size added since the last update then includes all of
        # it.
        is_shown = not is_gap and grown >= order.remaining_size
        return QueuedOrder(
            join_queue(displayed, own_shown=order.remaining_size if is_shown else ZERO), now
        )

    def _stand(
        self,
        known: QueuedOrder,
        order: Order,
        displayed: Micros,
        prints: tuple[TradePrint, ...],
        *,
        is_gap: bool,
    ) -> QueuedOrder:
        now = self._kernel.clock.monotonic()
        rests = order.status in _RESTING
        if not rests and not is_gap:
            # Still on its way: the displayed size may include it already, and the rest of that is
            # ahead.
            before = max(known.spot.ahead, displayed - order.remaining_size)
            return QueuedOrder(QueueSpot(Micros(before), displayed), known.resting_since_s)
        since_s = known.resting_since_s
        if since_s is None and rests:
            since_s = now
        # Size that appears at once with it is taken for ours; what was seen stays seen.
        has_come = displayed - known.spot.displayed >= order.remaining_size
        is_seen = known.spot.own_shown > 0 or (has_come and not is_gap)
        is_shown = since_s is not None and (is_seen or now - since_s >= SHOWN_AFTER_S)
        shown = order.remaining_size if is_shown else ZERO
        if is_gap:
            spot = resume_queue(known.spot, displayed, own_shown=shown)
            # After being watched for long enough, the size ahead is known.
            most = known.spot.ahead if now >= known.doubted_until_s else known.most
            return QueuedOrder(spot, since_s, now + MET_AGAIN_S, most)
        against = order.side.opposite
        traded = sum(p.size for p in prints if p.price == order.price and p.side is against)
        spot = update_queue(known.spot, displayed, traded=Micros(traded), own_shown=shown)
        most = None if known.most is None else Micros(max(0, known.most - traded))
        if now < known.doubted_until_s and displayed > known.spot.displayed:
            spot = join_queue(displayed, own_shown=shown)
            if most is not None:
                spot = replace(spot, ahead=min(spot.ahead, most))
        return QueuedOrder(spot, since_s, known.doubted_until_s, most)


def _sizes(book: BookView | None) -> dict[Micros, Micros]:
    levels = () if book is None else (*book.bids, *book.asks)
    return {level.price: level.size for level in levels}


SCORING_CHECK_S = 2.0
SCORING_PERIOD_S = 30.0
"""The venue samples once a minute; a market's midpoint may move meanwhile."""
LARGEST_QUESTION = 100
"""Orders in one request; the newest first."""


class ScoringFeed:
    """The own orders that scored at the last request."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        account: Callable[[], Account | None],
        open_orders: Callable[[], Iterable[Order]],
    ) -> None:
        self._kernel = kernel
        self._account = account
        self._open_orders = open_orders
        self._scoring: frozenset[OrderId] = frozenset()
        self._asked: frozenset[OrderId] = frozenset()
        self._asked_at_s = float("-inf")

    @property
    def scoring(self) -> frozenset[OrderId]:
        """Own orders that earned rewards at the last request."""
        return self._scoring

    async def keep_asking(self) -> None:
        """While watched, ask soon after the orders have changed, else twice a minute."""
        while True:
            await self._kernel.clock.sleep(SCORING_CHECK_S)
            if self._kernel.hub.is_watched(AccountTopic()):
                await self.ask_if_due()

    async def ask_if_due(self) -> None:
        """Request the scoring of every resting order, unless that was done recently."""
        account, now = self._account(), self._kernel.clock.monotonic()
        resting = [o.order_id for o in self._open_orders() if o.status in _RESTING]
        wanted = frozenset(resting[:LARGEST_QUESTION])
        is_old = now - self._asked_at_s >= SCORING_PERIOD_S
        if wanted:
            if account is None or account.scoring is None or not (is_old or wanted - self._asked):
                return
            self._asked, self._asked_at_s = wanted, now
            ids = tuple(o for o in resting if o in wanted)
            answer = self._kernel.check(Source.TRADING, await account.scoring.are_scoring(ids))
            if isinstance(answer, Failure):
                return
            scoring = frozenset(o for o, is_scoring in answer.items() if is_scoring)
        else:
            scoring = frozenset()
        if scoring != self._scoring:
            self._scoring = scoring
            self._kernel.mark(AccountTopic())
            for topic in self._kernel.hub.watched():
                if isinstance(topic, BookTopic):
                    self._kernel.mark(topic)


EARNED_PERIOD_S = 60.0
"""The venue samples once a minute."""
EARNED_DAYS = 7
"""Today and the days before it, in UTC, as rewards are counted and paid."""
NOBODY_TELLS = "rewards are not available here"


class EarnedFeed:
    """The rewards of each day: a past day is requested once, today repeatedly."""

    def __init__(self, kernel: Kernel, *, account: AccountFeed) -> None:
        self._kernel = kernel
        self._account = account
        self._days: dict[date, tuple[Earned, ...]] = {}
        self._over: set[date] = set()
        """Days that were requested after they were over."""
        self._view = EarnedView()

    def view(self) -> EarnedView:
        """Return the known rewards."""
        return self._view

    def on_demand(self, topic: Topic) -> None:
        """Request rewards as soon as the topic is watched."""
        if topic == RewardsTopic():
            self._start()

    def refresh(self) -> None:
        """Fetch the rewards of every day again."""
        self._over.clear()
        self._start()

    async def keep_asking(self) -> None:
        """While watched, ask periodically, and as soon as the account is open."""
        await ask_while_watched(
            self._kernel,
            RewardsTopic(),
            self._start,
            opened=self._account.opened,
            period_s=EARNED_PERIOD_S,
        )

    def _start(self) -> None:
        self._kernel.start_unless_running("earned", "rewards", self._ask)

    async def _ask(self) -> None:
        account = self._account.account
        if account is None:
            return
        if account.earnings is None:
            self._put(EarnedView(load=Load.FAILED, problem=NOBODY_TELLS))
            return
        today = self._kernel.clock.now().date()
        days = [today - timedelta(days=back) for back in range(EARNED_DAYS)]
        self._days = {day: rows for day, rows in self._days.items() if day in days}
        self._over.intersection_update(days)
        for day in days:
            if day not in self._over:
                failure = await self._ask_day(account.earnings, day, is_over=day < today)
                if failure is not None:
                    self._put(self._as_far_as_known(str(failure)))
                    return
        self._put(EarnedView(self._rows(), Load.READY, self._kernel.clock.now()))

    async def _ask_day(self, host: EarningsHost, day: date, *, is_over: bool) -> Failure | None:
        check = self._kernel.check
        earnings = check(Source.TRADING, await host.earnings(day))
        if isinstance(earnings, Failure):
            return earnings
        rebates = check(Source.TRADING, await host.rebates(day))
        if isinstance(rebates, Failure):
            return rebates
        percents = None if is_over else check(Source.TRADING, await host.percentages())
        if isinstance(percents, Failure):
            return percents
        self._days[day] = earned_on(day, earnings, rebates, percents)
        if is_over:
            self._over.add(day)
        return None

    def _as_far_as_known(self, problem: str) -> EarnedView:
        rows = self._rows()
        load = Load.READY if rows or self._view.as_of is not None else Load.FAILED
        return replace(self._view, rows=rows, load=load, problem=problem)

    def _rows(self) -> tuple[Earned, ...]:
        return tuple(row for day in sorted(self._days, reverse=True) for row in self._days[day])

    def _put(self, view: EarnedView) -> None:
        self._view = view
        self._kernel.mark(RewardsTopic())


class MakerStats(NamedTuple):
    """The feeds for queue positions, scoring and earnings."""

    queue: QueueFeed
    scoring: ScoringFeed
    earned: EarnedFeed


def make_maker_stats(kernel: Kernel, account: AccountFeed, books: BooksFeed) -> MakerStats:
    """Return the feeds for one account's resting orders."""
    queue = QueueFeed(
        kernel,
        open_orders=account.own.open_orders,
        book_of=books.book,
        tape_of=books.tapes.view,
    )
    account.on_order(queue.on_order)
    scoring = ScoringFeed(
        kernel, account=lambda: account.account, open_orders=account.own.open_orders
    )
    return MakerStats(queue, scoring, EarnedFeed(kernel, account=account))
