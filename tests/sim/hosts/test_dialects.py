"""Every route of both dialects is there, and asks for the headers its table says."""

import httpx
import pytest

from pmtui.config.endpoints import Dialect
from pmtui.reads.trading_routes import ROUTES, Auth, RouteName
from tests.sim.kit import RAIN, RAIN_YES, Person

PUBLIC, SIGNED, KEYED = Auth.PUBLIC, Auth.OWNER, Auth.KEY
ORDER_ID, BUILDER = "0x" + "00" * 32, "0x" + "12" * 32

Row = tuple[str, str, Auth]

ASKED_APART = {RouteName.PRICES_HISTORIES, RouteName.BUILDER_FEES}
"""One needs a body, the other a builder that nobody is."""
IDS = {
    RouteName.MARKET: RAIN, RouteName.MARKET_TERMS: RAIN, RouteName.MARKET_REWARDS: RAIN,
    RouteName.MARKET_OF_TOKEN: RAIN_YES, RouteName.ORDER: ORDER_ID, RouteName.SCORING: ORDER_ID,
    RouteName.REVOKE_BUILDER_KEY: "some-key",
}  # fmt: skip
TOKEN, DAY, CASH = f"token_id={RAIN_YES}", "date=2026-09-21", "asset_type=COLLATERAL"
QUERIES = {
    RouteName.BOOK: TOKEN, RouteName.MIDPOINT: TOKEN, RouteName.SPREAD: TOKEN,
    RouteName.TICK_SIZE: TOKEN, RouteName.NEG_RISK: TOKEN, RouteName.FEE_RATE: TOKEN,
    RouteName.LAST_TRADE: TOKEN, RouteName.PRICE: f"{TOKEN}&side=BUY",
    RouteName.PRICES_HISTORY: f"market={RAIN_YES}&interval=1d",
    RouteName.BALANCE: CASH, RouteName.REFRESH_BALANCE: CASH, RouteName.DROP_NOTICES: "ids=1",
    RouteName.EARNINGS: DAY, RouteName.TOTAL_EARNINGS: DAY, RouteName.MARKET_EARNINGS: DAY,
    RouteName.REBATES: DAY,
}  # fmt: skip
UNASKED: list[Row] = [
    ("GET", f"/books?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/prices?token_ids={RAIN_YES}&sides=BUY", PUBLIC),
    ("GET", f"/midpoints?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/spreads?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/last-trades-prices?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/markets/live-activity/{RAIN}", PUBLIC),
    ("POST", "/markets/live-activity", PUBLIC),
    ("GET", f"/builder/trades?builder_code={BUILDER}", PUBLIC),
    ("DELETE", "/auth/api-key", KEYED),
    ("POST", "/auth/readonly-api-key", KEYED),
    ("DELETE", "/auth/readonly-api-key", KEYED),
    ("GET", "/data/pre-migration-orders", KEYED),
    ("POST", "/heartbeats", KEYED),
]
"""Public routes that our client never asks."""
KNOWN: list[Row] = [
    ("GET", "/", PUBLIC), ("GET", "/ok", PUBLIC),
    ("POST", "/auth/api-key", SIGNED), ("GET", "/auth/derive-api-key", SIGNED),
    ("POST", "/order", KEYED), ("DELETE", "/cancel-all", KEYED), ("POST", "/v1/heartbeats", KEYED),
    ("GET", f"/orders/scoring?order_id={ORDER_ID}", PUBLIC),
    ("GET", f"/order-scoring?order_id={ORDER_ID}", KEYED),
]  # fmt: skip
"""A few by hand, so that the table is not its own witness."""


def rows_of(dialect: Dialect) -> list[Row]:
    """Return method, target and audience of what our client asks."""
    rows: list[Row] = []
    for name, route in ROUTES[dialect].rows.items():
        path, keys = route.with_id(IDS.get(name, ""))
        query = "&".join("=".join(pair) for pair in keys) or QUERIES.get(name, "")
        if name not in ASKED_APART:
            rows.append((route.method, f"{path}?{query}" if query else path, route.auth))
    return rows


async def test_every_route_is_there_for_whom_it_is_meant(ann: Person) -> None:
    url = ann.running.urls["clob"]
    asked = {*rows_of(Dialect.SEED), *rows_of(Dialect.LIVE)}
    assert asked >= {*KNOWN}
    for method, path, audience in sorted(asked | {*UNASKED}, key=str):
        body = b"[]" if method == "POST" else b""
        response = await ann.http.request(method, url + path, content=body)
        expected = 200 if audience == PUBLIC else 401
        assert response.status_code == expected, (method, path, response.text)
    history = {"markets": [RAIN_YES]}
    batch = await ann.http.post(f"{url}/batch-prices-history", json=history)
    assert batch.status_code == 200
    fees = await ann.http.get(f"{url}/fees/builder-fees/{BUILDER}")
    assert (fees.status_code, fees.json()) == (404, {"error": "builder not found"})


@pytest.mark.parametrize("dialect", Dialect)
async def test_neither_dialect_needs_the_others_names(ann: Person, dialect: Dialect) -> None:
    for method, path, audience in (*rows_of(dialect), *UNASKED):
        # Deleting the key it is called with would end the walk.
        if audience == KEYED and (method, path) != ("DELETE", "/auth/api-key"):
            answer = await _signed(ann, method, path)
            assert answer.status_code != 401, (method, path)
            assert answer.status_code < 500, (method, path, answer.text)


async def _signed(person: Person, method: str, path: str) -> httpx.Response:
    bare, _, query = path.partition("?")
    body = b"[]" if method == "POST" else b""
    return await person.call(method, bare, body, query=f"?{query}" if query else "")
