"""Read-only and builder keys of the trading host, as domain values."""

from datetime import datetime

from pmtui.domain.account.keys import (
    NO_BUILDER,
    BuilderCode,
    BuilderCodeError,
    BuilderFees,
    BuilderKey,
    parse_builder_code,
)
from pmtui.domain.ids import ApiKey
from pmtui.wire import bounds, fields
from pmtui.wire.errors import WireError
from pmtui.wire.fields import Row
from pmtui.wire.numbers import to_moment

_LISTS = ("builderApiKeys", "builder_api_keys", "apiKeys", "keys", "data")


def decode_new_key(body: bytes) -> ApiKey:
    """Read a read-only key that was made; it has no secret."""
    return ApiKey(fields.required(fields.row(fields.load(body), "key"), "apiKey", "key"))


def decode_was_deleted(body: bytes) -> bool:
    """Read what deleting a read-only key answers: a boolean, or the word that it is done."""
    loaded = fields.load(body)
    if isinstance(loaded, bool):
        return loaded
    if isinstance(loaded, str):
        return loaded.upper() in ("OK", "TRUE")
    raise WireError("", "neither a boolean nor a word")


def decode_builder_keys(body: bytes) -> tuple[BuilderKey, ...]:
    """Read a list of builder keys: names alone, or rows with their times; bare or in an object."""
    loaded = fields.load(body)
    if isinstance(loaded, dict):
        loaded = next((loaded[name] for name in _LISTS if loaded.get(name) is not None), None)
    return tuple(_builder_key(item) for item in fields.items(loaded, "builder keys"))


def decode_made_builder_key(body: bytes) -> BuilderKey:
    """Read what making a builder's key answers beside its secrets."""
    return _builder_key(fields.row(fields.load(body), "builder key"))


def _builder_key(item: object) -> BuilderKey:
    if isinstance(item, str):
        return BuilderKey(ApiKey(bounds.identifier(item, "key")))
    source = fields.row(item, "builder key")
    return BuilderKey(
        ApiKey(fields.required(source, "key", "apiKey")),
        created_at=_moment(source, "createdAt", "created_at"),
        revoked_at=_moment(source, "revokedAt", "revoked_at"),
        code=_code(source),
    )


def _code(source: Row) -> BuilderCode | None:
    # A code that cannot be one is left out; the key is as good without it.
    try:
        code = parse_builder_code(fields.text(source, "builderCode", "builder_code"))
    except BuilderCodeError:
        return None
    return None if code == NO_BUILDER else code


def _moment(source: Row, *names: str) -> datetime | None:
    at = to_moment(fields.text(source, *names))
    # A time that was never set travels as the first second of year 1.
    return at if at is not None and at.year > 1 else None


def decode_builder_fees(body: bytes) -> BuilderFees:
    """Read `/fees/builder-fees/{code}`."""
    source = fields.row(fields.load(body), "builder fees")
    rates = fields.BASIS_POINTS
    maker = fields.whole(source, "builder_maker_fee_rate_bps", within=rates)
    taker = fields.whole(source, "builder_taker_fee_rate_bps", within=rates)
    if maker is None or taker is None:
        raise WireError("builder_taker_fee_rate_bps", "missing")
    return BuilderFees(maker, taker)
