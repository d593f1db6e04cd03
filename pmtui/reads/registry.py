"""All reads by name, in the order in which they are listed."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pmtui.reads.analytics import ANALYTICS, GEOGRAPHIC, RELAYER
from pmtui.reads.metadata import METADATA
from pmtui.reads.read import Read, ReadHost
from pmtui.reads.trading import TRADING

READS: Mapping[str, Read] = MappingProxyType(
    {read.name: read for read in (*TRADING, *METADATA, *ANALYTICS, *RELAYER, *GEOGRAPHIC)}
)


def by_host() -> Iterator[tuple[ReadHost, tuple[Read, ...]]]:
    """Yield each host with its reads."""
    for host in ReadHost:
        yield host, tuple(read for read in READS.values() if read.host is host)
