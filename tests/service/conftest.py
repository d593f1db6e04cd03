"""The service is proved twice: with plain tasks, and with the eager ones it meets in the terminal."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.eager_tasks import EAGER, HAS_EAGER_TASKS
from tests.service.fakes import World, running_world
from tests.skipping_loop import SKIPPING, Backend

_BACKENDS = {"plain": SKIPPING} | ({"eager": EAGER} if HAS_EAGER_TASKS else {})


@pytest.fixture(params=list(_BACKENDS.values()), ids=list(_BACKENDS))
def anyio_backend(request: pytest.FixtureRequest) -> Backend:
    backend: Backend = request.param
    return backend


@pytest.fixture
async def world(anyio_backend: Backend, tmp_path: Path) -> AsyncIterator[World]:
    """Run a service as it is shipped, with a key, at a venue that a test plays."""
    async with running_world(tmp_path) as world:
        yield world
