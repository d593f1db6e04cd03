"""The workplace comes back as it was left, and a damaged file is as if there were none."""

from pathlib import Path

import pytest

from pmtui.config.workplace import KeptList, LastScreen, Memory, Workplace, load_workplace


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "workplace.json"
    memory = Memory(path)
    memory.keep_theme("nord")
    memory.keep_size("250")
    memory.keep_preset(3)
    memory.keep_interval("1w")
    memory.keep_grouping("0x2", 1)
    memory.keep_grouping("0x1", 2)
    memory.keep_grouping("0x2", 0)
    memory.keep_charts(has_candles=True, has_depth=False)
    memory.keep_both(has_both=True)
    memory.keep_sides(has_sides=True)
    memory.keep_tape(1_000)
    memory.keep_prices("american")
    memory.keep_times("utc")
    memory.keep_place(LastScreen(screen="market", item="0x1", outcome=1))
    memory.keep_listing(KeptList(sort="spread", tags=("crypto", "eth"), labels=("Crypto", "Ether")))
    assert [Memory(path).grouping_of(market) for market in ("0x1", "0x2")] == [2, 0]
    assert Memory(path).now == Workplace(
        "nord", "250", 3, "1w", ("0x1:2",), has_candles=True, has_both=True, has_sides=True, tape_from=1_000,
        prices="american", times="utc",
        place=LastScreen(screen="market", item="0x1", outcome=1),
        listing=KeptList(sort="spread", tags=("crypto", "eth"), labels=("Crypto", "Ether")),
    )  # fmt: skip
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"theme": 3, "preset": true, "size": null}',
        b'{"place": 3, "listing": []}',
        b'{"place": {"screen": 1, "outcome": "x"}, "listing": {"tags": "a", "max_spread": null}}',
        b'{"listing": {"tags": [1, null]}}',
    ],
)
def test_a_damaged_file_is_nothing_remembered(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "workplace.json"
    path.write_bytes(body)
    assert load_workplace(path) == Workplace()


def test_a_place_belongs_to_its_profile(tmp_path: Path) -> None:
    path = tmp_path / "workplace.json"
    Memory(path, profile="paper").keep_place(LastScreen(screen="market", item="0x1"))
    assert Memory(path, profile="live").place == LastScreen()
    assert Memory(path, profile="paper").place.item == "0x1"


def test_what_is_known_of_a_file_of_another_version_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "workplace.json"
    path.write_text('{"theme": "slate", "columns": ["x"]}')
    assert load_workplace(path) == Workplace("slate")


def test_without_a_file_only_this_session_remembers(tmp_path: Path) -> None:
    memory = Memory()
    memory.keep_theme("nord")
    assert memory.now.theme == "nord"
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "workplace.json")
    memory.keep_theme("nord")
    assert memory.now.theme == "nord"


def test_each_list_keeps_its_own_columns(tmp_path: Path) -> None:
    path = tmp_path / "workplace.json"
    memory = Memory(path)
    memory.keep_columns("events", {"day", "age"})
    memory.keep_columns("positions", {"day"})
    memory.keep_columns("events", {"spread"})
    assert Memory(path).hidden_columns("events") == {"spread"}
    assert Memory(path).hidden_columns("positions") == {"day"}
    assert Memory(path).hidden_columns("orders") == frozenset()


@pytest.mark.parametrize(
    "body", [b'{"hidden_columns": {"events": 1}}', b'{"hidden_columns": [1, "events", ".", ""]}']
)
def test_damaged_columns_hide_none(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "workplace.json"
    path.write_bytes(body)
    assert Memory(path).hidden_columns("events") <= {""}
