"""Detects the venue's state from its own replies, and drops it on contrary evidence.

It sees every reply to an order or a cancellation, queries what can be queried (the account's
closed-only status, the geographic check), and drops a state when a reply, a trade or its own end
contradicts it. States are shown as warnings; they block nothing.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from pmtui.domain.answers import Failure, GeoAnswer
from pmtui.domain.health import RateBudget, Source, scarcest
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.markets.venue_state import (
    OF_A_MARKET,
    OF_THE_ENGINE,
    POST_ONLY_LASTS,
    Evidence,
    VenueFact,
    VenueState,
    fact_of_refusal,
    facts_of_terms,
    in_order,
)
from pmtui.domain.orders.order import CancelResult, Order, OrderStatus, PostResult, PostStatus
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Account, Hosts
from pmtui.service.topics import AccountTopic, MarketTopic, StatusTopic
from pmtui.service.views import Level

CHECK_PERIOD_S = 5.0
ASK_PERIOD_S = 300.0
"""How often the account's status is queried while it is unrestricted."""
ASK_AGAIN_S = 30.0
"""How often a status that prevents trading is queried again."""
TRADE_MARGIN = timedelta(seconds=2)
"""A trade this much after a refusal certainly did not happen before it."""

_Key = tuple[VenueState, ConditionId | None]
_OF_THE_PLACE = frozenset({VenueState.REGION_REFUSED})
_OF_THE_ACCOUNT = frozenset({VenueState.CLOSE_ONLY, VenueState.BANNED})


class VenueStates:
    """Every state that the venue is assumed to be in."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        account: Callable[[], Account | None],
        last_trade_at: Callable[[], datetime | None],
        skew_ms: Callable[[], int | None],
    ) -> None:
        """Prepare to listen.

        Args:
            kernel: whose replies are observed.
            account: returns the private side, once there is one.
            last_trade_at: returns the time of the newest public trade, by the venue's clock.
            skew_ms: returns the venue's clock minus ours.
        """
        self._kernel = kernel
        self._account = account
        self._last_trade_at = last_trade_at
        self._skew_ms = skew_ms
        self._facts: dict[_Key, VenueFact] = {}
        self._is_region_said = False
        self._budgets: Callable[[], Iterable[RateBudget]] = tuple
        self._budget: tuple[VenueFact, ...] = ()
        """The low budget at the last check: building a view sends no request."""
        kernel.on_answer(self.on_answer)

    def facts(self) -> tuple[VenueFact, ...]:
        """Return the states of the venue and the account as a whole, the worst first."""
        now = self._kernel.clock.now()
        known = (f for f in self._facts.values() if f.condition_id is None)
        return in_order((*known, *self._budget), now)

    def facts_of(
        self, condition_id: ConditionId, terms: MarketTerms | None = None
    ) -> tuple[VenueFact, ...]:
        """Return the states that affect orders in a market, the worst first."""
        now = self._kernel.clock.now()
        known = (f for f in self._facts.values() if f.concerns(condition_id))
        of_terms = facts_of_terms(terms, now)
        return in_order((*of_terms, *known, *self._budget), now)

    def on_answer(self, source: Source, answer: object) -> None:
        """Update the state from a reply of the trading host."""
        if source is not Source.TRADING:
            return
        self._read_budgets()
        match answer:
            case Failure():
                self._on_refusal(answer)
            case PostResult():
                self._on_posted(answer)
            case CancelResult():
                self._on_cancelled()
            case (PostResult(), *_):
                for each in answer:
                    if isinstance(each, PostResult):
                        self._on_posted(each)
            case _:
                pass

    def on_order(self, order: Order) -> None:
        """Update a market's state from what happens to an order in it."""
        market = order.condition_id
        if order.status is OrderStatus.REJECTED:
            fact = fact_of_refusal(order.reason, now=self._now, condition_id=market)
            if fact is not None and fact.state in OF_A_MARKET:
                self._put(fact)
        elif order.status is OrderStatus.DELAYED:
            key = (VenueState.DELAYED, market)
            if key not in self._facts:
                fact = VenueFact(
                    VenueState.DELAYED, Evidence.ANSWER, self._now, condition_id=market
                )
                self._facts[key] = fact
        elif order.status in (OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED, OrderStatus.FILLED):
            self._drop((VenueState.MARKET_NOT_READY, market), "it takes orders")

    async def watch(self) -> None:
        """Drop states that have ended, and check others again if they can be checked."""
        hosts = await self._kernel.hosts()
        self._budgets = hosts.budgets
        asked_geo = asked_standing = float("-inf")
        while True:
            self._drop_outdated()
            self._read_budgets()
            now = self._kernel.clock.monotonic()
            if now - asked_geo >= self._period(_OF_THE_PLACE):
                asked_geo = now
                _ = await self.ask_location(hosts)
            account = self._account()
            if account is not None and now - asked_standing >= self._period(_OF_THE_ACCOUNT):
                asked_standing = now
                _ = await self.ask_standing(account)
            await self._kernel.clock.sleep(CHECK_PERIOD_S)

    def _period(self, states: frozenset[VenueState]) -> float:
        """Return the query interval: short while one of these states prevents trading."""
        is_bad = any(state in states for state, _ in self._facts)
        return ASK_AGAIN_S if is_bad else ASK_PERIOD_S

    @property
    def _now(self) -> datetime:
        return self._kernel.clock.now()

    def _on_refusal(self, failure: Failure) -> None:
        wait_s = failure.retry_after_s
        fact = fact_of_refusal(
            failure.text,
            now=self._now,
            status=failure.status,
            stated=None if wait_s is None else timedelta(seconds=wait_s),
        )
        if fact is not None:
            self._put(fact)

    def _on_posted(self, answer: PostResult) -> None:
        if not answer.is_accepted:
            fact = fact_of_refusal(answer.error, now=self._now)
            if fact is not None:
                self._put(fact)
            return
        # A resting order may have been post-only: it proves nothing about others.
        takes = answer.status in (PostStatus.MATCHED, PostStatus.DELAYED)
        spared = frozenset[VenueState]() if takes else frozenset({VenueState.POST_ONLY})
        for state in OF_THE_ENGINE - spared:
            self._drop((state, None), "an order was accepted")
        for state in (VenueState.BANNED, VenueState.REGION_REFUSED):
            self._drop((state, None), "an order was accepted")

    def _on_cancelled(self) -> None:
        was_restarting = (VenueState.RESTARTING, None) in self._facts
        for state in (VenueState.RESTARTING, VenueState.DISABLED):
            self._drop((state, None), "a cancellation was accepted")
        if was_restarting:
            until = self._now + POST_ONLY_LASTS
            self._put(VenueFact(VenueState.POST_ONLY, Evidence.RESTART, self._now, until=until))

    def _drop_outdated(self) -> None:
        now = self._now
        trade_at, skew = self._last_trade_at(), timedelta(milliseconds=self._skew_ms() or 0)
        for key, fact in list(self._facts.items()):
            if not fact.holds(now):
                self._drop(key, "no news of it since")
            elif (
                fact.state in OF_THE_ENGINE
                and trade_at is not None
                and trade_at - skew > fact.as_of + TRADE_MARGIN
            ):
                self._drop(key, "trades again")

    async def ask_location(self, hosts: Hosts) -> GeoAnswer | Failure:
        """Ask the venue whether it blocks trading from here; the result is shown, never worked around."""
        answer = await hosts.geo.check()
        if isinstance(answer, Failure):
            self._kernel.log.add(
                Level.WARNING, "request", f"No answer to the region check: {answer}"
            )
            return answer
        place = " ".join(filter(None, (answer.country, answer.region)))
        if answer.is_blocked:
            fact = VenueFact(VenueState.REGION_REFUSED, Evidence.GEO, self._now, text=place)
            said = f"The venue blocks trading from here ({place})"
            self._put(fact, said=said, level=Level.BAD)
            return answer
        self._drop((VenueState.REGION_REFUSED, None), f"trading from {place} is allowed")
        if not self._is_region_said:
            text = f"Region {place}: trading is not blocked"
            self._kernel.log.add(Level.INFO, "request", text)
            self._is_region_said = True
        return answer

    async def ask_standing(self, account: Account) -> bool | Failure:
        """Return whether the account may only close positions."""
        answer = self._kernel.check(Source.TRADING, await account.host.is_closed_only())
        if isinstance(answer, Failure):
            return answer
        if answer:
            self._put(VenueFact(VenueState.CLOSE_ONLY, Evidence.ACCOUNT, self._now))
        else:
            self._drop((VenueState.CLOSE_ONLY, None), "the account may open positions")
        return answer

    def budgets(self) -> tuple[RateBudget, ...]:
        """Return what the trading host's rate limits still allow, the scarcest of each name."""
        scarcest_of: dict[str, RateBudget] = {}
        for budget in self._budgets():
            known = scarcest_of.get(budget.name)
            if known is None or budget.left * known.allowed < known.left * budget.allowed:
                scarcest_of[budget.name] = budget
        return tuple(scarcest_of.values())

    def _read_budgets(self) -> None:
        """Record which budget is low; every reply of the trading host may have changed that."""
        scarce = scarcest(tuple(self._budgets()))
        text = f"{scarce.left} of {scarce.allowed} {scarce.name} left" if scarce is not None else ""
        if text != "".join(fact.text for fact in self._budget):
            fact = VenueFact(VenueState.BUDGET_LOW, Evidence.RATES, self._now, text=text)
            self._budget = (fact,) if text else ()
            self._mark()

    def _put(self, fact: VenueFact, *, said: str = "", level: Level = Level.WARNING) -> None:
        key = (fact.state, fact.condition_id)
        is_new = key not in self._facts
        if fact.state in OF_THE_ENGINE:
            # The engine is in one of them at a time: the latest reply counts.
            for state in OF_THE_ENGINE - {fact.state}:
                self._drop((state, None), f"now {fact.state.value}")
        self._facts[key] = fact
        if is_new:
            text = said or f"Venue: {fact.state.value} ({fact.text or fact.evidence.value})"
            self._kernel.log.notice(level, text)
        self._mark()

    def _drop(self, key: _Key, why: str) -> bool:
        if self._facts.pop(key, None) is None:
            return False
        self._kernel.log.add(Level.INFO, "notice", f"Venue: no longer {key[0].value}, {why}")
        self._mark()
        return True

    def _mark(self) -> None:
        self._kernel.mark(StatusTopic())
        # Screens check a ticket again when the account changes, and show the facts beside a market.
        self._kernel.mark(AccountTopic())
        for topic in self._kernel.hub.watched():
            if isinstance(topic, MarketTopic):
                self._kernel.mark(topic)
