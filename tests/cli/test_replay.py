"""What cannot be replayed is refused in one line, before a terminal is taken over."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pmtui.cli.main import main
from pmtui.cli.replay import ReplaySession, make_replay_service, make_timeline
from pmtui.cli.terminal_app import Appearance, make_app
from pmtui.config.settings import load_settings
from pmtui.domain.books.book_view import BookState
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, LimitIntent
from pmtui.recording.reader import Message, Recording
from pmtui.recording.timeline import Timeline
from pmtui.recording.writer import FrameRow, Header, RecordingWriter
from pmtui.service.books.books import CHECK_PERIOD_S
from pmtui.service.data_service import DataService
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.service.views import Level, Load
from pmtui.sim.replay.run import RunningReplay, running_replay
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.replay_line import ReplayLine
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.text_line import TextLine
from tests.clients.streams.servers import until
from tests.recording.kit import Scene, recorded
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES


@pytest.mark.parametrize("content", [None, b"", b"hello", b'{"kind":"x"}'])
def test_a_file_that_holds_nothing_ends_with_1(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    if content is not None:
        path.write_bytes(content)
    assert main(["replay", str(path)]) == 1
    said = capsys.readouterr().err
    assert (said.count("\n"), said.startswith("pmtui replay: ")) == (1, True)


def test_without_a_terminal_it_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = RecordingWriter(tmp_path / "a", Header(started_ms=0, token_ids=()))
    writer.add(FrameRow(0, '{"event_type":"book","market":"0xaa","asset_id":"1"}'))
    writer.close()
    assert main(["replay", str(tmp_path / "a")]) == 2
    assert "terminal" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--speed", "x"], ["--speed", "-1"], ["--speed", "1000"]])
def test_a_speed_out_of_range_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", "a", *words])
    assert ended.value.code == 2


@pytest.mark.parametrize(("speed", "position_us"), [(0.0, 700), (1.0, 0)])
def test_a_replay_that_begins_paused_begins_with_its_first_message(
    speed: float, position_us: int
) -> None:
    recording = Recording(Header(started_ms=0, token_ids=()))
    recording.messages += [Message(at, b"{}", "0xaa", "1", "book") for at in (700, 9_000_000)]
    timeline = make_timeline(recording, speed)
    timeline.pause()
    assert (timeline.position_us // 500_000, timeline.is_paused) == (0, True)
    assert timeline.position_us >= position_us


YES = TokenId(RAIN_YES)
APPEARANCE = Appearance(DEFAULT_KEYMAP, load_themes()[0], (), Path("unused"))


async def play(scene: Scene) -> None:
    for price in ("0.4", "0.41", "0.42"):
        await scene.heard(scene.ann.rest(Side.BUY, price, "10"))
    await scene.heard(scene.bob.rest(Side.BUY, "0.5", "20", token=RAIN_NO))


@asynccontextmanager
async def session(
    recording: Recording, folder: Path
) -> AsyncIterator[tuple[ReplaySession, RunningReplay, DataService]]:
    """The service on a replay that stands at its start."""
    settings = load_settings(config_file=folder / "none.toml")
    timeline = Timeline(recording.length_us, monotonic=time.monotonic, speed=0)
    state = folder / "replay"
    state.mkdir()
    made = ReplaySession(settings, APPEARANCE, recording, timeline, state=state)
    async with running_replay(recording, timeline) as venue:
        service = make_replay_service(settings, venue, clock=made.clock, state=state)
        async with service.running():
            yield made, venue, service


async def test_the_service_verifies_every_book_of_a_replay_and_trades_on_it(
    tmp_path: Path,
) -> None:
    async with (
        recorded(tmp_path, play) as (recording, last),
        session(recording, tmp_path) as (_, venue, service),
    ):
        topics: list[Topic] = [BookTopic(YES), MarketTopic(ConditionId(RAIN)), AccountTopic()]
        watching = service.hub.subscribe(topics, lambda _: None)
        venue.timeline.step_to(recording.length_us)

        def book_is_last() -> bool:
            book = service.queries.book(YES)
            bids = last["bids"]
            assert isinstance(bids, list)
            return book.state is BookState.VERIFIED and len(book.bids) == len(bids)

        await until(book_is_last, "the last book, verified")
        await until(lambda: service.queries.account().load is Load.READY, "the account")
        await until(
            lambda: service.queries.market(ConditionId(RAIN)).terms is not None, "the terms"
        )
        prepared = await service.commands.prepare(
            LimitIntent(
                condition_id=ConditionId(RAIN), token_id=YES, side=Side.BUY,
                price=Micros(500_000), size=Micros(5_000_000),
            )
        )  # fmt: skip
        assert isinstance(prepared, PreparedOrder), prepared
        verdict = await service.commands.verdict(service.commands.place(prepared.order_id))
        assert isinstance(verdict, Accepted), verdict
        assert service.queries.status().clock_skew_ms == 0
        watching.close()


async def test_the_persons_seconds_pass_while_a_replay_is_paused(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, _),
        session(recording, tmp_path) as (_, venue, service),
    ):
        queries = service.queries
        recorded_at, began_s = queries.now(), queries.monotonic()
        await until(lambda: queries.monotonic() > began_s, "a moment")
        assert queries.now() == recorded_at
        venue.timeline.move_to(recording.length_us)
        assert queries.now() > recorded_at


def with_swapped_changes(recording: Recording) -> tuple[Recording, list[int]]:
    """Let the last two changes of the book arrive in the wrong order; returns when they do, too."""
    messages = list(recording.messages)
    places = [n for n, message in enumerate(messages) if message.kind == "price_change"][-2:]
    first, second = (messages[place] for place in places)
    messages[places[0]] = first._replace(data=second.data)
    messages[places[1]] = second._replace(data=first.data)
    return replace(recording, messages=messages), [first.at_us, second.at_us]


async def test_a_pause_between_changes_that_came_swapped_is_no_lost_message(tmp_path: Path) -> None:
    async with recorded(tmp_path, play) as (original, _):
        recording, (first_us, second_us) = with_swapped_changes(original)
        async with session(recording, tmp_path) as (_, venue, service):
            queries = service.queries
            watching = service.hub.subscribe([BookTopic(YES)], lambda _: None)
            venue.timeline.move_to(first_us - 1)
            await until(lambda: queries.book(YES).state is BookState.VERIFIED, "the book before")
            before = queries.book(YES)
            venue.timeline.step_to(first_us)
            await until(lambda: queries.book(YES) != before, "the first change")
            paused_s = queries.monotonic()
            await until(lambda: queries.monotonic() - paused_s > 3 * CHECK_PERIOD_S, "some checks")
            venue.timeline.step_to(second_us)
            await until(lambda: venue.feed.is_current, "the second change")
            await until(lambda: len(queries.book(YES).bids) > len(before.bids), "the bid")
            assert [e.text for e in queries.log().entries if e.level is Level.WARNING] == []
            assert queries.book(YES).state is BookState.VERIFIED
            watching.close()


async def test_keys_pause_step_and_jump_and_the_line_follows(tmp_path: Path) -> None:
    async with (
        recorded(tmp_path, play) as (recording, _),
        session(recording, tmp_path) as (made, venue, service),
    ):
        made.playback.attach(venue.feed, rewind=service.rewind)
        app = make_app(
            load_settings(config_file=tmp_path / "none.toml").for_terminal(), APPEARANCE,
            queries=service.queries, commands=service.commands, subscriptions=service.hub,
            is_first_run=False, replay=made.playback,
        )  # fmt: skip
        async with app.run_test(size=(120, 36)) as pilot:
            assert "paused" in line_of(pilot)
            await until(lambda: "replay paused" in status_of(pilot), "the pause in the status")
            await pilot.press("N")
            await until(lambda: venue.feed.is_current, "the step")
            first = venue.timeline.position_us
            await pilot.press("N")
            await until(lambda: venue.feed.is_current, "the second step")
            assert venue.timeline.position_us >= first
            await pilot.press("equals_sign", "equals_sign", "minus")
            assert venue.timeline.speed == 2.0
            await pilot.press("right_curly_bracket")
            assert venue.timeline.has_ended
            assert "ended" in line_of(pilot)
            await until(lambda: "recording ended" in status_of(pilot), "the end in the status")
            told: list[datetime] = []
            made.playback.attach(venue.feed, rewind=told.append)
            await pilot.press("left_curly_bracket")
            assert venue.timeline.position_us == 0
            await until(lambda: "replay paused" in status_of(pilot), "no end in the status")
            started_ms = recording.header.started_ms
            assert told == [datetime.fromtimestamp(started_ms / 1_000, UTC)]
            await pilot.press("P")
            assert not venue.timeline.is_paused


def status_of(pilot: Pilot[None]) -> str:
    return "".join(cell.text for cell in pilot.app.screen.query_one("#status", TextLine).line)


def line_of(pilot: Pilot[None]) -> str:
    line = pilot.app.screen.query_one(ReplayLine).line
    return "".join(cell.text for cell in line)
