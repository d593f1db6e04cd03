"""Facts about the wallet from hosts: deployment, approvals, and payouts of resolved shares.

Every query is independent, and each reply keeps its time. If the chain and another host disagree,
the chain takes precedence, and both are shown (docs/wire.md#deposit-wallet).
"""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence

from pmtui.domain.account.keys import BuilderKey
from pmtui.domain.account.onboarding import NO_ANSWER_YET, LastAnswer, Wallet, WalletForm
from pmtui.domain.account.position import Position
from pmtui.domain.account.wallet_steps import Approval, ApprovalKind
from pmtui.domain.account.wallet_transactions import CallReverted, RelayerTransaction
from pmtui.domain.answers import Failure, FailureKind, GeoAnswer
from pmtui.domain.health import Source
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import SCALE, Micros
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.ports import Hosts, Setup, WalletAccess
from pmtui.service.topics import WalletTopic
from pmtui.service.wallet.wallet_views import ViewsDiffer, WalletAddressView

RELAYER = "the relayer"
CHAIN = "the chain"
ANALYTICS = "the analytics host"
_OUTCOMES = 2
_WORD = 32
"""Bytes of a number in a contract's reply."""


class WalletFacts:
    """The last reply to every query about the wallet."""

    def __init__(self, kernel: Kernel, account: AccountFeed, venue: VenueStates) -> None:
        self._kernel = kernel
        self._account = account
        self._venue = venue
        self.setup: Setup | None = None
        self.place: LastAnswer[GeoAnswer] = NO_ANSWER_YET
        self.allowed: dict[Approval, LastAnswer[int]] = {}
        self.payouts: dict[ConditionId, tuple[Micros, ...] | None] = {}
        """According to the chain: the payout of each outcome's share; None while unresolved."""
        self.rows: tuple[RelayerTransaction, ...] = ()
        self.builder_keys: tuple[BuilderKey, ...] = ()
        self._deployed: dict[Address, LastAnswer[bool]] = {}
        self._code: dict[Address, LastAnswer[bool]] = {}

    @property
    def access(self) -> WalletAccess | None:
        """The key's access to its wallet; None before hosts are known, or without a key."""
        return self.setup.wallet if self.setup is not None else None

    @property
    def wallets(self) -> tuple[WalletAddressView, ...]:
        """Both forms of the wallet with the known facts."""
        paying = self.paying
        return tuple(
            WalletAddressView(
                each.form,
                each.address,
                each.address == paying,
                self._deployed.get(each.address, NO_ANSWER_YET),
                self._code.get(each.address, NO_ANSWER_YET),
            )
            for each in self._candidates()
        )

    @property
    def paying(self) -> Address | None:
        """The wallet that pays; None while the owner's form is unknown."""
        if self._account.account is not None:
            return self._account.account.signer.maker
        candidates = self._candidates()
        for older in candidates[:-1]:
            is_there = self.is_deployed(older.address)
            if is_there is not False:
                return older.address if is_there else None
        return candidates[-1].address if candidates else None

    def is_deployed(self, wallet: Address) -> bool | None:
        """Whether a wallet is deployed: by the code at its address, else by the relayer."""
        code = self._code.get(wallet, NO_ANSWER_YET).value
        return self._deployed.get(wallet, NO_ANSWER_YET).value if code is None else code

    def outcome_payout(self, position: Position) -> Micros | None:
        """Return the payout of a held share; None while unresolved."""
        payouts = self.payouts.get(position.condition_id, ())
        if payouts is None:
            return None
        if position.outcome_index < len(payouts):
            return payouts[position.outcome_index]
        return position.current_price if position.is_redeemable else None

    def disagreements(
        self, positions: Iterable[Position], *, is_made_now: bool = False
    ) -> tuple[ViewsDiffer, ...]:
        """Return contradictions between hosts.

        Args:
            positions: the holdings.
            is_made_now: whether a wallet is being deployed: the hosts learn of it one after the
                other.
        """
        found = [
            ViewsDiffer(
                f"whether {each.address} is deployed",
                ((RELAYER, _yes(each.relayer.value)), (CHAIN, _yes(each.chain.value))),
                CHAIN,
            )
            for each in self.wallets
            if not is_made_now
            and None not in (each.relayer.value, each.chain.value)
            and each.relayer.value is not each.chain.value
        ]
        for position in positions:
            payouts = self.payouts.get(position.condition_id, ())
            if position.is_redeemable and payouts is None:
                views = (ANALYTICS, "redeemable"), (CHAIN, "no answer yet")
                found.append(ViewsDiffer(f"“{position.title}”", views, CHAIN))
        return tuple(found)

    async def ask_wallets(self, hosts: Hosts) -> None:
        """Query only which wallets are deployed."""
        self.setup = setup = hosts.setup
        if setup is not None and self.access is not None:
            _ = await asyncio.gather(
                *(self._ask_wallet(setup, each) for each in self._candidates())
            )
        self._kernel.mark(WalletTopic())

    async def ask(self, hosts: Hosts, positions: Sequence[Position]) -> None:
        """Fetch everything again."""
        self.setup = hosts.setup
        work: list[Awaitable[None]] = [self._ask_place(hosts)]
        if hosts.setup is not None and self.access is not None:
            work += [self._ask_wallet(hosts.setup, each) for each in self._candidates()]
            work += [self._ask_payouts(positions), self._ask_relayer(), self._ask_builder()]
        _ = await asyncio.gather(*work)
        # The wallet in question may only be known now.
        await self._ask_approvals()
        self._kernel.mark(WalletTopic())

    def _candidates(self) -> tuple[Wallet, ...]:
        setup = self.setup
        if setup is None or setup.identity is None or setup.wallet is None:
            return ()
        forms = (WalletForm.OLDER_DEPOSIT, WalletForm.DEPOSIT)
        return tuple(each for each in setup.identity.wallets if each.form in forms)

    async def _ask_place(self, hosts: Hosts) -> None:
        self.place = self.place.followed_by(
            await self._venue.ask_location(hosts), self._kernel.clock.now()
        )

    async def _ask_wallet(self, setup: Setup, wallet: Wallet) -> None:
        address = wallet.address
        deployed = self._kernel.check(
            Source.RELAYER, await setup.relayer.is_deployed(address, wallet.form)
        )
        before: LastAnswer[bool] = self._deployed.get(address, NO_ANSWER_YET)
        self._deployed[address] = before.followed_by(deployed, self._kernel.clock.now())
        if setup.chain is not None:
            seen = await setup.chain.has_code(address)
            before = self._code.get(address, NO_ANSWER_YET)
            self._code[address] = before.followed_by(seen, self._kernel.clock.now())

    async def _ask_approvals(self) -> None:
        access, wallet = self.access, self.paying
        if access is None or wallet is None:
            return
        wanted = [approval for approval, _ in access.table.approvals]
        if access.chain is not None:
            reads = [access.table.read_allowed(wallet, each) for each in wanted]
            answers = await access.chain.calls(reads)
            if not isinstance(answers, Failure):
                for approval, answer in zip(wanted, answers, strict=True):
                    self._note_allowed(approval, answer)
                return
        await self._ask_allowances(wanted)

    async def _ask_allowances(self, wanted: Iterable[Approval]) -> None:
        """Ask the trading host if the chain does not reply: it only knows the cash."""
        account = self._account.account
        if account is None:
            return
        balance = self._kernel.check(Source.TRADING, await account.host.balance())
        if isinstance(balance, Failure):
            return
        amounts = {address.lower(): amount for address, amount in balance.allowances}
        for approval in wanted:
            amount = amounts.get(approval.contract.lower())
            if approval.kind is ApprovalKind.CASH and amount is not None:
                self.allowed[approval] = LastAnswer(amount, self._kernel.clock.now())

    def _note_allowed(self, approval: Approval, answer: bytes | CallReverted | Failure) -> None:
        before: LastAnswer[int] = self.allowed.get(approval, NO_ANSWER_YET)
        if isinstance(answer, CallReverted):
            answer = Failure(FailureKind.REFUSED, "eth_call", answer.reason or "reverted")
        self.allowed[approval] = before.followed_by(_number(answer), self._kernel.clock.now())

    async def _ask_payouts(self, positions: Sequence[Position]) -> None:
        access = self.access
        if access is None or access.chain is None:
            return
        asked = list(dict.fromkeys(each.condition_id for each in positions if each.is_redeemable))
        reads = [read for each in asked for read in access.table.read_payouts(each)]
        if not reads:
            return
        answers = await access.chain.calls(reads)
        if isinstance(answers, Failure):
            return
        for place, condition_id in enumerate(asked):
            payouts = answers[place * 3 : place * 3 + 3]
            numbers = [_number(each) for each in payouts if isinstance(each, bytes)]
            known = [each for each in numbers if isinstance(each, int)]
            if len(known) == _OUTCOMES + 1:
                self.payouts[condition_id] = _payouts(*known)

    async def _ask_relayer(self) -> None:
        access = self.access
        if access is None or not access.keys.shown:
            return
        listed = self._kernel.check(Source.RELAYER, await access.relayer.transactions())
        if not isinstance(listed, Failure):
            self.rows = listed

    async def _ask_builder(self) -> None:
        account = self._account.account
        if account is None or account.builder is None:
            return
        keys = await account.builder.keys()
        if not isinstance(keys, Failure):
            self.builder_keys = keys


def _number(answer: bytes | Failure) -> int | Failure:
    """Decode the single number that a contract returned: exactly one word of 32 bytes."""
    if isinstance(answer, Failure):
        return answer
    if len(answer) != _WORD:
        return Failure(
            FailureKind.SERVER, "POST eth_call", f"{len(answer)} bytes instead of a number"
        )
    return int.from_bytes(answer, "big")


def _payouts(denominator: int, *numerators: int) -> tuple[Micros, ...] | None:
    """Return the payout of each outcome's share, rounded down; None while unresolved."""
    if not denominator or any(each > denominator for each in numerators):
        return None
    return tuple(Micros(each * SCALE // denominator) for each in numerators)


def _yes(value: bool | None) -> str:  # noqa: FBT001 - an answer that may be missing
    return "deployed" if value else "not deployed"
