"""The help of every command: its own usage, within eighty columns, every option explained."""

import re

import pytest

from pmtui.cli.main import main
from pmtui.cli.manual.commands import COMMANDS

WIDTH = 80
_OPTION = re.compile(r"^  (-{1,2}[\w-]+)(.*)$")


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    try:
        code = main([command, "--help"]) if command else main(["--help"])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out.splitlines()


@pytest.fixture(autouse=True)
def _usual_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_begins_with_its_usage_and_says_what_the_command_does(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = help_of(command, capsys)
    assert lines[0].startswith(f"usage: pmtui {command}".rstrip())
    assert max(map(len, lines)) <= WIDTH
    description = lines[lines.index("") + 1]
    assert description[:1].isupper()
    assert not description.endswith(":")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_option_is_explained(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = help_of(command, capsys)
    bare = [
        line
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if (found := _OPTION.match(line))
        and not re.search(r"\s{2,}\S", found[2])
        and not following.startswith(" " * 8)
    ]
    assert bare == []


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_usage_is_one_line_that_names_the_command(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main([command, "--no-such-option"]))
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"pmtui {command}: ")
