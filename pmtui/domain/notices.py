"""Notices that leave the terminal where the trader wishes: which ways they take, and how many may."""

from dataclasses import dataclass
from enum import StrEnum

LONGEST = 200
"""Characters of a notice that leaves the terminal."""
MOST, WITHIN_S = 6, 60
"""So many leave within a minute at most: a burst of fills is no burst of pop-ups."""
PLACEHOLDER = "{text}"


class Bell(StrEnum):
    """What rings the terminal's bell."""

    OFF = "off"
    ALERTS = "alerts"
    """Price alerts alone."""
    ALL = "all"
    """Every notice: fills, stops, refusals, faults."""


class DesktopWay(StrEnum):
    """How a terminal is asked to show a notice on its own desktop."""

    OFF = "off"
    OSC_9 = "osc9"
    """iTerm2, Windows Terminal, foot, kitty, ghostty, WezTerm."""
    OSC_777 = "osc777"
    """urxvt, foot, ghostty, WezTerm, Konsole of late."""


@dataclass(frozen=True, slots=True)
class NoticeWays:
    """The ways that notices of one terminal take out of it."""

    bell: Bell = Bell.ALERTS
    desktop: DesktopWay = DesktopWay.OFF


@dataclass(frozen=True, slots=True)
class NoticeBudget:
    """How many notices have left lately, by a monotonic clock."""

    left_at_s: tuple[float, ...] = ()

    def spend(self, now_s: float) -> "NoticeBudget | None":
        """Return the budget after one more notice; None where it is used up."""
        recent = tuple(at for at in self.left_at_s if now_s - at < WITHIN_S)
        return None if len(recent) >= MOST else NoticeBudget((*recent, now_s))


def to_plain_notice(text: str) -> str:
    """Return a notice as one short line without control characters: it may hold the venue's words."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def command_line(arguments: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return the arguments of the trader's own command with the notice among them.

    It stands where `{text}` does, else it is the last argument. Nothing of it is ever read by a shell.

    Args:
        arguments: the program and its arguments, at least one.
        text: the notice.
    """
    if any(PLACEHOLDER in argument for argument in arguments[1:]):
        head, *rest = arguments
        return (head, *(argument.replace(PLACEHOLDER, text) for argument in rest))
    return (*arguments, text)
