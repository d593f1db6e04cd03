import asyncio
import json

from pmtui.clients.account import HeartbeatClient
from pmtui.domain.answers import Failure, FailureKind
from tests.clients.account_kit import account_client, is_signed
from tests.clients.raw_server import Call, answering, resetting, serving


def named(call: Call) -> str:
    text: str = json.loads(call.body)["heartbeat_id"]
    return text


def next_is(heartbeat_id: str) -> bytes:
    return json.dumps({"heartbeat_id": heartbeat_id}).encode()


async def test_each_heartbeat_names_the_id_of_the_last() -> None:
    handlers = [answering(next_is(heartbeat_id)) for heartbeat_id in ("h1", "h2", "h3")]
    async with serving(*handlers) as server:
        client = HeartbeatClient(account_client(server.host()).requests)
        assert [await client.beat() for _ in range(3)] == ["h1", "h2", "h3"]
        assert [named(call) for call in server.calls] == ["", "h1", "h2"]
        assert all(is_signed(call) for call in server.calls)


async def test_a_wrong_id_is_put_right_at_once() -> None:
    wrong = answering(
        b'{"error_msg":"Invalid Heartbeat ID","heartbeat_id":"h7"}', status="400 Bad Request"
    )
    async with serving(answering(next_is("h1")), wrong, answering(next_is("h8"))) as server:
        client = HeartbeatClient(account_client(server.host()).requests)
        await client.beat()
        assert await client.beat() == "h8"
        assert [named(call) for call in server.calls] == ["", "h1", "h7"]


async def test_a_host_that_is_never_pleased_is_asked_twice_and_no_more() -> None:
    wrong = answering(b'{"error":"Invalid","heartbeat_id":"h7"}', status="400 Bad Request")
    async with serving(wrong) as server:
        told = await HeartbeatClient(account_client(server.host()).requests).beat()
        assert isinstance(told, Failure)
        assert (told.kind, told.text, told.status) == (FailureKind.REFUSED, "Invalid", 400)
        assert len(server.calls) == 2


async def test_a_refusal_without_an_id_is_told() -> None:
    async with serving(answering(b'{"error":"no"}', status="400 Bad Request")) as server:
        told = await HeartbeatClient(account_client(server.host()).requests).beat()
        assert isinstance(told, Failure)
        assert (told.kind, told.text) == (FailureKind.REFUSED, "no")
        assert len(server.calls) == 1


async def test_a_lost_answer_keeps_the_id_for_the_next_try() -> None:
    async with serving(answering(next_is("h1")), resetting, answering(next_is("h3"))) as server:
        client = HeartbeatClient(account_client(server.host()).requests)
        await client.beat()
        lost = await client.beat()
        assert isinstance(lost, Failure)
        assert lost.kind is FailureKind.LOST
        assert await client.beat() == "h3"
        assert [named(call) for call in server.calls] == ["", "h1", "h1"]


async def test_two_heartbeats_at_once_follow_each_other() -> None:
    handlers = [answering(next_is(heartbeat_id)) for heartbeat_id in ("h1", "h2")]
    async with serving(*handlers) as server:
        client = HeartbeatClient(account_client(server.host()).requests)
        beats = await asyncio.gather(client.beat(), client.beat())
        assert list(beats) == ["h1", "h2"]
        assert [named(call) for call in server.calls] == ["", "h1"]
