"""The kill switch from another shell: the real commands, service, clients and venue."""

import asyncio
import io
import os
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from pmtui.cli.main import main
from pmtui.cli.session_process import is_session_running, session_lock
from pmtui.config.paths import locate, private_dir
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import Accepted, LimitIntent, Rejected, Verdict
from pmtui.link.local_socket import socket_path_of
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.profile import AS_SHIPPED, Profile, Tuning
from pmtui.service.safety.kill_lock import KILLED, KillAnswer, read_killed, write_answer
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, LogTopic, MarketTopic, StatusTopic
from pmtui.service.views import Load, Mode
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import VenueTime, on_first_key, urls_of
from tests.cli.at_venue import until as until_told
from tests.sim.kit import RAIN, RAIN_YES, Person, http_client, small_venue

DEADLINE_S = 60
BUY = LimitIntent(
    condition_id=ConditionId(RAIN),
    token_id=TokenId(RAIN_YES),
    side=Side.BUY,
    price=Micros(400_000),
    size=Micros(10_000_000),
)


@pytest.fixture
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The paper profile's, in a home of its own."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "state" / "paper"


@asynccontextmanager
async def session(
    running: RunningVenue, state_dir: Path, tuning: Tuning = AS_SHIPPED
) -> AsyncIterator[DataService]:
    """Run a service as the terminal does, on the first person's key."""
    clock = VenueTime(running)
    with session_lock(state_dir):
        service = DataService(
            profile=Profile("paper", Mode.PAPER),
            connect=on_first_key(urls_of(running), clock),
            clock=clock,
            journal=Journal(state_dir / "journal.sqlite"),
            rng=random.Random(7),
            tuning=tuning,
            state_dir=state_dir,
        )
        async with service.running():
            service.hub.subscribe([MarketTopic(ConditionId(RAIN))], lambda _: None)
            await until(service, lambda: service.queries.account().load is Load.READY)
            await until(
                service, lambda: service.queries.market(ConditionId(RAIN)).terms is not None
            )
            yield service


until = partial(
    until_told,
    topics=(AccountTopic(), StatusTopic(), LogTopic(), MarketTopic(ConditionId(RAIN))),
)


async def command(*arguments: str) -> int:
    """Run a command beside the session, as another shell would."""
    return await asyncio.to_thread(main, arguments)


async def placed(service: DataService, order: PreparedOrder) -> Verdict:
    async with asyncio.timeout(DEADLINE_S):
        return await service.commands.verdict(service.commands.place(order.order_id))


async def prepared(service: DataService) -> PreparedOrder:
    order = await service.commands.prepare(BUY)
    assert isinstance(order, PreparedOrder), order
    return order


async def test_a_kill_cancels_at_the_venue_and_says_how_many(
    tmp_path: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, state_dir) as service:
            assert isinstance(await placed(service, await prepared(service)), Accepted)
            await ann.rest(Side.BUY, "0.30", "10")
            ready = await prepared(service)
            await service.commands.arm()

            assert await command("kill") == 0
            said = capsys.readouterr().out
            assert "Trading is locked on profile paper." in said
            assert "Cancelled 2 orders; none working." in said
            assert (await ann.call("GET", "/data/orders")).json()["data"] == []
            status = service.queries.status()
            assert status.kill_lock.endswith("by `pmtui kill` in another shell")
            assert status.armed_until is None
            verdict = await placed(service, ready)
            assert verdict == Rejected(status.kill_lock)

            assert await command("release", "--yes") == 0
            assert "unlocked" in capsys.readouterr().out
            await until(service, lambda: not service.queries.status().kill_lock)
            assert isinstance(await placed(service, await prepared(service)), Accepted)


async def test_a_locked_profile_starts_locked_and_cancels_what_rests(
    tmp_path: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        await ann.rest(Side.BUY, "0.30", "10")
        assert await command("kill") == 1
        said = capsys.readouterr().out
        assert "No terminal or service runs on it, so nothing was cancelled" in said
        async with session(running, state_dir) as service:
            log = service.queries.log
            await until(
                service,
                lambda: any("Kill switch: 1 order" in e.text for e in log().entries),
            )
            assert service.queries.status().kill_lock
            assert (await ann.call("GET", "/data/orders")).json()["data"] == []


async def test_limits_hold_over_real_sockets(tmp_path: Path, state_dir: Path) -> None:
    tuning = Tuning(limits=Limits(order=Micros(5_000_000), total=Micros(7_000_000)))
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, state_dir, tuning) as service:
            await until(service, lambda: service.queries.account().entry.problem(BUY) == "")
            orders = [await prepared(service), await prepared(service)]
            first, second = await asyncio.gather(*(placed(service, o) for o in orders))
            assert isinstance(first, Accepted)
            text = "Over your limit of $7.00 for all markets: it would be $8.00"
            assert second == Rejected(text)
            listed = (await ann.call("GET", "/data/orders")).json()["data"]
            assert [order["id"] for order in listed] == [first.order_id]


def test_without_a_terminal_only_the_lock_is_set_and_that_is_said(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kill"]) == 1
    assert "The next session starts locked" in capsys.readouterr().out
    assert read_killed(state_dir) is not None


def test_a_terminal_that_does_not_say_anything_is_not_waited_for_for_ever(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with session_lock(state_dir):
        # The answer to an earlier kill is none to this one.
        write_answer(state_dir, KillAnswer("earlier", 3, 0, is_done=True))
        assert main(["kill", "--wait", "0"]) == 1
    said = capsys.readouterr().out
    assert "has not been reported." in said
    assert "keeps trying" not in said


def test_a_service_that_hangs_is_named_and_not_said_to_keep_trying(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = socket_path_of(private_dir(locate().runtime), "paper")
    with session_lock(state_dir), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        assert main(["kill", "--wait", "0"]) == 1
    said = capsys.readouterr().out
    assert f"kill -KILL {os.getpid()}" in said
    assert "keeps trying" not in said
    assert read_killed(state_dir) is not None


def test_release_asks_and_without_an_answer_it_stays_locked(
    state_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["kill"])
    for answer, code in (("", 1), ("n", 1), ("yes", 0)):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer and f"{answer}\n"))
        assert main(["release"]) == code
        assert (state_dir / KILLED).exists() is bool(code)
    assert "by `pmtui kill` in another shell" in capsys.readouterr().out
    assert main(["release"]) == 0
    assert "Trading is not locked" in capsys.readouterr().out


def test_a_lock_that_cannot_be_read_can_be_released(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir.mkdir(parents=True)
    (state_dir / KILLED).write_bytes(b"\xff")
    assert main(["release", "--yes"]) == 0
    assert not (state_dir / KILLED).exists()


@pytest.mark.parametrize("name", ["kill", "release"])
def test_wrong_usage_is_refused_in_one_line(
    state_dir: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main([name, "--profile", "nowhere"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"pmtui {name}: ")
    assert said.count("\n") == 1


def test_a_broken_settings_file_stops_no_kill_by_name(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir.mkdir(parents=True)
    config = state_dir.parent.parent / "config"
    config.mkdir()
    (config / "config.toml").write_text("theme = [")
    assert main(["kill"]) == 2
    assert read_killed(state_dir) is None
    assert main(["kill", "--profile", "paper"]) == 1
    assert read_killed(state_dir) is not None
    assert main(["kill", "--profile", "../paper"]) == 2


def test_a_directory_that_cannot_be_written_is_said_plainly(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir.parent.mkdir(parents=True)
    state_dir.write_text("in the way")
    assert main(["kill"]) == 1
    assert capsys.readouterr().err.startswith("pmtui kill: NOT locked: ")
    assert main(["release", "--yes"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"pmtui release: it stays locked: {state_dir} is not a directory\n"


def test_whether_a_terminal_runs_is_told_without_keeping_one_out(state_dir: Path) -> None:
    assert not is_session_running(state_dir)
    with session_lock(state_dir):
        assert is_session_running(state_dir)
    assert not is_session_running(state_dir)
