"""What is left out of libraries is not missed, and still there to be left out."""

import importlib
import importlib.util
import subprocess
import sys

import pytest

from pmtui.cli.lean_imports import EMPTY, KNOWN, NOT_INSTALLED, is_installed

DRAWN = """
from datetime import UTC, datetime, timedelta
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import Micros
from pmtui.ui.charts.paint_chart import draw_chart
began = datetime(2026, 1, 1, tzinfo=UTC)
points = [PricePoint(began + timedelta(minutes=i), Micros(i * i * 70)) for i in range(100)]
print(ascii(draw_chart(points, 60, 12)))
"""
LEAN = "from pmtui.cli.lean_imports import leave_out\nleave_out()\nleave_out()\n"
LOADED = "import sys\nprint(*(name for name, module in sys.modules.items() if module))"
HEAVY = {
    "PIL", "click", "h2", "importlib.metadata", "importlib.resources", "pydantic", "pygments", "rich.progress", "textual.widgets._tree",
    "unittest", "zoneinfo",
}  # fmt: skip


def said(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_nothing_large_comes_along() -> None:
    everything = "import pmtui.cli.compose, pmtui.cli.exit_report, pmtui.cli.hosts, plotext\n"
    assert not HEAVY & set(said(LEAN + everything + LOADED).split())
    # Or the above would prove nothing.
    assert HEAVY & set(said(everything + LOADED).split())


def test_a_chart_is_drawn_as_with_the_whole_library() -> None:
    drawn = said(LEAN + DRAWN)
    assert drawn == said(DRAWN)
    assert "\\u28" in drawn


def test_another_release_is_imported_whole() -> None:
    other = "from pmtui.cli import lean_imports\nlean_imports.is_installed = lambda _: False\n"
    docs = "import plotext\nprint(bool(vars(plotext.doc)), callable(plotext.test))"
    assert said(other + "lean_imports.leave_out()\n" + docs).split() == ["True", "True"]
    assert said(LEAN + docs).split() == ["False", "False"]


def test_a_release_is_known_by_its_number() -> None:
    assert not is_installed("textual-0.1")
    assert not is_installed("nothing-1.0")


def test_what_few_hosts_need_is_loaded_for_them() -> None:
    session = "import pmtui.cli.hosts, httpx, sys\n"
    loaded = "print('idna.core' in sys.modules, 'certifi.core' in sys.modules)\n"
    used = "print(httpx.URL('http://bücher.example/').raw_host.decode())\n"
    used += "import certifi\nprint(certifi.where().endswith('.pem'))\n"
    told = said(LEAN + session + loaded + used + loaded).split()
    assert told == ["False", "False", "xn--bcher-kva.example", "True", "True", "True"]


def test_whatever_else_is_not_there_is_missed_as_ever() -> None:
    code = LEAN + "import pmtui.no_such_module"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "No module named 'pmtui.no_such_module'" in done.stderr


@pytest.mark.parametrize("name", [name for parts in EMPTY.values() for name in parts])
def test_a_library_takes_those_names_from_what_is_left_empty(name: str) -> None:
    taken = next(parts[name] for parts in EMPTY.values() if name in parts)
    module = importlib.import_module(name)
    assert all(hasattr(module, each) for each in taken)
    assert all(getattr(module, each) == KNOWN[name] for each in taken if name in KNOWN)


@pytest.mark.parametrize("release", EMPTY)
def test_it_was_tried_with_the_release_that_is_installed(release: str) -> None:
    assert is_installed(release)


def test_parts_of_installed_libraries_go_by_the_names_they_have() -> None:
    assert importlib.util.find_spec("httpx._main") is not None
    assert all("." not in name or importlib.util.find_spec(name) for name in NOT_INSTALLED)
