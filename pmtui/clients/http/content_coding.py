"""Expands the body of an answer in steps, so that a small answer cannot become a huge one.

One gzip coding is accepted, which is the only one that is asked for. Layered codings and others are
refused before a byte of the body is read, because their bounds would hold for the outer layer only.
"""

import zlib
from collections.abc import Iterator
from typing import final

ACCEPTED = "gzip"
"""Value of Accept-Encoding; an answer that is not encoded is always accepted."""
STEP = 256 * 1024
"""Bytes that one step may expand to: about a millisecond of work."""
MAX_MEMBERS = 64
"""Gzip members in one body. One is usual; each costs a new decompressor, whatever its size."""

_GZIP = 16 + zlib.MAX_WBITS
_CODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}


class BodyError(ValueError):
    """A body that must not be read on; its text says why, without quoting the host."""


@final
class BodyReader:
    """Collects one body. The limit holds for the bytes that travel and for the expanded ones."""

    def __init__(self, content_encoding: str, *, max_body: int) -> None:
        """Prepare for a body.

        Args:
            content_encoding: the header's value; empty without one.
            max_body: longest body in bytes.

        Raises:
            BodyError: a coding that was not asked for, or several.
        """
        is_packed = _CODINGS.get(content_encoding.strip().lower())
        if is_packed is None:
            raise BodyError("answer in an encoding that was not asked for")
        self._max_body = max_body
        self._inflater = zlib.decompressobj(_GZIP) if is_packed else None
        self._parts: list[bytes] = []
        self._travelled = 0
        self._size = 0
        self._members = 1

    def feed(self, chunk: bytes) -> Iterator[None]:
        """Take in a piece of the body as it travelled; each yield is a chance to do other work.

        Raises:
            BodyError: it is too long, or not gzip.
        """
        self._travelled += len(chunk)
        if self._travelled > self._max_body:
            raise self._too_long()
        if self._inflater is None:
            self._keep(chunk)
            return
        is_drained = False
        while chunk or not is_drained:
            if self._inflater.eof and chunk:
                self._count_member()
                self._inflater = zlib.decompressobj(_GZIP)
            try:
                part = self._inflater.decompress(chunk, STEP)
            except zlib.error:
                raise _garbled() from None
            self._keep(part)
            chunk = self._inflater.unconsumed_tail or self._inflater.unused_data
            is_drained = len(part) < STEP
            yield

    def finish(self) -> bytes:
        """Return the whole body.

        Raises:
            BodyError: it broke off.
        """
        if self._inflater is not None and self._travelled and not self._inflater.eof:
            raise _garbled()
        return b"".join(self._parts)

    def _count_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise _garbled()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_body:
            raise self._too_long()
        if part:
            self._parts.append(part)

    def _too_long(self) -> BodyError:
        return BodyError(f"answer of more than {self._max_body} bytes")


def _garbled() -> BodyError:
    return BodyError("answer cannot be decompressed")
