"""Histories and holdings of accounts from the venue's records: the basis of the analytics host.

Costs are kept per token as averages: a purchase adds to them, a sale removes its share. A split buys each
token for half a dollar, a merge sells it for that; the cost of the No shares in a conversion becomes the
cost of the Yes shares, less the cash received. Fees are counted separately. Failed trades do not count.
"""

from collections.abc import Iterable, Sequence
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


class EntryKind(Enum):
    """The type of a history entry."""

    TRADE = "TRADE"
    SPLIT = "SPLIT"
    MERGE = "MERGE"
    REDEEM = "REDEEM"
    CONVERSION = "CONVERSION"
    DEPOSIT = "DEPOSIT"
    WITHDRAWAL = "WITHDRAWAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of an account's history."""

    kind: EntryKind
    account: Address
    at_ms: int
    cash: Micros
    """Dollars paid or received, before fees."""
    condition_id: ConditionId = _NO_MARKET
    token_id: TokenId = _NO_TOKEN
    """Empty if it concerns both tokens at once."""
    side: Side | None = None
    size: Micros = ZERO
    price: Micros = ZERO
    fee: Micros = ZERO
    is_taker: bool = True
    transaction_hash: str = ""
    given: tuple[tuple[ConditionId, TokenId], ...] = ()
    """Tokens given up in a conversion, `size` shares of each."""
    received: tuple[tuple[ConditionId, TokenId], ...] = ()


@dataclass(slots=True)
class Holding:
    """An account's position in one token, open or past."""

    account: Address
    condition_id: ConditionId
    token_id: TokenId
    size: Micros = ZERO
    cost: Micros = ZERO
    """Cost of the current shares."""
    bought: Micros = ZERO
    """Shares ever acquired."""
    paid: Micros = ZERO
    """Dollars paid for them."""
    realized: Micros = ZERO
    fees: Micros = ZERO
    first_ms: int = 0
    last_ms: int = 0

    @property
    def average_price(self) -> Micros:
        """The cost per share: of current shares, or of all ever held once none is left."""
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
        """Remove shares for their proceeds.

        Simulated accounts may hold shares from before the records: those have no gain.
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
    """Return the entries of a trade for its taker and every maker, the taker first."""
    if trade.status is TradeStatus.FAILED:
        return []
    taker = Entry(
        kind=EntryKind.TRADE,
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
            kind=EntryKind.TRADE,
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
    """Return an account's whole history, oldest first.

    For simulated accounts only the trades still on the public tape are known.
    """
    records = venue.records
    trades = records.trades_of(account) if records.is_user(account) else records.all_recent()
    entries = [
        entry for trade in trades for entry in entries_of_trade(trade) if entry.account == account
    ]
    entries += _ledger_entries(venue, records.ledger_of(account))
    # Within one millisecond shares are created before they are traded, and redeemed after it.
    entries.sort(key=lambda entry: (entry.at_ms, _RANKS[entry.kind]))
    return entries


_RANKS = {
    EntryKind.DEPOSIT: 0,
    EntryKind.SPLIT: 1,
    EntryKind.TRADE: 2,
    EntryKind.MERGE: 3,
    EntryKind.REDEEM: 4,
    EntryKind.CONVERSION: 4,
    EntryKind.WITHDRAWAL: 5,
}
_ENTRY_KINDS = {
    Cause.DEPOSIT: EntryKind.DEPOSIT,
    Cause.WITHDRAWAL: EntryKind.WITHDRAWAL,
    Cause.SPLIT: EntryKind.SPLIT,
    Cause.MERGE: EntryKind.MERGE,
    Cause.REDEEM: EntryKind.REDEEM,
    Cause.CONVERT: EntryKind.CONVERSION,
}


def _ledger_entries(venue: Venue, lines: Iterable[BalanceChanged]) -> list[Entry]:
    # Splits and merges show in their collateral line; others need each token's size.
    entries = []
    converting: list[BalanceChanged] = []
    for line in lines:
        if converting and not _continues(converting[-1], line):
            entries.append(_conversion(converting))
            converting = []
        kind = _ENTRY_KINDS.get(line.cause)
        if kind is EntryKind.CONVERSION:
            converting.append(line)
            continue
        is_of_token = line.token_id is not None
        if kind is None or (kind is EntryKind.REDEEM) != is_of_token:
            continue
        size = Micros(abs(line.change))
        cash = size if line.token_id is None else _redeemed(venue, line.token_id, size)
        is_of_market = kind not in (EntryKind.DEPOSIT, EntryKind.WITHDRAWAL)
        entries.append(
            Entry(
                kind=kind,
                account=line.account,
                at_ms=line.at_ms,
                cash=cash,
                condition_id=ConditionId(line.reference if is_of_market else ""),
                token_id=line.token_id or TokenId(""),
                size=size,
            )
        )
    return [*entries, _conversion(converting)] if converting else entries


def _continues(before: BalanceChanged, line: BalanceChanged) -> bool:
    """Whether a line belongs to the same conversion as the one before: shares out, shares in, then cash."""
    is_same = line.cause is Cause.CONVERT and line.at_ms == before.at_ms
    is_new = line.token_id is not None and line.change < 0 <= before.change
    return is_same and before.token_id is not None and not is_new


def _conversion(lines: Sequence[BalanceChanged]) -> Entry:
    """Return the single entry for a conversion's lines."""
    shares = [
        (ConditionId(each.reference), each.token_id, each.change)
        for each in lines
        if each.token_id is not None
    ]
    return Entry(
        kind=EntryKind.CONVERSION,
        account=lines[0].account,
        at_ms=lines[0].at_ms,
        cash=Micros(sum(each.change for each in lines if each.token_id is None)),
        condition_id=ConditionId(lines[0].reference),
        size=Micros(abs(lines[0].change)),
        given=tuple((condition, token) for condition, token, change in shares if change < 0),
        received=tuple((condition, token) for condition, token, change in shares if change > 0),
    )


def _redeemed(venue: Venue, token_id: TokenId, size: Micros) -> Micros:
    return notional_floor(price_of(venue, token_id), size)


def price_of(venue: Venue, token_id: TokenId) -> Micros:
    """Return the value of a share: the payout once known, else the midpoint of the book."""
    market = venue.market_of_token(token_id)
    if market is None:
        return ZERO
    first = first_price(venue, market)
    return first if token_id == market.token_ids[0] else Micros(ONE - first)


def is_resolved(venue: Venue, condition_id: ConditionId) -> bool:
    """Return whether a market's shares can be redeemed."""
    view = venue.trading(condition_id)
    return view is not None and view.payout is not None


def holdings_of(venue: Venue, account: Address) -> list[Holding]:
    """Return an account's holdings, open and past.

    Simulated accounts have no ledger: their holdings count as bought at the current price.
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


def _convert(book: Book, entry: Entry) -> list[Holding]:
    """Transfer the cost of the shares given to the shares received, less the cash received.

    There is no gain, unless the cash alone is more than the cost.
    """
    given = [book.of(*each) for each in entry.given]
    received = [book.of(*each) for each in entry.received]
    carried = -entry.cash
    for holding in given:
        known = min(entry.size, holding.size)
        share = Micros(holding.cost * known // holding.size if holding.size else 0)
        carried += share
        holding.dispose(entry.size, share)
    if carried < 0 or not received:
        given[0].realized = Micros(given[0].realized - carried)
        carried = 0
    for number, holding in enumerate(received):
        # To the millionth: the remainder of the division goes to the first.
        part = carried // len(received) + (number < carried % len(received))
        holding.acquire(entry.size, Micros(part))
    return [*given, *received]


def apply_entry(venue: Venue, book: Book, entry: Entry) -> None:
    """Apply one entry of an account's history to its holdings."""
    half = Micros(entry.size // 2)
    match entry.kind:
        case EntryKind.TRADE | EntryKind.REDEEM:
            holding = book.of(entry.condition_id, entry.token_id)
            if entry.side is Side.BUY:
                holding.acquire(entry.size, entry.cash)
            else:
                holding.dispose(entry.size, entry.cash)
            touched = [holding]
        case EntryKind.SPLIT | EntryKind.MERGE:
            # Half of the dollar is the cost, or the proceeds, of each token.
            market = venue.market(entry.condition_id)
            tokens = market.token_ids if market else ()
            touched = [book.of(entry.condition_id, token_id) for token_id in tokens]
            for holding in touched:
                move = holding.acquire if entry.kind is EntryKind.SPLIT else holding.dispose
                move(entry.size, half)
        case EntryKind.CONVERSION:
            touched = _convert(book, entry)
        case _:
            touched = []
    for holding in touched:
        holding.fees = Micros(holding.fees + entry.fee)
        holding.first_ms = holding.first_ms or entry.at_ms
        holding.last_ms = entry.at_ms
