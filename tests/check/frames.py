"""Recorded messages of a stream, out of whatever file they were kept in.

One message a line or one JSON document, gzip or not; bare, or wrapped by the recorder under a key
of its own beside the time of arrival.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_INNER = ("data", "message", "raw", "msg", "payload", "body", "frame")
_ARRIVAL = ("arrival_ms", "received_ms", "recv_ms", "arrival", "received_at", "recv_ts", "ts", "t")
_OWN_KEYS = frozenset({"event_type", "bids", "price_changes", "asset_id"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message as it came, and when, in milliseconds where the recorder kept that."""

    frame: bytes
    arrival_ms: int | None = None


def read_frames(path: Path) -> Iterator[Recorded]:
    """Yield the messages of a file, in its order.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no text.
    """
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    lines = [line for line in data.splitlines() if line.strip()]
    if _is_json(lines[0]) if lines else False:
        for line in lines:
            yield from _unwrap(line)
    elif data.strip():
        yield from _unwrap(data.strip())


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _unwrap(text: bytes) -> Iterator[Recorded]:
    try:
        value = json.loads(text)
    except ValueError:
        yield Recorded(text)
        return
    elements = value if isinstance(value, list) else [value]
    if any(_inner_key(element) for element in elements):
        for element in elements:
            yield _recorded(element)
    else:
        # An array of events is one frame, as the first books come.
        yield Recorded(text)


def _inner_key(value: object) -> str | None:
    if not isinstance(value, dict) or _OWN_KEYS & value.keys():
        return None
    return next((key for key in _INNER if isinstance(value.get(key), str | dict | list)), None)


def _recorded(value: object) -> Recorded:
    key = _inner_key(value)
    if key is None or not isinstance(value, dict):
        return Recorded(json.dumps(value).encode())
    inner = value[key]
    frame = inner.encode() if isinstance(inner, str) else json.dumps(inner).encode()
    times = (value.get(name) for name in _ARRIVAL)
    arrival = next((time for time in times if isinstance(time, int | float)), None)
    if arrival is None:
        return Recorded(frame)
    return Recorded(frame, int(arrival if arrival > 10**11 else arrival * 1000))
