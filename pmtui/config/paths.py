"""Where files live, and who else may read or write them.

XDG directories, or all of them under `PMTUI_HOME`. Nothing is created by asking; what is created
is the user's alone, whatever the umask permits. What others could have written is not to be read:
`why_untrusted` says so.
"""

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OWNER_ONLY = 0o700
KEYSTORE_FILE = "keystore.json"
"""In the state directory of a profile: its key, encrypted."""
JOURNAL_FILE = "journal.sqlite"
"""Beside it: what was ordered, and what became of it."""
LONGEST_NAME = 64
"""Characters of a profile's name."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The directories, existing or not."""

    config: Path
    """`config.toml` and the user's themes."""
    state: Path
    """Journal, paper account, keystores, log."""
    cache: Path
    """What can be fetched again."""
    runtime: Path
    """The sockets of services that run; gone with the machine's next start."""

    @property
    def config_file(self) -> Path:
        """The settings file, existing or not."""
        return self.config / "config.toml"


def locate(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the directories that an environment asks for.

    Raises:
        RuntimeError: it depends on a home directory that nobody knows; see `why_no_home`.
    """
    if home := environ.get("PMTUI_HOME"):
        root = Path(home).expanduser().absolute()
        return Paths(
            config=root / "config", state=root / "state", cache=root / "cache", runtime=root / "run"
        )
    state = _xdg(environ, "XDG_STATE_HOME", ".local/state")
    stated = environ.get("XDG_RUNTIME_DIR", "")
    return Paths(
        config=_xdg(environ, "XDG_CONFIG_HOME", ".config"),
        state=state,
        cache=_xdg(environ, "XDG_CACHE_HOME", ".cache"),
        runtime=Path(stated) / "pmtui" if Path(stated).is_absolute() else state / "run",
    )


def why_no_home(environ: Mapping[str, str] = os.environ) -> str:
    """Return why `locate` finds no directories here; "" where it does."""
    try:
        _ = locate(environ)
    except RuntimeError:
        stated = environ.get("PMTUI_HOME", "")
        if stated.startswith("~"):
            return "PMTUI_HOME names the home directory of a user that this machine does not know"
        return "this user has no home directory; set HOME or PMTUI_HOME"
    return ""


def private_dir(path: Path) -> Path:
    """Create a directory, and those above it, for the user alone; one that exists stays as it is.

    Raises:
        OSError: it cannot be created, or is a file.
    """
    for missing in reversed([p for p in (path, *path.parents) if not p.exists()]):
        missing.mkdir(mode=OWNER_ONLY, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(f"not a directory: {path}")
    return path


def find_obstacle(path: Path) -> Path | None:
    """Return what stands in the way of a directory, itself or above it, and is none; else None."""
    for part in (path, *path.parents):
        if part.is_dir():
            return None
        if os.path.lexists(part):
            return part
    return None


def open_to_append(path: Path) -> int:
    """Open a file of the user's alone to be written to at its end, and return its number."""
    make_private(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def replace_file(path: Path, body: bytes, *, is_synced: bool = False) -> None:
    """Write a file of the user's alone whole or not at all; its directory is made where it is missing.

    Args:
        path: of the file; whoever reads it meanwhile sees the old one or the new one.
        body: all of it.
        is_synced: whether it has reached the disk afterwards, which takes some milliseconds.

    Raises:
        OSError: it cannot be written. The file from before is still there.
    """
    private_dir(path.parent)
    # Made anew under a name that nobody can foresee: no link of another's is written through.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _ = file.write(body)
            if is_synced:
                file.flush()
                os.fsync(handle)
        _ = unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def make_private(path: Path) -> None:
    """Remove other users' permissions on an existing file."""
    with suppress(FileNotFoundError):
        path.chmod(0o600)


def why_untrusted(path: Path) -> str:
    """Say how another user could have written a file or put it there; nothing where none could.

    As the StrictModes of OpenSSH: the file and the directories above it, up to the home directory
    or the root, belong to the user or to root, and neither group nor others may write to them. In a
    directory with the sticky bit, such as `/tmp`, others may, as they can replace nothing there.

    Args:
        path: of a file or directory; parts that do not exist are passed over.
    """
    path = path.absolute()
    # The way that is named as well as the one that links lead to: either can be replaced.
    return _why_untrusted_way(path) or _why_untrusted_way(path.resolve())


def _why_untrusted_way(path: Path) -> str:
    trusted = (0, os.geteuid())
    home = _home()
    below: os.stat_result | None = None
    for part in (path, *path.parents):
        try:
            entry, found = part.lstat(), part.stat()
        except OSError:
            continue
        if found.st_uid not in trusted:
            return f"{part} belongs to another user"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            is_sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
            is_kept = is_sticky and (below is None or below.st_uid in trusted)
            if not is_kept:
                return f"others can write to {part}; chmod go-w {part}"
        if part == home:
            break
        below = entry
    return ""


def _home() -> Path | None:
    # A number without an entry in the user database, as in a container, has none.
    try:
        return Path.home()
    except RuntimeError:
        return None


def is_file_name(name: str) -> bool:
    """Whether a profile may have a name: its directory is named so, and nothing but that."""
    return (
        0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and not name.startswith(".")
        and not {"/", os.sep, os.altsep} & set(name)
    )


def _xdg(environ: Mapping[str, str], name: str, default: str) -> Path:
    # The specification has relative values ignored.
    stated = environ.get(name, "")
    if Path(stated).is_absolute():
        return Path(stated) / "pmtui"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / default / "pmtui"
