"""What cannot be used is refused before the screen is taken: one line, exit code 2."""

import subprocess
from pathlib import Path

import pytest

from tests.journeys.conftest import BOTH_WAYS, Start
from tests.journeys.terminal import PROGRAM, Terminal

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

USAGE_ERROR = 2


@BOTH_WAYS
def test_an_unknown_profile_is_refused_in_one_line(start: Start, *, is_attached: bool) -> None:
    terminal = start("--profile", "nowhere", is_attached=is_attached)
    assert terminal.exit_code() == USAGE_ERROR
    assert _lines(terminal) == [
        "pmtui: --profile: no profile 'nowhere'; there is paper, live",
    ]


@BOTH_WAYS
def test_a_wrong_setting_is_refused_with_its_file_and_line(
    start: Start, home: Path, *, is_attached: bool
) -> None:
    _configure(home, 'profile = "paper"\nframe_rate = "often"\n')
    terminal = start(size=(200, 50), is_attached=is_attached)
    assert terminal.exit_code() == USAGE_ERROR
    (line,) = _lines(terminal)
    assert "config.toml:2" in line
    assert "frame_rate" in line


@BOTH_WAYS
def test_a_wrong_variable_is_refused_by_its_name(start: Start, *, is_attached: bool) -> None:
    terminal = start(env={"PMTUI_FRAME_RATE": "-4"}, is_attached=is_attached)
    assert terminal.exit_code() == USAGE_ERROR
    (line,) = _lines(terminal)
    assert "PMTUI_FRAME_RATE" in line


# Of the second Textual knows one, which nobody has read a ladder in.
@BOTH_WAYS
@pytest.mark.parametrize("name", ["nope", "dracula"])
def test_an_unknown_theme_is_refused_with_the_names_of_others(
    start: Start, name: str, *, is_attached: bool
) -> None:
    terminal = start(env={"PMTUI_THEME": name}, size=(200, 50), is_attached=is_attached)
    assert terminal.exit_code() == USAGE_ERROR
    text = " ".join(_lines(terminal))
    assert text.startswith("pmtui: PMTUI_THEME: ")
    assert name in text
    assert "harbour" in text


def test_an_unknown_theme_in_the_file_is_refused_with_its_line(start: Start, home: Path) -> None:
    _configure(home, 'on_quit = "cancel"\ntheme = "nope"\n')
    terminal = start(size=(200, 50))
    assert terminal.exit_code() == USAGE_ERROR
    assert "config.toml:2: " in " ".join(_lines(terminal))


def test_a_theme_file_with_a_fault_is_refused_with_the_fault(start: Start, home: Path) -> None:
    themes = home / "config" / "themes"
    themes.mkdir(parents=True)
    (themes / "mine.toml").write_text('name = "mine"\n[colors]\nprimary = "#zzz"\n')
    terminal = start(env={"PMTUI_THEME": "mine"}, size=(200, 50))
    assert terminal.exit_code() == USAGE_ERROR
    (line,) = _lines(terminal)
    assert "themes/mine.toml" in line
    assert "#zzz" in line


def test_a_second_terminal_on_one_account_is_told_so(start: Start) -> None:
    first = start()
    first.until_text("cash $10,000.00")
    second = start(size=(200, 50))
    assert second.exit_code() == USAGE_ERROR
    assert "another terminal" in " ".join(_lines(second))
    first.press("q")
    assert first.exit_code() == 0


@BOTH_WAYS
def test_keys_for_an_unknown_action_are_refused_with_their_line(
    start: Start, home: Path, *, is_attached: bool
) -> None:
    _configure(home, '[keys]\n"market.fly" = ["F"]\n')
    terminal = start(size=(200, 50), is_attached=is_attached)
    assert terminal.exit_code() == USAGE_ERROR
    (line,) = _lines(terminal)
    assert "config.toml:2" in line
    assert "market.fly" in line


def test_a_key_that_would_do_two_things_is_refused(start: Start, home: Path) -> None:
    _configure(home, '[keys]\n"global.portfolio" = ["q"]\n')
    terminal = start(size=(200, 50))
    assert terminal.exit_code() == USAGE_ERROR
    (line,) = _lines(terminal)
    assert "config.toml:2" in line


def test_a_private_key_in_the_file_is_refused_and_not_repeated(start: Start, home: Path) -> None:
    _configure(home, 'private_key = "0xdeadbeef"\n')
    terminal = start(size=(200, 50))
    assert terminal.exit_code() == USAGE_ERROR
    assert b"deadbeef" not in terminal.output


def test_without_a_terminal_the_program_says_so(home: Path) -> None:
    ran = subprocess.run(
        [PROGRAM],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PMTUI_HOME": str(home)},
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (USAGE_ERROR, "")
    assert len(ran.stderr.splitlines()) == 1


def test_a_refused_start_leaves_no_state_behind(start: Start, home: Path) -> None:
    assert start("--profile", "nowhere").exit_code() == USAGE_ERROR
    assert not (home / "state").exists()


def _configure(home: Path, text: str) -> None:
    path = home / "config" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


def _lines(terminal: Terminal) -> list[str]:
    return [row for row in terminal.rows() if row]
