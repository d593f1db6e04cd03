import subprocess
import sys
from pathlib import Path

import pytest

from pmtui.cli.session_process import session_lock, trim_heap, use_one_malloc_arena
from pmtui.config.toml_file import ConfigError


def test_a_second_terminal_on_the_same_account_is_told_so_in_one_line(tmp_path: Path) -> None:
    with (
        session_lock(tmp_path / "paper"),
        pytest.raises(ConfigError, match="another terminal") as refused,
        session_lock(tmp_path / "paper"),
    ):
        pass
    assert "\n" not in str(refused.value)


def test_the_next_one_may_come_when_the_first_has_gone(tmp_path: Path) -> None:
    for _ in range(2):
        with session_lock(tmp_path / "paper"):
            pass


def test_accounts_do_not_keep_each_other_out(tmp_path: Path) -> None:
    with session_lock(tmp_path / "paper"), session_lock(tmp_path / "live"):
        pass


def test_a_place_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError), session_lock(tmp_path / "file"):
        pass


RESIDENT = """
import ctypes
from pathlib import Path
from pmtui.cli.session_process import trim_heap, use_one_malloc_arena

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

use_one_malloc_arena()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
blocks = [libc.malloc(60_000) for _ in range(400)]
for block in blocks:
    ctypes.memset(block, 1, 60_000)
for block in blocks[:-1]:
    libc.free(block)
before = resident()
assert trim_heap()
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
        use_one_malloc_arena()
        trim_heap()
