"""The lines of a recording, and their writing: a crash costs at most what came since the last flush.

The file is gzip of one JSON object a line, so that any tool can read it. Times are microseconds since the
header's, by a clock that never runs backwards.

One gzip stream, brought to a readable end at every flush: what is on the disk can be read up to there,
whatever happens afterwards. A file that exists is never written to.
"""

import os
import zlib
from pathlib import Path

import msgspec

FORMAT = "pmtui-recording"
VERSION = 1
EXISTS = "exists; a recording is never written over"
_GZIP = 31
"""Window bits that make zlib write gzip."""


class Header(msgspec.Struct, frozen=True, tag_field="kind", tag="header"):
    """The first line."""

    started_ms: int
    """Unix milliseconds at which the times begin, by the clock of the machine that recorded."""
    token_ids: tuple[str, ...]
    profile: str = ""
    dialect: str = ""
    program: str = ""
    """What wrote it, with its version."""
    format: str = FORMAT
    version: int = VERSION


class FrameRow(msgspec.Struct, frozen=True, tag_field="kind", tag="frame"):
    """A message of the market stream, letter for letter."""

    at_us: int
    data: str


class AnswerRow(msgspec.Struct, frozen=True, tag_field="kind", tag="answer"):
    """What a host answered to a read."""

    at_us: int
    host: str
    """`clob`, `gamma` or `data`."""
    path: str
    data: str
    """The body, letter for letter."""
    query: tuple[tuple[str, str], ...] = ()
    method: str = "GET"


class LinkRow(msgspec.Struct, frozen=True, tag_field="kind", tag="link"):
    """How the stream's connection changed: between `down` and `open` something may be missing."""

    at_us: int
    state: str
    reason: str = ""


class EndRow(msgspec.Struct, frozen=True, tag_field="kind", tag="end"):
    """The last line of a recording that was ended in order."""

    at_us: int
    frames: int
    """How many messages it holds."""


Row = Header | FrameRow | AnswerRow | LinkRow | EndRow

row_decoder = msgspec.json.Decoder(Row)
row_encoder = msgspec.json.Encoder()


class CannotMakeError(Exception):
    """Why a file cannot be made, in one line."""


class RecordingWriter:
    """One file, from its header to its end."""

    def __init__(self, path: Path, header: Header) -> None:
        """Make the file, the user's alone, and put the header on the disk.

        Raises:
            CannotMakeError: there is such a file already, or none can be made there.
            OSError: it cannot be written; the file is removed again.
        """
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            raise CannotMakeError(EXISTS) from None
        except OSError as error:
            raise CannotMakeError(error.strerror or str(error)) from None
        self._packer = zlib.compressobj(wbits=_GZIP)
        self._waiting: list[bytes] = []
        self.written = 0
        """Bytes on the disk."""
        self.add(header)
        try:
            self.flush()
        except OSError:
            os.close(self._handle)
            path.unlink(missing_ok=True)
            raise

    def add(self, row: Row) -> None:
        """Add a row; it is on disk after the next flush."""
        self._waiting.append(row_encoder.encode(row))
        self._waiting.append(b"\n")

    def flush(self) -> None:
        """Bring everything to the disk.

        Raises:
            OSError: the disk is full or gone.
        """
        if self._waiting:
            body = b"".join(self._waiting)
            self._waiting.clear()
            self._write(self._packer.compress(body) + self._packer.flush(zlib.Z_SYNC_FLUSH))
            os.fsync(self._handle)

    def close(self) -> None:
        """End the file; what was added last is kept.

        Raises:
            OSError: the disk is full or gone.
        """
        try:
            self.flush()
            self._write(self._packer.flush(zlib.Z_FINISH))
            os.fsync(self._handle)
        finally:
            os.close(self._handle)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]
        self.written += len(data)
