import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros
from pmtui.domain.orders.flattening import Closing
from pmtui.domain.orders.order import Accepted, LimitIntent, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.orders.single_keys import SingleKey
from pmtui.service.surface import PreparedOrder
from pmtui.sim.engine.refusals import FAK_UNMATCHED
from pmtui.ui.cells import Emphasis, Line, line_width
from pmtui.ui.ladder.ladder_state import paint_state
from pmtui.ui.market.paint_single_keys import (
    ArmedKeys,
    KeyOrder,
    RestingKeys,
    describe_end,
    describe_result,
    describe_sent,
    paint_armed,
    paint_arming,
    paint_dials,
)
from pmtui.ui.theme.theme import Role
from tests.scenes.world import make_world
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import words

SIZE = Micros(12_500_000)


def book(state: BookState) -> BookView:
    bids = (Level(Micros(500_000), Micros(1_000_000)),)
    return BookView(TokenId("1"), state, bids, tick_size=Micros(2_500), as_of=NOW)


@pytest.mark.parametrize("state", BookState)
@pytest.mark.parametrize("is_permitted", [True, False])
def test_it_is_said_in_words_why_keys_do_not_trade(state: BookState, *, is_permitted: bool) -> None:
    said = words(paint_arming(SIZE, book(state), is_permitted=is_permitted))
    if state.is_good:
        assert not said
    else:
        assert said == (" OVERRIDE 12.5+ " if is_permitted else " KEYS LOCKED ")


@given(
    state=st.sampled_from(BookState), width=st.integers(30, 120), is_permitted=st.booleans(),
    has_cursor=st.booleans(), is_held=st.booleans(),
)  # fmt: skip
def test_neither_the_words_nor_a_price_beside_them_are_ever_cut(
    state: BookState, width: int, *, is_permitted: bool, has_cursor: bool, is_held: bool
) -> None:
    shown = book(state)
    keys = paint_arming(SIZE, shown, is_permitted=is_permitted)
    name, value = paint_state(
        shown, NOW + timedelta(hours=11), width, keys=keys, release_key="h" if is_held else "",
        cursor=(Micros(512_500), Side.BUY) if has_cursor else None,
    )  # fmt: skip
    assert line_width(name) + line_width(value) <= width
    said = words((*name, *value))
    assert words(keys).strip() in said
    assert "51" not in said or "51.25¢" in said
    if width >= 60 and has_cursor:
        assert "enter buy @ 51.25¢" in said


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Accepted(OrderId("0x1"), OrderStatus.FILLED, Micros(0), ""), "filled. ! large: $5.00; w"),
        (Unknown(OrderId("0x1"), "no answer", since=NOW), "checking: no answer ! large: $5.00; w"),
        (Rejected("no"), "refused: no"),
    ],
)
def test_what_the_trader_wants_to_hear_of_stands_beside_the_end(
    verdict: Verdict, said: str
) -> None:
    order = FakeService().prepare_now(
        LimitIntent(ConditionId("0xa"), TokenId("1"), Side.BUY, Micros(500_000), Micros(10_000_000))
    )
    assert isinstance(order, PreparedOrder)
    warnings = ("large: $5.00", "w")
    assert describe_end(verdict, order, warnings=warnings).endswith(said)
    assert describe_sent(order, takes=False, warnings=warnings).endswith("50¢. ! large: $5.00; w")
    assert "!" not in describe_sent(order, takes=True)


@pytest.mark.parametrize(("side", "gone"), [(Side.BUY, "ask"), (Side.SELL, "bid")])
def test_a_key_that_came_too_late_says_that_nothing_was_left(side: Side, gone: str) -> None:
    order = FakeService().prepare_now(
        LimitIntent(ConditionId("0xa"), TokenId("1"), side, Micros(500_000), Micros(10_000_000))
    )
    assert isinstance(order, PreparedOrder)
    said = describe_end(Rejected(FAK_UNMATCHED.text), order, warnings=("large: $5.00",))
    assert said.endswith(f": no fill, the {gone} was gone.")
    assert "refused" not in said


CENT = 10_000
ORDERS: dict[SingleKey, KeyOrder | str] = {
    key: KeyOrder(Micros((40 + n) * CENT), Micros(100 * SCALE)) for n, key in enumerate(SingleKey)
}
LETTERS = "BS,.<>UD"
KEYS = {key.name.lower(): letter for key, letter in zip(SingleKey, LETTERS, strict=True)}
ARMED = ArmedKeys(
    presets=tuple(Micros(n * SCALE) for n in (5, 10, 50, 100, 500)),
    chosen=3,
    orders=ORDERS,
    keys=KEYS | {"preset_4": "4", "flatten_now": "F", "toggle_arming": "v"},
    held=Micros(500 * SCALE),
    closing=Closing(Micros(-1_600_000), Micros(500 * SCALE), Micros(500 * SCALE)),
    round_trip_ms=38,
    left_s=292,
    tick=Micros(CENT),
)


def finer(*, sold: int = 100 * SCALE) -> dict[SingleKey, KeyOrder | str]:
    """Return orders at tenths of a cent, with the size of the sales."""
    sizes = {Side.BUY: Micros(100 * SCALE), Side.SELL: Micros(sold)}
    return {
        key: KeyOrder(Micros((40 + n) * CENT + 1_000), sizes[key.side])
        for n, key in enumerate(SingleKey)
    }


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_every_key_stands_with_its_price() -> None:
    first, second = (text_of(line) for line in paint_armed(ARMED, 160))
    assert ", join bid 42¢  . join ask 43¢  < improve bid 44¢  > improve ask 45¢" in first
    assert first.rstrip().endswith("rtt 38 ms  4:52 left")
    assert "D hit 47¢  U lift 46¢  B buy here 40¢  S sell here 41¢" in second
    assert "F flatten 500 exit -$1.60" in second
    assert "v disarm" in second


def test_a_key_that_would_send_nothing_has_no_price_and_the_chosen_size_stands_out() -> None:
    orders = {**ORDERS, SingleKey.IMPROVE_BID: "", SingleKey.HIT_BID: "own"}
    first, second = paint_armed(replace(ARMED, orders=orders), 160)
    assert "D hit own  U lift 46¢" in text_of(second)
    assert "< improve bid –" in text_of(first)
    chosen = [cell.text.strip() for cell in first if cell.role is Role.ARMED]
    assert chosen == ["ARMED", "100"]


def test_a_sale_of_all_that_is_free_says_how_much_beside_its_price() -> None:
    few = {
        key: KeyOrder(order.price, Micros(28_880_000))
        for key, order in ORDERS.items()
        if isinstance(order, KeyOrder) and key.side is Side.SELL
    }
    first, second = map(text_of, paint_armed(replace(ARMED, orders={**ORDERS, **few}), 180))
    assert ". join ask 28.88 @ 43¢" in first
    assert "D hit 28.88 @ 47¢  U lift 46¢  B buy here 40¢  S sell here 28.88 @ 41¢" in second
    first, second = map(text_of, paint_armed(replace(ARMED, orders={**ORDERS, **few}), 80))
    assert "D hit 28.88@47 U lift 46 B buy 40 S sell 41 , bid 42 < 44 . ask 43 > 45" in second


def test_where_room_is_short_the_key_that_hits_says_how_much_and_no_key_is_left_out() -> None:
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    keys |= {"cancel_bids": "(", "cancel_asks": ")"}
    tight = replace(
        ARMED, keys={**ARMED.keys, **keys}, orders=finer(sold=1_028_880_000), cancels=(5, 1)
    )
    for width in (80, 110, 120, 140):
        first, second = map(text_of, paint_armed(tight, width))
        both = first + second
        assert all(sign in first for sign in ("500", "4:52"))
        assert "1,028@47.1" in second.replace(" @ ", "@")
        assert all(sign in both for sign in (", ", "< ", ". ", "> ", "F flat", "( ", ") ", "v "))
        assert all(sign in second for sign in ("U", "B", "S"))


@given(st.integers(0, 200), st.integers(-5, 10_000))
def test_both_lines_keep_their_width_and_the_clock(width: int, left_s: int) -> None:
    for line in paint_armed(replace(ARMED, left_s=left_s), width):
        assert line_width(line) == width
    if width >= 60:
        minutes, seconds = divmod(max(0, left_s), 60)
        first = text_of(paint_armed(replace(ARMED, left_s=left_s), width)[0])
        assert f"{minutes}:{seconds:02}" in first


def test_eighty_columns_hold_every_key_with_its_price_and_the_round_trip() -> None:
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    keys |= {"cancel_bids": "(", "cancel_asks": ")"}
    armed = replace(ARMED, keys={**ARMED.keys, **keys})
    first, second = (text_of(line) for line in paint_armed(armed, 80))
    # No size is glued to its key, and none reads as the next one's.
    assert " 1:5 2:10 3:50 4: 100  5:500" in first
    wide, _ = paint_armed(armed, 160)
    assert " 1:5  2:10  3:50  4: 100  5:500 " in text_of(wide)
    assert "F flat 500 exit -$1.60" in first
    assert first.rstrip().endswith("v off 4:52")
    # No price reads as compared with the one before it: keys are reversed.
    assert "D hit 47  U lift 46  B 40  S 41  , 42  < 44  . 43  > 45  ( bids  ) asks" in second
    assert second.rstrip().endswith("38ms")
    caps = [c.text for c in paint_armed(armed, 80)[1] if Emphasis.REVERSE in c.emphasis]
    assert "".join(caps) == "DUBS,<.>()"


def test_where_all_fit_pairs_are_further_apart_than_what_they_hold() -> None:
    _, second = paint_armed(replace(ARMED, held=ZERO), 80)
    assert text_of(second).split("  ")[:3] == [" D hit 47", "U lift 46", "B buy 40"]
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    fine = finer()
    tight = replace(ARMED, keys={**ARMED.keys, **keys}, orders=fine)
    more = {"cancel_bids": "(", "cancel_asks": ")"}
    _, second = paint_armed(replace(tight, keys={**tight.keys, **more}), 80)
    # A key's price is worth more than the round trip.
    assert "> 45.1" in text_of(second)
    assert "38ms" not in text_of(second)


def test_the_usual_width_leaves_no_key_out() -> None:
    keys = {f"preset_{n}": str(n) for n in range(1, 6)}
    keys |= {"cancel_bids": "(", "cancel_asks": ")"}
    fine = finer()
    armed = replace(ARMED, keys={**ARMED.keys, **keys}, orders=fine)
    for width in (110, 120, 132):
        first, second = (text_of(line) for line in paint_armed(armed, width))
        assert all(sign in first for sign in ("5:500", ", bid", "<", ". ask", ">", "rtt 38 ms"))
        assert all(sign in second for sign in ("D hit", "U lift", "F flat", "( bids", "v off"))


@pytest.mark.parametrize(
    ("cancels", "said"),
    [((5, 1), "-$1.60, pulls 5 bids, 1 ask"), ((1, 0), "-$1.60, pulls 1 bid"), ((0, 0), "-$1.60")],
)
def test_the_sale_of_all_says_which_orders_it_pulls(cancels: tuple[int, int], said: str) -> None:
    _, second = paint_armed(replace(ARMED, cancels=cancels), 170)
    assert f"{said}  " in text_of(second)
    _, second = paint_armed(replace(ARMED, cancels=(5, 1)), 120)
    assert "-$1.60, pulls 5 bids, 1 ask" in text_of(second)
    _, second = paint_armed(replace(ARMED, cancels=(5, 1)), 80)
    assert "pulls" not in text_of(second)


def test_flattening_stands_there_for_orders_alone_and_without_a_size_where_it_is_refused() -> None:
    _, second = paint_armed(replace(ARMED, held=ZERO, closing=None, cancels=(0, 1)), 170)
    assert "F flatten, pulls 1 ask  " in text_of(second)
    _, second = paint_armed(replace(ARMED, held=None, closing=None), 170)
    assert "F flatten –  " in text_of(second)
    _, second = paint_armed(replace(ARMED, held=ZERO, closing=None), 170)
    assert "flatten" not in text_of(second)


def test_no_key_is_left_out_for_the_orders_that_are_pulled() -> None:
    keys = {**ARMED.keys, "cancel_bids": "(", "cancel_asks": ")"}
    fine = finer()
    _, second = paint_armed(replace(ARMED, keys=keys, cancels=(5, 1), orders=fine), 80)
    assert text_of(second).split()[:8] == ["D", "hit", "47.1", "U", "lift", "46.1", "B", "40.1"]
    assert text_of(second).rstrip().endswith("( bids ) asks")


RESTING = RestingKeys(
    presets=ARMED.presets, chosen=1, keys={**ARMED.keys, "preset_2": "2", "cancel_bids": "("}
)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_sizes_stand_where_they_stand_while_keys_are_armed(width: int) -> None:
    armed, _ = paint_dials(replace(ARMED, chosen=1, keys=RESTING.keys), width)
    resting, legend = paint_dials(RESTING, width)
    assert text_of(resting).index(" 2") == text_of(armed).index(" 2")
    # What is chosen is a patch of one size.
    assert [cell.text for cell in resting if Emphasis.REVERSE in cell.emphasis] == [" 10 "]
    assert " 10 " in [cell.text for cell in armed if cell.role is Role.ARMED]
    assert text_of(resting).rstrip().endswith("v Arm single keys")
    assert line_width(resting) <= width
    assert line_width(legend) <= width
    assert "D hit" not in text_of(legend) or RESTING.keys["hit_bid"] in text_of(legend)


def test_a_market_that_is_over_says_what_it_paid_and_leads_to_the_next_window() -> None:
    market = next(iter(make_world().service.markets.values())).market
    assert market is not None
    paid = replace(
        market,
        outcomes=tuple(
            replace(each, price=ONE if n else ZERO) for n, each in enumerate(market.outcomes)
        ),
    )
    held = Position(
        TokenId("1"), ConditionId("0xa"), "", "Up", Micros(20 * SCALE), Micros(450_000), ZERO, ZERO
    )
    said = describe_result(paid, [held], holds_nothing="you hold none")
    assert said == f"Resolved {market.outcomes[1].label} · your 20 Up -$9.00"
    fees = {held.token_id: Micros(870_000)}
    assert describe_result(paid, [held], holds_nothing="", fees=fees).endswith("your 20 Up -$9.87")
    assert describe_result(paid, [], holds_nothing="you hold none").endswith(" · you hold none")
    assert describe_result(None, [], holds_nothing="") == "Closed"
    keys = {**RESTING.keys, "next_window": "ctrl+→"}
    for width in (80, 120):
        over = replace(RESTING, result=said, keys=keys, has_next=True)
        line, legend = paint_dials(over, width)
        assert said in text_of(line)
        assert text_of(line).rstrip().endswith("ctrl+→ next window")
        assert not legend
        assert "next window" not in text_of(paint_dials(replace(over, has_next=False), width)[0])


def test_the_chosen_size_stands_out_only_where_keys_use_it() -> None:
    said = {}
    for reason in ("", "ticket has the keys"):
        line, _ = paint_dials(replace(RESTING, reason=reason), 120)
        said[reason] = words(line)[:40].rstrip()
        assert any(Emphasis.REVERSE in cell.emphasis for cell in line) is (not reason)
    # Nothing moves.
    assert len(set(said.values())) == 1


def test_keys_that_cannot_be_armed_say_why() -> None:
    shut, legend = paint_dials(replace(RESTING, reason="Paused"), 120)
    assert text_of(shut).rstrip().endswith("Paused")
    assert "Arm" not in text_of(shut)
    assert not text_of(legend).strip()
    locked, why = paint_dials(replace(RESTING, lock="locked since 12:00"), 120)
    assert text_of(why).strip() == "locked since 12:00"
    narrow, _ = paint_dials(replace(RESTING, lock="locked since 12:00"), 80)
    assert text_of(narrow).rstrip().endswith("locked since 12:00")
    assert text_of(locked).startswith(" LOCKED")
    assert any(cell.role is Role.NOTICE_BAD for cell in locked)


def test_flattening_names_the_part_that_the_depth_takes() -> None:
    part = Closing(Micros(-1_600_000), Micros(40 * SCALE), Micros(500 * SCALE))
    said = " ".join(text_of(line) for line in paint_armed(replace(ARMED, closing=part), 240))
    assert "flatten 40 of 500 exit -$1.60" in said
    said = " ".join(text_of(line) for line in paint_armed(ARMED, 240))
    assert "flatten 500 exit -$1.60" in said


ALL_KEYS = {f"preset_{n}": str(n) for n in range(1, 6)} | {"cancel_bids": "(", "cancel_asks": ")"}
REVERSIBLE = replace(
    ARMED, keys={**ARMED.keys, **ALL_KEYS, "reverse": "R"}, reverse=(Side.SELL, Micros(459_000))
)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (160, "R reverse 500 @ 45.9¢  ( pull bids"), (120, "R rev 45.9¢  ( bids"),
        (100, "R rev 45.9 "), (80, "R rev 45.9 "),
    ],
)  # fmt: skip
def test_reversing_stands_beside_flattening_with_the_worst_price_it_takes(
    width: int, said: str
) -> None:
    lines = paint_armed(replace(REVERSIBLE, orders=finer()), width)
    assert said in "".join(map(text_of, lines))
    (cell,) = [cell for line in lines for cell in line if "45.9" in cell.text]
    assert cell.role is Role.ASK
    pulling = replace(REVERSIBLE, orders=finer(), cancels=(2, 1))
    assert "-$1.60, pulls 3 R rev 45.9 ( bids" in text_of(paint_armed(pulling, 120)[1])
    lines = paint_armed(replace(REVERSIBLE, reverse=None), width)
    assert re.search("R rev[a-z]* (500 @ )?–", "".join(map(text_of, lines)))
    lines = paint_armed(replace(REVERSIBLE, held=ZERO), width)
    assert "R" not in "".join(map(text_of, lines)).replace("ARMED", "")


@given(
    st.integers(79, 200), st.integers(1, 10**5), st.integers(0, 10**5), st.integers(-(10**4), 10**4)
)
def test_no_key_is_left_out_at_any_width(width: int, size: int, fills: int, gain: int) -> None:
    held = Micros(size * SCALE)
    closing = Closing(Micros(gain * SCALE), Micros(min(fills, size) * SCALE), held)
    armed = replace(REVERSIBLE, orders=finer(), held=held, closing=closing, cancels=(5, 1))
    lines = paint_armed(armed, width)
    assert [line_width(line) for line in lines] == [width, width]
    caps = {c.text for line in lines for c in line if Emphasis.REVERSE in c.emphasis}
    assert {*"DUBSFR()v,<.>"} <= caps


@pytest.mark.parametrize("width", [79, 80, 110, 113, 200])
def test_disarmed_every_key_is_listed(width: int) -> None:
    _, legend = paint_dials(replace(RESTING, keys={**REVERSIBLE.keys, "preset_2": "2"}), width)
    said = text_of(legend)
    for part in (
        ", . join",
        "< > improve",
        "D hit",
        "U lift",
        "B S ",
        "F flatten",
        "R reverse",
        "( ) pull",
    ):
        assert part in said
    assert line_width(legend) <= width
