"""Lines of keys in TOML files of every style."""

import os
from pathlib import Path

import pytest

from pmtui.config.toml_file import ConfigError, TomlFile, key_lines, read_toml

TEXT = '''\
# a = 0
a = 1
"b c".d = { x = 1, y = [2] }  # [not.a.table]
long = """
[no.table]
e = 5
"""
list = [
  1, "]", # ]
  2,
]
raw = \'\'\'
g = 7\'\'\'

[t.'u']
k = "=" # k2 = 1
[[rows]]
k = 1
'''


def test_each_key_stands_on_its_line() -> None:
    assert key_lines(TEXT) == {
        ("a",): 2,
        ("b c", "d"): 3,
        ("long",): 4,
        ("list",): 8,
        ("raw",): 12,
        ("t", "u"): 15,
        ("t", "u", "k"): 16,
        ("rows",): 17,
        ("rows", "k"): 18,
    }


def test_a_place_is_that_of_the_nearest_table_above() -> None:
    file = TomlFile(Path("f"), {"t": {"u": 1}}, {("t",): 3})
    assert file.place(("t", "u")) == "f:3"
    assert file.place(("x",)) == "f"
    assert file.has(("t", "u"))
    assert not file.has(("t", "u", "v"))


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert read_toml(tmp_path / "none.toml").values == {}


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="no regular file"):
        read_toml(path)
