"""The part of the write side that only ever makes things safer, or gives way again."""

from pmtui.service.safety.safeguards import Safeguards


class ServiceSafetyCommands:
    """Passes each wish to the safeguard that owns it."""

    def __init__(self, safeguards: Safeguards) -> None:
        self._arming = safeguards.arming
        self._kill_switch = safeguards.kill_switch

    def arm(self) -> str:
        """Let single keys trade; returns "" when they may, else why not."""
        return self._arming.arm()

    def disarm(self, reason: str) -> None:
        """Let single keys trade no more."""
        self._arming.disarm(reason)

    def touch_arming(self) -> None:
        """Say that a trading key was used."""
        self._arming.touch()

    def kill(self) -> None:
        """Cancel everything, disarm, and lock entry until it is released."""
        self._kill_switch.kill("K in the terminal")

    def unlock_entry(self) -> str:
        """Let orders be entered again; returns why that failed, "" if it did not."""
        return self._kill_switch.release("K in the terminal")
