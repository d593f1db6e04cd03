"""Events, markets, orders and positions as a trader might meet them, for screens in tests."""

from datetime import datetime, timedelta

from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.ids import ConditionId, EventId, MarketId, OrderId, TagId, TokenId, TradeId
from pmtui.domain.markets.market import Comment, Event, Holder, Market, Outcome, Side, Tag
from pmtui.domain.markets.watchlist import leading_place, open_markets
from pmtui.domain.money import SCALE, Micros
from pmtui.domain.orders.order import Fill, Liquidity, Order, OrderStatus, TimeInForce, TradeStatus
from pmtui.service.views import EventQuotesView, EventRow, MarketRow, QuoteRow
from tests.ui.fake_surface import NOW

HOSTILE_TITLES = (
    "[/] [bold red]Will [R] vs [D] end?[/bold red] [/]",
    "Will \x1b[31mred\x1b]0;pwned\x07 win?\x9b2J",
    "abc\u202egnp.exe\u2066 reversed \u200b\u200d\ufeff",
    "two\nlines\r\nand\ta tab",
    "Very long " + "title that never ends " * 30,
    "日本の選挙で与党が勝つ? 🇯🇵🗳️ 👩‍👩‍👧‍👦 e\u0301\u0301\u0301\u0301\u0301\u0301",
    "",
)


def micros(number: float | str) -> Micros:
    """Return an amount written the way a person writes it."""
    return Micros(round(float(number) * SCALE))


def tag(slug: str, label: str) -> Tag:
    return Tag(TagId(slug), slug, label)


TAGS = (
    tag("politics", "Politics"),
    tag("sports", "Sports"),
    tag("crypto", "Crypto"),
    tag("economy", "Economy"),
    tag("weather", "Weather"),
    tag("film", "Film and series"),
)


def market(
    number: int,
    question: str,
    *,
    price: float | None = 0.5,
    bid: float | None = None,
    ask: float | None = None,
    change: float | None = 0.01,
    group_title: str = "",
    outcomes: tuple[str, str] = ("Yes", "No"),
    volume: float | None = 120_000,
    end_at: datetime | None = NOW + timedelta(days=12, hours=5),
    closed: bool = False,
    neg_risk: bool = False,
) -> Market:
    """Return a market whose ids follow from its number."""
    other = None if price is None else micros(1 - price)
    first = None if price is None else micros(price)
    return Market(
        market_id=MarketId(str(500_000 + number)),
        condition_id=ConditionId(f"0x{number:064x}"),
        slug=f"market-{number}",
        question=question,
        outcomes=(
            Outcome(outcomes[0], TokenId(str(10**70 + 2 * number)), first),
            Outcome(outcomes[1], TokenId(str(10**70 + 2 * number + 1)), other),
        ),
        group_title=group_title,
        description=f"This market resolves to {outcomes[0]} if that is what happens.\n\n"
        "The source is the official announcement; a credible report will do.",
        tick_size=micros(0.01),
        min_order_size=micros(5),
        neg_risk=neg_risk,
        closed=closed,
        best_bid=None if bid is None and price is None else micros(bid if bid is not None else (price or 0) - 0.005),
        best_ask=None if ask is None and price is None else micros(ask if ask is not None else (price or 0) + 0.005),
        last_trade_price=first,
        day_change=None if change is None else micros(change),
        volume=None if volume is None else micros(volume),
        volume_24h=None if volume is None else micros(volume / 10),
        liquidity=None if volume is None else micros(volume / 4),
        end_at=end_at,
    )  # fmt: skip


def event(
    number: int,
    title: str,
    markets: tuple[Market, ...],
    *,
    tags: tuple[Tag, ...] = TAGS[:2],
    neg_risk: bool = False,
    closed: bool = False,
    end_at: datetime | None = NOW + timedelta(days=12, hours=5),
) -> Event:
    """Return an event that sums up its markets."""
    return Event(
        event_id=EventId(str(9_000 + number)),
        slug=f"event-{number}",
        title=title,
        markets=markets,
        description="What counts is the official result, not a projection.",
        resolution_source="https://example.org/results",
        tags=tags,
        neg_risk=neg_risk,
        closed=closed,
        volume=Micros(sum(m.volume or 0 for m in markets)),
        volume_24h=Micros(sum(m.volume_24h or 0 for m in markets)),
        liquidity=Micros(sum(m.liquidity or 0 for m in markets)),
        comment_count=2,
        end_at=end_at,
    )


def single(number: int, question: str, **options: object) -> Event:
    """Return an event with one market of the same title."""
    only = market(number, question, **options)  # type: ignore[arg-type]
    return event(number, question, (only,), closed=only.closed, end_at=only.end_at)


def event_row(subject: Event, *, has_position: bool = False) -> EventRow:
    running = len(open_markets(subject))
    return EventRow(subject, leading_place(subject), running, has_position, as_of=NOW)


def market_rows(*events: Event) -> tuple[MarketRow, ...]:
    return tuple(MarketRow(m, e.event_id, e.title, as_of=NOW) for e in events for m in e.markets)


def election() -> Event:
    """A negative-risk event: five candidates, one of them out already."""
    people = (
        ("Ilse Maro", 0.46, 0.021, 4_300_000), ("Tomás Rivela", 0.312, -0.034, 2_900_000),
        ("Ngozi Ade", 0.14, 0.0, 1_250_000), ("Anyone else", 0.062, 0.004, 410_000),
    )  # fmt: skip
    markets = [
        market(
            100 + i, f"Will {name} win the Harbour City mayoral election?", price=price,
            change=change, group_title=name, volume=volume, neg_risk=True,
        )
        for i, (name, price, change, volume) in enumerate(people)
    ]  # fmt: skip
    out = market(
        110, "Will Bo Lund win the Harbour City mayoral election?", price=0.0, bid=0.0, ask=0.001,
        change=None, group_title="Bo Lund", closed=True, neg_risk=True, volume=88_000,
    )  # fmt: skip
    return event(1, "Harbour City mayoral election winner", (*markets, out), neg_risk=True)


def event_list() -> tuple[Event, ...]:
    """Subjects, sizes and times as mixed as a list of the biggest events."""
    games = tuple(
        market(
            200 + i, f"{a} vs. {b}", price=p, change=c, outcomes=(a, b), volume=v,
            end_at=NOW + timedelta(hours=3, minutes=20),
        )
        for i, (a, b, p, c, v) in enumerate(
            (("Gulls", "Terns", 0.585, 0.03, 640_000), ("Otters", "Pike", 0.41, -0.12, 92_000))
        )
    )  # fmt: skip
    return (
        election(),
        single(2, "Will the central bank cut rates in July?", price=0.735, change=-0.055,
               volume=8_800_000),
        event(3, "Gulls vs. Terns", games, tags=(TAGS[1],),
              end_at=NOW + timedelta(hours=3, minutes=20)),
        single(4, "Bitcoin up or down, 12:00 to 12:05?", price=0.505, change=0.005,
               outcomes=("Up", "Down"), volume=14_000, end_at=NOW + timedelta(minutes=3, seconds=9)),
        single(5, "Will it snow in Lowmarsh before the end of the year, measured at the harbour "
               "weather station by the national service?", price=0.0155, change=-0.0005,
               volume=51_000, end_at=NOW + timedelta(days=199)),
        single(6, "Will the strait tunnel open in 2027?", price=0.9985, change=0.0, volume=2_000),
        single(7, "Film of the year: The Long Tide?", price=None, change=None, volume=None,
               end_at=None),
        single(8, "Did the May index rise?", price=1.0, bid=0.999, ask=1.0, change=None,
               volume=930_000, closed=True, end_at=NOW - timedelta(days=2)),
    )  # fmt: skip


def quotes(subject: Event, *, live: int, age_s: float = 40) -> EventQuotesView:
    """Return quotes of an event's markets, the first few of them live."""
    rows = tuple(
        QuoteRow(
            condition_id=m.condition_id or ConditionId(""),
            best_bid=m.best_bid,
            best_ask=m.best_ask,
            last_trade_price=m.last_trade_price,
            as_of=NOW if i < live else NOW - timedelta(seconds=age_s),
            is_live=i < live,
            position_size=micros(120.5) if i == 0 else micros(-40) if i == 1 else None,
        )
        for i, m in enumerate(subject.markets)
    )
    return EventQuotesView(rows)


def comments() -> tuple[Comment, ...]:
    return (
        Comment("1", "tide_reader", "Maro was ahead in every district poll.\nI am holding.",
                NOW - timedelta(hours=3), reaction_count=4),
        Comment("2", "[b]loud[/b]", "Polls [/] lie \x1b[31m!", NOW - timedelta(minutes=9),
                parent_id="1"),
    )  # fmt: skip


def holders(subject: Market) -> tuple[Holder, ...]:
    tokens = subject.token_ids
    return (
        Holder("0x" + "ab" * 20, "harbour-seal", tokens[0], micros(81_200.5), 0),
        Holder("0x" + "cd" * 20, "", tokens[0], micros(9_000), 0),
        Holder("0x" + "ef" * 20, "[R]\x1b[2J", tokens[1], micros(44_000), 1),
    )


def position(
    number: int,
    title: str,
    *,
    size: float = 100,
    average: float = 0.41,
    current: float | None = 0.46,
    realized: float = 0,
    outcome: str = "Yes",
    is_redeemable: bool = False,
    is_mergeable: bool = False,
) -> Position:
    return Position(
        token_id=TokenId(str(10**70 + 2 * number)),
        condition_id=ConditionId(f"0x{number:064x}"),
        title=title,
        outcome=outcome,
        size=micros(size),
        average_price=micros(average),
        current_price=None if current is None else micros(current),
        realized=micros(realized),
        is_redeemable=is_redeemable,
        is_mergeable=is_mergeable,
    )


def order(
    number: int,
    market_number: int = 2,
    *,
    side: Side = Side.BUY,
    price: float = 0.44,
    size: float = 250,
    matched: float = 0,
    status: OrderStatus = OrderStatus.LIVE,
    outcome: str = "Yes",
    age_s: float = 300,
    expires_at: datetime | None = None,
) -> Order:
    return Order(
        order_id=OrderId(f"0x{number:064x}"),
        condition_id=ConditionId(f"0x{market_number:064x}"),
        token_id=TokenId(str(10**70 + 2 * market_number)),
        outcome=outcome,
        side=side,
        price=micros(price),
        original_size=micros(size),
        matched_size=micros(matched),
        status=status,
        time_in_force=TimeInForce.GTD if expires_at else TimeInForce.GTC,
        created_at=NOW - timedelta(seconds=age_s),
        expires_at=expires_at,
    )


def fill(
    number: int, market_number: int = 2, *, status: TradeStatus = TradeStatus.CONFIRMED
) -> Fill:
    return Fill(
        trade_id=TradeId(f"trade-{number}"),
        order_id=OrderId(f"0x{number:064x}"),
        condition_id=ConditionId(f"0x{market_number:064x}"),
        token_id=TokenId(str(10**70 + 2 * market_number)),
        outcome="Yes",
        side=Side.BUY if number % 2 else Side.SELL,
        price=micros(0.44),
        size=micros(125.5),
        fee=micros(0.31),
        liquidity=Liquidity.TAKER if number % 2 else Liquidity.MAKER,
        status=status,
        matched_at=NOW - timedelta(minutes=number),
    )  # fmt: skip


def closed_position(number: int, title: str, *, realized: float) -> ClosedPosition:
    return ClosedPosition(
        token_id=TokenId(str(10**70 + 2 * number)),
        condition_id=ConditionId(f"0x{number:064x}"),
        title=title,
        outcome="No",
        average_price=micros(0.337),
        total_bought=micros(1200),
        realized=micros(realized),
        closed_at=NOW - timedelta(days=number),
    )


def activity(number: int, kind: str, title: str) -> Activity:
    return Activity(
        kind=kind,
        title=title,
        outcome="Yes",
        side="BUY",
        price=micros(0.44) if kind == "TRADE" else None,
        size=micros(125.5),
        cash=micros(55.22),
        at=NOW - timedelta(hours=number),
        condition_id=ConditionId(f"0x{number:064x}"),
    )
