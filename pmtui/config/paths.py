"""Where files live: XDG directories, or all of them under `PMTUI_HOME`.

Nothing is created by asking; `private_dir` creates a directory for the user alone when something
is about to be written.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from pmtui.records import dataclass

OWNER_ONLY = 0o700


@dataclass(frozen=True, slots=True)
class Paths:
    """The three directories, existing or not."""

    config: Path
    """`config.toml` and the user's themes."""
    state: Path
    """Journal, paper account, keystores, log."""
    cache: Path
    """What can be fetched again."""

    @property
    def config_file(self) -> Path:
        """The settings file, existing or not."""
        return self.config / "config.toml"


def locate(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the directories that an environment asks for."""
    if home := environ.get("PMTUI_HOME"):
        root = Path(home).expanduser().absolute()
        return Paths(config=root / "config", state=root / "state", cache=root / "cache")
    return Paths(
        config=_xdg(environ, "XDG_CONFIG_HOME", ".config"),
        state=_xdg(environ, "XDG_STATE_HOME", ".local/state"),
        cache=_xdg(environ, "XDG_CACHE_HOME", ".cache"),
    )


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


def _xdg(environ: Mapping[str, str], name: str, default: str) -> Path:
    # The specification has relative values ignored.
    stated = environ.get(name, "")
    if Path(stated).is_absolute():
        return Path(stated) / "pmtui"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / default / "pmtui"
