"""Vectors that name their kind: wallets, condition and token ids, builder and relayer headers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from pmtui.domain.ids import Address, ApiKey, ConditionId
from pmtui.signing.contracts import POLYGON
from pmtui.signing.ctf import collection_id, condition_id, token_ids
from pmtui.signing.l2_auth import ApiCredentials, RequestSigner, relayer_headers
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import deposit_form, derive_deposit, derive_wallets
from tests.check.row import Json, Row, boolean, hexed, integer, text


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


_KINDS: dict[str, Callable[[Mapping[str, Json]], Json]] = {
    "wallet.derive": _derive,
    "wallet.select": _select,
    "ctf.token_ids": _token_ids,
    "ctf.condition_id": _condition_id,
    "builder.hmac": _builder_hmac,
    "relayer.key_headers": _relayer_headers,
}
