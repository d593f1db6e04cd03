"""What is ours is shown in terms of the ladder: the other outcome mirrored, exit and stops of the net position."""

from dataclasses import replace

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, ConditionalState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, parse_micros
from pmtui.domain.orders.flattening import FlattenPlan, plan_flatten
from pmtui.domain.orders.order import Liquidity
from pmtui.service.topics import AccountTopic, FillsTopic
from pmtui.ui.cells import Line
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.own_in_market import position_facts, working_orders
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.market.controls.desk import Desk
from tests.ui.market.market_kit import LARGE, MIDDLE, opened
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.stage import head_of, shown_text
from tests.ui.wait import settle, until


def model_of(desk: Desk) -> MarketModel:
    return desk.reader.read()


def test_an_order_in_the_other_outcome_shows_its_meaning_on_this_ladder() -> None:
    desk = Desk()
    account = desk.service.account_view
    (first, *_) = account.open_orders
    short = replace(first, token_id=NO, outcome="No", side=Side.BUY, price=Micros(360_000))
    desk.service.account_view = replace(
        account, open_orders=(short,), queue_ahead=((short.order_id, Micros(7_000_000)),)
    )
    (row,) = working_orders(model_of(desk))
    assert row.order is short
    assert (row.shown.side, row.shown.price) == (Side.SELL, Micros(640_000))
    model = model_of(desk)
    assert model.book is not None
    assert model.book.best_ask is not None
    away = (640_000 - model.book.best_ask) // 10_000
    assert (row.away, row.ahead, row.outcome) == (away, Micros(7_000_000), "No")


def test_orders_of_both_outcomes_stand_in_one_order() -> None:
    desk = Desk()
    account = desk.service.account_view
    short = replace(account.open_orders[0], token_id=NO, side=Side.BUY, price=Micros(450_000))
    desk.service.account_view = replace(account, open_orders=(*account.open_orders[1:], short))
    shown = [(row.shown.side, row.shown.price) for row in working_orders(model_of(desk))]
    assert shown == sorted(shown, key=lambda each: (each[0] is Side.BUY, -each[1]))


def test_the_facts_of_a_position_are_those_of_leaving_now_and_of_both_ends() -> None:
    desk = Desk()
    model = model_of(desk)
    facts = position_facts(model)
    assert facts is not None
    assert model.ladder is not None
    assert model.book is not None
    (stake,) = model.ladder.held
    assert model.terms is not None
    bids = [order for order in model.own_orders if order.side is Side.BUY]
    plan = plan_flatten(held=stake.size, orders=bids, book=model.book, terms=model.terms)
    assert isinstance(plan, FlattenPlan)
    assert facts.exit_now is not None
    assert facts.exit_now.fills == plan.numbers.fills_now
    assert facts.exit_now.profit == plan.numbers.fills_now_cash - plan.numbers.fee - stake.cost
    assert (facts.most, facts.least) == (stake.size - stake.cost, -stake.cost)
    assert facts.stops == ()
    assert facts.unprotected == stake.size


def test_positions_have_the_prices_of_the_portfolio_also_beside_an_own_order() -> None:
    desk = Desk()
    hold_pairs(desk, "250.5")
    account = desk.service.account_view
    model = model_of(desk)
    assert model.positions == account.positions
    assert model.quote not in [p.current_price for p in model.positions]


def test_nothing_held_or_nothing_traded_any_more_has_no_facts() -> None:
    desk = Desk()
    view = desk.service.markets[CONDITION]
    assert view.market is not None
    desk.service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
    assert position_facts(model_of(desk)) is None
    desk.service.markets[CONDITION] = view
    desk.service.account_view = replace(desk.service.account_view, positions=())
    assert position_facts(model_of(desk)) is None


def test_stops_are_named_in_prices_of_the_outcome_on_show() -> None:
    desk = Desk()
    stop = ConditionalOrder(
        conditional_id=ConditionalId("1"), condition_id=CONDITION, token_id=YES, outcome="Yes",
        title="Rates", size=Micros(40 * ONE), stop=Micros(380_000), take_profit=None,
        give_way=Micros(50_000), created_at=NOW,
    )  # fmt: skip
    trail = replace(
        stop,
        conditional_id=ConditionalId("2"),
        token_id=NO,
        outcome="No",
        stop=None,
        take_profit=None,
        trail=Micros(20_000),
    )
    desk.service.account_view = replace(desk.service.account_view, conditionals=(stop, trail))
    facts = position_facts(model_of(desk))
    assert facts is not None
    assert [_text(stop) for stop in facts.stops] == ["▼ stop 38¢", "▼ trail 2¢"]
    short = replace(stop, token_id=NO, outcome="No")
    desk.service.account_view = replace(desk.service.account_view, conditionals=(short,))
    model = model_of(desk)
    facts = position_facts(model)
    assert facts is not None
    assert [_text(stop) for stop in facts.stops] == ["▼ stop 62¢"]
    assert model.ladder is not None
    (mark,) = model.ladder.marks.stops
    assert (mark.price, mark.side, mark.own_price(mark.price)) == (
        Micros(620_000), Side.BUY, Micros(380_000),
    )  # fmt: skip
    paused = replace(stop, state=ConditionalState.PAUSED)
    desk.service.account_view = replace(desk.service.account_view, conditionals=(paused,))
    facts = position_facts(model_of(desk))
    assert facts is not None
    assert [_text(stop) for stop in facts.stops] == ["▽ stop paused"]
    assert facts.unprotected > 0


def _text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def hold_pairs(desk: Desk, size: str) -> None:
    """Hold this many of the other outcome, too."""
    service = desk.service
    yes = service.account_view.positions[0]
    no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=parse_micros(size))
    service.account_view = replace(service.account_view, positions=(yes, no), balances=())


def test_shares_in_pairs_need_no_stop() -> None:
    desk = Desk()
    hold_pairs(desk, "250.5")
    facts = position_facts(model_of(desk))
    assert facts is not None
    assert facts.unprotected == parse_micros("1000")
    hold_pairs(desk, "1250.5")
    facts = position_facts(model_of(desk))
    assert facts is not None
    assert facts.unprotected == 0


def test_with_pairs_the_panel_agrees_with_the_ladder_and_says_no_break_even_that_cannot_be() -> (
    None
):
    desk = Desk()
    # Bought at 48 and 48.1 cents: each pair has won about 4 cents.
    hold_pairs(desk, "250.5")
    model = model_of(desk)
    facts = position_facts(model)
    assert facts is not None
    assert model.ladder is not None
    net = model.ladder.marks.net
    assert net is not None
    assert (net.size, net.pairs) == (parse_micros("1000"), parse_micros("250.5"))
    assert facts.most - facts.least == net.size
    assert facts.exit_now is not None
    assert facts.least < facts.exit_now.profit < facts.most
    assert facts.even is not None
    # More is locked in by pairs than the rest can lose.
    hold_pairs(desk, "1249.5")
    facts = position_facts(model_of(desk))
    assert facts is not None
    assert facts.least > 0
    assert facts.even is None


async def test_the_result_of_older_pairs_stands_apart_from_the_net_position() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = service.account_view.positions[0]
    no = replace(
        yes, token_id=NO, outcome="No", outcome_index=1, size=parse_micros("30"),
        average_price=parse_micros("0.58"),
    )  # fmt: skip
    yes = replace(yes, size=parse_micros("40"), average_price=parse_micros("0.41"))
    trade = replace(
        believable.fill(1, 1), condition_id=CONDITION, token_id=YES, side=Side.BUY,
        price=parse_micros("0.44"), size=parse_micros("10"), liquidity=Liquidity.MAKER, fee=ZERO,
    )  # fmt: skip
    service.account_view = replace(service.account_view, positions=(yes, no), balances=())
    service.own_fills = (trade,)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(app, pilot)
        assert "net +10 Yes at 44.0¢ 30 pairs +$0.60" in await shown(screen)
        # Without the trade that explains them, the figures are estimates.
        service.own_fills = ()
        service.announce(FillsTopic())
        await settle(pilot)
        text = await shown(screen)
        assert "net +10 Yes at ~38.0¢" in text
        assert "break-even ~" in text
        assert "pairs" not in text


async def shown(screen: MarketScreen) -> str:
    return " ".join(" ".join(shown_text(screen.position)).split())


async def test_the_gain_is_in_the_title_of_the_position_and_what_is_net_below() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = replace(service.account_view.positions[0], size=Micros(100 * ONE))
    no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=Micros(40 * ONE))
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: "exit" in " ".join(shown_text(screen.position)), "the facts")
        assert "no stop" in await shown(screen)
        service.account_view = replace(service.account_view, positions=(yes, no))
        service.announce(AccountTopic())
        await until(pilot, lambda: "net" in "".join(shown_text(screen.position)), "what is net")
        assert head_of(screen.position).rstrip(" ─╮").endswith("mid")
        lines = shown_text(screen.position)
        assert all("$" in line for line in lines[:2])
        assert lines[2].split() == ["net", "+60", "Yes", "at", "~45.64¢"]


async def test_a_new_position_and_a_ticket_move_nothing_above_the_trades() -> None:
    app = MarketDemo(0)
    service = app.market.service
    held = service.account_view
    service.account_view = replace(held, positions=())
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(app, pilot)
        panes = (screen.ladder, screen.position, screen.orders, screen.chart, screen.depth)
        before = [pane.region for pane in panes]
        top = screen.tape.region.offset
        # The trades have the height of the column, not a corner beside the depth.
        assert screen.tape.size.height > 20
        service.account_view = held
        service.announce(AccountTopic())
        await settle(pilot)
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        await settle(pilot)
        assert [pane.region for pane in panes] == before
        assert screen.tape.region.offset == top
        assert screen.tape.size.height >= 5
        assert not screen.tape.region.overlaps(screen.ticket.region)
