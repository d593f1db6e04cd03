from dataclasses import replace
from datetime import date, timedelta

import pytest

from pmtui.domain.account.pnl import DayFigures
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder
from pmtui.domain.ids import TokenId, TradeId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import CancelResult, CancelVerdict, OrderStatus
from pmtui.service.topics import (
    AccountTopic,
    FillsTopic,
    HistoryTopic,
    MarketTopic,
    RewardsTopic,
    RowQuotesTopic,
    StatusTopic,
)
from pmtui.service.views import ActivityView, EarnedView, HistoryView, Load, MarketView
from pmtui.ui.frame import MarketChosen
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.portfolio.portfolio_rows import DUST_KEY
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service, read_only_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import (
    is_tame,
    listens_only_in_front,
    screen_lines,
    shows,
    survives_resizing,
    text_of,
)
from tests.ui.wait import settle, until


def _app(service: FakeService, theme: str = "harbour") -> ScreenApp:
    return ScreenApp(PortfolioScreen(service.surface()), theme=theme)


def _row(app: ScreenApp, words: str) -> str:
    return next((line for line in screen_lines(app)[3:-4] if words in line), "")


async def test_positions_show_worth_and_what_can_be_done_at_80_by_24() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Will Ilse"), "a position")
        for essential in ("Yes", "120.5", "46.0¢", "$55.43", "+$6.02"):
            assert essential in _row(app, "Will Ilse")
        assert "redeemable" in _row(app, "Did the May")
        assert "mergeable" in _row(app, "Will Tomás")
        assert "–" in _row(app, "Film of")
        assert "average 41.0¢" in text_of(app, "#details")
        assert "realised to date (gross) +$12.30" in text_of(app, "#details")
        assert "value $2,082.95" in text_of(app, "#rows-panel")
        assert "(1 unpriced)" in text_of(app, "#rows-panel")


async def test_positions_are_streamed_and_dimmed_where_their_price_is_not_live() -> None:
    service = believable_service()
    first, second, *_ = service.account_view.positions
    live = believable.market(100, first.title)
    service.account_view = replace(
        service.account_view, positions=(replace(first, token_id=live.token_ids[0]), second)
    )
    service.stream(live)
    service.books[second.token_id] = BookView(second.token_id, BookState.STALE, (), (), as_of=NOW)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "1 of 2 live" in text_of(app, "#tabs"), "the count")
        (topic,) = (t for t in service.watched() if isinstance(t, RowQuotesTopic))
        assert set(topic.token_ids) == {live.token_ids[0], second.token_id}
        rows = app.screen.query_one("#positions", LineTable).rows
        assert [row.cells[4].role for row in rows] == [Role.TEXT, Role.STALE]
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: topic not in service.watched(), "the positions to be let go")


async def test_dust_is_one_line_that_enter_unfolds() -> None:
    service = believable_service()
    election = believable.election().markets
    positions = service.account_view.positions
    dust = tuple(
        replace(
            believable.position(102 + n, election[2 + n].question, size=size),
            token_id=TokenId(f"{n}"),
        )
        for n, size in enumerate((0.41, 0.5))
    )
    service.account_view = replace(service.account_view, positions=(dust[0], *positions, dust[1]))
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "2 below the minimum"), "the line")
        table = app.screen.query_one("#positions", LineTable)
        assert table.rows[-1].key == DUST_KEY
        assert len(table.rows) == len(positions) + 1
        await pilot.press("end")
        await until(pilot, lambda: "2 positions below the venue's minimum, $0." in text_of(app, "#title"), "words")  # fmt: skip
        await pilot.press("enter")
        await until(pilot, lambda: len(table.rows) == len(positions) + 3, "the positions")
        assert not app.chosen
        await pilot.press("enter")
        await until(pilot, lambda: len(table.rows) == len(positions) + 1, "the line alone")


async def test_brackets_go_round_the_tabs() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        for heading in (
            "■ WORKING", "■ FILLS", "■ CLOSED", "■ ACTIVITY", "■ REWARDS", "■ TRANSACTIONS",
            "■ POSITIONS",
        ):  # fmt: skip
            await pilot.press("right_square_bracket")
            await until(pilot, lambda heading=heading: shows(app, heading), heading)  # type: ignore[misc]
        await pilot.press(*["left_square_bracket"] * 3)
        await until(pilot, lambda: shows(app, "something new"), "an unknown kind of activity")


async def test_a_click_on_a_tab_opens_it() -> None:
    app = _app(believable_service())
    screen = app.get_default_screen()
    assert isinstance(screen, PortfolioScreen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Will Ilse"), "a position")
        for name, tab in (("Fills", "Fills"), ("Txns", "Transactions"), ("Working", "Working")):
            await pilot.click("#tabs", offset=(text_of(app, "#tabs").index(name) + 1, 0))
            await until(pilot, lambda tab=tab: screen.place().tab == tab, tab)  # type: ignore[misc]
        # Beside the names is nothing.
        await pilot.click("#tabs", offset=(79, 0))
        await settle(pilot)
        assert screen.place().tab == "Working"


async def test_activity_that_lacks_the_newest_fill_says_so() -> None:
    service = believable_service()
    newest = max(activity.at for activity in service.activity_view.activity)
    fill = replace(service.own_fills[0], matched_at=newest + timedelta(seconds=30))
    service.own_fills = (fill,)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "updated now" in text_of(app, "#tabs"), "the positions")
        await pilot.press(*["left_square_bracket"] * 3)
        await until(pilot, lambda: "lags" in text_of(app, "#tabs"), "the activity")
        assert shows(app, "lags")
        assert "updated now" not in text_of(app, "#tabs")
        assert "latest fills not included yet" in text_of(app, "#rows-panel")
        # Two hosts never date one trade quite alike.
        fill = replace(fill, matched_at=newest + timedelta(seconds=1))
        service.own_fills = (fill,)
        service.announce(FillsTopic())
        await until(pilot, lambda: "updated now" in text_of(app, "#tabs"), "all of it")


async def test_rewards_are_asked_for_while_their_tab_is_in_front() -> None:
    service = believable_service()
    market = service.account_view.open_orders[0].condition_id
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "worst" in text_of(app, "#exposure"), "the positions")
        assert RewardsTopic() not in service.watched()
        await pilot.press("left_square_bracket", "left_square_bracket")
        await until(pilot, lambda: RewardsTopic() in service.watched(), "the rewards to be watched")
        await until(pilot, lambda: shows(app, "Loading rewards"), "waiting")
        rows = (
            Earned(NOW.date(), market, Micros(0), Micros(0), Micros(20_500_000)),
            Earned(date(2026, 6, 14), market, Micros(12_340_000), Micros(560_000)),
        )
        earned = EarnedView(rows, Load.READY, NOW)
        service.earned_view = earned
        service.announce(RewardsTopic())
        await until(pilot, lambda: shows(app, "14 Jun"), "the rewards")
        assert "20.5%" in _row(app, "today")
        for essential in ("$12.34", "$0.56", "$12.90"):
            assert essential in _row(app, "14 Jun")
        assert "rewards $12.34  rebates $0.56" in text_of(app, "#rows-panel")
        assert "20.5% of what this market pays now" in text_of(app, "#details")
        service.earned_view = EarnedView((), Load.READY, NOW)
        service.announce(RewardsTopic())
        await until(pilot, lambda: shows(app, "No rewards or rebates in the last 7 days"), "none")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: RewardsTopic() not in service.watched(), "the rewards let go")


async def test_what_is_at_stake_stands_in_a_line_or_in_a_pane_and_never_in_both() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "worst" in text_of(app, "#exposure"), "the line")
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: shows(app, "worst case"), "the pane")
        await settle(pilot)
        assert not app.screen.query_one("#exposure").display
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "worst" in text_of(app, "#exposure"), "the line again")
        for _ in Tab:
            await pilot.press("right_square_bracket")
            await settle(pilot)
            assert "reserved" in text_of(app, "#totals")
            assert "equity" in text_of(app, "#exposure")
            assert "worst" in text_of(app, "#exposure")


async def test_an_order_that_earns_rewards_says_so() -> None:
    service = believable_service()
    account = service.account_view
    order = next(o for o in account.open_orders if o.status is OrderStatus.LIVE)
    service.account_view = replace(
        account, open_orders=(order,), scoring=frozenset({order.order_id})
    )
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: shows(app, "working $"), "the mark")
        assert "earns rewards" in text_of(app, "#details")


async def test_open_orders_show_what_is_left_their_age_status_and_expiry() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        # A position of the same market stood there before.
        await until(pilot, lambda: "218.5/250" in _row(app, "Will Ilse"), "an order")
        for essential in ("BUY", "44.0¢", "218.5/250", "5m", "partial", "GTC"):
            assert essential in _row(app, "Will Ilse")
        assert "GTD 5h" in _row(app, "SELL")
        assert "unknown" in _row(app, "70.0¢")


async def test_working_orders_say_how_far_from_the_touch_they_stand_and_who_is_before_them() -> (
    None
):
    service = believable_service()
    first = service.account_view.open_orders[0]
    best = Level(Micros(first.price + 30_000), Micros(100_000_000))
    service.books[first.token_id] = BookView(first.token_id, BookState.LIVE, (best,), (), as_of=NOW)
    service.account_view = replace(
        service.account_view, queue_ahead=((first.order_id, Micros(4_870_000_000)),)
    )
    known = believable.market(100, first.order_id)
    service.markets[first.condition_id] = replace(
        service.market(first.condition_id), market=replace(known, tick_size=Micros(10_000))
    )
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "3t" in _row(app, "218.5/250"), "the distance")
        assert "~4,870" in _row(app, "218.5/250")
        assert any(
            isinstance(topic, RowQuotesTopic) and first.token_id in topic.token_ids
            for topic in service.watched()
        )


async def test_a_market_without_a_known_name_is_looked_up() -> None:
    service = believable_service()
    stranger = MarketTopic(believable.order(4, 999).condition_id)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert stranger not in service.watched()
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: stranger in service.watched(), "the look-up")
        known = believable.market(999, "Will the stranger be named?")
        view = service.market(believable.order(1, 100).condition_id)
        service.markets[stranger.condition_id] = replace(view, market=known)
        service.announce(stranger)
        await until(pilot, lambda: shows(app, "stran"), "the name")
        await until(pilot, lambda: stranger not in service.watched(), "the look-up to end")


async def test_x_cancels_the_order_at_the_cursor_and_shows_that_it_ends() -> None:
    service = believable_service()
    service.is_holding = True
    orders = service.account_view.open_orders
    refusal = ((orders[1].order_id, "order is [matched]\x1b[2J"),)
    service.cancel_verdicts = [CancelVerdict(CancelResult((), refusal))]
    app = _app(service)
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await pilot.press("right_square_bracket", "down", "x")
        assert service.calls_of("cancel") == [((orders[1].order_id,),)]
        await until(pilot, lambda: "ending…" in _row(app, "SELL"), "the ending order")
        service.release()
        await until(pilot, lambda: "working" in _row(app, "SELL"), "the refusal")
        await until(pilot, lambda: shows(app, "Not cancelled: order is"), "why")


async def test_working_orders_have_their_own_keys_first_at_the_foot() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "x Cancel" in text_of(app, "#footer"), "the key that cancels")
        assert "e Move" in text_of(app, "#footer")


async def test_x_elsewhere_says_why_it_does_nothing() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await pilot.press("x")
        await until(
            pilot, lambda: shows(app, "Only working orders are moved or cancelled"), "the reason"
        )
        assert not service.calls_of("cancel")
        assert not shows(app, "Cancel marked")


async def test_marked_orders_are_cancelled_after_a_question() -> None:
    service = believable_service()
    orders = service.account_view.open_orders
    app = _app(service)
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await pilot.press("right_square_bracket", "z")
        await until(pilot, lambda: shows(app, "No marked orders"), "the reason")
        await pilot.press("space", "space", "space", "up", "space")
        await until(pilot, lambda: "●" in _row(app, "SELL"), "the mark")
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        assert shows(app, "Cancel 2 marked orders?")
        await pilot.press("escape")
        await settle(pilot)
        assert not service.calls_of("cancel")
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("cancel"), "the cancellation")
        (ids,) = service.calls_of("cancel")[0]
        assert ids == tuple(sorted(o.order_id for o in orders[:2]))


async def test_the_cursor_stays_on_its_order_when_another_one_ends() -> None:
    service = believable_service()
    orders = service.account_view.open_orders
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket", "down", "down")
        service.account_view = replace(service.account_view, open_orders=orders[1:])
        service.announce(AccountTopic())
        await until(pilot, lambda: not _row(app, "Will Ilse"), "the order to leave")
        await pilot.press("x")
        assert service.calls_of("cancel") == [((orders[2].order_id,),)]


async def test_enter_opens_the_market() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Will Ilse"), "a position")
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.chosen, "the choice")
        chosen = app.chosen[0]
        assert isinstance(chosen, MarketChosen)
        assert chosen.condition_id == believable.position(101, "").condition_id


async def test_topics_are_dropped_while_another_screen_is_in_front() -> None:
    service = believable_service()
    await listens_only_in_front(service, PortfolioScreen(service.surface()), {AccountTopic()})


async def test_without_a_key_it_says_so() -> None:
    app = _app(read_only_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Read-only: no key"), "the reason")
        assert shows(app, "No key in this session, so no account to show. a says how to get one.")


async def test_empty_and_failed_accounts_say_so() -> None:
    service = FakeService()
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "No positions. / to find"), "the empty tab")
        service.account_view = replace(service.account_view, load=Load.FAILED, problem="timed out")
        service.announce(AccountTopic())
        await until(pilot, lambda: shows(app, "Could not load: timed out. r"), "why")
        await pilot.press("r")
        assert (AccountTopic(),) in service.calls_of("refresh")


async def test_rows_that_look_the_same_do_not_clash() -> None:
    service = believable_service()
    account = service.account_view
    service.account_view = replace(account, positions=account.positions * 2)
    past = service.activity_view
    service.own_fills = service.own_fills[:1] * 3
    service.activity_view = ActivityView(past.closed * 2, past.activity * 2)
    app = _app(service)
    async with app.run_test(size=(100, 24)) as pilot:
        for _ in range(7):
            await pilot.press("right_square_bracket", "end", "home")
        await until(pilot, lambda: shows(app, "Positions 8"), "all of them")


async def test_huge_amounts_are_shortened_and_never_cut() -> None:
    service = believable_service()
    whale = believable.position(
        100, "Will the whale win?", size=987_654_321.123456, average=0.0001, current=0.9999
    )
    service.account_view = replace(service.account_view, positions=(whale,))
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Will the whale"), "the position")
        assert "987.6M" in _row(app, "Will the whale")
        assert "99.99¢" in _row(app, "Will the whale")
        assert "$987.5M" in _row(app, "Will the whale")
        assert "+$987.5M" in _row(app, "Will the whale")


async def test_hostile_titles_stay_in_their_line() -> None:
    service = believable_service()
    positions = tuple(
        believable.position(500 + i, t, outcome=t) for i, t in enumerate(believable.HOSTILE_TITLES)
    )
    activity = tuple(
        believable.activity(i + 1, t, t) for i, t in enumerate(believable.HOSTILE_TITLES)
    )
    service.account_view = replace(service.account_view, positions=positions)
    service.activity_view = replace(service.activity_view, activity=activity)
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "two lines and"), "a tamed title")
        for key in (*["down"] * len(positions), *["left_square_bracket"] * 3):
            await pilot.press(key)
            await settle(pilot)
            assert is_tame(app)
        await survives_resizing(pilot, app, "two lines and")


async def test_every_theme_and_no_colour_at_all_work(any_theme: str) -> None:
    app = _app(believable_service(), any_theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "Will Ilse"), "a position")
        await pilot.press("right_square_bracket", "space")
        await until(pilot, lambda: "●" in _row(app, "Will Ilse"), "the mark")


async def test_resizing_never_crashes() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(5):
            await pilot.press("right_square_bracket")
            await survives_resizing(pilot, app, "Positions")


async def test_positions_of_siblings_are_told_apart_where_titles_are_cut() -> None:
    service = believable_service()
    question = "What will the bank do to its target range in December: {}?"
    held = []
    for number, name in enumerate(("No change", "Cut"), 700):
        market = believable.market(number, question.format(name), group_title=name)
        assert market.condition_id is not None
        service.markets[market.condition_id] = MarketView(market, None, Load.READY, NOW)
        held.append(believable.position(number, market.question))
    service.account_view = replace(service.account_view, positions=tuple(held))
    app = _app(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _row(app, "No change: What"), "the first")
        assert _row(app, "Cut: What will")


async def test_wide_screens_show_the_day_the_exit_and_the_stop_of_a_position() -> None:
    service = believable_service()
    first, second, *_ = service.account_view.positions
    market = believable.market(100, first.title)
    held = replace(first, token_id=market.token_ids[0], size=Micros(100 * ONE))
    held = replace(held, average_price=Micros(400_000))
    stop = ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=held.condition_id, token_id=held.token_id,
        outcome="Yes", title=held.title, size=held.size, stop=Micros(350_000), take_profit=None,
        give_way=Micros(50_000), created_at=NOW,
    )  # fmt: skip
    lower = replace(stop, conditional_id=ConditionalId("c2"), stop=Micros(300_000))
    service.account_view = replace(
        service.account_view, positions=(held, second), conditionals=(lower, stop)
    )
    bids, asks = (Level(Micros(450_000), Micros(500 * ONE)),), (Level(Micros(470_000), ONE),)
    service.books[held.token_id] = BookView(
        held.token_id, BookState.LIVE, bids=bids, asks=asks, tick_size=Micros(10_000)
    )
    points = tuple(
        PricePoint(NOW - timedelta(hours=12 - n), Micros(300_000 + 10_000 * n)) for n in range(12)
    )
    history = HistoryView(points, Interval.DAY, Load.READY, NOW)
    service.histories[held.token_id, Interval.DAY] = history
    app = _app(service)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: "▆" in _row(app, "40.0¢"), "the day")
        # What the best bid pays for all of it, over what it cost.
        assert "+$5.00" in _row(app, "40.0¢")
        assert "35.0¢" in _row(app, "40.0¢")
        assert HistoryTopic(held.token_id, Interval.DAY) in service.watched()
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: not shows(app, "Realised"), "fewer columns")
        # What selling brings matters more than what was realised before.
        assert shows(app, "Exit")
        assert "35.0¢" in _row(app, "40.0¢")


async def test_what_is_lost_stands_last_and_dim() -> None:
    service = believable_service()
    lost = replace(
        service.account_view.positions[0], is_redeemable=True, current_price=Micros(0),
        token_id=TokenId("lost"),
    )  # fmt: skip
    service.account_view = replace(
        service.account_view, positions=(lost, *service.account_view.positions)
    )
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        table = app.screen.query_one("#positions", LineTable)
        await until(pilot, lambda: bool(table.rows), "the positions")
        assert table.rows[-1].key == "lost"
        assert {cell.role for cell in table.rows[-1].cells} == {Role.DIM}


async def test_the_panes_show_the_days_result_with_the_status_line() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _row(app, "Will Ilse"), "a position")
        await settle(pilot)
        figures = DayFigures(Micros(-3_210_000), realized=Micros(-120_000), fees=Micros(2_970_000))
        service.status_view = replace(
            service.status_view, day_result=figures.total, day_figures=figures,
            portfolio_value=Micros(9_996_790_000),
        )  # fmt: skip
        # The account itself has not changed, or arrives later.
        service.announce(StatusTopic())
        await until(pilot, lambda: "today -$3.21" in text_of(app, "#status"), "the status line")
        shown = "\n".join(screen_lines(app)[2:10])
        assert shown.count("-$3.21") == 2
        assert "$9,996.79" in shown


async def test_a_short_list_keeps_the_panes_above_it_and_a_long_one_takes_their_room() -> None:
    service = believable_service()
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        assert isinstance(screen, PortfolioScreen)
        screen.show_tab(Tab.FILLS)
        await until(pilot, lambda: screen.has_class("-figures"), "the panes above the fills")
        fill = believable.fill(1, 2)
        service.own_fills = tuple(replace(fill, trade_id=TradeId(str(n))) for n in range(40))
        service.announce(FillsTopic())
        await until(pilot, lambda: not screen.has_class("-figures"), "the room for the fills")


@pytest.mark.parametrize(("number", "is_stacked"), [(2, True), (12, False)])
async def test_few_positions_leave_their_rows_and_the_width_to_the_curve(
    number: int, is_stacked: bool
) -> None:
    service = believable_service()
    held = service.account_view.positions[0]
    positions = tuple(replace(held, token_id=TokenId(f"9{n}")) for n in range(number))
    service.account_view = replace(service.account_view, positions=positions)
    app = _app(service)
    async with app.run_test(size=(120, 40)) as pilot:
        table = app.screen.query_one("#positions", LineTable)
        await until(pilot, lambda: len(table.rows) == number, "the positions")
        await settle(pilot)
        names = ("#equity", "#today", "#risk")
        equity, today, risk = (app.screen.query_one(name).region for name in names)
        assert (today.y < risk.y) is is_stacked
        assert (equity.width > 60) is is_stacked
        assert min(today.height, risk.height) >= 6
        # No row gives way to the curve.
        assert table.size.height > number
