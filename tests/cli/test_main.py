import os
import subprocess
import sys
from pathlib import Path

import pytest

from pmtui import __version__
from pmtui.cli.main import main


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip() == f"pmtui {__version__}"


def test_the_short_option_prints_the_version_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["-V"])
    assert ended.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_wrong_usage_ends_with_two() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--no-such-flag"])
    assert ended.value.code == 2


def test_without_a_terminal_it_says_so_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pmtui"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        env={"PMTUI_HOME": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "terminal" in done.stderr


def test_a_screen_whose_errors_go_elsewhere_is_refused(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pmtui"],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={"PMTUI_HOME": str(tmp_path), "PATH": "", "TERM": "xterm"},
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert "standard error" in done.stderr


def test_what_ends_the_program_before_the_screen_is_printed_without_a_key(tmp_path: Path) -> None:
    key = "5d" * 32
    program = (
        "import sys\n"
        "from pmtui.cli import main\n"
        "sys.argv = ['pmtui']\n"
        "def fail(*_, **__):\n"
        f"    raise RuntimeError('it was 0x' + {key[:40]!r} + {key[40:]!r})\n"
        "main._open_terminal = fail\n"
        "main.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"PMTUI_HOME": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 1
    assert "RuntimeError: it was <redacted>" in done.stderr
    assert key not in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("help keys", 69),
        ("get", 69),
        ("completion bash", 69),
        ("get markets --help", 69),
        ("--version", 69),
        ("status", 1),
    ],
)
def test_an_output_that_takes_nothing_is_said_in_a_line(
    words: str, code: int, tmp_path: Path
) -> None:
    environ = {"PMTUI_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = f"{sys.executable} -m pmtui {words}"
    done = subprocess.run(
        ["sh", "-c", f"{command} >/dev/full"],
        stderr=subprocess.PIPE, text=True, check=False, env=environ,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (code, int(code == 69))
    done = subprocess.run(
        ["sh", "-c", f"({command}; echo $? >&3) 3>code | true"],
        stderr=subprocess.PIPE, text=True, check=False, env=environ, cwd=tmp_path,
    )  # fmt: skip
    assert done.stderr == ""
    assert int((tmp_path / "code").read_text()) == (0 if code == 69 else code)


def test_an_error_that_nobody_can_be_told_of_changes_no_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m pmtui get nonsense 2>/dev/full"],
        check=False, env={"PMTUI_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 2


def test_closed_standard_streams_end_nothing_in_a_crash(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m pmtui help keys <&- >&-"
    done = subprocess.run(
        ["sh", "-c", command],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={"PMTUI_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stderr) == (0, "")
