"""What stops make of books and streams that are of before a time in which the program stood still."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.service.conditionals.triggers import CHECKS_AFTER
from tests.manual_clock import settle
from tests.service.conditional_kit import PLAN, book, m, only, protected, triggered
from tests.service.fakes import World
from tests.service.order_kit import until

HOUR_S = 3600.0


async def stand_still(world: World, *, is_machine: bool) -> None:
    """Let an hour pass; the clock that is never set stands still where the whole machine does."""
    if is_machine:
        world.clock.set_wall(timedelta(seconds=HOUR_S))
    else:
        world.clock.skip(HOUR_S)


@pytest.mark.parametrize("is_machine", [False, True])
async def test_what_was_still_to_be_read_fires_no_stop(world: World, *, is_machine: bool) -> None:
    await protected(world)
    await stand_still(world, is_machine=is_machine)
    world.stream.send(book("0.39"))
    await settle()
    await world.pass_time(1)
    # The price of now is read a little later.
    world.stream.send(book("0.60"))
    await world.pass_time(4 * CHECKS_AFTER)
    assert world.account.posted == []
    await triggered(world)


async def test_a_price_that_stays_fires_a_stop_as_soon_as_books_can_be_believed(
    world: World,
) -> None:
    await protected(world)
    await stand_still(world, is_machine=False)
    world.stream.send(book("0.39"))
    went_on_at = world.clock.monotonic()
    await until(world, lambda: world.account.posted, "the sale leaves")
    assert CHECKS_AFTER <= world.clock.monotonic() - went_on_at <= CHECKS_AFTER + 2


async def test_what_was_still_to_be_read_raises_no_trailing_stop(world: World) -> None:
    plan = replace(PLAN, stop=None, take_profit=None, trail=m("0.10"))
    await protected(world, plan)
    await until(world, lambda: only(world).stop == m("0.50"), "its first price")
    await stand_still(world, is_machine=False)
    world.stream.send(book("0.90"))
    await settle()
    world.stream.send(book("0.60"))
    await world.pass_time(4 * CHECKS_AFTER)
    assert only(world).stop == m("0.50")
