"""The ledger: collateral, shares, locked pools and fees, in integers.

Nothing appears or vanishes: the sum of all collateral, pools and fees equals the net deposits, and
while a market trades, exactly one share of each of its tokens is outstanding per dollar in its
pool.
"""

from dataclasses import dataclass, field

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.events import BalanceChanged, Cause, EventLog
from pmtui.sim.engine.terms import AccountView, MarketSpec, Permission


@dataclass(slots=True, eq=False)
class Account:
    """One owner's collateral and shares, with the reservations of resting orders."""

    address: Address
    is_simulated: bool
    is_unlimited: bool
    standing: Permission = Permission.GOOD
    collateral: int = 0
    reserved: int = 0
    shares: dict[TokenId, int] = field(default_factory=dict)
    reserved_shares: dict[TokenId, int] = field(default_factory=dict)

    def held(self, token_id: TokenId | None) -> Micros:
        """Return the whole balance of collateral (None) or of a token."""
        return Micros(self.collateral if token_id is None else self.shares.get(token_id, 0))

    def spoken_for(self, token_id: TokenId | None) -> Micros:
        """Return the amount reserved by resting orders."""
        return Micros(self.reserved if token_id is None else self.reserved_shares.get(token_id, 0))

    def available(self, token_id: TokenId | None) -> Micros:
        """Return the amount available to a new order."""
        return Micros(self.held(token_id) - self.spoken_for(token_id))

    def view(self) -> AccountView:
        """Return the account's current state."""
        return AccountView(
            account=self.address,
            collateral=Micros(self.collateral),
            reserved=Micros(self.reserved),
            shares={token: Micros(size) for token, size in self.shares.items()},
            reserved_shares={token: Micros(size) for token, size in self.reserved_shares.items()},
        )


class Ledger:
    """All accounts, the collateral locked in each market, and the fees collected."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self.accounts: dict[Address, Account] = {}
        self.pools: dict[ConditionId, int] = {}
        self.fees = 0
        self.deposited = 0
        """Deposits minus withdrawals of all time, which the whole ledger must sum to."""

    def open(self, address: Address, *, simulated: bool, unlimited: bool) -> Account:
        """Return the account, created if it is new."""
        account = self.accounts.get(address)
        if account is None:
            account = Account(address, is_simulated=simulated, is_unlimited=unlimited)
            self.accounts[address] = account
        return account

    def add_collateral(
        self, account: Account, change: int, *, cause: Cause, reference: str = ""
    ) -> None:
        """Add to (or take from) an account; the caller moves the counterpart."""
        account.collateral += change
        if change and not account.is_simulated:
            self._note(account, None, change, cause, reference)

    def add_shares(
        self, account: Account, token_id: TokenId, change: int, *, cause: Cause, reference: str
    ) -> None:
        """Add to (or take from) an account's shares; an empty position is removed."""
        size = account.shares.get(token_id, 0) + change
        if size:
            account.shares[token_id] = size
        else:
            account.shares.pop(token_id, None)
        if change and not account.is_simulated:
            self._note(account, token_id, change, cause, reference)

    def deposit(self, account: Account, amount: int) -> None:
        """Add collateral from outside; a negative amount removes it."""
        self.deposited += amount
        cause = Cause.DEPOSIT if amount > 0 else Cause.WITHDRAWAL
        self.add_collateral(account, amount, cause=cause)

    def split(self, account: Account, spec: MarketSpec, pairs: int) -> None:
        """Lock collateral and create pairs of shares; a negative number dissolves pairs."""
        cause = Cause.SPLIT if pairs > 0 else Cause.MERGE
        reference = spec.condition_id
        self.add_collateral(account, -pairs, cause=cause, reference=reference)
        self.pools[reference] += pairs
        for token_id in spec.tokens:
            self.add_shares(account, token_id, pairs, cause=cause, reference=reference)

    def take_fee(self, account: Account, fee: int, *, reference: str) -> None:
        """Move a fee from an account to the house; a negative fee refunds it."""
        self.fees += fee
        self.add_collateral(account, -fee, cause=Cause.FEE, reference=reference)

    def hold(self, account: Account, order: RestingOrder, *, sign: int) -> None:
        """Reserve the amount that the order still needs (sign 1), or release it (sign -1)."""
        if order.side is Side.BUY:
            account.reserved += sign * order.held
            return
        size = account.reserved_shares.get(order.token_id, 0) + sign * order.held
        if size:
            account.reserved_shares[order.token_id] = size
        else:
            account.reserved_shares.pop(order.token_id, None)

    def cover(
        self, account: Account, spec: MarketSpec, token_id: TokenId | None, need: int
    ) -> None:
        """Fund an unlimited account with what it lacks: a recorded deposit, split if shares are missing."""
        lack = need - account.available(token_id)
        if lack <= 0:
            return
        self.deposit(account, lack)
        if token_id is not None:
            self.split(account, spec, lack)

    def total(self) -> Micros:
        """Return all collateral in the ledger; always equals `deposited`."""
        held = sum(account.collateral for account in self.accounts.values())
        return Micros(held + sum(self.pools.values()) + self.fees)

    def outstanding(self, token_id: TokenId) -> Micros:
        """Return how many shares of a token exist."""
        return Micros(sum(account.shares.get(token_id, 0) for account in self.accounts.values()))

    def _note(
        self, account: Account, token_id: TokenId | None, change: int, cause: Cause, reference: str
    ) -> None:
        self._events.add(
            BalanceChanged(
                account=account.address,
                token_id=token_id,
                balance=account.held(token_id),
                change=Micros(change),
                cause=cause,
                reference=reference,
                at_ms=self._events.now_ms,
            )
        )
