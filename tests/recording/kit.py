"""Recordings of the small local venue, made through real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx

from pmtui.cli.record import Recorder
from pmtui.config.settings import load_settings
from pmtui.domain.ids import TokenId
from pmtui.recording.reader import Recording, read_recording
from pmtui.service.clock import SystemClock
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import urls_of
from tests.clients.streams.servers import until
from tests.sim.kit import RAIN_YES, Person, http_client, small_venue

Play = Callable[["Scene"], Awaitable[None]]


class Scene:
    """A venue that is being recorded, and two people on it."""

    def __init__(self, running: RunningVenue, http: httpx.AsyncClient, recorder: Recorder) -> None:
        self.running, self.http, self._recorder = running, http, recorder
        self.ann = Person(running, http, key=0)
        self.bob = Person(running, http, key=1)

    def _has_heard(self, messages: int) -> bool:
        return self._recorder.progress.messages >= messages

    async def heard(self, deed: Awaitable[object], *, messages: int = 1) -> None:
        """Do something, and wait until the stream has told of it, in so many messages."""
        told = self._recorder.progress.messages + messages
        await deed
        await until(partial(self._has_heard, told), "a message")

    async def book(self, token_id: str) -> dict[str, object]:
        """Return a book as the trading host has it."""
        return await book_of(self.http, self.running.urls["clob"], token_id)


async def book_of(http: httpx.AsyncClient, clob: str, token_id: str) -> dict[str, object]:
    answer = await http.get(f"{clob}/book", params={"token_id": token_id})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


@asynccontextmanager
async def recorded(folder: Path, play: Play) -> AsyncIterator[tuple[Recording, dict[str, object]]]:
    """Give a recording of what happens in a play, and the book with which it ended."""
    path, stop = folder / "rain.pmtui", asyncio.Event()
    async with small_venue(folder) as running, http_client() as http:
        recorder = Recorder(
            urls_of(running), load_settings(config_file=folder / "none.toml"),
            clock=SystemClock(), on_progress=lambda _: None,
        )  # fmt: skip
        assert await recorder.find([TokenId(RAIN_YES)]) is None
        scene = Scene(running, http, recorder)
        await scene.ann.arrive()
        await scene.bob.arrive()
        task = asyncio.create_task(recorder.record(path, stop))
        await until(partial(scene._has_heard, 1), "the first books")
        await play(scene)
        last = await scene.book(RAIN_YES)
        stop.set()
        await task
        await recorder.close()
    found = read_recording(path)
    assert isinstance(found, Recording), found
    yield found, last
