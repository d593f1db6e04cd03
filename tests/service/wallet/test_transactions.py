"""A transaction of the wallet is submitted once and followed to its end, whatever is lost."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.account.wallet_transactions import (
    CallReverted,
    ChainTransaction,
    ContractCall,
    Receipt,
    RelayerTransaction,
    TransactionId,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
)
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.domain.orders.order import Rejected
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.journal.journal import Journal
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.supervisor import Supervisor
from pmtui.service.views import Level
from pmtui.service.wallet.transactions import (
    AFTER_DEADLINE,
    CARRIED_OUT,
    DEADLINE,
    DEPLOYMENT_PATIENCE,
    GONE,
    MOST_BUSY_TRIES,
    NO_HASH,
    NOT_IN_A_BLOCK,
    OTHER_TRANSACTION,
    PreparedBatch,
    WalletTransactions,
)
from pmtui.service.wallet.wallet_views import Simulation
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.signing.wallet_batch import DepositWalletSigner
from pmtui.signing.wallet_calls import WalletCalls
from tests.manual_clock import ManualClock
from tests.sim.kit import KEYS

SIGNER = DepositWalletSigner(Signer(Secret.from_hex(KEYS[0])))
WALLET = derive_wallets(SIGNER.owner).deposit_beacon
CALL = wallet_calls.approve(POLYGON.collateral, POLYGON.collateral_adapter, 5)
LOST = Failure(FailureKind.LOST, "POST /submit", "no answer")
DOWN = Failure(FailureKind.UNREACHABLE, "GET /transactions", "no connection")
ROW = RelayerTransaction(TransactionId("t1"), "STATE_NEW")


def refused(text: str, status: int = 400) -> Failure:
    return Failure(FailureKind.REFUSED, "POST /submit", text, status)


UNABLE = Failure(FailureKind.REFUSED, "POST eth_simulateV1", "the method does not exist")


@dataclass
class FakeRelayer:
    """Answers as told; a lost answer may still have arrived."""

    answers: list[RelayerTransaction | Failure] = field(default_factory=list)
    told: RelayerTransaction | Failure | None = None
    listed: tuple[RelayerTransaction, ...] | Failure = ()
    counter: int | Failure = 4
    bodies: list[bytes] = field(default_factory=list)

    async def nonce(self, owner: Address) -> int | Failure:
        assert owner == SIGNER.owner
        return self.counter

    async def submit(self, body: bytes) -> RelayerTransaction | Failure:
        self.bodies.append(body)
        return self.answers.pop(0) if self.answers else ROW

    async def transaction(
        self, transaction_id: TransactionId
    ) -> RelayerTransaction | Failure | None:
        assert transaction_id == ROW.transaction_id
        return self.told

    async def transactions(self) -> tuple[RelayerTransaction, ...] | Failure:
        return self.listed


@dataclass
class FakeChain:
    outcome: bytes | CallReverted | Failure = b""
    outcomes: tuple[bytes | CallReverted | Failure, ...] = ()
    """Of each call by itself, where they differ."""
    simulated: tuple[CallReverted | None, ...] | Failure = UNABLE
    receipts: list[Receipt | Failure | None] = field(default_factory=list)
    found: ChainTransaction | Failure | None = None
    """None for the transaction of the batch that was submitted last."""
    is_found: bool = True
    relayer: FakeRelayer | None = None

    async def calls(
        self, calls: Sequence[ContractCall], *, sender: Address | None = None
    ) -> tuple[bytes | CallReverted | Failure, ...] | Failure:
        assert sender == WALLET
        return self.outcomes or tuple(self.outcome for _ in calls)

    async def simulate(
        self, calls: Sequence[ContractCall], *, sender: Address
    ) -> tuple[CallReverted | None, ...] | Failure:
        assert sender == WALLET
        return self.simulated

    async def receipt(self, transaction_hash: str) -> Receipt | Failure | None:
        assert transaction_hash == "0xab"
        return self.receipts.pop(0) if self.receipts else None

    async def transaction(self, transaction_hash: str) -> ChainTransaction | Failure | None:
        assert transaction_hash == "0xab"
        if not self.is_found or self.found is not None:
            return self.found
        assert self.relayer is not None
        signature = json.loads(self.relayer.bodies[-1])["signature"]
        data = b"proxy" + bytes.fromhex(signature[2:])
        return ChainTransaction("0xab", POLYGON.wallets.deposit_factory, data)


@dataclass
class Desk:
    clock: ManualClock
    log: Log
    relayer: FakeRelayer
    transactions: WalletTransactions
    ended: list[WalletTransaction]

    async def submit(self) -> TransactionKey:
        prepared = await self.transactions.prepare([CALL], "Approve the adapter")
        assert isinstance(prepared, PreparedBatch)
        key = await self.transactions.submit(prepared)
        assert not isinstance(key, Rejected)
        return key

    def only(self) -> WalletTransaction:
        (transaction,) = self.transactions.view()
        return transaction

    async def until(self, status: TransactionStatus, *, seconds: float = 60) -> WalletTransaction:
        """Let time pass until the one transaction has a status."""
        for _ in range(round(seconds)):
            await self.clock.advance(1)
            await asyncio.sleep(0)
            if self.only().status is status:
                return self.only()
        raise AssertionError(f"{self.only().status} after {seconds} s")


@asynccontextmanager
async def desk(
    folder: Path, relayer: FakeRelayer, chain: FakeChain | None = None
) -> AsyncIterator[Desk]:
    clock = ManualClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    supervisor = Supervisor(clock, log, random.Random(1))
    kernel = Kernel(
        clock=clock, hub=hub, log=log, health=Health(hub, log, clock), supervisor=supervisor
    )
    if chain is not None:
        chain.relayer = relayer
    journal = Journal(folder / "journal.sqlite")
    ended: list[WalletTransaction] = []
    transactions = WalletTransactions(
        kernel,
        journal,
        relayer=relayer,
        signer=SIGNER,
        wallet=WALLET,
        table=WalletCalls(),
        chain=chain,
        on_end=ended.append,
    )
    ready = asyncio.Event()
    running = asyncio.create_task(supervisor.run(ready.set))
    await ready.wait()
    try:
        await transactions.restore()
        yield Desk(clock, log, relayer, transactions, ended)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await journal.close()


async def test_a_batch_is_followed_to_its_end(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_MINED", hash="0xab"))
    async with desk(tmp_path, relayer) as scene:
        key = await scene.submit()
        pending = await scene.until(TransactionStatus.PENDING)
        assert pending.transaction_id == ROW.transaction_id
        await scene.clock.advance(10)
        assert scene.only().status is TransactionStatus.PENDING
        relayer.told = replace(ROW, state_text="STATE_CONFIRMED", hash="0xab")
        confirmed = await scene.until(TransactionStatus.CONFIRMED)
        assert confirmed.hash == "0xab"
        assert await scene.transactions.result_of(key) == confirmed
        assert scene.ended == [confirmed]
    assert len(relayer.bodies) == 1


@pytest.mark.parametrize("state", ["STATE_FAILED", "STATE_INVALID"])
async def test_a_failure_is_told_with_its_reason(tmp_path: Path, state: str) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text=state, error="execution reverted"))
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        failed = await scene.until(TransactionStatus.FAILED)
        assert failed.reason == "execution reverted"


async def test_a_state_that_nobody_documented_is_no_end(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_PONDERING"))
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.PENDING)
        await scene.clock.advance(20)
        assert scene.only().relayer_state == "STATE_PONDERING"
        assert not scene.only().status.is_over


async def test_a_lost_answer_is_looked_for_by_its_signature_and_never_sent_again(
    tmp_path: Path,
) -> None:
    relayer = FakeRelayer(answers=[LOST], listed=DOWN)
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        unknown = await scene.until(TransactionStatus.UNKNOWN)
        foreign = replace(ROW, transaction_id=TransactionId("t9"), signature="0x00")
        relayer.listed = (foreign,)
        await scene.clock.advance(30)
        assert scene.only().status is TransactionStatus.UNKNOWN
        relayer.listed = (foreign, replace(ROW, signature=unknown.signature.upper()))
        relayer.told = replace(ROW, state_text="STATE_CONFIRMED")
        await scene.until(TransactionStatus.CONFIRMED)
    assert len(relayer.bodies) == 1


async def test_an_end_is_held_against_the_chain(tmp_path: Path) -> None:
    told = replace(ROW, state_text="STATE_CONFIRMED", hash="0xab")
    for receipt, status in (
        (Receipt("0xab", is_success=True, block_number=5), TransactionStatus.CONFIRMED),
        (Receipt("0xab", is_success=False, block_number=5), TransactionStatus.FAILED),
        (DOWN, TransactionStatus.CONFIRMED),
    ):
        (folder := tmp_path / status.value / str(receipt is DOWN)).mkdir(parents=True)
        chain = FakeChain(receipts=[receipt])
        async with desk(folder, FakeRelayer(told=told), chain) as scene:
            await scene.submit()
            ended = await scene.until(status)
            assert bool(ended.chain_view) is (status is TransactionStatus.FAILED)


@pytest.mark.parametrize(("hash_", "view"), [("0xab", NOT_IN_A_BLOCK), ("", NO_HASH)])
async def test_a_relayer_that_says_confirmed_alone_is_believed_in_the_end_and_shown(
    tmp_path: Path, hash_: str, view: str
) -> None:
    told = replace(ROW, state_text="STATE_CONFIRMED", hash=hash_)
    async with desk(tmp_path, FakeRelayer(told=told), FakeChain()) as scene:
        await scene.submit()
        doubted = await scene.until(TransactionStatus.PENDING)
        assert doubted.reason
        ended = await scene.until(TransactionStatus.CONFIRMED, seconds=200)
        assert ended.chain_view == ended.reason == view


FOREIGN = ChainTransaction("0xab", POLYGON.wallets.deposit_factory, b"somebody else's")
CARRIED = Receipt("0xab", is_success=True, block_number=5)
BROKEN = Receipt("0xab", is_success=False, block_number=5)


@pytest.mark.parametrize("receipt", [CARRIED, BROKEN])
async def test_a_hash_of_somebody_elses_transaction_ends_nothing(
    tmp_path: Path, receipt: Receipt
) -> None:
    told = replace(ROW, state_text="STATE_CONFIRMED", hash="0xab")
    chain = FakeChain(receipts=[receipt] * 200, found=FOREIGN)
    async with desk(tmp_path, FakeRelayer(told=told), chain) as scene:
        await scene.submit()
        unknown = await scene.until(TransactionStatus.UNKNOWN)
        assert unknown.reason == unknown.chain_view == OTHER_TRANSACTION
        await scene.clock.advance(60)
        assert scene.only().status is TransactionStatus.UNKNOWN
        assert scene.transactions.why_busy()
        # The transaction that the relayer names later is the right one.
        chain.found, chain.receipts = None, [CARRIED]
        ended = await scene.until(TransactionStatus.CONFIRMED)
        assert (ended.reason, ended.chain_view) == ("", "")


async def test_what_nobody_proves_blocks_the_wallet_until_its_deadline_is_over(
    tmp_path: Path,
) -> None:
    told = replace(ROW, state_text="STATE_CONFIRMED", hash="0xab")
    chain = FakeChain(receipts=[CARRIED] * 2_000, found=FOREIGN)
    async with desk(tmp_path, FakeRelayer(told=told), chain) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.UNKNOWN)
        await scene.clock.advance((DEADLINE + AFTER_DEADLINE).total_seconds() + 1)
        assert scene.only().status is TransactionStatus.UNKNOWN
        assert scene.transactions.why_busy() == ""


async def test_a_failure_that_names_somebody_elses_transaction_shows_both_views(
    tmp_path: Path,
) -> None:
    told = replace(ROW, state_text="STATE_FAILED", hash="0xab")
    chain = FakeChain(receipts=[CARRIED], found=FOREIGN)
    async with desk(tmp_path, FakeRelayer(told=told), chain) as scene:
        await scene.submit()
        ended = await scene.until(TransactionStatus.FAILED)
        assert ended.chain_view == OTHER_TRANSACTION


async def test_a_receipt_without_its_transaction_is_doubted(tmp_path: Path) -> None:
    told = replace(ROW, state_text="STATE_CONFIRMED", hash="0xab")
    chain = FakeChain(receipts=[CARRIED] * 200, is_found=False)
    async with desk(tmp_path, FakeRelayer(told=told), chain) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.PENDING)
        ended = await scene.until(TransactionStatus.CONFIRMED, seconds=200)
        assert ended.chain_view == NOT_IN_A_BLOCK


async def test_what_the_relayer_calls_failed_and_the_chain_does_not_is_shown(
    tmp_path: Path,
) -> None:
    told = replace(ROW, state_text="STATE_FAILED", hash="0xab")
    chain = FakeChain(receipts=[Receipt("0xab", is_success=True, block_number=5)])
    async with desk(tmp_path, FakeRelayer(told=told), chain) as scene:
        await scene.submit()
        ended = await scene.until(TransactionStatus.FAILED)
        assert ended.chain_view == CARRIED_OUT


async def test_a_used_counter_is_not_signed_again(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_CONFIRMED"))
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.CONFIRMED)
        assert isinstance(await scene.transactions.prepare([CALL], "Again"), Rejected)
        relayer.counter = 5
        assert isinstance(await scene.transactions.prepare([CALL], "Again"), PreparedBatch)


async def test_a_batch_called_failed_whose_counter_was_used_stops_the_next(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_FAILED"))
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.FAILED)
        assert isinstance(await scene.transactions.prepare([CALL], "Again"), PreparedBatch)
        relayer.counter = 5
        assert isinstance(await scene.transactions.prepare([CALL], "Again"), Rejected)
        await scene.clock.advance(DEADLINE.total_seconds())
        assert isinstance(await scene.transactions.prepare([CALL], "Again"), PreparedBatch)


async def test_who_lets_a_transaction_go_hears_that_its_end_is_not_known(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_NEW"))
    async with desk(tmp_path, relayer) as scene:
        key = await scene.submit()
        await scene.until(TransactionStatus.PENDING)
        waiting = asyncio.ensure_future(scene.transactions.result_of(key))
        await asyncio.sleep(0)
        scene.transactions.stop_following(key)
        assert (await waiting).status is TransactionStatus.PENDING
        assert not scene.transactions.is_followed(key)
        relayer.told = replace(ROW, state_text="STATE_CONFIRMED")
        await scene.clock.advance(60)
        assert scene.only().status is TransactionStatus.PENDING
        scene.transactions.follow_again(key)
        await scene.until(TransactionStatus.CONFIRMED)


async def test_waiting_ends_some_time_after_the_deadline(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_NEW"))
    async with desk(tmp_path, relayer) as scene:
        key = await scene.submit()
        await scene.until(TransactionStatus.PENDING)
        waiting = asyncio.ensure_future(scene.transactions.result_of(key))
        await scene.clock.advance((DEADLINE + AFTER_DEADLINE).total_seconds() + 60)
        assert (await waiting).status is TransactionStatus.PENDING
        relayer.told = replace(ROW, state_text="STATE_CONFIRMED")
        await scene.until(TransactionStatus.CONFIRMED)


async def test_a_refused_target_is_named(tmp_path: Path) -> None:
    old = POLYGON.neg_risk_adapter
    text = f"call blocked: call[0] blocked: calls to {old.lower()} are not permitted"
    async with desk(tmp_path, FakeRelayer(answers=[refused(text)])) as scene:
        await scene.submit()
        failed = await scene.until(TransactionStatus.FAILED)
        assert "Old neg-risk adapter" in failed.reason
        assert old.lower() in failed.reason


async def test_what_nobody_knows_has_failed_once_no_chain_can_take_it(tmp_path: Path) -> None:
    relayer = FakeRelayer(answers=[LOST])
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.UNKNOWN)
        await scene.clock.advance(DEADLINE.total_seconds())
        assert scene.only().status is TransactionStatus.UNKNOWN
        failed = await scene.until(
            TransactionStatus.FAILED, seconds=AFTER_DEADLINE.total_seconds() + 60
        )
        assert failed.reason == GONE


async def test_a_counter_that_went_on_proves_nothing(tmp_path: Path) -> None:
    relayer = FakeRelayer(answers=[LOST])
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.UNKNOWN)
        relayer.counter = 5
        await scene.clock.advance(3_600)
        assert scene.only().status is TransactionStatus.UNKNOWN


async def test_a_refusal_is_the_end_and_a_busy_wallet_is_tried_again(tmp_path: Path) -> None:
    busy = refused("wallet busy: active action in progress")
    relayer = FakeRelayer(answers=[busy, busy, refused("call blocked: call[0]")])
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        failed = await scene.until(TransactionStatus.FAILED)
        assert "call blocked" in failed.reason
    assert len(relayer.bodies) == 3
    assert len(set(relayer.bodies)) == 1


async def test_a_wallet_that_stays_busy_is_given_up(tmp_path: Path) -> None:
    relayer = FakeRelayer(answers=[refused("quota exceeded", 429)] * 99)
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.FAILED)
    assert len(relayer.bodies) == MOST_BUSY_TRIES


async def test_one_transaction_at_a_time(tmp_path: Path) -> None:
    async with desk(tmp_path, FakeRelayer()) as scene:
        first = await scene.transactions.prepare([CALL], "One")
        second = await scene.transactions.prepare([CALL], "Two")
        assert isinstance(first, PreparedBatch)
        assert isinstance(second, PreparedBatch)
        answers = await asyncio.gather(
            scene.transactions.submit(first), scene.transactions.submit(second)
        )
        assert [isinstance(answer, Rejected) for answer in answers] == [False, True]
        assert isinstance(await scene.transactions.deploy(), Rejected)


async def test_a_card_that_was_read_for_too_long_is_not_sent(tmp_path: Path) -> None:
    async with desk(tmp_path, FakeRelayer()) as scene:
        prepared = await scene.transactions.prepare([CALL], "Approve")
        assert isinstance(prepared, PreparedBatch)
        await scene.clock.advance(DEADLINE.total_seconds() - 30)
        assert isinstance(await scene.transactions.submit(prepared), Rejected)
        assert scene.relayer.bodies == []


@pytest.mark.parametrize(
    "calls", [[], [ContractCall(POLYGON.collateral, b"\1\2\3\4")], [CALL, replace(CALL, value=1)]]
)
async def test_nothing_is_signed_that_cannot_be_shown(
    tmp_path: Path, calls: list[ContractCall]
) -> None:
    async with desk(tmp_path, FakeRelayer()) as scene:
        assert isinstance(await scene.transactions.prepare(calls, "Riddle"), Rejected)


async def test_an_unknown_counter_prepares_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path, FakeRelayer(counter=DOWN)) as scene:
        assert isinstance(await scene.transactions.prepare([CALL], "Approve"), Rejected)


@pytest.mark.parametrize(
    ("outcome", "warning"),
    [(b"", ""), (DOWN, ""), (CallReverted("not yet"), "not yet"), (CallReverted(""), "reverts")],
)
async def test_the_chain_is_asked_before_anything_is_signed(
    tmp_path: Path, outcome: bytes | CallReverted | Failure, warning: str
) -> None:
    async with desk(tmp_path, FakeRelayer(), FakeChain(outcome)) as scene:
        prepared = await scene.transactions.prepare([CALL], "Approve")
        assert isinstance(prepared, PreparedBatch)
        assert prepared.warning == warning
        assert prepared.batch.nonce == 4
        assert [call.function for call in prepared.meaning] == ["approve"]


POOR = CallReverted("balance")


@pytest.mark.parametrize(
    ("simulated", "outcomes", "expected"),
    [
        ((None, None), (b"", POOR), (Simulation.PASSES, "")),
        ((None, POOR), (b"", b""), (Simulation.REVERTS, "call 2 of 2: balance")),
        (UNABLE, (b"", b""), (Simulation.PASSES_APART, "")),
        (UNABLE, (POOR, b""), (Simulation.REVERTS, "call 1 of 2: balance")),
        (UNABLE, (b"", POOR), (Simulation.MAY_REVERT, "call 2 of 2: balance")),
        (UNABLE, (b"", DOWN), (Simulation.NOT_ASKED, "")),
    ],
)
async def test_a_batch_is_tried_as_a_whole_where_the_node_can(
    tmp_path: Path,
    simulated: tuple[CallReverted | None, ...] | Failure,
    outcomes: tuple[bytes | CallReverted | Failure, ...],
    expected: tuple[Simulation, str],
) -> None:
    chain = FakeChain(outcomes=outcomes, simulated=simulated)
    async with desk(tmp_path, FakeRelayer(), chain) as scene:
        prepared = await scene.transactions.prepare([CALL, CALL], "Approve")
        assert isinstance(prepared, PreparedBatch)
        assert (prepared.simulation, prepared.warning) == expected


async def test_a_disk_that_takes_nothing_lets_nothing_leave(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"no database" * 99)
    async with desk(tmp_path, FakeRelayer()) as scene:
        prepared = await scene.transactions.prepare([CALL], "Approve")
        assert isinstance(prepared, PreparedBatch)
        assert isinstance(await scene.transactions.submit(prepared), Rejected)
        assert scene.relayer.bodies == []
        assert scene.transactions.view() == ()


async def test_the_next_session_takes_up_what_this_one_left(tmp_path: Path) -> None:
    relayer = FakeRelayer(answers=[LOST], listed=DOWN)
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        left = await scene.until(TransactionStatus.UNKNOWN)
    relayer = FakeRelayer(
        listed=(replace(ROW, signature=left.signature),),
        told=replace(ROW, state_text="STATE_CONFIRMED"),
    )
    async with desk(tmp_path, relayer) as scene:
        assert scene.only().key == left.key
        await scene.until(TransactionStatus.CONFIRMED)
        assert relayer.bodies == []
    async with desk(tmp_path, FakeRelayer(listed=DOWN)) as scene:
        assert scene.only().status is TransactionStatus.CONFIRMED


async def test_a_deployment_is_found_by_owner_and_time(tmp_path: Path) -> None:
    relayer = FakeRelayer(answers=[LOST], listed=DOWN)
    async with desk(tmp_path, relayer) as scene:
        key = await scene.transactions.deploy()
        assert not isinstance(key, Rejected)
        unknown = await scene.until(TransactionStatus.UNKNOWN)
        row = replace(
            ROW, kind="WALLET-CREATE", owner=SIGNER.owner,
            created_at=unknown.created_at - timedelta(days=1),
        )  # fmt: skip
        relayer.listed = (row,)
        await scene.clock.advance(30)
        assert scene.only().status is TransactionStatus.UNKNOWN
        relayer.listed = (replace(row, created_at=unknown.created_at + timedelta(seconds=1)),)
        relayer.told = replace(row, state_text="STATE_CONFIRMED")
        await scene.until(TransactionStatus.CONFIRMED)


async def test_a_deployment_that_never_arrived_is_given_up_in_the_end(tmp_path: Path) -> None:
    async with desk(tmp_path, FakeRelayer(answers=[LOST])) as scene:
        assert not isinstance(await scene.transactions.deploy(), Rejected)
        await scene.until(TransactionStatus.UNKNOWN)
        await scene.until(
            TransactionStatus.FAILED, seconds=DEPLOYMENT_PATIENCE.total_seconds() + 60
        )


async def test_the_next_session_says_what_is_pending_and_then_how_it_ended(tmp_path: Path) -> None:
    relayer = FakeRelayer(told=replace(ROW, state_text="STATE_NEW"))
    async with desk(tmp_path, relayer) as scene:
        await scene.submit()
        await scene.until(TransactionStatus.PENDING)
    async with desk(tmp_path, relayer) as again:
        told = [
            (entry.level, again.only().title in entry.text) for entry in again.log.view().entries
        ]
        assert told == [(Level.WARNING, True)]
        relayer.told = replace(ROW, state_text="STATE_CONFIRMED")
        await again.until(TransactionStatus.CONFIRMED)
        last = again.log.view().entries[-1]
        assert last.level is Level.GOOD
        assert last.text.startswith("Confirmed: ")
