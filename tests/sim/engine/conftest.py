import pytest

from tests.sim.engine.scenario import Scenario


@pytest.fixture
def scene() -> Scenario:
    return Scenario()
