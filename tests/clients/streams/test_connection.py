from pmtui.clients.streams.connection import (
    FAST_READ_S,
    LONG_PAUSE_S,
    PAUSE_S,
    STEADY_READS,
    ReadPace,
    SilenceTimeout,
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


def test_a_busy_socket_is_given_up_sooner_than_a_quiet_one() -> None:
    for gap, too_long in ((0.01, 15.0), (2.0, 60.0)):
        silence = SilenceTimeout()
        silence.opened(0.0)
        for index in range(1, 400):
            silence.received(index * gap)
        last = 399 * gap
        assert not silence.is_too_long(last + too_long - 0.5)
        assert silence.is_too_long(last + too_long + 0.5)


def test_a_few_frames_are_no_ground_to_judge() -> None:
    silence = SilenceTimeout()
    silence.opened(0.0)
    for index in range(5):
        silence.received(float(index))
    assert not silence.is_too_long(100_000.0)


def test_a_socket_that_never_spoke_gets_more_patience_each_time() -> None:
    silence = SilenceTimeout(first_wait_s=30.0)
    silence.opened(0.0)
    assert not silence.is_too_long(29.0)
    assert silence.is_too_long(30.0)
    silence.opened(100.0)
    assert not silence.is_too_long(159.0)
    assert silence.is_too_long(160.0)
    silence.opened(200.0)
    silence.received(201.0)
    silence.opened(300.0)
    assert silence.is_too_long(330.0)
