"""File locations and permissions: where files live, and who else may read or write them.

XDG directories, or all of them under `PMTUI_HOME`. Looking up a path creates nothing; what is
created is the user's alone, whatever the umask permits. Files that others could have written must
not be read: see `why_untrusted`.
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
"""In a profile's state directory: its key, encrypted."""
JOURNAL_FILE = "journal.sqlite"
"""In the same directory: every order, and what became of it."""
LONGEST_NAME = 64
"""Characters in a profile's name."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The directories, existing or not."""

    config: Path
    """`config.toml` and the user's themes."""
    state: Path
    """Journal, paper account, keystores, log."""
    cache: Path
    """Files that can be fetched again."""
    runtime: Path
    """The sockets of running services; cleared when the machine restarts."""

    @property
    def config_file(self) -> Path:
        """The settings file, existing or not."""
        return self.config / "config.toml"


def locate(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the directories for an environment.

    Raises:
        RuntimeError: they depend on an unknown home directory; see `why_no_home`.
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
    """Return why `locate` finds no directories for an environment, or "" if it does."""
    try:
        _ = locate(environ)
    except RuntimeError:
        stated = environ.get("PMTUI_HOME", "")
        if stated.startswith("~"):
            return "PMTUI_HOME names the home directory of a user that this machine does not know"
        return "this user has no home directory; set HOME or PMTUI_HOME"
    return ""


def private_dir(path: Path) -> Path:
    """Create a directory and its parents for the user alone; leave an existing one as it is.

    Raises:
        OSError: it cannot be created, or is a file.
    """
    for missing in reversed([p for p in (path, *path.parents) if not p.exists()]):
        missing.mkdir(mode=OWNER_ONLY, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(f"not a directory: {path}")
    return path


def find_obstacle(path: Path) -> Path | None:
    """Return the path that is in the way of a directory, itself or a parent that is a file; else None."""
    for part in (path, *path.parents):
        if part.is_dir():
            return None
        if os.path.lexists(part):
            return part
    return None


def open_to_append(path: Path) -> int:
    """Open a file for appending, private to the user, and return its file descriptor."""
    make_private(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def replace_file(path: Path, body: bytes, *, is_synced: bool = False) -> None:
    """Write a private file atomically; its directory is created if it is missing.

    Args:
        path: of the file; concurrent readers see the old content or the new one.
        body: the new content.
        is_synced: whether to wait until it has reached the disk, which takes some milliseconds.

    Raises:
        OSError: the file cannot be written. The old one is still there.
    """
    private_dir(path.parent)
    # Written under an unpredictable new name, so that it never writes through another user's link.
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
    """Return how another user could have written or placed a file, or "" if none could.

    As with OpenSSH's StrictModes, the file and its parent directories, up to the home directory or
    the root, must belong to the user or to root, and neither group nor others may write to them. In
    a directory with the sticky bit, such as `/tmp`, others may, as they can replace nothing there.

    Args:
        path: of a file or directory; components that do not exist are ignored.
    """
    path = path.absolute()
    # Both the path as given and the path after following links: either can be replaced.
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
    # A user id without an entry in the user database, as in a container, has no name.
    try:
        return Path.home()
    except RuntimeError:
        return None


def is_file_name(name: str) -> bool:
    """Whether a name can be a profile's: its directory has exactly this name."""
    return (
        0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and not name.startswith(".")
        and not {"/", os.sep, os.altsep} & set(name)
    )


def _xdg(environ: Mapping[str, str], name: str, default: str) -> Path:
    # The XDG specification says that relative values must be ignored.
    stated = environ.get(name, "")
    if Path(stated).is_absolute():
        return Path(stated) / "pmtui"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / default / "pmtui"
