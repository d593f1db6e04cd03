"""Rows of the trading host: orders, authentication, amounts, walks, book hashes, fees, cursors."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.books.verification import HashTerms, hash_of, levels_text
from pmtui.domain.ids import Address, ApiKey, ConditionId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import ONE, SCALE, Micros, format_micros, parse_micros
from pmtui.domain.orders.amounts import (
    OrderAmounts,
    limit_amounts,
    market_amounts,
    market_price_walk,
)
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.auth import ApiCredentials, RequestSigner, auth_digest, auth_headers, verify_auth
from pmtui.signing.contracts import ExchangeDomain, ExchangeKind, exchange_domain
from pmtui.signing.eip712 import parse_address, typed_digest
from pmtui.signing.orders import (
    ZERO_BYTES32,
    OrderFields,
    SignedOrder,
    encode_post,
    nested_struct_hash,
    order_struct_hash,
    recover_owner,
    split_wrapper,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.http_json import cursor_at, offset_of
from tests.check.row import Json, Row, boolean, hexed, integer, same_number, text
from tests.signing.kit import sign_order

Compute = Callable[[Mapping[str, Json], Mapping[str, Json]], Json]


def clob_rows(document: Mapping[str, Json]) -> Iterator[Row]:
    """Every row of the sections this module knows, and of unknown sections of objects."""
    for section, rows in document.items():
        known = _SECTIONS.get(section)
        if known is not None and not isinstance(rows, list):
            yield Row(section, section, rows, _refuse_section)
        if section == "vectors" or not isinstance(rows, list):
            continue
        for index, row in enumerate(rows):
            path = f"{section}[{index}]"
            if known is not None:
                compute, required = known
                name = str(row.get("id", "")) if isinstance(row, dict) else ""
                work = partial(_checked, compute, row, document)
                yield Row(path, section, row, work, name, required)
            elif isinstance(row, dict):
                yield Row(path, section, row, None)


def _refuse_section() -> Json:
    raise TypeError("a section is a list of rows")


def _checked(compute: Compute, row: Json, document: Mapping[str, Json]) -> Json:
    if not isinstance(row, dict):
        raise TypeError("a row is an object")
    return {**row, **compute(row, document)}


def _credentials(document: Mapping[str, Json]) -> ApiCredentials:
    stated = document["credentials"]
    return ApiCredentials(
        key=ApiKey(text(stated, "apiKey")),
        secret=Secret.from_text(text(stated, "secret")),
        passphrase=Secret.from_text(text(stated, "passphrase")),
    )


def _order(row: Mapping[str, Json], document: Mapping[str, Json]) -> Json:
    inputs = row["inputs"]
    signer = Signer(Secret.from_hex(text(inputs, "privateKey")))
    kind = ExchangeKind(text(inputs, "exchangeKind"))
    domain = exchange_domain(kind, chain_id=integer(inputs, "chainId"))
    fields = _order_fields(inputs, text(row, "kind"), signer)
    signed = sign_order(fields, signer, domain)
    if recover_owner(fields, signed.signature, domain) != signer.address:
        raise ValueError("the signature does not recover to the signer")
    computed = {
        "inputs": {
            **inputs,
            "eoa": signer.address,
            "verifyingContract": domain.contract,
            "domainVersion": domain.version,
        },
        "expect": _order_hashes(signed, domain),
    }
    if "post" in row:
        computed["post"] = _order_post(row["post"], inputs, signed, document)
    return computed


def _order_fields(inputs: Mapping[str, Json], kind: str, signer: Signer) -> OrderFields:
    side, tick = Side(text(inputs, "side")), parse_micros(text(inputs, "tickSize"))
    price = parse_micros(text(inputs, "price"))
    quantity = text(inputs, {"limit": "size", "market": "amount"}[kind])
    amounts = _amounts_of(kind, side, price, parse_micros(quantity), tick)
    signature_type = list(SignatureType)[integer(inputs, "signatureType")]
    maker = Address(text(inputs, "maker"))
    is_deposit = signature_type is SignatureType.DEPOSIT_WALLET
    return OrderFields(
        salt=integer(inputs, "salt"),
        maker=maker,
        signer=maker if is_deposit else signer.address,
        token_id=TokenId(text(inputs, "tokenId")),
        maker_amount=amounts.maker,
        taker_amount=amounts.taker,
        side=side,
        signature_type=signature_type,
        timestamp_ms=integer(inputs, "timestampMs"),
        expiration_s=int(inputs.get("expiration", "0")),
        metadata=inputs.get("metadata", ZERO_BYTES32),
        builder=inputs.get("builder", ZERO_BYTES32),
    )


def _order_hashes(signed: SignedOrder, domain: ExchangeDomain) -> dict[str, Json]:
    fields = signed.fields
    contents = order_struct_hash(fields)
    raw = bytes.fromhex(signed.signature[2:])
    hashes: dict[str, Json] = {
        "makerAmount": str(fields.maker_amount),
        "takerAmount": str(fields.taker_amount),
        "domainSeparator": hexed(domain.separator),
        "orderStructHash": hexed(contents),
        "orderHash": signed.order_id,
        "signedDigest": signed.order_id,
        "signature": signed.signature,
        "signatureBytes": len(raw),
    }
    wrapped = split_wrapper(raw)
    if wrapped is not None:
        envelope = nested_struct_hash(fields, contents, domain)
        hashes["signedDigest"] = hexed(typed_digest(domain.separator, envelope))
        hashes["parts"] = {
            "inner65": hexed(wrapped.inner),
            "appDomainSeparator": hexed(wrapped.app_separator),
            "contentsHash": hexed(wrapped.contents_hash),
            "contentsType": wrapped.tail[:-2].decode(),
            "contentsTypeLengthHex": wrapped.tail[-2:].hex(),
            "typedDataSignStructHash": hexed(envelope),
        }
    return hashes


def _order_post(
    post: Mapping[str, Json],
    inputs: Mapping[str, Json],
    signed: SignedOrder,
    document: Mapping[str, Json],
) -> dict[str, Json]:
    credentials = _credentials(document)
    requests = RequestSigner(credentials)
    timestamp = text(post, "timestamp")
    body = encode_post(
        signed,
        owner=credentials.key,
        order_type=TimeInForce(text(inputs, "orderType")),
        post_only=boolean(inputs, "postOnly") if "postOnly" in inputs else False,
        defer_exec=boolean(inputs, "deferExec") if "deferExec" in inputs else False,
    )
    parsed = json.loads(body)
    if not parsed["postOnly"]:
        del parsed["postOnly"]
    ordered = json.dumps(parsed, sort_keys=True, separators=(",", ":"))
    return {
        "method": "POST",
        "path": "/order",
        "timestamp": timestamp,
        "bodyPyOrder": body.decode(),
        "headersForBodyPyOrder": requests.headers(
            Signer(Secret.from_hex(text(inputs, "privateKey"))).address,
            timestamp_s=int(timestamp),
            method="POST",
            path="/order",
            body=body,
        ),
        "bodySortedKeys": ordered,
        "polySignatureForBodySortedKeys": requests.signature(
            timestamp, "POST", "/order", ordered.encode()
        ),
    }


def _l1_auth(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    signer = Signer(Secret.from_hex(text(row, "privateKey")))
    timestamp, nonce = integer(row, "timestamp"), integer(row, "nonce")
    chain_id = integer(row, "chainId")
    digest = auth_digest(signer.address, str(timestamp), nonce, chain_id=chain_id)
    headers = auth_headers(signer, timestamp_s=timestamp, nonce=nonce, chain_id=chain_id)
    if verify_auth(headers, chain_id=chain_id) != signer.address:
        raise ValueError("the headers do not prove the signer")
    return {"digest": hexed(digest), "headers": headers}


def _l2_auth(row: Mapping[str, Json], document: Mapping[str, Json]) -> Json:
    requests = RequestSigner(_credentials(document))
    method, path, timestamp = text(row, "method"), text(row, "path"), text(row, "timestamp")
    body = b"" if row.get("body") is None else text(row, "body").encode()
    address = parse_address(text(row["headers"], "POLY_ADDRESS"))
    owners = _owners(document)
    if owners and address not in owners:
        raise ValueError(f"POLY_ADDRESS is not an owner in this file: {address}")
    headers = requests.headers(
        address, timestamp_s=int(timestamp), method=method, path=path, body=body
    )
    if not requests.verify(headers, method=method, path=path, body=body):
        raise ValueError("the headers do not verify")
    return {"message": f"{timestamp}{method}{path}{body.decode()}", "headers": headers}


def _owners(document: Mapping[str, Json]) -> set[Address]:
    """Every account whose key the file states; rows that cannot be read fail on their own."""
    orders, logins = document.get("orders"), document.get("l1Auth")
    rows = []
    if isinstance(orders, list):
        rows += [row.get("inputs") for row in orders if isinstance(row, dict)]
    if isinstance(logins, list):
        rows += logins
    owners = set()
    for row in rows:
        key = row.get("privateKey") if isinstance(row, dict) else None
        if isinstance(key, str):
            with suppress(ValueError):
                owners.add(Signer(Secret.from_hex(key)).address)
    return owners


def _wallets(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    wallets = derive_wallets(text(row, "owner"))
    return {
        "owner": wallets.owner,
        "proxy": wallets.proxy,
        "safe": wallets.safe,
        "depositUups": wallets.deposit_uups,
        "depositBeacon": wallets.deposit_beacon,
    }


def _amounts(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    amounts = _amounts_of(
        text(row, "kind"),
        Side(text(row, "side")),
        parse_micros(text(row, "price")),
        parse_micros(text(row, "quantity")),
        parse_micros(text(row, "tickSize")),
    )
    return {"makerAmount": str(amounts.maker), "takerAmount": str(amounts.taker)}


def _amounts_of(
    kind: str, side: Side, price: Micros, quantity: Micros, tick: Micros
) -> OrderAmounts:
    compute = {"limit": limit_amounts, "market": market_amounts}[kind]
    return compute(side, price, quantity, tick=tick)


def _walk(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    side = Side(text(row, "side"))
    levels = [
        (parse_micros(text(level, "price")), parse_micros(text(level, "size")))
        for level in row["levelsAsSentByVenue"]
    ]
    price = market_price_walk(
        levels,
        side,
        parse_micros(text(row, "amount")),
        time_in_force=TimeInForce(text(row, "orderType")),
    )
    stated = row.get("price")
    if stated is None and row.get("error") is None:
        raise ValueError("neither a price nor an error is stated")
    return {
        "bookSide": "asks" if side is Side.BUY else "bids",
        "price": None if price is None else same_number(stated, format_micros(price)),
        "error": "no match" if price is None else None,
    }


def _book_hash(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    return {"book": {**row["book"], "hash": book_hash(row["book"])}}


def book_hash(book: Mapping[str, Json]) -> str:
    """Return the hash of a book as the trading host sends it."""
    terms = HashTerms(
        min_order_size=text(book, "min_order_size"),
        tick_size=text(book, "tick_size"),
        neg_risk=boolean(book, "neg_risk"),
    )
    return hash_of(
        ConditionId(text(book, "market")),
        TokenId(text(book, "asset_id")),
        text(book, "timestamp"),
        bids=_levels(book, "bids"),
        asks=_levels(book, "asks"),
        terms=terms,
        last_trade_price=text(book, "last_trade_price"),
    )


def _levels(book: Mapping[str, Json], side: str) -> str:
    levels = book[side]
    return levels_text((text(level, "price"), text(level, "size")) for level in levels)


def _taker_fee(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    shares, price = parse_micros(text(row, "shares")), parse_micros(text(row, "price"))
    schedule = FeeSchedule(parse_micros(text(row, "rate")), int(text(row, "exponent")))
    fee = taker_fee(shares, price, schedule)
    spread = Fraction(price * (ONE - price), SCALE * SCALE)
    exact = Fraction(shares * schedule.rate, SCALE * SCALE) * spread**schedule.exponent
    return {
        "feeUnrounded": same_number(row.get("feeUnrounded"), str(exact)),
        "fee5dp": f"{fee // 1_000_000}.{fee % 1_000_000 // 10:05d}",
    }


def _cursor(row: Mapping[str, Json], _document: Mapping[str, Json]) -> Json:
    cursor = cursor_at(integer(row, "offset"))
    return {"cursor": cursor, "offset": offset_of(cursor)}


_SECTIONS: dict[str, tuple[Compute, tuple[str, ...]]] = {
    "orders": (_order, ("expect.orderHash", "expect.signature")),
    "l1Auth": (_l1_auth, ("headers.POLY_SIGNATURE",)),
    "l2Auth": (_l2_auth, ("headers.POLY_SIGNATURE",)),
    "wallets": (_wallets, ("depositUups", "depositBeacon")),
    "amounts": (_amounts, ("makerAmount", "takerAmount")),
    "marketPriceWalk": (_walk, ()),
    "bookHash": (_book_hash, ("book.hash",)),
    "takerFee": (_taker_fee, ("fee5dp",)),
    "cursor": (_cursor, ("offset", "cursor")),
}
