"""A service that stands still: what its terminal shows as off stays off when it goes on."""

from datetime import datetime
from pathlib import Path

from pmtui.link.connection import SILENT_AFTER_S
from pmtui.link.remote_commands import NO_ANSWER
from pmtui.service.surface import ARM_WITHIN_S
from pmtui.service.topics import StatusTopic
from tests.link.kit import House, Seat, house_around, relay_to, running_house
from tests.manual_clock import settle
from tests.service.fakes import running_world
from tests.service.order_kit import said, until


def armed_until(seat: Seat) -> datetime | None:
    return seat.queries.status().armed_until


async def arm(house: House, seat: Seat) -> None:
    assert await seat.commands.arm() == ""
    await until(house.world, lambda: armed_until(seat), "it is armed")


async def test_keys_that_a_silence_showed_as_off_do_not_come_back(tmp_path: Path) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat() as other, house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        await arm(house, other)
        await arm(house, seat)
        shown = list[datetime | None]()
        _ = seat.mirror.subscribe([StatusTopic()], lambda _: shown.append(armed_until(seat)))
        relay.stop()
        await until(house.world, lambda: seat.line.is_silent, "it counts as silent")
        assert armed_until(seat) is None
        shown.clear()
        # The first views that come are those of before.
        relay.go_on()
        disarmed = f"Disarmed in one of 2 terminals: {NO_ANSWER}"
        await until(house.world, lambda: said(house.world, disarmed), "the service heard of it")
        await until(house.world, lambda: not seat.line.is_silent, "it goes on")
        await house.world.pass_time(2)
        assert not any(shown)
        assert armed_until(other) is not None
        await arm(house, seat)


async def test_a_short_silence_changes_nothing(tmp_path: Path) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        await arm(house, seat)
        relay.stop()
        await house.world.pass_time(SILENT_AFTER_S / 2)
        assert armed_until(seat) is not None
        relay.go_on()
        await house.world.pass_time(2)
        assert armed_until(seat) is not None
        assert not said(house.world, "Disarmed")


async def test_a_terminal_that_stood_still_itself_stays_armed(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat(is_stepped=True) as seat:
        await arm(house, seat)
        # Whatever the service sent meanwhile waits to be read.
        house.world.clock.skip(3 * SILENT_AFTER_S)
        await house.world.pass_time(2)
        assert not seat.line.is_silent
        assert armed_until(seat) is not None


async def test_disarmed_is_shown_at_once_and_whatever_the_service_still_says(
    tmp_path: Path,
) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        await arm(house, seat)
        relay.stop()
        seat.commands.disarm("")
        assert armed_until(seat) is None
        relay.go_on()
        await until(house.world, lambda: said(house.world, "Disarmed"), "the service heard of it")
        await house.world.pass_time(2)
        assert armed_until(seat) is None


async def test_a_service_that_did_not_answer_does_not_arm_later(tmp_path: Path) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        relay.stop()
        assert await seat.commands.arm() == "The service does not answer"
        await house.world.clock.advance(ARM_WITHIN_S)
        relay.go_on()
        late = "Not armed. Too late: given 2 s ago"
        await until(house.world, lambda: said(house.world, late), "it says why")
        assert armed_until(seat) is None
        assert not house.world.service.arming.is_armed


async def test_a_lock_that_the_service_has_not_seen_is_shown_as_not_carried_out(
    tmp_path: Path,
) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        status = seat.queries.status
        await arm(house, seat)
        relay.stop()
        assert "cancelled once it" in await seat.commands.kill()
        assert armed_until(seat) is None
        assert (status().kill_lock, status().is_kill_waiting) == ("locked", True)
        relay.go_on()
        await until(house.world, lambda: not status().is_kill_waiting, "the service carries it out")
        assert status().kill_lock.startswith("Trading locked since")


async def test_a_lock_from_a_shell_is_shown_while_the_service_is_silent(tmp_path: Path) -> None:
    async with (
        running_house(tmp_path) as house, relay_to(house) as (relay, path),
        house.seat(path=path, is_stepped=True) as seat,
    ):  # fmt: skip
        relay.stop()
        await until(house.world, lambda: seat.line.is_silent, "it counts as silent")
        assert not seat.queries.status().kill_lock
        seat.locks.append("locked by a shell")
        await house.world.pass_time(2)
        assert seat.queries.status().kill_lock == "locked by a shell"
        seat.locks.clear()
        await house.world.pass_time(2)
        assert not seat.queries.status().kill_lock


async def test_why_a_key_sent_nothing_is_in_the_log_after_the_next_service_has_come(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        async with house_around(world, tmp_path / "s") as house:
            context = house.seat()
            seat = await context.__aenter__()
            writer = seat.line._writer
            assert writer is not None
            writer.transport.abort()
            # Nobody has noticed yet.
            assert seat.line.is_attached
            seat.commands.log_refusal("Not sent: just then.")
        await until(world, lambda: not seat.line.is_attached, "the service has gone")
        seat.commands.log_refusal("Not sent: The service is gone.")
        await settle()
        assert seat.queries.status().unread_notices == 0
        async with house_around(world, tmp_path / "s"):
            await until(world, lambda: seat.line.is_attached, "attached again")
            kept = [e for e in seat.queries.log().entries if "Single key" in e.text]
            assert [(e.text, e.kind, e.until_read) for e in kept] == [
                ("Single key: Not sent: just then.", "order", False),
                ("Single key: Not sent: The service is gone.", "order", False),
            ]
            seat.commands.log_refusal("Not sent: again.")
            await until(world, lambda: said(world, "Single key: Not sent: again."), "the service's")
        await context.__aexit__(None, None, None)
