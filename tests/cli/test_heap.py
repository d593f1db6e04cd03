"""Memory that nothing is in goes back to the system."""

import subprocess
import sys

import pytest

from pmtui.cli.heap import give_back, use_one_pool

RESIDENT = """
import ctypes
from pathlib import Path
from pmtui.cli.heap import give_back, use_one_pool

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

use_one_pool()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
blocks = [libc.malloc(60_000) for _ in range(400)]
for block in blocks:
    ctypes.memset(block, 1, 60_000)
for block in blocks[:-1]:
    libc.free(block)
before = resident()
assert give_back()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there")
def test_free_pages_go_back_below_what_is_still_used() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True
    )
    # Of 24 MB; in pages of four kilobytes, or larger ones.
    assert int(done.stdout) > 1_000


def test_both_may_be_done_again() -> None:
    for _ in range(2):
        use_one_pool()
        give_back()
