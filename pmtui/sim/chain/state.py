"""What the chain remembers beside balances: approvals, nonces of wallets, and blocks by the clock.

Balances are the exchange's ledger: there is one truth about who owns what. A wallet that the
operator funds is deployed and may trade; one that is to practise the way there begins with nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import msgspec
from typing_extensions import override

from pmtui.domain.account.wallet_call import MAX_UINT256
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.chain.contracts import (
    Approved,
    Condition,
    Converted,
    Effect,
    Merged,
    OperatorSet,
    Redeemed,
    Sent,
    Split,
    World,
)
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.venue import Venue

KIND = "chain wallet"
BLOCK_MS = 2_000
FIRST_BLOCK = 92_000_000
FIRST_BLOCK_MS = 1_786_000_000_000
"""A block of August 2026, roughly."""
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
"""What the official library lets wallets approve, by token (polymarket-client 0.14.0, 2026-10)."""


@dataclass(slots=True)
class WalletState:
    """Approvals and counter of one wallet."""

    nonce: int = 0
    allowances: dict[Address, str] = field(default_factory=dict)
    """Decimal texts: JSON has no numbers of 256 bits."""
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
    """The chain that a venue's wallets live on."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._wallets = {Address(name): _decode(row) for name, row in venue.notes(KIND)}

    @property
    def block_number(self) -> int:
        """The newest block; one comes every two seconds of the venue's time."""
        return self.block_at(self._venue.clock.now_ms())

    def block_at(self, at_ms: int) -> int:
        """Return the block of a moment."""
        return FIRST_BLOCK + max(at_ms - FIRST_BLOCK_MS, 0) // BLOCK_MS

    def begin(self, wallet: Address) -> None:
        """Let a wallet begin with no approvals: it was deployed by its owner."""
        self._wallets.setdefault(wallet, WalletState())
        self._keep(wallet)

    def nonce(self, wallet: Address) -> int:
        """Return how many batches a wallet has executed."""
        state = self._wallets.get(wallet)
        return 0 if state is None else state.nonce

    def count_batch(self, wallet: Address) -> None:
        """Note that a batch was executed."""
        self._changing(wallet).nonce += 1
        self._keep(wallet)

    def may_trade(self, wallet: Address, token_id: TokenId, side: Side) -> bool:
        """Return whether the exchange of a market may take what an order gives."""
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

    def apply(self, wallet: Address, effects: Sequence[Effect]) -> None:
        """Make what a batch does true, in one step of the exchange."""
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

        def move(exchange: Exchange, now_ms: int) -> None:
            for effect in effects:
                self._move(exchange, wallet, effect, now_ms=now_ms)

        self._venue.act(move)

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
