import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import Ghost, Rung, StopMark, Zone
from pmtui.domain.conditionals.conditional import ConditionalId, Trigger
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros
from pmtui.domain.orders.amounts import TICK_RULES
from pmtui.domain.orders.own_orders import OwnChange
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.ladder.ladder_columns import BarScale, LadderColumns, paint_titles
from pmtui.ui.ladder.ladder_columns import plan_columns as plan_for
from pmtui.ui.ladder.ladder_state import paint_beyond, paint_state
from pmtui.ui.ladder.ladder_viewport import Beyond
from pmtui.ui.ladder.paint_ladder import Fresh, RungLook, paint_rung
from pmtui.ui.terminal.ascii_filter import to_ascii_cells
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW

CENT = Micros(10_000)
sizes = st.sampled_from((0, 1, 9_999)) | st.integers(0, 10**15)


def plan_columns(width: int, tick: Micros = CENT) -> LadderColumns:
    return plan_for(width, tick=tick)


def title(*args: Any, **options: Any) -> Line:
    """Return name and value of the ladder's title, which have the width together."""
    name, value = paint_state(*args, **options)
    return (Cell(" "), *name, Cell("  "), *value, Cell(" "))


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


freshness = st.builds(Fresh, st.integers(0, 2), st.booleans())
flows = st.just(0) | st.integers(-(10**13), 10**13)
stop_marks = st.builds(
    StopMark, st.just(ConditionalId("c1")), st.sampled_from(Trigger), st.just(CENT),
    sizes.map(Micros), st.booleans(),
)  # fmt: skip
ghosts = st.builds(
    Ghost, st.just(CENT), st.sampled_from(Side), sizes.map(Micros),
    st.none() | st.sampled_from(Trigger),
)  # fmt: skip


@st.composite
def rungs(draw: st.DrawFn) -> tuple[Rung, RungLook]:
    tick = draw(st.sampled_from(sorted(TICK_RULES)))
    price = Micros(draw(st.integers(1, ONE // tick - 1)) * tick)
    bid, ask, own_bid, own_ask, depth, traded = (Micros(draw(sizes)) for _ in range(6))
    booleans, changes = st.booleans(), st.none() | st.sampled_from(OwnChange)
    rung = Rung(
        price, draw(st.sampled_from(Zone)), bid_size=bid, ask_size=ask, own_bid=own_bid,
        own_ask=own_ask, has_unknown=draw(booleans), is_scoring=draw(booleans), depth=depth,
        ahead=draw(st.none() | sizes.map(Micros)), traded=traded, is_last_trade=draw(booleans),
        is_in_band=draw(booleans), is_entry=draw(booleans), is_break_even=draw(booleans),
        profit=draw(st.none() | st.integers(-(10**15), 10**15).map(Micros)),
        stops=tuple(draw(st.lists(stop_marks, max_size=3))),
        ghosts=tuple(draw(st.lists(ghosts, max_size=3))),
    )  # fmt: skip
    look = RungLook(
        tick, BarScale(draw(st.integers(1, 10**15))), is_good=draw(booleans), is_cursor=draw(booleans),
        bid_change=draw(changes), ask_change=draw(changes), bid_fresh=draw(freshness),
        ask_fresh=draw(freshness), pulse=draw(st.integers(0, 2)), bid_flow=draw(flows),
        ask_flow=draw(flows),
    )  # fmt: skip
    return rung, look


@given(rungs(), st.integers(23, 140))
def test_a_row_is_exactly_as_wide_as_asked_and_whole(
    case: tuple[Rung, RungLook], width: int
) -> None:
    rung, look = case
    line = paint_rung(rung, plan_columns(width, look.tick), width, look=look)
    assert line_width(line) == width
    text = text_of(line)
    assert "…" not in text
    cents = f"{rung.price // 10_000}"
    words = re.sub("[>▸@=|│┐┘┤╌]", " ", text).split()
    assert any(word.startswith(cents) for word in words)
    assert "#" not in text


@pytest.mark.parametrize(
    ("trigger", "said", "role"),
    [
        (Trigger.STOP, "stop 249.99", Role.NOTICE_WARN),
        (Trigger.TAKE_PROFIT, "target 249.99", Role.NOTICE_GOOD),
    ],
)
def test_a_stop_tells_its_size_to_the_hundredth_and_is_no_ask_by_its_hue(
    trigger: Trigger, said: str, role: Role
) -> None:
    mark = StopMark(ConditionalId("1"), trigger, CENT, Micros(249_990_000), is_active=True)
    rung = Rung(Micros(510_000), Zone.NONE, stops=(mark,))
    line = paint_rung(rung, plan_columns(82), 82, look=RungLook(CENT, BarScale()))
    assert [cell.role for cell in line if cell.text == said] == [role]


@given(rungs(), st.integers(0, 22))
def test_even_an_absurd_width_is_kept(case: tuple[Rung, RungLook], width: int) -> None:
    rung, look = case
    assert line_width(paint_rung(rung, plan_columns(width, look.tick), width, look=look)) == width


@given(st.integers(0, 200))
def test_titles_stand_over_their_columns(width: int) -> None:
    line = paint_titles(plan_columns(width), width)
    assert line_width(line) == width
    rung = Rung(Micros(510_000), Zone.BID, Micros(7_000_000), Micros(8_000_000))
    row = text_of(paint_rung(rung, plan_columns(width), width, look=RungLook(CENT, BarScale())))
    if width >= 41:
        titles = text_of(line)
        assert titles.index("Bids") + 4 == row.index("7 ") + 1
        assert titles.index("Asks") + 4 == row.index("8", row.index("51")) + 1


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (23, set()), (26, set()), (34, {"Mine"}), (40, {"Mine", "Queue"}),
        (52, {"Mine", "Queue", "Δ5s"}), (64, {"Mine", "Queue", "Δ5s", "Traded"}),
        (72, {"Mine", "Queue", "Δ5s", "Traded", "Depth"}),
        (80, {"Mine", "Queue", "Δ5s", "Traded", "Depth", "P&L", "net"}),
    ],
)  # fmt: skip
def test_a_narrow_ladder_has_fewer_columns_never_fewer_sides(width: int, said: set[str]) -> None:
    titles = set(text_of(paint_titles(plan_columns(width), width)).split())
    assert titles - {"Bids", "Price", "Asks"} == said
    assert {"Bids", "Price", "Asks"} <= titles


def test_signs_tell_cursor_last_trade_and_doubt_without_colour() -> None:
    rung = Rung(
        Micros(510_000), Zone.BID, own_bid=Micros(25_000_000), has_unknown=True, is_last_trade=True
    )
    look = RungLook(CENT, BarScale(), is_cursor=True)
    text = text_of(paint_rung(rung, plan_columns(41), 41, look=look))
    assert text.startswith("▸")
    assert "51¢•" in text
    assert "25?" in text
    shown = to_ascii_cells(text)
    assert shown.startswith(">")
    assert "51c*" in shown


def test_old_sizes_look_old() -> None:
    rung = Rung(Micros(510_000), Zone.BID, bid_size=Micros(25_000_000))
    line = paint_rung(rung, plan_columns(41), 41, look=RungLook(CENT, BarScale(), is_good=False))
    assert next(cell for cell in line if "25" in cell.text).role is Role.STALE


@pytest.mark.parametrize("state", list(BookState))
@pytest.mark.parametrize("width", [30, 41, 80])
def test_every_state_is_said_in_words(state: BookState, width: int) -> None:
    book = BookView(
        TokenId("1"), state, (Level(CENT, CENT),), (), CENT, as_of=NOW - timedelta(seconds=12)
    )
    line = title(book, NOW, width, cursor=(Micros(510_000), Side.BUY))
    text = text_of(line)
    assert line_width(line) <= width + 4
    assert state.words in text
    assert "buy @ 51¢" in text
    assert ("12s" in text) == (state in (BookState.STALE, BookState.OVERDUE))


def test_without_a_cursor_the_line_says_what_enter_does_unless_a_warning_needs_the_room() -> None:
    book = BookView(TokenId("1"), BookState.LIVE, (Level(CENT, CENT),), tick_size=CENT)
    assert "enter go to best bid" in text_of(title(book, NOW, 41, group=CENT))
    lossy = BookView(TokenId("1"), BookState.LOSSY, tick_size=CENT)
    assert "enter" not in text_of(title(lossy, NOW, 60, group=CENT))


def test_wide_rows_are_announced() -> None:
    book = BookView(TokenId("1"), BookState.LIVE, tick_size=CENT)
    assert "group 5¢" in text_of(title(book, NOW, 41, group=Micros(50_000)))
    assert "group" not in text_of(title(book, NOW, 41, group=CENT))


def test_the_names_of_the_columns_stay_whole_beside_what_is_out_of_view() -> None:
    nearest = Beyond(12, "mine", Micros(393_000)), Beyond(1, "stop", Micros(302_000))
    tick = Micros(1_000)
    above, below = paint_beyond(*nearest, tick=tick)
    names = ("Bids", "Price", "Asks", "Δ5s", "Traded", "Depth")
    for width in range(28, 120):
        columns = plan_columns(width, tick)
        plain = text_of(paint_titles(columns, width))
        line = paint_titles(columns, width, above=above, below=below)
        text = text_of(line)
        assert line_width(line) == width
        # What is written over the bars is named where there is room beside that.
        assert [text.find(name) for name in names] == [plain.find(name) for name in names]
        assert "↑" in text.partition("Bids")[0] or not columns.bar
        assert "↓" in text.partition("Price")[2] or not columns.bar
        assert not columns.flow or text.partition("Δ5s")[0].endswith("  ")
        # Of what is written over a bar both names give way, or neither.
        ours = text.replace("12 mine", "")
        assert ours.count("Queue") == ours.count("Mine") or not columns.has_queue
    # Beside bars of eight cells, as on the desk, the price keeps its unit.
    narrow = text_of(paint_titles(plan_columns(38, tick), 38, above=below, below=below))
    assert "30.2¢" in narrow.partition("Price")[2], narrow
    wide = text_of(paint_titles(plan_columns(80, tick), 80, above=above, below=below))
    assert "↑12 39.3¢" in wide
    assert "↓1 30.2¢  Δ5s" in wide


def test_figures_side_by_side_stand_apart_where_there_is_room() -> None:
    rung = Rung(
        Micros(510_000), Zone.BID, traded=Micros(210_123_000_000), depth=Micros(19_234_000_000),
        profit=Micros(-895_000_000),
    )  # fmt: skip
    for width in (80, 84, 110):
        line = paint_rung(rung, plan_columns(width), width, look=RungLook(CENT, BarScale()))
        assert "  19,234  " in text_of(line)
        titles = text_of(paint_titles(plan_columns(width), width))
        assert re.search(r"  Traded {3,}Depth {2,}P&L net", titles)


def test_a_name_of_four_letters_fits_above_the_other_outcomes_prices() -> None:
    for width in range(36, 120):
        columns = plan_for(width, tick=Micros(10_000), with_other=True)
        titles = text_of(paint_titles(columns, width, other_label="Down"))
        assert "Down" in titles
        assert len(titles) == width


def bid_row(width: int, rung: Rung, **look: Any) -> str:
    columns = plan_columns(width)
    return text_of(paint_rung(rung, columns, width, look=RungLook(CENT, BarScale(10**12), **look)))


def test_own_size_and_queue_stand_beside_the_size_on_their_side() -> None:
    rung = Rung(
        Micros(510_000), Zone.BID, Micros(6_014 * SCALE), own_bid=Micros(120 * SCALE),
        ahead=Micros(4_870 * SCALE),
    )  # fmt: skip
    assert bid_row(54, rung).partition("51¢")[0].rstrip().endswith("~4,870 120  6,014")
    # Where it is narrow, the estimate gives up digits and never its sign.
    assert bid_row(41, rung).partition("51¢")[0].rstrip().endswith("~4,870 120 6,014")
    assert bid_row(38, rung).partition("51¢")[0].rstrip().endswith("~4.9k 120 6,014")
    # Where it is narrower still, the size of the level gives up digits for ours.
    assert bid_row(26, rung).partition("51¢")[0].rstrip().endswith(" 120 6,014")
    first = replace(rung, ahead=Micros(0))
    assert bid_row(38, first).partition("51¢")[0].rstrip().endswith("1st 120 6,014")
    ask = Rung(
        Micros(680_000), Zone.ASK, ask_size=Micros(3_528 * SCALE), own_ask=Micros(150 * SCALE),
        ahead=Micros(1_204 * SCALE),
    )  # fmt: skip
    assert bid_row(54, ask).partition("68¢")[2].split()[:3] == ["3,528", "150", "~1,204"]
    # The queue of a row with orders of ours on both sides is told by the line of facts.
    both = replace(ask, bid_size=Micros(900 * SCALE), own_bid=Micros(20 * SCALE))
    assert bid_row(54, both).split()[:6] == ["20", "900", "68¢", "3,528", "150"]


def test_ours_stands_on_its_side_also_where_the_book_has_nothing_of_it_yet() -> None:
    price, hundred = Micros(510_000), Micros(100 * SCALE)
    for width in (26, 41, 54, 80):
        empty = Rung(price, Zone.SPREAD, has_unknown=True)
        bid = bid_row(width, replace(empty, own_bid=hundred))
        ask = bid_row(width, replace(empty, own_ask=hundred))
        assert bid.partition("51¢")[0].split() == ["100?"]
        assert ask.partition("51¢")[2].split() == ["100?"]
    typed = Ghost(price, Side.SELL, hundred)
    over = bid_row(41, Rung(price, Zone.BID, hundred, ghosts=(typed,)))
    assert over.split() == ["▉", "100", "51¢", "╌100╌"]


@pytest.mark.parametrize("is_plain", [True, False])
@pytest.mark.parametrize("side", list(Side))
@given(size=sizes, width=st.integers(34, 140), flow=st.integers(-(10**13), 10**13))
def test_a_bar_is_as_long_whatever_is_ours_or_changed_there(
    *, side: Side, is_plain: bool, size: int, width: int, flow: int
) -> None:
    tick, bids = CENT, side is Side.BUY
    plain = Rung(
        Micros(510_000), Zone.BID if bids else Zone.ASK,
        bid_size=Micros(size if bids else 0), ask_size=Micros(0 if bids else size),
    )  # fmt: skip
    ours = replace(
        plain, own_bid=Micros(size if bids else 0), own_ask=Micros(0 if bids else size),
        ahead=Micros(4_870 * SCALE),
    )  # fmt: skip
    look = RungLook(tick, BarScale(10**12), is_plain=is_plain)
    moved = look._replace(bid_flow=flow if bids else 0, ask_flow=0 if bids else flow)
    columns = plan_columns(width)

    def length(rung: Rung, look: RungLook) -> float:
        cells = paint_rung(rung, columns, width, look=look)
        bars = {Role.BID_BAR, Role.ASK_BAR}
        blocks = [c.text for c in cells if set(c.text) & set("█▉▊▋▌▍▎▏▐▕◄►")]
        return sum(len(c.text) for c in cells if c.ground in bars) + sum(
            len(text) for text in blocks
        )

    # Under what is written over it, it ends with a whole word.
    words = [
        len(cell.text)
        for cell in paint_rung(ours, columns, width, look=moved)
        if any(map(str.isdigit, cell.text))
    ]
    assert abs(length(ours, moved) - length(plain, look)) <= max(1, *words) / 2


def test_a_level_that_has_just_emptied_is_no_block() -> None:
    gone = Rung(Micros(510_000), Zone.BID)
    look = RungLook(CENT, BarScale(), bid_fresh=Fresh(2, is_more=False))
    line = paint_rung(gone, plan_columns(41), 41, look=look)
    assert not [cell for cell in line if cell.ground is not None]
    assert "▾" in text_of(line)


def test_without_colours_a_trade_does_not_look_like_a_price_of_ours() -> None:
    rung = Rung(Micros(510_000), Zone.BID, is_last_trade=True)
    look = RungLook(CENT, BarScale(), pulse=2, is_plain=True)
    line = paint_rung(rung, plan_columns(41), 41, look=look)
    assert next(c for c in line if c.text == "51¢").emphasis == Emphasis.BOLD


def test_a_price_with_own_orders_stands_in_a_box() -> None:
    rung = Rung(Micros(510_000), Zone.BID, own_bid=Micros(SCALE))
    line = paint_rung(rung, plan_columns(41), 41, look=RungLook(CENT, BarScale()))
    assert Emphasis.REVERSE in next(cell for cell in line if cell.text == "51¢").emphasis


def test_average_break_even_and_alert_are_spelled_on_the_side_that_is_free() -> None:
    below = Rung(
        Micros(510_000), Zone.BID, Micros(SCALE), is_entry=True, is_break_even=True, has_alert=True
    )
    text = bid_row(60, below)
    assert "avg b/e alert" in text.partition("51¢")[2]
    above = Rung(Micros(510_000), Zone.ASK, ask_size=Micros(SCALE), is_entry=True)
    assert bid_row(41, above).partition("51¢")[0].endswith("avg   ")
    # Without a free side signs say so.
    both = Rung(Micros(510_000), Zone.BID, Micros(SCALE), Micros(SCALE), is_entry=True)
    assert "@51¢" in bid_row(54, both)


def test_what_was_added_or_pulled_has_a_column_of_its_own_and_no_colour_of_a_side() -> None:
    rung = Rung(Micros(510_000), Zone.BID, Micros(2_000 * SCALE))
    assert bid_row(54, rung, bid_flow=12_000 * SCALE).rstrip().endswith(" +12k")
    assert bid_row(54, rung, bid_flow=-40 * SCALE).rstrip().endswith("   -40")
    assert "+" not in bid_row(54, rung, bid_flow=SCALE // 2)
    assert "+" not in bid_row(41, rung, bid_flow=12_000 * SCALE)
    columns = plan_columns(54)
    line = paint_rung(
        rung, columns, 54, look=RungLook(CENT, BarScale(10**12), bid_flow=-340 * SCALE)
    )
    assert [cell.role for cell in line if "-340" in cell.text] == [Role.DIM]
    # Where a side has gone and the other one has come, the row is the other one's.
    both = Rung(Micros(510_000), Zone.ASK, ask_size=Micros(300 * SCALE))
    row = bid_row(54, both, bid_flow=-500 * SCALE, ask_flow=300 * SCALE)
    assert row.rstrip().endswith(" +300")
    gone = Rung(Micros(510_000), Zone.ASK)
    assert bid_row(54, gone, bid_flow=-500 * SCALE).rstrip().endswith(" -500")


def test_on_a_narrow_ladder_a_sign_beside_the_size_says_how_it_changed() -> None:
    rung = Rung(Micros(510_000), Zone.BID, Micros(12_500 * SCALE))
    assert "▴ 12.5k" in bid_row(41, rung, bid_fresh=Fresh(2))
    assert "▾ 12.5k" in bid_row(41, rung, bid_fresh=Fresh(1, is_more=False))
    assert "▴" not in bid_row(54, rung, bid_fresh=Fresh(2))
    # Also beside what is ours.
    ours = replace(rung, own_bid=Micros(120 * SCALE), ahead=Micros(0))
    assert "1st 120 ▴ 12.5k" in bid_row(41, ours, bid_fresh=Fresh(2))


def test_a_level_that_changed_stands_out_and_fades() -> None:
    rung = Rung(Micros(510_000), Zone.BID, Micros(2_000 * SCALE))

    def size_cell(fresh: Fresh) -> Cell:
        look = RungLook(CENT, BarScale(10**12), bid_fresh=fresh)
        line = paint_rung(rung, plan_columns(54), 54, look=look)
        return next(cell for cell in line if "2,000" in cell.text)

    for is_more in (True, False):
        # Green is what bids, whether it grew or shrank.
        flash = size_cell(Fresh(2, is_more=is_more))
        assert (flash.role, flash.ground) == (Role.BID, Role.FLASH_UP)
    asked = paint_rung(
        Rung(Micros(520_000), Zone.ASK, ask_size=Micros(2_000 * SCALE)), plan_columns(54), 54,
        look=RungLook(CENT, BarScale(10**12), ask_fresh=Fresh(2)),
    )  # fmt: skip
    assert [c.role for c in asked if c.ground is Role.FLASH_DOWN] == [Role.ASK]
    fading = size_cell(Fresh(1))
    assert (fading.ground, fading.emphasis) == (None, Emphasis.BOLD)
    assert size_cell(Fresh()).emphasis is Emphasis.NONE


@pytest.mark.parametrize(
    ("trigger", "is_active", "sign", "ascii_sign", "word"),
    [
        (Trigger.STOP, True, "▼", "v", "stop"),
        (Trigger.STOP, False, "▽", "-", "stop"),
        (Trigger.TAKE_PROFIT, True, "▲", "^", "target"),
        (Trigger.TAKE_PROFIT, False, "△", "-", "target"),
    ],
)
def test_a_stop_or_target_is_marked_with_a_sign_and_where_there_is_room_a_word(
    *, trigger: Trigger, is_active: bool, sign: str, ascii_sign: str, word: str
) -> None:
    mark = StopMark(ConditionalId("c1"), trigger, Micros(400_000), Micros(100_000_000), is_active)
    rung = Rung(Micros(400_000), Zone.BID, stops=(mark,))
    for width in (23, 40, 80):
        text = text_of(
            paint_rung(rung, plan_columns(width), width, look=RungLook(CENT, BarScale()))
        )
        assert sign in text
        assert to_ascii_cells(sign) == ascii_sign
        assert word in text or "tgt" in text
    # A side that is taken keeps its room; the sign stays.
    hundred = Micros(100_000_000)
    both = Rung(Micros(400_000), Zone.BID, hundred, own_ask=Micros(7_000_000), stops=(mark,))
    text = bid_row(80, both)
    assert sign in text
    assert "7" in text
    assert word not in text


@pytest.mark.parametrize("side", list(Side))
def test_what_is_being_typed_stands_dim_on_its_side_beside_what_is_ours(side: Side) -> None:
    price, twenty = Micros(400_000), Micros(20_000_000)
    typed = Ghost(price, side, twenty)
    rung = Rung(price, Zone.BID, bid_size=Micros(100_000_000), ghosts=(typed,))
    for width in (41, 52, 80):
        line = paint_rung(rung, plan_columns(width), width, look=RungLook(CENT, BarScale()))
        text = text_of(line)
        at_left, _, at_right = text.partition("40¢")
        assert "╌20╌" in (at_right if side is Side.SELL else at_left)
        (cell,) = (c for c in line if "╌" in c.text)
        assert cell.emphasis & Emphasis.DIM
    own = Rung(
        price, Zone.BID, bid_size=Micros(100_000_000), own_bid=Micros(7_000_000),
        own_ask=Micros(7_000_000), ghosts=(typed,),
    )  # fmt: skip
    assert "╌20╌" in text_of(paint_rung(own, plan_columns(52), 52, look=RungLook(CENT, BarScale())))
    narrow = paint_rung(rung, plan_columns(23), 23, look=RungLook(CENT, BarScale()))
    assert "╌" in text_of(narrow)


@pytest.mark.parametrize(
    ("trigger", "sign", "word"), [(Trigger.STOP, "▽", "stop"), (Trigger.TAKE_PROFIT, "△", "target")]
)
def test_a_stop_that_is_being_typed_stands_hollow_in_the_gutter(
    trigger: Trigger, sign: str, word: str
) -> None:
    typed = Ghost(Micros(400_000), Side.SELL, Micros(20_000_000), trigger)
    text = text_of(
        paint_rung(
            Rung(Micros(400_000), Zone.BID, ghosts=(typed,)),
            plan_columns(54),
            54,
            look=RungLook(CENT, BarScale()),
        )
    )
    assert sign in text
    assert f"╌{word} 20╌" in text


def test_an_order_that_earns_rewards_is_underlined_and_the_band_has_ends() -> None:
    rung = Rung(Micros(510_000), Zone.BID, own_bid=Micros(250 * SCALE), is_scoring=True)
    line = paint_rung(rung, plan_columns(54), 54, look=RungLook(CENT, BarScale()))
    (cell,) = (cell for cell in line if "250" in cell.text)
    assert Emphasis.UNDERLINE in cell.emphasis
    ends = {(True, False): "┐", (False, True): "┘", (True, True): "┤", (False, False): " "}
    for (is_top, is_bottom), sign in ends.items():
        row = Rung(
            Micros(510_000), Zone.BID, is_in_band=True, is_band_top=is_top, is_band_bottom=is_bottom
        )
        text = text_of(paint_rung(row, plan_columns(41), 41, look=RungLook(CENT, BarScale())))
        assert text[text.index("51¢") - 1] == sign


def test_what_is_picked_up_is_dim_where_it_still_stands() -> None:
    own = Rung(Micros(510_000), Zone.BID, Micros(2_000 * SCALE), own_bid=Micros(100 * SCALE))
    for is_leaving in (True, False):
        line = paint_rung(
            replace(own, is_leaving=is_leaving), plan_columns(54), 54,
            look=RungLook(CENT, BarScale()),
        )  # fmt: skip
        price = next(cell for cell in line if "51" in cell.text)
        size = next(cell for cell in line if "100" in cell.text)
        assert (Emphasis.REVERSE in price.emphasis) is not is_leaving
        assert (size.role is Role.DIM) is is_leaving


def test_a_profit_is_never_glued_to_the_frame() -> None:
    for width in range(60, 120):
        columns = plan_columns(width)
        if columns.profit:
            rung = Rung(Micros(510_000), Zone.BID, Micros(SCALE), profit=Micros(-123_450_000))
            line = paint_rung(rung, columns, width, look=RungLook(CENT, BarScale(10**12)))
            assert "".join(cell.text for cell in line).endswith(" ")


def test_without_a_tint_the_spread_is_dotted_and_a_gap_in_the_book_is_not() -> None:
    def painted(zone: Zone, *, is_plain: bool) -> str:
        look = RungLook(CENT, BarScale(), is_plain=is_plain)
        return text_of(paint_rung(Rung(Micros(510_000), zone), plan_columns(41), 41, look=look))

    assert painted(Zone.SPREAD, is_plain=True).count("┈") >= 10
    assert "┈" not in painted(Zone.SPREAD, is_plain=False)
    assert "┈" not in painted(Zone.ASK, is_plain=True)
