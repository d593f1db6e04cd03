"""A small venue of two empty markets on a clock that stands still, and people who trade there."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.amounts import limit_amounts, market_amounts
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.auth import ApiCredentials, RequestSigner, auth_headers
from pmtui.signing.contracts import POLYGON, exchange_for, token_ids
from pmtui.signing.orders import (
    OrderFields,
    SignedOrder,
    encode_post,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import OwnerWallets, derive_wallets
from pmtui.sim.admin_token import operator_headers
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests import loopback_http
from tests.signing.kit import sign_order
from tests.sim.clock import ManualClock

START_MS = 1_790_000_000_000
# Keys that every development chain publishes.
KEYS = (
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
)

RAIN = "0x" + "a1" * 32
SNOW = "0x" + "b2" * 32
RAIN_YES, RAIN_NO = map(str, token_ids(ConditionId(RAIN), neg_risk=False))
SNOW_YES, SNOW_NO = map(str, token_ids(ConditionId(SNOW), neg_risk=True))


def _market(
    number: int, question: str, condition_id: str, *, tokens: tuple[str, str], neg_risk: bool
) -> dict[str, object]:
    return {
        "id": str(number),
        "slug": question.lower().replace(" ", "-"),
        "question": question,
        "description": "Resolves by what the gauge says.",
        "conditionId": condition_id,
        "questionID": "0x" + f"{number:064x}",
        "clobTokenIds": json.dumps(tokens),
        "outcomes": '["Yes", "No"]',
        "outcomePrices": '["0.5", "0.5"]',
        "active": True,
        "closed": False,
        "archived": False,
        "enableOrderBook": True,
        "acceptingOrders": True,
        "negRisk": neg_risk,
        "orderPriceMinTickSize": 0.01,
        "orderMinSize": 5,
        "bestBid": 0,
        "bestAsk": 1,
        "startDate": "2026-01-01T00:00:00Z",
        "endDate": "2027-01-01T00:00:00Z",
        "feesEnabled": True,
        "feeSchedule": {"exponent": 1, "rate": 0.04, "takerOnly": True, "rebateRate": 0.25},
        "rewardsMinSize": 50,
        "rewardsMaxSpread": 3.5,
        "clobRewards": [{"rewardsDailyRate": 5}],
    }


def write_catalogue(folder: Path) -> Path:
    """Write a page of the metadata host with one regular and one negative-risk market."""
    rain = _market(11, "Will it rain", RAIN, tokens=(RAIN_YES, RAIN_NO), neg_risk=False)
    snow = _market(12, "Will it snow", SNOW, tokens=(SNOW_YES, SNOW_NO), neg_risk=True)
    events = [
        {"id": "1", "slug": "rain", "title": "Rain", "negRisk": False, "markets": [rain]},
        {"id": "2", "slug": "snow", "title": "Snow", "negRisk": True, "markets": [snow]},
    ]
    for event in events:
        event.update(
            active=True,
            closed=False,
            archived=False,
            tags=[{"id": "3", "label": "Weather", "slug": "weather"}],
            volume24hr=20 if event["id"] == "1" else 10,
        )
    path = folder / "events.json"
    path.write_text(json.dumps(events))
    return path


class Person:
    """Somebody with a key: signs requests and orders as a client of the service does."""

    def __init__(self, running: RunningVenue, http: httpx.AsyncClient, *, key: int = 0) -> None:
        self.running = running
        self.http = http
        self.signer = Signer(Secret.from_hex(KEYS[key]))
        self.wallets: OwnerWallets = derive_wallets(self.signer.address, POLYGON.wallets)
        self.wallet: Address = self.wallets.deposit_beacon
        self.api_key = ApiKey("")
        self.credentials: dict[str, str] = {}
        self._salt = 0

    @property
    def now_s(self) -> int:
        """The venue's time."""
        return self.running.venue.clock.now_ms() // 1_000

    async def create_key(self, *, nonce: int = 0) -> httpx.Response:
        """Ask for a new API key."""
        headers = auth_headers(self.signer, timestamp_s=self.now_s, nonce=nonce)
        return await self.http.post(f"{self.running.urls['clob']}/auth/api-key", headers=headers)

    async def derive_key(self, *, nonce: int = 0) -> httpx.Response:
        """Ask for a key made before."""
        headers = auth_headers(self.signer, timestamp_s=self.now_s, nonce=nonce)
        url = f"{self.running.urls['clob']}/auth/derive-api-key"
        return await self.http.get(url, headers=headers)

    async def arrive(self, *, dollars: str = "1000", kind: SignatureType | None = None) -> "Person":
        """Log in, and get paper money in the wallet of a signature type."""
        response = await self.create_key()
        if response.status_code != 200:
            response = await self.derive_key()
        self.use(response.json())
        self.wallet = self.wallet_of(kind or SignatureType.DEPOSIT_WALLET)
        await self.admin("POST", "/fund", {"address": self.wallet, "amount": dollars})
        return self

    def use(self, credentials: dict[str, str]) -> None:
        """Take credentials as the venue sent them."""
        self.credentials = credentials
        self.api_key = ApiKey(credentials["apiKey"])

    def wallet_of(self, kind: SignatureType) -> Address:
        """Return the address that pays for a signature type."""
        return {
            SignatureType.EOA: self.signer.address,
            SignatureType.PROXY: self.wallets.proxy,
            SignatureType.SAFE: self.wallets.safe,
            SignatureType.DEPOSIT_WALLET: self.wallets.deposit_beacon,
        }[kind]

    async def admin(self, method: str, path: str, body: object = None) -> Any:
        """Ask the operator's address."""
        response = await self.operate(method, path, json=body)
        assert response.status_code == 200, response.text
        return response.json()

    async def operate(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Ask the operator's address something that it may refuse."""
        url = self.running.urls["admin"] + path
        headers = operator_headers(self.running.admin_token)
        return await self.http.request(method, url, headers=headers, **request)

    def headers(self, method: str, path: str, body: bytes = b"") -> dict[str, str]:
        """Sign a request."""
        signer = RequestSigner(
            ApiCredentials(
                self.api_key,
                Secret.from_text(self.credentials["secret"]),
                Secret.from_text(self.credentials["passphrase"]),
            )
        )
        return signer.headers(
            self.signer.address, timestamp_s=self.now_s, method=method, path=path, body=body
        )

    async def call(
        self, method: str, path: str, body: bytes = b"", query: str = ""
    ) -> httpx.Response:
        """Send a signed request to the trading host."""
        url = f"{self.running.urls['clob']}{path}{query}"
        headers = self.headers(method, path, body)
        return await self.http.request(method, url, content=body, headers=headers)

    def sign(self, side: Side, price: str, size: str, **terms: Any) -> SignedOrder:
        """Sign an order; `kind`, `token`, `neg_risk`, `market`, `tick` and any field may be given."""
        kind = terms.pop("kind", SignatureType.DEPOSIT_WALLET)
        token = TokenId(terms.pop("token", RAIN_YES))
        neg_risk = terms.pop("neg_risk", token in (SNOW_YES, SNOW_NO))
        make = market_amounts if terms.pop("market", False) else limit_amounts
        tick = parse_micros(terms.pop("tick", "0.01"))
        amounts = make(side, parse_micros(price), parse_micros(size), tick=tick)
        self._salt += 1
        maker = self.wallet_of(kind)
        fields = {
            "salt": self._salt,
            "maker": maker,
            "signer": maker if kind is SignatureType.DEPOSIT_WALLET else self.signer.address,
            "token_id": token,
            "maker_amount": amounts.maker,
            "taker_amount": amounts.taker,
            "side": side,
            "signature_type": kind,
            "timestamp_ms": self.running.venue.clock.now_ms(),
            **terms,
        }
        domain = exchange_for(token, neg_risk=neg_risk)
        return sign_order(OrderFields(**fields), self.signer, domain)

    def encode(
        self,
        signed: SignedOrder,
        order_type: TimeInForce = TimeInForce.GTC,
        *,
        post_only: bool = False,
    ) -> bytes:
        """Write the body of a post."""
        return encode_post(signed, owner=self.api_key, order_type=order_type, post_only=post_only)

    async def place(
        self,
        side: Side,
        price: str,
        size: str,
        order_type: TimeInForce = TimeInForce.GTC,
        *,
        post_only: bool = False,
        **terms: Any,
    ) -> httpx.Response:
        """Sign and post an order."""
        signed = self.sign(side, price, size, **terms)
        return await self.call(
            "POST", "/order", self.encode(signed, order_type, post_only=post_only)
        )

    async def rest(self, side: Side, price: str, size: str, **terms: Any) -> OrderId:
        """Place an order that must rest, and return its id."""
        response = await self.place(side, price, size, **terms)
        assert response.status_code == 200, response.text
        assert response.json()["status"] == "live"
        return OrderId(response.json()["orderID"])

    def pass_time(self, seconds: float) -> None:
        """Let the venue's time pass, and whatever was due happen."""
        self.running.venue.clock.step(round(seconds * 1_000))
        self.running.maintenance.tick()

    async def ledger(self) -> Any:
        """Read the venue's own account of the wallet."""
        return await self.admin("GET", f"/ledger/{self.wallet}")


@asynccontextmanager
async def small_venue(folder: Path, *, state: Path | None = None) -> AsyncIterator[RunningVenue]:
    """Serve two markets with empty books; time moves only when told."""
    options = VenueOptions(speed=0, catalogue=(write_catalogue(folder),), state=state)
    async with running_venue(options, clock=ManualClock(START_MS)) as running:
        yield running


def http_client() -> httpx.AsyncClient:
    """Return a client that talks to the venue and to nobody in between."""
    return loopback_http.async_client(timeout=60)
