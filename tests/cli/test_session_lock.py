from pathlib import Path

import pytest

from pmtui.cli.session_lock import session_lock
from pmtui.config.toml_file import ConfigError


def test_a_second_terminal_on_the_same_account_is_told_so_in_one_line(tmp_path: Path) -> None:
    with (
        session_lock(tmp_path / "paper"),
        pytest.raises(ConfigError, match="another terminal") as refused,
        session_lock(tmp_path / "paper"),
    ):
        pass
    assert "\n" not in str(refused.value)


def test_the_next_one_may_come_when_the_first_has_gone(tmp_path: Path) -> None:
    for _ in range(2):
        with session_lock(tmp_path / "paper"):
            pass


def test_accounts_do_not_keep_each_other_out(tmp_path: Path) -> None:
    with session_lock(tmp_path / "paper"), session_lock(tmp_path / "live"):
        pass


def test_a_place_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError), session_lock(tmp_path / "file"):
        pass
