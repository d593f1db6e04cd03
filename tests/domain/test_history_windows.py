"""Stretches of time cover all of a history, whatever has to be read again in smaller ones."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.answers import BEGAN, NARROWEST, Window, first_window, next_window

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ends = st.datetimes(datetime(2020, 1, 2), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def read_all(end: datetime, is_whole: Callable[[Window], bool]) -> list[Window]:
    read: list[Window] = []
    window: Window | None = first_window(end)
    for _ in range(5_000):
        if window is None:
            return read
        whole = is_whole(window)
        if whole or window.is_narrowest:
            read.append(window)
        window = next_window(window, is_whole=whole)
    raise AssertionError("it does not end")


@given(ends, st.integers(1, 2_000), st.randoms())
def test_what_was_read_has_no_holes_and_reaches_the_beginning(
    end: datetime, longest_h: int, rng: object
) -> None:
    longest = timedelta(hours=longest_h)
    busy = end - timedelta(days=rng.randint(0, 3_000))  # type: ignore[attr-defined]

    def is_whole(window: Window) -> bool:
        is_busy = window.begin <= busy <= window.end
        return not is_busy or window.end - window.begin <= longest

    read = read_all(end, is_whole)
    assert read[0].end == end
    assert read[-1].begin <= BEGAN
    assert all(older.end == newer.begin for newer, older in itertools.pairwise(read))
    assert all(each.after < each.begin < each.end < each.before for each in read)


def test_a_quiet_history_is_read_in_a_few_stretches() -> None:
    assert len(read_all(NOW, lambda _: True)) <= 10


def test_a_minute_with_too_much_in_it_is_passed() -> None:
    busy = NOW - timedelta(seconds=90)
    read = read_all(NOW, lambda window: not window.begin <= busy <= window.end)
    assert sum(each.begin <= busy <= each.end for each in read) <= 2
    assert min(each.end - each.begin for each in read) == NARROWEST
