"""What the agent surface may ask for: reads of the registry, and nothing else."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pmtui.reads.read import Read, Values


class Refusal(StrEnum):
    """Why there is no answer."""

    UNCONFIGURED = "execution not configured"
    """There is no host to ask, or what was asked for is not turned on."""
    WRONG = "wrong arguments"
    UNKNOWN = "not found"
    UNAVAILABLE = "no answer"
    """A host did not answer, not in time, or refused to."""


@dataclass(frozen=True, slots=True)
class Refused:
    """No answer, and why."""

    reason: Refusal
    words: str
    """In one line; words of the venue in it are untrusted."""
    argument: str = ""
    """Which one is wrong, where one is."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return f"{self.argument} {self.words}".strip()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to one read."""

    items: tuple[object, ...]
    as_of: datetime
    """When it came."""
    source: str
    """Who answered."""
    is_whole: bool = True
    """Whether nothing was left out behind it."""
    skipped: int = 0
    """Rows that could not be read."""
    problem: str = ""
    """Which host gave nothing and why, where others answered without it; untrusted."""


class ReadPort(Protocol):
    """Answers reads."""

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Answer a read with as many rows of it as are wanted.

        Args:
            read: what for.
            values: of its arguments, checked.
            limit: rows at most; None for an answer that is no list.
        """
        ...

    def now(self) -> datetime:
        """Return the time, for the ages of what is told."""
        ...
