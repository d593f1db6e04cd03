"""`python -m tests.check stream FILE…`: recorded market-channel messages, gaps and all.

Ends with 1 where a message could not be read, one was lost (a gap), or a file holds none of the
channel at all; with 2 where a file cannot be read. Hashes that never fit, and tops that disagree,
are counted: one alone proves no loss.
"""

import argparse
import sys
from pathlib import Path

from pmtui.recording.reader import read_bytes, split_frames
from tests.check.replay import Replay, Report
from tests.check.tally import HashCount

_SHOWN = 5


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("stream", help="recorded market-channel messages")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    code = 0
    for path in args.files:
        try:
            report = Replay().run(split_frames(read_bytes(path)))
        except (OSError, ValueError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            code = 2
            continue
        print(text_of(path.name, report))
        if not report.events:
            print("  holds no message of the market channel")
        if report.failures or report.gaps or not report.events:
            code = max(code, 1)
    return code


def text_of(name: str, report: Report) -> str:
    """Write a report."""
    tops = report.tops_agreed + report.tops_disagreed
    lines = [
        f"{name}: {report.frames} frames",
        "  events            " + (_counts(report.events) or "none"),
        f"  repeated at once  {report.repeated}",
        f"  not decoded       {len(report.failures)}",
        f"  unknown           {_counts(report.unknown) or 0}",
        f"  book hashes       {_hashes(report.books)}",
        f"  change hashes     {_hashes(report.changes)}",
        f"  changes unplaced  {report.without_book} (no book before them)",
        f"  best bid and ask  {report.tops_agreed} of {tops} agree",
        f"  gaps              {len(report.gaps)}",
    ]
    lines += _some(report.failures) + _some(report.gaps)
    return "\n".join(lines)


def _hashes(count: HashCount) -> str:
    return (
        f"{count.total}: {count.in_order} in order of arrival, "
        f"{count.after_later} after later frames, {count.never} never"
    )


def _some(texts: list[str]) -> list[str]:
    shown = [f"    {text}" for text in texts[:_SHOWN]]
    return [*shown, f"    … and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else shown


def _counts(counter: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counter.items()))
