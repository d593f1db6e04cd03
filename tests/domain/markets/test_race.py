from dataclasses import replace

from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import Event, Market, Outcome
from pmtui.domain.markets.race import find_runners
from pmtui.domain.money import ONE, ZERO, Micros

HALF = Micros(500_000)


def market(number: int, *, closed: bool = False, price: Micros | None = HALF) -> Market:
    return Market(
        MarketId(f"{number}"), ConditionId(f"0x{number}"), f"m{number}", f"Boat {number}?",
        (Outcome("Yes", TokenId(f"{number}1"), price), Outcome("No", TokenId(f"{number}2"), None)),
        closed=closed, neg_risk=True,
    )  # fmt: skip


def race(*markets: Market) -> Event:
    return Event(EventId("1"), "regatta", "Who wins?", markets, neg_risk=True)


def test_all_that_are_not_lost_may_win() -> None:
    lost = market(2, closed=True, price=ZERO)
    unanswered = market(3, closed=True)
    tokenless = replace(market(4), outcomes=(Outcome("Yes", None, ZERO),), closed=True)
    bare = replace(market(5), outcomes=())
    found = find_runners(race(market(1), lost, unanswered, tokenless, bare))
    assert found == ("0x1", "0x3", "0x4", "0x5")


def test_a_winner_leaves_nobody_else() -> None:
    assert find_runners(race(market(1), market(2, closed=True, price=ONE))) == ("0x2",)


def test_nothing_is_said_of_what_is_no_race_or_not_known_whole() -> None:
    assert find_runners(replace(race(market(1)), neg_risk=False)) == ()
    assert find_runners(race()) == ()
    assert find_runners(race(market(1), replace(market(2), condition_id=None))) == ()
