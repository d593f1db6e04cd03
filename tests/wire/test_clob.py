import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import Micros
from pmtui.wire import clob
from pmtui.wire.bounds import WireError


def test_prices_are_texts_or_numbers_under_either_name() -> None:
    assert clob.decode_price(b'{"price":"0.42"}') == 420_000
    assert clob.decode_price(b'{"price":0.42}') == 420_000
    assert clob.decode_midpoint(b'{"mid":"0.425"}') == 425_000
    assert clob.decode_midpoint(b'{"mid_price":0.425}') == 425_000
    assert clob.decode_spread(b'{"spread":"0.01"}') == 10_000
    assert clob.decode_tick_size(b'{"minimum_tick_size":0.001}') == 1_000
    assert clob.decode_tick_size(b'{"tick_size":"0.0025"}') == 2_500
    assert clob.decode_amounts(b'{"7":"0.4","8":1}') == {"7": 400_000, "8": 1_000_000}
    assert clob.decode_prices(b'{"7":{"BUY":"0.4","SELL":0.5},"8":{"SELL":"1"}}') == {
        "7": {Side.BUY: 400_000, Side.SELL: 500_000},
        "8": {Side.SELL: 1_000_000},
    }


@pytest.mark.parametrize(
    ("body", "rate"),
    [(b'{"base_fee":0}', 0), (b'{"fee_rate_bps":"1000"}', 1000), (b'{"base_fee":"7"}', 7)],
)
def test_the_fee_rate_has_two_names(body: bytes, rate: int) -> None:
    assert clob.decode_fee_rate(body) == rate


def test_last_trades_that_never_were_have_no_side() -> None:
    assert clob.decode_last_trade(b'{"price":"0.5","side":""}').side is None
    assert clob.decode_last_trades(b'[{"token_id":"7","price":"0.4","side":"SELL"}]') == {
        "7": clob.LastTrade(Micros(400_000), Side.SELL)
    }


def test_time_is_seconds_bare_or_in_a_text() -> None:
    expected = datetime.fromtimestamp(1_790_000_000, UTC)
    assert clob.decode_time(b"1790000000") == clob.decode_time(b'"1790000000"') == expected


def test_the_market_of_a_token_and_its_flag_are_read() -> None:
    body = b'{"condition_id":"0xa","primary_token_id":"1","secondary_token_id":"2"}'
    assert clob.decode_market_of_token(body).token_ids == ("1", "2")
    assert clob.decode_neg_risk(b'{"neg_risk":true}') is True


def test_short_market_terms_have_no_fee_and_no_rewards() -> None:
    terms = clob.decode_market_terms(b'{"c":"0x7b","t":[{"t":"1","o":"Yes"}],"mos":5,"mts":0.01}')
    assert (terms.fee.rate, terms.rewards, terms.neg_risk) == (0, None, False)
    assert (terms.accepting_orders, terms.min_order_size, terms.tick_size) == (
        True,
        5_000_000,
        10_000,
    )


def test_recorded_market_terms_are_read_whole(shared_dir: Path) -> None:
    path = shared_dir / "data/clob/clob_markets__fed_june__2026-05-17.json.gz"
    for raw in json.loads(gzip.decompress(path.read_bytes())):
        terms = clob.decode_market_terms(json.dumps(raw).encode())
        assert terms.fee == FeeSchedule(Micros(50_000), 1, is_taker_only=True)
        assert (len(terms.token_ids), terms.neg_risk, terms.accepting_orders) == (2, True, True)
        assert terms.rewards is not None
        assert terms.rewards.max_spread == int(raw["r"]["ma"] * 10_000)


def test_recorded_market_lists_are_read_to_the_last_row(shared_dir: Path) -> None:
    for name in ("markets_page__cursor0", "sampling_simplified_markets__2026-02"):
        body = gzip.decompress((shared_dir / f"data/clob/{name}.json.gz").read_bytes())
        page = clob.decode_market_page(body)
        assert len(page.items) + page.skipped == 1000
        assert page.skipped <= 54, "rows without a condition id only"
        assert page.next_cursor == "MTAwMA=="


def test_recorded_books_are_read(shared_dir: Path) -> None:
    lines = gzip.decompress(
        (shared_dir / "data/clob/books__20260311T214230Z.jsonl.gz").read_bytes()
    )
    for line in lines.splitlines():
        row = json.loads(line)
        answer = next(
            value
            for key, value in row.items()
            if isinstance(value, list) and value and isinstance(value[0], dict)
        )
        assert len(clob.decode_books(json.dumps(answer).encode())) == 10
    one = clob.decode_book(
        (shared_dir / "data/clob/book__empty_asks__2026-08-03.json").read_bytes()
    )
    assert one.asks == ()


def test_history_is_oldest_first_and_empty_for_an_unknown_token() -> None:
    page = clob.decode_prices_history(b'{"history":[{"t":20,"p":0.5},{"t":10,"p":0.4300000001}]}')
    assert [point.price for point in page.items] == [430_000, 500_000]
    assert clob.decode_prices_history(b'{"history":[]}').items == ()


@pytest.mark.parametrize(
    "price",
    [
        "1e15", "-1", '"NaN"', "1e999", "-1e-400", '"Infinity"', "1.000001", "null", "[]", '" 1 "',
        "1" + "0" * 5_000, '"1e1000000"',
    ],
)  # fmt: skip
def test_a_point_outside_the_range_of_prices_is_left_out_alone(price: str) -> None:
    odd = f'{{"t":20,"p":{price}}}'
    listed = f'[{{"t":10,"p":0.5}},{odd},{{"t":30,"p":1e-400}}]'
    body = f'{{"history":{listed}}}'.encode()
    page = clob.decode_prices_history(body)
    inside = 0 if price == "-1e-400" else None
    prices = [500_000, *([] if inside is None else [inside]), 0]
    assert [point.price for point in page.items] == prices
    assert page.skipped == (inside is None)
    batch = f'{{"history":{{"7":{listed}}}}}'.encode()
    assert clob.decode_prices_histories(batch) == {"7": page.items}


@pytest.mark.parametrize("at", ["-5", "1e30", '"soon"', "1" + "0" * 30, "0"])
def test_a_point_without_a_sane_time_is_left_out_alone(at: str) -> None:
    body = f'{{"history":[{{"t":{at},"p":0.5}},{{"t":30,"p":0.4}}]}}'.encode()
    page = clob.decode_prices_history(body)
    assert ([point.price for point in page.items], page.skipped) == ([400_000], 1)


def test_a_history_longer_than_any_is_refused() -> None:
    body = b'{"history":[' + b",".join([b'{"t":1,"p":1}'] * 50_001) + b"]}"
    with pytest.raises(WireError, match="more than 50000"):
        clob.decode_prices_history(body)


@pytest.mark.parametrize("cursor", ["LTE=", "", None])
def test_the_last_page_has_no_next_cursor(cursor: str | None) -> None:
    body = json.dumps({"data": [], "next_cursor": cursor}).encode()
    assert clob.decode_page(body) == ([], None)
    assert clob.decode_page(b"[]") == ([], None)


@pytest.mark.parametrize(
    ("decode", "body"),
    [
        (clob.decode_price, b"{}"),
        (clob.decode_price, b'{"price":"x"}'),
        (clob.decode_price, b"[]"),
        (clob.decode_price, b"<html>"),
        (clob.decode_neg_risk, b"{}"),
        (clob.decode_fee_rate, b"{}"),
        (clob.decode_fee_rate, b'{"base_fee":"x"}'),
        (clob.decode_time, b"true"),
        (clob.decode_time, b'"soon"'),
        (clob.decode_time, b"99999999999999999"),
        (clob.decode_market_terms, b'{"c":"0x1","mts":0.01,"fd":{"r":0.1,"e":1.5}}'),
        (clob.decode_book, b'{"market":"a","asset_id":"1","bids":[{"price":"3","size":"1"}]}'),
        (clob.decode_books, b'[{"market":"a","asset_id":"1","bids":[{"price":"3","size":"1"}]}]'),
        (clob.decode_page, b'{"data":3}'),
    ],
)
def test_what_cannot_be_read_is_a_wire_error(decode: object, body: bytes) -> None:
    assert callable(decode)
    with pytest.raises(WireError):
        decode(body)
