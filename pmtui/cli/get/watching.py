"""What every `--watch` has in common: where its answers go, and when it has written enough."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from types import MappingProxyType

from pmtui.cli.output import warn
from pmtui.domain.health import Link, LinkState


class Output:
    """Takes answers one by one until enough were written."""

    def __init__(self, write: Callable[[Sequence[object]], None], limit: int | None) -> None:
        """Prepare to write.

        Args:
            write: takes each answer.
            limit: answers after which it ends; None for never.
        """
        self._write = write
        self._left = limit
        self._last: dict[Hashable, object] = {}
        self.is_done = asyncio.Event()
        """Set when nothing more is wanted, or can be written."""
        self.problem: OSError | None = None
        """Why nothing more can be written, such as a reader that has gone."""
        if limit == 0:
            self.is_done.set()

    def write(self, answer: object) -> None:
        """Write an answer."""
        if self.is_done.is_set():
            return
        try:
            self._write((answer,))
        except OSError as error:
            self.problem = error
            self.is_done.set()
            return
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.is_done.set()

    def write_change(self, key: Hashable, answer: object) -> None:
        """Write an answer unless it is what was last written of the same thing."""
        if self._last.get(key) != answer:
            self._last[key] = answer
            self.write(answer)

    @property
    def written(self) -> Mapping[Hashable, object]:
        """What was last written of each thing."""
        return MappingProxyType(self._last)


class LinkNotes:
    """Says once on standard error that a stream is down, until it is up again."""

    def __init__(self) -> None:
        self._is_down = False

    def note(self, link: Link) -> None:
        """Take the state of the stream."""
        if link.state is LinkState.DOWN and not self._is_down:
            warn(f"pmtui get: the stream is down: {link.reason}")
        if link.state in (LinkState.DOWN, LinkState.OPEN):
            self._is_down = link.state is LinkState.DOWN


async def first_of(*coroutines: Coroutine[object, object, object]) -> None:
    """Run all until the first one ends, and end the others; what it raised is raised."""
    tasks = [asyncio.ensure_future(each) for each in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            _ = task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
