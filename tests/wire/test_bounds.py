"""One row beyond all bounds costs itself: the others are read, long texts are cut, ids refused."""

import json
from datetime import UTC, datetime

import pytest

from pmtui.domain.ids import Address, ApiKey
from pmtui.wire import analytics, bounds, clob, clob_account, gamma, stream
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner
from tests.fuzz.decoding import BOOK, ORDER, POSITION, PRINT, TRADE, Text, write
from tests.wire.payloads import Json, event, market, wire

OWNER = Owner(ApiKey("me"), frozenset({Address("0xAB")}))
HOSTILE = [
    "1e1000000",
    Text("1e1000000"),
    Text("1" + "0" * 5_000),
    -1,
    "NaN",
    1e18,
    "１２",
    "+1",
    " 1 ",
]


@pytest.mark.parametrize("number", HOSTILE, ids=lambda number: write(number)[:12])
def test_a_hostile_number_costs_its_row_alone(number: Json) -> None:
    events = gamma.decode_events(write([event(volume=number), event()]).encode())
    assert (len(events.items), events.skipped) == (1, 1)
    markets = gamma.decode_markets(write([market(liquidityNum=number), market()]).encode())
    assert (len(markets.items), markets.skipped) == (1, 1)
    orders = clob_account.decode_order_page(
        write({"data": [ORDER, ORDER | {"price": number}]}).encode()
    )
    assert (len(orders.items), orders.skipped) == (1, 1)
    fills = clob_account.decode_fill_page(
        write({"data": [TRADE, TRADE | {"size": number}]}).encode(), OWNER
    )
    assert (len(fills.items) > 0, fills.skipped) == (True, 0 if number is None else 1)
    prints = analytics.decode_prints(write([PRINT, PRINT | {"price": number}]).encode())
    assert (len(prints.items), prints.skipped) == (1, 1)
    positions = analytics.decode_positions(write([POSITION, POSITION | {"size": number}]).encode())
    assert (len(positions.items), positions.skipped) == (1, 1)


@pytest.mark.parametrize("row", [None, 5, "x", [], Text("[" * 900 + "]" * 900)], ids=repr)
def test_a_row_that_is_no_object_is_counted(row: Json) -> None:
    page = clob_account.decode_order_page(write({"data": [ORDER, row]}).encode())
    assert (len(page.items), page.skipped, page.unread) == (1, 1, (None,))


@pytest.mark.parametrize("price", ["1.01", "-0.01", "1e15", "1e1000000"])
def test_a_price_beside_its_range_is_no_trade_and_no_book(price: str) -> None:
    with pytest.raises(WireError):
        clob.decode_book(wire(BOOK | {"bids": [{"price": price, "size": "1"}]}))
    told = {"event_type": "last_trade_price", "asset_id": "1", "side": "BUY", "size": "5"}
    (message,) = stream.decode_market_frame(wire(told | {"price": price}))
    assert isinstance(message, stream.BadMessage)


@pytest.mark.parametrize("tick", ["0", "-0.01", "0.000001", "0.5", "1e1000000"])
def test_a_tick_that_no_ladder_has_is_refused(tick: str) -> None:
    changed = {"event_type": "tick_size_change", "asset_id": "1", "new_tick_size": tick}
    (message,) = stream.decode_market_frame(wire(changed))
    assert isinstance(message, stream.BadMessage)
    if tick != "0":
        with pytest.raises(WireError):
            clob.decode_book(wire(BOOK | {"tick_size": tick}))


def test_texts_that_are_shown_are_cut_and_say_so() -> None:
    long = "A" * 1_000_000
    (found,) = gamma.decode_events(wire([event(title=long, description=long)])).items
    assert (len(found.title), found.title[-1]) == (bounds.TITLE, "…")
    assert (len(found.description), found.description[-1]) == (bounds.PROSE, "…")
    assert len(found.markets[0].event_title) == bounds.TITLE
    (held,) = analytics.decode_positions(wire([POSITION | {"title": long, "outcome": long}])).items
    assert (len(held.title), len(held.outcome)) == (bounds.TITLE, bounds.LABEL)
    refused = clob_account.decode_post_result(wire({"errorMsg": long}))
    assert len(refused.error) == bounds.REASON
    assert bounds.cut("short", 5) == "short"
    assert bounds.cut(None, 5) == ""


def test_identifiers_that_are_too_long_are_refused() -> None:
    long = "1" * 201
    rows = gamma.decode_markets(wire([market(slug=long), market(id=long), market()]))
    assert (len(rows.items), rows.skipped) == (1, 2)
    page = clob_account.decode_order_page(wire([ORDER | {"id": long}, ORDER]))
    assert (len(page.items), page.skipped) == (1, 1)
    with pytest.raises(WireError):
        clob.decode_amounts(wire({long: "0.5"}))


def test_lists_in_rows_are_read_to_a_bound_and_the_rest_is_counted() -> None:
    many = event(tags=[{"id": n} for n in range(bounds.MOST_TAGS + 3)], markets=[])
    found = gamma.decode_events(wire([many]))
    assert (len(found.items[0].tags), found.skipped) == (bounds.MOST_TAGS, 3)
    labels = json.dumps(["Yes"] * (bounds.MOST_OUTCOMES + 1))
    assert gamma.decode_markets(wire([market(outcomes=labels), market()])).skipped == 1
    level = {"price": "0.4", "size": "1"}
    with pytest.raises(WireError):
        clob.decode_book(wire(BOOK | {"bids": [level] * (bounds.MOST_LEVELS + 1)}))
    with pytest.raises(WireError):
        clob_account.decode_order_page(wire([5] * (bounds.MOST_ROWS + 1)))
    rows = analytics.decode_prints(wire([PRINT] + [5] * bounds.MOST_ROWS))
    assert (len(rows.items), rows.skipped) == (1, bounds.MOST_ROWS)


def test_a_time_is_sane_between_the_epoch_and_the_year_3000() -> None:
    assert bounds.is_sane(bounds.EARLIEST)
    assert not bounds.is_sane(bounds.LATEST)
    assert not bounds.is_sane(datetime(1969, 12, 31, tzinfo=UTC))
