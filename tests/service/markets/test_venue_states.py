"""What the venue is up to, learned from its answers and forgotten by evidence."""

from datetime import timedelta

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import RateBudget
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.venue_state import VenueState
from pmtui.domain.orders.order import CancelResult, PostResult, PostStatus, Rejected
from pmtui.service.markets.venue_states import ASK_AGAIN_S, ASK_PERIOD_S, CHECK_PERIOD_S
from tests.manual_clock import settle
from tests.service.fakes import CONDITION, World
from tests.service.order_kit import prepared, said, verdict_of

RESTARTING = Failure(FailureKind.BUSY, "POST /order", "come back later", 425)
POST_ONLY = Failure(
    FailureKind.SERVER, "POST /order",
    "post-only mode: only post-only orders and cancels are allowed", 503, retry_after_s=79,
)  # fmt: skip
CANCEL_ONLY = Failure(
    FailureKind.SERVER, "POST /order",
    "Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.", 503,
)  # fmt: skip
DISABLED = Failure(
    FailureKind.SERVER, "POST /order",
    "Trading is currently disabled. Check polymarket.com for updates", 503,
)  # fmt: skip


def refused(text: str, status: int = 400) -> Failure:
    return Failure(FailureKind.REFUSED, "POST /order", text, status)


def states(world: World) -> list[VenueState]:
    return [fact.state for fact in world.service.queries.status().venue]


def states_here(world: World) -> list[VenueState]:
    return [fact.state for fact in world.service.queries.market(CONDITION).venue]


async def answered(world: World, answer: PostResult | Failure) -> None:
    """Send an order that is answered so."""
    world.account.answers.append(answer)
    await verdict_of(world, await prepared(world))
    await settle()


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (RESTARTING, VenueState.RESTARTING),
        (POST_ONLY, VenueState.POST_ONLY),
        (CANCEL_ONLY, VenueState.CANCEL_ONLY),
        (DISABLED, VenueState.DISABLED),
        (refused("'0xAB' address banned"), VenueState.BANNED),
        (refused("'0xAB' address in closed only mode"), VenueState.CLOSE_ONLY),
        (refused("Trading restricted in your region, please", 403), VenueState.REGION_REFUSED),
    ],
)
async def test_a_refusal_tells_the_state_of_the_venue_once_aloud(
    world: World, answer: Failure, state: VenueState
) -> None:
    assert states(world) == []
    await answered(world, answer)
    assert states(world) == [state]
    assert states_here(world) == [state]
    await answered(world, answer)
    told = [e for e in world.service.queries.log().entries if f"Venue: {state}" in e.text]
    assert len(told) == 1


async def test_a_refusal_in_a_batch_tells_it_too(world: World) -> None:
    await answered(world, PostResult(None, None, CANCEL_ONLY.text))
    assert states(world) == [VenueState.CANCEL_ONLY]


async def test_an_order_that_is_accepted_ends_what_refused_orders(world: World) -> None:
    for answer in (RESTARTING, CANCEL_ONLY, DISABLED, refused("'0xAB' address banned")):
        await answered(world, answer)
        assert states(world)
        await answered(world, PostResult(OrderId("0x1"), PostStatus.LIVE))
        assert states(world) == []


async def test_the_engine_is_in_one_state_at_a_time_the_one_heard_last(world: World) -> None:
    for answer, state in (
        (CANCEL_ONLY, VenueState.CANCEL_ONLY),
        (RESTARTING, VenueState.RESTARTING),
        (POST_ONLY, VenueState.POST_ONLY),
        (DISABLED, VenueState.DISABLED),
    ):
        await answered(world, answer)
        assert states(world) == [state]


async def test_a_resting_order_leaves_post_only_mode_and_a_match_ends_it(world: World) -> None:
    await answered(world, POST_ONLY)
    await answered(world, PostResult(OrderId("0x1"), PostStatus.LIVE))
    assert states(world) == [VenueState.POST_ONLY]
    await answered(world, PostResult(OrderId("0x2"), PostStatus.MATCHED))
    assert states(world) == []


async def test_post_only_mode_ends_when_the_venue_said(world: World) -> None:
    await answered(world, POST_ONLY)
    await world.pass_time(78)
    assert states(world) == [VenueState.POST_ONLY]
    await world.pass_time(6)
    assert states(world) == []
    assert said(world, "no longer post-only mode")


async def test_a_restart_is_forgotten_unless_it_is_heard_of_again(world: World) -> None:
    await answered(world, RESTARTING)
    await world.pass_time(80)
    await answered(world, RESTARTING)
    await world.pass_time(80)
    assert states(world) == [VenueState.RESTARTING]
    await world.pass_time(15)
    assert states(world) == []


async def test_a_cancel_after_a_restart_tells_that_the_careful_minutes_began(world: World) -> None:
    await answered(world, PostResult(OrderId(f"0x{1:064x}"), PostStatus.LIVE))
    await answered(world, RESTARTING)
    world.account.cancel_answers.append(CancelResult((OrderId(f"0x{1:064x}"),)))
    command = world.service.commands.cancel_all()
    await world.service.commands.cancel_verdict(command)
    assert states(world) == [VenueState.POST_ONLY]
    await world.pass_time(125)
    assert states(world) == []


async def test_a_market_that_is_not_ready_is_the_only_one(world: World) -> None:
    await answered(world, refused("the market is not yet ready to process new orders"))
    assert states(world) == []
    assert states_here(world) == [VenueState.MARKET_NOT_READY]
    await answered(world, PostResult(OrderId(f"0x{2:064x}"), PostStatus.LIVE))
    assert states_here(world) == []


async def test_a_delayed_answer_tells_of_the_market_for_good(world: World) -> None:
    await answered(world, PostResult(OrderId(f"0x{1:064x}"), PostStatus.DELAYED))
    assert states_here(world) == [VenueState.DELAYED]
    assert states(world) == []


async def test_the_accounts_standing_is_asked_and_asked_again(world: World) -> None:
    world.account.is_close_only = True
    await world.pass_time(ASK_PERIOD_S + 5)
    assert states(world) == [VenueState.CLOSE_ONLY]
    world.account.is_close_only = False
    await world.pass_time(ASK_AGAIN_S + 5)
    assert states(world) == []


async def test_the_region_is_asked_and_asked_again(world: World) -> None:
    assert said(world, "Region CH ZH: trading is not blocked")
    world.geo.is_blocked = True
    await world.pass_time(ASK_PERIOD_S + 5)
    assert states(world) == [VenueState.REGION_REFUSED]
    assert said(world, "The venue blocks trading from here (CH ZH)")
    world.geo.is_blocked = False
    await world.pass_time(ASK_AGAIN_S + 5)
    assert states(world) == []


async def test_a_low_budget_is_told_while_it_is_low(world: World) -> None:
    world.budgets[:] = [RateBudget("orders", 60, 60)]
    assert states(world) == []
    world.budgets[:] = [RateBudget("orders", 5, 60)]
    await world.pass_time(CHECK_PERIOD_S)
    (fact,) = world.service.queries.status().venue
    assert (fact.state, fact.text) == (VenueState.BUDGET_LOW, "5 of 60 orders left")
    world.budgets.clear()
    await world.pass_time(CHECK_PERIOD_S)
    assert states(world) == []


async def test_a_view_asks_no_host_how_much_of_a_budget_is_left(world: World) -> None:
    world.budgets[:] = [RateBudget("orders", 5, 60)]
    assert world.service.queries.market(CONDITION).venue == ()
    await answered(world, POST_ONLY)
    assert VenueState.BUDGET_LOW in states(world)


async def test_the_worst_comes_first_and_a_warning_holds_no_order_back(world: World) -> None:
    await answered(world, POST_ONLY)
    await answered(world, refused("'0xAB' address in closed only mode"))
    assert states(world) == [VenueState.CLOSE_ONLY, VenueState.POST_ONLY]
    order = await prepared(world)
    assert not isinstance(order, Rejected)
    before = len(world.account.posted)
    await verdict_of(world, order)
    assert len(world.account.posted) == before + 1


async def test_what_is_known_has_its_time_and_its_source(world: World) -> None:
    await answered(world, POST_ONLY)
    (fact,) = world.service.queries.status().venue
    assert fact.text == POST_ONLY.text
    assert fact.until == fact.as_of + timedelta(seconds=79)
