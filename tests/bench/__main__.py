"""`python -m tests.bench [MODULE …]`: measures, prints a table, and writes `bench.json`.

Every module of this package with a `rows()` takes part. Each row sets our figure beside a
reference from the same run, because absolute times differ from machine to machine.
"""

import json
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import tests.bench

RESULT = Path("bench.json")
USAGE_ERROR = 2


def main(arguments: list[str]) -> int:
    """Run the named modules, or all; returns the exit code."""
    found = dict(_modules())
    unknown = [name for name in arguments if name not in found]
    if unknown:
        print(f"no such bench: {unknown[0]}; there is {', '.join(found)}", file=sys.stderr)
        return USAGE_ERROR
    table: list[Mapping[str, Any]] = []
    print(f"{'':<72} {'ours':>10} {'reference':>10} {'ratio':>8}  goal")
    for name in arguments or found:
        print(f"-- {name}", flush=True)
        for row in found[name]():
            print(_line(row), flush=True)
            table.append(row)
    RESULT.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    judged = [row for row in table if row["met"] is not None]
    print(f"{sum(bool(row['met']) for row in judged)} of {len(judged)} goals met; see {RESULT}")
    return 0


def _modules() -> list[tuple[str, Callable[[], Iterable[Mapping[str, Any]]]]]:
    found = []
    for info in pkgutil.iter_modules(tests.bench.__path__):
        if not info.name.startswith("_"):
            rows = getattr(import_module(f"tests.bench.{info.name}"), "rows", None)
            if rows is not None:
                found.append((info.name, rows))
    return found


def _line(row: Mapping[str, Any]) -> str:
    verdict = {True: "met", False: "MISSED", None: ""}[row["met"]]
    figures = f"{_figure(row['ours'])} {_figure(row['reference'])} {_figure(row['ratio'], width=8)}"
    return f"{row['name']:<72} {figures}  {row['goal']} {verdict}".rstrip()


def _figure(value: float | None, *, width: int = 10) -> str:
    if value is None:
        return " " * width
    decimals = 0 if abs(value) >= 1_000 else 1 if abs(value) >= 100 else 2
    return f"{value:>{width},.{decimals}f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
