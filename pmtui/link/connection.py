"""A terminal's connection to its service: handshake, messages, and reconnection when it is lost.

A command that is waiting for its answer when the connection is lost is sent again, with its id, to
the same run of the service. Another run does not know it: then the result of an order is unknown, and
the service searches for it by its id, as after any crash. Nothing is queued for later: without a
service, a command fails at once.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from pmtui import __version__
from pmtui.link.messages import (
    PROTOCOL,
    Answer,
    Call,
    Done,
    Ended,
    Events,
    Goodbye,
    Hello,
    LinkError,
    Peek,
    Refused,
    Stop,
    ToService,
    ToTerminal,
    Trace,
    Unlock,
    View,
    Welcome,
    pack,
    read_to_terminal,
)
from pmtui.link.mirror import STANDING, Mirror
from pmtui.service.clock import Clock, read_moment
from pmtui.service.codec import CodecError, encode
from pmtui.service.topics import Topic
from pmtui.service.views import ServiceLoss

_logger = logging.getLogger(__name__)

GONE = "the service is gone"
FAILED = "the connection to the service failed; open pmtui again"
ENDED = "the service has ended"
OTHER_VERSION = "another version runs: open pmtui again"
SILENT = "the service does not answer"
BUSY = "the service is still busy with another request"
ANSWER_WITHIN_S = 5.0
"""Seconds that a key press waits for an answer that the service gives at once."""
UNLOCK_WITHIN_S = 60.0
"""Deriving a key takes seconds by design, and longer on a small machine."""
SILENT_AFTER_S = 4.0
"""The service sends something every second; after this much silence nothing counts as live."""
RETRY_PAUSE_S = 0.05
"""Seconds between attempts to reach a service that is starting: an attempt takes microseconds."""
TICK_S = 1.0
"""Seconds between updates of the displayed time while there is no service."""
WELCOME_WITHIN_S = 5.0
MOST_PENDING = 500
"""Commands whose state the terminal remembers."""


def open_line(path: Path, topics: Iterable[Topic]) -> socket.socket | None:
    """Connect to a service and request its first views, before there is a screen to show them.

    Args:
        path: where the service listens.
        topics: those shown first, besides the ones that every terminal watches.

    Returns:
        The connection for a `ServiceConnection`; None if no service listens.
    """
    hello = Hello(PROTOCOL, __version__, may_trade=True)
    asked = (pack(Peek(encode(topic))) for topic in (*STANDING, *topics))
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(WELCOME_WITHIN_S)
    try:
        line.connect(os.fspath(path))
        line.sendall(b"".join((pack(hello), *asked)))
    except OSError:
        line.close()
        return None
    line.settimeout(0)
    return line


class NoAnswerError(Exception):
    """A command was not answered."""

    def __init__(self, reason: str, *, may_have_happened: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_have_happened = may_have_happened


@dataclass(slots=True)
class _Pending:
    message: Call | Trace
    answer: asyncio.Future[bytes]
    ended: asyncio.Future[bytes] | None
    """The verdict, if the service reports one."""
    is_patient: bool = False
    """Whether the answer may take long, and is awaited across a lost connection."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is reported of it."""
        return (self.ended or self.answer).done()


class ServiceConnection:
    """One terminal's connection, for the terminal's lifetime."""

    def __init__(
        self,
        path: Path,
        mirror: Mirror,
        clock: Clock,
        *,
        may_trade: bool = True,
        is_passing: bool = False,
        restart: Callable[[], Awaitable[None]] | None = None,
        on_welcome: Callable[[Welcome], None] | None = None,
        opened: socket.socket | None = None,
    ) -> None:
        """Prepare a connection.

        Args:
            path: where the service listens.
            mirror: the terminal's copy of the service's views.
            clock: for pauses.
            may_trade: whether commands may be sent.
            is_passing: whether a shell command uses it: it does not reconnect once it is lost.
            restart: starts a service if there is none; None to wait for one.
            on_welcome: called whenever a service accepts the terminal.
            opened: the connection from `open_line`, which has already sent the greeting.
        """
        self._path = path
        self._opened = opened
        self._mirror = mirror
        self._clock = clock
        self.may_trade = may_trade
        """Whether the service accepts commands from this terminal."""
        self._is_passing = is_passing
        self._restart, self._on_welcome = restart, on_welcome
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.StreamReader | None = None
        self._pending: dict[str, _Pending] = {}
        self._on_lost: list[Callable[[str, NoAnswerError], None]] = []
        self._on_silence: list[Callable[[], None]] = []
        self._done: asyncio.Future[Done] | None = None
        """The answer to the request in progress."""
        self._last_message_s = 0.0
        self._is_silent = self._is_closing = False
        self.instance = ""
        """The id of the current or last run of the service."""
        self.goodbye: Goodbye | None = None
        """The service's goodbye message, if it sent one."""
        self.loss: ServiceLoss | None = None
        """When the service was lost; None while there is one, and before the first."""
        self.locked_account = ""
        """Owner of the keystore that the service cannot open without a passphrase; empty if none."""
        self._ticked_at = 0.0

    @property
    def is_attached(self) -> bool:
        """Whether there is a connection to the service."""
        return self._writer is not None

    @property
    def is_silent(self) -> bool:
        """Whether the service has not ended, and sends nothing."""
        return self._is_silent and self.is_attached

    def start_again(self) -> None:
        """Allow a stopped service to be started again; do nothing while one runs."""
        if self.loss is not None and self.loss.is_final:
            self.loss = replace(self.loss, is_final=False)
            self.goodbye = None
            self._mirror.pass_time(self._clock.now())

    async def connect(self) -> Welcome | Refused | None:
        """Greet the service once; return None if no service listens."""
        opened, self._opened = self._opened, None
        try:
            if opened is not None:
                reader, writer = await asyncio.open_unix_connection(sock=opened)
            else:
                reader, writer = await asyncio.open_unix_connection(self._path)
                hello = Hello(
                    PROTOCOL, __version__, self.may_trade,
                    instance=self.instance, seen=self._mirror.last_entry,
                    is_passing=self._is_passing,
                )  # fmt: skip
                writer.write(pack(hello))
        except OSError:
            return None
        try:
            async with asyncio.timeout(WELCOME_WITHIN_S):
                first = await read_to_terminal(reader)
        except (TimeoutError, LinkError):
            first = None
        if not isinstance(first, Welcome):
            await _close(writer)
            return first if isinstance(first, Refused) else None
        self._accept_welcome(first, reader, writer)
        return first

    def start(self) -> "asyncio.Task[None]":
        """Run in a task; if a bug ends it, nothing is shown as live any more."""
        task = asyncio.get_running_loop().create_task(self.run(), name="attachment")
        task.add_done_callback(self._on_end)
        return task

    def _on_end(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _logger.error("the connection to the service failed", exc_info=error)
            self._handle_disconnect(FAILED)

    async def run(self) -> None:
        """Read messages until cancelled, and reconnect whenever the connection is lost."""
        while self._reader is not None or not (self._is_closing or self._is_passing):
            if self._reader is not None:
                await self._listen(self._reader)
                self._handle_disconnect(GONE)
                continue
            answer = await self.connect()
            if isinstance(answer, Refused):
                # Retrying soon is pointless.
                self._handle_refusal(OTHER_VERSION if answer.version else answer.reason)
                await self._clock.sleep(SILENT_AFTER_S)
            elif answer is None:
                if self.loss is not None and self.loss.refusal:
                    self.loss = replace(self.loss, refusal="")
                # A service that said goodbye was ended on purpose.
                if self._restart is not None and self.goodbye is None and not self._is_closing:
                    await self._restart()
                self._tick()
                await self._clock.sleep(RETRY_PAUSE_S)

    def _handle_refusal(self, reason: str) -> None:
        loss = self.loss or ServiceLoss(self._clock.now(), is_final=False)
        self.loss = replace(loss, refusal=reason)
        self._mirror.detach(reason)

    def _tick(self) -> None:
        now_s = self._clock.monotonic()
        if self.loss is not None and now_s - self._ticked_at >= TICK_S:
            self._ticked_at = now_s
            self._mirror.pass_time(self._clock.now())

    def send(self, message: ToService) -> None:
        """Send a message; without a connection it is dropped."""
        if self._writer is not None:
            self._writer.write(pack(message))

    def call(self, call: bytes, *, is_followed: bool = False) -> str:
        """Send a command; return its id.

        Args:
            call: the command, from the codec.
            is_followed: whether the service will report how it ended.
        """
        call_id, loop = uuid4().hex, asyncio.get_running_loop()
        message = Call(call_id, call, read_moment(self._clock))
        ended = loop.create_future() if is_followed else None
        self._pending[call_id] = _Pending(message, loop.create_future(), ended)
        self._drop_old()
        if self._writer is None:
            self._fail(call_id, GONE, may_have_happened=False)
        else:
            self.send(message)
        return call_id

    async def trace(self, order_ids: Iterable[str]) -> bytes:
        """Ask what became of orders, and wait for as long as it takes until some run answers.

        Raises:
            NoAnswerError: it cannot say.
        """
        message = Trace(uuid4().hex, tuple(order_ids))
        pending = _Pending(message, asyncio.get_running_loop().create_future(), None)
        pending.is_patient = True
        self._pending[message.call_id] = pending
        self.send(message)
        return await pending.answer

    def on_answer(self, call_id: str, listener: Callable[[BaseException | None], None]) -> None:
        """Call `listener` once a command just sent is answered, or with why it will never be."""
        self._pending[call_id].answer.add_done_callback(lambda it: listener(it.exception()))

    def on_lost(self, listener: Callable[[str, NoAnswerError], None]) -> None:
        """Call `listener` with the id of each followed command that may have happened unseen."""
        self._on_lost.append(listener)

    def on_silence(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the service begins to count as silent."""
        self._on_silence.append(listener)

    async def answer(self, call: bytes, *, within_s: float | None = ANSWER_WITHIN_S) -> bytes:
        """Send a command and wait for its answer.

        Args:
            call: the command, from the codec.
            within_s: the timeout; None for a command that queries hosts, and may take as long as they do.

        Raises:
            NoAnswerError: it was not carried out, or it is not known whether it was.
        """
        call_id = self.call(call)
        pending = self._pending[call_id]
        pending.is_patient = within_s is None
        try:
            async with asyncio.timeout(within_s):
                return await pending.answer
        except TimeoutError:
            raise NoAnswerError(SILENT, may_have_happened=True) from None
        finally:
            _ = self._pending.pop(call_id, None)

    async def wait_for_verdict(self, call_id: str) -> bytes:
        """Wait for the verdict of a command.

        Raises:
            NoAnswerError: the verdict will not come.
        """
        pending = self._pending.get(call_id)
        if pending is None or pending.ended is None:
            raise NoAnswerError(GONE, may_have_happened=True)
        try:
            return await asyncio.shield(pending.ended)
        finally:
            if pending.ended.done():
                _ = self._pending.pop(call_id, None)

    def _drop_old(self) -> None:
        """Forget finished commands whose end nobody waits for."""
        over = [i for i, each in self._pending.items() if each.is_over]
        for call_id in over[: max(len(self._pending) - MOST_PENDING, 0)]:
            del self._pending[call_id]

    async def stop_service(self, policy: str = "") -> str:
        """Ask the service to stop; return why it does not, or "" if it does."""
        self._is_closing = True
        return await self._request(Stop(policy), ANSWER_WITHIN_S)

    async def unlock(self, passphrase: bytes) -> str:
        """Open the service's keystore; return why it stays locked, or "" if it opens."""
        return await self._request(Unlock(passphrase), UNLOCK_WITHIN_S)

    async def _request(self, message: Stop | Unlock, within_s: float) -> str:
        """Send a request that is answered by `Done`; return why it was not fulfilled.

        The answer does not name its request, so requests run one at a time: each waits for its
        turn, and holds it until its answer arrives, even after its own timeout.
        """
        is_sent = False
        try:
            async with asyncio.timeout(within_s):
                while self._done is not None:
                    await asyncio.wait({self._done})
                if self._writer is None:
                    return GONE
                done: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
                self._done = done
                self.send(message)
                is_sent = True
                return (await asyncio.shield(done)).problem
        except TimeoutError:
            return SILENT if is_sent else BUSY

    def _finish_request(self, answer: Done) -> None:
        """Pass an answer to the request that waits for it, and start the next one."""
        done, self._done = self._done, None
        if done is not None:
            done.set_result(answer)

    async def close(self) -> None:
        """Close the connection; the service keeps running."""
        self._is_closing = True
        if self._writer is not None:
            await _close(self._writer)
            self._writer = self._reader = None

    def _accept_welcome(
        self, welcome: Welcome, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        is_same = welcome.instance == self.instance
        self.instance, self.goodbye, self.loss = welcome.instance, None, None
        self.locked_account = welcome.locked
        self._reader, self._writer = reader, writer
        self._last_message_s = self._clock.monotonic()
        self._mirror.attach(self.send, read_up_to=welcome.read_up_to, is_same=is_same)
        if self._on_welcome is not None:
            self._on_welcome(welcome)
        for call_id, pending in tuple(self._pending.items()):
            if pending.is_over:
                continue
            if isinstance(pending.message, Trace):
                self.send(pending.message)
            elif not is_same:
                self._fail(call_id, GONE, may_have_happened=True)
            elif pending.answer.done():
                # It has begun, and must not begin again.
                self.send(Call(call_id, b""))
            else:
                self.send(pending.message)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        watching = asyncio.get_running_loop().create_task(self._watch_silence())
        try:
            while True:
                message = await read_to_terminal(reader)
                if message is None:
                    return
                self._last_message_s = self._clock.monotonic()
                if self._is_silent:
                    # Views that were shown as stale are requested again.
                    self._is_silent = False
                    self._mirror.watch_again()
                self._handle(message)
        except (LinkError, CodecError):
            return
        finally:
            watching.cancel()

    async def _watch_silence(self) -> None:
        """Mark everything as stale when the service is silent without having stopped."""
        while True:
            quiet_s = self._clock.monotonic() - self._last_message_s
            if quiet_s >= SILENT_AFTER_S:
                has_begun, self._is_silent = not self._is_silent, True
                self._mirror.pass_time(self._clock.now())
                self._mirror.show_silence(SILENT)
                for listener in self._on_silence if has_begun else ():
                    listener()
            await self._clock.sleep(max(SILENT_AFTER_S - quiet_s, 1.0))

    def _handle(self, message: ToTerminal) -> None:
        match message:
            case View():
                self._mirror.apply(message)
            case Events():
                self._mirror.apply_events(message)
            case Answer():
                self._handle_answer(message)
            case Ended(call_id, verdict):
                pending = self._pending.get(call_id)
                if pending is not None and pending.ended is not None and not pending.ended.done():
                    pending.ended.set_result(verdict)
            case Done():
                self._finish_request(message)
            case Goodbye():
                self.goodbye = message
            case _:
                raise LinkError("unexpected message")

    def _handle_answer(self, answer: Answer) -> None:
        pending = self._pending.get(answer.call_id)
        if pending is None:
            return
        if answer.problem:
            self._fail(answer.call_id, answer.problem, may_have_happened=answer.may_have_happened)
        elif not pending.answer.done():
            pending.answer.set_result(answer.value)
        if pending.ended is None:
            _ = self._pending.pop(answer.call_id, None)

    def _fail(self, call_id: str, reason: str, *, may_have_happened: bool) -> None:
        pending = self._pending[call_id]
        lost = NoAnswerError(reason, may_have_happened=may_have_happened)
        is_news = pending.ended is not None and not pending.is_over
        for future in (pending.answer, pending.ended):
            if future is not None and not future.done():
                future.set_exception(NoAnswerError(reason, may_have_happened=may_have_happened))
                # The sender may never ask for the result.
                _ = future.exception()
        if is_news and may_have_happened:
            for listener in self._on_lost:
                listener(call_id, lost)

    def _handle_disconnect(self, reason: str) -> None:
        self._reader = None
        self._finish_request(Done(reason))
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for call_id, pending in tuple(self._pending.items()):
            if pending.ended is None and (self._is_passing or not pending.is_patient):
                self._fail(call_id, reason, may_have_happened=True)
                _ = self._pending.pop(call_id, None)
        if not self._is_closing:
            word = self.goodbye
            is_final = word is not None and not word.is_back_soon
            self.loss = ServiceLoss(self._clock.now(), is_final)
            self._mirror.detach(reason if word is None else ENDED)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
