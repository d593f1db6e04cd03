"""Docstrings stay out of the program, and nothing else does."""

import ast
import asyncio
import importlib.util
import inspect
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest
import textual

import pmtui
from pmtui.cli.lean_code import PACKAGES, without_docstrings

FOLDERS = {"pmtui": pmtui, "textual": textual, "asyncio": asyncio}
LEAN = "from pmtui.cli.lean_code import import_lean\nimport_lean()\nimport_lean()\n"
SECTION = '''
"""Module."""


class Thing:
    """Class."""

    first = "kept"

    def method(self):
        """Method."""
        assert self.first != "kept", "checked"
        return ["kept" for _ in range(2)], lambda: "kept"


def plain():
    return "kept"
'''


def removed(code: CodeType, lean: CodeType) -> Iterator[str]:
    """Yield the texts that are in one and not in the other, which has nothing else changed."""
    for index, (before, after) in enumerate(zip(code.co_consts, lean.co_consts, strict=True)):
        if isinstance(before, CodeType):
            assert isinstance(after, CodeType)
            yield from removed(before, after)
        elif before is not after:
            assert index == 0
            assert after is None
            yield inspect.cleandoc(before)
    assert code.replace(co_consts=()) == lean.replace(co_consts=())


def docstrings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield text


@pytest.mark.parametrize("package", FOLDERS)
def test_only_docstrings_of_functions_go(package: str) -> None:
    found = 0
    for source in Path(str(FOLDERS[package].__file__)).parent.rglob("*.py"):
        text = source.read_text()
        code = compile(text, str(source), "exec", dont_inherit=True)
        lean = without_docstrings(code)
        gone = Counter(removed(code, lean))
        assert gone == Counter(docstrings(ast.parse(text)))
        assert without_docstrings(lean) is lean
        found += gone.total()
    assert found > 100


def said(code: str, path: Path | None = None) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=path
    )
    return done.stdout.splitlines()


def test_a_module_is_without_and_its_assertions_stay(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(SECTION)
    shown = (
        "import thing\n"
        "print(thing.__doc__, thing.Thing.__doc__, thing.Thing.method.__doc__)\n"
        "made = thing.Thing()\n"
        "try:\n    made.method()\nexcept AssertionError as error:\n    print(error)\n"
        "made.first = ''\n"
        "words, inner = made.method()\n"
        "print(words, inner(), thing.plain(), thing.Thing.first)\n"
    )
    works = ["checked", "['kept', 'kept'] kept kept kept"]
    known = LEAN + "import pmtui.cli.lean_code as lean\nlean.PACKAGES |= {'thing'}\n"
    assert said(known + shown, tmp_path) == ["None None None", *works]
    # What Python keeps for the next time is whole, and a package nobody tried is as it was written.
    assert said(LEAN + shown, tmp_path) == ["Module. Class. Method.", *works]


def test_the_program_is_loaded_without() -> None:
    program = "import pmtui.cli.compose, textual.app, logging, httpx\n"
    docs = (
        "names = (textual.app.App, textual.app.App.run, logging.Logger.info, httpx.AsyncClient)\n"
        "print(*(name.__doc__ is None for name in names))\n"
    )
    assert said(LEAN + program + docs) == ["True True True True"]
    assert said(program + docs) == ["False False False False"]


def test_every_package_it_is_for_is_there() -> None:
    libraries = PACKAGES - sys.stdlib_module_names
    assert [name for name in sorted(libraries) if importlib.util.find_spec(name) is None] == []
    assert "pydantic" not in PACKAGES
