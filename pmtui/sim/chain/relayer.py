"""The relayer: checks submissions, executes them on the chain after a delay, and serves its host.

A submission is refused with the venue's text, or becomes a transaction that goes through its states
(docs/wire.md#relayer). Accepted transactions are on disk and continue after a restart.
"""

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.wallet_transactions import (
    MAX_UINT256,
    Batch,
    ContractCall,
    DecodedCall,
    RelayerState,
)
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.wallet import derive_wallets
from pmtui.signing.wallet_batch import MOST_METADATA, recover_batch_signer
from pmtui.signing.wallet_calls import decode_call
from pmtui.sim.chain.contracts import CONTRACTS, TRADES_THROUGH, Chain, Reverted, execute
from pmtui.sim.chain.logs import LogEntry, write_entries
from pmtui.sim.chain.sign_in import SignIns, cookies_in, key_row
from pmtui.sim.clob.builder_keys import KeyKind, SideKeys
from pmtui.sim.controls import RelayCourse
from pmtui.sim.engine.terms import Refusal
from pmtui.sim.http_json import JsonResponse, alive, failure, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

KIND = "relayer transaction"
EXECUTED_MS = 800
"""From acceptance to broadcast, at speed 1."""
MINED_MS = 2_400
"""From broadcast to a block."""
CONFIRMED_MS = 2_400
REGISTRY_LAG_MS = 5_000
"""After a wallet is deployed, its batches are refused for this long as not registered."""
SHORTEST_DEADLINE_S = 30
MOST_CALLS = 100

TARGETS = frozenset(
    {
        POLYGON.collateral,
        POLYGON.conditional_tokens,
        POLYGON.collateral_adapter,
        POLYGON.neg_risk_collateral_adapter,
        POLYGON.collateral_onramp,
        POLYGON.collateral_offramp,
        POLYGON.position_manager,
        POLYGON.combos_router,
    }
)
"""Contracts that a batch may call."""
OPERATORS = frozenset(
    {each for (_, kind), those in CONTRACTS.items() if kind == "ERC1155" for each in those}
    | {POLYGON.neg_risk_adapter}
)
"""Contracts that may become operators of outcome tokens."""

INVALID_PAYLOAD = Refusal(400, "invalid transaction request payload")
INVALID_ADDRESS = Refusal(400, "invalid address")
INVALID_TYPE = Refusal(400, "invalid type")
WRONG_TO = Refusal(400, "invalid 'to' field: must be deposit wallet factory")
TOO_SOON = Refusal(400, "deadline too soon")
BAD_SIGNATURE = Refusal(400, "invalid signature")
DEPLOYED_ALREADY = Refusal(400, "wallet is already deployed")
MOST_SHOWN = 100
SUBMISSIONS_A_MINUTE = 25
_TYPES = ("WALLET", "SAFE", "PROXY")
_UNAUTHORIZED = "invalid authorization"
_RELAY_HUB = Address("0xD216153c06E857cD7f72665E0aF1d7D82172F494")
_ANYONE = Address("")
"""The owner for a builder's key: any owner, as the batch's own signature proves the owner."""


class SubmitCall(msgspec.Struct):
    """A call in the wire format."""

    target: str
    value: str
    data: str


class BatchParameters(msgspec.Struct, rename="camel"):
    """The fields of a batch besides its head."""

    deposit_wallet: str
    deadline: str
    calls: list[SubmitCall]


class Submission(msgspec.Struct, rename="camel"):
    """A body of `POST /submit`."""

    type: str
    from_: str = msgspec.field(name="from")
    to: str = ""
    nonce: str = ""
    signature: str = ""
    metadata: str = ""
    deposit_wallet_params: BatchParameters | None = None


@dataclass(slots=True)
class Transaction:
    """One transaction, with all its published data."""

    transaction_id: str
    kind: str
    owner: Address
    wallet: Address
    nonce: str
    signature: str
    metadata: str
    data: str
    calls: list[tuple[Address, str]]
    """Target and data of each; empty for a deployment."""
    created_ms: int
    updated_ms: int
    state: RelayerState = RelayerState.NEW
    hash: str = ""
    error: str = ""
    course: RelayCourse = RelayCourse.NORMAL
    mined_ms: int | None = None
    deadline: str = "0"
    """Deadline of a batch, as it was signed."""
    logs: list[LogEntry] = field(default_factory=list)
    """Its log entries when executed; empty if it had no effect."""

    @property
    def is_in_flight(self) -> bool:
        """Whether it blocks its wallet."""
        return self.state in (RelayerState.NEW, RelayerState.EXECUTED)


_decode = msgspec.json.Decoder(Transaction).decode


class Relay:
    """All submitted transactions."""

    def __init__(self, venue: Venue, chain: Chain) -> None:
        self._venue = venue
        self.chain = chain
        self._rng = random.Random(f"{venue.seed}/relay/{venue.run}")
        kept = sorted((_decode(row) for _, row in venue.notes(KIND)), key=lambda t: t.created_ms)
        self._known = {transaction.transaction_id: transaction for transaction in kept}
        self._registered_ms: dict[Address, int] = {}
        for transaction in kept:
            if transaction.mined_ms is None:
                continue
            chain.note_hash(transaction.wallet, transaction.mined_ms, transaction.hash)
            if transaction.kind == "WALLET-CREATE":
                self._registered_ms[transaction.wallet] = transaction.mined_ms

    def find(self, transaction_id: str) -> Transaction | None:
        """Return a transaction by id."""
        return self._known.get(transaction_id)

    def by_hash(self, hash_: str) -> Transaction | None:
        """Return a transaction by its current hash on the chain."""
        wanted = hash_.lower()
        return next((t for t in self._known.values() if t.hash and t.hash == wanted), None)

    def of(self, owner: Address) -> list[Transaction]:
        """Return an owner's transactions, newest first."""
        return [t for t in reversed(self._known.values()) if t.owner == owner]

    def mined(self) -> list[Transaction]:
        """Return the transactions that are in a block, oldest first."""
        return [each for each in self._known.values() if each.mined_ms is not None]

    def submit(self, submission: Submission) -> Transaction | Refusal:
        """Accept a submission, or refuse it with the venue's text."""
        try:
            owner = checksum_address(address_bytes(submission.from_))
            to = checksum_address(address_bytes(submission.to))
        except AddressError:
            return INVALID_ADDRESS
        if to != POLYGON.wallets.deposit_factory:
            return WRONG_TO
        if len(submission.metadata) > MOST_METADATA:
            return INVALID_PAYLOAD
        if submission.type == "WALLET-CREATE":
            return self._create(owner, submission)
        if submission.type == "WALLET":
            return self._batch(owner, submission)
        return INVALID_TYPE

    def tick(self) -> None:
        """Advance every transaction to the current time."""
        now_ms = self._venue.clock.now_ms()
        for transaction in list(self._known.values()):
            while not transaction.state.is_terminal and self._is_due(transaction, now_ms):
                self._advance(transaction, now_ms)

    def release(self) -> None:
        """Resume stalled transactions."""
        now_ms = self._venue.clock.now_ms()
        for transaction in self._known.values():
            if transaction.course is RelayCourse.STALLED:
                transaction.course, transaction.updated_ms = RelayCourse.NORMAL, now_ms
                self._keep(transaction)

    def _create(self, owner: Address, submission: Submission) -> Transaction | Refusal:
        self._venue.accounts.learn(owner)
        wallet = derive_wallets(owner).deposit_beacon
        if self._venue.accounts.is_deployed(wallet):
            return DEPLOYED_ALREADY
        if busy := self._busy(wallet):
            return busy
        return self._accept(owner, wallet, submission, calls=())

    def _batch(self, owner: Address, submission: Submission) -> Transaction | Refusal:
        batch = _read_batch(submission)
        if isinstance(batch, Refusal):
            return batch
        wallet = batch.wallet
        if self._venue.accounts.owner_of(wallet) != owner or not self._is_registered(wallet):
            text = f"wallet registry validation failed: wallet {wallet} is not registered"
            return Refusal(400, text)
        if batch.deadline_s < self._venue.clock.now_ms() // 1_000 + SHORTEST_DEADLINE_S:
            return TOO_SOON
        if refusal := self._policy(batch) or self._busy(wallet):
            return refusal
        nonce = self.chain.nonce(wallet)
        if batch.nonce != nonce:
            return Refusal(400, f"batch nonce {batch.nonce} does not match on-chain nonce {nonce}")
        if recover_batch_signer(batch, _hex(submission.signature)) != owner:
            return BAD_SIGNATURE
        return self._accept(owner, wallet, submission, calls=batch.calls)

    def _policy(self, batch: Batch) -> Refusal | None:
        for index, call in enumerate(batch.calls):
            if call.target == batch.wallet:
                return Refusal(400, f"call blocked: call[{index}] blocked: self-call")
            if call.target not in TARGETS:
                text = f"call[{index}] blocked: calls to {call.target} are not permitted"
                return Refusal(400, f"call blocked: {text}")
            decoded = decode_call(call)
            if decoded is not None and (refusal := _forbidden_approval(decoded)):
                return refusal
        return None

    def _busy(self, wallet: Address) -> Refusal | None:
        in_flight = any(t.wallet == wallet and t.is_in_flight for t in self._known.values())
        if in_flight:
            return Refusal(400, f"wallet busy: {wallet} has an active action")
        return None

    def _is_registered(self, wallet: Address) -> bool:
        if not self._venue.accounts.is_deployed(wallet):
            return False
        made_ms = self._registered_ms.get(wallet)
        lag_ms = REGISTRY_LAG_MS / (self._venue.speed or 1.0)
        return made_ms is None or self._venue.clock.now_ms() >= made_ms + lag_ms

    def _accept(
        self,
        owner: Address,
        wallet: Address,
        submission: Submission,
        *,
        calls: Iterable[ContractCall],
    ) -> Transaction:
        now_ms = self._venue.clock.now_ms()
        parameters = submission.deposit_wallet_params
        transaction = Transaction(
            transaction_id=str(_uuid7(now_ms, self._rng)),
            kind=submission.type,
            owner=owner,
            wallet=wallet,
            nonce=submission.nonce,
            signature=submission.signature,
            metadata=submission.metadata,
            data="0x" if parameters is None else _joined(parameters.calls),
            calls=[(call.target, "0x" + call.data.hex()) for call in calls],
            created_ms=now_ms,
            updated_ms=now_ms,
            course=self._venue.controls.take_relay_course(),
            deadline="0" if parameters is None else parameters.deadline,
        )
        self._known[transaction.transaction_id] = transaction
        self._keep(transaction)
        return transaction

    def _is_due(self, transaction: Transaction, now_ms: int) -> bool:
        if transaction.course is RelayCourse.STALLED:
            return False
        wait_ms = {
            RelayerState.NEW: EXECUTED_MS,
            RelayerState.EXECUTED: MINED_MS,
            RelayerState.MINED: CONFIRMED_MS,
        }[transaction.state]
        return now_ms >= transaction.updated_ms + wait_ms / (self._venue.speed or 1.0)

    def _advance(self, transaction: Transaction, now_ms: int) -> None:
        match transaction.state:
            case RelayerState.NEW if transaction.course is RelayCourse.INVALID:
                transaction.state, transaction.error = RelayerState.INVALID, "simulation failed"
            case RelayerState.NEW:
                transaction.state, transaction.hash = RelayerState.EXECUTED, self._new_hash()
            case RelayerState.EXECUTED:
                if transaction.course is RelayCourse.REPLACED:
                    transaction.hash = self._new_hash()
                self._mine(transaction, now_ms)
            case _:
                transaction.state = RelayerState.CONFIRMED
        transaction.updated_ms = now_ms
        self._keep(transaction)

    def _mine(self, transaction: Transaction, now_ms: int) -> None:
        transaction.mined_ms = now_ms
        if transaction.course is RelayCourse.FAILED:
            transaction.state, transaction.error = RelayerState.FAILED, "execution reverted"
            return
        wallet = transaction.wallet
        if transaction.kind == "WALLET-CREATE":
            self.chain.begin(wallet)
            self._venue.deploy(wallet)
            self._registered_ms[wallet] = now_ms
        else:
            calls = [ContractCall(target, _hex(data)) for target, data in transaction.calls]
            effects = execute(wallet, calls, self.chain)
            if isinstance(effects, Reverted):
                transaction.state = RelayerState.FAILED
                transaction.error = f"call {effects.call_index}: {effects.reason}"
                return
            transaction.logs = write_entries(wallet, effects, self.chain)
            transaction.mined_ms = self.chain.apply(wallet, effects)
            self.chain.note_hash(wallet, transaction.mined_ms, transaction.hash)
            self.chain.count_batch(wallet)
        transaction.state = RelayerState.MINED

    def _new_hash(self) -> str:
        return f"0x{self._rng.getrandbits(256):064x}"

    def _keep(self, transaction: Transaction) -> None:
        row = msgspec.json.encode(transaction)
        self._venue.write_notes(KIND, {transaction.transaction_id: row})


def _read_batch(submission: Submission) -> Batch | Refusal:
    parameters = submission.deposit_wallet_params
    if parameters is None or not 0 < len(parameters.calls) <= MOST_CALLS:
        return INVALID_PAYLOAD
    try:
        calls = tuple(
            ContractCall(checksum_address(address_bytes(c.target)), _hex(c.data), _number(c.value))
            for c in parameters.calls
        )
        return Batch(
            checksum_address(address_bytes(parameters.deposit_wallet)),
            _number(submission.nonce),
            _number(parameters.deadline),
            calls,
        )
    except AddressError:
        return INVALID_ADDRESS
    except ValueError:
        return INVALID_PAYLOAD


def _forbidden_approval(call: DecodedCall) -> Refusal | None:
    if call.function == "setApprovalForAll":
        operator = call.argument("operator")
        if call.argument("approved") and operator not in OPERATORS:
            text = f"setApprovalForAll operator {operator} is not in the allowed list"
            return Refusal(400, text)
    if call.function == "approve":
        spender, amount = call.argument("spender"), call.argument("amount")
        # Revoking an approval is allowed: nothing published says otherwise.
        if spender in TRADES_THROUGH and amount not in (0, MAX_UINT256):
            return Refusal(400, f"approve to exchange {spender} must be MaxUint256")
    return None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 78):
        raise ValueError("not a decimal number")
    number = int(text)
    if number > MAX_UINT256:
        raise ValueError("more than 256 bits")
    return number


def _hex(text: str) -> bytes:
    if not text.startswith("0x"):
        raise ValueError("not hexadecimal")
    return bytes.fromhex(text[2:])


def _joined(calls: Iterable[SubmitCall]) -> str:
    return "0x" + "".join(call.data.removeprefix("0x") for call in calls)


def _uuid7(now_ms: int, rng: random.Random) -> UUID:
    """Return an id that begins with the time (RFC 9562)."""
    bits = now_ms << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return UUID(int=bits)


_decode_submission = msgspec.json.Decoder(Submission).decode


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
            Route("/", alive),
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

    async def submit(self, request: Request) -> Response:
        """Accept a deployment or a signed batch."""
        allowed = await self._caller(request)
        if allowed is None:
            return failure(401, _UNAUTHORIZED)
        if not self._count_submission():
            return failure(429, "quota exceeded", {"Retry-After": "60"})
        try:
            submission = _decode_submission(await request.body())
        except UNREADABLE:
            return failure(400, "invalid transaction request payload")
        if allowed and submission.from_.lower() != allowed.lower():
            return failure(400, f"from {submission.from_[:60]} does not match auth {allowed}")
        taken = self._relay.submit(submission)
        if isinstance(taken, Refusal):
            return refused(taken)
        return JsonResponse({"transactionID": taken.transaction_id, "state": taken.state})

    async def nonce(self, request: Request) -> Response:
        """Return the nonce of an owner's wallet."""
        number = self._nonce(request)
        return number if isinstance(number, Response) else JsonResponse({"nonce": str(number)})

    async def parameters(self, request: Request) -> Response:
        """Return the nonce with the address of its wallet."""
        number = self._nonce(request)
        if isinstance(number, Response):
            return number
        owner = request.query_params["address"]
        return JsonResponse({"address": owner, "nonce": str(number)})

    async def transaction(self, request: Request) -> Response:
        """Return one transaction, in an array."""
        asked = request.query_params.get("id", "")
        if not asked or len(asked) > 64:
            return failure(400, "invalid id")
        found = self._relay.find(asked)
        if found is None:
            return failure(404, "transaction not found")
        return JsonResponse([_row(found)])

    async def short_transaction(self, request: Request) -> Response:
        """Return one transaction in the newer, shorter form."""
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
        """Return whether a wallet is deployed according to the relayer, which learns of it once confirmed.

        The older dialect asks with the owner's address alone: that means the owner's deposit wallet.
        """
        address = _address(request)
        kind = request.query_params.get("type", "SAFE")
        if address is None or kind not in _TYPES:
            return failure(400, "invalid address" if address is None else "invalid type")
        if "type" not in request.query_params and self._venue.accounts.owner_of(address) == address:
            address, kind = self._deposit_wallet(address), "WALLET"
        is_there = self._venue.accounts.is_deployed(address) and self._may_be(address, kind)
        return JsonResponse({"deployed": is_there and not self._is_unconfirmed(address)})

    async def relay_payload(self, request: Request) -> Response:
        """Return what the older kinds of wallet sign with their calls."""
        address = _address(request)
        if address is None or request.query_params.get("type") not in ("SAFE", "PROXY"):
            return failure(400, "invalid address" if address is None else "invalid type")
        return JsonResponse({"address": _RELAY_HUB, "nonce": "0"})

    async def mint(self, request: Request) -> Response:
        """Create a relayer key for the signed-in owner."""
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
        """Return the owner that the caller may act for; empty for any, None for none."""
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
        return self._relay.chain.nonce(self._deposit_wallet(owner)) if kind == "WALLET" else 0

    def _deposit_wallet(self, owner: Address) -> Address:
        return self._venue.accounts.wallet_for(owner, SignatureType.DEPOSIT_WALLET)

    def _may_be(self, address: Address, kind: str) -> bool:
        """Whether an address can be a wallet of a type; for an unknown owner it can be any."""
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

    def _count_submission(self) -> bool:
        """Count a submission; return whether it is within the quota."""
        if not self._venue.controls.is_submit_limited:
            return True
        now_ms, recent = self._venue.clock.now_ms(), self._submitted_ms
        if len(recent) == SUBMISSIONS_A_MINUTE and now_ms - recent[0] < 60_000:
            return False
        recent.append(now_ms)
        return True


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
