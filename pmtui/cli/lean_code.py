"""Imports code without what it says of itself, as `python -OO` would, but with its assertions.

Nobody reads a docstring in a running terminal, and those of the libraries and of this program take
two megabytes. They are taken out of compiled code as it is loaded, so that the files which Python
keeps for it serve everybody. Only in packages that are known to do without: the standard library,
which is made for `-OO`, and those that the tests run this way.
"""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Final

from typing_extensions import override

PACKAGES: Final = frozenset(
    {
        "anyio", "coincurve", "h11", "httpcore", "httpx", "msgspec", "plotext", "pmtui", "rich",
        "textual", "typing_extensions", "websockets",
    }
) | sys.stdlib_module_names  # fmt: skip
_OPTIMIZED: Final = 0x1
"""Of functions, and of nothing else (`inspect.CO_OPTIMIZED`)."""
_HAS_DOCSTRING: Final = 0x400_0000
"""From 3.14 on; before, the first constant of a function is its docstring or None."""


class LeanFinder:
    """Finds what the interpreter finds, and has some of it loaded without docstrings."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where and how to load the module, as the import system asks for it."""
        spec = PathFinder.find_spec(name, path, target)
        if (
            spec is not None
            and spec.origin is not None
            and type(spec.loader) is SourceFileLoader
            and name.partition(".")[0] in PACKAGES
        ):
            spec.loader = _LeanLoader(name, spec.origin)
        return spec


class _LeanLoader(SourceFileLoader):
    @override
    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        return None if code is None else without_docstrings(code)

    @override
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.__doc__ = None
        _forget_docstrings(module.__name__, vars(module).values())


def import_lean() -> None:
    """Import everything this way from now on, unless somebody else finds the modules already."""
    if PathFinder in sys.meta_path and LeanFinder not in sys.meta_path:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), LeanFinder)


def without_docstrings(code: CodeType) -> CodeType:
    """Return the code with functions that have no docstrings; it is the same if none had one."""
    kept: list[object] | None = None
    for index, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            lean: object = without_docstrings(constant)
        elif not index and _is_docstring(code, constant):
            lean = None
        else:
            continue
        if lean is not constant:
            kept = list(code.co_consts) if kept is None else kept
            kept[index] = lean
    return code if kept is None else code.replace(co_consts=tuple(kept))


def _is_docstring(code: CodeType, first: object) -> bool:
    if not (isinstance(first, str) and code.co_flags & _OPTIMIZED):
        return False
    if sys.version_info >= (3, 14):
        return bool(code.co_flags & _HAS_DOCSTRING)
    # What has no name of its own (a comprehension) has no docstring either.
    return not code.co_name.startswith("<")


def _forget_docstrings(module: str, values: Iterable[object]) -> None:
    for value in list(values):
        if (
            isinstance(value, type)
            and value.__module__ == module
            and isinstance(vars(value).get("__doc__"), str)
        ):
            # A class of an extension cannot be changed.
            with suppress(TypeError):
                value.__doc__ = None
