"""`python -m tests.check reads`: the table of the manual that lists every read; `--write` renews it."""

import argparse
from pathlib import Path

import pmtui
from pmtui.reads.registry import to_markdown

DOCUMENT = Path(pmtui.__file__).parent / "docs/reads.md"
BEGIN, END = "<!-- begin of the generated table -->", "<!-- end of the generated table -->"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("reads", help="everything that the hosts can be asked")
    parser.add_argument("--write", action="store_true", help=f"bring {DOCUMENT.name} up to date")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    text = DOCUMENT.read_text(encoding="utf-8")
    if args.write:
        DOCUMENT.write_text(renewed(text), encoding="utf-8")
        return 0
    return 0 if text == renewed(text) else 1


def renewed(text: str) -> str:
    """Return the document with the table that the registry gives."""
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:start]}\n\n{to_markdown().strip()}\n\n{text[end:]}"
