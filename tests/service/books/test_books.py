"""Live books through the running service: what each is worth, and how it is mended."""

from dataclasses import replace

import pytest

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.market_events import (
    BookSnapshot,
    LevelText,
    LevelTexts,
    MarketResolved,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.books.verification import trade_price_text
from pmtui.domain.health import LinkState
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import MOST_STREAMED_ROWS, Side
from pmtui.domain.money import Micros, complement, format_micros, parse_micros
from pmtui.service.books.books import CHECK_PERIOD_S, GRACE_S, MOST_LEFT
from pmtui.service.books.stream_faults import BookLosses
from pmtui.service.hub import Hub
from pmtui.service.log import Log
from pmtui.service.topics import (
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    RowQuotesTopic,
    Topic,
)
from pmtui.service.views import Level
from tests.manual_clock import ManualClock, settle
from tests.service.book_kit import book, change, mirrored, quoted, snapshot, watching
from tests.service.fakes import CONDITION, EVENT, NO, YES, World, lost, resting


def of_no(world: World) -> BookView:
    return world.service.queries.book(NO)


async def test_watching_one_outcome_hears_both(world: World) -> None:
    await watching(world)
    assert world.stream.watched == {YES, NO}
    assert world.stream.together == {frozenset({YES, NO})}


async def test_a_book_nobody_watches_any_more_is_let_go_after_a_while(world: World) -> None:
    subscription = world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await settle()
    assert YES in world.stream.watched
    subscription.close()
    await world.pass_time(1)
    assert YES in world.stream.watched
    await world.pass_time(GRACE_S)
    assert world.stream.watched == frozenset()
    assert book(world).state is BookState.LOADING


async def test_nobody_wakes_for_books_in_which_nothing_happens(world: World) -> None:
    await quoted(world)
    world.stream.send(replace(snapshot(), token_id=NO, hash=""))
    await world.pass_time(GRACE_S + 1)
    assert book(world).state is BookState.VERIFIED
    assert world.clock.wakes_within(CHECK_PERIOD_S) == 0
    world.stream.send(change("0.41", "8", "of what is missing"))
    assert world.clock.wakes_within(CHECK_PERIOD_S) == 0
    await settle()
    assert world.clock.wakes_within(CHECK_PERIOD_S) == 1


def break_and_mend(world: World) -> None:
    world.stream.change_link(LinkState.DOWN, "reset")
    world.stream.change_link(LinkState.OPEN)


async def test_a_book_whose_hash_agrees_says_so(world: World) -> None:
    await watching(world)
    assert book(world).state is BookState.LOADING
    world.stream.send(snapshot())
    assert book(world).state is BookState.LIVE
    await world.pass_time(0.2)
    assert book(world).state is BookState.VERIFIED
    assert (book(world).best_bid, book(world).best_ask) == (410_000, 430_000)


async def hearing_both(world: World) -> None:
    """Watch a market whose two books have come."""
    await quoted(world)
    world.stream.send(mirrored())
    await world.pass_time(1)


def told_for_both(price: str, size: str, *, is_other_right: bool = True) -> LevelTexts:
    """A bid for YES with the true hashes after it, or a false one for NO."""
    changes = []
    other = format_micros(complement(parse_micros(price)))
    for first, token, side, text in (
        (snapshot(), YES, "BUY", price),
        (mirrored(), NO, "SELL", other),
    ):
        after = OrderBook(token)
        after.apply_snapshot(first)
        after.apply_change(LevelText(token, side, text, size))
        digest = after.state_hash("1790000000500", "0.420") or ""
        is_right = token == YES or is_other_right
        changes.append(LevelText(token, side, text, size, digest if is_right else "f" * 40))
    return LevelTexts(CONDITION, tuple(changes), "1790000000500")


async def test_a_change_told_for_both_outcomes_shows_in_both_and_verifies_both(
    world: World,
) -> None:
    heard = await watching(world)
    world.service.hub.subscribe([BookTopic(NO)], heard.append)
    world.stream.send(snapshot())
    world.stream.send(mirrored())
    await world.pass_time(1)
    heard.clear()
    world.stream.send(told_for_both("0.415", "3"))
    await world.pass_time(0.3)
    yes, no = book(world), world.service.queries.book(NO)
    assert (yes.best_bid, no.best_ask) == (415_000, 585_000)
    assert (yes.state, no.state) == (BookState.VERIFIED, BookState.VERIFIED)
    assert {BookTopic(YES), BookTopic(NO)} <= set(heard)
    assert world.trading.asked == []


@pytest.mark.parametrize("is_checked_before", [False, True])
async def test_a_whole_book_that_comes_after_a_later_change_takes_nothing_back(
    world: World, is_checked_before: bool
) -> None:
    await hearing_both(world)
    world.stream.send(told_for_both("0.415", "3"))
    if is_checked_before:
        await world.pass_time(0.3)
    world.stream.send(snapshot())
    world.stream.send(mirrored())
    await world.pass_time(0.3)
    yes, no = book(world), of_no(world)
    assert (yes.best_bid, no.best_ask) == (415_000, 585_000)
    assert (yes.state, no.state) == (BookState.VERIFIED, BookState.VERIFIED)
    # A replay that was moved back sends older books, and so does another socket.
    world.service.rewind(world.clock.now())
    world.stream.send(snapshot())
    assert book(world).best_bid == 410_000
    break_and_mend(world)
    world.stream.send(snapshot())
    await world.pass_time(0.3)
    assert (book(world).best_bid, book(world).state) == (410_000, BookState.VERIFIED)


async def test_of_two_books_held_as_one_only_the_one_whose_hash_disagrees_is_fetched(
    world: World,
) -> None:
    await hearing_both(world)
    await world.pass_time(4)
    world.trading.books_by_token[NO] = mirrored()
    world.stream.send(told_for_both("0.415", "3", is_other_right=False))
    await world.pass_time(0.5)
    assert world.trading.asked == [NO]
    yes, no = book(world), world.service.queries.book(NO)
    assert (yes.best_bid, yes.state) == (415_000, BookState.VERIFIED)
    assert no.best_ask == 590_000, "what was fetched counts for the one it was fetched for"


async def test_a_book_let_go_does_not_take_its_sister_along(world: World) -> None:
    # Of an event only the first outcomes are watched: the second goes with its screen.
    await world.watch(EventTopic(EVENT), EventQuotesTopic(EVENT))
    screen = world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await settle()
    world.stream.send(snapshot())
    world.stream.send(mirrored())
    screen.close()
    await world.pass_time(GRACE_S + 1)
    assert world.stream.watched == {YES}
    world.stream.send(told_for_both("0.415", "3"))
    await world.pass_time(0.3)
    assert (book(world).best_bid, book(world).state) == (415_000, BookState.VERIFIED)


async def test_a_lost_message_is_noticed_and_mended_by_rest(world: World) -> None:
    await quoted(world)
    await world.pass_time(5)
    world.trading.books_by_token[YES] = snapshot(bid="0.42")
    world.stream.send(change("0.39", "5", "f" * 40))
    await world.pass_time(0.15)
    # Reordering may still explain it.
    assert book(world).state is not BookState.LOSSY
    asked_before = len(world.trading.asked)
    await world.pass_time(0.3)
    assert len(world.trading.asked) == asked_before + 1
    assert book(world).best_bid == 420_000
    await world.pass_time(0.2)
    assert book(world).state is BookState.VERIFIED


def swapped() -> tuple[LevelTexts, LevelTexts]:
    """Two changes in the wrong order; each hash is of the book when the venue had applied it."""
    after = OrderBook(YES)
    after.apply_snapshot(snapshot())
    told = []
    for price in ("0.39", "0.38"):
        after.apply_change(LevelText(YES, "BUY", price, "5"))
        told.append(change(price, "5", after.state_hash("1790000000500", "0.420") or ""))
    return told[1], told[0]


async def test_time_in_which_no_frame_can_come_makes_no_loss_of_frames_that_changed_places(
    world: World,
) -> None:
    await quoted(world)
    await world.pass_time(5)
    asked_before = len(world.trading.asked)
    first, second = swapped()
    world.clock.hold_stream()
    world.stream.send(first)
    await world.pass_time(1)
    world.stream.send(second)
    await world.pass_time(1)
    assert book(world).state is BookState.VERIFIED
    assert len(world.trading.asked) == asked_before


async def test_the_last_change_before_quiet_is_checked_even_within_a_frame_already_told(
    world: World,
) -> None:
    # Heard without being watched, so that no frame ever ends.
    subscription = world.service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await settle()
    subscription.close()
    world.stream.send(snapshot())
    await world.pass_time(5)
    world.stream.send(change("0.38", "5", ""))
    await world.pass_time(0.3)
    asked_before = len(world.trading.asked)
    world.stream.send(change("0.39", "5", "f" * 40))
    await world.pass_time(0.3)
    assert len(world.trading.asked) == asked_before + 1


async def test_a_burst_is_told_once_a_frame_and_is_whole_when_read(world: World) -> None:
    heard = await watching(world)
    world.stream.send(snapshot())
    await world.pass_time(1)
    heard.clear()
    for index in range(10, 40):
        world.stream.send(change(f"0.{index}", "5", ""))
    await world.pass_time(0.1)
    assert 1 <= heard.count(BookTopic(YES)) <= 2
    assert len(book(world).bids) == 32
    heard.clear()
    world.stream.send(change("0.41", "3", ""))
    await world.pass_time(0.1)
    assert BookTopic(YES) in heard


async def test_changes_that_come_while_a_book_is_fetched_are_not_lost(world: World) -> None:
    await quoted(world)
    await world.pass_time(5)
    # The host's answer is older than a change that the stream tells of meanwhile.
    world.trading.books_by_token[YES] = snapshot(bid="0.42")
    world.service.commands.refresh(BookTopic(YES))
    world.stream.send(change("0.35", "77", ""))
    await settle()
    assert book(world).best_bid == 420_000
    assert (350_000, 77_000_000) in [(level.price, level.size) for level in book(world).bids]


async def test_a_broken_book_is_fetched_at_a_bounded_rate(world: World) -> None:
    await quoted(world)
    world.trading.books_by_token[YES] = snapshot()
    await world.pass_time(5)
    before = len(world.trading.asked)
    for _ in range(40):
        world.stream.send(change("0.39", "5", "f" * 40))
        await world.pass_time(0.25)
    assert len(world.trading.asked) - before <= 6


def test_books_that_lose_messages_all_day_do_not_fill_the_log() -> None:
    clock = ManualClock()
    log = Log(Hub(clock), clock)
    losses = BookLosses(log, {YES: "Sedan chairs in 2031"}.get)
    for _ in range(1_000):
        losses.report(YES)
    levels = [entry.level for entry in log.view().entries]
    assert levels == [Level.INFO, Level.WARNING, Level.WARNING, Level.WARNING]
    assert all("Sedan chairs in 2031" in entry.text for entry in log.view().entries)
    losses.report(TokenId("7" * 77))
    assert log.view().entries[-1].text.endswith("again: 77777777…777777")
    losses.forget(YES)
    losses.report(YES)
    assert log.view().entries[-1].level is Level.INFO


async def test_a_crossed_book_says_so_and_is_fetched(world: World) -> None:
    await quoted(world)
    await world.pass_time(5)
    world.stream.send(change("0.50", "5", ""))
    assert book(world).state is BookState.CROSSED
    await world.pass_time(0.2)
    assert YES in world.trading.asked


async def test_a_dead_line_makes_every_book_stale_until_it_speaks(world: World) -> None:
    await quoted(world)
    await world.pass_time(1)
    world.stream.change_link(LinkState.DOWN, "reset")
    assert book(world).state is BookState.STALE
    world.stream.change_link(LinkState.CONNECTING)
    assert book(world).state is BookState.STALE
    world.stream.change_link(LinkState.OPEN)
    world.stream.send(snapshot())
    await world.pass_time(0.2)
    assert book(world).state is BookState.VERIFIED


async def test_after_a_drop_each_book_is_good_as_soon_as_its_own_snapshot_has_come(
    world: World,
) -> None:
    await hearing_both(world)
    break_and_mend(world)
    world.stream.send(snapshot())
    assert (book(world).state, of_no(world).state) == (BookState.LIVE, BookState.STALE)
    world.stream.send(mirrored())
    assert of_no(world).state is BookState.LIVE
    # Nothing more is said of either, and nothing is asked.
    await world.pass_time(120)
    assert (book(world).state, of_no(world).state) == (BookState.VERIFIED,) * 2
    assert world.trading.asked == []


async def test_only_the_books_of_the_socket_that_broke_are_stale(world: World) -> None:
    await hearing_both(world)
    world.stream.close_sockets_of(frozenset({NO}))
    assert (book(world).state, of_no(world).state) == (BookState.VERIFIED, BookState.STALE)
    assert len(world.service.queries.tape(NO).gaps) == 1
    assert world.service.queries.tape(YES).gaps == ()
    world.stream.close_sockets_of(frozenset())
    await world.pass_time(4)
    assert world.trading.asked == [NO]


async def test_a_change_without_the_owed_book_makes_no_book_good(world: World) -> None:
    await quoted(world)
    await world.pass_time(1)
    break_and_mend(world)
    world.stream.send(change("0.38", "5", ""))
    await world.pass_time(1)
    assert book(world).state is BookState.STALE
    world.trading.books_by_token[YES] = snapshot(bid="0.42")
    await world.pass_time(3)
    assert (book(world).best_bid, book(world).state.is_good) == (420_000, True)


@pytest.mark.parametrize("was_heard", [True, False])
async def test_a_book_that_nobody_sends_says_so_until_it_comes(
    world: World, was_heard: bool
) -> None:
    world.trading.failure = lost("GET /book")
    await watching(world)
    if was_heard:
        world.stream.send(snapshot())
        break_and_mend(world)
    await world.pass_time(4)
    assert book(world).state is BookState.OVERDUE
    assert len([e for e in world.service.queries.log().entries if "overdue" in e.text]) == 1
    asked = len(world.trading.asked)
    await world.pass_time(60)
    assert 2 <= len(world.trading.asked) - asked <= 12, "asked for again, ever more rarely"
    # What REST tells is shown, and is not taken for live.
    world.trading.failure = None
    world.trading.books_by_token[YES] = snapshot(bid="0.42")
    await world.pass_time(31)
    assert (book(world).best_bid, book(world).state) == (420_000, BookState.OVERDUE)
    # The first word of the stream is no proof for what was fetched before it.
    world.trading.books_by_token[YES] = snapshot(bid="0.415")
    world.stream.send(change("0.39", "5", ""))
    await settle()
    assert (book(world).best_bid, book(world).state.is_good) == (415_000, True)


async def test_a_book_that_does_not_come_is_asked_for(world: World) -> None:
    await watching(world)
    world.stream.change_link(LinkState.OPEN)
    await world.pass_time(4)
    assert YES in world.trading.asked
    assert book(world).state is BookState.NO_BOOK


async def test_a_book_that_does_not_come_on_an_open_line_is_asked_for_too(world: World) -> None:
    await world.pass_time(10)
    await watching(world)
    assert world.trading.asked == []
    world.stream.send(snapshot())
    await world.pass_time(4)
    assert world.trading.asked == [NO]


async def test_a_further_socket_is_no_reason_to_fetch_books_that_are_heard(world: World) -> None:
    await quoted(world)
    await world.pass_time(5)
    world.trading.asked.clear()
    world.stream.change_link(LinkState.CONNECTING)
    world.stream.change_link(LinkState.OPEN)
    await world.pass_time(4)
    assert world.trading.asked == []
    assert book(world).state is BookState.VERIFIED
    break_and_mend(world)
    await world.pass_time(4)
    assert YES in world.trading.asked


async def test_trades_appear_on_both_tapes_mirrored_and_move_the_last_price(world: World) -> None:
    await quoted(world)
    other = snapshot()
    world.stream.send(
        BookSnapshot(
            NO, CONDITION, other.asks, other.bids, other.timestamp, "", "5", "0.01", False, ""
        )
    )
    trade = TradePrinted(
        CONDITION, YES, Side.BUY, Micros(430_000), Micros(3_500_000), "1790000001000"
    )
    world.stream.send(trade)
    (own,) = world.service.queries.tape(YES).prints
    (mirrored,) = world.service.queries.tape(NO).prints
    assert (own.side, own.price, own.size) == (Side.BUY, 430_000, 3_500_000)
    assert (mirrored.side, mirrored.price) == (Side.SELL, 570_000)
    assert book(world).last_trade_price == 430_000
    # One price for both tokens, and each knows which of the two is its own.
    assert book(world).own_last == own.price
    assert world.service.queries.book(NO).own_last == mirrored.price
    assert trade_price_text(Micros(430_000)) == "0.430"


async def test_a_new_grid_voids_the_book_until_it_is_fetched(world: World) -> None:
    await quoted(world)
    world.trading.books_by_token[YES] = snapshot()
    await world.pass_time(5)
    world.stream.send(
        TickSizeChanged(CONDITION, YES, Micros(10_000), Micros(1_000), "1790000002000")
    )
    assert book(world).state is BookState.TICK_CHANGED
    terms = world.service.queries.market(CONDITION).terms
    assert terms is not None
    assert terms.tick_size == 1_000
    await world.pass_time(0.2)
    assert book(world).state.is_good


async def test_a_new_tick_size_warns_where_something_is_held_or_works(world: World) -> None:
    changed = TickSizeChanged(CONDITION, YES, Micros(10_000), Micros(1_000), "1790000002000")
    await watching(world)
    world.stream.send(changed)
    quiet = world.service.queries.log().entries[-1]
    assert quiet.text.startswith("Tick size is now 0.1¢: ")
    assert quiet.level is Level.INFO
    world.account.open[OrderId("0x01")] = resting(OrderId("0x01"))
    await world.pass_time(11)
    world.stream.send(changed)
    assert world.service.queries.log().entries[-1].level is Level.WARNING


async def test_a_market_without_a_name_is_told_by_its_short_id(world: World) -> None:
    token_id = TokenId("6994555704467069" * 4 + "6994555704467")
    changed = TickSizeChanged(
        ConditionId("0x" + "5e" * 32), token_id, Micros(10_000), Micros(1_000), "1790000002000"
    )
    await watching(world)
    world.stream.send(changed)
    assert world.service.queries.log().entries[-1].text.endswith("0.1¢: 69945557…704467")


async def test_a_resolution_is_told(world: World) -> None:
    await watching(world)
    world.stream.send(MarketResolved(CONDITION, (YES, NO), YES, "Yes", None))
    texts = [e.text for e in world.service.queries.log().entries]
    assert any("Resolved Yes" in text for text in texts)


async def test_quotes_of_an_event_come_from_live_books_where_there_are_good_ones(
    world: World,
) -> None:
    heard: list[Topic] = []
    world.service.hub.subscribe([EventTopic(EVENT), EventQuotesTopic(EVENT)], heard.append)
    await settle()
    (quote,) = world.service.queries.event_quotes(EVENT).rows
    assert not quote.is_live
    assert quote.is_loading
    assert quote.best_bid == 410_000
    assert world.stream.watched == {YES}
    world.stream.send(snapshot(bid="0.42"))
    (quote,) = world.service.queries.event_quotes(EVENT).rows
    assert quote.is_live
    assert not quote.is_loading
    assert quote.best_bid == 420_000
    heard.clear()
    await world.pass_time(0.1)
    assert EventQuotesTopic(EVENT) in heard


async def test_rows_in_view_are_streamed_and_rows_passed_by_are_soon_let_go(world: World) -> None:
    pages = [tuple(TokenId(f"{page}-{row}") for row in range(40)) for page in range(6)]
    view = world.service.hub.subscribe([], lambda _: None)
    for page in pages:
        before = view
        view = world.service.hub.subscribe([RowQuotesTopic(page)], lambda _: None)
        before.close()
        await world.pass_time(0.3)
        assert set(page) <= world.stream.watched
        assert len(world.stream.watched) <= MOST_STREAMED_ROWS
    # Whoever comes back from a market finds the rows as they were left.
    view.close()
    await world.pass_time(1)
    assert set(pages[-1]) <= world.stream.watched
    await world.pass_time(GRACE_S)
    assert world.stream.watched == frozenset()


async def test_whoever_hops_through_events_leaves_a_bounded_number_of_books(world: World) -> None:
    tokens = [TokenId(f"left-{n}") for n in range(MOST_LEFT + 30)]
    for token_id in tokens:
        looked = world.service.hub.subscribe([BookTopic(token_id)], lambda _: None)
        looked.close()
    await world.pass_time(0.3)
    # Those left last: somebody may come back to them.
    assert world.stream.watched == set(tokens[30:])


async def test_no_list_streams_more_rows_than_there_may_be(world: World) -> None:
    tokens = tuple(TokenId(f"row-{n}") for n in range(2 * MOST_STREAMED_ROWS))
    world.service.hub.subscribe([RowQuotesTopic(tokens)], lambda _: None)
    await world.pass_time(0.3)
    assert world.stream.watched == set(tokens[:MOST_STREAMED_ROWS])


async def test_a_row_that_moves_is_told_and_a_market_on_show_outlives_its_row(world: World) -> None:
    await watching(world)
    heard: list[Topic] = []
    topic = RowQuotesTopic((YES,))
    rows = world.service.hub.subscribe([topic], heard.append)
    world.stream.send(snapshot())
    await world.pass_time(0.3)
    heard.clear()
    world.stream.send(snapshot(bid="0.42"))
    await world.pass_time(0.3)
    assert set(heard) == {topic}
    rows.close()
    many = tuple(TokenId(f"row-{n}") for n in range(MOST_STREAMED_ROWS))
    world.service.hub.subscribe([RowQuotesTopic(many)], lambda _: None)
    await world.pass_time(GRACE_S + 1)
    assert {YES, NO} <= world.stream.watched
