"""What our resting orders brought on the last days; asked only while somebody looks."""

from dataclasses import replace
from datetime import date, timedelta

from pmtui.domain.account.earned import Earned, earned_on
from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.service.account.account import AccountFeed
from pmtui.service.books.while_watched import ask_while_watched
from pmtui.service.kernel import Kernel
from pmtui.service.ports import EarningsHost
from pmtui.service.topics import RewardsTopic, Topic
from pmtui.service.views import EarnedView, Load

ASK_PERIOD_S = 60.0
"""The venue samples once a minute."""
DAYS = 7
"""Today and the days before it, by UTC, as rewards are counted and paid."""
NOBODY_TELLS = "nobody tells what was earned here"


class EarnedFeed:
    """Keeps what was told of each day; a day that is over is asked once, yesterday's until then."""

    def __init__(self, kernel: Kernel, *, account: AccountFeed) -> None:
        self._kernel = kernel
        self._account = account
        self._days: dict[date, tuple[Earned, ...]] = {}
        self._over: set[date] = set()
        """Days that were asked about when they were over."""
        self._view = EarnedView()

    def view(self) -> EarnedView:
        """Return what is known now."""
        return self._view

    def on_demand(self, topic: Topic) -> None:
        """Ask when somebody begins to look."""
        if topic == RewardsTopic():
            self._start()

    def refresh(self) -> None:
        """Ask about every day anew."""
        self._over.clear()
        self._start()

    async def keep_asking(self) -> None:
        """While somebody looks, ask now and then, and as soon as the account is open."""
        await ask_while_watched(
            self._kernel,
            RewardsTopic(),
            self._start,
            opened=self._account.opened,
            period_s=ASK_PERIOD_S,
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
        days = [today - timedelta(days=back) for back in range(DAYS)]
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
