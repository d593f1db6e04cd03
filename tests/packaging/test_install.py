"""An installed program, apart from any checkout: from the wheel, and from the sdist by way of its wheel.

As pipx and uv do, each is put into an environment of its own. Dependencies are lent from the one that runs
the tests, so that nothing is fetched.
"""

import json
import os
import site
import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

import pmtui

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DEADLINE_S = 200
_PIP = ["-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
_OFFLINE = ["--no-deps", "--no-index", "--no-build-isolation"]


class Installed:
    """One environment with the program in it."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self._bin = folder / "bin"
        (packages,) = (folder / "lib").glob("python*/site-packages")
        lent = [path for path in site.getsitepackages() if Path(path).is_dir()]
        # Named in a .pth file, they come after what is installed here.
        (packages / "lent.pth").write_text("\n".join(lent))
        # By the environment's own Python, and never in the place of what the tests run from.
        done = run(
            [self._bin / "python", *_PIP, "install", "--ignore-installed", *_OFFLINE, wheel],
            cwd=folder,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.packages = packages
        self._home = folder / "home"

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command, in a home that nobody has used."""
        return run([self._bin / "pmtui", *words], home=self._home)

    def python(self, program: str) -> str:
        """Run a program in the environment and return what it prints."""
        done = run([self._bin / "python", "-P", "-c", program], home=self._home)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def run(
    command: Sequence[str | Path], *, cwd: Path | None = None, home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PMTUI_", "PYTHON"))}
    if home is not None:
        environ["PMTUI_HOME"] = str(home)
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environ, capture_output=True, text=True,
        timeout=DEADLINE_S, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution of this checkout."""
    target = tmp_path_factory.mktemp("sdist")
    built = run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", target], cwd=ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = target.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel_of_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that an installer makes of the source distribution."""
    target = tmp_path_factory.mktemp("wheel")
    built = run(
        [sys.executable, *_PIP, "wheel", *_OFFLINE, "--wheel-dir", target, sdist], cwd=target
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = target.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel_of_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The program, installed from the wheel of its source distribution."""
    return Installed(tmp_path_factory.mktemp("environment"), wheel_of_sdist)


def test_the_sdist_holds_what_is_built_and_tested_from_it(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile",
        "pmtui/docs/trading.md", "pmtui/sim/catalogue/catalogue.json.gz", "tests/constraints.txt",
    }  # fmt: skip
    wanted |= {f"themes/{path.name}" for path in (ROOT / "themes").glob("*.toml")}
    assert wanted <= names
    assert not {name for name in names if name.startswith((".venv", ".git/", "build/"))}


def test_the_installed_command_stands_in_its_environment(installed: Installed) -> None:
    where = installed.python("import pmtui; print(pmtui.__file__)")
    assert where.startswith(str(installed.packages))
    done = installed("--version")
    assert (done.returncode, done.stdout) == (0, f"pmtui {pmtui.__version__}\n")


def test_what_the_tests_run_from_is_as_it_was(installed: Installed) -> None:
    assert Path(sys.executable).with_name("pmtui").is_file()


def test_themes_manual_and_catalogue_are_there(installed: Installed) -> None:
    counted = installed.python(
        "from datetime import UTC, datetime\n"
        "from pmtui.cli.manual.help import topics\n"
        "from pmtui.sim.catalogue.load import load_packaged\n"
        "from pmtui.ui.theme.theme_files import load_themes\n"
        "themes, problems = load_themes()\n"
        "events = load_packaged(datetime(2026, 9, 1, tzinfo=UTC)).events\n"
        "print(len(themes), len(problems), len(topics()), len(events) >= 150)\n"
    )
    themes, docs = (ROOT / "themes").glob("*.toml"), (ROOT / "pmtui/docs").glob("*.md")
    assert counted == f"{len(list(themes))} 0 {len(list(docs))} True"


def test_the_manual_opens(installed: Installed) -> None:
    done = installed("help", "recordings")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Recordings\n")


def test_the_doctor_finds_the_paper_venue_of_the_installed_program_well(
    installed: Installed,
) -> None:
    done = installed("doctor", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["problems"]) == (0, 0), report
    states = {row["name"]: row["state"] for row in report["checks"]}
    assert states["trading"] == states["book"] == "ok"
