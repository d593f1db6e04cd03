"""The key of a session, or why it has none. Imports nothing that costs time: paper needs it too."""

from dataclasses import dataclass

from pmtui.domain.account.keys import KeyKind
from pmtui.signing.secret import Secret


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What a session trades with. The paper account finds its own key by itself."""

    secret: Secret | None = None
    reason: str = ""
    """Why there is none, in the words of the screen."""
    kind: KeyKind = KeyKind.NONE
    """Where it comes from; the paper account's is found later."""
    remedy: str = ""
    """The command that adds what is missing."""
