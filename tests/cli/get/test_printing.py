import os
import pty
import struct
import termios
from dataclasses import replace
from fcntl import ioctl

import pytest

from pmtui.cli.get.printing import MARK, Format, Printer, Table, cells_of, lay_out
from pmtui.domain.ids import TokenId
from pmtui.reads.records import ranked, summary
from pmtui.reads.registry import READS
from tests.agent.ports import BOOK

NAMES = ("question", "best_bid", "end_at", "condition_id")
RANKS = ("question", "best_bid", "condition_id", "end_at")
CONDITION = "0x" + "ab" * 32
QUESTION = "Will the Civic Union win the most seats in the parliament of Latvia?"
ROWS = [(QUESTION, "0.026", "2027-02-05T18:00:00Z", CONDITION)]


def table(width: int | None, *, is_chosen: bool = False) -> Table:
    return lay_out(NAMES, ROWS, width=width, ranks=RANKS, is_chosen=is_chosen)


def test_with_room_everything_is_whole_and_in_its_order() -> None:
    for width in (None, 200):
        whole = table(width)
        assert [line.split("  ")[0] for line in whole.lines][1] == QUESTION
        assert whole.lines[0].split() == list(NAMES)
        assert whole.lines[1].endswith(CONDITION)
        assert (whole.left_out, whole.shortened) == ((), ())


def test_an_id_loses_its_middle_and_words_end_between_two_of_them() -> None:
    narrow = table(80)
    assert narrow.shortened == ("condition_id",)
    head, _, tail = narrow.lines[1].split()[-1].partition(MARK)
    assert CONDITION.startswith(head)
    assert CONDITION.endswith(tail)
    shown = narrow.lines[1].partition(MARK)[0]
    assert QUESTION.startswith(f"{shown} ")
    assert all(len(line) <= 80 for line in narrow.lines)


@pytest.mark.parametrize("width", [20, 40, 50, 60, 80, 100, 120, 150])
def test_numbers_and_times_are_whole_or_left_out_and_no_line_is_too_long(width: int) -> None:
    fitted = table(width)
    assert all(len(line) <= width for line in fitted.lines)
    for name, cell in zip(NAMES[1:3], ROWS[0][1:3], strict=True):
        assert (cell in fitted.lines[1].split()) == (name not in fitted.left_out)
    assert set(fitted.left_out).isdisjoint(fitted.lines[0].split())


def test_the_least_important_goes_first() -> None:
    assert table(60).left_out == ("end_at",)
    assert table(46).left_out == ("end_at", "condition_id")
    assert table(34).left_out == ("best_bid", "end_at", "condition_id")


def test_columns_that_were_asked_for_are_never_left_out() -> None:
    assert table(30, is_chosen=True).left_out == ()


def test_a_long_word_is_cut_where_it_must_be() -> None:
    laid = lay_out(("text",), [("x" * 50 + " y",)], width=32, ranks=("text",))
    assert laid.lines[1] == "x" * 31 + MARK


def test_ranks_name_columns_that_a_table_has() -> None:
    for read in READS.values():
        columns = summary(read.answer, is_list=read.is_list)
        assert sorted(ranked(read.answer, columns)) == sorted(columns)


def test_a_table_fits_the_terminal_that_it_is_printed_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = replace(BOOK, token_id=TokenId("7" * 78), asks=BOOK.asks[:3])
    parent, child = pty.openpty()
    ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with os.fdopen(child, "w", encoding="utf-8") as out:
        printer = Printer(READS["books"], Format.TABLE, (), out)
        printer.write([book])
        printer.finish()
        written = b""
        # A head, three asks and a bid.
        while written.count(b"\n") < 5:
            written += os.read(parent, 10_000)
    lines = written.decode().splitlines()
    os.close(parent)
    assert lines[0].split() == ["side", "price", "size", "token_id"]
    assert lines[1].split()[-1] == f"777777{MARK}7777"
    assert "token_id" in capsys.readouterr().err


@pytest.mark.parametrize(
    "title", ["雨が降りますか 明日 東京で", "Łódź e\u0301te\u0301 🌧 rain", "x" * 9]
)
@pytest.mark.parametrize("width", [40, 45, 50])
def test_wide_characters_and_accents_keep_columns_in_line(title: str, width: int) -> None:
    rows = [(" ".join([title] * 5), "0.5"), ("short", "0.4")]
    laid = lay_out(("title", "price"), rows, width=width, ranks=("price", "title"))
    assert {cells_of(line.rpartition("0.")[0]) for line in laid.lines[1:]} == {width - 5}
    assert all(cells_of(line) <= width for line in laid.lines)
