"""The relayer host: who may ask, and how its answers look (docs/wire.md#relayer)."""

from collections import deque
from datetime import UTC, datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.account.wallet_transactions import RelayerState
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.chain.relay import Relay, Submission, Transaction
from pmtui.sim.chain.sign_in import SignIns, cookies_in, key_row
from pmtui.sim.clob.builder_keys import KeyKind, SideKeys
from pmtui.sim.engine.terms import Refusal
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

MOST_SHOWN = 100
SUBMISSIONS_A_MINUTE = 25
_TYPES = ("WALLET", "SAFE", "PROXY")
_UNAUTHORIZED = "invalid authorization"
_RELAY_HUB = Address("0xD216153c06E857cD7f72665E0aF1d7D82172F494")
_ANYONE = Address("")
"""Whom a builder's key submits for: any owner, as the batch's own signature proves the owner."""

_decode = msgspec.json.Decoder(Submission).decode


class RelayerRoutes:
    """Every route of the relayer."""

    def __init__(self, venue: Venue, relay: Relay, *, sign_ins: SignIns, keys: SideKeys) -> None:
        self._venue = venue
        self._relay = relay
        self._sign_ins = sign_ins
        self._keys = keys
        self._submitted_ms: deque[int] = deque(maxlen=SUBMISSIONS_A_MINUTE)

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", self.alive),
            Route("/submit", self.submit, methods=["POST"]),
            Route("/nonce", self.nonce),
            Route("/v1/account/transactions/params", self.parameters),
            Route("/v1/account/transactions/{transaction_id}", self.short_transaction),
            Route("/transaction", self.transaction),
            Route("/transactions", self.transactions),
            Route("/deployed", self.deployed),
            Route("/relay-payload", self.relay_payload),
            Route("/relayer/api/auth", self.mint, methods=["POST"]),
            Route("/relayer/api/keys", self.keys),
        ]

    async def alive(self, request: Request) -> Response:
        """Say that somebody is there."""
        del request
        return JsonResponse("OK")

    async def submit(self, request: Request) -> Response:
        """Take a deployment or a signed batch."""
        allowed = await self._caller(request)
        if allowed is None:
            return failure(401, _UNAUTHORIZED)
        if self._is_over_quota():
            return failure(429, "quota exceeded", {"Retry-After": "60"})
        try:
            submission = _decode(await request.body())
        except UNREADABLE:
            return failure(400, "invalid transaction request payload")
        if allowed and submission.from_.lower() != allowed.lower():
            return failure(400, f"from {submission.from_[:60]} does not match auth {allowed}")
        taken = self._relay.submit(submission)
        if isinstance(taken, Refusal):
            return refused(taken)
        return JsonResponse({"transactionID": taken.transaction_id, "state": taken.state})

    async def nonce(self, request: Request) -> Response:
        """Show an owner's counter of batches."""
        number = self._nonce(request)
        return number if isinstance(number, Response) else JsonResponse({"nonce": str(number)})

    async def parameters(self, request: Request) -> Response:
        """Show the same with the address that it counts for."""
        number = self._nonce(request)
        if isinstance(number, Response):
            return number
        owner = request.query_params["address"]
        return JsonResponse({"address": owner, "nonce": str(number)})

    async def transaction(self, request: Request) -> Response:
        """Show one transaction, in an array."""
        asked = request.query_params.get("id", "")
        if not asked or len(asked) > 64:
            return failure(400, "invalid id")
        found = self._relay.find(asked)
        if found is None:
            return failure(404, "transaction not found")
        return JsonResponse([_row(found)])

    async def short_transaction(self, request: Request) -> Response:
        """Show one transaction in the newer, shorter form."""
        found = self._relay.find(request.path_params["transaction_id"])
        if found is None:
            return failure(404, "transaction not found")
        return JsonResponse(
            {
                "transaction_id": found.transaction_id,
                "transaction_hash": found.hash or None,
                "state": found.state,
                "error_msg": found.error or None,
            }
        )

    async def transactions(self, request: Request) -> Response:
        """List an owner's transactions, newest first."""
        allowed = await self._caller(request)
        if not allowed:
            return failure(401, _UNAUTHORIZED)
        return JsonResponse([_row(each) for each in self._relay.of(allowed)[:MOST_SHOWN]])

    async def deployed(self, request: Request) -> Response:
        """Say whether a wallet exists, in the relayer's view: it learns of one once confirmed."""
        address = _address(request)
        kind = request.query_params.get("type", "SAFE")
        if address is None or kind not in _TYPES:
            return failure(400, "invalid address" if address is None else "invalid type")
        is_there = self._venue.accounts.is_deployed(address) and self._may_be(address, kind)
        return JsonResponse({"deployed": is_there and not self._is_unconfirmed(address)})

    async def relay_payload(self, request: Request) -> Response:
        """Show what the older kinds of wallet sign with their calls."""
        address = _address(request)
        if address is None or request.query_params.get("type") not in ("SAFE", "PROXY"):
            return failure(400, "invalid address" if address is None else "invalid type")
        return JsonResponse({"address": _RELAY_HUB, "nonce": "0"})

    async def mint(self, request: Request) -> Response:
        """Make a relayer key for whoever signed in."""
        owner = self._sign_ins.owner_of_session(cookies_in(request))
        if owner is None:
            return failure(401, _UNAUTHORIZED)
        key = self._sign_ins.mint(owner)
        return failure(403, "not allowed") if key is None else JsonResponse(key_row(key))

    async def keys(self, request: Request) -> Response:
        """List the caller's relayer keys."""
        owner = self._sign_ins.owner_of_session(cookies_in(request))
        owner = owner or await self._caller(request)
        if not owner:
            return failure(401, _UNAUTHORIZED)
        return JsonResponse([key_row(key) for key in self._sign_ins.keys_of(owner)])

    async def _caller(self, request: Request) -> Address | None:
        """Return whom the caller may act for; empty for anyone, None for nobody."""
        headers = request.headers
        if key := headers.get("RELAYER_API_KEY"):
            address = headers.get("RELAYER_API_KEY_ADDRESS", "")
            return self._sign_ins.owner_of_key(key, address)
        builder = self._keys.find(headers.get("POLY_BUILDER_API_KEY", ""), KeyKind.BUILDER)
        if builder is None:
            return None
        is_right = self._keys.verify(
            builder,
            headers,
            method=request.method,
            path=request.url.path,
            body=await request.body(),
        )
        return _ANYONE if is_right else None

    def _nonce(self, request: Request) -> int | Response:
        owner = _address(request)
        kind = request.query_params.get("type", "SAFE")
        if owner is None or kind not in _TYPES:
            return failure(400, "invalid address" if owner is None else "invalid type")
        wallets = derive_wallets(owner)
        has_older = self._venue.accounts.is_deployed(wallets.deposit_uups)
        wallet = wallets.deposit_uups if has_older else wallets.deposit_beacon
        return self._relay.chain.nonce(wallet) if kind == "WALLET" else 0

    def _may_be(self, address: Address, kind: str) -> bool:
        """Whether an address can be a wallet of a type; of an owner nobody knows it can be any."""
        owner = self._venue.accounts.owner_of(address)
        if owner is None:
            return True
        wallets = derive_wallets(owner)
        of_type = {
            "WALLET": (wallets.deposit_uups, wallets.deposit_beacon),
            "SAFE": (wallets.safe,),
            "PROXY": (wallets.proxy,),
        }
        return address in of_type[kind]

    def _is_unconfirmed(self, wallet: Address) -> bool:
        owner = self._venue.accounts.owner_of(wallet)
        creations = (
            each
            for each in self._relay.of(owner or _ANYONE)
            if each.kind == "WALLET-CREATE" and each.wallet == wallet
        )
        return any(each.state is RelayerState.MINED for each in creations)

    def _is_over_quota(self) -> bool:
        if not self._venue.controls.is_submit_limited:
            return False
        now_ms, recent = self._venue.clock.now_ms(), self._submitted_ms
        if len(recent) == SUBMISSIONS_A_MINUTE and now_ms - recent[0] < 60_000:
            return True
        recent.append(now_ms)
        return False


def _row(transaction: Transaction) -> dict[str, object]:
    return {
        "transactionID": transaction.transaction_id,
        "transactionHash": transaction.hash,
        "from": transaction.owner,
        "to": POLYGON.wallets.deposit_factory,
        "proxyAddress": transaction.wallet,
        "data": transaction.data,
        "nonce": transaction.nonce,
        "value": "",
        "signature": transaction.signature,
        "state": transaction.state,
        "type": transaction.kind,
        "owner": transaction.owner,
        "metadata": transaction.metadata,
        "errorMsg": transaction.error,
        "createdAt": _stamp(transaction.created_ms),
        "updatedAt": _stamp(transaction.updated_ms),
    }


def _stamp(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms / 1_000, UTC).isoformat(timespec="microseconds")
    return at.replace("+00:00", "Z")


def _address(request: Request) -> Address | None:
    try:
        return checksum_address(address_bytes(request.query_params.get("address", "")))
    except AddressError:
        return None
