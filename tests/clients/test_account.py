import itertools
import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from pmtui.clients.account import create_or_derive
from pmtui.clients.clob_requests import ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.domain.answers import Failure, FailureKind, Listing
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import CancelResult, PostResult
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES, ClobRoutes
from pmtui.signing.auth import ApiCredentials, verify_auth
from tests.clients.account_kit import (
    CREDENTIALS,
    EMPTY_CANCEL,
    NOW,
    SIGNER,
    account_client,
    is_signed,
    no_time,
)
from tests.clients.raw_server import Call, serving


def answering(*bodies: bytes) -> Callable[[Call], Awaitable[None]]:
    """Answer each request with the next body, the last one again and again."""
    left = list(bodies)

    async def handle(call: Call) -> None:
        await call.answer(left.pop(0) if len(left) > 1 else left[0])

    return handle


async def test_every_request_is_signed_over_the_bytes_that_are_sent() -> None:
    async with serving(answering(b'{"balance":"7","allowances":{}}')) as server:
        client = account_client(server.host())
        await client.balance()
        await client.balance(TokenId("71"))
        await client.refresh_balance()
        await client.post_order(b'{"order":{}}')
        await client.cancel((OrderId("0x1"),))
        assert all(is_signed(call) for call in server.calls)
        assert server.lines[:2] == [
            "GET /balance-allowance?asset_type=COLLATERAL&signature_type=3 HTTP/1.1",
            "GET /balance-allowance?asset_type=CONDITIONAL&token_id=71&signature_type=3 HTTP/1.1",
        ]
        assert server.calls[3].body == b'{"order":{}}'


async def test_a_posted_order_is_decided_by_its_id_and_error() -> None:
    accepted = (
        b'{"success":true,"errorMsg":"","orderID":"0xa","status":"matched","takingAmount":"2"}'
    )
    refused = b'{"success":true,"errorMsg":"too small","orderID":"","status":""}'
    async with serving(answering(accepted, refused)) as server:
        client = account_client(server.host())
        first = await client.post_order(b"{}")
        second = await client.post_order(b"{}")
    assert isinstance(first, PostResult)
    assert (first.is_accepted, first.taking_amount) == (True, 2_000_000)
    assert isinstance(second, PostResult)
    assert (second.is_accepted, second.error) == (False, "too small")


async def test_a_lost_answer_to_an_order_is_lost_and_the_order_is_not_sent_again() -> None:
    async def hang_up(call: Call) -> None:
        call.reset()

    async with serving(hang_up) as server:
        lost = await account_client(server.host()).post_order(b"{}")
        assert isinstance(lost, Failure)
        assert (lost.kind, lost.may_have_happened) == (FailureKind.LOST, True)
        assert len(server.calls) == 1
        url = server.url
    closed = HttpHost(url)
    unreachable = await account_client(closed).post_order(b"{}")
    await closed.aclose()
    assert isinstance(unreachable, Failure)
    assert (unreachable.kind, unreachable.may_have_happened) == (FailureKind.UNREACHABLE, False)


async def test_an_answer_to_an_order_that_cannot_be_read_may_have_happened() -> None:
    async with serving(answering(b'{"orderID":"0xa","status":"pondering"}')) as server:
        answer = await account_client(server.host()).post_order(b"{}")
    assert isinstance(answer, Failure)
    assert answer.may_have_happened


@pytest.mark.parametrize(("routes", "limit"), [(LIVE_ROUTES, 1000), (SEED_ROUTES, 3000)])
async def test_cancels_are_cut_to_the_dialects_limit(routes: ClobRoutes, limit: int) -> None:
    ids = tuple(OrderId(f"0x{index}") for index in range(limit + 2))
    async with serving(answering(EMPTY_CANCEL)) as server:
        await account_client(server.host(), routes).cancel((*ids, *ids[:5]))
        bodies = [json.loads(call.body) for call in server.calls]
    named = [body["orderIDs"] if isinstance(body, dict) else body for body in bodies]
    assert [len(part) for part in named] == [limit, 2]
    assert isinstance(bodies[0], dict) is (routes is SEED_ROUTES)


async def test_a_later_part_without_an_answer_is_told_apart() -> None:
    ids = tuple(OrderId(f"0x{index}") for index in range(1002))
    done = json.dumps({"canceled": ids[:1000], "not_canceled": {}}).encode()
    async with serving(answering(done, b"<html>")) as server:
        result = await account_client(server.host()).cancel(ids)
    assert isinstance(result, CancelResult)
    assert len(result.canceled) == 1000
    assert result.unanswered == ("0x1000", "0x1001")
    assert result.not_canceled == ()


async def test_cancelling_by_market_needs_one_and_points_to_cancel_all() -> None:
    async with serving(answering(EMPTY_CANCEL)) as server:
        client = account_client(server.host())
        refused = await client.cancel_market(condition_id=None, token_id=None)
        assert isinstance(refused, Failure)
        assert "cancel-all" in refused.text
        assert server.calls == []
        await client.cancel_market(condition_id=ConditionId("0xaa"), token_id=None)
        await client.cancel_all()
        assert json.loads(server.calls[0].body) == {"market": "0xaa"}
        assert (server.calls[1].line, server.calls[1].body) == ("DELETE /cancel-all HTTP/1.1", b"")


async def test_a_batch_is_at_most_fifteen_orders() -> None:
    async with serving(answering(b'[{"orderID":"0xa","status":"live"}]')) as server:
        client = account_client(server.host())
        refused = await client.post_orders([b"{}"] * 16)
        assert isinstance(refused, Failure)
        results = await client.post_orders([b"{}", b"[]"])
        assert isinstance(results, tuple)
        assert server.calls[0].body == b"[{},[]]"


ORDER = {
    "id": "0xa", "status": "LIVE", "market": "0x1", "asset_id": "7", "side": "BUY",
    "original_size": "5", "size_matched": "0", "price": "0.5", "created_at": 1790000000,
}  # fmt: skip


async def test_open_orders_are_read_page_by_page_and_odd_rows_counted() -> None:
    first = json.dumps({"data": [ORDER, {"id": 3}], "next_cursor": "MTAw"}).encode()
    last = json.dumps({"data": [ORDER | {"id": "0xb"}], "next_cursor": "LTE="}).encode()
    async with serving(answering(first, last)) as server:
        client = account_client(server.host())
        orders = await client.open_orders()
        assert isinstance(orders, Listing)
        assert [order.order_id for order in orders.items] == ["0xa", "0xb"]
        assert (orders.skipped, orders.unread, orders.is_complete) == (1, (None,), False)
        assert server.lines[1] == "GET /data/orders?next_cursor=MTAw HTTP/1.1"
        assert is_signed(server.calls[1])


@pytest.mark.parametrize("body", [b"", b"null", b"{}"])
async def test_an_order_the_host_has_forgotten_is_none(body: bytes) -> None:
    async with serving(answering(body)) as server:
        assert await account_client(server.host()).order(OrderId("0xa")) is None
        assert server.lines == ["GET /data/order/0xa HTTP/1.1"]


async def test_an_order_not_found_is_none_in_the_other_dialect_too() -> None:
    async def missing(call: Call) -> None:
        await call.answer(b'{"error":"Order not found"}', status="404 Not Found")

    async with serving(missing) as server:
        client = account_client(server.host(), SEED_ROUTES)
        assert await client.order(OrderId("0xa")) is None
        assert server.lines == ["GET /order/0xa HTTP/1.1"]


async def test_fills_are_ours_and_newest_first() -> None:
    trade = {
        "id": "t", "taker_order_id": "0xa", "market": "0x1", "asset_id": "7", "side": "BUY",
        "size": "5", "price": "0.5", "status": "MINED", "owner": CREDENTIALS.key,
        "trader_side": "TAKER",
    }  # fmt: skip
    rows = [
        trade | {"match_time": str(1790000000 + index), "id": f"t{index}"} for index in (1, 3, 2)
    ]
    async with serving(answering(json.dumps({"data": rows, "next_cursor": "LTE="}).encode())) as s:
        fills = await account_client(s.host()).fills(after=NOW)
        assert s.lines == ["GET /data/trades?after=1790000100 HTTP/1.1"]
    assert isinstance(fills, Listing)
    assert [fill.trade_id for fill in fills.items] == ["t3", "t2", "t1"]
    assert fills.is_complete


async def test_a_trade_that_cannot_be_read_names_its_orders_where_it_can() -> None:
    odd = {"id": "t", "side": "HOLD", "asset_id": "7", "taker_order_id": "0xa"}
    makers = [{"order_id": "0xb"}, {"order_id": "0xc"}]
    rows = [odd | {"maker_orders": makers}, odd | {"maker_orders": [{}]}]
    async with serving(answering(json.dumps({"data": rows[:1]}).encode())) as server:
        fills = await account_client(server.host()).fills()
    assert isinstance(fills, Listing)
    assert fills.unread == (frozenset({"0xa", "0xb", "0xc"}),)
    assert not fills.is_complete
    assert fills.may_miss(frozenset({OrderId("0xb")}))
    assert not fills.may_miss(frozenset({OrderId("0xd")}))
    async with serving(answering(json.dumps({"data": rows}).encode())) as server:
        fills = await account_client(server.host()).fills()
    assert isinstance(fills, Listing)
    assert fills.may_miss(frozenset({OrderId("0xd")}))


async def test_a_history_beyond_its_bound_of_pages_is_what_was_read_and_says_so() -> None:
    cursors = itertools.count()

    async def endless(call: Call) -> None:
        row = {"id": f"t{next(cursors)}", "side": "BUY", "asset_id": "7", "owner": "nobody"}
        page = {"data": [row], "next_cursor": f"c{next(cursors)}"}
        await call.answer(json.dumps(page).encode())

    async with serving(endless) as server:
        fills = await account_client(server.host()).fills(after=NOW, before=NOW, max_pages=3)
        assert len(server.calls) == 3
        assert "after=1790000100" in server.lines[0]
        assert "before=1790000100" in server.lines[0]
    assert isinstance(fills, Listing)
    assert (fills.is_whole, fills.is_complete) == (False, False)
    assert fills.may_miss(frozenset({OrderId("0xd")}))


async def test_pages_that_break_off_are_no_list() -> None:
    first = json.dumps({"data": [ORDER], "next_cursor": "MTAw"}).encode()
    async with serving(answering(first, b"{")) as server:
        assert isinstance(await account_client(server.host()).open_orders(), Failure)
    async with serving(answering(b"{")) as server:
        assert isinstance(await account_client(server.host()).fills(), Failure)


async def test_an_account_without_a_record_is_free() -> None:
    async def missing(call: Call) -> None:
        await call.answer(b'{"error":"not found"}', status="404 Not Found")

    async with serving(missing) as server:
        assert await account_client(server.host()).is_closed_only() is False


async def test_credentials_are_created_or_else_derived() -> None:
    triple = b'{"apiKey":"k","secret":"c2hhcmVk","passphrase":"p"}'

    async def existing(call: Call) -> None:
        if call.line.startswith("POST"):
            await call.answer(b'{"error":"Could not create api key"}', status="400 Bad Request")
        else:
            await call.answer(triple)

    async with serving(existing) as server:
        clock = ServerClock(lambda: NOW, no_time)
        found = await create_or_derive(server.host(), LIVE_ROUTES, signer=SIGNER, clock=clock)
        assert isinstance(found, ApiCredentials)
        assert (found.key, found.secret.reveal_text()) == ("k", "c2hhcmVk")
        assert server.lines == [
            "POST /auth/api-key HTTP/1.1",
            "GET /auth/derive-api-key HTTP/1.1",
        ]
        headers = {name.upper(): value for name, value in server.calls[1].headers.items()}
        assert verify_auth(headers, chain_id=137) == SIGNER.address
        url = server.url
    closed = HttpHost(url)
    gone = await create_or_derive(closed, LIVE_ROUTES, signer=SIGNER, clock=clock)
    await closed.aclose()
    assert isinstance(gone, Failure)
    assert gone.kind is FailureKind.UNREACHABLE


async def test_a_clock_gone_wrong_is_measured_again_and_a_read_repeated() -> None:
    async def strict(call: Call) -> None:
        if int(call.headers["poly_timestamp"]) < 1_790_000_700:
            await call.answer(
                b'{"error":"Unauthorized/Invalid api key"}', status="401 Unauthorized"
            )
        else:
            await call.answer(b'{"balance":"7"}')

    async def told() -> datetime | Failure:
        return NOW + timedelta(seconds=700)

    async with serving(strict) as server:
        balance = await account_client(server.host(), read_time=told).balance()
        assert not isinstance(balance, Failure)
        assert balance.balance == 7
        assert len(server.calls) == 2


async def test_a_clock_in_step_within_a_second_is_left_alone() -> None:
    async def told() -> datetime | Failure:
        return NOW - timedelta(milliseconds=600)

    clock = ServerClock(lambda: NOW, told)
    assert await clock.measure() is None
    assert (clock.offset_s, clock.timestamp_s()) == (0.0, 1_790_000_100)
    assert clock.timestamp_ms() == 1_790_000_100_000
    assert isinstance(await ServerClock(lambda: NOW, no_time).measure(), Failure)
