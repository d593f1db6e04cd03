"""A small market with named traders, and orders written the way a trader says them."""

from dataclasses import dataclass, field
from itertools import count

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import SCALE, Micros, notional_floor, parse_micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.events import Event
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import MarketSpec, NewOrder, Placed, Refusal, SeedOrder

RAIN = ConditionId("0x" + "a1" * 32)
YES, NO = TokenId("111"), TokenId("222")
NOW_MS = 1_790_000_000_000
NOBODY = ApiKey("")
FEE = FeeSchedule(rate=parse_micros("0.07"))


class CountingIds:
    """Ids that count up, so that two runs are alike."""

    def __init__(self) -> None:
        self._trades = count(1)
        self._transactions = count(1)

    def trade_id(self) -> TradeId:
        return TradeId(f"trade-{next(self._trades)}")

    def transaction_hash(self) -> str:
        return f"0x{next(self._transactions):064x}"


def micros(text: str) -> Micros:
    return parse_micros(text)


def address_of(trader: str) -> Address:
    return Address(f"0x{trader}")


def key_of(trader: str) -> ApiKey:
    return ApiKey(f"key-{trader}")


def posted(order: SeedOrder, *, post_only: bool = False) -> NewOrder:
    """Return the order that somebody would have posted in place of one that is seeded."""
    cash = notional_floor(order.price, order.size)
    is_buy = order.side is Side.BUY
    return NewOrder(
        order_id=order.order_id,
        account=order.account,
        owner=NOBODY,
        token_id=order.token_id,
        side=order.side,
        maker_amount=cash if is_buy else order.size,
        taker_amount=order.size if is_buy else cash,
        post_only=post_only,
    )


def rain(**changes: object) -> MarketSpec:
    terms: dict[str, object] = {"condition_id": RAIN, "tokens": (YES, NO)}
    return MarketSpec(**{**terms, **changes})  # type: ignore[arg-type]


@dataclass
class Scenario:
    """An exchange with one market, its traders funded with dollars and pairs of shares."""

    spec: MarketSpec = field(default_factory=rain)
    traders: tuple[str, ...] = ("ann", "bob", "cid")
    dollars: str = "1000"
    pairs: str = "1000"
    now_ms: int = NOW_MS

    def __post_init__(self) -> None:
        self.exchange = Exchange(CountingIds())
        self._numbers = count(1)
        self.exchange.add_market(self.spec, now_ms=self.now_ms)
        for trader in self.traders:
            self.fund(trader)
        self.exchange.drain_events()

    def fund(self, trader: str) -> None:
        address = address_of(trader)
        self.exchange.open_account(address)
        cash, pairs = micros(self.dollars), micros(self.pairs)
        if cash + pairs:
            self.exchange.deposit(address, Micros(cash + pairs), now_ms=self.now_ms)
        if pairs:
            self.exchange.split(address, self.spec.condition_id, pairs, now_ms=self.now_ms)

    def limit(
        self,
        trader: str,
        side: Side,
        size: str,
        *,
        price: str,
        token: TokenId = YES,
        tif: TimeInForce = TimeInForce.GTC,
        expiration_s: int = 0,
        post_only: bool = False,
        order_id: str = "",
    ) -> NewOrder:
        shares = micros(size)
        cash = Micros(micros(price) * shares // SCALE)
        return NewOrder(
            order_id=OrderId(order_id or f"order-{next(self._numbers)}"),
            account=address_of(trader),
            owner=key_of(trader),
            token_id=token,
            side=side,
            maker_amount=cash if side is Side.BUY else shares,
            taker_amount=shares if side is Side.BUY else cash,
            time_in_force=tif,
            expiration_s=expiration_s,
            post_only=post_only,
        )

    def market_buy(
        self,
        trader: str,
        dollars: str,
        *,
        worst: str,
        token: TokenId = YES,
        tif: TimeInForce = TimeInForce.FOK,
    ) -> NewOrder:
        cash = micros(dollars)
        shares = cash * SCALE // micros(worst)
        return NewOrder(
            order_id=OrderId(f"order-{next(self._numbers)}"),
            account=address_of(trader),
            owner=key_of(trader),
            token_id=token,
            side=Side.BUY,
            maker_amount=cash,
            taker_amount=Micros(shares - shares % 100),
            time_in_force=tif,
        )

    def send(self, order: NewOrder) -> Placed | Refusal:
        answer = self.exchange.place(order, now_ms=self.now_ms)
        assert self.exchange.reads.audit() == []
        return answer

    def buy(self, trader: str, size: str, price: str, token: TokenId = YES) -> Placed:
        return self.taken(self.limit(trader, Side.BUY, size, price=price, token=token))

    def sell(self, trader: str, size: str, price: str, token: TokenId = YES) -> Placed:
        return self.taken(self.limit(trader, Side.SELL, size, price=price, token=token))

    def taken(self, order: NewOrder) -> Placed:
        answer = self.send(order)
        assert isinstance(answer, Placed), answer
        return answer

    def refused(self, order: NewOrder) -> str:
        answer = self.send(order)
        assert isinstance(answer, Refusal), answer
        return answer.text

    def cash(self, trader: str) -> Micros:
        account = self.exchange.reads.account(address_of(trader))
        assert account is not None
        return account.collateral

    def shares(self, trader: str, token: TokenId = YES) -> Micros:
        account = self.exchange.reads.account(address_of(trader))
        assert account is not None
        return account.shares.get(token, Micros(0))

    def events(self) -> tuple[Event, ...]:
        return self.exchange.drain_events()

    def levels(self, token: TokenId = YES) -> tuple[list[str], list[str]]:
        """Return bids and asks as `size@price` in cents and whole shares, best last."""
        book = self.exchange.reads.book(token)
        assert book is not None
        return (
            [f"{level.size / SCALE:g}@{level.price / SCALE:g}" for level in book.bids],
            [f"{level.size / SCALE:g}@{level.price / SCALE:g}" for level in book.asks],
        )
