"""Makers' earnings: liquidity rewards by the score of their orders, and rebates of takers' fees.

An order's score follows the published terms of the program (2026): it is higher nearer to the
midpoint; the weaker of an account's two sides counts, or a third of the stronger if the midpoint is
not near an end. Scores are sampled once a minute against all others in the market. A sample is worth
a minute of the market's daily rate, divided by score and rounded down to a millionth of a dollar.
There are no samples while the venue is down.

The market's rebate share of every trade's fee belongs to its makers, in proportion to their shares.
A trade has one price, so this is the published share of fee-equivalent volume. Failed trades pay no
fee in the end. Rewards and rebates are reported, never paid: the ledger has trades and deposits
only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction

from pmtui.domain.ids import Address, ConditionId, OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, complement
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.engine.events import Trade
from pmtui.sim.engine.terms import MarketView, OrderView
from pmtui.sim.venue import Venue

ONE_SIDED_DIVISOR = 3
NEAR_ENDS = Micros(ONE // 10)
"""Within this distance of 0 or 1, quotes on one side only score nothing."""


@dataclass(frozen=True, slots=True)
class RewardTerms:
    """The conditions for an order to score."""

    min_size: Micros
    """Shares."""
    max_spread: Micros
    """Distance from the midpoint, in price units."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A resting order in terms of the first token."""

    account: Address
    is_bid: bool
    """Whether it is a BUY of the first token or a SELL of the second."""
    price: Micros
    size: Micros
    """Shares that can still match."""


def quote_score(quote: Quote, middle: Micros, terms: RewardTerms) -> Fraction:
    """Return the score of one order: S times its shares; 0 if it is too small or too far away."""
    away = abs(quote.price - middle)
    if quote.size < terms.min_size or away >= terms.max_spread:
        return Fraction(0)
    nearness = Fraction(terms.max_spread - away, terms.max_spread)
    return nearness**2 * Fraction(quote.size, SCALE)


def account_scores(
    quotes: Iterable[Quote], middle: Micros, terms: RewardTerms
) -> dict[Address, Fraction]:
    """Return the score of every account that has one."""
    sides: dict[Address, list[Fraction]] = {}
    for quote in quotes:
        score = quote_score(quote, middle, terms)
        if score:
            sides.setdefault(quote.account, [Fraction(0), Fraction(0)])[quote.is_bid] += score
    is_near_end = not NEAR_ENDS <= middle <= ONE - NEAR_ENDS
    scores = {}
    for account, both in sides.items():
        score = min(both)
        if not is_near_end:
            score = max(score, max(both) / ONE_SIDED_DIVISOR)
        if score:
            scores[account] = score
    return scores


def shares_of(scores: dict[Address, Fraction]) -> dict[Address, Fraction]:
    """Return each account's share of a market's reward; all shares add up to 1."""
    total = sum(scores.values(), Fraction(0))
    return {account: score / total for account, score in scores.items()}


KIND = "earning"
SAMPLE_MS = 60_000
SAMPLES_A_DAY = 1_440


@dataclass(frozen=True, slots=True)
class Earning:
    """The earnings of an account in a market on a day (UTC)."""

    day: date
    condition_id: ConditionId
    maker: Address
    amount: Micros


class Rewards:
    """Current scores, and earnings so far."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._sampled_ms = venue.clock.now_ms()
        self._earned: dict[tuple[date, ConditionId, Address], Micros] = {}
        for name, row in venue.notes(KIND):
            day, condition_id, maker = name.split(" ")
            key = date.fromisoformat(day), ConditionId(condition_id), Address(maker)
            self._earned[key] = Micros(int(row))

    def tick(self) -> None:
        """Take a sample if it is due; missed samples are not made up."""
        now_ms = self._venue.clock.now_ms()
        if now_ms - self._sampled_ms < SAMPLE_MS:
            return
        self._sampled_ms = now_ms
        self._sample(self._venue.clock.now().date())

    def _sample(self, day: date) -> None:
        changed: dict[str, bytes | None] = {}
        for condition_id in self._quoted_markets():
            market = self._venue.market(condition_id)
            if market is None:
                continue
            for maker, share in self.shares(market).items():
                earned = int(market.rewards.daily_rate * share / SAMPLES_A_DAY)
                if earned and self._venue.records.is_user(maker):
                    key = day, condition_id, maker
                    amount = self._earned[key] = Micros(self._earned.get(key, ZERO) + earned)
                    changed[f"{day.isoformat()} {condition_id} {maker}"] = str(amount).encode()
        self._venue.write_notes(KIND, changed)

    def _quoted_markets(self) -> list[ConditionId]:
        markets: dict[ConditionId, None] = {}
        for user in self._venue.records.users():
            markets.update(dict.fromkeys(self._venue.exchange.reads.markets_quoted_by(user)))
        return list(markets)

    def earnings(self, day: date | None = None, *, maker: Address | None = None) -> list[Earning]:
        """Return the earnings, of one day or one maker if given."""
        return [
            Earning(on, condition_id, account, amount)
            for (on, condition_id, account), amount in self._earned.items()
            if day in (None, on) and maker in (None, account)
        ]

    def scores(self, market: CatalogueMarket) -> dict[Address, Fraction]:
        """Return the current score of every account in a market."""
        found = self._ground(market)
        if found is None:
            return {}
        view, middle = found
        resting = self._venue.exchange.reads.resting(market.condition_id)
        quotes = (_quote(order, view) for order in resting)
        return account_scores(quotes, middle, _terms(market))

    def shares(self, market: CatalogueMarket) -> dict[Address, Fraction]:
        """Return the share of a market's reward that every account would earn now."""
        return shares_of(self.scores(market))

    def percentages(self, maker: Address) -> dict[ConditionId, float]:
        """Return an account's shares in the markets it quotes, in percent."""
        found = {}
        for condition_id in self._venue.exchange.reads.markets_quoted_by(maker):
            market = self._venue.market(condition_id)
            share = None if market is None else self.shares(market).get(maker)
            if share:
                found[condition_id] = round(float(share * 100), 4)
        return found

    def is_scoring(self, order_id: OrderId) -> bool:
        """Return whether an order earns now, by itself and as part of its maker's quotes."""
        order = self._venue.exchange.reads.order(order_id)
        market = None if order is None else self._venue.market(order.condition_id)
        if order is None or market is None:
            return False
        found = self._ground(market)
        if found is None:
            return False
        view, middle = found
        is_near = quote_score(_quote(order, view), middle, _terms(market)) > 0
        return is_near and order.account in self.scores(market)

    def _ground(self, market: CatalogueMarket) -> tuple[MarketView, Micros] | None:
        # Without a rate, or without both sides, there is no midpoint to measure from.
        view = self._venue.trading(market.condition_id)
        if view is None or view.payout is not None or not market.rewards.daily_rate:
            return None
        bid, ask = self._venue.exchange.reads.top(view.spec.tokens[0])
        return None if bid is None or ask is None else (view, Micros((bid + ask) // 2))


def _terms(market: CatalogueMarket) -> RewardTerms:
    return RewardTerms(market.rewards.min_size, market.rewards.max_spread)


def _quote(order: OrderView, market: MarketView) -> Quote:
    is_first = order.token_id == market.spec.tokens[0]
    return Quote(
        account=order.account,
        is_bid=(order.side is Side.BUY) == is_first,
        price=order.price if is_first else complement(order.price),
        size=Micros(order.original_size - order.matched_size),
    )


@dataclass(frozen=True, slots=True)
class Rebate:
    """A maker's rebate in a market for a day (UTC)."""

    day: date
    condition_id: ConditionId
    maker: Address
    amount: Micros


def rebate_of(trade: Trade, maker: Address, rebate_rate: Micros) -> Micros:
    """Return one maker's share of the rebate on a trade, rounded down."""
    given = sum(fill.size for fill in trade.makers if fill.account == maker)
    return Micros(trade.fee * rebate_rate * given // (SCALE * trade.size))


def rebates(venue: Venue, *, day: date | None = None, maker: Address | None = None) -> list[Rebate]:
    """Return the rebates of accounts that are not simulated, of one day or one maker if given."""
    sums: dict[tuple[date, ConditionId, Address], Micros] = {}
    for account in venue.records.users() if maker is None else (maker,):
        for trade in venue.records.trades_of(account):
            on = datetime.fromtimestamp(trade.matched_ms / 1_000, UTC).date()
            market = venue.market(trade.condition_id)
            if market is None or trade.status is TradeStatus.FAILED or day not in (None, on):
                continue
            amount = rebate_of(trade, account, market.fee.rebate_rate)
            if amount:
                key = on, trade.condition_id, account
                sums[key] = Micros(sums.get(key, ZERO) + amount)
    return [Rebate(*key, amount) for key, amount in sums.items()]
