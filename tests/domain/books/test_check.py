from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, LevelText
from pmtui.domain.books.verification import TOLERATED_FRAMES, Agreement, BookCheck
from pmtui.domain.ids import ConditionId, TokenId

TOKEN = TokenId("7132")
EMPTY = BookSnapshot(
    TOKEN, ConditionId("0xaa"), (), (), timestamp="7", hash="", tick_size="0.01", neg_risk=False
)


class Venue:
    """A book of the venue's own, and what it announces of it."""

    def __init__(self) -> None:
        self.ours, self.theirs = _empty_book(), _empty_book()
        self.check = BookCheck()

    def change(self, price: str, size: str) -> LevelText:
        self.theirs.apply_change(LevelText(TOKEN, "BUY", price, size))
        digest = self.theirs.state_hash("7", "")
        assert digest is not None
        return LevelText(TOKEN, "BUY", price, size, hash=digest)

    def deliver(self, change: LevelText, *, now_ms: int = 0) -> Agreement:
        self.ours.apply_change(change, "7")
        return self.check.check(self.ours, now_ms=now_ms)


def _empty_book() -> OrderBook:
    book = OrderBook(TOKEN)
    book.apply_snapshot(EMPTY)
    return book


def test_frames_in_order_match_at_once() -> None:
    venue = Venue()
    assert venue.deliver(venue.change("0.4", "1")) is Agreement.MATCH
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.NOTHING_NEW


def test_a_group_that_comes_reversed_is_in_doubt_until_its_last_frame() -> None:
    venue = Venue()
    group = [venue.change(f"0.{index}", "1") for index in range(1, 9)]
    verdicts = [venue.deliver(change) for change in reversed(group)]
    assert verdicts == [Agreement.DOUBT] * 7 + [Agreement.MATCH]
    assert not venue.check.is_doubtful


def test_a_lost_frame_is_a_loss_after_the_frames_that_reordering_explains() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    verdicts = [venue.deliver(venue.change(f"0.{index}", "1")) for index in range(10, 20)]
    assert verdicts[:TOLERATED_FRAMES] == [Agreement.DOUBT] * TOLERATED_FRAMES
    assert verdicts[TOLERATED_FRAMES] is Agreement.LOSS


def test_a_lost_frame_is_a_loss_after_a_tenth_of_a_second_of_quiet() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    assert venue.deliver(venue.change("0.1", "1"), now_ms=1000) is Agreement.DOUBT
    assert venue.check.check(venue.ours, now_ms=1099) is Agreement.DOUBT
    assert venue.check.check(venue.ours, now_ms=1100) is Agreement.LOSS


def test_frames_nobody_looked_at_are_covered_by_a_later_match() -> None:
    venue = Venue()
    for index in range(10, 40):
        venue.ours.apply_change(venue.change(f"0.{index}", "1"), "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.MATCH


def test_a_swapped_pair_that_was_not_looked_at_in_between_matches_by_its_first() -> None:
    venue = Venue()
    first, second = venue.change("0.1", "1"), venue.change("0.2", "1")
    for change in (second, first):
        venue.ours.apply_change(change, "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.MATCH


def test_frames_without_a_hash_say_nothing() -> None:
    venue = Venue()
    venue.ours.apply_change(LevelText(TOKEN, "BUY", "0.1", "1"), "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.NOTHING_NEW


def test_a_new_snapshot_starts_over() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    venue.deliver(venue.change("0.1", "1"))
    assert venue.check.is_doubtful
    venue.ours.apply_snapshot(EMPTY)
    venue.check.reset()
    assert not venue.check.is_doubtful
    assert venue.check.check(venue.ours, now_ms=9_999) is Agreement.NOTHING_NEW


def test_a_book_without_terms_is_not_judged() -> None:
    book = OrderBook(TOKEN)
    book.apply_change(LevelText(TOKEN, "BUY", "0.1", "1", hash="x"), "7")
    assert BookCheck().check(book, now_ms=0) is Agreement.NOTHING_NEW


def test_looking_again_without_a_further_frame_takes_nothing_from_its_patience() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    venue.deliver(venue.change("0.1", "1"))
    looks = {venue.check.check(venue.ours, now_ms=index) for index in range(TOLERATED_FRAMES * 2)}
    assert looks == {Agreement.DOUBT}
