"""The relayer, the chain and signing in, over HTTP as a program uses them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from eth_abi.abi import decode

from pmtui.domain.account.wallet_transactions import MAX_UINT256, ContractCall
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.market import Side
from pmtui.signing import wallet_calls
from pmtui.signing.auth import (
    ApiCredentials,
    RequestSigner,
)
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.wallet_batch import encode_create
from pmtui.sim.chain.logs import (
    APPROVAL,
    APPROVAL_FOR_ALL,
    MERGE,
    REDEMPTION,
    SPLIT,
    TRANSFER,
    TRANSFER_BATCH,
)
from pmtui.sim.chain.relayer import REGISTRY_LAG_MS
from pmtui.sim.run import RunningVenue
from tests.signing.kit import sign_in
from tests.sim.chain.owner_kit import STEPS_S, Owner
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW, http_client, small_venue

CORE = tuple(
    call
    for contract in (
        POLYGON.exchange,
        POLYGON.neg_risk_exchange,
        POLYGON.collateral_adapter,
        POLYGON.neg_risk_collateral_adapter,
    )
    for call in (
        wallet_calls.approve(POLYGON.collateral, contract, MAX_UINT256),
        wallet_calls.set_operator(POLYGON.conditional_tokens, contract, is_approved=True),
    )
)


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[RunningVenue]:
    async with small_venue(tmp_path) as venue:
        yield venue


@pytest.fixture
async def owner(running: RunningVenue) -> AsyncIterator[Owner]:
    async with http_client() as http:
        person = Owner(running, http)
        person.use((await person.create_key()).json())
        person.wallet = person.wallets.deposit_beacon
        yield person


async def test_a_bare_key_comes_to_its_first_order(owner: Owner) -> None:
    wallet = owner.wallet
    await owner.admin("POST", "/fund", {"address": wallet, "amount": "100", "is_deployed": False})
    refused = await owner.place(Side.BUY, "0.50", "10")
    assert refused.status_code == 400
    await owner.get_relayer_key()
    answer = await owner.submit(encode_create(owner.signer.address))
    created = answer.json()["transactionID"]
    states = [answer.json()["state"]]
    for seconds in STEPS_S:
        owner.pass_time(seconds)
        states.append((await owner.transaction(created))["state"])
    assert states == ["STATE_NEW", "STATE_EXECUTED", "STATE_MINED", "STATE_CONFIRMED"]
    early = await owner.submit(owner.batch(*CORE))
    assert "is not registered" in early.json()["error"]
    owner.pass_time(REGISTRY_LAG_MS / 1_000)
    refused = await owner.place(Side.BUY, "0.50", "10")
    assert refused.json()["error"] == "not enough balance / allowance"
    assert (await owner.run_batch(*CORE))["state"] == "STATE_CONFIRMED"
    placed = await owner.place(Side.BUY, "0.50", "10")
    assert placed.json()["status"] == "live", placed.text


async def test_the_chain_and_the_relayer_tell_of_a_wallet_when_each_knows(owner: Owner) -> None:
    async def views() -> tuple[bool, bool]:
        query = {"address": owner.wallet, "type": "WALLET"}
        answer = await owner.http.get(f"{owner.relayer}/deployed", params=query)
        has_code = await owner.rpc("eth_getCode", owner.wallet, "latest") != "0x"
        return answer.json()["deployed"], has_code

    await owner.get_relayer_key()
    await owner.submit(encode_create(owner.signer.address))
    assert await views() == (False, False)
    owner.pass_time(STEPS_S[0])
    owner.pass_time(STEPS_S[1])
    assert await views() == (False, True)
    owner.pass_time(STEPS_S[2])
    assert await views() == (True, True)
    untyped = await owner.http.get(f"{owner.relayer}/deployed", params={"address": owner.wallet})
    assert untyped.json() == {"deployed": False}
    of_owner = {"address": owner.signer.address}
    by_owner = await owner.http.get(f"{owner.relayer}/deployed", params=of_owner)
    assert by_owner.json() == {"deployed": True}


async def test_cash_becomes_both_outcomes_and_cash_again(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    condition = ConditionId(RAIN)
    await owner.run_batch(wallet_calls.split(condition, 40_000_000, neg_risk=False))
    ledger = await owner.ledger()
    assert ledger["collateral"] == "60"
    assert ledger["shares"] == {RAIN_YES: "40", RAIN_NO: "40"}
    await owner.run_batch(wallet_calls.merge(condition, 10_000_000, neg_risk=False), nonce=1)
    await owner.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
    done = await owner.run_batch(wallet_calls.redeem(condition, neg_risk=False), nonce=2)
    assert done["state"] == "STATE_CONFIRMED"
    ledger = await owner.ledger()
    assert (ledger["collateral"], ledger["shares"], ledger["is_whole"]) == ("100", {}, True)
    assert (await owner.admin("GET", "/audit"))["is_whole"]


async def test_a_batch_that_reverts_does_nothing_and_keeps_its_nonce(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    calls = (
        wallet_calls.transfer(POLYGON.collateral, Address("0x" + "11" * 20), 5),
        wallet_calls.redeem(ConditionId(RAIN), neg_risk=False),
    )
    done = await owner.run_batch(*calls)
    assert done["state"] == "STATE_FAILED"
    assert done["errorMsg"].startswith("call 1: result for condition not received yet")
    assert (await owner.ledger())["collateral"] == "100"
    nonce = await owner.http.get(
        f"{owner.relayer}/nonce", params={"address": owner.signer.address, "type": "WALLET"}
    )
    assert nonce.json() == {"nonce": "0"}
    receipt = await owner.rpc("eth_getTransactionReceipt", done["transactionHash"])
    assert receipt["status"] == "0x0"


async def test_a_submission_is_refused_in_the_services_words(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    good = wallet_calls.approve(POLYGON.collateral, POLYGON.collateral_adapter, 5)
    assert (await owner.submit(owner.batch(good))).status_code == 401
    await owner.get_relayer_key()
    elsewhere = Address("0x" + "11" * 20)
    cases = {
        "does not match on-chain nonce 0": owner.batch(good, nonce=7),
        "deadline too soon": owner.batch(good, deadline_s=1),
        "is not registered": owner.batch(good, wallet=owner.wallets.deposit_uups),
        f"calls to {elsewhere} are not permitted": owner.batch(ContractCall(elsewhere, b"")),
        "self-call": owner.batch(ContractCall(owner.wallet, b"")),
        "must be MaxUint256": owner.batch(
            wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 5)
        ),
        "is not in the allowed list": owner.batch(
            wallet_calls.set_operator(POLYGON.conditional_tokens, elsewhere, is_approved=True)
        ),
        "invalid signature": owner.batch(good).replace(b'"deadline":"1', b'"deadline":"2'),
        "invalid transaction request payload": b"[]",
        "invalid type": encode_create(owner.signer.address).replace(b"WALLET-CREATE", b"SAFE"),
        "already deployed": encode_create(owner.signer.address),
        "does not match auth": encode_create(Address(elsewhere)),
    }
    for words, body in cases.items():
        answer = await owner.submit(body)
        assert answer.status_code == 400, words
        assert words in answer.json()["error"]


async def test_a_wallet_does_one_thing_at_a_time(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    call = wallet_calls.approve(POLYGON.collateral, POLYGON.collateral_adapter, 5)
    first = await owner.submit(owner.batch(call))
    assert first.status_code == 200
    busy = await owner.submit(owner.batch(call))
    assert "wallet busy" in busy.json()["error"]


@pytest.mark.parametrize(
    ("course", "state"),
    [("failed", "STATE_FAILED"), ("invalid", "STATE_INVALID"), ("stalled", "STATE_NEW"), ("replaced", "STATE_CONFIRMED")],
)  # fmt: skip
async def test_the_operator_chooses_what_becomes_of_a_transaction(
    owner: Owner, course: str, state: str
) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    await owner.admin("POST", "/relayer", {"course": course})
    done = await owner.run_batch(wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 0))
    assert done["state"] == state
    if course == "stalled":
        await owner.admin("POST", "/relayer", {"course": "normal"})
        for seconds in STEPS_S:
            owner.pass_time(seconds)
        again = await owner.transaction(done["transactionID"])
        assert again["state"] == "STATE_CONFIRMED"


async def test_revoking_an_approval_stops_trading(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    assert (await owner.place(Side.BUY, "0.50", "10")).status_code == 200
    await owner.run_batch(wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 0))
    refused = await owner.place(Side.BUY, "0.49", "10")
    assert refused.json()["error"] == "not enough balance / allowance"
    answer = await owner.call(
        "GET", "/balance-allowance", query="?asset_type=COLLATERAL&signature_type=3"
    )
    assert answer.json()["allowances"][POLYGON.exchange] == "0"
    assert answer.json()["allowances"][POLYGON.neg_risk_exchange] == str(MAX_UINT256)


async def test_a_nonce_opens_one_session_for_whoever_signed(owner: Owner) -> None:
    assert (await owner.sign_in()).status_code == 200
    gamma = owner.running.urls["gamma"]
    signed = sign_in(
        owner.signer, nonce="made up", issued_at="2026-11-20T10:00:00.000Z", expiration_time=None
    )
    forged = await owner.http.get(f"{gamma}/login", headers={"Authorization": signed.authorization})
    assert forged.status_code == 401
    assert (await owner.http.post(f"{gamma}/profiles", json={})).status_code == 201
    assert (await owner.http.post(f"{gamma}/profiles", json={})).status_code == 409
    owner.http.cookies.clear()
    mint = await owner.http.post(f"{owner.relayer}/relayer/api/auth", json={})
    assert mint.status_code == 401


async def test_a_builders_key_submits_for_any_owner(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    made = (await owner.call("POST", "/auth/builder-api-key")).json()
    signer = RequestSigner(
        ApiCredentials(
            made["key"], Secret.from_text(made["secret"]), Secret.from_text(made["passphrase"])
        )
    )
    body = owner.batch(wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 0))
    headers = signer.builder_headers(
        timestamp_s=owner.now_s, method="POST", path="/submit", body=body
    )
    answer = await owner.http.post(f"{owner.relayer}/submit", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    altered = await owner.http.post(f"{owner.relayer}/submit", content=body + b" ", headers=headers)
    assert altered.status_code == 401


async def test_the_chain_answers_what_is_read_of_it(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    read = wallet_calls.encode_call
    wallet = owner.wallet

    async def call(target: Address, data: bytes, **terms: str) -> Any:
        return await owner.rpc(
            "eth_call", {"to": target, "data": "0x" + data.hex(), **terms}, "latest"
        )

    assert await owner.rpc("eth_chainId") == "0x89"
    before = int(await owner.rpc("eth_blockNumber"), 16)
    owner.pass_time(20)
    assert int(await owner.rpc("eth_blockNumber"), 16) == before + 10
    balance = await call(POLYGON.collateral, read(wallet_calls.BALANCE_OF, wallet))
    assert int(balance, 16) == 100_000_000
    allowance = await call(
        POLYGON.collateral, read(wallet_calls.ALLOWANCE, wallet, POLYGON.exchange)
    )
    assert int(allowance, 16) == MAX_UINT256
    beacon = await call(POLYGON.wallets.deposit_factory, read(wallet_calls.BEACON))
    assert beacon.endswith(POLYGON.wallets.deposit_beacon[2:].lower())
    redeem = wallet_calls.redeem(ConditionId(SNOW), neg_risk=True)
    error = await call(redeem.target, redeem.data, **{"from": wallet})
    assert error["code"] == 3
    assert "result for condition not received yet" in error["message"]
    assert (await owner.ledger())["collateral"] == "100"
    assert (await owner.rpc("eth_mine"))["code"] == -32601
    batch: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": n, "method": "eth_chainId", "params": []} for n in (1, 2)
    ]
    answers = (await owner.http.post(owner.running.urls["rpc"], json=batch)).json()
    assert [each["id"] for each in answers] == [1, 2]


async def test_the_log_tells_of_approvals_and_transfers_that_happened(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    recipient = Address("0x" + "11" * 20)
    done = await owner.run_batch(
        wallet_calls.approve(POLYGON.collateral, POLYGON.collateral_adapter, 7),
        wallet_calls.set_operator(
            POLYGON.conditional_tokens, POLYGON.collateral_adapter, is_approved=True
        ),
        wallet_calls.transfer(POLYGON.collateral, recipient, 5_000_000),
    )
    await owner.run_batch(wallet_calls.redeem(ConditionId(RAIN), neg_risk=False), nonce=1)
    receipt = await owner.rpc("eth_getTransactionReceipt", done["transactionHash"])
    assert [log["topics"][0] for log in receipt["logs"]] == [APPROVAL, APPROVAL_FOR_ALL, TRANSFER]
    everything = {"fromBlock": receipt["blockNumber"], "toBlock": "latest"}
    assert await owner.rpc("eth_getLogs", everything) == receipt["logs"]
    to = "0x" + recipient[2:].rjust(64, "0")
    sent = await owner.rpc("eth_getLogs", {**everything, "topics": [TRANSFER, None, to]})
    assert [int(log["data"], 16) for log in sent] == [5_000_000]
    assert await owner.rpc("eth_getLogs", {**everything, "topics": [[APPROVAL], to]}) == []
    elsewhere = {**everything, "address": [POLYGON.exchange]}
    assert await owner.rpc("eth_getLogs", elsewhere) == []
    wide = await owner.rpc("eth_getLogs", {"fromBlock": "earliest"})
    assert wide["code"] == -32005
    assert (await owner.rpc("eth_getLogs", {"fromBlock": "x"}))["code"] == -32602
    block = await owner.rpc("eth_getBlockByNumber", receipt["blockNumber"], False)
    assert block["transactions"] == [done["transactionHash"]]
    assert block["hash"] == receipt["blockHash"]
    assert await owner.rpc("eth_getBlockByNumber", hex(10**12), False) is None


async def test_the_log_tells_what_shares_were_made_of_and_became(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    split = await owner.run_batch(
        wallet_calls.split(ConditionId(RAIN), 9_000_000, neg_risk=False),
        wallet_calls.merge(ConditionId(RAIN), 4_000_000, neg_risk=False),
    )
    await owner.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
    redeemed = await owner.run_batch(
        wallet_calls.redeem(ConditionId(RAIN), neg_risk=False), nonce=1
    )

    async def logs(done: dict[str, Any]) -> list[dict[str, Any]]:
        receipt = await owner.rpc("eth_getTransactionReceipt", done["transactionHash"])
        found: list[dict[str, Any]] = receipt["logs"]
        return found

    told = await logs(split)
    assert [each["topics"][0] for each in told] == [
        TRANSFER, SPLIT, TRANSFER_BATCH, TRANSFER_BATCH, MERGE, TRANSFER,
    ]  # fmt: skip
    assert [each["logIndex"] for each in told] == [hex(n) for n in range(6)]
    assert told[1]["topics"][3] == RAIN
    wallet = "0x" + "0" * 24 + owner.wallet[2:].lower()
    assert [(t["topics"].index(wallet)) for t in (told[0], told[2], told[3], told[5])] == [
        1,
        3,
        2,
        2,
    ]
    ids, sizes = decode(["uint256[]", "uint256[]"], bytes.fromhex(told[2]["data"][2:]))
    assert (ids, sizes) == ((int(RAIN_YES), int(RAIN_NO)), (9_000_000,) * 2)
    ids, sizes = decode(["uint256[]", "uint256[]"], bytes.fromhex(told[3]["data"][2:]))
    assert (ids, sizes) == ((int(RAIN_YES), int(RAIN_NO)), (4_000_000,) * 2)
    types = ["address", "uint256[]", "uint256"]
    *_, amount = decode(types, bytes.fromhex(told[4]["data"][2:]))
    assert amount == 4_000_000
    last = await logs(redeemed)
    assert [each["topics"][0] for each in last] == [TRANSFER_BATCH, REDEMPTION, TRANSFER]
    *_, payout = decode(["bytes32", "uint256[]", "uint256"], bytes.fromhex(last[1]["data"][2:]))
    assert payout == int(last[2]["data"], 16) == 5_000_000


async def test_a_transaction_holds_the_batch_as_it_was_signed(owner: Owner) -> None:
    await owner.arrive(dollars="100")
    await owner.get_relayer_key()
    body = owner.batch(wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 0))
    answer = await owner.submit(body)
    for seconds in STEPS_S:
        owner.pass_time(seconds)
    done = await owner.transaction(answer.json()["transactionID"])
    found = await owner.rpc("eth_getTransactionByHash", done["transactionHash"])
    assert found["to"] == POLYGON.wallets.deposit_factory
    terms = "(address,uint256,uint256,(address,uint256,bytes)[])"
    data = bytes.fromhex(found["input"][2:])
    (wallet, nonce, deadline, calls), signature = decode([terms, "bytes"], data[4:])
    sent = msgspec.json.decode(body)
    assert wallet == owner.wallet.lower()
    assert (f"{nonce}", f"{deadline}") == (sent["nonce"], sent["depositWalletParams"]["deadline"])
    assert "0x" + signature.hex() == sent["signature"]
    assert ["0x" + data.hex() for _, _, data in calls] == [
        call["data"] for call in sent["depositWalletParams"]["calls"]
    ]
    receipt = await owner.rpc("eth_getTransactionReceipt", done["transactionHash"])
    assert (receipt["from"], receipt["to"]) == (found["from"], found["to"])
    assert await owner.rpc("eth_getTransactionByHash", "0x" + "00" * 32) is None


async def test_a_resolved_market_tells_what_its_shares_pay(owner: Owner) -> None:
    async def payouts() -> list[int]:
        reads = [wallet_calls.encode_call(wallet_calls.PAYOUT_DENOMINATOR, RAIN)] + [
            wallet_calls.encode_call(wallet_calls.PAYOUT_NUMERATORS, RAIN, index)
            for index in (0, 1)
        ]
        target = POLYGON.conditional_tokens
        asked = [{"to": target, "data": "0x" + data.hex()} for data in reads]
        return [int(await owner.rpc("eth_call", each, "latest"), 16) for each in asked]

    assert await payouts() == [0, 0, 0]
    await owner.admin("POST", "/resolve", {"condition_id": RAIN, "winner": None})
    assert await payouts() == [1_000_000, 500_000, 500_000]


async def test_what_was_submitted_goes_on_after_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with http_client() as http:
        async with small_venue(tmp_path, state=state) as running:
            owner = await Owner(running, http).arrive(dollars="100")
            assert isinstance(owner, Owner)
            await owner.get_relayer_key()
            answer = await owner.submit(
                owner.batch(wallet_calls.split(ConditionId(RAIN), 5, neg_risk=False))
            )
            owner.pass_time(STEPS_S[0])
            before = await owner.transaction(answer.json()["transactionID"])
        async with small_venue(tmp_path, state=state) as running:
            owner.running = running
            for seconds in STEPS_S:
                owner.pass_time(seconds)
            after = await owner.transaction(before["transactionID"])
            listed = await http.get(f"{owner.relayer}/transactions", headers=owner.key_headers)
            assert [row["transactionID"] for row in listed.json()] == [before["transactionID"]]
            assert (before["state"], after["state"]) == ("STATE_EXECUTED", "STATE_CONFIRMED")
            assert after["transactionHash"] == before["transactionHash"]
            assert (await owner.ledger())["shares"] == {RAIN_YES: "0.000005", RAIN_NO: "0.000005"}
