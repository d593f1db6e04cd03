import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.cli.main import main
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.orders.journal import Journal
from tests.service.fakes import resting

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
BODY = b'{"order":{"signature":"0xfeed"},"owner":"6f1c2a34"}'


@pytest.fixture
async def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose paper journal holds two orders."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    journal = Journal(tmp_path / "state" / "paper" / "journal.sqlite")
    for number in (1, 2):
        order = resting(OrderId(f"0x0{number}"))
        assert await journal.begin(order, title="=River?", text="Buy 10", body=BODY) is None
    journal.record_standing(OrderId("0x02"), OrderStatus.FILLED, is_known=True)
    await journal.append("verdict", "accepted: filled", at=AT, order_id=OrderId("0x02"))
    await journal.close()
    return tmp_path


async def test_json_holds_every_order_with_its_life(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "orders", "--format", "json"]) == 0
    first, second = json.loads(out := capsys.readouterr().out)
    assert (first["state"], second["state"]) == ("open", "filled")
    assert (first["price"], first["size"], first["side"]) == ("0.4", "10", "BUY")
    assert [line["kind"] for line in second["life"]] == ["intent", "sending", "verdict"]
    assert "0xfeed" not in out
    assert "6f1c2a34" not in out


async def test_csv_has_a_row_for_every_line_and_no_formula(
    home: Path, capsys: pytest.CaptureFixture[str]
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
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "orders", "--profile", "nowhere"]) == 2
    (home / "state" / "paper" / "journal.sqlite").write_bytes(b"not a database" * 100)
    assert main(["export", "orders"]) == 2
    assert "cannot be read" in capsys.readouterr().err
