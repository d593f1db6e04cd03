"""Click to bytes: amounts, struct hash, signature, body and HMAC of one order.

Measured beside its floor (one native signature and the hashes the order needs) and beside the
official Python client with its native backend, in turns within one process; the ratio is the
median of the ratios of neighbouring turns.
"""

import random
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from coincurve import PrivateKey

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.wallet_transactions import MAX_UINT256, Batch
from pmtui.domain.ids import ApiKey, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import limit_amounts
from pmtui.domain.orders.order import OrderDraft, TimeInForce
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.contracts import POLYGON, exchange_for
from pmtui.signing.eip712 import keccak256
from pmtui.signing.orders import (
    OrderFields,
    WalletSigner,
    encode_post,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.signing.wallet_batch import sign_batch
from pmtui.signing.wallet_calls import approve
from tests.signing.kit import sign_order

# The public development key and credentials of the golden vectors; never fund it.
KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
API_KEY = ApiKey("6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f")
API_SECRET = "c2hhcmVkLXNlY3JldC1zaGFyZWQtc2VjcmV0LTAwMDE="
PASSPHRASE = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
TOKEN = TokenId("71321045679252212594626385532706912750332728571942532289631379312455583992563")

TURNS = 25
FLOOR_GOAL = 1.6
PEER_GOAL = 10.0

Work = Callable[[], object]
Click = Callable[[], tuple[Any, dict[str, str]]]
"""Returns a body and its headers."""


def rows() -> list[dict[str, Any]]:
    """Return one row for each kind of signature and reference; times in microseconds."""
    table: list[dict[str, Any]] = []
    for kind in (SignatureType.EOA, SignatureType.DEPOSIT_WALLET):
        ours = our_click_to_bytes(kind)
        us, floor, ratio = _in_turns(ours, floor_of(kind), calls=200)
        table.append(
            {
                "name": f"click to bytes, {kind.value}: ours over signature and hashes",
                "ours": us,
                "reference": floor,
                "ratio": ratio,
                "goal": f"≤ {FLOOR_GOAL}",
                "met": ratio <= FLOOR_GOAL,
            }
        )
        us, peer, ratio = _in_turns(ours, peer_click_to_bytes(kind), calls=100)
        table.append(
            {
                "name": f"click to bytes, {kind.value}: py-clob-client-v2 over ours",
                "ours": us,
                "reference": peer,
                "ratio": 1 / ratio,
                "goal": f"≥ {PEER_GOAL:.0f}",
                "met": 1 / ratio >= PEER_GOAL,
            }
        )
        us, bare, ratio = _in_turns(our_checked_order(kind), ours, calls=100)
        table.append(
            {
                "name": f"the desk's own way, {kind.value}: checked once more, over the above",
                "ours": us,
                "reference": bare,
                "ratio": ratio,
                "goal": "",
                "met": None,
            }
        )
    return [*table, *batch_rows()]


def batch_rows() -> list[dict[str, Any]]:
    """Return one row for each size of a wallet's batch: its signature over the bare one and its hashes."""
    table = []
    for count in (1, 8):
        us, floor, ratio = _in_turns(our_batch(count), floor_of_batch(count), calls=200)
        table.append(
            {
                "name": f"batch of {count}: ours over signature and hashes",
                "ours": us,
                "reference": floor,
                "ratio": ratio,
                "goal": f"≤ {FLOOR_GOAL}",
                "met": ratio <= FLOOR_GOAL,
            }
        )
    return table


def our_batch(count: int) -> Work:
    """Return the signing of a batch of approvals; its counter moves on as it does in use."""
    signer = Signer(Secret.from_hex(KEY))
    wallet = derive_wallets(signer.address).deposit_beacon
    calls = (approve(POLYGON.collateral, POLYGON.exchange, MAX_UINT256),) * count
    nonces = iter(range(10**15))
    return lambda: sign_batch(Batch(wallet, next(nonces), 1_790_000_600, calls), signer)


def floor_of_batch(count: int) -> Work:
    """Return one signature with a kept key, and the hashes such a batch cannot do without."""
    key = PrivateKey(bytes.fromhex(KEY[2:]))
    data, call, array, struct, prefixed = (bytes(n) for n in (68, 128, 32 * count, 160, 66))

    def work() -> bytes:
        for _ in range(count):
            keccak256(data)
            keccak256(call)
        keccak256(array)
        keccak256(struct)
        return key.sign_recoverable(keccak256(prefixed), hasher=None)

    return work


def our_click_to_bytes(kind: SignatureType) -> Click:
    """Return the whole way of one order; salt and time move on as they do in use."""
    signer = Signer(Secret.from_hex(KEY))
    wallets = derive_wallets(signer.address)
    is_deposit = kind is SignatureType.DEPOSIT_WALLET
    maker = wallets.deposit_beacon if is_deposit else signer.address
    requests = RequestSigner(
        ApiCredentials(API_KEY, Secret.from_text(API_SECRET), Secret.from_text(PASSPHRASE))
    )
    price, size, tick = Micros(530_000), Micros(100_000_000), Micros(10_000)
    # A click's side and kind are at hand; naming them is slow on Python 3.11 and not its work.
    side, gtc = Side.BUY, TimeInForce.GTC
    salts = iter(range(10**12, 10**15))

    def click() -> tuple[bytes, dict[str, str]]:
        salt = next(salts)
        amounts = limit_amounts(side, price, size, tick=tick)
        fields = OrderFields(
            salt=salt,
            maker=maker,
            signer=maker,
            token_id=TOKEN,
            maker_amount=amounts.maker,
            taker_amount=amounts.taker,
            side=side,
            signature_type=kind,
            timestamp_ms=1_790_000_000_000 + salt,
        )
        signed = sign_order(fields, signer, exchange_for(TOKEN, neg_risk=False))
        body = encode_post(signed, owner=API_KEY, order_type=gtc)
        headers = requests.headers(
            signer.address, timestamp_s=1_790_000_000, method="POST", path="/order", body=body
        )
        return body, headers

    return click


def our_checked_order(kind: SignatureType) -> Work:
    """Return the way of an order through the desk's signer: its card's fields, body and check."""
    signer = Signer(Secret.from_hex(KEY))
    wallets = derive_wallets(signer.address)
    is_deposit = kind is SignatureType.DEPOSIT_WALLET
    wallet = WalletSigner(
        signer,
        maker=wallets.deposit_beacon if is_deposit else signer.address,
        signature_type=kind,
        api_key=API_KEY,
        now_ms=lambda: 1_790_000_000_000,
        draw_bits=random.Random(1).getrandbits,
    )
    draft = OrderDraft(
        token_id=TOKEN,
        is_buy=True,
        maker_amount=53_000_000,
        taker_amount=100_000_000,
        neg_risk=False,
        time_in_force=TimeInForce.GTC.value,
        is_post_only=False,
        expiration_s=0,
    )
    return lambda: wallet.sign(wallet.prepare(draft))


def floor_of(kind: SignatureType) -> Work:
    """Return one signature with a kept key, and the hashes such an order cannot do without."""
    key = PrivateKey(bytes.fromhex(KEY[2:]))
    struct, envelope, prefixed = bytes(384), bytes(224), bytes(66)
    is_deposit = kind is SignatureType.DEPOSIT_WALLET

    def work() -> bytes:
        keccak256(struct)
        digest = keccak256(prefixed)
        if is_deposit:
            keccak256(envelope)
            digest = keccak256(prefixed)
        return key.sign_recoverable(digest, hasher=None)

    return work


def peer_click_to_bytes(kind: SignatureType) -> Click:
    """Return the official client's own way from a click to what it would send."""
    # The peer and its imports load only when it is measured.
    from eth_keys.main import lazy_key_api  # noqa: PLC0415  see above
    from py_clob_client_v2.client import ClobClient  # noqa: PLC0415  see above
    from py_clob_client_v2.clob_types import ApiCreds, OrderArgsV2  # noqa: PLC0415  see above

    backend = type(lazy_key_api.backend).__name__
    if backend != "CoinCurveECCBackend":
        raise RuntimeError(f"the peer would sign with {backend}, which is no fair comparison")

    class OfflineClient(ClobClient):  # type: ignore[misc]  # the peer is not typed
        """The client with a market it has traded before, and nothing behind its socket."""

        def _get(self, *_: object, **__: object) -> dict[str, object]:
            return {"version": 2, "minimum_tick_size": 0.01, "neg_risk": False}

        def _post(self, *_: object, headers: object = None, data: object = None) -> object:
            return data, headers

    owner = Signer(Secret.from_hex(KEY)).address
    is_deposit = kind is SignatureType.DEPOSIT_WALLET
    client = OfflineClient(
        "https://clob.invalid",
        137,
        key=KEY,
        creds=ApiCreds(API_KEY, API_SECRET, PASSPHRASE),
        signature_type=kind.number,
        funder=derive_wallets(owner).deposit_beacon if is_deposit else None,
    )

    def click() -> tuple[str, dict[str, str]]:
        order = OrderArgsV2(token_id=TOKEN, price=0.53, size=100, side="BUY")
        body, headers = client.create_and_post_order(order)
        return body, headers

    return click


def _in_turns(ours: Work, reference: Work, *, calls: int) -> tuple[float, float, float]:
    """Time both in turns; return their medians in microseconds and the median ratio."""
    for _ in range(calls // 4):
        ours()
        reference()
    pairs = [(_time(ours, calls), _time(reference, calls)) for _ in range(TURNS)]
    return (
        median(mine for mine, _ in pairs),
        median(other for _, other in pairs),
        median(mine / other for mine, other in pairs),
    )


def _time(work: Work, calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        work()
    return (perf_counter() - start) / calls * 1e6


if __name__ == "__main__":
    for row in rows():
        print(
            f"{row['name']:<72} {row['ours']:8.1f} {row['reference']:8.1f}"
            f" {row['ratio']:6.2f} {row['goal']:>6} {'' if row['met'] is None else 'met' if row['met'] else 'missed'}"
        )
