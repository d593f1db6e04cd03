"""What a session prints when it ends: what became of open orders, in a few lines."""

from pmtui.cli.output import show_last
from pmtui.domain.formats import ellipsize
from pmtui.service.safety.shutdown import ShutdownReport

MOST_LISTED = 20
LINE_WIDTH = 160


def describe_report(report: ShutdownReport) -> list[str]:
    """Return the report in lines; none if there was nothing to do."""
    if not report.text:
        return []
    lines = [f"pmtui: {ellipsize(report.text, 2 * LINE_WIDTH)}"]
    lines += [f"  {ellipsize(line, LINE_WIDTH)}" for line in report.may_rest[:MOST_LISTED]]
    if len(report.may_rest) > MOST_LISTED:
        lines.append(f"  and {len(report.may_rest) - MOST_LISTED} more; see `pmtui export orders`")
    return lines


def print_report(report: ShutdownReport) -> None:
    """Print the report; a terminal that is gone is not an error."""
    if lines := describe_report(report):
        show_last(lines)
