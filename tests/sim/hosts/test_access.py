"""Who may talk to the venue: host names, the operator's token and its file, sizes of bodies."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from pmtui.sim.admin_token import TOKEN_FILE, operator_headers, read_token, write_token
from pmtui.sim.run import RunningVenue
from pmtui.sim.server import MAX_BODY_BYTES, is_loopback_host
from tests.sim.kit import Person, small_venue, write_catalogue
from tests.sim.process import venue_process

HTTP_HOSTS = ("clob", "gamma", "data", "relayer", "rpc", "geoblock", "admin")
OURS = ("127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]", "[::1]:80", "127.1.2.3")
FOREIGN = (
    "",
    "example.org",
    "example.org:80",
    "127.0.0.1.example.org",
    "localhost.example.org",
    "localhost@example.org",
    "127.0.0.1@example.org",
    "10.0.0.1",
    "[::2]",
    "127.0.0.1:80:80",
    "127.0.0.1:x",
    "::1",
)


@pytest.mark.parametrize("stated", OURS)
def test_names_of_this_machine_are_served(stated: str) -> None:
    assert is_loopback_host([stated])


@pytest.mark.parametrize("stated", FOREIGN)
def test_other_names_are_not(stated: str) -> None:
    assert not is_loopback_host([stated])


def test_a_request_names_one_host() -> None:
    assert not is_loopback_host([])
    assert not is_loopback_host(["127.0.0.1", "127.0.0.1"])


@given(st.text(max_size=40))
def test_any_host_header_gets_an_answer(stated: str) -> None:
    assert is_loopback_host([stated]) in (True, False)


@pytest.mark.parametrize("host", HTTP_HOSTS)
async def test_every_host_refuses_foreign_names(
    running: RunningVenue, http: httpx.AsyncClient, host: str
) -> None:
    headers = operator_headers(running.admin_token)
    for name in ("example.org", "rebound.example.org:8000"):
        answer = await http.get(running.urls[host] + "/", headers={**headers, "Host": name})
        assert answer.status_code == 421
    port = httpx.URL(running.urls[host]).port
    named = await http.get(
        running.urls[host] + "/", headers={**headers, "Host": f"localhost:{port}"}
    )
    assert named.status_code in (200, 404)


@pytest.mark.parametrize("channel", ["ws_market", "ws_user"])
async def test_the_streams_refuse_foreign_names(running: RunningVenue, channel: str) -> None:
    url = httpx.URL(running.urls[channel])
    foreign = f"ws://example.org:{url.port}{url.path}"
    with pytest.raises(InvalidStatus) as caught:
        async with connect(foreign, host=url.host, port=url.port, proxy=None):
            pass
    assert caught.value.response.status_code == 421
    async with connect(str(url), proxy=None):
        pass


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic e30="},
        {"Authorization": "Bearer \u00e9"},
    ],
)
async def test_the_operator_shows_a_token(ann: Person, shown: dict[str, str]) -> None:
    url, headers = ann.running.urls["admin"], httpx.Headers(shown, encoding="utf-8")
    for path in ("/", "/audit", f"/ledger/{ann.wallet}", "/nowhere"):
        assert (await ann.http.get(url + path, headers=headers)).status_code == 401
    body = {"address": ann.wallet, "amount": "1"}
    refused = await ann.http.post(url + "/fund", json=body, headers=headers)
    assert refused.status_code == 401
    assert ann.running.admin_token not in refused.text
    assert (await ann.ledger())["collateral"] == "1000"


async def test_every_venue_has_a_token_of_its_own(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as one, small_venue(tmp_path) as other:
        assert one.admin_token != other.admin_token
        assert one.admin_token not in repr(one)


async def test_the_token_lies_beside_the_state_while_the_venue_runs(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running:
        assert read_token(state) == running.admin_token
        assert stat.S_IMODE((state / TOKEN_FILE).stat().st_mode) == 0o600
    assert not (state / TOKEN_FILE).exists()


@pytest.mark.usefixtures("open_umask")
def test_a_token_is_never_written_through_what_somebody_else_put_there(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("")
    (tmp_path / f"{TOKEN_FILE}.new").symlink_to(theirs)
    (tmp_path / TOKEN_FILE).symlink_to(theirs)
    path = write_token(tmp_path, "token")
    assert theirs.read_text() == ""
    assert not path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_token_is_printed_where_the_caller_asks_only(
    tmp_path: Path,
) -> None:
    state = tmp_path / "state"
    arguments = ["--catalogue", str(write_catalogue(tmp_path)), "--speed", "0"]
    with venue_process(*arguments, "--state", str(state)) as process:
        assert process.admin_token == read_token(state)
        line = Path(f"/proc/{process.process.pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{process.process.pid}/environ").read_bytes()
        assert process.admin_token.encode() not in line + environment
    with venue_process(*arguments, prints_token=False) as process:
        assert process.admin_token == ""
        assert "admin_token" not in process.urls


async def test_a_body_that_is_too_long_is_refused_by_what_it_states(ann: Person) -> None:
    body = b" " * (MAX_BODY_BYTES + 1)
    assert (await ann.operate("POST", "/fund", content=body)).status_code == 413
    url = ann.running.urls["rpc"]
    assert (await ann.http.post(url, content=body)).status_code == 413
    assert (await ann.http.post(url, content=body[:-1])).status_code == 200


async def _without_a_length(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 65_536 + 1):
        yield b" " * 65_536


async def test_a_body_of_unknown_length_is_read_no_further_than_it_may_be(
    running: RunningVenue, http: httpx.AsyncClient
) -> None:
    body = _without_a_length(4 * MAX_BODY_BYTES)
    assert (await http.post(running.urls["rpc"], content=body)).status_code == 413
    assert (await http.get(running.urls["clob"] + "/time")).status_code == 200
