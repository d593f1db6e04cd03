"""Commands that a bug ends are answered, so that nobody waits for their verdicts for ever."""

import asyncio
from pathlib import Path
from typing import cast

from pmtui import __version__
from pmtui.domain.ids import CommandId, ConditionId, OrderId
from pmtui.domain.orders.order import Unknown
from pmtui.link.attachment import Attachment
from pmtui.link.calls import FAILED, Calls
from pmtui.link.messages import Answer, Call, Ended, Welcome, pack, read_to_service
from pmtui.link.mirror import Mirror
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode_call
from pmtui.service.surface import Commands
from tests.link.kit import NOTHING_YET
from tests.service.fakes import CONDITION

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


async def test_a_terminal_takes_the_end_of_such_an_order_for_unknown(tmp_path: Path) -> None:
    async def fail_every_call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pack(Welcome(__version__, "run", 1, may_trade=True, read_up_to=0)))
        while (message := await read_to_service(reader)) is not None:
            if isinstance(message, Call):
                answer = Answer(message.call_id, b"", FAILED, may_have_happened=True)
                writer.write(pack(answer))
        writer.close()

    path, mirror, clock = tmp_path / "s", Mirror(NOTHING_YET), SystemClock()
    async with await asyncio.start_unix_server(fail_every_call, path):
        line = Attachment(path, mirror, clock)
        assert isinstance(await line.connect(), Welcome)
        task = line.start()
        commands = RemoteCommands(line, mirror, clock, lock=lambda: None)
        async with asyncio.timeout(DEADLINE_S):
            verdict = await commands.verdict(commands.place(OrderId("0x01")))
        assert isinstance(verdict, Unknown)
        assert verdict.order_id == "0x01"
        await line.close()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
