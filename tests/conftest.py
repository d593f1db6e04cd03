"""What every test shares: the event loop, the way to recorded data, and a closed network."""

import gc
import importlib
import ipaddress
import os
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import pmtui
from tests.skipping_loop import SKIPPING, Backend

_DEEPEST = sys.getrecursionlimit()

# The same examples in every run and every clone, with the cases that the tests name; `make soak`
# chooses others each time, and keeps what it found for its next run.
settings.register_profile(
    "fixed", deadline=None, print_blob=True, max_examples=40, derandomize=True
)
settings.register_profile("random", deadline=None, print_blob=True, max_examples=400)
settings.load_profile(os.environ.get("PMTUI_EXAMPLES", "fixed"))

# Programs under test run as users run them: buffered text may hold up their end.
os.environ.pop("PYTHONUNBUFFERED", None)


def _refuse_strangers(event: str, args: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = args[1]
    if isinstance(address, tuple) and not _is_loopback(str(address[0])):
        raise PermissionError(f"tests talk to loopback only, not to {address[0]}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


sys.addaudithook(_refuse_strangers)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Load all modules; leave them and all tests out of garbage collections, and collect less often.

    Hypothesis also tries the constants of whichever modules of ours are loaded: with all of them the
    examples of a test do not depend on the tests before it. Looking through what stays anyway, after every
    few hundred objects of an app, was a quarter of the time.
    """
    for module in pkgutil.walk_packages(pmtui.__path__, "pmtui."):
        if not module.name.endswith("__main__"):
            _ = importlib.import_module(module.name)
    _ = gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    """Take back what libraries of tests did on import: with their limit nested answers crash.

    Some are imported by fixtures only, so it is done before each test. The program itself leaves garbage
    where it is until its first screen is there, which a test of its command line never sees.
    """
    sys.setrecursionlimit(_DEEPEST)
    gc.enable()


@pytest.fixture
def anyio_backend() -> Backend:
    return SKIPPING


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of recorded payloads beside the checkout; tests that need it skip without it."""
    root = Path(os.environ.get("PMTUI_SHARED", Path(__file__).parents[2] / "shared"))
    if not (root / "data").is_dir():
        pytest.skip(f"no recorded data at {root}")
    return root


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Let files and directories be created for everybody unless the code says otherwise."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)
