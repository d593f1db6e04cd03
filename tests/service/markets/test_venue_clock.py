"""How far the venue's clock is from ours, from answers that may have waited on the way."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.service.markets.venue_clock import estimate_skew
from tests.service.fakes import World

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
HALF = timedelta(milliseconds=500)
waits = st.timedeltas(min_value=timedelta(), max_value=timedelta(seconds=30))
skews = st.timedeltas(min_value=timedelta(hours=-1), max_value=timedelta(hours=1))


def answered_at(moment: datetime) -> datetime:
    """The venue tells whole seconds."""
    return moment.replace(microsecond=0)


def test_a_quick_answer_is_good_to_half_a_second() -> None:
    told = answered_at(NOW + timedelta(seconds=90))
    skew = estimate_skew(told, NOW, NOW + timedelta(milliseconds=40), None)
    assert abs(skew - timedelta(seconds=90)) <= HALF


@given(there=waits, back=waits)
def test_an_answer_that_waited_on_its_way_is_no_skew(there: timedelta, back: timedelta) -> None:
    told = answered_at(NOW + there)
    skew = estimate_skew(told, NOW, NOW + there + back, None)
    assert abs(skew) <= timedelta(seconds=1)


@given(there=waits, back=waits, skew=skews, known=skews)
def test_what_is_believed_stays_within_what_is_possible(
    there: timedelta, back: timedelta, skew: timedelta, known: timedelta
) -> None:
    told = answered_at(NOW + there + skew)
    found = estimate_skew(told, NOW, NOW + there + back, known)
    middle = told + HALF
    assert middle - (NOW + there + back) <= found <= middle - NOW


def test_after_a_long_wait_a_known_skew_is_kept() -> None:
    known = timedelta(seconds=90)
    told = answered_at(NOW + timedelta(seconds=5) + known)
    assert estimate_skew(told, NOW, NOW + timedelta(seconds=10), known) == known


async def test_setting_our_clock_does_not_move_the_venues(world: World) -> None:
    kernel = world.service.parts.kernel
    before = kernel.venue_now()
    world.clock.set_wall(timedelta(hours=-1))
    assert kernel.venue_now() == before
    assert abs(kernel.skew - timedelta(hours=1)) <= HALF
    # It is measured again at once, and not a minute later.
    world.trading.time = before + timedelta(seconds=30)
    await world.pass_time(3)
    assert abs(kernel.venue_now() - world.trading.time) <= timedelta(seconds=3)


async def test_before_the_venues_clock_is_measured_ours_stands_in_for_it(world: World) -> None:
    world.service.parts.kernel._venue_epoch = None
    assert not world.service.parts.kernel.is_venue_clock_known
    assert world.service.parts.kernel.skew == timedelta()
    assert world.service.parts.kernel.venue_now() == world.clock.now()
    assert world.service.queries.status().clock_skew_ms is None
