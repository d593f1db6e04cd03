import gzip
import json
from pathlib import Path

import pytest

from pmtui.domain.ids import Address, ApiKey
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderStatus, PostStatus, TradeStatus
from pmtui.wire import clob_account as account
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner, order_status, trade_status


def test_credentials_are_not_printed() -> None:
    found = account.decode_credentials(b'{"apiKey":"k","secret":"hush","passphrase":"p"}')
    assert (found.api_key, found.secret, found.passphrase) == ("k", "hush", "p")
    assert "hush" not in repr(found)


def test_recorded_answers_to_orders_are_all_accepted(shared_dir: Path) -> None:
    folder = shared_dir / "data/user"
    lines = gzip.decompress((folder / "post_order_responses__2026-03_04.jsonl.gz").read_bytes())
    more = (folder / "post_order_responses__2026-05-08.jsonl").read_bytes()
    for line in (*lines.splitlines(), *more.splitlines()):
        raw = json.loads(line)
        body = raw if "orderID" in raw else next(v for v in raw.values() if isinstance(v, dict))
        result = account.decode_post_result(json.dumps(body).encode())
        assert result.is_accepted
        assert result.status is PostStatus.MATCHED
        assert result.making_amount


def test_an_accepted_order_without_a_status_is_live() -> None:
    body = b'{"success":true,"orderID":"0x12","errorMsg":null}'
    assert account.decode_post_result(body).status is PostStatus.LIVE


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"success":true,"errorMsg":"too small","orderID":"","status":""}', "too small"),
        (b'{"error":"no"}', "no"),
    ],
)
def test_refusals_are_told_by_id_and_error(body: bytes, error: str) -> None:
    assert account.decode_post_result(body).error == error
    assert account.decode_post_results(b"[" + body + b"]")[0].error == error


@pytest.mark.parametrize(
    ("body", "order_id", "error"),
    [
        (b"{}", None, ""),
        (b'{"success":true,"orderID":"","status":"live"}', None, ""),
        (b'{"success":false,"errorMsg":"","orderID":"0x1","status":"live"}', "0x1", ""),
        (b'{"errorMsg":"no","orderID":"0x1","status":"live"}', "0x1", "no"),
    ],
)
def test_what_neither_takes_nor_refuses_is_passed_on_as_it_is(
    body: bytes, order_id: str | None, error: str
) -> None:
    result = account.decode_post_result(body)
    assert (result.order_id, result.error, result.is_accepted) == (order_id, error, False)


def test_texts_of_an_answer_have_an_end() -> None:
    long = "x" * 100_000
    with pytest.raises(WireError):
        account.decode_post_result(json.dumps({"orderID": long, "status": "live"}).encode())
    assert len(account.decode_post_result(json.dumps({"error": long}).encode()).error) == 300
    body = {"canceled": [long, "0x1"], "not_canceled": {long: "a", "0x2": long}}
    result = account.decode_cancel_result(json.dumps(body).encode())
    assert result.canceled == ("0x1",)
    assert [(order_id, len(reason)) for order_id, reason in result.not_canceled] == [("0x2", 300)]


def test_cancel_results_keep_the_venues_reasons() -> None:
    result = account.decode_cancel_result(b'{"canceled":["0x1"],"not_canceled":{"0x2":"matched"}}')
    assert (result.canceled, result.not_canceled) == (("0x1",), (("0x2", "matched"),))
    assert account.decode_cancel_result(b'{"canceled":null}').canceled == ()


def test_recorded_account_bodies_are_read(shared_dir: Path) -> None:
    folder = shared_dir / "data/user"
    cancel = account.decode_cancel_result(
        (folder / "nautilus_2026/http_batch_cancel_response.json").read_bytes()
    )
    assert (len(cancel.canceled), len(cancel.not_canceled)) == (2, 1)
    page = account.decode_order_page(
        (folder / "nautilus_2026/http_open_orders_page.json").read_bytes()
    )
    assert [order.status for order in page.items] == [
        OrderStatus.LIVE,
        OrderStatus.PARTIALLY_FILLED,
    ]
    order = account.decode_one_order((folder / "get_order__2026-04-18.json").read_bytes())
    assert order is not None
    assert (order.price, order.expires_at) == (500_000, None)
    balance = account.decode_balance(
        (folder / "nautilus_2026/http_balance_allowance_collateral.json").read_bytes()
    )
    assert (balance.balance, len(balance.allowances)) == (1_000_000_000, 1)


def test_allowances_may_exceed_any_money() -> None:
    body = json.dumps({"balance": "1", "allowances": {"0xE1": str(2**256 - 1)}}).encode()
    assert account.decode_balance(body).allowances == (("0xE1", 2**256 - 1),)


@pytest.mark.parametrize("body", [b"", b" ", b"null", b"{}"])
def test_no_order_is_none(body: bytes) -> None:
    assert account.decode_one_order(body) is None


def test_fills_of_a_page_are_ours_and_odd_rows_counted() -> None:
    row = {
        "id": "t", "taker_order_id": "0xa", "market": "0x1", "asset_id": "7", "side": "SELL",
        "size": "5", "price": "0.5", "status": "MINED", "match_time": 1790000000,
        "maker_address": "0xAB", "fee_usdc": "0.01",
        "maker_orders": [{"order_id": "0xm", "owner": "x", "maker_address": "0xab",
                          "asset_id": "7", "matched_amount": "2", "price": "0.5"}],
    }  # fmt: skip
    owner = Owner(ApiKey("me"), frozenset({Address("0xAB")}))
    page = account.decode_fill_page(
        json.dumps({"data": [row, row | {"status": "?"}, row | {"owner": "me"}]}).encode(), owner
    )
    assert [(fill.order_id, fill.size) for fill in page.items] == [
        ("0xm", 2_000_000),
        ("0xa", 5_000_000),
        # Taken from ourselves: both orders are ours.
        ("0xm", 2_000_000),
    ]
    assert (page.skipped, page.items[1].fee) == (1, 10_000)


def test_keys_and_account_state_are_read() -> None:
    assert account.decode_api_keys(b'{"apiKeys":["a","b"]}') == ("a", "b")
    assert account.decode_api_keys(b'["a"]') == ("a",)
    assert account.decode_closed_only(b'{"closed_only":true}') is True


@pytest.mark.parametrize(
    ("text", "matched", "status", "reason"),
    [
        ("ORDER_STATUS_LIVE", 0, OrderStatus.LIVE, ""),
        ("live", 3, OrderStatus.PARTIALLY_FILLED, ""),
        ("MATCHED", 10_000_000, OrderStatus.FILLED, ""),
        ("MATCHED", 9_995_000, OrderStatus.FILLED, ""),
        ("MATCHED", 5_000_000, OrderStatus.PARTIALLY_FILLED, ""),
        ("UNMATCHED", 0, OrderStatus.LIVE, ""),
        ("DELAYED", 0, OrderStatus.DELAYED, ""),
        ("INVALID", 0, OrderStatus.CANCELLED, "invalid"),
        ("CANCELED", 0, OrderStatus.CANCELLED, ""),
        ("CANCELLED", 0, OrderStatus.CANCELLED, ""),
        ("CANCELED_MARKET_RESOLVED", 0, OrderStatus.CANCELLED, "market resolved"),
        ("CANCELED_EXPIRED_ORDER", 0, OrderStatus.EXPIRED, "expired order"),
        ("CANCELED_Some text.", 0, OrderStatus.CANCELLED, "Some text."),
    ],
)
def test_order_statuses_mean(text: str, matched: int, status: OrderStatus, reason: str) -> None:
    assert order_status(text, Micros(10_000_000), Micros(matched)) == (status, reason)


def test_trade_statuses_mean() -> None:
    assert trade_status("TRADE_STATUS_CONFIRMED") is TradeStatus.CONFIRMED
    assert trade_status("MATCHED_NOT_BROADCASTED") is TradeStatus.MATCHED


@pytest.mark.parametrize("decode", [account.decode_credentials, account.decode_balance])
def test_missing_fields_are_wire_errors(decode: object) -> None:
    assert callable(decode)
    with pytest.raises(WireError, match="missing"):
        decode(b"{}")


def test_unknown_words_are_wire_errors() -> None:
    with pytest.raises(WireError):
        order_status("SLEEPING", Micros(1), Micros(0))
    with pytest.raises(WireError):
        trade_status("SLEEPING")
    with pytest.raises(WireError):
        account.decode_post_result(b'{"orderID":"0x1","status":"sleeping"}')
