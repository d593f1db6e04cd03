"""`python -m tests.check stream FILE…`: recorded market-channel messages, gaps and all."""

import argparse
import sys
from pathlib import Path

from tests.check.frames import read_frames
from tests.check.replay import Replay, Report

_SHOWN = 5


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("stream", help="recorded market-channel messages")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    code = 0
    for path in args.files:
        try:
            report = Replay().run(read_frames(path))
        except (OSError, ValueError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            code = 2
            continue
        print(text_of(path.name, report))
        if report.failures or report.gaps:
            code = max(code, 1)
    return code


def text_of(name: str, report: Report) -> str:
    """Write a report."""
    checked = report.in_order + report.after_later + report.never
    tops = report.tops_agreed + report.tops_disagreed
    lines = [
        f"{name}: {report.frames} frames",
        "  events            " + (_counts(report.events) or "none"),
        f"  not decoded       {len(report.failures)}",
        f"  unknown           {_counts(report.unknown) or 0}",
        f"  book hashes       {report.books_matched} match, {report.books_unmatched} do not at once",
        (
            f"  change hashes     {checked}: {report.in_order} in order of arrival, "
            f"{report.after_later} after later frames, {report.never} never"
        ),
        f"  changes unplaced  {report.without_book} (no book before them)",
        f"  best bid and ask  {report.tops_agreed} of {tops} agree",
        f"  gaps              {len(report.gaps)}",
    ]
    lines += [f"    {text}" for text in (*report.failures[:_SHOWN], *report.gaps[:_SHOWN])]
    return "\n".join(lines)


def _counts(counter: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counter.items()))
