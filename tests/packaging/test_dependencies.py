"""What the package imports is what it declares, and nothing that only tests need."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pmtui

ROOT = Path(__file__).parents[2]
PACKAGE = Path(pmtui.__file__).parent
CARRIED = {"pydantic-core": "pydantic"}
"""Released only together with another, which pins it exactly."""
UNRELEASED = ("pmtui", "_typeshed")
"""Ourselves, and what only type checkers know."""


def test_every_import_is_declared_and_everything_declared_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = project["optional-dependencies"]["agent"]
    declared = {_name(requirement) for requirement in (*project["dependencies"], *extra)}
    assert {CARRIED.get(name, name) for name in _imported()} == declared


def test_the_pins_name_no_index_and_every_requirement() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = (ROOT / "tests" / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_.\-]+==[A-Za-z0-9_.\-+]+", pin) for pin in pins)
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["agent"]]
    assert set(map(_name, extras["agent"])) <= set(map(_name, extras["test"]))
    assert {_name(requirement) for requirement in wanted} <= {_name(pin) for pin in pins}


def _name(requirement: str) -> str:
    """Return the normalised name at the start of a requirement."""
    start = re.match(r"[A-Za-z0-9_.\-]+", requirement)
    assert start is not None
    return re.sub(r"[-_.]+", "-", start.group()).lower()


def _imported() -> set[str]:
    owners = packages_distributions()
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for module in _modules(ast.parse(path.read_text())):
            top = module.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in UNRELEASED:
                found.add(_name(owners[top][0]))
    return found


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
