"""Exports as tables: CSV without formulas that a spreadsheet would run, JSON and JSON lines.

Times are in UTC, amounts are exact decimals. Titles and reasons are untrusted: in CSV, a cell that a
spreadsheet would treat as a formula is prefixed with an apostrophe, and terminal control characters are
replaced.
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from enum import StrEnum
from typing import TextIO

from pmtui.cli.output import REPLACEMENT, discard_output, printable, utf8_output
from pmtui.cli.usage import UNAVAILABLE, refuse
from pmtui.domain.account.position import Activity, Position
from pmtui.domain.money import SCALE, Micros, format_micros
from pmtui.domain.orders.order import Fill
from pmtui.service.journal.journal_rows import OrderLife

ORDERS = (
    "order_id", "created_at", "market", "condition_id", "token_id", "outcome", "side", "price",
    "size", "time_in_force", "expires_at", "state",
)  # fmt: skip
LIFE = ("at", "kind", "text")
FILLS = (
    "matched_at", "trade_id", "order_id", "market", "condition_id", "token_id", "outcome", "side",
    "price", "size", "cash", "fee", "liquidity", "status", "transaction_hash", "source",
)  # fmt: skip
POSITIONS = (
    "as_of", "market", "outcome", "size", "average_price", "cost", "current_price", "value",
    "unrealized", "realized", "is_redeemable", "is_mergeable", "end_date", "condition_id",
    "token_id",
)  # fmt: skip
ACTIVITY = (
    "at", "kind", "market", "outcome", "side", "price", "size", "cash", "condition_id", "token_id",
    "transaction_hash",
)  # fmt: skip
Cell = str | bool | None
Record = Mapping[str, object]
"""For JSON: cells, and lists of records."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


class Format(StrEnum):
    """The format of a table."""

    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"


@dataclass(frozen=True, slots=True)
class Table:
    """Exported data: the same facts as rows of cells and as records."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Cell]]
    records: Sequence[Record]

    @classmethod
    def flat(cls, columns: Sequence[str], rows: Sequence[Mapping[str, Cell]]) -> "Table":
        """Return a table whose records are its rows."""
        return cls(columns, rows, rows)


@dataclass(frozen=True, slots=True)
class ExportedFill:
    """A fill and its source."""

    fill: Fill
    title: str
    source: str
    """One of `journal`, `venue` or `both`."""


def orders_table(lives: Sequence[OrderLife]) -> Table:
    """Return orders: in JSON each with its entries, in CSV a row for every entry."""
    rows: list[Mapping[str, Cell]] = []
    records: list[Mapping[str, object]] = []
    for life in lives:
        facts = _order_facts(life)
        lines = [{"at": _utc(e.at), "kind": e.kind, "text": e.text} for e in life.entries]
        rows.extend({**facts, **line} for line in lines)
        records.append({**facts, "life": lines})
    return Table((*ORDERS, *LIFE), rows, records)


def fills_table(fills: Sequence[ExportedFill]) -> Table:
    """Return fills in the given order."""
    return Table.flat(FILLS, [_fill_row(each) for each in fills])


def positions_table(positions: Sequence[Position], *, as_of: datetime) -> Table:
    """Return a wallet's positions at the time of the query."""
    return Table.flat(POSITIONS, [_position_row(each, as_of) for each in positions])


def activity_table(activity: Sequence[Activity]) -> Table:
    """Return a wallet's public history in the given order."""
    return Table.flat(ACTIVITY, [_activity_row(each) for each in activity])


def _order_facts(life: OrderLife) -> dict[str, Cell]:
    order = life.order.order
    return {
        "order_id": order.order_id,
        "created_at": _time(order.created_at),
        "market": life.order.title,
        "condition_id": order.condition_id,
        "token_id": order.token_id,
        "outcome": order.outcome,
        "side": order.side.value,
        "price": format_micros(order.price),
        "size": format_micros(order.original_size),
        "time_in_force": order.time_in_force.value,
        "expires_at": None if order.expires_at is None else _time(order.expires_at),
        "state": life.order.state or "open",
    }


def _fill_row(each: ExportedFill) -> dict[str, Cell]:
    fill = each.fill
    return {
        "matched_at": _time(fill.matched_at),
        "trade_id": fill.trade_id,
        "order_id": fill.order_id,
        "market": each.title,
        "condition_id": fill.condition_id,
        "token_id": fill.token_id,
        "outcome": fill.outcome,
        "side": fill.side.value,
        "price": format_micros(fill.price),
        "size": format_micros(fill.size),
        "cash": _product(fill.price, fill.size),
        "fee": "" if fill.fee is None else format_micros(fill.fee),
        "liquidity": fill.liquidity.value,
        "status": fill.status.value,
        "transaction_hash": fill.transaction_hash,
        "source": each.source,
    }


def _position_row(held: Position, as_of: datetime) -> dict[str, Cell]:
    return {
        "as_of": _time(as_of),
        "market": held.title,
        "outcome": held.outcome,
        "size": format_micros(held.size),
        "average_price": format_micros(held.average_price),
        "cost": _product(held.average_price, held.size),
        "current_price": _amount(held.current_price),
        "value": _product(held.current_price, held.size),
        "unrealized": None
        if held.current_price is None
        else _product(Micros(held.current_price - held.average_price), held.size),
        "realized": format_micros(held.realized),
        "is_redeemable": held.is_redeemable,
        "is_mergeable": held.is_mergeable,
        "end_date": held.end_date,
        "condition_id": held.condition_id,
        "token_id": held.token_id,
    }


def _activity_row(line: Activity) -> dict[str, Cell]:
    return {
        "at": _time(line.at),
        "kind": line.kind,
        "market": line.title,
        "outcome": line.outcome,
        "side": line.side,
        "price": _amount(line.price),
        "size": _amount(line.size),
        "cash": _amount(line.cash),
        "condition_id": line.condition_id,
        "token_id": line.token_id,
        "transaction_hash": line.transaction_hash,
    }


def _amount(amount: Micros | None) -> str | None:
    return None if amount is None else format_micros(amount)


def _product(price: Micros | None, size: Micros) -> str | None:
    """Return price times size exactly, without rounding."""
    if price is None:
        return None
    with localcontext() as context:
        context.prec = 60
        product = Decimal(price * size) / Decimal(SCALE * SCALE)
        text = f"{product:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _utc(text: str) -> str:
    return _time(datetime.fromisoformat(text))


def print_table(table: Table, form: Format) -> int:
    """Write a table to standard output; return the exit code."""
    out = utf8_output()
    try:
        write_table(table, form, out)
        out.flush()
    except BrokenPipeError:
        # The reader closed the pipe; there is nobody left to report an error to.
        discard_output()
        return 0
    except OSError as error:
        discard_output()
        return refuse(f"the output cannot be written: {error.strerror}", code=UNAVAILABLE)
    return 0


def write_table(table: Table, form: Format, out: TextIO) -> None:
    """Write a table.

    Raises:
        OSError: the output cannot be written.
    """
    match form:
        case Format.CSV:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(table.columns)
            for row in table.rows:
                writer.writerow([to_csv(row[column]) for column in table.columns])
        case Format.JSON:
            for number, record in enumerate(table.records):
                out.write((",\n" if number else "[\n") + to_json(record))
            out.write("\n]\n" if table.records else "[]\n")
        case Format.JSON_LINES:
            for record in table.records:
                out.write(to_json(record) + "\n")


def to_csv(cell: Cell) -> str:
    """Return a cell's text in a form that no spreadsheet or terminal acts on: one line, no formula."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if _NUMBER.fullmatch(cell):
        return cell
    text = printable(cell)
    # Replaced characters are ignored: a spreadsheet may drop them.
    is_formula = text.lstrip(f" '{REPLACEMENT}").startswith(_FORMULA_STARTS)
    return f"'{text}" if is_formula else text


def to_json(record: Record) -> str:
    """Return a record as JSON in one line, without terminal control characters."""
    text = json.dumps(record, ensure_ascii=False)
    if text.isprintable():
        return text
    # They only occur in strings, where the escaped form means the same.
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
