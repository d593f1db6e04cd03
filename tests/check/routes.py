"""`python -m tests.check routes`: which client method asks each route of SEED §4.1, as Markdown.

The methods are found by reading the clients' source: a method asks a row of the table where it, or
something of its module that it uses, names the row.
"""

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pmtui.clients
from pmtui.clients.routes_clob import LIVE_ROUTES, SEED_ROUTES, Call, ClobRoutes

CLIENTS = Path(pmtui.clients.__file__).parent

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
"""Method and path of every row of SEED §4.1, in its order."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    seed: str
    """Method and path as the seed has them; empty for what only the public service has."""
    live: str
    auth: str
    methods: tuple[str, ...]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("routes", help="routes of the trading host and who asks them")
    parser.set_defaults(run=run)


def run(_args: argparse.Namespace) -> int:
    table = rows()
    print(to_markdown(table))
    return 0 if all(row.methods for row in table) else 1


def rows() -> tuple[Row, ...]:
    """Return the rows of the seed in its order, then those of the public service alone."""
    askers = methods_by_call()
    known = {call_of(SEED_ROUTES, method, path): f"{method} {path}" for method, path in SEED_ROWS}
    calls = [*known, *(call for call in Call if call not in known)]
    return tuple(
        Row(known.get(call, ""), *_said(call), tuple(sorted(askers.get(call, ()))))
        for call in calls
    )


def _said(call: Call) -> tuple[str, str]:
    seed, live = SEED_ROUTES.route(call), LIVE_ROUTES.route(call)
    auth = dict.fromkeys((seed.auth.value, live.auth.value))
    return live.label, " / ".join(auth)


def call_of(routes: ClobRoutes, method: str, path: str) -> Call:
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


def methods_by_call() -> dict[Call, set[str]]:
    """Return the public methods and functions of the clients that ask each row."""
    found: dict[Call, set[str]] = defaultdict(set)
    for path in sorted(CLIENTS.glob("*.py")):
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


def _calls(name: str, parts: dict[str, ast.AST], met: frozenset[str]) -> set[Call]:
    found: set[Call] = set()
    owner = name.rpartition(".")[0]
    for node in ast.walk(parts[name]):
        used = ""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "Call":
                found.add(Call[node.attr])
            elif node.value.id == "self":
                used = f"{owner}.{node.attr}"
        elif isinstance(node, ast.Name):
            used = node.id
        if used in parts and used not in met:
            found |= _calls(used, parts, met | {name})
    return found


def to_markdown(table: tuple[Row, ...]) -> str:
    """Write the table."""
    lines = ["| Seed | Public service | Credentials | Client |", "|---|---|---|---|"]
    for row in table:
        live = "same" if row.live == _plain(row.seed) else f"`{row.live}`"
        methods = ", ".join(f"`{name}`" for name in row.methods)
        seed = f"`{row.seed}`" if row.seed else "—"
        lines.append(f"| {seed} | {live} | {row.auth} | {methods} |")
    return "\n".join(lines)


def _plain(label: str) -> str:
    start, brace, _ = label.partition("{")
    return start + "{id}" if brace else label
