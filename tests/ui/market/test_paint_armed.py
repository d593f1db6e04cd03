from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import SCALE, Micros
from pmtui.domain.orders.single_keys import OneKey
from pmtui.ui.cells import Line, line_width
from pmtui.ui.market.paint_armed import ArmedKeys, paint_armed
from pmtui.ui.theme.theme import Role

CENT = 10_000
PRICES = {key: Micros((40 + n) * CENT) for n, key in enumerate(OneKey)}
LETTERS = "BS,.<>UD"
KEYS = {key.name.lower(): letter for key, letter in zip(OneKey, LETTERS, strict=True)}
ARMED = ArmedKeys(
    presets=tuple(Micros(n * SCALE) for n in (5, 10, 50, 100, 500)),
    chosen=3,
    prices=PRICES,
    keys=KEYS | {"preset_4": "4", "flatten_now": "F", "toggle_arming": "v"},
    held=Micros(500 * SCALE),
    closing=Micros(-1_600_000),
    round_trip_ms=38,
    left_s=292,
    tick=Micros(CENT),
)


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_every_key_stands_with_its_price() -> None:
    first, second = (text_of(line) for line in paint_armed(ARMED, 160))
    assert ", join bid 42¢  . join ask 43¢  < improve bid 44¢  > improve ask 45¢" in first
    assert first.rstrip().endswith("rtt 38 ms  disarms 4:52")
    assert "D hit 47¢  U lift 46¢  B buy here 40¢  S sell here 41¢" in second
    assert "F flatten 500 -$1.60" in second
    assert "v disarm" in second


def test_a_key_that_would_send_nothing_has_no_price_and_the_chosen_size_stands_out() -> None:
    armed = replace(ARMED, prices={**PRICES, OneKey.IMPROVE_BID: None})
    first, _ = paint_armed(armed, 160)
    assert "< improve bid –" in text_of(first)
    chosen = [cell.text.strip() for cell in first if cell.role is Role.ARMED]
    assert chosen == ["ARMED", "100"]


@given(st.integers(0, 200), st.integers(-5, 10_000))
def test_both_lines_keep_their_width_and_the_clock(width: int, left_s: int) -> None:
    for line in paint_armed(replace(ARMED, left_s=left_s), width):
        assert line_width(line) == width
    if width >= 60:
        minutes, seconds = divmod(max(0, left_s), 60)
        first = text_of(paint_armed(replace(ARMED, left_s=left_s), width)[0])
        assert f"{minutes}:{seconds:02}" in first


def test_eighty_columns_hold_every_key_with_its_price_and_the_round_trip() -> None:
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    keys |= {"cancel_bids": "(", "cancel_asks": ")"}
    armed = replace(ARMED, keys={**ARMED.keys, **keys})
    first, second = (text_of(line) for line in paint_armed(armed, 80))
    assert " 1 5 2 10 3 50 4 100  5 500" in first
    assert ", bid 42 < 44 . ask 43 > 45" in first
    assert first.rstrip().endswith("38ms off 4:52")
    assert "D hit 47 U lift 46 B buy 40 S sell 41 F flat 500 -$1.60" in second
    assert second.rstrip().endswith("( bids ) asks v off")


def test_the_usual_width_leaves_no_key_out() -> None:
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    keys |= {"cancel_bids": "(", "cancel_asks": ")"}
    fine = {key: Micros(price + 1_000) for key, price in PRICES.items()}
    armed = replace(ARMED, keys={**ARMED.keys, **keys}, prices=fine)
    for width in (110, 120, 132):
        first, second = (text_of(line) for line in paint_armed(armed, width))
        assert all(sign in first for sign in ("5 500", ", bid", "<", ". ask", ">", "rtt 38 ms"))
        assert all(sign in second for sign in ("D hit", "U lift", "F flat", "( bids", "v off"))
