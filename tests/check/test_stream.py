import gzip
import json
from pathlib import Path

import pytest

from pmtui.domain.book import OrderBook
from pmtui.domain.market_events import BookSnapshot, LevelText
from pmtui.wire.stream import decode_market_frame
from tests.check.__main__ import main
from tests.check.frames import read_frames
from tests.check.replay import Replay


def session(*, drop: frozenset[int] = frozenset()) -> list[dict[str, object]]:
    """A book and twelve changes with their true hashes, some of them left out."""
    raw: dict[str, object] = {
        "event_type": "book", "market": "0xaa", "asset_id": "7", "timestamp": "1000", "hash": "",
        "bids": [], "asks": [], "tick_size": "0.01", "neg_risk": True, "min_order_size": "5",
    }  # fmt: skip
    book = OrderBook(_snapshot(raw).token_id)
    book.apply_snapshot(_snapshot(raw))
    raw["hash"] = book.state_hash("1000", "")
    messages = [raw]
    for index in range(12):
        price, stamp = f"0.{index + 10}", str(1001 + index)
        book.apply_change(LevelText("7", "BUY", price, "5"))
        entry = {
            "asset_id": "7", "side": "BUY", "price": price, "size": "5",
            "hash": book.state_hash(stamp, ""), "best_bid": price, "best_ask": "1",
        }  # fmt: skip
        if index not in drop:
            messages.append(
                {
                    "event_type": "price_change",
                    "market": "0xaa",
                    "price_changes": [entry],
                    "timestamp": stamp,
                }
            )
    return messages


def _snapshot(raw: dict[str, object]) -> BookSnapshot:
    (event,) = decode_market_frame(json.dumps(raw).encode())
    assert isinstance(event, BookSnapshot)
    return event


def write_lines(path: Path, messages: list[object]) -> Path:
    path.write_text("\n".join(json.dumps(message) for message in messages))
    return path


def test_a_whole_session_has_no_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", list(session()))
    assert main(["stream", str(path)]) == 0
    text = capsys.readouterr().out
    assert "12 in order of arrival, 0 after later frames, 0 never" in text
    assert "12 of 12 agree" in text


def test_a_lost_message_is_a_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", list(session(drop=frozenset({2}))))
    assert main(["stream", str(path)]) == 1
    assert "gaps              1" in capsys.readouterr().out


def test_swapped_messages_are_no_gap(tmp_path: Path) -> None:
    messages = session()
    messages[3:6] = reversed(messages[3:6])
    report = Replay().run(read_frames(write_lines(tmp_path / "a.jsonl", list(messages))))
    assert (report.after_later, report.gaps) == (1, [])


@pytest.mark.parametrize("key", ["data", "message", "raw"])
@pytest.mark.parametrize("as_text", [True, False])
def test_messages_may_be_wrapped_by_the_recorder(tmp_path: Path, key: str, as_text: bool) -> None:
    wrapped: list[object] = [
        {"ts": 1000.0 + index, key: json.dumps(message) if as_text else message}
        for index, message in enumerate(session())
    ]
    lines = write_lines(tmp_path / "a.jsonl", wrapped)
    whole = tmp_path / "a.json"
    whole.write_text(json.dumps(wrapped, indent=1))
    for path in (lines, whole):
        report = Replay().run(read_frames(path))
        assert (report.frames, report.in_order) == (13, 12)


def test_arrays_and_gzip_are_read(tmp_path: Path) -> None:
    messages = session()
    path = tmp_path / "a.jsonl.gz"
    lines = [json.dumps(messages[:1]), "PONG", *map(json.dumps, messages[1:])]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    report = Replay().run(read_frames(path))
    assert (report.in_order, report.unknown["text PONG"]) == (12, 1)


def test_what_cannot_be_decoded_fails(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"event_type": "book", "market": "0xaa"}])
    assert main(["stream", str(path)]) == 1
    assert main(["stream", str(tmp_path / "nothing")]) == 2


def test_the_recorded_sessions_have_the_known_figures(shared_dir: Path) -> None:
    folder = shared_dir / "data/ws"
    deep = Replay().run(read_frames(folder / "market__2026-07-27__deep_book_0x18b1.jsonl.gz"))
    assert (deep.in_order, deep.after_later, deep.never, deep.gaps) == (1604, 98, 0, [])
    assert (deep.tops_agreed, deep.tops_disagreed) == (1702, 0)
    burst = Replay().run(read_frames(folder / "market__2026-05-19__4_markets.jsonl.gz"))
    assert (burst.in_order, burst.after_later, burst.never) == (48, 2, 0)
    assert (burst.books_matched, burst.failures, burst.gaps) == (8, [], [])
