"""Rows of the local venue beside recorded ones: the names of their fields, and the kinds of values."""

import asyncio
import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.sim.kit import http_client

Rows = list[dict[str, Any]]


def read(path: Path) -> Any:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(data)


def kind_of(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if is_number else type(value).__name__


def kinds(rows: Iterable[dict[str, Any]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, set()).add(kind_of(value))
    return found


def differences(ours: Rows, recorded: Rows, *, may_miss: frozenset[str] = frozenset()) -> list[str]:
    """Return which fields of every recorded row are missing in one of ours, or of another kind."""
    assert ours
    assert recorded
    always = set.intersection(*(set(row) for row in recorded)) - may_miss
    missing = {name for row in ours for name in always - set(row)}
    theirs = kinds(recorded)
    other = {
        name
        for name, found in kinds(ours).items()
        if name in theirs and not found <= theirs[name] | {"NoneType"}
    }
    return sorted([f"missing: {name}" for name in missing] + [f"kind: {name}" for name in other])


class Host:
    """The packaged venue, with some trades."""

    def __init__(self, running: RunningVenue, http: httpx.AsyncClient) -> None:
        self.running = running
        self._http = http

    async def get(self, host: str, path: str, **query: str) -> Any:
        answer = await self._http.get(self.running.urls[host] + path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def markets(self) -> Rows:
        query = {"limit": "40", "order": "volume24hr", "ascending": "false", "closed": "false"}
        rows: Rows = await self.get("gamma", "/markets", **query)
        return rows

    async def trader(self) -> str:
        rows = await self.get("data", "/trades")
        return str(rows[0]["proxyWallet"])


@pytest.fixture(scope="module")
def answers() -> Iterator[dict[str, Any]]:
    """What the packaged venue answers on the routes that are compared."""
    with asyncio.Runner() as runner:
        yield runner.run(_ask_everything())


async def _ask_everything() -> dict[str, Any]:
    async with running_venue(VenueOptions(speed=50)) as running, http_client() as http:
        host = Host(running, http)
        traded = asyncio.Event()
        running.venue.subscribe(
            lambda _: traded.set() if running.venue.records.all_recent() else None
        )
        await asyncio.wait_for(traded.wait(), 60)
        markets = await host.markets()
        first, user = markets[0], await host.trader()
        condition, token = first["conditionId"], json.loads(first["clobTokenIds"])[0]
        compact = [await host.get("clob", f"/clob-markets/{m['conditionId']}") for m in markets]
        v2 = {
            name: (await host.get("data", f"/v2/{name}", **query))["data"]
            for name, query in (
                ("activity", {"user": user}),
                ("positions", {"user": user}),
                ("trades", {}),
                ("leaderboard", {}),
                ("oi", {}),
                ("value", {"user": user}),
                ("live-volume", {"event_id": first["events"][0]["id"]}),
                ("prices-history", {"token_id": token, "interval": "1h"}),
                ("holders", {"condition_id": condition, "include_pnl": "true"}),
            )
        }
        return {
            "clob-markets": compact,
            "clob/markets": (await host.get("clob", "/markets"))["data"],
            "simplified": (await host.get("clob", "/sampling-simplified-markets"))["data"],
            "book": [await host.get("clob", "/book", token_id=token)],
            "multi": (await host.get("clob", "/rewards/markets/multi"))["data"],
            "trades": await host.get("data", "/trades"),
            "activity": await host.get("data", "/activity", user=user),
            "positions": await host.get("data", "/positions", user=user),
            "v2": v2,
        }


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("clob-markets", "clob/clob_markets__fed_june__2026-05-17.json.gz"),
        ("book", "clob/books__fed_june__2026-05-17.json.gz"),
        ("trades", "data/trades__page0__2026-02-27.json.gz"),
        ("activity", "data/activity__500__2026-03-17.json.gz"),
        ("positions", "data/positions__90__2026-03-31.json.gz"),
    ],
)
def test_rows_have_the_fields_of_recorded_ones(
    answers: dict[str, Any], shared_dir: Path, name: str, file: str
) -> None:
    # What is false or empty is left out of compact rows.
    may_miss = frozenset({"nr", "cbos", "fd", "r"}) if name == "clob-markets" else frozenset()
    recorded = read(shared_dir / "data" / file)
    assert differences(answers[name], recorded, may_miss=may_miss) == []


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("clob/markets", "clob/markets_page__cursor0.json.gz"),
        ("simplified", "clob/sampling_simplified_markets__2026-02.json.gz"),
    ],
)
def test_listed_markets_have_the_fields_of_recorded_ones(
    answers: dict[str, Any], shared_dir: Path, name: str, file: str
) -> None:
    # Rows of the first years were never told when they began to accept orders.
    recorded = [
        {key: row[key] for key in row if key != "accepting_order_timestamp"}
        for row in read(shared_dir / "data" / file)["data"]
    ]
    assert differences(answers[name], recorded) == []


@pytest.mark.parametrize(
    "name",
    [
        "activity",
        "positions",
        "trades",
        "leaderboard",
        "oi",
        "value",
        "live-volume",
        "prices-history",
    ],
)
def test_the_newer_dialect_has_the_fields_of_recorded_rows(
    answers: dict[str, Any], shared_dir: Path, name: str
) -> None:
    recorded = read(shared_dir / "data" / "data" / "v2_snake_case" / f"{name}.json")
    ours = answers["v2"][name]
    if isinstance(recorded, dict):
        recorded, ours = [recorded], [ours]
    assert differences(ours, recorded) == []


def test_holders_have_the_fields_of_recorded_ones(
    answers: dict[str, Any], shared_dir: Path
) -> None:
    recorded = read(shared_dir / "data" / "data" / "v2_snake_case" / "holders.json")
    ours = answers["v2"]["holders"]
    assert differences(ours, recorded) == []
    theirs = [holder for row in recorded for holder in row["holders"]]
    assert differences([holder for row in ours for holder in row["holders"]], theirs) == []


def test_compact_markets_tell_of_screening_and_rewards(answers: dict[str, Any]) -> None:
    rows = answers["clob-markets"]
    assert {row["ibce"] for row in rows} == {True}
    assert any(row.get("cbos") for row in rows)
    assert {tuple(row["r"]) for row in rows if "r" in row} == {("mi", "ma", "moas")}
    values = [value for row in rows for value in row.values()]
    assert not any(value is None or value is False or value == "" for value in values)


REWARD_FIELDS = {
    "condition_id": {"str"},
    "market_id": {"str"},
    "market_slug": {"str"},
    "question": {"str"},
    "image": {"str"},
    "group_item_title": {"str"},
    "event_id": {"str"},
    "event_slug": {"str"},
    "created_at": {"str"},
    "end_date": {"str"},
    "market_competitiveness": {"number"},
    "rewards_config": {"list"},
    "rewards_max_spread": {"number"},
    "rewards_min_size": {"number"},
    "spread": {"number"},
    "tokens": {"list"},
    "volume_24hr": {"number"},
    "one_day_price_change": {"number"},
}
"""Of the service's own client (polymarket-client 0.14.0, October 2026)."""


def test_markets_that_pay_have_every_field_that_the_services_client_asks_for(
    answers: dict[str, Any],
) -> None:
    rows = answers["multi"]
    assert rows
    for name, wanted in REWARD_FIELDS.items():
        assert kinds(rows)[name] <= wanted | {"NoneType"}, name
        assert all(name in row for row in rows), name
    assert all(row["created_at"].endswith("Z") and "T" in row["created_at"] for row in rows)
