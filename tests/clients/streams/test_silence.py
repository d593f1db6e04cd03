from pmtui.clients.streams.connection import Silence


def test_a_busy_socket_is_given_up_sooner_than_a_quiet_one() -> None:
    for gap, too_long in ((0.01, 15.0), (2.0, 60.0)):
        silence = Silence()
        silence.opened(0.0)
        for index in range(1, 400):
            silence.received(index * gap)
        last = 399 * gap
        assert not silence.is_too_long(last + too_long - 0.5)
        assert silence.is_too_long(last + too_long + 0.5)


def test_a_few_frames_are_no_ground_to_judge() -> None:
    silence = Silence()
    silence.opened(0.0)
    for index in range(5):
        silence.received(float(index))
    assert not silence.is_too_long(100_000.0)


def test_a_socket_that_never_spoke_gets_more_patience_each_time() -> None:
    silence = Silence(first_wait_s=30.0)
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
