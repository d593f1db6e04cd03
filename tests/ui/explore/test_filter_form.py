from datetime import timedelta

import pytest

from pmtui.domain.markets.listing import NO_FILTER, ListFilter
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.explore.filter_form import ENDINGS, SPREADS, VOLUMES, paint_filter_rows, with_next


@pytest.mark.parametrize(
    ("key", "count"),
    [("volume", len(VOLUMES)), ("spread", len(SPREADS)), ("ends", len(ENDINGS)), ("mine", 2),
     ("starred", 2)],
)  # fmt: skip
def test_each_line_goes_round_its_values(key: str, count: int) -> None:
    wanted, seen = NO_FILTER, [NO_FILTER]
    for _ in range(count):
        wanted = with_next(wanted, key)
        seen.append(wanted)
    assert wanted == NO_FILTER
    assert len(set(seen)) == count


def test_lines_show_their_values() -> None:
    wanted = ListFilter(Micros(1_000 * SCALE), Micros(10_000), timedelta(days=7), is_mine=True)
    values = [row.cells[1].text for row in paint_filter_rows(wanted)]
    assert values == ["$1,000", "1¢", "7d", "only these", "any"]
