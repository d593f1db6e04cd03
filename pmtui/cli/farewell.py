"""The last words, on the normal screen: what became of open orders."""

import logging
import os
import select
import threading
from contextlib import suppress

from pmtui.service.departing import DepartureReport
from pmtui.ui.plain import plain

_STDOUT = 1
MOST_LISTED = 20
LINE_WIDTH = 160
ROOM_WAIT_S = 0.5


def print_report(report: DepartureReport) -> None:
    """Print how leaving ended; a screen that is gone is not an error.

    Past Python's own buffer, which would try again at the very end and fail the program.
    """
    if not report.text:
        return
    lines = [f"pmtui: {plain(report.text, 2 * LINE_WIDTH)}"]
    lines += [f"  {plain(line, LINE_WIDTH)}" for line in report.may_rest[:MOST_LISTED]]
    if len(report.may_rest) > MOST_LISTED:
        lines.append(f"  and {len(report.may_rest) - MOST_LISTED} more; see `pmtui export orders`")
    with suppress(OSError):
        # A terminal that does not read would keep us here.
        if select.select([], [_STDOUT], [], ROOM_WAIT_S)[1]:
            os.write(_STDOUT, ("\n".join(lines) + "\n").encode(errors="replace"))


def end_past_terminal(code: int) -> None:
    """End the process here and now where a thread is stuck on a terminal that reads no more.

    Python itself would wait for the lock that this thread holds, and then abort.
    """
    if any(thread.name == "textual-output" for thread in threading.enumerate()):
        logging.shutdown()
        os._exit(code)
