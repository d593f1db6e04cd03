"""A value that must never be shown: it refuses to be printed, formatted, copied or stored.

A traceback that shows local variables shows `<secret>`. Turning a secret into text by accident is a
bug and raises; only `reveal` and `reveal_text`, which can be searched for, return the value.
"""

from hmac import compare_digest
from typing import Never, final

from typing_extensions import override


class SecretError(TypeError):
    """An attempt to print, copy or store a secret. The message never contains the value."""


@final
class Secret:
    """Bytes that only `reveal` and `reveal_text` return."""

    __slots__ = ("_value",)

    def __init__(self, value: bytes) -> None:
        self._value = value

    @classmethod
    def from_text(cls, text: str) -> "Secret":
        """Wrap a text: a passphrase, or a credential as sent by the venue."""
        return cls(text.encode())

    @classmethod
    def from_hex(cls, text: str) -> "Secret":
        """Wrap bytes given as hexadecimal digits, with or without 0x.

        Raises:
            ValueError: the text is not hexadecimal; the message does not repeat it.
        """
        raw = _read_hex(text)
        # So that a traceback with local variables does not show it.
        del text
        if raw is None:
            raise ValueError("not hexadecimal digits")
        return cls(raw)

    def reveal(self) -> bytes:
        """Return the value."""
        return self._value

    def reveal_text(self) -> str:
        """Return the value as text."""
        return self._value.decode()

    @override
    def __repr__(self) -> str:
        return "<secret>"

    @override
    def __str__(self) -> Never:
        raise SecretError("a secret has no text")

    @override
    def __format__(self, format_spec: str) -> Never:
        raise SecretError("a secret has no text")

    @override
    def __reduce_ex__(self, protocol: object) -> Never:
        raise SecretError("a secret is neither copied nor stored")

    @override
    def __getstate__(self) -> Never:
        raise SecretError("a secret is neither copied nor stored")

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and compare_digest(self._value, other._value)

    __hash__ = None  # type: ignore[assignment]  # a hash would be a fingerprint of the value


def _read_hex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text.strip().removeprefix("0x"))
    except ValueError:
        return None
