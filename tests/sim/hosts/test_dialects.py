"""Every route of both dialects is there, and asks for the headers its table says."""

import httpx
import pytest

from tests.sim.kit import RAIN, RAIN_YES, Person

PUBLIC, SIGNED, KEYED = "public", "level 1", "level 2"
ORDER_ID = "0x" + "00" * 32
TOKEN = f"token_id={RAIN_YES}"

BOTH = [
    ("GET", "/", PUBLIC),
    ("GET", "/time", PUBLIC),
    ("GET", "/markets", PUBLIC),
    ("GET", f"/clob-markets/{RAIN}", PUBLIC),
    ("GET", "/simplified-markets", PUBLIC),
    ("GET", "/sampling-markets", PUBLIC),
    ("GET", "/sampling-simplified-markets", PUBLIC),
    ("GET", f"/book?{TOKEN}", PUBLIC),
    ("POST", "/books", PUBLIC),
    ("GET", f"/markets-by-token/{RAIN_YES}", PUBLIC),
    ("GET", f"/price?{TOKEN}&side=BUY", PUBLIC),
    ("POST", "/prices", PUBLIC),
    ("GET", f"/midpoint?{TOKEN}", PUBLIC),
    ("POST", "/midpoints", PUBLIC),
    ("GET", f"/spread?{TOKEN}", PUBLIC),
    ("GET", f"/tick-size?{TOKEN}", PUBLIC),
    ("GET", f"/neg-risk?{TOKEN}", PUBLIC),
    ("GET", f"/fee-rate?{TOKEN}", PUBLIC),
    ("GET", f"/last-trade-price?{TOKEN}", PUBLIC),
    ("POST", "/last-trades-prices", PUBLIC),
    ("GET", f"/prices-history?market={RAIN_YES}&interval=1d", PUBLIC),
    ("POST", "/auth/api-key", SIGNED),
    ("GET", "/auth/derive-api-key", SIGNED),
    ("POST", "/auth/builder-api-key", KEYED),
    ("GET", "/balance-allowance?asset_type=COLLATERAL", KEYED),
    ("GET", "/balance-allowance/update?asset_type=COLLATERAL", KEYED),
    ("POST", "/order", KEYED),
    ("POST", "/orders", KEYED),
    ("POST", "/v1/heartbeats", KEYED),
    ("GET", "/data/orders", KEYED),
    ("GET", "/data/trades", KEYED),
    ("DELETE", "/order", KEYED),
    ("DELETE", "/orders", KEYED),
    ("DELETE", "/cancel-market-orders", KEYED),
    ("DELETE", "/cancel-all", KEYED),
]
SEED = [
    ("GET", f"/orders/scoring?order_id={ORDER_ID}", PUBLIC),
    ("POST", "/orders/scoring", PUBLIC),
    ("GET", "/rewards/config", PUBLIC),
    ("GET", f"/rewards/raw?market={RAIN}", PUBLIC),
    ("GET", "/rewards/earnings?date=2026-09-21", PUBLIC),
    ("GET", "/rewards/total-earnings?date=2026-09-21", PUBLIC),
    ("GET", "/rewards/percentages", PUBLIC),
    ("GET", "/rewards/markets", PUBLIC),
    ("GET", "/rebates", PUBLIC),
    ("GET", "/auth/builder-api-keys", KEYED),
    ("DELETE", "/auth/builder-api-key/some-key", KEYED),
    ("GET", f"/order/{ORDER_ID}", KEYED),
]
LIVE = [
    ("GET", "/ok", PUBLIC),
    ("GET", "/version", PUBLIC),
    ("GET", f"/markets/{RAIN}", PUBLIC),
    ("POST", "/spreads", PUBLIC),
    ("GET", f"/books?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/prices?token_ids={RAIN_YES}&sides=BUY", PUBLIC),
    ("GET", f"/midpoints?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/spreads?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/last-trades-prices?token_ids={RAIN_YES}", PUBLIC),
    ("GET", f"/markets/live-activity/{RAIN}", PUBLIC),
    ("POST", "/markets/live-activity", PUBLIC),
    ("GET", "/rewards/markets/current", PUBLIC),
    ("GET", f"/rewards/markets/{RAIN}", PUBLIC),
    ("GET", "/rewards/markets/multi", PUBLIC),
    ("GET", "/rebates/current?date=2026-09-21", PUBLIC),
    ("GET", f"/builder/trades?builder_code=0x{'12' * 32}", PUBLIC),
    ("GET", "/auth/api-keys", KEYED),
    ("DELETE", "/auth/api-key", KEYED),
    ("GET", "/auth/ban-status/closed-only", KEYED),
    ("POST", "/auth/readonly-api-key", KEYED),
    ("GET", "/auth/readonly-api-keys", KEYED),
    ("DELETE", "/auth/readonly-api-key", KEYED),
    ("GET", "/auth/builder-api-key", KEYED),
    ("DELETE", "/auth/builder-api-key", KEYED),
    ("GET", f"/data/order/{ORDER_ID}", KEYED),
    ("GET", "/data/pre-migration-orders", KEYED),
    ("GET", f"/order-scoring?order_id={ORDER_ID}", KEYED),
    ("POST", "/orders-scoring", KEYED),
    ("GET", "/rewards/user?date=2026-09-21", KEYED),
    ("GET", "/rewards/user/total?date=2026-09-21", KEYED),
    ("GET", "/rewards/user/percentages", KEYED),
    ("GET", "/rewards/user/markets?date=2026-09-21", KEYED),
    ("GET", "/notifications", KEYED),
    ("DELETE", "/notifications?ids=1", KEYED),
    ("POST", "/heartbeats", KEYED),
]


async def test_every_route_is_there_for_whom_it_is_meant(ann: Person) -> None:
    url = ann.running.urls["clob"]
    for method, path, audience in (*BOTH, *SEED, *LIVE):
        body = b"[]" if method == "POST" else b""
        response = await ann.http.request(method, url + path, content=body)
        expected = 200 if audience == PUBLIC else 401
        assert response.status_code == expected, (method, path, response.text)
    history = {"markets": [RAIN_YES]}
    batch = await ann.http.post(f"{url}/batch-prices-history", json=history)
    assert batch.status_code == 200
    fees = await ann.http.get(f"{url}/fees/builder-fees/0x{'12' * 32}")
    assert (fees.status_code, fees.json()) == (404, {"error": "builder not found"})


@pytest.mark.parametrize("dialect", [SEED, LIVE])
async def test_neither_dialect_needs_the_others_names(
    ann: Person, dialect: list[tuple[str, str, str]]
) -> None:
    other = LIVE if dialect is SEED else SEED
    assert not {row[:2] for row in dialect} & {row[:2] for row in other}
    for method, path, audience in dialect:
        # Deleting the key it is called with would end the walk.
        if audience == KEYED and (method, path) != ("DELETE", "/auth/api-key"):
            answer = await _signed(ann, method, path)
            assert answer.status_code != 401, (method, path)
            assert answer.status_code < 500, (method, path, answer.text)


async def _signed(person: Person, method: str, path: str) -> httpx.Response:
    bare, _, query = path.partition("?")
    body = b"[]" if method == "POST" else b""
    return await person.call(method, bare, body, query=f"?{query}" if query else "")
