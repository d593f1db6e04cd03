"""A paper key that cannot be used is said in a line by every command that needs it."""

from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import PAPER_KEY_FILE
from pmtui.cli.main import main


@pytest.mark.parametrize(
    "words",
    [
        ("get", "open-orders"),
        ("agent", "stdio", "--account"),
        ("export", "fills"),
        ("account", "show"),
        ("account", "status"),
    ],
)
def test_a_broken_paper_key_is_one_line_and_exit_code_2(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = tmp_path / "state" / "paper" / PAPER_KEY_FILE
    path.parent.mkdir(parents=True)
    path.write_text("not a key")
    assert main([*words]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "not a key" not in said.err
