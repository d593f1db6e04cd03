"""Settings read by a child of the process that wants them; the same as those read in it."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.config.errors import ConfigError
from pmtui.config.settings import load_settings
from pmtui.config.settings_ahead import SettingsAhead

EVERYTHING = """\
profile = "desk"
theme = "slate"
frame_rate = 7
heartbeat = "armed"
on_quit = "cancel"
presets = [1, 2.5]
[chart]
interval = "1w"
[ticket]
duplicate_seconds = 3
[limits]
order_usd = 12.34
[keys]
market.flip = "o"
[profiles.desk]
signature_type = "eoa"
clob_url = "http://desk.test"
"""
HEARD = """
import sys
from pmtui.config.settings_ahead import SettingsAhead
settings = SettingsAhead({"frame_rate": 9}).settings()
assert settings.private_key.reveal() == "0x5d"
print(settings.frame_rate, sorted(name for name in sys.modules if name.startswith("pydantic")))
"""


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    return path


class Deadly(Mapping[str, object]):
    """Ends any process but this one that looks into it."""

    def __init__(self) -> None:
        self.home = os.getpid()

    @override
    def __len__(self) -> int:
        return 1

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(("frame_rate",))

    @override
    def __getitem__(self, name: str) -> object:
        if os.getpid() != self.home:
            os._exit(3)
        return 8


def test_every_setting_comes_through(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text(EVERYTHING)
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0x5d")
    overrides = {"disarm_after_s": 60, "theme": None}
    assert SettingsAhead(overrides).settings() == load_settings(overrides)


def test_what_reads_them_is_not_loaded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0x5d")
    done = subprocess.run([sys.executable, "-c", HEARD], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "9 []"


def test_a_mistake_is_told_of_in_the_same_words(config: Path) -> None:
    config.write_text("frame_rate = 100\n")
    with pytest.raises(ConfigError) as here:
        load_settings()
    with pytest.raises(ConfigError) as there:
        SettingsAhead().settings()
    assert (there.value.place, there.value.problem) == (here.value.place, here.value.problem)


def test_a_child_that_dies_leaves_it_to_its_parent() -> None:
    assert SettingsAhead(Deadly()).settings().frame_rate == 8


def test_beside_other_threads_they_are_read_here() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert SettingsAhead(Deadly()).settings().frame_rate == 8
    finally:
        done.set()
        thread.join()


def test_where_children_are_never_waited_for_nothing_is_missing() -> None:
    code = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" + HEARD
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PMTUI_PRIVATE_KEY": "0x5d"},
    )
    assert done.stdout.strip() == "9 []"


def test_no_child_is_left_behind() -> None:
    SettingsAhead().settings()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_the_key_does_not_show_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0x5d5d5d")
    settings = SettingsAhead().settings()
    assert "5d5d5d" not in f"{settings!r} {settings} {settings.private_key}"
