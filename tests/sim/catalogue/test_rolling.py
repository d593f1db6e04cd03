from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.sim.catalogue.gamma import chain_ids
from pmtui.sim.catalogue.model import Activity, MarketState
from pmtui.sim.catalogue.rolling import COINS, WINDOW, windows_between

NOW = datetime(2026, 11, 21, 9, 32, 17, tzinfo=UTC)


def test_every_coin_has_one_window_in_each_five_minutes() -> None:
    events = windows_between(NOW, NOW + timedelta(minutes=30), now=NOW)
    starts = [event.markets[0].starts_at for event in events]
    assert len(events) == 6 * len(COINS)
    assert len(set(starts)) == 6
    assert starts[0] == datetime(2026, 11, 21, 9, 35, tzinfo=UTC)
    for event in events:
        market = event.markets[0]
        assert market.is_window
        assert market.starts_at is not None
        assert market.ends_at == market.starts_at + WINDOW
        assert market.outcomes == ("Up", "Down")


def test_windows_that_are_over_come_resolved() -> None:
    events = windows_between(NOW - timedelta(minutes=20), NOW, now=NOW)
    states = {event.markets[0].ends_at: event.markets[0].state for event in events}
    for ends_at, state in states.items():
        assert ends_at is not None
        assert state is (MarketState.RESOLVED if ends_at <= NOW else MarketState.OPEN)


def test_a_window_wakes_when_it_starts() -> None:
    start = datetime(2026, 11, 21, 9, 35, tzinfo=UTC)
    [market, *_] = windows_between(start, start + WINDOW, now=NOW)[0].markets
    assert market.activity_at(NOW) is Activity.QUIET
    assert market.activity_at(start) is Activity.FAST


@given(minutes=st.integers(0, 3_000_000))
def test_a_window_has_the_same_ids_on_every_run(minutes: int) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    first = windows_between(start, start + WINDOW, now=start)
    later = windows_between(start, start + WINDOW, now=start + timedelta(days=2))
    assert [one.event_id for one in first] == [one.event_id for one in later]
    for before, after in zip(first, later, strict=True):
        assert before.markets[0].token_ids == after.markets[0].token_ids
        assert after.markets[0].state is MarketState.RESOLVED
        derived = chain_ids(before.markets[0].question_id, neg_risk=False)
        assert derived == (before.markets[0].condition_id, before.markets[0].token_ids)


def test_no_window_lies_in_an_empty_stretch() -> None:
    assert windows_between(NOW, NOW, now=NOW) == []
