"""What is ours in the pictures: positions, orders, fills, and the log of how they came about."""

from dataclasses import replace
from random import Random

from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.account.pnl import DayFigures, EquityPoint
from pmtui.domain.account.position import Position
from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder
from pmtui.domain.ids import ConditionId, OrderId, TradeId
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Fill,
    Liquidity,
    Order,
    OrderStatus,
    TimeInForce,
    TradeStatus,
)
from pmtui.service.views import AccountView, EarnedView, Load, LogEntry, LogView
from pmtui.service.views import Level as NoticeLevel
from tests.scenes.prices import CENT, DOLLAR, ago
from tests.ui.onboarded import READY

DAY_OF_OURS = DayFigures(Micros(25_180_000), realized=Micros(12_400_000), fees=Micros(1_810_000))


def equity_until(value: Micros) -> tuple[EquityPoint, ...]:
    """Return a day of equity that ends at a value now."""
    walk, at = Random(11), -DAY_OF_OURS.total
    points = []
    for minutes in range(700, 0, -5):
        points.append(EquityPoint(ago(60 * minutes), Micros(value + at)))
        at += walk.randrange(-1_700_000, 2_100_000)
        at = min(at, 6_000_000)
    return (*points, EquityPoint(ago(0), value))


def account_of(strike: Market, rival: Market) -> AccountView:
    """Return an account that trades two markets, mostly the first."""
    return AccountView(
        load=Load.READY,
        balance=Micros(9_768_410_000),
        reserved=Micros(141_200_000),
        positions=(_position(strike, 250, 571_600), _position(rival, 40, 260_000)),
        open_orders=(
            _order(strike, 1, Side.BUY, cents=61, size=120),
            _order(strike, 2, Side.BUY, cents=58, size=100, matched=40),
            _order(strike, 3, Side.SELL, cents=68, size=150),
            _order(rival, 4, Side.BUY, cents=22, size=150),
        ),
        as_of=ago(1),
        conditionals=(_stop(strike),),
        queue_ahead=tuple(
            (OrderId(f"0x{number:064x}"), Micros(shares * DOLLAR))
            for number, shares in ((1, 4_870), (2, 2_310), (3, 1_204), (4, 5_120))
        ),
    )


def fills_of(strike: Market, rival: Market) -> tuple[Fill, ...]:
    """Return what that account has traded."""
    return (
        _fill(strike, 1, cents=58, size=40, ago_s=340, liquidity=Liquidity.MAKER),
        _fill(strike, 2, cents=57, size=210, ago_s=4_100, liquidity=Liquidity.TAKER),
        _fill(rival, 3, cents=26, size=40, ago_s=9_000, liquidity=Liquidity.TAKER),
    )


def earned_of(strike: Market, rival: Market) -> EarnedView:
    """Return what its orders brought."""
    return EarnedView(_earned(strike, rival), Load.READY, ago(1))


def _earned(strike: Market, rival: Market) -> tuple[Earned, ...]:
    rows = ((0, strike, 412, 96, 2_350), (1, strike, 874, 0, None), (1, rival, 131, 212, None))
    return tuple(
        Earned(
            day=ago(days * 86_400).date(), condition_id=market.condition_id or ConditionId(""),
            reward=Micros(reward * CENT), rebate=Micros(rebate * CENT),
            percent=None if percent is None else Micros(percent * CENT),
        )
        for days, market, reward, rebate, percent in rows
    )  # fmt: skip


def _stop(market: Market) -> ConditionalOrder:
    return ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=market.condition_id or ConditionId(""),
        token_id=market.token_ids[0], outcome="Yes", title=market.question,
        size=Micros(100 * DOLLAR), stop=Micros(40 * CENT), take_profit=Micros(80 * CENT),
        give_way=Micros(5 * CENT), created_at=ago(900),
    )  # fmt: skip


def _position(market: Market, shares: int, average: int) -> Position:
    return Position(
        token_id=market.token_ids[0], condition_id=market.condition_id or ConditionId(""),
        title=market.question, outcome="Yes", size=Micros(shares * DOLLAR),
        average_price=Micros(average),
        current_price=Micros(((market.best_bid or 0) + (market.best_ask or 0)) // 2),
        realized=Micros(12_400_000 if shares > 100 else 0), opposite_token_id=market.token_ids[1],
        event_slug=market.event_slug, neg_risk=market.neg_risk,
    )  # fmt: skip


def _order(
    market: Market, number: int, side: Side, *, cents: int, size: int, matched: int = 0
) -> Order:
    return Order(
        order_id=OrderId(f"0x{number:064x}"), condition_id=market.condition_id or ConditionId(""),
        token_id=market.token_ids[0], outcome="Yes", side=side, price=Micros(cents * CENT),
        original_size=Micros(size * DOLLAR), matched_size=Micros(matched * DOLLAR),
        status=OrderStatus.PARTIALLY_FILLED if matched else OrderStatus.LIVE,
        time_in_force=TimeInForce.GTC, created_at=ago(number * 380),
    )  # fmt: skip


def _fill(
    market: Market, number: int, *, cents: int, size: int, ago_s: int, liquidity: Liquidity
) -> Fill:
    is_taker = liquidity is Liquidity.TAKER
    return Fill(
        trade_id=TradeId(f"trade-{number}"), order_id=OrderId(f"0x{number + 90:064x}"),
        condition_id=market.condition_id or ConditionId(""), token_id=market.token_ids[0],
        outcome="Yes", side=Side.BUY, price=Micros(cents * CENT), size=Micros(size * DOLLAR),
        fee=Micros(size * cents * (100 - cents) * 4 if is_taker else 0), liquidity=liquidity,
        status=TradeStatus.CONFIRMED if number > 1 else TradeStatus.MINED, matched_at=ago(ago_s),
    )  # fmt: skip


def onboarded_with(account: AccountView) -> Onboarding:
    """Return the way of this account to trading, which it has gone to its end."""
    told = READY.balance.value
    if told is None or account.balance is None:
        raise ValueError("an account without a balance has not gone all the way")
    balance = replace(told, balance=account.balance)
    return replace(READY, balance=replace(READY.balance, value=balance))


def log_of(strike: Market) -> LogView:
    """Return what happened before, good and bad."""
    told = (
        (4_102, NoticeLevel.INFO, "order", "BUY 210 Yes at 57¢ sent, 0x5c1f…09ab"),
        (4_100, NoticeLevel.GOOD, "notice", f"Filled: bought 210 Yes at 57¢, {strike.question}"),
        (2_950, NoticeLevel.INFO, "stream", "market stream connected, 16 tokens"),
        (2_610, NoticeLevel.WARNING, "stream", "market stream silent for 12 s, reconnecting"),
        (2_609, NoticeLevel.INFO, "stream", "market stream connected, 16 tokens"),
        (1_140, NoticeLevel.BAD, "order", "Refused: not enough balance / allowance"),
        (380, NoticeLevel.INFO, "order", "BUY 120 Yes at 61¢ rests"),
        (340, NoticeLevel.GOOD, "notice", f"Filled: bought 40 Yes at 58¢, {strike.question}"),
        (61, NoticeLevel.INFO, "request", "GET /data/orders 200 in 4 ms"),
        (31, NoticeLevel.INFO, "request", "GET /positions 200 in 6 ms"),
    )
    entries = tuple(
        LogEntry(n + 1, ago(ago_s), level, kind, text)
        for n, (ago_s, level, kind, text) in enumerate(told)
    )
    return LogView(entries, dropped=0, read_up_to=len(entries))
