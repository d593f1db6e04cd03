"""`pmtui export orders`: every order of a profile's journal with its whole life, as CSV or JSON.

It reads beside a running terminal and writes nothing. Signed bodies stay in the journal.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TextIO

from pmtui.config.errors import ConfigError
from pmtui.config.paths import locate
from pmtui.config.settings import load_settings
from pmtui.domain.money import format_micros
from pmtui.service.journal_rows import JournalProblem, OrderLife, read_lives

USAGE_ERROR = 2


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        settings = load_settings({"profile": asked.profile})
    except ConfigError as error:
        return _refuse(str(error))
    lives = read_lives(locate().state / settings.profile / "journal.sqlite")
    if isinstance(lives, JournalProblem):
        return _refuse(f"the journal cannot be read: {lives.text}")
    if asked.format == "json":
        write_json(lives, sys.stdout)
    else:
        write_csv(lives, sys.stdout)
    return 0


def write_json(lives: Iterable[OrderLife], out: TextIO) -> None:
    """Write a list of orders, each with its life."""
    orders = [
        {
            **_facts(life),
            "life": [{"at": e.at, "kind": e.kind, "text": e.text} for e in life.entries],
        }
        for life in lives
    ]
    json.dump(orders, out, ensure_ascii=False, indent=1)
    out.write("\n")


def write_csv(lives: Iterable[OrderLife], out: TextIO) -> None:
    """Write a row for every line of every order's life."""
    writer: csv.DictWriter[str] | None = None
    for life in lives:
        for entry in life.entries:
            row = {**_facts(life), "at": entry.at, "kind": entry.kind, "text": entry.text}
            if writer is None:
                writer = csv.DictWriter(out, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow({name: _harmless(value) for name, value in row.items()})


def _facts(life: OrderLife) -> dict[str, str]:
    order = life.order.order
    return {
        "order_id": order.order_id,
        "created_at": order.created_at.isoformat(),
        "market": life.order.title,
        "condition_id": order.condition_id,
        "token_id": order.token_id,
        "outcome": order.outcome,
        "side": order.side.value,
        "price": format_micros(order.price),
        "size": format_micros(order.original_size),
        "time_in_force": order.time_in_force.value,
        "expires_at": _text(order.expires_at),
        "state": life.order.state or "open",
    }


def _text(at: datetime | None) -> str:
    return "" if at is None else at.isoformat()


def _harmless(value: str) -> str:
    # Titles and reasons are the venue's words; a spreadsheet would run what looks like a formula.
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _refuse(text: str) -> int:
    print(f"pmtui: {text}", file=sys.stderr)
    return USAGE_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pmtui export", description="Print what a profile's journal knows."
    )
    parser.add_argument("kind", choices=["orders"], help="orders: each with its whole life")
    parser.add_argument("--format", choices=["csv", "json"], default="csv")
    parser.add_argument("--profile", help="as for the terminal; paper unless told otherwise")
    return parser
