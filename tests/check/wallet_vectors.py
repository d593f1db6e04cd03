"""Vectors that name their kind: wallets, condition and token ids, builder and relayer headers."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from pmtui.domain.account.wallet_transactions import Batch, ContractCall, read_submit_refusal
from pmtui.domain.ids import Address, ApiKey, ConditionId
from pmtui.signing import wallet_calls
from pmtui.signing.auth import (
    ApiCredentials,
    RequestSigner,
    relayer_headers,
)
from pmtui.signing.contracts import POLYGON, collection_id, condition_id, token_ids
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import deposit_form, derive_deposit, derive_wallets
from pmtui.signing.wallet_batch import (
    BATCH_TYPE_HASH,
    CALL_TYPE_HASH,
    encode_batch,
    encode_create,
    hash_batch,
    recover_batch_signer,
    sign_batch,
    wrap_session_signature,
)
from tests.check.row import Json, Row, boolean, hexed, integer, text
from tests.signing.kit import sign_in


def wallet_rows(document: Mapping[str, Json]) -> Iterator[Row]:
    """Every vector of a document; kinds without a function here come out unsupported."""
    vectors = document.get("vectors", [])
    if not isinstance(vectors, list):
        yield Row("vectors", "vectors", vectors, partial(_refuse, "a section is a list of rows"))
        return
    for index, vector in enumerate(vectors):
        path = f"vectors[{index}]"
        kind = vector.get("kind") if isinstance(vector, dict) else None
        if not isinstance(kind, str):
            yield Row(path, "vector", None, partial(_refuse, "a vector names its kind"))
            continue
        name = str(vector.get("id", ""))
        compute = _KINDS.get(kind)
        if compute is None:
            yield Row(path, kind, None, None, name)
        else:
            work = partial(_checked, compute, vector)
            expected = {"out": vector.get("out")}
            yield Row(path, kind, expected, work, name, ("out",))


def _refuse(reason: str) -> Json:
    raise ValueError(reason)


def _checked(compute: Callable[[Mapping[str, Json]], Json], vector: Mapping[str, Json]) -> Json:
    if not isinstance(vector.get("out"), dict) or not vector["out"]:
        raise TypeError("a vector states what comes out")
    return {"out": compute(vector["in"])}


def _derive(given: Mapping[str, Json]) -> Json:
    owner = text(given, "owner")
    wallets, deposit = derive_wallets(owner), derive_deposit(owner)
    eoa = wallets.owner
    if "private_key" in given:
        eoa = Signer(Secret.from_hex(text(given, "private_key"))).address
    return {
        "eoa": eoa,
        "wallet_id": hexed(deposit.wallet_id),
        "create2_args": hexed(deposit.create2_args),
        "salt": hexed(deposit.salt),
        "uups_init_code_hash": hexed(deposit.uups_init_code_hash),
        "beacon_init_code_hash": hexed(deposit.beacon_init_code_hash),
        "deposit_wallet_uups": deposit.uups,
        "deposit_wallet_beacon": deposit.beacon,
        "uups_runtime_code": hexed(deposit.uups_runtime_code),
        "beacon_runtime_code": hexed(deposit.beacon_runtime_code),
        "proxy_wallet": wallets.proxy,
        "safe_wallet": wallets.safe,
    }


def _select(given: Mapping[str, Json]) -> Json:
    beacon = text(given, "factory_beacon_call")
    form = deposit_form(None if beacon == "revert" else beacon, text(given, "uups_code"))
    return {"wallet": derive_wallets(text(given, "owner")).deposit(form), "variant": form.value}


def _token_ids(given: Mapping[str, Json]) -> Json:
    condition, neg_risk = ConditionId(text(given, "condition_id")), boolean(given, "neg_risk")
    collateral = POLYGON.wrapped_collateral if neg_risk else POLYGON.legacy_collateral
    if given.get("collateral_key", collateral) != collateral:
        raise ValueError("collateral_key is not the collateral of such a market")
    return {
        "collection_ids": [hexed(collection_id(condition, index)) for index in (1, 2)],
        "token_ids": list(token_ids(condition, neg_risk=neg_risk)),
    }


def _condition_id(given: Mapping[str, Json]) -> Json:
    slots = integer(given, "outcome_slot_count")
    return {"condition_id": condition_id(text(given, "oracle"), text(given, "question_id"), slots)}


def _builder_hmac(given: Mapping[str, Json]) -> Json:
    key, passphrase = text(given, "key"), Secret.from_text(text(given, "passphrase"))
    secret = Secret.from_text(text(given, "secret"))
    requests = RequestSigner(ApiCredentials(ApiKey(key), secret, passphrase))
    timestamp, method, path = (
        integer(given, "timestamp"),
        text(given, "method"),
        text(given, "path"),
    )
    body = b"" if given.get("body") is None else text(given, "body").encode()
    return {
        "message": f"{timestamp}{method}{path}{body.decode()}",
        "headers": requests.builder_headers(
            timestamp_s=timestamp, method=method, path=path, body=body
        ),
    }


def _relayer_headers(given: Mapping[str, Json]) -> Json:
    return {"headers": relayer_headers(text(given, "api_key"), Address(text(given, "address")))}


def _batch_of(given: Mapping[str, Json]) -> Batch:
    calls = tuple(
        ContractCall(
            Address(text(call, "target")),
            bytes.fromhex(text(call, "data").removeprefix("0x")),
            int(text(call, "value")),
        )
        for call in given["calls"]
    )
    nonce, deadline = int(text(given, "nonce")), int(text(given, "deadline"))
    return Batch(Address(text(given, "wallet")), nonce, deadline, calls)


def _batch(given: Mapping[str, Json]) -> Json:
    batch, chain_id = _batch_of(given), integer(given, "chain_id")
    signer = Signer(Secret.from_hex(text(given, "private_key")))
    hashes, signed = (
        hash_batch(batch, chain_id=chain_id),
        sign_batch(batch, signer, chain_id=chain_id),
    )
    body = encode_batch(signed, metadata=text(given, "metadata")).decode()
    return {
        "batch_typehash": hexed(BATCH_TYPE_HASH),
        "call_typehash": hexed(CALL_TYPE_HASH),
        "call_hashes": [hexed(each) for each in hashes.calls],
        "calls_array_hash": hexed(hashes.call_array),
        "domain_separator": hexed(hashes.domain),
        "struct_hash": hexed(hashes.struct),
        "digest": hexed(hashes.digest),
        "signature": hexed(signed.signature),
        "signer": signed.owner,
        "submit_body": json.loads(body),
        "submit_body_text": body,
        "submit_body_text_without_metadata": encode_batch(signed).decode(),
    }


def _batch_verify(given: Mapping[str, Json]) -> Json:
    signature = bytes.fromhex(text(given, "signature").removeprefix("0x"))
    chain_id = integer(given, "chain_id")
    recovered = recover_batch_signer(_batch_of(given), signature, chain_id=chain_id)
    return {"recovered": recovered, "valid": recovered == text(given, "claimed_owner")}


def _create_body(given: Mapping[str, Json]) -> Json:
    metadata = None if given["metadata"] is None else text(given, "metadata")
    body = encode_create(Address(text(given, "owner")), metadata=metadata).decode()
    return {"submit_body": json.loads(body), "submit_body_text": body}


def _calldata(given: Mapping[str, Json]) -> Json:
    call = _CALLS[text(given, "function")](given)
    if wallet_calls.decode_call(call) is None:
        raise ValueError("the call cannot be decoded again")
    return {"to": call.target, "data": hexed(call.data), "value": str(call.value)}


def _position(
    make: Callable[..., ContractCall], given: Mapping[str, Json], **amount: int
) -> ContractCall:
    if given.get("collateral", POLYGON.collateral) != POLYGON.collateral:
        raise ValueError("the collateral is not that of the venue")
    condition = ConditionId(text(given, "condition_id"))
    return make(condition, neg_risk=boolean(given, "neg_risk"), **amount)


def _read(
    function: wallet_calls.Function, *names: str
) -> Callable[[Mapping[str, Json]], ContractCall]:
    def call(given: Mapping[str, Json]) -> ContractCall:
        values = [
            _number_or_text(kind, given[name])
            for (kind, _), name in zip(function.parameters, names, strict=True)
        ]
        return ContractCall(
            Address(text(given, "token")), wallet_calls.encode_call(function, *values)
        )

    return call


def _number_or_text(kind: str, value: Json) -> Any:
    if isinstance(value, list):
        return tuple(_number_or_text(kind, each) for each in value)
    return int(value) if kind.startswith("uint") else value


def _to(
    target: Address, function: wallet_calls.Function, *names: str
) -> Callable[[Mapping[str, Json]], ContractCall]:
    read = _read(function, *names)
    return lambda given: read({**given, "token": target})


_CALLS: dict[str, Callable[[Mapping[str, Json]], ContractCall]] = {
    "approve": _read(wallet_calls.APPROVE, "spender", "amount"),
    "setApprovalForAll": lambda given: wallet_calls.set_operator(
        Address(text(given, "token")),
        Address(text(given, "operator")),
        is_approved=boolean(given, "approved"),
    ),
    "transfer": _read(wallet_calls.TRANSFER, "recipient", "amount"),
    "splitPosition": lambda given: _position(
        wallet_calls.split, given, amount=int(text(given, "amount"))
    ),
    "mergePositions": lambda given: _position(
        wallet_calls.merge, given, amount=int(text(given, "amount"))
    ),
    "redeemPositions": lambda given: _position(wallet_calls.redeem, given),
    "convertPositions": _to(
        POLYGON.neg_risk_collateral_adapter, wallet_calls.CONVERT,
        "neg_risk_market_id", "index_set", "amount",
    ),
    "wrap": _to(POLYGON.collateral_onramp, wallet_calls.WRAP, "asset", "to_address", "amount"),
    "unwrap": _to(POLYGON.collateral_offramp, wallet_calls.UNWRAP, "asset", "to_address", "amount"),
    "router.split": _to(POLYGON.combos_router, wallet_calls.ROUTER_SPLIT, "condition_id", "amount"),
    "router.merge": _to(POLYGON.combos_router, wallet_calls.ROUTER_MERGE, "condition_id", "amount"),
    "router.redeem": _to(
        POLYGON.combos_router, wallet_calls.ROUTER_REDEEM, "condition_id", "outcome_index", "amount"
    ),
    "allowance": _read(wallet_calls.ALLOWANCE, "owner", "spender"),
    "isApprovedForAll": _read(wallet_calls.IS_APPROVED_FOR_ALL, "owner", "operator"),
    "balanceOf(erc20)": _read(wallet_calls.BALANCE_OF, "owner"),
    "balanceOf(erc1155)": _read(wallet_calls.BALANCE_OF_TOKEN, "owner", "token_id"),
    "balanceOfBatch": _read(wallet_calls.BALANCE_OF_BATCH, "owners", "token_ids"),
}  # fmt: skip


def _session_wrap(given: Mapping[str, Json]) -> Json:
    signature = bytes.fromhex(text(given, "signature").removeprefix("0x"))
    signer = Address(text(given, "session_signer"))
    return {"wrapped": hexed(wrap_session_signature(signer, signature))}


def _siwe(given: Mapping[str, Json]) -> Json:
    expiration = given["expiration_time"]
    signed = sign_in(
        Signer(Secret.from_hex(text(given, "private_key"))),
        nonce=text(given, "nonce"),
        issued_at=text(given, "issued_at"),
        expiration_time=None if expiration is None else text(given, "expiration_time"),
    )
    return {
        "message": signed.fields.message,
        "signature": hexed(signed.signature),
        "fields_json": signed.fields_json,
        "authorization": signed.authorization,
    }


def _submit_error(given: Mapping[str, Json]) -> Json:
    refusal = read_submit_refusal(integer(given, "status"), text(given["body"], "error"))
    nonce = refusal.on_chain_nonce
    return {
        "retryable": refusal.is_retryable,
        "on_chain_nonce": None if nonce is None else str(nonce),
    }


_KINDS: dict[str, Callable[[Mapping[str, Json]], Json]] = {
    "wallet.derive": _derive,
    "wallet.select": _select,
    "wallet.batch": _batch,
    "wallet.batch_verify": _batch_verify,
    "wallet.create_body": _create_body,
    "wallet.session_signature_wrap": _session_wrap,
    "calldata": _calldata,
    "siwe.bearer": _siwe,
    "relayer.submit_error": _submit_error,
    "ctf.token_ids": _token_ids,
    "ctf.condition_id": _condition_id,
    "builder.hmac": _builder_hmac,
    "relayer.key_headers": _relayer_headers,
}
