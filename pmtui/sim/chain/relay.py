"""The relayer behind its routes: checks submissions, and lets time carry them out on the chain.

A submission is refused in the service's words, or becomes a transaction that goes through its
states (docs/wire.md#relayer). What was accepted is on the disk and goes on after a restart.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from pmtui.domain.account.wallet_transactions import (
    MAX_UINT256,
    Batch,
    Call,
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
from pmtui.sim.controls import RelayCourse
from pmtui.sim.engine.terms import Refusal
from pmtui.sim.venue import Venue

KIND = "relayer transaction"
EXECUTED_MS = 800
"""From acceptance to broadcast, at speed 1."""
MINED_MS = 2_400
"""From broadcast to a block."""
CONFIRMED_MS = 2_400
REGISTRY_LAG_MS = 5_000
"""After a wallet was made, batches of it are refused for so long as not registered."""
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
"""Contracts that may be made operators of outcome tokens."""

INVALID_PAYLOAD = Refusal(400, "invalid transaction request payload")
INVALID_ADDRESS = Refusal(400, "invalid address")
INVALID_TYPE = Refusal(400, "invalid type")
WRONG_TO = Refusal(400, "invalid 'to' field: must be deposit wallet factory")
TOO_SOON = Refusal(400, "deadline too soon")
BAD_SIGNATURE = Refusal(400, "invalid signature")
DEPLOYED_ALREADY = Refusal(400, "wallet is already deployed")


class SubmitCall(msgspec.Struct):
    """A call as it travels."""

    target: str
    value: str
    data: str


class BatchParameters(msgspec.Struct, rename="camel"):
    """What a batch names besides its head."""

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
    """One transaction, with all that is told of it."""

    transaction_id: str
    kind: str
    owner: Address
    wallet: Address
    nonce: str
    signature: str
    metadata: str
    data: str
    calls: list[tuple[Address, str]]
    """Target and data of each; none for a deployment."""
    created_ms: int
    updated_ms: int
    state: RelayerState = RelayerState.NEW
    hash: str = ""
    error: str = ""
    course: RelayCourse = RelayCourse.NORMAL
    mined_ms: int | None = None
    deadline: str = "0"
    """Of a batch, as it was signed."""
    logs: list[LogEntry] = field(default_factory=list)
    """What it wrote when it was carried out; none of one that did nothing."""

    @property
    def is_in_flight(self) -> bool:
        """Whether its wallet cannot do anything else."""
        return self.state in (RelayerState.NEW, RelayerState.EXECUTED)


_decode = msgspec.json.Decoder(Transaction).decode


class Relay:
    """Every transaction that was submitted."""

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
        """Return a transaction by its id."""
        return self._known.get(transaction_id)

    def by_hash(self, hash_: str) -> Transaction | None:
        """Return a transaction by the hash it has on the chain now."""
        wanted = hash_.lower()
        return next((t for t in self._known.values() if t.hash and t.hash == wanted), None)

    def of(self, owner: Address) -> list[Transaction]:
        """Return an owner's transactions, newest first."""
        return [t for t in reversed(self._known.values()) if t.owner == owner]

    def mined(self) -> list[Transaction]:
        """Return the transactions that are in a block, oldest first."""
        return [each for each in self._known.values() if each.mined_ms is not None]

    def submit(self, submission: Submission) -> Transaction | Refusal:
        """Take a submission, or refuse it in the service's words."""
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
        """Take every transaction as far as the time allows."""
        now_ms = self._venue.clock.now_ms()
        for transaction in list(self._known.values()):
            while not transaction.state.is_terminal and self._is_due(transaction, now_ms):
                self._advance(transaction, now_ms)

    def release(self) -> None:
        """Let transactions that stalled go on."""
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
        self, owner: Address, wallet: Address, submission: Submission, *, calls: Iterable[Call]
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
            calls = [Call(target, _hex(data)) for target, data in transaction.calls]
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
            Call(checksum_address(address_bytes(c.target)), _hex(c.data), _number(c.value))
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
        # Taking an approval back is let through: nothing published says otherwise.
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
