"""The venue on every recorded metadata list at once, and trading there."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from tests.sim.kit import Person, http_client
from tests.sim.process import venue_process
from tests.sim.remote import remote_person


@pytest.mark.no_cover
@pytest.mark.slow
async def test_all_recorded_lists_boot_together_and_trade(shared_dir: Path) -> None:
    lists = sorted((shared_dir / "data" / "gamma").glob("*"))
    pages = [path for path in lists if path.name.startswith(("event", "markets"))]
    arguments = [argument for path in pages for argument in ("--catalogue", str(path))]
    with venue_process(*arguments, "--speed", "0") as process:
        async with http_client() as http:
            ann = await remote_person(process, http)
            await ann.arrive(dollars="10000")
            markets = await _all_markets(process.urls["clob"], http)
            assert len(markets) > 4_000
            await _trade(ann, next(filter(_is_tradable, markets)))
            await _trade(ann, next(row for row in markets if row["neg_risk"] and _is_tradable(row)))
            assert (await ann.ledger())["is_whole"]
            assert (await ann.admin("GET", "/audit"))["problems"] == []


async def _all_markets(clob: str, http: httpx.AsyncClient) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor = "MA=="
    while cursor != "LTE=":
        page = (await http.get(f"{clob}/markets", params={"next_cursor": cursor})).json()
        rows += page["data"]
        cursor = page["next_cursor"]
    return rows


def _is_tradable(row: dict[str, Any]) -> bool:
    has_usual_grid = row["accepting_orders"] and row["minimum_tick_size"] == 0.01
    return bool(has_usual_grid and 0.2 < row["tokens"][0]["price"] < 0.8)


async def _trade(person: Person, row: dict[str, Any]) -> None:
    token = TokenId(row["tokens"][0]["token_id"])
    terms = {"token": token, "neg_risk": row["neg_risk"]}
    order_id = await person.rest(Side.BUY, "0.01", "100", **terms)
    listed = (await person.call("GET", "/data/orders", query=f"?asset_id={token}")).json()["data"]
    assert [order["id"] for order in listed] == [order_id]
    taken = await person.place(Side.BUY, "0.99", "10", **terms)
    assert taken.json()["status"] == "matched", taken.text
