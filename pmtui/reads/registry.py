"""All reads by their names, in the order in which they are listed."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pmtui.reads.analytics import ANALYTICS, GEOGRAPHIC, RELAYER
from pmtui.reads.metadata import METADATA
from pmtui.reads.read import Needs, Read, ReadHost
from pmtui.reads.trading import TRADING

READS: Mapping[str, Read] = MappingProxyType(
    {read.name: read for read in (*TRADING, *METADATA, *ANALYTICS, *RELAYER, *GEOGRAPHIC)}
)


def by_host() -> Iterator[tuple[ReadHost, tuple[Read, ...]]]:
    """Yield the hosts, each with its reads."""
    for host in ReadHost:
        yield host, tuple(read for read in READS.values() if read.host is host)


def to_markdown() -> str:
    """Return the table of the manual: every read with its routes, arguments and answer."""
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
