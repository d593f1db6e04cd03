"""The one question to the chain, over real sockets: is there a contract at an address."""

import msgspec
import pytest

from pmtui.clients.chain import ChainClient
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from tests.clients.raw_server import answering, serving

WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")


@pytest.mark.parametrize(
    ("code", "is_there"), [("0x363d3d37", True), ("0x", False), ("0x0", False)]
)
async def test_code_is_there_or_not(code: str, is_there: bool) -> None:
    async with serving(answering(msgspec.json.encode({"id": 1, "result": code}))) as server:
        assert await ChainClient(server.host()).has_code(WALLET) is is_there
        asked = msgspec.json.decode(server.calls[0].body)
        assert (asked["method"], asked["params"]) == ("eth_getCode", [WALLET, "latest"])


async def test_a_refusal_is_told_in_the_words_of_the_node() -> None:
    refusal = b'{"id":1,"error":{"code":-32005,"message":"limit exceeded"}}'
    async with serving(answering(refusal)) as server:
        answer = await ChainClient(server.host()).has_code(WALLET)
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.REFUSED
        assert str(answer) == "POST eth_getCode: limit exceeded"


@pytest.mark.parametrize("body", [b"[1]", b"<html>", b'{"id":1}'])
async def test_an_answer_that_says_nothing_is_a_failure(body: bytes) -> None:
    async with serving(answering(body)) as server:
        assert isinstance(await ChainClient(server.host()).has_code(WALLET), Failure)
