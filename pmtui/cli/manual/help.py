"""`pmtui help`: shows the pages of `pmtui/docs` on a terminal; without a topic it lists them.

A command's name shows the page that explains it; further words, or a read's name, show the command's own help.
"""

import os
import pydoc
import re
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pmtui.cli.manual.commands import COMMANDS
from pmtui.cli.output import data_output, printable, show
from pmtui.cli.usage import SecretiveParser

DOCS = Path(__file__).parents[2] / "docs"
WIDEST = 100
_COMMANDS_TOO = "The name of a command, such as `pmtui help get`, leads to its page."
_LINK = re.compile(r"!?\[([^\]]+)\]\([^)]+\)")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_ITEM = re.compile(r"(\s*(?:[-*]|\d+\.) )(.*)")
_LEAST_COLUMN = 8


def run(arguments: Sequence[str]) -> int:
    """Show a page, or the list of pages; return the exit code."""
    parser = _parser()
    asked = parser.read(arguments)
    if asked.man:
        from pmtui.cli.manual.man import man_page  # noqa: PLC0415 - the registry of reads

        show(*man_page().splitlines())
        return 0
    pages = topics()
    match asked.topic:
        case []:
            show("pmtui help TOPIC shows one of:", "", *_list(), "", _COMMANDS_TOO)
            return 0
        case [word] if word in pages or (word in COMMANDS and COMMANDS[word].page):
            topic = word if word in pages else COMMANDS[word].page
        case [command, *further] if command in COMMANDS:
            return _show_usage(command, further)
        case [word] if word in _reads():
            return _show_usage("get", [word])
        case _:
            parser.refuse(f"no such topic; there are {', '.join(pages)}, and the names of commands")
    width = min(shutil.get_terminal_size().columns, WIDEST)
    lines = tuple(lay_out(pages[topic].read_text(encoding="utf-8"), width))
    _show_paged(lines)
    return 0


def _show_paged(lines: Sequence[str]) -> None:
    """Show many lines, through the user's pager if there is one and the output is a terminal."""
    if data_output().isatty() and os.environ.get("PAGER"):
        pydoc.pager("\n".join(map(printable, lines)) + "\n")
    else:
        show(*lines)


def _show_usage(command: str, further: Sequence[str]) -> int:
    """Show a command's own help."""
    return COMMANDS[command].load()([*further, "--help"])


def _reads() -> Mapping[str, object]:
    from pmtui.reads.registry import READS  # noqa: PLC0415 - as above

    return READS


def topics() -> dict[str, Path]:
    """Return the pages by topic, in alphabetical order."""
    return {path.stem: path for path in sorted(DOCS.glob("*.md"))}


def lay_out(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a page without markup: paragraphs and tables fitted, code unchanged."""
    block: list[str] = []
    is_code = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            yield from _block(block, width)
            block, is_code = [], not is_code
        elif is_code:
            yield f"    {line}".rstrip()
        elif line.startswith("<!--"):
            continue
        elif block and (not line or line[0] == "#" or _starts_anew(block, line)):
            yield from _block(block, width)
            block = [line] if line else []
            if not line:
                yield ""
        elif line:
            block.append(line)
        else:
            yield ""


def _starts_anew(block: Sequence[str], line: str) -> bool:
    """Whether a line does not continue the one above it."""
    return (
        _begins_item(block, line) or block[0][0] == "#" or (line[0] == "|") != (block[0][0] == "|")
    )


def _begins_item(block: Sequence[str], line: str) -> bool:
    """Whether a line is an item; a number that a sentence happens to wrap at is none."""
    found = _ITEM.match(line)
    if found is None:
        return False
    number = found[1].strip().rstrip(".")
    return number in ("-", "*", "1") or bool(
        _ITEM.match(block[0]) and block[0].strip()[0].isdigit()
    )


def _block(block: Sequence[str], width: int) -> Iterator[str]:
    if not block:
        return
    if block[0].startswith("#"):
        title = _plain(block[0].lstrip("# "))
        yield title
        yield ("=" if block[0].startswith("# ") else "-") * len(title)
    elif block[0].startswith("|"):
        yield from _table(block, width)
    else:
        text = _plain(" ".join(line.strip() for line in block))
        item = _ITEM.match(text)
        hang = " " * len(item[1]) if item else ""
        yield from textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)


def _table(block: Sequence[str], width: int) -> Iterator[str]:
    rows = [
        [_plain(cell.strip().replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in block
        if not set(line) <= set("|-: ")
    ]
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while sum(sizes) + 2 * len(sizes) - 2 > width and max(sizes) > _LEAST_COLUMN:
        sizes[sizes.index(max(sizes))] -= 1
    for row in rows:
        parts = [textwrap.wrap(cell, size) or [""] for cell, size in zip(row, sizes, strict=True)]
        for number in range(max(map(len, parts))):
            texts = [part[number] if number < len(part) else "" for part in parts]
            cells = zip(texts, sizes, strict=True)
            yield "  ".join(f"{text:<{size}}" for text, size in cells).rstrip()


def _plain(text: str) -> str:
    return _BOLD.sub(r"\1", _LINK.sub(r"\1", text))


def _list() -> Iterator[str]:
    pages = topics()
    longest = max(map(len, pages))
    for topic, path in pages.items():
        with path.open(encoding="utf-8") as page:
            yield f"  {topic:<{longest}}  {page.readline().lstrip('# ').rstrip()}"


def _parser() -> SecretiveParser:
    parser = SecretiveParser(prog="pmtui help", description="Show a page of the manual.")
    parser.add_argument(
        "topic",
        nargs="*",
        metavar="TOPIC",
        help=f"{', '.join(topics())}; or a command, such as `get` or `get book`",
    )
    parser.add_argument("--man", action="store_true", help="the man page, for `man -l -`")
    return parser
