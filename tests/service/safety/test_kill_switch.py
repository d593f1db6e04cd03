import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import Accepted, Rejected
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.safety.kill_lock import (
    ANSWER,
    KILLED,
    UNREADABLE,
    KillAnswer,
    Killed,
    KillLock,
    new_kill,
    read_answer,
    read_killed,
    remove_killed,
    write_killed,
)
from pmtui.service.topics import AccountTopic
from tests.manual_clock import ManualClock
from tests.service.fakes import World, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, said, until, verdict_of

AT = datetime(2026, 11, 20, 11, 59, 30, tzinfo=UTC)


def lock_of(world: World) -> str:
    return world.service.queries.status().kill_lock


async def test_it_cancels_disarms_locks_and_is_journaled(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        order = await prepared(world)
        world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
        await world.service.commands.arm()
        _ = await world.service.commands.kill()
        status = world.service.queries.status()
        assert status.armed_until is None
        assert status.kill_lock.startswith("Trading locked since 2026-11-20 12:00:")
        assert await world.service.commands.arm() == status.kill_lock
        verdict = await verdict_of(world, order)
        assert verdict == Rejected(status.kill_lock)
        assert isinstance(await world.service.commands.prepare(BUY), Rejected)
        await until(world, lambda: said(world, "none working"), "everything cancelled")
        assert said(world, "Kill switch: 1 order cancelled, none working")
        assert world.account.open == {}
        assert world.account.posted == []
        await world.service.commands.unlock_entry()
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as file:
        rows = file.execute("SELECT text FROM entries WHERE kind = 'kill' ORDER BY sequence")
        written = [text for (text,) in rows]
    assert [text.split(" ")[0] for text in written] == ["Kill", "Kill", "Trading"]


async def test_what_a_terminal_locked_on_the_disk_is_one_kill_with_its_command(
    world: World, tmp_path: Path
) -> None:
    killed = new_kill("K in the terminal", AT)
    write_killed(tmp_path, killed)
    assert await world.service.commands.kill() == ""
    assert read_killed(tmp_path) == killed
    await until(world, lambda: said(world, "none working"), "everything cancelled")
    await world.pass_time(1)
    entries = world.service.queries.log().entries
    assert sum("Trading locked since" in entry.text for entry in entries) == 1


async def test_it_stays_locked_until_somebody_releases_it(world: World, tmp_path: Path) -> None:
    _ = await world.service.commands.kill()
    await world.pass_time(60)
    assert lock_of(world)
    assert await world.service.commands.unlock_entry() == ""
    assert lock_of(world) == ""
    assert read_killed(tmp_path) is None
    assert isinstance(await verdict_of(world, await prepared(world)), Accepted)
    # Nobody is armed by a release.
    assert world.service.queries.status().armed_until is None


async def test_it_goes_round_until_the_venue_answers_and_lists_nothing(
    world: World, tmp_path: Path
) -> None:
    world.account.cancel_failure = lost("DELETE /cancel-all")
    world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
    _ = await world.service.commands.kill()
    await world.pass_time(20)
    answer = read_answer(tmp_path)
    assert answer is not None
    assert (answer.is_done, answer.left) == (False, 1)
    assert "timed out" in answer.problem
    world.account.cancel_failure = None
    await world.pass_time(5)
    answer = read_answer(tmp_path)
    assert answer is not None
    assert (answer.is_done, answer.cancelled, answer.left) == (True, 1, 0)


async def test_a_listed_order_that_cannot_be_read_keeps_it_going_round(
    world: World, tmp_path: Path
) -> None:
    world.account.unread_orders = (None,)
    _ = await world.service.commands.kill()
    await world.pass_time(20)
    answer = read_answer(tmp_path)
    assert answer is not None
    assert (answer.is_done, answer.problem) == (
        False,
        "1 row in the venue's list of open orders cannot be read",
    )
    world.account.unread_orders = ()
    await world.pass_time(5)
    answer = read_answer(tmp_path)
    assert answer is not None
    assert answer.is_done


async def test_what_a_lost_answer_cancelled_is_counted_once_it_is_heard_of(
    world: World, tmp_path: Path
) -> None:
    world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
    world.service.commands.refresh(AccountTopic())
    await until(world, lambda: world.service.queries.account().open_orders, "it is known")
    world.account.cancel_failure = lost("DELETE /cancel-all")
    _ = await world.service.commands.kill()
    await world.pass_time(0.25)
    # The venue had acted.
    world.account.open.clear()
    world.account.cancel_failure = None
    await until(world, lambda: (a := read_answer(tmp_path)) and a.is_done, "done")
    answer = read_answer(tmp_path)
    assert answer is not None
    assert (answer.cancelled, answer.left) == (1, 0)


async def test_an_order_on_its_way_when_it_is_thrown_is_cancelled_in_a_later_round(
    world: World, tmp_path: Path
) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    world.account.stalls = True
    world.account.refuses_to_cancel = {order_id: "Order not found or already canceled"}
    world.service.commands.place(order.order_id)
    await until(world, lambda: world.account.posted, "the order left")
    _ = await world.service.commands.kill()
    await world.pass_time(2)
    answer = read_answer(tmp_path)
    assert answer is not None
    assert (answer.is_done, answer.left) == (False, 1)
    # It arrives only now, after the first cancellations.
    world.account.refuses_to_cancel = {}
    world.account.open[order_id] = resting(order_id)
    await until(world, lambda: (a := read_answer(tmp_path)) and a.is_done, "it is gone")
    assert world.account.open == {}


async def test_a_kill_while_the_journal_writes_stops_the_order(tmp_path: Path) -> None:
    class SlowJournal(Journal):
        """Writes an order down only after something else has happened."""

        meanwhile: Callable[[], Awaitable[str]] | None = None

        @override
        async def begin(self, leaving: Sequence[OutgoingOrder]) -> JournalProblem | None:
            problem = await super().begin(leaving)
            if self.meanwhile is not None:
                _ = await self.meanwhile()
            return problem

    journal = SlowJournal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await prepared(world)
        journal.meanwhile = world.service.commands.kill
        verdict = await verdict_of(world, order)
        assert isinstance(verdict, Rejected)
        assert verdict.reason.startswith("Trading locked since")
        assert world.account.posted == []
        assert await journal.unsettled() == ()


async def test_a_kill_from_outside_holds_at_once_and_is_answered(
    world: World, tmp_path: Path
) -> None:
    order = await prepared(world)
    world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
    await world.service.commands.arm()
    killed = new_kill("pmtui kill", AT)
    write_killed(tmp_path, killed)
    # Before anybody has looked: the file itself is what counts.
    verdict = await verdict_of(world, order)
    assert verdict == Rejected("Trading locked since 2026-11-20 11:59:30 UTC by pmtui kill")
    await until(world, lambda: read_answer(tmp_path), "an answer")
    await until(world, lambda: (a := read_answer(tmp_path)) and a.is_done, "done")
    assert read_answer(tmp_path) == KillAnswer(killed.kill_id, 1, 0, is_done=True)
    assert world.service.queries.status().armed_until is None
    assert world.account.posted == []


async def test_every_kill_from_outside_gets_an_answer_of_its_own(
    world: World, tmp_path: Path
) -> None:
    for _ in range(3):
        killed = new_kill("pmtui kill", AT)
        write_killed(tmp_path, killed)

        def is_answered(kill_id: str = killed.kill_id) -> bool:
            answer = read_answer(tmp_path)
            return answer is not None and answer.kill_id == kill_id and answer.is_done

        await until(world, is_answered, "an answer to this one")


async def test_a_release_from_outside_opens_entry(world: World, tmp_path: Path) -> None:
    _ = await world.service.commands.kill()
    await world.pass_time(1)
    remove_killed(tmp_path)
    await world.pass_time(0.5)
    assert lock_of(world) == ""
    assert said(world, "Trading unlocked by pmtui release")


async def test_a_release_before_all_is_cancelled_says_what_is_left(
    world: World, tmp_path: Path
) -> None:
    world.account.cancel_failure = lost("DELETE /cancel-all")
    world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
    _ = await world.service.commands.kill()
    await world.pass_time(20)
    remove_killed(tmp_path)
    await world.pass_time(0.5)
    assert said(world, "before the kill was carried out: 1 order working")


async def test_the_lock_outlives_the_session_and_the_next_one_cancels_first(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        _ = await world.service.commands.kill()
        await world.pass_time(1)
        (tmp_path / ANSWER).unlink()
    async with running_world(tmp_path) as world:
        assert lock_of(world)
        world.account.open[OrderId("0x1")] = resting(OrderId("0x1"))
        await until(world, lambda: not world.account.open, "what rests is cancelled")


async def test_what_turns_up_while_locked_is_cancelled_again(world: World) -> None:
    _ = await world.service.commands.kill()
    await until(world, lambda: said(world, "none working"), "done once")
    world.account.open[OrderId("0x2")] = resting(OrderId("0x2"))
    await until(world, lambda: not world.account.open, "the late one is gone")


@pytest.mark.parametrize("left", ["", "not json", '{"by": 3}'])
async def test_a_file_that_cannot_be_read_locks_all_the_same(tmp_path: Path, left: str) -> None:
    (tmp_path / KILLED).write_text(left)
    async with running_world(tmp_path) as world:
        text = "Trading locked since an unknown time by a file that cannot be read"
        assert lock_of(world) == text
        assert await world.service.commands.unlock_entry() == ""
        assert lock_of(world) == ""


def test_a_lock_that_the_disk_did_not_take_holds_and_is_written_later(tmp_path: Path) -> None:
    # A link to nowhere: writing fails for every user, root too.
    state = tmp_path / "state"
    state.symlink_to(tmp_path / "nowhere")
    lock = KillLock(ManualClock(), state)
    assert lock.close("a test") != ""
    lock.keep()
    assert not lock.refresh()
    assert lock.killed is not None
    (tmp_path / "nowhere").mkdir()
    lock.keep()
    assert read_killed(state) == lock.killed
    assert not lock.refresh()


def test_an_empty_file_locks_where_the_disk_takes_no_more(tmp_path: Path) -> None:
    # Nothing can be renamed to a directory, which stands for a disk that is full.
    (tmp_path / KILLED).mkdir()
    write_killed(tmp_path, new_kill("a test", AT))
    assert read_killed(tmp_path) == UNREADABLE


async def test_a_lock_that_cannot_be_read_or_removed_stays(world: World, tmp_path: Path) -> None:
    # A directory where the file would go.
    (tmp_path / KILLED).mkdir()
    (tmp_path / KILLED / "x").touch()
    _ = await world.service.commands.kill()
    assert lock_of(world)
    assert await world.service.commands.unlock_entry() != ""
    assert lock_of(world)


async def test_a_session_without_a_key_is_locked_and_claims_no_cancelling(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        _ = await world.service.commands.kill()
        await world.pass_time(5)
        assert lock_of(world)
        assert read_answer(tmp_path) is None


def test_both_files_are_replaced_whole_and_for_the_user_alone(tmp_path: Path) -> None:
    first, second = new_kill("a", AT), new_kill("b", AT)
    assert first.kill_id != second.kill_id
    write_killed(tmp_path, first)
    write_killed(tmp_path, second)
    assert read_killed(tmp_path) == second == Killed("b", AT.isoformat(), second.kill_id)
    assert [path.name for path in tmp_path.iterdir()] == [KILLED]
    assert (tmp_path / KILLED).stat().st_mode & 0o777 == 0o600


async def test_a_session_without_a_key_locks_and_does_not_say_that_it_cancels(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        _ = await world.service.commands.kill()
        await world.pass_time(2)
        assert world.service.queries.status().kill_lock
        said = [entry.text for entry in world.service.queries.log().entries]
        assert any("no key, so nothing is cancelled" in text for text in said)
        assert not any("cancelling all orders" in text for text in said)
