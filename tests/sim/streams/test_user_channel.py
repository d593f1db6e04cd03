"""The user channel over real sockets."""

import pytest
from websockets.exceptions import ConnectionClosed

from pmtui.domain.ids import TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.run import RunningVenue
from tests.sim.kit import RAIN, RAIN_NO, SNOW, SNOW_YES, Person
from tests.sim.streams.wire import Client, connected


async def login(client: Client, person: Person, **more: object) -> None:
    await client.send(type="user", auth=person.credentials, **more)
    assert await client.ping() == []


async def test_an_order_is_announced_changed_and_cancelled(
    running: RunningVenue, ann: Person
) -> None:
    async with connected(running.urls["ws_user"]) as client:
        await login(client, ann)
        order_id = await ann.rest(Side.BUY, "0.40", "20")
        await ann.call("DELETE", "/cancel-all")
        placed, cancelled = await client.ping()
        assert (placed["event_type"], placed["type"], placed["status"]) == (
            "order",
            "PLACEMENT",
            "LIVE",
        )
        assert placed["id"] == cancelled["id"] == order_id
        assert placed["owner"] == placed["order_owner"] == ann.api_key
        assert (placed["original_size"], placed["size_matched"]) == ("20", "0")
        assert placed["associate_trades"] is None
        assert placed["created_at"] == str(ann.now_s)
        assert placed["maker_address"] == ann.wallet
        assert placed["outcome"] == "Yes"
        assert (cancelled["type"], cancelled["status"]) == ("CANCELLATION", "CANCELED")


async def test_both_parties_hear_of_a_trade_until_it_is_confirmed_each_in_its_role(
    running: RunningVenue, ann: Person, bob: Person
) -> None:
    async with (
        connected(running.urls["ws_user"]) as maker,
        connected(running.urls["ws_user"]) as taker,
    ):
        await login(maker, ann)
        await login(taker, bob)
        order_id = await ann.rest(Side.BUY, "0.40", "20")
        await bob.place(Side.BUY, "0.60", "10", token=RAIN_NO)
        running.venue.clock.step(3_000)
        running.maintenance.tick()
        running.venue.clock.step(3_000)
        running.maintenance.tick()
        made, taken = await maker.ping(), await taker.ping()
        assert [(e["type"], e["status"]) for e in made] == [
            ("PLACEMENT", "LIVE"),
            ("TRADE", "MATCHED"),
            ("UPDATE", "LIVE"),
            ("TRADE", "MINED"),
            ("TRADE", "CONFIRMED"),
        ]
        assert [(e["type"], e["status"]) for e in taken] == [
            ("PLACEMENT", "LIVE"),
            ("TRADE", "MATCHED"),
            ("UPDATE", "MATCHED"),
            ("TRADE", "MINED"),
            ("TRADE", "CONFIRMED"),
        ]
        assert made[2]["size_matched"] == "10"
        assert len({made[1]["id"], made[3]["id"], taken[4]["id"]}) == 1
        assert [made[1]["trader_side"], taken[1]["trader_side"]] == ["MAKER", "TAKER"]
        assert (made[1]["owner"], taken[1]["owner"]) == (ann.api_key, bob.api_key)
        assert (made[1]["side"], made[1]["price"], made[1]["asset_id"]) == ("BUY", "0.6", RAIN_NO)
        (fill,) = made[1]["maker_orders"]
        assert (fill["order_id"], fill["price"], fill["outcome_index"]) == (order_id, "0.4", 0)
        assert fill["matched_amount"] == "10"
        assert len(made[1]["timestamp"]) == 13
        assert len(made[3]["timestamp"]) == 10


async def test_a_failing_trade_is_told(running: RunningVenue, ann: Person, bob: Person) -> None:
    await ann.rest(Side.BUY, "0.40", "20")
    async with connected(running.urls["ws_user"]) as client:
        await login(client, bob)
        posted = (await bob.place(Side.BUY, "0.60", "20", token=RAIN_NO)).json()
        trade_id = TradeId(posted["tradeIDs"][0])
        for status in (TradeStatus.RETRYING, TradeStatus.FAILED):
            running.venue.act(
                lambda x, now_ms, s=status: x.advance_trade(trade_id, s, now_ms=now_ms)  # type: ignore[misc]
            )
        told = [e["status"] for e in await client.ping() if e["event_type"] == "trade"]
        assert told == ["MATCHED", "RETRYING", "FAILED"]


async def test_a_killed_order_is_told_with_the_whole_sentence(
    running: RunningVenue, ann: Person
) -> None:
    async with connected(running.urls["ws_user"]) as client:
        await login(client, ann)
        await ann.place(Side.BUY, "0.40", "20", TimeInForce.FOK)
        (event,) = await client.ping()
        assert event["type"] == "CANCELLATION"
        assert event["status"].startswith("CANCELED_order couldn't be fully filled")
        assert (event["size_matched"], event["created_at"], event["outcome"]) == ("", "", "")


async def test_naming_markets_narrows_and_removing_the_last_widens_again(
    running: RunningVenue, ann: Person
) -> None:
    async with connected(running.urls["ws_user"]) as client:
        await login(client, ann, markets=[SNOW])
        await ann.rest(Side.BUY, "0.40", "10")
        assert await client.ping() == []
        await client.send(operation="subscribe", markets=[RAIN])
        await client.ping()
        await ann.rest(Side.BUY, "0.41", "10")
        assert [e["market"] for e in await client.ping()] == [RAIN]
        await client.send(operation="unsubscribe", markets=[RAIN, SNOW])
        await client.ping()
        await ann.rest(Side.BUY, "0.41", "10", token=SNOW_YES)
        assert [e["market"] for e in await client.ping()] == [SNOW]


@pytest.mark.parametrize("wrong", ["apiKey", "secret", "passphrase"])
async def test_bad_credentials_just_end_the_connection(
    running: RunningVenue, ann: Person, wrong: str
) -> None:
    async with connected(running.urls["ws_user"]) as client:
        await client.send(type="user", auth={**ann.credentials, wrong: "wrong"})
        with pytest.raises(ConnectionClosed):
            await client.text()


async def test_others_hear_nothing(running: RunningVenue, ann: Person, bob: Person) -> None:
    async with connected(running.urls["ws_user"]) as client:
        await login(client, bob)
        await ann.rest(Side.BUY, "0.40", "10")
        assert await client.ping() == []
        await client.socket.send("nonsense")
        assert await client.text() == "INVALID OPERATION"
