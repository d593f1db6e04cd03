"""The books of a list's rows: all of them once, and then only those that changed."""

from pathlib import Path
from typing import cast

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import TokenId
from pmtui.link.messages import Peek, ToService, Unwatch, View, Watch
from pmtui.link.mirror import Mirror, MirrorQueries
from pmtui.link.session import changed_books
from pmtui.service.clock import SystemClock
from pmtui.service.codec import decode, encode
from pmtui.service.topics import AddressBookTopic, BookTopic, RowQuotesTopic, Topic
from pmtui.service.views import RowBooksView
from tests.link.kit import NOTHING_YET, House, running_house
from tests.service.fakes import NO, YES
from tests.service.order_kit import until
from tests.service.watch_kit import book

ROWS = RowQuotesTopic((YES, NO))


def view_of(house: House) -> RowBooksView:
    return house.world.service.queries.view(ROWS)


async def test_a_terminal_has_all_books_though_only_changes_come(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        came: list[tuple[TokenId, ...]] = []
        apply = seat.mirror.apply

        def note(message: View) -> None:
            if decode(message.topic, Topic) == ROWS:
                view = cast("RowBooksView", decode(message.view, RowBooksView))
                came.append(tuple(each.token_id for each in view.books))
            apply(message)

        seat.mirror.apply = note  # type: ignore[method-assign]  # only listens
        _ = seat.mirror.subscribe([ROWS], lambda _: None)
        await until(house.world, lambda: came, "the first view")
        for bid, token in (("0.41", YES), ("0.42", YES), ("0.30", NO), ("0.43", YES)):
            house.world.stream.send(book(bid, "0.62", token_id=token))
            await until(house.world, lambda: seat.queries.view(ROWS) == view_of(house), "the same")
            assert seat.queries.book(token) == house.world.service.queries.book(token)
        assert came[0] == (YES, NO)
        assert (YES,) in came
        assert (NO,) in came


def test_only_what_is_new_is_sent() -> None:
    before = RowBooksView((_book(YES, 1), _book(NO, 1)))
    after = RowBooksView((_book(YES, 1), _book(NO, 2)))
    assert changed_books(after, before) == RowBooksView((_book(NO, 2),))
    assert changed_books(after, None) == after


def test_changes_without_the_rest_are_no_view() -> None:
    mirror = Mirror(NOTHING_YET)
    queries = MirrorQueries(mirror, SystemClock())
    empty = queries.view(ROWS)
    mirror.apply(_told(1, _book(NO, 2)))
    assert queries.view(ROWS) == empty
    mirror.apply(_told(2, _book(YES, 1), _book(NO, 2)))
    mirror.apply(_told(3, _book(NO, 3)))
    assert queries.view(ROWS) == RowBooksView((_book(YES, 1), _book(NO, 3)))


async def test_a_book_that_comes_with_rows_is_not_asked_for_by_itself() -> None:
    mirror, sent = Mirror(NOTHING_YET), list[ToService]()
    queries = MirrorQueries(mirror, SystemClock())
    mirror.attach(sent.append, read_up_to=0, is_same=False)
    subscription = mirror.subscribe([ROWS], lambda _: None)
    sent.clear()
    _ = queries.book(YES)
    assert sent == []
    subscription.close()
    _ = queries.book(YES)
    assert Peek(encode(BookTopic(YES))) in sent
    assert Watch(encode(ROWS)) not in sent


def _book(token: TokenId, version: int) -> BookView:
    return BookView(token, BookState.LIVE, version=version)


def _told(version: int, *books: BookView) -> View:
    return View(encode(ROWS), version, encode(RowBooksView(books)))


async def test_what_was_asked_for_and_then_watched_comes_once(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        topic, came = AddressBookTopic(), list[Topic]()
        apply = seat.mirror.apply

        def note(message: View) -> None:
            came.append(cast("Topic", decode(message.topic, Topic)))
            apply(message)

        seat.mirror.apply = note  # type: ignore[method-assign]  # only listens
        _ = seat.queries.address_book()
        await until(house.world, lambda: topic in came, "what was asked for")
        _ = seat.mirror.subscribe([topic], lambda _: None)
        _ = seat.mirror.subscribe([ROWS], lambda _: None)
        await until(house.world, lambda: ROWS in came, "the next topic")
        assert came.count(topic) == 1


def test_a_book_that_nobody_watches_is_let_go_when_the_service_is_silent() -> None:
    mirror, sent = Mirror(NOTHING_YET), list[ToService]()
    queries, topic = MirrorQueries(mirror, SystemClock()), BookTopic(YES)
    mirror.attach(sent.append, read_up_to=0, is_same=False)
    _ = queries.book(YES)
    mirror.apply(View(encode(topic), 1, encode(_book(YES, 1))))
    assert queries.book(YES) == _book(YES, 1)
    sent.clear()
    mirror.show_silence("it does not answer")
    assert sent == [Unwatch(encode(topic))]
    _ = queries.book(YES)
    assert sent[-1] == Peek(encode(topic))
