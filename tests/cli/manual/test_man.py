import shutil
import subprocess

import pytest

from pmtui.cli.main import main
from pmtui.cli.manual.command_table import TABLE
from pmtui.cli.manual.man import man_page
from pmtui.reads.registry import READS


def test_the_page_names_every_command_read_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--man"]) == 0
    page = capsys.readouterr().out
    assert page == man_page()
    assert page.startswith(".TH PMTUI 1 ")
    plain = page.replace("\\-", "-")
    for command in TABLE:
        assert f"\\fB{command.name}\\fR" in plain
        assert all(f"\\fB{option.name}\\fR" in plain for option in command.options)
    for read in READS.values():
        assert f"\\fB{read.name}\\fR" in plain
        assert all(argument.option in plain for argument in read.asked)


def test_the_formatter_takes_it_without_a_warning() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff here")
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", "-P-cbou"],
        input=man_page(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert "leaderboard" in done.stdout
