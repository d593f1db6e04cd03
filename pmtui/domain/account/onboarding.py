"""The steps of an account towards trading, in order, each with its known status.

Pure: it receives the requests and replies, and returns the status of every step. Nothing is
guessed: without a reply a status is unknown. The steps are those of docs/wire.md#onboarding.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Generic, Never, Protocol, TypeVar

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.answers import Failure, GeoAnswer
from pmtui.domain.ids import Address
from pmtui.domain.orders.limits import NO_LIMITS, Limits
from pmtui.domain.orders.order import BalanceAllowance

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

UNLIMITED: Final = 2**128
"""Amounts this large are unlimited: the venue's wallets approve 2^256 - 1."""
_SHOWN_OF_KEY = 8


class WalletForm(StrEnum):
    """The kinds of wallet that can pay for an owner's orders."""

    EOA = "eoa"
    PROXY = "proxy"
    SAFE = "safe"
    OLDER_DEPOSIT = "older deposit wallet"
    """UUPS form, created before 29 June 2026."""
    DEPOSIT = "deposit wallet"
    """Beacon form."""


class Purpose(StrEnum):
    """The purpose of a contract that may be approved to move money."""

    EXCHANGE = "exchange"
    NEG_RISK_EXCHANGE = "neg-risk exchange"
    ADAPTER = "adapter"
    """Splits, merges and redeems; orders do not need it."""
    UNKNOWN = "unknown"


TRADES_THROUGH: Final = frozenset({Purpose.EXCHANGE, Purpose.NEG_RISK_EXCHANGE})
"""Contracts that settle orders: without an allowance for them no trade is possible."""


class SetupStep(StrEnum):
    """The steps, in order."""

    PLACE = "place"
    KEY = "key"
    WALLET = "wallet"
    DEPLOYED = "deployed"
    CODE = "code"
    CREDENTIALS = "credentials"
    STANDING = "standing"
    RELAYER_KEY = "relayer key"
    ALLOWANCE = "allowance"
    BALANCE = "balance"


class SetupState(StrEnum):
    """The status of a step, in the words of the screen."""

    DONE = "done"
    NOT_DONE = "not done"
    NOT_KNOWN = "not known"
    NOT_NEEDED = "not needed"


@dataclass(frozen=True, slots=True)
class Wallet:
    """An address that can pay for an owner's orders."""

    form: WalletForm
    address: Address


@dataclass(frozen=True, slots=True)
class Spender:
    """A contract that may be approved to move the collateral."""

    purpose: Purpose
    address: Address


@dataclass(frozen=True, slots=True)
class Identity:
    """The public part of a session's key, known before any host replies."""

    kind: KeyKind
    signer: Address
    signature_type: SignatureType
    wallets: tuple[Wallet, ...]
    """Wallets that can pay in this profile; the older deposit wallet before the newer one."""


@dataclass(frozen=True, slots=True)
class TradingKey:
    """The public part of the trading host's credentials."""

    shown: str
    """The first digits of the key's id."""
    obtained_at: datetime


@dataclass(frozen=True, slots=True)
class LastAnswer(Generic[T_co]):
    """The last value that a host returned, and the result of the last request."""

    value: T_co | None = None
    as_of: datetime | None = None
    """When the value was received."""
    problem: str = ""
    """Why the last request returned no value; `value` may then be an older one."""
    asked_at: datetime | None = None
    """When that request was sent."""

    def followed_by(self, answer: T | Failure, at: datetime) -> "LastAnswer[T | T_co]":
        """Return what is known after another answer; a failure keeps the value before it."""
        if isinstance(answer, Failure):
            return replace(self, problem=str(answer), asked_at=at)
        return LastAnswer(answer, at)


NO_ANSWER_YET: Final[LastAnswer[Never]] = LastAnswer()


@dataclass(frozen=True, slots=True)
class Onboarding:
    """Everything known about an account's progress towards trading."""

    profile: str
    key_problem: str = ""
    """Why there is no key; empty if there is one."""
    remedy: str = ""
    """The command that adds the missing key."""
    other_remedy: str = ""
    """The command that takes a key of the trader's instead, if there is none yet."""
    identity: Identity | None = None
    maker: Address | None = None
    """The wallet that pays, once the account is open."""
    place: LastAnswer[GeoAnswer] = NO_ANSWER_YET
    deployed: Mapping[Address, LastAnswer[bool]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Whether each wallet is deployed, according to the relayer."""
    code: LastAnswer[bool] = NO_ANSWER_YET
    """Whether there is contract code at the paying wallet, according to the chain."""
    code_unasked: str = ""
    """Why the chain is not queried; empty if it is."""
    trading_key: TradingKey | None = None
    account_problem: str = ""
    """Why the account is not open."""
    closed_only: LastAnswer[bool] = NO_ANSWER_YET
    balance: LastAnswer[BalanceAllowance] = NO_ANSWER_YET
    spenders: tuple[Spender, ...] = ()
    """The contracts whose names are known."""
    limits: Limits = NO_LIMITS
    is_asking: bool = False

    @property
    def wallet(self) -> Wallet | None:
        """The wallet that pays; None while it is unknown."""
        candidates = self.identity.wallets if self.identity is not None else ()
        if self.maker is not None:
            known = (each for each in candidates if each.address == self.maker)
            return next(known, None)
        for each in candidates[:-1]:
            deployed = self.deployed.get(each.address, NO_ANSWER_YET).value
            if deployed is not False:
                # The newer form pays only if the older one is known not to exist.
                return each if deployed else None
        return candidates[-1] if candidates else None

    @property
    def deployed_answer(self) -> LastAnswer[bool]:
        """Whether the paying wallet is deployed, according to the relayer."""
        wallet = self.wallet
        return NO_ANSWER_YET if wallet is None else self.deployed.get(wallet.address, NO_ANSWER_YET)

    @property
    def allowances(self) -> tuple[tuple[Spender, int | None], ...]:
        """The allowance of each contract: those we know by name, then those only the host names."""
        balance = self.balance.value
        amounts = dict(balance.allowances) if balance is not None else {}
        by_lower = {address.lower(): amount for address, amount in amounts.items()}
        named = [(each, by_lower.get(each.address.lower())) for each in self.spenders]
        known = {each.address.lower() for each in self.spenders}
        others = [
            (Spender(Purpose.UNKNOWN, address), amount)
            for address, amount in amounts.items()
            if address.lower() not in known
        ]
        needed = [each for each in named if each[0].purpose in TRADES_THROUGH]
        spare = [each for each in named if each not in needed and each[1] is not None]
        return (*needed, *spare, *others)


@dataclass(frozen=True, slots=True)
class StepStatus:
    """The status of one step."""

    step: SetupStep
    state: SetupState
    as_of: datetime | None = None
    """When this was received; None if no host needs to be asked."""
    problem: str = ""
    """Why the last request failed."""
    asked_at: datetime | None = None
    """When that request was sent; None if nothing failed."""
    spender: Spender | None = None
    amount: int | None = None
    """The spender's allowance, in base units."""

    @property
    def name(self) -> str:
        """An identifier that is unique among the steps."""
        address = self.spender.address if self.spender is not None else ""
        return f"{self.step.value} {address}".rstrip()

    @property
    def is_needed(self) -> bool:
        """Whether trading is impossible until it is done."""
        if self.spender is not None:
            return self.spender.purpose in TRADES_THROUGH
        return self.step not in (SetupStep.CODE, SetupStep.RELAYER_KEY)


def missing_allowances(
    spenders: Iterable[Spender], balance: BalanceAllowance
) -> frozenset[Purpose]:
    """Return the exchanges without an allowance for an asset; unknown allowances are left out."""
    amounts = {address.lower(): amount for address, amount in balance.allowances}
    return frozenset(
        each.purpose
        for each in spenders
        if each.purpose in TRADES_THROUGH and amounts.get(each.address.lower()) == 0
    )


def shorten_key_id(key_id: str) -> str:
    """Return just enough of a key's id to distinguish it from others."""
    return f"{key_id[:_SHOWN_OF_KEY]}…" if len(key_id) > _SHOWN_OF_KEY else key_id


def is_unlimited(amount: int) -> bool:
    """Whether an allowance is effectively unlimited."""
    return amount >= UNLIMITED


def step_statuses(facts: Onboarding) -> tuple[StepStatus, ...]:
    """Return the status of every step, in order."""
    location = facts.place.value
    is_place_fine = None if location is None else not location.is_blocked
    return (
        _status_of(SetupStep.PLACE, facts.place, is_place_fine),
        StepStatus(SetupStep.KEY, _state_of_key(facts)),
        _wallet(facts),
        _deployed(facts),
        _code(facts),
        _credentials(facts),
        _standing(facts),
        StepStatus(SetupStep.RELAYER_KEY, SetupState.NOT_NEEDED),
        *_allowances(facts),
        _balance(facts),
    )


class _Judged(Protocol):
    @property
    def is_needed(self) -> bool: ...

    @property
    def state(self) -> SetupState: ...


_Step = TypeVar("_Step", bound=_Judged)


def next_step(stands: Iterable[_Step]) -> _Step | None:
    """Return the first step that prevents trading; None if all are done."""
    needed = [each for each in stands if each.is_needed]
    for state in (SetupState.NOT_DONE, SetupState.NOT_KNOWN):
        found = next((each for each in needed if each.state is state), None)
        if found is not None:
            return found
    return None


def _status_of(step: SetupStep, answer: LastAnswer[T_co], is_done: bool | None) -> StepStatus:  # noqa: FBT001 - a third answer is None
    states = {True: SetupState.DONE, False: SetupState.NOT_DONE, None: SetupState.NOT_KNOWN}
    return StepStatus(step, states[is_done], answer.as_of, answer.problem, answer.asked_at)


def _state_of_key(facts: Onboarding) -> SetupState:
    if facts.identity is not None:
        return SetupState.DONE
    return SetupState.NOT_DONE if facts.key_problem else SetupState.NOT_KNOWN


def _wallet(facts: Onboarding) -> StepStatus:
    state = SetupState.NOT_KNOWN if facts.wallet is None else SetupState.DONE
    problems = (answer.problem for answer in facts.deployed.values() if answer.problem)
    problem = next(problems, "") if facts.wallet is None else ""
    return StepStatus(SetupStep.WALLET, state, problem=problem)


def _deployed(facts: Onboarding) -> StepStatus:
    wallet, answer = facts.wallet, facts.deployed_answer
    if wallet is not None and wallet.form is WalletForm.EOA:
        return StepStatus(SetupStep.DEPLOYED, SetupState.NOT_NEEDED)
    # Contract code takes precedence over the relayer's report (docs/wire.md#deposit-wallet).
    return _status_of(SetupStep.DEPLOYED, answer, True if facts.code.value else answer.value)


def _code(facts: Onboarding) -> StepStatus:
    if facts.wallet is not None and facts.wallet.form is WalletForm.EOA:
        return StepStatus(SetupStep.CODE, SetupState.NOT_NEEDED)
    return _status_of(SetupStep.CODE, facts.code, facts.code.value)


def _credentials(facts: Onboarding) -> StepStatus:
    if facts.trading_key is not None:
        return StepStatus(SetupStep.CREDENTIALS, SetupState.DONE, facts.trading_key.obtained_at)
    is_missing = facts.key_problem or facts.account_problem
    state = SetupState.NOT_DONE if is_missing else SetupState.NOT_KNOWN
    return StepStatus(SetupStep.CREDENTIALS, state, problem=facts.account_problem)


def _standing(facts: Onboarding) -> StepStatus:
    answer = facts.closed_only
    return _status_of(
        SetupStep.STANDING, answer, None if answer.value is None else not answer.value
    )


def _allowances(facts: Onboarding) -> Iterable[StepStatus]:
    answer = facts.balance
    for spender, amount in facts.allowances:
        is_allowed = None if amount is None else amount > 0
        stand = _status_of(SetupStep.ALLOWANCE, answer, is_allowed)
        state = stand.state
        if spender.purpose not in TRADES_THROUGH:
            state = SetupState.NOT_NEEDED
        yield replace(stand, state=state, spender=spender, amount=amount)


def _balance(facts: Onboarding) -> StepStatus:
    answer = facts.balance
    return _status_of(
        SetupStep.BALANCE, answer, None if answer.value is None else answer.value.balance > 0
    )
