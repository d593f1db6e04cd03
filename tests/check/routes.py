"""`python -m tests.check routes`: who asks, answers and tests each route of the trading host.

The rows are those of the seed dialect and of the public service. Client methods are found by reading the
clients' source: a method asks a row of the table where it, or something of its module that it uses,
names the row. `--write` puts the table into `pmtui/docs/routes.md`.
"""

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pmtui.clients
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES, ClobRoutes, RouteName
from tests.check.route_proof import Proof, VenueTable, proofs

CLIENTS = Path(pmtui.clients.__file__).parent
DOCUMENT = CLIENTS.parent / "docs/routes.md"
BEGIN, END = "<!-- begin of the generated table -->", "<!-- end of the generated table -->"

SEED_ROWS: tuple[tuple[str, str], ...] = (
    ("GET", "/"),
    ("GET", "/time"),
    ("GET", "/markets"),
    ("GET", "/clob-markets/{condition_id}"),
    ("GET", "/simplified-markets"),
    ("GET", "/sampling-markets"),
    ("GET", "/sampling-simplified-markets"),
    ("GET", "/book"),
    ("POST", "/books"),
    ("GET", "/markets-by-token/{token_id}"),
    ("GET", "/price"),
    ("POST", "/prices"),
    ("GET", "/midpoint"),
    ("POST", "/midpoints"),
    ("GET", "/spread"),
    ("GET", "/tick-size"),
    ("GET", "/neg-risk"),
    ("GET", "/fee-rate"),
    ("GET", "/last-trade-price"),
    ("POST", "/last-trades-prices"),
    ("GET", "/prices-history"),
    ("GET", "/orders/scoring"),
    ("POST", "/orders/scoring"),
    ("GET", "/rewards/config"),
    ("GET", "/rewards/raw"),
    ("GET", "/rewards/earnings"),
    ("GET", "/rewards/total-earnings"),
    ("GET", "/rewards/percentages"),
    ("GET", "/rewards/markets"),
    ("GET", "/rebates"),
    ("POST", "/auth/api-key"),
    ("GET", "/auth/derive-api-key"),
    ("POST", "/auth/builder-api-key"),
    ("GET", "/auth/builder-api-keys"),
    ("DELETE", "/auth/builder-api-key/{key}"),
    ("GET", "/balance-allowance"),
    ("GET", "/balance-allowance/update"),
    ("POST", "/order"),
    ("POST", "/orders"),
    ("POST", "/v1/heartbeats"),
    ("GET", "/order/{id}"),
    ("GET", "/data/orders"),
    ("GET", "/data/trades"),
    ("DELETE", "/order"),
    ("DELETE", "/orders"),
    ("DELETE", "/cancel-market-orders"),
    ("DELETE", "/cancel-all"),
)
"""Method and path of every row of the seed dialect, in its order."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    seed: str
    """Method and path as the seed has them; empty for what only the public service has."""
    live: str
    auth: str
    methods: tuple[str, ...]
    handlers: tuple[str, ...]
    """Of the venue; empty where it does not answer the row in every dialect."""
    tests: tuple[Proof, ...]

    @property
    def is_whole(self) -> bool:
        """Whether somebody asks, somebody answers, and a test watches."""
        return bool(self.methods and self.handlers and self.tests)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("routes", help="routes of the trading host and who asks them")
    parser.add_argument("--write", action="store_true", help=f"bring {DOCUMENT.name} up to date")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    venue = VenueTable()
    table = rows(venue)
    text = to_markdown(table, venue.unasked())
    if args.write:
        DOCUMENT.write_text(with_section(DOCUMENT.read_text(), text))
    else:
        print(text)
    return 0 if all(row.is_whole for row in table) else 1


def rows(venue: VenueTable) -> tuple[Row, ...]:
    """Return the rows of the seed in its order, then those of the public service alone."""
    askers, tests = methods_by_call(), proofs(venue)
    known = {call_of(SEED_ROUTES, method, path): f"{method} {path}" for method, path in SEED_ROWS}
    calls = [*known, *(call for call in RouteName if call not in known)]
    return tuple(
        Row(
            known.get(call, ""),
            *_said(call),
            methods=tuple(sorted(askers.get(call, ()))),
            handlers=tuple(dict.fromkeys(answer.handler for answer in venue.of_call(call))),
            tests=tuple(tests[call]),
        )
        for call in calls
    )


def _said(call: RouteName) -> tuple[str, str]:
    seed, live = SEED_ROUTES.route(call), LIVE_ROUTES.route(call)
    auth = dict.fromkeys((seed.auth.value, live.auth.value))
    return live.label, " / ".join(auth)


def call_of(routes: ClobRoutes, method: str, path: str) -> RouteName:
    """Return what a route is for; `{id}` stands for any name in braces.

    Raises:
        KeyError: no row of the table has it.
    """
    start, brace, _ = path.partition("{")
    plain = start + "{id}" if brace else path
    for call, route in routes.rows.items():
        if (route.method, route.path) == (method, plain):
            return call
    raise KeyError(f"{method} {path}")


def methods_by_call() -> dict[RouteName, set[str]]:
    """Return the public methods and functions of the clients that ask each row."""
    found: dict[RouteName, set[str]] = defaultdict(set)
    for path in sorted(CLIENTS.rglob("*.py")):
        tree = ast.parse(path.read_text())
        parts = dict(_parts(tree))
        for name, node in parts.items():
            if not _asks(name, node):
                continue
            for call in _calls(name, parts, frozenset()):
                found[call].add(name)
    return found


def _asks(name: str, node: ast.AST) -> bool:
    """Whether it is something a caller uses to ask: a public method, or a public coroutine."""
    owner, _, plain = name.rpartition(".")
    is_method = bool(owner) and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return not plain.startswith("_") and (is_method or isinstance(node, ast.AsyncFunctionDef))


def _parts(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a module defines: functions, methods as `Class.method`, and constants."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{node.name}.{inner.name}", inner
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def _calls(name: str, parts: dict[str, ast.AST], met: frozenset[str]) -> set[RouteName]:
    found: set[RouteName] = set()
    owner = name.rpartition(".")[0]
    for node in ast.walk(parts[name]):
        used = ""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "RouteName":
                found.add(RouteName[node.attr])
            elif node.value.id == "self":
                used = f"{owner}.{node.attr}"
        elif isinstance(node, ast.Name):
            used = node.id
        if used in parts and used not in met:
            found |= _calls(used, parts, met | {name})
    return found


def to_markdown(table: tuple[Row, ...], unasked: tuple[str, ...]) -> str:
    """Write the table, the tests it names by number, and what the venue answers beyond it."""
    numbers = {test: n for n, test in enumerate(_tests(table), start=1)}
    lines = [
        "| Seed | Public service | Credentials | Client | Venue | Tests |",
        "|---|---|---|---|---|---|",
    ]
    for row in table:
        cells = (
            f"`{row.seed}`" if row.seed else "—",
            "same" if row.live == _plain(row.seed) else f"`{row.live}`",
            row.auth,
            ", ".join(f"`{name}`" for name in row.methods),
            ", ".join(f"`{name}`" for name in row.handlers),
            ", ".join(_cite(proof, numbers[proof.test]) for proof in row.tests),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Tests, by their numbers in the table:", ""]
    lines += [f"{number}. `{test}`" for test, number in numbers.items()]
    lines += ["", "The venue also answers what no method of the clients asks:", ""]
    lines += [f"- `{label}`" for label in unasked]
    return "\n".join(lines)


def with_section(document: str, text: str) -> str:
    """Return a document with its generated part renewed.

    Raises:
        ValueError: a marker is missing.
    """
    head, begin, rest = document.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}"


def _tests(table: tuple[Row, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(proof.test for row in table for proof in row.tests))


def _cite(proof: Proof, number: int) -> str:
    return f"{number} `{proof.case}`" if proof.case else str(number)


def _plain(label: str) -> str:
    start, brace, _ = label.partition("{")
    return start + "{id}" if brace else label
