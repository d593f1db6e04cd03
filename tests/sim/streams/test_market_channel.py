"""The market channel over real sockets."""

import json
from datetime import timedelta

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.catalogue.rolling import windows_between
from pmtui.sim.engine.terms import Payout
from pmtui.sim.run import RunningVenue
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW_NO, SNOW_YES, Person
from tests.sim.streams.wire import Client, Folded, connected

BOTH = [RAIN_YES, RAIN_NO]


async def subscribe(client: Client, tokens: list[str], **more: object) -> dict[str, Folded]:
    await client.send(type="market", assets_ids=tokens, **more)
    first = await client.event()
    assert isinstance(first, list)
    return {book["asset_id"]: Folded(book) for book in first}


async def test_the_first_frame_is_an_array_with_a_hashed_book_per_token(
    running: RunningVenue, ann: Person
) -> None:
    await ann.rest(Side.BUY, "0.40", "12.5")
    async with connected(running.urls["ws_market"]) as client:
        books = await subscribe(client, BOTH)
        assert set(books) == set(BOTH)
        for book in client.seen[0]:
            assert books[book["asset_id"]].hash(book["timestamp"]) == book["hash"]
            assert book["last_trade_price"] == ""
        assert books[RAIN_YES].rows("BUY") == [{"price": "0.4", "size": "12.5"}]
        assert books[RAIN_NO].rows("SELL") == [{"price": "0.6", "size": "12.5"}]


async def test_a_change_comes_as_two_mirrored_entries_with_tops_and_hashes_after_it(
    running: RunningVenue, ann: Person
) -> None:
    async with connected(running.urls["ws_market"]) as client:
        books = await subscribe(client, BOTH)
        await ann.rest(Side.BUY, "0.30", "20", token=RAIN_NO)
        frame = await client.event()
        assert list(frame) == ["market", "price_changes", "timestamp", "event_type"]
        first, second = frame["price_changes"]
        assert (first["asset_id"], first["price"], first["side"]) == (RAIN_NO, "0.3", "BUY")
        assert (second["asset_id"], second["price"], second["side"]) == (RAIN_YES, "0.7", "SELL")
        assert (first["best_bid"], first["best_ask"]) == ("0.3", "1")
        assert (second["best_bid"], second["best_ask"]) == ("0", "0.7")
        for entry in (first, second):
            book = books[entry["asset_id"]]
            book.change(entry)
            assert book.hash(frame["timestamp"]) == entry["hash"]


async def test_every_hash_of_a_busy_market_is_that_of_the_folded_book(
    running: RunningVenue, ann: Person, bob: Person
) -> None:
    async with connected(running.urls["ws_market"]) as client:
        books = await subscribe(client, BOTH)
        for step in range(12):
            await ann.rest(Side.BUY, f"0.{20 + step}", "10")
            await bob.rest(Side.BUY, f"0.{30 + step}", "10", token=RAIN_NO)
        await bob.place(Side.BUY, "0.65", "12", token=RAIN_NO)
        await ann.call("DELETE", "/cancel-all")
        frames = await client.ping()
        last_known = {"", "0.680", "0.690"}
        mismatched = 0
        for frame in frames:
            if frame["event_type"] == "book":
                books[frame["asset_id"]].load(frame)
                assert "last_trade_price" not in frame
            for entry in frame.get("price_changes", ()):
                book = books[entry["asset_id"]]
                book.change(entry)
                assert (entry["best_bid"], entry["best_ask"]) == (
                    book.best("BUY"),
                    book.best("SELL"),
                )
                candidates = {book.hash(frame["timestamp"], price) for price in last_known}
                candidates |= {
                    book.hash(frame["timestamp"], f["price"].ljust(5, "0"))
                    for f in frames
                    if f["event_type"] == "last_trade_price"
                }
                mismatched += entry["hash"] not in candidates
        assert mismatched <= len(frames) * 0.2
        reads = running.venue.exchange.reads
        for token_id, book in books.items():
            view = reads.book(reads.market(RAIN).spec.tokens[BOTH.index(token_id)])  # type: ignore[arg-type,union-attr]
            assert view is not None
            assert len(view.bids) == len(book.rows("BUY"))
            assert [level.price for level in view.asks] == [
                Micros(round(float(row["price"]) * 1_000_000)) for row in book.rows("SELL")
            ]


async def test_a_trade_sends_change_both_books_and_then_the_print(
    running: RunningVenue, ann: Person, bob: Person
) -> None:
    await ann.rest(Side.BUY, "0.40", "20")
    async with connected(running.urls["ws_market"]) as client:
        books = await subscribe(client, BOTH)
        await bob.place(Side.BUY, "0.60", "20", token=RAIN_NO)
        frames = await client.ping()
        kinds = [frame["event_type"] for frame in frames]
        assert kinds == ["price_change", "book", "book", "last_trade_price"]
        printed = frames[-1]
        assert (printed["price"], printed["side"], printed["size"]) == ("0.6", "BUY", "20")
        assert printed["transaction_hash"].startswith("0x")
        for frame in frames[1:3]:
            book = books[frame["asset_id"]]
            book.load(frame)
            assert "last_trade_price" not in frame
            assert book.hash(frame["timestamp"], "0.600") == frame["hash"]


async def test_tops_are_announced_in_pairs_just_before_the_change_to_who_asked_for_them(
    running: RunningVenue, ann: Person
) -> None:
    async with (
        connected(running.urls["ws_market"]) as plain,
        connected(running.urls["ws_market"]) as rich,
    ):
        await subscribe(plain, BOTH)
        await subscribe(rich, BOTH, custom_feature_enabled=True)
        await ann.rest(Side.BUY, "0.40", "20")
        await ann.rest(Side.BUY, "0.39", "20")
        assert [f["event_type"] for f in await plain.ping()] == ["price_change"] * 2
        frames = await rich.ping()
        kinds = [frame["event_type"] for frame in frames]
        assert kinds == ["best_bid_ask", "best_bid_ask", "price_change", "price_change"]
        assert [(f["best_bid"], f["best_ask"], f["spread"]) for f in frames[:2]] == [
            ("0.4", "1", "0.6"),
            ("0", "0.6", "0.6"),
        ]


async def test_tokens_can_be_added_and_removed_on_an_open_connection(
    running: RunningVenue, ann: Person
) -> None:
    async with connected(running.urls["ws_market"]) as client:
        await subscribe(client, [RAIN_YES])
        await client.send(operation="subscribe", assets_ids=[SNOW_YES, SNOW_NO])
        assert {book["asset_id"] for book in await client.event()} == {SNOW_YES, SNOW_NO}
        await client.send(operation="unsubscribe", assets_ids=[RAIN_YES])
        assert await client.ping() == []
        await ann.rest(Side.BUY, "0.40", "20")
        assert await client.ping() == []
        await ann.rest(Side.BUY, "0.40", "20", token=SNOW_YES)
        assert [f["event_type"] for f in await client.ping()] == ["price_change"]


async def test_frames_that_make_no_sense_are_answered_in_plain_text(running: RunningVenue) -> None:
    async with connected(running.urls["ws_market"]) as client:
        await client.socket.send("nonsense")
        assert await client.text() == "INVALID OPERATION"
        await subscribe(client, BOTH)
        await client.send(type="market", assets_ids=BOTH)
        assert await client.text() == "INVALID OPERATION"
        await client.send(operation="subscribe", assets_ids=BOTH, custom_feature_enabled=True)
        assert await client.text() == "NO NEW ASSETS"
        await client.send(operation="dance")
        assert await client.text() == "INVALID OPERATION"


async def test_unknown_tokens_and_unwanted_first_books_bring_nothing(running: RunningVenue) -> None:
    async with connected(running.urls["ws_market"]) as client:
        await client.send(type="market", assets_ids=["1234", RAIN_YES], initial_dump=False)
        assert await client.ping() == []


async def test_other_paths_are_not_found_and_oversized_frames_end_the_connection(
    running: RunningVenue,
) -> None:
    url = running.urls["ws_market"]
    with pytest.raises(InvalidStatus, match="404"):
        async with connected(url.replace("/market", "/other")):
            pass
    async with connected(url) as client:
        await client.send(type="market", assets_ids=["9" * 300_000])
        with pytest.raises(ConnectionClosed):
            await client.text()
        assert client.socket.close_code == 1009


async def test_new_markets_a_new_grid_and_an_end_are_announced(running: RunningVenue) -> None:
    venue = running.venue
    async with connected(running.urls["ws_market"]) as client:
        await subscribe(client, BOTH, custom_feature_enabled=True)
        view = venue.trading(RAIN)
        assert view is not None
        condition_id = view.spec.condition_id
        fine = Micros(1_000)
        venue.act(lambda x, now_ms: x.change_tick_size(condition_id, fine, now_ms=now_ms))
        frames = await client.ping()
        assert [f["event_type"] for f in frames] == ["tick_size_change"] * 2 + ["book"] * 2
        assert (frames[0]["old_tick_size"], frames[0]["new_tick_size"]) == ("0.01", "0.001")
        now = venue.clock.now()
        event = windows_between(now, now + timedelta(minutes=5), now=now)[0]
        venue.open_event(event)
        frames = await client.ping()
        assert [f["event_type"] for f in frames] == ["new_market"] * len(event.markets)
        assert frames[0]["assets_ids"] == list(event.markets[0].token_ids)
        venue.act(lambda x, now_ms: x.resolve(condition_id, Payout.FIRST, now_ms=now_ms))
        (frame,) = await client.ping()
        assert (frame["event_type"], frame["winning_asset_id"]) == ("market_resolved", RAIN_YES)
        assert frame["winning_outcome"] == "Yes"


async def test_a_killed_order_moves_no_book(
    running: RunningVenue, ann: Person, http: httpx.AsyncClient
) -> None:
    async with connected(running.urls["ws_market"]) as client:
        await subscribe(client, BOTH)
        response = await ann.place(Side.BUY, "0.40", "20", TimeInForce.FOK)
        assert response.status_code == 400
        assert await client.ping() == []
    assert json.loads((await http.get(f"{running.urls['clob']}/time")).text) > 0
