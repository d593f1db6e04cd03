"""What the ticket warns of, as the settings file states it."""

from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.money import Micros
from pmtui.domain.ticket.draft import DEFAULT_RULES, TicketRules


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    return path


def test_without_a_word_the_rules_are_the_usual_ones(config: Path) -> None:
    assert not config.exists()
    assert load_settings().ticket.to_rules() == DEFAULT_RULES


def test_every_bound_can_be_stated(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("[ticket]\nworst_price_percent = 25\nnotional_warning_usd = 50\n")
    monkeypatch.setenv("PMTUI_TICKET__DUPLICATE_SECONDS", "3")
    assert load_settings().ticket.to_rules() == TicketRules(
        worst_price_percent=25,
        notional_warning=Micros(50_000_000),
        duplicate_window=timedelta(seconds=3),
    )


def test_nothing_turns_a_warning_off(config: Path) -> None:
    config.write_text(
        "[ticket]\nworst_price_percent = 0\nnotional_warning_usd = 0\nduplicate_seconds = 0\n"
    )
    rules = load_settings().ticket.to_rules()
    assert not rules.warns_of_size
    assert not rules.worst_price_percent
    assert not rules.duplicate_window


@pytest.mark.parametrize(
    "line", ["worst_price_percent = -1", 'duplicate_seconds = "soon"', "no_such_thing = 1"]
)
def test_a_mistake_is_pointed_at(config: Path, line: str) -> None:
    config.write_text(f"[ticket]\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "config.toml:2" in str(caught.value)
    assert line.split(" ", maxsplit=1)[0] in str(caught.value)
