"""The program with a bug built in: a key of the log screen fails with something private at hand."""

import sys

from pmtui.cli.main import main
from pmtui.ui.portfolio.log import LogScreen

PRIVATE = "hunter2-of-nobody"
BUG = "the bug that was built in"


def _fail(self: LogScreen) -> None:
    private = "-".join(("hunter2", "of", "nobody"))
    if private not in self.classes:
        raise RuntimeError(BUG)


if __name__ == "__main__":
    # Only from here on: whoever imports this module for its words gets no bug.
    LogScreen.action_next_kind = _fail  # type: ignore[method-assign]  # the bug
    sys.exit(main())
