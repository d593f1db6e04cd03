"""What the service keeps for one terminal; what it gives to all of them is the same for all."""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.service.commands import ServiceCommands
from pmtui.service.queries import ServiceQueries


@dataclass(frozen=True, slots=True)
class Terminal:
    """One terminal's way to ask and to act. Arming is its own, and ends when it is closed."""

    queries: ServiceQueries
    commands: ServiceCommands
    close: Callable[[], None]
