"""Recorded messages of a stream, out of whatever file they were kept in.

One message a line or one JSON document, gzip or not; bare, or wrapped by the recorder under a key
of its own beside the time of arrival, or in a pair with that time.
"""

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_INNER = ("data", "message", "raw", "msg", "payload", "body", "frame")
_ARRIVAL = ("arrival_ms", "received_ms", "recv_ms", "arrival", "received_at", "recv_ts", "ts", "t")
_OWN_KEYS = frozenset({"event_type", "bids", "price_changes", "asset_id"})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message as it came, and when, in milliseconds where the recorder kept that."""

    frame: bytes
    arrival_ms: int | None = None


def read_bytes(path: Path) -> bytes:
    """Read a file, unpacked where it is packed.

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


def read_frames(path: Path) -> Iterator[Recorded]:
    """Yield the messages of a file, in its order.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is a damaged archive.
    """
    yield from split_frames(read_bytes(path))


def split_frames(data: bytes) -> Iterator[Recorded]:
    """Yield the messages of a file's unpacked content, in its order."""
    data = data.removeprefix(_BYTE_ORDER_MARK)
    # A damaged first line is one message that cannot be read; those after it can.
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
        # An array of events is one frame, as the first books come.
        yield Recorded(text)


def _is_pair(value: object) -> bool:
    """Return whether a recorder put the time of arrival and the message into an array of two."""
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
    # Half a surrogate is no text: what comes of it cannot be decoded, and is told so.
    return (value if isinstance(value, str) else json.dumps(value)).encode(errors="surrogatepass")


def _milliseconds(times: list[object]) -> int | None:
    for time in times:
        if isinstance(time, int | float) and not isinstance(time, bool) and math.isfinite(time):
            return int(time if time > 10**11 else time * 1000)
    return None
