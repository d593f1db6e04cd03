"""`python -m tests.check reads`: the table of the manual that lists every read; `--write` renews it."""

import argparse
from pathlib import Path

import pmtui
from pmtui.reads.read import Needs, Read
from pmtui.reads.registry import by_host

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


def to_markdown() -> str:
    """Return the table: every read with its routes, arguments and answer."""
    lines: list[str] = []
    for host, reads in by_host():
        lines += [
            f"## {host.value.capitalize()}",
            "",
            "| Read | What it answers | Seed | Public service | Arguments | Answer |",
            "|---|---|---|---|---|---|",
            *(_row(read) for read in reads),
            "",
        ]
    return "\n".join(lines)


def _row(read: Read) -> str:
    live = "same" if read.live is None else f"`{_shown(read.live.label)}`"
    arguments = ", ".join(
        f"`{argument.option}`{' (needed)' if argument.is_required else ''}"
        for argument in read.asked
    )
    needs = "" if read.needs is Needs.NOTHING else f"; needs the {read.needs}"
    watched = "; `--watch`" if read.is_watchable else ""
    answer = getattr(read.answer, "__name__", "")
    is_list = "list of " if read.is_list else ""
    return (
        f"| `{read.name}` | {read.words}{needs}{watched} | `{_shown(read.seed.label)}` | {live} "
        f"| {arguments or '—'} | {is_list}`{answer}` |"
    )


def _shown(label: str) -> str:
    return label.replace("{id:slug}", "{id or slug/…}")
