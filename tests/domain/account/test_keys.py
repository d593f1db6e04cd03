import pytest

from pmtui.domain.account.keys import NO_BUILDER, BuilderCodeError, parse_builder_code


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
