"""What is printed when a session has ended: what became of orders."""

from pmtui.cli.output import show_last
from pmtui.service.safety.shutdown import ShutdownReport

MOST_LISTED = 20
LINE_WIDTH = 160


def describe_report(report: ShutdownReport) -> list[str]:
    """Say in lines how leaving ended; nothing where there was nothing to do."""
    if not report.text:
        return []
    lines = [f"pmtui: {_shorten(report.text, 2 * LINE_WIDTH)}"]
    lines += [f"  {_shorten(line, LINE_WIDTH)}" for line in report.may_rest[:MOST_LISTED]]
    if len(report.may_rest) > MOST_LISTED:
        lines.append(f"  and {len(report.may_rest) - MOST_LISTED} more; see `pmtui export orders`")
    return lines


def print_report(report: ShutdownReport) -> None:
    """Print how leaving ended; a screen that is gone is not an error."""
    if lines := describe_report(report):
        show_last(lines)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
