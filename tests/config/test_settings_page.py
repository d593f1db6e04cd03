"""The settings that the manual shows: all there are, accepted, and the defaults they claim to be."""

import re
from pathlib import Path

import pytest

import pmtui
from pmtui.config.settings_model import SettingsModel, read_model
from pmtui.config.values import Addresses

PAGE = Path(pmtui.__file__).parent / "docs/settings.md"
SAID_IN_WORDS = frozenset({"private_key", *Addresses.model_fields})
"""Told of in the text: where a key comes from, and the addresses of all hosts."""
EXAMPLES = frozenset({"keys", "limits", "profiles"})
"""Nothing by default."""


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsModel:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path = tmp_path / "config.toml"
    path.write_text(block)
    return read_model(config_file=path)


def test_every_setting_is_shown_or_told_of(shown: SettingsModel) -> None:
    assert shown.model_fields_set | SAID_IN_WORDS == set(SettingsModel.model_fields)


def test_what_is_shown_is_what_holds_without_a_file(shown: SettingsModel, tmp_path: Path) -> None:
    bare = read_model(config_file=tmp_path / "none.toml")
    for name in shown.model_fields_set - EXAMPLES - {"theme", "on_quit", "on_hangup"}:
        assert getattr(shown, name) == getattr(bare, name), name
