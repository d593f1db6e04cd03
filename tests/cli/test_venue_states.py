"""Every state the local venue can be put into is told by the service, and forgotten afterwards.

Service, clients and venue are the real ones; the service dates things by the venue's clock, which
moves only when told, and looks after states without a pause.
"""

from pathlib import Path

from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import VenueState
from pmtui.domain.orders.order import (
    Accepted,
    OrderStatus,
    TimeInForce,
)
from pmtui.service.markets.venue_states import ASK_PERIOD_S
from tests.cli.at_venue import service_at_venue
from tests.sim.kit import RAIN, RAIN_NO


async def test_a_restart_and_the_careful_minutes_after_it(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path) as here:
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
    async with service_at_venue(tmp_path) as here:
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
    async with service_at_venue(tmp_path) as here:
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
    async with service_at_venue(tmp_path) as here:
        await here.ann.admin("POST", "/geoblock", {"blocked": True, "country": "XX"})
        await here.refused()
        await here.until(VenueState.REGION_REFUSED)
        await here.ann.admin("POST", "/geoblock", {"blocked": False})
        here.ann.pass_time(ASK_PERIOD_S)
        await here.until()


async def test_an_account_in_close_only_mode_is_told_unasked(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path) as here:
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
    async with service_at_venue(tmp_path) as here:
        await here.ann.admin("POST", "/delays", {"condition_id": RAIN, "seconds": 3})
        await here.bob.rest(Side.BUY, "0.60", "10", token=RAIN_NO)
        verdict = await here.place("0.45", "10")
        assert isinstance(verdict, Accepted)
        assert verdict.status is OrderStatus.DELAYED
        await here.until(VenueState.DELAYED)


async def test_a_budget_that_runs_out_is_told_and_fills_up_again(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path) as here:
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
