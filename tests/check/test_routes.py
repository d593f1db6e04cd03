"""The table of routes: complete, and like the document it comes from."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.config.endpoints import Dialect
from pmtui.reads.trading_routes import ROUTES, SEED_ROUTES, Auth
from tests.check.__main__ import main
from tests.check.route_proof import VenueTable
from tests.check.routes import (
    BEGIN,
    DOCUMENT,
    END,
    SEED_ROWS,
    Row,
    call_of,
    rows,
    to_markdown,
    with_section,
)

_AUTHS = {"Public": Auth.PUBLIC, "L1": Auth.OWNER, "L2": Auth.KEY}


@pytest.fixture(scope="module")
def venue() -> VenueTable:
    return VenueTable()


@pytest.fixture(scope="module")
def table(venue: VenueTable) -> tuple[Row, ...]:
    return rows(venue)


def test_every_row_is_asked_answered_and_tested(table: tuple[Row, ...]) -> None:
    assert [row.seed for row in table if row.seed] == [f"{m} {path}" for m, path in SEED_ROWS]
    assert [row.live for row in table if not row.is_whole] == []


def test_every_row_is_walked_against_the_venue(table: tuple[Row, ...]) -> None:
    walk = "tests/sim/hosts/test_every_row.py::test_the_venue_answers_every_row"
    assert [row.live for row in table if walk not in {proof.test for proof in row.tests}] == []


def test_the_document_says_what_the_code_says(venue: VenueTable, table: tuple[Row, ...]) -> None:
    document = DOCUMENT.read_text()
    renewed = with_section(document, to_markdown(table, venue.unasked()))
    assert document == renewed, "bring it up to date: python -m tests.check routes --write"


def test_a_document_without_its_markers_is_not_written() -> None:
    assert with_section(f"a{BEGIN}old{END}z", "new") == f"a{BEGIN}\n\nnew\n\n{END}z"
    with pytest.raises(ValueError, match="no <!--"):
        with_section(f"a{BEGIN}old", "new")


def test_a_row_that_lacks_anything_is_not_whole(table: tuple[Row, ...]) -> None:
    assert table[0].is_whole
    assert not replace(table[0], methods=()).is_whole
    assert not replace(table[0], handlers=()).is_whole
    assert not replace(table[0], tests=()).is_whole


def test_a_route_that_the_venue_lacks_is_not_found(venue: VenueTable) -> None:
    found = venue.find("GET", "/rewards/markets/multi?page_size=1")
    assert found is not None
    assert found.handler == "RewardMarketRoutes.multi"
    assert venue.find("POST", "/rewards/markets/multi") is None
    assert venue.find("GET", "/nowhere") is None


@pytest.mark.parametrize("dialect", Dialect)
def test_every_row_of_the_seed_has_a_route_of_its_own(dialect: Dialect) -> None:
    routes = ROUTES[dialect]
    labels = [routes.route(call_of(SEED_ROUTES, m, path)).label for m, path in SEED_ROWS]
    assert len(set(labels)) == len(SEED_ROWS)
    assert len({route.label for route in routes.rows.values()}) == len(routes.rows)


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["routes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        "| `DELETE /auth/builder-api-key/{key}` | `DELETE /auth/builder-api-key` "
        "| level 2 | `KeysClient.revoke_builder_key` "
        "| `SideKeyRoutes.revoke_named`, `SideKeyRoutes.revoke_builder` "
        "| 1 `revoke builder key`, 2 `revoke builder key`, 3 `keys of a builder`, 4 |" in lines
    )
    assert all(line.count("|") == 7 for line in lines if line.startswith("|"))


def test_the_rows_are_those_of_the_document(shared_dir: Path) -> None:
    document = shared_dir / "spec" / "SEED.md"
    if not document.is_file():
        pytest.skip("no seed document")
    section = document.read_text().partition("### 4.1")[2].partition("Rules:")[0]
    row = re.compile(r"^\| (GET|POST|DELETE) \| ([^ ?|]+)[^|]* \| (Public|L1|L2)", re.MULTILINE)
    listed = row.findall(section)
    assert tuple((method, path) for method, path, _ in listed) == SEED_ROWS
    for method, path, auth in listed:
        assert SEED_ROUTES.route(call_of(SEED_ROUTES, method, path)).auth is _AUTHS[auth], path
