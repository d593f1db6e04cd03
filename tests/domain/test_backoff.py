from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.backoff import Backoff


@given(seed=st.integers(), attempts=st.integers(1, 40))
def test_pauses_double_within_their_jitter_up_to_the_longest(seed: int, attempts: int) -> None:
    backoff = Backoff(first_s=0.25, longest_s=30.0, jitter=Random(seed).random)
    for attempt in range(attempts):
        step = min(0.25 * 2**attempt, 30.0)
        assert step / 2 <= backoff.next_s() <= step


def test_without_jitter_they_are_whole_steps() -> None:
    backoff = Backoff(first_s=1.0, longest_s=3.0)
    assert [backoff.next_s() for _ in range(4)] == [1.0, 2.0, 3.0, 3.0]


def test_a_reset_starts_with_the_shortest_again() -> None:
    backoff = Backoff(first_s=1.0, longest_s=30.0)
    assert backoff.is_reset
    _ = backoff.next_s()
    assert not backoff.is_reset
    backoff.reset()
    assert backoff.is_reset
    assert backoff.next_s() == 1.0
