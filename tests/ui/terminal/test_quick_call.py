from functools import partial

from textual._callback import count_parameters

from pmtui.ui.terminal.quick_call import QuickCall


def test_it_calls_with_what_it_was_given_and_returns_what_comes_back() -> None:
    heard: list[int] = []

    def add(*numbers: int) -> int:
        heard.extend(numbers)
        return sum(numbers)

    assert QuickCall(add, 1, 2)() == 3
    assert heard == [1, 2]


def test_textual_knows_that_it_takes_nothing() -> None:
    call = QuickCall(print, "x")
    assert count_parameters(call) == 0
    assert count_parameters(partial(call)) == 0
