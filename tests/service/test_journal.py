import stat
from datetime import UTC, datetime
from pathlib import Path

from pmtui.domain.ids import OrderId
from pmtui.service.journal import Journal, JournalEntry, JournalProblem

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
ORDER = OrderId("0x01")


async def test_what_was_written_is_there_after_a_restart_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.sqlite"
    first = Journal(path)
    assert await first.append("intent", "Buy 10", at=AT, order_id=ORDER) is None
    assert await first.append("sending", "700 bytes", at=AT, order_id=ORDER) is None
    assert await first.append("cancel", "all", at=AT) is None
    await first.close()
    second = Journal(path)
    entries = await second.entries(ORDER)
    assert not isinstance(entries, JournalProblem)
    assert entries == (
        JournalEntry(AT.isoformat(), ORDER, "intent", "Buy 10"),
        JournalEntry(AT.isoformat(), ORDER, "sending", "700 bytes"),
    )
    await second.close()


async def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    await journal.append("intent", "Buy 10", at=AT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await journal.close()


async def test_a_place_that_cannot_be_written_is_a_problem_not_an_exception(
    tmp_path: Path,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    journal = Journal(blocked / "journal.sqlite")
    assert isinstance(await journal.append("intent", "x", at=AT), JournalProblem)
    assert isinstance(await journal.entries(ORDER), JournalProblem)
    await journal.close()


async def test_a_file_that_is_no_journal_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database" * 100)
    journal = Journal(path)
    assert isinstance(await journal.append("intent", "x", at=AT), JournalProblem)
    await journal.close()
