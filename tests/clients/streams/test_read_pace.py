from pmtui.clients.streams.connection import (
    FAST_READ_S,
    LONG_PAUSE_S,
    PAUSE_S,
    STEADY_READS,
    ReadPace,
)


def _pauses(pace: ReadPace, reads: int, gap_s: float, *, at: float = 100.0) -> list[float]:
    """Return the rest after each of some reads, a gap after the reading began again."""
    pauses = []
    for _ in range(reads):
        at += gap_s
        pauses.append(pace.pause_s(at))
        if pauses[-1]:
            at += pauses[-1]
            pace.resumed(at)
    return pauses


def test_messages_that_come_alone_are_read_as_they_come() -> None:
    assert _pauses(ReadPace(), 50, FAST_READ_S * 2) == [0] * 50


def test_messages_that_come_together_are_read_together() -> None:
    pace = ReadPace()
    assert pace.pause_s(100) == 0
    assert _pauses(pace, STEADY_READS, 0) == [PAUSE_S] * STEADY_READS


def test_of_a_steady_stream_each_read_brings_more() -> None:
    pace = ReadPace()
    pace.pause_s(100)
    assert _pauses(pace, STEADY_READS + 5, FAST_READ_S / 2)[STEADY_READS:] == [LONG_PAUSE_S] * 5


def test_after_a_silence_it_begins_anew() -> None:
    pace = ReadPace()
    pace.pause_s(100)
    _pauses(pace, STEADY_READS + 5, 0)
    assert _pauses(pace, 2, FAST_READ_S * 2, at=200.0) == [0, 0]
    assert _pauses(pace, 1, 0, at=200.0 + FAST_READ_S * 4) == [PAUSE_S]
