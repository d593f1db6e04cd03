"""The lines of a recording and their writer: a crash loses at most what came since the last flush.

The file is gzip of one JSON object per line, so that any tool can read it. Times are microseconds since
the header's time, by a monotonic clock.

It is one gzip stream, synced at every flush: the file can be read up to there, whatever happens
afterwards. An existing file is never written to.
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
    """Unix milliseconds that all times count from, by the clock of the recording machine."""
    token_ids: tuple[str, ...]
    profile: str = ""
    dialect: str = ""
    program: str = ""
    """The program that wrote it, with its version."""
    format: str = FORMAT
    version: int = VERSION


class FrameRow(msgspec.Struct, frozen=True, tag_field="kind", tag="frame"):
    """A message of the market stream, verbatim."""

    at_us: int
    data: str


class AnswerRow(msgspec.Struct, frozen=True, tag_field="kind", tag="answer"):
    """A host's reply to a read."""

    at_us: int
    host: str
    """`clob`, `gamma` or `data`."""
    path: str
    data: str
    """The body, verbatim."""
    query: tuple[tuple[str, str], ...] = ()
    method: str = "GET"


class LinkRow(msgspec.Struct, frozen=True, tag_field="kind", tag="link"):
    """A change of the stream's connection: between `down` and `open` messages may be missing."""

    at_us: int
    state: str
    reason: str = ""


class EndRow(msgspec.Struct, frozen=True, tag_field="kind", tag="end"):
    """The last line of a recording that was closed properly."""

    at_us: int
    frames: int
    """Number of messages in the file."""


Row = Header | FrameRow | AnswerRow | LinkRow | EndRow

row_decoder = msgspec.json.Decoder(Row)
row_encoder = msgspec.json.Encoder()


class CannotMakeError(Exception):
    """The reason, in one line, why a file cannot be created."""


class RecordingWriter:
    """One file, from its header to its end."""

    def __init__(self, path: Path, header: Header) -> None:
        """Create the file with access for the user alone, and write the header to disk.

        Raises:
            CannotMakeError: the file exists already, or cannot be created there.
            OSError: the header cannot be written; the file is removed again.
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
        """Bytes on disk."""
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
        """Write everything to disk.

        Raises:
            OSError: the disk is full or gone.
        """
        if self._waiting:
            body = b"".join(self._waiting)
            self._waiting.clear()
            self._write(self._packer.compress(body) + self._packer.flush(zlib.Z_SYNC_FLUSH))
            os.fsync(self._handle)

    def close(self) -> None:
        """End the file after writing the last rows.

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
