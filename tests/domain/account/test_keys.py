import pytest

from pmtui.domain.account.keys import (
    NO_BUILDER,
    BuilderCodeError,
    SignatureType,
    SignatureTypeError,
    parse_builder_code,
    parse_signature_type,
)


def test_no_text_credits_nobody() -> None:
    assert parse_builder_code("") == NO_BUILDER
    assert len(NO_BUILDER) == 66


def test_a_builder_code_is_kept_in_lower_case() -> None:
    assert parse_builder_code("0x" + "Ab" * 32) == "0x" + "ab" * 32


@pytest.mark.parametrize(
    "text", ["0x12", "ab" * 33, "0x" + "zz" * 32, "0X" + "ab" * 32, "0x" + "١" * 64]
)
def test_anything_else_is_no_builder_code(text: str) -> None:
    with pytest.raises(BuilderCodeError, match="64 hex digits"):
        parse_builder_code(text)


@pytest.mark.parametrize("kind", SignatureType)
def test_a_signature_type_is_read_by_number_and_by_name(kind: SignatureType) -> None:
    for text in (str(kind.number), kind.value, f" {kind.value.upper().replace('-', '_')} "):
        assert parse_signature_type(text) is kind


@pytest.mark.parametrize(
    ("alias", "kind"),
    [
        ("gnosis-safe", SignatureType.SAFE),
        ("GNOSIS_SAFE", SignatureType.SAFE),
        ("deposit", SignatureType.DEPOSIT_WALLET),
        ("poly-1271", SignatureType.DEPOSIT_WALLET),
        ("POLY_1271", SignatureType.DEPOSIT_WALLET),
    ],
)
def test_other_programs_names_of_signature_types_are_known(alias: str, kind: SignatureType) -> None:
    assert parse_signature_type(alias) is kind


@pytest.mark.parametrize("text", ["", "4", "-1", "١", "wallet", "00"])
def test_anything_else_is_no_signature_type(text: str) -> None:
    with pytest.raises(SignatureTypeError):
        parse_signature_type(text)
