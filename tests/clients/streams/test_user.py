import asyncio
import json
from random import Random

from websockets.asyncio.server import ServerConnection

from pmtui.clients.streams.channels import UserChannel
from pmtui.clients.streams.connection import Times
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import ApiKey
from pmtui.domain.orders.order import OrderChanged, UserEvent
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.secret import Secret
from pmtui.wire.orders import Owner
from tests.clients.streams.servers import Script, ScriptedServer, scripted, until

CREDENTIALS = ApiCredentials(
    ApiKey("me"), secret=Secret.from_text("c2hhcmVk"), passphrase=Secret.from_text("pass")
)
ORDER = json.dumps(
    {
        "event_type": "order", "type": "PLACEMENT", "id": "0x1", "asset_id": "7", "side": "BUY",
        "price": "0.5", "original_size": "5", "status": "LIVE", "created_at": "1790000000",
    }
)  # fmt: skip


async def test_the_channel_says_who_we_are_and_hears_of_our_orders() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            for frame in (f"[{ORDER}]", "{", '{"event_type":"news"}', '{"event_type":"trade"}'):
                await socket.send(frame)
            await server.listen(socket, number)

        return script

    events: list[UserEvent] = []
    links: list[Link] = []
    async with scripted(make) as server:
        channel = UserChannel(
            server.url,
            CREDENTIALS,
            Owner(ApiKey("me")),
            random=Random(1),
            times=Times(close_s=0.2, ping_s=0.05),
        )
        task = asyncio.create_task(channel.run(on_event=events.append, on_link=links.append))
        await until(lambda: bool(server.operations(1)), "the greeting")
        await until(lambda: channel.protocol.bad["trade"] == 1, "the last frame")
        await until(lambda: "PING" in [text for _, text in server.received], "a ping")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert server.operations(1) == [
        {"type": "user", "auth": {"apiKey": "me", "secret": "c2hhcmVk", "passphrase": "pass"}}
    ]
    assert [type(event) for event in events] == [OrderChanged]
    assert (channel.protocol.bad[""], channel.protocol.unknown["news"]) == (1, 1)
    assert [link.state for link in links] == [LinkState.CONNECTING, LinkState.OPEN]
