"""Submits transactions of the deposit wallet once, and follows them until their result is known.

As with orders, a lost reply is not a failure: the transaction is searched for by its signature,
even after restarts, and never submitted again. It has failed only when the relayer says so, or when
its deadline has passed by the venue's clock and its nonce is still unused: then no chain accepts
it.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pmtui.domain.account.wallet_transactions import (
    Batch,
    CallReverted,
    ContractCall,
    DecodedCall,
    Receipt,
    RelayerTransaction,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
    explain_refusal,
    follow,
    is_of_batch,
    read_submit_refusal,
)
from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import Address
from pmtui.domain.orders.order import Rejected
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.ports import CallHost, CallTable, RelayerHost, WalletSigner
from pmtui.service.topics import StatusTopic, WalletTopic
from pmtui.service.views import Level
from pmtui.service.wallet.wallet_views import Simulation

DEADLINE = timedelta(minutes=10)
"""From the preparation of a batch; as in the official library (docs/wire.md#deposit-wallet)."""
LEAST_LEFT = timedelta(minutes=1)
"""A card that was read for so long that less is left is prepared again."""
BUSY_PAUSE_S = 2.0
MOST_BUSY_TRIES = 10
POLL_PAUSES_S = (1.0, 2.0, 2.0, 4.0, 4.0, 8.0)
"""Pauses between queries about a transaction; the last one is repeated."""
AFTER_DEADLINE = timedelta(minutes=2)
"""This long after its deadline, a batch cannot be in a block that was not reported."""
DEPLOYMENT_PATIENCE = timedelta(minutes=15)
"""A deployment has no deadline; after this long, an unknown one has never arrived."""
GONE = "never reached the relayer; its deadline has passed"
REVERTED = "the chain says that it reverted"
CARRIED_OUT = "the chain says that it was carried out"
NOT_IN_A_BLOCK = "the relayer says confirmed, the chain knows no such transaction"
OTHER_TRANSACTION = (
    "the relayer says how it ended, but the transaction that it names does not hold this batch"
)
NO_HASH = "the relayer says confirmed and names no transaction that could be looked for"
MOST_DOUBTS = 8
"""Queries to the chain about a transaction that the relayer reports as confirmed."""
NOTHING_KNOWN = "the relayer does not answer; it is asked again"


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """A batch with everything that will be signed, and its decoded calls."""

    batch: Batch
    title: str
    meaning: tuple[DecodedCall, ...]
    """Decoded from the exact bytes of each call."""
    digest: str = ""
    """The digest to sign, 0x and 64 hexadecimal digits."""
    simulation: Simulation = Simulation.NOT_ASKED
    warning: str = ""
    """Why the chain would revert it now, if that could be checked."""


class WalletTransactions:
    """Every transaction of one owner's wallet, in this session and before."""

    def __init__(
        self,
        kernel: Kernel,
        journal: Journal,
        *,
        relayer: RelayerHost,
        signer: WalletSigner,
        wallet: Address,
        table: CallTable,
        chain: CallHost | None = None,
        on_end: Callable[[WalletTransaction], None] = lambda _: None,
    ) -> None:
        """Prepare; `restore` reads the transactions of earlier sessions.

        Args:
            kernel: of the service.
            journal: of the profile.
            relayer: with the credentials of the owner's key.
            signer: the owner's key.
            wallet: the wallet.
            table: decodes calls; a call that it cannot decode is not signed.
            chain: simulates calls before they are signed; None if no chain can be queried.
            on_end: called with every transaction whose result is known.
        """
        self._kernel = kernel
        self._journal = journal
        self._relayer = relayer
        self._signer = signer
        self._wallet = wallet
        self._decode = table.decode
        self._factory = table.factory
        self._names = {each.address.lower(): each.name for each in table.contracts}
        self._chain = chain
        self._on_end = on_end
        self._known: dict[TransactionKey, WalletTransaction] = {}
        self._ends: dict[TransactionKey, asyncio.Future[WalletTransaction]] = {}
        self._stopped: set[TransactionKey] = set()
        self._doubts: dict[TransactionKey, int] = {}
        """How often the chain did not confirm the relayer's report."""

    @property
    def wallet(self) -> Address:
        """The wallet of these transactions."""
        return self._wallet

    def meaning_of(self, transaction: WalletTransaction) -> tuple[DecodedCall, ...]:
        """Return the decoded calls of a transaction."""
        decoded = map(self._decode, transaction.calls)
        return tuple(each for each in decoded if each is not None)

    def view(self) -> tuple[WalletTransaction, ...]:
        """Return all transactions, newest first."""
        return tuple(sorted(self._known.values(), key=lambda t: t.created_at, reverse=True))

    async def restore(self) -> None:
        """Restore unfinished transactions of earlier sessions, and query each at once."""
        found = await self._journal.wallet_transactions()
        if isinstance(found, JournalProblem):
            text = f"Transactions of the wallet cannot be read: {found.text}"
            self._kernel.log.notice(Level.BAD, text)
            return
        for each in found:
            self._known[each.key] = each
        for each in found:
            if not each.status.is_over:
                self._kernel.log.notice(Level.WARNING, f"Pending from before: {each.title}")
                await self._check(each.key)
                self._start_following(each.key)

    async def prepare(self, calls: Sequence[ContractCall], title: str) -> PreparedBatch | Rejected:
        """Fix everything that will be signed, and simulate it on the chain."""
        meaning = [self._decode(call) for call in calls]
        if not calls or None in meaning:
            return Rejected("A call whose meaning cannot be shown is not signed")
        nonce = self._kernel.check(Source.RELAYER, await self._relayer.nonce(self._signer.owner))
        if isinstance(nonce, Failure):
            return Rejected(f"The wallet's counter is not known: {nonce}")
        if reason := self._why_not_this_nonce(nonce):
            return Rejected(reason)
        deadline = self._kernel.venue_now() + DEADLINE
        batch = Batch(self._wallet, nonce, int(deadline.timestamp()), tuple(calls))
        simulation, warning = await self._try(calls)
        return PreparedBatch(
            batch,
            title,
            tuple(each for each in meaning if each),
            digest=self._signer.digest(batch),
            simulation=simulation,
            warning=warning,
        )

    async def submit(self, prepared: PreparedBatch) -> TransactionKey | Rejected:
        """Journal, sign and submit a batch; its result is reported later."""
        left_s = prepared.batch.deadline_s - self._kernel.venue_now().timestamp()
        if left_s < LEAST_LEFT.total_seconds():
            return Rejected("Prepared too long ago; prepare it again")
        if reason := self.why_busy():
            return Rejected(reason)
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
        if reason := self.why_busy():
            return Rejected(reason)
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

    def why_busy(self) -> str:
        """Return why nothing else may be sent now; empty if it may."""
        running = (each for each in self.view() if not each.status.is_over)
        found = next((each for each in running if not self._is_past(each)), None)
        return "" if found is None else f"the last transaction is still pending: {found.title}"

    def _is_past(self, known: WalletTransaction) -> bool:
        """Whether no chain can accept a batch any more."""
        if known.deadline_s is None:
            return False
        until_s = known.deadline_s + AFTER_DEADLINE.total_seconds()
        return self._kernel.venue_now().timestamp() > until_s

    def is_followed(self, key: TransactionKey) -> bool:
        """Whether a transaction is queried until its result is known."""
        return key not in self._stopped

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a transaction; its state is kept."""
        known = self._known.get(key)
        if known is None or known.status.is_over:
            return
        self._stopped.add(key)
        self._resolve(known)
        self._mark()

    def follow_again(self, key: TransactionKey) -> None:
        """Resume checking a transaction."""
        if key in self._stopped:
            self._stopped.discard(key)
            self._start_following(key)
            self._mark()

    async def result_of(self, key: TransactionKey) -> WalletTransaction:
        """Wait for a transaction's result, until long after its deadline or until it is no longer followed."""
        known = self._known[key]
        if known.status.is_over or key in self._stopped:
            return known
        end = self._ends.get(key)
        if end is None:
            end = self._ends[key] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(end)

    async def _begin(
        self, transaction: WalletTransaction, body: bytes
    ) -> TransactionKey | Rejected:
        # Counted before any wait: two transactions must not be sent with the same nonce.
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
            reason = explain_refusal(str(answer), self._name)
            self._save(replace(transaction, status=TransactionStatus.FAILED, reason=reason))
        await self._follow(transaction.key)

    async def _post(
        self, transaction: WalletTransaction, body: bytes
    ) -> RelayerTransaction | Failure:
        """Submit; retry only if the relayer says that it has not accepted it yet."""
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
        self._kernel.start_unless_running(
            ("wallet transaction", key), "wallet transaction", lambda: self._follow(key)
        )

    async def _follow(self, key: TransactionKey) -> None:
        step = 0
        while not self._known[key].status.is_over and key not in self._stopped:
            await self._kernel.clock.sleep(POLL_PAUSES_S[min(step, len(POLL_PAUSES_S) - 1)])
            step += 1
            if key not in self._stopped:
                await self._check(key)

    async def _check(self, key: TransactionKey) -> None:
        known = self._known[key]
        if known.transaction_id is not None:
            told = self._kernel.check(
                Source.RELAYER, await self._relayer.transaction(known.transaction_id)
            )
            if isinstance(told, RelayerTransaction):
                self._save(await self._by_chain(follow(self._known[key], told)))
            self._give_patience_up(key)
            return
        listed = self._kernel.check(Source.RELAYER, await self._relayer.transactions())
        if isinstance(listed, Failure):
            self._save(replace(known, status=TransactionStatus.UNKNOWN, reason=NOTHING_KNOWN))
            return
        found = next((row for row in listed if known.is_reported_by(row)), None)
        if found is not None:
            self._save(await self._by_chain(follow(known, found)))
        elif await self._is_ruled_out(known):
            self._save(replace(known, status=TransactionStatus.FAILED, reason=GONE))
        elif known.status is not TransactionStatus.UNKNOWN:
            # From an earlier session that ended before there was a reply.
            self._save(replace(known, status=TransactionStatus.UNKNOWN))
        self._give_patience_up(key)

    def _give_patience_up(self, key: TransactionKey) -> None:
        """Report an unknown result to whoever waits, once it is long overdue."""
        known = self._known[key]
        until = known.created_at + DEADLINE + AFTER_DEADLINE
        if self._kernel.venue_now() > until:
            self._resolve(known)

    async def _by_chain(self, reported: WalletTransaction) -> WalletTransaction:
        """Compare a result reported by the relayer with the chain, if one can be queried.

        A reverted receipt takes precedence over the relayer's report. If the chain does not know the
        transaction, it is queried a few more times; then the relayer's report is accepted, and both
        are shown. A transaction that does not contain the batch as signed proves nothing about it.
        """
        if self._chain is None or not reported.status.is_over:
            return reported
        if not reported.hash:
            is_confirmed = reported.status is TransactionStatus.CONFIRMED
            return self._doubt(reported, NO_HASH) if is_confirmed else reported
        receipt = await self._chain.receipt(reported.hash)
        found = (
            await self._chain.transaction(reported.hash) if isinstance(receipt, Receipt) else None
        )
        if isinstance(receipt, Failure) or isinstance(found, Failure):
            return reported
        is_confirmed = reported.status is TransactionStatus.CONFIRMED
        if receipt is None or found is None:
            return self._doubt(reported, NOT_IN_A_BLOCK) if is_confirmed else reported
        if not is_of_batch(reported, found, receipt, factory=self._factory):
            # The other transaction's result says nothing about ours.
            unknown = replace(reported, chain_view=OTHER_TRANSACTION)
            if not is_confirmed:
                return unknown
            return replace(unknown, status=TransactionStatus.UNKNOWN, reason=OTHER_TRANSACTION)
        return _by_receipt(reported, receipt)

    def _doubt(self, reported: WalletTransaction, why: str) -> WalletTransaction:
        """Accept the relayer's report only after more queries; both views are kept."""
        doubts = self._doubts[reported.key] = self._doubts.get(reported.key, 0) + 1
        if doubts >= MOST_DOUBTS:
            return replace(reported, reason=why, chain_view=why)
        return replace(reported, status=TransactionStatus.PENDING, reason=why, chain_view=why)

    def _why_not_this_nonce(self, nonce: int) -> str:
        """Return why a nonce cannot be right, judging by our own batches.

        A relayer that returns a used nonce wastes a signature. One that reports a batch as failed and
        then returns the following nonce may still execute that batch, and the new one too.
        """
        done = [
            each.nonce
            for each in self._known.values()
            if each.nonce is not None and each.status is TransactionStatus.CONFIRMED
        ]
        if done and nonce <= max(done):
            return f"The relayer names counter {nonce}, which a batch of yours has used already"
        now_s = self._kernel.venue_now().timestamp()
        for each in self._known.values():
            is_failed = each.status is TransactionStatus.FAILED and each.transaction_id is not None
            if not is_failed or each.nonce is None or each.nonce in done:
                continue
            if each.nonce < nonce and now_s < (each.deadline_s or 0):
                return (
                    f"The relayer says that “{each.title}” failed, yet the wallet's counter went on: "
                    "it may have been carried out. Look at the chain, or wait until its deadline"
                )
        return ""

    async def _is_ruled_out(self, known: WalletTransaction) -> bool:
        now = self._kernel.venue_now()
        if known.deadline_s is None:
            return now > known.created_at + DEPLOYMENT_PATIENCE
        if now.timestamp() < known.deadline_s + AFTER_DEADLINE.total_seconds():
            return False
        nonce = self._kernel.check(Source.RELAYER, await self._relayer.nonce(known.owner))
        return nonce == known.nonce

    async def _try(self, calls: Sequence[ContractCall]) -> tuple[Simulation, str]:
        """Simulate the calls on the chain; return the result, and the reason if it would revert.

        All together if the node supports it: a call may need the effects of another. Else one by
        one, which proves a revert of the first call only.
        """
        if self._chain is None:
            return Simulation.NOT_ASKED, ""
        if len(calls) > 1:
            simulated = await self._chain.simulate(calls, sender=self._wallet)
            if not isinstance(simulated, Failure):
                found = _first_revert(simulated)
                return (Simulation.REVERTS if found else Simulation.PASSES), found
        outcomes = await self._chain.calls(calls, sender=self._wallet)
        if isinstance(outcomes, Failure):
            return Simulation.NOT_ASKED, ""
        reverted = [each if isinstance(each, CallReverted) else None for each in outcomes]
        if found := _first_revert(reverted):
            is_first = reverted[0] is not None
            return (Simulation.REVERTS if is_first else Simulation.MAY_REVERT), found
        if any(isinstance(outcome, Failure) for outcome in outcomes):
            return Simulation.NOT_ASKED, ""
        return (Simulation.PASSES_APART if len(calls) > 1 else Simulation.PASSES), ""

    def _save(self, changed: WalletTransaction) -> None:
        before = self._known[changed.key]
        if changed == before:
            return
        if changed.status is not before.status:
            changed = replace(changed, changed_at=self._kernel.venue_now())
        self._known[changed.key] = changed
        text = f"{changed.status.value.capitalize()}: {changed.title}"
        if changed.reason:
            text = f"{text} ({changed.reason})"
        self._journal.record_wallet_transaction(changed, text, at=self._kernel.clock.now())
        if changed.status is not before.status:
            self._kernel.log.notice(_LEVELS[changed.status], text)
        self._mark()
        if changed.status.is_over:
            self._resolve(changed)
            self._on_end(changed)

    def _name(self, address: Address) -> str:
        return self._names.get(address.lower(), address)

    def _resolve(self, known: WalletTransaction) -> None:
        end = self._ends.pop(known.key, None)
        if end is not None and not end.done():
            end.set_result(known)

    def _mark(self) -> None:
        self._kernel.mark(WalletTopic())
        self._kernel.mark(StatusTopic())


def _by_receipt(reported: WalletTransaction, receipt: Receipt) -> WalletTransaction:
    """Return a transaction that is provably ours, updated from its receipt."""
    is_confirmed = reported.status is TransactionStatus.CONFIRMED
    if receipt.is_success is is_confirmed:
        return replace(reported, chain_view="")
    if is_confirmed:
        return replace(
            reported, status=TransactionStatus.FAILED, reason=REVERTED, chain_view=REVERTED
        )
    return replace(reported, chain_view=CARRIED_OUT)


def _first_revert(outcomes: Sequence[CallReverted | None]) -> str:
    """Return which call reverts first and why; empty if none does."""
    for number, outcome in enumerate(outcomes, 1):
        if outcome is not None:
            where = f"call {number} of {len(outcomes)}: " if len(outcomes) > 1 else ""
            return where + (outcome.reason or "reverts")
    return ""


_LEVELS = {
    TransactionStatus.SENDING: Level.INFO,
    TransactionStatus.UNKNOWN: Level.WARNING,
    TransactionStatus.PENDING: Level.INFO,
    TransactionStatus.CONFIRMED: Level.GOOD,
    TransactionStatus.FAILED: Level.BAD,
}
