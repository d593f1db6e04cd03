"""Reads the settings in a process of its own, while this one loads Textual.

What reads and checks settings is as large as half Textual, takes as long to load, and is never
needed again. A child of this process does it on another core and ends; what holds comes back
through a pipe, the private key with it: nothing is written anywhere else. Where no child can be had,
or it ends without an answer, the settings are read here, with the same result.
"""

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

# Needed by both sides: imported before there are two, or each would load it anew.
import msgspec

from pmtui.config.errors import ConfigError
from pmtui.config.settings import Settings, load_settings

_END: Final = b"\xc1"
"""Behind an answer that is whole; nothing ends with it otherwise, as the format never uses it."""


class SettingsAhead:
    """Settings that are being read."""

    def __init__(self, overrides: Mapping[str, Any] | None = None) -> None:
        """Begin at once.

        Args:
            overrides: from the command line, as for `load_settings`.
        """
        self._overrides: Final = overrides
        self._child = _start(overrides) if _may_fork() else None

    def settings(self) -> Settings:
        """Wait for them.

        Raises:
            ConfigError: a value that cannot be used; the first one, in one line.
        """
        child, self._child = self._child, None
        told = _hear(*child) if child is not None else b""
        return _read(told) if told else load_settings(self._overrides)


def _may_fork() -> bool:
    # A copy of a process with threads may wait for ever for what one of them held.
    return hasattr(os, "fork") and threading.active_count() == 1


def _start(overrides: Mapping[str, Any] | None) -> tuple[int, int] | None:
    """Return the child and where it will be heard."""
    ours, its = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(ours)
        os.close(its)
        return None
    if child:
        os.close(its)
        return child, ours
    try:
        told = _tell(overrides) + _END
        while told:
            told = told[os.write(its, told) :]
    finally:
        # Nothing of this copy may go on, nor run what the program does at its end.
        os._exit(0)


def _hear(child: int, ours: int) -> bytes:
    told = bytearray()
    with open(ours, "rb", buffering=0) as pipe:
        while part := pipe.read(1 << 16):
            told += part
    # Where children are not waited for by order of whoever started us, there is none by now.
    with suppress(ChildProcessError):
        os.waitpid(child, 0)
    return bytes(told[: -len(_END)]) if told.endswith(_END) else b""


def _tell(overrides: Mapping[str, Any] | None) -> bytes:
    # Looking through everything installed for plugins of the checker takes a while, for none.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    try:
        return msgspec.msgpack.encode(load_settings(overrides))
    except ConfigError as error:
        return msgspec.msgpack.encode((error.place, error.problem))


def _read(told: bytes) -> Settings:
    answer = msgspec.msgpack.decode(told, type=Settings | tuple[str, str])
    if isinstance(answer, Settings):
        return answer
    raise ConfigError(*answer)
