"""Requests that wait for their turn, so that a trader can see that nothing is stuck."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long the line before one route is."""

    route: str
    """Method and path template, for example `GET /book`."""
    count: int
    """Requests in line; zero when the last one has gone."""
    opens_in_s: float
    """Until the first of them may go; further ones may take longer."""

    @property
    def ahead(self) -> int:
        """Requests before the last one in line."""
        return max(self.count - 1, 0)

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Say it in one line."""
        return f"{self.route}: waiting, {self.ahead} ahead" if self.count else f"{self.route}: free"
