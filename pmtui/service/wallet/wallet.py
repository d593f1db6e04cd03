"""The wallet of a session: its view, and its steps from the card to the result.

A prepared step is kept for a minute under its id; exactly that is signed. The service owns work in
progress: cancelling a wait does not stop it. After every result the balances, approvals and positions are
fetched again, after refreshing the trading host's cache of the chain.
"""

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from itertools import count as numbers

from pmtui.domain.account.keys import BuilderCode, PastedKey, SignatureType
from pmtui.domain.account.wallet_steps import (
    CreateCredentials,
    Deploy,
    KeyStep,
    MintBuilderKey,
    MintRelayerKey,
    RevokeBuilderKey,
    WalletStep,
)
from pmtui.domain.account.wallet_transactions import (
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
)
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address
from pmtui.domain.orders.order import Rejected
from pmtui.service.account.account import AccountFeed
from pmtui.service.journal.journal import Journal
from pmtui.service.kernel import Kernel, ask_while_watched
from pmtui.service.ports import Hosts, KeyMinting, WalletAccess
from pmtui.service.profile import Profile
from pmtui.service.surface import WalletVerdict
from pmtui.service.topics import AccountTopic, OnboardingTopic, Topic, WalletTopic
from pmtui.service.views import Level, Mode
from pmtui.service.wallet.preparing import (
    NO_RELAYER_KEY,
    NOT_DEPLOYED,
    CallWords,
    MarketNames,
    StepPlanner,
    card_of_batch,
    least_cash,
)
from pmtui.service.wallet.settlements import Settlements
from pmtui.service.wallet.transactions import PreparedBatch, WalletTransactions
from pmtui.service.wallet.wallet_reader import WalletReader, sent_addresses
from pmtui.service.wallet.wallet_views import (
    Confirmed,
    Failed,
    NotKnown,
    PreparedId,
    WalletCard,
    WalletView,
)

ASK_PERIOD_S = 15.0
ACCOUNT_PATIENCE_S = 5.0
"""After this the wallet is looked up without the account, which may wait for the trader."""
READ_PATIENCE_S = 5.0
"""Seconds to wait for a transaction's effects before its verdict is returned without them."""
HISTORY_LAG_S = 12.0
"""The usual maximum delay until the analytics host shows a transaction."""
KEPT_FOR_S = 60.0
NO_WALLET = Rejected("This session has no deposit wallet: it needs a key, and signature type 3")
NO_ORDERS = (
    "The deposit wallet is not deployed yet, so the venue takes no order of it: see the account"
)
NOT_PREPARED = Rejected("This was not prepared here, or over a minute ago: review it again")
STOPPED = "no longer followed; the wallet's transactions say how it ended"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A step that may be submitted, with everything that its card shows."""

    card: WalletCard
    since_s: float
    batch: PreparedBatch | None = None
    minting: KeyMinting | None = None


class WalletDesk:
    """The wallet commands and queries of a front end."""

    def __init__(
        self,
        kernel: Kernel,
        journal: Journal,
        *,
        profile: Profile,
        account: AccountFeed,
        settlements: Settlements,
        builder_code: BuilderCode,
    ) -> None:
        self._kernel = kernel
        self._journal = journal
        self._profile = profile
        self._account = account
        self._facts = settlements.facts
        self._positions = settlements.positions
        self._settlements = settlements
        self._planner = StepPlanner(settlements)
        self._reader = WalletReader(
            settlements, account, profile=profile, builder_code=builder_code
        )
        self._kept: dict[PreparedId, _Kept] = {}
        self._numbers = numbers(1)
        self._transactions: WalletTransactions | None = None
        self._restored = asyncio.Event()
        self._has_asked = False
        self._is_asked_since_open = False
        self._reading: dict[TransactionKey, asyncio.Event] = {}
        """Transactions with a known result whose effects are still being read."""

    def view(self) -> WalletView:
        """Return the wallet's current view."""
        is_restored = self._restored.is_set() or self._facts.paying is None
        return self._reader.view(
            self._transactions,
            self._words(),
            has_asked=self._has_asked and is_restored,
            reading=self._reading,
        )

    def on_demand(self, topic: Topic) -> None:
        """Query as soon as the topic is watched."""
        if topic == WalletTopic():
            self._start(is_thorough=False)

    def refresh(self) -> None:
        """Fetch everything again, after the trading host has read the chain."""
        self._start(is_thorough=True)

    def why_no_orders(self) -> str:
        """Return why no order can be accepted: the paying wallet is known not to be deployed."""
        wallet = self._facts.paying
        if wallet is None or self._facts.is_deployed(wallet) is not False:
            return ""
        if not self._is_asked_since_open:
            # Opening an account on the local venue deploys its wallet: this reply may be older.
            self._start(is_thorough=False)
            return ""
        # Another program may have deployed it meanwhile: the next order is checked with a newer
        # reply.
        self._start(is_thorough=False)
        return NO_ORDERS

    async def run(self) -> None:
        """Restore the transactions of earlier sessions; while the wallet is watched, refresh it regularly."""
        if self._profile.mode is not Mode.READ_ONLY:
            self._kernel.start("wallet", self._take_up)
        await ask_while_watched(
            self._kernel,
            WalletTopic(),
            partial(self._start, is_thorough=False),
            opened=self._account.opened,
            period_s=ASK_PERIOD_S,
        )

    async def prepare(self, step: WalletStep) -> WalletCard | Rejected:
        """Fix everything that is signed for a step, and keep it for a minute."""
        hosts = await self._kernel.hosts()
        access = hosts.wallet
        if access is None:
            return NO_WALLET
        if access.make_ready is not None and not access.keys.shown:
            await access.make_ready()
        if not self._has_asked:
            await self._ask(is_thorough=False)
        match step:
            case CreateCredentials() | MintRelayerKey() | MintBuilderKey() | RevokeBuilderKey():
                kept = await self._prepare_keys(step, access)
            case Deploy():
                kept = await self._prepare_deployment(step, access)
            case _:
                kept = await self._prepare_batch(step, access, hosts)
        if isinstance(kept, Rejected):
            return kept
        self._keep(kept)
        return kept.card

    async def submit(self, prepared_id: PreparedId) -> WalletVerdict:
        """Submit a prepared step once, and wait for its result."""
        kept = self._kept.pop(prepared_id, None)
        now_s = self._kernel.clock.monotonic()
        if kept is None or now_s - kept.since_s > KEPT_FOR_S:
            return NOT_PREPARED
        ended: asyncio.Future[WalletVerdict] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            verdict = await self._carry_out(kept)
            if not ended.done():
                ended.set_result(verdict)

        self._kernel.start("wallet step", work)
        return await asyncio.shield(ended)

    async def take_relayer_key(self, key: PastedKey) -> str:
        """Store a relayer key supplied by the trader; return why not, or "" on success."""
        hosts = await self._kernel.hosts()
        access = hosts.wallet
        if access is None:
            return NO_WALLET.reason
        shown = await access.keys.take(key)
        if isinstance(shown, Failure):
            return str(shown.text or shown)
        self._kernel.log.notice(Level.GOOD, f"Relayer key {shown} kept")
        self._start(is_thorough=False)
        self._kernel.mark(WalletTopic())
        return ""

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a transaction."""
        if self._transactions is not None:
            self._transactions.stop_following(key)

    def follow_again(self, key: TransactionKey) -> None:
        """Resume checking a transaction."""
        if self._transactions is not None:
            self._transactions.follow_again(key)

    async def _prepare_batch(
        self, step: WalletStep, access: WalletAccess, hosts: Hosts
    ) -> _Kept | Rejected:
        if isinstance(step, KeyStep | Deploy):
            raise TypeError(step)
        transactions = await self._ready_transactions(access)
        if isinstance(transactions, Rejected):
            return transactions
        if self._facts.is_deployed(transactions.wallet) is False:
            return Rejected(NOT_DEPLOYED)
        if not access.keys.shown:
            return Rejected(NO_RELAYER_KEY)
        if reason := transactions.why_busy():
            return Rejected(reason)
        plan = await self._planner.plan(step, hosts, sent_addresses(transactions.view(), access))
        if isinstance(plan, Rejected):
            return plan
        cash = self._account.state.balance
        if cash is not None and least_cash(plan) > cash:
            return Rejected("Insufficient cash in the wallet", "amount")
        batch = await transactions.prepare(plan.calls, plan.title)
        if isinstance(batch, Rejected):
            return batch
        card = card_of_batch(step, plan, batch, access=access, words=self._words())
        return _Kept(card, self._kernel.clock.monotonic(), batch=batch)

    async def _prepare_deployment(self, step: Deploy, access: WalletAccess) -> _Kept | Rejected:
        transactions = await self._ready_transactions(access)
        if isinstance(transactions, Rejected):
            return transactions
        await self._ask(is_thorough=False)
        if self._facts.is_deployed(transactions.wallet):
            return Rejected("The deposit wallet is deployed already")
        if not access.keys.shown:
            return Rejected(NO_RELAYER_KEY)
        if reason := transactions.why_busy():
            return Rejected(reason)
        message = "Nothing is signed: the relayer lets the wallet factory make it"
        return self._plain(
            step, access, title="Deploy the deposit wallet", warnings=(message,),
            wallet=transactions.wallet,
        )  # fmt: skip

    async def _prepare_keys(self, step: KeyStep, access: WalletAccess) -> _Kept | Rejected:
        match step:
            case CreateCredentials():
                if self._account.account is not None:
                    return Rejected("The trading host's API key is there already")
                return self._plain(
                    step, access, title="Make the trading host's API key",
                    message="This message attests that I control the given wallet",
                )  # fmt: skip
            case MintRelayerKey():
                minting = await access.keys.begin_minting()
                if isinstance(minting, Failure):
                    return Rejected(f"The relayer's key cannot be made: {minting}")
                kept = self._plain(
                    step, access, title="Make a relayer key", message=minting.message
                )
                return replace(kept, minting=minting)
            case MintBuilderKey() | RevokeBuilderKey():
                account = self._account.account
                if account is None or account.builder is None:
                    return Rejected("The account is not open yet")
                title = "Make a builder's key"
                if isinstance(step, RevokeBuilderKey):
                    title = f"Revoke builder's key {step.key}"
                return self._plain(step, access, title=title)

    def _plain(
        self,
        step: WalletStep,
        access: WalletAccess,
        *,
        title: str,
        message: str = "",
        warnings: tuple[str, ...] = (),
        wallet: Address | None = None,
    ) -> _Kept:
        card = WalletCard(
            prepared_id=PreparedId(f"step {next(self._numbers)}"),
            step=step,
            title=title,
            owner=access.signer.owner,
            wallet=wallet or self._facts.paying or access.signer.owner,
            gas="nobody: nothing goes to the chain"
            if not isinstance(step, Deploy)
            else "the relayer",
            message=message,
            warnings=warnings,
        )
        return _Kept(card, self._kernel.clock.monotonic())

    async def _carry_out(self, kept: _Kept) -> WalletVerdict:
        step = kept.card.step
        access = self._facts.access
        if access is None:
            return NO_WALLET
        match step:
            case CreateCredentials() | MintRelayerKey() | MintBuilderKey() | RevokeBuilderKey():
                verdict = await self._carry_out_keys(step, kept, access)
                self._start(is_thorough=False)
                return verdict
            case _:
                return await self._transact(kept, access)

    async def _transact(self, kept: _Kept, access: WalletAccess) -> WalletVerdict:
        transactions = await self._ready_transactions(access)
        if isinstance(transactions, Rejected):
            return transactions
        if kept.batch is not None:
            key = await transactions.submit(kept.batch)
        else:
            key = await transactions.deploy()
        if isinstance(key, Rejected):
            return key
        ended = await transactions.result_of(key)
        if (read := self._reading.get(key)) is not None:
            # The verdict and the account's lines then change at the same time.
            _ = await self._kernel.within(READ_PATIENCE_S, read.wait())
        return _verdict(ended)

    async def _carry_out_keys(
        self, step: KeyStep, kept: _Kept, access: WalletAccess
    ) -> WalletVerdict:
        if isinstance(step, CreateCredentials):
            access.permit_account()
            _ = await self._account.opened.wait()
            return Confirmed("The trading host's API key is there")
        if isinstance(step, MintRelayerKey):
            if kept.minting is None:
                return NOT_PREPARED
            made = await kept.minting.finish()
            if isinstance(made, Failure):
                return Failed(f"No relayer key was made: {made}")
            self._kernel.log.notice(Level.GOOD, f"Relayer key {made} made and kept")
            return Confirmed(f"Relayer key {made} is made and kept")
        account = self._account.account
        if account is None or account.builder is None:
            return Rejected("The account is not open")
        if isinstance(step, MintBuilderKey):
            key = await account.builder.create()
            if isinstance(key, Failure):
                return Failed(f"No builder's key was made: {key}")
            return Confirmed(f"Builder's key {key.key} is made and kept")
        problem = await account.builder.revoke(step.key)
        return (
            Confirmed("The builder's key is revoked") if problem is None else Failed(str(problem))
        )

    async def _take_up(self) -> None:
        """Follow the transactions of earlier sessions as soon as the wallet is known."""
        hosts = await self._kernel.hosts()
        self._warn_of_signature_type(hosts)
        access = hosts.wallet
        if access is None:
            return
        if access.make_ready is not None:
            await access.make_ready()
        await self._wait_for_account()
        await self._ask_wallets(hosts)
        while self._facts.paying is None:
            await self._kernel.clock.sleep(ASK_PERIOD_S)
            await self._ask_wallets(hosts)
        _ = await self._ready_transactions(access)

    async def _ask_wallets(self, hosts: Hosts) -> None:
        is_open = self._account.opened.is_set()
        await self._facts.ask_wallets(hosts)
        self._is_asked_since_open |= is_open

    async def _wait_for_account(self) -> None:
        """Wait, for a limited time, until the account is open, which identifies its wallet."""
        _ = await self._kernel.within(ACCOUNT_PATIENCE_S, self._account.opened.wait())

    def _warn_of_signature_type(self, hosts: Hosts) -> None:
        """Warn on live that new accounts can only use deposit wallets."""
        identity = hosts.setup.identity if hosts.setup is not None else None
        if identity is None or self._profile.mode is not Mode.LIVE:
            return
        kind = identity.signature_type
        if kind is not SignatureType.DEPOSIT_WALLET:
            text = (
                f"Signature type {kind.number} ({kind.value}) is not supported for new accounts: the venue "
                "may refuse its orders, and its wallet cannot be used from here"
            )
            self._kernel.log.notice(Level.WARNING, text)

    async def _ready_transactions(self, access: WalletAccess) -> WalletTransactions | Rejected:
        wallet = self._facts.paying
        if wallet is None:
            return Rejected("It is not known yet which deposit wallet is yours")
        if self._transactions is None:
            self._transactions = WalletTransactions(
                self._kernel,
                self._journal,
                relayer=access.relayer,
                signer=access.signer,
                wallet=wallet,
                table=access.table,
                chain=access.chain,
                on_end=self._on_end,
            )
            await self._transactions.restore()
            self._restored.set()
            self._kernel.mark(WalletTopic())
        _ = await self._restored.wait()
        return self._transactions

    def _on_end(self, transaction: WalletTransaction) -> None:
        if transaction.status is TransactionStatus.CONFIRMED:
            self._account.apply_exchange(self._settlements.exchanged(transaction))
        read = self._reading[transaction.key] = asyncio.Event()

        async def read_after() -> None:
            access = self._facts.access
            is_made = transaction.is_deployment and (
                transaction.status is TransactionStatus.CONFIRMED
            )
            try:
                if is_made and access is not None and access.on_deployed is not None:
                    await access.on_deployed(transaction.wallet)
                await self._ask(is_thorough=True)
            finally:
                read.set()
                _ = self._reading.pop(transaction.key, None)
                self._kernel.mark(WalletTopic())
            self._account.refresh()
            self._account.refresh_history(after_s=HISTORY_LAG_S)

        self._kernel.start("wallet refresh", read_after)

    def _start(self, *, is_thorough: bool) -> None:
        async def ask() -> None:
            await self._ask(is_thorough=is_thorough)

        self._kernel.start_unless_running(("wallet facts", is_thorough), "wallet facts", ask)

    async def _ask(self, *, is_thorough: bool) -> None:
        hosts = await self._kernel.hosts()
        account = self._account.account
        if is_thorough and account is not None:
            _ = await account.host.refresh_balance()
            for each in self._positions():
                _ = await self._account.ask_shares(each.token_id)
        is_open = self._account.opened.is_set()
        await self._facts.ask(hosts, self._positions())
        self._has_asked = True
        self._is_asked_since_open |= is_open
        for topic in (WalletTopic(), OnboardingTopic(), AccountTopic()):
            self._kernel.mark(topic)

    def _words(self) -> CallWords:
        access = self._facts.access
        settlements = self._settlements
        names = MarketNames(
            settlements.title_of, settlements.outcome_of, settlements.event_of,
            lambda _event, _index: None,
        )  # fmt: skip
        if access is None:
            return CallWords((), names)
        return CallWords(
            access.table.contracts, replace(names, condition_of=access.table.condition_of)
        )

    async def close(self) -> None:
        """Discard the sign-ins that were not finished."""
        for kept in self._kept.values():
            if kept.minting is not None:
                await kept.minting.close()

    def _keep(self, kept: _Kept) -> None:
        now_s = self._kernel.clock.monotonic()
        for prepared_id, each in list(self._kept.items()):
            if now_s - each.since_s > KEPT_FOR_S:
                del self._kept[prepared_id]
                if each.minting is not None:
                    self._kernel.start("sign-in", each.minting.close)
        self._kept[kept.card.prepared_id] = kept


def _verdict(known: WalletTransaction) -> WalletVerdict:
    match known.status:
        case TransactionStatus.CONFIRMED:
            doubt = f" ({known.chain_view})" if known.chain_view else ""
            return Confirmed(known.title + doubt, known.key, known.hash)
        case TransactionStatus.FAILED:
            return Failed(known.reason or "failed", known.key)
        case _:
            return NotKnown(known.reason or STOPPED, known.key)
