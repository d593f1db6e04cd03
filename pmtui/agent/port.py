"""What the agent surface may request: reads of the registry, and nothing else."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pmtui.reads.read import Read, Values


class Refusal(StrEnum):
    """Why there is no answer."""

    UNCONFIGURED = "execution not configured"
    """There is no host to ask, or what was requested is not turned on."""
    WRONG = "wrong arguments"
    UNKNOWN = "not found"
    UNAVAILABLE = "no answer"
    """A host did not answer, timed out, or refused."""


@dataclass(frozen=True, slots=True)
class Refused:
    """No answer, and the reason."""

    reason: Refusal
    words: str
    """The reason in one line; the venue's words in it are untrusted."""
    argument: str = ""
    """Name of the argument that is wrong, if one is."""

    @property
    def text(self) -> str:
        """The refusal in one line."""
        return f"{self.argument} {self.words}".strip()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to one read."""

    items: tuple[object, ...]
    as_of: datetime
    """When the answer arrived."""
    source: str
    """Name of the source that answered."""
    is_whole: bool = True
    """Whether the answer is complete; False if there is more to read."""
    skipped: int = 0
    """Rows that could not be decoded."""
    problem: str = ""
    """The host that returned nothing and why, if others answered without it; untrusted."""


class ReadPort(Protocol):
    """Answers reads."""

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Return the result of a read, with at most `limit` rows.

        Args:
            read: the read to perform.
            values: its arguments, checked.
            limit: the most rows to return; None for a result that is not a list.
        """
        ...

    def now(self) -> datetime:
        """Return the current time, from which ages are calculated."""
        ...
