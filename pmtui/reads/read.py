"""What a read is: its name, host and routes, arguments, the type of its answer, and who may ask."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pmtui.config.endpoints import Dialect
from pmtui.reads.arguments import Argument, ArgumentKind


class ReadHost(StrEnum):
    """Who is asked; the order is that of lists."""

    TRADING = "trading host"
    METADATA = "metadata host"
    ANALYTICS = "analytics host"
    RELAYER = "relayer"
    GEOGRAPHIC = "geographic check"


class Needs(StrEnum):
    """What a host asks for before it answers."""

    NOTHING = "public"
    KEY = "key"
    """The profile's key: what is answered is its account's."""
    RELAYER_KEY = "relayer key"
    """The relayer key that `pmtui account` keeps for the profile."""


class Stream(StrEnum):
    """Which stream tells what changes of an answer."""

    MARKET = "market stream"
    ACCOUNT = "account stream"


class Paging(StrEnum):
    """How a list is read on."""

    CURSOR = "cursor"
    """By a text of the answer, absent on the last page."""
    OFFSET = "offset"
    """By counting rows; a short page is the last."""
    NUMBER = "page number"


@dataclass(frozen=True, slots=True)
class Pages:
    """How a list of the metadata or the analytics host is paged in one dialect."""

    paging: Paging
    key: str
    """The query key that carries the place."""
    size: int
    """The most rows that one page may have."""
    most: int = 10_000
    """Rows after which reading ends: the host goes no further, or nobody would wait for more."""
    size_key: str = "limit"


@dataclass(frozen=True, slots=True)
class Route:
    """How one dialect is asked: method and path; `{name}` in a path stands for an argument."""

    label: str
    pages: Pages | None = None
    fixed: tuple[tuple[str, str], ...] = ()
    """Query that always goes along."""

    @property
    def method(self) -> str:
        """The method of HTTP."""
        return self.label.partition(" ")[0]

    @property
    def path(self) -> str:
        """The template of the path, with a query where the path alone does not say it."""
        return self.label.partition(" ")[2]


LIMIT = Argument("limit", ArgumentKind.NUMBER, "most rows to return", unit="rows")
WATCH_LIMIT = Argument(
    LIMIT.name, ArgumentKind.NUMBER, "with --watch: answers after which it ends", unit="answers"
)


@dataclass(frozen=True, slots=True)
class Read:
    """One read. Two hosts may be asked alike in both dialects: then `live` is empty."""

    name: str
    words: str
    """One sentence without its full stop."""
    host: ReadHost
    answer: object
    """The type of the answer, or of a row where it is a list."""
    seed: Route
    live: Route | None = None
    arguments: tuple[Argument, ...] = ()
    is_list: bool = False
    needs: Needs = Needs.NOTHING
    stream: Stream | None = None
    """What it can be followed by; None where no stream tells of it."""
    unstreamed: tuple[str, ...] = ()
    """Names of arguments that the stream knows nothing of."""
    decode: Callable[[bytes], object] | None = None
    """Of an answer, for routes that a client needs no further knowledge of."""

    def route(self, dialect: Dialect) -> Route:
        """Return how a dialect is asked."""
        return self.seed if self.live is None or dialect is Dialect.SEED else self.live

    @property
    def is_watchable(self) -> bool:
        """Whether it can be followed as a stream."""
        return self.stream is not None

    @property
    def asked(self) -> tuple[Argument, ...]:
        """The arguments, with the limit of the rows of a list, or of what a stream tells."""
        if self.is_list:
            return (*self.arguments, LIMIT)
        return (*self.arguments, WATCH_LIMIT) if self.is_watchable else self.arguments


def by_offset(size: int, most: int = 10_000) -> Pages:
    """Return how a list is paged whose rows are counted, with so many rows on a page."""
    return Pages(Paging.OFFSET, "offset", size, most)


def read_list(
    host: ReadHost,
    name: str,
    words: str,
    seed: Route,
    answer: object,
    decode: Callable[[bytes], object],
    *arguments: Argument,
    live: Route | None = None,
) -> Read:
    """Return the read of a list, whose pages the routes describe."""
    return Read(
        name, words, host, answer, seed,
        live=live, arguments=arguments, is_list=True, decode=decode,
    )  # fmt: skip


def read_one(
    host: ReadHost,
    name: str,
    words: str,
    seed: str,
    answer: object,
    decode: Callable[[bytes], object],
    *arguments: Argument,
    live: str = "",
) -> Read:
    """Return the read of one thing, by the labels of its routes."""
    return Read(
        name, words, host, answer, Route(seed),
        live=Route(live) if live else None, arguments=arguments, decode=decode,
    )  # fmt: skip
