"""Cursors of the trading host."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.sim.http_json import END, cursor_at, offset_of

VECTORS = Path(__file__).parents[1] / "vectors" / "clob.json"


@given(st.integers(0, 999_999_999))
def test_a_cursor_reads_back_as_its_offset(offset: int) -> None:
    assert offset_of(cursor_at(offset)) == offset


def test_the_services_own_cursors_are_understood() -> None:
    assert offset_of("") == 0
    assert offset_of("MA==") == 0
    assert offset_of("MTAw") == 100
    assert offset_of(END) == -1


@pytest.mark.parametrize("text", ["x", "%%", "MTA", "LTI=", "w6k=", cursor_at(10**10)])
def test_what_is_no_cursor_is_none(text: str) -> None:
    assert offset_of(text) is None


@given(st.text(max_size=12))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    offset = offset_of(text)
    assert offset is None or offset >= -1


def test_the_vectors_agree() -> None:
    rows = json.loads(VECTORS.read_text())["cursor"]
    assert rows
    for row in rows:
        assert offset_of(row["cursor"]) == row["offset"]
