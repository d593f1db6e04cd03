"""The lines of a recording: a header, then what arrived, each with its time.

The file is gzip of one JSON object a line, so that any tool can read it. Times are microseconds since the
header's, by a clock that never runs backwards.
"""

import msgspec

FORMAT = "pmtui-recording"
VERSION = 1


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
