from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.exposure import OwnEvent, exposure_of, find_runners, profit_by_event
from pmtui.domain.account.position import ClosedPosition, Position
from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import Event, Market, Outcome
from pmtui.domain.money import ONE, ZERO, Micros


def held(
    number: int, size: int, *, index: int = 0, neg_risk: bool = False, price: int | None = 500_000
) -> Position:
    return Position(
        token_id=TokenId(f"{number}{index}"), condition_id=ConditionId(f"0x{number}"),
        title=f"Market {number}", outcome="Yes", size=Micros(size), average_price=Micros(400_000),
        current_price=None if price is None else Micros(price), realized=Micros(0),
        outcome_index=index, neg_risk=neg_risk,
    )  # fmt: skip


positions = st.lists(
    st.builds(
        held, st.integers(1, 4), st.integers(0, 10**9), index=st.integers(0, 1),
        neg_risk=st.booleans(), price=st.none() | st.integers(0, ONE),
    ),
    max_size=8,
    unique_by=lambda p: p.token_id,
)  # fmt: skip


def one_event(found: Iterable[Position], *runners: int) -> tuple[OwnEvent, ...]:
    ids = tuple(dict.fromkeys(p.condition_id for p in found))
    known = tuple(ConditionId(f"0x{number}") for number in runners)
    return (OwnEvent(EventId("e"), "Event", ids, known),)


def own_events(found: Iterable[Position]) -> tuple[OwnEvent, ...]:
    ids = dict.fromkeys(p.condition_id for p in found)
    return tuple(OwnEvent(EventId(each), str(each), (each,)) for each in ids)


@given(found=positions, is_known=st.booleans())
def test_the_worst_case_pays_no_more_than_the_best_and_nothing_pays_more_than_all(
    found: list[Position], *, is_known: bool
) -> None:
    exposure = exposure_of(found, one_event(found) if is_known else ())
    assert 0 <= exposure.worst <= exposure.best <= sum(p.size for p in found)
    assert exposure.value == sum(p.value or 0 for p in found)
    assert exposure.cost == sum(p.cost for p in found)
    assert exposure.if_best - exposure.if_worst == exposure.best - exposure.worst


def pays_by_answers(found: list[Position], runners: list[int]) -> list[int]:
    """Return what everything pays, for each way in which the world can go."""
    apart = sorted({p.condition_id for p in found if not p.neg_risk})
    pays: list[int] = []
    for winner in runners:
        for answers in product((0, 1), repeat=len(apart)):
            won = dict(zip(apart, answers, strict=True))
            is_won = [
                p.outcome_index == (p.condition_id != f"0x{winner}")
                if p.neg_risk
                else p.outcome_index == won[p.condition_id]
                for p in found
            ]
            pays.append(sum(p.size for p, wins in zip(found, is_won, strict=True) if wins))
    return pays


kinds = st.lists(
    st.builds(held, st.integers(1, 4), st.integers(0, 50), index=st.integers(0, 1)),
    max_size=8,
    unique_by=lambda p: p.token_id,
).flatmap(
    # All of a market is of one kind: those of even numbers run in the race.
    lambda found: st.just([replace(p, neg_risk=int(p.condition_id[2:]) % 2 == 0) for p in found])
)


@given(kinds, st.lists(st.integers(1, 8).map(lambda n: 2 * n), min_size=1, unique=True))
def test_worst_and_best_are_those_of_every_way_that_the_world_can_go(
    found: list[Position], runners: list[int]
) -> None:
    exposure = exposure_of(found, one_event(found, *runners))
    pays = pays_by_answers(found, runners)
    assert (exposure.worst, exposure.best) == (min(pays), max(pays))
    # Without the runners anybody may win, also somebody in whom nothing is held.
    lost = exposure_of(found, one_event(found))
    anybody = pays_by_answers(found, [*{int(p.condition_id[2:]) for p in found}, 100])
    assert (lost.worst, lost.best) == (min(anybody), max(anybody))


@given(
    st.integers(2, 6), st.integers(1, 10**6), st.data(),
)  # fmt: skip
def test_a_conversion_changes_neither_the_worst_nor_the_best_case(
    number: int, amount: int, data: st.DataObject
) -> None:
    runners = range(1, number + 1)
    sizes = st.integers(amount, 2 * amount)
    before = [held(n, data.draw(sizes), index=i, neg_risk=True) for n in runners for i in (0, 1)]
    given_no = data.draw(st.sets(st.sampled_from(list(runners)), min_size=1))

    def after(position: Position) -> Position:
        is_given = int(position.condition_id[2:]) in given_no
        if position.outcome_index == 1:
            return replace(position, size=Micros(position.size - amount * is_given))
        return replace(position, size=Micros(position.size + amount * (not is_given)))

    cash = amount * (len(given_no) - 1)
    then = list(map(after, before))
    first = exposure_of(before, one_event(before, *runners))
    last = exposure_of(then, one_event(then, *runners))
    assert (last.worst + cash, last.best + cash) == (first.worst, first.best)


def test_a_yes_of_every_runner_is_a_dollar() -> None:
    every = [held(n, ONE, neg_risk=True) for n in (1, 2, 3)]
    assert exposure_of(every, one_event(every, 1, 2, 3)).worst == ONE
    assert exposure_of(every, one_event(every, 1, 2, 3, 4)).worst == 0
    assert exposure_of(every, one_event(every)).worst == 0


def test_markets_of_one_event_name_belong_together_before_the_event_is_known() -> None:
    race = [replace(held(n, 100, index=1, neg_risk=True), event_slug="regatta") for n in range(3)]
    assert exposure_of(race, ()).worst == 200
    nameless = [replace(each, event_slug="") for each in race]
    assert exposure_of(nameless, ()).worst == 0


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=6))
def test_of_a_race_one_yes_pays_and_of_independent_markets_each_may(sizes: list[int]) -> None:
    race = [held(n, size, neg_risk=True) for n, size in enumerate(sizes)]
    apart = [held(n, size) for n, size in enumerate(sizes)]
    assert exposure_of(race, one_event(race)).best == max(sizes)
    assert exposure_of(race, one_event(race)).worst == 0
    assert exposure_of(apart, one_event(apart)).best == sum(sizes)
    # Races in different events exclude each other no more.
    assert exposure_of(race, own_events(race)).best == sum(sizes)


def test_yes_and_no_of_a_market_pay_a_dollar_whatever_happens() -> None:
    both = [held(1, 100), held(1, 60, index=1)]
    exposure = exposure_of(both, one_event(both))
    assert (exposure.worst, exposure.best) == (60, 100)


def test_every_no_of_a_race_but_the_winners_pays() -> None:
    race = [held(n, 100, index=1, neg_risk=True) for n in range(3)]
    exposure = exposure_of(race, one_event(race))
    assert (exposure.worst, exposure.best) == (200, 300)


def test_the_event_with_most_in_it_is_named() -> None:
    found = [held(1, 10 * ONE), held(2, 30 * ONE)]
    assert exposure_of(found, own_events(found)).largest == ("0x2", 15 * ONE)
    assert exposure_of(found, ()).largest == ("Market 2", 15 * ONE)
    assert exposure_of([], ()).largest is None


@given(positions)
def test_the_profits_of_events_add_up_to_everything(found: list[Position]) -> None:
    found = [replace(p, realized=Micros(n * 1_000)) for n, p in enumerate(found)]
    closed = [
        ClosedPosition(
            TokenId("9"), ConditionId("0x9"), "Gone", "Yes", Micros(1), Micros(1), Micros(-7), None
        )
    ]
    profits = profit_by_event(found, closed, own_events(found))
    assert sum(p.realized for p in profits) == sum(p.realized for p in found) - 7
    assert sum(p.unrealized for p in profits) == sum(p.unrealized or 0 for p in found)
    sizes = [abs(profit.total) for profit in profits]
    assert sizes == sorted(sizes, reverse=True)
    assert len({profit.name for profit in profits}) == len(profits)


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
