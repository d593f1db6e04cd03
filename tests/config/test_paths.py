"""Where files live, and who may read them."""

import stat
from pathlib import Path

import pytest

from pmtui.config.paths import locate, private_dir


def test_one_variable_moves_everything(tmp_path: Path) -> None:
    paths = locate({"PMTUI_HOME": str(tmp_path), "XDG_STATE_HOME": "/elsewhere"})
    assert paths.config_file == tmp_path / "config" / "config.toml"
    assert {p.parent for p in (paths.config, paths.state, paths.cache)} == {tmp_path}
    assert list(tmp_path.iterdir()) == []


def test_xdg_directories_are_used_when_they_are_absolute() -> None:
    paths = locate({"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative"})
    assert paths.config == Path("/c/pmtui")
    assert paths.state == Path("/h/.local/state/pmtui")
    assert paths.cache == Path("/h/.cache/pmtui")


def test_without_a_home_the_account_database_knows() -> None:
    assert locate({}).config == Path.home() / ".config" / "pmtui"


def test_a_relative_home_is_made_absolute() -> None:
    assert locate({"PMTUI_HOME": "here"}).state == Path.cwd() / "here" / "state"


def test_directories_are_made_for_the_user_alone(tmp_path: Path) -> None:
    made = private_dir(tmp_path / "home" / "state")
    for path in (made, made.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert private_dir(made) == made


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(NotADirectoryError):
        private_dir(tmp_path / "state")
