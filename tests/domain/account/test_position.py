"""What a wallet holds: what can be traded of it, and what is too little for an order."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Position, split_dust
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ZERO, Micros, parse_micros

m = parse_micros
HELD = Position(
    token_id=TokenId("1"), condition_id=ConditionId("0xaa"), title="", outcome="Yes",
    size=m("5"), average_price=m("0.3"), current_price=m("0.5"), realized=ZERO,
)  # fmt: skip
MINIMA = {ConditionId("0xaa"): m("5"), ConditionId("0xbb"): m("15"), ConditionId("0xcc"): None}

held = st.builds(
    replace,
    st.just(HELD),
    condition_id=st.sampled_from(sorted(MINIMA)),
    size=st.integers(0, 20_000_000).map(Micros),
    current_price=st.none() | st.integers(0, 1_000_000).map(Micros),
    is_redeemable=st.booleans(),
)


@given(st.lists(held, max_size=8))
def test_every_position_is_kept_or_is_dust_and_no_worth_is_lost(drawn: list[Position]) -> None:
    positions = [replace(each, token_id=TokenId(str(n))) for n, each in enumerate(drawn)]
    kept, dust = split_dust(positions, MINIMA.get)
    small = dust.positions if dust is not None else ()
    assert sorted((*kept, *small), key=positions.index) == positions
    assert [list(part) for part in (kept, small)] == [
        sorted(part, key=positions.index) for part in (kept, small)
    ]
    for position in small:
        least = MINIMA[position.condition_id]
        assert least is not None
        assert position.size < least
        assert not position.is_redeemable
    worth = sum(p.value or 0 for p in kept) + (dust.value if dust is not None else 0)
    assert worth == sum(p.value or 0 for p in positions)


def test_the_smallest_order_is_no_dust() -> None:
    assert split_dust([HELD], MINIMA.get) == ((HELD,), None)
    _, dust = split_dust([replace(HELD, size=m("4.999999"))], MINIMA.get)
    assert dust is not None
    assert dust.value == m("2.499999")
