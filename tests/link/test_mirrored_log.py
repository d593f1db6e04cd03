"""A terminal's own notices stand among the entries of the service, and stay until they are read."""

from datetime import UTC, datetime

from pmtui.link.mirrored_log import MirroredLog
from pmtui.service.views import Level, LogEntry

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def entries(*sequences: int, level: Level = Level.WARNING) -> list[LogEntry]:
    return [LogEntry(each, NOW, level, "notice", f"entry {each}") for each in sequences]


def texts(log: MirroredLog) -> list[str]:
    return [entry.text for entry in log.view().entries]


def test_an_own_notice_stands_where_it_came_and_is_numbered_through() -> None:
    log = MirroredLog()
    log.add(entries(1, 2), dropped=0)
    log.add_own(Level.BAD, "own", at=NOW)
    # What is sent again is known already.
    log.add(entries(2, 3), dropped=0)
    assert texts(log) == ["entry 1", "entry 2", "own", "entry 3"]
    assert [entry.sequence for entry in log.view().entries] == [1, 2, 3, 4]
    assert log.last_entry == 3
    assert [log.to_service(number) for number in (1, 2, 3, 4)] == [1, 2, 2, 3]
    assert log.unread == 4


def test_an_own_notice_outlives_the_run_until_it_is_read() -> None:
    log = MirroredLog()
    log.add(entries(1, 2), dropped=0)
    log.add_own(Level.BAD, "own", at=NOW)
    log.begin_anew(0)
    log.add(entries(1), dropped=0)
    assert texts(log) == ["own", "entry 1"]
    assert log.unread == 2
    assert log.mark_read(2)
    assert not log.mark_read(1)
    assert log.to_service(2) == 1
    assert log.unread == 0
    log.begin_anew(7)
    log.add(entries(6, 7, 8), dropped=5)
    assert texts(log) == ["entry 6", "entry 7", "entry 8"]
    assert (log.view().dropped, log.view().read_up_to, log.unread) == (5, 7, 1)


def test_information_is_never_unread() -> None:
    log = MirroredLog()
    log.add(entries(1, level=Level.INFO), dropped=0)
    assert log.unread == 0
    assert log.view() is log.view()
