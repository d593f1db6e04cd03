import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.cli.tables import Cell, Format, Table, to_csv, write_table
from pmtui.cli.usage import UNAVAILABLE

# Enough to fill a pipe, so that the writer meets its closed end.
MANY = """
import sys
from pmtui.cli.tables import Format, Table, print_table
rows = [{"a": "x" * 1000}] * 1000
sys.exit(print_table(Table.flat(("a",), rows), Format(sys.argv[1])))
"""


def written(rows: list[dict[str, Cell]], form: Format) -> str:
    out = io.StringIO()
    write_table(Table.flat(tuple(rows[0]) if rows else ("a",), rows), form, out)
    return out.getvalue()


@pytest.mark.parametrize(
    "title",
    [
        "=1+1",
        "+1",
        "-x",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "＝1",
        "-1-1",
        "=1.5",
        "+1.5",
        "\u200e=1",
        "\x00=1",
        "\ufeff@x",
        "\u202e-1+1",
        "'=1",
    ],
)
def test_no_spreadsheet_takes_a_title_for_a_formula(title: str) -> None:
    assert to_csv(title).startswith("'")


@given(st.text())
def test_a_cell_that_is_no_number_never_begins_like_a_formula(text: str) -> None:
    cell = to_csv(text)
    is_number = text.removeprefix("-").replace(".", "", 1).isdecimal() and text.isascii()
    assert is_number or not cell.lstrip(" \ufffd").startswith(("=", "+", "-", "@"))
    assert cell.isprintable()


@pytest.mark.parametrize("amount", ["0", "-1.5", "0.000001", "71321045679252212594626385532"])
def test_amounts_stay_numbers(amount: str) -> None:
    assert to_csv(amount) == amount


def test_csv_quotes_what_would_break_a_row() -> None:
    rows: list[dict[str, Cell]] = [{"a": 'say "no", or\nyes', "b": None, "c": True, "d": False}]
    assert list(csv.reader(io.StringIO(written(rows, Format.CSV)))) == [
        ["a", "b", "c", "d"],
        ['say "no", or yes', "", "true", "false"],
    ]


def test_a_table_without_rows_has_its_header() -> None:
    assert written([], Format.CSV) == "a\n"
    assert json.loads(written([], Format.JSON)) == []
    assert written([], Format.JSON_LINES) == ""


@given(st.lists(st.text(), max_size=3))
def test_json_says_exactly_what_was_said_and_steers_no_terminal(texts: list[str]) -> None:
    rows: list[dict[str, Cell]] = [{"a": text} for text in texts]
    whole, lines = written(rows, Format.JSON), written(rows, Format.JSON_LINES)
    assert json.loads(whole) == rows
    assert [json.loads(line) for line in lines.split("\n")[:-1]] == rows
    assert (whole + lines).replace("\n", "").isprintable()


@pytest.mark.parametrize("form", list(Format))
def test_a_reader_who_leaves_is_no_error(form: Format) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", MANY, form], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", MANY, "csv"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == UNAVAILABLE
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_the_bytes_do_not_depend_on_the_locale() -> None:
    program = MANY.replace('"x" * 1000', '"café"').replace("* 1000", "")
    done = subprocess.run(
        [sys.executable, "-c", program, "csv"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout.decode() == "a\ncafé\n"
