import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.analytics import WalletValue
from pmtui.domain.ids import Address, ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import Event, FeeSchedule, Market, Outcome, Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Fill
from pmtui.reads.answers import Book, BookLevel, Word, to_allowance
from pmtui.reads.records import columns_of, row_columns, to_record, to_rows, units_of

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
YES = Outcome("Yes", TokenId("71"), Micros(430_000))
MARKET = Market(
    MarketId("5"),
    ConditionId("0xab"),
    "rain",
    "Will it rain?",
    (YES,),
    fee=FeeSchedule(Micros(40_000)),
    end_at=AT,
)
BOOK = Book(
    TokenId("71"),
    ConditionId("0xab"),
    AT,
    Word("verified"),
    Micros(10_000),
    Micros(5_000_000),
    neg_risk=False,
    last_trade_price=None,
    hash=Word("aa"),
    bids=(BookLevel(Micros(400_000), Micros(10_000_000)),),
    asks=(
        BookLevel(Micros(420_000), Micros(7_000_000)),
        BookLevel(Micros(430_000), Micros(1)),
    ),
)


class Number(Enum):
    ONE = 1


@dataclass(frozen=True)
class Odd:
    number: Number
    side: Side | None
    day: date
    large: int
    pair: tuple[TokenId, Micros]
    is_set: bool = True


def test_an_allowance_is_an_exact_amount_or_unlimited() -> None:
    amounts = [to_allowance(Address("0xE1"), n).amount for n in (0, 1_500_000, 2**256 - 1)]
    assert amounts == ["0", "1.5", "unlimited"]


def test_amounts_are_exact_decimals_and_times_are_utc() -> None:
    record = to_record(MARKET)
    assert record["outcomes"] == [{"label": "Yes", "token_id": "71", "price": "0.43"}]
    assert record["fee"] == {"rate": "0.04", "exponent": 1, "is_taker_only": True}
    assert record["end_at"] == "2026-11-20T12:00:00Z"
    assert record["best_bid"] is None


def test_odd_values_are_written_as_what_they_are() -> None:
    odd = Odd(Number.ONE, Side.BUY, AT.date(), 2**200, (TokenId("7"), Micros(1)))
    assert to_record(odd) == {
        "number": "one",
        "side": "BUY",
        "day": "2026-11-20",
        "large": str(2**200),
        "pair": ["7", "0.000001"],
        "is_set": True,
    }


def test_what_is_no_answer_is_refused() -> None:
    with pytest.raises(TypeError):
        to_record(7)
    with pytest.raises(TypeError):
        columns_of(7)


@given(st.integers(-(10**30), 10**30))
def test_every_amount_can_be_read_back(amount: int) -> None:
    text = to_record(WalletValue("0x", Micros(amount)))["value"]
    assert isinstance(text, str)
    if abs(amount) < 10**30:
        assert parse_micros(text) == amount
    json.dumps(text)


def test_parts_become_columns_and_lists_one_cell() -> None:
    columns = columns_of(Market)
    assert {"fee.rate", "rewards.min_size", "outcomes"} <= set(columns)
    (row,) = to_rows(MARKET, ("outcomes", "fee.rate", "rewards.min_size", "closed"))
    assert row == {
        "outcomes": "Yes 71 0.43",
        "fee.rate": "0.04",
        "rewards.min_size": None,
        "closed": False,
    }
    (short,) = to_rows(MARKET, ("outcomes",), has_ids=False)
    assert short == {"outcomes": "Yes 0.43"}


def test_a_list_of_large_parts_is_told_by_its_length() -> None:
    event = Event(EventId("9"), "rain", "Rain", (MARKET, MARKET))
    (row,) = to_rows(event, ("markets",))
    assert row == {"markets": 2}


def test_a_book_has_a_row_for_each_level_the_dearest_ask_first() -> None:
    assert row_columns(Book)[-3:] == ("side", "price", "size")
    rows = to_rows(BOOK, ("side", "price", "size"))
    assert [tuple(row.values()) for row in rows] == [
        ("SELL", "0.43", "0.000001"),
        ("SELL", "0.42", "7"),
        ("BUY", "0.4", "10"),
    ]


def test_units_are_told_for_amounts_within_parts_too() -> None:
    units = units_of(Market)
    assert units["best_bid"] == units["outcomes.price"] == "dollars a share"
    assert units["volume"] == "dollars"
    assert units["min_order_size"] == "shares"
    assert "question" not in units
    assert units_of(Event)["liquidity"] == "dollars"
    assert "liquidity" not in units_of(Fill)
