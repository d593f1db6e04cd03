"""What passes between a terminal and its service, as msgpack behind a length of four bytes.

Every message is small but for views, which have a greater bound. What a topic, a view, a command and
its answer look like is `service/codec.py`'s to say: here they are bytes.
"""

import asyncio
from datetime import datetime
from typing import TypeAlias

import msgspec

from pmtui.config.terminal_settings import TerminalSettings

PROTOCOL = 1
"""Grows with every change that an older program would misread."""
MOST_TO_SERVICE = 1 << 20
"""Bytes of a message to the service."""
MOST_TO_TERMINAL = 1 << 26
"""Bytes of a message to a terminal: a list of every market is the longest."""
_LENGTH_BYTES = 4


class LinkError(Exception):
    """What came is no message of this protocol, or is longer than any may be."""


class _Message(msgspec.Struct, array_like=True, tag=True):
    """A message: an array that begins with its name."""


class Hello(_Message):
    """The first word of whoever connects."""

    protocol: int
    version: str
    """Of the program."""
    may_trade: bool
    """Whether it wants to give commands; without it every command is refused."""
    instance: str = ""
    """The service it was attached to before; empty the first time."""
    seen: int = 0
    """The last entry of the log that it has of that service."""
    is_terminal: bool = True
    """Whether it is shown views; else it only asks how the service stands."""
    is_passing: bool = False
    """Whether a shell command acts through it, which does not count as a terminal."""


class Configure(_Message):
    """Read the settings as a terminal would find them, and say what it needs to know of them."""

    profile: str | None
    """As the command line names it; None where it does not."""
    config_file: str
    environ: dict[str, str]
    """The variables that hold settings, but for the private key."""


class Watch(_Message):
    """Push a topic's view now and whenever it changes."""

    topic: bytes


class Unwatch(_Message):
    """Push a topic's view no more; the terminal has it no longer."""

    topic: bytes


class Peek(_Message):
    """Push a topic's view once; nothing is fetched for it."""

    topic: bytes


class Call(_Message):
    """Carry out a command; a second call with the same id is answered as the first was."""

    call_id: str
    call: bytes


class Ask(_Message):
    """Say how the service stands."""


class Unlock(_Message):
    """The passphrase of the keystore, or the key itself."""

    secret: bytes
    is_key: bool = False


class Kill(_Message):
    """Throw the kill switch."""

    by: str
    """Who does it, as a trader reads it."""


class Release(_Message):
    """Release the lock of entry."""

    by: str


class Stop(_Message):
    """End the service."""

    policy: str = ""
    """What becomes of open orders; empty for what the settings say."""
    is_only_if_idle: bool = False
    """Only a service that a terminal started, and that is not needed."""


class Welcome(_Message):
    """The service takes a terminal in."""

    version: str
    instance: str
    """Names this run of the service."""
    pid: int
    may_trade: bool
    read_up_to: int
    """The last entry of the log that was read in any terminal."""
    locked: str = ""
    """The owner of a keystore that waits for its passphrase; empty where none does."""
    needs_key: bool = False
    """Whether it has no key to trade with, and would take one."""
    rules: str = ""
    """Digest of the settings that the service acts by."""


class Configured(_Message):
    """What a terminal needs to know of the settings, or why they cannot be used."""

    settings: TerminalSettings | None = None
    place: str = ""
    """Where the mistake stands: the line of a file, a variable, an option."""
    problem: str = ""
    words: tuple[str, ...] = ()
    """What else is shown to the user."""


class Refused(_Message):
    """The service does not take in whoever asks, and why."""

    reason: str
    version: str
    """Of the service, where that is the reason; else empty."""
    can_restart: bool = False
    """Whether nothing rests and nothing is watched over: the service may be started anew."""


class View(_Message):
    """The newest view of a topic; of the books of watched rows, after the first, those that changed."""

    topic: bytes
    version: int
    view: bytes


class Events(_Message):
    """Entries of the log, in order; what is known already is passed over."""

    entries: bytes
    dropped: int
    """How many are no longer kept before the first one that is."""


class Answer(_Message):
    """What a command returned."""

    call_id: str
    value: bytes
    problem: str = ""
    """Why it was not carried out; then there is no value."""
    may_have_happened: bool = False
    """Whether it may have been carried out all the same, in part or whole, and nothing more is told."""


class Ended(_Message):
    """How what a command set off has ended, or that it is not known."""

    call_id: str
    verdict: bytes


class Standing(_Message):
    """How the service stands, for a shell."""

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
    """Why no order may be entered; empty when it may."""
    budgets: dict[str, tuple[int, int]] = {}
    """What the trading host's limits still allow: for each, what is left and the whole."""


class Done(_Message):
    """What was asked for is done, or why it is not."""

    problem: str = ""


class Goodbye(_Message):
    """The service ends, or starts anew."""

    text: str
    is_back_soon: bool = False


ToService: TypeAlias = (
    Hello | Configure | Watch | Unwatch | Peek | Call | Ask | Unlock | Kill | Release | Stop
)
ToTerminal: TypeAlias = (
    Welcome | Configured | Refused | View | Events | Answer | Ended | Standing | Done | Goodbye
)

_encoder = msgspec.msgpack.Encoder()
_to_service = msgspec.msgpack.Decoder(ToService)
_to_terminal = msgspec.msgpack.Decoder(ToTerminal)


def pack(message: ToService | ToTerminal) -> bytes:
    """Return a message with its length before it."""
    body = _encoder.encode(message)
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


def unpack_to_terminal(data: bytes) -> ToTerminal | None:
    """Return the one message that was read to its end from a pipe; None where it is not whole.

    Raises:
        LinkError: it is none.
    """
    if len(data) < _LENGTH_BYTES or len(data) != _LENGTH_BYTES + int.from_bytes(
        data[:_LENGTH_BYTES], "big"
    ):
        return None
    return _decode_to_terminal(data[_LENGTH_BYTES:])


async def read_to_service(reader: asyncio.StreamReader) -> ToService | None:
    """Wait for a terminal's next message; None when it has gone.

    Raises:
        LinkError: it speaks otherwise.
    """
    body = await _read(reader, MOST_TO_SERVICE)
    try:
        return None if body is None else _to_service.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(str(error)) from None


async def read_to_terminal(reader: asyncio.StreamReader) -> ToTerminal | None:
    """Wait for the service's next message; None when it has gone.

    Raises:
        LinkError: it speaks otherwise.
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
