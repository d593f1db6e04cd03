"""Reads a recording whole: our own, or messages saved by other programs in a public format.

One message per line or one JSON document, gzip or not; a message is bare, or wrapped by the recorder
under a key of its own next to the arrival time, or paired with that time in an array.

A truncated end, as a crash or a full disk leaves it, is cut at the last complete line. Anything that is
not a message of the market stream is skipped and counted.
"""

import gzip
import json
import math
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from pmtui.recording.writer import (
    FORMAT,
    VERSION,
    AnswerRow,
    EndRow,
    FrameRow,
    Header,
    LinkRow,
    Row,
    row_decoder,
)
from pmtui.wire.bounds import UNREADABLE

_INNER = ("data", "message", "raw", "msg", "payload", "body", "frame")
_ARRIVAL = ("arrival_ms", "received_ms", "recv_ms", "arrival", "received_at", "recv_ts", "ts", "t")
_OWN_KEYS = frozenset({"event_type", "bids", "price_changes", "asset_id"})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_BYTES = 512 << 20
"""Bytes after unpacking; the whole file is held in memory during a replay."""
_OWN_BEGINNING = b'{"kind":"header"'
_GZIP = 31
_PIECE = 1 << 20
_KINDS = frozenset(
    {
        "book", "price_change", "last_trade_price", "tick_size_change", "best_bid_ask",
        "new_market", "market_resolved",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message as received, and its arrival time in milliseconds if the recorder stored it."""

    frame: bytes
    arrival_ms: int | None = None


def read_bytes(path: Path) -> bytes:
    """Read a file, and unpack it if it is compressed.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is a damaged archive.
    """
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"damaged gzip: {error}") from error
    return data.removeprefix(_BYTE_ORDER_MARK)


def split_frames(data: bytes) -> Iterator[Recorded]:
    """Yield the messages of a file's unpacked content, in its order."""
    data = data.removeprefix(_BYTE_ORDER_MARK)
    # A damaged first line counts as one unreadable message; the ones after it can still be read.
    documents = [data] if _is_json(data) else data.splitlines()
    for document in documents:
        if document.strip():
            yield from _unwrap(document.strip())


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _unwrap(text: bytes) -> Iterator[Recorded]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield Recorded(text)
        return
    elements = value if isinstance(value, list) and not _is_pair(value) else [value]
    if any(_is_pair(element) or _inner_key(element) for element in elements):
        for element in elements:
            yield _recorded(element)
    else:
        # An array of events is one frame, like the first books.
        yield Recorded(text)


def _is_pair(value: object) -> bool:
    """Return whether a recorder put the arrival time and the message into an array of two."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    time, message = value
    is_time = isinstance(time, int | float) and not isinstance(time, bool)
    return is_time and isinstance(message, str | dict | list)


def _inner_key(value: object) -> str | None:
    if not isinstance(value, dict) or _OWN_KEYS & value.keys():
        return None
    return next((key for key in _INNER if isinstance(value.get(key), str | dict | list)), None)


def _recorded(value: object) -> Recorded:
    if isinstance(value, list) and _is_pair(value):
        return Recorded(_text(value[1]), _milliseconds([value[0]]))
    key = _inner_key(value)
    if key is None or not isinstance(value, dict):
        return Recorded(_text(value))
    return Recorded(_text(value[key]), _milliseconds([value.get(name) for name in _ARRIVAL]))


def _text(value: object) -> bytes:
    # A lone surrogate is not text: the result cannot be decoded, and is reported as such.
    return (value if isinstance(value, str) else json.dumps(value)).encode(errors="surrogatepass")


def _milliseconds(times: list[object]) -> int | None:
    for time in times:
        if isinstance(time, int | float) and not isinstance(time, bool) and math.isfinite(time):
            return int(time if time > 10**11 else time * 1000)
    return None


class Message(NamedTuple):
    """One message of the market stream."""

    at_us: int
    """Microseconds since the recording began."""
    data: bytes
    """A JSON object."""
    condition_id: str
    token_id: str
    """Empty for messages about both tokens of a market."""
    kind: str


@dataclass(slots=True)
class Recording:
    """The contents of one file, in order of arrival."""

    header: Header
    messages: list[Message] = field(default_factory=list)
    answers: list[AnswerRow] = field(default_factory=list)
    is_torn: bool = False
    """Whether it was cut off instead of being closed."""
    skipped: int = 0
    """Lines and messages that could not be read."""

    @property
    def length_us(self) -> int:
        """Time of the last message, in microseconds since the start."""
        return self.messages[-1].at_us if self.messages else 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file cannot be replayed, in one line."""

    text: str
    is_recording: bool = False
    """Whether it is a recording all the same, but ended or was cut off before any message arrived."""


def read_recording(path: Path, *, max_bytes: int = MAX_BYTES) -> Recording | Unreadable:
    """Read a file.

    Args:
        path: of a recording of ours, or of messages saved by another program.
        max_bytes: size after unpacking; a larger file is refused.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            return Unreadable(f"{path}: a device or a pipe, not a file")
        with path.open("rb") as file:
            raw = file.read(max_bytes + 1)
    except OSError as error:
        return Unreadable(f"{path}: {error.strerror or error}")
    text, is_torn = _unpack(raw, max_bytes)
    if len(text) > max_bytes:
        return Unreadable(f"{path}: larger than {max_bytes >> 20} MB unpacked")
    first = text.partition(b"\n")[0]
    header = _header(first)
    if isinstance(header, str):
        return Unreadable(f"{path}: {header}")
    if header is None:
        found = _read_public(text)
        found.is_torn = is_torn
    else:
        found = _read_own(header, text[len(first) + 1 :])
        found.is_torn = is_torn or found.is_torn
    return found if found.messages else _without_messages(path, found, text, is_own=bool(header))


def _without_messages(path: Path, found: Recording, text: bytes, *, is_own: bool) -> Unreadable:
    """Return why none of a file's messages can be played."""
    if is_own and found.is_torn:
        problem = "a recording that was cut off before a message of the stream came"
        return Unreadable(f"{path}: {problem}", is_recording=True)
    if is_own:
        return Unreadable(
            f"{path}: a recording in which the stream told nothing", is_recording=True
        )
    if not text and found.is_torn:
        problem = "cut off at its very beginning: nothing of it can be unpacked"
    elif not text:
        problem = "the file is empty"
    elif found.is_torn and _OWN_BEGINNING.startswith(text[: len(_OWN_BEGINNING)]):
        problem = "a recording that was cut off in its first line"
        return Unreadable(f"{path}: {problem}", is_recording=True)
    else:
        problem = "no recording: it holds no message of the market stream"
    return Unreadable(f"{path}: {problem}")


def _unpack(raw: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Return a file's text as far as it can be unpacked, and whether its end is missing."""
    if raw[:2] != b"\x1f\x8b":
        return raw[: max_bytes + 1], False
    unpacker = zlib.decompressobj(wbits=_GZIP)
    parts: list[bytes] = []
    size = 0
    try:
        rest = raw
        while rest and size <= max_bytes:
            parts.append(unpacker.decompress(rest, _PIECE))
            size += len(parts[-1])
            rest = unpacker.unconsumed_tail
            if unpacker.eof and unpacker.unused_data:
                # Another gzip stream after the first, as in concatenated files.
                rest, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=_GZIP)
    except zlib.error:
        return b"".join(parts), True
    return b"".join(parts), not unpacker.eof


def _header(line: bytes) -> Header | str | None:
    """Return our header, the reason why it is not supported, or None for another program's file."""
    try:
        value = msgspec.json.decode(line)
    except UNREADABLE:
        return None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return None
    if value.get("version") != VERSION:
        return f"version {value.get('version')!r}; this program reads {VERSION}"
    try:
        return msgspec.convert(value, Header)
    except msgspec.ValidationError:
        return "its header cannot be read"


def _read_own(header: Header, text: bytes) -> Recording:
    found = Recording(header)
    *lines, tail = text.split(b"\n")
    # A last line without a line end was still being written.
    found.is_torn = bool(tail)
    is_ended = False
    for line in lines:
        try:
            row: Row = row_decoder.decode(line)
        except UNREADABLE:
            found.skipped += 1
            continue
        match row:
            case FrameRow(at_us=at_us, data=data):
                _add(found, at_us, data.encode())
            case AnswerRow():
                found.answers.append(row)
            case EndRow():
                is_ended = True
            case Header() | LinkRow():
                pass
    found.is_torn = found.is_torn or not is_ended
    return found


def _read_public(text: bytes) -> Recording:
    frames = list(split_frames(text))
    rows = [(recorded, list(_elements(recorded.frame))) for recorded in frames]
    started_ms = _first_moment(rows)
    found = Recording(Header(started_ms=started_ms, token_ids=()))
    at_ms = 0
    for recorded, elements in rows:
        stamped = recorded.arrival_ms
        if stamped is None:
            stamped = max((_stamp(element) for element in elements), default=0)
        # A book's time is that of its last change, which may lie long before the recording.
        at_ms = max(at_ms, stamped - started_ms)
        for element in elements:
            _add_element(found, at_ms * 1_000, element)
        if not elements:
            found.skipped += 1
    return found


def _first_moment(rows: Iterable[tuple[Recorded, list[dict[str, object]]]]) -> int:
    times = (
        recorded.arrival_ms if recorded.arrival_ms is not None else _stamp(element)
        for recorded, elements in rows
        for element in elements
        if recorded.arrival_ms is not None or element.get("event_type") != "book"
    )
    books = (_stamp(element) for _, elements in rows for element in elements)
    return next(times, None) or max(books, default=0)


def _stamp(element: dict[str, object]) -> int:
    text = str(element.get("timestamp", ""))
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _elements(frame: bytes) -> Iterator[dict[str, object]]:
    try:
        value = json.loads(frame)
    except (ValueError, RecursionError):
        return
    for element in value if isinstance(value, list) else [value]:
        if isinstance(element, dict):
            yield element


def _add(found: Recording, at_us: int, frame: bytes) -> None:
    elements = list(_elements(frame))
    if not elements:
        found.skipped += 1
    for element in elements:
        _add_element(found, at_us, element, frame if len(elements) == 1 else None)


def _add_element(
    found: Recording, at_us: int, element: dict[str, object], frame: bytes | None = None
) -> None:
    if "event_type" not in element and {"bids", "asks", "asset_id"} <= element.keys():
        # A book in the format of the trading host's reply.
        element, frame = {**element, "event_type": "book"}, None
    kind = element.get("event_type")
    if not isinstance(kind, str) or kind not in _KINDS:
        found.skipped += 1
        return
    data = frame if frame is not None and frame[:1] == b"{" else _compact(element)
    market, token = element.get("market"), element.get("asset_id")
    found.messages.append(
        Message(
            at_us,
            data,
            market if isinstance(market, str) else "",
            token if isinstance(token, str) and kind != "last_trade_price" else "",
            kind,
        )
    )


def _compact(element: dict[str, object]) -> bytes:
    return json.dumps(element, separators=(",", ":"), ensure_ascii=False).encode(
        errors="surrogatepass"
    )
