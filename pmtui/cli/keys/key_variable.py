"""The environment variable that may hold a private key, and keeping memory from other programs."""

import ctypes
import os
import resource
import sys
from collections.abc import Mapping

from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.signing.secret import Secret

PAPER_IGNORES_KEY = (
    f"{KEY_VARIABLE} is not used: the paper account has a key of its own; "
    "--profile live trades with yours"
)
_PR_SET_DUMPABLE = 4


def forbid_dumps() -> None:
    """Leave no memory behind in a core file, nor show it to other programs of the same user."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # A system whose cores go to a program ignores the limit; this it obeys.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def forget_key_variable() -> None:
    """Take the private key out of the environment, which children and other programs can read.

    The system shows the block that the program was started with (`/proc/PID/environ`), not what the
    environment is now: the value is overwritten there as well, and nothing of the process is shown
    any more to other programs of the same user.
    """
    names = _key_variables(os.environ)
    if not names:
        return
    forbid_dumps()
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    for name in names:
        address = libc.getenv(os.fsencode(name))
        if address:
            ctypes.memset(address, 0, len(ctypes.string_at(address)))
        del os.environ[name]


def key_of_environment() -> Secret | None:
    """Return the private key of the environment, as it stands there."""
    names = _key_variables(os.environ)
    return Secret.from_text(os.environ[names[-1]]) if names else None


def _key_variables(environ: Mapping[str, str]) -> list[str]:
    return [name for name in environ if name.upper() == KEY_VARIABLE]
