"""What cannot be replayed is refused in one line, before a terminal is taken over."""

from pathlib import Path

import pytest

from pmtui.cli.main import main
from pmtui.cli.replay import make_timeline
from pmtui.recording.reader import Message, Recording
from pmtui.recording.writer import FrameRow, Header, RecordingWriter


@pytest.mark.parametrize("content", [None, b"", b"hello", b'{"kind":"x"}'])
def test_a_file_that_holds_nothing_ends_with_1(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    if content is not None:
        path.write_bytes(content)
    assert main(["replay", str(path)]) == 1
    said = capsys.readouterr().err
    assert (said.count("\n"), said.startswith("pmtui replay: ")) == (1, True)


def test_without_a_terminal_it_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = RecordingWriter(tmp_path / "a", Header(started_ms=0, token_ids=()))
    writer.add(FrameRow(0, '{"event_type":"book","market":"0xaa","asset_id":"1"}'))
    writer.close()
    assert main(["replay", str(tmp_path / "a")]) == 2
    assert "terminal" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--speed", "x"], ["--speed", "-1"], ["--speed", "1000"]])
def test_a_speed_out_of_range_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", "a", *words])
    assert ended.value.code == 2


@pytest.mark.parametrize(("speed", "position_us"), [(0.0, 700), (1.0, 0)])
def test_a_replay_that_begins_paused_begins_with_its_first_message(
    speed: float, position_us: int
) -> None:
    recording = Recording(Header(started_ms=0, token_ids=()))
    recording.messages += [Message(at, b"{}", "0xaa", "1", "book") for at in (700, 9_000_000)]
    timeline = make_timeline(recording, speed)
    timeline.pause()
    assert (timeline.position_us // 500_000, timeline.is_paused) == (0, True)
    assert timeline.position_us >= position_us
