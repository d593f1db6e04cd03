"""Where files live, and who may read them."""

import os
import stat
from pathlib import Path

import pytest

from pmtui.config.paths import (
    is_file_name,
    locate,
    open_to_append,
    private_dir,
    replace_file,
    why_no_home,
    why_untrusted,
)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
STRANGER = 12_345


def test_one_variable_moves_everything(tmp_path: Path) -> None:
    paths = locate({"PMTUI_HOME": str(tmp_path), "XDG_STATE_HOME": "/elsewhere"})
    assert paths.config_file == tmp_path / "config" / "config.toml"
    assert {p.parent for p in (paths.config, paths.state, paths.cache)} == {tmp_path}
    assert paths.runtime == tmp_path / "run"
    assert list(tmp_path.iterdir()) == []


def test_sockets_lie_in_the_runtime_directory_or_beside_the_state() -> None:
    assert locate({"HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/7"}).runtime == Path(
        "/run/user/7/pmtui"
    )
    assert locate({"HOME": "/h"}).runtime == Path("/h/.local/state/pmtui/run")


def test_xdg_directories_are_used_when_they_are_absolute() -> None:
    paths = locate({"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative"})
    assert paths.config == Path("/c/pmtui")
    assert paths.state == Path("/h/.local/state/pmtui")
    assert paths.cache == Path("/h/.cache/pmtui")


def test_without_a_home_the_account_database_knows() -> None:
    assert locate({}).config == Path.home() / ".config" / "pmtui"


def test_without_any_home_the_reason_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_no_home({"HOME": "/home/ann"}) == ""
    assert "PMTUI_HOME" in why_no_home({"PMTUI_HOME": "~nobody-of-this-name/x"})
    monkeypatch.delenv("HOME", raising=False)
    # A number without an entry in the user database.
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    assert "PMTUI_HOME" in why_no_home({})
    assert why_no_home({"PMTUI_HOME": "/data"}) == ""


def test_what_is_trusted_is_known_without_a_home_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    assert why_untrusted(tmp_path) == ""


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


@pytest.mark.usefixtures("open_umask")
def test_what_is_created_is_the_users_alone_whatever_the_umask(tmp_path: Path) -> None:
    made = private_dir(tmp_path / "a" / "b" / "c")
    for directory in (made, made.parent, made.parent.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    path = made / "file"
    for _ in range(2):
        os.close(open_to_append(path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o666)
        replace_file(path, b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o666)


@pytest.mark.parametrize("is_synced", [False, True])
def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, is_synced: bool) -> None:
    path = tmp_path / "new" / "file"
    replace_file(path, b"before", is_synced=is_synced)
    replace_file(path, b"after", is_synced=is_synced)
    assert path.read_bytes() == b"after"
    with pytest.raises(OSError, match="file"):
        replace_file(path / "below", b"")
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="file"):
        replace_file(path, b"over a directory", is_synced=is_synced)
    assert [each.name for each in path.parent.iterdir()] == ["file"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "config" / "config.toml"
    private_dir(path.parent)
    path.write_text("")
    path.chmod(0o644)
    return path


def test_a_file_that_only_its_owner_can_write_is_trusted(file: Path) -> None:
    assert why_untrusted(file) == ""
    file.parent.chmod(0o755)
    assert why_untrusted(file) == ""


@pytest.mark.parametrize("mode", [0o020, 0o002, 0o022])
@pytest.mark.parametrize("up", [0, 1, 2])
def test_what_group_or_others_can_write_is_not(file: Path, mode: int, up: int) -> None:
    part = (file, *file.parents)[up]
    part.chmod(part.stat().st_mode | mode)
    assert why_untrusted(file) == f"others can write to {part}; chmod go-w {part}"
    # Whoever can write to a directory can rename what is in it.
    assert why_untrusted(file.parent / "missing.toml") == ("" if up == 0 else why_untrusted(file))


def test_others_replace_nothing_in_a_sticky_directory(file: Path) -> None:
    file.parent.parent.chmod(0o1777)
    assert why_untrusted(file) == ""
    file.parent.chmod(0o1777)
    assert why_untrusted(file) == ""
    file.chmod(0o666 | stat.S_ISVTX)
    assert why_untrusted(file) != ""


@needs_root
@pytest.mark.parametrize("up", [0, 1, 2])
def test_what_belongs_to_another_user_is_not_trusted(file: Path, up: int) -> None:
    part = (file, *file.parents)[up]
    os.chown(part, STRANGER, STRANGER)
    assert why_untrusted(file) == f"{part} belongs to another user"


@needs_root
def test_a_link_that_another_user_put_into_a_sticky_directory_is_not_trusted(
    file: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    link = shared / "config"
    link.symlink_to(file.parent)
    assert why_untrusted(link / file.name) == ""
    os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
    assert why_untrusted(link / file.name) != ""


def test_a_link_is_followed_to_where_others_could_write(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file.parent)
    assert why_untrusted(link / file.name) == ""
    file.parent.parent.chmod(0o777)
    assert why_untrusted(link / file.name) != ""


def test_above_the_home_directory_nothing_is_asked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = file.parent.parent
    home.parent.chmod(0o777)
    assert why_untrusted(file) != ""
    monkeypatch.setenv("HOME", str(home))
    assert why_untrusted(file) == ""
    home.parent.chmod(0o700)


@pytest.mark.parametrize("name", ["live", "second one", "a" * 64, "über", "a.b"])
def test_a_profile_may_have_an_ordinary_name(name: str) -> None:
    assert is_file_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "../x", "a/b", "/etc", "a\0b", "a\x1b[2J", "a" * 65, "a\nb"]
)
def test_a_name_never_leads_out_of_its_directory(name: str) -> None:
    assert not is_file_name(name)
