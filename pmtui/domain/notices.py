"""Notices outside the terminal: the channels the trader chose, and their rate limit."""

from dataclasses import dataclass
from enum import StrEnum

LONGEST = 200
"""Characters of a notice sent outside the terminal."""
MOST, WITHIN_S = 6, 60
"""At most `MOST` notices within this many seconds: a burst of fills must not be a burst of pop-ups."""
PLACEHOLDER = "{text}"


class Bell(StrEnum):
    """Which notices ring the terminal bell."""

    OFF = "off"
    ALERTS = "alerts"
    """Price alerts only."""
    ALL = "all"
    """Every notice: fills, stops, refusals, faults."""


class DesktopWay(StrEnum):
    """The escape sequence that makes a terminal show a desktop notification."""

    OFF = "off"
    OSC_9 = "osc9"
    """iTerm2, Windows Terminal, foot, kitty, ghostty, WezTerm."""
    OSC_777 = "osc777"
    """urxvt, foot, ghostty, WezTerm, recent Konsole."""


@dataclass(frozen=True, slots=True)
class NoticeWays:
    """The channels for notices of one terminal."""

    bell: Bell = Bell.ALERTS
    desktop: DesktopWay = DesktopWay.OFF


@dataclass(frozen=True, slots=True)
class NoticeBudget:
    """Rate limit on notices, by a monotonic clock."""

    left_at_s: tuple[float, ...] = ()

    def spend(self, now_s: float) -> "NoticeBudget | None":
        """Return the budget after one more notice; None if it is used up."""
        recent = tuple(at for at in self.left_at_s if now_s - at < WITHIN_S)
        return None if len(recent) >= MOST else NoticeBudget((*recent, now_s))


def to_plain_notice(text: str) -> str:
    """Return a notice as one short line without control characters: it may contain the venue's text."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def command_line(arguments: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return the arguments of the trader's own command with the notice inserted.

    It replaces `{text}`, else it is appended as the last argument. No shell interprets it.

    Args:
        arguments: the program and its arguments, at least one.
        text: the notice.
    """
    if any(PLACEHOLDER in argument for argument in arguments[1:]):
        head, *rest = arguments
        return (head, *(argument.replace(PLACEHOLDER, text) for argument in rest))
    return (*arguments, text)
