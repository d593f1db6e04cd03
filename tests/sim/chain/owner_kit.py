"""An owner of a deposit wallet, and how long the relayer takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from typing_extensions import override

from pmtui.domain.account.wallet_transactions import Batch, ContractCall
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing.auth import (
    relayer_headers,
)
from pmtui.signing.wallet_batch import encode_batch, encode_create, sign_batch
from pmtui.sim.chain.contracts import Condition, World
from pmtui.sim.chain.relayer import CONFIRMED_MS, EXECUTED_MS, MINED_MS, REGISTRY_LAG_MS
from tests.signing.kit import sign_in
from tests.sim.kit import Person

STEPS_S = (EXECUTED_MS / 1_000, MINED_MS / 1_000, CONFIRMED_MS / 1_000)


class Owner(Person):
    """Somebody who also talks to the relayer."""

    relayer_key = ""

    @property
    def relayer(self) -> str:
        return self.running.urls["relayer"]

    async def sign_in(self) -> httpx.Response:
        """Open a session, and keep its cookies in the client."""
        gamma = self.running.urls["gamma"]
        nonce = (await self.http.get(f"{gamma}/nonce")).json()["nonce"]
        at = self.running.venue.clock.now().isoformat(timespec="milliseconds")
        issued = at.replace("+00:00", "Z")
        signed = sign_in(self.signer, nonce=nonce, issued_at=issued, expiration_time=None)
        return await self.http.get(
            f"{gamma}/login", headers={"Authorization": signed.authorization}
        )

    async def get_relayer_key(self) -> None:
        assert (await self.sign_in()).status_code == 200
        answer = await self.http.post(f"{self.relayer}/relayer/api/auth", json={})
        assert answer.status_code == 200, answer.text
        assert answer.json()["address"] == self.signer.address
        self.relayer_key = answer.json()["apiKey"]

    @property
    def key_headers(self) -> dict[str, str]:
        return relayer_headers(self.relayer_key, self.signer.address)

    async def submit(self, body: bytes) -> httpx.Response:
        url = f"{self.relayer}/submit"
        return await self.http.post(url, content=body, headers=self.key_headers)

    def batch(
        self, *calls: ContractCall, nonce: int = 0, deadline_s: int = 600, **terms: Any
    ) -> bytes:
        """Sign a batch of the deposit wallet."""
        wallet = terms.get("wallet", self.wallets.deposit_beacon)
        return encode_batch(
            sign_batch(Batch(wallet, nonce, self.now_s + deadline_s, calls), self.signer)
        )

    async def run_batch(self, *calls: ContractCall, nonce: int = 0) -> dict[str, Any]:
        """Submit a batch and let time carry it to its end."""
        answer = await self.submit(self.batch(*calls, nonce=nonce))
        assert answer.status_code == 200, answer.text
        for seconds in STEPS_S:
            self.pass_time(seconds)
        return await self.transaction(answer.json()["transactionID"])

    async def transaction(self, transaction_id: str) -> dict[str, Any]:
        answer = await self.http.get(f"{self.relayer}/transaction", params={"id": transaction_id})
        (row,) = answer.json()
        assert isinstance(row, dict)
        return row

    async def rpc(self, method: str, *parameters: object) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        answer = (await self.http.post(self.running.urls["rpc"], json=body)).json()
        return answer.get("result", answer.get("error"))

    async def deploy(self) -> None:
        """Get a key, a wallet and its approvals."""
        await self.get_relayer_key()
        answer = await self.submit(encode_create(self.signer.address))
        assert answer.status_code == 200, answer.text
        for seconds in STEPS_S:
            self.pass_time(seconds)
        self.pass_time(REGISTRY_LAG_MS / 1_000)


GROUP = "0x" + "cc" * 32
LEGS = tuple(ConditionId("0x" + f"b{n}" * 32) for n in range(3))


@dataclass
class Small(World):
    cash: int = 0
    held: dict[TokenId, int] = field(default_factory=dict)
    allowances: dict[Address, int] = field(default_factory=dict)
    operators: set[Address] = field(default_factory=set)
    conditions: dict[str, Condition] = field(default_factory=dict)

    @override
    def collateral(self, owner: Address) -> int:
        return self.cash

    @override
    def shares(self, owner: Address, token_id: TokenId) -> int:
        return self.held.get(token_id, 0)

    @override
    def allowance(self, owner: Address, spender: Address) -> int:
        return self.allowances.get(spender, 0)

    @override
    def is_operator(self, owner: Address, operator: Address) -> bool:
        return operator in self.operators

    @override
    def condition(self, condition_id: str) -> Condition | None:
        return self.conditions.get(condition_id)

    @override
    def questions(self, neg_risk_market_id: str) -> Sequence[Condition]:
        return [self.conditions[leg] for leg in LEGS] if neg_risk_market_id == GROUP else []
