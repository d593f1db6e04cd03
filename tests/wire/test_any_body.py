"""Whatever a host sends is a value or a `WireError`, for every decoder of a whole body there is."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey
from pmtui.wire import analytics, clob, clob_account, clob_rewards, gamma
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner
from pmtui.wire.stream import decode_market_frame, decode_user_frame
from tests.wire.analytics_rows import HOLDERS
from tests.wire.payloads import Json, bent, event, json_values, market, wire
from tests.wire.test_clob_notices import NOTICE
from tests.wire.test_clob_rewards import EARNING, MARKET, REBATE, page

Decoder = Callable[[bytes], object]

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
KINDS = st.sampled_from(
    ["book", "price_change", "last_trade_price", "tick_size_change", "best_bid_ask", "new_market",
     "market_resolved", "order", "trade", "?"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["market", "asset_id", "price", "size", "side", "bids", "asks", "price_changes", "timestamp",
     "status", "type", "maker_orders", "neg_risk", "assets_ids", "match_time", "id", "created_at",
     "original_size", "expiration", "best_bid", "hash", "trader_side"]
)  # fmt: skip


def decoders(module: ModuleType) -> list[Decoder]:
    """The module's own decoders of a body; those that need an owner are added by hand."""
    own = inspect.getmembers(
        module, lambda value: inspect.isfunction(value) and value.__module__ == module.__name__
    )
    wanted = [value for name, value in own if name.startswith("decode_")]
    return [value for value in wanted if list(inspect.signature(value).parameters) == ["body"]]


def wrapped(row: Json) -> st.SearchStrategy[Json]:
    return st.sampled_from([row, [row], {"data": [row], "next_cursor": "MTAw"}, {"0x1": row}])


CLOB_ROWS = st.sampled_from(ROWS).flatmap(bent).flatmap(wrapped).map(wire)
NOTICES = st.lists(bent(NOTICE), max_size=2) | json_values.map(lambda x: [NOTICE | {"payload": x}])
REWARDS = st.lists(bent(MARKET) | bent(EARNING) | bent(REBATE), max_size=2).map(wire)
FRAMES = st.dictionaries(NAMES, json_values | st.floats(), max_size=10)


@pytest.mark.parametrize(
    ("decoders", "likely"),
    [
        (decoders(analytics), bent(HOLDERS).flatmap(wrapped).map(wire)),
        (decoders(gamma), (bent(market()) | bent(event())).map(wire)),
        (decoders(clob), CLOB_ROWS),
        (
            [*decoders(clob_account), partial(clob_account.decode_fill_page, owner=OWNER)],
            CLOB_ROWS | NOTICES.map(wire),
        ),
        (decoders(clob_rewards), REWARDS | bent(MARKET).map(page)),
        (
            [decode_market_frame, partial(decode_user_frame, owner=OWNER)],
            st.builds(lambda kind, row: wire(row | {"event_type": kind}), KINDS, FRAMES),
        ),
    ],
    ids=["analytics", "gamma", "clob", "clob account", "clob rewards", "stream"],
)
@given(data=st.data())
def test_it_is_a_value_or_a_wire_error(
    decoders: Sequence[Decoder], likely: st.SearchStrategy[bytes], data: st.DataObject
) -> None:
    assert len(decoders) > 1
    kinds = (
        st.binary(max_size=200),
        json_values.map(wire),
        json_values.map(lambda x: wire([x])),
        likely,
    )
    for body in (data.draw(kind) for kind in kinds):
        for decode in decoders:
            try:
                decode(body)
            except WireError as error:
                assert str(error)  # noqa: PT017 - most bodies raise nothing
