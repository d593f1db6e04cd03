"""Assembles the wallet's view: the current state of steps, approvals and transactions."""

from collections.abc import Container, Iterable, Sequence
from datetime import UTC, datetime

from pmtui.domain.account.keys import NO_BUILDER, BuilderCode
from pmtui.domain.account.onboarding import NO_ANSWER_YET
from pmtui.domain.account.wallet_steps import (
    Approve,
    ContractKind,
    CreateCredentials,
    Deploy,
    MintRelayerKey,
    WalletStep,
)
from pmtui.domain.account.wallet_transactions import (
    RelayerTransaction,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
    describe_state,
    follow,
)
from pmtui.domain.formats import count, exact_dollars
from pmtui.domain.ids import Address
from pmtui.service.account.account import AccountFeed
from pmtui.service.ports import CallTable, WalletAccess
from pmtui.service.profile import Profile
from pmtui.service.views import Load, Mode
from pmtui.service.wallet.preparing import CallWords
from pmtui.service.wallet.settlements import Settlements
from pmtui.service.wallet.transactions import WalletTransactions
from pmtui.service.wallet.wallet_facts import CHAIN, RELAYER, WalletFacts
from pmtui.service.wallet.wallet_views import (
    NO_WALLET,
    ApprovalView,
    StepKind,
    StepState,
    TransactionView,
    ViewsDiffer,
    WalletStepView,
    WalletView,
)

NOBODY = "nobody"
_BELIEVED = {TransactionStatus.FAILED: CHAIN, TransactionStatus.CONFIRMED: RELAYER}
"""The source that is followed for each status if relayer and chain disagree."""
JOURNAL = "the journal"
"""Name of this program's journal as a source: what was signed."""
_STATE = {
    TransactionStatus.SENDING: StepState.RUNNING,
    TransactionStatus.PENDING: StepState.RUNNING,
    TransactionStatus.UNKNOWN: StepState.UNKNOWN,
    TransactionStatus.FAILED: StepState.FAILED,
    TransactionStatus.CONFIRMED: StepState.DONE,
}


class WalletReader:
    """Assembles everything about the wallet into one frozen view."""

    def __init__(
        self,
        settlements: Settlements,
        account: AccountFeed,
        *,
        profile: Profile,
        builder_code: BuilderCode,
    ) -> None:
        self._settlements = settlements
        self._facts = settlements.facts
        self._account = account
        self._profile = profile
        self._builder_code = builder_code

    def view(
        self, transactions: WalletTransactions | None, words: CallWords, *, has_asked: bool,
        reading: Container[TransactionKey] = (),
    ) -> WalletView:  # fmt: skip
        """Return the current view.

        Args:
            transactions: of the wallet; None before the wallet is known.
            words: describes calls.
            has_asked: whether the hosts were queried at least once.
            reading: finished transactions whose effects are still being read.
        """
        facts, access = self._facts, self._facts.access
        if self._profile.mode is Mode.READ_ONLY:
            return WalletView(reason=self._profile.reason or "no key")
        if access is None:
            other = "only deposit wallets (signature type 3) can be used from here"
            is_known = facts.setup is not None
            return WalletView(reason=other, load=Load.READY) if is_known else NO_WALLET
        ours = transactions.view() if transactions is not None else ()
        approvals = tuple(_approvals(facts, access))
        moments = [each.relayer.as_of for each in facts.wallets if each.relayer.as_of]
        return WalletView(
            load=Load.READY if has_asked else Load.LOADING,
            as_of=max(moments, default=None),
            owner=access.signer.owner,
            wallet=facts.paying,
            wallets=facts.wallets,
            cash=self._account.state.balance,
            steps=tuple(self._steps(access, ours, approvals, reading=reading)),
            approvals=approvals,
            transactions=(*_transactions(ours, transactions, words), *_others(ours, facts.rows)),
            settlements=self._settlements.held(),
            builder_code=self._builder_code,
            builder_keys=facts.builder_keys,
            relayer_key=access.keys.shown,
            disagreements=(*self._disagreements(ours, reading), *_doubted(ours)),
            sent_to=sent_addresses(ours, access),
        )

    def _disagreements(
        self, ours: Sequence[WalletTransaction], reading: Container[TransactionKey]
    ) -> tuple[ViewsDiffer, ...]:
        last = next((each for each in ours if each.is_deployment), None)
        # Chain and relayer learn of a wallet seconds apart while it is deployed.
        is_made_now = last is not None and (not last.status.is_over or last.key in reading)
        positions = self._settlements.positions()
        return self._facts.disagreements(positions, is_made_now=is_made_now)

    def _steps(
        self,
        access: WalletAccess,
        ours: Sequence[WalletTransaction],
        approvals: tuple[ApprovalView, ...],
        *,
        reading: Container[TransactionKey],
    ) -> Iterable[WalletStepView]:
        facts, account = self._facts, self._account
        yield _place(facts)
        yield _credentials(account, access)
        key = access.keys.shown
        yield WalletStepView(
            StepKind.RELAYER_KEY,
            StepState.DONE if key else StepState.TO_DO,
            key,
            step=None if key else MintRelayerKey(),
        )
        no_key = "" if key else "the relayer key"
        is_there = None if facts.paying is None else facts.is_deployed(facts.paying)
        yield _deployment(ours, is_there=is_there, blocked_by=no_key, reading=reading)
        no_wallet = no_key or ("" if is_there else "the deployment")
        yield _approving(ours, approvals, table=access.table, blocked_by=no_wallet, reading=reading)
        cash = account.state.balance
        state = StepState.UNKNOWN if cash is None else StepState.DONE if cash else StepState.TO_DO
        result = account.state.problem if cash is None else exact_dollars(cash)
        yield WalletStepView(StepKind.BALANCE, state, result, account.state.as_of)
        is_set = self._builder_code != NO_BUILDER
        yield WalletStepView(
            StepKind.BUILDER,
            StepState.DONE if is_set else StepState.OPTIONAL,
            self._builder_code if is_set else "none: orders credit nobody",
        )


def sent_addresses(
    transactions: Iterable[WalletTransaction], access: WalletAccess
) -> tuple[Address, ...]:
    """Return the recipients of cash in executed transactions."""
    found: dict[Address, None] = {}
    for each in transactions:
        if each.status is not TransactionStatus.CONFIRMED:
            continue
        for call in each.calls:
            decoded = access.table.decode(call)
            if decoded is not None and decoded.function == "transfer":
                found[Address(str(decoded.argument("to")))] = None
    return tuple(found)


def _approves(transaction: WalletTransaction, table: CallTable) -> Iterable[bool]:
    for call in transaction.calls:
        decoded = table.decode(call)
        yield decoded is not None and decoded.function in {"approve", "setApprovalForAll"}


def _approvals(facts: WalletFacts, access: WalletAccess) -> Iterable[ApprovalView]:
    contracts = {each.address: each for each in access.table.contracts}
    for approval, is_needed in access.table.approvals:
        contract = contracts[approval.contract]
        yield ApprovalView(
            approval,
            contract.name,
            contract.kind,
            contract.purpose,
            is_needed,
            facts.allowed.get(approval, NO_ANSWER_YET),
            is_exact_refused=contract.kind is ContractKind.EXCHANGE,
        )


def _place(facts: WalletFacts) -> WalletStepView:
    location = facts.place.value
    if location is None:
        return WalletStepView(StepKind.PLACE, StepState.UNKNOWN, facts.place.problem)
    where = " ".join(part for part in (location.country, location.region) if part)
    state = StepState.FAILED if location.is_blocked else StepState.DONE
    result = f"blocked in {where}" if location.is_blocked else where
    return WalletStepView(StepKind.PLACE, state, result, facts.place.as_of)


def _credentials(account: AccountFeed, access: WalletAccess) -> WalletStepView:
    if account.account is not None:
        made = account.account.trading_key
        return WalletStepView(
            StepKind.CREDENTIALS,
            StepState.DONE,
            made.shown if made is not None else "",
            made.obtained_at if made is not None else None,
        )
    problem = account.state.problem
    state = StepState.FAILED if problem else StepState.RUNNING
    if access.is_account_held():
        state = StepState.TO_DO
    return WalletStepView(StepKind.CREDENTIALS, state, problem, step=CreateCredentials())


def _deployment(
    ours: Sequence[WalletTransaction], *, is_there: bool | None, blocked_by: str,
    reading: Container[TransactionKey],
) -> WalletStepView:  # fmt: skip
    last = next((each for each in ours if each.is_deployment), None)
    if last is not None and last.key in reading:
        return _being_read(StepKind.DEPLOY, last)
    if is_there and (last is None or last.status.is_over):
        key, at = (last.key, last.changed_at) if last is not None else (None, None)
        return WalletStepView(
            StepKind.DEPLOY, StepState.DONE, "deployed", as_of=at, transaction=key
        )
    fresh = StepState.UNKNOWN if is_there is None else StepState.TO_DO
    return _running(StepKind.DEPLOY, last, fresh, Deploy(), blocked_by)


def _approving(
    ours: Sequence[WalletTransaction], approvals: tuple[ApprovalView, ...], *, table: CallTable,
    blocked_by: str, reading: Container[TransactionKey],
) -> WalletStepView:  # fmt: skip
    needed = [each for each in approvals if each.is_needed]
    missing = tuple(each.approval for each in needed if each.is_allowed is False)
    unknown = [each for each in needed if each.is_allowed is None]
    last = next((each for each in ours if any(_approves(each, table))), None)
    if last is not None and last.key in reading:
        return _being_read(StepKind.APPROVE, last)
    if last is not None and last.status is TransactionStatus.CONFIRMED:
        last = None
    is_over = last is None or last.status.is_over
    # The chain shows the approval before the relayer reports it as final: the step is done when
    # both agree.
    if not missing and not unknown and is_over:
        at = max((each.allowed.as_of for each in needed if each.allowed.as_of), default=None)
        return WalletStepView(StepKind.APPROVE, StepState.DONE, "all that is needed", at)
    fresh = StepState.TO_DO if missing else StepState.UNKNOWN
    found = _running(
        StepKind.APPROVE, last, fresh, Approve(missing) if missing else None, blocked_by
    )
    result = found.result or f"{count(len(missing), 'approval')} missing"
    return WalletStepView(
        found.kind, found.state, result, found.as_of, found.step, found.blocked_by,
        found.transaction,
    )  # fmt: skip


def _being_read(kind: StepKind, last: WalletTransaction) -> WalletStepView:
    """Return a step whose transaction has finished while its effects are still being read."""
    result = f"{last.status.value}; reading what it changed"
    return WalletStepView(
        kind, StepState.RUNNING, result, last.changed_at, transaction=last.key
    )  # fmt: skip


def _running(
    kind: StepKind,
    last: WalletTransaction | None,
    fresh: StepState,
    step: WalletStep | None,
    blocked_by: str,
) -> WalletStepView:
    if last is None or last.status is TransactionStatus.CONFIRMED:
        return WalletStepView(kind, fresh, step=step, blocked_by=blocked_by)
    can_retry = last.status.is_over
    return WalletStepView(
        kind,
        _STATE[last.status],
        last.reason or describe_state(last.relayer_state),
        last.changed_at or last.created_at,
        step if can_retry else None,
        blocked_by,
        last.key,
    )


def _transactions(
    ours: Sequence[WalletTransaction], known: WalletTransactions | None, words: CallWords
) -> Iterable[TransactionView]:
    for each in ours:
        decoded = known.meaning_of(each) if known is not None else ()
        yield TransactionView(
            key=each.key,
            title=each.title,
            status=each.status,
            created_at=each.created_at,
            changed_at=each.changed_at,
            calls=tuple(map(words.view, decoded)),
            transaction_id=each.transaction_id,
            relayer_state=each.relayer_state,
            hash=each.hash,
            nonce=each.nonce,
            deadline=None
            if each.deadline_s is None
            else datetime.fromtimestamp(each.deadline_s, UTC),
            reason=each.reason,
            is_followed=known is None or known.is_followed(each.key),
            chain_view=each.chain_view,
            relayer_view=each.relayer_view,
        )


def _others(
    ours: Sequence[WalletTransaction], rows: Iterable[RelayerTransaction]
) -> Iterable[TransactionView]:
    """Yield the transactions in the relayer's list that this program did not send."""
    for row in rows:
        if any(each.is_reported_by(row) for each in ours) or row.created_at is None:
            continue
        blank = WalletTransaction(
            TransactionKey(row.transaction_id),
            row.metadata or row.kind,
            Address(row.owner),
            Address(row.wallet),
            row.created_at,
        )
        followed = follow(blank, row)
        yield TransactionView(
            key=followed.key,
            title=followed.title,
            status=followed.status,
            created_at=row.created_at,
            changed_at=row.updated_at,
            transaction_id=row.transaction_id,
            relayer_state=row.state_text,
            hash=row.hash,
            nonce=int(row.nonce) if row.nonce.isdecimal() else None,
            reason=followed.reason,
            is_followed=False,
            is_ours=False,
        )


def _doubted(ours: Sequence[WalletTransaction]) -> Iterable[ViewsDiffer]:
    for each in ours:
        if each.relayer_view:
            submitted = f"wallet {each.wallet}" + (
                "" if each.nonce is None else f", counter {each.nonce}"
            )
            views = (RELAYER, each.relayer_view), (JOURNAL, submitted)
            yield ViewsDiffer(f"“{each.title}”", views, JOURNAL)
        if each.chain_view:
            views = (RELAYER, each.relayer_state), (CHAIN, each.chain_view)
            believed = _BELIEVED.get(each.status, NOBODY)
            yield ViewsDiffer(f"“{each.title}”", views, believed)
