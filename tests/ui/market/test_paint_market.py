import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.ladder import Rung, Zone
from pmtui.domain.books.tape import TapeFilter, TapeGap
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.markets.market import NO_FEE, RewardTerms, Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import ONE, SCALE, Micros
from pmtui.domain.orders.flattening import Closing
from pmtui.domain.orders.order import Liquidity, OrderStatus, TimeInForce, TradePrint
from pmtui.service.views import Load, MarketView, TapeView
from pmtui.ui.cells import Line, focus_mark, line_width
from pmtui.ui.ladder.ladder_columns import BarScale, plan_columns
from pmtui.ui.ladder.paint_ladder import RungLook, paint_guard, paint_rung
from pmtui.ui.market.market_head import (
    find_terms,
    paint_facts,
    paint_question,
    paint_quote,
    paint_terms,
)
from pmtui.ui.market.market_model import why_not_tradable
from pmtui.ui.market.tape import OWN_MARK, WIDTH, paint_gap, paint_rate, paint_tape
from pmtui.ui.paint_status import is_starting
from pmtui.ui.portfolio.paint_position import (
    PositionFacts,
    account_words,
    gain_forms,
    paint_position_facts,
    paint_positions,
)
from pmtui.ui.portfolio.paint_working import (
    WorkingOrder,
    by_ladder,
    mark_working_row,
    paint_own_orders,
    paint_working_details,
    paint_working_head,
    paint_working_row,
)
from pmtui.ui.terminal.ascii_filter import to_ascii_cells
from pmtui.ui.theme.theme import Role
from tests.ui import believable
from tests.ui.fake_surface import KEYLESS_ACCOUNT, NOW, PAPER_STATUS, READ_ONLY_STATUS
from tests.ui.moving_market import CONDITION, NO, NUMBER, YES, MovingMarket

MARKET = MovingMarket()
VIEW = MARKET.service.markets[CONDITION]
BOOK = MARKET.service.books[YES]


def text_of(*lines: Line) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


@given(st.integers(1, 220), st.sampled_from(believable.HOSTILE_TITLES))
def test_head_lines_keep_their_width(width: int, title: str) -> None:
    assert VIEW.market is not None
    view = replace(VIEW, market=replace(VIEW.market, question=title))
    loading = replace(view, terms=None)
    for line in (
        paint_question(view, 0, NOW, width),
        paint_facts(view, BOOK, find_terms(view, PAPER_STATUS, NOW), width),
        paint_facts(loading, None, find_terms(loading, PAPER_STATUS, NOW), width),
    ):
        assert line_width(line) == width
        assert "\x1b" not in text_of(line)


def test_a_market_has_one_name_at_every_width() -> None:
    question = "What will the bank do to its target range in December of 2026: No change?"
    assert VIEW.market is not None
    market = replace(
        VIEW.market, question=question, group_title="No change", event_title="Rates in December"
    )
    for width in (80, 120, 200):
        head = text_of(paint_question(replace(VIEW, market=market), 0, NOW, width))
        assert "No change: Rates in December" in head


def test_the_head_tells_what_one_trades_and_by_which_rules() -> None:
    question = text_of(paint_question(VIEW, 1, NOW, 120))
    assert question.startswith(" No ")
    assert "12d 5h left" in question
    quote = text_of(paint_quote(VIEW, BOOK, 120))
    assert "bid 52¢  ask 53¢  mid 52.5¢" in quote
    bare = replace(BOOK, bids=(), asks=())
    assert "bid none  ask none" in text_of(paint_quote(VIEW, bare, 120))
    untraded = paint_quote(VIEW, replace(BOOK, own_last=None, last_trade_price=None), 120)
    assert [cell.role for cell in untraded if cell.text == "none"] == [Role.DIM]
    coming = replace(bare, state=BookState.LOADING)
    assert "bid –  ask –  mid –" in text_of(paint_quote(VIEW, coming, 120))
    assert VIEW.market is not None
    over = replace(VIEW, market=replace(VIEW.market, closed=True))
    assert "none" not in text_of(paint_quote(over, bare, 120))
    assert "bid" in text_of(paint_quote(over, BOOK, 120))
    terms = text_of(paint_terms(find_terms(VIEW, PAPER_STATUS, NOW), 200))
    assert "tick 1¢" in terms
    assert "· min 5" in terms
    assert "fee" not in terms
    assert VIEW.terms is not None
    free = replace(VIEW, terms=replace(VIEW.terms, fee=NO_FEE))
    assert "no fee" in text_of(paint_terms(find_terms(free, PAPER_STATUS, NOW), 200))
    assert "fee" not in text_of(paint_quote(free, BOOK, 200))
    assert "taker fee 1.00¢" in text_of(paint_quote(VIEW, BOOK, 200))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (VenueState.DELAYED, "taker orders delayed 3s"),
        (VenueState.MARKET_NOT_READY, "market not ready for orders"),
    ],
)
def test_what_a_market_is_up_to_comes_before_its_terms(state: VenueState, words: str) -> None:
    assert VIEW.terms is not None
    fact = VenueFact(state, Evidence.ANSWER, NOW, condition_id=VIEW.terms.condition_id)
    view = replace(VIEW, venue=(fact,), terms=replace(VIEW.terms, seconds_delay=3))
    assert text_of(paint_terms(find_terms(view, PAPER_STATUS, NOW), 60)).strip().startswith(words)
    assert words not in text_of(paint_terms(find_terms(VIEW, PAPER_STATUS, NOW), 200))


def test_a_quote_is_never_cut_in_the_middle_of_a_number() -> None:
    whole = text_of(paint_quote(VIEW, BOOK, 200)).split()
    for width in range(10, 120):
        words = text_of(paint_quote(VIEW, BOOK, width)).split()
        assert words == whole[: len(words)]


def test_no_change_of_the_venues_stands_beside_that_of_the_chart() -> None:
    assert VIEW.market is not None
    view = replace(VIEW, market=replace(VIEW.market, day_change=Micros(-55_000)))
    assert "5.5" not in text_of(paint_quote(view, BOOK, 200))


@pytest.mark.parametrize("width", range(76, 200, 4))
def test_the_head_leaves_out_rewards_before_volume_before_fee_and_spread(width: int) -> None:
    assert VIEW.terms is not None
    rewards = RewardTerms(Micros(50_000_000), Micros(45_000))
    view = replace(VIEW, terms=replace(VIEW.terms, rewards=rewards, neg_risk=True))
    line = text_of(paint_facts(view, BOOK, find_terms(view, PAPER_STATUS, NOW), width))
    order = (
        "bid ",
        "spread ",
        "taker fee ",
        "tick ",
        "min ",
        " vol ",
        "vol 24h ",
        "one winner",
        "LP ",
    )
    shown = [words in line for words in order]
    assert shown == sorted(shown, reverse=True)
    assert "taker fee" in line
    assert "LP rewards: 50 shares within 4.5¢ of mid" in line or "LP" not in line


def test_what_keeps_orders_out_now_comes_before_the_quote() -> None:
    assert VIEW.terms is not None
    fact = VenueFact(
        VenueState.MARKET_NOT_READY, Evidence.ANSWER, NOW, condition_id=VIEW.terms.condition_id
    )
    view = replace(VIEW, venue=(fact,))
    line = text_of(paint_facts(view, BOOK, find_terms(view, PAPER_STATUS, NOW), 60))
    assert "market not ready for orders" in line
    assert "bid 52¢" in line


def test_the_volume_of_a_day_stands_behind_the_whole_volume() -> None:
    assert re.search(r" │ vol \S+  vol 24h \S+", text_of(paint_quote(VIEW, BOOK, 120)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"closed": True}, "Closed"),
        ({"archived": True}, "Archived"),
        ({"active": False}, "Not open"),
        ({"accepting_orders": False}, "Paused"),
        ({"has_order_book": False}, "No order book"),
    ],
)
def test_why_there_is_no_trading_is_said(change: dict[str, bool], words: str) -> None:
    assert VIEW.market is not None
    view = replace(VIEW, market=replace(VIEW.market, **change))  # type: ignore[arg-type]
    assert words in why_not_tradable(view, PAPER_STATUS)
    assert words in text_of(paint_terms(find_terms(view, PAPER_STATUS, NOW), 120))


def test_a_resolved_market_names_what_won() -> None:
    assert VIEW.market is not None
    first, second = VIEW.market.outcomes
    outcomes = (replace(first, price=Micros(0)), replace(second, price=ONE))
    view = replace(VIEW, market=replace(VIEW.market, closed=True, outcomes=outcomes))
    assert "resolved No" in why_not_tradable(view, PAPER_STATUS)


def test_read_only_says_why_and_trading_says_nothing() -> None:
    assert "no key" in why_not_tradable(VIEW, READ_ONLY_STATUS)
    assert why_not_tradable(VIEW, PAPER_STATUS) == ""
    paused = (
        replace(VIEW, terms=replace(VIEW.terms, accepting_orders=False)) if VIEW.terms else VIEW
    )
    assert "Paused" in why_not_tradable(paused, PAPER_STATUS)


def test_a_missing_market_is_explained() -> None:
    lost = MarketView(None, None, Load.FAILED, None, problem="host down")
    assert "host down" in text_of(paint_question(lost, 0, NOW, 80))
    loading = MarketView(None, None, Load.LOADING, None)
    assert "Loading" in text_of(paint_terms(find_terms(loading, PAPER_STATUS, NOW), 80))


@given(st.integers(1, 60), st.integers(1, 30), st.integers(0, 10**15))
def test_the_tape_keeps_its_width(width: int, height: int, size: int) -> None:
    trade = TradePrint(YES, Side.BUY, Micros(515_500), Micros(size), NOW)
    lines = paint_tape(TapeView((trade,) * 5, 5), width, height)
    assert len(lines) == min(5, height)
    assert all(line_width(line) == width for line in lines)


def test_a_trade_shows_side_price_size_and_time() -> None:
    trade = TradePrint(YES, Side.SELL, Micros(510_000), Micros(1_234_500_000), NOW)
    line = text_of(*paint_tape(TapeView((trade,), 1), WIDTH, 4))
    assert line.split()[:3] == ["SELL", "51¢", "1,234"]
    assert line.count(":") == 2
    assert "No trades yet" in text_of(*paint_tape(TapeView((), 0), 30, 4))


def test_a_trade_that_was_ours_in_part_says_which_part() -> None:
    trade = TradePrint(YES, Side.SELL, Micros(510_000), Micros(500_000_000), NOW)
    fill = replace(
        believable.fill(1, 2), token_id=YES, price=trade.price, size=Micros(20_000_000),
        matched_at=NOW, liquidity=Liquidity.MAKER,
    )  # fmt: skip
    view = TapeView((trade,), 1)
    assert fill.side is Side.BUY
    part = text_of(*paint_tape(view, 45, 4, fills=(fill,))).rstrip()
    assert part.startswith("SELL ")
    assert part.endswith("you bought 20")
    assert "◂B" in part
    narrow = text_of(*paint_tape(view, WIDTH, 4, fills=(fill,)))
    # The size that was ours is worth more than the time.
    assert narrow.split() == ["SELL", "51¢", "500", "◂B", "you", "20"]
    whole = text_of(*paint_tape(view, 45, 4, fills=(replace(fill, size=trade.size),))).rstrip()
    # Somebody sold to our bid: the tape has the side of the aggressor, beside it what we did.
    assert whole.startswith("SELL ")
    assert whole.endswith("you bought")


@pytest.mark.parametrize("own", [20_000_000, 500_000_000])
def test_purchases_and_sales_of_ours_are_told_in_the_same_words_at_every_width(own: int) -> None:
    def said(side: Side, width: int) -> str:
        trade = TradePrint(YES, side, Micros(510_000), Micros(500_000_000), NOW)
        fill = replace(
            believable.fill(1, 2), token_id=YES, price=trade.price, size=Micros(own), side=side,
            matched_at=NOW, liquidity=Liquidity.TAKER,
        )  # fmt: skip
        line = text_of(*paint_tape(TapeView((trade,), 1), width, 1, fills=(fill,)))
        for word in ("◂B", "◂S", "BUY", "SELL"):
            line = line.replace(word, "")
        return " ".join(line.replace("bought", "…").replace("sold", "…").split())

    for width in range(20, 60):
        bought, sold = said(Side.BUY, width), said(Side.SELL, width)
        assert bought == sold


def test_the_rate_of_the_last_minute_is_counted() -> None:
    trades = tuple(
        TradePrint(
            YES, Side.SELL, Micros(510_000), Micros(1_450_000_000), NOW - timedelta(seconds=s)
        )
        for s in (5, 59, 60)
    )
    forms = [text_of(form) for form in paint_rate(trades, NOW)]
    assert forms == ["2/min · sum 2,900", "2/min"]
    # Where all that is kept is of one minute, there may have been more.
    assert text_of(paint_rate(trades[:2], NOW)[0]) == "2+/min · sum 2,900+"
    assert paint_rate(trades, NOW + timedelta(hours=1)) == ()


def test_alone_own_trades_are_shown_in_their_own_size() -> None:
    trade = TradePrint(YES, Side.SELL, Micros(510_000), Micros(165_160_000), NOW)
    fill = replace(
        believable.fill(1, 2), token_id=YES, price=trade.price, size=Micros(60_000_000),
        matched_at=NOW, liquidity=Liquidity.MAKER,
    )  # fmt: skip
    view = TapeView((trade,), 1)
    line = text_of(*paint_tape(view, WIDTH + 1, 4, fills=(fill,), wanted=TapeFilter.OWN))
    assert line.split()[:4] == ["SELL", "51¢", "60", "◂B"]


def test_where_the_public_tape_begins_a_filtered_one_says_that_only_ours_is_older() -> None:
    trade = TradePrint(YES, Side.SELL, Micros(510_000), Micros(2_000_000_000), NOW)
    old = replace(believable.fill(1, 2), token_id=YES, matched_at=NOW - timedelta(minutes=5))
    view = TapeView((trade,), 1)
    lines = paint_tape(view, WIDTH, 9, fills=(old,), wanted=TapeFilter.THOUSAND)
    assert len(lines) == 3
    assert "your fills only" in text_of(lines[1])


def test_own_fills_are_on_a_tape_that_has_lost_all_public_trades() -> None:
    fill = replace(believable.fill(1, 2), token_id=YES, matched_at=NOW, liquidity=Liquidity.MAKER)
    for wanted in TapeFilter:
        line = text_of(*paint_tape(TapeView((), 0), 45, 4, fills=(fill,), wanted=wanted))
        assert line.startswith("SELL ")
        assert "you bought" in line


def test_in_ascii_the_signs_of_focus_last_trade_and_own_trade_differ() -> None:
    trade = TradePrint(YES, Side.SELL, Micros(510_000), Micros(500_000_000), NOW)
    fill = replace(
        believable.fill(1, 2), token_id=YES, price=trade.price, size=trade.size, matched_at=NOW,
        liquidity=Liquidity.MAKER,
    )  # fmt: skip
    view = TapeView((trade,), 1)
    own = text_of(*paint_tape(view, WIDTH, 4, fills=(fill,)))
    rung = Rung(Micros(510_000), Zone.ASK, is_last_trade=True)
    look = RungLook(Micros(10_000), BarScale())
    last = text_of(paint_rung(rung, plan_columns(41, tick=Micros(10_000)), 41, look=look))
    assert f"500 {OWN_MARK}" in own
    assert "51c*" in to_ascii_cells(last)
    assert len({to_ascii_cells(sign) for sign in (OWN_MARK, "•", focus_mark())}) == 3
    assert "*" not in to_ascii_cells(own)


def at(second: int) -> datetime:
    return NOW + timedelta(seconds=second)


def test_the_tape_says_where_trades_may_be_missing() -> None:
    new, old = (TradePrint(YES, Side.BUY, Micros(510_000), Micros(10**6), at(s)) for s in (60, 0))
    final = TapeGap(at(0), at(30), is_final=True)
    view = TapeView((new, old), 2, (), (final,))
    lines = text_of(*paint_tape(view, 40, 9)).splitlines()
    since, until = (f"{moment.astimezone():%H:%M:%S}" for moment in (at(0), at(30)))
    assert [line.split()[0] for line in lines] == ["BUY", "Missing", "BUY"]
    assert f"{since}-{until}" in lines[1]
    below = text_of(*paint_tape(view, 40, 9, skip=1)).splitlines()
    assert [line.split()[0] for line in below] == ["Missing", "BUY"]


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (TapeGap(at(60)), "No trades received since"),
        (TapeGap(at(60), at(90)), "Fetching trades from"),
    ],
)
def test_a_hole_at_the_newest_end_is_told_first(gap: TapeGap, words: str) -> None:
    trade = TradePrint(YES, Side.BUY, Micros(510_000), Micros(10**6), at(60))
    assert text_of(paint_tape(TapeView((trade,), 1, (), (gap,)), 40, 9)[0]).startswith(words)
    assert words in text_of(*paint_tape(TapeView((), 0, (), (gap,)), 40, 9))


@given(st.integers(1, 60), st.booleans(), st.booleans())
def test_a_hole_keeps_its_width(width: int, ended: bool, final: bool) -> None:
    line = paint_gap(TapeGap(at(0), at(9) if ended else None, final), width)
    assert line_width(line) == width


def test_both_outcomes_show_the_value_that_the_account_gives_them() -> None:
    yes = believable.position(NUMBER, "Rates", size=100, average=0.5, current=0.525)
    no = replace(
        believable.position(NUMBER, "Rates", size=10, average=0.5, current=0.475),
        token_id=NO, outcome_index=1, outcome="No",
    )  # fmt: skip
    text = text_of(*paint_positions((yes, no), ("Yes", "No"), 60))
    assert "100 at 50.0¢ · $52.50  +$2.50 +5.0% at mid" in text
    assert "10 at 50.0¢ · $4.75  -$0.25 -5.0% at mid" in text


def test_the_value_of_a_position_stays_where_its_size_has_decimals() -> None:
    held = believable.position(NUMBER, "Rates", size=249.99, average=0.451, current=0.45)
    for width, said in ((30, "at 45.1¢ · $112.49"), (28, "@45.1 · $112.49"), (25, "at 45.1¢")):
        line = paint_positions((held,), ("Yes", "No"), width, is_gain_told=True)[0]
        assert text_of(line).rstrip() == f"Yes 249.99 {said}"


def test_the_gain_is_the_last_to_go_where_it_is_narrow() -> None:
    held = replace(
        believable.position(NUMBER, "Rates", size=38.46, average=0.52, current=0.525),
        outcome_index=1, outcome="Down",
    )  # fmt: skip

    def down_in(width: int) -> str:
        return text_of(paint_positions((held,), ("Up", "Down"), width)[1]).rstrip()

    # Exit and today count fees and the spread, so a gain without its basis would contradict them.
    assert all("+$0.19" in down_in(width) for width in range(21, 60))
    assert all(down_in(width).endswith("mid") for width in range(21, 60))
    assert down_in(21) == "Down 38.46 +$0.19 mid"
    assert down_in(27) == "Down 38.46 @52.0 +$0.19 mid"
    assert down_in(34) == "Down 38.46 at 52.0¢  +$0.19 at mid"
    assert down_in(41) == "Down 38.46 at 52.0¢ · $20.19  +$0.19 mid"


def closing(profit: int, *, fills: int = 40, size: int = 40) -> Closing:
    return Closing(Micros(profit), Micros(fills * SCALE), Micros(size * SCALE))


FACTS = PositionFacts(
    exit_now=closing(-1_340_000), even=Micros(588_000), most=Micros(1_028_320_000),
    least=Micros(-21_680_000), stops=(paint_guard(Trigger.STOP, "stop 38.0¢"),), unprotected=Micros(468_250_000),
    tick=Micros(1_000),
)  # fmt: skip


def test_exit_resolution_and_stops_stand_below_the_position() -> None:
    wide = text_of(*paint_position_facts(FACTS, 44)).splitlines()
    assert [line.split() for line in wide] == [
        ["exit", "-$1.34", "break-even", "58.8¢"],
        ["max", "win", "+$1,028.32", "max", "loss", "-$21.68"],
        ["▼", "stop", "38.0¢", "468.25", "unprotected"],
    ]
    narrow = text_of(*paint_position_facts(FACTS, 29)).splitlines()
    assert narrow[2].split() == ["▼", "stop", "38.0¢", "468.25", "unprot."]
    # The stop takes no cents from the amounts.
    assert narrow[0].split() == ["exit", "-$1.34", "b/e", "58.8¢"]
    assert narrow[1].split() == ["win", "+$1,028.32", "loss", "-$21.68"]
    part = replace(FACTS, exit_now=closing(-1_340_000, size=100))
    assert text_of(*paint_position_facts(part, 46)).splitlines()[0].split()[:5] == [
        "exit", "40", "of", "100", "-$1.34",
    ]  # fmt: skip
    assert text_of(*paint_position_facts(part, 29)).splitlines()[0].split()[:3] == [
        "exit", "40", "-$1.34",
    ]  # fmt: skip
    bare = replace(FACTS, exit_now=None, even=None, stops=())
    assert text_of(*paint_position_facts(bare, 44)).splitlines()[2] == "no stop"
    assert "–" in text_of(*paint_position_facts(bare, 44)).splitlines()[0]
    safe = replace(FACTS, stops=FACTS.stops * 2, unprotected=Micros(0))
    assert text_of(*paint_position_facts(safe, 44)).splitlines()[2].split() == [
        "▼", "2", "stops", "all", "protected",
    ]  # fmt: skip


@given(st.integers(10, 60), st.integers(-(10**13), 10**13))
def test_no_fact_of_a_position_is_cut(width: int, gain: int) -> None:
    facts = replace(FACTS, exit_now=closing(gain), most=Micros(gain), least=Micros(-gain))
    lines = paint_position_facts(facts, width)
    assert lines
    assert all(line_width(line) <= max(width, 26) for line in lines)


def test_the_result_of_a_resolved_position_is_net_of_the_fees_paid() -> None:
    held = replace(believable.position(NUMBER, "Rates", size=100), average_price=Micros(400_000))
    held = replace(held, current_price=ONE, is_settled=True)
    fees = {held.token_id: Micros(960_000)}
    whole, *_ = gain_forms((held,), fees)
    assert text_of(whole) == "+$59.04 +144.1% pays 100¢"
    assert "+$59.04" in text_of(*paint_positions((held,), ("Yes",), 60, fees=fees))
    assert "+$60.00" in text_of(*paint_positions((held,), ("Yes",), 60))


def test_a_position_nobody_can_price_shows_no_value() -> None:
    held = replace(believable.position(NUMBER, "Rates", size=100), current_price=None)
    assert "$" not in text_of(*paint_positions((held,), ("Yes",), 60))


def test_nothing_is_called_none_where_not_all_is_known() -> None:
    known, unknown = (
        text_of(*paint_positions((), ("Yes", "No"), 24, are_known=each)) for each in (True, False)
    )
    assert (known.count("none"), known.count("none known")) == (2, 0)
    assert unknown.count("none known") == 2


@given(st.integers(1, 80), st.floats(0.01, 10**9))
def test_positions_keep_their_width(width: int, size: float) -> None:
    held = believable.position(NUMBER, "Rates", size=size)
    lines = paint_positions((held,), ("Yes", "No"), width)
    assert lines
    assert all(line_width(line) == width for line in lines)


@given(
    st.permutations(
        [("SELL", 86, 0), ("SELL", 85, 1), ("SELL", 85, 2), ("BUY", 84, 3), ("BUY", 80, 4)]
    )
)
def test_own_orders_stand_as_on_the_ladder_whenever_they_came(
    rows: list[tuple[str, int, int]],
) -> None:
    found = tuple(
        replace(
            believable.order(number, side=Side(side), price=price / 100, age_s=300 - number),
            token_id=YES,
        )
        for side, price, number in rows
    )
    shown = [row.order for row in by_ladder(WorkingOrder(order, order) for order in found)]
    assert [(o.side.value, o.price // 10_000, int(o.order_id, 16)) for o in shown] == [
        ("SELL", 86, 0), ("SELL", 85, 1), ("SELL", 85, 2), ("BUY", 84, 3), ("BUY", 80, 4),
    ]  # fmt: skip


def working(number: int = 0, **changes: object) -> WorkingOrder:
    order = replace(believable.order(number), **changes)  # type: ignore[arg-type]
    return WorkingOrder(order, order, 12, Micros(9_010_730_000), 190.0, tick=Micros(1_000))


@pytest.mark.parametrize(("width", "told"), [(28, "GTC  age 3m"), (30, "age 3m"), (40, "")])
def test_what_a_narrow_list_leaves_out_is_told_of_the_selected_order(width: int, told: str) -> None:
    row = working(time_in_force=TimeInForce.GTC)
    line = paint_working_details(row, width)
    assert text_of(line).strip() == told
    assert line_width(line) in (width, 0)
    other = paint_working_details(row._replace(outcome="No"), 28)
    assert text_of(other).strip() == "GTC  age 3m  No"


def test_more_orders_than_lines_are_counted() -> None:
    rows = tuple(working(n, status=OrderStatus.UNKNOWN) for n in range(9))
    lines = paint_own_orders(rows, 40, 4)
    assert len(lines) == 4
    assert text_of(lines[0]).split() == ["Open", "Price", "Away", "Queue", "TIF", "Age"]
    assert text_of(lines[-1]).strip() == "and 7 more"
    assert "unknown" in text_of(lines[1])
    assert all(line_width(line) == 40 for line in lines)
    assert "No working orders" in text_of(*paint_own_orders((), 40, 4))
    # Three lines are better than two and their titles.
    assert "OPEN" not in text_of(*paint_own_orders(rows, 40, 3))


@pytest.mark.parametrize(
    ("width", "titles", "words"),
    [
        (40, "Open Price Away Queue TIF Age", "B 182 39.7 12t ~9,011 GTC 3m"),
        (36, "Open Price Away Queue TIF Age", "B 182 39.7 12t ~9.1k GTC 3m"),
        (28, "Open Price Away Queue", "B 182 39.7 12t ~9.1k"),
        (24, "Open Price Away", "B 182 39.7 12t"),
        (17, "Open Price", "B 182 39.7"),
    ],
)
def test_working_orders_have_the_same_columns_at_every_width(
    width: int, titles: str, words: str
) -> None:
    row = working(
        side=Side.BUY, price=Micros(397_000), original_size=Micros(182_190_000),
        matched_size=Micros(0),
    )  # fmt: skip
    assert text_of(paint_working_head(width)).split() == titles.split()
    assert text_of(paint_working_row(row, width)).split() == words.split()


@pytest.mark.parametrize("width", [24, 28, 36, 40])
def test_the_selected_order_keeps_its_numbers_under_their_titles(width: int) -> None:
    row = working(side=Side.BUY, original_size=Micros(1_200_000_000), matched_size=Micros(0))
    plain = text_of(paint_working_row(row, width))
    marked = text_of(mark_working_row(paint_working_row(row, width)))
    side = plain.split()[0]
    assert marked == f"▸{side}{plain[len(side) + 1 :]}"


def test_far_and_large_figures_keep_to_the_narrowest_columns() -> None:
    row = working(
        original_size=Micros(120_000_000_000), matched_size=Micros(0), price=Micros(999_900)
    )._replace(away=9_999, ahead=Micros(98_700_000_000_000), tick=Micros(100))  # fmt: skip
    text = text_of(paint_working_row(row, 28))
    assert text.split()[1:] == ["120k", "99.99", "999+", "~99M"]
    assert len(text) == 28
    ends = [
        text_of(paint_working_row(row._replace(ahead=Micros(ahead * 1_000_000)), 28)).split()[4]
        for ahead in (999, 1_001, 99_000, 105_400, 899_999, 900_001)
    ]
    assert ends == ["~999", "~1.1k", "~99k", "~106k", "~900k", "~901k"]


def test_a_partly_filled_order_shows_what_is_open_of_it_and_keeps_its_place() -> None:
    row = working(
        side=Side.SELL, original_size=Micros(120_000_000), matched_size=Micros(8_500_000),
        status=OrderStatus.PARTIALLY_FILLED,
    )  # fmt: skip
    for width in (28, 36, 60):
        assert text_of(paint_working_row(row, width)).split()[1] == "111/120"
    assert "~9.1k" in text_of(paint_working_row(row, 36))
    # Both sizes do not fit: what is open does.
    large = row.shown
    large = replace(large, original_size=Micros(12_000_000_000), matched_size=Micros(4_000_000_000))
    assert text_of(paint_working_row(row._replace(shown=large), 36)).split()[1] == "8,000"


def test_first_in_the_queue_at_the_touch_and_nothing_known_have_words() -> None:
    row = working()
    first = text_of(paint_working_row(row._replace(ahead=Micros(0), away=0, age_s=3), 36)).split()
    assert first[3:] == ["0t", "1st", "GTC", "<1m"]
    unknown = row._replace(ahead=None, away=None, age_s=200 * 86_400, outcome="No")
    words = text_of(paint_working_row(unknown, 38)).split()
    assert words[3:] == ["–", "–", "GTC", "28w", "No"]


@pytest.mark.parametrize("load", list(Load))
def test_an_account_that_is_not_there_is_explained(load: Load) -> None:
    assert bool(account_words(replace(KEYLESS_ACCOUNT, load=load))) == (load is not Load.READY)


def test_before_any_host_was_heard_nobody_says_that_there_is_no_key() -> None:
    empty = replace(KEYLESS_ACCOUNT, load=Load.EMPTY)
    assert account_words(empty) == "No key: no account."
    assert account_words(empty, is_starting=True) == "Loading the account…"
    assert is_starting(replace(PAPER_STATUS, health=()))
    assert not is_starting(PAPER_STATUS)


@pytest.mark.parametrize("is_trading", [True, False])
def test_the_touch_of_a_paused_market_looks_old(*, is_trading: bool) -> None:
    assert VIEW.market is not None
    view = replace(VIEW, market=replace(VIEW.market, accepting_orders=is_trading))
    roles = {cell.role for cell in paint_quote(view, BOOK, 120)}
    assert (Role.STALE in roles) is not is_trading
    assert ({Role.BID, Role.ASK} <= roles) is is_trading
