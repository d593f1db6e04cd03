"""The chain: executes batches of calls as the public venue's contracts do, and keeps their state.

A batch is executed on a draft over the state of a `World`, so that a revert leaves nothing behind.
Semantics follow docs/wire.md#contract-calls (September 2026); revert messages are the contracts'.

In addition to balances the chain has approvals, wallet nonces, and blocks by the clock. Balances are
those of the exchange's ledger, the only record of ownership. A wallet that the operator funds is
deployed and may trade; a practice wallet starts with nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import msgspec
from typing_extensions import override

from pmtui.domain.account.wallet_transactions import MAX_UINT256, ContractCall, DecodedCall
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.signing.contracts import POLYGON
from pmtui.signing.wallet_calls import decode_call
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.venue import Venue

POOR = "ERC20: transfer amount exceeds balance"
NO_ALLOWANCE = "ERC20: insufficient allowance"
TOO_FEW_SHARES = "ERC1155: insufficient balance for transfer"
NOT_OPERATOR = "ERC1155: need operator approval for 3rd party transfers"
UNKNOWN_CONDITION = "condition not prepared yet"
WRONG_ADAPTER = "invalid condition"
NOT_RESOLVED = "result for condition not received yet"
NO_FUNCTION = "execution reverted"


@dataclass(frozen=True, slots=True)
class Condition:
    """A market as seen by the contracts."""

    condition_id: ConditionId
    tokens: tuple[TokenId, TokenId]
    is_neg_risk: bool
    payouts: tuple[int, int] | None
    """Payout of each token's share in millionths; None before the market is resolved."""


class World(Protocol):
    """The state that the contracts read."""

    def collateral(self, owner: Address) -> int:
        """Return a balance of pUSD in millionths."""
        ...

    def shares(self, owner: Address, token_id: TokenId) -> int:
        """Return a balance of an outcome token in millionths."""
        ...

    def allowance(self, owner: Address, spender: Address) -> int:
        """Return how much pUSD a contract may still move."""
        ...

    def is_operator(self, owner: Address, operator: Address) -> bool:
        """Return whether a contract may move the outcome tokens."""
        ...

    def condition(self, condition_id: str) -> Condition | None:
        """Return a market, None if there is none."""
        ...

    def questions(self, neg_risk_market_id: str) -> Sequence[Condition]:
        """Return the markets of a negative-risk event in the order of their questions."""
        ...


@dataclass(frozen=True, slots=True)
class Approved:
    """A contract may move an amount of pUSD."""

    spender: Address
    amount: int


@dataclass(frozen=True, slots=True)
class OperatorSet:
    """A contract may move the outcome tokens, or no longer may."""

    operator: Address
    is_approved: bool
    contract: Address
    """Contract that holds the tokens."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Collateral was sent to an address."""

    recipient: Address
    amount: int


@dataclass(frozen=True, slots=True)
class Split:
    """Collateral became both outcomes."""

    condition_id: ConditionId
    amount: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Both outcomes became collateral."""

    condition_id: ConditionId
    amount: int


@dataclass(frozen=True, slots=True)
class Redeemed:
    """The whole balance of both outcomes was exchanged for its payout."""

    condition_id: ConditionId
    burned: tuple[int, int]
    """Shares of each outcome."""
    paid: int


@dataclass(frozen=True, slots=True)
class Converted:
    """No shares of some questions became Yes shares of the others, and collateral."""

    given: tuple[ConditionId, ...]
    received: tuple[ConditionId, ...]
    amount: int
    event: str
    """The contracts' id of the event, 0x and 64 hexadecimal digits."""
    index_set: int
    """A bit for each question whose No shares were given up."""


Effect = Approved | OperatorSet | Sent | Split | Merged | Redeemed | Converted


@dataclass(frozen=True, slots=True)
class Reverted:
    """A batch that had no effect, and why."""

    call_index: int
    reason: str


class _RevertError(Exception):
    """Ends a batch; the text is the contract's message."""


def execute(
    wallet: Address, calls: Sequence[ContractCall], world: World
) -> tuple[Effect, ...] | Reverted:
    """Return the effects of a wallet's batch, or why it has none."""
    draft = _Draft(wallet, world)
    effects: list[Effect] = []
    for index, call in enumerate(calls):
        try:
            effects.append(draft.carry_out(call))
        except _RevertError as revert:
            return Reverted(index, str(revert))
    return tuple(effects)


def try_each(
    wallet: Address, calls: Sequence[ContractCall], world: World
) -> tuple[str | None, ...]:
    """Return for each call why it reverts, None if it succeeds.

    Each is simulated on the state left by those before it; one that reverts changes nothing.
    """
    draft = _Draft(wallet, world)
    outcomes: list[str | None] = []
    for call in calls:
        before = draft.copy()
        try:
            _ = draft.carry_out(call)
        except _RevertError as revert:
            draft = before
            outcomes.append(str(revert))
        else:
            outcomes.append(None)
    return tuple(outcomes)


class _Draft:
    """Balances and approvals of one wallet during its batch."""

    def __init__(self, wallet: Address, world: World) -> None:
        self._wallet = wallet
        self._world = world
        self._collateral = world.collateral(wallet)
        self._shares: dict[TokenId, int] = {}
        self._allowances: dict[Address, int] = {}
        self._operators: dict[Address, bool] = {}

    def copy(self) -> "_Draft":
        """Return an independent copy."""
        other = _Draft(self._wallet, self._world)
        other._collateral = self._collateral
        other._shares = dict(self._shares)
        other._allowances = dict(self._allowances)
        other._operators = dict(self._operators)
        return other

    def carry_out(self, call: ContractCall) -> Effect:
        decoded = decode_call(call)
        if decoded is None:
            raise _RevertError(NO_FUNCTION)
        match call.target:
            case POLYGON.collateral:
                return self._collateral_token(decoded)
            case POLYGON.conditional_tokens | POLYGON.position_manager:
                return self._outcome_tokens(decoded)
            case POLYGON.collateral_adapter | POLYGON.neg_risk_collateral_adapter:
                return self._adapter(decoded)
            case _:
                raise _RevertError(NO_FUNCTION)

    def _collateral_token(self, call: DecodedCall) -> Effect:
        if call.function == "approve":
            spender, amount = _address(call, "spender"), _number(call, "amount")
            self._allowances[spender] = amount
            return Approved(spender, amount)
        if call.function == "transfer":
            recipient, amount = _address(call, "to"), _number(call, "amount")
            self._pay(amount)
            if recipient == self._wallet:
                self._collateral += amount
            return Sent(recipient, amount)
        raise _RevertError(NO_FUNCTION)

    def _outcome_tokens(self, call: DecodedCall) -> Effect:
        if call.function != "setApprovalForAll":
            raise _RevertError(NO_FUNCTION)
        operator, is_approved = _address(call, "operator"), bool(call.argument("approved"))
        self._operators[operator] = is_approved
        return OperatorSet(operator, is_approved, call.target)

    def _adapter(self, call: DecodedCall) -> Effect:
        is_neg_risk = call.target == POLYGON.neg_risk_collateral_adapter
        if call.function == "convertPositions" and is_neg_risk:
            return self._convert(call)
        if call.function not in ("splitPosition", "mergePositions", "redeemPositions"):
            raise _RevertError(NO_FUNCTION)
        condition = self._world.condition(str(call.argument("conditionId")))
        if condition is None:
            raise _RevertError(UNKNOWN_CONDITION)
        if condition.is_neg_risk is not is_neg_risk:
            raise _RevertError(WRONG_ADAPTER)
        if call.function == "redeemPositions":
            return self._redeem(condition, call.target)
        amount = _number(call, "amount")
        if call.function == "splitPosition":
            self._spend_allowance(call.target, amount)
            self._pay(amount)
            for token_id in condition.tokens:
                self._shares[token_id] = self._held(token_id) + amount
            return Split(condition.condition_id, amount)
        self._need_operator(call.target)
        for token_id in condition.tokens:
            self._give(token_id, amount)
        self._collateral += amount
        return Merged(condition.condition_id, amount)

    def _redeem(self, condition: Condition, adapter: Address) -> Effect:
        self._need_operator(adapter)
        if condition.payouts is None:
            raise _RevertError(NOT_RESOLVED)
        paid, (first, second) = 0, condition.tokens
        burned = self._held(first), self._held(second)
        for token_id, pays in zip(condition.tokens, condition.payouts, strict=True):
            paid += self._held(token_id) * pays // 1_000_000
            self._shares[token_id] = 0
        self._collateral += paid
        return Redeemed(condition.condition_id, burned, paid)

    def _convert(self, call: DecodedCall) -> Effect:
        self._need_operator(call.target)
        event = str(call.argument("negRiskMarketId"))
        questions = self._world.questions(event)
        chosen, amount = _number(call, "indexSet"), _number(call, "amount")
        if not questions or not chosen or chosen >> len(questions):
            raise _RevertError(UNKNOWN_CONDITION)
        given = tuple(q for i, q in enumerate(questions) if chosen >> i & 1)
        received = tuple(q for i, q in enumerate(questions) if not chosen >> i & 1)
        if any(question.payouts is not None for question in questions):
            raise _RevertError(WRONG_ADAPTER)
        for question in given:
            self._give(question.tokens[1], amount)
        for question in received:
            yes = question.tokens[0]
            self._shares[yes] = self._held(yes) + amount
        self._collateral += amount * (len(given) - 1)
        return Converted(
            tuple(q.condition_id for q in given), tuple(q.condition_id for q in received), amount,
            event, chosen,
        )  # fmt: skip

    def _pay(self, amount: int) -> None:
        if amount > self._collateral:
            raise _RevertError(POOR)
        self._collateral -= amount

    def _give(self, token_id: TokenId, amount: int) -> None:
        held = self._held(token_id)
        if amount > held:
            raise _RevertError(TOO_FEW_SHARES)
        self._shares[token_id] = held - amount

    def _held(self, token_id: TokenId) -> int:
        if token_id not in self._shares:
            self._shares[token_id] = self._world.shares(self._wallet, token_id)
        return self._shares[token_id]

    def _spend_allowance(self, spender: Address, amount: int) -> None:
        allowed = self._allowances.get(spender)
        if allowed is None:
            allowed = self._world.allowance(self._wallet, spender)
        if amount > allowed:
            raise _RevertError(NO_ALLOWANCE)
        # An unlimited approval stays unlimited.
        self._allowances[spender] = allowed if allowed == MAX_UINT256 else allowed - amount

    def _need_operator(self, operator: Address) -> None:
        is_approved = self._operators.get(operator)
        if is_approved is None:
            is_approved = self._world.is_operator(self._wallet, operator)
        if not is_approved:
            raise _RevertError(NOT_OPERATOR)


def _address(call: DecodedCall, name: str) -> Address:
    return Address(str(call.argument(name)))


def _number(call: DecodedCall, name: str) -> int:
    number = call.argument(name)
    if not isinstance(number, int):
        raise _RevertError(NO_FUNCTION)
    return number


KIND = "chain wallet"
BLOCK_MS = 2_000
FIRST_BLOCK = 92_000_000
FIRST_BLOCK_MS = 1_786_000_000_000
"""The approximate number of a block in August 2026."""
TRADES_THROUGH = (POLYGON.exchange, POLYGON.neg_risk_exchange)
SETTLES_THROUGH = (POLYGON.collateral_adapter, POLYGON.neg_risk_collateral_adapter)


AUTO_REDEEM_OPERATOR = Address("0xa1200000d0002264C9a1698e001292D00E1b00af")
BINARY_MODULE = Address("0x1000008dD9001B968442c1000017eaE6E0dA00Ba")
NEG_RISK_MODULE = Address("0x200000900045e3B6259600682756002200028933")
PERPS_DEPOSIT = Address("0xDCa4af75705dbB50f62437045afF9921947917d2")
_NEWER = (POLYGON.combos_router, POLYGON.exchange_v3)
CONTRACTS: Mapping[tuple[Address, str], tuple[Address, ...]] = MappingProxyType(
    {
        (POLYGON.collateral, "ERC20"): (
            *TRADES_THROUGH, *SETTLES_THROUGH, *_NEWER, PERPS_DEPOSIT,
        ),
        (POLYGON.conditional_tokens, "ERC1155"): (
            *TRADES_THROUGH, *SETTLES_THROUGH, AUTO_REDEEM_OPERATOR, BINARY_MODULE, NEG_RISK_MODULE,
        ),
        (POLYGON.position_manager, "ERC1155"): (*_NEWER, AUTO_REDEEM_OPERATOR),
    }
)  # fmt: skip
"""The approvals offered by the official library, by token (polymarket-client 0.14.0, 2026-10)."""


@dataclass(slots=True)
class WalletState:
    """Approvals and nonce of one wallet."""

    nonce: int = 0
    allowances: dict[Address, str] = field(default_factory=dict)
    """Decimal texts: JSON has no 256-bit numbers."""
    operators: set[Address] = field(default_factory=set)


def _approved() -> WalletState:
    """Return the state of a wallet that the operator funded: ready for everything."""
    spenders = CONTRACTS[POLYGON.collateral, "ERC20"]
    operators = {
        each for (_, kind), those in CONTRACTS.items() if kind == "ERC1155" for each in those
    }
    return WalletState(0, dict.fromkeys(spenders, str(MAX_UINT256)), operators)


_decode = msgspec.json.Decoder(WalletState).decode


class Chain(World):
    """The chain of a venue's wallets."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._wallets = {Address(name): _decode(row) for name, row in venue.notes(KIND)}
        self._hashes: dict[tuple[Address, int], str] = {}

    @property
    def block_number(self) -> int:
        """The newest block; there is one every two seconds of the venue's time."""
        return self.block_at(self._venue.clock.now_ms())

    def block_at(self, at_ms: int) -> int:
        """Return the block at a moment."""
        return FIRST_BLOCK + max(at_ms - FIRST_BLOCK_MS, 0) // BLOCK_MS

    def time_of(self, block: int) -> int:
        """Return the time of a block, in unix milliseconds."""
        return FIRST_BLOCK_MS + (block - FIRST_BLOCK) * BLOCK_MS

    def note_hash(self, wallet: Address, at_ms: int, transaction_hash: str) -> None:
        """Record the transaction that changed a wallet's balances at a moment."""
        self._hashes[wallet, at_ms] = transaction_hash

    def hash_of(self, wallet: Address, at_ms: int) -> str:
        """Return the transaction that changed a wallet's balances at a moment; empty if none did."""
        return self._hashes.get((wallet, at_ms), "")

    def begin(self, wallet: Address) -> None:
        """Start a wallet without approvals, as deployed by its owner."""
        self._wallets.setdefault(wallet, WalletState())
        self._keep(wallet)

    def nonce(self, wallet: Address) -> int:
        """Return how many batches a wallet has executed."""
        state = self._wallets.get(wallet)
        return 0 if state is None else state.nonce

    def count_batch(self, wallet: Address) -> None:
        """Record that a batch was executed."""
        self._changing(wallet).nonce += 1
        self._keep(wallet)

    def may_trade(self, wallet: Address, token_id: TokenId, side: Side) -> bool:
        """Return whether a market's exchange may move what an order gives."""
        view = self._venue.trading_of_token(token_id)
        exchange = TRADES_THROUGH[view is not None and view.spec.neg_risk]
        if side is Side.BUY:
            return self.allowance(wallet, exchange) > 0
        return self.is_operator(wallet, exchange)

    @override
    def collateral(self, owner: Address) -> int:
        account = self._venue.exchange.reads.account(owner)
        return 0 if account is None else account.collateral

    @override
    def shares(self, owner: Address, token_id: TokenId) -> int:
        account = self._venue.exchange.reads.account(owner)
        return 0 if account is None else account.shares.get(token_id, 0)

    @override
    def allowance(self, owner: Address, spender: Address) -> int:
        return int(self._state(owner).allowances.get(spender, "0"))

    @override
    def is_operator(self, owner: Address, operator: Address) -> bool:
        return operator in self._state(owner).operators

    @override
    def condition(self, condition_id: str) -> Condition | None:
        view = self._venue.trading(ConditionId(condition_id.lower()))
        if view is None:
            return None
        payout = view.payout
        return Condition(
            view.spec.condition_id,
            view.spec.tokens,
            view.spec.neg_risk,
            None if payout is None else (payout.pays(0), payout.pays(1)),
        )

    @override
    def questions(self, neg_risk_market_id: str) -> Sequence[Condition]:
        wanted = neg_risk_market_id.lower()
        for event in self._venue.catalogue.events:
            if event.neg_risk and str(event.raw.get("negRiskMarketID", "")).lower() == wanted:
                found = [self.condition(market.condition_id) for market in event.markets]
                return [condition for condition in found if condition is not None]
        return []

    def apply(self, wallet: Address, effects: Sequence[Effect]) -> int:
        """Apply the effects of a batch, in one step of the exchange.

        Returns:
            The time of that, in unix milliseconds.
        """
        state = self._changing(wallet)
        for effect in effects:
            match effect:
                case Approved():
                    state.allowances[effect.spender] = str(effect.amount)
                case OperatorSet(is_approved=True):
                    state.operators.add(effect.operator)
                case OperatorSet():
                    state.operators.discard(effect.operator)
                case Split():
                    self._spend(state, effect)
                case _:
                    pass
        self._keep(wallet)

        def move(exchange: Exchange, now_ms: int) -> int:
            for effect in effects:
                self._move(exchange, wallet, effect, now_ms=now_ms)
            return now_ms

        return self._venue.act(move)

    def _move(self, exchange: Exchange, wallet: Address, effect: Effect, *, now_ms: int) -> None:
        match effect:
            case Sent():
                exchange.withdraw(wallet, Micros(effect.amount), now_ms=now_ms)
                if self._venue.records.is_user(effect.recipient):
                    exchange.deposit(effect.recipient, Micros(effect.amount), now_ms=now_ms)
            case Split():
                exchange.split(wallet, effect.condition_id, Micros(effect.amount), now_ms=now_ms)
            case Merged():
                exchange.merge(wallet, effect.condition_id, Micros(effect.amount), now_ms=now_ms)
            case Redeemed():
                exchange.redeem(wallet, effect.condition_id, now_ms=now_ms)
            case Converted():
                exchange.convert(
                    wallet, effect.given, effect.received, Micros(effect.amount), now_ms=now_ms
                )
            case Approved() | OperatorSet():
                pass

    def _spend(self, state: WalletState, effect: Split) -> None:
        view = self._venue.trading(effect.condition_id)
        is_neg_risk = view is not None and view.spec.neg_risk
        adapter = SETTLES_THROUGH[is_neg_risk]
        allowed = int(state.allowances.get(adapter, "0"))
        if allowed != MAX_UINT256:
            state.allowances[adapter] = str(max(allowed - effect.amount, 0))

    def _state(self, wallet: Address) -> WalletState:
        known = self._wallets.get(wallet)
        if known is not None:
            return known
        return _approved() if self._venue.accounts.is_deployed(wallet) else WalletState()

    def _changing(self, wallet: Address) -> WalletState:
        return self._wallets.setdefault(wallet, self._state(wallet))

    def _keep(self, wallet: Address) -> None:
        row = msgspec.json.encode(self._wallets[wallet])
        self._venue.write_notes(KIND, {wallet: row})
