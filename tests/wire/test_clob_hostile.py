"""Whatever the trading host sends is read or refused as unreadable, and nothing else happens."""

import contextlib
import inspect
import json
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey
from pmtui.wire import clob, clob_account
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner
from tests.wire.payloads import Json, bent, json_values

OWNER = Owner(ApiKey("me"), frozenset({Address("0xAB")}))
ROWS: list[dict[str, Json]] = [
    {"price": "0.5", "side": "BUY", "token_id": "7", "mid": 0.5, "spread": "0.1", "BUY": "0.4"},
    {"c": "0x1", "t": [{"t": "7", "o": "Yes"}], "mts": 0.01, "mos": 5, "fd": {"r": 0.05, "e": 1}},
    {"history": [{"t": 1, "p": 0.5}], "minimum_tick_size": 0.01, "neg_risk": True, "base_fee": 0},
    {"asset_id": "7", "market": "0x1", "bids": [], "asks": [], "timestamp": "1", "version": 2},
    {
        "id": "0xa", "status": "LIVE", "market": "0x1", "asset_id": "7", "side": "BUY",
        "original_size": "5", "size_matched": "0", "price": "0.5", "created_at": 1790000000,
        "order_type": "GTC", "expiration": "0", "outcome": "Yes",
    },
    {
        "id": "t", "taker_order_id": "0xa", "market": "0x1", "asset_id": "7", "side": "SELL",
        "size": "5", "price": "0.5", "status": "MINED", "match_time": 1790000000, "owner": "me",
        "maker_orders": [{"order_id": "0xm", "owner": "me", "asset_id": "7",
                          "matched_amount": "2", "price": "0.5"}],
    },
    {"orderID": "0xa", "status": "live", "success": True, "errorMsg": "", "makingAmount": "1",
     "tradeIDs": ["a"], "transactionsHashes": None},
    {"canceled": ["0xa"], "not_canceled": {"0xb": "no"}, "closed_only": True, "apiKeys": ["k"]},
    {"balance": "7", "allowances": {"0xE1": "9"}, "allowance": "3"},
    {"condition_id": "0x1", "primary_token_id": "1", "secondary_token_id": "2",
     "tokens": [{"token_id": "1", "outcome": "Yes"}], "market_slug": "a"},
]  # fmt: skip


def fills(body: bytes) -> object:
    return clob_account.decode_fill_page(body, OWNER)


def decoders(module: ModuleType) -> list[Callable[[bytes], object]]:
    """The module's own decoders of a body; the one that needs an owner is added by hand."""
    own = inspect.getmembers(
        module, lambda value: inspect.isfunction(value) and value.__module__ == module.__name__
    )
    wanted = [value for name, value in own if name.startswith("decode_")]
    return [value for value in wanted if list(inspect.signature(value).parameters) == ["body"]]


DECODERS = [*decoders(clob), *decoders(clob_account), fills]
bodies = (
    st.binary(max_size=80)
    | json_values.map(json.dumps).map(str.encode)
    | st.sampled_from(ROWS)
    .flatmap(bent)
    .flatmap(
        lambda row: st.sampled_from(
            [row, [row], {"data": [row], "next_cursor": "MTAw"}, {"0x1": row}]
        )
    )
    .map(json.dumps)
    .map(str.encode)
)


@pytest.mark.parametrize("decode", DECODERS)
@given(body=bodies)
def test_anything_is_a_value_or_a_wire_error(
    decode: Callable[[bytes], object], body: bytes
) -> None:
    with contextlib.suppress(WireError):
        decode(body)
