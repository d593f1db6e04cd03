"""Leaves out parts of libraries that the terminal never uses and that are large.

Optional parts count as not installed, which their libraries are prepared for: a command line that
comes with a colour library, a second HTTP version, pictures in charts. One library has no such
switch: its manual, its demonstrations and its own tests are imported with it. Empty modules stand
in for those, in the one release that this was tried with; any other is imported whole.
"""

import sys
from collections.abc import Mapping, MutableMapping
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, cast

NOT_INSTALLED: Final = ("httpx._main", "h2", "PIL", "yt_dlp", "ffpyplayer")
"""httpx: its command line (click, rich's progress bars, pygments) and HTTP/2; plotext: pictures."""
EMPTY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "plotext._demos.colors": "colors",
        "plotext._demos.line_styles": "line_styles",
        "plotext._demos.markers": "markers",
        "plotext._demos.styles": "styles",
        "plotext._demos.themes": "themes",
        "plotext._doc.doc": "docs",
        "plotext._methods.matplotlib": "matplotlib",
        "plotext._methods.video": "video",
        "plotext._tests.run": "test",
    }
)
"""Modules, and the name that their library takes from each."""
TRIED: Final = "plotext-6.1.0.dist-info"


def leave_out() -> None:
    """Leave those parts out of everything that is imported from now on."""
    # None is how the import system itself says that there is no such module.
    modules = cast("MutableMapping[str, ModuleType | None]", sys.modules)
    for name in NOT_INSTALLED:
        modules.setdefault(name, None)
    if _is_tried():
        for name, taken in EMPTY.items():
            stand_in = ModuleType(name, "Left out of the terminal.")
            setattr(stand_in, taken, None)
            modules.setdefault(name, stand_in)


def _is_tried() -> bool:
    found = PathFinder.find_spec("plotext")
    origin = found.origin if found is not None else None
    return origin is not None and (Path(origin).parents[1] / TRIED).is_dir()
