"""Who signs for which kind of wallet."""

from enum import StrEnum


class SignatureType(StrEnum):
    """Who signs for which kind of wallet; `number` is what travels."""

    EOA = "eoa"
    PROXY = "proxy"
    SAFE = "safe"
    DEPOSIT_WALLET = "deposit-wallet"

    @property
    def number(self) -> int:
        """The value of the `signatureType` field, 0 to 3."""
        return list(SignatureType).index(self)
