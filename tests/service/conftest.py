"""The service is proved twice: with plain tasks, and with the eager ones it meets in the terminal."""

import pytest

from tests.eager_tasks import EAGER, HAS_EAGER_TASKS
from tests.skipping_loop import SKIPPING, Backend

_BACKENDS = {"plain": SKIPPING} | ({"eager": EAGER} if HAS_EAGER_TASKS else {})


@pytest.fixture(params=list(_BACKENDS.values()), ids=list(_BACKENDS))
def anyio_backend(request: pytest.FixtureRequest) -> Backend:
    backend: Backend = request.param
    return backend
