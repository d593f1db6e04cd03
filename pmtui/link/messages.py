"""The messages between a terminal and its service: msgpack with a four-byte length prefix.

Every message is small except views, which have a larger limit. The encoding of topics, views,
commands and answers is defined in `service/codec.py`: here they are bytes.
"""

import asyncio
from datetime import datetime
from typing import TypeAlias

import msgspec

from pmtui.config.terminal_settings import TerminalSettings
from pmtui.service.clock import Moment

PROTOCOL = 5
"""Grows with every change that an older program would misread."""
MOST_TO_SERVICE = 1 << 20
"""Bytes of one message to the service."""
MOST_TO_TERMINAL = 1 << 26
"""Bytes of one message to a terminal: a list of every market is the longest."""
_LENGTH_BYTES = 4


class LinkError(Exception):
    """The data received is not a message of this protocol, or is longer than any may be."""


class _Message(msgspec.Struct, array_like=True, tag=True):
    """A message: an array that begins with the message's name."""


class Hello(_Message):
    """The first message from a client."""

    protocol: int
    version: str
    """Version of the program."""
    may_trade: bool
    """Whether it wants to send commands; without it every command is refused."""
    instance: str = ""
    """The run of the service that it was attached to before; empty the first time."""
    seen: int = 0
    """The last log entry that it has from that run."""
    is_terminal: bool = True
    """Whether it is shown views; otherwise it only asks for the service's status."""
    is_passing: bool = False
    """Whether a shell command uses the connection, which does not count as a terminal."""


class Configure(_Message):
    """Read the settings as a terminal would find them, and return what the terminal needs of them."""

    profile: str | None
    """The profile that the command line names; None if it names none."""
    config_file: str
    environ: dict[str, str]
    """The environment variables that hold settings, except the private key."""


class Watch(_Message):
    """Push a topic's view now and on every change."""

    topic: bytes


class Unwatch(_Message):
    """Stop pushing a topic's view; the terminal no longer has it."""

    topic: bytes


class Peek(_Message):
    """Push a topic's view once; nothing is fetched for it."""

    topic: bytes


class Call(_Message):
    """Carry out a command; a second call with the same id receives the first one's answer."""

    call_id: str
    call: bytes
    """Empty to ask only for the answer to an earlier call with this id."""
    given: Moment | None = None
    """When the trader gave it; None for when it is read. Orders are not sent long after it."""


class Trace(_Message):
    """Ask for the result of orders that an earlier run of the service was to send; answered by `Answer`."""

    call_id: str
    order_ids: tuple[str, ...]


class Ask(_Message):
    """Ask for the status of the service."""


class Unlock(_Message):
    """The passphrase of the keystore, or the key itself."""

    secret: bytes
    is_key: bool = False


class Kill(_Message):
    """Throw the kill switch."""

    by: str
    """Who throws it, in words for the trader."""


class Release(_Message):
    """Release the kill lock, so that orders can be entered again."""

    by: str


class Stop(_Message):
    """End the service."""

    policy: str = ""
    """What to do with open orders; empty to follow the settings."""
    is_only_if_idle: bool = False
    """Stop only a service that a terminal started and that is not needed."""


class Welcome(_Message):
    """The service accepts a terminal."""

    version: str
    instance: str
    """Id of this run of the service."""
    pid: int
    may_trade: bool
    read_up_to: int
    """The last log entry that was read in any terminal."""
    locked: str = ""
    """Owner of a keystore that waits for its passphrase; empty if there is none."""
    needs_key: bool = False
    """Whether it has no key to trade with, and would accept one."""
    rules: str = ""
    """Digest of the settings that the service uses."""


class Configured(_Message):
    """What a terminal needs of the settings, or why they cannot be used."""

    settings: TerminalSettings | None = None
    place: str = ""
    """Where the mistake is: the line of a file, a variable, an option."""
    problem: str = ""
    words: tuple[str, ...] = ()
    """Further messages to show to the user."""


class Refused(_Message):
    """The service refuses the connection, and why."""

    reason: str
    version: str
    """Version of the service, if that is the reason; else empty."""
    can_restart: bool = False
    """Whether nothing rests and nothing is monitored, so that the service may be restarted."""


class View(_Message):
    """The newest view of a topic. Books of watched rows: all of them first, then only changed ones."""

    topic: bytes
    version: int
    view: bytes


class Events(_Message):
    """Log entries in order; those already known are skipped."""

    entries: bytes
    dropped: int
    """Entries no longer kept before the first one that is."""


class Answer(_Message):
    """The return value of a command."""

    call_id: str
    value: bytes
    problem: str = ""
    """Why it was not carried out; then there is no value."""
    may_have_happened: bool = False
    """Whether it may have been carried out in part or whole, without further reports."""


class Ended(_Message):
    """The verdict of a command's operation, or that it is unknown."""

    call_id: str
    verdict: bytes


# Shells of other versions know it by its tag.
class ServiceStatus(_Message, tag="Standing"):
    """The service's status, for a shell."""

    pid: int
    profile: str
    mode: str
    version: str
    since: datetime
    terminals: int
    sources: dict[str, str]
    open_orders: int
    conditional_orders: int
    alerts: int
    memory_bytes: int
    locked: str = ""
    kill_lock: str = ""
    """Why no order may be entered; empty if orders may."""
    budgets: dict[str, tuple[int, int]] = {}
    """What the trading host's rate limits still allow: for each, the remainder and the total."""
    are_orders_known: bool = True
    """Whether the number of open orders is complete."""
    journal_problem: str = ""
    """Why no orders can be sent and those of an earlier session are unknown; empty if the journal is fine."""


class Done(_Message):
    """A request is fulfilled, or why it is not."""

    problem: str = ""


class Goodbye(_Message):
    """The service stops or restarts."""

    text: str
    is_back_soon: bool = False
    are_orders_left: bool = False
    """Whether orders that were to be cancelled may still be working."""


ToService: TypeAlias = (
    Hello | Configure | Watch | Unwatch | Peek | Call | Trace | Ask | Unlock | Kill | Release | Stop
)
ToTerminal: TypeAlias = (
    Welcome | Configured | Refused | View | Events | Answer | Ended | ServiceStatus | Done | Goodbye
)

_encoder = msgspec.msgpack.Encoder()
_to_service = msgspec.msgpack.Decoder(ToService)
_to_terminal = msgspec.msgpack.Decoder(ToTerminal)


def pack(message: ToService | ToTerminal) -> bytes:
    """Return a message with its length prefix."""
    body = _encoder.encode(message)
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


def unpack_to_terminal(data: bytes) -> ToTerminal | None:
    """Return the one message read to the end of a pipe; None if it is incomplete.

    Raises:
        LinkError: the data is not a message.
    """
    if len(data) < _LENGTH_BYTES or len(data) != _LENGTH_BYTES + int.from_bytes(
        data[:_LENGTH_BYTES], "big"
    ):
        return None
    return _decode_to_terminal(data[_LENGTH_BYTES:])


async def read_to_service(reader: asyncio.StreamReader) -> ToService | None:
    """Wait for a terminal's next message; None when it has disconnected.

    Raises:
        LinkError: the data is not a message of the protocol.
    """
    body = await _read(reader, MOST_TO_SERVICE)
    try:
        return None if body is None else _to_service.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(str(error)) from None


async def read_to_terminal(reader: asyncio.StreamReader) -> ToTerminal | None:
    """Wait for the service's next message; None when it has disconnected.

    Raises:
        LinkError: the data is not a message of the protocol.
    """
    body = await _read(reader, MOST_TO_TERMINAL)
    return None if body is None else _decode_to_terminal(body)


def _decode_to_terminal(body: bytes) -> ToTerminal:
    try:
        message: ToTerminal = _to_terminal.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(str(error)) from None
    return message


async def _read(reader: asyncio.StreamReader, most: int) -> bytes | None:
    try:
        length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
        if length > most:
            raise LinkError(f"a message of {length} bytes")
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, OSError):
        return None
