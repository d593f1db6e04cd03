"""What the environment asks for, and handing a text to tmux; the journey in a real one is `tests/journeys/test_ways_in.py`."""

from pathlib import Path

import pytest

from pmtui.cli import terminal

TEXT = "0x" + "ab" * 32


async def test_it_gets_the_text_as_it_is(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    assert await terminal.hand_to_tmux(TEXT, command=("sh", "-c", 'cat > "$0"', str(taken)))
    assert taken.read_text() == TEXT


async def test_one_that_knows_no_such_command_did_not_take_it() -> None:
    assert not await terminal.hand_to_tmux(TEXT, command=("sh", "-c", "exit 1"))


async def test_where_there_is_none_it_was_not_taken(tmp_path: Path) -> None:
    assert not await terminal.hand_to_tmux(TEXT, command=(str(tmp_path / "tmux"),))


async def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "DEADLINE_S", 0.2)
    assert not await terminal.hand_to_tmux(TEXT, command=("sh", "-c", "exec sleep 600"))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"NO_COLOR": ""}, False),
        ({"NO_COLOR": "1"}, True),
        ({"CLICOLOR": "1"}, False),
        ({"CLICOLOR": "0"}, True),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "0"}, True),
        ({"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, True),
    ],
)
def test_colour_is_left_out_as_the_environment_asks(
    environ: dict[str, str], expected: bool
) -> None:
    assert terminal.wants_no_color(environ) is expected
