"""The service's end of the link: accepts terminals of its own user, and reports its status to a shell."""

import asyncio
import logging
import os
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from pmtui import __version__
from pmtui.domain.formats import count
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import OrderStatus
from pmtui.link.calls import Calls
from pmtui.link.local_socket import MOST_CONNECTIONS, UidOf, is_our_user, uid_of, user_name
from pmtui.link.messages import (
    PROTOCOL,
    Answer,
    Ask,
    Configure,
    Configured,
    Done,
    Goodbye,
    Hello,
    Kill,
    LinkError,
    Refused,
    Release,
    ServiceStatus,
    Stop,
    ToService,
    ToTerminal,
    Trace,
    Unlock,
    Welcome,
    pack,
    read_to_service,
)
from pmtui.link.session import Session
from pmtui.service.codec import encode
from pmtui.service.data_service import DataService
from pmtui.service.views import Level, LogEntry

HELLO_WITHIN_S = 5.0
GOODBYE_WITHIN_S = 1.0
_ACCEPT_AGAIN_S = 1.0
"""Seconds to pause after the system had no room for a connection."""
_BUFFER_BYTES = 1 << 16
"""Bytes that may wait in our memory for a terminal, besides the system's buffer."""

READ_ONLY_CONNECTION = "this connection is read-only"
"""Why such a connection may not stop the service."""
IN_USE = "the service is in use"

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HostProcess:
    """What the server needs from the process that it runs in."""

    profile: str
    now: Callable[[], datetime]
    memory_bytes: Callable[[], int]
    unlock: Callable[[Unlock], Awaitable[str]]
    """Opens the keystore or takes a key; returns why not, or "" on success."""
    stop: Callable[[str], str]
    """Ends the service, with what becomes of open orders; returns why not."""
    configure: Callable[[Configure], Awaitable[Configured]]
    """Reads the settings anew, for a terminal."""
    locked: str = ""
    """Owner of a keystore that waits for its passphrase."""
    needs_key: bool = False
    """Whether there is no key to trade with."""
    rules: str = ""
    """Digest of the settings that it uses."""
    may_idle: bool = False
    """Whether a terminal started it, so that it stops when it is not needed."""


class LinkServer:
    """Accepts and serves the connections of one service."""

    def __init__(
        self, service: DataService, process: HostProcess, *, uid_of: UidOf = uid_of
    ) -> None:
        """Serve one run of the service.

        Args:
            service: the running service.
            process: the process that it runs in.
            uid_of: returns the user at the other end of a connection.
        """
        self._service = service
        self._process = process
        self._uid_of = uid_of
        self._instance = uuid4().hex
        self._since = process.now()
        self._calls = Calls()
        self._tasks: set[asyncio.Task[None]] = set()
        """One for each connection."""
        self._answering: set[asyncio.Task[None]] = set()
        self._sessions: set[Session] = set()
        self._shells: dict[asyncio.StreamWriter, None] = {}
        """The one that has asked nothing for the longest time is the first."""
        self._listening: socket.socket | None = None
        self._goodbye: Goodbye | None = None
        """The goodbye message once it was sent: late connections receive it too."""
        self.was_attended = False
        """Whether any terminal that may trade has been attached."""
        self._left_at = None if process.may_idle else self._last_entry()
        """The last log entry when the last terminal left, or when the service started without one."""

    @property
    def terminals(self) -> int:
        """The number of attached terminals."""
        return len(self._sessions)

    def listen(self, listening: socket.socket) -> None:
        """Accept terminals on this socket only from now on; attached terminals stay.

        Args:
            listening: bound to its path and non-blocking; it is closed with the server.
        """
        before, self._listening = self._listening, listening
        if before is not None and before is not listening:
            asyncio.get_running_loop().remove_reader(before)
            before.close()
        asyncio.get_running_loop().add_reader(listening, self._take_in, listening)

    async def close(
        self, text: str, *, is_back_soon: bool = False, are_orders_left: bool = False
    ) -> None:
        """Send a goodbye to every connection, and accept no more."""
        goodbye = self._goodbye = Goodbye(text, is_back_soon, are_orders_left)
        listening, self._listening = self._listening, None
        if listening is not None:
            asyncio.get_running_loop().remove_reader(listening)
            # Connections that are already pending get the goodbye too.
            self._take_in(listening)
            listening.close()
        for session in self._sessions:
            session.end(goodbye)
        for shell in self._shells:
            shell.write(pack(goodbye))
            shell.close()
        leaving = (*self._tasks, *self._answering)
        if leaving:
            _ = await asyncio.wait(leaving, timeout=GOODBYE_WITHIN_S)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        await self._calls.close()

    def standing(self) -> ServiceStatus:
        """Return the service's status."""
        queries = self._service.queries
        status, account = queries.status(), queries.account()
        return ServiceStatus(
            pid=os.getpid(),
            profile=self._process.profile,
            mode=status.mode.value,
            version=__version__,
            since=self._since,
            terminals=self.terminals,
            sources={
                each.source.value: f"{each.state.value} {each.reason}".strip()
                for each in status.health
            },
            open_orders=status.open_orders,
            conditional_orders=len(account.active),
            alerts=self._service.waiting_alerts(),
            memory_bytes=self._process.memory_bytes(),
            locked=self._process.locked,
            kill_lock=status.kill_lock,
            are_orders_known=status.are_orders_known,
            journal_problem=self._service.journal_problem,
            budgets={each.name: (each.left, each.allowed) for each in self._service.rate_budgets()},
        )

    @property
    def is_needed(self) -> bool:
        """Whether a terminal is attached, or orders, stops or alerts are working."""
        # Called every second, so the cheap checks come first.
        if self.terminals or self._service.waiting_alerts():
            return True
        queries = self._service.queries
        status = queries.status()
        return bool(status.open_orders or status.kill_lock or queries.account().active)

    def _take_in(self, listening: socket.socket) -> None:
        """Accept every pending connection."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                one, _ = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                # Out of file descriptors: without a pause this would repeat at once.
                _logger.warning("link: no connection could be taken in: %s", error.strerror)
                loop.remove_reader(listening)
                loop.call_later(_ACCEPT_AGAIN_S, self._listen_again)
                return
            one.settimeout(0)
            task = loop.create_task(self._hold(one), name="link")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _listen_again(self) -> None:
        if self._listening is not None:
            self.listen(self._listening)

    async def _hold(self, one: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=one)
        writer.transport.set_write_buffer_limits(high=_BUFFER_BYTES)
        try:
            await self._serve(reader, writer)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        one: socket.socket = writer.get_extra_info("socket")
        is_ours = is_our_user(one, self._uid_of)
        if not is_ours:
            _logger.warning("link: a connection of another user was refused")
            if len(self._tasks) > MOST_CONNECTIONS:
                return
        try:
            async with asyncio.timeout(HELLO_WITHIN_S):
                hello = await read_to_service(reader)
        except (TimeoutError, LinkError):
            return
        if not isinstance(hello, Hello):
            return
        if refusal := self._why_not(hello) if is_ours else _keep_out():
            await _refuse(refusal, reader, writer)
            return
        if hello.is_terminal:
            await self._serve_terminal(hello, reader, writer)
        else:
            writer.write(pack(self._welcome(hello)))
            await self._serve_shell(reader, writer)

    def _why_not(self, hello: Hello) -> Refused | None:
        if hello.protocol != PROTOCOL or hello.version != __version__:
            text = f"the service is pmtui {__version__}, this is pmtui {hello.version}"
            if not hello.is_terminal and hello.protocol == PROTOCOL:
                # A shell of another version may still query the service, and stop it.
                return None
            return Refused(text, __version__, can_restart=not self.is_needed)
        # Programs that look on leave room for traders.
        alike = sum(session.may_trade == hello.may_trade for session in self._sessions)
        if hello.is_terminal and alike >= MOST_CONNECTIONS:
            return Refused(f"{MOST_CONNECTIONS} are attached already", "")
        return None

    def _welcome(self, hello: Hello) -> Welcome:
        return Welcome(
            version=__version__,
            instance=self._instance,
            pid=os.getpid(),
            may_trade=hello.may_trade,
            read_up_to=self._service.queries.log().read_up_to,
            locked=self._process.locked,
            needs_key=self._process.needs_key,
            rules=self._process.rules,
        )

    async def _serve_terminal(
        self, hello: Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if hello.instance != self._instance:
            hello = Hello(
                hello.protocol, hello.version, hello.may_trade, is_passing=hello.is_passing
            )
        session = Session(
            self._service, self._calls, hello, reader=reader, writer=writer, other=self._answer
        )
        session.send(self._welcome(hello))
        if session.is_trader:
            # A program that reads a book is not a trader who was away.
            self._note_arrival()
            self.was_attended = True
        self._sessions.add(session)
        self._count_traders()
        if self._goodbye is not None:
            session.end(self._goodbye)
        try:
            await session.run()
        finally:
            self._sessions.discard(session)
            self._count_traders()
            if session.is_trader and not self._is_attended:
                self._note_leaving()

    async def _serve_shell(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._move_to_end(writer)
        try:
            while (message := await read_to_service(reader)) is not None:
                self._move_to_end(writer)
                writer.write(pack(await self._answer_shell(message)))
                await writer.drain()
        except (LinkError, OSError):
            return
        finally:
            self._shells.pop(writer, None)

    def _move_to_end(self, shell: asyncio.StreamWriter) -> None:
        """Note that a shell is in use, and close the idlest of too many."""
        self._shells.pop(shell, None)
        self._shells[shell] = None
        if len(self._shells) > MOST_CONNECTIONS:
            next(iter(self._shells)).close()

    async def _answer_shell(self, message: ToService) -> ToTerminal:
        match message:
            case Ask():
                return self.standing()
            case Configure():
                return await self._process.configure(message)
            case Unlock():
                return Done(await self._process.unlock(message))
            case Kill(by):
                self._service.parts.safeguards.kill_switch.kill(by)
                return Done()
            case Release(by):
                return Done(self._service.parts.safeguards.kill_switch.release(by))
            case Stop(policy, is_only_if_idle):
                if is_only_if_idle and (self.is_needed or not self._process.may_idle):
                    return Done(IN_USE)
                return Done(self._process.stop(policy))
            case _:
                raise LinkError("a shell command cannot watch views")

    def _answer(self, session: Session, message: ToService) -> None:
        match message:
            case Configure():
                self._answer_later(session, self._process.configure(message))
            case Unlock() if session.may_trade:
                self._answer_later(session, self._unlock(message))
            case Trace() if session.may_trade:
                self._answer_later(session, self._trace(message))
            case Stop() if not session.may_trade:
                session.send(Done(READ_ONLY_CONNECTION))
            case Stop(policy):
                session.send(Done(self._process.stop(policy)))
            case _:
                raise LinkError("unexpected message")

    async def _trace(self, asked: Trace) -> Answer:
        verdicts = [
            await self._service.trace_order(OrderId(order_id)) for order_id in asked.order_ids
        ]
        return Answer(asked.call_id, encode(tuple(verdicts)))

    async def _unlock(self, given: Unlock) -> Done:
        return Done(await self._process.unlock(given))

    def _answer_later(self, session: Session, work: Awaitable[ToTerminal]) -> None:
        async def answer() -> None:
            session.send(await work)

        task = asyncio.get_running_loop().create_task(answer())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _count_traders(self) -> None:
        self._service.count_terminals(sum(session.is_trader for session in self._sessions))

    @property
    def _is_attended(self) -> bool:
        return any(session.is_trader for session in self._sessions)

    def _note_arrival(self) -> None:
        """Summarise in the log what happened while no terminal was attached."""
        left_at, self._left_at = self._left_at, None
        if self._is_attended or left_at is None:
            return
        log = self._service.log
        if news := find_news(log.view().entries, left_at):
            log.notice(weight_of(news), describe_absence(news), until_read=True)

    def _note_leaving(self) -> None:
        """Record the end of the log as the last terminal leaves, and mark it."""
        self._service.log.add(Level.INFO, "notice", LEFT)
        self._left_at = self._last_entry()

    def _last_entry(self) -> int:
        entries = self._service.queries.log().entries
        return entries[-1].sequence if entries else 0


async def _refuse(
    refusal: Refused, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Send a refusal, then read the rest of the request: closing earlier could lose the refusal."""
    writer.write(pack(refusal))
    with suppress(TimeoutError, OSError):
        writer.write_eof()
        async with asyncio.timeout(HELLO_WITHIN_S):
            while await reader.read(_BUFFER_BYTES):
                pass


def _keep_out() -> Refused:
    return Refused(
        f"the service belongs to {user_name(os.geteuid())}, and serves no other user", ""
    )


MOST_TOLD = 10
"""Events that the notice lists; the log has all of them."""
LEFT = "No terminal is attached any more; the service goes on"
_NEWS_KINDS = ("order", "wallet")
"""Entries that are news even if they are only informational."""
_BY_WEIGHT = (Level.INFO, Level.GOOD, Level.WARNING, Level.BAD)
_VERBS = {OrderStatus.LIVE.words: "accepted", "FAILED": "fill undone"}
"""How an action is counted, if its own verb describes an order's state."""
_PLURALS = {
    "stop or target": "stops or targets", "transaction": "transactions", "notice": "notices",
}  # fmt: skip
"""Plurals of things counted by a noun; actions are counted by their verbs."""


def find_news(entries: Iterable[LogEntry], left_at: int) -> tuple[LogEntry, ...]:
    """Return the entries after a given one that matter to a trader, in order."""
    return tuple(
        entry
        for entry in entries
        if entry.sequence > left_at and (entry.level is not Level.INFO or entry.kind in _NEWS_KINDS)
    )


def describe_absence(news: Sequence[LogEntry]) -> str:
    """Summarise what happened: counts by kind, then the events in order, oldest first."""
    counts = Counter(map(_kind_of, news))
    counted = ", ".join(
        count(number, kind, _PLURALS.get(kind, kind)) for kind, number in counts.items()
    )
    text = "; ".join(entry.text for entry in news[:MOST_TOLD])
    more = f"; {len(news) - MOST_TOLD:,} more in the log" if len(news) > MOST_TOLD else ""
    return f"While no terminal was attached: {counted}. {text}{more}"


def weight_of(news: Sequence[LogEntry]) -> Level:
    """Return the most severe level of the news; at least one that is shown as a notice."""
    return max((Level.GOOD, *(entry.level for entry in news)), key=_BY_WEIGHT.index)


def _kind_of(entry: LogEntry) -> str:
    if entry.facts is not None:
        return _VERBS.get(entry.facts.verb, entry.facts.verb)
    if entry.kind == "order":
        return "stop or target"
    return "transaction" if entry.kind == "wallet" else "notice"
