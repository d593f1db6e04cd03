"""Everything of ours in one market, beside wide tables of the portfolio."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import Load, MarketView
from pmtui.ui.portfolio.holding import Holding, HoldingPane, holding_of, paint_holding
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.rows.row_verbs import RowTarget
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

WIDTH = 46


def cents(price: float) -> Micros:
    return Micros(round(price * 10_000))


def _service() -> FakeService:
    """A hundred Yes at 40 with a stop for sixty, one working sale and three fills."""
    service = FakeService()
    market = believable.market(100, "Will the night ferry run?")
    assert market.condition_id is not None
    service.markets[market.condition_id] = MarketView(market, None, Load.READY, NOW)
    token_id = market.token_ids[0]
    position = replace(
        believable.position(100, market.question, size=100),
        token_id=token_id, condition_id=market.condition_id, average_price=cents(40),
        current_price=cents(46), realized=Micros(0),
    )  # fmt: skip
    order = replace(
        believable.order(1, 100), condition_id=market.condition_id, token_id=token_id,
    )  # fmt: skip
    fills = tuple(
        replace(
            believable.fill(number, 100), condition_id=market.condition_id, token_id=token_id,
            matched_at=NOW - timedelta(minutes=number),
        )
        for number in range(3)
    )  # fmt: skip
    stop = ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=market.condition_id, token_id=token_id,
        outcome="Yes", title=market.question, size=Micros(60 * ONE), stop=cents(35),
        take_profit=None, give_way=cents(5), created_at=NOW,
    )  # fmt: skip
    service.own_fills = (*reversed(fills), believable.fill(9, 555))
    service.account_view = replace(
        service.account_view, positions=(position,), open_orders=(order,), conditionals=(stop,),
        balances=((token_id, position.size),), load=Load.READY, as_of=NOW,
    )  # fmt: skip
    bids, asks = (Level(cents(45), Micros(500 * ONE)),), (Level(cents(47), Micros(ONE)),)
    service.books[token_id] = BookView(token_id, BookState.LIVE, bids=bids, asks=asks)
    return service


def _holding(service: FakeService) -> Holding:
    condition_id = service.account_view.positions[0].condition_id
    found = holding_of(service, RowTarget(condition_id))
    assert found is not None
    return found


def _words(holding: Holding, height: int = 30) -> list[str]:
    lines = paint_holding(holding, WIDTH, height)
    assert len(lines) <= height
    return ["".join(cell.text for cell in line).rstrip() for line in lines]


def _after(words: list[str], label: str) -> str:
    return next(line for line in words if line.startswith(label))[len(label) :].strip()


def test_no_row_is_no_market() -> None:
    assert holding_of(FakeService(), None) is None


def test_what_may_come_of_a_position_is_told_from_its_cost() -> None:
    words = _words(_holding(_service()))
    assert words[0] == "Will the night ferry run?"
    assert _after(words, "if it wins").split()[0] == "+$60.00"
    assert _after(words, "if it loses") == "-$40.00"
    # A hundred shares that cost 40 bring 45 at the best bid.
    assert _after(words, "exit").split()[0] == "+$5.00"


def test_stops_orders_and_fills_of_this_market_alone_follow() -> None:
    holding = _holding(_service())
    words = _words(holding)
    assert [words.index(name) for name in ("STOPS", "WORKING", "FILLS")] == sorted(
        words.index(name) for name in ("STOPS", "WORKING", "FILLS")
    )
    assert "35¢" in words[words.index("STOPS") + 1]
    assert "unprotected" in words[words.index("STOPS") + 2]
    assert len(words) - words.index("FILLS") - 1 == 3
    moments = [fill.matched_at for fill in holding.fills]
    assert moments == sorted(moments, reverse=True)


def test_orders_stand_as_on_the_ladder_and_those_without_room_are_counted() -> None:
    service = _service()
    (order,) = service.account_view.open_orders
    many = tuple(
        replace(order, order_id=OrderId(f"0x{number}"), price=cents(50 + number), side=Side.SELL)
        for number in range(6)
    )
    service.account_view = replace(service.account_view, open_orders=many)
    holding = _holding(service)
    words = _words(holding)
    last = words.index("FILLS") - 2
    tight = _words(replace(holding, fills=()), last - 1)
    assert tight[-1].strip() == "and 3 more"
    shown = [line for line in words if line.startswith("SELL")]
    assert [line for line in tight if line.startswith("SELL")] == shown[:3]
    assert shown == sorted(shown, key=lambda line: -float(line.split()[2]))


def test_what_has_no_room_is_counted_or_left_out() -> None:
    holding = _holding(_service())
    many = replace(holding, fills=holding.fills * 10)
    whole = _words(holding)
    tight = _words(many, whole.index("FILLS") + 5)
    assert tight[-1] == "and 27 more"
    assert "FILLS" not in _words(many, whole.index("FILLS") + 2)


def test_a_resolved_market_tells_what_it_pays() -> None:
    service = _service()
    (position,) = service.account_view.positions
    won = replace(position, is_redeemable=True, current_price=Micros(ONE))
    service.account_view = replace(service.account_view, positions=(won,))
    assert _after(_words(_holding(service)), "pays").split() == ["$100.00", "+$60.00", "gross"]


async def test_it_stands_beside_wide_tables_and_follows_the_cursor() -> None:
    service = believable_service()
    app = ScreenApp(PortfolioScreen(service.surface()))
    async with app.run_test(size=(200, 50)) as pilot:
        first, second, *_ = service.account_view.positions
        pane = app.screen.query_one(HoldingPane)

        def is_shown(title: str) -> bool:
            return title[:30] in "\n".join(shown_text(pane))

        await until(pilot, lambda: is_shown(first.title), "the first")
        await pilot.press("down")
        await until(pilot, lambda: is_shown(second.title), "the second")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert not app.screen.query_one("#holding-panel").region.area
