"""The chain over real sockets: code at addresses, calls tried as a whole, and nodes that lie."""

import msgspec
import pytest

from pmtui.clients.chain import ChainClient
from pmtui.domain.account.wallet_transactions import CallReverted, ChainTransaction, Receipt
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing.wallet_calls import split
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


@pytest.mark.parametrize("code", ["garbage", "363d3d37", "0xzz", "0x" + "6" * 300_000])
async def test_what_is_not_code_proves_nothing(code: str) -> None:
    async with serving(answering(msgspec.json.encode({"id": 1, "result": code}))) as server:
        assert isinstance(await ChainClient(server.host()).has_code(WALLET), Failure)


@pytest.mark.parametrize("body", [b"[1]", b"<html>", b'{"id":1}'])
async def test_an_answer_that_says_nothing_is_a_failure(body: bytes) -> None:
    async with serving(answering(body)) as server:
        assert isinstance(await ChainClient(server.host()).has_code(WALLET), Failure)


def told(*calls: object) -> bytes:
    return msgspec.json.encode({"id": 1, "result": [{"number": "0x1", "calls": calls}]})


GOOD = {"status": "0x1", "returnData": "0x"}
BAD = {"status": "0x0", "error": {"code": -32000, "message": "execution reverted: balance"}}
SPLIT = split(ConditionId("0x" + "11" * 32), 5, neg_risk=False)


@pytest.mark.parametrize(
    ("answer", "outcomes"),
    [
        (told(GOOD, GOOD), (None, None)),
        (told(GOOD, BAD), (None, CallReverted("balance"))),
        (told(GOOD, {**BAD, "status": "0x1"}), (None, CallReverted("balance"))),
        (told(GOOD, {"status": "0x0"}), (None, CallReverted(""))),
        (
            told(GOOD, {"status": "0x0", "error": {"code": -32015, "message": "out of gas"}}),
            (None, CallReverted("out of gas")),
        ),
    ],
)
async def test_calls_are_tried_one_after_the_other(
    answer: bytes, outcomes: tuple[CallReverted | None, ...]
) -> None:
    async with serving(answering(answer)) as server:
        chain = ChainClient(server.host())
        assert await chain.simulate((SPLIT, SPLIT), sender=WALLET) == outcomes
        asked = msgspec.json.decode(server.calls[0].body)
        call = {"from": WALLET, "to": SPLIT.target, "data": "0x" + SPLIT.data.hex()}
        assert asked["method"] == "eth_simulateV1"
        assert asked["params"][0]["blockStateCalls"] == [{"calls": [call, call]}]


@pytest.mark.parametrize(
    "answer",
    [
        told(GOOD), told(GOOD, GOOD, GOOD), told({}, {}), told(GOOD, {"status": "yes"}),
        b'{"result":[]}', b'{"error":{"code":-32601,"message":"no such method"}}', b"[]",
    ],
)  # fmt: skip
async def test_a_simulation_of_something_else_tells_nothing(answer: bytes) -> None:
    async with serving(answering(answer)) as server:
        chain = ChainClient(server.host())
        assert isinstance(await chain.simulate((SPLIT, SPLIT), sender=WALLET), Failure)


HASH = "0x" + "7a" * 32
OTHER_HASH = "0x" + "7b" * 32


def answered(result: object) -> bytes:
    return msgspec.json.encode({"id": 1, "result": result})


async def test_a_receipt_names_who_wrote_its_logs_and_about_whom() -> None:
    topics = ["0x" + "dd" * 32, "0x" + "0" * 24 + WALLET[2:], "0x" + "11" * 32]
    row = {
        "transactionHash": HASH.upper().replace("0X", "0x"), "status": "0x1", "blockNumber": "0x5",
        "logs": [{"address": "0xAB" + "00" * 19, "topics": topics, "data": "0x"}],
    }  # fmt: skip
    async with serving(answering(answered(row))) as server:
        receipt = await ChainClient(server.host()).receipt(HASH)
        assert isinstance(receipt, Receipt)
        assert receipt.named == {WALLET.lower(), "0xab" + "00" * 19}


async def test_a_receipt_of_another_transaction_is_none_of_this_one() -> None:
    row = {"transactionHash": OTHER_HASH, "status": "0x1", "blockNumber": "0x5"}
    async with serving(answering(answered(row))) as server:
        assert isinstance(await ChainClient(server.host()).receipt(HASH), Failure)


async def test_a_transaction_is_read_with_its_input() -> None:
    row = {"hash": HASH, "to": WALLET, "input": "0x00ff"}
    async with serving(answering(answered(row))) as server:
        found = await ChainClient(server.host()).transaction(HASH)
        assert found == ChainTransaction(HASH, WALLET, b"\x00\xff")
        asked = msgspec.json.decode(server.calls[0].body)
        assert (asked["method"], asked["params"]) == ("eth_getTransactionByHash", [HASH])
    async with serving(answering(answered(None))) as server:
        assert await ChainClient(server.host()).transaction(HASH) is None
    async with serving(answering(answered({"hash": HASH, "to": None, "input": "0x"}))) as server:
        made = await ChainClient(server.host()).transaction(HASH)
        assert made == ChainTransaction(HASH, "", b"")


@pytest.mark.parametrize(
    "row",
    [
        {"hash": OTHER_HASH, "to": WALLET, "input": "0x00"},
        {"hash": HASH, "to": WALLET, "input": "00ff"},
        {"hash": HASH, "to": WALLET, "input": "0x0g"},
        {"hash": HASH, "to": WALLET, "input": "0x" + "0" * 300_000},
        {"hash": HASH, "to": WALLET},
    ],
)
async def test_a_transaction_that_cannot_be_read_proves_nothing(row: object) -> None:
    async with serving(answering(answered(row))) as server:
        assert isinstance(await ChainClient(server.host()).transaction(HASH), Failure)


async def test_a_node_on_another_chain_is_asked_nothing_more() -> None:
    async with serving(answering(b'{"id":1,"result":"0x1"}')) as server:
        chain = ChainClient(server.host(), only_chain=137)
        for answer in (
            await chain.has_code(WALLET),
            await chain.calls((SPLIT,), sender=WALLET),
            await chain.receipt("0x" + "00" * 32),
            await chain.simulate((SPLIT,), sender=WALLET),
        ):
            assert isinstance(answer, Failure)
            assert "chain 1, not 137" in answer.text
        methods = {msgspec.json.decode(call.body)["method"] for call in server.calls}
        assert methods == {"eth_chainId"}
