"""A socket that was taken away is made again, and that of another is left alone."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pmtui.link.local_socket import TAKEN, KeptSocket, is_somebody_there

LISTENER = """
import socket, sys
one = socket.socket(socket.AF_UNIX)
one.bind(sys.argv[1])
one.listen()
print("there", flush=True)
sys.stdin.read()
"""


class Sockets:
    """Listens at the newest socket only, as the server does."""

    def __init__(self) -> None:
        self.now: socket.socket | None = None

    def listen(self, listening: socket.socket) -> None:
        self.close()
        self.now = listening

    def close(self) -> None:
        if self.now is not None:
            self.now.close()


@pytest.fixture
def sockets() -> Iterator[Sockets]:
    sockets = Sockets()
    yield sockets
    sockets.close()


@contextmanager
def another_service(path: Path) -> Iterator[None]:
    with subprocess.Popen(
        (sys.executable, "-c", LISTENER, str(path)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        yield
        assert other.stdin is not None
        other.stdin.close()


@pytest.fixture
def socket_path(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    return folder / "s"


def test_one_that_is_there_is_left_as_it_is(sockets: Sockets, socket_path: Path) -> None:
    kept = KeptSocket(socket_path, sockets.listen)
    first = sockets.now
    assert not kept.keep()
    assert sockets.now is first


def test_one_that_was_removed_is_made_again(sockets: Sockets, socket_path: Path) -> None:
    kept = KeptSocket(socket_path, sockets.listen)
    socket_path.unlink()
    assert kept.keep()
    assert is_somebody_there(socket_path)
    assert not kept.keep()


def test_so_is_the_directory_for_our_user_alone(sockets: Sockets, socket_path: Path) -> None:
    kept = KeptSocket(socket_path, sockets.listen)
    shutil.rmtree(socket_path.parent)
    assert kept.keep()
    assert is_somebody_there(socket_path)
    assert socket_path.parent.stat().st_mode & 0o777 == 0o700


def test_what_another_service_has_taken_is_its_own(sockets: Sockets, socket_path: Path) -> None:
    kept = KeptSocket(socket_path, sockets.listen)
    socket_path.unlink()
    with another_service(socket_path):
        assert not kept.keep()
        assert kept.problem == TAKEN
        kept.remove()
        assert is_somebody_there(socket_path)
    assert kept.keep()
    assert kept.problem == ""
    kept.remove()
    assert not socket_path.exists()


def test_what_keeps_it_from_being_made_is_said(sockets: Sockets, socket_path: Path) -> None:
    kept = KeptSocket(socket_path, sockets.listen)
    shutil.rmtree(socket_path.parent)
    socket_path.parent.write_text("a file stands in the way")
    assert not kept.keep()
    assert "not a directory" in kept.problem.lower()
    socket_path.parent.unlink()
    assert kept.keep()
