"""The account's progress through onboarding; queried only while it is watched.

Each step is queried separately: if one host fails, that is shown beside its line, and the others
are unaffected.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import datetime
from functools import partial

from pmtui.domain.account.onboarding import (
    NO_ANSWER_YET,
    LastAnswer,
    Onboarding,
    Wallet,
    WalletForm,
)
from pmtui.domain.health import Source
from pmtui.domain.ids import Address
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import BalanceAllowance
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel, ask_while_watched
from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.ports import Account, Hosts, Setup
from pmtui.service.profile import Profile
from pmtui.service.topics import OnboardingTopic, Topic
from pmtui.service.views import Mode

ASK_PERIOD_S = 30.0
NO_CHAIN = "this profile names no chain host"


class OnboardingFeed:
    """The last reply for every step."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        profile: Profile,
        account: AccountFeed,
        venue: VenueStates,
        limits: Limits,
    ) -> None:
        self._kernel = kernel
        self._account = account
        self._venue = venue
        self._facts = Onboarding(
            profile=profile.name,
            key_problem=(profile.reason or "no key") if profile.mode is Mode.READ_ONLY else "",
            remedy=profile.remedy,
            other_remedy=profile.other_remedy,
            limits=limits,
        )
        self._deployed: dict[Address, LastAnswer[bool]] = {}

    def view(self) -> Onboarding:
        """Return the known facts."""
        account = self._account.account
        return replace(
            self._facts,
            deployed=dict(self._deployed),
            maker=account.signer.maker if account is not None else None,
            trading_key=account.trading_key if account is not None else None,
            account_problem="" if account is not None else self._account.state.problem,
        )

    def on_demand(self, topic: Topic) -> None:
        """Query as soon as the topic is watched."""
        if topic == OnboardingTopic():
            self._start(is_thorough=False)

    def refresh(self) -> None:
        """Fetch everything again, after the trading host has read the chain."""
        self._start(is_thorough=True)

    async def run(self) -> None:
        """While watched, query periodically, and as soon as the account is open."""
        await ask_while_watched(
            self._kernel,
            OnboardingTopic(),
            partial(self._start, is_thorough=False),
            opened=self._account.opened,
            period_s=ASK_PERIOD_S,
        )

    def _start(self, *, is_thorough: bool) -> None:
        async def ask() -> None:
            await self._ask(is_thorough=is_thorough)

        # A running query without an account, or a quick one, is no reason to delay this one.
        key = ("account steps", self._account.account is None, is_thorough)
        self._kernel.start_unless_running(key, "account steps", ask)

    async def _ask(self, *, is_thorough: bool) -> None:
        hosts = await self._kernel.hosts()
        self._learn_setup(hosts.setup)
        self._put(replace(self._facts, is_asking=True))
        account = self._account.account
        work: list[Awaitable[None]] = [self._ask_place(hosts)]
        if hosts.setup is not None and hosts.setup.identity is not None:
            work.append(self._ask_wallet(hosts.setup))
        if account is not None:
            work.append(self._ask_balance(account, is_thorough=is_thorough))
            work.append(self._ask_standing(account))
        try:
            _ = await asyncio.gather(*work)
        finally:
            self._put(replace(self._facts, is_asking=False))

    def _learn_setup(self, setup: Setup | None) -> None:
        if setup is not None:
            self._facts = replace(
                self._facts,
                identity=setup.identity,
                spenders=setup.spenders,
                code_unasked=NO_CHAIN if setup.chain is None else "",
            )

    async def _ask_place(self, hosts: Hosts) -> None:
        answer = await self._venue.ask_location(hosts)
        self._put(replace(self._facts, place=self._facts.place.followed_by(answer, self._now())))

    async def _ask_standing(self, account: Account) -> None:
        answer = await self._venue.ask_standing(account)
        self._put(
            replace(
                self._facts,
                closed_only=self._facts.closed_only.followed_by(answer, self._now()),
            )
        )

    async def _ask_balance(self, account: Account, *, is_thorough: bool) -> None:
        unlooked = await account.host.refresh_balance() if is_thorough else None
        answer = self._kernel.check(Source.TRADING, await account.host.balance())
        balance: LastAnswer[BalanceAllowance] = self._facts.balance.followed_by(answer, self._now())
        if unlooked is not None and not balance.problem:
            problem = f"without a new check of the chain: {unlooked}"
            balance = replace(balance, problem=problem, asked_at=self._now())
        self._put(replace(self._facts, balance=balance))

    async def _ask_wallet(self, setup: Setup) -> None:
        identity = setup.identity
        if identity is None:
            return
        _ = await asyncio.gather(
            *(
                self._ask_deployed(setup, wallet)
                for wallet in identity.wallets
                if wallet.form is not WalletForm.EOA
            )
        )
        wallet = self.view().wallet
        if wallet is None or wallet.form is WalletForm.EOA or setup.chain is None:
            return
        answer = await setup.chain.has_code(wallet.address)
        self._put(replace(self._facts, code=self._facts.code.followed_by(answer, self._now())))

    async def _ask_deployed(self, setup: Setup, wallet: Wallet) -> None:
        answer = self._kernel.check(
            Source.RELAYER, await setup.relayer.is_deployed(wallet.address, wallet.form)
        )
        before: LastAnswer[bool] = self._deployed.get(wallet.address, NO_ANSWER_YET)
        self._deployed[wallet.address] = before.followed_by(answer, self._now())
        self._mark()

    def _put(self, facts: Onboarding) -> None:
        self._facts = facts
        self._mark()

    def _now(self) -> datetime:
        return self._kernel.clock.now()

    def _mark(self) -> None:
        self._kernel.mark(OnboardingTopic())
