"""A terminal that is attached sees and does what one in the same process would."""

import asyncio
import os
import socket
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import get_type_hints

import pytest

from pmtui import __version__
from pmtui.domain.books.book_view import BookState
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.watchlist import key_of_market
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    MoveEnd,
    MoveVerdict,
    PostResult,
    PostStatus,
    Rejected,
    Unknown,
)
from pmtui.link.calls import LONGEST_ID
from pmtui.link.connection import (
    BUSY,
    FAILED,
    GONE,
    OTHER_VERSION,
    SILENT,
    ServiceConnection,
    open_line,
)
from pmtui.link.local_socket import (
    MOST_CONNECTIONS,
    bind,
    is_our_user,
    is_somebody_there,
    user_name,
    why_no_socket,
)
from pmtui.link.messages import (
    MOST_TO_SERVICE,
    PROTOCOL,
    Answer,
    Ask,
    Call,
    Configure,
    Configured,
    Done,
    Goodbye,
    Hello,
    Refused,
    ServiceStatus,
    Stop,
    ToService,
    Unlock,
    Watch,
    Welcome,
    pack,
    read_to_terminal,
)
from pmtui.link.mirror import Mirror
from pmtui.link.remote_commands import RemoteCommands
from pmtui.link.server import LEFT
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode, encode_call
from pmtui.service.orders.desk import NEVER_LEFT
from pmtui.service.orders.sending import POST_DEADLINE_S
from pmtui.service.surface import VERDICT_OF_COMMAND, Commands, PreparedOrder
from pmtui.service.topics import BookTopic, LogTopic, MarketTopic, StatusTopic, Topic
from pmtui.service.views import Level
from pmtui.service.wallet.wallet_views import NotKnown, PreparedId
from tests.link.kit import NOTHING_YET, WRONG, House, Seat, house_around, running_house
from tests.service.conditional_kit import book
from tests.service.fakes import CONDITION, YES, running_world
from tests.service.order_kit import BUY, until


async def prepared(house: House, seat: Seat) -> PreparedOrder:
    _ = seat.mirror.subscribe([MarketTopic(CONDITION)], lambda _: None)
    await until(house.world, lambda: seat.queries.market(CONDITION).terms, "the terms")
    order = await seat.commands.prepare(BUY)
    assert isinstance(order, PreparedOrder)
    return order


def notices(seat: Seat) -> list[str]:
    """Return the notices that are kept until they are read."""
    return [entry.text for entry in seat.queries.log().entries if entry.until_read]


async def raw(
    house: House, *messages: ToService
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_unix_connection(house.path)
    house.writers.append(writer)
    for message in messages:
        writer.write(pack(message))
    await writer.drain()
    return reader, writer


def hello(**changes: object) -> Hello:
    fields = {"protocol": PROTOCOL, "version": __version__, "may_trade": True} | changes
    return Hello(**fields)  # type: ignore[arg-type]  # a test names what differs


async def test_views_are_those_of_the_service(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        heard: list[Topic] = []
        topics: list[Topic] = [MarketTopic(CONDITION), BookTopic(YES)]
        subscription = seat.mirror.subscribe(topics, heard.append)
        await until(house.world, lambda: seat.queries.market(CONDITION).terms, "the terms")
        house.world.stream.send(book("0.41"))
        await until(house.world, lambda: seat.queries.book(YES).bids, "the book")
        assert seat.queries.book(YES) == house.world.service.queries.book(YES)
        assert seat.queries.market(CONDITION) == house.world.service.queries.market(CONDITION)
        assert set(heard) == set(topics)
        assert house.world.service.hub.is_watched(BookTopic(YES))
        subscription.close()
        await until(
            house.world, lambda: not house.world.service.hub.is_watched(BookTopic(YES)), "let go"
        )
        assert seat.queries.book(YES).state is BookState.LOADING


async def test_what_was_asked_for_before_there_was_a_terminal_comes_once(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as before:
        topic = MarketTopic(CONDITION)
        _ = before.mirror.subscribe([topic], lambda _: None)
        await until(house.world, lambda: before.queries.market(CONDITION).terms, "the terms")
        heard: list[Topic] = []
        opened = await asyncio.to_thread(open_line, house.path, [topic])
        assert opened is not None
        async with house.seat(opened=opened) as seat:
            assert isinstance(seat.welcome, Welcome)
            await until(house.world, lambda: seat.mirror.read(topic), "the first view")
            assert seat.queries.market(CONDITION) == house.world.service.queries.market(CONDITION)
            _ = seat.mirror.subscribe([topic], heard.append)
            assert await seat.commands.arm() == ""
            await house.world.pass_time(1.0)
            # It was announced as known, and not sent again: nothing has changed.
            assert heard == [topic]
        assert await asyncio.to_thread(open_line, house.path.with_name("none"), []) is None


async def test_an_order_is_prepared_placed_and_answered_for(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat, house.seat() as other:
        order = await prepared(house, seat)
        verdict = await seat.commands.verdict(seat.commands.place(order.order_id))
        assert isinstance(verdict, Accepted)
        assert verdict.order_id == order.order_id
        await until(house.world, lambda: other.queries.account().open_orders, "the other's view")
        assert [o.order_id for o in other.queries.account().open_orders] == [order.order_id]


async def pair_of(house: House, seat: Seat) -> tuple[PreparedOrder, PreparedOrder]:
    """Return two orders of an armed terminal; the venue fills the first whole."""
    first = await prepared(house, seat)
    second = await seat.commands.prepare(replace(BUY, price=Micros(390_000)))
    assert isinstance(second, PreparedOrder)
    assert await seat.commands.arm() == ""
    filled = PostResult(
        first.order_id, PostStatus.MATCHED, making_amount=first.cash, taking_amount=first.size
    )
    house.world.account.answers = [filled]
    return first, second


async def test_an_order_follows_another_by_the_terminals_own_name_for_it(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        first, second = await pair_of(house, seat)
        command_id = seat.commands.place(first.order_id)
        following = seat.commands.place(second.order_id, after=command_id)
        verdict = await seat.commands.verdict(following)
        assert isinstance(verdict, Accepted)
        assert house.world.account.posted == [
            first.order_id.encode(), second.order_id.encode(),
        ]  # fmt: skip
        # A name that no command has is that of none.
        other = await seat.commands.prepare(replace(BUY, price=Micros(380_000)))
        assert isinstance(other, PreparedOrder)
        lost = seat.commands.place(other.order_id, after=CommandId("1"))
        refused = await seat.commands.verdict(lost)
        assert isinstance(refused, Rejected)
        assert "does not know the first order" in refused.reason


async def test_nothing_follows_in_a_terminal_whose_line_is_cut(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        first, second = await pair_of(house, seat)
        house.world.account.lane.clear()
        command_id = seat.commands.place(first.order_id)
        following = seat.commands.place(second.order_id, after=command_id)
        await until(house.world, lambda: house.world.account.in_line, "it stands in line")
        await cut(house, seat)
        house.world.account.lane.set()
        assert isinstance(await seat.commands.verdict(command_id), Accepted)
        assert await seat.commands.verdict(following) == Rejected(
            "Not sent: single keys were disarmed"
        )
        assert house.world.account.posted == [first.order_id.encode()]


async def test_what_was_not_prepared_is_not_signed(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        stranger = replace(order.unsigned, order_id=type(order.order_id)("0x" + "77" * 32))
        verdict = await seat.commands.verdict(seat.commands.place(stranger.order_id))
        assert isinstance(verdict, Rejected)
        assert house.world.account.posted == []


async def test_a_question_after_a_command_is_answered_with_the_truth(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        key = key_of_market(CONDITION)
        assert not seat.queries.watchlist().is_starred(key)
        assert await seat.commands.star(key, "River") == ""
        assert seat.queries.watchlist().is_starred(key)


async def test_arming_belongs_to_its_terminal_and_ends_with_it(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as other:
        async with house.seat() as seat:
            assert await seat.commands.arm() == ""
            await until(house.world, lambda: seat.queries.status().armed_until, "armed")
            assert other.queries.status().armed_until is None
            assert house.world.service.arming.is_armed
        await until(house.world, lambda: not house.world.service.arming.is_armed, "disarmed")


async def test_who_only_looks_on_is_refused_every_command(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat(may_trade=False) as seat:
        answer = await seat.commands.prepare(BUY)
        assert isinstance(answer, Rejected)
        assert await seat.commands.arm() != ""
        verdict = await seat.commands.cancel_verdict(seat.commands.cancel_all())
        assert verdict.problem
        _ = await seat.commands.kill()
        _ = await seat.commands.arm()
        assert house.world.service.queries.status().kill_lock == ""


async def test_who_only_looks_on_cannot_call_a_command_nor_end_the_service(tmp_path: Path) -> None:
    names = [
        name
        for name in dir(Commands)
        if not name.startswith("_") and callable(getattr(Commands, name))
    ]
    async with running_house(tmp_path) as house:
        calls = [Call(name, encode_call(name, {})) for name in names]
        reader, writer = await raw(house, hello(may_trade=False), *calls, Stop("cancel"))
        answers: list[Answer] = []
        while not isinstance(told := await read_to_terminal(reader), Done):
            if isinstance(told, Answer):
                answers.append(told)
        assert {answer.call_id for answer in answers} == set(names)
        assert all(answer.problem and not answer.value for answer in answers)
        assert told.problem
        assert house.stopped == []
        writer.close()


async def test_an_id_seen_twice_is_carried_out_once(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        call = Call("one", encode_call("place", {"order_id": order.order_id}))
        first, closing = await raw(house, hello(), call, call)
        closing.close()
        await until(house.world, lambda: house.world.account.posted, "the order leaves")
        second, writer = await raw(house, hello(), call)
        told = [await read_to_terminal(second) for _ in range(3)]
        assert isinstance(told[0], Welcome)
        assert isinstance(told[1], Answer)
        await until(house.world, lambda: seat.queries.account().open_orders, "the order rests")
        assert len(house.world.account.posted) == 1
        writer.close()
        del first


async def test_a_verdict_is_told_to_the_terminal_that_came_back(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        command_id = seat.commands.place(order.order_id)
        writer = seat.line._writer
        assert writer is not None
        await writer.drain()
        writer.close()
        verdict = await seat.commands.verdict(command_id)
        assert isinstance(verdict, Accepted)
        assert len(house.world.account.posted) == 1


async def test_an_order_that_a_dead_service_never_read_was_not_sent(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        abort(seat)
        command_id = seat.commands.place(order.order_id)
        seat.line.instance = "a run that is dead"
        # Nobody waits for the verdict: the ticket is closed.
        await until(house.world, lambda: notices(seat), "the notice")
        (notice,) = notices(seat)
        assert notice.startswith("Not sent: BUY 10 Yes @ 40¢ · ")
        assert NEVER_LEFT in notice
        assert await seat.commands.verdict(command_id) == Rejected(NEVER_LEFT)
        assert house.world.account.posted == []


async def test_an_order_that_a_dead_service_took_up_is_looked_for(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        house.world.account.lane.clear()
        command_id = seat.commands.place(order.order_id)
        await until(house.world, lambda: house.world.account.in_line, "it stands in line")
        seat.line.instance = "a run that is dead"
        await cut(house, seat)
        verdict = await seat.commands.verdict(command_id)
        assert isinstance(verdict, Unknown)
        assert verdict.order_id == order.order_id
        (notice,) = notices(seat)
        assert notice.startswith("Unconfirmed: BUY 10 Yes @ 40¢ · ")
        house.world.account.lane.set()


async def test_a_move_that_a_dead_service_never_read_leaves_the_order_in_place(
    tmp_path: Path,
) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        old, new = await prepared(house, seat), await prepared(house, seat)
        abort(seat)
        command_id = seat.commands.move(old.order_id, new.order_id)
        seat.line.instance = "a run that is dead"
        assert await seat.commands.move_verdict(command_id) == MoveVerdict(
            MoveEnd.NOT_MOVED, NEVER_LEFT
        )


async def test_a_cancel_that_a_dead_service_never_answered_stays_a_notice(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        abort(seat)
        command_id = seat.commands.cancel_all()
        seat.line.instance = "a run that is dead"
        verdict = await seat.commands.cancel_verdict(command_id)
        assert verdict.result.unanswered
        (notice,) = notices(seat)
        assert notice.startswith("Cancel of all orders unconfirmed")


async def test_without_a_service_nothing_looks_live_and_nothing_is_sent(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        async with house_around(world, tmp_path / "s") as house:
            context = house.seat()
            seat = await context.__aenter__()
            _ = seat.mirror.subscribe([BookTopic(YES), StatusTopic()], lambda _: None)
            order = await prepared(house, seat)
            world.stream.send(book("0.41"))
            await until(world, lambda: seat.queries.book(YES).state.is_good, "a good book")
        await until(world, lambda: not seat.line.is_attached, "the service has gone")
        assert seat.queries.book(YES).state is BookState.STALE
        assert {h.state for h in seat.queries.status().health} == {HealthState.DOWN}
        assert isinstance(await seat.commands.prepare(BUY), Rejected)
        verdict = await seat.commands.verdict(seat.commands.place(order.order_id))
        assert isinstance(verdict, Rejected)
        assert world.account.posted == []
        _ = await seat.commands.kill()
        assert seat.locks == ["locked"]
        async with house_around(world, tmp_path / "s"):
            await until(world, lambda: seat.line.is_attached, "attached again")
            world.stream.send(book("0.42"))
            await until(world, lambda: seat.queries.book(YES).state.is_good, "live again")
        await context.__aexit__(None, None, None)


async def test_a_terminal_that_does_not_read_slows_nobody(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        # A socket that nobody reads: what the system holds for it is soon full.
        with socket.socket(socket.AF_UNIX) as stalled:
            stalled.connect(os.fspath(house.path))
            watched = [pack(Watch(encode(topic))) for topic in (LogTopic(), StatusTopic())]
            stalled.sendall(b"".join([pack(hello()), *watched]))
            await until(house.world, lambda: house.server.terminals == 2, "both")
            await until(house.world, lambda: seat.queries.status().terminals == 2, "it is told")
            for number in range(1, 201):
                house.world.service.log.notice(Level.INFO, f"{number} " + "x" * 5_000)

                def is_followed(number: int = number) -> bool:
                    entries = seat.queries.log().entries
                    return bool(entries) and entries[-1].text.startswith(f"{number} ")

                await until(house.world, is_followed, "the other one follows")
            owed = [len(s._queue) + len(s._dirty) for s in house.server._sessions]
            assert 0 < max(owed) <= 2


async def test_what_happened_while_nobody_looked_is_told(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        async with house.seat():
            pass
        await until(house.world, lambda: house.server.terminals == 0, "nobody")
        house.world.service.log.notice(Level.BAD, "Stop triggered")
        async with house.seat(may_trade=False):
            await until(house.world, lambda: house.server.terminals == 1, "a program looks on")
        await until(house.world, lambda: house.server.terminals == 0, "nobody again")
        async with house.seat() as seat:
            await until(house.world, lambda: len(seat.queries.log().entries) > 1, "the log")
            last = seat.queries.log().entries[-1]
            assert "Stop triggered" in last.text
            assert last.until_read
            assert seat.queries.status().unread_notices == 2
            seat.commands.mark_log_read(last.sequence)
            assert seat.queries.status().unread_notices == 0
            _ = await seat.commands.arm()
        async with house.seat() as later:
            await until(house.world, lambda: later.queries.log().entries, "the log")
            assert later.queries.status().unread_notices == 1  # disarmed as its terminal went


async def test_a_command_of_the_shell_is_nobody_who_was_away(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        async with house.seat(is_passing=True) as seat:
            order = await prepared(house, seat)
            assert order.order_id
        await until(house.world, lambda: house.server.terminals == 0, "it has passed")
        assert not house.server.was_attended
        assert LEFT not in [each.text for each in house.world.service.queries.log().entries]


async def test_a_command_of_the_shell_gives_up_where_its_line_is_cut(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat(is_passing=True) as seat:
        asking = asyncio.ensure_future(seat.commands.submit_wallet(PreparedId("a step")))
        await asyncio.sleep(0)
        abort(seat)
        assert isinstance(await asking, NotKnown)
        await seat.task
        assert isinstance(await seat.commands.submit_wallet(PreparedId("another")), Rejected)


async def test_reading_the_log_is_each_terminals_own(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as one, house.seat() as two:
        house.world.service.log.notice(Level.BAD, "something")
        await until(house.world, lambda: two.queries.status().unread_notices == 1, "two")
        await until(house.world, lambda: one.queries.status().unread_notices == 1, "one")
        one.commands.mark_log_read(one.queries.log().entries[-1].sequence)
        assert one.queries.status().unread_notices == 0
        _ = await two.commands.arm()
        assert two.queries.status().unread_notices == 1


async def test_another_version_is_refused_and_told_whether_it_may_restart(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        reader, writer = await raw(house, hello(version="0.0.1"))
        refused = await read_to_terminal(reader)
        assert isinstance(refused, Refused)
        assert refused.can_restart
        writer.close()
        async with house.seat() as seat:
            order = await prepared(house, seat)
            _ = await seat.commands.verdict(seat.commands.place(order.order_id))
        reader, writer = await raw(house, hello(version="0.0.1"))
        refused = await read_to_terminal(reader)
        assert isinstance(refused, Refused)
        assert not refused.can_restart
        writer.close()


async def test_another_user_is_refused(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        other = os.geteuid() + 4_242
        async with house_around(world, tmp_path / "s", uid=lambda _: other) as house:
            for first in (hello(), hello(is_terminal=False)):
                reader, writer = await raw(house, first, Ask(), Stop("cancel"))
                refused = await read_to_terminal(reader)
                assert isinstance(refused, Refused)
                assert user_name(os.geteuid()) in refused.reason
                assert not refused.can_restart
                assert await read_to_terminal(reader) is None
                writer.close()
            assert house.stopped == []


async def test_a_shell_asks_how_it_stands_and_ends_it(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat():
        shell = hello(is_terminal=False, may_trade=False)
        reader, writer = await raw(house, shell, Ask(), Unlock(b"open"), Stop("cancel"))
        told = [await read_to_terminal(reader) for _ in range(4)]
        standing = told[1]
        assert isinstance(standing, ServiceStatus)
        assert (standing.terminals, standing.profile, standing.open_orders) == (1, "paper", 0)
        assert house.passphrases == [b"open"]
        assert house.stopped == ["cancel"]
        writer.close()


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff" * 8, (MOST_TO_SERVICE + 1).to_bytes(4, "big"), b"\x00\x00\x00\x02\x91\x00"],
)
async def test_nonsense_ends_the_connection_and_nothing_else(tmp_path: Path, body: bytes) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        for first in ((), (hello(),)):
            reader, writer = await raw(house, *first)
            writer.write(body)
            writer.write_eof()
            for _ in first:
                assert isinstance(await read_to_terminal(reader), Welcome)
            assert await read_to_terminal(reader) is None
            writer.close()
        assert await seat.commands.arm() == ""


async def test_a_socket_that_a_crash_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s"
    bind(path).close()
    assert path.exists()
    assert not is_somebody_there(path)
    async with running_house(tmp_path) as house:
        assert await asyncio.to_thread(is_somebody_there, house.path)
        async with house.seat() as seat:
            assert isinstance(seat.welcome, Welcome)


def test_only_our_own_user_and_root_are_let_in() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_our_user(ours)
        assert is_our_user(ours, lambda _: 0)
        assert not is_our_user(ours, lambda _: os.geteuid() + 1)


def test_a_directory_that_others_may_enter_holds_no_socket(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert why_no_socket(folder / "paper.sock") == ""
    folder.chmod(0o755)
    assert "chmod 700" in why_no_socket(folder / "paper.sock")
    assert "too long" in why_no_socket(tmp_path / ("x" * 90) / "paper.sock")


def test_every_command_that_goes_on_says_how_it_ends() -> None:
    returned = {
        name: get_type_hints(getattr(Commands, name))["return"]
        for name in dir(Commands)
        if not name.startswith("_") and callable(getattr(Commands, name))
    }
    followed = {name for name, kind in returned.items() if kind is CommandId}
    assert followed == set(VERDICT_OF_COMMAND)
    assert set(VERDICT_OF_COMMAND.values()) <= set(returned)


def test_a_terminal_elsewhere_can_do_all_that_one_here_can() -> None:
    for name in {n for n in dir(Commands) if not n.startswith("_")}:
        here, remote = (signature(getattr(each, name)) for each in (Commands, RemoteCommands))
        assert here.parameters == remote.parameters, name


async def test_whoever_connected_in_time_hears_the_last_words(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        with socket.socket(socket.AF_UNIX) as early, socket.socket(socket.AF_UNIX) as late:
            early.connect(os.fspath(house.path))
            early.sendall(pack(hello()))
            # The loop has not turned since: nobody has taken it in yet.
            await house.server.close("it is over")
            early.settimeout(5)
            said = b""
            while piece := early.recv(65_536):
                said += piece
            assert said.endswith(pack(Goodbye("it is over")))
            with pytest.raises(OSError, match="refused"):
                late.connect(os.fspath(house.path))


async def test_a_service_that_was_ended_is_started_again_only_when_asked(tmp_path: Path) -> None:
    starts: list[None] = []

    async def restart() -> None:
        starts.append(None)

    async with running_house(tmp_path) as house, house.seat(restart=restart) as seat:
        await until(house.world, lambda: seat.queries.status().health, "the status")
        before = seat.queries.status().now
        await house.server.close("one order stays")
        await until(house.world, lambda: seat.line.loss, "the loss")
        loss = seat.line.loss
        assert loss is not None
        assert loss.is_final
        assert seat.queries.status().health[0].reason == "the service has ended"
        await until(house.world, lambda: seat.queries.status().now > before, "time goes on")
        assert starts == []
        seat.line.start_again()
        await until(house.world, lambda: starts, "a start")
        assert seat.line.loss == replace(loss, is_final=False)


async def test_a_shell_that_waits_hears_the_last_words(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        reader, _ = await raw(house, hello(is_terminal=False), Ask())
        assert isinstance(await read_to_terminal(reader), Welcome)
        assert isinstance(await read_to_terminal(reader), ServiceStatus)
        await house.server.close("two orders cancelled")
        assert await read_to_terminal(reader) == Goodbye("two orders cancelled")


async def test_a_terminal_hands_a_passphrase_over(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        assert await seat.line.unlock(b"words") == ""
        assert house.passphrases == [b"words"]


async def test_two_requests_at_once_each_have_their_own_answer(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        house.derived.clear()
        unlocking = asyncio.create_task(seat.line.unlock(WRONG.encode()))
        await until(house.world, lambda: house.passphrases, "the passphrase")
        stopping = asyncio.create_task(seat.line.stop_service("cancel"))
        house.derived.set()
        assert await unlocking == WRONG
        assert await stopping == ""
        assert house.stopped == ["cancel"]


async def test_an_answer_that_came_too_late_is_no_answer_to_the_next_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        house.derived.clear()
        monkeypatch.setattr("pmtui.link.connection.UNLOCK_WITHIN_S", 0.0)
        assert await seat.line.unlock(WRONG.encode()) == SILENT
        monkeypatch.setattr("pmtui.link.connection.ANSWER_WITHIN_S", 0.0)
        assert await seat.line.stop_service() == BUSY
        monkeypatch.undo()
        stopping = asyncio.create_task(seat.line.stop_service("cancel"))
        house.derived.set()
        assert await stopping == ""
        assert house.stopped == ["cancel"]


async def test_a_request_whose_line_is_cut_is_answered(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        house.derived.clear()
        unlocking = asyncio.create_task(seat.line.unlock(b"words"))
        await until(house.world, lambda: house.passphrases, "the passphrase")
        await house.server.close("the service restarts")
        assert await unlocking == GONE
        assert await seat.line.unlock(b"words") == GONE


async def test_who_only_looks_on_cannot_unlock(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        reader, _ = await raw(house, hello(may_trade=False), Unlock(b"words"))
        while await read_to_terminal(reader) is not None:
            # Whoever speaks otherwise is not spoken to.
            continue
        assert house.passphrases == []


async def test_a_bug_in_the_connection_leaves_nothing_that_looks_live(tmp_path: Path) -> None:
    def fail(_: Welcome) -> None:
        raise ZeroDivisionError

    live = SourceHealth(Source.TRADING, HealthState.LIVE)
    async with running_house(tmp_path) as house:
        mirror = Mirror(replace(NOTHING_YET, health=(live,)))
        line = ServiceConnection(house.path, mirror, SystemClock(), on_welcome=fail)
        await asyncio.wait({line.start()})
        # Callbacks of a task are called once it has ended.
        await asyncio.sleep(0)
        (shown,) = mirror.status().health
        assert (shown.state, shown.reason) == (HealthState.DOWN, FAILED)
        assert not line.is_attached


def abort(seat: Seat) -> None:
    writer = seat.line._writer
    assert writer is not None
    writer.transport.abort()


async def cut(house: House, seat: Seat) -> None:
    """Cut the connection of a terminal, and wait until it is back."""
    before = seat.line._writer
    assert before is not None
    before.transport.abort()
    await until(house.world, lambda: seat.line._writer not in (None, before), "it is back")


async def test_an_order_that_a_hung_service_reads_too_late_is_not_sent(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        command_id = seat.commands.place(order.order_id)
        # The service reads nothing meanwhile.
        house.world.clock.skip(POST_DEADLINE_S + 10)
        verdict = await seat.commands.verdict(command_id)
        assert verdict == Rejected("Too late: given 20 s ago; nothing was sent")
        assert house.world.account.posted == []


async def test_an_order_given_before_the_line_was_cut_is_as_old_when_it_is_sent_again(
    tmp_path: Path,
) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        abort(seat)
        command_id = seat.commands.place(order.order_id)
        house.world.clock.skip(POST_DEADLINE_S)
        assert isinstance(await seat.commands.verdict(command_id), Rejected)
        assert house.world.account.posted == []


async def test_a_command_that_has_ended_is_not_given_again(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        command_id = seat.commands.cancel_market(CONDITION, None)
        pending = seat.line._pending[command_id]
        await until(house.world, lambda: pending.is_over, "its verdict")
        house.server._calls._records.clear()
        await cut(house, seat)
        assert await seat.commands.arm() == ""
        assert command_id not in house.server._calls._records


async def test_a_command_that_was_taken_up_is_not_begun_again(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        order = await prepared(house, seat)
        house.world.account.lane.clear()
        command_id = seat.commands.place(order.order_id)
        await until(house.world, lambda: house.world.account.in_line, "it stands in line")
        await until(house.world, seat.line._pending[command_id].answer.done, "its answer")
        house.server._calls._records.clear()
        await cut(house, seat)
        verdict = await seat.commands.verdict(command_id)
        assert isinstance(verdict, Unknown)
        assert len(house.world.service.queries.account().open_orders) == 1
        house.world.account.lane.set()


async def test_a_call_with_an_id_that_is_too_long_ends_the_connection(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        reader, _ = await raw(house, hello(), Call("x" * (LONGEST_ID + 1), b""))
        while await read_to_terminal(reader) is not None:
            continue
        await until(house.world, lambda: house.server.terminals == 0, "it is gone")


async def test_settings_that_take_long_to_read_hold_up_nobody_else(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        house.derived.clear()
        asked = Configure(None, "config.toml", {})
        onlooker, _ = await raw(house, hello(may_trade=False), asked)
        shell, _ = await raw(house, hello(is_terminal=False), asked)
        assert await seat.commands.arm() == ""
        house.derived.set()
        for reader in (onlooker, shell):
            assert isinstance(await read_to_terminal(reader), Welcome)
            assert isinstance(await read_to_terminal(reader), Configured)


async def test_neither_idle_shells_nor_programs_that_look_on_keep_a_trader_out(
    tmp_path: Path,
) -> None:
    async with running_house(tmp_path) as house:
        shells = [
            (await raw(house, hello(is_terminal=False)))[0] for _ in range(MOST_CONNECTIONS + 1)
        ]
        onlookers = [(await raw(house, hello(may_trade=False)))[0] for _ in range(MOST_CONNECTIONS)]
        for reader in (*shells, *onlookers):
            assert isinstance(await read_to_terminal(reader), Welcome)
        assert await read_to_terminal(shells[0]) is None
        status, _ = await raw(house, hello(is_terminal=False), Ask())
        assert isinstance(await read_to_terminal(status), Welcome)
        assert isinstance(await read_to_terminal(status), ServiceStatus)
        one_more, _ = await raw(house, hello(may_trade=False))
        assert isinstance(await read_to_terminal(one_more), Refused)
        async with house.seat() as seat:
            assert await seat.commands.arm() == ""


async def test_a_terminal_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pack(Refused("the service is pmtui 0.0.9, this is another", "0.0.9")))
        writer.close()

    async with running_world(tmp_path) as world:
        async with house_around(world, tmp_path / "s") as house:
            context = house.seat()
            seat = await context.__aenter__()
        house.path.unlink()
        async with await asyncio.start_unix_server(refuse, house.path):
            await until(world, lambda: seat.line.loss and seat.line.loss.refusal, "the refusal")
            assert seat.line.loss is not None
            assert seat.line.loss.refusal == OTHER_VERSION
        house.path.unlink()
        await until(world, lambda: seat.line.loss and not seat.line.loss.refusal, "it is gone")
        await context.__aexit__(None, None, None)
