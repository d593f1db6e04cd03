"""`pmtui sim` refuses in one line what it cannot follow."""

import gzip
from pathlib import Path

import pytest

from pmtui.cli.venue.sim import run


def refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert run(argv) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("pmtui sim: ")
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize(
    "argv",
    [
        ["--port", "x"], ["--port", "65529"], ["--port", "-1"], ["--port"],
        ["--speed", "x"], ["--speed", "nan"], ["--speed", "1001"], ["--seed", "1.5"],
        ["--frob"], ["stray"], ["--catalogue"], ["--catalogue", "no-such-file.json"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(argv, capsys)
    assert argv[0].lstrip("-") in text or argv == ["stray"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no JSON"),
        (b"hello", "holds no JSON"),
        (b"\xff\xfe[]", "holds no JSON"),
        (b'"\xff"', "holds no JSON"),
        (b"[" * 100_000, "holds no JSON"),
        (gzip.compress(b"[]")[:-4], "cannot be read"),
        (b'{"orders": []}', "holds no events, markets or tags"),
    ],
    ids=["empty", "text", "utf-16", "no text", "deep", "archive", "other"],
)
def test_an_unusable_catalogue_is_one_line(
    content: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pages.json"
    path.write_bytes(content)
    text = refused(["--catalogue", str(path)], capsys)
    assert f"--catalogue: {path}: {reason}" in text
