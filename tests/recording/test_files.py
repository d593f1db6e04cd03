"""A recording is read as it was written, also when its end is torn off, and others' files too."""

import gzip
import json
import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.recording.reader import Recording, Unreadable, read_recording
from pmtui.recording.writer import (
    AnswerRow,
    CannotMakeError,
    EndRow,
    FrameRow,
    Header,
    LinkRow,
    RecordingWriter,
)

HEADER = Header(started_ms=1_790_000_000_000, token_ids=("11", "22"), profile="paper")
CHANGE = {
    "market": "0xaa",
    "price_changes": [
        {"asset_id": "11", "price": "0.4", "size": "5", "side": "BUY", "hash": "ab"},
    ],
    "timestamp": "1790000001000",
    "event_type": "price_change",
}
BOOK = {
    "market": "0xaa", "asset_id": "11", "timestamp": "1789999000000", "hash": "cd",
    "bids": [], "asks": [], "event_type": "book",
}  # fmt: skip


def text_of(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def write(path: Path, frames: int, *, is_ended: bool = True) -> None:
    writer = RecordingWriter(path, HEADER)
    writer.add(LinkRow(10, "open"))
    writer.add(AnswerRow(20, "clob", "/book", "{}", (("token_id", "11"),)))
    for number in range(frames):
        writer.add(FrameRow(1_000 * number, text_of(CHANGE | {"number": number})))
        writer.flush()
    if is_ended:
        writer.add(EndRow(1_000 * frames, frames))
    writer.close()


def read(path: Path) -> Recording:
    found = read_recording(path)
    assert isinstance(found, Recording), found
    return found


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a", 3)
    found = read(tmp_path / "a")
    assert found.header == HEADER
    assert [(m.at_us, m.kind, m.condition_id) for m in found.messages] == [
        (0, "price_change", "0xaa"), (1_000, "price_change", "0xaa"),
        (2_000, "price_change", "0xaa"),
    ]  # fmt: skip
    assert [answer.query for answer in found.answers] == [(("token_id", "11"),)]
    assert (found.is_torn, found.skipped, found.length_us) == (False, 0, 2_000)


def test_messages_are_kept_letter_for_letter(tmp_path: Path) -> None:
    said = '{"market":"0xaa","asset_id":"11","x": "\\u00e9 é",  "event_type":"book"}'
    writer = RecordingWriter(tmp_path / "a", HEADER)
    writer.add(FrameRow(0, said))
    writer.close()
    assert read(tmp_path / "a").messages[0].data == said.encode()


def test_an_array_of_books_is_a_message_each(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a", HEADER)
    writer.add(FrameRow(0, text_of([BOOK, BOOK | {"asset_id": "22"}])))
    writer.close()
    assert [m.token_id for m in read(tmp_path / "a").messages] == ["11", "22"]


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    write(tmp_path / "a", 1)
    before = (tmp_path / "a").read_bytes()
    with pytest.raises(CannotMakeError):
        RecordingWriter(tmp_path / "a", HEADER)
    assert (tmp_path / "a").read_bytes() == before


def test_the_file_is_the_users_alone(tmp_path: Path, open_umask: None) -> None:
    write(tmp_path / "a", 1)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_any_tool_reads_it(tmp_path: Path) -> None:
    write(tmp_path / "a", 2)
    lines = gzip.decompress((tmp_path / "a").read_bytes()).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [
        "header", "link", "answer", "frame", "frame", "end",
    ]  # fmt: skip


def test_what_was_flushed_is_read_before_the_file_is_closed(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a", HEADER)
    for number in range(3):
        writer.add(FrameRow(number, text_of(CHANGE)))
    writer.flush()
    writer.add(FrameRow(9, text_of(CHANGE)))
    found = read(tmp_path / "a")
    writer.close()
    assert ([m.at_us for m in found.messages], found.is_torn) == ([0, 1, 2], True)


@given(st.data())
def test_a_torn_tail_is_cut_at_the_last_whole_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    write(folder / "a", 20)
    whole = (folder / "a").read_bytes()
    length = data.draw(st.integers(0, len(whole)))
    (folder / "b").write_bytes(whole[:length])
    found = read_recording(folder / "b")
    if isinstance(found, Recording):
        assert [m.at_us for m in found.messages] == [1_000 * n for n in range(len(found.messages))]
        assert found.is_torn == (length < len(whole))
        assert found.skipped == 0


def test_a_recording_of_another_version_is_refused_and_says_which(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text('{"kind":"header","format":"pmtui-recording","version":9}\n')
    found = read_recording(path)
    assert isinstance(found, Unreadable)
    assert "version 9" in found.text


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"{}", b"[]", b"\x1f\x8b", b"[" * 100_000, b'{"event_type":"x"}']
)
def test_a_file_without_messages_is_refused_in_a_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    found = read_recording(path)
    assert isinstance(found, Unreadable)
    assert "\n" not in found.text


@pytest.mark.parametrize("is_ended", [True, False])
def test_a_recording_without_messages_is_told_from_a_wrong_file(
    tmp_path: Path, *, is_ended: bool
) -> None:
    write(tmp_path / "a", 0, is_ended=is_ended)
    found = read_recording(tmp_path / "a")
    assert isinstance(found, Unreadable)
    assert (found.is_recording, "cut off" in found.text) == (True, not is_ended)
    whole = (tmp_path / "a").read_bytes()
    begun = gzip.compress(b'{"kind":"header","star')[:-8]
    told = {begun: True, whole[:5]: False, b"": False, b"hello": False, b"{": False}
    for content, is_recording in told.items():
        (tmp_path / "b").write_bytes(content)
        found = read_recording(tmp_path / "b")
        assert isinstance(found, Unreadable)
        assert found.is_recording == is_recording


def test_a_file_of_others_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "public.jsonl.gz"
    lines = "".join(f"{text_of(CHANGE | {'n': number})}\n" for number in range(2_000))
    packed = gzip.compress(lines.encode())
    path.write_bytes(packed[: len(packed) // 2])
    found = read(path)
    assert found.is_torn
    assert 100 < len(found.messages) < 2_000


def test_a_file_that_cannot_be_made_is_named_and_one_that_cannot_be_filled_is_removed(
    tmp_path: Path,
) -> None:
    for path in (tmp_path / "none" / "a", tmp_path / ("x" * 300), tmp_path):
        with pytest.raises(CannotMakeError):
            RecordingWriter(path, HEADER)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            RecordingWriter(tmp_path / "a", HEADER)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not (tmp_path / "a").exists()


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert isinstance(read_recording(tmp_path / "a"), Unreadable)


def test_a_file_too_large_unpacked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(b" " * 3_000_000))
    found = read_recording(path, max_bytes=1 << 20)
    assert isinstance(found, Unreadable)
    assert "larger" in found.text


def public(tmp_path: Path, *values: object) -> Recording:
    path = tmp_path / "public.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(text_of, values)).encode()))
    return read(path)


def test_bare_messages_are_dated_by_their_own_times(tmp_path: Path) -> None:
    later = CHANGE | {"timestamp": "1790000003500"}
    found = public(tmp_path, [BOOK, BOOK | {"asset_id": "22"}], CHANGE, later)
    assert found.header.started_ms == 1_790_000_001_000
    assert [m.at_us for m in found.messages] == [0, 0, 0, 2_500_000]


def test_messages_with_their_arrival_are_dated_by_it(tmp_path: Path) -> None:
    rows = [{"arrival_ms": 1_790_000_000_000 + n, "data": CHANGE} for n in (0, 40)]
    found = public(tmp_path, *rows)
    assert [m.at_us for m in found.messages] == [0, 40_000]


def test_time_never_runs_backwards(tmp_path: Path) -> None:
    earlier = CHANGE | {"timestamp": "1790000000100"}
    found = public(tmp_path, CHANGE, earlier)
    assert [m.at_us for m in found.messages] == [0, 0]


def test_books_of_the_trading_host_become_messages(tmp_path: Path) -> None:
    book = {key: value for key, value in BOOK.items() if key != "event_type"}
    found = public(tmp_path, [book])
    assert [(m.kind, m.token_id) for m in found.messages] == [("book", "11")]


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("market__2026-05-19__4_markets.jsonl.gz", 33),
        ("market__2026-07-27__deep_book_0x18b1.jsonl.gz", 853),
        ("book_events__2026-02-12.jsonl", 5),
        ("last_trade_price_events__2026-02-12.jsonl", 5),
        ("best_bid_ask__2026-05-19.jsonl", 2),
    ],
)
def test_public_recordings_are_read_whole(shared_dir: Path, name: str, messages: int) -> None:
    found = read(shared_dir / "data" / "ws" / name)
    assert (len(found.messages), found.skipped) == (messages, 0)


def test_a_device_is_no_recording() -> None:
    assert isinstance(read_recording(Path("/dev/zero")), Unreadable)
