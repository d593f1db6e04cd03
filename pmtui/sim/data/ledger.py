"""What an account did and holds, told from the venue's own records: the base of the analytics host.

Costs are kept per token as averages: a purchase adds to them, a sale takes its share of them away.
Fees are counted beside, never inside. Trades that failed do not count.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.clob.markets import first_price
from pmtui.sim.engine.events import BalanceChanged, Cause, Trade
from pmtui.sim.venue import Venue

_NO_MARKET = ConditionId("")
_NO_TOKEN = TokenId("")


class Deed(Enum):
    """What an account did."""

    TRADE = "TRADE"
    SPLIT = "SPLIT"
    MERGE = "MERGE"
    REDEEM = "REDEEM"
    CONVERSION = "CONVERSION"
    DEPOSIT = "DEPOSIT"
    WITHDRAWAL = "WITHDRAWAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of an account's history."""

    deed: Deed
    account: Address
    at_ms: int
    cash: Micros
    """Dollars paid or received, without fee."""
    condition_id: ConditionId = _NO_MARKET
    token_id: TokenId = _NO_TOKEN
    """Empty for what is done to both tokens at once."""
    side: Side | None = None
    size: Micros = ZERO
    price: Micros = ZERO
    fee: Micros = ZERO
    is_taker: bool = True
    transaction_hash: str = ""


@dataclass(slots=True)
class Holding:
    """An account's position in one token, open or past."""

    account: Address
    condition_id: ConditionId
    token_id: TokenId
    size: Micros = ZERO
    cost: Micros = ZERO
    """Of what is held now."""
    bought: Micros = ZERO
    """Shares ever acquired."""
    paid: Micros = ZERO
    """Dollars for these."""
    realized: Micros = ZERO
    fees: Micros = ZERO
    first_ms: int = 0
    last_ms: int = 0

    @property
    def average_price(self) -> Micros:
        """What a share cost: of those held, or of all ever held once none is left."""
        if self.size:
            return Micros(self.cost * ONE // self.size)
        return Micros(self.paid * ONE // self.bought) if self.bought else ZERO

    def acquire(self, size: Micros, cash: Micros) -> None:
        """Add shares at their cost."""
        self.size = Micros(self.size + size)
        self.cost = Micros(self.cost + cash)
        self.bought = Micros(self.bought + size)
        self.paid = Micros(self.paid + cash)

    def dispose(self, size: Micros, cash: Micros) -> None:
        """Take shares away for what they brought.

        Of simulated accounts some were acquired before anything is known: those gain nothing.
        """
        known = min(size, self.size)
        share = self.cost * known // self.size if self.size else 0
        brought = cash * known // size if size else cash
        self.size = Micros(self.size - known)
        self.cost = Micros(self.cost - share)
        self.realized = Micros(self.realized + brought - share)


@dataclass(slots=True)
class Book:
    """The holdings of one account by token."""

    account: Address
    holdings: dict[TokenId, Holding] = field(default_factory=dict)

    def of(self, condition_id: ConditionId, token_id: TokenId) -> Holding:
        """Return the holding of a token, an empty one at first."""
        holding = self.holdings.get(token_id)
        if holding is None:
            holding = self.holdings[token_id] = Holding(self.account, condition_id, token_id)
        return holding


def entries_of_trade(trade: Trade) -> list[Entry]:
    """Return a trade as its taker and every maker saw it, the taker first."""
    if trade.status is TradeStatus.FAILED:
        return []
    taker = Entry(
        deed=Deed.TRADE,
        account=trade.taker_account,
        at_ms=trade.matched_ms,
        cash=trade.cash,
        condition_id=trade.condition_id,
        token_id=trade.token_id,
        side=trade.side,
        size=trade.size,
        price=trade.price,
        fee=trade.fee,
        transaction_hash=trade.transaction_hash,
    )
    makers = [
        Entry(
            deed=Deed.TRADE,
            account=fill.account,
            at_ms=trade.matched_ms,
            cash=fill.cash,
            condition_id=trade.condition_id,
            token_id=fill.token_id,
            side=fill.side,
            size=fill.size,
            price=fill.price,
            is_taker=False,
            transaction_hash=trade.transaction_hash,
        )
        for fill in trade.makers
    ]
    return [taker, *makers]


def history_of(venue: Venue, account: Address) -> list[Entry]:
    """Return everything an account did, oldest first.

    Of simulated accounts only what the public tape still holds is known.
    """
    records = venue.records
    trades = records.trades_of(account) if records.is_user(account) else records.all_recent()
    entries = [
        entry for trade in trades for entry in entries_of_trade(trade) if entry.account == account
    ]
    entries += _ledger_entries(venue, records.ledger_of(account))
    # Within one millisecond shares come into being before they are traded, and end after it.
    entries.sort(key=lambda entry: (entry.at_ms, _RANKS[entry.deed]))
    return entries


_RANKS = {
    Deed.DEPOSIT: 0,
    Deed.SPLIT: 1,
    Deed.TRADE: 2,
    Deed.MERGE: 3,
    Deed.REDEEM: 4,
    Deed.CONVERSION: 4,
    Deed.WITHDRAWAL: 5,
}
_DEEDS = {
    Cause.DEPOSIT: Deed.DEPOSIT,
    Cause.WITHDRAWAL: Deed.WITHDRAWAL,
    Cause.SPLIT: Deed.SPLIT,
    Cause.MERGE: Deed.MERGE,
    Cause.REDEEM: Deed.REDEEM,
    Cause.CONVERT: Deed.CONVERSION,
}


def _ledger_entries(venue: Venue, lines: Iterable[BalanceChanged]) -> list[Entry]:
    # Splits and merges show in their collateral line; others need each token's size.
    entries = []
    for line in lines:
        deed = _DEEDS.get(line.cause)
        if deed is None:
            continue
        is_of_token = line.token_id is not None
        if deed is not Deed.CONVERSION and (deed is Deed.REDEEM) != is_of_token:
            continue
        size = Micros(abs(line.change))
        if line.token_id is None:
            cash, size = size, ZERO if deed is Deed.CONVERSION else size
        else:
            cash = _redeemed(venue, line.token_id, size) if deed is Deed.REDEEM else ZERO
        is_of_market = deed not in (Deed.DEPOSIT, Deed.WITHDRAWAL)
        entries.append(
            Entry(
                deed=deed,
                account=line.account,
                at_ms=line.at_ms,
                cash=cash,
                condition_id=ConditionId(line.reference if is_of_market else ""),
                token_id=line.token_id or TokenId(""),
                side=_side_of(line) if deed is Deed.CONVERSION else None,
                size=size,
            )
        )
    return entries


def _side_of(line: BalanceChanged) -> Side:
    return Side.BUY if line.change > 0 else Side.SELL


def _redeemed(venue: Venue, token_id: TokenId, size: Micros) -> Micros:
    return notional_floor(price_of(venue, token_id), size)


def price_of(venue: Venue, token_id: TokenId) -> Micros:
    """Return what a share is worth: the payout once known, else the middle of the book."""
    market = venue.market_of_token(token_id)
    if market is None:
        return ZERO
    first = first_price(venue, market)
    return first if token_id == market.token_ids[0] else Micros(ONE - first)


def is_resolved(venue: Venue, condition_id: ConditionId) -> bool:
    """Tell whether a market's shares can be redeemed."""
    view = venue.trading(condition_id)
    return view is not None and view.payout is not None


def holdings_of(venue: Venue, account: Address) -> list[Holding]:
    """Return an account's holdings, open and past.

    Simulated accounts leave no ledger: what they hold counts as bought at today's price.
    """
    if not venue.records.is_user(account):
        return _unrecorded(venue, account)
    book = Book(account)
    for entry in history_of(venue, account):
        if entry.condition_id:
            apply_entry(venue, book, entry)
    return list(book.holdings.values())


def _unrecorded(venue: Venue, account: Address) -> list[Holding]:
    view = venue.exchange.reads.account(account)
    holdings = []
    for token_id, size in (view.shares if view else {}).items():
        condition_id = venue.exchange.reads.market_of(token_id)
        if condition_id is not None:
            holding = Holding(account, condition_id, token_id)
            holding.acquire(size, notional_floor(price_of(venue, token_id), size))
            holdings.append(holding)
    return holdings


def apply_entry(venue: Venue, book: Book, entry: Entry) -> None:
    """Let one line of an account's history change its holdings."""
    half = Micros(entry.size // 2)
    match entry.deed:
        case Deed.TRADE | Deed.REDEEM:
            holding = book.of(entry.condition_id, entry.token_id)
            if entry.side is Side.BUY:
                holding.acquire(entry.size, entry.cash)
            else:
                holding.dispose(entry.size, entry.cash)
            touched = [holding]
        case Deed.SPLIT | Deed.MERGE:
            # Half of the dollar is the cost, or the yield, of either token.
            market = venue.market(entry.condition_id)
            tokens = market.token_ids if market else ()
            touched = [book.of(entry.condition_id, token_id) for token_id in tokens]
            for holding in touched:
                move = holding.acquire if entry.deed is Deed.SPLIT else holding.dispose
                move(entry.size, half)
        case Deed.CONVERSION:
            # What is given up is all cost, what comes for it all gain: the sum is what counts.
            market = venue.market(entry.condition_id)
            token_id = entry.token_id or (market.token_ids[1] if market else _NO_TOKEN)
            touched = [holding := book.of(entry.condition_id, token_id)]
            if not entry.token_id:
                holding.realized = Micros(holding.realized + entry.cash)
            elif entry.side is Side.BUY:
                holding.acquire(entry.size, ZERO)
            else:
                holding.dispose(entry.size, ZERO)
        case _:
            touched = []
    for holding in touched:
        holding.fees = Micros(holding.fees + entry.fee)
        holding.first_ms = holding.first_ms or entry.at_ms
        holding.last_ms = entry.at_ms
