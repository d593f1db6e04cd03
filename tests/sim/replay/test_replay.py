"""A recording of the local venue is replayed through real sockets, and ends with the very same books."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from pmtui.domain.markets.market import Side
from pmtui.recording.reader import Recording, read_recording
from pmtui.recording.timeline import Timeline
from pmtui.recording.writer import Header
from pmtui.sim.replay.run import NoMarketError, RunningReplay, running_replay
from tests.clients.streams.servers import until
from tests.recording.kit import Scene, book_of, recorded
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client


async def play(scene: Scene) -> None:
    """Bids and asks come and go, and one trade prints."""
    for price in ("0.4", "0.41", "0.42"):
        await scene.heard(scene.ann.rest(Side.BUY, price, "10"), messages=3)
    await scene.heard(scene.bob.rest(Side.BUY, "0.5", "20", token=RAIN_NO), messages=3)
    await scene.heard(scene.ann.place(Side.BUY, "0.5", "5"), messages=4)
    # A message of the trade that came late would count for this one, whose own would not be recorded.
    await scene.heard(scene.ann.rest(Side.BUY, "0.43", "30"), messages=3)


@asynccontextmanager
async def replaying(recording: Recording) -> AsyncIterator[tuple[RunningReplay, httpx.AsyncClient]]:
    """A replay that stands at its start, paused."""
    timeline = Timeline(recording.length_us, monotonic=time.monotonic, speed=0)
    async with running_replay(recording, timeline) as running, http_client() as http:
        yield running, http


async def to_the_end(running: RunningReplay) -> None:
    running.timeline.step_to(running.timeline.length_us)
    await until(lambda: running.feed.is_current, "everything told")


async def test_a_replay_ends_with_the_books_and_hashes_of_the_recording(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, last),
        replaying(recording) as (running, http),
    ):
        await to_the_end(running)
        found = await book_of(http, running.running.urls["clob"], RAIN_YES)
    assert found["hash"] == last["hash"]
    assert {key: found[key] for key in last} == last


async def test_a_jump_backwards_and_forwards_ends_with_the_same_book(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, last),
        replaying(recording) as (running, http),
    ):
        await to_the_end(running)
        running.timeline.move_to(recording.messages[3].at_us)
        await until(lambda: running.feed.is_current, "the jump back")
        middle = await book_of(http, running.running.urls["clob"], RAIN_YES)
        running.timeline.move_to(recording.length_us)
        await until(lambda: running.feed.is_current, "the jump forward")
        found = await book_of(http, running.running.urls["clob"], RAIN_YES)
    assert middle["hash"] != last["hash"]
    assert found["hash"] == last["hash"]


HOUR_US = 3_600 * 1_000_000


async def trade_for_an_hour(scene: Scene) -> None:
    """Let an hour of the venue's time pass in steps of twenty seconds, each with an order."""
    rng = random.Random(17)
    for number in range(180):
        scene.ann.pass_time(20)
        price = f"0.{rng.randrange(30, 45)}"
        match number % 3:
            case 0:
                await scene.heard(scene.ann.rest(Side.BUY, price, str(rng.randrange(5, 40))))
            case 1:
                other = f"0.{rng.randrange(40, 55)}"
                await scene.heard(scene.bob.rest(Side.BUY, other, "9", token=RAIN_NO))
            case _:
                await scene.heard(scene.bob.place(Side.BUY, "0.71", "5", token=RAIN_NO))


async def test_a_recorded_hour_ends_with_books_equal_to_the_recorded_hashes(
    tmp_path: Path,
) -> None:
    async with recorded(tmp_path, trade_for_an_hour) as (quick, last):
        # The venue's hour was made in seconds; the messages arrive as its own time says.
        length_us = quick.length_us
        spread = [
            message._replace(at_us=message.at_us * HOUR_US // length_us)
            for message in quick.messages
        ]
        hour = replace(quick, messages=spread)
        assert hour.length_us == HOUR_US
        async with replaying(hour) as (running, http):
            for part in range(1, 13):
                running.timeline.step_to(HOUR_US * part // 12)
                await until(lambda: running.feed.is_current, "five minutes")
                books = [b for m in running.books.markets.values() for b in m.books]
                assert all(each.book.matches(each.book.announced) for each in books)
            found = await book_of(http, running.running.urls["clob"], RAIN_YES)
    assert found["hash"] == last["hash"]
    assert {key: found[key] for key in last} == last


async def test_the_market_is_listed_as_it_was(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, _),
        replaying(recording) as (running, http),
    ):
        answer = await http.get(f"{running.running.urls['gamma']}/events/1")
        (market,) = answer.json()["markets"]
    assert (answer.json()["title"], market["conditionId"]) == ("Rain", RAIN)


async def test_playing_takes_as_long_as_it_took_at_any_speed(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, last),
        replaying(recording) as (running, http),
    ):
        running.timeline.change_speed(100)
        running.timeline.resume()
        await until(lambda: running.timeline.has_ended, "the end")
        await until(lambda: running.feed.is_current, "everything told")
        found = await book_of(http, running.running.urls["clob"], RAIN_YES)
    assert found["hash"] == last["hash"]


async def test_a_practice_order_takes_what_was_there_and_the_stream_says_nothing_of_it(
    tmp_path: Path,
) -> None:
    async with (
        recorded(tmp_path, play) as (recording, last),
        replaying(recording) as (running, http),
    ):
        # Bids of 10 at 0.42, 0.41 and 0.40 rest, and nothing is offered yet.
        await step_to_book(running, bids=3)
        carl = await Person(running.running, http, key=2).arrive()
        placed = await carl.place(Side.BUY, "0.58", "15", token=RAIN_NO)
        assert placed.json()["status"] == "matched", placed.text
        # The second outcome at 0.58 is a sale of the first at 0.42: ten of it were there.
        assert placed.json()["takingAmount"] == "10"
        book = await book_of(http, running.running.urls["clob"], RAIN_YES)
        assert [level["size"] for level in levels(book, "bids")] == ["10", "10", "10"]
        await to_the_end(running)
        found = await book_of(http, running.running.urls["clob"], RAIN_YES)
    assert found["hash"] == last["hash"]


async def test_a_resting_practice_order_fills_when_the_recorded_book_comes_to_it(
    tmp_path: Path,
) -> None:
    async with (
        recorded(tmp_path, play) as (recording, _),
        replaying(recording) as (running, http),
    ):
        await step_to_book(running, bids=3)
        carl = await Person(running.running, http, key=2).arrive()
        await carl.rest(Side.BUY, "0.55", "8")
        await carl.rest(Side.BUY, "0.45", "8")
        # Twenty are offered at 0.50 later on, and nothing ever below.
        await to_the_end(running)
        left = running.running.venue.exchange.reads.open_orders(carl.api_key)
    assert [str(order.price) for order in left] == ["450000"]


async def test_a_recorded_trade_fills_what_it_went_through_and_not_what_stood_beside_it(
    tmp_path: Path,
) -> None:
    async def sell_down(scene: Scene) -> None:
        await scene.heard(scene.ann.rest(Side.BUY, "0.4", "30"))
        await scene.heard(scene.bob.place(Side.BUY, "0.6", "10", token=RAIN_NO))
        await scene.heard(scene.ann.rest(Side.BUY, "0.39", "10"))

    async with (
        recorded(tmp_path, sell_down) as (recording, _),
        replaying(recording) as (running, http),
    ):
        await step_to_book(running, bids=1)
        carl = await Person(running.running, http, key=2).arrive()
        await carl.rest(Side.BUY, "0.41", "6")
        await carl.rest(Side.BUY, "0.4", "6")
        await to_the_end(running)
        left = running.running.venue.exchange.reads.open_orders(carl.api_key)
    assert [str(order.price) for order in left] == ["400000"]


def levels(book: dict[str, object], side: str) -> list[dict[str, str]]:
    found = book[side]
    assert isinstance(found, list)
    return found


async def step_to_book(running: RunningReplay, *, bids: int) -> None:
    """Step message by message until the first token's book has so many bids."""
    recorded_book = running.books.book(RAIN_YES)
    assert recorded_book is not None
    while len(recorded_book.view().bids) < bids:
        at_us = running.feed.next_at_us
        assert at_us is not None
        running.timeline.step_to(at_us)
        await until(lambda: running.feed.is_current, "the step")


async def test_a_recording_without_a_market_is_refused() -> None:
    empty = Recording(Header(started_ms=0, token_ids=()))
    timeline = Timeline(0, monotonic=time.monotonic)
    with pytest.raises(NoMarketError):
        async with running_replay(empty, timeline):
            pass


@pytest.mark.parametrize(
    "name",
    ["market__2026-05-19__4_markets.jsonl.gz", "market__2026-07-27__deep_book_0x18b1.jsonl.gz"],
)
async def test_public_recordings_end_with_the_hashes_they_announced(
    shared_dir: Path, name: str
) -> None:
    recording = read_recording(shared_dir / "data" / "ws" / name)
    assert isinstance(recording, Recording)
    async with replaying(recording) as (running, _):
        await to_the_end(running)
        books = [book for market in running.books.markets.values() for book in market.books]
        # What the venue announced last, or shortly before: frames arrive in changed order.
        agreed = [book.book.matches(book.book.announced) for book in books]
        await asyncio.sleep(0)
    assert len(books) >= 2
    assert all(agreed)
