"""What is left out of libraries is not missed, and still there to be left out."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from pmtui.cli.lean_imports import EMPTY, NOT_INSTALLED, TRIED

DRAWN = """
from datetime import UTC, datetime, timedelta
from pmtui.domain.history import PricePoint
from pmtui.domain.money import Micros
from pmtui.ui.paint.chart import draw_chart
began = datetime(2026, 1, 1, tzinfo=UTC)
points = [PricePoint(began + timedelta(minutes=i), Micros(i * i * 70)) for i in range(100)]
print(ascii(draw_chart(points, 60, 12)))
"""
LEAN = "from pmtui.cli.lean_imports import leave_out\nleave_out()\nleave_out()\n"
LOADED = "import sys\nprint(*(name for name, module in sys.modules.items() if module))"
HEAVY = {"PIL", "click", "h2", "pydantic", "pygments", "rich.progress", "unittest", "zoneinfo"}


def said(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_nothing_large_comes_along() -> None:
    everything = "import pmtui.cli.compose, pmtui.cli.farewell, pmtui.cli.hosts, plotext\n"
    assert not HEAVY & set(said(LEAN + everything + LOADED).split())
    # Or the above would prove nothing.
    assert HEAVY & set(said(everything + LOADED).split())


def test_a_chart_is_drawn_as_with_the_whole_library() -> None:
    drawn = said(LEAN + DRAWN)
    assert drawn == said(DRAWN)
    assert "\\u28" in drawn


def test_another_release_is_imported_whole() -> None:
    other = "from pmtui.cli import lean_imports\nlean_imports.TRIED = 'plotext-0.dist-info'\n"
    docs = "import plotext\nprint(plotext.doc is not None, plotext.test is not None)"
    assert said(other + "lean_imports.leave_out()\n" + docs).split() == ["True", "True"]
    assert said(LEAN + docs).split() == ["False", "False"]


def test_whatever_else_is_not_there_is_missed_as_ever() -> None:
    code = LEAN + "import pmtui.no_such_module"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "No module named 'pmtui.no_such_module'" in done.stderr


@pytest.mark.parametrize("name", EMPTY)
def test_a_library_takes_one_name_from_what_is_left_empty(name: str) -> None:
    assert hasattr(importlib.import_module(name), EMPTY[name])


def test_it_was_tried_with_the_release_that_is_installed() -> None:
    spec = importlib.util.find_spec("plotext")
    assert spec is not None
    assert spec.origin is not None
    assert (Path(spec.origin).parents[1] / TRIED).is_dir()


def test_parts_of_installed_libraries_go_by_the_names_they_have() -> None:
    assert importlib.util.find_spec("httpx._main") is not None
    assert all("." not in name or importlib.util.find_spec(name) for name in NOT_INSTALLED)
