from dataclasses import replace

import pytest
from textual.pilot import Pilot

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.basket import BasketLeg, BasketPlan, BasketSide
from pmtui.domain.orders.order import (
    Accepted,
    MarketBuyIntent,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic
from pmtui.ui.basket.basket_form import (
    SELF_TRADE,
    BasketCard,
    BasketForm,
    is_bought,
    paint_basket_sent,
    paint_basket_totals,
    paint_end,
    paint_legs,
)
from pmtui.ui.cells import Line, line_width
from pmtui.ui.event.event import EventScreen
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows, text_of
from tests.ui.rows.row_stage import ELECTION, agree, book_of, tradable_service
from tests.ui.wait import until


def text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def leg(number: int, problem: str = "") -> BasketLeg:
    intent = MarketBuyIntent(
        ConditionId(f"0x{number}"), TokenId(f"{number}"), Micros(4_000_000), Micros(40_000)
    )
    cost = Micros(0 if problem else 4_000_000)
    average = None if problem else Micros(40_000)
    return BasketLeg(
        f"Outcome {number}", None if problem else intent, problem, cost, Micros(0), average
    )


def plan(*problems: str) -> BasketPlan:
    return BasketPlan(
        BasketSide.YES, Micros(100 * ONE), tuple(leg(n, p) for n, p in enumerate(problems))
    )


FILLED: Verdict = Accepted(believable.order(1).order_id, OrderStatus.FILLED, Micros(100 * ONE), "")


def test_what_is_in_the_way_of_a_whole_basket_is_never_left_out() -> None:
    lines = paint_legs(plan(*[""] * 20, "Paused", *[""] * 6), 76, most=6)
    assert len(lines) == 6
    assert "Outcome 20" in text(lines[0])
    assert "Paused" in text(lines[0])
    assert text(lines[-1]).strip() == "and 22 more legs"
    assert all(line_width(line) <= 76 for line in lines)
    assert len(paint_legs(plan("", ""), 76, most=6)) == 2


def test_totals_promise_nothing_without_a_whole_set() -> None:
    whole = [text(line) for line in paint_basket_totals(plan(*[""] * 24), Micros(50 * ONE))]
    assert whole[0].startswith("24 legs for $96.00")
    assert "+$4.00 after fees" in whole[1]
    assert "Cash free: $50.00 only" in whole[2]
    broken = [text(line) for line in paint_basket_totals(plan("", "Paused"), None)]
    assert broken[1] == "No whole set: Outcome 1: Paused"
    rest = [text(line) for line in paint_basket_totals(replace(plan(""), is_rest=True), None)]
    assert "complete the basket" in rest[1]


def test_what_a_basket_brings_is_what_it_pays_less_the_cents_shown() -> None:
    odd = replace(leg(1), cost=Micros(5_027_400), fee=Micros(152_600))
    basket = BasketPlan(BasketSide.YES, Micros(20 * ONE), (odd,) * 4)
    lines = [text(line) for line in paint_basket_totals(basket, None)]
    assert lines[0] == "4 legs for $20.73 with fees of $0.61"
    assert lines[1] == "All Yes pay $20.00 whoever wins: -$0.73 after fees"
    assert "$5.03" in text(paint_legs(basket, 76, most=6)[0])


def test_legs_are_counted_by_what_the_venue_says_of_each() -> None:
    verdicts = (
        FILLED,
        Rejected("no match"),
        Unknown(believable.order(2).order_id, "no answer", NOW),
    )
    assert [is_bought(verdict) for verdict in verdicts] == [True, False, False]
    assert "1 of 3 legs bought, 1 unconfirmed" in text(paint_basket_sent(verdicts, 3))
    assert "sending" in text(paint_basket_sent(verdicts[:2], 3))
    assert [paint_end(verdict).text for verdict in verdicts] == [
        "bought 100", "refused: no match", "unconfirmed"
    ]  # fmt: skip


OPEN = tuple(m for m in ELECTION.markets if not m.closed)
ASKS = (0.40, 0.30, 0.15, 0.12)


def service_with_asks(*asks: float, index: int = 0) -> FakeService:
    service = tradable_service()
    for market, ask in zip(OPEN, asks, strict=True):
        book = book_of(market, index, bid=ask - 0.02, ask=ask)
        service.books[market.token_ids[index]] = book
    return service


def app_on(service: FakeService) -> ScreenApp:
    return ScreenApp(EventScreen(service.surface(), ELECTION.event_id))


async def test_a_basket_prices_every_leg_and_one_card_sends_them_all() -> None:
    assert len(OPEN) == len(ASKS)
    service = service_with_asks(*ASKS)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, BasketForm), "the form")
        await pilot.press("end", *["backspace"] * 6, *"100")
        await until(pilot, lambda: shows(app, "4 legs for $97.00"), "the sum")
        assert shows(app, "All Yes pay $100.00 whoever wins: +$3.00 after fees")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card")
        assert shows(app, "Buy 100 Yes or more in 4 markets?")
        assert not service.calls_of("place_many")
        filled = Accepted(believable.order(1).order_id, OrderStatus.FILLED, Micros(100 * ONE), "")
        service.verdicts = [filled, Rejected("no match"), filled, filled]
        await agree(app, pilot, service)
        (orders,) = service.calls_of("place_many")
        intents = [order.intent for order in orders if isinstance(order, PreparedOrder)]
        assert [intent.token_id for intent in intents] == [m.token_ids[0] for m in OPEN]
        assert all(
            isinstance(i, MarketBuyIntent) and i.time_in_force is TimeInForce.FOK for i in intents
        )
        await until(pilot, lambda: shows(app, "3 of 4 legs bought"), "how the legs ended")
        assert shows(app, "refused: no match")
        # What was refused is priced again, alone, and asked about again.
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "These legs complete the basket"), "the missing leg")
        assert shows(app, "1 leg for $30.00")
        assert shows(app, "All Yes pay $100.00 whoever wins: +$3.00 after fees")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card again")
        service.verdicts = [filled]
        await agree(app, pilot, service)
        again = service.calls_of("place_many")[1]
        assert [o.intent.token_id for o in again if isinstance(o, PreparedOrder)] == [
            OPEN[1].token_ids[0]
        ]
        await until(pilot, lambda: shows(app, "1 of 1 legs bought"), "the end")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EventScreen), "the event")


async def test_all_no_sells_the_set_from_the_books_of_no() -> None:
    service = service_with_asks(0.60, 0.70, 0.85, 0.80, index=1)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, BasketForm), "the form")
        await pilot.press("shift+tab", "space", "tab")
        await until(pilot, lambda: BookTopic(OPEN[0].token_ids[1]) in service.watched(), "No")
        await pilot.press("end", *["backspace"] * 6, *"100")
        await until(pilot, lambda: shows(app, "All No pay $300.00"), "what they pay")
        assert shows(app, "+$5.00 after fees")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EventScreen), "the event")
        assert BookTopic(OPEN[0].token_ids[1]) not in service.watched()
    assert not service.calls_of("prepare")


async def test_without_a_whole_set_nothing_is_asked() -> None:
    service = service_with_asks(*ASKS)
    first = OPEN[0]
    assert first.condition_id is not None
    view = service.markets[first.condition_id]
    paused = replace(first, accepting_orders=False)
    service.markets[first.condition_id] = replace(view, market=paused)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, BasketForm), "the form")
        await until(pilot, lambda: shows(app, "No whole set: Ilse Maro: Paused"), "why")
        assert [entry.id for entry in app.screen.query_one(KeyLine).entries] == ["confirm.decline"]
        await pilot.press("enter")
        assert isinstance(app.screen, BasketForm)
    assert not service.calls_of("prepare")


async def test_a_losing_basket_says_so_on_the_card() -> None:
    service = service_with_asks(0.50, 0.30, 0.15, 0.12)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, BasketForm), "the form")
        await pilot.press("end", *["backspace"] * 6, *"20", "enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card")
        assert shows(app, "This basket loses money")


async def test_independent_markets_have_no_basket() -> None:
    event = replace(ELECTION, neg_risk=False)
    app = app_on(tradable_service(event))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
        await pilot.press("B")
        await until(pilot, lambda: "independent" in text_of(app, "#notice"), "why")


async def form_on(app: ScreenApp, pilot: Pilot[None]) -> BasketForm:
    """Open the basket of the event on show."""
    await until(pilot, lambda: shows(app, "Ilse Maro"), "the rows")
    await pilot.press("B")
    await until(pilot, lambda: isinstance(app.screen, BasketForm), "the form")
    form = app.screen
    assert isinstance(form, BasketForm)
    return form


async def test_a_form_opens_with_the_least_size_that_works() -> None:
    # At 4 cents it takes 25 shares to spend a dollar.
    service = service_with_asks(0.50, 0.30, 0.15, 0.04)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await form_on(app, pilot)
        assert form.size_field.value == "25"
        await until(pilot, lambda: shows(app, "4 legs for $24.75"), "a basket that can be bought")
        # The offer is selected: what is typed replaces it, and stays.
        await pilot.press(*"20")
        await until(pilot, lambda: shows(app, "Each leg must be at least $1"), "why not")
        assert form.size_field.value == "20"


async def test_the_least_size_follows_books_that_come_late_but_no_moving_book() -> None:
    service = service_with_asks(0.50, 0.30, 0.15, 0.04)
    last = OPEN[3].token_ids[0]
    book = service.books.pop(last)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await form_on(app, pilot)
        assert form.size_field.value == "7"
        service.books[last] = book
        service.announce(BookTopic(last))
        await until(pilot, lambda: form.size_field.value == "25", "the last book")
        service.books[last] = book_of(OPEN[3], 0, bid=0.01, ask=0.02)
        service.announce(BookTopic(last))
        await until(pilot, lambda: shows(app, "min 50"), "the new minimum")
        assert form.size_field.value == "25"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_basket_that_would_trade_with_an_own_order_is_not_reviewed(
    size: tuple[int, int],
) -> None:
    service = service_with_asks(*ASKS)
    first = OPEN[0]
    assert first.condition_id is not None
    mine = replace(
        believable.order(9, price=0.60, size=10, outcome="No"),
        condition_id=first.condition_id, token_id=first.token_ids[1],
    )  # fmt: skip
    service.account_view = replace(service.account_view, open_orders=(mine,))
    app = app_on(service)
    async with app.run_test(size=size) as pilot:
        await form_on(app, pilot)
        said = "No whole set: Ilse Maro: Own BUY 10 No @ 60¢"
        await until(pilot, lambda: shows(app, said), "which order")
        assert shows(app, SELF_TRADE)
        await pilot.press("enter")
        assert isinstance(app.screen, BasketForm)
        service.account_view = replace(service.account_view, open_orders=())
        service.announce(AccountTopic())
        await until(pilot, lambda: not shows(app, SELF_TRADE), "the way is free")
    assert not service.calls_of("prepare")


async def test_the_card_of_a_basket_tells_of_a_leg_that_cannot_be_bought_any_more() -> None:
    service = service_with_asks(*ASKS)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await form_on(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card")
        token = OPEN[0].token_ids[0]
        service.books[token] = replace(service.books[token], asks=())
        service.announce(BookTopic(token))
        said = "Ilse Maro cannot be bought now"
        await until(pilot, lambda: shows(app, said), "the leg")


async def test_a_leg_may_pay_as_many_ticks_more_as_were_typed() -> None:
    service = service_with_asks(*ASKS)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await form_on(app, pilot)
        await pilot.press("tab", "x")
        await until(pilot, lambda: shows(app, "Enter a number of ticks"), "what is wrong")
        await pilot.press("backspace", "1", "up")
        await until(pilot, lambda: shows(app, "sets or more"), "what it may cost")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card")
        token = OPEN[0].token_ids[0]
        service.books[token] = book_of(OPEN[0], 0, bid=0.40, ask=0.42)
        service.announce(BookTopic(token))
        await pilot.pause()
        assert not shows(app, "Would be killed now")
        service.books[token] = book_of(OPEN[0], 0, bid=0.40, ask=0.43)
        service.announce(BookTopic(token))
        await until(pilot, lambda: shows(app, "Would be killed now: Ilse Maro"), "the leg")


async def test_a_basket_whose_leg_would_be_killed_is_priced_again_instead_of_sent() -> None:
    service = service_with_asks(*ASKS)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await form_on(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, BasketCard), "the card")
        first = app.screen
        assert not shows(app, "Would be killed now")
        token = OPEN[0].token_ids[0]
        service.books[token] = book_of(OPEN[0], 0, bid=0.40, ask=0.41)
        service.announce(BookTopic(token))
        await until(pilot, lambda: shows(app, "Would be killed now: Ilse Maro"), "the leg")
        assert shows(app, "Price again")
        await agree(app, pilot, service)
        await until(
            pilot,
            lambda: isinstance(app.screen, BasketCard) and app.screen is not first,
            "a new card",
        )
        assert not service.calls_of("place_many")
        assert shows(app, "≤ 41¢")
        assert not shows(app, "Would be killed now")
        await agree(app, pilot, service)
        assert len(service.calls_of("place_many")) == 1
