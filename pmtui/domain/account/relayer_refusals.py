"""What the relayer's refusals mean, and what to do about each (docs/wire.md#relayer, September 2026)."""

import re
from collections.abc import Callable
from typing import Final

from pmtui.domain.ids import Address

_ADDRESS = r"(0x[0-9a-fA-F]{40})"
_NOT_PERMITTED = re.compile(rf"calls to {_ADDRESS} are not permitted", re.IGNORECASE)
_NOT_AN_OPERATOR = re.compile(
    rf"operator {_ADDRESS} is not in the allowed list", re.IGNORECASE | re.ASCII
)
_BOUNDED = re.compile(rf"approve to exchange {_ADDRESS} must be MaxUint256", re.IGNORECASE)
COMPARE: Final = "compare it with the venue's current contract registry before you try again"

_PLAIN: Final = (
    ("is not registered", "The relayer does not know the wallet yet: wait some seconds, then try again"),
    ("deadline too soon", "The relayer wants a later deadline: prepare it again"),
    ("does not match auth", "The relayer key belongs to another owner: make one for this key"),
    ("must be deposit wallet factory", "The relayer expects another factory contract: this is a bug"),
    ("does not match on-chain nonce", "The wallet's counter went on meanwhile: prepare it again"),
    ("self-call", "A wallet cannot call itself"),
    ("quota exceeded", "Too many submissions: the relayer takes 25 a minute"),
    ("invalid authorization", "The relayer does not accept the key: make or enter another one"),
    ("invalid signature", "The relayer does not accept the signature: this is a bug"),
    ("wallet busy", "The wallet still carries something else out"),
    ("in-flight action", "The wallet still carries something else out"),
    ("already deployed", "The wallet is deployed already"),
    ("no relayer key", "There is no relayer key: make one first"),
)  # fmt: skip


def explain_refusal(text: str, name_of: Callable[[Address], str]) -> str:
    """Return a refusal in words, the relayer's own behind them; its text alone where it is not known.

    Args:
        text: what the relayer said; untrusted.
        name_of: names a contract by our own table; returns the address where it has no name.
    """
    if found := _NOT_PERMITTED.search(text):
        return f"The relayer does not permit calls to {_named(found[1], name_of)}: {COMPARE}"
    if found := _NOT_AN_OPERATOR.search(text):
        return f"The relayer does not permit {_named(found[1], name_of)} as an operator: {COMPARE}"
    if found := _BOUNDED.search(text):
        return f"The relayer takes only an unlimited approval for {_named(found[1], name_of)}"
    lowered = text.lower()
    means = next((meaning for words, meaning in _PLAIN if words in lowered), "")
    return f"{means} ({text})" if means else text


def _named(address: str, name_of: Callable[[Address], str]) -> str:
    name = name_of(Address(address))
    return address if name == address else f"the {name}, {address}"
