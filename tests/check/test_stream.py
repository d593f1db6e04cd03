import gzip
import json
from pathlib import Path

import pytest

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, LevelText
from pmtui.recording.reader import read_bytes, split_frames
from pmtui.wire.stream import decode_market_frame
from tests.check.__main__ import main
from tests.check.replay import Replay, Report
from tests.check.tally import HashCount

pytestmark = pytest.mark.no_cover


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
    report = replayed(write_lines(tmp_path / "a.jsonl", list(messages)))
    assert (report.changes.after_later, report.gaps) == (1, [])


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
        report = replayed(path)
        assert (report.frames, report.changes.in_order) == (13, 12)


def test_arrays_and_gzip_are_read(tmp_path: Path) -> None:
    messages = session()
    path = tmp_path / "a.jsonl.gz"
    lines = [json.dumps(messages[:1]), "PONG", *map(json.dumps, messages[1:])]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    report = replayed(path)
    assert (report.changes.in_order, report.unknown["text PONG"]) == (12, 1)


def test_what_cannot_be_decoded_fails(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"event_type": "book", "market": "0xaa"}])
    assert main(["stream", str(path)]) == 1
    assert main(["stream", str(tmp_path / "nothing")]) == 2


def lines_of(messages: list[dict[str, object]]) -> list[bytes]:
    return [json.dumps(message).encode() for message in messages]


def replayed(path: Path) -> Report:
    return Replay().run(split_frames(read_bytes(path)))


def played(tmp_path: Path, lines: list[bytes]) -> Report:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(lines))
    return replayed(path)


@pytest.mark.parametrize(
    "damaged",
    [b'{"market":', b"[" * 200_000, b"[" * 100_000 + b"]" * 100_000, b"\x00\xff", b'"\\ud800"'],
)
@pytest.mark.parametrize("place", [0, 3, 13])
def test_a_damaged_line_spoils_no_other(tmp_path: Path, damaged: bytes, place: int) -> None:
    lines = lines_of(session())
    report = played(tmp_path, [*lines[:place], damaged, *lines[place:]])
    assert (report.frames, report.changes.in_order, report.gaps) == (14, 12, [])
    assert len(report.failures) + sum(report.unknown.values()) == 1


JUNK: tuple[object, ...] = (
    None, True, 1, 1.5, -1, "", "x", "-0.5", "2", "NaN", "1e999", "9" * 400, "\u0661", [], {},
    ["x"], [None], [[]], [{}], [{"price": "x", "size": "1"}],
)  # fmt: skip


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_any_member_may_be_anything(tmp_path: Path, junk: object) -> None:
    messages = session()
    book, change = messages[0], messages[1]
    entries = change["price_changes"]
    assert isinstance(entries, list)
    (entry,) = entries
    odd = [{**book, key: junk} for key in book] + [{**change, key: junk} for key in change]
    odd += [{**change, "price_changes": [{**entry, key: junk}]} for key in entry]
    report = played(tmp_path, lines_of([*messages[:5], *odd, *messages[5:]]))
    assert report.frames == 13 + len(odd)
    assert report.failures


def test_a_price_that_is_none_is_told(tmp_path: Path) -> None:
    messages = session()
    bad = json.loads(json.dumps(messages[4]).replace('"price": "0.13"', '"price": "x"'))
    report = played(tmp_path, lines_of([*messages, bad]))
    assert report.failures == ["frame 14: PriceChanges: not a decimal amount: 'x'"]


def test_what_is_said_twice_is_said_once(tmp_path: Path) -> None:
    messages = session()
    messages[3:11] = reversed(messages[3:11])
    twice = [line for line in lines_of(messages) for _ in range(2)]
    once, again = played(tmp_path, lines_of(messages)), played(tmp_path, twice)
    assert (again.repeated, again.gaps) == (13, once.gaps)
    assert (once.gaps, again.tops_agreed) == ([], 2 * once.tops_agreed)


def traded(*, told: bool = True) -> list[dict[str, object]]:
    """A session with a trade: change and book have its price in their hash before it is told."""
    messages = session()
    book = OrderBook(_snapshot(messages[0]).token_id)
    book.apply_snapshot(_snapshot(messages[0]))
    for index in range(13):
        stamp, last = str(1001 + index if index < 12 else 5000), "0.300" if index >= 11 else ""
        entry = {
            "asset_id": "7", "side": "BUY", "price": f"0.{index + 10}", "size": "5",
            "best_bid": f"0.{index + 10}", "best_ask": "1",
        }  # fmt: skip
        book.apply_change(LevelText("7", "BUY", f"0.{index + 10}", "5"))
        entry["hash"] = book.state_hash(stamp, last) or ""
        change = {"event_type": "price_change", "market": "0xaa", "price_changes": [entry]}
        messages[index + 1 : index + 2] = [{**change, "timestamp": stamp}]
    trade: dict[str, object] = {
        "event_type": "last_trade_price", "market": "0xaa", "asset_id": "8", "price": "0.3",
        "size": "5", "side": "BUY", "timestamp": "1012",
    }  # fmt: skip
    messages[13:13] = [trade] if told else []
    return messages


def test_a_hash_with_the_price_of_a_trade_that_follows_fits(tmp_path: Path) -> None:
    report = played(tmp_path, lines_of(traded()))
    assert (report.changes, report.gaps) == (HashCount(12, 1, 0), [])


def test_a_trade_that_was_lost_is_a_gap(tmp_path: Path) -> None:
    report = played(tmp_path, lines_of(traded(told=False)))
    assert (report.changes, len(report.gaps)) == (HashCount(11, 0, 2), 1)


def test_a_book_that_never_fits_is_a_gap(tmp_path: Path) -> None:
    messages = session()
    late = [{**message, "timestamp": "9999"} for message in messages[1:]]
    report = played(tmp_path, lines_of([{**messages[0], "hash": "f" * 40}, *late]))
    assert (report.books, len(report.gaps)) == (HashCount(0, 0, 1), 1)


@pytest.mark.parametrize("as_text", [True, False])
def test_time_and_message_may_be_a_pair(tmp_path: Path, as_text: bool) -> None:
    pairs = [[1.5 * i, json.dumps(m) if as_text else m] for i, m in enumerate(session())]
    assert played(tmp_path, lines_of(pairs)).changes.in_order == 12  # type: ignore[arg-type]
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(pairs))
    assert replayed(whole).changes.in_order == 12


@pytest.mark.parametrize("time", [float("inf"), float("nan"), "noon", None, True, 10**30])
def test_a_recorder_may_keep_any_time(tmp_path: Path, time: object) -> None:
    wrapped: list[dict[str, object]] = [{"ts": time, "data": m} for m in session()]
    assert played(tmp_path, lines_of(wrapped)).changes.in_order == 12


def test_a_recorder_may_mark_the_order_of_bytes(tmp_path: Path) -> None:
    lines = lines_of(session())
    assert played(tmp_path, [b"\xef\xbb\xbf" + lines[0], *lines[1:]]).failures == []


@pytest.mark.parametrize("length", [2, 40, -4])
def test_a_damaged_archive_is_told_in_one_line(
    tmp_path: Path, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n".join(lines_of(session())))[:length])
    whole = write_lines(tmp_path / "whole.jsonl", list(session()))
    assert main(["stream", str(path), str(whole)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{path}: cannot be read: damaged gzip")
    assert printed.err.count("\n") == 1
    assert "12 in order" in printed.out


@pytest.mark.parametrize("text", ["", " \n\n", '{"topic": "prices", "payload": {}}', "[[1, 2, 3]]"])
def test_a_file_of_nothing_of_the_channel_fails(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    assert main(["stream", str(path)]) == 1
    assert "holds no message of the market channel" in capsys.readouterr().out


def test_the_recorded_sessions_have_the_known_figures(shared_dir: Path) -> None:
    folder = shared_dir / "data/ws"
    deep = replayed(folder / "market__2026-07-27__deep_book_0x18b1.jsonl.gz")
    assert (deep.changes, deep.gaps) == (HashCount(1604, 98, 0), [])
    assert (deep.tops_agreed, deep.tops_disagreed) == (1702, 0)
    burst = replayed(folder / "market__2026-05-19__4_markets.jsonl.gz")
    assert burst.changes == HashCount(48, 2, 0)
    assert (burst.books, burst.failures, burst.gaps) == (HashCount(8, 0, 0), [], [])
