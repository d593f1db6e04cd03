"""Commands from terminals by command id: each is carried out once.

A terminal that lost its connection sends a command again, with its id, and receives the answer to
the first one. The verdict of a command is kept for terminals that were not connected when it ended.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable

from pmtui.domain.ids import CommandId
from pmtui.link.messages import Answer, Ended
from pmtui.service.codec import CodecError, decode_call, encode
from pmtui.service.surface import VERDICT_OF_COMMAND, Commands

MOST_KEPT = 500
"""Finished commands that are remembered."""
LONGEST_ID = 64
FORGOTTEN = "the service no longer remembers how it ended"
FAILED = "a bug in the service, see its log file"
_VERDICTS = frozenset(VERDICT_OF_COMMAND.values())

_logger = logging.getLogger(__name__)

Listener = Callable[[Answer | Ended], None]


@dataclass(slots=True)
class _Record:
    command_id: CommandId | None = None
    """The service's id of a command whose verdict follows."""
    answer: Answer | None = None
    ended: Ended | None = None
    is_over: bool = False
    """Whether nothing more is reported."""
    listeners: list[Listener] = field(default_factory=list)


class Calls:
    """The recent commands of all terminals."""

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        self._running: set[asyncio.Task[None]] = set()

    def carry_out(
        self, call_id: str, call: bytes, *, commands: Commands | None, listener: Listener
    ) -> None:
        """Carry out a command once, and report its answer and its verdict.

        Args:
            call_id: made by the terminal.
            call: the command and its arguments, from the codec; empty to ask only what came of it.
            commands: those of the terminal; None where it may give none.
            listener: is given the answer, and then how it ended.
        """
        known = self._records.get(call_id)
        if known is not None:
            self._follow(known, listener)
            return
        if commands is None:
            listener(Answer(call_id, b"", "this terminal is read-only"))
            return
        if not call:
            listener(Answer(call_id, b"", FORGOTTEN, may_have_happened=True))
            return
        try:
            name, arguments = decode_call(call)
        except CodecError as error:
            listener(Answer(call_id, b"", str(error)))
            return
        if name in _VERDICTS:
            listener(Answer(call_id, b"", "verdicts are pushed, not asked for"))
            return
        record = self._records[call_id] = _Record(listeners=[listener])
        # In a task of its own: it goes on when the terminal is gone, and the next need not wait.
        self._start(self._carry_out(call_id, record, commands, (name, arguments)), call_id, record)

    def forget(self, listener: Listener) -> None:
        """Send nothing more to a terminal that has disconnected."""
        for record in self._records.values():
            if listener in record.listeners:
                record.listeners.remove(listener)

    async def close(self) -> None:
        """Stop waiting for verdicts."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _start(self, work: Coroutine[None, None, None], call_id: str, record: _Record) -> None:
        task = asyncio.get_running_loop().create_task(work, name=f"call {call_id}")
        self._running.add(task)
        task.add_done_callback(partial(self._on_end, call_id, record))

    def _on_end(self, call_id: str, record: _Record, task: "asyncio.Task[None]") -> None:
        """Report a command that a bug ended: nobody should wait for its verdict forever."""
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _logger.error("a command failed", exc_info=error)
            record.answer = Answer(call_id, b"", FAILED, may_have_happened=True)
            record.is_over = True
            self._send(record, record.answer)

    def _follow(self, record: _Record, listener: Listener) -> None:
        for ending in (record.answer, record.ended):
            if ending is not None:
                listener(ending)
        if not record.is_over and listener not in record.listeners:
            record.listeners.append(listener)

    async def _carry_out(
        self,
        call_id: str,
        record: _Record,
        commands: Commands,
        call: tuple[str, Mapping[str, object]],
    ) -> None:
        name, arguments = call
        if (after := arguments.get("after")) is not None:
            arguments = {**arguments, "after": self._command_of(str(after))}
        command: Callable[..., object] = getattr(commands, name)
        value = command(**arguments)
        if isawaitable(value):
            value = await value
        record.answer = Answer(call_id, encode(value))
        verdict = VERDICT_OF_COMMAND.get(name)
        if verdict is None:
            record.is_over = True
        else:
            wait: Callable[[CommandId], Awaitable[object]] = getattr(commands, verdict)
            record.command_id = CommandId(str(value))
            self._start(self._await_end(call_id, record, wait(record.command_id)), call_id, record)
        self._send(record, record.answer)
        self._drop_old()

    def _command_of(self, call_id: str) -> CommandId:
        """Return the service's id of a command that a terminal names by its own; no id of any if it is unknown."""
        record = self._records.get(call_id)
        return CommandId("") if record is None else record.command_id or CommandId("")

    async def _await_end(self, call_id: str, record: _Record, waiting: Awaitable[object]) -> None:
        record.ended = Ended(call_id, encode(await waiting))
        record.is_over = True
        self._send(record, record.ended)

    def _send(self, record: _Record, ending: Answer | Ended) -> None:
        for listener in tuple(record.listeners):
            listener(ending)
        if record.is_over:
            record.listeners.clear()

    def _drop_old(self) -> None:
        excess = len(self._records) - MOST_KEPT
        over = [each for each, record in self._records.items() if record.is_over]
        for old in over[: max(excess, 0)]:
            del self._records[old]
