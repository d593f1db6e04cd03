"""The ticket and the venue judge alike: what it lets through is taken, what it stops is refused."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import assume, event, given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import order_amounts
from pmtui.domain.orders.order import LimitIntent, OrderIntent, TimeInForce
from pmtui.domain.ticket.draft import OrderKind, SizeUnit, TicketContext, TicketDraft
from pmtui.domain.ticket.ticket import check_ticket
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from tests.sim.engine.scenario import (
    FEE,
    NO,
    NOW_MS,
    RAIN,
    YES,
    Scenario,
    address_of,
    key_of,
    micros,
    rain,
)

NOW = datetime.fromtimestamp(NOW_MS / 1000, tz=UTC)
ALL = Micros(10**15)
TERMS = MarketTerms(
    condition_id=RAIN, token_ids=(YES, NO), outcome_labels=("Yes", "No"),
    tick_size=micros("0.01"), min_order_size=micros("5"), neg_risk=False, fee=FEE,
)  # fmt: skip

cents = st.integers(1, 99)
sizes = st.one_of(
    st.integers(1, 3_000_00).map(lambda n: f"{n / 100:.2f}"),
    st.sampled_from(["0.50", "1", "1.99", "4.99", "5", "5.01", "998", "999", "1000", "1001"]),
)
levels = st.lists(st.tuples(cents, st.integers(500, 40_000)), max_size=5)


@st.composite
def drafts(draw: st.DrawFn) -> TicketDraft:
    kind = draw(st.sampled_from([OrderKind.LIMIT, OrderKind.LIMIT, OrderKind.MARKET]))
    is_market = kind is OrderKind.MARKET
    unit = draw(st.sampled_from([SizeUnit.SHARES, SizeUnit.DOLLARS]))
    at_once = [TimeInForce.FOK, TimeInForce.FAK]
    in_force = st.sampled_from(at_once if is_market else [TimeInForce.GTC, *at_once])
    return TicketDraft(
        side=Side.BUY if is_market else draw(st.sampled_from(Side)),
        outcome_index=0,
        kind=kind,
        time_in_force=draw(in_force),
        price_text=str(draw(cents)),
        size_text=draw(sizes),
        size_unit=SizeUnit.DOLLARS if is_market else unit,
        is_post_only=not is_market and draw(st.booleans()),
    )


def _scene(bids: list[tuple[int, int]], asks: list[tuple[int, int]]) -> tuple[Scenario, BookView]:
    """Let others fill a book that does not cross, and tell what is in it."""
    scene = Scenario(spec=rain(fee=FEE, min_size=TERMS.min_order_size), traders=("ann", "bob"))
    best = min((price for price, _ in asks), default=100)
    for side, rows in ((Side.SELL, asks), (Side.BUY, [b for b in bids if b[0] < best])):
        for price, hundredths in rows:
            size = f"{min(hundredths, 15_000) / 100:.2f}"
            answer = scene.send(scene.limit("bob", side, size, price=f"{price / 100:.2f}"))
            assume(isinstance(answer, Placed))
    return scene, _view(scene)


def _view(scene: Scenario) -> BookView:
    found = scene.exchange.reads.book(YES)
    assert found is not None
    bids = tuple(Level(level.price, level.size) for level in found.bids)
    asks = tuple(Level(level.price, level.size) for level in found.asks)
    return BookView(
        YES, BookState.VERIFIED,
        bids=tuple(sorted(bids, key=lambda level: -level.price)),
        asks=tuple(sorted(asks, key=lambda level: level.price)),
        tick_size=TERMS.tick_size,
    )  # fmt: skip


def _send(scene: Scenario, intent: OrderIntent) -> Placed | Refusal:
    amounts = order_amounts(intent, TERMS.tick_size)
    return scene.send(
        NewOrder(
            order_id=OrderId("order-ann"), account=address_of("ann"), owner=key_of("ann"),
            token_id=intent.token_id, side=intent.side, maker_amount=amounts.maker,
            taker_amount=amounts.taker, time_in_force=intent.time_in_force, expiration_s=0,
            post_only=isinstance(intent, LimitIntent) and intent.is_post_only,
        )
    )  # fmt: skip


def _context(book: BookView) -> TicketContext:
    return TicketContext(
        terms=TERMS, book=book, now=NOW, available_cash=micros("1000"),
        available_shares=micros("1000"),
    )  # fmt: skip


@given(draft=drafts(), bids=levels, asks=levels)
def test_what_the_ticket_lets_through_the_venue_takes(
    draft: TicketDraft, bids: list[tuple[int, int]], asks: list[tuple[int, int]]
) -> None:
    scene, book = _scene(bids, asks)
    check = check_ticket(draft, _context(book))
    assume(check.intent is not None)
    assert check.intent is not None
    answer = _send(scene, check.intent)
    is_killed = any("killed" in text for text in check.warnings)
    event("killed" if is_killed else "taken")
    if is_killed:
        assert isinstance(answer, Refusal)
        return
    assert isinstance(answer, Placed), (answer, check)
    assert check.numbers is not None
    filled = answer.taking if draft.side is Side.BUY else answer.making
    # Matches are cut to hundredths of a share.
    assert abs((filled or 0) - check.numbers.fills_now) <= 10_000 * (1 + len(book.asks + book.bids))


@given(draft=drafts(), bids=levels, asks=levels)
def test_what_the_ticket_stops_the_venue_refuses(
    draft: TicketDraft, bids: list[tuple[int, int]], asks: list[tuple[int, int]]
) -> None:
    scene, book = _scene(bids, asks)
    context = _context(book)
    assume(check_ticket(draft, context).intent is None)
    # The same order in a world where nothing is too much, too little or too early.
    easy = replace(
        context,
        terms=replace(TERMS, min_order_size=Micros(0)),
        book=replace(book, state=BookState.STALE),
        available_cash=ALL,
        available_shares=ALL,
    )
    intent = check_ticket(draft, easy).intent
    assume(intent is not None)
    assert intent is not None
    answer = _send(scene, intent)
    event(answer.text[:24] if isinstance(answer, Refusal) else "taken")
    assert isinstance(answer, Refusal), (answer, check_ticket(draft, context).blocking)
