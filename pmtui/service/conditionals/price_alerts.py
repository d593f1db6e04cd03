"""Price alerts: monitors their books, and reports when a price is reached.

An alert fires once and stays listed as fired until the trader removes it. Waiting alerts keep
waiting after a restart, on the books as they are then. Nothing fires from a book that is stale,
crossed, lossy or loading: the alert keeps waiting.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.alerts import (
    AlertId,
    AlertInputs,
    AlertPlan,
    AlertState,
    PriceAlert,
    describe_plan,
    describe_ring,
    end,
    plan_problem,
    ring_at,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.hub import FollowedTopics
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AlertTopic, BookTopic, TapeTopic, Topic, WatchlistTopic
from pmtui.service.views import Level
from pmtui.service.words import shorten

CLOCK_S = 5.0
"""The longest delay in noticing a condition that depends only on time."""
UNKNOWN = "The market is loading"


class PriceAlerts:
    """All price alerts of a profile."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        book_of: Callable[[TokenId], BookView],
        tape_of: Callable[[TokenId], Sequence[TradePrint]],
        queue_of: Callable[[TokenId], Micros | None],
        market_of: Callable[[ConditionId], Market | None],
        keep: Callable[[PriceAlert | AlertId], None],
    ) -> None:
        """Create the feed.

        Args:
            kernel: what every feed needs.
            book_of: returns a token's current book.
            tape_of: returns a token's known public trades.
            queue_of: returns the fewest shares ahead of an own order in a token; None without one.
            market_of: returns a market, if it is known.
            keep: saves an alert, or its removal by id.
        """
        self._kernel = kernel
        self._book_of = book_of
        self._tape_of, self._queue_of = tape_of, queue_of
        self._market_of = market_of
        self._keep = keep
        self._known: dict[AlertId, PriceAlert] = {}
        self._followed = FollowedTopics(kernel.hub, self._on_book, is_in_sight=False)
        self.fired = 0
        """How many fired in this session."""

    def view(self) -> tuple[PriceAlert, ...]:
        """Return all alerts, oldest first."""
        return tuple(self._known.values())

    def restore(self, alerts: Iterable[PriceAlert]) -> None:
        """Restore the alerts of an earlier session; waiting ones keep waiting."""
        self._known = {alert.alert_id: alert for alert in alerts}
        self._watch()

    def merge(self, alerts: Iterable[PriceAlert]) -> bool:
        """Apply alerts that another terminal set, fired or removed; return whether anything changed."""
        before = self._known
        self._known = {each.alert_id: _further(before.get(each.alert_id), each) for each in alerts}
        is_news = self._known != before
        if is_news:
            self._watch()
            self._mark()
        return is_news

    async def add(self, plan: AlertPlan) -> str:
        """Add an alert; return why not, or "" on success."""
        market = self._market_of(plan.condition_id)
        if market is None or plan.token_id not in market.token_ids:
            return UNKNOWN
        if market.closed:
            return "The market is closed: its price will not move"
        waiting = tuple(a.plan for a in self.view() if a.state is AlertState.WAITING)
        problem = plan_problem(plan, self._book_of(plan.token_id), waiting)
        if problem:
            return problem
        alert = PriceAlert(
            alert_id=AlertId(secrets.token_hex(6)),
            plan=plan,
            outcome=market.outcomes[market.token_ids.index(plan.token_id)].label,
            title=market.distinct_name,
            created_at=self._kernel.clock.now(),
        )
        self._put(alert)
        text = f"Price alert set: {alert.outcome} {describe_plan(plan)} · {shorten(alert.title)}"
        self._kernel.log.add(Level.INFO, "notice", text)
        return ""

    async def remove(self, alert_id: AlertId) -> str:
        """Remove an alert in any state; return why not, or "" on success."""
        if self._known.pop(alert_id, None) is not None:
            self._keep(alert_id)
            self._watch()
            self._mark()
        return ""

    def end_market(self, condition_id: ConditionId) -> None:
        """Stop waiting for a market's prices."""
        for alert in self.view():
            if alert.plan.condition_id == condition_id and alert.state is AlertState.WAITING:
                self._put(end(alert))
                text = f"Price alert over, the market has ended: {alert.outcome} "
                text += f"{describe_plan(alert.plan)} · {shorten(alert.title)}"
                self._kernel.log.notice(Level.WARNING, text)

    def _put(self, alert: PriceAlert) -> None:
        self._known[alert.alert_id] = alert
        self._keep(alert)
        self._watch()
        self._mark()

    def _mark(self) -> None:
        self._kernel.mark(WatchlistTopic())
        self._kernel.mark(AlertTopic())

    def _watch(self) -> None:
        waiting = [a.plan for a in self.view() if a.state is AlertState.WAITING]
        books: list[Topic] = [BookTopic(plan.token_id) for plan in waiting]
        tapes = [TapeTopic(plan.token_id) for plan in waiting if plan.condition]
        self._followed.follow((*books, *tapes))
        if tapes:
            self._kernel.start_unless_running("alert clock", "alert clock", self._follow_clock)

    async def _follow_clock(self) -> None:
        """Check waiting conditions regularly: time passes even if books do not change."""
        while waiting := {
            a.plan.token_id
            for a in self.view()
            if a.state is AlertState.WAITING and a.plan.condition
        }:
            for token_id in waiting:
                self._check(token_id)
            await self._kernel.clock.sleep(CLOCK_S)

    def _on_book(self, topic: Topic) -> None:
        if isinstance(topic, BookTopic | TapeTopic):
            self._check(topic.token_id)

    def _check(self, token_id: TokenId) -> None:
        waiting = [
            alert
            for alert in self.view()
            if alert.plan.token_id == token_id and alert.state is AlertState.WAITING
        ]
        if not waiting:
            return
        sight = AlertInputs(book=self._book_of(token_id), now=self._kernel.clock.now())
        if any(alert.plan.condition for alert in waiting):
            # A price is checked with every change of its book, which is enough.
            market = self._market_of(waiting[0].plan.condition_id)
            sight = replace(
                sight,
                prints=self._tape_of(token_id),
                ends_at=market.end_at if market is not None else None,
                queue_ahead=self._queue_of(token_id),
            )
        for alert in waiting:
            after = ring_at(alert, sight)
            if after is not alert:
                self._fire(after)

    def _fire(self, alert: PriceAlert) -> None:
        self.fired += 1
        self._put(alert)
        text = f"Price alert: {alert.outcome}: {describe_ring(alert)} · {shorten(alert.title)}"
        self._kernel.log.notice(Level.WARNING, text)


def _further(ours: PriceAlert | None, kept: PriceAlert) -> PriceAlert:
    """Return the later of two states of one alert: one that fired waits no more."""
    return kept if ours is None or ours.state is AlertState.WAITING else ours
