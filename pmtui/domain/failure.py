"""What a request that brought no usable answer allows one to conclude."""

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """Why there is no answer."""

    REFUSED = "refused"
    """The service answered with an error of its own: 4xx with a text."""
    UNREACHABLE = "unreachable"
    """No connection: the request did not leave."""
    LOST = "lost"
    """The connection broke or timed out after the request may have left."""
    SERVER = "server"
    """5xx, or an answer that cannot be read: a page of the edge, an empty or truncated body."""
    BUSY = "busy"
    """429 or 425: come back after `retry_after_s`."""
    NOT_FOUND = "not found"
    CANCELLED = "cancelled"
    """Given up by us before it left."""


NEVER_TAKEN = frozenset({403, 425, 429})
"""Answered before a request is looked at, whoever answers and in whatever form: the region is
checked before anything else, the engine restarts, there were too many (WIRE_CLOB §6.5, §15). Every
other status of a page of somebody in between tells nothing: a 502 or 504 may follow the deed, and
what a 503 stands for nobody has written down."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a usable answer. Texts of the service are untrusted."""

    kind: FailureKind
    route: str
    """Method and path template, for example `POST /order`; never a query or a secret."""
    text: str
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def may_have_happened(self) -> bool:
        """Whether the service may have acted on it all the same."""
        is_open = self.kind in (FailureKind.LOST, FailureKind.SERVER)
        return is_open and self.status not in NEVER_TAKEN

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Say it in one line."""
        status = f" ({self.status})" if self.status is not None else ""
        return f"{self.route}: {self.text or self.kind.value}{status}"
