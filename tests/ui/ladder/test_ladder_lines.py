"""What moves on a ladder ends by itself, and says what has happened."""

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import WINDOW_MS, Axis
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.ladder.ladder_lines import STAGE_S, LadderMotion
from pmtui.ui.ladder.paint_ladder import Fresh

CENT = Micros(10_000)
AXIS = Axis(CENT, CENT)


class _Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def book(size: int, *, state: BookState = BookState.LIVE, token: str = "1") -> BookView:
    bids = (Level(Micros(50 * CENT), Micros(size * SCALE)),)
    return BookView(TokenId(token), state, bids, (), CENT)


def test_a_change_flashes_fades_and_is_told_for_a_while() -> None:
    clock = _Clock()
    motion = LadderMotion(clock)
    motion.follow(book(10), book(25), traded=0)
    place = (Side.BUY, 50)
    assert motion.moves(AXIS).fresh == {place: Fresh(2, is_more=True)}
    clock.now_s += STAGE_S * 1.5
    assert motion.moves(AXIS).fresh == {place: Fresh(1, is_more=True)}
    clock.now_s += STAGE_S
    assert motion.moves(AXIS).fresh == {}
    assert motion.moves(AXIS).flow == {place: 15 * SCALE}
    assert motion.is_live
    clock.now_s += WINDOW_MS / 1_000
    assert motion.moves(AXIS).flow == {}
    assert not motion.is_live


def test_another_book_and_one_that_was_not_good_bring_no_news() -> None:
    motion = LadderMotion(_Clock())
    motion.follow(book(10), book(25, token="2"), traded=0)
    motion.follow(book(10, state=BookState.STALE), book(25), traded=0)
    motion.follow(None, book(25), traded=0)
    assert not motion.is_live


def test_rows_of_several_ticks_add_up() -> None:
    motion = LadderMotion(_Clock())
    after = BookView(
        TokenId("1"),
        BookState.LIVE,
        tuple(Level(Micros(n * CENT), Micros(SCALE)) for n in (51, 52)),
        (),
        CENT,
    )
    motion.follow(BookView(TokenId("1"), BookState.LIVE, (), (), CENT), after, traded=0)
    assert motion.moves(Axis(CENT, Micros(5 * CENT))).flow == {(Side.BUY, 10): 2 * SCALE}
