"""Whom orders credit, how wallets are named, and by what the relayer knows who submits."""

from pathlib import Path

import pytest

from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import (
    NO_BUILDER,
    RelayerAuth,
    SignatureType,
    SignatureTypeError,
    parse_signature_type,
)

CODE = "0x" + "ab" * 32


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_orders_credit_nobody_unless_a_builder_is_named(home: Path) -> None:
    assert load_settings(config_file=home).builder_code == NO_BUILDER
    home.write_text(f'builder_code = "{CODE.upper().replace("0X", "0x")}"')
    assert load_settings(config_file=home).builder_code == CODE


@pytest.mark.parametrize("code", ["0x12", "ab" * 32, "0x" + "zz" * 32])
def test_what_is_no_builder_code_is_pointed_at(home: Path, code: str) -> None:
    home.write_text(f'builder_code = "{code}"')
    with pytest.raises(ConfigError):
        load_settings(config_file=home)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("eoa", SignatureType.EOA),
        ("proxy", SignatureType.PROXY),
        ("safe", SignatureType.SAFE),
        ("gnosis-safe", SignatureType.SAFE),
        ("deposit", SignatureType.DEPOSIT_WALLET),
        ("deposit-wallet", SignatureType.DEPOSIT_WALLET),
        ("poly-1271", SignatureType.DEPOSIT_WALLET),
        ("POLY_1271", SignatureType.DEPOSIT_WALLET),
        ("2", SignatureType.SAFE),
    ],
)
def test_a_wallet_is_named_as_other_programs_name_it(
    home: Path, text: str, kind: SignatureType
) -> None:
    home.write_text(f'profile = "own"\n[profiles.own]\nsignature_type = "{text}"')
    assert load_settings(config_file=home).signature_type is kind
    assert parse_signature_type(text) is kind


def test_a_number_names_a_wallet_too(home: Path) -> None:
    home.write_text('profile = "own"\n[profiles.own]\nsignature_type = 2')
    assert load_settings(config_file=home).signature_type is SignatureType.SAFE


@pytest.mark.parametrize("text", ["4", "", "multisig"])
def test_what_names_no_wallet_is_refused(home: Path, text: str) -> None:
    with pytest.raises(SignatureTypeError):
        parse_signature_type(text)
    home.write_text(f'profile = "own"\n[profiles.own]\nsignature_type = "{text}"')
    with pytest.raises(ConfigError):
        load_settings(config_file=home)


def test_a_profile_says_by_what_the_relayer_knows_who_submits(home: Path) -> None:
    assert load_settings(config_file=home).chosen.relayer_auth is RelayerAuth.KEY
    home.write_text('profile = "own"\n[profiles.own]\nrelayer_auth = "builder"')
    assert load_settings(config_file=home).chosen.relayer_auth is RelayerAuth.BUILDER
