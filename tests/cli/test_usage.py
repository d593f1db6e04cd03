import pytest

from pmtui.cli.main import main

SECRET = "hunter2-battery"
KEY = "0x" + "5d" * 32


@pytest.mark.parametrize(
    "arguments",
    [
        ["account", "new", SECRET],
        ["account", SECRET],
        ["account", "import", KEY],
        ["account", "import", f"--private-key={KEY}"],
        ["account", "import", "--key", KEY],
        ["account", "import", "--key-fd", KEY],
        ["account", "import", "--mnemonic", SECRET],
        ["account", "new", "--passphrase", SECRET],
        ["account", "new", "--passphrase-fd", SECRET],
        ["account", "remove", f"--yes={SECRET}"],
        ["account", "show", "--password", SECRET],
        ["--passphrase", SECRET],
        ["--passphrase-fd", SECRET],
        [f"--private-key={KEY}"],
        [KEY],
        ["--profile", "live", KEY],
        ["export", "fills", KEY],
        ["export", SECRET],
        ["export", "fills", f"--passphrase={SECRET}"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_a_secret_on_the_command_line_is_refused_and_not_repeated(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert SECRET not in said.err
    assert KEY[2:] not in said.err


def test_what_looks_like_a_secret_is_answered_with_the_way_to_give_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["account", "import", KEY])
    assert "typed at a prompt, or read from a file descriptor" in capsys.readouterr().err


def test_an_unknown_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["account", "show", "--verbose"])
    assert "--verbose" in capsys.readouterr().err


def test_a_format_that_is_none_is_answered_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", "fills", "--format", "xml"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said == "pmtui export: argument --format: takes one of csv, json, jsonl\n"
