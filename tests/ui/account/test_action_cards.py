from dataclasses import replace
from datetime import UTC, datetime

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, MarketTerms, Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.flattening import FlattenPlan, plan_flatten
from pmtui.domain.orders.order import LimitIntent, Order
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.account.action_cards import (
    paint_flatten_card,
    paint_move_card,
    paint_scaled_card,
)
from pmtui.ui.cells import Line, line_width
from pmtui.ui.rows.flattening import Sale, paint_flatten_many
from pmtui.ui.ticket.paint_confirm import paint_confirm
from tests.ui import believable
from tests.ui.fake_surface import FakeService
from tests.ui.moving_market import CONDITION, YES

m = parse_micros
WIDTH = 38
TERMS = MarketTerms(
    condition_id=CONDITION, token_ids=(YES,), outcome_labels=("Yes",), tick_size=m("0.01"),
    min_order_size=m("5"), neg_risk=False, fee=NO_FEE,
)  # fmt: skip
BOOK = BookView(
    YES, BookState.LIVE, bids=(Level(m("0.50"), m("40")), Level(m("0.48"), m("5"))),
    as_of=datetime(2026, 6, 15, tzinfo=UTC),
)  # fmt: skip


def prepared(intent: LimitIntent) -> PreparedOrder:
    order = FakeService().prepare_now(intent)
    assert isinstance(order, PreparedOrder)
    return order


def buy(price: str, size: str = "20") -> PreparedOrder:
    return prepared(LimitIntent(CONDITION, YES, Side.BUY, m(price), m(size)))


def card(lines: tuple[Line, ...]) -> str:
    assert all(line_width(line) <= WIDTH for line in lines)
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def test_a_move_says_what_goes_before_what_is_signed() -> None:
    old = believable.order(1, price=0.44, size=250, matched=31.5)
    shown = card(paint_move_card([(old, buy("0.45"))], WIDTH, mode=Mode.LIVE))
    assert shown.index("Replaces BUY 218.5 Yes @ 44¢") < shown.index("BUY 20 Yes @ 45¢")
    assert "LIVE" in shown
    assert "Order id" in shown


def test_a_card_is_drawn_from_the_fields_that_are_hashed() -> None:
    order = buy("0.45")
    draft = replace(order.unsigned.draft, taker_amount=31_000_000)
    forged = replace(order, unsigned=replace(order.unsigned, draft=draft))
    old = believable.order(1)
    both = [(old, forged), (old, forged)]
    assert "BUY 31 Yes" in card(paint_move_card(both, WIDTH, mode=Mode.PAPER))
    assert "31 at 45¢" in card(paint_scaled_card([forged], WIDTH, mode=Mode.PAPER))


def test_several_moves_are_listed_with_where_each_goes() -> None:
    moves: list[tuple[Order, PreparedOrder]] = [
        (believable.order(1, price=0.44), buy("0.46")),
        (believable.order(2, price=0.43), buy("0.46", "30")),
    ]
    shown = card(paint_move_card(moves, WIDTH, mode=Mode.PAPER, doubt="It fills at once."))
    assert "Move 2 orders?" in shown
    assert "BUY 20 Yes @ 44¢ to 46¢" in shown
    assert "BUY 30 Yes @ 43¢ to 46¢" in shown
    assert "It fills at once." in shown


def flatten_card(held: str, *sales: Order) -> str:
    plan = plan_flatten(held=m(held), orders=sales, book=BOOK, terms=TERMS)
    assert isinstance(plan, FlattenPlan)
    return card(paint_flatten_card(prepared(plan.intent), plan, WIDTH, mode=Mode.PAPER))


def test_selling_all_says_the_worst_price_what_fills_and_what_stays() -> None:
    shown = flatten_card("60.004")
    assert "SELL 60 Yes @ 45¢ or better" in shown
    assert "45 at 49.8¢ for $22.40" in shown
    assert "15 without a bid" in shown
    assert "0.004 shares are dust and stay." in shown


def test_a_sale_that_fills_in_part_promises_no_sum_for_the_whole() -> None:
    terms = replace(TERMS, fee=FeeSchedule(m("0.04")))
    bids = (Level(m("0.11"), m("224.54")),)
    book = replace(BOOK, bids=bids)
    plan = plan_flatten(held=m("1810.46"), orders=(), book=book, terms=terms)
    assert isinstance(plan, FlattenPlan)
    order = replace(prepared(plan.intent), worst_fee=m("18.1046"))
    shown = " ".join(card(paint_flatten_card(order, plan, WIDTH, mode=Mode.PAPER)).split())
    assert "224.54 at 11.0¢ for $24.70" in shown
    assert "Size max 1,810.46 shares Proceeds min 10¢ a share" in shown
    # Four hundredths of what 11c leaves of a share: 50c is out of the book's reach.
    assert "Fee $0.88, max $7.09" in shown
    assert "Total about $23.82" in shown
    assert "min $" not in shown


def test_sales_in_the_way_are_named_the_many_counted() -> None:
    sales = [believable.order(number, side=Side.SELL, price=0.6, size=10) for number in range(1, 5)]
    shown = flatten_card("40", *sales)
    assert shown.count("Cancels first: SELL 10 Yes @ 60¢") == 2
    assert "and 2 more working sales" in shown


def test_a_ladder_lists_every_leg_and_its_sum() -> None:
    orders = [buy(f"0.{cents}") for cents in range(30, 45)]
    lines = paint_scaled_card(orders, WIDTH, mode=Mode.PAPER, doubt="2 of 15 meet the book.")
    shown = card(lines)
    assert "Send 15 orders?" in shown
    assert "BUY 300 Yes @ 30¢ to 44¢ or better" in shown
    assert all(f"20 at {cents}¢" in shown for cents in range(30, 45))
    assert "2 of 15 meet the book." in shown
    # With its hint, its keys and its border it fits a small terminal.
    wide = paint_scaled_card(orders, 72, mode=Mode.PAPER, doubt="2 of 15 meet the book.")
    assert len(wide) <= 24 - 5
    assert Micros(sum(order.cash for order in orders)) == m("111")


def test_addresses_wait_behind_a_key_on_every_card() -> None:
    orders = [buy("0.40"), buy("0.41")]
    hidden = card(paint_scaled_card(orders, WIDTH, mode=Mode.PAPER, details_key="?"))
    assert "? addresses" in hidden
    assert "Maker" not in hidden
    assert "Maker" in card(paint_scaled_card(orders, WIDTH, mode=Mode.PAPER))
    odd = [replace(each, is_derived=False) for each in orders]
    assert "Token" in card(paint_scaled_card(odd, WIDTH, mode=Mode.PAPER, details_key="?"))


def test_the_card_of_several_sales_names_the_market_of_a_doubt() -> None:
    plan = plan_flatten(held=m("40"), orders=(), book=BOOK, terms=TERMS)
    assert isinstance(plan, FlattenPlan)
    order = prepared(plan.intent)
    sales = [Sale(plan, replace(order, market_title=name)) for name in ("River", "Harbour")]

    def said(*doubts: str) -> str:
        lines = paint_flatten_many(sales, (), WIDTH, mode=Mode.PAPER, doubts=doubts)
        return " ".join(card(lines).split())

    assert "Harbour: 45¢ is far from 50¢." in said("", "45¢ is far from 50¢.")
    # What is so of all of them needs no name, and is said once.
    both = said("Locked.", "Locked.")
    assert "River: Locked" not in both
    assert both.count("Locked.") == 1


def test_selling_several_says_what_is_received_after_the_fees() -> None:
    terms = replace(TERMS, fee=FeeSchedule(m("0.04")))
    plan = plan_flatten(held=m("40"), orders=(), book=BOOK, terms=terms)
    assert isinstance(plan, FlattenPlan)
    sales = [Sale(plan, prepared(plan.intent))] * 2
    shown = " ".join(card(paint_flatten_many(sales, (), WIDTH, mode=Mode.PAPER)).split())
    assert "Fills now for $40.00 Fee $0.80 Total about $39.20 after that fee" in shown


def sell(price: str, fee: str) -> PreparedOrder:
    order = prepared(LimitIntent(CONDITION, YES, Side.SELL, m(price), m("20")))
    return replace(order, worst_fee=m(fee))


def test_a_ladder_says_its_money_as_one_order_does() -> None:
    legs = [sell("0.50", "0.2"), sell("0.52", "0.199")]
    shown = " ".join(card(paint_scaled_card(legs, WIDTH, mode=Mode.PAPER)).split())
    assert "SELL 40 Yes @ 50¢ to 52¢ or better" in shown
    assert "Size 40 shares Proceeds min $20.40" in shown
    assert "Fee max $0.40; none on what rests" in shown
    assert "Total min $20.00" in shown
    one = [sell("0.50", "0.2")]
    alone = " ".join(card(paint_confirm(one[0], WIDTH, mode=Mode.PAPER)).split())
    same = " ".join(card(paint_scaled_card(one, WIDTH, mode=Mode.PAPER)).split())
    money = alone[alone.index("Size") : alone.index("TIF")]
    assert money in same
