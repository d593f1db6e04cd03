"""Secrets on a file descriptor, as a script would hand them over."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lines_on_fd(*lines: str) -> Iterator[int]:
    """Give a file descriptor from which these lines can be read."""
    reading, writing = os.pipe()
    os.write(writing, "".join(f"{line}\n" for line in lines).encode())
    os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)
