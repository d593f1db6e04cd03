"""A class is small with all that it inherits from us: a long one cut into bases is still a long one."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import is_typeddict

import pmtui

MOST_METHODS = 40
MOST_BASES = 2
STILL_LARGE: set[str] = set()
"""Classes that have yet to be composed. The list only becomes shorter."""
STILL_DEEP: set[str] = set()
"""Classes that have yet to lose a base of ours."""


def classes() -> Iterator[type]:
    for found in pkgutil.walk_packages(pmtui.__path__, "pmtui."):
        if found.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            if str(missing.name).startswith("pmtui"):
                raise
            # An extra that is not installed.
            continue
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == found.name:
                yield value


def is_interface(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False)) or is_typeddict(kind)


def own_line(kind: type) -> list[type]:
    """Return a class and its bases that are ours; what only describes others is no base."""
    return [
        each
        for each in kind.__mro__
        if each.__module__.startswith("pmtui.") and not is_interface(each)
    ]


def methods(kind: type) -> set[str]:
    """Return the methods and properties that our bases and itself give a class, without generated ones."""
    return {
        name
        for each in own_line(kind)
        for name, value in vars(each).items()
        if (function := function_of(value)) is not None
        and function.__module__ == each.__module__
        and function.__code__.co_filename.endswith(".py")
    }


def function_of(value: object) -> FunctionType | None:
    function: object = value
    if isinstance(value, property):
        function = value.fget
    elif isinstance(value, cached_property):
        function = value.func
    elif isinstance(value, staticmethod | classmethod):
        function = value.__func__
    return function if isinstance(function, FunctionType) else None


def depth(kind: type) -> int:
    """Return how many bases of ours stand over each other."""
    above = [depth(base) for base in kind.__bases__ if len(own_line(base)) > 0]
    is_own = kind in own_line(kind)
    return max(above, default=-1) + is_own


def test_methods_are_counted_over_own_bases() -> None:
    large = {each.__name__ for each in classes() if len(methods(each)) > MOST_METHODS}
    assert large == STILL_LARGE


def test_own_bases_are_two_deep_at_most() -> None:
    deep = {each.__name__ for each in classes() if depth(each) > MOST_BASES}
    assert deep == STILL_DEEP
