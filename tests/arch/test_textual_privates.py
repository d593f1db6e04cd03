"""Textual's and Rich's private parts are touched in `ui/terminal` alone.

A private name is one that a class of theirs defines or assigns to itself. Elsewhere it is neither
read, nor called, nor overridden, not even by accident: a method of ours that happens to have the
name of a private one of Textual's replaces it.
"""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pmtui.ui

LIBRARIES = ("textual", "rich")
ALLOWED = "pmtui.ui.terminal"
OF_TUPLES = frozenset({"_replace", "_asdict", "_fields"})
"""Public names of Python's named tuples."""


def modules() -> Iterator[ModuleType]:
    found = pkgutil.walk_packages(pmtui.ui.__path__, "pmtui.ui.")
    return (importlib.import_module(each.name) for each in found if not allowed(each.name))


def allowed(name: str) -> bool:
    return name == ALLOWED or name.startswith(f"{ALLOWED}.")


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OF_TUPLES


def is_of_library(name: str) -> bool:
    return name.partition(".")[0] in LIBRARIES


def tree_of(source: ModuleType) -> ast.Module:
    return ast.parse(Path(str(source.__file__)).read_text(encoding="utf-8"))


def own_names(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """Return the private names that a class defines, or reads and assigns on itself."""
    for each in node.body:
        match each:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield each.name, each.lineno
            case ast.AnnAssign(target=ast.Name(name)):
                yield name, each.lineno
            case ast.Assign(targets=targets):
                yield from ((t.id, each.lineno) for t in targets if isinstance(t, ast.Name))
            case _:
                pass
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and ast.unparse(inner.value) in {
            "self",
            "cls",
            "super()",
        }:
            yield inner.attr, inner.lineno


@lru_cache(maxsize=256)
def names_of_library(kind: type) -> frozenset[str]:
    """Return the private names that a class of the libraries has for itself."""
    try:
        (node,) = ast.parse(dedent(inspect.getsource(kind))).body
    except (OSError, SyntaxError, ValueError):
        return frozenset(name for name in vars(kind) if is_private(name))
    assert isinstance(node, ast.ClassDef)
    return frozenset(name for name, _ in own_names(node) if is_private(name))


def touched_by_classes(module: ModuleType) -> Iterator[str]:
    for node in ast.walk(tree_of(module)):
        if not isinstance(node, ast.ClassDef):
            continue
        kind = getattr(module, node.name, None)
        if not isinstance(kind, type):
            continue
        theirs = {
            name: base.__qualname__
            for base in kind.__mro__
            if is_of_library(base.__module__)
            for name in names_of_library(base)
        }
        for name, line in own_names(node):
            if is_private(name) and name in theirs:
                yield f"{module.__name__}:{line} {theirs[name]}.{name}"


def touched_on_others(module: ModuleType) -> Iterator[str]:
    tree = tree_of(module)
    ours = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for name, _ in own_names(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = ast.unparse(node.value)
            if owner not in {"self", "cls", "super()"} and node.attr not in ours:
                yield f"{module.__name__}:{node.lineno} {owner}.{node.attr}"
        if isinstance(node, ast.ImportFrom) and is_of_library(node.module or ""):
            parts = [*str(node.module).split("."), *(alias.name for alias in node.names)]
            if any(map(is_private, parts)):
                yield f"{module.__name__}:{node.lineno} {ast.unparse(node)}"


def touched(module: ModuleType) -> list[str]:
    return [*touched_by_classes(module), *touched_on_others(module)]


def test_private_parts_of_textual_are_left_alone() -> None:
    assert [stray for module in modules() for stray in touched(module)] == []


def test_the_terminal_alone_needs_them() -> None:
    for name in ("terminal_app", "cell_diff", "driver", "span_compositor"):
        assert touched(importlib.import_module(f"{ALLOWED}.{name}"))
