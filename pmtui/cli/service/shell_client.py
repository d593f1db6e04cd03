"""A shell's requests to a running service: its status, unlocking, the kill switch, stopping."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pmtui import __version__
from pmtui.domain.formats import count
from pmtui.link.local_socket import listener_of, why_kept_out
from pmtui.link.messages import (
    PROTOCOL,
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
    Unlock,
    Welcome,
    pack,
    read_to_terminal,
)

ANSWER_WITHIN_S = 30.0
"""Seconds for a reply: stopping takes as long as cancelling every order, unlocking some seconds."""

STATUS_WITHIN_S = 5.0
"""Seconds for a status: a service replies within milliseconds, unless it is stopped or hangs."""

LOCK_WITHIN_S = 2.0
"""Seconds for locking order entry; a service does it at once, and the file does it for one that
does not reply."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A service that listens but does not reply."""

    pid: int
    """0 if the system does not report it."""

    @property
    def text(self) -> str:
        """A description of it."""
        named = f", process {self.pid}," if self.pid else ""
        return f"the service{named} does not answer: it may be stopped, or hang"

    @property
    def remedy(self) -> str:
        """What to do about it."""
        pid = self.pid or "PID"
        found = "" if self.pid else "`pgrep -f 'pmtui serve'` finds its process; "
        return (
            f"{found}where it was stopped, `kill -CONT {pid}` lets it go on; `kill -KILL {pid}` ends it, "
            "and the next one looks for every order again"
        )

    @property
    def words(self) -> str:
        """Description and remedy in one line."""
        return f"{self.text}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Greeting:
    """A service that accepts a terminal, with the settings that the terminal needs."""

    welcome: Welcome
    configured: Configured


def knows_open_orders(standing: ServiceStatus) -> bool:
    """Whether a service counts every open order: without its journal it knows none of an earlier session."""
    return standing.are_orders_known and not standing.journal_problem


def count_open_orders(standing: ServiceStatus) -> str:
    """Return the number of open orders in words."""
    is_known = knows_open_orders(standing)
    return count(standing.open_orders, "open order") if is_known else "open orders unknown"


def request_status(
    socket_path: Path, *, within_s: float = STATUS_WITHIN_S
) -> ServiceStatus | Refused | NoAnswer | None:
    """Return a service's status; None if none runs."""
    return asyncio.run(find_status(socket_path, within_s=within_s))


async def find_status(
    socket_path: Path, *, within_s: float = STATUS_WITHIN_S
) -> ServiceStatus | Refused | NoAnswer | None:
    """Return a service's status; None if none runs."""
    answers = await talk(socket_path, (Ask(),), within_s=within_s)
    first = answers[0] if answers else None
    if isinstance(first, ServiceStatus | Refused):
        return first
    return await asyncio.to_thread(_why_silent, socket_path)


def _why_silent(socket_path: Path) -> Refused | NoAnswer | None:
    if reason := why_kept_out(socket_path):
        return Refused(reason, "")
    pid = listener_of(socket_path)
    return None if pid is None else NoAnswer(pid)


def greet(socket_path: Path, asked: Configure) -> Greeting | Refused | NoAnswer | None:
    """Greet the service as a read-only terminal; return None if no service listens."""
    hello = Hello(PROTOCOL, __version__, may_trade=False)
    exchange = _exchange(socket_path, (hello, asked), within_s=STATUS_WITHIN_S, is_in_turn=True)
    match asyncio.run(exchange):
        case [Welcome() as welcome, Configured() as configured]:
            return Greeting(welcome, configured)
        case [Refused() as refused, *_]:
            return refused
        case _:
            return _why_silent(socket_path)


def unlock(socket_path: Path, passphrase: bytes) -> str:
    """Unlock the keystore of a service; return why it stays locked."""
    return _request_unlock(socket_path, Unlock(passphrase))


def give_key(socket_path: Path, key: bytes) -> str:
    """Send a service the private key to trade with, in hexadecimal; return why it is refused."""
    return _request_unlock(socket_path, Unlock(key, is_key=True))


def stop_service(socket_path: Path, policy: str, *, is_only_if_idle: bool = False) -> Goodbye | str:
    """Stop a service; return its goodbye, or why it keeps running.

    Args:
        socket_path: where it listens.
        policy: what to do with open orders; empty to follow its settings.
        is_only_if_idle: whether to stop only one that a terminal started and that nobody needs.
    """
    answers = asyncio.run(talk(socket_path, (Stop(policy, is_only_if_idle),), until_goodbye=True))
    match answers:
        case [Done(problem), *_] if problem:
            return problem
        case [Done(), Goodbye() as goodbye, *_]:
            return goodbye
        case [Done()]:
            return Goodbye("pmtui: the service ended without a report", are_orders_left=True)
        case [Refused(reason, _, _)]:
            return reason
        case _:
            return "the service does not answer"


def activate_kill_switch(socket_path: Path, by: str) -> str | None:
    """Have a service lock entry and cancel everything; return why not, None if no service replies."""
    return _request_done(socket_path, Kill(by), LOCK_WITHIN_S)


def release_kill_switch(socket_path: Path, by: str) -> str | None:
    """Have a service unlock order entry; return why not, None if no service replies."""
    return _request_done(socket_path, Release(by), LOCK_WITHIN_S)


def _request_unlock(socket_path: Path, secret: Unlock) -> str:
    problem = _request_done(socket_path, secret, ANSWER_WITHIN_S)
    return "the service does not answer" if problem is None else problem


def _request_done(socket_path: Path, question: ToService, within_s: float) -> str | None:
    answers = asyncio.run(talk(socket_path, (question,), within_s=within_s))
    first = answers[0] if answers else None
    return first.problem if isinstance(first, Done) else None


async def talk(
    socket_path: Path,
    questions: Sequence[ToService],
    *,
    until_goodbye: bool = False,
    within_s: float = ANSWER_WITHIN_S,
) -> list[ToTerminal]:
    """Greet the service and send requests; return the replies that arrived.

    Args:
        socket_path: where the service listens.
        questions: each is answered by one message.
        until_goodbye: whether to wait for the service's goodbye after that.
        within_s: the timeout for all of them.
    """
    hello = Hello(PROTOCOL, __version__, may_trade=False, is_terminal=False)
    answers = await _exchange(
        socket_path, (hello, *questions), until_goodbye=until_goodbye, within_s=within_s
    )
    return [each for each in answers if not isinstance(each, Welcome)]


async def _exchange(
    socket_path: Path,
    messages: Sequence[ToService],
    *,
    within_s: float,
    until_goodbye: bool = False,
    is_in_turn: bool = False,
) -> list[ToTerminal]:
    """Send messages, each answered by one, and return the replies until one refuses.

    In turn, each waits for the reply to the one before: who refuses a greeting closes the line, and a write
    after that would lose the reason.
    """
    answers: list[ToTerminal] = []
    with suppress(TimeoutError, LinkError, OSError):
        async with connecting(socket_path) as (reader, writer), asyncio.timeout(within_s):
            for message in messages[:1] if is_in_turn else messages:
                writer.write(pack(message))
            while len(answers) < len(messages) + until_goodbye:
                answer = await read_to_terminal(reader)
                if answer is None:
                    break
                answers.append(answer)
                if isinstance(answer, Refused) or (isinstance(answer, Done) and answer.problem):
                    break
                if is_in_turn and len(answers) < len(messages):
                    writer.write(pack(messages[len(answers)]))
    return answers


@asynccontextmanager
async def connecting(
    socket_path: Path,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect to the service for a few messages.

    Raises:
        OSError: no service listens.
    """
    reader, writer = await asyncio.open_unix_connection(socket_path)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
