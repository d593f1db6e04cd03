from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.ui.rows.row_verbs import RowTarget, positions_in, target_of_event, target_of_token
from tests.ui import believable
from tests.ui.fake_surface import EMPTY_ACCOUNT

ELECTION = believable.election()


def _position(number: int, *, index: int, size: int, is_redeemable: bool = False) -> Position:
    base = believable.position(number, "A market", is_redeemable=is_redeemable)
    return replace(base, outcome_index=index, size=Micros(size))


positions = st.builds(
    _position, st.integers(1, 4), index=st.integers(0, 1), size=st.integers(1, 10**9),
    is_redeemable=st.booleans(),
)  # fmt: skip


def market(number: int) -> ConditionId:
    return ConditionId(f"0x{number:064x}")


@given(st.lists(positions, max_size=6), st.sets(st.integers(1, 4)))
def test_an_event_stands_for_everything_unsettled_in_its_markets(
    held: list[Position], numbers: set[int]
) -> None:
    wanted = {market(n) for n in numbers}
    found = positions_in(held, wanted)
    assert all(p.condition_id in wanted and not p.is_redeemable for p in found)
    assert [p for p in held if p in found] == [
        p for p in held if p.condition_id in wanted and not p.is_redeemable
    ]


@given(st.lists(positions, max_size=6), st.none() | st.integers(0, 1))
def test_what_is_sold_is_the_outcome_held_most_of(held: list[Position], index: int | None) -> None:
    account = replace(EMPTY_ACCOUNT, positions=tuple(held))
    target = RowTarget(market(1), index)
    sold = target.outcome_to_sell(account)
    if index is not None:
        assert sold == index
        assert all(p.outcome_index == index for p in target.held(account))
    else:
        mine = target.held(account)
        most = max((p.size for p in mine), default=0)
        assert not mine or any(p.size == most and p.outcome_index == sold for p in mine)


def test_an_event_is_traded_in_its_leading_market() -> None:
    target = target_of_event(ELECTION, ELECTION.markets[2])
    assert target is not None
    assert target.condition_id == ELECTION.markets[2].condition_id
    assert len(target.markets) == len(ELECTION.markets)


def test_an_order_names_the_outcome_of_its_token() -> None:
    found = ELECTION.markets[0]
    assert found.condition_id is not None
    both = [target_of_token(found.condition_id, token, found) for token in found.token_ids]
    assert [each and each.outcome_index for each in both] == [0, 1]
    assert target_of_token(found.condition_id, found.token_ids[1], None) == RowTarget(
        found.condition_id, token_id=found.token_ids[1]
    )
    assert target_of_token(None, None, found) is None
