"""Leaves out parts of libraries that the terminal never uses and that are large.

Optional parts count as not installed, which their libraries are prepared for: a command line that
comes with a colour library, a second HTTP version, pictures in charts. Where a library has no such
switch and imports its manual, its tests or widgets that nobody asked for, empty modules stand in for
those, in the one release that this was tried with; any other is imported whole. Two that are needed
for some hosts only are imported when they are asked for anything.
"""

import sys
from collections.abc import Mapping, MutableMapping
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Final, cast

NOT_INSTALLED: Final = ("httpx._main", "h2", "PIL", "yt_dlp", "ffpyplayer", "bz2", "lzma")
"""httpx: its command line (click, rich's progress bars, pygments) and HTTP/2; plotext: pictures;
shutil: two ways to pack archives, which many Pythons are built without."""
WHEN_USED: Final = ("certifi", "csv", "idna")
"""Imported as whole modules and hardly ever asked for anything."""
EMPTY: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "plotext-6.1.0": {
            "plotext._demos.colors": ("colors",),
            "plotext._demos.line_styles": ("line_styles",),
            "plotext._demos.markers": ("markers",),
            "plotext._demos.styles": ("styles",),
            "plotext._demos.themes": ("themes",),
            "plotext._doc.doc": ("docs",),
            "plotext._methods.matplotlib": ("matplotlib",),
            "plotext._methods.video": ("video",),
            "plotext._tests.run": ("test",),
        },
        "textual-8.2.8": {
            # Where a file would be saved, and widgets that no screen of ours has.
            "platformdirs": ("user_downloads_path",),
            "textual.widgets._directory_tree": ("DirEntry",),
            "textual.widgets._placeholder": ("PlaceholderVariant",),
            "textual.widgets._select": ("NoSelection", "SelectType"),
        },
        "msgspec-0.22.0": {
            "msgspec._json_schema": ("schema", "schema_components"),
            "msgspec.inspect": (),
            "msgspec.yaml": (),
        },
        # The half that blocks.
        "httpcore-1.0.9": {
            "httpcore._sync": (
                "ConnectionInterface",
                "ConnectionPool",
                "HTTP11Connection",
                "HTTP2Connection",
                "HTTPConnection",
                "HTTPProxy",
                "SOCKSProxy",
            ),
            "httpcore._sync.connection_pool": ("ConnectionPool",),
        },
        # Reads what is installed, archives included, to learn the number of a release being made.
        "websockets-17.4": {"websockets.version": ("version",)},
    }
)
"""By the release of a library that it was tried with: modules, and what is taken from each."""
KNOWN: Final[Mapping[str, str]] = MappingProxyType({"websockets.version": "17.4"})
"""What is taken from a module and is used; anything else is nothing."""


def leave_out() -> None:
    """Leave those parts out of everything that is imported from now on."""
    # None is how the import system itself says that there is no such module.
    modules = cast("MutableMapping[str, ModuleType | None]", sys.modules)
    for name in NOT_INSTALLED:
        modules.setdefault(name, None)
    for name in WHEN_USED:
        modules.setdefault(name, _loaded_when_used(name))
    for release, parts in EMPTY.items():
        if is_installed(release):
            for name, taken in parts.items():
                stand_in = ModuleType(name, "Left out of the terminal.")
                for each in taken:
                    setattr(stand_in, each, KNOWN.get(name, SimpleNamespace()))
                modules.setdefault(name, stand_in)


def _loaded_when_used(name: str) -> ModuleType:
    stand_in = ModuleType(name, "Makes way for the real one as soon as it is asked for anything.")

    def ask(attribute: str) -> object:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return getattr(import_module(name), attribute)

    vars(stand_in)["__getattr__"] = ask
    return stand_in


def is_installed(release: str) -> bool:
    """Whether this is the very release that would be imported, by its library's name and number."""
    found = PathFinder.find_spec(release.partition("-")[0])
    origin = found.origin if found is not None else None
    return origin is not None and (Path(origin).parents[1] / f"{release}.dist-info").is_dir()
