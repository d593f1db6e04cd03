"""What the pictures show: a believable afternoon, the same on every machine and every run."""

from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256

from typing_extensions import override

from pmtui.domain.ids import ConditionId, EventId, MarketId, OrderId, TagId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import (
    Event,
    FeeSchedule,
    Market,
    MarketTerms,
    Outcome,
    RewardTerms,
    Tag,
)
from pmtui.domain.markets.watchlist import leading_place
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    OrderIntent,
    Rejected,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import (
    EventQuotesView,
    EventRow,
    EventView,
    Load,
    MarketListView,
    MarketRow,
    MarketView,
    QuoteRow,
    SearchView,
    TagsView,
)
from tests.scenes.owned import account_of, earned_of, fills_of, log_of, onboarded_with
from tests.scenes.prices import CENT, DOLLAR, TICK, ago, book_of, history_of, mirrored, tape_of
from tests.ui.fake_surface import NOW, PAPER_STATUS, FakeService

FEE = FeeSchedule(rate=Micros(40_000))

# Title, tag, days left, 24-hour volume in thousands of dollars, and its markets: short name,
# bid, ask and change over a day in cents.
_EVENTS: tuple[tuple[str, str, int, int, tuple[tuple[str, int, int, int], ...]], ...] = (
    (
        "Presidential nominee of the Federal Party", "Elections", 142, 1_840,
        (
            ("Xavier Marchetti", 28, 29, 2), ("Ada Lindqvist", 24, 25, -1),
            ("Tomas Oyelaran", 17, 18, 1), ("Ruth Castellan", 12, 13, 0),
            ("Ibrahim Sole", 7, 8, -2), ("Grace Whitlock", 4, 5, 0),
            ("Marek Dunn", 2, 3, 0), ("Somebody else", 1, 2, 0),
        ),
    ),
    ("Will the ferry strike end before July?", "Labour", 15, 912, (("", 63, 64, 6),)),
    (
        "Highest Ether price before 2027 ends", "Crypto", 199, 655,
        (("$5,000", 45, 46, -3), ("$6,000", 27, 28, -2), ("$8,000", 11, 12, -1)),
    ),
    (
        "Thunder Bay Pike vs. Kenora Loons", "Ice hockey", 1, 488,
        (("Thunder Bay Pike", 62, 63, 4), ("Spread -1.5", 46, 47, 1), ("O/U 4.5", 63, 64, 0)),
    ),
    ("Will it rain in Lisbon on midsummer day?", "Weather", 9, 301, (("", 8, 9, -1),)),
    (
        "Central bank rate after the July meeting", "Economy", 44, 274,
        (("No change", 81, 82, 2), ("25 lower", 16, 17, -2), ("25 higher", 1, 2, 0)),
    ),
    ("Will a crewed flight pass the Moon this year?", "Space", 199, 233, (("", 37, 38, 1),)),
    (
        "Best picture at the winter awards", "Film", 261, 187,
        (("The Salt Road", 33, 34, 5), ("Glasshouse", 21, 22, -2), ("Nine Letters", 14, 15, 0)),
    ),
    ("Will the harbour tunnel open by October?", "Transport", 107, 140, (("", 52, 54, -4),)),
    ("Wheat above 650 on the last day of June?", "Commodities", 15, 118, (("", 44, 46, 3),)),
    ("Will the old observatory be sold this summer?", "Culture", 98, 76, (("", 19, 21, 0),)),
    (
        "Winner of the mountain stage", "Cycling", 3, 71,
        (("Ferrand", 40, 41, 7), ("Okonkwo", 31, 32, -5), ("Bjelland", 9, 10, 0)),
    ),
    ("Will the reef survey report growth?", "Science", 73, 52, (("", 58, 60, 2),)),
    ("Will a fourth runway be approved?", "Transport", 230, 39, (("", 26, 28, -1),)),
    ("Ether up or down, 12:00 to 12:05", "Crypto", 0, 33, (("", 49, 51, 0),)),
    ("Will the night train to Tromsø run daily?", "Transport", 166, 31, (("", 35, 37, 1),)),
    ("Will the lighthouse keep its lamp?", "Culture", 120, 29, (("", 71, 73, 0),)),
    (
        "Next keeper of the northern archive", "Culture", 88, 27,
        (("Ingrid Falk", 47, 48, 3), ("Owen Tarrant", 29, 30, -1), ("Bea Lund", 11, 12, -2)),
    ),
    ("Will the river gauge pass 4 m this month?", "Weather", 15, 24, (("", 12, 14, 5),)),
    ("Will the new bridge carry trams by spring?", "Transport", 288, 22, (("", 41, 43, 0),)),
    ("Will the harvest be declared early?", "Commodities", 62, 19, (("", 56, 58, -3),)),
    (
        "Winner of the open chess cup", "Chess", 11, 17,
        (("Varga", 38, 39, 2), ("Ishikawa", 27, 28, -1), ("Delacroix", 19, 20, 1)),
    ),
    ("Will the tide plant reach full power?", "Energy", 173, 15, (("", 65, 67, 2),)),
    ("Will the museum return the bell?", "Culture", 210, 12, (("", 23, 25, 0),)),
    ("Will the ice road open in November?", "Weather", 168, 9, (("", 77, 80, -1),)),
    ("Will the comet be seen by eye?", "Space", 94, 7, (("", 31, 34, 4),)),
)  # fmt: skip


class _SceneService(FakeService):
    """Prepares orders as the service does: with the market's name, its fee and an id of its own."""

    @override
    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        prepared = await super().prepare(intent, replacing=replacing)
        market = self.markets[intent.condition_id].market
        if isinstance(prepared, Rejected) or market is None:
            return prepared
        order_id = OrderId("0x" + sha256(intent.token_id.encode()).hexdigest())
        return replace(
            prepared,
            unsigned=replace(prepared.unsigned, order_id=order_id),
            market_title=market.question,
            worst_fee=taker_fee(prepared.size, prepared.price, FEE),
        )


@dataclass(frozen=True, slots=True)
class World:
    """The service with its views set, and the ids a scene opens."""

    service: FakeService
    election: EventId
    strike: ConditionId
    """A single market with a lively book."""


def make_world() -> World:
    """Return a fresh afternoon."""
    events = tuple(_event(number, *row) for number, row in enumerate(_EVENTS))
    strike = events[1].markets[0]
    service = _SceneService()
    service.lists[MarketListTopic()] = MarketListView(
        tuple(_event_row(event) for event in events), Load.READY, has_more=False, as_of=ago(4)
    )
    for event in events:
        service.events[event.event_id] = EventView(event, Load.READY, ago(9))
        service.quotes[event.event_id] = _quotes(event)
        for market in event.markets:
            _add_market(service, market)
    tags = {tag.label: tag for event in events for tag in event.tags}
    service.tags_view = TagsView(tuple(tags[label] for label in sorted(tags)), Load.READY)
    service.searches["will the"] = _search(events, "will the", indexed=1_264)
    service.account_view = account_of(strike, events[0].markets[1])
    service.own_fills = fills_of(strike, events[0].markets[1])
    service.earned_view = earned_of(strike, events[0].markets[1])
    service.onboarding_view = onboarded_with(service.account_view)
    service.log_view = log_of(strike)
    _set_status(service)
    assert strike.condition_id is not None
    return World(service, events[0].event_id, strike.condition_id)


def _event(
    number: int, title: str, tag: str, days: int, volume: int,
    markets: tuple[tuple[str, int, int, int], ...],
) -> Event:  # fmt: skip
    event_id = EventId(f"{41_000 + number}")
    end_at = NOW + timedelta(days=days, hours=5, minutes=30)
    share = volume * 1_000 * DOLLAR // len(markets)
    made = tuple(
        _market(
            Market(
                market_id=MarketId(f"{920_000 + number * 20 + index}"),
                condition_id=ConditionId(f"0x{number * 256 + index + 1:064x}"),
                slug=f"market-{number}-{index}",
                question=f"{title}: {name}" if name else title,
                outcomes=(),
                group_title=name,
                event_id=event_id,
                event_title=title,
                neg_risk=len(markets) > 3,
                end_at=end_at,
                volume_24h=Micros(share // (index + 1)),
                volume=Micros(share * 23 // (index + 1)),
                liquidity=Micros(share // (3 * (index + 1))),
            ),
            bid=bid, ask=ask, change=change,
        )
        for index, (name, bid, ask, change) in enumerate(markets)
    )  # fmt: skip
    return Event(
        event_id=event_id, slug=f"event-{number}", title=title, markets=made,
        description=(
            "This resolves by the announcement of the body concerned. Should none be made before "
            "the stated end, it resolves to the outcome that stands then."
        ),
        tags=(Tag(TagId(f"{100 + number}"), tag.lower(), tag),), neg_risk=len(markets) > 3,
        volume=Micros(volume * 23_000 * DOLLAR), volume_24h=Micros(volume * 1_000 * DOLLAR),
        liquidity=Micros(volume * 333 * DOLLAR), comment_count=17,
        created_at=NOW - timedelta(days=60), end_at=end_at,
    )  # fmt: skip


def _market(market: Market, *, bid: int, ask: int, change: int) -> Market:
    assert market.condition_id is not None
    seed = int(market.condition_id, 16)
    tokens = tuple(TokenId(str(10**76 + seed * 2 + side)) for side in (0, 1))
    middle = Micros((bid + ask) * CENT // 2)
    return replace(
        market,
        outcomes=(
            Outcome("Yes", tokens[0], middle),
            Outcome("No", tokens[1], Micros(DOLLAR - middle)),
        ),
        tick_size=TICK, min_order_size=Micros(5 * DOLLAR), best_bid=Micros(bid * CENT),
        best_ask=Micros(ask * CENT), last_trade_price=Micros(ask * CENT),
        day_change=Micros(change * CENT), fee=FEE,
        description="Resolves Yes if the operator announces it before the stated end.",
        created_at=NOW - timedelta(days=60),
    )  # fmt: skip


def _event_row(event: Event) -> EventRow:
    leading = leading_place(event)
    is_held = event.event_id == "41001"
    return EventRow(event, leading, len(event.markets), has_position=is_held, as_of=ago(4))


def _quotes(event: Event) -> EventQuotesView:
    rows = tuple(
        QuoteRow(
            market.condition_id or ConditionId(""), market.best_bid, market.best_ask,
            market.last_trade_price, ago(1), is_live=True,
            position_size=Micros(40 * DOLLAR) if market.group_title == "Ada Lindqvist" else None,
        )
        for market in event.markets
    )  # fmt: skip
    return EventQuotesView(rows)


def _add_market(service: FakeService, market: Market) -> None:
    assert market.condition_id is not None
    terms = MarketTerms(
        condition_id=market.condition_id, token_ids=market.token_ids, outcome_labels=("Yes", "No"),
        tick_size=TICK, min_order_size=Micros(5 * DOLLAR), neg_risk=market.neg_risk, fee=FEE,
        rewards=RewardTerms(Micros(50 * DOLLAR), Micros(35_000)),
    )  # fmt: skip
    service.markets[market.condition_id] = MarketView(market, terms, Load.READY, ago(2))
    book = book_of(market)
    for token, view in zip(market.token_ids, (book, mirrored(book, market)), strict=True):
        service.books[token] = view
        service.tapes[token] = tape_of(view)
        change = market.day_change or 0
        for interval in Interval:
            service.histories[(token, interval)] = history_of(
                view, interval, change if token == market.token_ids[0] else -change
            )


def _search(events: tuple[Event, ...], text: str, *, indexed: int) -> SearchView:
    rows = tuple(
        MarketRow(market, event.event_id, event.title, as_of=ago(4))
        for event in events
        for market in event.markets
        if text in market.question.lower()
    )
    return SearchView(text, rows, Load.READY, indexed)


def _set_status(service: FakeService) -> None:
    account = service.account_view
    value = sum(position.value or 0 for position in account.positions)
    service.status_view = replace(
        PAPER_STATUS,
        cash=account.available,
        portfolio_value=Micros((account.balance or 0) + value),
        open_orders=len(account.open_orders),
    )
