import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.formats import format_dollars_down, format_dollars_up, format_shares
from pmtui.domain.money import (
    CENT,
    ONE,
    SCALE,
    Micros,
    cents_down,
    cents_near,
    cents_up,
    parse_micros,
)
from pmtui.ui import format as f


@pytest.mark.parametrize(
    ("price", "tick", "text"),
    [
        (510_000, None, "51¢"),
        (515_000, None, "51.5¢"),
        (5_000, None, "0.5¢"),
        (510_000, 1_000, "51.0¢"),
        (510_000, 100, "51.00¢"),
        (512_500, 2_500, "51.25¢"),
        (510_000, 10_000, "51¢"),
        (515_000, 10_000, "51.5¢"),
        (1_000_000, None, "100¢"),
        (0, None, "0¢"),
        (333_333, None, "33.3333¢"),
    ],
)
def test_a_price_is_in_cents_and_loses_no_digit(price: int, tick: int | None, text: str) -> None:
    assert f.format_price(Micros(price), tick=None if tick is None else Micros(tick)) == text


def test_a_price_fills_its_width_or_is_not_shown() -> None:
    assert f.format_price(CENT, width=5) == "   1¢"
    assert f.format_price(Micros(123_456), width=4) == "####"


def test_an_average_is_rounded_half_to_even() -> None:
    assert f.format_average(Micros(513_333)) == "51.3¢"
    assert f.format_average(Micros(513_500)) == "51.4¢"
    assert f.format_average(Micros(514_500)) == "51.4¢"


@pytest.mark.parametrize(
    ("price", "text"),
    [(455_333, "45.53¢"), (455_000, "45.5¢"), (450_000, "45.0¢"), (999_990, "99.99¢")],
)
def test_what_was_paid_has_a_digit_more_than_a_price_where_it_needs_it(
    price: int, text: str
) -> None:
    assert f.format_paid(Micros(price)) == text


@example(999_500)
@example(400)
@given(st.integers(1, SCALE - 1))
def test_what_is_neither_certain_nor_worthless_is_never_written_so(price: int) -> None:
    text = f.format_average(Micros(price))
    assert Micros(0) < parse_micros(text.removesuffix("¢")) < 100 * SCALE
    assert abs(parse_micros(text.removesuffix("¢")) - 100 * price) < SCALE // 10


def test_changes_carry_their_sign() -> None:
    assert f.format_price_change(Micros(15_000)) == "+1.5¢"
    assert f.format_price_change(Micros(-20_000)) == "-2¢"
    assert f.format_price_change(Micros(0)) == "0¢"
    assert f.format_money_change(Micros(3_100_000)) == "+$3.10"
    assert f.format_money_change(Micros(-3_100_000)) == "-$3.10"
    assert f.format_money_change(Micros(-4_000)) == "$0.00"


@given(st.integers(0, 10**16).map(Micros), st.integers(5, 12))
def test_no_form_of_a_size_shows_more_than_a_sentence_does(size: Micros, width: int) -> None:
    exact = size // CENT * CENT
    short, whole = f.format_size_compact(size, width=width), f.format_whole_size(size, width=width)
    for text in (short, whole):
        if "#" not in text and "<" not in text:
            assert 0 <= exact - _read_size(text) <= size // 2
    if len(format_shares(size)) <= width:
        assert short.strip() == format_shares(size)


@pytest.mark.parametrize(
    ("size", "width", "text"),
    [
        (12_399_000_000, 5, "12.3k"),
        (167_960_000, 5, "167.9"),
        (167_960_000, 4, " 167"),
        (999_960_000, 5, "999.9"),
        (999_960_000, 4, " 999"),
        (61_660_000, 4, "61.6"),
        (56_290_000, 4, "56.2"),
        (99_960_000, 4, "99.9"),
        (12_399_000_000, 6, "12,399"),
        (999_999_999_999, 5, " 999k"),
        (1_250_000_000_000, 5, " 1.2M"),
        (400_000, 3, "0.4"),
        (400_000, 2, "<1"),
        (123_456_789, 6, "123.45"),
        (123_456_789, 5, "123.4"),
        (38_272_727, 8, "   38.27"),
        (6_639_004, 8, "    6.63"),
        (89_992_727, 8, "   89.99"),
        (155_341_000, 6, "155.34"),
        (4_000, 6, " <0.01"),
        (0, 2, " 0"),
        (9_876_000_000, 3, " 9k"),
        (9_876_000_000, 1, "#"),
    ],
)
def test_a_compact_size_is_exact_or_cut(size: int, width: int, text: str) -> None:
    assert f.format_size_compact(Micros(size), width=width) == text


@pytest.mark.parametrize(
    ("size", "width", "text"),
    [("16717", 4, "17k"), ("16717", 5, "16.8k"), ("16717", 6, "16,717"), ("12500", 4, "13k"),
     ("999999.5", 4, "1.0M"), ("0", 4, "0"), ("0.000001", 4, "1"), ("110.37", 4, "111"),
     ("8.717907", 8, "9"), ("9010.73", 8, "9,011")],
)  # fmt: skip
def test_a_size_that_must_not_look_smaller_is_rounded_up(size: str, width: int, text: str) -> None:
    assert f.format_size_ceil(parse_micros(size), width=width) == text


@given(st.integers(0, 10**15), st.integers(4, 9))
def test_a_size_rounded_up_never_says_less_than_there_is(size: int, width: int) -> None:
    text = f.format_size_ceil(Micros(size), width=width).replace(",", "")
    units = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
    factor = units.get(text[-1], 1)
    whole, _, fraction = text.rstrip("kMBT").partition(".")
    shown = (int(whole) * SCALE + int(fraction.ljust(6, "0"))) * factor
    assert len(text) <= width
    assert size <= shown <= size + max(size // 2, SCALE)


def test_how_large_a_size_is_decides_how_it_is_written_not_its_fraction() -> None:
    for whole in (1_234, 56_697, 76_812):
        for fraction in (0, 500_000, 123_456):
            size = Micros(whole * SCALE + fraction)
            assert f.format_size_compact(size, width=6) == f"{whole:,}".rjust(6)


@given(st.integers(0, 10**16), st.integers(2, 12))
def test_a_compact_size_lacks_less_than_its_last_digit(size: int, width: int) -> None:
    text = f.format_size_compact(Micros(size), width=width)
    assert len(text) == width
    if "#" in text or "<" in text:
        return
    number = text.strip().replace(",", "")
    units = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
    factor = units.get(number[-1], 1)
    whole, _, fraction = number.rstrip("kMBT").partition(".")
    shown = (int(whole) * SCALE + int(fraction.ljust(6, "0"))) * factor
    last_digit = SCALE * factor // 10 ** len(fraction)
    assert 0 <= size - shown < last_digit
    assert size == 0 or shown > 0


@given(st.integers(-(10**15), 10**15), st.integers(1, 20))
def test_every_number_fills_its_width(amount: int, width: int) -> None:
    value = Micros(amount)
    for text in (
        f.format_price(value, width=width),
        f.format_money_compact(value, width=width),
        f.format_time_left(amount, width=width),
    ):
        assert len(text) == width


def test_money_that_is_there_rounds_down_and_what_is_paid_rounds_up() -> None:
    assert f.format_money(Micros(1_234_567_899)) == "$1,234.56"
    assert f.format_money(Micros(-3_109_999)) == "-$3.11"
    assert f.format_cost(Micros(1_234_560_001)) == "$1,234.57"
    assert f.format_cost(Micros(1)) == "$0.01"
    assert f.format_cost(Micros(0)) == f.format_money(Micros(0)) == "$0.00"


def test_gains_and_losses_go_to_the_nearest_cent_alike() -> None:
    assert f.format_money_change(Micros(-449_900)) == "-$0.45"
    assert f.format_money_change(Micros(-5_009_000)) == "-$5.01"
    assert f.format_money_change(Micros(-1_345_900)) == "-$1.35"
    assert f.format_money_change(Micros(1_345_900)) == "+$1.35"
    assert f.format_money_change(Micros(5_000)) == "+$0.01"


@given(st.integers(-(10**15), 10**15).map(Micros))
def test_an_amount_reads_the_same_in_sentences_tickets_and_tables(amount: Micros) -> None:
    assert format_dollars_down(amount) == f.format_money(amount)
    assert format_dollars_up(amount) == f.format_cost(amount)
    loss = f.format_money_change(Micros(-abs(amount)))
    assert loss.lstrip("-") == f.format_money_change(Micros(abs(amount))).lstrip("+")
    assert loss == f.format_past_money(Micros(-abs(amount)))
    assert cents_down(amount) <= amount <= cents_up(amount) < amount + CENT
    assert 2 * abs(cents_near(amount) - amount) <= CENT


def test_compact_money_says_something_for_something() -> None:
    assert f.format_money_compact(Micros(950_000_000)) == "$950"
    assert f.format_money_compact(Micros(12_345_000_000), width=6) == "$12.3k"
    assert f.format_money_compact(Micros(4_560_000_000_000), width=5) == "$4.6M"
    assert f.format_money_compact(Micros(400_000)) == "<$1"
    assert f.format_money_compact(Micros(0)) == "$0"


def test_percent_is_a_share_of_one() -> None:
    assert f.format_percent(ONE) == "100.0%"
    assert f.format_percent(Micros(515_000)) == "51.5%"
    assert f.format_percent(Micros(-5_000), decimals=0) == "-1%"


def test_ages_use_their_largest_unit() -> None:
    assert [f.format_age(s) for s in (-1, 0, 3.9, 60, 7_199, 7_200, 90_000)] == [
        "0s", "0s", "3s", "1m", "1h", "2h", "1d",
    ]  # fmt: skip


def test_time_left_uses_two_units_where_they_fit() -> None:
    assert f.format_time_left(187_200) == "2d 4h"
    assert f.format_time_left(18_720) == "5h 12m"
    assert f.format_time_left(200) == "3m 20s"
    assert f.format_time_left(12) == "12s"
    assert f.format_time_left(0) == "ended"
    assert f.format_time_left(187_200, width=3) == " 2d"
    assert f.format_time_left(-5, width=3) == "  -"


def test_cash_that_changed_hands_is_rounded_to_the_nearest_cent() -> None:
    assert f.format_past_money(Micros(49_999_999)) == "$50.00"
    assert f.format_past_money(Micros(49_994_999)) == "$49.99"
    assert f.format_past_money(Micros(-5_000)) == "-$0.01"
    assert f.format_money(Micros(49_999_999)) == "$49.99"


@given(st.integers(0, 10**12), st.integers(-(10**12), 10**12))
def test_the_total_less_the_days_result_is_what_the_day_began_with(
    start_cents: int, change: int
) -> None:
    total = f.format_money(Micros(start_cents * 10_000 + change))
    result = f.format_worth_change(Micros(change))
    assert _read_cents(total) - _read_cents(result) == start_cents


def test_the_days_result_is_rounded_like_the_total() -> None:
    assert f.format_money(Micros(10_029_346_760)) == "$10,029.34"
    assert f.format_worth_change(Micros(29_346_760)) == "+$29.34"
    assert f.format_worth_change(Micros(-29_346_760)) == "-$29.35"


def _read_size(text: str) -> int:
    units = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
    number = text.strip().replace(",", "")
    return parse_micros(number.rstrip("kMBT")) * units.get(number[-1], 1)


def _read_cents(text: str) -> int:
    return int("".join(c for c in text if c in "-0123456789"))


def test_the_marks_of_an_axis_share_the_unit_of_its_end() -> None:
    def marks(end: int) -> list[str]:
        whole = Micros(end * 1_000_000)
        return [f.format_axis_size(part, end=whole) for part in (whole, Micros(whole // 2))]

    assert marks(100_000) == ["100k", "50k"]
    assert marks(50_000) == ["50k", "25k"]
    assert marks(25_000) == ["25k", "12.5k"]
    assert marks(5_000) == ["5,000", "2,500"]
    assert marks(20_000_000) == ["20M", "10M"]
    assert marks(5) == ["5", "2.5"]
