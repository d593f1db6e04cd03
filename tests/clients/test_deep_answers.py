"""Answers nested so deeply that reading them would exhaust the stack are failures like any other."""

import pytest

from pmtui.clients.chain import ChainClient
from pmtui.clients.relayer import RelayerClient
from pmtui.clients.streams.protocols import MarketProtocol
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address
from tests.clients.raw_server import answering, serving

WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize("body", [b'{"x":' + DEEP + b"}", b'"\xff"'])
async def test_hosts_of_the_chain_may_answer_anything(body: bytes) -> None:
    async with serving(answering(body)) as server:
        assert isinstance(await ChainClient(server.host()).has_code(WALLET), Failure)
        assert isinstance(await RelayerClient(server.host()).is_deployed(WALLET), Failure)


def test_a_frame_may_be_anything() -> None:
    protocol = MarketProtocol()
    frame = b'{"x":' + DEEP + b',"market":"1","price_changes":[],"event_type":"price_change"}'
    assert protocol.received(frame, lambda _event: None)
    assert protocol.bad[""] == 1
