"""The service's own Python client, unmodified, against a venue process."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from tests.sim.kit import KEYS
from tests.sim.process import VenueProcess, eventually, venue_process


@pytest.fixture(scope="module")
def venue() -> Iterator[VenueProcess]:
    with venue_process("--port", "0", "--seed", "7", "--speed", "4") as running:
        yield running


def _client(venue: VenueProcess, library: Any, *, key: str, kind: int, funder: str | None) -> Any:
    bare = library.ClobClient(venue.urls["clob"], 137, key=key)
    credentials = bare.create_or_derive_api_key()
    client = library.ClobClient(
        venue.urls["clob"], 137, key=key, creds=credentials, signature_type=kind, funder=funder
    )
    assert bare.derive_api_key().api_key == credentials.api_key
    return client


def _address(key: str) -> Address:
    return Signer(Secret.from_hex(key)).address


def _quiet_market(client: Any) -> dict[str, Any]:
    # A market with room on both sides, so that what is posted low rests, and without delay.
    for market in client.get_sampling_markets()["data"]:
        price = market["tokens"][0]["price"]
        is_prompt = not market["seconds_delay"]
        if is_prompt and 0.3 < price < 0.7 and market["minimum_tick_size"] == 0.01:
            return dict(market)
    raise AssertionError("no market in the middle of the scale")


@pytest.mark.parametrize(("kind", "key"), [(3, KEYS[0]), (0, KEYS[1])])
def test_a_client_reads_posts_lists_trades_and_cancels(
    venue: VenueProcess, library: Any, kind: int, key: str
) -> None:
    eoa = _address(key)
    wallet = derive_wallets(eoa, POLYGON.wallets).deposit_beacon if kind == 3 else eoa
    client = _client(venue, library, key=key, kind=kind, funder=wallet if kind == 3 else None)
    venue.operate("POST", "/fund", {"address": wallet, "amount": "10000"})
    market = _quiet_market(client)
    token = market["tokens"][0]["token_id"]

    book = client.get_order_book(token)
    assert book["bids"]
    assert book["asks"]
    assert client.get_order_book_hash(book) == book["hash"]
    assert float(client.get_price(token, "BUY")["price"]) < float(
        client.get_price(token, "SELL")["price"]
    )
    assert client.get_ok() == "OK"
    assert abs(client.get_server_time() - time.time()) < 5  # noqa: TID251  the client's own clock
    assert client.get_tick_size(token) == "0.01"
    assert client.get_neg_risk(token) is market["neg_risk"]

    kinds = library.BalanceAllowanceParams(asset_type="COLLATERAL", signature_type=kind)
    assert client.get_balance_allowance(kinds)["balance"] == "10000000000"
    assert client.update_balance_allowance(kinds) == ""

    resting = client.create_and_post_order(
        library.OrderArgs(token_id=token, price=0.02, size=100, side="BUY"),
        order_type="GTC",
    )
    assert resting["status"] == "live"
    assert [row["id"] for row in client.get_open_orders()] == [resting["orderID"]]
    assert client.get_order(resting["orderID"])["price"] == "0.02"
    cancelled = client.cancel_order(library.OrderPayload(orderID=resting["orderID"]))
    assert cancelled["canceled"] == [resting["orderID"]]

    taken = client.create_and_post_market_order(
        library.MarketOrderArgs(token_id=token, amount=20, side="BUY", order_type="FAK"),
        order_type="FAK",
    )
    assert taken["status"] == "matched"
    assert float(taken["makingAmount"]) <= 20
    trades = client.get_trades()
    assert {trade["id"] for trade in trades} == set(taken["tradeIDs"])
    ledger = venue.operate("GET", f"/ledger/{wallet}")
    assert ledger["is_whole"]
    assert float(ledger["shares"][token]) == float(taken["takingAmount"])
    assert eventually(lambda: all(t["status"] == "CONFIRMED" for t in client.get_trades()))
    assert venue.operate("GET", "/audit")["problems"] == []


def test_a_refusal_reaches_the_client_in_the_services_words(
    venue: VenueProcess, library: Any
) -> None:
    client = _client(venue, library, key=KEYS[2], kind=0, funder=None)
    token = _quiet_market(client)["tokens"][0]["token_id"]
    with pytest.raises(library.exceptions.PolyApiException) as caught:
        client.create_and_post_order(
            library.OrderArgs(token_id=token, price=0.02, size=100, side="BUY"), order_type="GTC"
        )
    assert caught.value.status_code == 400
    assert caught.value.error_msg["error"].startswith("not enough balance / allowance: ")


def test_the_client_reads_everything_that_is_public(venue: VenueProcess, library: Any) -> None:
    client = library.ClobClient(venue.urls["clob"], 137)
    market = _quiet_market(client)
    tokens = [token["token_id"] for token in market["tokens"]]
    asked = [library.BookParams(token_id=token, side="BUY") for token in tokens]
    books = client.get_order_books(asked)
    assert {book["asset_id"] for book in books} == set(tokens)
    assert all(client.get_order_book_hash(book) == book["hash"] for book in books)
    assert set(client.get_prices(asked)) == set(tokens)
    assert set(client.get_midpoints(asked)) == set(tokens)
    assert set(client.get_spreads(asked)) == set(tokens)
    assert isinstance(client.get_last_trades_prices(asked), list)
    assert isinstance(client.get_last_trade_price(tokens[0])["price"], str)
    span = library.PricesHistoryParams(market=tokens[0], interval="1d", fidelity=30)
    assert len(client.get_prices_history(span)["history"]) > 40
    compact = client.get_clob_market_info(market["condition_id"])
    assert [token["t"] for token in compact["t"]] == tokens
    assert client.get_market(market["condition_id"])["question"] == market["question"]
    for page in (
        client.get_markets(),
        client.get_simplified_markets(),
        client.get_sampling_simplified_markets(),
    ):
        assert page["count"] == len(page["data"])
    assert client.get_version() == 2


def test_the_client_posts_and_cancels_in_batches(venue: VenueProcess, library: Any) -> None:
    wallet = derive_wallets(_address(KEYS[0]), POLYGON.wallets).deposit_beacon
    client = _client(venue, library, key=KEYS[0], kind=3, funder=wallet)
    venue.operate("POST", "/fund", {"address": wallet, "amount": "1000"})
    market = _quiet_market(client)
    token = market["tokens"][0]["token_id"]

    def post(count: int) -> list[str]:
        terms = library.OrderArgs(token_id=token, price=0.01, size=10, side="BUY")
        legs = [
            library.clob_types.PostOrdersV2Args(client.create_order(terms)) for _ in range(count)
        ]
        return [str(leg["orderID"]) for leg in client.post_orders(legs)]

    first, second = post(2)
    assert client.cancel_orders([first, second])["canceled"] == [first, second]
    third = post(1)
    by_market = library.OrderMarketCancelParams(market=market["condition_id"])
    assert client.cancel_market_orders(by_market)["canceled"] == third
    many = post(15)
    assert sorted(client.cancel_all()["canceled"]) == sorted(many)
    assert client.get_open_orders() == []
    assert client.get_closed_only_mode() == {"closed_only": False}
    assert client.creds.api_key in client.get_api_keys()["apiKeys"]
