"""The table that help, completion and the man page are made from, held against the parsers."""

import re
from contextlib import suppress

import pytest

from pmtui.cli.account.wallet_commands import WALLET_ACTIONS
from pmtui.cli.main import main
from pmtui.cli.manual.command_table import TABLE, TERMINAL
from pmtui.cli.manual.commands import COMMANDS

_OPTION = re.compile(r"^  (?:-\w, )?(--[a-z-]+)", re.MULTILINE)
BY_NAME = {command.name: command for command in TABLE}


def options_in_help(*arguments: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    with suppress(SystemExit):
        main([*arguments, "--help"])
    return set(_OPTION.findall(capsys.readouterr().out)) - {"--help"}


def test_every_command_is_in_the_table() -> None:
    assert set(COMMANDS) == set(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_command_has_the_options_of_its_parser(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = options_in_help(name, capsys=capsys)
    assert told == {option.name for option in BY_NAME[name].options}, (
        "see cli/manual/command_table.py"
    )


def test_the_terminal_has_the_options_of_its_parser(capsys: pytest.CaptureFixture[str]) -> None:
    assert options_in_help(capsys=capsys) == {option.name for option in TERMINAL}


def test_the_actions_of_the_wallet_have_the_options_of_their_parser(
    capsys: pytest.CaptureFixture[str],
) -> None:
    account = BY_NAME["account"]
    assert account.actions == WALLET_ACTIONS
    assert set(account.actions) < set(account.choices)
    for action in account.actions:
        told = options_in_help("account", action, capsys=capsys)
        assert told == {option.name for option in account.action_options}, action
