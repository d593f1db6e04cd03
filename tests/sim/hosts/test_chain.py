"""The chain host of the local venue: the code at an address, as a node would tell it."""

from typing import Any

from pmtui.clients.chain import ChainClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.account.onboarding import WalletForm
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address
from pmtui.signing.wallet import derive_deposit
from tests.sim.kit import Person


async def asked(person: Person, method: str, *params: object) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": list(params)}
    answer = await person.http.post(person.running.urls["rpc"], json=body)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


async def test_a_funded_wallet_has_the_code_of_its_form(ann: Person) -> None:
    runtime = derive_deposit(ann.signer.address).beacon_runtime_code
    there = await asked(ann, "eth_getCode", ann.wallet, "latest")
    assert there == {"jsonrpc": "2.0", "id": 7, "result": f"0x{runtime.hex()}"}
    for empty in (ann.wallets.deposit_uups, ann.signer.address, "0x" + "11" * 20):
        assert (await asked(ann, "eth_getCode", empty, "latest"))["result"] == "0x"


async def test_other_calls_are_refused_as_a_node_does(ann: Person) -> None:
    assert (await asked(ann, "eth_chainId"))["result"] == "0x89"
    assert (await asked(ann, "eth_getCode", "0x12"))["error"]["code"] == -32602
    assert (await asked(ann, "eth_getCode"))["error"]["code"] == -32602
    assert (await asked(ann, "eth_getCode", 5))["error"]["code"] == -32602
    assert (await asked(ann, "eth_sendRawTransaction", "0x"))["error"]["code"] == -32601
    garbled = await ann.http.post(ann.running.urls["rpc"], content=b"{")
    assert garbled.json()["error"]["code"] == -32700
    assert (await ann.http.get(ann.running.urls["rpc"])).json() == "OK"


async def test_our_own_clients_read_both_views(ann: Person) -> None:
    node, relay = HttpHost(ann.running.urls["rpc"]), HttpHost(ann.running.urls["relayer"])
    try:
        chain, relayer = ChainClient(node), RelayerClient(relay)
        assert await chain.has_code(Address(ann.wallet)) is True
        assert await chain.has_code(ann.wallets.deposit_uups) is False
        assert isinstance(await chain.has_code(Address("nowhere")), Failure)
        assert await relayer.is_deployed(Address(ann.wallet), WalletForm.DEPOSIT) is True
        for form in (WalletForm.PROXY, WalletForm.SAFE):
            assert isinstance(await relayer.is_deployed(Address(ann.wallet), form), bool)
    finally:
        await node.aclose()
        await relay.aclose()
