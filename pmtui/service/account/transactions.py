"""Submits what the deposit wallet is to do, once, and follows it until its end is known.

As with orders, a lost answer is no failure: the transaction is looked for by its signature, over
restarts too, and never submitted again. It has failed only when the relayer says so, or when its
deadline has passed by the venue's clock and its number is still unused: then no chain takes it.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pmtui.domain.account.wallet_call import (
    Batch,
    Call,
    CallReverted,
    DecodedCall,
    RelayerTransaction,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
    follow,
    read_submit_refusal,
)
from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import Address
from pmtui.domain.orders.order import Rejected
from pmtui.service.kernel import Kernel
from pmtui.service.orders.journal import Journal, JournalProblem
from pmtui.service.ports import CallHost, RelayerHost, WalletSigner
from pmtui.service.topics import AccountTopic, StatusTopic
from pmtui.service.views import Level

DEADLINE = timedelta(minutes=10)
"""From preparing a batch on; as the official library's (docs/wire.md#deposit-wallet)."""
LEAST_LEFT = timedelta(minutes=1)
"""A card that was read for so long that less is left is prepared anew."""
BUSY_PAUSE_S = 2.0
MOST_BUSY_TRIES = 10
POLL_PAUSES_S = (1.0, 2.0, 2.0, 4.0, 4.0, 8.0)
"""Between two questions about a transaction; the last one again and again."""
AFTER_DEADLINE = timedelta(minutes=2)
"""So long after its deadline a batch cannot be in a block that nobody has told of."""
DEPLOYMENT_PATIENCE = timedelta(minutes=15)
"""A deployment has no deadline; after so long one that nobody knows of never arrived."""
GONE = "never reached the relayer; its deadline has passed"
NOTHING_KNOWN = "the relayer does not answer; it is asked again"


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """A batch with everything that will be signed, and what its bytes mean."""

    batch: Batch
    title: str
    meaning: tuple[DecodedCall, ...]
    """Read from the very bytes of each call."""
    warning: str = ""
    """Why the chain would revert it now, where that could be asked."""


class WalletTransactions:
    """Every transaction of one owner's wallet, of this session and before."""

    def __init__(
        self,
        kernel: Kernel,
        journal: Journal,
        *,
        relayer: RelayerHost,
        signer: WalletSigner,
        wallet: Address,
        decode: Callable[[Call], DecodedCall | None],
        chain: CallHost | None = None,
        on_end: Callable[[WalletTransaction], None] = lambda _: None,
    ) -> None:
        """Take what it needs; `restore` reads what earlier sessions left.

        Args:
            kernel: of the service.
            journal: of the profile.
            relayer: as the owner's key may use it.
            signer: the owner's key.
            wallet: whose transactions these are.
            decode: reads the bytes of a call; what it cannot read is not signed.
            chain: tries calls before they are signed; None where no chain can be asked.
            on_end: hears of every transaction whose end is known.
        """
        self._kernel = kernel
        self._journal = journal
        self._relayer = relayer
        self._signer = signer
        self._wallet = wallet
        self._decode = decode
        self._chain = chain
        self._on_end = on_end
        self._known: dict[TransactionKey, WalletTransaction] = {}
        self._ends: dict[TransactionKey, asyncio.Future[WalletTransaction]] = {}

    def view(self) -> tuple[WalletTransaction, ...]:
        """Return all of them, newest first."""
        return tuple(sorted(self._known.values(), key=lambda t: t.created_at, reverse=True))

    async def restore(self) -> None:
        """Take up what earlier sessions left without a known end."""
        found = await self._journal.wallet_transactions()
        if isinstance(found, JournalProblem):
            text = f"Transactions of the wallet cannot be read: {found.text}"
            self._kernel.log.notice(Level.BAD, text)
            return
        for each in found:
            self._known[each.key] = each
            if not each.status.is_over:
                self._start_following(each.key)

    async def prepare(self, calls: Sequence[Call], title: str) -> PreparedBatch | Rejected:
        """Fix everything that will be signed, and ask the chain what would become of it."""
        meaning = [self._decode(call) for call in calls]
        if not calls or None in meaning:
            return Rejected("A call whose meaning cannot be shown is not signed")
        nonce = self._kernel.check(Source.RELAYER, await self._relayer.nonce(self._signer.owner))
        if isinstance(nonce, Failure):
            return Rejected(f"The wallet's counter is not known: {nonce}")
        deadline = self._kernel.venue_now() + DEADLINE
        batch = Batch(self._wallet, nonce, int(deadline.timestamp()), tuple(calls))
        return PreparedBatch(
            batch, title, tuple(each for each in meaning if each), await self._try(calls)
        )

    async def submit(self, prepared: PreparedBatch) -> TransactionKey | Rejected:
        """Journal, sign and submit a batch; its end is reported later."""
        left_s = prepared.batch.deadline_s - self._kernel.venue_now().timestamp()
        if left_s < LEAST_LEFT.total_seconds():
            return Rejected("Prepared too long ago; prepare it again")
        if any(not each.status.is_over for each in self._known.values()):
            return Rejected("Another transaction of this wallet has not ended yet")
        signed = self._signer.sign(prepared.batch, metadata=prepared.title)
        transaction = WalletTransaction(
            key=TransactionKey(signed.digest),
            title=prepared.title,
            owner=self._signer.owner,
            wallet=self._wallet,
            created_at=self._kernel.venue_now(),
            nonce=prepared.batch.nonce,
            deadline_s=prepared.batch.deadline_s,
            calls=prepared.batch.calls,
            signature=signed.signature,
        )
        return await self._begin(transaction, signed.body)

    async def deploy(self) -> TransactionKey | Rejected:
        """Journal and submit the deployment of the wallet."""
        if any(not each.status.is_over for each in self._known.values()):
            return Rejected("Another transaction of this wallet has not ended yet")
        now = self._kernel.venue_now()
        title = "Deploy the deposit wallet"
        transaction = WalletTransaction(
            key=TransactionKey(f"deploy {self._wallet} {now.isoformat()}"),
            title=title,
            owner=self._signer.owner,
            wallet=self._wallet,
            created_at=now,
        )
        return await self._begin(transaction, self._signer.deployment(metadata=title))

    async def end_of(self, key: TransactionKey) -> WalletTransaction:
        """Wait until the end of a transaction is known, however long that takes."""
        known = self._known[key]
        if known.status.is_over:
            return known
        end = self._ends.get(key)
        if end is None:
            end = self._ends[key] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(end)

    async def _begin(
        self, transaction: WalletTransaction, body: bytes
    ) -> TransactionKey | Rejected:
        # Counted before anything waits: two of them must not leave with the same number.
        self._known[transaction.key] = transaction
        problem = await self._journal.begin_wallet_transaction(transaction, transaction.title)
        if problem is not None:
            del self._known[transaction.key]
            return Rejected(f"Not sent: the journal cannot be written ({problem.text})")
        self._kernel.log.add(Level.INFO, "wallet", f"Submitting: {transaction.title}")
        self._kernel.start("wallet transaction", lambda: self._send(transaction, body))
        return transaction.key

    async def _send(self, transaction: WalletTransaction, body: bytes) -> None:
        answer = await self._post(transaction, body)
        if isinstance(answer, RelayerTransaction):
            self._save(follow(transaction, answer))
        elif answer.may_have_happened:
            self._save(replace(transaction, status=TransactionStatus.UNKNOWN, reason=str(answer)))
        else:
            self._save(replace(transaction, status=TransactionStatus.FAILED, reason=str(answer)))
        await self._follow(transaction.key)

    async def _post(
        self, transaction: WalletTransaction, body: bytes
    ) -> RelayerTransaction | Failure:
        """Submit; again only where the relayer says that it did not take it yet."""
        tries = 0
        while True:
            answer = self._kernel.check(Source.RELAYER, await self._relayer.submit(body))
            tries += 1
            if not isinstance(answer, Failure) or answer.may_have_happened:
                return answer
            refusal = read_submit_refusal(answer.status or 0, answer.text)
            is_for_good = not refusal.is_retryable or refusal.on_chain_nonce is not None
            if is_for_good or tries == MOST_BUSY_TRIES:
                return answer
            self._save(replace(transaction, reason=str(answer)))
            await self._kernel.clock.sleep(answer.retry_after_s or BUSY_PAUSE_S)

    def _start_following(self, key: TransactionKey) -> None:
        self._kernel.start("wallet transaction", lambda: self._follow(key))

    async def _follow(self, key: TransactionKey) -> None:
        step = 0
        while not self._known[key].status.is_over:
            await self._kernel.clock.sleep(POLL_PAUSES_S[min(step, len(POLL_PAUSES_S) - 1)])
            step += 1
            await self._check(key)

    async def _check(self, key: TransactionKey) -> None:
        known = self._known[key]
        if known.transaction_id is not None:
            told = self._kernel.check(
                Source.RELAYER, await self._relayer.transaction(known.transaction_id)
            )
            if isinstance(told, RelayerTransaction):
                self._save(follow(self._known[key], told))
            return
        listed = self._kernel.check(Source.RELAYER, await self._relayer.transactions())
        if isinstance(listed, Failure):
            self._save(replace(known, status=TransactionStatus.UNKNOWN, reason=NOTHING_KNOWN))
            return
        found = next((row for row in listed if known.is_told_by(row)), None)
        if found is not None:
            self._save(follow(known, found))
        elif await self._is_ruled_out(known):
            self._save(replace(known, status=TransactionStatus.FAILED, reason=GONE))
        elif known.status is not TransactionStatus.UNKNOWN:
            # Of an earlier session that ended before there was an answer.
            self._save(replace(known, status=TransactionStatus.UNKNOWN))

    async def _is_ruled_out(self, known: WalletTransaction) -> bool:
        now = self._kernel.venue_now()
        if known.deadline_s is None:
            return now > known.created_at + DEPLOYMENT_PATIENCE
        if now.timestamp() < known.deadline_s + AFTER_DEADLINE.total_seconds():
            return False
        nonce = self._kernel.check(Source.RELAYER, await self._relayer.nonce(known.owner))
        return nonce == known.nonce

    async def _try(self, calls: Sequence[Call]) -> str:
        """Say why the chain would refuse the first call, whose state nothing before it changes."""
        if self._chain is None:
            return ""
        outcome = await self._chain.call(calls[0], sender=self._wallet)
        return outcome.reason or "reverts" if isinstance(outcome, CallReverted) else ""

    def _save(self, changed: WalletTransaction) -> None:
        before = self._known[changed.key]
        if changed == before:
            return
        self._known[changed.key] = changed
        text = f"{changed.title}: {changed.status.value}"
        if changed.reason:
            text = f"{text} ({changed.reason})"
        self._journal.record_wallet_transaction(changed, text, at=self._kernel.clock.now())
        if changed.status is not before.status:
            self._kernel.log.notice(_LEVELS[changed.status], text)
        self._kernel.mark(AccountTopic())
        self._kernel.mark(StatusTopic())
        if changed.status.is_over:
            end = self._ends.pop(changed.key, None)
            if end is not None and not end.done():
                end.set_result(changed)
            self._on_end(changed)


_LEVELS = {
    TransactionStatus.SENDING: Level.INFO,
    TransactionStatus.UNKNOWN: Level.WARNING,
    TransactionStatus.PENDING: Level.INFO,
    TransactionStatus.CONFIRMED: Level.GOOD,
    TransactionStatus.FAILED: Level.BAD,
}
