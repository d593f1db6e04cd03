from datetime import UTC, datetime

import pytest

from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="session")
def packaged() -> Catalogue:
    return load_packaged(NOW)
