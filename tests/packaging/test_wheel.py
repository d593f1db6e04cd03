"""What people install: one wheel with everything the program reads at run time, and its command."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import pmtui

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BUILD_DEADLINE_S = 100
RUN_DEADLINE_S = 60
_PIP_WHEEL = [
    "-m",
    "pip",
    "--disable-pip-version-check",
    "wheel",
    "--no-deps",
    "--no-build-isolation",
    "--no-cache-dir",
    "--no-index",
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without an isolated environment and so without a network."""
    target = tmp_path_factory.mktemp("wheel")
    built = _run(
        [*_PIP_WHEEL, "--wheel-dir", str(target), str(ROOT)],
        cwd=target,
        deadline_s=BUILD_DEADLINE_S,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = target.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    """Every file in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as an installer lays it out, away from the checkout."""
    target = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def test_the_wheel_carries_every_file_of_the_package(names: frozenset[str]) -> None:
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pmtui").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert wanted <= names


def test_the_wheel_carries_the_catalogue(names: frozenset[str]) -> None:
    catalogue = [
        name
        for name in names
        if name.startswith("pmtui/sim/catalogue/") and not name.endswith(".py")
    ]
    assert catalogue


def test_the_wheel_carries_the_themes(names: frozenset[str]) -> None:
    themes = {path.name for path in (ROOT / "themes").glob("*.toml")}
    assert themes
    assert {f"pmtui/_themes/{name}" for name in themes} <= names


def test_the_wheel_carries_nothing_of_the_tests(names: frozenset[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"pmtui", f"pmtui-{pmtui.__version__}.dist-info"}


def test_the_wheel_installs_one_command(unpacked: Path) -> None:
    info = unpacked / f"pmtui-{pmtui.__version__}.dist-info"
    lines = (info / "entry_points.txt").read_text().split()
    assert lines == ["[console_scripts]", "pmtui", "=", "pmtui.cli.main:main"]


def test_the_wheel_names_its_licence_and_its_python(unpacked: Path) -> None:
    info = unpacked / f"pmtui-{pmtui.__version__}.dist-info"
    metadata = (info / "METADATA").read_text()
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert (info / "licenses" / "LICENSE").is_file()


def test_the_unpacked_wheel_finds_its_themes_and_its_catalogue(unpacked: Path) -> None:
    program = (
        "from datetime import UTC, datetime\n"
        "import pmtui\n"
        "from pmtui.sim.catalogue.load import load_packaged\n"
        "from pmtui.ui.theme.theme_files import load_themes\n"
        "themes, problems = load_themes()\n"
        "events = load_packaged(datetime(2026, 9, 1, tzinfo=UTC)).events\n"
        "print(pmtui.__file__, len(themes), len(problems), len(events), sep='|')\n"
    )
    ran = _run(["-P", "-c", program], cwd=unpacked, path=unpacked)
    assert ran.returncode == 0, ran.stderr
    where, themes, problems, events = ran.stdout.strip().split("|")
    assert where.startswith(str(unpacked))
    assert int(themes) == len(list((ROOT / "themes").glob("*.toml")))
    assert int(problems) == 0
    assert int(events) >= 150


def test_the_module_tells_its_version() -> None:
    ran = _run(["-m", "pmtui", "--version"], cwd=ROOT)
    assert (ran.returncode, ran.stdout) == (0, f"pmtui {pmtui.__version__}\n")


def test_the_installed_command_tells_its_version() -> None:
    command = Path(sys.executable).with_name("pmtui")
    ran = subprocess.run(
        [command, "--version"], capture_output=True, text=True, timeout=RUN_DEADLINE_S, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, f"pmtui {pmtui.__version__}\n")


def test_the_help_of_the_venue_names_its_options() -> None:
    ran = _run(["-m", "pmtui", "sim", "--help"], cwd=ROOT)
    assert ran.returncode == 0
    for option in ("--port", "--state", "--seed", "--speed", "--catalogue"):
        assert option in ran.stdout


def _run(
    arguments: Sequence[str],
    *,
    cwd: Path,
    path: Path | None = None,
    deadline_s: float = RUN_DEADLINE_S,
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PMTUI_")}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=deadline_s,
        check=False,
    )
