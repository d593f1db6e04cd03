"""The program with a bug built in: the service does not start."""

import sys

from pmtui.cli.main import main
from pmtui.service.data_service import DataService
from tests.journeys.broken_program import BUG


def _fail(self: DataService) -> None:
    raise RuntimeError(BUG)


if __name__ == "__main__":
    # Only from here on: whoever imports this module for its name gets no bug.
    DataService.running = _fail  # type: ignore[assignment,method-assign]  # the bug
    sys.exit(main())
