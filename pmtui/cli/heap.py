"""Returns free memory that glibc keeps to the system, some megabytes of ninety; elsewhere it does nothing."""

import ctypes
import sys
from functools import cache

_M_ARENA_MAX = -8


def use_one_pool() -> None:
    """Let all threads share one pool; each would keep its own, and ours never allocate at once."""
    if (libc := _glibc()) is not None:
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back() -> bool:
    """Return whole free pages to the system, in less than a millisecond; whether there were any."""
    libc = _glibc()
    return libc is not None and bool(libc.malloc_trim(0))


@cache
def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None
