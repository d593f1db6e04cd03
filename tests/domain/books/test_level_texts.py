import pytest

from pmtui.domain.books import levels as book_texts
from pmtui.domain.books.levels import price_text, read_price, read_size
from pmtui.domain.money import Micros, MoneyError


def test_texts_are_read_exactly_and_twice_alike() -> None:
    assert [read_price("0.571"), read_price("0.571"), read_price("0"), read_price("1")] == [
        571_000,
        571_000,
        0,
        1_000_000,
    ]
    assert read_size("31045290.25") == 31_045_290_250_000


@pytest.mark.parametrize("text", ["", "1.01", "-0.1", "x", "0.1234567", "1e-2"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        read_price(text)


@pytest.mark.parametrize("text", ["", "-1", "x"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        read_size(text)


def test_a_full_table_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_texts, "_REMEMBERED", 1)
    assert [read_size("77.01"), read_size("77.02")] == [77_010_000, 77_020_000]
    assert [price_text(Micros(123_400)), price_text(Micros(500_000))] == ["0.1234", "0.5"]


def test_a_size_is_kept_as_it_came_and_nothing_of_one_that_is_zero() -> None:
    text = "".join(("12.", "50"))
    assert book_texts.kept_size(text) == "12.50"
    assert book_texts.kept_size("12.50") is book_texts.kept_size("".join(("12.5", "0")))
    assert [book_texts.kept_size(zero) for zero in ("0", "0.00", "0")] == ["", "", ""]
    with pytest.raises(MoneyError):
        book_texts.kept_size("-1")
