import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderStatus, TimeInForce, TradeStatus
from pmtui.service.journal import journal as journal_module
from pmtui.service.journal.journal import Journal, OutgoingOrder, RememberedStatus
from pmtui.service.journal.journal_rows import (
    Damage,
    JournaledOrder,
    JournalEntry,
    JournalProblem,
    read_fills,
    read_lives,
)
from tests.clients.streams.servers import until
from tests.service.fakes import resting
from tests.service.journal_kit import AT, SIGNED, fill, note_fill, note_standing

ORDER = OrderId("0x01")
FULL = "CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'disk is full'); END"


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


BODY = b'{"order":{"salt":1},"owner":"6f1c2a34"}'


async def begin(journal: Journal, order_id: OrderId = ORDER) -> JournalProblem | None:
    return await journal.begin([OutgoingOrder(resting(order_id), "River", BODY, "Buy 10")])


async def test_an_order_is_on_the_disk_with_its_bytes_before_it_leaves(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    assert await begin(journal) is None
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT body, state FROM orders").fetchall() == [(BODY, None)]
    entries = await journal.entries(ORDER)
    assert not isinstance(entries, JournalProblem)
    assert [e.kind for e in entries] == ["intent", "sending"]
    await journal.close()


async def test_the_same_order_is_never_begun_twice(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    assert await begin(journal) is None
    assert isinstance(await begin(journal), JournalProblem)
    await journal.close()


async def test_orders_without_an_end_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first = Journal(path)
    for number in (1, 2, 3):
        await begin(first, OrderId(f"0x0{number}"))
    note_standing(first, OrderId("0x01"), OrderStatus.FILLED, is_known=True)
    note_standing(first, OrderId("0x02"), OrderStatus.LIVE, is_known=True)
    await first.close()
    second = Journal(path)
    assert await second.unsettled() == (
        JournaledOrder(resting(OrderId("0x02")), "River", None, is_known=True),
        JournaledOrder(resting(OrderId("0x03")), "River", None, is_known=False),
    )
    await second.close()


async def test_notes_keep_their_place_among_awaited_lines(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    for number in range(20):
        if number % 3:
            journal.record("state", str(number), at=AT, order_id=ORDER)
        else:
            await journal.append("state", str(number), at=AT, order_id=ORDER)
    entries = await journal.entries(ORDER)
    assert not isinstance(entries, JournalProblem)
    assert [e.text for e in entries] == [str(n) for n in range(20)]
    await journal.close()


async def test_only_one_may_write(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first, second = Journal(path), Journal(path)
    assert await first.open() is None
    problem = await second.open()
    assert isinstance(problem, JournalProblem)
    assert "another pmtui" in problem.text
    await first.close()
    assert await second.open() is None
    await second.close()


async def test_a_full_disk_is_told_and_what_was_noted_is_written_later(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    told: list[JournalProblem | None] = []
    journal.on_problem(told.append)
    assert await begin(journal) is None
    with closing(sqlite3.connect(path)) as other:
        # Stands for a disk without room: whoever writes next finds the door locked.
        other.execute(FULL)
        assert isinstance(await begin(journal, OrderId("0x02")), JournalProblem)
        journal.record("state", "live", at=AT, order_id=ORDER)
        assert isinstance(await journal.append("x", "y", at=AT), JournalProblem)
        assert [p and p.text for p in told] == ["IntegrityError: disk is full"]
        other.execute("DROP TRIGGER full")
    entries = await journal.entries(ORDER)
    assert not isinstance(entries, JournalProblem)
    assert [e.text for e in entries][-1] == "live"
    await journal.close()
    lives = read_lives(path)
    assert not isinstance(lives, JournalProblem)
    assert [life.order.order.order_id for life in lives] == [ORDER]


async def fill_disk(journal: Journal, other: sqlite3.Connection) -> list[JournalProblem | None]:
    """Note a line that cannot be written; return what is told of that, now and later."""
    told: list[JournalProblem | None] = []
    journal.on_problem(told.append)
    assert await begin(journal) is None
    other.execute(FULL)
    journal.record("state", "line 0", at=AT)
    await until(lambda: bool(told), "the problem")
    return told


async def test_a_full_disk_is_not_asked_for_every_note_and_told_of_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path, first_pause_s=3_600)
    with closing(sqlite3.connect(path)) as other:
        told = await fill_disk(journal, other)
        # An order is refused at once, however long it is until notes are tried again.
        assert isinstance(await begin(journal, OrderId("0x02")), JournalProblem)
        other.execute("DROP TRIGGER full")
        for number in range(1, 500):
            journal.record("state", f"line {number}", at=AT)
        await journal._in_thread(lambda: None)
        assert other.execute("SELECT count(*) FROM entries WHERE kind = 'state'").fetchone() == (0,)
        assert len(told) == 1
        # And one that may leave takes along all that has gathered.
        assert await begin(journal, OrderId("0x03")) is None
        lines = other.execute("SELECT text FROM entries WHERE kind = 'state'").fetchall()
    assert lines == [(f"line {number}",) for number in range(500)]
    assert told[1:] == [None]
    await journal.close()


async def test_notes_are_tried_again_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path, first_pause_s=0.01)
    with closing(sqlite3.connect(path)) as other:
        told = await fill_disk(journal, other)
        other.execute("DROP TRIGGER full")
        await until(lambda: None in told, "it is written again")
        assert other.execute("SELECT text FROM entries WHERE kind = 'state'").fetchall() == [
            ("line 0",)
        ]
    assert len(told) == 2
    await journal.close()


async def test_what_there_is_no_room_for_is_words_first_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MOST_NOTES", 5)
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    assert await begin(journal) is None
    with closing(sqlite3.connect(path)) as other:
        other.execute(FULL)
        note_standing(journal, ORDER, OrderStatus.LIVE, is_known=True)
        for number in range(10):
            journal.record("state", f"line {number}", at=AT)
        assert isinstance(await journal.append("x", "y", at=AT), JournalProblem)
        other.execute("DROP TRIGGER full")
    assert await journal.append("state", "again", at=AT) is None
    with closing(sqlite3.connect(path)) as other:
        texts = [text for (text,) in other.execute("SELECT text FROM entries ORDER BY sequence")]
        assert other.execute("SELECT is_known FROM orders").fetchall() == [(1,)]
    kept = [f"line {number}" for number in range(6, 10)]
    assert texts[2:] == [
        "live",
        *kept,
        "again",
        "6 lines before this could not be written, and are lost",
    ]
    await journal.close()


async def test_lives_can_be_read_while_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    assert read_lives(path) == ()
    journal = Journal(path)
    await begin(journal)
    lives = read_lives(path)
    assert not isinstance(lives, JournalProblem)
    ((order, kinds),) = [(x.order, [e.kind for e in x.entries]) for x in lives]
    assert order == JournaledOrder(resting(ORDER), "River", None, is_known=False)
    assert kinds == ["intent", "sending"]
    await journal.close()
    path.write_bytes(b"not a database" * 100)
    assert isinstance(read_lives(path), JournalProblem)


async def test_a_fill_is_remembered_with_its_title_and_never_goes_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    assert read_fills(path) == ()
    journal = Journal(path)
    await begin(journal)
    for status in (TradeStatus.MATCHED, TradeStatus.CONFIRMED, TradeStatus.MINED):
        note_fill(journal, fill(ORDER, status))
    note_fill(journal, fill(OrderId("0x02"), TradeStatus.MATCHED))
    await journal.close()
    fills = read_fills(path)
    assert not isinstance(fills, JournalProblem)
    assert {(f.fill.order_id, f.fill.status, f.title) for f in fills} == {
        (ORDER, TradeStatus.CONFIRMED, "River"),
    }
    path.write_bytes(b"not a database" * 100)
    assert isinstance(read_fills(path), JournalProblem)


async def test_a_journal_from_before_fills_were_kept_has_none(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.execute("CREATE TABLE orders (order_id TEXT)")
    assert read_fills(path) == ()


async def test_a_damaged_fill_does_not_stop_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    assert await begin(journal) is None
    note_fill(journal, fill(ORDER, TradeStatus.MATCHED))
    await journal.append("x", "y", at=AT)
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE fills SET facts = '{'")
        other.commit()
    assert isinstance(read_fills(path), JournalProblem)
    note_fill(journal, fill(ORDER, TradeStatus.MINED))
    await journal.close()
    fills = read_fills(path)
    assert not isinstance(fills, JournalProblem)
    assert [f.fill.status for f in fills] == [TradeStatus.MINED]


GOOD, BAD = OrderId("0x0a"), OrderId("0x0b")


async def damaged(path: Path, change: str, *values: object) -> tuple[JournaledOrder, ...]:
    """Write two orders down, damage the row of one; return what the next session reads."""
    first = Journal(path)
    for order_id in (GOOD, BAD):
        await first.begin([OutgoingOrder(resting(order_id), "River", SIGNED, "Buy 10")])
    await first.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"UPDATE orders SET {change} WHERE order_id = ?", (*values, BAD))
    second = Journal(path)
    found = await second.unsettled()
    await second.close()
    assert not isinstance(found, JournalProblem)
    return found


@pytest.mark.parametrize(
    "facts", ["{", "", '{"order_id":"0x0b"}', b"\xff\xfe", 17, '{"order_id":"0x0c"}']
)
async def test_a_damaged_row_is_taken_from_its_signed_bytes(tmp_path: Path, facts: object) -> None:
    found = await damaged(tmp_path / "journal.sqlite", "facts = ?", facts)
    assert found[0] == JournaledOrder(resting(GOOD), "River", None, is_known=False)
    other = found[1]
    assert (other.damage, other.order.order_id) == (Damage.FACTS, BAD)
    order = other.order
    assert (order.token_id, order.side, order.price) == ("71321", Side.BUY, 400_000)
    assert (order.original_size, order.time_in_force) == (10_000_000, TimeInForce.GTC)
    assert (order.is_post_only, order.expires_at) == (True, None)


async def test_a_row_of_which_nothing_can_be_read_keeps_its_id(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    found = await damaged(path, "facts = '{', body = ?, at = 'x', title = ?", b"{", b"\xff")
    by_id = {each.order.order_id: each.damage for each in found}
    assert by_id == {GOOD: Damage.NONE, BAD: Damage.ALL}
    lives = read_lives(path)
    assert not isinstance(lives, JournalProblem)


async def test_a_state_that_is_none_is_no_end(tmp_path: Path) -> None:
    found = await damaged(tmp_path / "journal.sqlite", "state = 'cancelleX'")
    assert [each.order.order_id for each in found] == [GOOD, BAD]
    assert [each.state for each in found] == [None, None]


@pytest.mark.parametrize("change", ["unlink", "replace", "log"])
async def test_a_journal_that_is_removed_or_replaced_takes_no_more_orders(
    tmp_path: Path, change: str
) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    assert await begin(journal) is None
    if change == "log":
        path.with_name("journal.sqlite-wal").unlink()
    else:
        path.rename(tmp_path / "elsewhere")
    if change == "replace":
        path.write_bytes(b"")
    problem = await begin(journal, OrderId("0x02"))
    assert isinstance(problem, JournalProblem)
    assert "removed or replaced" in problem.text
    await journal.close()


async def test_a_journal_that_was_put_back_takes_orders_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    assert await begin(journal) is None
    path.rename(tmp_path / "elsewhere")
    assert isinstance(await begin(journal, OrderId("0x02")), JournalProblem)
    (tmp_path / "elsewhere").rename(path)
    assert await begin(journal, OrderId("0x03")) is None
    await journal.close()


def remove_all_but_the_journal(folder: Path) -> None:
    for file in folder.iterdir():
        if not file.name.startswith("journal.sqlite"):
            file.unlink()


async def test_no_other_file_guards_a_journal(tmp_path: Path) -> None:
    """Whatever else is removed from its folder, a second program may not write it."""
    path = tmp_path / "journal.sqlite"
    first, second = Journal(path), Journal(path)
    assert await begin(first) is None
    remove_all_but_the_journal(tmp_path)
    assert isinstance(await begin(second, OrderId("0x02")), JournalProblem)
    await first.close()
    await second.close()


async def test_what_is_heard_of_an_order_is_written_whenever_it_left(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first = Journal(path)
    await begin(first)
    note_standing(first, ORDER, OrderStatus.REJECTED, is_known=False)
    await first.close()
    second = Journal(path)
    late = fill(ORDER, TradeStatus.MATCHED)
    for _ in range(2):
        second.record_about(ORDER, "fill", "10 after all", at=AT, fact=late)
    reopened = RememberedStatus(ORDER, OrderStatus.LIVE, is_known=True)
    second.record_about(ORDER, "state", "live", at=AT, fact=reopened)
    stranger = OrderId("0x99")
    second.record_about(stranger, "fill", "not ours", at=AT, fact=fill(stranger, TradeStatus.MINED))
    entries = await second.entries(ORDER)
    assert not isinstance(entries, JournalProblem)
    # Reported twice, written once.
    assert [entry.text for entry in entries][2:] == ["rejected", "10 after all", "live"]
    assert await second.entries(stranger) == ()
    found = await second.unsettled()
    assert not isinstance(found, JournalProblem)
    assert [each.order.order_id for each in found] == [ORDER]
    await second.close()
    fills = read_fills(path)
    assert not isinstance(fills, JournalProblem)
    assert [each.fill.order_id for each in fills] == [ORDER]


async def test_an_order_whose_fills_add_up_later_ends_as_filled(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first = Journal(path)
    await begin(first)
    part = replace(
        fill(ORDER, TradeStatus.MATCHED), trade_id=TradeId("part"), size=Micros(4_000_000)
    )
    first.record_about(ORDER, "fill", "4", at=AT, fact=part)
    note_standing(first, ORDER, OrderStatus.CANCELLED, is_known=True)
    await first.close()
    second = Journal(path)
    assert await state_of(second, path) == "cancelled"
    rest = replace(part, trade_id=TradeId("rest"), size=Micros(6_000_000))
    second.record_about(ORDER, "fill", "6", at=AT, fact=rest)
    assert await state_of(second, path) == "filled"
    note_standing(second, ORDER, OrderStatus.CANCELLED, is_known=True)
    assert await state_of(second, path) == "filled"
    await second.close()


async def state_of(journal: Journal, path: Path) -> str | None:
    assert await journal.unsettled() == ()
    with closing(sqlite3.connect(path)) as file:
        (state,) = file.execute("SELECT state FROM orders").fetchone()
    return None if state is None else str(state)
