"""Protecting a position and looking after what protects it, from the keys."""

from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.conditionals.conditional import (
    GONE,
    Attachment,
    ConditionalId,
    ConditionalOrder,
    ConditionalPlan,
    ConditionalState,
    CountedFills,
    Trigger,
)
from pmtui.domain.formats import format_shares
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.service.topics import AccountTopic, BookTopic
from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Row
from pmtui.ui.facts import ABSENT
from pmtui.ui.format import TENTH_OF_CENT, read_distance, read_price
from pmtui.ui.frame import MarketChosen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.conditionals import _ORDER, ConditionalsScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import NumberField
from pmtui.ui.ticket.protect import (
    CONDITIONAL_COLUMNS,
    ProtectScreen,
    paint_conditional_row,
    paint_protection,
    protection_forms,
)
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows
from tests.ui.market.market_kit import MIDDLE, line, on_market, opened
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.wait import settle, until

m = parse_micros
STOP = ConditionalOrder(
    conditional_id=ConditionalId("c1"), condition_id=CONDITION, token_id=YES, outcome="Yes",
    title="Will the bank cut rates?", size=m("100"), stop=m("0.40"), take_profit=None,
    give_way=m("0.05"), created_at=NOW,
)  # fmt: skip


async def asked(app: MarketDemo, pilot: Pilot[None]) -> ProtectScreen:
    await opened(app, pilot)
    await pilot.press("t")
    await until(pilot, lambda: isinstance(app.screen, ProtectScreen), "the entries")
    await settle(pilot)
    screen = app.screen
    assert isinstance(screen, ProtectScreen)
    return screen


def says(screen: ProtectScreen, entry: str) -> str:
    found = screen.query_one(f"#protect-{entry}-says", TextLine)
    return "".join(cell.text for cell in found.line).strip()


@pytest.mark.parametrize(
    ("pointed", "entry", "text"), [("0.41", "stop", "41"), ("0.80", "profit", "80")]
)
async def test_the_price_pointed_at_is_the_stop_or_the_target_to_begin_with(
    pointed: str, entry: str, text: str
) -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(m(pointed))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, ProtectScreen), "the entries")
        field = app.screen.query_one(f"#protect-{entry}", NumberField)
        await until(pilot, lambda: app.focused is field, "the price can be typed over")
        assert field.value == text
        await pilot.press(*"39")
        assert field.value == "39"


async def test_all_counts_no_pairs_and_a_size_that_sells_them_is_warned_of() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = service.account_view.positions[0]
    no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=m("1231.5"))
    service.account_view = replace(service.account_view, positions=(yes, no), balances=())
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        assert shows(app, "Stop / target: 19 Yes")
        assert shows(app, "Pairs 1,231.5 stay")
        assert says(screen, "size") == "19 Yes"
        await pilot.press(*"40")
        screen.field("protect-size").value = "30"
        await until(pilot, lambda: shows(app, "30 of which 11 in pairs"), "the warning")
        assert says(screen, "size") == "shares, or all"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the card")
        assert shows(app, "short 11")


async def test_a_stop_and_a_profit_are_asked_for_shown_and_handed_over() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(app, pilot)
        await pilot.press(*"40", "tab", *"80", "enter")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the card")
        assert shows(app, "Assumes a full fill at that price")
        assert shows(app, "SELL all 1,250.5 Yes, stop 40¢")
        assert shows(app, "inactive while pmtui is closed")
        await settle(pilot)
        await pilot.press("enter")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("protect"), "the plan handed over")
        ((plan,),) = service.calls_of("protect")
        assert isinstance(plan, ConditionalPlan)
        held = service.account_view.shares(YES)
        assert (plan.stop, plan.take_profit, plan.size) == (m("0.40"), m("0.80"), held)
        assert plan.is_all
        await until(pilot, lambda: not isinstance(app.screen, ProtectScreen), "the entries gone")


async def test_what_cannot_be_watched_over_keeps_the_entries_and_says_why() -> None:
    app = MarketDemo(0)
    app.market.service.protect_problem = "entry is locked"
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await asked(app, pilot)
        await pilot.press(*"39", "enter")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the card")
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "entry is locked"), "why")
        assert screen.field("protect-stop").value == "39"
        await pilot.press("backspace")
        await until(pilot, lambda: not shows(app, "entry is locked"), "another draft")


async def test_a_long_problem_is_said_below_the_entries_on_a_small_screen() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await asked(app, pilot)
        await pilot.press(*"90")
        await until(pilot, lambda: says(screen, "stop") == "x see below", "it is marked")
        assert shows(app, "Bid 52¢: it would trigger now")


async def test_problems_stand_beside_their_entries_by_the_book_of_this_moment() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "Enter a stop"), "nothing was stated")
        await pilot.press(*"90")
        await until(pilot, lambda: says(screen, "stop") == "x Bid 52¢: it would trigger now", "now")
        book = service.books[YES]
        service.books[YES] = replace(book, bids=book.bids[1:], version=book.version + 1)
        service.announce(BookTopic(YES))
        await until(pilot, lambda: says(screen, "stop").startswith("x Bid 51¢"), "one clock")
        assert shows(app, "bid 51")
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is screen
        await pilot.press("home", *"49", "delete", "delete")
        await pilot.press("tab", "tab", "end", "backspace", *"55")
        await until(
            pilot, lambda: says(screen, "give-way") == "x At most 48: no price is below 1¢", "why"
        )
        await pilot.press("home", "delete", "delete", *"9")
        await until(pilot, lambda: shows(app, "At the limit"), "what it would bring")
        assert shows(app, "At the stop")
        assert shows(app, "40¢  brings $")
        assert says(screen, "give-way") == "¢  below the stop"


async def test_a_short_is_protected_from_the_ladder_of_the_other_outcome() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = service.account_view.positions[0]
    no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=believable.micros(40))
    service.account_view = replace(service.account_view, positions=(no,), balances=())
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros(0.57))
        await pilot.press("t")
        await until(pilot, lambda: shows(app, "Stop / target: 40 No"), "the form")
        assert shows(app, "On the Yes ladder: stop 57¢")
        assert [(g.price, g.side) for g in screen.ladder.viewport.marks.ghosts] == [
            (believable.micros(0.57), Side.BUY)
        ]
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "SELL all 40 No, stop 43¢ (limit 38¢)"), "the card")
        assert shows(app, "On the Yes ladder: stop 57¢")


async def test_without_shares_there_is_nothing_to_protect() -> None:
    app = MarketDemo(0)
    service = app.market.service
    service.account_view = replace(service.account_view, positions=(), balances=())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("t")
        await until(pilot, lambda: "No position" in line(screen, "notice"), "why not")


async def test_the_list_starts_rests_and_cancels() -> None:
    service = FakeService()
    held = replace(service.account_view, balances=((YES, STOP.size),))
    service.account_view = replace(held, conditionals=(STOP,))
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, ConditionalsScreen), "the list")
        await until(pilot, lambda: app.screen.query_one(LineTable).rows, "the row")
        for words in ("watching", "100", "Yes", "40.0¢", "35.0¢", "Will the bank cut rates?"):
            assert shows(app, words)
        await pilot.press("space")
        await until(pilot, lambda: service.calls_of("pause_conditional") == [("c1",)], "pause")
        paused = replace(STOP, state=ConditionalState.PAUSED, reason="by you")
        service.account_view = replace(service.account_view, conditionals=(paused,))
        service.announce(AccountTopic())
        await until(pilot, lambda: shows(app, "paused"), "the state")
        await pilot.press("space")
        await until(pilot, lambda: service.calls_of("start_conditional") == [("c1",)], "start")
        await pilot.press("x")
        await until(pilot, lambda: service.calls_of("cancel_conditional") == [("c1",)], "cancel")


async def test_the_list_says_what_watches_a_book_that_nothing_fires_from() -> None:
    service = FakeService()
    service.account_view = replace(
        service.account_view, conditionals=(STOP,), unseen=frozenset((YES,))
    )
    service.books[YES] = BookView(YES, BookState.STALE, as_of=NOW - timedelta(seconds=14))
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("C")
        await until(pilot, lambda: shows(app, "Cannot trigger"), "the words")
        assert shows(app, "Cannot trigger: book stale")
        assert shows(app, "blind")
        assert not shows(app, "watching ")


async def test_the_list_shows_the_bid_the_distance_and_the_result_at_the_stop() -> None:
    service = MarketDemo(0).market.service
    held = replace(service.account_view, balances=((YES, STOP.size),))
    service.account_view = replace(held, conditionals=(STOP,))
    bid = service.books[YES].best_bid
    assert bid is not None
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, ConditionalsScreen), "the list")
        await until(pilot, lambda: app.screen.query_one(LineTable).rows, "the row")
        (row,) = app.screen.query_one(LineTable).rows
        known = dict(zip(_ORDER, (cell.text for cell in row.cells), strict=True))
        assert known["bid"] == read_price(bid, tick=TENTH_OF_CENT)
        assert known["away"] == read_distance(Micros(bid - m("0.40")), tick=TENTH_OF_CENT)
        # Prices below each other and beside each other have one number of decimals.
        prices = [known[key] for key in ("stop", "worst", "bid", "away")]
        assert [price.index("¢") - price.index(".") for price in prices] == [2] * 4
        assert known["end"].startswith(("+", "-", "$"))
        await pilot.resize_terminal(80, 24)
        # Who holds them is what a stop must not leave unsaid.
        await until(pilot, lambda: shows(app, "inactive while pmtui is closed"), "who watches")
        told = f"away {known['away']}  at stop {known['end'].strip()}"
        await until(pilot, lambda: shows(app, told), "what the columns leave out")
        told = f"away {known['away']}  at stop {known['end'].strip()}"
        await until(pilot, lambda: shows(app, told), "what the columns leave out")


async def test_one_without_shares_says_so_in_the_list_and_beside_the_position() -> None:
    app = MarketDemo(0)
    service = app.market.service
    paused = replace(STOP, state=ConditionalState.PAUSED, reason=GONE)
    held = replace(service.account_view, conditionals=(paused,))
    service.account_view = replace(held, positions=(), balances=())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot)
        await until(pilot, lambda: shows(app, "no shares 100 Yes  ▽ stop 40¢"), "its line")
        service.account_view = held
        service.announce(AccountTopic())
        await until(pilot, lambda: shows(app, "paused 100 Yes  ▽ stop 40¢"), "shares again")


@pytest.mark.parametrize("is_all", [True, False])
def test_a_paused_one_names_the_shares_it_will_cover(*, is_all: bool) -> None:
    account = MarketDemo(0).market.service.account_view
    held = format_shares(account.held(YES))
    placed = replace(STOP, size=Micros(10**12), is_all=is_all, state=ConditionalState.PAUSED)
    account = replace(account, conditionals=(placed,))
    line = "".join(cell.text for cell in paint_protection(placed, account))
    assert line.startswith(f"paused {'all ' * is_all}{held} Yes ")


def test_one_that_waits_for_fills_names_no_size() -> None:
    source = CountedFills(OrderId("0x1"), Micros(0), Micros(0), NOW)
    waiting = replace(STOP, size=Micros(0), sources=(source,))
    account = replace(FakeService().account_view, conditionals=(waiting,))
    assert paint_conditional_row(waiting, account, NOW).cells[2].text == ABSENT
    for form in (paint_protection(waiting, account), *protection_forms(waiting, account)):
        line = "".join(cell.text for cell in form)
        assert line.startswith("on fill ")
        assert "0 Yes" not in line


def test_a_row_without_shares_or_sight_says_so() -> None:
    account = replace(FakeService().account_view, conditionals=(STOP,))

    def said(each: ConditionalOrder) -> str:
        known = replace(account, conditionals=(each,))
        text = paint_conditional_row(each, known, NOW).cells[0].text
        assert paint_protection(each, known)[0].text == f"{text} "
        return text

    assert said(STOP) == "watching"
    assert said(replace(STOP, state=ConditionalState.PAUSED, reason=GONE)) == "no shares"


async def test_the_market_is_shown_and_judged_without_own_orders() -> None:
    app = MarketDemo(0)
    service = app.market.service
    book = service.books[YES]
    best, second = book.bids[:2]
    account = service.account_view
    mine = replace(
        account.open_orders[0], token_id=YES, side=Side.BUY, price=best.price,
        original_size=best.size, matched_size=Micros(0),
    )  # fmt: skip
    service.account_view = replace(account, open_orders=(mine,))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        shown = f"{second.price // 10_000} / {book.asks[0].price // 10_000} without yours"
        await until(pilot, lambda: shows(app, shown), "the market of others")
        await pilot.press(*str(second.price // 10_000), "enter")
        await until(pilot, lambda: "it would trigger now" in says(screen, "stop"), "the same price")


async def test_beside_another_it_starts_with_what_is_left_and_says_what_is_unprotected() -> None:
    app = MarketDemo(0)
    service = app.market.service
    held = service.account_view.held(YES)
    other = replace(STOP, size=Micros(held - m("40")))
    service.account_view = replace(service.account_view, conditionals=(other,))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        assert screen.field("protect-size").value == "40"
        await until(pilot, lambda: shows(app, "40 of 1,250.5 unprotected"), "the rest")
        await pilot.press(*"40", "tab", "tab", "tab", *"41")
        await until(pilot, lambda: shows(app, "40 left"), "too many")
        await pilot.press("home", "delete", "delete", *"all")
        await until(pilot, lambda: shows(app, "have one already"), "all of it")


@pytest.mark.parametrize("is_all", [True, False])
async def test_where_another_covers_everything_its_row_shows_instead_of_a_form(
    *, is_all: bool
) -> None:
    service = MarketDemo(0).market.service
    # One for the whole position keeps the size with which it was placed.
    placed = m("1000") if is_all else service.account_view.held(YES)
    other = replace(STOP, size=placed, is_all=is_all)
    elsewhere = replace(STOP, conditional_id=ConditionalId("c0"), token_id=TokenId("77"))
    service.account_view = replace(service.account_view, conditionals=(elsewhere, other))
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        app.navigation.go(MarketChosen(CONDITION))
        await until(pilot, lambda: shows(app, "POSITION"), "the market")
        await settle(pilot)
        await pilot.press("t")
        await until(pilot, lambda: shows(app, "x cancels this, then t sets another"), "the way")
        screen = app.screen
        assert isinstance(screen, ConditionalsScreen)
        assert screen.table.cursor_key == "c1"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the ladder")


async def test_a_narrow_form_shows_a_size_to_its_last_digit() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = service.account_view.positions[0]
    other = replace(STOP, size=m("1"))
    service.account_view = replace(
        service.account_view, positions=(replace(yes, size=m("123457.78")),), balances=(),
        conditionals=(other,),
    )  # fmt: skip
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(app, pilot)
        assert shows(app, "123456.78")
        assert shows(app, "shares, or all")


async def test_the_heading_follows_the_position() -> None:
    app = MarketDemo(0)
    service = app.market.service
    (yes, *_) = service.account_view.positions
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        assert shows(app, "Stop / target: 1,250.5 Yes")
        no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=m("4"))
        service.account_view = replace(
            service.account_view, positions=(replace(yes, size=m("49.99")), no), balances=()
        )
        service.announce(AccountTopic())
        await until(pilot, lambda: shows(app, "Stop / target: 45.99 Yes"), "the shares of now")
        assert shows(app, "Pairs 4 stay")
        assert says(screen, "size") == "45.99 Yes"


@pytest.mark.parametrize(
    ("size", "in_list"), [("49.99", "49.99"), ("1549.99", "1,549.99"), ("234567.89", "234,567")]
)
@pytest.mark.parametrize("is_all", [True, False])
def test_the_size_of_a_stop_is_one_figure_everywhere(
    size: str, in_list: str, *, is_all: bool
) -> None:
    account = MarketDemo(0).market.service.account_view
    stop = replace(STOP, token_id=TokenId("7"), size=m(size), is_all=is_all)
    (yes, *_) = account.positions
    account = replace(
        account, balances=(), conditionals=(stop,),
        positions=(replace(yes, token_id=stop.token_id, size=m(size)),),
    )  # fmt: skip
    of_all = "all " * is_all
    assert _cells(paint_conditional_row(stop, account, NOW))["size"] == f"{of_all}{in_list}"
    exact = f"{of_all}{format_shares(m(size))} Yes"
    assert exact in "".join(cell.text for cell in paint_protection(stop, account))
    assert exact in "".join(cell.text for cell in protection_forms(stop, account)[0])


def _cells(row: Row) -> dict[str, str]:
    return {
        column.key: cell.text.strip()
        for column, cell in zip(CONDITIONAL_COLUMNS, row.cells, strict=True)
    }


async def at_stop(app: MarketDemo, pilot: Pilot[None], each: ConditionalOrder) -> MarketScreen:
    """Open the market with the cursor on a stop's row."""
    service = app.market.service
    service.account_view = replace(service.account_view, conditionals=(each,))
    screen = await opened(app, pilot)
    service.announce(AccountTopic())
    await until(pilot, lambda: screen.ladder.ladder and screen.ladder.ladder.placed.stops, "marks")
    assert each.stop is not None
    screen.ladder.point_at(each.stop)
    await settle(pilot)
    return screen


async def test_a_stop_is_on_the_ladder_and_is_moved_there_as_orders_are() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await at_stop(app, pilot, replace(STOP, stop=m("0.48"), take_profit=m("0.55")))
        await until(pilot, lambda: shows(app, "▼") and shows(app, "▲"), "both marks")
        await pilot.press("e")
        await until(pilot, lambda: screen.controls.moving.is_moving, "it is picked up")
        await until(pilot, lambda: shows(app, "stop 48¢ of 100 to 48¢"), "what is moved")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the card")
        await settle(pilot)
        await pilot.press("enter")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("move_conditional"), "the move")
        assert service.calls_of("move_conditional") == [("c1", Trigger.STOP, m("0.47"))]
        assert not screen.controls.moving.is_moving


async def test_a_stop_is_cancelled_at_the_cursor_and_its_target_stays() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        await at_stop(app, pilot, replace(STOP, stop=m("0.48"), take_profit=m("0.55")))
        await pilot.press("x")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("cancel_conditional"), "the end")
        assert service.calls_of("cancel_conditional") == [("c1", Trigger.STOP)]


async def test_beside_an_order_the_key_goes_to_the_order_first_and_the_stop_stays() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        # An own order rests at the same price.
        screen = await at_stop(app, pilot, replace(STOP, stop=m("0.49")))
        await pilot.press("e")
        await until(
            pilot, lambda: shows(app, "BUY") and screen.controls.moving.is_moving, "the order"
        )
        assert not shows(app, "stop 49¢ of 100 to")
        await pilot.press("e")
        await until(pilot, lambda: shows(app, "stop 49¢ of 100 to"), "now the stop")
        await pilot.press("escape", "x")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("cancel"), "the order is cancelled")
        assert service.calls_of("cancel_conditional") == []
        await until(pilot, lambda: shows(app, "The stop there stays"), "said")


async def test_a_trailing_stop_is_asked_for_and_shown_with_its_price() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await asked(app, pilot)
        await pilot.press("tab", "tab", "tab", "tab", *"3")
        await until(pilot, lambda: shows(app, "49¢  brings"), "where it begins")
        assert says(screen, "stop") == "¢  bid at or below"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the card")
        assert shows(app, "trail 3¢")
        await settle(pilot)
        await pilot.press("enter")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("protect"), "the plan handed over")
        ((plan,),) = service.calls_of("protect")
        assert isinstance(plan, ConditionalPlan)
        assert (plan.stop, plan.trail) == (None, m("0.03"))
    assert "trail " in "".join(c.text for c in paint_protection(replace(STOP, trail=m("0.03"))))


def test_a_narrow_list_keeps_the_prices_of_a_stop_and_a_target() -> None:
    both = replace(
        STOP,
        is_all=True,
        size=m("399.99"),
        stop=m("0.405"),
        take_profit=m("0.505"),
        trail=m("0.03"),
    )
    forms = protection_forms(both, FakeService().account_view)
    texts = ["".join(cell.text for cell in form) for form in forms]
    assert all("stop 40.5¢" in text and "target 50.5¢" in text for text in texts)
    assert "▼ trail 3.0¢" in texts[0]
    assert both.outcome in texts[0]
    assert texts[-1] == "▼ stop 40.5¢ ▲ target 50.5¢"
    assert sorted(map(len, texts), reverse=True)[-1] == len(texts[-1])
    assert len(texts[-1]) <= 28
    assert protection_forms(replace(both, stop=None, take_profit=None), FakeService().account_view)[
        -1
    ]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_ticket_carries_a_stop_and_a_target_that_the_card_shows(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (app, pilot, screen):
        await pilot.press("b")
        if size == (80, 24):
            # One line has no room for them; the whole ticket has.
            await until(pilot, lambda: screen.ticket.has_class("-line"), "the ticket on a line")
            await pilot.press("f2")
        await until(pilot, lambda: shows(app, "Target"), "the row")
        screen.ticket.price.value = "50"
        screen.ticket.size_field.value = "10"
        screen.ticket.stop.focus()
        await pilot.press(*"50", "tab", *"60", "enter")
        await until(pilot, lambda: shows(app, "ust be below"), "why not")
        screen.ticket.stop.value = "45"
        await until(pilot, lambda: not shows(app, "ust be below"), "mended")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        assert shows(app, "On fills")
        assert shows(app, "stop 45¢")
        await settle(pilot)
        app.market.service.at += timedelta(seconds=1)
        await pilot.press("enter")
        service = app.market.service
        await until(pilot, lambda: service.calls_of("place"), "the order")
        assert service.calls_of("attach") == [(Attachment(m("0.45"), m("0.60")),)]


async def test_a_sale_has_no_row_for_a_stop() -> None:
    async with on_market(MIDDLE) as (app, pilot, _):
        await pilot.press("s")
        await settle(pilot)
        assert not shows(app, "on fills")
