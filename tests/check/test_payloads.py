"""The payload check on folders of our own making, and on the recordings."""

import gzip
import json
from pathlib import Path

import pytest

from tests.check.__main__ import main
from tests.wire.analytics_rows import ACTIVITY, HOLDERS, NEWER, POSITION
from tests.wire.payloads import TOKENS, Json, event, market, wire

pytestmark = pytest.mark.no_cover

POSITION_HOLDERS = HOLDERS | {"holders": HOLDERS["holders"][:1]}


def put(root: Path, name: str, *values: Json) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = b"\n".join(wire(value) for value in values)
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_every_kind_is_told_by_its_folder_and_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "gamma/a.json", [market(), market()])
    put(tmp_path, "gamma/b.jsonl.gz", {"offset": 0, "body": [market()]}, {"raw": market()})
    put(tmp_path, "gamma/c.json", {"events": [event()], "next_cursor": "x"})
    put(tmp_path, "data/d.json", [POSITION])
    put(tmp_path, "data/e.json.gz", [ACTIVITY], [NEWER])
    put(tmp_path, "data/holders.json", [HOLDERS | {"holders": []}, POSITION_HOLDERS])
    put(tmp_path, "errors/f.jsonl", {"status": 400, "body": {"error": "no"}})
    put(tmp_path, "clob/g.json", {"mid": "0.5"})
    put(tmp_path, "user/h.json", {"canceled": [], "not_canceled": {}})
    put(tmp_path, "data/i.json", [{"rank": 1}])
    closed = {key: value for key, value in POSITION.items() if key != "size"}
    put(tmp_path, "data/j.json", [closed | {"timestamp": 1773718931}])
    assert main(["payloads", str(tmp_path)]) == 0
    assert last_line(capsys) == "11 files: 13 ok, 0 failed, 1 of kinds not read"


def test_what_cannot_be_read_fails_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "gamma/a.json", [market(), market(bestBid="high")])
    put(tmp_path, "clob/b.json", {"asset_id": TOKENS[0], "bids": 5, "asks": []})
    (tmp_path / "clob" / "c.json").write_bytes(b"{")
    (tmp_path / "clob" / "d.json.gz").write_bytes(b"\x1f\x8b\x08nonsense")
    assert main(["payloads", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "bestBid: not a number" in out
    assert out.splitlines()[-1] == "4 files: 1 ok, 4 failed, 0 of kinds not read"


def test_examples_of_a_documentation_may_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = {"asset_id": "0xabc…", "market": "0x1", "bids": 1, "asks": []}
    put(tmp_path, "docs/a.jsonl", {"api": "clob", "path": "/book", "status": "200", "body": book})
    assert main(["payloads", str(tmp_path)]) == 0
    assert "1 examples unlike the venue" in capsys.readouterr().out


LAYOUTS = ("{folder}/{name}", "deep/data/{folder}/more/{name}", "{folder}_{name}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_kind_is_told_wherever_it_lies(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trade = {key: value for key, value in ACTIVITY.items() if key not in ("type", "usdcSize")}
    payloads: list[tuple[str, str, Json]] = [
        ("gamma", "markets.json", [market()]),
        ("data", "activity.json", [ACTIVITY]),
        ("data", "newer.json", [NEWER]),
        ("data", "trades.json", [trade | {"transactionHash": "0xabc", "side": "BUY"}]),
        ("data", "positions.json", [POSITION]),
        ("clob", "last.json", {"price": "0.5", "side": "BUY"}),
        ("clob", "price.json", {"price": "0.5"}),
        ("ws", "pong.json", {"event_type": "price_change", "market": "0x1", "price_changes": []}),
        ("user", "cancel.json", {"canceled": [], "not_canceled": {}}),
        ("docs_examples", "spread.json", {"spread": "0.01"}),
    ]
    for folder, name, payload in payloads:
        put(tmp_path, layout.format(folder=folder, name=name), payload)
    assert main(["payloads", str(tmp_path)]) == 0
    assert last_line(capsys) == "10 files: 10 ok, 0 failed, 0 of kinds not read"


def test_a_file_of_another_host_is_read_by_its_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "clob/events.json", [event()])
    put(tmp_path, "data/tick.json", {"minimum_tick_size": 0.01})
    assert main(["payloads", str(tmp_path)]) == 0
    assert last_line(capsys) == "2 files: 2 ok, 0 failed, 0 of kinds not read"


TOKEN = TOKENS[0]
POINTS: Json = [{"t": 1_790_000_000, "p": 0.5}]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("position page", {"data": [POSITION], "pagination": {}}),
        ("position page", {"data": [NEWER], "next_cursor": "x"}),
        ("activity page", {"data": [ACTIVITY]}),
        ("holder page", {"data": [POSITION_HOLDERS]}),
        ("value", {"data": {"proxy_wallet": "0x1", "value": 5}}),
        ("listed market", {"condition_id": "0x1", "tokens": []}),
        ("market of token", {"condition_id": "0x" + "1" * 64, "primary_token_id": TOKEN,
                             "secondary_token_id": TOKENS[1]}),
        ("prices history", {"history": POINTS}),
        ("prices histories", {"history": {TOKEN: POINTS}}),
        ("prices by token", {TOKEN: {"BUY": "0.4", "SELL": "0.5"}}),
        ("amounts by token", {TOKEN: "0.45"}),
        ("version", {"version": 2}),
        ("geographic answer", {"blocked": False, "ip": "", "country": "DE", "region": "BE"}),
    ],
)  # fmt: skip
def test_what_the_program_reads_is_decoded(
    kind: str, payload: Json, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "a.json", payload)
    assert main(["payloads", str(tmp_path)]) == 0
    assert f": {kind}: 1 ok, 0 failed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json.gz"])
def test_an_empty_file_fails(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, f"gamma/{name}")
    assert main(["payloads", str(tmp_path)]) == 1
    assert "file is empty" in capsys.readouterr().out


def test_a_line_cut_short_spoils_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "gamma/a.jsonl", market(), market())
    path = tmp_path / "gamma" / "a.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert main(["payloads", str(tmp_path)]) == 1
    assert last_line(capsys) == "1 files: 1 ok, 1 failed, 0 of kinds not read"


BOOK = (
    '{"market":"0xaabbcc","asset_id":"100","timestamp":"123456789","hash":"",'
    '"bids":[{"price":"0.3","size":"100"},{"price":"0.4","size":"100"}],'
    '"asks":[{"price":"0.6","size":"100"},{"price":"0.7","size":"100"}],'
    '"min_order_size":"100","tick_size":"0.01","neg_risk":false,"last_trade_price":"0.5"}'
)
BOOK_HASH = "0458ea5755c9f73d64a14636fa5c36ed460ec394"


def test_stated_hashes_are_computed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[Json] = [
        {"canonical": BOOK, "sha1": BOOK_HASH},
        {"canonical": BOOK, "sha1": BOOK_HASH[::-1]},
        {"canonical": BOOK.replace('"0.4"', '"0.41"'), "sha1": BOOK_HASH},
        {"canonical": BOOK.replace('"0.4"', '"x"'), "sha1": BOOK_HASH},
        {"canonical": "[]", "sha1": BOOK_HASH},
        {"canonical": 5, "sha1": None},
    ]
    put(tmp_path, "derived/hashes.jsonl", *rows)
    assert main(["payloads", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"stated is {BOOK_HASH[::-1]}" in out
    assert out.splitlines()[-1] == "1 files: 1 ok, 5 failed, 0 of kinds not read"


@pytest.mark.parametrize(
    "text",
    [
        b'{"body": "\xff", "status": 200}',
        b'{"body": [1], "status": {}}',
        b'{"meta": 1, "results": {"a": 1}}',
        b'{"meta": 1, "results": [[1], null, {"sampleData": "x", "status": 1e300}]}',
        b'{"raw": "text"}',
        b'{"body": "", "status": "9999999"}',
        b"[" * 100_000,
    ],
)
def test_any_wrapping_can_be_looked_at(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(text)
    assert main(["payloads", str(tmp_path)]) in (0, 1)


@pytest.mark.parametrize("name", ["nothing-here", "."])
def test_a_folder_without_payloads_is_wrong_usage(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["payloads", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_any_json_can_be_looked_at(tmp_path: Path) -> None:
    values: list[Json] = [None, 5, "x", True, [], {}, [[]], [None], {"meta": 1, "results": [{}]}]
    values += [{"body": None, "status": "x"}, {"raw": 5}, {"canonical": "{}", "sha1": ""}]
    for folder in ("gamma", "clob", "data", "user", "ws", "odd"):
        for number, value in enumerate(values):
            put(tmp_path, f"{folder}/{number}.json", value)
    assert main(["payloads", str(tmp_path)]) in (0, 1)


def test_the_recordings_can_be_read(shared_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["payloads", str(shared_dir / "data")]) == 0
    assert json.dumps(last_line(capsys)).count("0 failed") == 1
