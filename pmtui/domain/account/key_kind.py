"""Where a key can come from."""

from enum import StrEnum


class KeyKind(StrEnum):
    """Where the key of a session comes from."""

    NONE = "none"
    PAPER = "paper"
    """Drawn for the local venue, and good for nothing else."""
    KEYSTORE = "keystore"
    ENVIRONMENT = "environment"
