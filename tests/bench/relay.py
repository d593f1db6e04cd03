"""A relay on the stream's way that counts what passes, and how much the reader has left unread."""

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

_READ_BYTES = 1 << 16
_CONTROL_FRAME = 8
_HEADER_END = b"\r\n\r\n"


@dataclass
class FrameCounter:
    """Counts the data frames of a server's side of a WebSocket, its handshake left out."""

    frames: int = 0
    _is_open: bool = False
    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """Take what the server sent next."""
        self._buffer += data
        if not self._is_open:
            end = self._buffer.find(_HEADER_END)
            if end < 0:
                return
            del self._buffer[: end + len(_HEADER_END)]
            self._is_open = True
        while (size := _frame_size(self._buffer)) is not None and size <= len(self._buffer):
            self.frames += self._buffer[0] & 0x0F < _CONTROL_FRAME
            del self._buffer[:size]


class Relay:
    """Listens on loopback and passes everything on to one address."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._counters: list[FrameCounter] = []
        self._reader_ports: list[int] = []
        self.byte_count = 0
        """From server to reader."""
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for each in (self._listener, *self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    @property
    def frames(self) -> int:
        """Data frames passed on so far, from server to reader."""
        return sum(counter.frames for counter in self._counters)

    def unread_bytes(self) -> int:
        """Return what was passed on and lies in the kernel because the reader has not read it."""
        total = 0
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            local, remote = (int(end.partition(":")[2], 16) for end in fields[1:3])
            sending, receiving = (int(size, 16) for size in fields[4].split(":"))
            if local in self._reader_ports and remote == self.port:
                total += receiving
            elif local == self.port and remote in self._reader_ports:
                total += sending
        return total

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                reader, (_, port) = self._listener.accept()
                server = socket.create_connection(self._target)
                for each in (reader, server):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets += [reader, server]
                self._reader_ports.append(port)
                counter = FrameCounter()
                self._counters.append(counter)
                for args in ((server, reader, counter), (reader, server, None)):
                    threading.Thread(target=self._pass_on, args=args, daemon=True).start()

    def _pass_on(
        self, source: socket.socket, sink: socket.socket, counter: FrameCounter | None
    ) -> None:
        with suppress(OSError):
            while data := source.recv(_READ_BYTES):
                sink.sendall(data)
                if counter is not None:
                    self.byte_count += len(data)
                    counter.feed(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def _frame_size(buffer: bytearray) -> int | None:
    """Return how long the frame at the start of a buffer is, None while that is not known."""
    if len(buffer) < 2:
        return None
    length = buffer[1] & 0x7F
    extra = {126: 2, 127: 8}.get(length, 0)
    if len(buffer) < 2 + extra:
        return None
    if extra:
        length = int.from_bytes(buffer[2 : 2 + extra], "big")
    return 2 + extra + length
