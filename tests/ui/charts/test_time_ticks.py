import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.charts.time_ticks import time_ticks

START = datetime(2026, 6, 14, 11, 43, 7, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def labels(span: timedelta, most: int, start: datetime = START) -> list[str]:
    return [tick.label for tick in time_ticks(start, start + span, most)]


@pytest.mark.parametrize(
    ("span", "most", "told"),
    [
        (timedelta(seconds=90), 4, ["11:43:30", "11:44:00", "11:44:30"]),
        (timedelta(hours=1), 6, ["11:50", "12:00", "12:10", "12:20", "12:30", "12:40"]),
        (timedelta(hours=6), 6, ["12:00", "13:00", "14:00", "15:00", "16:00", "17:00"]),
        (timedelta(days=1), 9, ["12:00", "15:00", "18:00", "21:00", "15 Jun", "03:00", "06:00", "09:00"]),
        (timedelta(days=7), 7, ["15 Jun", "16 Jun", "17 Jun", "18 Jun", "19 Jun", "20 Jun", "21 Jun"]),
        (timedelta(days=31), 5, ["15 Jun", "22 Jun", "29 Jun", "6 Jul", "13 Jul"]),
        (timedelta(days=400), 6, ["Jul", "Oct", "2027", "Apr", "Jul"]),
    ],
)  # fmt: skip
def test_the_moments_below_a_chart_are_round(span: timedelta, most: int, told: list[str]) -> None:
    assert labels(span, most) == told


@given(
    st.datetimes(datetime(1971, 2, 1), datetime(2990, 1, 1)),  # noqa: DTZ001 - made aware below
    st.timedeltas(timedelta(seconds=1), timedelta(days=400_000)),
    st.integers(1, 20),
)
def test_there_are_never_more_than_fit_and_all_lie_in_the_span(
    start: datetime, span: timedelta, most: int
) -> None:
    first = start.replace(tzinfo=UTC)
    last = min(first + span, datetime(3000, 1, 1, tzinfo=UTC))
    ticks = time_ticks(first, last, most)
    assert len(ticks) <= most
    assert all(first <= tick.at <= last for tick in ticks)
    assert sorted(ticks) == list(ticks)


def test_midnight_is_named_by_its_day_in_the_zone_of_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "IST-5:30")
    time.tzset()
    ticks = time_ticks(START, START + timedelta(hours=12), 5)
    assert [tick.label for tick in ticks] == ["18:00", "21:00", "15 Jun", "03:00"]
    assert ticks[0].at == datetime(2026, 6, 14, 12, 30, tzinfo=UTC)


def test_a_lost_hour_of_spring_leaves_round_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    start = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)
    told = labels(timedelta(hours=8), 10, start)
    assert told[0] == "23:00"
    assert told[-1] == "08:00"
    assert all(label.endswith(":00") for label in told if ":" in label)
