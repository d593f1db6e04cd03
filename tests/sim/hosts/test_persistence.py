"""What a venue still knows after it ended, orderly or not."""

import asyncio
import random
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.run import VenueOptions, running_venue
from pmtui.sim.storage.maintenance import Maintenance
from pmtui.sim.storage.persistence import Store, StoreError
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.kit import (
    RAIN,
    RAIN_NO,
    RAIN_YES,
    START_MS,
    Person,
    http_client,
    small_venue,
    write_catalogue,
)
from tests.sim.process import venue_process
from tests.sim.remote import remote_person

BUY, SELL = Side.BUY, Side.SELL


@asynccontextmanager
async def _people(folder: Path) -> AsyncIterator[tuple[Person, Person]]:
    async with small_venue(folder, state=folder / "state") as running, http_client() as http:
        yield Person(running, http, key=0), Person(running, http, key=1)


async def _public(person: Person) -> tuple[Any, str]:
    urls = person.running.urls
    trades = await person.http.get(f"{urls['data']}/trades?market={RAIN}")
    book = await person.http.get(f"{urls['clob']}/book?token_id={RAIN_YES}")
    return trades.json(), book.json()["last_trade_price"]


async def _everything(person: Person) -> list[Any]:
    return [
        await person.ledger(),
        (await person.call("GET", "/data/orders")).json(),
        (await person.call("GET", "/data/trades")).json(),
        (await person.derive_key()).json(),
        (await person.call("GET", "/auth/api-keys")).json(),
    ]


async def test_accounts_orders_and_trades_come_back(tmp_path: Path) -> None:
    async with _people(tmp_path) as (ann, bob):
        await ann.arrive()
        await bob.arrive(dollars="500")
        await ann.rest(BUY, "0.42", "10")
        await bob.place(BUY, "0.58", "5", token=RAIN_NO)
        await ann.rest(BUY, "0.42", "7.5")
        signed = ann.sign(BUY, "0.41", "20")
        await ann.call("POST", "/order", ann.encode(signed))
        before = [await _everything(ann), await _everything(bob)]
        credentials = ann.credentials, bob.credentials
    async with _people(tmp_path) as (ann, bob):
        ann.use(credentials[0])
        bob.use(credentials[1])
        assert [await _everything(ann), await _everything(bob)] == before
        assert (await ann.admin("GET", "/audit"))["problems"] == []
        again = await ann.call("POST", "/order", ann.encode(signed))
        assert again.json() == {"error": f"order {signed.order_id} is invalid. Duplicated."}
        # First come, first served still holds: the older of the two equal bids fills first.
        await bob.place(BUY, "0.58", "7", token=RAIN_NO)
        orders = (await ann.call("GET", "/data/orders")).json()["data"]
        assert [(o["original_size"], o["size_matched"]) for o in orders] == [
            ("7.5", "2"),
            ("20", "0"),
        ]
        ann.running.venue.clock.step(5_000)
        ann.running.maintenance.tick()
        ann.running.venue.clock.step(5_000)
        ann.running.maintenance.tick()
        trades = (await ann.call("GET", "/data/trades")).json()["data"]
        assert {trade["status"] for trade in trades} == {"CONFIRMED"}
        assert len({trade["id"] for trade in trades}) == len(trades)


async def test_a_resolution_comes_back(tmp_path: Path) -> None:
    async with _people(tmp_path) as (ann, bob):
        await ann.arrive()
        await bob.arrive()
        await ann.rest(BUY, "0.42", "10")
        await bob.place(BUY, "0.58", "10", token=RAIN_NO)
        await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 1})
    async with _people(tmp_path) as (ann, bob):
        view = ann.running.venue.trading(RAIN)
        assert view is not None
        assert view.payout is not None
        assert view.payout.pays(1) == 1_000_000
        ann.use((await ann.derive_key()).json())
        refused = await ann.place(BUY, "0.42", "10")
        assert refused.json() == {"error": "the market is not yet ready to process new orders"}
        assert (await ann.ledger())["shares"] == {RAIN_YES: "10"}


async def test_a_deleted_key_stays_deleted(tmp_path: Path) -> None:
    async with _people(tmp_path) as (ann, _):
        await ann.arrive()
        await ann.call("DELETE", "/auth/api-key")
        key = ann.credentials
    async with _people(tmp_path) as (ann, _):
        ann.use(key)
        assert (await ann.call("GET", "/auth/api-keys")).status_code == 401
        assert (await ann.derive_key()).json() == {"error": "Could not derive api key!"}


def test_two_venues_cannot_share_a_state(tmp_path: Path) -> None:
    first = Store(tmp_path)
    with pytest.raises(StoreError):
        Store(tmp_path)
    first.close()
    Store(tmp_path).close()


def test_a_file_that_is_no_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "venue.sqlite3").write_text("not a database, whatever its name says" * 50)
    with pytest.raises(StoreError):
        Store(tmp_path)


@pytest.mark.no_cover
@pytest.mark.slow
async def test_a_killed_venue_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    arguments = ["--state", str(tmp_path / "state"), "--speed", "0"]
    dice = random.Random(5)
    expected: list[str] = []
    credentials: dict[str, str] = {}
    for life in range(3):
        with venue_process(*arguments) as process:
            async with http_client() as http:
                ann = await remote_person(process, http)
                token = await _a_token(ann)
                if not credentials:
                    await ann.arrive()
                    credentials = ann.credentials
                ann.use(credentials)
                listed = (await ann.call("GET", "/data/orders")).json()["data"]
                assert [order["id"] for order in listed] == expected
                assert (await ann.ledger())["is_whole"]
                for _ in range(dice.randint(3, 9)):
                    response = await ann.place(
                        BUY, "0.01", "5", token=token, neg_risk=False, timestamp_ms=START_MS + life
                    )
                    assert response.status_code == 200, response.text
                    expected.append(response.json()["orderID"])
                process.kill()


async def test_a_venue_killed_under_fire_keeps_every_order_it_answered(tmp_path: Path) -> None:
    arguments = ["--state", str(tmp_path / "state"), "--speed", "0"]
    arguments += ["--catalogue", str(write_catalogue(tmp_path))]
    answered: list[str] = []
    async with http_client() as http:
        with venue_process(*arguments) as process:
            ann = await remote_person(process, http)
            await ann.arrive(dollars="100000")
            bodies = iter([ann.encode(ann.sign(BUY, "0.42", "10")) for _ in range(400)])

            async def fire() -> None:
                for body in bodies:
                    response = await ann.call("POST", "/order", body)
                    answered.append(response.json()["orderID"])
                    if len(answered) == 60:
                        process.kill()

            ends = await asyncio.gather(*(fire() for _ in range(6)), return_exceptions=True)
            assert all(isinstance(end, httpx.TransportError) for end in ends)
        with venue_process(*arguments) as process:
            again = await remote_person(process, http)
            again.use(ann.credentials)
            kept = [row["id"] for row in await _all_orders(again)]
            assert set(answered) <= set(kept)
            assert (await again.ledger())["is_whole"]
            assert (await again.admin("GET", "/audit"))["problems"] == []


async def _all_orders(person: Person) -> list[Any]:
    rows: list[Any] = []
    cursor = "MA=="
    while cursor != "LTE=":
        query = f"?next_cursor={cursor}"
        page = (await person.call("GET", "/data/orders", query=query)).json()
        rows += page["data"]
        cursor = page["next_cursor"]
    return rows


async def _a_token(person: Person) -> str:
    rows = (await person.http.get(person.running.urls["clob"] + "/markets")).json()["data"]
    for row in rows:
        price = row["tokens"][0]["price"]
        is_plain = not row["neg_risk"] and row["minimum_tick_size"] == 0.01
        # Far from the end: five-minute windows would be gone after the restart.
        if (
            row["accepting_orders"]
            and is_plain
            and 0.2 < price < 0.8
            and "five-minute" not in row["market_slug"]
        ):
            return str(row["tokens"][0]["token_id"])
    raise AssertionError("no plain market")


async def test_a_window_that_ended_while_the_venue_was_down_is_resolved(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    state = tmp_path / "state"
    options = VenueOptions(speed=0, state=state)
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann = await Person(running, http).arrive()
        now = running.venue.clock.now()
        window = next(
            market
            for market in running.venue.catalogue.markets
            if market.is_window and market.starts_at is not None and market.starts_at > now
        )
        await ann.rest(BUY, "0.01", "100", token=window.token_ids[0], neg_risk=False)
    clock.step(7 * 86_400_000)
    store = Store(state)
    venue = Venue(load_packaged(clock.now()), clock=clock, store=store)
    assert venue.market(window.condition_id) is not None
    view = venue.trading(window.condition_id)
    assert view is not None
    assert view.payout is None
    Maintenance(venue).tick()
    view = venue.trading(window.condition_id)
    assert view is not None
    assert view.payout is not None
    account = venue.exchange.reads.account(ann.wallet)
    assert account is not None
    assert account.reserved == Micros(0)
    venue.close()


async def test_the_public_tape_and_the_last_price_come_back(tmp_path: Path) -> None:
    async with _people(tmp_path) as (ann, bob):
        await ann.arrive()
        await bob.arrive(dollars="500")
        await ann.rest(BUY, "0.42", "10")
        await bob.place(BUY, "0.58", "5", token=RAIN_NO)
        before = await _public(ann)
    async with _people(tmp_path) as (ann, _):
        assert await _public(ann) == before
    assert before[0]
    assert before[1] == "0.580"


@pytest.mark.usefixtures("open_umask")
async def test_the_state_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    state = tmp_path / "not" / "there" / "yet"
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        await Person(running, http).arrive()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()}
        assert set(modes) >= {"venue.sqlite3", "venue.sqlite3-wal", "admin_token"}
        assert set(modes.values()) == {0o600}
    for folder in (state, state.parent, state.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
