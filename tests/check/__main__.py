"""`python -m tests.check`: holds files of recorded or golden data against this program.

Each subcommand is a module with `add_parser(subparsers)`, which sets `run` to a function from the
parsed arguments to an exit code: 0 fine, 1 something differs, 2 wrong usage or an unusable file.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Never

from typing_extensions import override

SUBCOMMANDS = ("vectors", "payloads", "stream", "routes", "reads", "keys")


class OneLineParser(argparse.ArgumentParser):
    """Reports wrong usage in one line."""

    @override
    def error(self, message: str) -> Never:
        self.exit(2, f"{self.prog}: {message}\n")


def build_parser() -> OneLineParser:
    parser = OneLineParser(prog="python -m tests.check", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="WHAT", dest="what")
    for name in SUBCOMMANDS:
        module = f"tests.check.{name}"
        if find_spec(module) is not None:
            importlib.import_module(module).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    args = build_parser().parse_args(argv)
    code: int = args.run(args)
    return code


if __name__ == "__main__":
    sys.exit(main())
