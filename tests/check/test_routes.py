"""The table of routes: complete, and like the document it comes from."""

import re
from pathlib import Path

import pytest

from pmtui.clients.routes_clob import ROUTES, SEED_ROUTES, Auth
from pmtui.config.endpoints import Dialect
from tests.check.__main__ import main
from tests.check.routes import SEED_ROWS, call_of, rows

_AUTHS = {"Public": Auth.PUBLIC, "L1": Auth.OWNER, "L2": Auth.KEY}


def test_every_row_of_the_seed_is_asked_by_a_method() -> None:
    table = rows()
    assert [row.seed for row in table if row.seed] == [f"{m} {path}" for m, path in SEED_ROWS]
    assert [row.live for row in table if not row.methods] == []


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
        "| level 2 | `KeysClient.revoke_builder_key` |" in lines
    )
    assert all(line.count("|") == 5 for line in lines)


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
