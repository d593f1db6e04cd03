"""Every golden row of both files, byte for byte, through the checks that anyone can run."""

import json
from pathlib import Path

import pytest

from tests.check.row import Row
from tests.check.vectors import Report, check_document, load_document, rows_of

FILES = sorted((Path(__file__).parents[1] / "vectors").glob("*.json"))
ROWS = [(path.stem, row) for path in FILES for row in rows_of(load_document(path)) if row.compute]


@pytest.mark.parametrize(("stem", "row"), ROWS, ids=lambda v: v.path if isinstance(v, Row) else v)
def test_a_golden_row_reproduces(stem: str, row: Row) -> None:
    assert row.compute is not None
    computed = row.compute()
    if row.kind == "marketPriceWalk":
        computed = {key: computed[key] for key in row.expected}
    if isinstance(row.expected, dict) and "post" in row.expected:
        computed["post"] = {key: computed["post"][key] for key in row.expected["post"]}
    assert computed == row.expected


def test_both_files_hold_the_rows_they_were_published_with() -> None:
    report = Report()
    for path in FILES:
        check_document(json.loads(path.read_bytes()), report)
    assert report.failures == []
    assert report.passed == 132
    assert not report.unsupported
