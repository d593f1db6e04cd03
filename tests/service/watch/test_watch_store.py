"""The watchlist's file: whole after every write, and nothing of it is ever thrown away."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.domain.conditionals.alerts import (
    AlertId,
    AlertPlan,
    AlertSide,
    AlertState,
    PriceAlert,
)
from pmtui.domain.ids import EventId
from pmtui.domain.markets.watchlist import Star, StarKey, StarKind, key_of_market, snapshot_market
from pmtui.domain.money import Micros
from pmtui.service.watch.watchlist import FILE, StoredWatchlist, StoreProblem, WatchStore
from tests.service.fakes import CONDITION, MARKET, YES

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KEY = key_of_market(CONDITION)
EVENT_KEY = StarKey(StarKind.EVENT, EventId("501"))
STAR = Star(KEY, MARKET.question, AT, snapshot_market(MARKET, AT))
BARE = Star(EVENT_KEY, "River levels", AT)
ALERT = PriceAlert(
    AlertId("a1"), AlertPlan(CONDITION, YES, AlertSide.ABOVE, Micros(450_000)), "Yes", "Will it?", AT
)  # fmt: skip


def raw(state: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(state / FILE)) as connection, connection:
        connection.execute(statement, values)


def test_what_is_written_is_read_in_its_order(tmp_path: Path) -> None:
    assert WatchStore(tmp_path).write((STAR, BARE, ALERT)) is None
    assert WatchStore(tmp_path).read() == StoredWatchlist((STAR, BARE), (ALERT,))


def test_no_file_is_no_problem_and_reading_makes_none(tmp_path: Path) -> None:
    assert WatchStore(tmp_path / "new").read() == StoredWatchlist()
    assert not (tmp_path / "new").exists()


def test_changes_replace_and_remove_and_keep_their_place(tmp_path: Path) -> None:
    store = WatchStore(tmp_path)
    store.write((STAR, BARE, ALERT))
    rang = replace(ALERT, state=AlertState.RANG, rang_at=AT, rang_price=Micros(460_000))
    renamed = replace(STAR, title="Another name", seen=None)
    store.write((renamed, rang))
    assert WatchStore(tmp_path).read() == StoredWatchlist((renamed, BARE), (rang,))
    store.write((KEY, ALERT.alert_id))
    assert WatchStore(tmp_path).read() == StoredWatchlist((BARE,))


def test_the_file_is_for_its_owner_alone_and_profiles_do_not_meet(tmp_path: Path) -> None:
    WatchStore(tmp_path / "paper").write((STAR,))
    assert (tmp_path / "paper" / FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "paper").iterdir()] == [FILE]
    assert WatchStore(tmp_path / "live").read() == StoredWatchlist()


def test_a_file_that_is_no_database_is_said_and_put_aside_before_anything_is_written(
    tmp_path: Path,
) -> None:
    damaged = b"not a database, but somebody's stars" * 40
    (tmp_path / FILE).write_bytes(damaged)
    store = WatchStore(tmp_path)
    with pytest.raises(StoreProblem, match="not a database"):
        store.read()
    assert (tmp_path / FILE).read_bytes() == damaged
    aside = store.write((STAR,))
    assert aside == tmp_path / f"{FILE}.unreadable-1"
    assert aside.read_bytes() == damaged
    assert WatchStore(tmp_path).read() == StoredWatchlist((STAR,))


def test_a_second_damaged_file_does_not_overwrite_the_first(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / FILE).write_bytes(b"damage number %d " % number * 100)
        store = WatchStore(tmp_path)
        with pytest.raises(StoreProblem):
            store.read()
        aside = store.write((STAR,))
        assert aside is not None
        assert aside.name.endswith(f"unreadable-{number}")


def test_rows_of_another_version_stay_in_the_file(tmp_path: Path) -> None:
    store = WatchStore(tmp_path)
    store.write((STAR, ALERT))
    raw(tmp_path, "INSERT INTO stars VALUES ('profile', '0xabc', 'A trader', ?, NULL)", str(AT))
    raw(tmp_path, "INSERT INTO alerts VALUES ('new', ?)", b'{"alert_id": "new"}')
    raw(tmp_path, "INSERT INTO alerts VALUES ('odd', 'no bytes')")
    assert WatchStore(tmp_path).read() == StoredWatchlist((STAR,), (ALERT,), unreadable=3)
    store.write((BARE,))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("SELECT count(*) FROM stars").fetchone() == (3,)
        assert connection.execute("SELECT count(*) FROM alerts").fetchone() == (3,)


def test_a_star_outlives_what_was_seen_of_it(tmp_path: Path) -> None:
    WatchStore(tmp_path).write((STAR,))
    raw(tmp_path, "UPDATE stars SET seen = ?", b"{broken")
    assert WatchStore(tmp_path).read() == StoredWatchlist((replace(STAR, seen=None),))


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(StoreProblem):
        WatchStore(tmp_path / "file").write((STAR,))
    (tmp_path / "taken" / FILE).mkdir(parents=True)
    with pytest.raises(StoreProblem):
        WatchStore(tmp_path / "taken").write((STAR,))
    with pytest.raises(StoreProblem):
        WatchStore(tmp_path / "taken").read()


def test_a_file_that_is_only_busy_is_not_put_aside(tmp_path: Path) -> None:
    WatchStore(tmp_path).write((STAR,))
    store = WatchStore(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreProblem, match="locked"):
            store.read()
        with pytest.raises(StoreProblem, match="locked"):
            store.write((BARE,))
    assert store.write((BARE,)) is None
    assert WatchStore(tmp_path).read() == StoredWatchlist((STAR, BARE))


_WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from pmtui.domain.markets.watchlist import Star, StarKey, StarKind
from pmtui.service.watch.watchlist import WatchStore
store = WatchStore(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    star = Star(StarKey(StarKind.EVENT, str(number)), "t", datetime(2026, 1, 1, tzinfo=UTC))
    store.write((star,))
    print(number, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_written(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(5)]
        child.kill()
    kept = [int(star.key.item_id) for star in WatchStore(tmp_path).read().stars]
    assert kept[: len(told)] == told
    assert kept == list(range(1, len(kept) + 1))
