"""Commands that a bug ends are answered, so that nobody waits for their verdicts for ever."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import cast

import pytest

from pmtui import __version__
from pmtui.domain.conditionals.alerts import AlertId
from pmtui.domain.conditionals.conditional import ConditionalId
from pmtui.domain.ids import CommandId, ConditionId, OrderId
from pmtui.domain.markets.watchlist import StarKey, StarKind
from pmtui.domain.orders.order import Rejected, Unknown
from pmtui.link.calls import FAILED, FORGOTTEN, Calls
from pmtui.link.connection import ServiceConnection
from pmtui.link.messages import Answer, Call, Ended, Trace, Welcome, pack, read_to_service
from pmtui.link.mirror import Mirror
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode_call
from pmtui.service.surface import Commands
from tests.link.kit import NOTHING_YET
from tests.service.fakes import CONDITION
from tests.service.order_kit import BUY

DEADLINE_S = 20


class BrokenCommands:
    """Some commands, which fail as by a bug: one at once, and one once it was carried out."""

    def disarm(self, reason: str) -> None:
        raise ZeroDivisionError

    def cancel_market(self, condition_id: ConditionId, token_id: str | None) -> CommandId:
        return CommandId("1")

    async def cancel_verdict(self, command_id: CommandId) -> None:
        raise ZeroDivisionError


async def _end_of(command: str, **arguments: object) -> list[Answer | Ended]:
    """Return all that is reported of a command until its failure is."""
    calls, heard, failed = Calls(), list[Answer | Ended](), asyncio.Event()

    def listen(ending: Answer | Ended) -> None:
        heard.append(ending)
        if isinstance(ending, Answer) and ending.problem:
            failed.set()

    commands = cast("Commands", BrokenCommands())
    calls.carry_out("id", encode_call(command, arguments), commands=commands, listener=listen)
    async with asyncio.timeout(DEADLINE_S):
        await failed.wait()
    # Whoever asks again is told the same, and nothing is carried out once more.
    calls.carry_out("id", b"", commands=commands, listener=heard.append)
    await calls.close()
    return heard


async def test_a_command_that_fails_may_have_happened() -> None:
    answer = Answer("id", b"", FAILED, may_have_happened=True)
    assert await _end_of("disarm", reason="x") == [answer, answer]


async def test_so_may_one_whose_verdict_fails() -> None:
    first, *others = await _end_of("cancel_market", condition_id=CONDITION, token_id=None)
    assert isinstance(first, Answer)
    assert first.problem == ""
    assert others == [Answer("id", b"", FAILED, may_have_happened=True)] * 2


@asynccontextmanager
async def commands_to(
    socket_path: Path, answer: Callable[[Call | Trace], Answer | None], *, locks: list[str]
) -> AsyncIterator[RemoteCommands]:
    """Give commands to a service that answers as it is told, and ends where it answers nothing at all."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pack(Welcome(__version__, "run", 1, may_trade=True, read_up_to=0)))
        with closing(writer):
            while (message := await read_to_service(reader)) is not None:
                if isinstance(message, Call | Trace):
                    reply = answer(message)
                    if reply is None:
                        return
                    if reply.call_id:
                        writer.write(pack(reply))

    def lock() -> str:
        locks.append("locked")
        return ""

    mirror, clock = Mirror(NOTHING_YET), SystemClock()
    async with await asyncio.start_unix_server(serve, socket_path):
        line = ServiceConnection(socket_path, mirror, clock)
        assert isinstance(await line.connect(), Welcome)
        task = line.start()
        async with asyncio.timeout(DEADLINE_S):
            yield RemoteCommands(line, mirror, clock, lock=lock)
        await line.close()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _fail(call: Call | Trace) -> Answer:
    return Answer(call.call_id, b"", FAILED, may_have_happened=True)


def _hang(call: Call | Trace) -> Answer:
    return Answer("", b"")


def _die(call: Call | Trace) -> None:
    return None


async def test_a_terminal_takes_the_end_of_such_an_order_for_unknown(tmp_path: Path) -> None:
    async with commands_to(tmp_path / "s", _fail, locks=[]) as commands:
        verdict = await commands.verdict(commands.place(OrderId("0x01")))
    assert isinstance(verdict, Unknown)
    assert verdict.order_id == "0x01"


@pytest.mark.parametrize("answer", [_hang, _die, _fail])
async def test_the_kill_switch_locks_where_the_service_hangs_or_dies_just_then(
    tmp_path: Path, answer: Callable[[Call | Trace], Answer | None]
) -> None:
    locks: list[str] = []
    async with commands_to(tmp_path / "s", answer, locks=locks) as commands:
        problem = await commands.kill()
        assert problem != ""
        assert locks == ["locked"]
        (notice,) = commands._mirror.log().entries
        assert (notice.text, notice.until_read) == (f"Kill switch: {problem}", True)


async def test_what_a_dying_service_was_told_to_end_is_not_called_ended(tmp_path: Path) -> None:
    async with commands_to(tmp_path / "s", _die, locks=[]) as commands:
        assert await commands.cancel_conditional(ConditionalId("c1")) != ""
        assert await commands.pause_conditional(ConditionalId("c1")) != ""
        assert await commands.remove_alert(AlertId("a1")) != ""
        assert await commands.unstar(StarKey(StarKind.EVENT, "e1")) != ""


async def test_an_order_that_could_not_be_prepared_was_certainly_not_sent(tmp_path: Path) -> None:
    unsent = Rejected("The service is gone: nothing was sent")
    async with commands_to(tmp_path / "s", _die, locks=[]) as commands:
        assert await commands.prepare(BUY) == unsent
    async with commands_to(tmp_path / "s", _die, locks=[]) as commands:
        assert await commands.prepare_many([BUY, BUY]) == (unsent, unsent)


def test_a_command_of_which_nothing_is_known_any_more_is_not_carried_out() -> None:
    heard = list[Answer | Ended]()
    commands = cast("Commands", BrokenCommands())
    Calls().carry_out("id", b"", commands=commands, listener=heard.append)
    assert heard == [Answer("id", b"", FORGOTTEN, may_have_happened=True)]
