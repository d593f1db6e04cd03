"""The last words, on the normal screen: what became of open orders."""

import logging
import os
import threading

from pmtui.cli.output import show_last
from pmtui.service.safety.shutdown import ShutdownReport
from pmtui.ui.plain import plain

MOST_LISTED = 20
LINE_WIDTH = 160


def print_report(report: ShutdownReport) -> None:
    """Print how leaving ended; a screen that is gone is not an error."""
    if not report.text:
        return
    lines = [f"pmtui: {plain(report.text, 2 * LINE_WIDTH)}"]
    lines += [f"  {plain(line, LINE_WIDTH)}" for line in report.may_rest[:MOST_LISTED]]
    if len(report.may_rest) > MOST_LISTED:
        lines.append(f"  and {len(report.may_rest) - MOST_LISTED} more; see `pmtui export orders`")
    show_last(lines)


def end_past_terminal(code: int) -> None:
    """End the process here and now where a thread is stuck on a terminal that reads no more.

    Python itself would wait for the lock that this thread holds, and then abort.
    """
    if any(thread.name == "textual-output" for thread in threading.enumerate()):
        logging.shutdown()
        os._exit(code)
