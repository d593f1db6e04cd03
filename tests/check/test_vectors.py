import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.check.__main__ import main
from tests.check.vectors import Report, check_document

FOLDER = Path(__file__).parents[1] / "vectors"


@pytest.fixture
def clob() -> Any:
    return json.loads((FOLDER / "clob.json").read_bytes())


@pytest.fixture
def wallet() -> Any:
    return json.loads((FOLDER / "wallet.json").read_bytes())


def _failures(document: Any) -> list[str]:
    report = Report()
    check_document(document, report)
    return report.failures


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for i, inner in enumerate(value) for leaf in _leaves(inner, (*path, i))]
    return [path]


def _alter(document: Any, path: tuple[Any, ...]) -> None:
    for part in path[:-1]:
        document = document[part]
    value = document[path[-1]]
    if isinstance(value, bool) or value is None:
        document[path[-1]] = not value
    elif isinstance(value, int):
        document[path[-1]] = value + 1
    else:
        last = "1" if value[-1:] != "1" else "2"
        document[path[-1]] = value[:-1] + last


# Comments of the file's makers, and inputs that do not bear on any result.
_FREE = {"id", "floatSdkGives", "usableFor", "query", "generatedWith", "crossCheckedWith", "notes"}


_JUNK: tuple[Any, ...] = (None, [], {}, 1.5, "\x1b[31m\n", -(10**90))


def test_the_golden_files_pass(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(FOLDER / "clob.json"), str(FOLDER / "wallet.json")]
    assert main(["vectors", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("132 rows checked: 132 passed, 0 failed")


@pytest.mark.parametrize(
    "section",
    ["orders", "l1Auth", "l2Auth", "wallets", "amounts", "bookHash", "takerFee", "cursor"],
)
def test_any_altered_value_fails_its_row(section: str, clob: dict[str, Any]) -> None:
    row = clob[section][0]
    for path in _leaves(row):
        if _FREE.intersection(path):
            continue
        altered = json.loads(json.dumps({**clob, section: [row]}))
        _alter(altered[section][0], path)
        failures = [line for line in _failures(altered) if line.startswith(f"{section}[0]")]
        assert len(failures) == 1, path
        assert "\n" not in failures[0]


@pytest.mark.parametrize("index", [3, 6, 10])
def test_altered_expectations_of_wrapped_and_market_orders_fail(
    index: int, clob: dict[str, Any]
) -> None:
    row = clob["orders"][index]
    for part in ("expect", "post"):
        for path in _leaves(row[part]):
            altered = json.loads(json.dumps({**clob, "orders": [row]}))
            _alter(altered["orders"][0][part], path)
            assert any(line.startswith("orders[0]") for line in _failures(altered)), path


@pytest.mark.parametrize("index", range(9))
def test_an_altered_walk_fails(index: int, clob: dict[str, Any]) -> None:
    row = clob["marketPriceWalk"][index]
    for key in ("price", "error", "bookSide"):
        if key in row:
            assert _failures({"marketPriceWalk": [{**row, key: row[key] + "1"}]})
    bare = {key: value for key, value in row.items() if key not in ("price", "error")}
    assert _failures({"marketPriceWalk": [bare]})


def test_altered_results_of_every_supported_kind_fail(wallet: dict[str, Any]) -> None:
    seen = set()
    for vector in wallet["vectors"]:
        report = Report()
        check_document({"vectors": [vector]}, report)
        if not report.passed or vector["kind"] in seen:
            continue
        seen.add(vector["kind"])
        for path in _leaves(vector["out"]):
            altered = json.loads(json.dumps(vector))
            _alter(altered["out"], path)
            assert len(_failures({"vectors": [altered]})) == 1, path
    assert len(seen) == 13


@pytest.mark.parametrize(
    "section",
    [
        "orders",
        "l1Auth",
        "l2Auth",
        "wallets",
        "amounts",
        "marketPriceWalk",
        "bookHash",
        "takerFee",
        "cursor",
        "vectors",
    ],
)
def test_a_malformed_row_is_a_failure_in_one_line(section: str) -> None:
    rows: tuple[Any, ...] = (
        None, 1, [], {}, {"kind": 1}, {"side": "BUY", "price": "x"}, {"out": {}}, {"inputs": []}
    )  # fmt: skip
    for row in rows:
        failures = _failures({section: [row]})
        assert len(failures) == 1, row
        assert "\n" not in failures[0]


def test_every_missing_or_mistyped_member_is_a_failure_not_a_traceback(
    clob: dict[str, Any], wallet: dict[str, Any]
) -> None:
    rows = [(section, rows[0]) for section, rows in clob.items() if isinstance(rows, list)]
    rows += [("vectors", wallet["vectors"][i]) for i in (0, 4, 41, 43, 46, 48)]
    for section, row in rows:
        if not isinstance(row, dict):
            continue
        for path in _leaves(row):
            for junk in _JUNK:
                altered = json.loads(json.dumps(row))
                inner = altered
                for part in path[:-1]:
                    inner = inner[part]
                inner[path[-1]] = junk
                for line in _failures({"credentials": clob["credentials"], section: [altered]}):
                    assert line.isprintable()


def test_an_unreadable_order_does_not_fail_the_other_sections(clob: dict[str, Any]) -> None:
    clob["orders"] = [None, {"inputs": 1}, {"inputs": {"privateKey": "zz"}}, *clob["orders"]]
    assert [line.split()[0] for line in _failures(clob)] == [
        "orders[0]:",
        "orders[1]:",
        "orders[2]:",
    ]


def test_a_row_without_its_result_fails(clob: dict[str, Any]) -> None:
    row = clob["amounts"][0]
    del row["makerAmount"]
    assert _failures({"amounts": [row]}) == ["amounts[0]: makerAmount: missing"]


def test_a_field_nobody_computes_fails(wallet: dict[str, Any]) -> None:
    vector = wallet["vectors"][4]
    vector["out"]["colour"] = "red"
    (failure,) = _failures({"vectors": [vector]})
    assert failure.endswith("out.colour: not a field of such a row")


def test_unknown_kinds_and_sections_are_counted_and_not_passed() -> None:
    report = Report()
    check_document({"vectors": [{"kind": "wallet.upgrade"}], "ladders": [{}, {}]}, report)
    assert report.passed == 0
    assert report.failures == []
    expected = "0 rows checked: 0 passed, 0 failed; not supported: ladders × 2, wallet.upgrade × 1"
    assert report.summary == expected


def test_a_difference_far_inside_a_long_value_is_shown_where_it_is(clob: dict[str, Any]) -> None:
    row = clob["orders"][4]
    row["expect"]["signature"] = row["expect"]["signature"][:-4] + "beef"
    (failure,) = _failures({"orders": [row], "credentials": clob["credentials"]})
    assert failure.startswith(
        "orders[0] S05-deposit-regular-buy-0.01: expect.signature: differs at"
    )
    assert failure.endswith("expected …beef, got …00ba")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 5_000, "not JSON"),
        (b"[]", "no object"),
        (b"{}", "no known section"),
        (b'{"orders": []}', "no known section with rows"),
        (gzip.compress(b"{}")[:-9], "damaged gzip"),
    ],
    ids=["missing", "empty", "binary", "deep", "array", "nothing", "rows", "archive"],
)
def test_an_unusable_file_is_named_in_one_line(
    content: bytes | None, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.json"
    if content is not None:
        path.write_bytes(content)
    assert main(["vectors", str(path), str(FOLDER / "clob.json")]) == 2
    captured = capsys.readouterr()
    assert captured.out == "78 rows checked: 78 passed, 0 failed\n"
    assert captured.err.count("\n") == 1
    assert str(path) in captured.err
    assert reason in captured.err


def test_a_failing_row_counts_more_than_an_unusable_file(
    tmp_path: Path, clob: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    clob["cursor"][0]["offset"] = 1
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(clob))
    assert main(["vectors", str(path), str(tmp_path / "none.json")]) == 1
    assert "77 passed, 1 failed" in capsys.readouterr().out


@pytest.mark.parametrize("section", ["orders", "cursor", "vectors"])
@pytest.mark.parametrize("rows", [{}, {"a": {}}, None, "rows", 1])
def test_a_known_section_that_is_no_list_fails(section: str, rows: Any, clob: Any) -> None:
    (failure,) = _failures({**clob, section: rows})
    assert failure.startswith(f"{section}: malformed row:")


@pytest.mark.parametrize("pack", [gzip.compress, b"\xef\xbb\xbf".__add__])
def test_packed_and_marked_files_are_read(pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "clob.json"
    path.write_bytes(pack((FOLDER / "clob.json").read_bytes()))
    assert main(["vectors", str(path)]) == 0


@pytest.mark.parametrize("argv", [[], ["vectors"], ["nonsense"], ["vectors", "--what", "x"]])
def test_wrong_usage_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_ends_with_one_when_a_row_differs(tmp_path: Path, clob: Any) -> None:
    clob["amounts"][3]["makerAmount"] = "1"
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(clob))
    command = [sys.executable, "-m", "tests.check", "vectors", str(path)]
    run = subprocess.run(
        command, cwd=FOLDER.parents[1], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert lines[0] == f"{path}: amounts[3]: makerAmount: expected 1, got 21040000"
    assert lines[1] == "78 rows checked: 77 passed, 1 failed"
    assert run.stderr == ""
