import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.cursor import END_CURSOR, FIRST_CURSOR, decode_cursor, encode_cursor

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "clob.json").read_bytes()
)["cursor"]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["cursor"])
def test_published_cursors_stand_for_their_offsets(row: dict[str, Any]) -> None:
    assert encode_cursor(row["offset"]) == row["cursor"]
    assert decode_cursor(row["cursor"]) == row["offset"]


@given(st.integers(-1, 10**17))
def test_every_offset_comes_back(offset: int) -> None:
    assert decode_cursor(encode_cursor(offset)) == offset


@given(st.text())
def test_any_text_is_a_cursor_or_none(text: str) -> None:
    offset = decode_cursor(text)
    assert offset is None or offset >= -1


@pytest.mark.parametrize("text", ["", "LTI=", "not base64", "ZmY=", "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ=="])
def test_what_is_no_cursor_reads_as_none(text: str) -> None:
    assert decode_cursor(text) is None


def test_the_two_cursors_every_client_knows() -> None:
    assert encode_cursor(0) == FIRST_CURSOR
    assert encode_cursor(-1) == END_CURSOR
