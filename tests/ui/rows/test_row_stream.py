from pmtui.ui.cells import Cell, Row
from pmtui.ui.rows.row_stream import RowMemo


def test_a_row_is_painted_again_only_when_an_input_differs() -> None:
    memo = RowMemo()
    painted: list[int] = []

    def paint() -> Row:
        painted.append(1)
        return Row("a", (Cell(str(len(painted))),))

    first = memo.row("a", (1, "x"), paint)
    assert memo.row("a", (1, "x"), paint) is first
    assert memo.row("a", (2, "x"), paint) != first
    memo.clear()
    memo.row("a", (2, "x"), paint)
    assert len(painted) == 3


def test_rows_that_left_are_forgotten_in_the_end() -> None:
    memo = RowMemo()
    for number in range(300):
        memo.row(str(number), (), lambda: Row("k", ()))
    memo.keep_only({"7"})
    fresh = Row("fresh", ())
    assert memo.row("8", (), lambda: fresh) is fresh
    assert memo.row("7", (), lambda: fresh) is not fresh
