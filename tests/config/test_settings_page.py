"""The settings that the manual shows: all there are, accepted, and the defaults they claim to be."""

import re
from pathlib import Path

import pytest

import pmtui
from pmtui.config.settings import Addresses, Settings, load_settings

PAGE = Path(pmtui.__file__).parent / "docs/settings.md"
SAID_IN_WORDS = frozenset({"private_key", *Addresses.model_fields})
"""Explained in the text: where a key comes from, and the addresses of all hosts."""
EXAMPLES = frozenset({"keys", "limits", "profiles"})
"""Nothing by default."""


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path = tmp_path / "config.toml"
    path.write_text(block)
    return load_settings(config_file=path)


def test_every_setting_is_shown_or_told_of(shown: Settings) -> None:
    assert shown.model_fields_set | SAID_IN_WORDS == set(Settings.model_fields)


def test_what_is_shown_is_what_holds_without_a_file(shown: Settings, tmp_path: Path) -> None:
    bare = load_settings(config_file=tmp_path / "none.toml")
    for name in shown.model_fields_set - EXAMPLES - {"theme", "on_quit", "on_hangup"}:
        assert getattr(shown, name) == getattr(bare, name), name
