"""Exports that ask a venue: a small one that stands still, taken for the public venue."""

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import keystore_path
from pmtui.cli.main import main
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, OrderStatus, TradeStatus
from pmtui.service.journal.journal import Journal, OutgoingOrder, RememberedStatus
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue
from tests.cli.public_venue import HOSTS, PASSPHRASE
from tests.cli.secret_lines import lines_on_fd
from tests.clients.raw_server import answering, serving
from tests.service.fakes import resting
from tests.service.journal_kit import note_fill
from tests.sim.kit import KEYS, RAIN, RAIN_YES, Person, http_client
from tests.wire.analytics_rows import NEWER
from tests.wire.payloads import wire

Export = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture
def venue(bob: Person) -> RunningVenue:
    """A venue where Ann bought six of ten shares from Bob, who offers them."""
    return bob.running


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str]) -> Export:
    """Run an export on the live profile in a thread of its own, as in a process of its own."""

    async def run_it(*arguments: str, lines: tuple[str, ...] = ()) -> tuple[int, str, str]:
        with lines_on_fd(*lines) as number:
            words = [str(number) if word == "FD" else word for word in arguments]
            code = await asyncio.to_thread(main, ["export", *words, "--profile", "live"])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it


def keep_key(home: Path) -> None:
    path = keystore_path(home / "state", "live")
    path.parent.mkdir(parents=True)
    secret = Secret.from_hex(KEYS[0])
    path.write_text(encrypt_keystore(secret, Secret.from_text(PASSPHRASE), work_factor=2))


async def journal_a_fill(home: Path, trade_id: str, order_id: str) -> None:
    journal = Journal(home / "state" / "live" / "journal.sqlite")
    order = resting(OrderId(order_id), condition_id=ConditionId(RAIN))
    assert await journal.begin([OutgoingOrder(order, "Will it rain", b"{}")]) is None
    note_fill(
        journal,
        Fill(
            trade_id=TradeId(trade_id),
            order_id=OrderId(order_id),
            condition_id=ConditionId(RAIN),
            token_id=TokenId(RAIN_YES),
            outcome="Yes",
            side=Side.BUY,
            price=parse_micros("0.333333"),
            size=parse_micros("3.000001"),
            fee=Micros(0),
            liquidity=Liquidity.TAKER,
            status=TradeStatus.MATCHED,
            matched_at=order.created_at,
        ),
    )
    await journal.close()


async def test_positions_and_activity_need_no_passphrase(
    venue: RunningVenue, tmp_path: Path, export: Export
) -> None:
    keep_key(tmp_path)
    code, out, err = await export("positions")
    assert (code, err) == (0, "")
    (held,) = csv.DictReader(io.StringIO(out))
    assert (held["size"], held["average_price"], held["cost"]) == ("6", "0.4", "2.4")
    assert held["as_of"].endswith("+00:00")
    assert held["token_id"] == RAIN_YES
    code, out, err = await export("activity", "--format", "jsonl")
    assert (code, err) == (0, "")
    (bought,) = [line for line in map(json.loads, out.splitlines()) if line["kind"] == "TRADE"]
    assert (bought["side"], bought["price"], bought["size"]) == ("BUY", "0.4", "6")
    assert bought["at"].endswith("+00:00")


async def test_rows_that_cannot_be_read_are_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, export: Export
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    body = wire({"data": [NEWER, {"asset": 7}], "pagination": {"has_more": False}})
    async with serving(answering(body)) as server:
        monkeypatch.setenv("PMTUI_DATA_URL", server.url)
        code, out, err = await export("positions", "--wallet", "0x" + "11" * 20)
    assert code == 0
    assert len(list(csv.DictReader(io.StringIO(out)))) == 1
    assert "left out" in err


async def test_another_wallet_needs_no_account(
    venue: RunningVenue, tmp_path: Path, export: Export
) -> None:
    code, _, err = await export("positions")
    assert code == 2
    assert "--wallet" in err
    async with http_client() as http:
        bob = Person(venue, http, key=1).wallet
    code, out, _ = await export("positions", "--wallet", bob.lower(), "--format", "json")
    assert code == 0
    assert [held["size"] for held in json.loads(out)] == ["6"]


async def test_fills_of_the_journal_and_of_the_venue_are_one_list(
    venue: RunningVenue, tmp_path: Path, export: Export
) -> None:
    keep_key(tmp_path)
    arguments = ("fills", "--format", "json", "--passphrase-fd", "FD")
    code, out, err = await export(*arguments, lines=(PASSPHRASE,))
    assert (code, err) == (0, "")
    (fill,) = json.loads(out)
    assert (fill["source"], fill["market"], fill["cash"]) == ("venue", "", "2.4")
    await journal_a_fill(tmp_path, fill["trade_id"], fill["order_id"])
    await journal_a_fill(tmp_path, "gone", "0x77")
    code, out, _ = await export(*arguments, lines=(PASSPHRASE,))
    fills = {fill["source"]: fill for fill in json.loads(out)}
    assert sorted(fills) == ["both", "journal"]
    assert fills["journal"]["cash"] == "0.999999333333"
    assert fills["both"]["market"] == "Will it rain"
    assert fills["both"]["status"] != "MATCHED"


async def test_fills_without_the_passphrase_are_those_of_the_journal(
    venue: RunningVenue, tmp_path: Path, export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    keep_key(tmp_path)
    await journal_a_fill(tmp_path, "t1", "0x77")
    for arguments in (("fills",), ("fills", "--offline"), ("fills", "--passphrase-fd", "FD")):
        code, out, err = await export(*arguments, lines=("",))
        assert code == 0
        assert [row["trade_id"] for row in csv.DictReader(io.StringIO(out))] == ["t1"]
        assert ("journal alone" in err) is ("--offline" not in arguments)
    code, out, err = await export("fills", "--passphrase-fd", "FD", lines=("wrong",))
    assert (code, out) == (2, "")
    assert "passphrase is wrong" in err


async def test_a_venue_that_is_down_is_said_and_fills_still_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, export: Export
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    for name in HOSTS:
        scheme = "ws" if name.startswith("ws") else "http"
        monkeypatch.setenv(f"PMTUI_{name.upper()}_URL", f"{scheme}://127.0.0.1:9")
    keep_key(tmp_path)
    await journal_a_fill(tmp_path, "t1", "0x77")
    code, out, err = await export("fills", "--passphrase-fd", "FD", lines=(PASSPHRASE,))
    assert code == 0
    assert "t1" in out
    assert "journal alone" in err
    for kind in ("positions", "activity"):
        code, out, err = await export(kind)
        assert (code, out) == (69, "")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("orders", "--wallet", "0x" + "11" * 20),
        ("orders", "--offline"),
        ("positions", "--wallet", "me"),
    ],
)
async def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], export: Export) -> None:
    with pytest.raises(SystemExit) as ended:
        await export(*arguments)
    assert ended.value.code == 2


AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
BODY = b'{"order":{"signature":"0xfeed"},"owner":"6f1c2a34"}'


@pytest.fixture
async def journal_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose paper journal holds two orders."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    journal = Journal(tmp_path / "state" / "paper" / "journal.sqlite")
    for number in (1, 2):
        order = resting(OrderId(f"0x0{number}"))
        assert await journal.begin([OutgoingOrder(order, "=River?", BODY, "Buy 10")]) is None
    ended = RememberedStatus(OrderId("0x02"), OrderStatus.FILLED, is_known=True)
    journal.record_about(ended.order_id, "verdict", "accepted: filled", at=AT, fact=ended)
    await journal.close()
    return tmp_path


async def test_json_holds_every_order_with_its_life(
    journal_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "orders", "--format", "json"]) == 0
    first, second = json.loads(out := capsys.readouterr().out)
    assert (first["state"], second["state"]) == ("open", "filled")
    assert (first["price"], first["size"], first["side"]) == ("0.4", "10", "BUY")
    assert [line["kind"] for line in second["life"]] == ["intent", "sending", "verdict"]
    assert "0xfeed" not in out
    assert "6f1c2a34" not in out


async def test_csv_has_a_row_for_every_line_and_no_formula(
    journal_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "orders"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["order_id"], row["kind"]) for row in rows] == [
        ("0x01", "intent"),
        ("0x01", "sending"),
        ("0x02", "intent"),
        ("0x02", "sending"),
        ("0x02", "verdict"),
    ]
    assert {row["market"] for row in rows} == {"'=River?"}


async def test_without_a_journal_there_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    assert main(["export", "orders", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


async def test_a_journal_that_cannot_be_read_and_a_wrong_profile_are_refused(
    journal_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "orders", "--profile", "nowhere"]) == 2
    (journal_home / "state" / "paper" / "journal.sqlite").write_bytes(b"not a database" * 100)
    assert main(["export", "orders"]) == 2
    assert "cannot be read" in capsys.readouterr().err
