"""A hostile venue in front of the installed program in a terminal: it lives, and shows only text."""

import pytest

from tests.hostile.__main__ import run_way

pytestmark = [pytest.mark.journey, pytest.mark.slow]


@pytest.mark.parametrize("way", ["titles", "giant", "bomb"])
def test_it_outlives_a_flood_and_shows_nothing_but_text(way: str) -> None:
    found = run_way(way, seconds=0.5)
    assert found.foreign == []
    assert not found.has_ended
    # Keys were answered all the time; how fast is for the long run to say.
    assert found.key_ms > 0
