import os

import pytest

from pmtui.cli.keys.secret_input import (
    MAX_BYTES,
    NoSecret,
    ask_new_passphrase,
    read_secret,
    weakness,
)
from pmtui.signing.secret import Secret
from tests.cli.secret_lines import lines_on_fd


def test_a_line_at_a_time_is_read_and_no_more() -> None:
    with lines_on_fd("first, é", "second\r") as number:
        assert read_secret(number) == Secret.from_text("first, é")
        assert read_secret(number) == Secret.from_text("second")
        assert read_secret(number) == Secret.from_text("")


def test_spaces_are_part_of_a_passphrase() -> None:
    with lines_on_fd("  two words ") as number:
        assert read_secret(number) == Secret.from_text("  two words ")


def test_what_cannot_be_read_is_said_without_what_was_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"caf\xe9\n" + b"x" * (MAX_BYTES + 1))
    os.close(writing)
    foreign = read_secret(reading)
    endless = read_secret(reading)
    os.close(reading)
    closed = read_secret(reading)
    assert isinstance(foreign, NoSecret)
    assert "UTF-8" in foreign.text
    assert "caf" not in foreign.text
    assert isinstance(endless, NoSecret)
    assert "xx" not in endless.text
    assert isinstance(closed, NoSecret)
    assert "descriptor" in closed.text


@pytest.mark.parametrize("text", ["short", "aaaaaaaaaaaaaaaa", "1234567890123", "elevenchars"])
def test_a_weak_passphrase_is_called_so(text: str) -> None:
    assert "weak" in weakness(Secret.from_text(text))


def test_a_long_one_is_not() -> None:
    assert weakness(Secret.from_text("correct horse battery")) == ""


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (("abc", "correct horse", "correct horse"), "correct horse"),
        (("abc", "abc", "abc"), "abc"),
        (("correct horse", "correct horse"), "correct horse"),
    ],
)
def test_a_short_passphrase_is_called_so_and_asked_for_once_more(
    typed: tuple[str, ...], kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(typed)
    found = ask_new_passphrase(lambda _: Secret.from_text(next(answers)))
    assert isinstance(found, Secret)
    assert found.reveal_text() == kept
    assert next(answers, None) is None
    assert ("short" in capsys.readouterr().err) == (len(typed) == 3)
