"""Every state the local venue can be put into is told by the service, and forgotten afterwards.

Service, clients and venue are the real ones; the service dates things by the venue's clock, which
moves only when told, and looks after states without a pause.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from pmtui.config.endpoints import Dialect
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import VenueState
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    OrderStatus,
    Rejected,
    TimeInForce,
    Verdict,
)
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.markets.venue_states import ASK_PERIOD_S, CHECK_PERIOD_S
from pmtui.service.profile import Profile
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, MarketTopic, TapeTopic
from pmtui.service.views import Load, Mode
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import TimeWithoutPolls, on_first_key, urls_of
from tests.cli.test_missed_events import until
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue

HERE, YES = ConditionId(RAIN), TokenId(RAIN_YES)


class _LookingOften(TimeWithoutPolls):
    """States are looked after all the time."""

    @override
    async def sleep(self, seconds: float) -> None:
        await super().sleep(0.01 if seconds == CHECK_PERIOD_S else seconds)

    @override
    def monotonic(self) -> float:
        return self.now().timestamp()


@dataclass
class StepStatus:
    """The service, and the operator of the venue it trades at."""

    service: DataService
    ann: Person
    """Whose key the service has."""
    bob: Person

    def states(self) -> list[VenueState]:
        return [fact.state for fact in self.service.queries.market(HERE).venue]

    async def until(self, *states: VenueState) -> None:
        await until(self.service, lambda: self.states() == list(states))

    async def place(self, price: str, size: str, *, is_post_only: bool = False) -> Verdict:
        prepared = await self.service.commands.prepare(
            LimitIntent(
                condition_id=HERE, token_id=YES, side=Side.BUY, price=parse_micros(price),
                size=parse_micros(size), is_post_only=is_post_only,
            )
        )  # fmt: skip
        assert isinstance(prepared, PreparedOrder)
        async with asyncio.timeout(60):
            return await self.service.commands.verdict(
                self.service.commands.place(prepared.order_id)
            )

    async def refused(self, *, is_post_only: bool = False) -> None:
        assert isinstance(await self.place("0.30", "10", is_post_only=is_post_only), Rejected)

    async def accepted(self, *, is_post_only: bool = False) -> None:
        assert isinstance(await self.place("0.30", "10", is_post_only=is_post_only), Accepted)


@asynccontextmanager
async def stand(
    folder: Path, make_clock: Callable[[RunningVenue], TimeWithoutPolls] = _LookingOften
) -> AsyncIterator[StepStatus]:
    async with small_venue(folder) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        async with _service_of(running, folder, make_clock(running)) as service:
            service.hub.subscribe(
                [MarketTopic(HERE), BookTopic(YES), TapeTopic(YES)], lambda _: None
            )
            await until(service, lambda: service.queries.account().load is Load.READY)
            await until(service, lambda: service.queries.market(HERE).terms is not None)
            yield StepStatus(service, ann, bob)


@asynccontextmanager
async def _service_of(
    running: RunningVenue, folder: Path, clock: TimeWithoutPolls
) -> AsyncIterator[DataService]:
    service = DataService(
        profile=Profile("test", Mode.LIVE), connect=on_first_key(urls_of(running), clock, dialect=Dialect.LIVE), clock=clock,
        journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
    )  # fmt: skip
    async with service.running():
        yield service


async def test_a_restart_and_the_careful_minutes_after_it(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        await here.ann.admin("POST", "/restart", {"seconds": 30, "post_only_s": 120})
        await here.refused()
        await here.until(VenueState.RESTARTING)
        here.ann.pass_time(35)
        await here.refused()
        await here.until(VenueState.POST_ONLY)
        await here.accepted(is_post_only=True)
        await here.until(VenueState.POST_ONLY)
        here.ann.pass_time(120)
        await here.until()
        await here.accepted()


async def test_the_modes_of_the_exchange_end_by_an_accepted_order(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        for mode, state in (
            ("cancel only", VenueState.CANCEL_ONLY),
            ("disabled", VenueState.DISABLED),
        ):
            await here.ann.admin("POST", "/mode", {"mode": mode})
            await here.refused()
            await here.until(state)
            await here.ann.admin("POST", "/mode", {"mode": "normal"})
            await here.accepted()
            await here.until()


async def test_a_trade_of_others_shows_that_the_venue_trades_again(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        await here.ann.admin("POST", "/mode", {"mode": "cancel only"})
        await here.refused()
        await here.until(VenueState.CANCEL_ONLY)
        await here.ann.admin("POST", "/mode", {"mode": "normal"})
        here.ann.pass_time(5)
        await here.bob.rest(Side.BUY, "0.40", "10")
        sold = await here.bob.place(Side.BUY, "0.60", "10", TimeInForce.FAK, token=RAIN_NO)
        assert sold.json()["status"] == "matched", sold.text
        await here.until()


async def test_a_region_that_is_refused_is_asked_about_until_it_is_not(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        await here.ann.admin("POST", "/geoblock", {"blocked": True, "country": "XX"})
        await here.refused()
        await here.until(VenueState.REGION_REFUSED)
        await here.ann.admin("POST", "/geoblock", {"blocked": False})
        here.ann.pass_time(ASK_PERIOD_S)
        await here.until()


async def test_an_account_in_close_only_mode_is_told_unasked(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        body = {"address": here.ann.wallet, "standing": "closed only"}
        await here.ann.admin("POST", "/standing", body)
        await here.refused()
        await here.until(VenueState.CLOSE_ONLY)
        await here.ann.admin("POST", "/standing", body | {"standing": "good"})
        here.ann.pass_time(ASK_PERIOD_S)
        await here.until()
        await here.ann.admin("POST", "/standing", body)
        here.ann.pass_time(ASK_PERIOD_S)
        await here.until(VenueState.CLOSE_ONLY)


async def test_a_market_that_delays_takers_is_told_by_the_answer(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        await here.ann.admin("POST", "/delays", {"condition_id": RAIN, "seconds": 3})
        await here.bob.rest(Side.BUY, "0.60", "10", token=RAIN_NO)
        verdict = await here.place("0.45", "10")
        assert isinstance(verdict, Accepted)
        assert verdict.status is OrderStatus.DELAYED
        await here.until(VenueState.DELAYED)


async def test_a_budget_that_runs_out_is_told_and_fills_up_again(tmp_path: Path) -> None:
    async with stand(tmp_path) as here:
        await here.accepted()
        assert here.states() == []
        limits = {"is_enforced": True, "orders_per_s": 1, "orders_burst": 3}
        await here.ann.admin("POST", "/limits", limits)
        await here.accepted()
        await here.until(VenueState.BUDGET_LOW)
        (fact,) = here.service.queries.status().venue
        assert "orders left" in fact.text
        here.ann.pass_time(60)
        await here.until()
