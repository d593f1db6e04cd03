"""Reads secrets: typed without echo, from a line of a file descriptor, or from an environment variable.

There is no other way: a secret cannot be an argument and a passphrase cannot be in the environment.
"""

import ctypes
import getpass
import os
import resource
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pmtui.cli.output import printable, warn
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.signing.secret import Secret

MAX_BYTES = 4_096
GOOD_LENGTH = 12
"""A shorter passphrase can be guessed by anyone who has the file."""
SHORT_LENGTH = 8
"""A shorter passphrase protects so little that a confirmation is required."""
_FEW_KINDS = 5
PAPER_IGNORES_KEY = (
    f"{KEY_VARIABLE} is not used: the paper account has a key of its own; "
    "--profile live trades with yours"
)
_PR_SET_DUMPABLE = 4


@dataclass(frozen=True, slots=True)
class NoSecret:
    """Why there is no secret; never quotes the input."""

    text: str


def read_secret(number: int) -> Secret | NoSecret:
    """Read one line from a file descriptor, and not a byte more: the next line may be for another reader."""
    line = bytearray()
    try:
        while (byte := os.read(number, 1)) not in (b"", b"\n"):
            line += byte
            if len(line) > MAX_BYTES:
                return NoSecret(
                    f"more than {MAX_BYTES} bytes in a line of file descriptor {number}"
                )
    except OSError as error:
        return NoSecret(f"file descriptor {number}: {error.strerror}")
    return _checked(bytes(line).removesuffix(b"\r"), f"file descriptor {number}")


def ask_secret(prompt: str) -> Secret | NoSecret:
    """Ask at the terminal, without echo; an empty answer is an empty secret."""
    with warnings.catch_warnings():
        # Without a terminal the library would read with echo, after a warning.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            typed = getpass.getpass(printable(prompt), stream=None)
        except getpass.GetPassWarning:
            return NoSecret("there is no terminal to ask at; give a file descriptor")
        except (EOFError, KeyboardInterrupt):
            warn("")
            return NoSecret("cancelled")
        except UnicodeDecodeError:
            return NoSecret("what was typed is not UTF-8")
    return _checked(typed.encode(errors="surrogateescape"), "the terminal")


def ask_new_passphrase(
    ask: Callable[[str], Secret | NoSecret] = ask_secret,
) -> Secret | NoSecret:
    """Ask for a passphrase twice, as typing errors are invisible. A short one needs a confirmation."""
    first = ask("Passphrase for the keystore: ")
    if isinstance(first, Secret) and 0 < len(first.reveal_text()) < SHORT_LENGTH:
        warn(
            f"That is short: under {SHORT_LENGTH} characters, it is guessed at once by who has "
            "the file. Type a longer one, or the same again to keep it."
        )
        first = ask("Passphrase for the keystore: ")
    if isinstance(first, NoSecret) or not first.reveal():
        return first
    second = ask("Again: ")
    if isinstance(second, NoSecret):
        return second
    return first if first == second else NoSecret("the two passphrases differ")


def weakness(passphrase: Secret) -> str:
    """Return what makes a passphrase weak, or "" if nothing does."""
    text = passphrase.reveal_text()
    if len(text) < GOOD_LENGTH:
        return f"weak: shorter than {GOOD_LENGTH} characters"
    if len(set(text)) < _FEW_KINDS:
        return "weak: it repeats very few characters"
    return "weak: digits only" if text.isdecimal() else ""


def _checked(line: bytes, place: str) -> Secret | NoSecret:
    try:
        line.decode()
    except UnicodeDecodeError:
        return NoSecret(f"what came from {place} is not UTF-8")
    return Secret(line)


def forbid_dumps() -> None:
    """Prevent core dumps, and reading of our memory by other programs of the same user."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # A system that pipes core dumps to a program ignores the limit, but obeys this.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def forget_key_variable() -> None:
    """Remove the private key from the environment, which children and other programs can read.

    The system shows the environment block that the program was started with (`/proc/PID/environ`),
    not the current one: the value is overwritten there as well, and other programs of the same user
    can no longer inspect the process.
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
    """Return the private key in the environment, unchecked."""
    names = _key_variables(os.environ)
    return Secret.from_text(os.environ[names[-1]]) if names else None


def _key_variables(environ: Mapping[str, str]) -> list[str]:
    return [name for name in environ if name.upper() == KEY_VARIABLE]
