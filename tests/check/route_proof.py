"""Where the local venue answers a route, and which tests ask it: read off the code that does it.

The venue's part is its own table of routes, asked which of them takes a request. The tests are
those that run once for each row (or for each story of several rows), and the walk that checks
who is let in; a test that only happens to ask a route is not counted.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from types import ModuleType

from starlette.applications import Starlette
from starlette.routing import Match, Route

from pmtui.config.endpoints import Dialect
from pmtui.reads.trading_routes import ROUTES, RouteName
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.server import applications
from pmtui.sim.storage.persistence import Store
from pmtui.sim.subsystems import Subsystems
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock

_START_MS = 1_790_000_000_000
_BY_ROW = "tests.clients.test_every_route"
_BY_STORY = "tests.sim.hosts.test_every_row"
_BY_AUDIENCE = "tests.sim.hosts.test_dialects"
_AUDIENCE_TEST = "test_every_route_is_there_for_whom_it_is_meant"
_WRAPPED = ("handler", "inner", "answer")
"""What a wrapper in the venue's tables calls the function that it wraps."""


@dataclass(frozen=True)
class Proof:
    """A test that asks a row."""

    test: str
    """File and function."""
    case: str
    """Which of its cases, as pytest names it; empty where one case asks every row."""


@dataclass(frozen=True)
class Answer:
    """A route of the venue."""

    method: str
    path: str
    handler: str
    """Class and method."""


class VenueTable:
    """The routes of the venue's trading host."""

    def __init__(self) -> None:
        clock = ManualClock(_START_MS)
        with closing(Store(None)) as store:
            venue = Venue(load_packaged(clock.now()), clock=clock, store=store, seed=1, speed=0)
            application = applications(venue, Subsystems(venue))["clob"]
        if not isinstance(application, Starlette):
            raise TypeError("the trading host is no table of routes any more")
        self._routes = [route for route in application.routes if isinstance(route, Route)]

    def find(self, method: str, path: str) -> Answer | None:
        """Return what takes a request; a query in the path is left out."""
        plain = path.partition("?")[0].replace("{id}", "0x1")
        scope = {"type": "http", "method": method, "path": plain}
        for route in self._routes:
            if route.matches(scope)[0] is Match.FULL:
                return Answer(method, route.path, handler_name(route.endpoint))
        return None

    def of_call(self, call: RouteName) -> tuple[Answer, ...]:
        """Return what answers a row in each dialect; nothing where one of them has no answer."""
        rows = dict.fromkeys(routes.route(call) for routes in ROUTES.values())
        found = [self.find(row.method, row.path) for row in rows]
        answers = tuple(answer for answer in found if answer is not None)
        return tuple(dict.fromkeys(answers)) if len(answers) == len(found) else ()

    def unasked(self) -> tuple[str, ...]:
        """Return what the venue answers beyond both dialects."""
        asked = {(one.method, one.path) for call in RouteName for one in self.of_call(call)}
        return tuple(
            f"{method} {route.path}"
            for route in self._routes
            for method in sorted((route.methods or set()) - {"HEAD"})
            if (method, route.path) not in asked
        )


def handler_name(endpoint: Callable[..., object]) -> str:
    """Return class and method that answer, beneath whatever wraps them."""
    for name, cell in zip(
        getattr(getattr(endpoint, "__code__", None), "co_freevars", ()),
        getattr(endpoint, "__closure__", None) or (),
        strict=True,
    ):
        if name in _WRAPPED and callable(cell.cell_contents):
            return handler_name(cell.cell_contents)
    return getattr(endpoint, "__qualname__", repr(endpoint)).partition(".<locals>")[0]


def proofs(table: VenueTable) -> dict[RouteName, list[Proof]]:
    """Return the tests of every row."""
    by_row, by_story = importlib.import_module(_BY_ROW), importlib.import_module(_BY_STORY)
    found: dict[RouteName, list[Proof]] = {call: [] for call in RouteName}
    for test, call in _cases(by_row, "call"):
        if isinstance(call, RouteName):
            found[call].append(Proof(test, call.value))
    for test, story in _cases(by_story, "story"):
        for call in by_story.STORIES[story][0]:
            found[call].append(Proof(test, str(story)))
    audience = _audience(importlib.import_module(_BY_AUDIENCE), table)
    for call, tests in found.items():
        answers = table.of_call(call)
        if answers and audience.issuperset(answers):
            tests.append(Proof(_place(_BY_AUDIENCE, _AUDIENCE_TEST), ""))
    return found


def _audience(module: ModuleType, table: VenueTable) -> set[Answer]:
    getattr(module, _AUDIENCE_TEST)  # A walk that is gone proves nothing.
    asked = map(module.rows_of, Dialect)
    lists: Iterable[tuple[str, str, str]] = chain(module.UNASKED, module.KNOWN, *asked)
    found = (table.find(method, path) for method, path, _ in lists)
    return {answer for answer in found if answer is not None}


def _cases(module: ModuleType, argument: str) -> Iterator[tuple[str, object]]:
    """Yield the tests of a module that run once for each value of an argument, and the values."""
    for name, test in vars(module).items():
        if not name.startswith("test_"):
            continue
        for mark in getattr(test, "pytestmark", ()):
            if mark.name == "parametrize" and mark.args[0] == argument:
                values: Iterable[object] | Mapping[object, object] = mark.args[1]
                for value in values:
                    yield _place(module.__name__, name), value


def _place(module: str, test: str) -> str:
    return f"{module.replace('.', '/')}.py::{test}"
