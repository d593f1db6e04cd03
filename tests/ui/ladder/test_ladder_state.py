from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import Axis, Ladder, LadderMarks, build_ladder
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import FeeSchedule, RewardTerms, Side, Trading
from pmtui.domain.money import ONE, SCALE, Micros
from pmtui.domain.orders.flattening import close_now
from pmtui.service.views import QuoteRow
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.event.paint_event import describe_quote
from pmtui.ui.explore.paint_markets import paint_result_row
from pmtui.ui.format import format_price, write_clock
from pmtui.ui.ladder.ladder_state import paint_ending, paint_facts, paint_state
from pmtui.ui.ladder.paint_ladder import profit_text, queue_text
from pmtui.ui.ladder.side_ladder import paint_side_state
from pmtui.ui.market.paint_single_keys import paint_arming
from pmtui.ui.theme.theme import Role
from tests.ui import believable
from tests.ui.fake_surface import NOW

CENT = Micros(10_000)
TOKEN = TokenId("1")
MINE = believable.order(1, price=0.5, size=100)
BOOK = BookView(
    TOKEN, BookState.LIVE, (Level(Micros(500_000), Micros(440_000_000)),),
    (Level(Micros(520_000), Micros(70_000_000)),), CENT,
)  # fmt: skip


BLANKS = 4


def title(*args: Any, **options: Any) -> Line:
    """Return name and value of the ladder's title, which have the width together."""
    name, value = paint_state(*args, **options)
    return (Cell(" "), *name, Cell("  "), *value, Cell(" "))


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


def ladder(*, is_holding: bool = True) -> Ladder:
    stake = Stake(Micros(1_000_000_000), Micros(483_300), fee=FeeSchedule(Micros(40_000)))
    marks = LadderMarks(
        ahead=((MINE.order_id, Micros(340_000_000)),), net=stake if is_holding else None,
        rewards=RewardTerms(Micros(100_000_000), Micros(35_000)),
    )  # fmt: skip
    volume = ((Micros(500_000), Micros(12_000_000)),)
    return build_ladder(BOOK, Axis(CENT, CENT), orders=(MINE,), volume=volume, marks=marks)


def test_the_row_at_the_cursor_tells_all_that_has_no_column() -> None:
    text = text_of(paint_facts(ladder(), Micros(500_000), 100)).split("  ")
    assert text[:5] == [" 50¢", "~340 ahead", "P&L +$6.70", "depth 440", "traded 12"]
    assert "rewards from 100" in text


def test_the_first_in_line_is_called_so_as_on_the_row() -> None:
    mine = believable.order(1, price=0.5, size=100)
    book = BookView(TOKEN, BookState.LIVE, (Level(mine.price, mine.original_size),), (), CENT)
    marks = LadderMarks(ahead=((mine.order_id, Micros(0)),))
    placed = build_ladder(book, Axis(CENT, CENT), orders=(mine,), marks=marks)
    assert "  1st  " in text_of(paint_facts(placed, mine.price, 60))
    assert queue_text(placed.rung_at(mine.price), 5) == "1st"


def test_of_several_own_orders_at_a_price_the_line_tells_the_first_and_the_last() -> None:
    mine = (believable.order(1, price=0.87, size=100), believable.order(2, price=0.87, size=10))
    deep = Level(Micros(870_000), Micros(16_827 * SCALE))
    book = BookView(TOKEN, BookState.LIVE, (deep,), (), CENT)
    ahead = zip((o.order_id for o in mine), (Micros(0), Micros(16_717 * SCALE)), strict=True)
    marks = LadderMarks(ahead=tuple(ahead))
    placed = build_ladder(book, Axis(CENT, CENT), orders=mine, marks=marks)
    assert "~0 to ~16,717 ahead" in text_of(paint_facts(placed, Micros(870_000), 60))
    rung = placed.rung_at(Micros(870_000))
    assert [queue_text(rung, room) for room in (5, 6, 7, 8)] == [
        "~17k",
        "~0-17k",
        "~0-17k",
        "~0-16.8k",
    ]
    near = replace(rung, ahead_of_last=Micros(90 * SCALE))
    assert queue_text(near, 5) == "~0-90"
    assert queue_text(replace(rung, ahead_of_last=Micros(1_234 * SCALE)), 5) == "~1.3k"


def test_what_a_wide_row_counts_is_not_told_of_a_price_within_it() -> None:
    plain = ladder()
    book = BookView(
        TOKEN, BookState.LIVE,
        (Level(Micros(500_000), Micros(440_000_000)), Level(Micros(460_000), Micros(60_000_000))),
        (Level(Micros(520_000), Micros(70_000_000)),), CENT,
    )  # fmt: skip
    wide = build_ladder(book, Axis(CENT, Micros(50_000)), marks=plain.placed.marks)
    text = text_of(paint_facts(wide, Micros(470_000), 100)).split("  ")
    assert text[:3] == [" 47¢", "P&L -$23.26", "row 45¢: depth 500"]
    text = text_of(paint_facts(wide, Micros(450_000), 100)).split("  ")
    assert text[2] == "depth 500"


@pytest.mark.parametrize("width", range(0, 90, 7))
def test_facts_that_do_not_fit_are_left_out_whole(width: int) -> None:
    for cursor in (None, Micros(500_000)):
        whole = text_of(paint_facts(ladder(), cursor, 200)).strip().split("  ")
        line = paint_facts(ladder(), cursor, width)
        shown = [fact for fact in text_of(line).strip().split("  ") if fact]
        assert line_width(line) == width
        assert shown == [fact for fact in whole if fact in shown]
        assert text_of(line)[-1:] in ("", " ")


def test_without_a_cursor_the_line_tells_what_was_paid_and_what_closing_brings() -> None:
    # Of the 440 bid for, 100 are ours.
    held = ladder()
    assert held.placed.marks.net is not None
    closing = close_now(held.placed.marks.net, BOOK, (MINE,), tick=CENT)
    assert text_of(paint_facts(held, None, 41, closing=closing)).rstrip() == (
        " exit 340 +$2.28  avg 48.33¢  b/e 50¢"
    )
    assert "exit" not in text_of(paint_facts(held, None, 41))
    assert not text_of(paint_facts(ladder(is_holding=False), None, 41)).strip()


def test_what_pairs_bring_stands_beside_the_average_or_makes_it_an_estimate() -> None:
    plain = ladder()
    stake = plain.placed.marks.net
    assert stake is not None

    def shown(net: Stake) -> str:
        placed = replace(plain.placed, marks=replace(plain.placed.marks, net=net))
        closing = close_now(stake, BOOK, (MINE,), tick=CENT)
        return text_of(paint_facts(replace(plain, placed=placed), None, 60, closing=closing))

    apart = replace(stake, pairs=Micros(30 * ONE), apart=Micros(600_000))
    assert shown(apart).rstrip().endswith("avg 48.33¢  b/e 50¢  30 pairs +$0.60")
    hidden = replace(apart, apart=Micros(9_999))
    assert "pairs" not in shown(hidden)
    within = replace(stake, pairs=Micros(30 * ONE), locked=Micros(600_000))
    assert "exit 340 ~+$2.28  avg ~" in shown(within)
    assert "b/e ~50¢" in shown(within)


@pytest.mark.parametrize(
    ("bid", "ask", "said"),
    [
        (3_000, 1_000, "in view 3,000 ████████░░ 1,000"), (0, 10, "in view 0 ░░░░░░░░░░ 10"),
        (10, 0, "in view 10 ██████████ 0"), (0, 0, ""),
    ],
)  # fmt: skip
def test_the_bids_in_view_are_weighed_against_the_asks(bid: int, ask: int, said: str) -> None:
    in_view = (Micros(bid * SCALE), Micros(ask * SCALE))
    line = paint_facts(ladder(is_holding=False), None, 41, in_view=in_view)
    assert text_of(line).strip() == said


@pytest.mark.parametrize(
    ("profit", "text"),
    [
        (12_300_000, "+$12.30"), (-12_300_000, "-$12.30"), (0, "  $0.00"), (-1, "  $0.00"),
        (123_456_789_000, "+$123k"), (-1_204_330_000, "-$1,204"), (480_100_000, " +$480"),
    ],
)  # fmt: skip
def test_a_profit_has_a_sign_and_fits_its_column(profit: int, text: str) -> None:
    assert profit_text(Micros(profit), 7).strip() == text.strip()
    assert len(profit_text(Micros(profit), 7)) == 7


@pytest.mark.parametrize("trading", [Trading.CLOSED, Trading.HALTED, Trading.NOT_OPEN])
@pytest.mark.parametrize("state", BookState)
def test_a_market_that_takes_no_orders_is_never_called_good(
    state: BookState, trading: Trading
) -> None:
    book = BookView(TOKEN, state, as_of=NOW)
    lines = (
        title(book, NOW, 60, trading=trading),
        paint_side_state(book, NOW, 40, trading=trading),
    )
    for line in lines:
        assert all(cell.role is not Role.VERIFIED for cell in line)
        assert line[0].text.strip() not in ("verified", "live")
        assert trading is not Trading.CLOSED or " closed" in text_of(line)


def test_rows_of_markets_that_take_no_orders_are_never_called_live() -> None:
    market = believable.market(1, "Will the gauge pass two metres?")
    token_id = market.quoted_token
    assert token_id is not None
    levels = (Level(Micros(500_000), Micros(9_000_000)),)
    book = BookView(token_id, BookState.VERIFIED, levels, as_of=NOW)
    for changes in ({"closed": True}, {"accepting_orders": False}, {"active": False}):
        stopped = replace(market, **changes)  # type: ignore[arg-type]
        (row,) = believable.market_rows(believable.event(1, "Gauges", (stopped,)))
        quote = QuoteRow(ConditionId("1"), None, None, None, NOW, is_live=True)
        cells = (*paint_result_row(row, book, NOW).cells, describe_quote(stopped, quote, NOW))
        assert all(cell.role is not Role.VERIFIED for cell in cells)
        # A live price alone has no word beside it.
        assert cells[-1].text
        assert stopped.closed or "paused" in [cell.text for cell in cells]


def test_a_held_axis_is_said() -> None:
    book = BookView(TOKEN, BookState.LIVE, tick_size=CENT)
    assert "held" in text_of(title(book, NOW, 41, group=CENT, release_key="h"))
    held = title(book, NOW, 41, group=CENT, release_key="h", cursor=(Micros(510_000), Side.BUY))
    assert "held" in text_of(held)
    assert "buy @ 51¢" in text_of(held)


def test_a_grouped_ladder_says_so_whatever_else_is_said() -> None:
    states = product(BookState, ("", "h"), (None, 5, 12_345), (10_000, 2_500, 100))
    for (state, release_key, armed, tick), cursor in product(
        states, (None, (Micros(512_500), Side.BUY))
    ):
        levels = (Level(CENT, CENT),)
        as_of = NOW - timedelta(seconds=12)
        book = BookView(TOKEN, state, levels, (), Micros(tick), as_of=as_of)
        left = None if armed is None else Micros(armed * SCALE)
        keys = () if left is None else paint_arming(left, book, is_permitted=False)
        group = Micros(5 * tick)
        line = title(book, NOW, 41, group=group, cursor=cursor, keys=keys, release_key=release_key)
        assert f" group {format_price(group)} " in text_of(line)
        assert line_width(line) <= 41 + BLANKS


def test_a_held_ladder_says_how_to_let_it_go_where_there_is_room() -> None:
    book = BookView(TOKEN, BookState.VERIFIED, tick_size=CENT)
    cursor = (Micros(510_000), Side.BUY)
    assert "axis held: j frees it" in text_of(title(book, NOW, 80, cursor=cursor, release_key="j"))
    narrow = text_of(title(book, NOW, 41, group=Micros(50_000), cursor=cursor, release_key="h"))
    assert [word in narrow for word in ("verified", "group 5¢", "held", "buy @ 51¢")] == [True] * 4


@pytest.mark.parametrize(
    ("width", "said"),
    [(80, "spread above: space centres"), (52, "spread above"), (38, "spread ↑")],
)
def test_a_spread_out_of_sight_is_said_and_where_it_is(width: int, said: str) -> None:
    book = BookView(TOKEN, BookState.VERIFIED, (Level(CENT, CENT),), (), CENT, as_of=NOW)
    keys = paint_arming(Micros(10 * SCALE), book, is_permitted=False)
    line = title(
        book, NOW, width, cursor=(Micros(510_000), Side.BUY), away=("above", "space"), keys=keys
    )
    assert said in text_of(line)
    assert "buy @ 51¢" in text_of(line)
    assert line_width(line) <= width + BLANKS


@pytest.mark.parametrize("width", [34, 46, 60])
def test_the_name_of_the_pane_stays_armed_or_not(width: int) -> None:
    levels = (Level(CENT, CENT),)
    cursor = (Micros(455_000), Side.BUY)
    book = BookView(TOKEN, BookState.VERIFIED, levels, (), Micros(1_000), as_of=NOW)
    stale = replace(book, state=BookState.STALE)
    armed = paint_arming(Micros(5 * SCALE), stale, is_permitted=True)
    for keys, at, group in product((armed, ()), (cursor, None), (None, Micros(5_000))):
        line = title(book, NOW, width, keys=keys, cursor=at, group=group)
        assert "LADDER" in text_of(line) or (keys and at and group)
        assert at is None or "buy @ 45.5¢" in text_of(line)
        assert not keys or " OVERRIDE 5+ " in text_of(line)
        assert line_width(line) <= width + BLANKS


def test_a_market_that_has_ended_says_how_with_what_was_held_and_the_way_on() -> None:
    market = believable.market(1, "Will it rise?")
    assert paint_ending(market, held="you hold none", window_keys=("x", "y")) == ()
    over = replace(market, closed=True)
    over = replace(over, volume=None)
    assert [text_of(line) for line in paint_ending(over)] == ["CLOSED"]
    yes, no = over.outcomes
    paid = replace(over, outcomes=(replace(yes, price=Micros(1_000_000)), no))
    ended = partial(paint_ending, held="your 100 Yes", window_keys=("^w", "^x"))
    lines = [text_of(line) for line in ended(replace(paid, volume=Micros(138_000 * SCALE)))]
    assert lines == [
        f"RESOLVED  {yes.label} ", "your 100 Yes", "", "volume $138.0k", "", "^w earlier  ^x later",
    ]  # fmt: skip
    lines = [text_of(line) for line in ended(paid, last=(Micros(669_000), NOW))]
    assert f"last trade 66.9¢ at {write_clock(NOW)} UTC" in lines


@pytest.mark.parametrize("is_good", [True, False])
def test_sums_of_a_book_that_cannot_be_traded_from_look_old(*, is_good: bool) -> None:
    in_view = (Micros(3_000 * SCALE), Micros(1_000 * SCALE))
    line = paint_facts(ladder(is_holding=False), None, 41, in_view=in_view, is_good=is_good)
    roles = {cell.role for cell in line if cell.text.strip()} - {Role.DIM}
    assert roles == ({Role.BID, Role.ASK} if is_good else {Role.STALE})


def test_without_bids_enter_promises_no_way_to_them() -> None:
    book = BookView(TOKEN, BookState.VERIFIED, (), (Level(CENT, CENT),), CENT, as_of=NOW)
    assert "enter" not in text_of(title(book, NOW, 60))
