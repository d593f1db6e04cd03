import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.formats import (
    american_odds,
    are,
    count,
    count_shares,
    decimal_odds,
    ellipsize,
    exact_dollars,
    exact_shares,
    format_shares,
    shares_are,
    shorten_id,
)
from pmtui.domain.money import ONE, Micros, parse_micros


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 orders"), (1, "1 order"), (2, "2 orders"), (1200, "1,200 orders")]
)
def test_one_is_not_many(number: int, said: str) -> None:
    assert count(number, "order") == said
    assert are(number) == ("is" if number == 1 else "are")


def test_a_plural_may_be_more_than_an_s() -> None:
    assert [count(n, "entry", "entries") for n in (0, 1, 2)] == [
        "0 entries", "1 entry", "2 entries",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "said"),
    [("1", "1 share"), ("0.5", "0.5 shares"), ("1.01", "1.01 shares"), ("1000", "1,000 shares")],
)
def test_one_share_is_not_shares(size: str, said: str) -> None:
    assert count_shares(parse_micros(size)) == said


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("101.666666", "101.66"),
        ("1234.5", "1,234.5"),
        ("0.004096", "<0.01"),
        ("-0.004096", "-<0.01"),
        ("-154986.29932", "-154,986.29"),
        ("0", "0"),
    ],
)
def test_a_size_is_cut_at_the_hundredth(size: str, said: str) -> None:
    assert format_shares(parse_micros(size)) == said


def test_dust_is_counted_whole() -> None:
    assert exact_shares(parse_micros("0.004")) == "0.004 shares"
    assert shares_are(parse_micros("1")) == "1 share is"


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("5.5", "$5.50"),
        ("0.000004", "$0.000004"),
        ("1234567", "$1,234,567.00"),
        ("-0.25", "-$0.25"),
    ],
)
def test_exact_dollars_keep_every_millionth(amount: str, said: str) -> None:
    assert exact_dollars(parse_micros(amount)) == said


prices = st.integers(1, ONE - 1).map(Micros)


@pytest.mark.parametrize(
    ("price", "decimal", "american"),
    [
        (397_000, "2.52", "+152"),
        (500_000, "2.00", "-100"),
        (600_000, "1.67", "-150"),
        (990_000, "1.01", "-9,900"),
        (10_000, "100", "+9,900"),
        (1_000, "1,000", "+99,900"),
        (0, "-", "-"),
        (ONE, "1.00", "-"),
        (-20_000, "-", "-"),
    ],
)
def test_a_price_as_odds(price: int, decimal: str, american: str) -> None:
    assert (decimal_odds(Micros(price)), american_odds(Micros(price))) == (decimal, american)


@given(prices)
def test_american_odds_of_both_sides_mirror_each_other(price: Micros) -> None:
    other = Micros(ONE - price)
    one, two = (american_odds(each) for each in (price, other))
    if price != other:
        assert {one[0], two[0]} == {"+", "-"}
        assert one[1:] == two[1:]


@given(prices, prices)
def test_a_dearer_share_never_has_longer_odds(one: Micros, other: Micros) -> None:
    low, high = sorted((one, other))
    odds = [float(decimal_odds(each).replace(",", "")) for each in (low, high)]
    assert odds[0] >= odds[1]


@given(st.text(), st.integers(1, 20))
def test_a_long_text_ends_in_an_ellipsis_and_a_short_one_stays(text: str, most: int) -> None:
    shown = ellipsize(text, most)
    assert len(shown) <= most
    assert shown == (text if len(text) <= most else text[: most - 1] + "…")


@given(st.text(alphabet="0123456789abcdefABCDEFx", max_size=70))
def test_a_long_id_is_known_by_its_ends(text: str) -> None:
    shown = shorten_id(text)
    assert shown == (text if len(text) <= 16 else f"{text[:8]}…{text[-6:]}")
