import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmtui.cli.output import PrivateRotatingHandler, RedactingFormatter

KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"


def line(message: str, *args: object) -> str:
    record = logging.LogRecord("x", logging.ERROR, "f", 1, message, args, None)
    return RedactingFormatter("%(message)s").format(record)


@pytest.mark.parametrize(
    "message",
    [
        f"key {KEY}",
        f"key 0x{KEY}",
        f"signature 0x{KEY}{KEY}1b",
        "secret=c2hhcmVkLXNlY3JldA==",
        "passphrase: open-sesame",
        "{'POLY_SIGNATURE': 'abcdef='}",
        "Private_Key = hunter2",
        "ConnectError at http://ann:hunter2@proxy.test:3128",
    ],
)
def test_what_looks_like_a_secret_is_blotted_out(message: str) -> None:
    text = line(message)
    assert "<redacted>" in text
    for secret in (KEY, "c2hhcmVk", "open-sesame", "abcdef", "hunter2"):
        assert secret not in text


def test_a_traceback_is_redacted_too() -> None:
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, "f", 1, "stopped", (), (type(error), error, error.__traceback__)
        )
    text = RedactingFormatter("%(message)s").format(record)
    assert "ValueError" in text
    assert KEY not in text


def test_ordinary_words_stay() -> None:
    assert line("book of %s is stale", "7132") == "book of 7132 is stale"


@pytest.fixture
def wide_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


@pytest.mark.usefixtures("wide_umask")
def test_every_file_of_a_log_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "pmtui.log"
    # Rolled away by a program that did not care.
    (tmp_path / "pmtui.log.2").write_text("old")
    handler = PrivateRotatingHandler(path, maxBytes=200, backupCount=3, encoding="utf-8")
    for number in range(20):
        record = logging.LogRecord("x", logging.ERROR, "f", 1, f"line {number}" * 5, (), None)
        handler.handle(record)
    handler.close()
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert set(modes) == {"pmtui.log", "pmtui.log.1", "pmtui.log.2", "pmtui.log.3"}
    assert set(modes.values()) == {0o600}
