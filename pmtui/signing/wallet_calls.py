"""The venue's contracts by name and every call that is made of them: what a batch is built from.

Targets come from the pinned table of `contracts` alone; whatever a host says of a contract is not used.
Names and purposes are ours, after the venue's own list of contracts (docs/wire.md#contract-calls, October 2026).
"""

from pmtui.domain.account.wallet_steps import Approval, ApprovalKind, ContractKind, NamedContract
from pmtui.domain.account.wallet_transactions import Call, DecodedCall
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing import calldata
from pmtui.signing.contracts import POLYGON, POLYGON_CHAIN_ID, Contracts, condition_id, token_ids
from pmtui.signing.eip712 import AddressError, HexError, bytes32, parse_address

AUTO_REDEEMER = Address("0xa1200000d0002264C9a1698e001292D00E1b00af")
"""Redeems for wallets that let it (polymarket-client 0.14.0, October 2026)."""
MOST_QUESTIONS = 256
"""Of a negative-risk event: the last byte of a question's id counts them."""


class WalletCalls:
    """Builds and reads calls on one chain."""

    def __init__(self, contracts: Contracts = POLYGON) -> None:
        self._contracts = contracts
        self.contracts = _named(contracts)

    @property
    def approvals(self) -> tuple[tuple[Approval, bool], ...]:
        """Trading, splitting, merging and redeeming need the first ones; the last is a convenience."""
        table = self._contracts
        exchanges = (table.exchange, table.neg_risk_exchange)
        adapters = (table.collateral_adapter, table.neg_risk_collateral_adapter)
        needed = [
            Approval(contract, kind)
            for kind in (ApprovalKind.CASH, ApprovalKind.SHARES)
            for contract in (*exchanges, *adapters)
        ]
        spare = Approval(AUTO_REDEEMER, ApprovalKind.SHARES)
        return (*((each, True) for each in needed), (spare, False))

    @property
    def factory(self) -> Address:
        """The contract through which the relayer reaches deposit wallets."""
        return self._contracts.wallets.deposit_factory

    def to_address(self, text: str) -> Address | None:
        """Return an address in its checksummed spelling; None where the text is none."""
        try:
            return parse_address(text.strip())
        except AddressError:
            return None

    def allow(self, approval: Approval, amount: int) -> Call:
        """Let a contract move cash up to an amount, or shares where the amount is not zero."""
        if approval.kind is ApprovalKind.CASH:
            return calldata.approve(self._contracts.collateral, approval.contract, amount)
        return calldata.set_operator(
            self._contracts.conditional_tokens, approval.contract, is_approved=amount > 0
        )

    def send(self, recipient: Address, amount: int) -> Call:
        """Send cash."""
        return calldata.transfer(self._contracts.collateral, recipient, amount)

    def split(self, condition: ConditionId, amount: int, *, neg_risk: bool) -> Call:
        """Turn cash into both outcomes."""
        return calldata.split(condition, amount, neg_risk=neg_risk, contracts=self._contracts)

    def merge(self, condition: ConditionId, amount: int, *, neg_risk: bool) -> Call:
        """Turn both outcomes into cash."""
        return calldata.merge(condition, amount, neg_risk=neg_risk, contracts=self._contracts)

    def redeem(self, condition: ConditionId, *, neg_risk: bool) -> Call:
        """Cash in all shares of a resolved market."""
        return calldata.redeem(condition, neg_risk=neg_risk, contracts=self._contracts)

    def convert(self, neg_risk_id: str, questions: int, amount: int) -> Call:
        """Turn No of some questions, a bit each, into Yes of the others and cash."""
        return calldata.convert(neg_risk_id, questions, amount, self._contracts)

    def decode(self, call: Call) -> DecodedCall | None:
        """Return what the bytes of a call mean; None where that is not wholly known."""
        return calldata.decode_call(call)

    def tokens_of(self, condition: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens of a condition; empty for no condition id, None on the test chain."""
        if self._contracts.chain_id != POLYGON_CHAIN_ID:
            return None
        try:
            return token_ids(condition, neg_risk=neg_risk)
        except HexError:
            return ()

    def question_index(self, neg_risk_id: str, condition: ConditionId) -> int | None:
        """Return which question of a negative-risk event a condition belongs to; None for none.

        A question's id is that of the event with its number as the last byte, and the id of its
        condition follows from it: no host is believed.
        """
        for index in range(MOST_QUESTIONS):
            found = self.condition_of(neg_risk_id, index)
            if found is None or found == condition.lower():
                return index if found is not None else None
        return None

    def condition_of(self, neg_risk_id: str, index: int) -> ConditionId | None:
        """Return the condition of a question of a negative-risk event; None where there is none."""
        if not 0 <= index < MOST_QUESTIONS:
            return None
        try:
            event = bytes32(neg_risk_id).hex()[:-2]
        except HexError:
            return None
        return condition_id(self._contracts.neg_risk_adapter, f"0x{event}{index:02x}")

    def adapter(self, *, neg_risk: bool) -> Address:
        """Return the contract that redeems a kind of market."""
        return calldata.adapter(self._contracts, neg_risk=neg_risk)

    def read_allowed(self, wallet: Address, approval: Approval) -> Call:
        """Return the read of an approval; its answer is a number."""
        table, spender = self._contracts, approval.contract
        if approval.kind is ApprovalKind.CASH:
            data = calldata.encode_call(calldata.ALLOWANCE, wallet, spender)
            return Call(table.collateral, data)
        data = calldata.encode_call(calldata.IS_APPROVED_FOR_ALL, wallet, spender)
        return Call(table.conditional_tokens, data)

    def read_payouts(self, condition: ConditionId) -> tuple[Call, Call, Call]:
        """Return the reads of a market's answer: its denominator, then both numerators."""
        target = self._contracts.conditional_tokens
        first, second = (
            Call(target, calldata.encode_call(calldata.PAYOUT_NUMERATORS, condition, index))
            for index in (0, 1)
        )
        below = calldata.encode_call(calldata.PAYOUT_DENOMINATOR, condition)
        return Call(target, below), first, second

    def read_held(self, wallet: Address, token_id: TokenId) -> Call:
        """Return the read of a balance of shares."""
        data = calldata.encode_call(calldata.BALANCE_OF_TOKEN, wallet, int(token_id))
        return Call(self._contracts.conditional_tokens, data)


def _named(contracts: Contracts) -> tuple[NamedContract, ...]:
    token, exchange, adapter = ContractKind.CURRENCY, ContractKind.EXCHANGE, ContractKind.ADAPTER
    other = ContractKind.OTHER
    return (
        NamedContract(contracts.collateral, "pUSD", token, "The cash that everything is paid in"),
        NamedContract(
            contracts.conditional_tokens, "Conditional Tokens", token, "Holds every outcome share"
        ),
        NamedContract(
            contracts.exchange, "Exchange", exchange, "Settles trades in regular markets"
        ),
        NamedContract(
            contracts.neg_risk_exchange,
            "Neg-risk exchange",
            exchange,
            "Settles trades in markets of negative-risk events",
        ),
        NamedContract(
            contracts.collateral_adapter,
            "Collateral adapter",
            adapter,
            "Splits, merges and redeems regular markets",
        ),
        NamedContract(
            contracts.neg_risk_collateral_adapter,
            "Neg-risk collateral adapter",
            adapter,
            "Splits, merges, redeems and converts markets of negative-risk events",
        ),
        NamedContract(
            AUTO_REDEEMER, "Auto-redeemer", other, "The venue redeems for you, when it likes"
        ),
        NamedContract(
            contracts.neg_risk_adapter, "Old neg-risk adapter", other, "Not called any more"
        ),
        NamedContract(
            contracts.wallets.deposit_factory, "Wallet factory", other, "Makes deposit wallets"
        ),
        NamedContract(contracts.collateral_onramp, "Onramp", other, "Turns USDC.e into pUSD"),
        NamedContract(contracts.collateral_offramp, "Offramp", other, "Turns pUSD into USDC.e"),
        NamedContract(contracts.combos_router, "Combos router", other, "Markets of the newer kind"),
    )
