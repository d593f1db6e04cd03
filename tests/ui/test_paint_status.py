from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import line_width
from pmtui.ui.format import zone_at
from pmtui.ui.paint_status import describe_health, paint_status
from pmtui.ui.theme.theme import Role

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def health(source: Source, state: HealthState, *, age_s: int = 1, reason: str = "") -> SourceHealth:
    return SourceHealth(source, state, NOW - timedelta(seconds=age_s), reason)


STATUS = StatusView(
    profile="paper",
    mode=Mode.PAPER,
    mode_reason="",
    cash=Micros(10_000_000_000),
    portfolio_value=Micros(10_012_340_000),
    open_orders=2,
    unknown_orders=0,
    unread_notices=0,
    health=tuple(
        health(s, HealthState.IDLE if s is Source.RELAYER else HealthState.LIVE) for s in Source
    ),
    clock_skew_ms=12,
    now=NOW,
)


def test_a_replay_that_stands_still_is_not_called_live() -> None:
    line = paint_status(STATUS, 80, paused_reason="recording ended")
    said = "".join(cell.text for cell in line)
    assert ("recording ended" in said, "live" in said) == (True, False)
    down = replace(STATUS, health=(health(Source.TRADING, HealthState.DOWN, reason="lost"),))
    line = paint_status(down, 80, paused_reason="recording ended")
    assert "down: lost" in "".join(cell.text for cell in line)


def text(view: StatusView, width: int) -> str:
    return "".join(cell.text for cell in paint_status(view, width))


def test_a_narrow_line_says_what_is_ours_and_that_all_is_well() -> None:
    line = text(STATUS, 80)
    assert "PAPER" in line
    assert "$10,000.00" in line
    assert "2 working" in line
    assert "all live" in line


def test_nobody_is_told_of_no_orders_before_they_have_been_read() -> None:
    loading = replace(STATUS, open_orders=0, are_orders_known=False)
    assert "– working" in text(loading, 80)
    assert "0 working" not in text(loading, 80)
    assert "2+ working" in text(replace(STATUS, are_orders_known=False), 80)
    assert "0 working" in text(replace(STATUS, open_orders=0), 80)


def test_a_wide_line_names_no_source_that_is_well() -> None:
    line = text(STATUS, 200)
    assert line.rstrip().endswith(f"● all live  {zone_at(STATUS.now)}")
    assert not any(source.value in line for source in Source)


@pytest.mark.parametrize("width", range(40, 200, 7))
def test_the_zone_of_all_times_stands_at_the_end_at_every_width(width: int) -> None:
    down = health(Source.MARKET_STREAM, HealthState.DOWN, reason="reset by peer")
    armed = replace(STATUS, armed_until=NOW + timedelta(minutes=5), unknown_orders=1)
    for view in (STATUS, armed, replace(armed, health=(down, *STATUS.health))):
        line = text(view, width)
        assert len(line) == width
        assert line.rstrip().endswith(f" {zone_at(STATUS.now)}")
    assert "all live" in text(STATUS, width) or width < 60


def test_trouble_is_named_even_where_there_is_no_room_for_all() -> None:
    down = health(Source.MARKET_STREAM, HealthState.DOWN, reason="reset by peer")
    others = tuple(h for h in STATUS.health if h.source is not Source.MARKET_STREAM)
    line = text(replace(STATUS, health=(down, *others)), 80)
    assert "stream down: reset by peer" in line


@pytest.mark.parametrize(("age_s", "is_said"), [(1, False), (75, True)])
def test_cash_that_is_read_no_more_says_how_old_it_is(age_s: int, *, is_said: bool) -> None:
    view = replace(STATUS, account_as_of=NOW - timedelta(seconds=age_s))
    assert ("$10,000.00 updated 1m ago" in text(view, 120)) is is_said


def test_an_old_answer_is_not_called_live() -> None:
    words, _ = describe_health(health(Source.TRADING, HealthState.LIVE, age_s=90), NOW)
    assert words == "1m old"


def test_a_request_that_waits_for_its_turn_is_told() -> None:
    waiting = replace(health(Source.TRADING, HealthState.LIVE), waiting=4)
    assert describe_health(waiting, NOW)[0] == "waiting, 3 ahead"


def test_an_unknown_order_is_said_in_words() -> None:
    assert "1 unconfirmed" in text(replace(STATUS, unknown_orders=1), 100)


def test_read_only_says_why_and_shows_no_money() -> None:
    view = replace(
        STATUS,
        mode=Mode.READ_ONLY,
        mode_reason="no key: viewing only, no trading",
        cash=None,
        portfolio_value=None,
    )
    line = text(view, 100)
    assert "READ-ONLY" in line
    assert "no key" in line
    assert "$" not in line


@pytest.mark.parametrize("width", [80, 120, 200])
def test_locked_and_armed_are_said_in_words_at_every_width(width: int) -> None:
    until = NOW + timedelta(minutes=5)
    assert " ARMED " in text(replace(STATUS, armed_until=until), width)
    assert " LOCKED " in text(replace(STATUS, kill_lock="entry is locked since then"), width)
    both = text(replace(STATUS, kill_lock="entry is locked since then", armed_until=until), width)
    assert "ARMED" not in both
    waiting = replace(STATUS, kill_lock="entry is locked since then", is_kill_waiting=True)
    assert " LOCKED, not cancelled yet " in text(waiting, width)
    assert "ARMED" not in text(replace(STATUS, armed_until=NOW), width)
    assert not {"ARMED", "LOCKED"} & set(text(STATUS, width).split())


def test_a_clock_that_is_off_is_told() -> None:
    assert "clock off by 95s" in text(replace(STATUS, clock_skew_ms=-95_000), 140)


@pytest.mark.parametrize(
    ("skew_ms", "is_said"), [(None, False), (0, False), (2_000, False), (2_001, True)]
)
def test_a_clock_is_told_once_it_matters(skew_ms: int | None, is_said: bool) -> None:
    assert ("clock off" in text(replace(STATUS, clock_skew_ms=skew_ms), 140)) is is_said


@pytest.mark.parametrize(
    ("round_trip_ms", "said"), [(None, ""), (45, ""), (500, ""), (501, "0.5s"), (2_300, "2.3s")]
)
def test_a_slow_line_is_told_once_it_matters(round_trip_ms: int | None, said: str) -> None:
    trading = replace(health(Source.TRADING, HealthState.LIVE), round_trip_ms=round_trip_ms)
    line = text(replace(STATUS, health=(trading,)), 140)
    assert line.partition("round trip ")[2].partition(" ")[0] == said


@pytest.mark.parametrize("reason", ["[/] [bold]x", "\x1b[2J", "line\nbreak", "\u202eabc"])
def test_a_hostile_reason_is_harmless(reason: str) -> None:
    down = (health(Source.TRADING, HealthState.DOWN, reason=reason),)
    line = text(replace(STATUS, health=down), 100)
    assert "\x1b" not in line
    assert "\n" not in line
    assert "\u202e" not in line


@given(st.integers(1, 250), st.integers(0, 10**15))
def test_the_line_always_has_the_width_of_the_screen(width: int, cash: int) -> None:
    assert line_width(paint_status(replace(STATUS, cash=Micros(cash)), width)) == width


def test_conditional_orders_that_watch_are_counted() -> None:
    assert "2 stops" in text(replace(STATUS, watching=2), 160)
    assert "stop" not in text(STATUS, 160)


def test_a_conditional_order_that_is_paused_is_warned_of_beside_active_ones() -> None:
    view = replace(STATUS, watching=2, paused=1)
    assert "2 stops  1 stop paused" in text(view, 160)
    (cell,) = (cell for cell in paint_status(view, 160) if cell.text == "1 stop paused")
    assert cell.role is Role.NOTICE_WARN
    assert "1 stop paused" in text(replace(BUSY, paused=1, health=DOWN), 80)
    assert "paused" not in text(STATUS, 160)


def test_what_watches_a_book_that_is_not_good_is_not_told_as_watching() -> None:
    assert "1 stop  1 stop blind" in text(replace(STATUS, watching=2, blind=1), 160)
    line = text(replace(BUSY, watching=1, blind=1, paused=1, health=DOWN), 80)
    assert "1 stop  " not in line
    assert "1 stop blind  1 stop paused" in line
    assert "…" not in line


@pytest.mark.parametrize(
    ("result", "words"), [(1_250_000, "today +$1.25"), (-90_000, "today -$0.09")]
)
def test_the_days_result_is_told_where_there_is_room(result: int, words: str) -> None:
    view = replace(STATUS, day_result=Micros(result))
    assert words in text(view, 160).replace("\u2212", "-")
    busy = replace(view, unread_notices=5)
    assert words in text(busy, 80).replace("\u2212", "-")
    assert "5 notices" not in text(busy, 80)
    cramped = replace(busy, unknown_orders=3)
    assert "today" not in text(cramped, 70)
    assert "unconfirmed" in text(cramped, 70)


def test_armed_keys_that_rest_do_not_look_armed() -> None:
    armed = replace(STATUS, armed_until=STATUS.now + timedelta(minutes=1))
    (keys,) = (cell for cell in paint_status(armed, 80) if "ARMED" in cell.text)
    (resting,) = (
        cell for cell in paint_status(armed, 80, are_keys_locked=True) if "ARMED" in cell.text
    )
    assert (keys.text, keys.role) == (" ARMED 1:00 ", Role.ARMED)
    assert (resting.text, resting.role) == (" ARMED, ticket open ", Role.DIM)


DOWN = tuple(
    health(source, HealthState.DOWN, reason="no complete answer in time")
    for source in Source if source is not Source.RELAYER
)  # fmt: skip
BUSY = replace(
    STATUS, armed_until=NOW + timedelta(minutes=5), watching=1, day_result=Micros(12_340_000),
    heartbeat=HeartbeatView(HeartbeatPolicy.ON, BeatState.BEATING, NOW),
)  # fmt: skip


def test_armed_at_80_columns_what_matters_is_whole() -> None:
    for words in ("PAPER", " ARMED 5:00 ", "cash $10,000.00", "2 working", "1 stop", "all live"):
        assert words in text(BUSY, 80)
    assert "today" not in text(BUSY, 80)
    trouble = text(replace(BUSY, health=DOWN), 80)
    for words in (
        "PAPER",
        " ARMED 5:00 ",
        "cash $10,000.00",
        "2 working",
        "1 stop",
        "trading down +4",
    ):
        assert words in trouble


@pytest.mark.parametrize("view", [BUSY, replace(BUSY, health=DOWN), replace(STATUS, health=DOWN)])
def test_nothing_on_the_line_is_cut(view: StatusView) -> None:
    for width in (*range(79, 130), 160, 200):
        line = text(view, width)
        assert len(line) == width
        assert "…" not in line
        assert "cash $10,000.00" in line
        assert "2 working" in line
        assert ("down" in line) is (view.health is DOWN)


def test_the_reason_stays_before_a_sum_that_the_portfolio_shows_too() -> None:
    one = (*STATUS.health[1:], health(Source.METADATA, HealthState.DOWN, reason="host timed out"))
    line = text(replace(STATUS, health=one, day_result=Micros(1_000_000)), 80)
    assert "lists down: host timed out" in line
    assert "equity" not in line


def test_of_several_in_trouble_the_one_is_named_that_costs_most() -> None:
    assert "trading down: no complete answer in time and 4 more" in text(
        replace(STATUS, health=DOWN), 116
    )
    late = (health(Source.TRADING, HealthState.LIVE, age_s=90), DOWN[0])
    assert "market lists down" in text(replace(STATUS, health=late), 80)
