"""The venue's memory: which prices it keeps for the history of a market."""

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.sim.engine.events import Cause, LevelChanged
from pmtui.sim.storage.records import POINT_S, Records

MARKET = ConditionId("0xa")


def top_moves(records: Records, bid: str, ask: str, *, at_s: int) -> None:
    change = LevelChanged(
        MARKET, TokenId("1"), TokenId("2"), Side.BUY, parse_micros(bid), Micros(0),
        best_bid=parse_micros(bid), best_ask=parse_micros(ask), is_top_moved=True,
        cause=Cause.CANCELLED, at_ms=at_s * 1_000,
    )  # fmt: skip
    records.apply((change,))


def test_a_book_that_is_being_emptied_leaves_no_price_behind() -> None:
    records = Records()
    top_moves(records, "0.67", "0.68", at_s=POINT_S)
    before = records.prices(MARKET).last
    # A market ends: its orders go one after the other, the best bid among the first.
    top_moves(records, "0.001", "0.68", at_s=2 * POINT_S)
    assert list(records.prices(MARKET).prices) == [before]
    top_moves(records, "0.6", "0.7", at_s=3 * POINT_S)
    assert len(records.prices(MARKET)) == 2
