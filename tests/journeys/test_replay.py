"""A recording played by the installed program in a real terminal, from the first key to the last."""

import json
from pathlib import Path

import pytest

from pmtui.recording.writer import EndRow, FrameRow, Header, RecordingWriter
from tests.journeys.conftest import Start

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

MARKET = "0x" + "c3" * 32
TOKENS = ("11" * 20, "22" * 20)


def write(path: Path) -> None:
    """Write a minute in which the best bid of a market goes from 40 to 45 cents."""
    writer = RecordingWriter(path, Header(started_ms=1_790_000_000_000, token_ids=TOKENS))
    for token, bid, ask in zip(TOKENS, ("0.4", "0.5"), ("0.5", "0.6"), strict=True):
        book = {
            "market": MARKET, "asset_id": token, "timestamp": "1790000000000", "hash": "",
            "bids": [{"price": bid, "size": "100"}], "asks": [{"price": ask, "size": "100"}],
            "tick_size": "0.01", "event_type": "book", "last_trade_price": "",
        }  # fmt: skip
        writer.add(FrameRow(0, json.dumps(book)))
    sides = (("BUY", "0.45"), ("SELL", "0.55"))
    changes = [
        {"asset_id": token, "price": price, "size": "70", "side": side, "hash": ""}
        for token, (side, price) in zip(TOKENS, sides, strict=True)
    ]
    change = {
        "market": MARKET, "price_changes": changes, "timestamp": "1790000060000",
        "event_type": "price_change",
    }  # fmt: skip
    writer.add(FrameRow(60_000_000, json.dumps(change)))
    writer.add(EndRow(60_000_000, 3))
    writer.close()


def test_a_replay_opens_steps_and_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    path, folder = tmp_path / "minute.pmtui", tmp_path / "temporary"
    folder.mkdir()
    write(path)
    terminal = start("replay", str(path), "--speed", "0", env={"TMPDIR": str(folder)})
    terminal.until_text("0:00/1:00 x1 paused")
    terminal.until_text("Recorded market 0xc3c3c3c3")
    terminal.press("enter")
    terminal.until_text("1 of 1 market open")
    terminal.press("enter")
    terminal.until_text("bid 40¢")
    terminal.press("N")
    terminal.until_text("1:00/1:00 x1")
    terminal.until_text("bid 45¢")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert list(folder.glob("pmtui-replay-*")) == []
