from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pmtui.clients.streams.backoff import FIRST_S, LONGEST_S, Backoff


@given(seed=st.integers(), attempts=st.integers(1, 40))
def test_delays_double_within_their_jitter_up_to_the_longest(seed: int, attempts: int) -> None:
    backoff = Backoff(Random(seed))
    for attempt in range(attempts):
        step = min(FIRST_S * 2**attempt, LONGEST_S)
        assert step / 2 <= backoff.delay_s(lived_s=0.0) <= step


def test_only_a_connection_that_lasted_starts_the_delays_over() -> None:
    backoff = Backoff(Random(1))
    for _ in range(6):
        backoff.delay_s(lived_s=1.0)
    assert backoff.delay_s(lived_s=9.0) > 2 * FIRST_S
    assert backoff.delay_s(lived_s=10.0) <= FIRST_S
