"""Which profile this session runs on, and what it may do."""

from dataclasses import dataclass

from pmtui.service.views import Mode


@dataclass(frozen=True, slots=True)
class Profile:
    """Name and mode as the status line says them."""

    name: str
    mode: Mode
    reason: str = ""
    remedy: str = ""
    """The command that adds the key that is missing; empty where nothing is."""
