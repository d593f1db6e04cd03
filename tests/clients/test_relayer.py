"""The relayer's and the chain's clients: against the local venue, and against answers made up."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from pmtui.clients.chain import ChainClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.account.wallet_transactions import (
    CallReverted,
    ContractCall,
    Receipt,
    RelayerState,
    RelayerTransaction,
    TransactionId,
    read_submit_refusal,
)
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON
from pmtui.signing.wallet_batch import encode_create
from pmtui.wire.relayer import RelayerKey
from tests.clients.raw_server import answering, serving
from tests.clients.relayer_key import mint_relayer_key
from tests.signing.kit import sign_in
from tests.sim.chain.owner_kit import STEPS_S, Owner
from tests.sim.kit import RAIN, http_client, small_venue

ROW: dict[str, object] = {"transactionID": "t1", "state": "STATE_MINED"}


@pytest.fixture
async def owner(tmp_path: Path) -> AsyncIterator[Owner]:
    async with small_venue(tmp_path) as running, http_client() as http:
        person = await Owner(running, http).arrive(dollars="100")
        assert isinstance(person, Owner)
        await person.get_relayer_key()
        yield person


@pytest.fixture
async def relayer(owner: Owner) -> AsyncIterator[RelayerClient]:
    host = HttpHost(owner.relayer)
    yield RelayerClient(host)
    await host.aclose()


@pytest.fixture
async def account(owner: Owner, relayer: RelayerClient) -> RelayerClient:
    return relayer.for_caller(lambda _method, _path, _body: owner.key_headers)


async def test_a_batch_is_submitted_followed_and_listed(
    owner: Owner, relayer: RelayerClient, account: RelayerClient
) -> None:
    assert await relayer.nonce(owner.signer.address) == 0
    body = owner.batch(wallet_calls.split(ConditionId(RAIN), 5, neg_risk=False))
    submitted = await account.submit(body)
    assert isinstance(submitted, RelayerTransaction)
    assert submitted.state is RelayerState.NEW
    seen = []
    for seconds in STEPS_S:
        owner.pass_time(seconds)
        told = await relayer.transaction(submitted.transaction_id)
        assert isinstance(told, RelayerTransaction)
        seen.append(told.state)
    assert seen == [RelayerState.EXECUTED, RelayerState.MINED, RelayerState.CONFIRMED]
    listed = await account.transactions()
    assert isinstance(listed, tuple)
    assert [each.transaction_id for each in listed] == [submitted.transaction_id]
    assert listed[0].wallet == owner.wallet
    assert listed[0].created_at is not None
    assert await relayer.nonce(owner.signer.address) == 1
    node = HttpHost(owner.running.urls["rpc"])
    receipt = await ChainClient(node).receipt(listed[0].hash)
    await node.aclose()
    assert isinstance(receipt, Receipt)
    assert receipt.is_success


async def test_a_refusal_names_the_nonce_to_sign_again_with(
    owner: Owner, account: RelayerClient
) -> None:
    call = wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 0)
    refused = await account.submit(owner.batch(call, nonce=3))
    assert isinstance(refused, Failure)
    assert not refused.may_have_happened
    assert read_submit_refusal(refused.status or 0, refused.text).on_chain_nonce == 0


async def test_keys_are_listed_and_never_shown(owner: Owner, account: RelayerClient) -> None:
    keys = await account.keys()
    assert isinstance(keys, tuple)
    assert [key.address for key in keys] == [owner.signer.address]
    assert owner.relayer_key not in repr(keys)


async def test_a_key_is_minted_with_the_cookies_of_a_session(
    owner: Owner, relayer: RelayerClient
) -> None:
    minted = await relayer.mint_key(dict(owner.http.cookies))
    assert not isinstance(minted, Failure)
    assert minted.address == owner.signer.address
    refused = await relayer.mint_key({})
    assert isinstance(refused, Failure)
    assert refused.status == 401


async def test_a_transaction_that_nobody_knows_is_none(relayer: RelayerClient) -> None:
    assert await relayer.transaction(TransactionId("unknown")) is None


@pytest.mark.parametrize("body", [ROW, [ROW], [{**ROW, "transactionID": "t0"}, ROW]])
async def test_one_transaction_may_come_alone_or_in_an_array(body: object) -> None:
    async with serving(answering(json.dumps(body).encode())) as server:
        told = await RelayerClient(server.host()).transaction(TransactionId("t1"))
        assert isinstance(told, RelayerTransaction)
        assert told.state is RelayerState.MINED


async def test_a_transaction_of_another_id_is_not_taken_for_it() -> None:
    async with serving(answering(json.dumps([{**ROW, "transactionID": "t2"}]).encode())) as server:
        assert await RelayerClient(server.host()).transaction(TransactionId("t1")) is None


async def test_a_state_that_nobody_documented_is_kept() -> None:
    row = {**ROW, "state": "STATE_PONDERING", "createdAt": "yesterday", "nonce": 4}
    async with serving(answering(json.dumps(row).encode())) as server:
        told = await RelayerClient(server.host()).transaction(TransactionId("t1"))
        assert isinstance(told, RelayerTransaction)
        assert (told.state, told.state_text) == (None, "STATE_PONDERING")
        assert (told.created_at, told.nonce) == (None, "4")


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"transactionID": "t1"},
        {"transactionID": 5, "state": "STATE_NEW"},
        {"transactionID": "x" * 200, "state": "STATE_NEW"},
        {"transactionID": "t1", "state": "x" * 200},
        "STATE_NEW",
        None,
    ],
)
async def test_an_answer_to_a_submission_that_names_nothing_may_have_happened(row: object) -> None:
    def no_headers(_method: str, _path: str, _body: bytes) -> Mapping[str, str]:
        return {}

    async with serving(answering(json.dumps(row).encode())) as server:
        account = RelayerClient(server.host()).for_caller(no_headers)
        answer = await account.submit(encode_create(Address("0x")))
        assert isinstance(answer, Failure)
        assert answer.may_have_happened
        assert len(server.calls) == 1


@pytest.mark.parametrize("nonce", [-1, "", "0x1", "1" * 100, 1.5, "١"])
async def test_a_nonce_that_is_no_number_is_a_failure(nonce: object) -> None:
    async with serving(answering(json.dumps({"nonce": nonce}).encode())) as server:
        answer = await RelayerClient(server.host()).nonce(Address("0x"))
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.SERVER


async def test_a_call_that_would_revert_says_why(owner: Owner) -> None:
    node = HttpHost(owner.running.urls["rpc"])
    chain = ChainClient(node)
    balance = ContractCall(
        POLYGON.collateral, wallet_calls.encode_call(wallet_calls.BALANCE_OF, owner.wallet)
    )
    answer = await chain.call(balance)
    assert isinstance(answer, bytes)
    assert int.from_bytes(answer, "big") == 100_000_000
    redeem = wallet_calls.redeem(ConditionId(RAIN), neg_risk=False)
    reverted = await chain.call(redeem, sender=owner.wallet)
    assert reverted == CallReverted("result for condition not received yet")
    assert await chain.chain_id() == 137
    assert isinstance(await chain.block_number(), int)
    assert await chain.receipt("0x" + "00" * 32) is None
    await node.aclose()


async def test_a_batch_is_tried_on_the_right_chain_as_a_whole(owner: Owner) -> None:
    node = HttpHost(owner.running.urls["rpc"])
    chain = ChainClient(node, only_chain=137)
    assert await chain.has_code(owner.wallet) is True
    split = wallet_calls.split(ConditionId(RAIN), 60_000_000, neg_risk=False)
    merge = wallet_calls.merge(ConditionId(RAIN), 60_000_000, neg_risk=False)
    poor = CallReverted("ERC20: transfer amount exceeds balance")
    assert await chain.simulate((split, merge, split), sender=owner.wallet) == (None, None, None)
    assert await chain.simulate((split, split, merge), sender=owner.wallet) == (None, poor, None)
    # Apart from the others, the merge has nothing to merge.
    assert isinstance(await chain.call(merge, sender=owner.wallet), CallReverted)
    await node.aclose()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"error":{"code":3,"message":"execution reverted"}}', CallReverted("execution reverted")),
        ('{"error":{"code":-32000,"message":"execution reverted: no"}}', CallReverted("no")),
        ('{"error":{"code":3,"message":"x","data":"0x08c379a0zz"}}', CallReverted("x")),
        ('{"error":{"code":3,"message":"x","data":"0x08c379a0"}}', CallReverted("")),
        ('{"error":{"code":3,"message":"x","data":{"a":1}}}', CallReverted("x")),
    ],
)  # fmt: skip
async def test_reasons_of_reverts_are_read_however_they_come(
    body: str, expected: CallReverted
) -> None:
    async with serving(answering(body.encode())) as server:
        call = wallet_calls.redeem(ConditionId(RAIN), neg_risk=False)
        assert await ChainClient(server.host()).call(call) == expected


@pytest.mark.parametrize(
    "body", ['{"result":"0xzz"}', '{"result":5}', '{"error":{"code":-32005,"message":"limit"}}']
)
async def test_a_call_without_a_readable_answer_is_a_failure(body: str) -> None:
    async with serving(answering(body.encode())) as server:
        call = wallet_calls.redeem(ConditionId(RAIN), neg_risk=False)
        assert isinstance(await ChainClient(server.host()).call(call), Failure)
        assert isinstance(await ChainClient(server.host()).block_number(), Failure)


async def test_signing_in_ends_in_a_key_of_the_owner(owner: Owner, relayer: RelayerClient) -> None:
    signed: list[str] = []

    def sign(nonce: str) -> str:
        signed.append(nonce)
        at = owner.running.venue.clock.now().isoformat(timespec="milliseconds")
        stamp = at.replace("+00:00", "Z")
        return sign_in(
            owner.signer, nonce=nonce, issued_at=stamp, expiration_time=None
        ).authorization

    metadata = HttpHost(owner.running.urls["gamma"])
    key = await mint_relayer_key(metadata, relayer, sign)
    assert isinstance(key, RelayerKey)
    assert key.address == owner.signer.address
    assert len(signed) == 1
    refused = await mint_relayer_key(metadata, relayer, lambda _: "Bearer nothing")
    assert isinstance(refused, Failure)
    assert refused.status == 401
    assert metadata.cookies() == {}
    await metadata.aclose()


@pytest.mark.parametrize("nonce", ["", "a\nURI: https://elsewhere", "é", "x" * 500])
async def test_a_nonce_that_would_write_into_the_signed_text_is_not_signed(
    relayer: RelayerClient, nonce: str
) -> None:
    def never(_: str) -> str:
        raise AssertionError("signed")

    async with serving(answering(json.dumps({"nonce": nonce}).encode())) as server:
        answer = await mint_relayer_key(server.host(), relayer, never)
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.SERVER
