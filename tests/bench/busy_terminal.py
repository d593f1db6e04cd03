"""`python -m tests.bench.busy_terminal SESSION STREAM CONTROL [plain]`: the terminal in a busy venue.

App, driver, service, stream client and sockets are the real ones; the request hosts are scripted.
Besides what the screens watch, every book of the session is watched and read at each telling. On a
local socket it answers questions about itself. With `plain` Textual's own display, driver and timers
show the same screens.
"""

import asyncio
import gc
import json
import random
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from rich.console import RenderableType
from textual.app import App
from textual.driver import Driver
from textual.screen import Screen
from typing_extensions import override

from pmtui.clients.streams.channels import MarketChannel
from pmtui.domain.answers import Failure
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import Event, Market, MarketTerms, Outcome
from pmtui.domain.money import Micros
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.topics import BookTopic, Topic
from pmtui.service.views import Mode
from pmtui.ui.app import PmtuiApp
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from tests.service.fakes import (
    MARKET,
    TERMS,
    FakeAnalytics,
    FakeGeo,
    FakeMetadata,
    FakeTrading,
)

TITLE = "A busy event"
ASK_AGAIN_S = 0.001
CHECK_PERIOD_S = 0.5


class Trading(FakeTrading):
    """Knows the terms of every market of the session."""

    def __init__(self, markets: tuple[Market, ...]) -> None:
        super().__init__()
        self._terms = {
            market.condition_id: replace(
                TERMS, condition_id=market.condition_id, token_ids=market.token_ids
            )
            for market in markets
            if market.condition_id is not None
        }

    @override
    async def market_terms(self, condition_id: ConditionId) -> MarketTerms | Failure:
        return self._terms[condition_id]


@dataclass
class Control:
    """Answers one line with one line, while the terminal runs."""

    service: DataService
    channel: MarketChannel
    tokens: tuple[TokenId, ...]
    looks: list[tuple[float, int]] = field(default_factory=list)
    """Moments, and how many frames had been applied by then."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer until the other side leaves."""
        while line := await reader.readline():
            word, _, rest = line.decode().strip().partition(" ")
            writer.write(json.dumps(await self._answer(word, rest)).encode() + b"\n")
            await writer.drain()

    async def _answer(self, word: str, rest: str) -> Any:
        match word:
            case "watch":
                topics = [BookTopic(token) for token in self.tokens]
                self.service.hub.subscribe(topics, self._read)
            case "loading":
                states = [self.service.queries.book(token).state for token in self.tokens]
                return states.count(BookState.LOADING)
            case "now":
                return {"cpu": process_time(), "frames": self._frames()}
            case "after":
                while self._frames() < int(rest):  # noqa: ASYNC110  counted, not told
                    await asyncio.sleep(ASK_AGAIN_S)
                return {"cpu": process_time(), "at": monotonic(), "looks": self.looks}
            case "books":
                return {token: book_text(self.service.queries.book(token)) for token in self.tokens}
            case _:
                raise ValueError(word)
        return None

    async def look_all_along(self) -> None:
        """Note twice a second how far we are."""
        while True:
            await asyncio.sleep(CHECK_PERIOD_S)
            self.looks.append((monotonic(), self._frames()))

    def _read(self, topic: Topic) -> None:
        if isinstance(topic, BookTopic):
            self.service.queries.book(topic.token_id)

    def _frames(self) -> int:
        return sum(connection.counts.frames for connection in self.channel.connections)


class PlainApp(PmtuiApp):
    """The same screens, shown as Textual shows them."""

    @override
    def get_driver_class(self) -> type[Driver]:
        return App.get_driver_class(self)

    @override
    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        App._display(self, screen, renderable)


def book_text(view: BookView) -> list[Any]:
    """Return a book as it is compared: what it is worth, and its levels."""
    sides = ([[level.price, level.size] for level in side] for side in (view.bids, view.asks))
    return [view.state.value, *sides]


def event_of(session: dict[str, Any]) -> Event:
    """Return one event with all markets of a session."""
    tokens_of: dict[str, list[TokenId]] = {}
    for token, text in session["books"].items():
        tokens_of.setdefault(json.loads(text)["market"], []).append(TokenId(token))
    markets = tuple(
        replace(
            MARKET,
            market_id=MarketId(str(1_000 + index)),
            condition_id=ConditionId(condition),
            slug=f"busy-{index}",
            question=f"Will number {index} come first?",
            outcomes=tuple(
                Outcome(label, token, Micros(500_000))
                for label, token in zip(("Yes", "No"), tokens, strict=True)
            ),
        )
        for index, (condition, tokens) in enumerate(tokens_of.items())
    )
    return Event(EventId("1"), "busy", TITLE, markets)


def busy_service(event: Event, channel: MarketChannel, state: Path, *, name: str) -> DataService:
    """Return a service of one event over a real stream and scripted request hosts."""

    async def close() -> None:
        return

    async def connect(health: Health) -> Hosts | str:
        return Hosts(
            metadata=FakeMetadata(events=[event]),
            trading=Trading(event.markets),
            analytics=FakeAnalytics(),
            geo=FakeGeo(),
            market_stream=channel,
            open_account=None,
            close=close,
        )

    return DataService(
        profile=Profile(name, Mode.READ_ONLY),
        connect=connect,
        clock=SystemClock(),
        journal=Journal(state / "journal.sqlite"),
        rng=random.Random(1),
        state_dir=state,
    )


async def run(
    session: dict[str, Any], stream_url: str, control: Path, kind: type[PmtuiApp]
) -> None:
    """Show the terminal until it is told to leave."""
    state = control.parent
    event = event_of(session)
    channel = MarketChannel(stream_url, random=random.Random(1))

    service = busy_service(event, channel, state, name="busy")
    surface = Surface(queries=service.queries, commands=service.commands, subscriptions=service.hub)
    answers = Control(service, channel, tuple(TokenId(token) for token in session["books"]))
    # As the program does once all is loaded: a full collection is a pause that a key feels.
    gc.freeze()
    async with service.running():
        server = await asyncio.start_unix_server(answers.serve, control)
        looking = asyncio.create_task(answers.look_all_along())
        async with server:
            await kind(surface, themes=load_themes()[0]).run_async()
        looking.cancel()


if __name__ == "__main__":
    file, url, socket, *rest = sys.argv[1:]
    content = json.loads(Path(file).read_text(encoding="utf-8"))
    asyncio.run(run(content, url, Path(socket), PlainApp if rest == ["plain"] else PmtuiApp))
