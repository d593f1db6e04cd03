"""Every public method of the service's own Python client, unmodified, against a venue process.

Two people meet in a market of empty books: a maker with a deposit wallet and a taker with a safe.
Left out, because they say nothing to any host:

- `assert_level_1_auth`: raises where the client was given no key.
- `assert_level_2_auth`: raises where the client was given no credentials.

`rfq` is no method but a second client for quotes on request, which no manual trader uses; the
venue has no such routes. A test below compares this list and the calls of this module with
what the client has.
"""

import ast
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from tests.sim.kit import KEYS, RAIN, RAIN_NO, RAIN_YES, SNOW, SNOW_NO, SNOW_YES, write_catalogue
from tests.sim.process import VenueProcess, eventually, venue_process

UNKNOWN_ORDER = "0x" + "00" * 32


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VenueProcess]:
    page = write_catalogue(tmp_path_factory.mktemp("catalogue"))
    with venue_process("--port", "0", "--speed", "0", "--catalogue", str(page)) as running:
        yield running


def _person(venue: VenueProcess, library: Any, *, key: str, kind: int) -> Any:
    wallets = derive_wallets(Signer(Secret.from_hex(key)).address, POLYGON.wallets)
    funder: Address = {2: wallets.safe, 3: wallets.deposit_beacon}[kind]
    # The venue's time, which some tests move, and not this machine's.
    client = library.ClobClient(
        venue.urls["clob"],
        137,
        key=key,
        signature_type=kind,
        funder=funder,
        use_server_time=True,
    )
    client.set_api_creds(client.create_or_derive_api_key())
    venue.operate("POST", "/fund", {"address": funder, "amount": "1000"})
    assert client.get_address() == wallets.owner
    return client


@pytest.fixture
def maker(venue: VenueProcess, library: Any) -> Iterator[Any]:
    client = _person(venue, library, key=KEYS[0], kind=3)
    yield client
    client.cancel_all()


@pytest.fixture
def taker(venue: VenueProcess, library: Any) -> Iterator[Any]:
    client = _person(venue, library, key=KEYS[1], kind=2)
    yield client
    client.cancel_all()


def _bid(library: Any, price: float, size: float, **more: Any) -> Any:
    more.setdefault("token_id", RAIN_YES)
    return library.OrderArgs(price=price, size=size, side="BUY", **more)


def _post(client: Any, library: Any, *terms: Any) -> list[str]:
    legs = [library.clob_types.PostOrdersV2Args(client.create_order(one)) for one in terms]
    return [str(leg["orderID"]) for leg in client.post_orders(legs)]


def test_every_public_method_is_called_here_or_named_above(library: Any) -> None:
    public = {name for name in dir(library.ClobClient) if not name.startswith("_")}
    tree = ast.parse(Path(__file__).read_text())
    called = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("client", "public", "maker", "taker")
    }
    left_out = set(re.findall(r"^- `(\w+)`:", __doc__ or "", re.M))
    assert called <= public
    assert not called & left_out
    assert called | left_out == public


def test_the_host_itself(venue: VenueProcess, library: Any) -> None:
    public = library.ClobClient(venue.urls["clob"], 137)
    assert public.get_ok() == "OK"
    assert public.get_version() == 2
    assert public.get_server_time() == pytest.approx(
        venue.operate("GET", "/clock")["now_ms"] / 1_000, abs=5
    )


def test_keys_of_all_kinds(venue: VenueProcess, library: Any, maker: Any) -> None:
    made = maker.create_api_key(nonce=7)
    assert maker.derive_api_key(nonce=7) == made
    assert set(maker.get_api_keys()["apiKeys"]) >= {made.api_key, maker.creds.api_key}
    with pytest.raises(library.exceptions.PolyApiException) as refused:
        maker.create_api_key(nonce=7)
    assert (refused.value.status_code, refused.value.error_msg) == (
        400,
        {"error": "Could not create api key"},
    )
    first = maker.creds
    maker.set_api_creds(made)
    assert maker.delete_api_key() == "OK"
    maker.set_api_creds(first)
    assert made.api_key not in maker.get_api_keys()["apiKeys"]

    builder = maker.create_builder_api_key()
    assert builder["key"] in [row["key"] for row in maker.get_builder_api_keys()]
    assert maker.revoke_builder_api_key() == "OK"
    revoked = {row["key"]: row["revokedAt"] for row in maker.get_builder_api_keys()}
    assert revoked[builder["key"]]

    key = maker.create_readonly_api_key()["apiKey"]
    assert key in maker.get_readonly_api_keys()["readonlyApiKeys"]
    assert maker.delete_readonly_api_key(key) is True
    assert key not in maker.get_readonly_api_keys()["readonlyApiKeys"]
    assert maker.get_closed_only_mode() == {"closed_only": False}


def test_markets_and_their_terms(venue: VenueProcess, library: Any) -> None:
    public = library.ClobClient(venue.urls["clob"], 137)
    for page in (
        public.get_markets(),
        public.get_simplified_markets(),
        public.get_sampling_markets(),
        public.get_sampling_simplified_markets(),
    ):
        assert [row["condition_id"] for row in page["data"]] == [RAIN, SNOW]
        assert page["next_cursor"] == "LTE="
    assert public.get_market(RAIN)["question"] == "Will it rain"
    compact = public.get_clob_market_info(RAIN)
    assert [token["t"] for token in compact["t"]] == [RAIN_YES, RAIN_NO]
    assert public.get_market_trades_events(RAIN)["market_slug"] == "will-it-rain"
    assert public.get_tick_size(RAIN_YES) == "0.01"
    assert public.get_neg_risk(SNOW_YES) is True
    assert public.get_fee_rate_bps(RAIN_YES) == 1_000
    assert public.get_fee_exponent(RAIN_YES) == 1


def test_books_and_prices(venue: VenueProcess, library: Any, maker: Any, taker: Any) -> None:
    public = library.ClobClient(venue.urls["clob"], 137)
    _post(maker, library, _bid(library, 0.40, 20), _bid(library, 0.50, 10, token_id=RAIN_NO))
    book = public.get_order_book(RAIN_YES)
    assert (book["bids"][-1]["price"], book["asks"][-1]["price"]) == ("0.4", "0.5")
    assert public.get_order_book_hash(book) == book["hash"]
    asked = [library.BookParams(token_id=RAIN_YES, side="BUY")]
    asked.append(library.BookParams(token_id=RAIN_NO, side="SELL"))
    books = public.get_order_books(asked)
    assert {one["asset_id"] for one in books} == {RAIN_YES, RAIN_NO}
    assert public.get_price(RAIN_YES, "BUY") == {"price": "0.4"}
    assert public.get_prices(asked) == {RAIN_YES: {"BUY": "0.4"}, RAIN_NO: {"SELL": "0.6"}}
    assert public.get_midpoint(RAIN_YES) == {"mid": "0.45"}
    assert public.get_midpoints(asked) == {RAIN_YES: "0.45", RAIN_NO: "0.55"}
    assert public.get_spread(RAIN_YES) == {"spread": "0.1"}
    assert public.get_spreads(asked) == {RAIN_YES: "0.1", RAIN_NO: "0.1"}
    assert public.calculate_market_price(RAIN_YES, "BUY", 5, "FOK") == 0.5
    assert public.calculate_market_price(RAIN_YES, "SELL", 20, "FOK") == 0.4

    taken = taker.create_and_post_market_order(
        library.MarketOrderArgs(token_id=RAIN_YES, amount=2, side="BUY", order_type="FAK"),
        order_type="FAK",
    )
    assert (taken["status"], taken["makingAmount"], taken["takingAmount"]) == ("matched", "2", "4")
    assert len(taken["transactionsHashes"]) == 1
    assert public.get_last_trade_price(RAIN_YES) == {"price": "0.5", "side": "BUY"}
    row = {"token_id": RAIN_YES, "price": "0.500", "side": "BUY"}
    assert row in public.get_last_trades_prices(asked)
    span = library.PricesHistoryParams(market=RAIN_YES, interval="1d", fidelity=30)
    assert public.get_prices_history(span)["history"]


def test_posting_reading_and_cancelling(
    venue: VenueProcess, library: Any, maker: Any, taker: Any
) -> None:
    kinds = library.BalanceAllowanceParams(asset_type="COLLATERAL")
    assert int(maker.get_balance_allowance(kinds)["balance"]) >= 500_000_000
    assert maker.update_balance_allowance(kinds) == ""

    resting = maker.create_and_post_order(_bid(library, 0.40, 20), order_type="GTC")
    assert (resting["status"], resting["errorMsg"]) == ("live", "")
    assert maker.get_order(resting["orderID"])["original_size"] == "20"
    by_market = library.OpenOrderParams(market=RAIN)
    assert [row["id"] for row in maker.get_open_orders(by_market)] == [resting["orderID"]]
    assert maker.get_pre_migration_orders() == []

    signed = taker.create_market_order(
        library.MarketOrderArgs(token_id=RAIN_NO, amount=3, side="BUY", price=0.6)
    )
    taken = taker.post_order(signed, order_type="FOK")
    assert taken["status"] == "matched"
    trade_id = taken["tradeIDs"][0]
    mine = taker.get_trades(library.TradeParams(id=trade_id))
    assert [(row["trader_side"], row["size"]) for row in mine] == [("TAKER", "5")]
    theirs = maker.get_trades(library.TradeParams(id=trade_id))
    assert theirs[0]["trader_side"] == "MAKER"
    page = maker.get_trades_paginated(library.TradeParams(market=RAIN))
    assert trade_id in [row["id"] for row in page["trades"]]
    assert eventually(
        lambda: taker.get_trades(library.TradeParams(id=trade_id))[0]["status"] == "CONFIRMED"
    )

    first, second = _post(maker, library, _bid(library, 0.02, 9), _bid(library, 0.03, 9))
    one = library.OrderPayload(orderID=resting["orderID"])
    assert maker.cancel_order(one)["canceled"] == [resting["orderID"]]
    both = maker.cancel_orders([first, second, UNKNOWN_ORDER])
    assert both["canceled"] == [first, second]
    assert both["not_canceled"] == {UNKNOWN_ORDER: "Order not found or already canceled"}
    (third,) = _post(maker, library, _bid(library, 0.02, 9))
    by_token = library.OrderMarketCancelParams(asset_id=RAIN_YES)
    assert maker.cancel_market_orders(by_token)["canceled"] == [third]
    many = _post(maker, library, *[_bid(library, 0.02, 9)] * 15)
    assert sorted(maker.cancel_all()["canceled"]) == sorted(many)


def test_refusals_reach_the_client_in_the_services_words(library: Any, maker: Any) -> None:
    with pytest.raises(library.exceptions.PolyApiException) as refused:
        maker.create_and_post_order(_bid(library, 0.40, 50_000), order_type="GTC")
    assert refused.value.status_code == 400
    assert refused.value.error_msg["error"].startswith("not enough balance / allowance: ")


def test_heartbeats_chain_and_correct_themselves(venue: VenueProcess, library: Any) -> None:
    # A third person: whoever has begun must go on, or lose their orders.
    client = _person(venue, library, key=KEYS[2], kind=3)
    first = client.post_heartbeat()["heartbeat_id"]
    second = client.post_heartbeat(first)["heartbeat_id"]
    with pytest.raises(library.exceptions.PolyApiException) as refused:
        client.post_heartbeat(first)
    assert refused.value.error_msg == {
        "error_msg": "Invalid Heartbeat ID",
        "heartbeat_id": second,
    }
    assert client.post_heartbeat(second)["heartbeat_id"] != second


def test_scoring_rewards_and_earnings(venue: VenueProcess, library: Any, maker: Any) -> None:
    bid, ask, far = _post(
        maker,
        library,
        _bid(library, 0.48, 60, token_id=SNOW_YES),
        _bid(library, 0.50, 60, token_id=SNOW_NO),
        _bid(library, 0.10, 60, token_id=SNOW_YES),
    )
    assert maker.is_order_scoring(library.OrderScoringParams(orderId=bid)) == {"scoring": True}
    scoring = maker.are_orders_scoring(library.OrdersScoringParams(orderIds=[bid, ask, far]))
    assert scoring == {bid: True, ask: True, far: False}
    assert [row["condition_id"] for row in maker.get_current_rewards()] == [RAIN, SNOW]
    raw = maker.get_raw_rewards_for_market(SNOW)
    assert raw[0]["market_competitiveness"] > 0
    assert maker.get_reward_percentages() == {SNOW: 100}

    venue.operate("POST", "/clock/step", {"seconds": 61})
    day = time.strftime("%Y-%m-%d", time.gmtime(maker.get_server_time()))
    assert eventually(lambda: bool(maker.get_earnings_for_user_for_day(day)))
    row = maker.get_earnings_for_user_for_day(day)[0]
    assert (row["condition_id"], row["date"]) == (SNOW, day)
    total = maker.get_total_earnings_for_user_for_day(day)
    assert total[0]["earnings"] == row["earnings"] > 0
    rows = maker.get_user_earnings_and_markets_config(day, order_by="rate_per_day", position="DESC")
    earned = {one["condition_id"]: one["earnings"][0]["earnings"] for one in rows}
    assert earned == {RAIN: 0, SNOW: row["earnings"]}


def test_notifications_are_read_and_dropped(library: Any, taker: Any) -> None:
    (order_id,) = _post(taker, library, _bid(library, 0.05, 20))
    taker.cancel_order(library.OrderPayload(orderID=order_id))
    newest = taker.get_notifications()[0]
    assert (newest["type"], newest["payload"]["order_id"]) == (1, order_id)
    ids = library.DropNotificationParams(ids=[str(newest["id"])])
    assert taker.drop_notifications(ids) == "OK"
    assert newest["id"] not in [one["id"] for one in taker.get_notifications()]


def test_orders_carry_their_builder(library: Any, maker: Any, taker: Any) -> None:
    code = maker.create_builder_api_key()["builderCode"]
    _post(maker, library, _bid(library, 0.40, 20, builder_code=code))
    taker.create_and_post_market_order(
        library.MarketOrderArgs(
            token_id=RAIN_NO, amount=3, side="BUY", builder_code=code, user_usdc_balance=100
        ),
        order_type="FOK",
    )
    page = maker.get_builder_trades(library.BuilderTradeParams(builder_code=code))
    assert {row["tradeType"] for row in page["trades"]} == {"MAKER", "TAKER"}
    assert {row["builder"] for row in page["trades"]} == {code}
