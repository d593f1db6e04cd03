import pytest

from pmtui.domain.formats import (
    are,
    count,
    count_shares,
    exact_dollars,
    exact_shares,
    shares_are,
)
from pmtui.domain.money import parse_micros


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
