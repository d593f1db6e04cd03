from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.domain.account.keys import BuilderFees, BuilderKey
from pmtui.domain.ids import ApiKey
from pmtui.wire import clob_account as wire
from pmtui.wire.bounds import WireError
from pmtui.wire.clob_account import decode_credentials
from tests.wire.doc_examples import documented
from tests.wire.payloads import wire as to_bytes


def test_builder_keys_come_as_names_or_as_rows() -> None:
    assert wire.decode_builder_keys(b'["a","b"]') == (
        BuilderKey(ApiKey("a")),
        BuilderKey(ApiKey("b")),
    )
    rows = (
        b'[{"key":"a","createdAt":"2026-05-01T12:00:00Z","revokedAt":"2026-06-01T12:00:00Z"},'
        b'{"key":"b","createdAt":"2026-05-01T12:00:00Z","revokedAt":"0001-01-01T00:00:00Z"},'
        b'{"apiKey":"c","revokedAt":null}]'
    )
    revoked, kept, bare = wire.decode_builder_keys(rows)
    assert revoked.created_at == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert [key.is_revoked for key in (revoked, kept, bare)] == [True, False, False]


@pytest.mark.parametrize(
    ("told", "code"),
    [("0x" + "AB" * 32, "0x" + "ab" * 32), ("0x12", None), ("", None), ("0x" + "00" * 32, None)],
    ids=["code", "short", "none", "nobody"],
)
def test_a_builder_keys_code_is_kept_where_it_is_one(told: str, code: str | None) -> None:
    body = to_bytes([{"key": "a", "builderCode": told}])
    assert [key.code for key in wire.decode_builder_keys(body)] == [code]


@pytest.mark.parametrize("name", ["builderApiKeys", "apiKeys", "keys"])
def test_builder_keys_may_be_wrapped(name: str) -> None:
    assert len(wire.decode_builder_keys(to_bytes({name: ["a"]}))) == 1
    assert wire.decode_builder_keys(to_bytes({name: []})) == ()


def test_builder_fees_need_both_rates() -> None:
    body = b'{"builder_maker_fee_rate_bps":0,"builder_taker_fee_rate_bps":"100"}'
    assert wire.decode_builder_fees(body) == BuilderFees(0, 100)
    with pytest.raises(WireError, match="missing"):
        wire.decode_builder_fees(b'{"builder_taker_fee_rate_bps":1}')


def test_documented_builder_keys_are_read(shared_dir: Path) -> None:
    for body in documented(shared_dir, "/auth/builder-api-key"):
        assert len(wire.decode_builder_keys(body)) == 3
    for body in documented(shared_dir, "/auth/builder-api-key", method="POST"):
        assert decode_credentials(body).api_key
