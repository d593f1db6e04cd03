from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, line_width
from pmtui.ui.facts import (
    CHANGE_WIDTH,
    LEFT_WIDTH,
    MONEY_WIDTH,
    PRICE_WIDTH,
    describe_age,
    join_facts,
    key_of,
    paint_change,
    paint_mid,
    paint_money,
    paint_price,
    paint_time_left,
    unique_keys,
)
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, Keymap
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW

prices = st.integers(0, 1_000_000).map(Micros)


@given(prices)
def test_a_price_always_fits_its_column(price: Micros) -> None:
    assert len(paint_price(price).text) <= PRICE_WIDTH


@given(st.integers(-1_000_000, 1_000_000).map(Micros))
def test_a_change_always_fits_its_column_and_has_its_sign(change: Micros) -> None:
    cell = paint_change(change)
    assert len(cell.text) <= CHANGE_WIDTH
    if abs(change) > 500:
        assert cell.text[0] == ("+" if change > 0 else "-")
        assert cell.role is (Role.UP if change > 0 else Role.DOWN)


@pytest.mark.parametrize(
    ("bid", "ask", "mid"),
    [
        (260_000, 261_000, "26.05¢"),
        (261_000, 262_000, "26.15¢"),
        (388_000, 390_000, "38.9¢"),
        (388_000, 388_010, "38.8¢"),
    ],
)
def test_a_mid_between_two_ticks_keeps_its_last_digit_where_it_fits(
    bid: int, ask: int, mid: str
) -> None:
    assert paint_mid(Micros(bid), Micros(ask), Role.TEXT).text == mid


def test_the_figures_of_a_list_line_up_on_the_point_and_a_change_has_its_sign() -> None:
    assert [paint_price(Micros(n)).text for n in (330_000, 885_000)] == ["33.0¢", "88.5¢"]
    changes = (-30_000, 85_000, 0, 300, -300)
    assert [paint_change(Micros(n)).text for n in changes] == [
        "-3.0¢", "+8.5¢", "0.0¢", "+<0.1¢", "-<0.1¢",
    ]  # fmt: skip


@given(st.integers(0, 10**18).map(Micros))
def test_a_volume_always_fits_its_column(amount: Micros) -> None:
    text = paint_money(amount).text
    assert len(text) <= MONEY_WIDTH
    assert "#" not in text


@given(st.integers(-(10**9), 10**9))
def test_a_time_left_always_fits_its_column(seconds: int) -> None:
    assert len(paint_time_left(NOW + timedelta(seconds=seconds), NOW).text) <= LEFT_WIDTH


def test_what_is_absent_is_a_dash_and_never_zero() -> None:
    assert [paint_price(None).text, paint_change(None).text, paint_money(None).text] == ["–"] * 3
    assert paint_time_left(None, NOW).text == "–"


@pytest.mark.parametrize(
    ("age_s", "said"),
    [
        (0, "updated now"),
        (35, "updated now"),
        (36, "updated 36s ago"),
        (7200, "updated 2h ago"),
    ],
)
def test_an_age_is_said_once_it_matters(age_s: int, said: str) -> None:
    assert describe_age(NOW - timedelta(seconds=age_s), NOW).text == said


def test_facts_without_room_are_left_out_whole() -> None:
    facts = [Cell("first 12"), Cell("a second one that is long"), Cell("third 3")]
    assert "".join(c.text for c in join_facts(facts, 20)) == " first 12  third 3"
    assert line_width(join_facts(facts, 200)) < 200


def test_a_tail_needs_some_room() -> None:
    facts = [Cell("first 12")]
    assert "tail" not in "".join(c.text for c in join_facts(facts, 20, tail="tail " * 9))
    assert "tail" in "".join(c.text for c in join_facts(facts, 30, tail="tail " * 9))


def test_a_sentence_names_the_key_the_user_chose() -> None:
    assert key_of(DEFAULT_KEYMAP, "global.refresh") == "r"
    assert key_of(Keymap({"global.refresh": ("ctrl+r",)}), "global.refresh") == "ctrl+r"
    assert key_of(Keymap({"global.refresh": ()}), "global.refresh") == "the palette"


def test_rows_of_one_name_keep_their_keys_when_a_new_one_comes_on_top() -> None:
    assert unique_keys(["a", "b", "a"]) == ("a#1", "b", "a")
    assert unique_keys(["a", "a", "b", "a"])[1:] == ("a#1", "b", "a")
