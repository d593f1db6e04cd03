"""The definition of a read: its name, host, routes, arguments, the type of its answer, and who may use it.

Every argument, whether typed or sent by a program, is checked here before any host is asked.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from types import MappingProxyType

from pmtui.config.endpoints import Dialect
from pmtui.reads.records import fields_of
from pmtui.reads.routes import Route

LONGEST_TEXT = 200
"""Characters in one value."""
MOST_VALUES = 100
"""Values of one argument that takes several."""


class ArgumentError(ValueError):
    """A value that its argument does not accept."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        """Name of the argument, as tools spell it."""
        self.reason = reason
        super().__init__(f"{option_of(name)} {reason}")


def option_of(name: str) -> str:
    """Return the command-line option for an argument."""
    return "--" + name.replace("_", "-")


class ArgumentKind(StrEnum):
    """The form that a value must have."""

    TOKEN = "token id"  # noqa: S105 - names a kind of id
    CONDITION = "condition id"
    ADDRESS = "address"
    ORDER = "order id"
    NUMBER = "number"
    """A count or a numeric id."""
    TEXT = "text"
    FLAG = "true or false"
    DAY = "date"
    MOMENT = "time"


_PATTERNS: Mapping[ArgumentKind, str] = MappingProxyType(
    {
        ArgumentKind.TOKEN: "[0-9]{1,78}",
        ArgumentKind.CONDITION: "0x[0-9a-fA-F]{64}",
        ArgumentKind.ADDRESS: "0x[0-9a-fA-F]{40}",
        ArgumentKind.ORDER: "0x[0-9a-fA-F]{64}",
        ArgumentKind.NUMBER: "[0-9]{1,15}",
        ArgumentKind.FLAG: "true|false",
    }
)
_EXAMPLES: Mapping[ArgumentKind, str] = MappingProxyType(
    {
        ArgumentKind.TOKEN: "a decimal number, as `markets` lists it",
        ArgumentKind.CONDITION: "0x and 64 hexadecimal digits",
        ArgumentKind.ADDRESS: "0x and 40 hexadecimal digits",
        ArgumentKind.ORDER: "0x and 64 hexadecimal digits",
        ArgumentKind.NUMBER: "a whole number of at most 15 digits, not negative",
        ArgumentKind.TEXT: f"a text of at most {LONGEST_TEXT} characters",
        ArgumentKind.FLAG: "true or false",
        ArgumentKind.DAY: "a date such as 2026-11-20",
        ArgumentKind.MOMENT: "a time such as 2026-11-20T12:00:00Z, or seconds since 1970",
    }
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a read."""

    name: str
    """Its spelling in options and tools, with underscores."""
    kind: ArgumentKind
    words: str
    is_required: bool = False
    is_many: bool = False
    """Whether it takes several values."""
    choices: tuple[str, ...] = ()
    default: str = ""
    default_beside: str = ""
    """Name of the argument that must be given for the default to apply; empty if it always applies."""
    unit: str = ""
    seed_key: str = ""
    """Query key in the seed dialect; the argument's name if empty."""
    live_key: str = ""
    """Query key in the live dialect; the seed's if empty."""
    spellings: tuple[tuple[str, str, str], ...] = ()
    """Choices that the hosts spell differently: ours, the seed's, the public service's."""

    @property
    def option(self) -> str:
        """The command-line option."""
        return option_of(self.name)

    @property
    def takes(self) -> str:
        """The expected form of a value, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return _EXAMPLES[self.kind]

    def key(self, dialect: Dialect) -> str:
        """Return the query key in a dialect."""
        seed = self.seed_key or self.name
        return self.live_key or seed if dialect is Dialect.LIVE else seed

    def spelled(self, text: str, dialect: Dialect) -> str:
        """Return a checked value as a dialect spells it."""
        for ours, seed, live in self.spellings:
            if text == ours:
                return live if dialect is Dialect.LIVE else seed
        return text

    def schema(self) -> dict[str, object]:
        """Return the JSON schema of a value, as used by the tools and the OpenAPI document."""
        single: dict[str, object] = {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_TEXT,
        }
        if self.choices:
            single = {"type": "string", "enum": list(self.choices)}
        elif self.kind is ArgumentKind.NUMBER:
            single = {"type": "integer", "minimum": 0}
        elif self.kind is ArgumentKind.FLAG:
            single = {"type": "boolean"}
        elif self.kind in _PATTERNS:
            single = {"type": "string", "pattern": f"^({_PATTERNS[self.kind]})$"}
        elif self.kind is ArgumentKind.DAY:
            single = {"type": "string", "format": "date"}
        elif self.kind is ArgumentKind.MOMENT:
            single = {"type": "string", "format": "date-time"}
        words = f"{self.words} ({self.unit})" if self.unit else self.words
        if self.is_many:
            return {"type": "array", "items": single, "maxItems": MOST_VALUES, "description": words}
        return {**single, "description": words}

    def check(self, text: str) -> str:
        """Return a value in the form in which it is sent.

        Raises:
            ArgumentError: the value is not of this kind.
        """
        if not text:
            raise ArgumentError(self.name, f"is empty; it takes {self.takes}")
        if not text.isprintable():
            reason = "holds a control character or another one that cannot be printed"
            raise ArgumentError(self.name, reason)
        pattern = _PATTERNS.get(self.kind)
        is_fine = len(text) <= LONGEST_TEXT
        if self.choices:
            is_fine = is_fine and text in self.choices
        elif pattern is not None:
            is_fine = is_fine and re.fullmatch(pattern, text, re.ASCII) is not None
        if not is_fine:
            raise ArgumentError(self.name, f"takes {self.takes}")
        try:
            if self.kind is ArgumentKind.DAY:
                return date.fromisoformat(text).isoformat()
            if self.kind is ArgumentKind.MOMENT:
                return str(int(_moment(text).timestamp()))
        except (ValueError, OverflowError):
            raise ArgumentError(self.name, f"takes {self.takes}") from None
        return text


@dataclass(frozen=True, slots=True)
class Values:
    """The checked values of a read's arguments, by name."""

    by_name: Mapping[str, tuple[str, ...]]

    def text(self, name: str) -> str:
        """Return the first value; empty if there is none."""
        return next(iter(self.by_name.get(name, ())), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values."""
        return self.by_name.get(name, ())

    def flag(self, name: str) -> bool | None:
        """Return a boolean; None if it is not given."""
        text = self.text(name)
        return text == "true" if text else None

    def day(self, name: str) -> date:
        """Return a date that must be given.

        Raises:
            ValueError: no date is given.
        """
        return date.fromisoformat(self.text(name))

    def moment(self, name: str) -> datetime | None:
        """Return a time; None if it is not given."""
        text = self.text(name)
        return _moment(text) if text else None


def check_values(
    arguments: Sequence[Argument], given: Mapping[str, Sequence[str]], *, today: date
) -> Values:
    """Check the values given for a read's arguments, and add the defaults.

    Args:
        arguments: of the read.
        given: texts by argument name; one text may hold several values separated by commas.
        today: used where an argument's default is today's date.

    Raises:
        ArgumentError: an argument is unknown or missing, or does not accept its value.
    """
    known = {argument.name: argument for argument in arguments}
    for name in given:
        if name not in known:
            raise ArgumentError(repr(name[:40]), "is no argument of this read")
    values: dict[str, tuple[str, ...]] = {}
    for name, argument in known.items():
        default = today.isoformat() if argument.default == "today" else argument.default
        if argument.default_beside and argument.default_beside not in given:
            default = ""
        texts = [*given.get(name, ())] or ([default] if default else [])
        if argument.is_many:
            texts = [part.strip() for text in texts for part in text.split(",")]
        if not texts:
            if argument.is_required:
                raise ArgumentError(name, f"is needed: {argument.words}")
            continue
        if len(texts) > (MOST_VALUES if argument.is_many else 1):
            most = f"at most {MOST_VALUES} values" if argument.is_many else "one value"
            raise ArgumentError(name, f"takes {most}")
        values[name] = tuple(argument.check(text) for text in texts)
    checked = Values(MappingProxyType(values))
    _check_span(checked)
    return checked


def _check_span(values: Values) -> None:
    """Refuse a time range that ends before it begins: no host has anything in it."""
    after, before = values.moment("after"), values.moment("before")
    if after is not None and before is not None and after > before:
        raise ArgumentError("after", "is a later time than before")


def _moment(text: str) -> datetime:
    if text.isascii() and text.isdecimal() and len(text) <= 12:
        return datetime.fromtimestamp(int(text), UTC)
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


class ReadHost(StrEnum):
    """The host that answers a read, in the order of lists."""

    TRADING = "trading host"
    METADATA = "metadata host"
    ANALYTICS = "analytics host"
    RELAYER = "relayer"
    GEOGRAPHIC = "geographic check"


class Needs(StrEnum):
    """The credentials that a host requires."""

    NOTHING = "public"
    KEY = "key"
    """The profile's key: the answer is about its account."""
    RELAYER_KEY = "relayer key"
    """The relayer key that `pmtui account` keeps for the profile."""


class Stream(StrEnum):
    """The stream that reports changes to an answer."""

    MARKET = "market stream"
    ACCOUNT = "account stream"


LIMIT = Argument("limit", ArgumentKind.NUMBER, "most rows to return", unit="rows")
WATCH_LIMIT = Argument(
    LIMIT.name, ArgumentKind.NUMBER, "with --watch: answers after which it ends", unit="answers"
)


@dataclass(frozen=True, slots=True)
class Read:
    """One read. If both dialects use the same route, `live` is empty."""

    name: str
    words: str
    """One sentence without a full stop."""
    host: ReadHost
    answer: object
    """The type of the answer, or of one row of a list."""
    seed: Route
    live: Route | None = None
    arguments: tuple[Argument, ...] = ()
    is_list: bool = False
    needs: Needs = Needs.NOTHING
    stream: Stream | None = None
    """The stream that follows it; None if no stream reports it."""
    unstreamed: tuple[str, ...] = ()
    """Names of arguments that the stream does not support."""
    decode: Callable[[bytes], object] | None = None
    """Decodes the answer of a route that needs no special client code."""

    def route(self, dialect: Dialect) -> Route:
        """Return the route in a dialect."""
        return self.seed if self.live is None or dialect is Dialect.SEED else self.live

    @property
    def is_watchable(self) -> bool:
        """Whether it can be followed as a stream."""
        return self.stream is not None

    @property
    def asked(self) -> tuple[Argument, ...]:
        """The arguments, plus the limit on rows of a list or on messages of a stream."""
        if self.is_list:
            return (*self.arguments, LIMIT)
        return (*self.arguments, WATCH_LIMIT) if self.is_watchable else self.arguments


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
    """Return a read of a list, whose paging is given by its routes."""
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
    """Return a read of a single object, by the labels of its routes."""
    return Read(
        name, words, host, answer, Route(seed),
        live=Route(live) if live else None, arguments=arguments, decode=decode,
    )  # fmt: skip


def naming_argument(read: Read) -> Argument | None:
    """Return the argument whose values each have a row of their own; None if there is none."""
    named = (argument for argument in read.arguments if argument.is_many and argument.is_required)
    return next((each for each in named if each.name in fields_of(read.answer)), None)


def find_unanswered(read: Read, values: Values, items: Iterable[object]) -> tuple[str, ...]:
    """Return the values without a row, in the order in which they were given."""
    argument = naming_argument(read)
    if argument is None:
        return ()
    answered = {str(getattr(item, argument.name)).lower() for item in items}
    return tuple(text for text in values.texts(argument.name) if text.lower() not in answered)
