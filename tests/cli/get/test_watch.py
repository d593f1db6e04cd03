"""`pmtui get … --watch` on a small venue that is taken for the public one."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pmtui.cli.get.watch import Output
from pmtui.domain.markets.market import Side
from tests.cli.conftest import Get
from tests.cli.public_venue import PASSPHRASE
from tests.cli.secret_lines import lines_on_fd
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW_YES, Person

OWN = ("--watch", "--passphrase-fd", "FD")
Told = list[dict[str, Any]]


async def following(get: Get, *wanted: str, lines: tuple[str, ...] = ()) -> Told:
    """Follow a read to its end and return what it wrote."""
    code, out, err = await get(*wanted, lines=lines)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


async def meanwhile(told: Awaitable[Told], happen: Callable[[int], Awaitable[object]]) -> Told:
    """Let something happen again and again: nobody tells when the stream listens."""
    task = asyncio.ensure_future(told)
    number = 0
    while not task.done():
        await happen(number)
        number += 1
        await asyncio.wait((task,), timeout=0.2)
    return await task


@asynccontextmanager
async def started(*wanted: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Follow what is the account's in a process of its own, and read along."""
    with lines_on_fd(PASSPHRASE) as fd:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pmtui", "get", "--profile", "live", *wanted, "--watch"),
            *("--passphrase-fd", str(fd)),
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(fd,),
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def one_of(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(20):
        told: dict[str, Any] = json.loads(await process.stdout.readline())
    return told


async def ann(bob: Person) -> Person:
    """The owner of the keystore, signed in beside the command."""
    return await Person(bob.running, bob.http, key=0).arrive()


async def test_a_book_is_followed_until_enough_was_written(bob: Person, get: Get) -> None:
    (record,) = await following(get, "book", "--token-id", RAIN_YES, "--watch", "--limit", "1")
    assert (record["asks"], record["worth"]) == ([{"price": "0.4", "size": "4"}], "verified")
    assert record["min_order_size"] == "5"


async def test_books_of_several_tokens_are_followed_at_once(bob: Person, get: Get) -> None:
    wanted = ("books", "--token-id", f"{RAIN_YES},{RAIN_NO}", "--watch", "--limit", "2")
    assert {b["token_id"] for b in await following(get, *wanted)} == {RAIN_YES, RAIN_NO}


async def test_a_book_stays_verified_after_a_trade(bob: Person, get: Get) -> None:
    cid = await Person(bob.running, bob.http, key=2).arrive()

    async def trade(number: int) -> None:
        await bob.place(Side.BUY, "0.6", "5", token=RAIN_NO)
        await cid.place(Side.BUY, "0.4", "5", token=RAIN_YES)
        await bob.rest(Side.BUY, f"0.{10 + number}", "5", token=RAIN_YES)

    wanted = ("book", "--token-id", RAIN_YES, "--watch", "--limit", "3")
    told = await meanwhile(following(get, *wanted), trade)
    assert [book["worth"] for book in told] == ["verified"] * 3


async def test_trades_are_followed_one_by_one_and_by_their_side(bob: Person, get: Get) -> None:
    cid = await Person(bob.running, bob.http, key=2).arrive()

    async def trade(_number: int) -> None:
        await bob.place(Side.BUY, "0.6", "5", token=RAIN_NO)
        await cid.place(Side.BUY, "0.4", "5", token=RAIN_YES)

    wanted = ("trades", "--condition-id", RAIN, "--side", "BUY", "--watch", "--limit", "1")
    (told,) = await meanwhile(following(get, *wanted), trade)
    assert (told["price"], told["side"], told["condition_id"]) == ("0.4", "BUY", RAIN)


async def test_best_prices_are_written_when_they_change_and_an_empty_side_is_null(
    bob: Person, get: Get
) -> None:
    async def improve(number: int) -> None:
        await bob.rest(Side.BUY, f"0.{61 + number}", "5", token=RAIN_NO)

    wanted = ("prices", "--token-id", RAIN_YES, "--watch", "--limit", "3")
    bid, ask, better = await meanwhile(following(get, *wanted), improve)
    assert (bid["side"], bid["price"]) == ("BUY", None)
    assert (ask["side"], better["side"]) == ("SELL", "SELL")
    assert better["price"] < ask["price"]
    (only,) = await following(
        get, "price", "--token-id", RAIN_YES, "--side", "BUY", "--watch", "--limit", "1"
    )
    assert only["price"] is None


@pytest.mark.parametrize(
    ("read", "field", "value"),
    [
        ("midpoint", "price", "0.35"),
        ("midpoints", "price", "0.35"),
        ("spread", "spread", "0.1"),
        ("spreads", "spread", "0.1"),
        ("tick-size", "tick_size", "0.01"),
        ("last-trade", "price", "0.4"),
        ("last-trades", "price", "0.4"),
    ],
)
async def test_figures_of_a_token_begin_with_what_holds_now(
    read: str, field: str, value: str, bob: Person, get: Get
) -> None:
    await bob.rest(Side.BUY, "0.3", "5", token=RAIN_YES)
    (told,) = await following(get, read, "--token-id", RAIN_YES, "--watch", "--limit", "1")
    assert (told["token_id"], told[field]) == (RAIN_YES, value)


async def test_the_last_trade_is_followed(bob: Person, get: Get) -> None:
    cid = await Person(bob.running, bob.http, key=2).arrive()

    async def trade(number: int) -> None:
        await bob.place(Side.BUY, f"0.{61 + number}", "5", token=RAIN_NO)
        await cid.place(Side.BUY, f"0.{39 - number}", "5", token=RAIN_YES)

    wanted = ("last-trade", "--token-id", RAIN_YES, "--watch", "--limit", "2")
    before, after = await meanwhile(following(get, *wanted), trade)
    assert after["price"] < before["price"]


async def cancel(owner: Person, order: str) -> None:
    _ = await owner.call("DELETE", "/order", json.dumps({"orderID": order}).encode())


async def test_own_orders_are_followed_from_the_open_ones_on(bob: Person, keystore: Path) -> None:
    owner = await ann(bob)
    first = await owner.rest(Side.BUY, "0.1", "5")
    elsewhere = await owner.rest(Side.BUY, "0.2", "5", token=SNOW_YES)
    async with started("open-orders", "--condition-id", RAIN, "--limit", "4") as process:
        told = [await one_of(process)]
        await cancel(owner, first)
        await owner.rest(Side.BUY, "0.2", "5", token=SNOW_YES)
        second = await owner.rest(Side.BUY, "0.12", "5")
        told += [await one_of(process), await one_of(process)]
        await cancel(owner, second)
        told.append(await one_of(process))
        assert await process.wait() == 0
    assert [(order["order_id"], order["status"]) for order in told[:2]] == [
        (first, "live"),
        (first, "cancelled"),
    ]
    assert [(order["order_id"], order["status"]) for order in told[2:]] == [
        (second, "live"),
        (second, "cancelled"),
    ]
    assert elsewhere not in {order["order_id"] for order in told}


async def test_one_order_is_followed_until_it_is_over(bob: Person, keystore: Path) -> None:
    owner = await ann(bob)
    order = await owner.rest(Side.BUY, "0.1", "5")
    async with started("order", "--order-id", order) as process:
        assert (await one_of(process))["status"] == "live"
        await cancel(owner, order)
        assert (await one_of(process))["status"] == "cancelled"
        assert await process.wait() == 0


async def test_own_fills_are_followed_and_earlier_ones_told_where_asked_for(
    bob: Person, keystore: Path, get: Get
) -> None:
    (earlier,) = await following(
        get, "fills", "--after", "1", *OWN, "--limit", "1", lines=(PASSPHRASE,)
    )
    assert earlier["size"] == "6"
    owner = await ann(bob)

    async def trade(_number: int) -> None:
        await bob.place(Side.BUY, "0.65", "7", token=RAIN_NO)
        await owner.place(Side.BUY, "0.35", "7", token=RAIN_YES)

    told = await meanwhile(
        following(get, "fills", *OWN, "--limit", "1", lines=(PASSPHRASE,)), trade
    )
    assert (told[0]["size"], told[0]["price"], told[0]["side"]) == ("7", "0.35", "BUY")


@pytest.mark.parametrize(
    "wanted",
    [
        ("book", "--token-id", "7"),
        ("midpoints", "--token-id", "7,8"),
        ("trades", "--condition-id", "0x" + "77" * 32),
    ],
)
async def test_what_the_venue_does_not_know_is_not_followed(
    wanted: tuple[str, ...], bob: Person, get: Get
) -> None:
    code, out, err = await get(*wanted, "--watch")
    assert (code, out, err.count("\n")) == (1, "", 1)


async def test_a_reader_that_has_seen_enough_ends_it(bob: Person) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pmtui", "get", "--profile", "live", "books", "--watch"),
        *("--token-id", f"{RAIN_YES},{RAIN_NO}"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(await process.stdout.readline())["worth"] == "verified"
    transport = process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
    transport.close()
    ended = asyncio.ensure_future(process.wait())
    number = 0
    while not ended.done():
        await bob.rest(Side.BUY, f"0.{10 + number % 20}", "5", token=RAIN_YES)
        number += 1
        await asyncio.wait((ended,), timeout=0.2)
    assert (await ended, await process.stderr.read()) == (0, b"")


async def test_following_ends_when_nobody_reads_any_more() -> None:
    reading, writing = os.pipe()
    output = Output(lambda _: None, None)
    with output.ending_with_reader(writing):
        assert not output.is_done.is_set()
        os.close(reading)
        async with asyncio.timeout(10):
            await output.is_done.wait()
    os.close(writing)
    assert isinstance(output.problem, BrokenPipeError)


async def test_a_file_is_written_to_until_the_end(tmp_path: Path) -> None:
    output = Output(lambda _: None, 1)
    with (tmp_path / "out").open("w") as file, output.ending_with_reader(file.fileno()):
        output.write("answer")
    assert output.is_done.is_set()
    assert output.problem is None
